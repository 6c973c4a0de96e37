//! What a directory of directories holds, as one sentence.

use super::child::ChildNode;
use super::names::{POINTS_MAX, SUBJECTS_MAX};
use super::reading::{POINT_BYTES_MAX, about, code, code_span, ended, purpose, sentence};

/// Directories within another that are named.
const BELOW_MAX: usize = 4;

/// What a directory of directories holds: what the only one says, or each with its sentence. What one holds in turn
/// stands in its own frame.
pub(super) fn holds(directories: &[&ChildNode<'_>]) -> Option<String> {
    let holds_more = |says: &str| says.starts_with("Holds `") || says.contains(" with line");
    if let [part] = directories[..] {
        let (name, says) = (code(part), about(part)?);
        // One in one in one is one path.
        return Some(match says.strip_prefix("Holds `") {
            Some(inner) if inner.contains("/`") && rows(part) == 1 => {
                format!("Holds {}{inner}", name.trim_end_matches('`'))
            }
            _ => format!("Holds {name}: {says}"),
        });
    }
    let mut said: Vec<String> = Vec::new();
    let mut speak = 0;
    for part in directories {
        let says = about(part);
        speak += usize::from(says.is_some());
        let has_room = said.len() < POINTS_MAX;
        said.push(match says.filter(|_| has_room) {
            Some(says) if says.starts_with("Holds `") => below(part),
            Some(says) if !holds_more(&says) => {
                format!("{}: {}", code(part), says.trim_end_matches('.'))
            }
            _ => code(part),
        });
    }
    let is_named = said
        .iter()
        .all(|said| said.ends_with("/`") && !said.contains(" with "));
    let left = said.len().saturating_sub(SUBJECTS_MAX);
    said.truncate(SUBJECTS_MAX);
    let more = if left > 0 {
        format!(" and {left} more")
    } else {
        String::new()
    };
    (speak > 0).then(|| {
        format!(
            "Holds {}",
            ended(&format!(
                "{}{more}",
                said.join(if is_named { ", " } else { "; " })
            ))
        )
    })
}

/// A directory of directories by the names of these; the only one in it with what it says: one in one is one path.
fn below(part: &ChildNode<'_>) -> String {
    let (name, says) = (code(part), purpose(part).unwrap_or_default());
    let inner = says.strip_prefix("Holds `").unwrap_or_default();
    let says_of_one = inner.split_once("/`: ").filter(|_| rows(part) == 1);
    if let Some((inner, says)) = says_of_one.filter(|(_, says)| !says.starts_with("Holds `")) {
        let says = sentence(says, POINT_BYTES_MAX);
        let outer = name.trim_end_matches('`');
        return format!("{outer}{inner}/`: {}", says.trim_end_matches('.'));
    }
    let rows = part
        .body()
        .lines()
        .filter_map(|line| code_span(line.strip_prefix("- ")?));
    let names: Vec<&str> = rows
        .map(|(name, _)| name)
        .filter(|name| name.ends_with('/'))
        .collect();
    let shown: Vec<String> = names
        .iter()
        .take(BELOW_MAX)
        .map(|name| format!("`{name}`"))
        .collect();
    let more = if names.len() > shown.len() {
        " …"
    } else {
        ""
    };
    if shown.is_empty() {
        name
    } else {
        format!("{name} with {}{more}", shown.join(", "))
    }
}

/// How many children a body lists.
fn rows(part: &ChildNode<'_>) -> usize {
    let body = part.body();
    body.lines().filter(|line| line.starts_with("- ")).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synthesis::child::PartKind;

    #[track_caller]
    fn check(parts: &[(&str, &str)], expected: &str) {
        let parts: Vec<ChildNode<'_>> = parts
            .iter()
            .map(|(name, body)| {
                ChildNode::outlined(name.trim_end_matches('/'), PartKind::Directory, body)
            })
            .collect();
        let said = holds(&parts.iter().collect::<Vec<_>>());
        assert_eq!(said.as_deref().unwrap_or_default(), expected);
    }

    #[test]
    fn what_a_directory_holds_goes_one_level_down() {
        let holds = "Holds `x/`: Keeps items; `y/`: Sends them.\n\nDirectory of 9 files and 2 directories: Go 9.\n\n- `x/` (3 files)\n- `y/` (6 files)\n";
        let says = "Keeps items.\n\nDirectory of 3 files: Go 3.\n\n- `a.go`\n- `b.go`\n";
        check(
            &[("a/", holds), ("b/", says)],
            "Holds `a/` with `x/`, `y/`; `b/`: Keeps items.",
        );
        check(
            &[("a/", holds)],
            "Holds `a/`: Holds `x/`: Keeps items; `y/`: Sends them.",
        );
        let path = "Holds `x/`: Keeps items.\n\nDirectory of 3 files and 1 directory: Go 3.\n\n- `x/` (3 files)\n";
        check(&[("a/", path)], "Holds `a/x/`: Keeps items.");
        let deep = "Holds `x/` with `p/`, `q/`; `y/` with `r/`.\n\nDirectory of 3 files and 5 directories: Go 3.\n\n- `x/` (2 files)\n- `y/` (1 file)\n";
        check(
            &[("a/", deep), ("b/", says)],
            "Holds `a/` with `x/`, `y/`; `b/`: Keeps items.",
        );
        let plain = "Holds `x/`, `y/`.\n\nDirectory of 3 files and 2 directories: Go 3.\n\n- `x/` (2 files)\n- `y/` (1 file)\n";
        check(
            &[("a/", plain), ("b/", says)],
            "Holds `a/` with `x/`, `y/`; `b/`: Keeps items.",
        );
        check(
            &[("a/", path), ("b/", says)],
            "Holds `a/x/`: Keeps items; `b/`: Keeps items.",
        );
    }
}
