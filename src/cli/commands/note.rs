//! `git merkle note`, `affirm` and `retract`: what a person says about a path, how long it holds, and its end.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io::{self, IsTerminal as _};
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;

use crate::agent::{Agent, HUMAN};
use crate::base::limit::BODY_BYTES_MAX;
use crate::base::{AgentId, FrameType, clock};
use crate::cli::frames::{FrameDocument, FramesDocument, State};
use crate::cli::program::Program;
use crate::cli::shell::shell_word;
use crate::cli::snapshot::{find, find_all, head};
use crate::cli::{CliError, Exit, editor, given};
use crate::frame::{Frame, NodeKind, Slot, Voice};
use crate::node::{Snapshot, SnapshotRoot};
use crate::ops::{self, Carried, Statement, StatementError};
use crate::secret::{guard, guard_name};
use crate::workspace::{NamedTarget, Target, Workspace};

/// Whose statements, and of which kind.
#[derive(Debug, clap::Args)]
struct Who {
    /// The author: an agent that stands for people
    #[arg(long, value_name = "agent", default_value = HUMAN)]
    agent: String,
    /// The frame's type (default: the agent's own)
    #[arg(long = "type", value_name = "type")]
    frame_type: Option<FrameType>,
}

/// Arguments of `note`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A file or directory
    #[arg(value_name = "path", default_value = ".")]
    path: String,
    /// The text, in Markdown; each -m is a paragraph
    #[arg(long, short = 'm', value_name = "text")]
    message: Vec<String>,
    /// Read the text from a file; '-' reads standard input
    #[arg(long, short = 'F', value_name = "file", conflicts_with = "message")]
    file: Option<PathBuf>,
    /// Speak of the file or directory as it is in the work tree, and not as it is in HEAD: for a note on what you are about
    /// to commit
    #[arg(long)]
    worktree: bool,
    /// Edit the text, starting from your last note (default on a terminal where no text is given)
    #[arg(long, short = 'e')]
    edit: bool,
    #[command(flatten)]
    who: Who,
}

/// Arguments of `affirm` and `retract`.
#[derive(Debug, clap::Args)]
pub struct PathsArgs {
    /// Files and directories
    #[arg(value_name = "path", required = true)]
    paths: Vec<String>,
    /// Speak of what the work tree has at the paths, and not of HEAD
    #[arg(long)]
    worktree: bool,
    #[command(flatten)]
    who: Who,
}

impl PathsArgs {
    fn root(&self, workspace: &Workspace) -> Result<SnapshotRoot, CliError> {
        if self.worktree {
            Ok(workspace.root(&Snapshot::Worktree)?)
        } else {
            head(workspace)
        }
    }
}

/// Stores what the user says, and prints the frame's id.
pub fn run(args: &Args, program: &mut Program) -> Result<Exit, CliError> {
    let workspace = program.open()?;
    let (root, target) = subject(args, program, &workspace)?;
    let said = PathNotes::open(&workspace, &args.who, &root, target)?;
    let given = match &args.file {
        Some(file) => Some(given::read(program, file, BODY_BYTES_MAX as u64)?),
        None => Some(args.message.join("\n\n")).filter(|text| !text.trim().is_empty()),
    };
    let is_edited = args.edit || given.is_none();
    if given.is_none() && !args.edit && !io::stdin().is_terminal() {
        return Err(
            CliError::new(Exit::Usage, "no text is given").hint("git merkle note <path> -m <text>")
        );
    }
    let content = if is_edited {
        let help = format!(
            "A note about '{}', for everyone who works with this repository. Markdown; nothing is stored if it is empty.",
            args.path
        );
        let start = given
            .or_else(|| said.own().map(|frame| frame.content.clone()))
            .unwrap_or_default();
        editor::edit(&workspace, &program.environment, start.trim_end(), &help)?
    } else {
        given.unwrap_or_default()
    };
    if content.trim().is_empty() {
        return Err(CliError::new(
            Exit::No,
            "nothing is said: the text is empty",
        ));
    }
    // Like a line of a file, so that the same words are the same statement whatever way they came.
    let frame = said.say(program, format!("{}\n", content.trim_end()))?;
    program.sign(&workspace);
    if program.ui.is_json() {
        program.ui.write_json(
            "note",
            &FrameDocument::new(&frame, State::Fresh).at(said.target.path.as_ref()),
        )?;
    } else {
        writeln!(program.ui, "{}", frame.id)?;
    }
    Ok(Exit::Done)
}

