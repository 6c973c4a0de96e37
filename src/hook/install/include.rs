//! Hooks in git's configuration: the file with them, and the line in `.git/config` that includes it.
//!
//! The file stands beside `config` and is as readable as that: git ends with an error where it may not look at an
//! included file, and does not mind one that is gone. Command and event of a hook are written together: an event without
//! a command breaks every commit.

use std::path::Path;

use super::event::HookEvent;
use super::script::{self, find};

/// The name of the file, in the common git directory; also the value of `include.path`.
pub const FILE: &str = "merkle-hooks.gitconfig";
/// The key in the local configuration.
pub const KEY: &str = "include.path";
/// What the names of our hooks start with.
pub const NAME_PREFIX: &str = "merkle-";
/// The first version that runs hooks of the configuration.
const FIRST_VERSION: (u32, u32) = (2, 54);
const HEADER: &str = "# git-merkle/hooks/1, written by 'git merkle hooks install', removed by 'git merkle hooks uninstall'\n";
const INCLUDE: &[u8] = b"[include]\n\tpath = merkle-hooks.gitconfig\n";

/// True for a git that runs hooks of the configuration, by what `git version` prints.
#[must_use]
pub fn understands(version: &str) -> bool {
    let number = version.strip_prefix("git version ").unwrap_or_default();
    let mut parts = number
        .split(|c: char| !c.is_ascii_digit())
        .map(|part| part.parse().unwrap_or(0));
    (parts.next().unwrap_or(0), parts.next().unwrap_or(0)) >= FIRST_VERSION
}

/// The bytes of the file.
#[must_use]
pub fn file(binary: &Path, events: &[HookEvent]) -> Vec<u8> {
    let mut out = HEADER.as_bytes().to_vec();
    for event in events {
        out.extend(format!("[hook \"{NAME_PREFIX}{}\"]\n\tcommand = ", event.name()).bytes());
        out.extend(quote(&script::command(binary, *event)));
        out.extend(format!("\n\tevent = {}\n", event.name()).bytes());
    }
    out
}

/// A value as git's configuration files write it.
fn quote(value: &[u8]) -> Vec<u8> {
    let escape = |byte: &u8| match byte {
        b'"' | b'\\' => vec![b'\\', *byte],
        _ => vec![*byte],
    };
    b"\""
        .iter()
        .copied()
        .chain(value.iter().flat_map(escape))
        .chain(*b"\"")
        .collect()
}

/// The configuration with the line in it, and whether its last line had to be given an end.
#[must_use]
pub fn add(config: &[u8]) -> (Vec<u8>, bool) {
    if find(config, INCLUDE).is_some() {
        return (config.to_vec(), false);
    }
    let has_end = config.is_empty() || config.ends_with(b"\n");
    (
        [config, if has_end { b"" } else { b"\n" }, INCLUDE].concat(),
        !has_end,
    )
}

/// The configuration without the section as [`add`] wrote it; `None` where it is not, or not alone in its section.
#[must_use]
pub fn remove(config: &[u8], ended_line: bool) -> Option<Vec<u8>> {
    let at = find(config, INCLUDE).filter(|at| *at == 0 || config[at - 1] == b'\n')?;
    let (before, after) = (&config[..at], &config[at + INCLUDE.len()..]);
    if !(after.is_empty() || after.starts_with(b"[")) {
        return None;
    }
    let before = if ended_line && after.is_empty() {
        before.strip_suffix(b"\n").unwrap_or(before)
    } else {
        before
    };
    Some([before, after].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_told_apart() {
        for (version, expected) in [
            ("git version 2.47.3", false),
            ("git version 2.53.9.windows.1", false),
            ("git version 2.54.0", true),
            ("git version 2.54.0-rc1", true),
            ("git version 2.100.1 (Apple Git-200)", true),
            ("git version 3.0.0", true),
            ("something else", false),
        ] {
            assert_eq!(understands(version), expected, "{version}");
        }
    }

    #[test]
    fn the_file_is_these_bytes() {
        let text = String::from_utf8(file(
            Path::new("/o \"p\"\\t/git-merkle"),
            &[HookEvent::PostCommit],
        ))
        .unwrap();
        let expected = r#"# git-merkle/hooks/1, written by 'git merkle hooks install', removed by 'git merkle hooks uninstall'
[hook "merkle-post-commit"]
	command = "{ if [ -x '/o \"p\"\\t/git-merkle' ]; then '/o \"p\"\\t/git-merkle' hooks run post-commit \"$@\"; else case $(command -v git-merkle) in \"$PWD\"/*) ;; /*) git-merkle hooks run post-commit \"$@\" ;; esac; fi; } </dev/null >/dev/null 2>&1; :"
	event = post-commit
"#;
        assert_eq!(text, expected);
    }

    #[test]
    fn the_line_comes_and_goes() {
        for config in [
            "",
            "[core]\n\tbare = false\n",
            "[core]\n\tbare = false",
            "[include]\n\tpath = mine\n",
        ] {
            let (with, ended_line) = add(config.as_bytes());
            assert_eq!(add(&with), (with.clone(), false), "twice is once");
            assert_eq!(
                remove(&with, ended_line).as_deref(),
                Some(config.as_bytes())
            );
            let later = [&with[..], b"[branch \"x\"]\n"].concat();
            let left = remove(&later, ended_line).unwrap();
            assert!(left.ends_with(b"[branch \"x\"]\n") && find(&left, b"merkle").is_none());
            assert_eq!(
                remove(&[&with[..], b"\tpath = other\n"].concat(), ended_line),
                None,
                "not alone any more"
            );
        }
    }
}
