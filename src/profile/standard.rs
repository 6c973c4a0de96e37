//! Standards: files that every model should know, in full or condensed to what fits.

use std::fmt::Write as _;

use crate::base::token;

/// One file of standards that a profile names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standard {
    /// The path as it is named: below the profile's folder, else below the root of the repository.
    pub path: String,
    /// Its text, when it stands in the profile's folder.
    pub text: Option<String>,
}

/// The standards of a profile as text for the system context.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Standards {
    /// All of them, each under its path; empty for none.
    pub text: String,
    /// True when some text was left out to fit.
    pub is_condensed: bool,
    /// Paths that stand nowhere.
    pub missing: Vec<String>,
}

impl Standards {
    /// Puts standards together; `read` gives a file of the repository. More than `budget_tokens`, by estimate, is
    /// condensed: headings with the first paragraph under each, and then as many lines as fit.
    #[must_use]
    pub fn compose(
        standards: &[Standard],
        read: &dyn Fn(&str) -> Option<String>,
        budget_tokens: Option<u64>,
    ) -> Self {
        let mut found = Vec::new();
        let mut missing = Vec::new();
        for standard in standards {
            match standard.text.clone().or_else(|| read(&standard.path)) {
                Some(text) => found.push((standard.path.as_str(), text)),
                None => missing.push(standard.path.clone()),
            }
        }
        let fits = |text: &str| budget_tokens.is_none_or(|budget| token::estimate(text) <= budget);
        let full = under_paths(&found);
        if fits(&full) {
            return Self {
                text: full,
                is_condensed: false,
                missing,
            };
        }
        let condensed: Vec<_> = found
            .iter()
            .map(|(path, text)| (*path, condense(text)))
            .collect();
        let mut text = under_paths(&condensed);
        while !fits(&text) {
            text.truncate(text.trim_end().rfind('\n').map_or(0, |end| end + 1));
        }
        Self {
            text,
            is_condensed: true,
            missing,
        }
    }
}

fn under_paths<T: AsRef<str>>(files: &[(&str, T)]) -> String {
    let mut out = String::new();
    for (path, text) in files {
        let between = if out.is_empty() { "" } else { "\n" };
        let _ = writeln!(out, "{between}### {path}\n\n{}", text.as_ref().trim_end());
    }
    out
}

/// The headings of a Markdown text, each with the first paragraph under it; a text without headings gives its first.
fn condense(text: &str) -> String {
    let mut blocks: Vec<&str> = Vec::new();
    let mut wants_paragraph = true;
    for block in text
        .split("\n\n")
        .map(|block| block.trim_matches('\n'))
        .filter(|block| !block.is_empty())
    {
        let is_heading = block.starts_with('#');
        if is_heading || wants_paragraph {
            blocks.push(block);
            wants_paragraph = is_heading && !block.contains('\n');
        }
    }
    blocks.join("\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn standards_are_full_or_condensed_by_budget() {
        let text = "# Style\n\nShort lines.\n\nLong story.\n\n## Names\n\nOne word.\n\nMore.\n";
        let standards = [
            Standard {
                path: "style.md".to_owned(),
                text: Some(text.to_owned()),
            },
            Standard {
                path: "docs/api.md".to_owned(),
                text: None,
            },
            Standard {
                path: "gone.md".to_owned(),
                text: None,
            },
        ];
        let read = |path: &str| (path == "docs/api.md").then(|| "Be stable.".to_owned());
        let full = Standards::compose(&standards, &read, None);
        assert_eq!(
            full.text,
            format!(
                "### style.md\n\n{}\n\n### docs/api.md\n\nBe stable.\n",
                text.trim_end()
            )
        );
        assert_eq!(
            (full.is_condensed, full.missing.as_slice()),
            (false, &["gone.md".to_owned()][..])
        );
        let short = Standards::compose(&standards, &read, Some(token::estimate(&full.text) - 1));
        assert!(short.is_condensed);
        assert_eq!(
            short.text,
            "### style.md\n\n# Style\n\nShort lines.\n\n## Names\n\nOne word.\n\n### docs/api.md\n\nBe stable.\n"
        );
        for budget in 0..40 {
            let fitted = Standards::compose(&standards, &read, Some(budget));
            assert!(
                token::estimate(&fitted.text) <= budget,
                "{budget}: {}",
                fitted.text
            );
        }
    }
}
