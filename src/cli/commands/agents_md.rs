//! The marked block in `AGENTS.md` that tells coding agents how to read what is known about the repository.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use super::init::file::{self, State};
use crate::cli::{CliError, Exit};
use crate::git::file::replace;

const BEGIN: &str = "<!-- git-merkle:begin -->";
const END: &str = "<!-- git-merkle:end -->";
const BODY: &str = include_str!("init/AGENTS.md");

/// Adds the block to the file, or brings it up to date; the rest of the file keeps every byte.
///
/// A link is followed as long as it stays inside the work tree. A file with a damaged block is left alone.
pub(super) fn update(root: &Path, name: &str) -> Result<State, CliError> {
    let failed = |verb: &str| {
        let what = format!("cannot {verb} '{name}'");
        move |error| CliError::io(what, error)
    };
    let Some(path) = find(root, name)? else {
        return file::create(root, name, &block("\n"));
    };
    let bytes = fs::read(&path).map_err(failed("read"))?;
    let text = String::from_utf8(bytes)
        .map_err(|_| CliError::new(Exit::Refused, format!("'{name}' is not UTF-8")))?;
    let updated = place(&text)
        .map_err(|reason| CliError::new(Exit::Refused, format!("'{name}' {reason}")))?;
    if updated == text {
        return Ok(State::Kept);
    }
    write(&path, &updated).map_err(failed("write"))?;
    Ok(State::Updated)
}

/// Where the file really stands; `None` when there is none.
fn find(root: &Path, name: &str) -> Result<Option<PathBuf>, CliError> {
    let failed = |error| CliError::io(format!("cannot look at '{name}'"), error);
    match fs::symlink_metadata(root.join(name)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error)),
        Ok(_) => {}
    }
    let real = fs::canonicalize(root.join(name)).map_err(failed)?;
    let inside = real.starts_with(fs::canonicalize(root).map_err(failed)?);
    if inside && real.is_file() {
        return Ok(Some(real));
    }
    Err(CliError::new(
        Exit::Refused,
        format!("'{name}' is not a file of this work tree"),
    ))
}

/// Replaces a file in one step, so that a reader sees the old text or the new one; permissions stay.
fn write(path: &Path, text: &str) -> io::Result<()> {
    let permissions = fs::metadata(path)?.permissions();
    replace(path, |file| {
        file.write_all(text.as_bytes())?;
        file.set_permissions(permissions)
    })
}

/// The block, from mark to mark, with the file's own line ends.
fn block(newline: &str) -> String {
    let lines = std::iter::once(BEGIN).chain(BODY.lines()).chain([END]);
    lines.flat_map(|line| [line, newline]).collect()
}

/// The text with the block in the place of the old one, else at its end.
fn place(text: &str) -> Result<String, &'static str> {
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    match marks(text)? {
        Some((begin, end)) => Ok(format!(
            "{}{}{}",
            &text[..begin],
            block(newline),
            &text[end..]
        )),
        None => {
            let gap = match text {
                "" => "",
                text if text.ends_with('\n') => newline,
                _ => &newline.repeat(2),
            };
            Ok(format!("{text}{gap}{}", block(newline)))
        }
    }
}

/// Where the old block begins, and where the text after it begins.
fn marks(text: &str) -> Result<Option<(usize, usize)>, &'static str> {
    let mut begin = None;
    let mut end = None;
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        let next = offset + line.len();
        match line.trim() {
            BEGIN if begin.is_none() => begin = Some(offset),
            END if begin.is_some() && end.is_none() => end = Some(next),
            BEGIN | END => return Err("has marks of git-merkle out of order"),
            _ => {}
        }
        offset = next;
    }
    match (begin, end) {
        (None, _) => Ok(None),
        (Some(begin), Some(end)) => Ok(Some((begin, end))),
        (Some(_), None) => Err("has a begin mark of git-merkle without an end"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_block_is_appended_once_and_replaced_in_place() {
        let once = place("# Rules\n").expect("no marks");
        assert_eq!(once, format!("# Rules\n\n{}", block("\n")));
        assert_eq!(place(&once).expect("marks"), once);
        let old = format!("a\n{BEGIN}\nold\n{END}\nz");
        assert_eq!(place(&old).expect("marks"), format!("a\n{}z", block("\n")));
        assert_eq!(
            place("a").expect("no marks"),
            format!("a\n\n{}", block("\n"))
        );
        assert!(place("a\r\n").expect("no marks").lines().count() > 3);
        assert!(
            !place("a\r\n")
                .expect("no marks")
                .replace("\r\n", "")
                .contains('\n')
        );
    }

    #[test]
    fn damaged_marks_are_refused() {
        for text in [
            BEGIN.to_owned(),
            format!("{END}\n{BEGIN}"),
            format!("{BEGIN}\n{BEGIN}\n{END}"),
        ] {
            assert!(place(&text).is_err(), "{text}");
        }
    }

    #[test]
    fn files_are_created_kept_and_updated_with_their_permissions() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().expect("a folder");
        let update = || update(folder.path(), "AGENTS.md").expect("a writable folder");
        assert_eq!([update(), update()], [State::Created, State::Kept]);
        let path = folder.path().join("AGENTS.md");
        fs::write(&path, "mine\n").expect("writable");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).expect("own file");
        assert_eq!([update(), update()], [State::Updated, State::Kept]);
        assert_eq!(
            fs::metadata(&path).expect("a file").permissions().mode() & 0o777,
            0o640
        );
        assert_eq!(fs::read_dir(folder.path()).expect("readable").count(), 1);
    }

    #[test]
    fn a_link_is_followed_inside_and_refused_outside() {
        let folder = tempfile::tempdir().expect("a folder");
        let outside = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("CLAUDE.md"), "x\n").expect("writable");
        fs::write(outside.path().join("x"), "x\n").expect("writable");
        let link = folder.path().join("AGENTS.md");
        std::os::unix::fs::symlink("CLAUDE.md", &link).expect("a link");
        assert_eq!(
            update(folder.path(), "AGENTS.md").expect("inside"),
            State::Updated
        );
        assert!(fs::symlink_metadata(&link).expect("there").is_symlink());
        fs::remove_file(&link).expect("own file");
        std::os::unix::fs::symlink(outside.path().join("x"), &link).expect("a link");
        assert_eq!(
            update(folder.path(), "AGENTS.md")
                .expect_err("outside")
                .exit(),
            Exit::Refused
        );
    }
}
