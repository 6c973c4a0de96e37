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
