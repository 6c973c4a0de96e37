//! The stem of an English word, by Porter's rules (M. F. Porter, "An algorithm for suffix stripping", 1980).
//!
//! Words of other languages lose an ending now and then, the same one in a question and in a file, so they meet all the same.

/// Shortens a word of lower case ASCII letters to its stem; every other word stays as it is.
pub(super) fn stem(word: &mut Vec<u8>) {
    if word.len() < 3 || !word.iter().all(u8::is_ascii_lowercase) {
        return;
    }
    plural(word);
    past(word);
    if word.ends_with(b"y") && has_vowel(&word[..word.len() - 1]) {
        let last = word.len() - 1;
        word[last] = b'i';
    }
    replace(word, LONG, 0);
    replace(word, MIDDLE, 0);
    last_endings(word);
    silent_e(word);
}

type Endings = &'static [(&'static [u8], &'static [u8])];

const LONG: Endings = &[
    (b"ational", b"ate"),
    (b"tional", b"tion"),
    (b"enci", b"ence"),
    (b"anci", b"ance"),
    (b"izer", b"ize"),
    (b"abli", b"able"),
    (b"alli", b"al"),
    (b"entli", b"ent"),
    (b"eli", b"e"),
    (b"ousli", b"ous"),
    (b"ization", b"ize"),
    (b"ation", b"ate"),
    (b"ator", b"ate"),
    (b"alism", b"al"),
    (b"iveness", b"ive"),
    (b"fulness", b"ful"),
    (b"ousness", b"ous"),
    (b"aliti", b"al"),
    (b"iviti", b"ive"),
    (b"biliti", b"ble"),
];

const MIDDLE: Endings = &[
    (b"icate", b"ic"),
    (b"ative", b""),
    (b"alize", b"al"),
    (b"iciti", b"ic"),
    (b"ical", b"ic"),
    (b"ful", b""),
    (b"ness", b""),
];

const LAST: &[&[u8]] = &[
    b"al", b"ance", b"ence", b"er", b"ic", b"able", b"ible", b"ant", b"ement", b"ment", b"ent",
    b"ion", b"ou", b"ism", b"ate", b"iti", b"ous", b"ive", b"ize",
];

fn is_consonant(word: &[u8], at: usize) -> bool {
    match word[at] {
        b'a' | b'e' | b'i' | b'o' | b'u' => false,
        b'y' => at == 0 || !is_consonant(word, at - 1),
        _ => true,
    }
}

/// How often a vowel is followed by a consonant.
fn measure(word: &[u8]) -> usize {
    (1..word.len())
        .filter(|at| is_consonant(word, *at) && !is_consonant(word, at - 1))
        .count()
}

fn has_vowel(word: &[u8]) -> bool {
    (0..word.len()).any(|at| !is_consonant(word, at))
}

fn ends_double(word: &[u8]) -> bool {
    let len = word.len();
    len > 1 && word[len - 1] == word[len - 2] && is_consonant(word, len - 1)
}

/// Ends in consonant, vowel, consonant, of which the last is none that is hardly heard.
fn ends_short(word: &[u8]) -> bool {
    let len = word.len();
    len > 2
        && is_consonant(word, len - 3)
        && !is_consonant(word, len - 2)
        && is_consonant(word, len - 1)
        && !matches!(word[len - 1], b'w' | b'x' | b'y')
}

fn plural(word: &mut Vec<u8>) {
    let len = word.len();
    if word.ends_with(b"sses") || word.ends_with(b"ies") {
        word.truncate(len - 2);
    } else if word.ends_with(b"s") && !word.ends_with(b"ss") {
        word.truncate(len - 1);
    }
}

fn past(word: &mut Vec<u8>) {
    let len = word.len();
    if word.ends_with(b"eed") {
        if measure(&word[..len - 3]) > 0 {
            word.truncate(len - 1);
        }
        return;
    }
    let cut = if word.ends_with(b"ed") { 2 } else { 3 };
    let is_cut = (word.ends_with(b"ed") || word.ends_with(b"ing")) && has_vowel(&word[..len - cut]);
    if !is_cut {
        return;
    }
    word.truncate(len - cut);
    if word.ends_with(b"at") || word.ends_with(b"bl") || word.ends_with(b"iz") {
        word.push(b'e');
    } else if ends_double(word) && !matches!(word.last(), Some(b'l' | b's' | b'z')) {
        word.pop();
    } else if measure(word) == 1 && ends_short(word) {
        word.push(b'e');
    }
}

/// Replaces the first ending of a list that the word has, where what is before it is long enough.
fn replace(word: &mut Vec<u8>, endings: Endings, measure_min: usize) {
    let found = endings.iter().find(|(ending, _)| word.ends_with(ending));
    if let Some((ending, with)) = found
        && measure(&word[..word.len() - ending.len()]) > measure_min
    {
        word.truncate(word.len() - ending.len());
        word.extend_from_slice(with);
    }
}

fn last_endings(word: &mut Vec<u8>) {
    let longest = LAST
        .iter()
        .filter(|ending| word.ends_with(ending))
        .max_by_key(|ending| ending.len());
    let Some(ending) = longest else { return };
    let before = &word[..word.len() - ending.len()];
    let is_free = *ending != b"ion" || before.ends_with(b"s") || before.ends_with(b"t");
    if is_free && measure(before) > 1 {
        word.truncate(before.len());
    }
}

fn silent_e(word: &mut Vec<u8>) {
    let len = word.len();
    if word.ends_with(b"e") {
        let count = measure(&word[..len - 1]);
        if count > 1 || count == 1 && !ends_short(&word[..len - 1]) {
            word.pop();
        }
    }
    if word.ends_with(b"ll") && measure(word) > 1 {
        word.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_the_paper_have_its_stems() {
        for (word, expected) in [
            ("caresses", "caress"),
            ("ponies", "poni"),
            ("cats", "cat"),
            ("feed", "feed"),
            ("agreed", "agre"),
            ("plastered", "plaster"),
            ("motoring", "motor"),
            ("sing", "sing"),
            ("conflated", "conflat"),
            ("hopping", "hop"),
            ("falling", "fall"),
            ("filing", "file"),
            ("happy", "happi"),
            ("sky", "sky"),
            ("relational", "relat"),
            ("vietnamization", "vietnam"),
            ("triplicate", "triplic"),
            ("adjustment", "adjust"),
            ("adoption", "adopt"),
            ("controll", "control"),
            ("rate", "rate"),
            ("cease", "ceas"),
            ("is", "is"),
            ("utf8s", "utf8s"),
        ] {
            let mut stemmed = word.as_bytes().to_vec();
            stem(&mut stemmed);
            assert_eq!(String::from_utf8_lossy(&stemmed), expected, "{word}");
        }
    }
}
