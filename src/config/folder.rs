//! A folder of files that people write, read once as a whole, so that what is judged is what is used.
//!
//! The repository's `.teddy/` and the user's own folder have the same form: `agents/`, `prompts/`, `profiles/` and a
//! few files beside them. Of the repository's no link is followed: it must not make the program read other files.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::base::hash;

/// Largest file that is read, in bytes; larger ones are left out.
pub const FOLDER_FILE_BYTES_MAX: u64 = 1024 * 1024;
/// Most files of a folder.
pub const FOLDER_FILES_MAX: usize = 4_096;
/// Most bytes of all files of a folder together: every command reads them.
pub const FOLDER_BYTES_MAX: u64 = 8 * 1024 * 1024;
/// Most levels below a folder.
const DEPTH_MAX: usize = 8;

/// What is read of a folder: these files and everything below these directories.
const PARTS: [&str; 9] = [
    "agents",
    "config.toml",
    "global.context",
    "memos.yaml",
    "profiles",
    "prompts",
    "secrets.toml",
    "system.md",
    "system_extra.md",
];

/// The files of a folder with their content.
#[derive(Debug, Clone, Default)]
pub struct Folder {
    /// Where it stands; empty for none.
    pub path: PathBuf,
    /// Content by path below the folder, with `/` between names.
    pub files: BTreeMap<String, Vec<u8>>,
    /// What was left out, and why.
    pub warnings: Vec<String>,
}

impl Folder {
    /// Reads the repository's `.teddy`; links, and what is no plain file, are left out with a warning.
    #[must_use]
    pub fn of_repository(path: &Path) -> Self {
        Self::read(path, false)
    }

    /// Reads the user's own folder, links followed.
    #[must_use]
    pub fn of_user(path: &Path) -> Self {
        Self::read(path, true)
    }

    fn read(path: &Path, follows_links: bool) -> Self {
        let mut folder = Self {
            path: path.to_owned(),
            ..Self::default()
        };
        let found = fs::symlink_metadata(path);
        if found.is_ok_and(|found| found.is_dir() || (follows_links && path.is_dir())) {
            for part in PARTS {
                folder.add(&path.join(part), part.to_owned(), follows_links, DEPTH_MAX);
            }
        }
        folder
    }

    fn add(&mut self, path: &Path, name: String, follows_links: bool, depth_left: usize) {
        let found = if follows_links {
            fs::metadata(path)
        } else {
            fs::symlink_metadata(path)
        };
        let outcome = match found {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(error.to_string()),
            Ok(found) if found.is_dir() => {
                self.add_directory(path, &name, follows_links, depth_left)
            }
            Ok(found) if !found.is_file() => Err("it is not a plain file".to_owned()),
            Ok(found) if found.len() > FOLDER_FILE_BYTES_MAX => {
                Err(format!("it has more than {FOLDER_FILE_BYTES_MAX} bytes"))
            }
            Ok(_) if self.files.len() >= FOLDER_FILES_MAX => {
                Err(format!("there are more than {FOLDER_FILES_MAX} files"))
            }
            Ok(found) if found.len() > FOLDER_BYTES_MAX - self.bytes().min(FOLDER_BYTES_MAX) => {
                Err(format!(
                    "the files have more than {FOLDER_BYTES_MAX} bytes together"
                ))
            }
            Ok(_) => fs::read(path)
                .map(|bytes| drop(self.files.insert(name, bytes)))
                .map_err(|error| error.to_string()),
        };
        if let Err(reason) = outcome {
            self.warnings
                .push(format!("'{}' is left out: {reason}", path.display()));
        }
    }

    fn add_directory(
        &mut self,
        path: &Path,
        name: &str,
        follows_links: bool,
        depth_left: usize,
    ) -> Result<(), String> {
        if depth_left == 0 {
            return Err(format!("it is more than {DEPTH_MAX} levels deep"));
        }
        let entries = fs::read_dir(path).map_err(|error| error.to_string())?;
        let names = entries
            .take(FOLDER_FILES_MAX)
            .map(|entry| entry.map(|entry| entry.file_name()));
        let mut names: Vec<_> = names
            .collect::<Result<_, _>>()
            .map_err(|error: io::Error| error.to_string())?;
        // In the order of names, so that what a limit leaves out is the same everywhere.
        names.sort();
        for child in names {
            let path = path.join(&child);
            match child.to_str() {
                Some(child) => self.add(
                    &path,
                    format!("{name}/{child}"),
                    follows_links,
                    depth_left - 1,
                ),
                None => self.warnings.push(format!(
                    "'{}' is left out: its name is not UTF-8",
                    path.display()
                )),
            }
        }
        Ok(())
    }