/// What the note is about. Where the work tree has something else at the path, the user is told.
fn subject(
    args: &Args,
    program: &Program,
    workspace: &Workspace,
) -> Result<(SnapshotRoot, Target), CliError> {
    if args.worktree {
        return at_work(workspace, &args.path);
    }
    let way = "'--worktree' speaks of what is not committed yet";
    let work_dir = workspace.repository.work_dir();
    let prefix = workspace.prefix();
    let is_there = work_dir.is_some_and(|root| {
        let here = root.join(OsStr::from_bytes(prefix.as_bytes()));
        here.join(&args.path).exists()
    });
    let hinted = |error: CliError| if is_there { error.hint(way) } else { error };
    let root = head(workspace).map_err(hinted)?;
    let target = find(workspace, &root, &args.path).map_err(hinted)?;
    let now = target
        .path
        .as_ref()
        .filter(|_| is_there && target.kind == NodeKind::File);
    let now = now.and_then(|path| workspace.repository.at_work(path));
    if now.is_some_and(|now| now != target.id) {
        program.ui.note(&format!(
            "'{}' is not committed as it is; the note is about what HEAD has, '--worktree' speaks of the other",
            args.path
        ));
    }
    Ok((root, target))
}

/// What the work tree has at a path.
fn at_work(workspace: &Workspace, path: &str) -> Result<(SnapshotRoot, Target), CliError> {
    let root = workspace.root(&Snapshot::Worktree)?;
    let target = find(workspace, &root, path)?;
    Ok((root, target))
}

/// Says once more, about today's content, what was said about an earlier one.
pub fn affirm(args: &PathsArgs, program: &mut Program) -> Result<Exit, CliError> {
    each_path(args, program, "affirm", |said, program, path| {
        let Some(carried) = said.to_affirm(program, path)? else {
            return Ok(None);
        };
        let frame = said.say(program, carried.frame.content.clone())?;
        if !program.ui.is_json() {
            writeln!(program.ui, "{}", frame.id)?;
        }
        Ok(Some(FrameDocument::new(&frame, State::Fresh)))
    })
}

/// Ends what the user has said about paths.
pub fn retract(args: &PathsArgs, program: &mut Program) -> Result<Exit, CliError> {
    each_path(args, program, "retract", |said, program, path| {
        let Some(own) = said.own() else {
            program.ui.note(&format!(
                "'{path}': you have said nothing about it that stands"
            ));
            return Ok(None);
        };
        let now = clock::render_utc(clock::now_seconds());
        ops::statement::retract(said.workspace, &said.target, &said.slot(), own, &now)?;
        if !program.ui.is_json() {
            writeln!(program.ui, "retracted {}", own.id)?;
        }
        Ok(Some(FrameDocument::new(own, State::Older)))
    })
}

/// Does to what people say about each path what a command does, and lists the frames; exit 1 when a path had none.
fn each_path(
    args: &PathsArgs,
    program: &mut Program,
    command: &str,
    act: impl Fn(&PathNotes<'_>, &mut Program, &str) -> Result<Option<FrameDocument>, CliError>,
) -> Result<Exit, CliError> {
    let workspace = program.open()?;
    let (mut frames, mut is_all) = (Vec::new(), true);
    let root = args.root(&workspace)?;
    for NamedTarget { written, target } in find_all(&workspace, &root, &args.paths)? {
        let said = PathNotes::open(&workspace, &args.who, &root, target)?;
        match act(&said, program, &written)? {
            Some(frame) => frames.push(frame.at(said.target.path.as_ref())),
            None => is_all = false,
        }
    }
    program.sign(&workspace);
    if program.ui.is_json() {
        program.ui.write_json(command, &FramesDocument { frames })?;
    }
    Ok(Exit::no_if(!is_all))
}

/// What people say about a path, in one slot.
struct PathNotes<'w> {
    workspace: &'w Workspace,
    target: Target,
    /// The user, as a header of a frame names an author.
    author: String,
    agent: Agent,
    frame_type: FrameType,
    /// About today's content.
    standing: Vec<Frame>,
    /// About earlier contents.
    carried: Vec<Carried>,
    /// Other agents that people speak for and that said something about earlier contents.
    carried_by_others: BTreeSet<AgentId>,
}

