//! `git merkle man`: the manual pages, made from the same definitions as `-h`.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap_mangen::Man;

use crate::base::count::counted;
use crate::cli::args::definition;
use crate::cli::program::Program;
use crate::cli::{CliError, Exit};
use crate::config::Environment;
use crate::config::locate::data_home;

/// What stands behind the options of the first page.
const SEE_ALSO: &str = ".SH \"SEE ALSO\"\n\\fBgit\\fR(1), the guides in the folder \\fIdocs/guide\\fR of the project, and \\fBgit merkle\\fR \
                        \\fIcommand\\fR \\fB\\-h\\fR.\n";

/// Arguments of `man`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Print the page of this command (default: the program's own)
    #[arg(value_name = "command", conflicts_with = "install")]
    command: Vec<String>,
    /// Write all pages where 'man' looks for your own: beside the program where that is below your home (~/.cargo/share/man),
    /// else ~/.local/share/man
    #[arg(long)]
    install: bool,
    /// With --install: write them below this folder
    #[arg(long, value_name = "folder", requires = "install")]
    folder: Option<PathBuf>,
}

/// Prints a page, or writes all of them.
pub fn run(args: &Args, program: &mut Program) -> Result<Exit, CliError> {
    let mut command = definition();
    command.build();
    if !args.install {
        let found = find(&mut command, &args.command)?;
        program.ui.write_bytes(&page(found)?)?;
        return Ok(Exit::Done);
    }
    let folder = match &args.folder {
        Some(folder) => program.global.resolve(folder),
        None => own_pages(&program.environment).ok_or_else(|| {
            CliError::new(Exit::Config, "there is no home directory for manual pages")
        })?,
    };
    let pages = folder.join("man1");
    let failed = |error| CliError::io(format!("cannot write to '{}'", pages.display()), error);
    fs::create_dir_all(&pages).map_err(failed)?;
    let count = write_all(&command, &pages)?;
    let count = counted(count, "page", "pages");
    writeln!(program.ui, "{count} in {}", pages.display())?;
    let note = if is_beside_programs(&folder, &program.environment) {
        "'git merkle --help' shows them".to_owned()
    } else {
        format!(
            "'git merkle --help' shows them once your shell says: export MANPATH=\"{}:$MANPATH\"",
            folder.display()
        )
    };
    program.ui.note(&note);
    Ok(Exit::Done)
}

/// Folders of programs, as the shell looks through them.
fn program_folders(environment: &Environment) -> Vec<PathBuf> {
    environment
        .get("PATH")
        .map(|path| std::env::split_paths(path).collect())
        .unwrap_or_default()
}

/// Where `man` looks for the pages of the programs of a folder.
fn pages_beside(programs: &Path) -> Option<PathBuf> {
    let is_bin = programs.ends_with("bin");
    is_bin.then(|| Some(programs.parent()?.join("share/man")))?
}

/// True where `man` finds pages without being told of them.
fn is_beside_programs(pages: &Path, environment: &Environment) -> bool {
    let folders = program_folders(environment);
    folders
        .iter()
        .any(|folder| pages_beside(folder).as_deref() == Some(pages))
}

/// The user's own folder of pages: beside this program where the user installed it, else where the XDG rules have it.
fn own_pages(environment: &Environment) -> Option<PathBuf> {
    let home = environment.directory("HOME");
    let is_own = |folder: &&PathBuf| {
        home.as_ref().is_some_and(|home| folder.starts_with(home))
            && folder.join("git-merkle").is_file()
    };
    let folders = program_folders(environment);
    let beside = folders
        .iter()
        .find(is_own)
        .and_then(|folder| pages_beside(folder));
    beside.or_else(|| Some(data_home(environment)?.join("man")))
}

/// A command below another by its names.
pub(super) fn find<'c>(
    command: &'c mut clap::Command,
    names: &[String],
) -> Result<&'c mut clap::Command, CliError> {
    names.iter().try_fold(command, |command, name| {
        command.find_subcommand_mut(name).ok_or_else(|| {
            CliError::new(Exit::Usage, format!("there is no command '{name}'"))
                .hint("see 'git merkle -h'")
        })
    })
}

/// Writes the page of a command and those of its own commands; how many.
fn write_all(command: &clap::Command, folder: &Path) -> Result<u64, CliError> {
    let path = folder.join(format!("{}.1", page_name(command)));
    fs::write(&path, page(command)?)
        .map_err(|error| CliError::io(format!("cannot write '{}'", path.display()), error))?;
    let below = command
        .get_subcommands()
        .filter(|command| !command.is_hide_set());
    below
        .map(|command| write_all(command, folder))
        .sum::<Result<u64, _>>()
        .map(|count| count + 1)
}

fn page_name(command: &clap::Command) -> &str {
    command.get_display_name().unwrap_or(command.get_name())
}

fn page(command: &clap::Command) -> Result<Vec<u8>, CliError> {
    let mut command = command.clone();
    // A synopsis of every option is of no use to a reader; the line of `-h` says what the arguments are.
    let usage = command.render_usage().to_string();
    let usage = usage.trim_start_matches("Usage: ").replace('-', "\\-");
    let man = Man::new(command.clone())
        .title(page_name(&command).to_uppercase())
        .section("1")
        // Without a date the fields behind it would be taken for one.
        .date(" ")
        .source(concat!("git-merkle ", env!("CARGO_PKG_VERSION")))
        .manual("Git Merkle Manual");
    let mut out = Vec::new();
    let rendered = man
        .render_title(&mut out)
        .and_then(|()| man.render_name_section(&mut out))
        .and_then(|()| writeln!(out, ".SH SYNOPSIS\n{}", usage.trim_end()))
        .and_then(|()| man.render_options_section(&mut out))
        .and_then(|()| {
            if command.has_subcommands() {
                man.render_subcommands_section(&mut out)
            } else {
                Ok(())
            }
        });
    rendered.map_err(|error| CliError::io("cannot write the page", error))?;
    out.extend_from_slice(SEE_ALSO.as_bytes());
    Ok(out)
}
