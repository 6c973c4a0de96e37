//! The history of a session, `history.jsonl`: who said what in which turn, appended and never changed.
//!
//! A line is an object with `id`, `role`, `content` and `turn`; ids are told by turn and speaker, so writing a turn
//! twice adds nothing. Once the part that is not summed up passes a limit, a summary of the oldest part is appended;
//! readers who want less take the summary for what it names, and the record stays whole. A model may write a better one
//! ([`super::summary`]), which sums up the first.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::name::TurnNumber;
use super::record::TurnRecord;
use crate::base::token;

/// Tokens, by estimate, that are kept word for word before the oldest are summed up.
pub const TOKENS_MAX: u64 = 32_000;
/// Of each entry that is summed up, the most characters that are kept.
const SUMMED_CHARS_MAX: usize = 400;
/// What the id of a model's summary has behind that of the one it replaces.
const SUMMARIZED: &str = "by-model";

/// One line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HistoryEntry {
    /// Names the entry within the session: `<turn>-request`, `-response`, `-feedback`, `-summary` or `-summary-by-model`.
    pub id: String,
    /// `user` or `assistant`; a summary is a user's.
    pub role: String,
    /// What was said.
    pub content: String,
    /// The turn.
    pub turn: String,
    /// The entries that this one sums up; empty for what was really said.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sums_up: Vec<String>,
    /// The provider that wrote a summary; `None` for one that a rule made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

/// The history as it was read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct History {
    /// Every entry, oldest first.
    pub entries: Vec<HistoryEntry>,
    /// Lines that cannot be read, by number from 1: the end of one that a kill cut off, or damage.
    pub damaged: Vec<usize>,
}

impl History {
    /// Reads the bytes of the file.
    #[must_use]
    pub fn decode(text: &str) -> Self {
        let mut history = Self::default();
        for (at, line) in text
            .lines()
            .enumerate()
            .filter(|(_, line)| !line.trim().is_empty())
        {
            match serde_json::from_str::<HistoryEntry>(line) {
                Ok(entry) if history.has(&entry.id) => {}
                Ok(entry) => history.entries.push(entry),
                Err(_) => history.damaged.push(at + 1),
            }
        }
        history
    }

    fn has(&self, id: &str) -> bool {
        self.entries.iter().any(|entry| entry.id == id)
    }

    /// The lines to append for entries that are not there yet, and for a summary once there is too much.
    #[must_use]
    pub fn lines_for(&self, said: Vec<HistoryEntry>, tokens_max: u64) -> String {
        let mut grown = self.clone();
        let mut lines = String::new();
        for entry in said.into_iter().filter(|entry| !self.has(&entry.id)) {
            lines.push_str(&line(&entry));
            grown.entries.push(entry);
        }
        if let Some(summary) = grown.summary(tokens_max).filter(|_| !lines.is_empty()) {
            lines.push_str(&line(&summary));
        }
        lines
    }

    /// What a reader with little room takes: summaries in the place of what they sum up, which stands in front.
    #[must_use]
    pub fn view(&self) -> Vec<&HistoryEntry> {
        let summed: Vec<&String> = self
            .entries
            .iter()
            .flat_map(|entry| &entry.sums_up)
            .collect();
        let kept = self
            .entries
            .iter()
            .filter(|entry| !summed.contains(&&entry.id));
        let (summaries, rest): (Vec<_>, Vec<_>) = kept.partition(|entry| !entry.sums_up.is_empty());
        summaries.into_iter().chain(rest).collect()
    }

    /// A summary of the oldest half of what is in view; `None` while that fits.
    fn summary(&self, tokens_max: u64) -> Option<HistoryEntry> {
        let view = self.view();
        let tokens = |entry: &&HistoryEntry| token::estimate(&entry.content);
        let all: u64 = view.iter().map(tokens).sum();
        if all <= tokens_max || view.len() < 3 {
            return None;
        }
        let (mut old, mut left) = (Vec::new(), all);
        // What was said last stays as it was said.
        for entry in &view[..view.len() - 2] {
            if left <= tokens_max / 2 {
                break;
            }
            left -= tokens(entry);
            old.push(*entry);
        }
        let last = old.last()?;
        let content = old
            .iter()
            .map(|entry| summed(entry))
            .collect::<Vec<_>>()
            .join("\n");
        Some(HistoryEntry {
            id: format!("{}-summary", last.turn),
            role: "user".to_owned(),
            content,
            turn: last.turn.clone(),
            sums_up: old.iter().map(|entry| entry.id.clone()).collect(),
            by: None,
        })
        .filter(|entry| !self.has(&entry.id))
    }

    /// The summary in view that a rule made, and what it stands for in full; an earlier one by a model stands for its own part.
    #[must_use]
    pub fn due(&self) -> Option<(&HistoryEntry, Vec<&HistoryEntry>)> {
        let summary = self
            .view()
            .into_iter()
            .rfind(|entry| !entry.sums_up.is_empty() && entry.by.is_none())?;
        let is_whole = |entry: &HistoryEntry| entry.sums_up.is_empty() || entry.by.is_some();
        let mut unread: BTreeMap<&str, &HistoryEntry> = self
            .entries
            .iter()
            .map(|entry| (entry.id.as_str(), entry))
            .collect();
        let (mut entries, mut pending) = (Vec::new(), vec![summary]);
        while let Some(entry) = pending.pop() {
            if is_whole(entry) {
                entries.push(entry);
            } else {
                // Each is read once: a file that was edited may name in a circle.
                pending.extend(
                    entry
                        .sums_up
                        .iter()
                        .rev()
                        .filter_map(|id| unread.remove(id.as_str())),
                );
            }
        }
        Some((summary, entries))
    }

