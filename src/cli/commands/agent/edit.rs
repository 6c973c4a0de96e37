//! `git merkle agent edit`: the files of an agent in the user's editor, and then everything that is wrong with them.

use std::fs;
use std::path::{Path, PathBuf};

use super::{create, validate};
use crate::base::AgentId;
use crate::cli::program::Program;
use crate::cli::{CliError, Exit, editor};
use crate::config::locate;

/// Arguments of `agent edit`, and which agent `agent remove` means.
#[derive(Debug, clap::Args)]
pub(super) struct Which {
    /// The agent's id
    #[arg(value_name = "id")]
    pub(super) id: AgentId,
    /// Your personal agent, though this repository has one of that id
    #[arg(long)]
    personal: bool,
}

/// The files that `agent create` writes for an agent, as far as they are there; the definition first.
pub(super) struct AgentFiles {
    /// Where the folder with the agents stands: the work tree, or the user's own folder.
    pub(super) root: PathBuf,
    /// Below the root.
    pub(super) paths: Vec<PathBuf>,
    /// True for an agent in the user's own configuration, which has no history.
    pub(super) is_personal: bool,
}

impl AgentFiles {
    /// Finds them by the definition's name, so that a definition with a mistake can be mended as well.
    pub(super) fn find(args: &Which, program: &mut Program) -> Result<Self, CliError> {
        let id = args.id.as_str();
        let team = if args.personal {
            None
        } else {
            create::team(program).ok()
        };
        let personal = locate::user_folder(&program.environment);
        let places = [(team, ".teddy/", false), (personal, "", true)];
        for (root, below, is_personal) in places {
            let Some(root) = root else { continue };
            let definition = PathBuf::from(format!("{below}agents/{id}.toml"));
            let is_file = |path: &PathBuf| is_plain_file(&root, path);
            if is_file(&definition) {
                let prompt = |name: &str| PathBuf::from(format!("{below}prompts/{id}.{name}.md"));
                let prompts = create::PROMPTS.iter().map(|(name, ..)| prompt(name));
                let paths = std::iter::once(definition).chain(prompts).filter(is_file);
                let paths = paths.collect();
                return Ok(Self {
                    root,
                    paths,
                    is_personal,
                });
            }
        }
        let workspace = program.open()?;
        workspace.agents().get(id)?;
        let message = format!("agent '{id}' has no definition of its own here");
        Err(CliError::new(Exit::Refused, message).hint(format!("git merkle agent show {id}")))
    }
}

/// True for a file that no link leads to: what a link names is somewhere else, and no agent is read there.
fn is_plain_file(root: &Path, path: &Path) -> bool {
    let below = path.ancestors().filter(|part| !part.as_os_str().is_empty());
    let is_linked =
        |part: &Path| fs::symlink_metadata(root.join(part)).is_ok_and(|found| found.is_symlink());
    !below.into_iter().any(is_linked) && root.join(path).is_file()
}

/// Opens the files, then checks them.
pub(super) fn run(args: &Which, program: &mut Program) -> Result<Exit, CliError> {
    let files = AgentFiles::find(args, program)?;
    let paths: Vec<PathBuf> = files
        .paths
        .iter()
        .map(|path| files.root.join(path))
        .collect();
    let workspace = program.open()?;
    editor::open(&workspace, &program.environment, &paths)?;
    let id = Some(args.id.to_string());
    validate::run(&validate::Args { id }, program)
}
