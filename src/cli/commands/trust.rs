//! `git merkle trust`: shows what a repository brings along, and remembers that the user accepts just that.

use serde::Serialize;

use crate::cli::program::Program;
use crate::cli::{CliError, Exit, Style, Ui};
use crate::config::{Assignment, Ignored, Key, Place};
use crate::git::Repository;
use crate::workspace::{
    AgentOffer, FileOffer, JudgedFolder, Offer, Presentation, Trust, TrustMemory,
};

/// Arguments of `trust`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Show what would be used, and trust nothing
    #[arg(long, conflicts_with = "revoke")]
    show: bool,
    /// No longer trust this repository
    #[arg(long)]
    revoke: bool,
}

#[derive(Serialize)]
struct Document<'a> {
    state: &'static str,
    digest: Option<&'a str>,
    agents: Vec<AgentDocument<'a>>,
    prompts: &'a [FileOffer],
    profiles: &'a [FileOffer],
    others: &'a [FileOffer],
    settings: Vec<SettingDocument>,
    ignored: Vec<IgnoredDocument>,
    left_out: &'a [String],
}

#[derive(Serialize)]
struct AgentDocument<'a> {
    file: &'a str,
    id: Option<&'a str>,
    role: Option<&'a str>,
    r#type: Option<&'a str>,
    provider: Option<&'a str>,
}

#[derive(Serialize)]
struct SettingDocument {
    key: String,
    values: Vec<String>,
    origin: String,
}

#[derive(Serialize)]
struct IgnoredDocument {
    #[serde(flatten)]
    setting: SettingDocument,
    reason: &'static str,
}

/// What the user has said of the files as they are now.
struct Standing {
    digest: Option<String>,
    is_remembered: bool,
}

impl Standing {
    fn name(&self) -> &'static str {
        match (&self.digest, self.is_remembered) {
            (None, _) => "nothing-to-trust",
            (Some(_), true) => "trusted",
            (Some(_), false) => "untrusted",
        }
    }
}

/// Shows, asks and remembers; or forgets.
pub fn run(args: &Args, program: &mut Program) -> Result<Exit, CliError> {
    let repository = Repository::open(&program.global.location())?;
    program.ui.adopt(Presentation::load(&repository));
    let memory = TrustMemory::of(&repository, &program.environment);
    if args.revoke {
        return revoke(memory.as_ref(), &mut program.ui);
    }
    // Read without `--trust` and the environment, which do not say what is remembered.
    let judged = JudgedFolder::read(&repository, &program.environment, None);
    let offer = Offer::gather(
        &repository,
        &judged,
        &program.environment,
        program.global.settings(),
    )?;
    let digest = (judged.trust != Trust::NothingToTrust).then(|| judged.folder.digest());
    let is_remembered = memory
        .as_ref()
        .zip(digest.as_ref())
        .is_some_and(|(memory, digest)| memory.holds(digest));
    let mut standing = Standing {
        digest,
        is_remembered,
    };
    if program.ui.is_json() {
        let accepted = if args.show {
            Ok(())
        } else {
            accept(&mut standing, memory.as_ref(), program, false)
        };
        program
            .ui
            .write_json("trust", &document(&standing, &offer))?;
        return accepted.map(|()| Exit::Done);
    }
    let is_settled = args.show || standing.is_remembered;
    show(&mut program.ui, &standing, &offer, is_settled)?;
    if !args.show {
        accept(&mut standing, memory.as_ref(), program, true)?;
    }
    Ok(Exit::Done)
}

fn revoke(memory: Option<&TrustMemory>, ui: &mut Ui) -> Result<Exit, CliError> {
    let was_trusted = memory
        .map_or(Ok(false), TrustMemory::revoke)
        .map_err(|error| CliError::io("cannot write what is trusted", error))?;
    ui.note(if was_trusted {
        "this repository is not trusted any more"
    } else {
        "this repository was not trusted"
    });
    Ok(Exit::Done)
}

/// Remembers the files when `--trust` names them, or when a person says yes.
fn accept(
    standing: &mut Standing,
    memory: Option<&TrustMemory>,
    program: &mut Program,
    may_ask: bool,
) -> Result<(), CliError> {
    let Some(digest) = standing.digest.clone().filter(|_| !standing.is_remembered) else {
        return Ok(());
    };
    let can_ask = may_ask && program.ui.can_ask();
    let is_accepted = match &program.global.trust {
        Some(given) if *given == digest => true,
        Some(_) => {
            let text = format!("the files of this repository have another content hash, {digest}");
            return Err(CliError::new(Exit::NotTrusted, text)
                .hint("look at them again with 'git merkle trust --show'"));
        }
        None if can_ask => program.ui.ask("use these in requests to models?")?,
        None => {
            let text = format!(
                "without a terminal nothing is trusted by itself; the content hash is {digest}"
            );
            let hint = format!(
                "look at it with 'git merkle trust --show', then run the command with '--trust={digest}'"
            );
            return Err(CliError::new(Exit::NotTrusted, text).hint(hint));
        }
    };
    if !is_accepted {
        return Err(CliError::new(
            Exit::NotTrusted,
            "this repository stays untrusted",
        ));
    }
    let memory = memory.ok_or_else(|| {
        CliError::new(Exit::Config, "there is no home directory to remember it in")
    })?;
    memory
        .accept(&digest)
        .map_err(|error| CliError::io("cannot write what is trusted", error))?;
    standing.is_remembered = true;
    program
        .ui
        .note("this repository is trusted until one of these files changes");
    Ok(())
}