impl<'w> PathNotes<'w> {
    fn open(
        workspace: &'w Workspace,
        who: &Who,
        root: &SnapshotRoot,
        target: Target,
    ) -> Result<Self, CliError> {
        let agent = workspace.agents().get(&who.agent)?.clone();
        let author = workspace.repository.known_author();
        let (name, mail) = author.ok_or(StatementError::NoAuthor)?;
        let frame_type = who
            .frame_type
            .clone()
            .unwrap_or_else(|| agent.frame_type.clone());
        let store = workspace.store()?;
        let is_meant =
            |frame: &Frame| (&frame.agent, &frame.frame_type) == (&agent.id, &frame_type);
        let stands = store.voices(&target.id)?.heads;
        let stands = ops::carried::about_target(&workspace.repository, stands, &target)?;
        let standing = stands
            .into_iter()
            .map(|head| head.frame)
            .filter(is_meant)
            .collect();
        let mut carried = ops::carried(
            &workspace.repository,
            &workspace.state,
            &store,
            root,
            &target,
        )?;
        let others = carried.iter().filter(|carried| !is_meant(&carried.frame));
        let carried_by_others = others.map(|carried| carried.frame.agent.clone()).collect();
        carried.retain(|carried| is_meant(&carried.frame));
        Ok(Self {
            workspace,
            target,
            author: format!("{name} <{mail}>"),
            agent,
            frame_type,
            standing,
            carried,
            carried_by_others,
        })
    }

    fn slot(&self) -> Slot {
        Slot::new(&self.agent.id, &self.frame_type)
    }

    fn me(&self) -> Voice {
        Voice::new(self.slot(), &self.author)
    }

    /// What the user said last, about today's content or an earlier one.
    fn own(&self) -> Option<&Frame> {
        let frames = self
            .standing
            .iter()
            .chain(self.carried.iter().map(|carried| &carried.frame));
        let me = self.me();
        frames.into_iter().find(|frame| Voice::of(frame) == me)
    }

    /// The statement to say once more: the user's own, or the only one. `None`, and a note, where there is none.
    fn to_affirm(&self, program: &mut Program, path: &str) -> Result<Option<&Carried>, CliError> {
        let me = self.me();
        let mine = |carried: &&Carried| Voice::of(&carried.frame) == me;
        match (self.carried.iter().find(mine), self.carried.as_slice()) {
            (Some(one), _) | (None, [one]) => Ok(Some(one)),
            (None, []) => {
                let stands = if self.standing.is_empty() {
                    "nothing is said about it"
                } else {
                    "what is said is about its content of today"
                };
                program.ui.note(&format!("'{path}': {stands}"));
                for agent in &self.carried_by_others {
                    program.ui.note(&format!(
                        "agent '{agent}' said something about an earlier content: git merkle affirm --agent {agent} {}",
                        shell_word(path)
                    ));
                }
                Ok(None)
            }
            (None, several) => {
                let authors: Vec<String> = several
                    .iter()
                    .filter_map(|carried| carried.frame.author())
                    .collect();
                let message = format!(
                    "several people have said something about '{path}': {}",
                    authors.join(", ")
                );
                Err(CliError::new(Exit::Refused, message)
                    .hint("say it in your own words: git merkle note <path> -m <text>"))
            }
        }
    }

    fn say(&self, program: &mut Program, content: String) -> Result<Frame, CliError> {
        let (workspace, target) = (self.workspace, &self.target);
        let allowed = program.allowed_secrets(workspace)?;
        guard(
            content.as_bytes(),
            "the text",
            workspace.scanner()?,
            &allowed,
        )?;
        let path = target.path.clone().unwrap_or_default();
        guard_name(path.as_bytes(), &target.id, workspace.scanner()?, &allowed)?;
        let created = clock::render_utc(clock::now_seconds());
        let statement = Statement {
            agent: &self.agent,
            frame_type: self.frame_type.clone(),
            content,
            created,
        };
        Ok(ops::statement::put(workspace, target, statement)?)
    }
}
