//! Whether an answer says anything of its own: small models give back the words of the request.
//!
//! An answer repeats its prompt when each of its sentences, without list marks and case, is a sentence of the agent's own
//! words, or a run of at least five words in them. What it quotes of the file or of a directory's children is no part of
//! those, and an answer with one sentence of its own is an answer.

/// A run of this many words of the prompt is no coincidence.
const RUN_WORDS_MIN: usize = 5;

/// True when all that an answer says stands in the prompt.
pub(super) fn repeats(answer: &str, prompt: &[&str]) -> bool {
    let known: Vec<String> = prompt.iter().flat_map(|text| sentences(text)).collect();
    let all = format!(
        " {} ",
        prompt
            .iter()
            .map(|text| words(text))
            .collect::<Vec<_>>()
            .join(" | ")
    );
    let is_known = |sentence: &String| {
        let is_run =
            sentence.split(' ').count() >= RUN_WORDS_MIN && all.contains(&format!(" {sentence} "));
        is_run || known.contains(sentence)
    };
    let said = sentences(answer);
    !said.is_empty() && said.iter().all(is_known)
}

/// True when an answer is a run of the request that it answers, and more of it than what the request shows: marks around a
/// file, or the agent's own words. To quote a file alone may be an answer.
pub(super) fn copies(answer: &str, request: &[&str], prompt: &[&str]) -> bool {
    let all: Vec<String> = request.iter().map(|text| words(text)).collect();
    let is_run = format!(" {} ", all.join(" ")).contains(&format!(" {} ", words(answer)));
    let own: Vec<String> = prompt.iter().flat_map(|text| sentences(text)).collect();
    let is_mark = |line: &str| line.starts_with("<file ") || line.starts_with("<directory ");
    is_run
        && (answer.lines().any(is_mark)
            || sentences(answer)
                .iter()
                .any(|said| said.split(' ').count() >= RUN_WORDS_MIN && own.contains(said)))
}

/// The sentences of a text, each as its words.
fn sentences(text: &str) -> Vec<String> {
    let ends = |letter: char| matches!(letter, '.' | '!' | '?' | '\n' | ':' | ';');
    text.split(ends)
        .map(words)
        .filter(|sentence| !sentence.is_empty())
        .collect()
}

/// The words of a text in lower case, one space between them.
fn words(text: &str) -> String {
    let is_letter = |letter: char| letter.is_alphanumeric();
    let words = text
        .split(|letter| !is_letter(letter))
        .filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROMPT: [&str; 3] = [
        "You describe source code for people who have not seen it.",
        "Summarize the {node_type} {path} of {file_size} bytes.",
        "- First sentence: What it is for.\n- Then: how it is used, in two or three sentences.",
    ];

    #[test]
    fn an_answer_that_says_nothing_of_its_own_repeats() {
        for answer in [
            "- First sentence: What it is for.",
            "What it is for",
            "First sentence: what it is for. Then: How it is used, in two or three sentences.",
            "You describe source code for people who have not seen it.",
            "**describe source code for people who have not seen it**",
        ] {
            assert!(repeats(answer, &PROMPT), "{answer}");
        }
    }

    /// Red before: a program that gives back what it reads, and a model that gives back the file in its marks, made frames.
    #[test]
    fn a_run_of_the_request_with_more_than_the_file_is_a_copy() {
        let shown = "<file path=\"a.md\">\n# Usage\n\nWater the bed.\n</file>\n\nSummarize it.";
        let request = [PROMPT[0], shown];
        let copy = |answer: &str| copies(answer, &request, &PROMPT);
        assert!(copy(&request.join("\n\n")));
        assert!(copy(
            "<file path=\"a.md\">\n# Usage\n\nWater the bed.\n</file>"
        ));
        for answer in [
            "Water the bed.",
            "# Usage\n\nWater the bed.",
            "<file path=\"a.md\">\nIt waters a bed.\n</file>",
            "",
        ] {
            assert!(!copy(answer), "{answer}");
        }
    }

    #[test]
    fn an_answer_with_a_word_of_its_own_does_not() {
        for answer in [
            "- First sentence: What it is for.\n- It waters a garden.",
            "A library.",
            "about src/lib.rs",
            "Code.",
            "Source code for people.",
            "",
            "…",
        ] {
            assert!(!repeats(answer, &PROMPT), "{answer}");
        }
    }
}
