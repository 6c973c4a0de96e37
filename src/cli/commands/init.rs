//! `git merkle init`: writes the files that people edit into `.teddy/`, and never over one that they have changed.

pub(super) mod file;

use serde::Serialize;

use self::file::{State, create};
use super::agents_md;
use crate::cli::program::Program;
use crate::cli::{CliError, Exit, Ui};
use crate::config::Folder;
use crate::workspace::{TrustMemory, Workspace};

/// The files of `.teddy/`, each with its first content, in the order they are reported.
const FILES: [(&str, &str); 8] = [
    (".teddy/config.toml", include_str!("init/config.toml")),
    (
        ".teddy/agents/docs.toml.sample",
        include_str!("init/docs.toml"),
    ),
    (
        ".teddy/prompts/docs.system.md",
        include_str!("init/docs.system.md"),
    ),
    (
        ".teddy/prompts/docs.file.md",
        include_str!("init/docs.file.md"),
    ),
    (
        ".teddy/prompts/docs.dir.md",
        include_str!("init/docs.dir.md"),
    ),
    (
        ".teddy/profiles/default/config.yml",
        include_str!("init/profile.yml"),
    ),
    (".teddy/memos.yaml", include_str!("init/memos.yaml")),
    (".teddy/global.context", include_str!("init/global.context")),
];

/// The file that coding agents read first, and in which `--agents-md` keeps a block.
const AGENTS_MD: &str = "AGENTS.md";

/// What `--skill` prints.
const SKILL: &str = include_str!("init/SKILL.md");

/// Arguments of `init`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Add or update a marked block in AGENTS.md that tells coding agents how to read frames
    #[arg(long)]
    agents_md: bool,
    /// Print a skill for coding agents instead, the file SKILL.md; create nothing
    #[arg(long, conflicts_with_all = ["agents_md", "json"])]
    skill: bool,
}

#[derive(Debug, Serialize)]
struct Document {
    files: Vec<FileDocument>,
}

#[derive(Debug, Serialize)]
struct FileDocument {
    path: &'static str,
    state: State,
}

/// Writes the files and says of each what became of it.
pub fn run(args: &Args, program: &mut Program) -> Result<Exit, CliError> {
    if args.skill {
        program.ui.write_bytes(SKILL.as_bytes())?;
        return Ok(Exit::Done);
    }
    let workspace = program.open()?;
    let root = workspace.repository.work_dir().ok_or_else(|| {
        CliError::new(Exit::Git, "this operation must be run in a work tree")
            .hint("clone the repository and run 'git merkle init' in the clone")
    })?;
    let mut files = Vec::with_capacity(FILES.len() + 1);
    for (path, content) in FILES {
        files.push(FileDocument {
            path,
            state: create(root, path, content)?,
        });
    }
    accept_own(&workspace, program, &files)?;
    if args.agents_md {
        files.push(FileDocument {
            path: AGENTS_MD,
            state: agents_md::update(root, AGENTS_MD)?,
        });
    }
    print(&mut program.ui, files)?;
    Ok(Exit::Done)
}

/// Accepts what this program has written just now, where the user had accepted all that was there before.
fn accept_own(
    workspace: &Workspace,
    program: &Program,
    files: &[FileDocument],
) -> Result<(), CliError> {
    let (repository, before) = (&workspace.repository, &workspace.folder);
    let Some(memory) =
        TrustMemory::of(repository, &program.environment).filter(|_| workspace.trust.is_trusted())
    else {
        return Ok(());
    };
    let is_created = |path: &str| {
        files
            .iter()
            .any(|file| file.path == path && file.state == State::Created)
    };
    let now = Folder::of_repository(&before.path);
    let is_known = |(name, bytes): (&String, &Vec<u8>)| {
        let written = FILES
            .iter()
            .find(|(path, _)| path.strip_prefix(".teddy/") == Some(name));
        let is_own = written.is_some_and(|(path, content)| {
            is_created(path) && content.as_bytes() == bytes.as_slice()
        });
        is_own || before.files.get(name) == Some(bytes)
    };
    if files.iter().any(|file| file.state == State::Created) && now.files.iter().all(is_known) {
        memory
            .accept(&now.digest())
            .map_err(|error| CliError::io("cannot write what is trusted", error))?;
    }
    Ok(())
}

fn print(ui: &mut Ui, files: Vec<FileDocument>) -> Result<(), CliError> {
    if ui.is_json() {
        return Ok(ui.write_json("init", &Document { files })?);
    }
    for FileDocument { path, state } in files {
        let (word, style) = state.word();
        let word = ui.styled(style, word);
        write!(ui, "{word} {path}")?;
        ui.end_record()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;
    use crate::agent::{AgentOrigin, Registry};
    use crate::config::Folder;
    use crate::profile::{Phase, Profiles};

    fn create_all(root: &Path) -> Vec<State> {
        FILES
            .iter()
            .map(|(path, content)| create(root, path, content).expect("a writable folder"))
            .collect()
    }

    #[test]
    fn a_second_run_changes_nothing_and_a_changed_file_stays() {
        let folder = tempfile::tempdir().expect("a folder");
        assert_eq!(create_all(folder.path()), vec![State::Created; FILES.len()]);
        assert_eq!(create_all(folder.path()), vec![State::Kept; FILES.len()]);
        let changed = folder.path().join(FILES[0].0);
        fs::write(&changed, "mine").expect("writable");
        assert_eq!(create_all(folder.path())[0], State::Different);
        assert_eq!(fs::read_to_string(changed).expect("readable"), "mine");
    }

    #[test]
    fn what_is_written_parses() {
        let content = |name: &str| {
            FILES
                .iter()
                .find(|(path, _)| path.ends_with(name))
                .expect("a file of init")
                .1
        };
        let mut folder = Folder::default();
        for (path, content) in FILES {
            let name = path
                .trim_start_matches(".teddy/")
                .trim_end_matches(".sample");
            folder
                .files
                .insert(name.to_owned(), content.as_bytes().to_vec());
        }
        let mut agents = Registry::built_in();
        agents.add_folder(&folder, |file| AgentOrigin::Team(file.to_owned()));
        assert_eq!(agents.warnings, [] as [String; 0]);
        let docs = agents.get("docs").expect("the sample defines it");
        assert!(
            docs.instructions()
                .is_some_and(|words| words.system.starts_with("You document"))
        );
        let profiles = Profiles::load(&[&folder]);
        assert_eq!(profiles.faults, []);
        let phase = |profiles: &Profiles| {
            profiles
                .get("default")
                .expect("there")
                .params(Phase::Generating, "file")
        };
        assert_eq!(
            phase(&profiles),
            phase(&Profiles::load(&[])),
            "it says what the built-in one says"
        );
        content("config.toml").parse::<toml::Table>().expect("TOML");
        serde_yaml::from_str::<serde_yaml::Value>(content("memos.yaml")).expect("YAML");
        let entries = content("global.context")
            .lines()
            .filter(|line| !line.is_empty() && !line.starts_with('#'))
            .count();
        assert_eq!(entries, 0);
    }
}
