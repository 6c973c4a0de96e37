//! The task of a turn, in words: the task of its phase, the request, and what was accepted or found before.
//!
//! What was accepted is quoted in fences that it cannot close. Which phase sees what:
//!
//! | phase | sees besides the request |
//! |---|---|
//! | planning | – |
//! | generating | the accepted plan |
//! | reviewing | the accepted plan, the work |
//! | revising | the accepted plan, the work, the issues of its review |

use crate::context::markdown::push_fenced;
use crate::profile::Phase;

/// The task of one turn; of a request without a session only the request.
#[derive(Debug, Clone, Default)]
pub struct Task {
    /// The phase; `None` for a request without a session.
    pub phase: Option<Phase>,
    /// What is wanted.
    pub request: String,
    /// The kind of work and its layers, in words.
    pub scope: Option<String>,
    /// The plan that was accepted.
    pub plan: Option<String>,
    /// The work that was accepted last, or is to be judged.
    pub work: Option<String>,
    /// What the last review said of it.
    pub issues: Option<String>,
    /// What was wrong with the last answer.
    pub feedback: String,
    /// An answer to this task that a model is to decide about.
    pub answer: Option<String>,
    /// What `find` chose for the request; empty where nothing was looked for.
    pub found: String,
}

impl Task {
    /// What stands behind the working files: the scope, and what was accepted or found so far.
    #[must_use]
    pub fn accepted(&self) -> String {
        let quoted = [
            ("The plan that was accepted", &self.plan),
            ("The work", &self.work),
            ("What a review found", &self.issues),
        ];
        let scope = self
            .scope
            .iter()
            .map(|scope| format!("### Scope\n\n{scope}"));
        let quoted = quoted.into_iter().filter_map(|(title, text)| {
            Some(format!(
                "### {title}\n\n{}",
                fenced("markdown", text.as_ref()?)
            ))
        });
        scope.chain(quoted).collect::<Vec<_>>().join("\n\n")
    }

    /// True for a phase that has yet to learn where in the repository its work is.
    #[must_use]
    pub fn is_searching(&self) -> bool {
        let is_new = matches!(self.phase, Some(Phase::Planning | Phase::Generating));
        is_new && self.answer.is_none()
    }

    /// What was found for the request, under the words that say how; empty where nothing was.
    #[must_use]
    pub fn found(&self) -> String {
        if self.found.is_empty() {
            return String::new();
        }
        format!("{FOUND}\n\n{}", fenced("", &self.found))
    }

    /// The last message: the task, the request, and why the last answer was not good enough.
    #[must_use]
    pub fn asked(&self) -> String {
        let request = self.request.trim_end();
        let Some(phase) = self.phase else {
            return self.request.clone();
        };
        if let Some(answer) = &self.answer {
            let decide =
                "Decide whether this answer does what was requested, completely and correctly.";
            return format!(
                "{decide}\n\n### Request\n\n{request}\n\n### The answer\n\n{}",
                fenced("markdown", answer)
            );
        }
        let mut parts = vec![task(phase).to_owned(), format!("### Request\n\n{request}")];
        if !self.feedback.is_empty() {
            let feedback = self.feedback.trim_end();
            parts.push(format!(
                "### Why the last answer was not accepted\n\n{feedback}\n\nAnswer again in full."
            ));
        }
        parts.join("\n\n")
    }

    /// The form of the answer; empty for a request without a session.
    #[must_use]
    pub fn output_instructions(&self) -> &'static str {
        match self.phase {
            _ if self.answer.is_some() => VERDICT,
            Some(phase) => output(phase),
            None => "",
        }
    }

    /// The last message to a model.
    #[must_use]
    pub fn last_words(&self) -> String {
        match self.output_instructions() {
            "" => self.asked(),
            output => format!("{}\n\n{output}", self.asked()),
        }
    }
}

fn task(phase: Phase) -> &'static str {
    match phase {
        Phase::Planning => "Make a plan for the request below. Do not carry it out yet.",
        Phase::Generating => "Carry out the request below.",
        Phase::Reviewing => {
            "Review the work: does it do what was requested below, completely and correctly?"
        }
        Phase::Revising => "Revise the work so that everything that the review found is put right.",
    }
}

/// What stands above what was found.
const FOUND: &str = "\
These files and definitions have most of the request's words, in their text or in the messages of commits that changed them,
the best first, each definition with its lines. It is a place to start: what matters may also stand elsewhere.";

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

fn fenced(language: &str, text: &str) -> String {
    let mut out = Vec::new();
    push_fenced(&mut out, language, text.as_bytes());
    String::from_utf8(out)
        .expect("text in a fence is text")
        .trim_end()
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::Verdict;

    fn task() -> Task {
        Task {
            phase: Some(Phase::Generating),
            request: "REQUEST\n".to_owned(),
            plan: Some("PLAN\n````\nfenced\n````".to_owned()),
            feedback: "Shorter.".to_owned(),
            ..Task::default()
        }
    }

    #[test]
    fn what_is_quoted_cannot_end_its_fence() {
        assert!(
            task()
                .accepted()
                .ends_with("`````markdown\nPLAN\n````\nfenced\n````\n`````"),
            "{}",
            task().accepted()
        );
    }

    #[test]
    fn a_request_without_a_session_is_the_whole_task() {
        let task = Task {
            phase: None,
            feedback: String::new(),
            ..task()
        };
        assert_eq!(task.last_words(), "REQUEST\n");
    }

    #[test]
    fn the_form_of_a_verdict_is_none() {
        assert_eq!(
            Verdict::parse(VERDICT),
            None,
            "a model that repeats what it was told has decided nothing"
        );
        let review = Task {
            phase: Some(Phase::Reviewing),
            ..task()
        };
        assert!(review.output_instructions().contains("verdict: pass|fail"));
        let decision = Task {
            answer: Some("ANSWER".to_owned()),
            ..task()
        };
        assert!(decision.asked().contains("ANSWER") && decision.last_words().ends_with(VERDICT));
        assert!(
            task()
                .asked()
                .ends_with("not accepted\n\nShorter.\n\nAnswer again in full.")
        );
    }
}
