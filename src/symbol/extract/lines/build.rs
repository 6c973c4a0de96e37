//! Files that say how something is built: makefiles, containers, Kconfig, devicetrees.

use super::found::Found;
use super::line::{after, indent, lines};
use crate::symbol::comment;
use crate::symbol::outline::Kind;

/// Most files that one target of a makefile is said to be made of.
const MADE_OF_MAX: usize = 6;

/// Targets of a makefile, recipes of a justfile, and what is built by lists of objects.
pub(super) fn targets(found: &mut Found, text: &str) {
    let mut above = String::new();
    for line in lines(text) {
        if !line.starts_with(['\t', ' ']) {
            target(found, line, &above);
        }
        match line.strip_prefix('#') {
            Some(said) if !is_code(said) => {
                above.push_str(said.trim_start_matches('#'));
                above.push('\n');
            }
            _ => above.clear(),
        }
    }
}

/// Whether a comment is a line that was switched off: `#default: $(TARGETS)`, `#SHARED = yes`.
pub(super) fn is_code(comment: &str) -> bool {
    let is_name = |text: &str| !text.is_empty() && !text.contains(char::is_whitespace);
    let assigned = outside_brackets(comment, '=')
        .map(|at| comment[..at].trim_end_matches([':', '+', '?', ' ']));
    comment.contains("$(")
        || comment.contains("${")
        || assigned.is_some_and(|name| is_name(name.trim()))
}

fn target(found: &mut Found, line: &str, above: &str) {
    if let Some(path) = ["include ", "-include ", "sinclude ", "import "]
        .iter()
        .find_map(|word| line.strip_prefix(word))
    {
        return found.push_import(path);
    }
    // A colon within brackets is that of `$(NAME:.c=.o)`.
    let rule = outside_brackets(line, ':')
        .filter(|at| !line[at + 1..].trim_start_matches(':').starts_with('='));
    let assignment = outside_brackets(line, '=');
    let is_assignment = assignment.is_some_and(|at| rule.is_none_or(|rule| at < rule));
    if let Some(at) = assignment.filter(|_| is_assignment) {
        let (name, value) = (
            line[..at].trim_end_matches(['+', ':', '!']),
            &line[at + 1..],
        );
        let name = name.trim().trim_end_matches(['?', ':']).trim();
        let is_name = !name.is_empty() && name.len() <= 80 && !name.contains([' ', '\t', '"', '#']);
        // `obj-$(CONFIG_X) += x.o` says what an option builds.
        let is_made = ["_SOURCES", "-y", "-objs"]
            .iter()
            .any(|end| name.ends_with(end))
            || name.starts_with("obj-");
        let words = || value.split_whitespace().filter(|word| *word != "\\");
        let is_list = is_made || words().any(|word| word.strip_suffix(".o").is_some());
        if is_name && is_list {
            let mut parts: Vec<&str> = words().take(MADE_OF_MAX).collect();
            if words().count() > MADE_OF_MAX || value.trim_end().ends_with('\\') {
                parts.push("…");
            }
            let kind = if is_made { Kind::Target } else { Kind::Key };
            // Automake builds `till` of `till_SOURCES`.
            let name = name.strip_suffix("_SOURCES").unwrap_or(name);
            found.push(kind, name, &format!("{name} {}", parts.join(" ")));
        } else if is_name && !line.starts_with('#') {
            found.push(Kind::Key, name, name);
        }
        return;
    }
    let Some((head, rest)) = rule.map(|at| (&line[..at], &line[at + 1..])) else {
        return;
    };
    let is_plain = !head.is_empty()
        && !head.starts_with(['#', '.', '@', '"'])
        && (!head.starts_with('$') || head.trim_end().ends_with([')', '}']))
        && !head.contains(['=', '"', '\'']);
    if is_plain && !rest.starts_with('=') {
        let name = head.split_whitespace().next().unwrap_or_default();
        let said = rest.split_once("##").map(|(_, said)| said.trim());
        let said = said.map_or_else(|| comment::paragraph(above, comment::NONE), str::to_owned);
        found.push_with(Kind::Target, name, head.trim_end(), &said);
    }
}

