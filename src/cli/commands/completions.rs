//! `git merkle completions`: the scripts by which shells complete this program's command lines.
//!
//! Each script asks `git-merkle complete-words` for candidates, so it stays right when the program changes.

use std::fs;
use std::path::PathBuf;

use clap::ValueEnum;

use crate::cli::program::Program;
use crate::cli::{CliError, Exit};
use crate::config::Environment;
use crate::config::locate::{config_home, data_home};

/// Arguments of `completions`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The shell
    #[arg(value_name = "shell", value_enum)]
    shell: Shell,
    /// Write the script to your own folder for completions instead of printing it
    #[arg(long)]
    install: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Shell {
    Bash,
    Zsh,
    Fish,
}

impl Shell {
    fn script(self) -> &'static str {
        match self {
            Self::Bash => include_str!("completions/git-merkle.bash"),
            Self::Zsh => include_str!("completions/_git-merkle"),
            Self::Fish => include_str!("completions/git-merkle.fish"),
        }
    }

    /// Where the user's own script belongs; `None` without a home directory.
    fn path(self, environment: &Environment) -> Option<PathBuf> {
        match self {
            Self::Bash => {
                Some(data_home(environment)?.join("bash-completion/completions/git-merkle"))
            }
            Self::Zsh => Some(data_home(environment)?.join("zsh/site-functions/_git-merkle")),
            Self::Fish => Some(config_home(environment)?.join("fish/conf.d/git-merkle.fish")),
        }
    }
}

/// Prints a script, or installs it.
pub fn run(args: &Args, program: &mut Program) -> Result<Exit, CliError> {
    if !args.install {
        write!(program.ui, "{}", args.shell.script())?;
        return Ok(Exit::Done);
    }
    let path = args
        .shell
        .path(&program.environment)
        .ok_or_else(|| CliError::new(Exit::Config, "there is no home directory for completions"))?;
    let failed = |error| CliError::io(format!("cannot write '{}'", path.display()), error);
    path.parent()
        .map_or(Ok(()), fs::create_dir_all)
        .map_err(failed)?;
    fs::write(&path, args.shell.script()).map_err(failed)?;
    writeln!(program.ui, "{}", path.display())?;
    if args.shell == Shell::Zsh {
        let folder = path.parent().unwrap_or(&path).display();
        program.ui.note(&format!(
            "zsh looks there once ~/.zshrc says 'fpath+=({folder})' before 'compinit'"
        ));
    }
    Ok(Exit::Done)
}
