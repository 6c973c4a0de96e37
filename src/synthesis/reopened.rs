//! Classes and modules of Ruby that several files of a directory open again: places for what each file adds to them.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::child::ChildNode;

/// How the line on kind and size of a file of Ruby begins.
const LANGUAGE: &str = "Ruby source, ";
/// How a list names what it holds members of, and nothing more.
const PLACE: &str = "- members of `";

/// The children, with what several of them open as mere places of what stands in it. `class Thor` in `command.rb` and in
/// `error.rb` tells neither file from the other.
pub(super) fn looked_through<'p>(parts: &[ChildNode<'p>]) -> Vec<ChildNode<'p>> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for part in parts {
        let mut opened: Vec<&str> = outer(part.body()).collect();
        opened.sort_unstable();
        opened.dedup();
        for line in opened {
            *counts.entry(line.to_owned()).or_default() += 1;
        }
    }
    let is_shared = |line: &str| counts.get(line).is_some_and(|count| *count > 1);
    parts
        .iter()
        .map(|part| {
            let mut part = part.clone();
            if outer(part.body()).any(is_shared)
                && let Some((_, body)) = part.bodies.first_mut()
            {
                *body = as_places(body, is_shared);
            }
            part
        })
        .collect()
}

fn as_places(body: &str, is_shared: impl Fn(&str) -> bool) -> Arc<str> {
    let lines = body.split_inclusive('\n').map(|line| {
        let place = line.trim_start().strip_prefix("- `");
        match place.filter(|_| is_shared(line.trim())) {
            Some(name) => format!(
                "{}{PLACE}{name}",
                &line[..line.len() - line.trim_start().len()]
            ),
            None => line.to_owned(),
        }
    });
    lines.collect::<String>().into()
}

/// The lines of classes and modules without a sentence that hold something, from the outermost in.
fn outer(body: &str) -> impl Iterator<Item = &str> {
    let body = if body.starts_with(LANGUAGE) || body.contains("\n\nRuby source, ") {
        body
    } else {
        ""
    };
    let lines = body.lines().zip(body.lines().skip(1));
    let is_opened = |(line, next): &(&str, &str)| {
        let indent = |line: &str| line.len() - line.trim_start().len();
        let name = line
            .trim_start()
            .strip_prefix("- `")
            .and_then(|rest| rest.strip_suffix('`'));
        let name = name.and_then(|name| {
            name.strip_prefix("class ")
                .or_else(|| name.strip_prefix("module "))
        });
        let is_name = |name: &str| {
            name.chars()
                .all(|c| c.is_alphanumeric() || "_:".contains(c))
        };
        name.is_some_and(is_name)
            && next.trim_start().starts_with("- ")
            && indent(next) > indent(line)
    };
    lines.filter(is_opened).map(|(line, _)| line.trim())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synthesis::child::PartKind;
    use crate::synthesis::policy::Policy;
    use crate::synthesis::summarize::Summarize;

    #[test]
    fn what_several_files_open_tells_none_of_them_apart() {
        let ruby = |list: &str| format!("Ruby source, 20+ lines, 1 public item.\n\n{list}");
        let bodies = [
            ruby(
                "- `class Thor`\n  - `class Command < Struct.new(:name)`\n    - `def run`\n  - `Task = Command`\n",
            ),
            ruby("- `class Thor`\n  - `class Error < StandardError`: Shown without a trace.\n"),
            ruby("- `class Thor`\n  - `module Actions`\n    - `def link(to)`: Links.\n"),
            ruby(
                "- `class Thor`\n  - `module Actions`\n    - `def copy(to)`: Copies.\n    - `class Copy`\n",
            ),
        ];
        let names = ["command.rb", "error.rb", "link.rb", "copy.rb"];
        let parts: Vec<ChildNode<'_>> = names
            .iter()
            .zip(&bodies)
            .map(|(name, body)| ChildNode::outlined(name, PartKind::File, body))
            .collect();
        insta::assert_snapshot!(Summarize.synthesize(&parts), @r"
        Ruby files of `class Thor`: `def copy(to)`, `class Command < Struct.new(:name)`, `def link(to)`, `class Error < StandardError`.

        Directory of 4 files: Ruby 4.

        - `copy.rb` — `def copy(to)`: Copies.
        - `command.rb` — `class Command < Struct.new(:name)`, `Task = Command`
        - `link.rb` — `def link(to)`: Links.
        - `error.rb` — `class Error < StandardError`: Shown without a trace.
        ");
        let alone = Summarize.synthesize(&parts[..1]);
        assert!(alone.contains("`class Thor`"), "{alone}");
    }
}