    fn bytes(&self) -> u64 {
        self.files.values().map(|bytes| bytes.len() as u64).sum()
    }

    /// A file's text; `None` when it is not there or not UTF-8.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        self.files
            .get(name)
            .and_then(|bytes| std::str::from_utf8(bytes).ok())
    }

    /// Where a file of the folder stands, for messages.
    #[must_use]
    pub fn path_of(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// SHA-256 over all names and contents: of the lines that `sha256sum` prints for the files in the order of names.
    ///
    /// The user can check it with stock tools, in the folder:
    /// `find agents config.toml global.context memos.yaml profiles prompts secrets.toml system.md system_extra.md -type f | LC_ALL=C sort | xargs sha256sum | sha256sum`.
    #[must_use]
    pub fn digest(&self) -> String {
        let line = |(name, bytes): (&String, &Vec<u8>)| {
            let (mark, name) = escape(name);
            format!("{mark}{}  {name}\n", hash::sha256_hex(bytes))
        };
        let lines: String = self.files.iter().map(line).collect();
        hash::sha256_hex(lines.as_bytes())
    }
}

/// A name as `sha256sum` prints it, with what stands before the line, so that no name can pass for more lines.
fn escape(name: &str) -> (&'static str, Cow<'_, str>) {
    if !name.contains(['\\', '\n', '\r']) {
        return ("", Cow::Borrowed(name));
    }
    (
        "\\",
        Cow::Owned(
            name.replace('\\', "\\\\")
                .replace('\n', "\\n")
                .replace('\r', "\\r"),
        ),
    )
}

/// A folder of texts for tests.
#[cfg(test)]
pub(crate) fn of_texts(path: &str, files: &[(&str, &str)]) -> Folder {
    let bytes = |(name, text): &(&str, &str)| ((*name).to_owned(), text.as_bytes().to_vec());
    Folder {
        path: path.into(),
        files: files.iter().map(bytes).collect(),
        warnings: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_is_that_of_stock_tools_and_changes_with_every_byte() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::create_dir(folder.path().join("agents")).expect("writable");
        fs::write(folder.path().join("agents/a.toml"), "x").expect("writable");
        fs::write(folder.path().join("AGENTS.md"), "not read").expect("writable");
        let read = || Folder::of_repository(folder.path());
        let inner =
            "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881  agents/a.toml\n";
        assert_eq!(read().digest(), hash::sha256_hex(inner.as_bytes()));
        let before = read().digest();
        fs::write(folder.path().join("agents/a.toml"), "y").expect("writable");
        assert_ne!(read().digest(), before);
    }

    #[test]
    fn no_name_passes_for_another_file() {
        let folder = |files: &[(&str, &str)]| {
            let files = files
                .iter()
                .map(|(name, text)| ((*name).to_owned(), text.as_bytes().to_vec()))
                .collect();
            Folder {
                files,
                ..Folder::default()
            }
            .digest()
        };
        let two = folder(&[("agents/a", "1"), ("agents/b", "2")]);
        let disguised = format!("agents/a\n{}  agents/b", hash::sha256_hex(b"2"));
        assert_ne!(folder(&[(disguised.as_str(), "1")]), two);
        assert_ne!(
            folder(&[("agents/a\n", "1")]),
            folder(&[("agents/a\\n", "1")])
        );
    }

    #[test]
    fn links_are_followed_for_the_user_only() {
        let folder = tempfile::tempdir().expect("a folder");
        let outside = tempfile::tempdir().expect("a folder");
        fs::write(outside.path().join("x.md"), "secret").expect("writable");
        std::os::unix::fs::symlink(outside.path(), folder.path().join("prompts")).expect("a link");
        let repository = Folder::of_repository(folder.path());
        assert!(repository.files.is_empty());
        assert_eq!(repository.warnings.len(), 1);
        assert_eq!(
            Folder::of_user(folder.path()).text("prompts/x.md"),
            Some("secret")
        );
    }
}
