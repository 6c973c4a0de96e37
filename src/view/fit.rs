//! Fitting a selection into a number of tokens: whole bodies first, then first sections, never more than there is room.

use super::candidate::FrameCandidate;

/// A frame with as much of its body as there was room for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FittedFrame<'c> {
    /// The frame.
    pub candidate: &'c FrameCandidate,
    /// Its body, or the first section of it.
    pub content: &'c str,
    /// True when the body was cut.
    pub is_cut: bool,
}

/// Chooses what fits into `tokens_max`, in the order given. `cost` says what showing a frame with a content takes.
///
/// First each body that still fits is taken whole; then, of the frames left over, each first section that still fits.
#[must_use]
pub fn fit<'c>(
    frames: &'c [FrameCandidate],
    tokens_max: u64,
    cost: &dyn Fn(&FrameCandidate, &str) -> u64,
) -> Vec<FittedFrame<'c>> {
    let mut room = tokens_max;
    let mut take = |candidate: &'c FrameCandidate, content: &'c str| {
        let tokens = cost(candidate, content);
        let fits = tokens <= room;
        room -= if fits { tokens } else { 0 };
        fits.then_some(FittedFrame {
            candidate,
            content,
            is_cut: content.len() < candidate.frame.content.len(),
        })
    };
    let mut fitted: Vec<Option<FittedFrame<'c>>> = frames
        .iter()
        .map(|frame| take(frame, &frame.frame.content))
        .collect();
    for (frame, place) in frames
        .iter()
        .zip(&mut fitted)
        .filter(|(_, place)| place.is_none())
    {
        *place = take(frame, first_section(&frame.frame.content));
    }
    fitted.into_iter().flatten().collect()
}

/// The part of a body before its second heading; of a body with fewer, its first paragraph.
///
/// Headings are lines that begin with one to six `#` and a space, outside of fences.
#[must_use]
pub fn first_section(body: &str) -> &str {
    let (mut at, mut headings, mut fence) = (0, 0, None);
    for line in body.split_inclusive('\n') {
        let text = line.trim();
        let marks = ["```", "~~~"]
            .into_iter()
            .find(|marks| text.starts_with(marks));
        match (fence, marks) {
            (None, Some(marks)) => fence = Some(marks),
            (Some(open), Some(marks)) if open == marks => fence = None,
            (None, None) if is_heading(text) => headings += 1,
            _ => {}
        }
        if headings == 2 {
            return with_line_end(body, at);
        }
        at += line.len();
    }
    let lead = body.len() - body.trim_start().len();
    body[lead..]
        .find("\n\n")
        .map_or(body, |end| &body[..=lead + end])
}

/// The body up to a line, without the empty lines before it.
fn with_line_end(body: &str, at: usize) -> &str {
    let kept = body[..at].trim_end();
    &body[..(kept.len() + 1).min(at)]
}

fn is_heading(line: &str) -> bool {
    let level = line.bytes().take_while(|b| *b == b'#').count();
    (1..=6).contains(&level) && line[level..].starts_with(' ')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::base::token::estimate;
    use crate::view::compose::tests::candidate;

    #[test]
    fn a_first_section_ends_before_the_second_heading() {
        for (body, expected) in [
            ("# One\n\ntext\n\n## Two\nmore\n", "# One\n\ntext\n"),
            (
                "lead\n\n## Interface\nf\n\n## Notes\nn\n",
                "lead\n\n## Interface\nf\n",
            ),
            (
                "## A\n```\n# no heading\n```\nx\n## B\n",
                "## A\n```\n# no heading\n```\nx\n",
            ),
            ("one\ntwo\n\nthree\n", "one\ntwo\n"),
            ("# Only\ntext\n", "# Only\ntext\n"),
            ("\n\nlate\n\nrest", "\n\nlate\n"),
            ("# A\n# B\n", "# A\n"),
            ("", ""),
        ] {
            assert_eq!(first_section(body), expected, "{body:?}");
        }
    }

    #[test]
    fn whole_bodies_come_before_first_sections() {
        let long = format!("# One\n\nshort\n\n# Two\n\n{}", "word ".repeat(100));
        let frames = [
            candidate("a", "t", 2, &long),
            candidate("b", "t", 1, "small body"),
        ];
        let cost = |_: &FrameCandidate, content: &str| estimate(content);
        let shown = |tokens| {
            fit(&frames, tokens, &cost)
                .iter()
                .map(|one| (one.content, one.is_cut))
                .collect::<Vec<_>>()
        };
        assert_eq!(
            shown(1_000),
            [(long.as_str(), false), ("small body", false)]
        );
        assert_eq!(
            shown(20),
            [("# One\n\nshort\n", true), ("small body", false)]
        );
        assert_eq!(shown(3), [("small body", false)]);
        assert_eq!(shown(0), []);
    }

    proptest! {
        #[test]
        fn the_budget_is_never_exceeded(bodies in proptest::collection::vec("(# [a-z]{1,9}\n\n[a-z ,]{0,30}\n\n){0,3}", 0..6), budget in 0_u64..60) {
            let frames: Vec<FrameCandidate> = bodies.iter().map(|body| candidate("a", "t", 1, body)).collect();
            let fitted = fit(&frames, budget, &|_, content| estimate(content));
            let together: String = fitted.iter().map(|one| one.content).collect();
            prop_assert!(estimate(&together) <= budget);
        }
    }
}
