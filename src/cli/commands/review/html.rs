//! A review as one HTML file: the same values as the text, with headings, words that differ, and what is said as it reads.

use std::borrow::Cow;
use std::fmt::Write as _;

use similar::{ChangeTag, TextDiff};

use super::known::{Known, provenance};
use super::picture::{files, picture};
use crate::base::TreePath;
use crate::base::number::IndexVec;
use crate::cli::range::Range;
use crate::frame::Frame;
use crate::ops::touched::Restated;
use crate::review::{Changes, ReviewedNumber, StyledLine, Tone, Verbosity, parts, say};
use crate::site::page::{Mend, SaidText, mends};
use crate::site::sheet::{Sheet, SheetSection};
use crate::site::{Freshness, escaped, markdown};
use crate::sync::Signature;

/// Lines of one part: more than a person reads.
const LINES_MAX: usize = 2_000;
/// Bytes of two statements that are compared word by word.
const WORDS_BYTES_MAX: usize = 64 * 1024;
/// Lines around words that differ.
const CONTEXT_LINES: usize = 1;

/// The file; empty where nothing differs. `lines` says of how many lines each changed file differs.
pub(super) fn render(
    changes: &Changes,
    lines: &IndexVec<ReviewedNumber, u64>,
    known: &Known<'_>,
    range: &Range,
) -> String {
    let Some(verdict) = say(changes, Verbosity::Short).into_iter().next() else {
        return String::new();
    };
    let mut verdict = verdict.text();
    verdict.extend(known.verdict().map(|(_, text)| text));
    let mut sections: Vec<SheetSection> = parts(changes, Verbosity::All)
        .iter()
        .map(|part| SheetSection {
            title: part.title.to_owned(),
            html: changed(&part.lines),
        })
        .collect();
    let mut add = |title: &str, html: String| {
        if !html.is_empty() {
            let title = title.to_owned();
            sections.push(SheetSection { title, html });
        }
    };
    add("What is said of it", statements(known));
    add("Notes to affirm", notes(known));
    add("Not fresh", behind(known));
    for store in &known.foreign {
        let mut html = String::new();
        for (title, frame) in store.titles() {
            let note = format!("foreign, from {}", store.remote);
            said(title, frame, None, Freshness::Carried, note).write(&mut html);
        }
        add(&format!("Foreign: what '{}' says", store.remote), html);
    }
    let titles: Vec<String> = sections.iter().map(|part| part.title.clone()).collect();
    let (map, list) = (
        picture(changes, lines, known, &titles),
        files(changes, lines, known, &titles),
    );
    sections.push(SheetSection {
        title: "Files".to_owned(),
        html: list,
    });
    let sheet = Sheet {
        map,
        title: format!("{} … {}", range.old.name, range.new.name),
        verdict,
        facts: vec![
            format!("before: tree {}", range.old.tree.short()),
            format!("after: tree {}", range.new.tree.short()),
        ],
        sections,
        notes: provenance(known),
    };
    sheet.render()
}

fn changed(lines: &[StyledLine]) -> String {
    let mut out = String::from("<ul class=\"changes\">\n");
    for line in lines.iter().take(LINES_MAX) {
        out.push_str("<li>");
        for (tone, text) in &line.0 {
            let text = escaped(text);
            let _ = match tone {
                Tone::Plain => write!(out, "{text}"),
                Tone::Name => write!(out, "<b>{text}</b>"),
                Tone::Old => write!(out, "<del>{text}</del>"),
                Tone::New => write!(out, "<ins>{text}</ins>"),
                Tone::Dim => write!(out, "<i>{text}</i>"),
            };
        }
        out.push_str("</li>\n");
    }
    if let Some(more) = lines.len().checked_sub(LINES_MAX).filter(|more| *more > 0) {
        let _ = writeln!(out, "<li><i>… and {more} more</i></li>");
    }
    out.push_str("</ul>\n");
    out
}