/// Where a sign first stands outside `$(…)` and `${…}`.
fn outside_brackets(line: &str, wanted: char) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, c) in line.char_indices() {
        match c {
            '(' | '{' => depth += 1,
            ')' | '}' => depth = depth.saturating_sub(1),
            _ if c == wanted && depth == 0 => return Some(at),
            _ => {}
        }
    }
    None
}

/// Stages, commands and entry points of a container file.
pub(super) fn stages(found: &mut Found, text: &str) {
    for line in lines(text) {
        let word = line
            .split_whitespace()
            .next()
            .unwrap_or_default()
            .to_ascii_uppercase();
        if matches!(
            word.as_str(),
            "FROM" | "ENTRYPOINT" | "CMD" | "EXPOSE" | "WORKDIR" | "ARG"
        ) {
            found.push(Kind::Instruction, line, line);
        }
    }
}

/// Options of a configuration with what they ask.
pub(super) fn kconfig(found: &mut Found, text: &str) {
    let mut open: Option<(&str, String)> = None;
    let mut prompt = String::new();
    let mut help = 0;
    for line in lines(text) {
        let code = line.trim();
        let head = [
            "config",
            "menuconfig",
            "menu",
            "choice",
            "comment",
            "mainmenu",
        ]
        .iter()
        .find_map(|word| Some((*word, after(code, word)?)));
        if let Some((word, name)) = head.filter(|_| indent(line) < 8) {
            if let Some((name, signature)) = open.take() {
                found.push_with(Kind::Key, name, &signature, &prompt);
            }
            prompt.clear();
            help = 0;
            let name = name.trim_matches('"');
            if word != "comment" && !name.is_empty() {
                open = Some((name, format!("{word} {name}")));
            }
        } else if let Some(path) = ["source", "rsource", "osource", "orsource"]
            .iter()
            .find_map(|word| after(code, word))
            // The text of a help is further in, and may begin with this word.
            .filter(|path| path.starts_with('"') || indent(line) == 0)
        {
            found.push_import(path.trim_matches('"'));
        } else if code == "help" || code == "---help---" {
            help = 1;
        } else if prompt.is_empty() && open.is_some() {
            let asked = [
                "bool", "tristate", "string", "int", "hex", "prompt", "def_bool",
            ]
            .iter()
            .find_map(|word| after(code, word));
            let asked = asked
                .and_then(|text| text.strip_prefix('"'))
                .and_then(|text| text.split('"').next());
            if let Some(asked) = asked.or(Some(code).filter(|_| help == 1 && !code.is_empty())) {
                asked.clone_into(&mut prompt);
            }
        }
    }
    if let Some((name, signature)) = open {
        found.push_with(Kind::Key, name, &signature, &prompt);
    }
}

/// The model, what it is compatible with, what it includes, and its nodes down to the second level.
pub(super) fn devicetree(found: &mut Found, text: &str) {
    let mut depth = 0_usize;
    let mut is_comment = false;
    for line in lines(text) {
        let mut code = line.trim();
        is_comment |= code.starts_with("/*");
        if is_comment {
            let Some((_, behind)) = code.split_once("*/") else {
                continue;
            };
            is_comment = false;
            code = behind.trim();
        }
        if let Some(path) = code
            .strip_prefix("#include")
            .or_else(|| code.strip_prefix("/include/"))
        {
            found.push_import(path.trim().trim_matches(['"', '<', '>', ';']));
        } else if let Some(value) = code
            .strip_prefix("model")
            .and_then(value_of)
            .filter(|_| depth == 1)
        {
            value.clone_into(&mut found.doc);
        } else if let Some(value) = code.strip_prefix("compatible").and_then(value_of) {
            found.push(Kind::Key, value, &format!("compatible {value}"));
        } else if code.starts_with("#define") {
            let name = code.split_whitespace().nth(1).unwrap_or_default();
            found.push(Kind::Macro, name, name);
        } else if let Some(head) = code
            .strip_suffix('{')
            .map(str::trim)
            .filter(|head| depth < 2 && !head.is_empty() && *head != "/")
        {
            found.push(Kind::Key, head, head);
        }
        depth = (depth + code.matches('{').count()).saturating_sub(code.matches('}').count());
    }
}

/// The text of `= "a", "b";`.
fn value_of(text: &str) -> Option<&str> {
    Some(
        text.trim_start()
            .strip_prefix('=')?
            .trim()
            .trim_end_matches(';')
            .trim_matches('"'),
    )
}
