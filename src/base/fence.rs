//! Fences of backticks around text that may hold backticks itself (CommonMark 0.31, section 4.5).

/// Text is looked at in such stretches: most have no backtick, which is quickly seen.
const STRETCH_BYTES: usize = 256;

/// The length of the longest run of backticks.
#[must_use]
pub fn longest_run(bytes: &[u8]) -> usize {
    let (mut longest, mut run) = (0, 0);
    for stretch in bytes.chunks(STRETCH_BYTES) {
        if !stretch.contains(&b'`') {
            run = 0;
            continue;
        }
        for byte in stretch {
            run = if *byte == b'`' { run + 1 } else { 0 };
            longest = longest.max(run);
        }
    }
    longest
}

/// A fence that text with such a run cannot close, of at least this many backticks.
#[must_use]
pub fn fence(longest_run: usize, backticks_min: usize) -> String {
    "`".repeat((longest_run + 1).max(backticks_min))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_found_wherever_they_stand() {
        for (before, run) in [
            (0, 0),
            (0, 1),
            (3, 5),
            (STRETCH_BYTES - 2, 4),
            (STRETCH_BYTES, 1),
            (7, 3 * STRETCH_BYTES),
        ] {
            let text = [
                "x".repeat(before),
                "`".repeat(run),
                "y".to_owned(),
                "`".repeat(run / 2),
            ]
            .concat();
            assert_eq!(longest_run(text.as_bytes()), run, "{run} behind {before}");
        }
    }
}
