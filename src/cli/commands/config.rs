//! `git merkle config`: which settings are in force, where each comes from, which were not taken, which there are, and
//! changes to them.

mod change;
pub(super) mod gathered;

use serde::Serialize;

use self::gathered::{SettingDocument, gather, setting};
use crate::cli::program::Program;
use crate::cli::{CliError, Exit, Style, Ui};
use crate::config::{Assignment, Ignored, Key, Setting, table};
use crate::workspace::{GatheredSettings, Presentation};

/// Arguments of `config`.
#[derive(Debug, clap::Args)]
#[command(subcommand_value_name = "command")]
pub struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// List the settings in force, one key=value a line
    List(List),
    /// Print the value of a setting that is in force; exit with 1 if it has none
    Get(change::Get),
    /// Set a setting, in this repository where it may stand there, else in your global git configuration
    Set(change::Set),
    /// Unset a setting
    Unset(change::Unset),
}

#[derive(Debug, clap::Args)]
struct List {
    /// Show where each value comes from, and list values that were ignored
    #[arg(long)]
    show_origin: bool,
    /// List all known settings with type, default and meaning
    #[arg(long, conflicts_with = "show_origin")]
    all: bool,
}

#[derive(Debug, Serialize)]
struct Document {
    settings: Vec<SettingDocument>,
    ignored: Vec<IgnoredDocument>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    known: Vec<KnownDocument>,
}

#[derive(Debug, Serialize)]
struct KnownDocument {
    key: String,
    expects: String,
    default: Option<&'static str>,
    set_by: &'static str,
    description: &'static str,
}

#[derive(Debug, Serialize)]
struct IgnoredDocument {
    #[serde(flatten)]
    setting: SettingDocument,
    reason: &'static str,
    message: String,
}

/// Runs the subcommand; works outside a repository as well.
pub fn run(args: &Args, program: &mut Program) -> Result<Exit, CliError> {
    match &args.action {
        Action::List(args) => list(args, program),
        Action::Get(args) => change::get(args, program),
        Action::Set(args) => change::set(args, program),
        Action::Unset(args) => change::unset(args, program),
    }
}

fn list(list: &List, program: &mut Program) -> Result<Exit, CliError> {
    let (repository, gathered) = gather(program)?;
    if let Some(repository) = &repository {
        program.ui.adopt(Presentation::load(repository));
    }
    program.page();
    if program.ui.is_json() {
        program
            .ui
            .write_json("config", &document(&gathered, list.all))?;
    } else if list.all {
        print_known(&mut program.ui)?;
    } else {
        print(&mut program.ui, &gathered, list.show_origin)?;
    }
    let listed = (list.show_origin && !program.ui.is_raw()) || program.ui.is_json();
    let warnings = if listed {
        gathered.damage_warning().into_iter().collect()
    } else {
        gathered.warnings()
    };
    program.ui.warn_all(warnings);
    // The list helps to find a mistake, so it is written before the mistake ends the command.
    gathered.check()?;
    Ok(Exit::Done)
}

fn document(gathered: &GatheredSettings, all: bool) -> Document {
    let known = table::all().filter(|_| all).map(known);
    Document {
        known: known.collect(),
        settings: gathered
            .stack
            .entries()
            .map(|(key, entry)| setting(key, entry))
            .collect(),
        ignored: gathered.stack.ignored().iter().map(ignored).collect(),
    }
}

fn known(setting: &Setting) -> KnownDocument {
    KnownDocument {
        key: setting.full_name(),
        expects: setting.kind.to_string(),
        default: setting.default,
        set_by: setting.who(),
        description: setting.summary,
    }
}

fn print_known(ui: &mut Ui) -> Result<(), CliError> {
    for setting in table::all() {
        let name = ui.styled(Style::Plain, &setting.full_name());
        let default = setting
            .default
            .map_or_else(String::new, |text| format!(" (default: {text})"));
        writeln!(ui, "{name}{default}")?;
        writeln!(ui, "\t{}: {}", setting.kind, setting.summary)?;
    }
    Ok(())
}

fn ignored(ignored: &Ignored) -> IgnoredDocument {
    let Ignored { key, entry, reason } = ignored;
    IgnoredDocument {
        setting: setting(key, entry),
        reason: reason.name(),
        message: ignored.why(),
    }
}

/// One record for each value, in the forms of `git config --list`, with and without `-z`.
///
/// With origins, what was not taken follows with its reason; not with `-z`, whose records have no place for it.
fn print(ui: &mut Ui, gathered: &GatheredSettings, show_origin: bool) -> Result<(), CliError> {
    for (key, entry) in gathered.stack.entries() {
        for value in &entry.shown(key) {
            if ui.is_raw() {
                let origin = if show_origin {
                    format!("{}\0", entry.origin)
                } else {
                    String::new()
                };
                ui.write_bytes(format!("{origin}{key}\n{value}\0").as_bytes())?;
            } else {
                print_line(ui, show_origin.then_some(entry), key, value)?;
                writeln!(ui)?;
            }
        }
    }
    if show_origin && !ui.is_raw() {
        for ignored in gathered.stack.ignored() {
            let Ignored { key, entry, .. } = ignored;
            print_line(ui, Some(entry), key, &entry.shown(key).join(" "))?;
            let reason = ui.styled(Style::Caution, &format!("ignored: {}", ignored.why()));
            writeln!(ui, "\t{reason}")?;
        }
    }
    Ok(())
}

fn print_line(
    ui: &mut Ui,
    origin: Option<&Assignment>,
    key: &Key,
    value: &str,
) -> Result<(), CliError> {
    if let Some(entry) = origin {
        let origin = ui.styled(Style::Dim, &entry.origin.to_string());
        write!(ui, "{origin}\t")?;
    }
    let setting = ui.styled(Style::Plain, &format!("{key}={value}"));
    Ok(write!(ui, "{setting}")?)
}
