//! The report of a turn, `report.md`: a factual log of what happened, for people.
//!
//! Everything in it comes from the turn's record and the digests of its files; nothing is judged, and no file of the
//! work tree is repeated.

use std::fmt::Write as _;

use super::folder::response_file;
use super::name::{SessionName, TurnNumber};
use super::record::{Charged, TurnRecord, usd};
use crate::base::count::counted;
use crate::base::hash;
use crate::context::markdown;

/// A file of the turn and its digest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// Its name within the turn.
    pub name: String,
    /// SHA-256 as hex digits.
    pub sha256: String,
}

impl Written {
    /// Of a file's bytes.
    #[must_use]
    pub fn new(name: &str, bytes: &[u8]) -> Self {
        Self {
            name: name.to_owned(),
            sha256: hash::sha256_hex(bytes),
        }
    }
}

/// Renders the report of a turn.
#[must_use]
pub fn render(
    session: &SessionName,
    number: TurnNumber,
    turn: &TurnRecord,
    files: &[Written],
) -> String {
    let mut out = String::new();
    let phase = turn.phase.as_str();
    let _ = writeln!(out, "# Turn {number}: {phase}\n");
    let _ = writeln!(out, "- **Session:** {session}");
    let _ = writeln!(out, "- **Status:** {}", turn.status().as_str());
    let _ = writeln!(out, "- **Phase:** {phase}, iteration {}", turn.iteration);
    if let Some(closed) = &turn.closed {
        let _ = writeln!(out, "- **Decided by:** {}", text(&closed.by));
        let _ = writeln!(
            out,
            "- **Judged:** {} with SHA-256 `{}`",
            response_file(turn.phase),
            closed.response_sha256
        );
    }
    let _ = writeln!(out, "\n## Request\n\n{}", fenced(&turn.request));
    write_answer(&mut out, turn);
    if let Some((usage, cost)) = turn
        .closed
        .as_ref()
        .and_then(|closed| Some((closed.usage?, closed.cost_usd)))
    {
        let cost = cost.map_or("unknown".to_owned(), usd);
        let _ = writeln!(
            out,
            "- **Deciding took:** {} tokens in, {} out, cost {cost}\n",
            usage.input, usage.output
        );
    }
    if let Some(closed) = turn
        .closed
        .as_ref()
        .filter(|closed| !closed.feedback.is_empty())
    {
        let _ = writeln!(out, "## Feedback\n\n{}", fenced(&closed.feedback));
    }
    if !turn.notes.is_empty() || !turn.clamps.is_empty() {
        let _ = writeln!(out, "## Notes\n");
        for note in turn.notes.iter().chain(&turn.clamps) {
            let _ = writeln!(out, "- {}", note.replace(['\n', '\r'], " "));
        }
        out.push('\n');
    }
    let _ = writeln!(out, "## Files\n");
    for Written { name, sha256 } in files {
        let _ = writeln!(out, "- `{name}` SHA-256 `{sha256}`");
    }
    out
}

fn write_answer(out: &mut String, turn: &TurnRecord) {
    let _ = writeln!(out, "## Answer\n");
    let _ = writeln!(
        out,
        "- **Prompt:** about {} tokens (an estimate)",
        turn.prompt_tokens_estimated
    );
    let Some(answered) = &turn.answered else {
        let _ = writeln!(out, "- none\n");
        return;
    };
    let _ = writeln!(out, "- **Provider:** {}", text(&answered.provider));
    if let Some(model) = &answered.model {
        let _ = writeln!(out, "- **Model:** {}", text(model));
    }
    match answered.usage {
        Some(usage) => {
            let _ = writeln!(
                out,
                "- **Tokens:** {} in, {} out",
                usage.input, usage.output
            );
            let _ = writeln!(
                out,
                "- **Cache:** {} read, {} written",
                usage.cache_read, usage.cache_write
            );
        }
        None => out.push_str("- **Tokens:** not told by the provider\n"),
    }
    match answered.cost_usd {
        Some(cost) => {
            let _ = writeln!(out, "- **Cost:** {}", usd(cost));
        }
        None => out.push_str("- **Cost:** unknown\n"),
    }
    if let Some(seconds) = answered.seconds {
        let _ = writeln!(out, "- **Took:** {seconds:.1} s");
    }
    if turn.charged.calls > 0 {
        let Charged {
            calls,
            tokens,
            cost_usd,
        } = turn.charged;
        let cost = cost_usd.map_or("cost unknown".to_owned(), usd);
        let _ = writeln!(
            out,
            "- **Charged:** {}, {}, {cost} (what was not told counts in full)",
            counted(calls, "call", "calls"),
            counted(tokens, "token", "tokens")
        );
    }
    out.push('\n');
}

/// Text on one line, as Markdown that says just that.
fn text(text: &str) -> String {
    markdown::text(text.as_bytes())
}

fn fenced(text: &str) -> String {
    let mut out = Vec::new();
    markdown::push_fenced(&mut out, "", text.as_bytes());
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chat::Usage;
    use crate::profile::Phase;
    use crate::session::flow::tests::turn;

    #[test]
    fn a_report_says_what_happened() {
        let mut turn = turn(Phase::Planning, 1, Some(false));
        turn.prompt_tokens_estimated = 1200;
        turn.notes = vec!["'a.bin' is not included: binary".to_owned()];
        turn.clamps = vec!["temperature is dropped".to_owned()];
        turn.charged = Charged {
            calls: 2,
            tokens: 1500,
            cost_usd: Some(0.1 + 0.2),
        };
        let answered = turn.answered.as_mut().expect("answered");
        answered.usage = Some(Usage {
            input: 1100,
            output: 40,
            cache_read: 1000,
            cache_write: 100,
            reasoning: 0,
        });
        answered.model = Some("m_1".to_owned());
        answered.cost_usd = Some(0.0125);
        answered.seconds = Some(2.04);
        let report = render(
            &"login".parse().expect("a name"),
            TurnNumber::FIRST,
            &turn,
            &[Written::new("input.md", b"x")],
        );
        insta::assert_snapshot!(report, @"
        # Turn 01: planning

        - **Session:** login
        - **Status:** rejected
        - **Phase:** planning, iteration 1
        - **Decided by:** person
        - **Judged:** planning-response.md with SHA-256 ``

        ## Request

        ````
        Add a lock.
        ````

        ## Answer

        - **Prompt:** about 1200 tokens (an estimate)
        - **Provider:** human
        - **Model:** m_1
        - **Tokens:** 1100 in, 40 out
        - **Cache:** 1000 read, 100 written
        - **Cost:** 0.0125 USD
        - **Took:** 2.0 s
        - **Charged:** 2 calls, 1500 tokens, 0.3 USD (what was not told counts in full)

        ## Feedback

        ````
        Shorter.
        ````

        ## Notes

        - 'a.bin' is not included: binary
        - temperature is dropped

        ## Files

        - `input.md` SHA-256 `2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881`
        ");
    }
}
