//! Fenced text: lines between fences of backticks or tildes (CommonMark 0.31, section 4.5).

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

/// A line that opens or closes fenced text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fence<'l> {
    mark: char,
    length: usize,
    /// What stands behind the marks: the language, when it opens.
    pub info: &'l str,
}

impl<'l> Fence<'l> {
    /// Reads a line, however far in it stands; `None` where it is no fence.
    #[must_use]
    pub fn read(line: &'l str) -> Option<Self> {
        let text = line.trim_start();
        let mark = text.chars().next().filter(|mark| "`~".contains(*mark))?;
        let rest = text.trim_start_matches(mark);
        let fence = Self {
            mark,
            length: text.len() - rest.len(),
            info: rest.trim(),
        };
        // Backticks behind backticks are code within a line.
        let is_code = mark == '`' && rest.contains('`');
        (fence.length >= 3 && !is_code).then_some(fence)
    }

    /// Whether this line closes the text that `open` has opened.
    #[must_use]
    pub fn closes(&self, open: &Fence<'_>) -> bool {
        self.mark == open.mark && self.length >= open.length && self.info.is_empty()
    }
}

/// Tells line by line what stands in fences.
#[derive(Debug, Default)]
pub struct Fences<'l> {
    open: Option<Fence<'l>>,
}

impl<'l> Fences<'l> {
    /// Takes the next line; whether it is fenced or a fence.
    pub fn takes(&mut self, line: &'l str) -> bool {
        match (self.open, Fence::read(line)) {
            (None, Some(fence)) => self.open = Some(fence),
            (Some(open), Some(fence)) if fence.closes(&open) => self.open = None,
            (open, _) => return open.is_some(),
        }
        true
    }

    /// Whether the last line stands before the end of fenced text.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.open.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_told_from_fenced_text() {
        let text = "a\n````md\n```\n# b\n```\n````\nc\n~~~\n```\n~~~\nd\n```x``` e\n";
        let mut fences = Fences::default();
        let free: Vec<&str> = text.lines().filter(|line| !fences.takes(line)).collect();
        assert_eq!(free, ["a", "c", "d", "```x``` e"]);
        assert!(!fences.is_open() && fences.takes("```") && fences.is_open());
    }

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