    /// The line to append for a summary by a model, in the place of the one with this id.
    #[must_use]
    pub fn line_of_summary(&self, id: &str, text: &str, by: &str) -> String {
        let turn = self
            .entries
            .iter()
            .find(|entry| entry.id == id)
            .map(|entry| entry.turn.clone())
            .unwrap_or_default();
        line(&HistoryEntry {
            id: format!("{id}-{SUMMARIZED}"),
            role: "user".to_owned(),
            content: format!("Summary of what was said before:\n\n{text}"),
            turn,
            sums_up: vec![id.to_owned()],
            by: Some(by.to_owned()),
        })
    }

    /// The entries that hold a text, in any case.
    #[must_use]
    pub fn search(&self, text: &str) -> Vec<&HistoryEntry> {
        let wanted = text.to_lowercase();
        self.entries
            .iter()
            .filter(|entry| entry.content.to_lowercase().contains(&wanted))
            .collect()
    }
}

/// What a turn has said so far.
#[must_use]
pub fn said(number: TurnNumber, turn: &TurnRecord, response: Option<&str>) -> Vec<HistoryEntry> {
    let entry = |what: &str, role: &str, content: &str| HistoryEntry {
        id: format!("{number}-{what}"),
        role: role.to_owned(),
        content: content.to_owned(),
        turn: number.to_string(),
        sums_up: Vec::new(),
        by: None,
    };
    let mut said = vec![entry("request", "user", &turn.request)];
    said.extend(response.map(|response| entry("response", "assistant", response)));
    let feedback = turn
        .closed
        .as_ref()
        .filter(|closed| closed.by != super::record::BY_REVIEW && !closed.feedback.is_empty());
    said.extend(feedback.map(|closed| entry("feedback", "user", &closed.feedback)));
    said
}

/// The start of an entry, on one line; a summary is taken as it is.
fn summed(entry: &HistoryEntry) -> String {
    if !entry.sums_up.is_empty() {
        return entry.content.clone();
    }
    format!(
        "- {} ({}): {}",
        entry.id,
        entry.role,
        beginning(&entry.content)
    )
}

/// The beginning of a text, on one line.
pub(super) fn beginning(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let text = words.join(" ");
    let cut: String = text.chars().take(SUMMED_CHARS_MAX).collect();
    let more = if cut.len() < text.len() { " …" } else { "" };
    format!("{cut}{more}")
}

fn line(entry: &HistoryEntry) -> String {
    serde_json::to_string(entry).expect("text is JSON") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(number: u32, content: &str) -> HistoryEntry {
        let role = if number.is_multiple_of(2) {
            "user"
        } else {
            "assistant"
        };
        HistoryEntry {
            id: format!("{number:02}-x"),
            role: role.to_owned(),
            content: content.to_owned(),
            turn: format!("{number:02}"),
            sums_up: Vec::new(),
            by: None,
        }
    }

    #[test]
    fn what_is_there_is_not_added_again() {
        let entries = vec![entry(1, "one\ntwo"), entry(2, "two")];
        let text = History::default().lines_for(entries.clone(), TOKENS_MAX);
        let history = History::decode(&text);
        assert_eq!((&history.entries, history.damaged.len()), (&entries, 0));
        assert_eq!(history.lines_for(entries, TOKENS_MAX), "");
    }

    #[test]
    fn every_cut_and_every_bad_line_is_survived() {
        let text =
            History::default().lines_for(vec![entry(1, "ä\"\\\n"), entry(2, "b")], TOKENS_MAX);
        for end in (0..text.len()).filter(|end| text.is_char_boundary(*end)) {
            let history = History::decode(&text[..end]);
            assert!(history.entries.len() + history.damaged.len() <= 2);
            let again = format!(
                "{}\n{}",
                &text[..end],
                history.lines_for(vec![entry(1, "ä\"\\\n"), entry(2, "b")], TOKENS_MAX)
            );
            assert_eq!(History::decode(&again).entries.len(), 2, "{again}");
        }
        assert_eq!(History::decode("{}\nnull\n[1]\n").damaged, [1, 2, 3]);
    }

    #[test]
    fn the_search_takes_any_case() {
        let history = History {
            entries: vec![entry(1, "The Lock"), entry(2, "nothing")],
            damaged: Vec::new(),
        };
        assert_eq!(history.search("lock").len(), 1);
        assert_eq!(history.search("Ö").len(), 0);
    }

    proptest::proptest! {
        #[test]
        fn the_record_stays_whole_and_the_view_bounded(sizes in proptest::collection::vec(0..200_usize, 1..40), tokens_max in 20..400_u64) {
            let mut text = String::new();
            for (at, size) in sizes.iter().enumerate() {
                let history = History::decode(&text);
                text.push_str(&history.lines_for(vec![entry(crate::base::number::to_u32(at), &"word ".repeat(*size))], tokens_max));
            }
            let history = History::decode(&text);
            let really: Vec<_> = history.entries.iter().filter(|entry| entry.sums_up.is_empty()).collect();
            proptest::prop_assert_eq!(really.len(), sizes.len());
            let view = history.view();
            // Each entry is in view itself or in exactly one summary that is.
            for entry in &really {
                let summaries = view.iter().filter(|other| other.content.contains(&format!("- {} (", entry.id))).count();
                let itself = view.iter().filter(|other| other.id == entry.id).count();
                proptest::prop_assert_eq!(summaries + itself, 1, "{}", entry.id);
            }
        }
    }
}
