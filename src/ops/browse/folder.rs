//! The folder of a site: what is written, what is left as it is, and what is taken away.
//!
//! A folder belongs to a site if its list of files says so. Only files of that list are ever removed, and only those whose
//! names a site gives. Links are never followed: who can write a repository could have put one there.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use crate::site::address::is_of_site;

/// The list of a site's files.
const LIST: &str = "files.txt";
/// Its first line.
const HEAD: &str = "git-merkle/site/1";
/// A larger list is none.
const LIST_BYTES_MAX: u64 = 1 << 30;

/// Why a folder is not written to.
#[derive(Debug, thiserror::Error)]
pub enum SiteFolderError {
    /// It holds something else.
    #[error("'{}' is not empty and is no site of this program", .0.display())]
    NotOurs(PathBuf),
    /// Something stands in the place of a file or folder of the site.
    #[error("'{}' is neither a file nor a folder of the site", .0.display())]
    Strange(PathBuf),
    /// The disk.
    #[error("cannot write '{}'", path.display())]
    Io {
        /// What was written.
        path: PathBuf,
        /// Why it was not.
        #[source]
        source: io::Error,
    },
}

type Outcome<T> = Result<T, SiteFolderError>;

/// A folder that a site is written to.
pub(super) struct SiteFolder {
    root: PathBuf,
    old: BTreeSet<String>,
}

impl SiteFolder {
    /// Opens a folder, which is made where there is none.
    pub(super) fn open(root: &Path) -> Outcome<Self> {
        let folder = |old| Self {
            root: root.to_owned(),
            old,
        };
        fs::create_dir_all(root).map_err(|source| failed(root, source))?;
        let mut entries = fs::read_dir(root).map_err(|source| failed(root, source))?;
        if entries.next().is_none() {
            return Ok(folder(BTreeSet::new()));
        }
        let list = root.join(LIST);
        let is_list = fs::symlink_metadata(&list)
            .is_ok_and(|found| found.is_file() && found.len() <= LIST_BYTES_MAX);
        let text = if is_list {
            fs::read_to_string(&list).unwrap_or_default()
        } else {
            String::new()
        };
        let Some(files) = text.strip_prefix(HEAD) else {
            return Err(SiteFolderError::NotOurs(root.to_owned()));
        };
        let files = files.lines().filter(|file| is_of_site(file));
        Ok(folder(files.map(str::to_owned).collect()))
    }

    /// Writes down which files the site has and had, so that a run that is cut off leaves nothing unknown.
    pub(super) fn begin(&self, new: &BTreeSet<String>) -> Outcome<()> {
        if self.old == *new {
            return Ok(());
        }
        self.write_list(self.old.union(new))
    }

    /// Makes a folder below an existing one; `folder` ends with a slash.
    pub(super) fn make(&self, folder: &str) -> Outcome<()> {
        let mut at = self.root.clone();
        for name in folder.split('/').filter(|name| !name.is_empty()) {
            at.push(name);
            match fs::symlink_metadata(&at) {
                Ok(found) if found.is_dir() => {}
                Ok(_) => return Err(SiteFolderError::Strange(at)),
                Err(_) => fs::create_dir(&at).map_err(|source| failed(&at, source))?,
            }
        }
        Ok(())
    }

    /// Writes a file where it does not have these bytes already; true where it was written.
    pub(super) fn write(&self, file: &str, bytes: &[u8]) -> Outcome<bool> {
        let path = self.root.join(file);
        match fs::symlink_metadata(&path) {
            Ok(found) if !found.is_file() => return Err(SiteFolderError::Strange(path)),
            Ok(found) => {
                let is_same = found.len() == bytes.len() as u64
                    && fs::read(&path).is_ok_and(|there| there == bytes);
                if is_same {
                    return Ok(false);
                }
                // Not written into: it may be the second name of another file.
                fs::remove_file(&path).map_err(|source| failed(&path, source))?;
            }
            Err(_) => {}
        }
        File::create_new(&path)
            .and_then(|mut file| file.write_all(bytes))
            .map_err(|source| failed(&path, source))?;
        Ok(true)
    }

    /// Removes what the site had and has no more, with the folders that are empty then; how many files that were.
    pub(super) fn finish(&self, new: &BTreeSet<String>) -> Outcome<usize> {
        let gone: Vec<&String> = self.old.difference(new).collect();
        for file in &gone {
            self.remove(file)?;
        }
        if self.old != *new {
            self.write_list(new.iter())?;
        }
        Ok(gone.len())
    }

