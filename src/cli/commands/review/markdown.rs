//! A review as Markdown: the verdict, what changed, what is known.

use similar::{ChangeTag, TextDiff};

use super::known::Known;
use crate::cli::range::Range;
use crate::review::markdown::{code, document, item};
use crate::review::{Changes, Verbosity, say};

/// Lines of one statement that are shown.
const LINES_MAX: usize = 12;

/// The document; empty where nothing differs.
pub(super) fn render(changes: &Changes, known: &Known<'_>, range: &Range, limit: usize) -> String {
    let all = say(changes, Verbosity::All);
    let Some((verdict, all)) = all.split_first() else {
        return String::new();
    };
    let mut verdict = verdict.text();
    verdict.extend(known.verdict().map(|(_, text)| text));
    let said = known_items(known, range);
    let items = |lines: &[_]| {
        lines
            .iter()
            .map(item)
            .chain(said.iter().cloned())
            .collect::<Vec<_>>()
    };
    let short = say(changes, Verbosity::Short);
    document(&verdict, &[items(all), items(&short[1..])], limit)
}

fn known_items(known: &Known<'_>, range: &Range) -> Vec<String> {
    let mut items = Vec::new();
    for one in &known.touched.statements {
        let path = String::from_utf8_lossy(one.path.as_bytes()).into_owned();
        let path = if path.is_empty() { "./" } else { &path };
        let title = format!("{path} {}/{}", one.new.agent, one.new.frame_type);
        let outdated = one.reason.map_or("", |_| ", outdated");
        items.push(format!(
            "- says something else{outdated}: {}\n",
            code(&title)
        ));
        let old = one.old.as_deref().unwrap_or_default();
        items.extend(changed_lines(old, &one.new.content));
    }
    for (path, note) in &known.touched.carried {
        let author = note.frame.author().unwrap_or_default();
        let title = format!(
            "{} {author}: {}",
            String::from_utf8_lossy(path.shown()),
            note.frame.content
        );
        items.push(format!(
            "- a note to affirm, {}: {}\n",
            // Its commit would be a link.
            code(&note.age()),
            code(&title)
        ));
    }
    for behind in &known.touched.behind {
        let (stale, missing) = (behind.stale, behind.missing);
        items.push(format!(
            "- not fresh: {stale} outdated, {missing} missing, {}\n",
            code(&known.command(behind))
        ));
    }
    for store in &known.foreign {
        for (title, frame) in store.titles() {
            let text = format!("{title}: {}", frame.content);
            items.push(format!(
                "- foreign, from {}: {}\n",
                code(&store.remote),
                code(&text)
            ));
        }
    }
    let (old, new) = (code(&range.old.name), code(&range.new.name));
    items.push(format!("- compared: {old} with {new}\n"));
    items
}

/// The lines of two statements that differ, as items of a list below.
fn changed_lines(old: &str, new: &str) -> Vec<String> {
    let diff = TextDiff::from_lines(old, new);
    let changes = diff
        .iter_all_changes()
        .filter(|change| change.tag() != ChangeTag::Equal);
    let lines = changes.filter(|change| !change.value().trim().is_empty());
    let line = |change: similar::Change<&str>| {
        let mark = if change.tag() == ChangeTag::Delete {
            "−"
        } else {
            "+"
        };
        format!("  - {}\n", code(&format!("{mark} {}", change.value())))
    };
    lines.take(LINES_MAX).map(line).collect()
}
