//! Fences of backticks around text that may hold backticks itself (CommonMark 0.31, section 4.5).

/// The length of the longest run of backticks.
#[must_use]
pub fn longest_run(bytes: &[u8]) -> usize {
    let (mut longest, mut run) = (0, 0);
    for byte in bytes {
        run = if *byte == b'`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}

/// A fence that text with such a run cannot close, of at least so many backticks.
#[must_use]
pub fn fence(longest_run: usize, backticks_min: usize) -> String {
    "`".repeat((longest_run + 1).max(backticks_min))
}
