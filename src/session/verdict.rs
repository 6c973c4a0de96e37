//! The verdict of a review, read from a few lines of its answer.
//!
//! A line `verdict: pass` or `verdict: fail`, in any case and with any Markdown emphasis around it, and after a line
//! `issues:` a list. An answer that says both, or neither, has no verdict: a person decides then.

/// What a review says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// The work is accepted as it is.
    pub is_pass: bool,
    /// What is wrong with it, one entry for each item of the list.
    pub issues: Vec<String>,
}

impl Verdict {
    /// Finds the verdict of an answer; `None` when there is none, or not just one.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        let said: Vec<(usize, bool)> = lines
            .iter()
            .enumerate()
            .filter_map(|(at, line)| Some((at, word(line)?)))
            .collect();
        let &(last, is_pass) = said.last()?;
        if said.iter().any(|(_, other)| *other != is_pass) {
            return None;
        }
        let begin = lines[last..]
            .iter()
            .position(|line| key(line, "issues").is_some())
            .map(|at| last + at);
        Some(Self {
            is_pass,
            issues: begin.map(|at| issues(&lines[at..])).unwrap_or_default(),
        })
    }

    /// The issues as a list; where the work is refused without a list, the whole answer.
    #[must_use]
    pub fn feedback(&self, answer: &str) -> String {
        if !self.is_pass && self.issues.is_empty() {
            return answer.to_owned();
        }
        let items: Vec<String> = self
            .issues
            .iter()
            .map(|issue| format!("- {issue}"))
            .collect();
        items.join("\n")
    }
}

/// The word behind `verdict:`, when the line says that and nothing else.
fn word(line: &str) -> Option<bool> {
    let word = key(line, "verdict")?.trim_matches(|c: char| !c.is_ascii_alphabetic());
    match word.to_ascii_lowercase().as_str() {
        "pass" => Some(true),
        "fail" => Some(false),
        _ => None,
    }
}

/// What follows `<name>:` on a line, Markdown marks around the name left aside.
fn key<'l>(line: &'l str, name: &str) -> Option<&'l str> {
    let (before, after) = line.split_once(':')?;
    before
        .trim_matches(['*', '_', '`', '#', '-', '>', ' '])
        .eq_ignore_ascii_case(name)
        .then_some(after)
}

/// The items of the list below `issues:`; further lines of an item join it.
fn issues(lines: &[&str]) -> Vec<String> {
    let first = key(lines[0], "issues")
        .unwrap_or_default()
        .trim_matches(['*', '_', '`', ' ', '[', ']']);
    let mut issues: Vec<String> = if first.is_empty() {
        Vec::new()
    } else {
        vec![first.to_owned()]
    };
    for line in &lines[1..] {
        if line.starts_with("```") || line.starts_with("~~~") || line.starts_with('#') {
            break;
        }
        match (item(line), issues.last_mut()) {
            (Some(text), _) => issues.push(text.to_owned()),
            (None, _) if line.is_empty() => {}
            (None, Some(last)) => {
                last.push(' ');
                last.push_str(line);
            }
            (None, None) => break,
        }
    }
    issues.retain(|issue| !issue.eq_ignore_ascii_case("none") && !issue.is_empty());
    issues
}

/// The text of a list item: `- x`, `* x`, `1. x`.
fn item(line: &str) -> Option<&str> {
    let numbered = || {
        let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
        (rest.len() < line.len())
            .then(|| rest.strip_prefix(". ").or_else(|| rest.strip_prefix(") ")))
            .flatten()
    };
    line.strip_prefix("- ")
        .or_else(|| line.strip_prefix("* "))
        .or_else(numbered)
        .map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Option<(bool, Vec<String>)> {
        Verdict::parse(text).map(|verdict| (verdict.is_pass, verdict.issues))
    }

    #[test]
    fn a_verdict_is_one_word() {
        for text in [
            "verdict: pass",
            "Well done.\n\n```verdict\nverdict: pass\nissues: none\n```\n",
            "**Verdict:** PASS\n",
            "## Verdict: pass.\n",
            "verdict: pass\n\n…\n\nverdict: pass\n",
            "- verdict: `pass`",
            "verdict: pass\nissues: []",
            "\u{feff}verdict: pass\r\n",
        ] {
            assert_eq!(parsed(text), Some((true, Vec::new())), "{text}");
        }
        for text in [
            "",
            "pass",
            "The verdict: pass or fail?",
            "verdict: pass|fail",
            "verdict: maybe",
            "verdict:\npass",
            "verdict: fail\nverdict: pass",
            "a verdict: pass was not earned",
        ] {
            assert_eq!(parsed(text), None, "{text}");
        }
    }

    #[test]
    fn issues_are_the_items_below() {
        let text = "Some words.\n- not an issue\n\n```\nverdict: fail\nissues:\n- the lock is\n  never freed\n* no test\n\n2. name\n```\n- nor this";
        let issues = ["the lock is never freed", "no test", "name"]
            .map(str::to_owned)
            .to_vec();
        assert_eq!(parsed(text), Some((false, issues)));
        assert_eq!(
            parsed("verdict: fail\nissues: it does nothing"),
            Some((false, vec!["it does nothing".to_owned()]))
        );
        assert_eq!(parsed("verdict: fail"), Some((false, Vec::new())));
        assert_eq!(
            parsed("issues:\n- before\nverdict: fail"),
            Some((false, Vec::new()))
        );
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read(text in "(verdict: (pass|fail)|issues:|- [a-z]{1,5}|```|.{0,9}|\n){0,12}") {
            let _ = Verdict::parse(&text);
        }
    }
}