/// What trust is about; how it stands where that is not about to change.
fn show(ui: &mut Ui, standing: &Standing, offer: &Offer, is_settled: bool) -> Result<(), CliError> {
    if !offer.agents.is_empty() {
        heading(ui, "agents")?;
        for agent in &offer.agents {
            show_agent(ui, agent)?;
        }
    }
    for (title, files) in [
        ("prompts", &offer.prompts),
        ("profiles", &offer.profiles),
        ("other files", &offer.others),
    ] {
        if !files.is_empty() {
            heading(ui, title)?;
            for file in files {
                show_file(ui, file)?;
            }
        }
    }
    if !offer.settings.is_empty() {
        heading(ui, "settings")?;
        for (key, entry) in &offer.settings {
            let setting = ui.styled(
                Style::Plain,
                &format!("{key}={}", entry.shown(key).join(" ")),
            );
            let origin = ui.styled(Style::Dim, &entry.origin.to_string());
            writeln!(ui, "  {setting}  {origin}")?;
        }
    }
    show_ignored(ui, offer)?;
    match &standing.digest {
        None => writeln!(ui, "nothing of this repository needs trust")?,
        Some(digest) if is_settled => {
            writeln!(ui, "content hash {digest}, {}", standing.name())?;
        }
        Some(digest) => writeln!(ui, "content hash {digest}")?,
    }
    Ok(())
}

fn show_ignored(ui: &mut Ui, offer: &Offer) -> Result<(), CliError> {
    if offer.ignored.is_empty() && offer.left_out.is_empty() {
        return Ok(());
    }
    heading(ui, "never used")?;
    for text in offer
        .ignored
        .iter()
        .map(ToString::to_string)
        .chain(offer.left_out.iter().cloned())
    {
        let text = ui.styled(Style::Caution, &text);
        writeln!(ui, "  {text}")?;
    }
    Ok(())
}

fn heading(ui: &mut Ui, title: &str) -> Result<(), CliError> {
    let title = ui.styled(Style::Heading, title);
    Ok(writeln!(ui, "{title}")?)
}

fn show_agent(ui: &mut Ui, agent: &AgentOffer) -> Result<(), CliError> {
    let AgentOffer {
        file,
        id,
        role,
        frame_type,
        provider,
    } = agent;
    let word =
        |word: &Option<String>, missing: &str| word.clone().unwrap_or_else(|| missing.to_owned());
    let (id, role, frame_type) = (
        word(id, "(no id)"),
        word(role, "(no role)"),
        word(frame_type, "(default type)"),
    );
    let provider = word(provider, "the default provider");
    let text = format!("{id}: {role} of {frame_type}, asks {provider}");
    let text = ui.styled(Style::Plain, &text);
    let name = ui.styled(Style::Dim, &file.name);
    Ok(writeln!(ui, "  {text}  {name}")?)
}

fn show_file(ui: &mut Ui, file: &FileOffer) -> Result<(), CliError> {
    let name = ui.styled(Style::Plain, &file.name);
    let line = ui.styled(Style::Dim, &file.first_line);
    Ok(writeln!(ui, "  {name}, {} bytes: {line}", file.bytes)?)
}

fn document<'a>(standing: &'a Standing, offer: &'a Offer) -> Document<'a> {
    Document {
        state: standing.name(),
        digest: standing.digest.as_deref(),
        agents: offer.agents.iter().map(agent_document).collect(),
        prompts: &offer.prompts,
        profiles: &offer.profiles,
        others: &offer.others,
        settings: offer
            .settings
            .iter()
            .map(|(key, entry)| setting_document(key, entry))
            .collect(),
        ignored: offer.ignored.iter().map(ignored_document).collect(),
        left_out: &offer.left_out,
    }
}

fn agent_document(agent: &AgentOffer) -> AgentDocument<'_> {
    let AgentOffer {
        file,
        id,
        role,
        frame_type,
        provider,
    } = agent;
    AgentDocument {
        file: &file.name,
        id: id.as_deref(),
        role: role.as_deref(),
        r#type: frame_type.as_deref(),
        provider: provider.as_deref(),
    }
}

fn setting_document(key: &Key, entry: &Assignment) -> SettingDocument {
    let origin = match &entry.origin.place {
        Place::File { path, line } => match line {
            Some(line) => format!("{}:{line}", path.display()),
            None => path.display().to_string(),
        },
        Place::BuiltIn | Place::Environment(_) | Place::CommandLine => entry.origin.to_string(),
    };
    SettingDocument {
        key: key.to_string(),
        values: entry.shown(key),
        origin,
    }
}

fn ignored_document(ignored: &Ignored) -> IgnoredDocument {
    IgnoredDocument {
        setting: setting_document(&ignored.key, &ignored.entry),
        reason: ignored.reason.name(),
    }
}
