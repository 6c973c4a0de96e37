//! What is said in a turn: the neutral bundle, from the payload, the request, and what earlier turns have accepted.
//!
//! The parts that change least come first: system prompt, standards, payload. What was accepted is quoted in fences that
//! it cannot close. Which phase sees what:
//!
//! | phase | sees besides the payload |
//! |---|---|
//! | planning | the request |
//! | generating | the request, the accepted plan |
//! | reviewing | the request, the accepted plan, the work |
//! | revising | the request, the accepted plan, the work, the issues of its review |

use crate::chat::Message;
use crate::context::markdown::push_fenced;
use crate::profile::Phase;
use crate::prompt::Bundle;

/// Everything that a turn's words are made of.
#[derive(Debug, Clone, Default)]
pub struct Material<'m> {
    /// Who the model is asked to be.
    pub system_prompt: &'m str,
    /// The standards of the profile; empty for none.
    pub standards: &'m str,
    /// The document `input.md`.
    pub payload: &'m str,
    /// What is wanted.
    pub request: &'m str,
    /// The plan that was accepted.
    pub plan: Option<&'m str>,
    /// The work that was accepted last, or is to be judged.
    pub work: Option<&'m str>,
    /// What the last review said of it.
    pub issues: Option<&'m str>,
    /// Turns of this phase that were rejected, as they were said, with what was wrong with the last.
    pub rejected: Option<(Vec<Message>, &'m str)>,
}

/// Puts the words of a turn together.
#[must_use]
pub fn bundle(phase: Phase, material: Material<'_>) -> Bundle {
    let Material { system_prompt, standards, payload, request, plan, work, issues, rejected } = material;
    let mut system = vec![system_prompt.trim_end().to_owned()];
    if !standards.is_empty() {
        system.push(format!("# Standards\n\n{}", standards.trim_end()));
    }
    system.push(payload.trim_end().to_owned());
    let mut parts = vec![task(phase).to_owned(), format!("### Request\n\n{}", request.trim_end())];
    let quoted = [
        ("The plan that was accepted", plan.filter(|_| phase != Phase::Planning)),
        ("The work", work.filter(|_| matches!(phase, Phase::Reviewing | Phase::Revising))),
        ("What a review found", issues.filter(|_| phase == Phase::Revising)),
    ];
    parts.extend(quoted.into_iter().filter_map(|(title, text)| Some(format!("### {title}\n\n{}", fenced(text?)))));
    let (history, feedback) = rejected.unwrap_or_default();
    if !feedback.is_empty() {
        parts.push(format!("### Why the last answer was not accepted\n\n{}\n\nAnswer again in full.", feedback.trim_end()));
    }
    system.retain(|part| !part.is_empty());
    Bundle {
        system_context: system.join("\n\n"),
        request: parts.join("\n\n"),
        output_instructions: output(phase).to_owned(),
        history,
        ..Bundle::default()
    }
}

/// A bundle of text that somebody else put together: it is the whole request.
#[must_use]
pub fn text_only(text: &str) -> Bundle {
    Bundle { request: text.to_owned(), ..Bundle::default() }
}

/// Who decides whether an answer is good enough, when that is a model.
#[must_use]
pub fn approval(material: &Material<'_>, answer: &str) -> Bundle {
    Bundle {
        system_context: [material.standards, material.payload].map(str::trim_end).join("\n\n").trim_start().to_owned(),
        request: format!(
            "Decide whether this answer does what was requested, completely and correctly.\n\n### Request\n\n{}\n\n### The answer\n\n{}",
            material.request.trim_end(),
            fenced(answer)
        ),
        output_instructions: VERDICT.to_owned(),
        ..Bundle::default()
    }
}

fn task(phase: Phase) -> &'static str {
    match phase {
        Phase::Planning => "Make a plan for the request below. Do not carry it out yet.",
        Phase::Generating => "Carry out the request below.",
        Phase::Reviewing => "Review the work below: does it do what was requested, completely and correctly?",
        Phase::Revising => "Revise the work below so that everything that the review found is put right.",
    }
}

/// The form of a verdict; [`Verdict`](super::Verdict) reads it.
const VERDICT: &str = "End with this block, with one of the two words, and one item for each thing that is wrong:\n\n\
```verdict\nverdict: pass|fail\nissues:\n- …\n```";

fn output(phase: Phase) -> &'static str {
    match phase {
        Phase::Planning => {
            "Answer in Markdown: what will be changed and why, file by file, in the order in which it should be done; what \
             could go wrong; and how to tell that it works."
        }
        Phase::Generating | Phase::Revising => {
            "Give every changed file in the form that was described, and then, in a few lines, what was done."
        }
        Phase::Reviewing => VERDICT,
    }
}

fn fenced(text: &str) -> String {
    let mut out = Vec::new();
    push_fenced(&mut out, "markdown", text.as_bytes());
    String::from_utf8(out).expect("text in a fence is text").trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chat::Role;
    use crate::session::Verdict;

    fn material() -> Material<'static> {
        Material {
            system_prompt: "SYSTEM\n",
            standards: "STANDARDS\n",
            payload: "PAYLOAD\n",
            request: "REQUEST",
            plan: Some("PLAN\n````\nfenced\n````"),
            work: Some("WORK"),
            issues: Some("ISSUES"),
            rejected: None,
        }
    }

    #[test]
    fn each_phase_sees_its_part() {
        let seen = |phase| {
            let Bundle { system_context, request, .. } = bundle(phase, material());
            assert_eq!(system_context, "SYSTEM\n\n# Standards\n\nSTANDARDS\n\nPAYLOAD", "the same in every phase");
            ["REQUEST", "PLAN", "WORK", "ISSUES"].map(|word| request.contains(word))
        };
        assert_eq!(seen(Phase::Planning), [true, false, false, false]);
        assert_eq!(seen(Phase::Generating), [true, true, false, false]);
        assert_eq!(seen(Phase::Reviewing), [true, true, true, false]);
        assert_eq!(seen(Phase::Revising), [true, true, true, true]);
    }

    #[test]
    fn what_is_quoted_cannot_end_its_fence() {
        let request = bundle(Phase::Generating, material()).request;
        assert!(request.ends_with("`````markdown\nPLAN\n````\nfenced\n````\n`````"), "{request}");
    }

    #[test]
    fn a_rejected_answer_is_said_again_with_what_was_wrong() {
        let history = vec![Message::new(Role::User, "q"), Message::new(Role::Assistant, "a")];
        let said = bundle(Phase::Planning, Material { rejected: Some((history.clone(), "Shorter.")), ..material() });
        assert_eq!(said.history, history);
        assert!(said.request.ends_with("not accepted\n\nShorter.\n\nAnswer again in full."), "{}", said.request);
    }

    #[test]
    fn the_form_of_a_verdict_is_none() {
        assert_eq!(Verdict::parse(VERDICT), None, "a model that repeats what it was told has decided nothing");
        assert!(bundle(Phase::Reviewing, material()).output_instructions.contains("verdict: pass|fail"));
        assert_eq!(text_only("x").request, "x");
        assert!(approval(&material(), "ANSWER").request.contains("ANSWER"));
    }
}
