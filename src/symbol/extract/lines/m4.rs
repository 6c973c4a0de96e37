//! What is odd in M4 and Autoconf: square brackets are quotes, and the body of a macro stands between them.

use crate::symbol::outline::Kind;

/// How many quotes are open behind a line, with those that were open in front of it.
///
/// What other languages have as strings holds quotes, too: `[it's there]`.
pub(super) fn open_quotes(line: &str, open: usize) -> usize {
    if line.trim_start().starts_with('#') {
        return open;
    }
    let line = line.split("dnl").next().unwrap_or(line);
    line.bytes().fold(open, |open, byte| match byte {
        b'[' => open + 1,
        b']' => open.saturating_sub(1),
        _ => open,
    })
}

/// Whether a line begins what stands in no other macro.
pub(super) fn begins_macro(code: &str) -> bool {
    const WORDS: [&str; 6] = [
        "AC_DEFUN",
        "AU_DEFUN",
        "AU_ALIAS",
        "AC_INIT",
        "AC_OUTPUT",
        "m4_define",
    ];
    WORDS.iter().any(|word| code.starts_with(word))
}

/// A macro without its body, where that takes more than the line of its name.
pub(super) fn head(signature: &str, kind: Kind) -> String {
    let is_whole = signature.ends_with(')') && !signature.contains('\n');
    let name = signature
        .split_once(',')
        .filter(|_| kind == Kind::Macro && !is_whole);
    match name {
        Some((name, _)) => format!("{})", name.trim_end()),
        None => signature.to_owned(),
    }
}
