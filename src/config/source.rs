//! Reading the places that this module knows into layers: files, environment, command line, and what is built in.

use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;

use super::environment::{Environment, PREFIX};
use super::folder::{FOLDER_FILE_BYTES_MAX, Folder};
use super::layer::{Layer, SyntaxError};
use super::locate;
use super::origin::{Place, TrustLevel};
use super::table;
use crate::base::absent::is_absent;
use crate::base::number::to_u32;

/// Largest file of settings that is read, in bytes.
pub const FILE_BYTES_MAX: u64 = FOLDER_FILE_BYTES_MAX;

/// The name of a file of settings.
const FILE_NAME: &str = "config.toml";

/// Why a file of settings could not be read.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// The file system said no.
    #[error("cannot read '{}'", path.display())]
    Io {
        /// Which.
        path: PathBuf,
        /// What failed.
        #[source]
        source: io::Error,
    },
    /// It is a link, a directory or a device where a file of the repository must stand.
    #[error("'{}' is not a plain file", .0.display())]
    NotPlain(PathBuf),
    /// It is larger than [`FILE_BYTES_MAX`].
    #[error("'{}' has more than {FILE_BYTES_MAX} bytes", .0.display())]
    TooLarge(PathBuf),
    /// It is not a list of settings.
    #[error("bad configuration in '{}'", path.display())]
    Syntax {
        /// Which.
        path: PathBuf,
        /// Where and what.
        #[source]
        source: SyntaxError,
    },
}

/// The defaults of the table.
#[must_use]
pub fn built_in() -> Layer {
    let mut layer = Layer::new(TrustLevel::Protected);
    for setting in table::GENERAL {
        if let Some(text) = setting.default {
            layer.add(setting.name, text.to_owned(), Place::BuiltIn);
        }
    }
    layer
}

/// The user's own file; empty when there is none.
pub fn user(environment: &Environment) -> Result<Layer, SourceError> {
    let Some(path) = locate::user_file(environment) else {
        return Ok(Layer::new(TrustLevel::Protected));
    };
    load(TrustLevel::Protected, path)
}

/// The repository's file, from the folder as it was read; empty when there is none.
///
/// No link on the way is followed: a repository must not make the program read, and quote, files outside of it. What
/// the folder has left out is looked at once more, but only to say why.
pub fn repository(folder: &Folder) -> Result<Layer, SourceError> {
    let path = folder.path_of(FILE_NAME);
    if let Some(bytes) = folder.files.get(FILE_NAME) {
        return parse(TrustLevel::Repository, bytes, path);
    }
    for part in [&folder.path, &path] {
        let plain = |found: &std::fs::Metadata| {
            if *part == path {
                found.is_file()
            } else {
                found.is_dir()
            }
        };
        match std::fs::symlink_metadata(part) {
            Ok(found) if !plain(&found) => return Err(SourceError::NotPlain(part.clone())),
            Ok(found) if found.is_file() && found.len() > FOLDER_FILE_BYTES_MAX => {
                return Err(SourceError::TooLarge(path.clone()));
            }
            Ok(found) if found.is_file() => break,
            Ok(_) => {}
            Err(error) if is_absent(&error) => break,
            Err(source) => {
                return Err(SourceError::Io {
                    path: part.clone(),
                    source,
                });
            }
        }
    }
    Ok(Layer::new(TrustLevel::Repository))
}

/// Variables of the environment: `GIT_MERKLE_MAX_COST`, `GIT_MERKLE_PROVIDER__CLAUDE__MODEL`, with `__` for each dot.
#[must_use]
pub fn environment(environment: &Environment) -> Layer {
    let mut layer = Layer::new(TrustLevel::Protected);
    for (name, value) in environment.settings() {
        layer.add(
            &name.replace("__", "."),
            value,
            Place::Environment(format!("{PREFIX}{name}")),
        );
    }
    layer
}

/// What `-c` says of this program: `merkle.<key>`, and no value for true.
#[must_use]
pub fn command_line<'a>(settings: impl IntoIterator<Item = (&'a str, Option<&'a str>)>) -> Layer {
    let mut layer = Layer::new(TrustLevel::Protected);
    for (name, value) in settings {
        if let Some((section, key)) = name.split_once('.')
            && section.eq_ignore_ascii_case("merkle")
        {
            layer.add(key, value.unwrap_or("true").to_owned(), Place::CommandLine);
        }
    }
    layer
}