    fn remove(&self, file: &str) -> Outcome<()> {
        let (mut path, mut ways) = (self.root.clone(), Vec::new());
        let mut names: Vec<&str> = file.split('/').collect();
        let last = names.pop().unwrap_or_default();
        for name in names {
            path.push(name);
            match fs::symlink_metadata(&path) {
                Ok(found) if found.is_dir() => ways.push(path.clone()),
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
                _ => return Err(SiteFolderError::Strange(path)),
            }
        }
        path.push(last);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(failed(&path, error));
            }
            _ => {}
        }
        // A folder with anything in it stays, and those above it.
        let _ = ways.iter().rev().try_for_each(fs::remove_dir);
        Ok(())
    }

    fn write_list<'f>(&self, files: impl Iterator<Item = &'f String>) -> Outcome<()> {
        let mut text = format!("{HEAD}\n");
        for file in files {
            text.push_str(file);
            text.push('\n');
        }
        self.write(LIST, text.as_bytes()).map(drop)
    }
}

fn failed(path: &Path, source: io::Error) -> SiteFolderError {
    SiteFolderError::Io {
        path: path.to_owned(),
        source,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(names: &[&str]) -> BTreeSet<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    fn written(root: &Path, names: &[&str]) -> SiteFolder {
        let folder = SiteFolder::open(root).unwrap();
        folder.begin(&files(names)).unwrap();
        for name in names {
            let end = name.rfind('/').map_or(0, |slash| slash + 1);
            folder.make(&name[..end]).unwrap();
            folder.write(name, b"page").unwrap();
        }
        folder
    }

    #[test]
    fn only_what_the_list_names_is_removed() {
        let temporary = tempfile::tempdir().unwrap();
        let root = temporary.path().join("site");
        let all = ["index.html", "tree/a/b.html", "tree/c.html"];
        assert_eq!(written(&root, &all).finish(&files(&all)).unwrap(), 0);
        fs::write(root.join("tree/mine.html"), "kept").unwrap();
        fs::write(root.join("notes.txt"), "kept").unwrap();
        let left = ["index.html"];
        assert_eq!(written(&root, &left).finish(&files(&left)).unwrap(), 2);
        assert!(!root.join("tree/a").exists(), "an empty folder goes");
        assert!(root.join("tree/mine.html").exists() && root.join("notes.txt").exists());
    }

    #[test]
    fn a_list_that_another_wrote_removes_nothing_outside() {
        let temporary = tempfile::tempdir().unwrap();
        let root = temporary.path().join("site");
        fs::create_dir(&root).unwrap();
        fs::write(temporary.path().join("x.html"), "kept").unwrap();
        fs::write(root.join("notes.txt"), "kept").unwrap();
        fs::write(
            root.join(LIST),
            format!("{HEAD}\n../x.html\ntree/../../x.html\n/etc/x\nnotes.txt\n"),
        )
        .unwrap();
        let folder = SiteFolder::open(&root).unwrap();
        assert_eq!(folder.finish(&files(&[])).unwrap(), 0);
        assert!(temporary.path().join("x.html").exists() && root.join("notes.txt").exists());
    }

    #[test]
    fn a_folder_of_another_is_refused_and_links_are_not_followed() {
        let temporary = tempfile::tempdir().unwrap();
        let root = temporary.path().join("site");
        fs::create_dir(&root).unwrap();
        fs::write(root.join("index.html"), "mine").unwrap();
        assert!(matches!(
            SiteFolder::open(&root),
            Err(SiteFolderError::NotOurs(_))
        ));
        fs::write(root.join(LIST), format!("{HEAD}\n")).unwrap();
        let outside = temporary.path().join("outside");
        fs::create_dir(&outside).unwrap();
        std::os::unix::fs::symlink(&outside, root.join("tree")).unwrap();
        let folder = SiteFolder::open(&root).unwrap();
        assert!(matches!(
            folder.make("tree/"),
            Err(SiteFolderError::Strange(_))
        ));
        fs::remove_file(root.join("index.html")).unwrap();
        std::os::unix::fs::symlink("/etc/passwd", root.join("index.html")).unwrap();
        assert!(matches!(
            folder.write("index.html", b"x"),
            Err(SiteFolderError::Strange(_))
        ));
    }

    #[test]
    fn the_same_bytes_are_not_written_again() {
        let temporary = tempfile::tempdir().unwrap();
        let folder = SiteFolder::open(temporary.path()).unwrap();
        assert!(folder.write("index.html", b"one").unwrap());
        assert!(!folder.write("index.html", b"one").unwrap());
        assert!(folder.write("index.html", b"two").unwrap());
    }
}
