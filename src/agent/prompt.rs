//! Where the text of a prompt stands: in the definition itself, or in a file beside it.
//!
//! The rule: a value of one line without white space that ends in `.md`, `.txt` or `.json` is a path below the folder
//! that holds `agents/` (`.teddy`, or the user's own); everything else is the text itself. Files come out of the
//! folder as it was read, so what is judged is what is used, and no path can lead out of it.

use crate::config::Folder;

/// Why a file's text cannot be had.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum PromptError {
    /// `/…`
    #[error("'{0}' is an absolute path; prompts stand below the folder of the agent")]
    Absolute(String),
    /// A `..` in it.
    #[error("'{0}' leads out of the folder of the agent")]
    Outside(String),
    /// Not there, or not readable.
    #[error(
        "'{0}' is not there (or was left out: a link, too large, or outside of 'agents/', 'prompts/' and 'profiles/')"
    )]
    Missing(String),
    /// Not text.
    #[error("'{0}' is not UTF-8")]
    NotText(String),
}

/// A prompt's text, and the file of the folder it came from.
pub(super) struct Prompt {
    pub(super) text: String,
    pub(super) file: Option<String>,
}

/// True for a value that names a file.
pub(super) fn is_path(value: &str) -> bool {
    let ends = [".md", ".txt", ".json"]
        .iter()
        .any(|ending| value.len() > ending.len() && value.ends_with(ending));
    ends && !value.contains(char::is_whitespace)
}

/// The text that a value stands for.
pub(super) fn read(value: &str, folder: &Folder) -> Result<Prompt, PromptError> {
    if !is_path(value) {
        return Ok(Prompt {
            text: value.to_owned(),
            file: None,
        });
    }
    let named = || value.to_owned();
    if value.starts_with('/') {
        return Err(PromptError::Absolute(named()));
    }
    let names: Vec<&str> = value
        .split('/')
        .filter(|name| !name.is_empty() && *name != ".")
        .collect();
    if names.contains(&"..") {
        return Err(PromptError::Outside(named()));
    }
    let file = names.join("/");
    let bytes = folder
        .files
        .get(&file)
        .ok_or_else(|| PromptError::Missing(named()))?;
    let text = std::str::from_utf8(bytes).map_err(|_| PromptError::NotText(named()))?;
    // The line feed at the end of a file belongs to the file, not to what is said.
    Ok(Prompt {
        text: text.trim_end().to_owned(),
        file: Some(file),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_word_with_a_known_ending_is_a_path() {
        for path in [
            "prompts/a.md",
            "a.txt",
            "./x.md",
            "s.json",
            "../a.md",
            "/etc/x.txt",
        ] {
            assert!(is_path(path), "{path}");
        }
        for text in [
            "",
            ".md",
            "Read a.md",
            "a.md\n",
            "summarize",
            "a.rs",
            "two\nlines.md",
        ] {
            assert!(!is_path(text), "{text}");
        }
    }

    #[test]
    fn nothing_outside_of_the_folder_can_be_named() {
        let mut folder = Folder::default();
        folder
            .files
            .insert("prompts/a.md".to_owned(), b"Say it.\r\n\n".to_vec());
        folder.files.insert("prompts/b.md".to_owned(), vec![0xff]);
        let read = |value: &str| read(value, &folder).map(|prompt| prompt.text);
        assert_eq!(read("./prompts//a.md").as_deref(), Ok("Say it."));
        assert_eq!(read("Say it twice.").as_deref(), Ok("Say it twice."));
        assert!(matches!(read("prompts/b.md"), Err(PromptError::NotText(_))));
        assert!(matches!(
            read("prompts/../prompts/a.md"),
            Err(PromptError::Outside(_))
        ));
        assert!(matches!(
            read("/prompts/a.md"),
            Err(PromptError::Absolute(_))
        ));
        assert!(matches!(read("prompts/c.md"), Err(PromptError::Missing(_))));
    }
}