fn statements(known: &Known<'_>) -> String {
    let mut out = String::new();
    for (one, signature) in known.touched.statements.iter().zip(&known.signatures) {
        let Restated {
            path,
            old,
            new,
            reason,
            ..
        } = one;
        let path = shown(path);
        let freshness = reason.map_or(Freshness::Fresh, |_| Freshness::Outdated);
        let note = reason.map_or_else(String::new, |reason| reason.to_string());
        let title = format!("{path} {}/{}", new.agent, new.frame_type);
        let mut text = said(title, new, signature.as_ref(), freshness, note);
        if let Some(old) = old {
            text.html = format!(
                "{}<details><summary>The statement as it reads now</summary>\n{}</details>\n",
                words(old, &new.content),
                text.html
            );
        }
        text.write(&mut out);
    }
    out
}

/// A path as a heading: the root has none.
fn shown(path: &TreePath) -> Cow<'_, str> {
    if path.is_root() {
        Cow::Borrowed("./")
    } else {
        path.to_text()
    }
}

fn notes(known: &Known<'_>) -> String {
    let mut out = String::new();
    let signatures = known.signatures.iter().skip(known.touched.statements.len());
    for ((path, one), signature) in known.touched.carried.iter().zip(signatures) {
        let (title, signature) = (shown(path).into_owned(), signature.as_ref());
        said(title, &one.frame, signature, Freshness::Carried, one.age()).write(&mut out);
    }
    if !out.is_empty() {
        out.push_str("<p class=\"more\"><code>git merkle affirm &lt;path&gt;</code> says that one still holds, <code>git merkle retract &lt;path&gt;</code> ends your own.</p>\n");
    }
    out
}

fn said(
    title: String,
    frame: &Frame,
    signature: Option<&Signature>,
    freshness: Freshness,
    note: String,
) -> SaidText {
    let mut by = vec![frame.speaker()];
    by.extend(signature.map(ToString::to_string));
    by.extend(frame.created.clone());
    by.push(format!("frame {}", frame.id.short()));
    SaidText {
        title,
        by,
        freshness,
        note,
        // A file that stands alone has no other pages.
        html: markdown::html(&frame.content, &|_| None),
        is_folded: false,
    }
}

fn behind(known: &Known<'_>) -> String {
    if known.touched.behind.is_empty() {
        return String::new();
    }
    let mend = |behind: &crate::ops::touched::Behind| Mend {
        what: format!(
            "{}/{}: {} outdated, {} missing",
            behind.slot.agent, behind.slot.frame_type, behind.stale, behind.missing
        ),
        command: known.command(behind),
    };
    let all: Vec<Mend> = known.touched.behind.iter().map(mend).collect();
    mends(&all)
}

/// What differs, in words, with the lines around it; two long texts are not compared.
fn words(old: &str, new: &str) -> String {
    if old.len() + new.len() > WORDS_BYTES_MAX {
        return String::new();
    }
    let mut out = String::from("<div class=\"words\">");
    let lines = TextDiff::from_lines(old, new);
    for (at, group) in lines.grouped_ops(CONTEXT_LINES).into_iter().enumerate() {
        if at > 0 {
            out.push_str("<i>…</i>\n");
        }
        for op in group {
            let before = lines.old_slices()[op.old_range()].concat();
            let after = lines.new_slices()[op.new_range()].concat();
            let words = TextDiff::from_words(&before, &after);
            let changes: Vec<_> = words.iter_all_changes().collect();
            for run in changes.chunk_by(|one, other| one.tag() == other.tag()) {
                let text: String = run.iter().map(similar::Change::value).collect();
                let text = escaped(&text);
                let _ = match run[0].tag() {
                    ChangeTag::Equal => write!(out, "{text}"),
                    ChangeTag::Delete => write!(out, "<del>{text}</del>"),
                    ChangeTag::Insert => write!(out, "<ins>{text}</ins>"),
                };
            }
        }
    }
    out.push_str("</div>\n");
    out
}
