//! `config get`, `set` and `unset`: one setting of the table, read as it is in force and written by git.
//!
//! A setting that a repository's `.git/config` may not set is written to the user's own file and nowhere else.

use super::gathered::{SettingDocument, gather, setting};
use crate::cli::program::Program;
use crate::cli::{CliError, Exit, Style};
use crate::config::lookup::{find, suggest};
use crate::config::permission::Permission;
use crate::config::{Key, Setting, ValueKind};
use crate::git::{ConfigFile, Repository};
use crate::provider::DefinitionError;
use crate::provider::definition::is_name;

/// Arguments of `config get`.
#[derive(Debug, clap::Args)]
pub(super) struct Get {
    /// The setting, such as merkle.maxCost; 'merkle.' may be left out
    #[arg(value_name = "key")]
    key: String,
}

/// Where a change is made.
#[derive(Debug, clap::Args)]
struct Where {
    /// Write to your global git configuration
    #[arg(long, conflicts_with = "local")]
    global: bool,
    /// Write to this repository's .git/config
    #[arg(long)]
    local: bool,
}

/// Arguments of `config set`.
#[derive(Debug, clap::Args)]
pub(super) struct Set {
    #[command(flatten)]
    place: Where,
    /// The setting, such as merkle.maxCost; 'merkle.' may be left out
    #[arg(value_name = "key")]
    key: String,
    /// Its value; several for a setting that is a list
    #[arg(value_name = "value", required = true)]
    values: Vec<String>,
}

/// Arguments of `config unset`.
#[derive(Debug, clap::Args)]
pub(super) struct Unset {
    #[command(flatten)]
    place: Where,
    /// The setting, such as merkle.maxCost; 'merkle.' may be left out
    #[arg(value_name = "key")]
    key: String,
}

/// A setting that the user named.
struct Meant {
    setting: &'static Setting,
    key: Key,
    /// As git's configuration has it: `merkle.provider.claude.model`.
    name: String,
}

impl Meant {
    fn parse(written: &str) -> Result<Self, CliError> {
        let begins = written
            .get(..7)
            .is_some_and(|start| start.eq_ignore_ascii_case("merkle."));
        let bare = if begins { &written[7..] } else { written };
        let key = Key::new(bare).unwrap_or_else(|| Key::malformed(bare));
        let Some(setting) = find(&key) else {
            let unknown = CliError::new(Exit::Usage, format!("there is no setting '{key}'"));
            let meant = suggest(&key).map(|name| format!("did you mean '{name}'?"));
            return Err(meant
                .into_iter()
                .fold(unknown, CliError::hint)
                .hint("'git merkle config list --all' lists every setting"));
        };
        let group = bare.rsplit_once('.');
        let group = group.map_or_else(String::new, |(group, _)| format!("{group}."));
        let name = format!("merkle.{group}{}", setting.name);
        Ok(Self { setting, key, name })
    }

    /// Refuses a name that no provider can have: with it in the configuration no provider can be listed any more.
    fn check_provider(&self) -> Result<(), CliError> {
        let of_provider = self.name.strip_prefix("merkle.provider.");
        match of_provider.and_then(|rest| rest.rsplit_once('.')) {
            Some((name, _)) if !is_name(name) => {
                let error = DefinitionError::Name(name.to_owned());
                Err(CliError::new(Exit::Usage, error.to_string()))
            }
            _ => Ok(()),
        }
    }

    /// The file that a change goes to.
    fn file<'r>(
        &self,
        place: &Where,
        repository: Option<&'r Repository>,
    ) -> Result<ConfigFile<'r>, CliError> {
        let local = self.setting.local;
        match repository {
            _ if place.global => Ok(ConfigFile::Global),
            None if place.local => {
                Err(CliError::new(Exit::Git, "not in a repository").hint("leave '--local' out"))
            }
            Some(_) if place.local && local == Permission::Never => {
                let message = format!("only your own configuration may set '{}'", self.name);
                Err(CliError::new(Exit::Refused, message).hint("leave '--local' out"))
            }
            Some(repository) if place.local || local == Permission::Set => {
                Ok(ConfigFile::Local(repository))
            }
            _ => Ok(ConfigFile::Global),
        }
    }
}

fn place_words(file: &ConfigFile<'_>) -> &'static str {
    match file {
        ConfigFile::Global => "your global git configuration",
        ConfigFile::Local(_) => "this repository's .git/config",
    }
}

/// Prints what is in force, or the default.
pub(super) fn get(args: &Get, program: &mut Program) -> Result<Exit, CliError> {
    let meant = Meant::parse(&args.key)?;
    let (_, gathered) = gather(program)?;
    gathered.check()?;
    let entry = gathered.stack.entries().find(|(key, _)| **key == meant.key);
    let document = match entry {
        Some((key, entry)) => setting(key, entry),
        None => SettingDocument::unset(&meant.key),
    };
    let ui = &mut program.ui;
    if ui.is_json() {
        ui.write_json("config-get", &document)?;
    } else {
        for value in &document.values {
            let value = ui.styled(Style::Plain, value);
            write!(ui, "{value}")?;
            ui.end_record()?;
        }
    }
    Ok(Exit::no_if(document.values.is_empty()))
}

/// Writes values that the setting takes.
pub(super) fn set(args: &Set, program: &mut Program) -> Result<Exit, CliError> {
    let meant = Meant::parse(&args.key)?;
    meant.check_provider()?;
    let (name, kind) = (&meant.name, meant.setting.kind);
    if args.values.len() > 1 && !matches!(kind, ValueKind::List(_)) {
        return Err(CliError::new(
            Exit::Usage,
            format!("'{name}' takes one value"),
        ));
    }
    if let Some(bad) = args.values.iter().find(|value| !kind.allows(value)) {
        let message = format!("bad value '{bad}' for '{name}': expected {kind}");
        return Err(CliError::new(Exit::Usage, message));
    }
    let (repository, _) = gather(program)?;
    let file = meant.file(&args.place, repository.as_ref())?;
    file.set(name, &args.values)?;
    tell(&meant, "set", &file, program)
}

/// Takes the setting out.
pub(super) fn unset(args: &Unset, program: &mut Program) -> Result<Exit, CliError> {
    let meant = Meant::parse(&args.key)?;
    let (repository, _) = gather(program)?;
    let file = meant.file(&args.place, repository.as_ref())?;
    if !file.unset(&meant.name)? {
        let message = format!("'{}' is not set in {}", meant.name, place_words(&file));
        return Err(CliError::new(Exit::No, message)
            .hint("'git merkle config list --show-origin' shows where settings come from"));
    }
    tell(&meant, "unset", &file, program)
}

/// Says what was done, and what is ignored of it.
fn tell(
    meant: &Meant,
    done: &str,
    file: &ConfigFile<'_>,
    program: &mut Program,
) -> Result<Exit, CliError> {
    let (name, place) = (&meant.name, place_words(file));
    program.ui.note(&format!("'{name}' is {done} in {place}"));
    let (_, gathered) = gather(program)?;
    let ignored = gathered.stack.ignored().iter();
    for ignored in ignored.filter(|one| one.key == meant.key) {
        program.ui.warn(&ignored.to_string());
    }
    Ok(Exit::Done)
}
