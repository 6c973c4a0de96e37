//! What is known of what a branch touches, in lines: statements, notes, what is not fresh, and who said it.

use std::collections::BTreeMap;

use super::foreign::ForeignStore;
use crate::base::Cost;
use crate::base::count::counted;
use crate::cli::frames::signatures;
use crate::cli::range::HEAD;
use crate::cli::shell::shell_word;
use crate::cli::words::{write_lines, write_words};
use crate::cli::{CliError, Style, Ui};
use crate::frame::{Frame, Slot, Store};
use crate::ops::touched::{Behind, Touched};
use crate::review::Tone;
use crate::sync::Signature;
use crate::workspace::Workspace;

/// What is known, with what signatures say and the commands that mend it.
pub(super) struct Known<'k> {
    pub(super) touched: &'k Touched,
    /// Of each statement, then of each note.
    pub(super) signatures: Vec<Option<Signature>>,
    /// What forks say.
    pub(super) foreign: Vec<ForeignStore>,
    /// The revision that is looked at, as an option of a command.
    revision: String,
}

impl<'k> Known<'k> {
    pub(super) fn of(
        ui: &Ui,
        workspace: &Workspace,
        store: &Store<'_>,
        touched: &'k Touched,
        revision: &str,
    ) -> Self {
        let statements = touched.statements.iter().map(|one| &one.new);
        let notes = touched.carried.iter().map(|(_, one)| &one.frame);
        let frames: Vec<&Frame> = statements.chain(notes).collect();
        Self {
            touched,
            signatures: signatures(ui, workspace, store, &frames),
            foreign: Vec::new(),
            revision: if revision == HEAD {
                String::new()
            } else {
                format!(" --rev {}", shell_word(revision))
            },
        }
    }

    pub(super) fn stale(&self) -> u64 {
        self.touched.behind.iter().map(|behind| behind.stale).sum()
    }

    pub(super) fn missing(&self) -> u64 {
        self.touched
            .behind
            .iter()
            .map(|behind| behind.missing)
            .sum()
    }

    /// What joins the verdict where there is any.
    pub(super) fn verdict(&self) -> Option<(Tone, String)> {
        let any =
            |count: u64, one: &str, many: &str| (count > 0).then(|| counted(count, one, many));
        let parts = [
            any(
                self.stale(),
                "statement is outdated",
                "statements are outdated",
            ),
            any(self.missing(), "is missing", "are missing"),
            any(
                self.touched.carried.len() as u64,
                "note to affirm",
                "notes to affirm",
            ),
            any(
                self.foreign
                    .iter()
                    .map(|one| one.statements.len() as u64)
                    .sum(),
                "foreign statement",
                "foreign statements",
            ),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        (!parts.is_empty()).then(|| (Tone::Name, format!(" · {}", parts.join(", "))))
    }

    /// The command that brings an agent up to date.
    pub(super) fn command(&self, behind: &Behind) -> String {
        let only = if behind.missing == 0 {
            " --outdated"
        } else {
            ""
        };
        format!(
            "git merkle regenerate --agent {}{only}{}",
            behind.slot.agent, self.revision
        )
    }
}

/// Prints it; nothing where nothing is known.
pub(super) fn write_known(ui: &mut Ui, known: &Known<'_>) -> Result<(), CliError> {
    for one in &known.touched.statements {
        let path = ui.path_text(one.path.shown());
        let is_outdated = one.reason.map_or("", |_| " (outdated)");
        let title = format!(
            "{path} {}/{}{is_outdated}",
            one.new.agent, one.new.frame_type
        );
        let title = ui.styled(Style::Heading, &title);
        writeln!(ui, "\nsaid {title}")?;
        match &one.old {
            Some(old) => write_words(ui, old, &one.new.content)?,
            None => write_lines(ui, "+", Style::Good, &one.new.content)?,
        }
    }
    if !known.touched.statements.is_empty() || !known.touched.carried.is_empty() {
        writeln!(ui)?;
    }
    for (path, one) in &known.touched.carried {
        let (path, author) = (
            ui.path_text(path.shown()),
            one.frame.author().unwrap_or_default(),
        );
        let title = format!("note {path} {}", one.age());
        let title = ui.styled(Style::Caution, &title);
        let author = ui.styled(Style::Dim, &author);
        writeln!(ui, "{title} {author}")?;
        write_lines(ui, "  ", Style::Plain, &one.frame.content)?;
    }
    if !known.touched.carried.is_empty() {
        writeln!(
            ui,
            "\"git merkle affirm <path>\" says that one still holds, \"git merkle retract <path>\" ends your own"
        )?;
    }
    for behind in &known.touched.behind {
        let counts = [(behind.stale, "outdated"), (behind.missing, "missing")];
        let counts = counts.into_iter().filter(|(count, _)| *count > 0);
        let counts: Vec<String> = counts
            .map(|(count, word)| format!("{count} {word}"))
            .collect();
        let Slot { agent, frame_type } = &behind.slot;
        let text = format!("not fresh: {agent}/{frame_type} {}", counts.join(", "));
        let text = ui.styled(Style::Caution, &text);
        writeln!(ui, "{text} (use \"{}\")", known.command(behind))?;
    }
    for one in &known.foreign {
        one.write(ui)?;
    }
    write_provenance(ui, known)
}

fn write_provenance(ui: &mut Ui, known: &Known<'_>) -> Result<(), CliError> {
    for text in provenance(known) {
        let text = ui.styled(Style::Dim, &text);
        writeln!(ui, "{text}")?;
    }
    Ok(())
}

/// Which models said what is new, what that cost, and what signatures say of it.
pub(super) fn provenance(known: &Known<'_>) -> Vec<String> {
    let mut by_model: BTreeMap<String, (u64, u64, BTreeMap<&str, u64>)> = BTreeMap::new();
    for (one, signature) in known.touched.statements.iter().zip(&known.signatures) {
        let frame = &one.new;
        let model = frame.model.as_deref().or(frame.provider.as_deref());
        let who = format!("{} by {}", frame.agent, model.unwrap_or("no model"));
        let (count, cost, states) = by_model.entry(who).or_default();
        *count += 1;
        *cost += frame.cost.map_or(0, |cost| cost.0);
        if let Some(signature) = signature {
            *states.entry(signature.word()).or_default() += 1;
        }
    }
    let line = |(who, (count, cost, states)): (String, (u64, u64, BTreeMap<&str, u64>))| {
        let statements = counted(count, "statement", "statements");
        let cost = if cost > 0 {
            format!(", {} USD", Cost(cost))
        } else {
            String::new()
        };
        let states = states
            .iter()
            .map(|(word, count)| format!(", {count} {word}"));
        let states: String = states.collect();
        format!("{statements} of {who}{cost}{states}")
    };
    by_model.into_iter().map(line).collect()
}