fn load(level: TrustLevel, path: PathBuf) -> Result<Layer, SourceError> {
    let mut bytes = Vec::new();
    match File::open(&path).and_then(|file| file.take(FILE_BYTES_MAX + 1).read_to_end(&mut bytes)) {
        Ok(_) if bytes.len() as u64 > FILE_BYTES_MAX => return Err(SourceError::TooLarge(path)),
        Ok(_) => {}
        Err(error) if is_absent(&error) => return Ok(Layer::new(level)),
        Err(source) => return Err(SourceError::Io { path, source }),
    }
    parse(level, &bytes, path)
}

fn parse(level: TrustLevel, bytes: &[u8], path: PathBuf) -> Result<Layer, SourceError> {
    let parsed = match std::str::from_utf8(bytes) {
        Ok(text) => Layer::from_toml(level, text, &path),
        Err(error) => {
            let line = to_u32(bytes[..error.valid_up_to()].split(|b| *b == b'\n').count());
            Err(SyntaxError {
                line,
                message: "not UTF-8".to_owned(),
            })
        }
    };
    parsed.map_err(|source| SourceError::Syntax { path, source })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::path::Path;

    use super::*;

    fn repository(work_dir: &Path) -> Result<Layer, SourceError> {
        super::repository(&Folder::of_repository(&locate::repository_folder(work_dir)))
    }

    fn rows(layer: Layer) -> Vec<String> {
        layer
            .into_entries()
            .map(|(key, entry)| format!("{} {key}={}", entry.origin, entry.values.join(",")))
            .collect()
    }

    #[test]
    fn variables_and_options_become_keys() {
        let variables: Environment = [
            ("GIT_MERKLE_CONFIRM_ABOVE", "2"),
            ("GIT_MERKLE_PROVIDER__MY_LLM__BASE_URL", "u"),
        ]
        .into_iter()
        .collect();
        assert_eq!(
            rows(environment(&variables)),
            [
                "environment:GIT_MERKLE_CONFIRM_ABOVE merkle.confirmabove=2",
                "environment:GIT_MERKLE_PROVIDER__MY_LLM__BASE_URL merkle.provider.my-llm.baseurl=u",
            ]
        );
        let options = [
            ("Merkle.Notes", None),
            ("core.pager", Some("x")),
            ("merkle.urls", Some("a")),
            ("merkle.urls", Some("b")),
        ];
        assert_eq!(
            rows(command_line(options)),
            [
                "command line: merkle.notes=true",
                "command line: merkle.urls=a,b"
            ]
        );
    }

    #[test]
    fn an_absent_file_says_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        assert!(rows(repository(folder.path()).expect("absent")).is_empty());
        fs::write(folder.path().join(".teddy"), "").expect("writable");
        assert!(matches!(
            repository(folder.path()),
            Err(SourceError::NotPlain(_))
        ));
        assert!(rows(user(&Environment::default()).expect("no home")).is_empty());
    }

    #[test]
    fn links_out_of_the_repository_are_not_followed() {
        let folder = tempfile::tempdir().expect("a folder");
        let outside = tempfile::tempdir().expect("a folder");
        fs::write(outside.path().join("config.toml"), "secret").expect("writable");
        symlink(outside.path(), folder.path().join(".teddy")).expect("a link");
        assert!(matches!(
            repository(folder.path()),
            Err(SourceError::NotPlain(_))
        ));
        fs::remove_file(folder.path().join(".teddy")).expect("own link");
        fs::create_dir(folder.path().join(".teddy")).expect("a folder");
        symlink(
            outside.path().join("config.toml"),
            folder.path().join(".teddy/config.toml"),
        )
        .expect("a link");
        assert!(matches!(
            repository(folder.path()),
            Err(SourceError::NotPlain(_))
        ));
    }

    #[test]
    fn damage_is_named_by_line_and_size() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |bytes: &[u8]| {
            fs::create_dir_all(folder.path().join(".teddy")).expect("a folder");
            fs::write(folder.path().join(".teddy/config.toml"), bytes).expect("writable");
            repository(folder.path())
        };
        assert!(
            matches!(write(b"a = 1\n\xff"), Err(SourceError::Syntax { source, .. }) if source.line == 2)
        );
        assert!(
            matches!(write(b"a = 1\n=\n"), Err(SourceError::Syntax { source, .. }) if source.line == 2)
        );
        let large = vec![b'#'; crate::base::number::to_index(FILE_BYTES_MAX) + 1];
        assert!(matches!(write(&large), Err(SourceError::TooLarge(_))));
    }
}
