//! Progress for a person who waits: a bar on a terminal, after a quarter of a second, and nothing anywhere else.
//!
//! Modules below report in their own events; a command turns them into [`ProgressStep`]s. None of them sees how it is drawn.

use std::time::{Duration, Instant};

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::ui::Ui;
use crate::base::number::to_f64;
use crate::base::printable;

/// How long something must take before it is worth a bar.
const DELAY: Duration = Duration::from_millis(250);

/// What the bar takes, with the space behind it.
const BAR_COLUMNS: usize = 21;

/// How far something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProgressStep<'a> {
    /// Items that are done.
    pub position: u64,
    /// Items in all; `None` while the number is unknown.
    pub total: Option<u64>,
    /// What is being done, and what it has cost so far.
    pub message: &'a str,
}

/// One thing that takes time; gone from the terminal when dropped.
pub struct Progress {
    wanted: bool,
    begun: Instant,
    bar: Option<ProgressBar>,
    /// Whether there is room for more than words.
    has_bar: bool,
}

impl Progress {
    /// Begins to wait; draws nothing yet.
    #[must_use]
    pub fn new(ui: &Ui) -> Self {
        Self {
            wanted: ui.shows_progress(),
            begun: Instant::now(),
            bar: None,
            has_bar: true,
        }
    }

    /// Shows a step, if it has taken long enough and there is a terminal.
    pub fn show(&mut self, step: ProgressStep<'_>) {
        if !self.wanted || (self.bar.is_none() && self.begun.elapsed() < DELAY) {
            return;
        }
        let pace = pace(step, self.begun.elapsed());
        let (message, has_bar) = fitted(step, pace.chars().count(), columns());
        let bar = self.bar.get_or_insert_with(|| {
            self.has_bar = has_bar;
            let bar = draw(self.begun, step.total, has_bar);
            bar.with_message(message.clone()).with_prefix(pace.clone())
        });
        // The form first: the words may need the room that a bar leaves.
        if bar.length() != step.total || has_bar != self.has_bar {
            self.has_bar = has_bar;
            bar.set_style(style(step.total, has_bar));
            match step.total {
                Some(total) => bar.set_length(total),
                None => bar.unset_length(),
            }
        }
        bar.set_message(message);
        bar.set_prefix(pace);
        bar.set_position(step.position);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// How fast it goes since its beginning, and how long that will take for the rest: `12.5/s, 3m left`.
fn pace(step: ProgressStep<'_>, elapsed: Duration) -> String {
    let rate = to_f64(step.position) / elapsed.as_secs_f64().max(0.001);
    let rate_text = if rate < 100.0 {
        format!("{rate:.1}/s")
    } else {
        format!("{rate:.0}/s")
    };
    let left = step
        .total
        .filter(|_| step.position > 0)
        .map(|total| to_f64(total.saturating_sub(step.position)) / rate);
    match left {
        Some(seconds) => format!(
            "{rate_text}, {} left",
            HumanDuration(Duration::from_secs_f64(seconds))
        ),
        None => rate_text,
    }
}

/// The terminal's width; of one that has none, that of a very wide one.
fn columns() -> usize {
    let size = rustix::termios::tcgetwinsize(std::io::stderr());
    let columns = size.map_or(0, |size| usize::from(size.ws_col));
    if columns == 0 { usize::MAX } else { columns }
}

/// The message, as much of it as one line has room for, and whether a bar fits beside it. What a bar leaves behind when its
/// line is broken into two cannot be taken back.
fn fitted(step: ProgressStep<'_>, pace_chars: usize, columns: usize) -> (String, bool) {
    let message = printable(step.message).to_string();
    let number = |number: u64| number.to_string().len();
    let rest = match step.total {
        // `: 100% (12/345) ` and the pace.
        Some(total) => 11 + number(step.position) + number(total) + pace_chars,
        // `: 12 - `, the pace, and `, 12 seconds`.
        None => 18 + number(step.position) + pace_chars,
    };
    // A column stays free: some terminals begin a new line when the last one is written to.
    let room = columns.saturating_sub(rest + 1);
    let length = message.chars().count();
    if length <= room {
        return (message, room - length > BAR_COLUMNS);
    }
    let kept = room.saturating_sub(1);
    (message.chars().take(kept).chain(['…']).collect(), false)
}

fn draw(begun: Instant, total: Option<u64>, has_bar: bool) -> ProgressBar {
    ProgressBar::with_draw_target(total, ProgressDrawTarget::stderr())
        .with_style(style(total, has_bar))
        .with_elapsed(begun.elapsed())
}

fn style(total: Option<u64>, has_bar: bool) -> ProgressStyle {
    let template = match total {
        Some(_) if has_bar => "{msg}: {percent:>3}% ({pos}/{len}) {bar:20} {prefix}",
        Some(_) => "{msg}: {percent:>3}% ({pos}/{len}) {prefix}",
        None => "{msg}: {pos} {spinner} {prefix}, {elapsed}",
    };
    ProgressStyle::with_template(template)
        .expect("the templates are constants")
        .progress_chars("=> ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn progress(wanted: bool, begun: Instant) -> Progress {
        Progress {
            wanted,
            begun,
            bar: None,
            has_bar: true,
        }
    }

    #[test]
    fn nothing_is_drawn_early_or_unasked() {
        let long_ago = Instant::now()
            .checked_sub(DELAY * 2)
            .expect("the machine has been up for half a second");
        let step = ProgressStep {
            position: 1,
            total: Some(2),
            message: "outlines",
        };
        for (wanted, begun, drawn) in [
            (false, long_ago, false),
            (true, Instant::now(), false),
            (true, long_ago, true),
        ] {
            let mut progress = progress(wanted, begun);
            progress.show(step);
            assert_eq!(progress.bar.is_some(), drawn);
        }
    }

    #[test]
    fn the_pace_is_that_since_the_beginning() {
        let step = |position, total| ProgressStep {
            position,
            total,
            message: "x",
        };
        assert_eq!(
            pace(step(25, Some(100)), Duration::from_secs(10)),
            "2.5/s, 30 seconds left"
        );
        assert_eq!(pace(step(5_000, None), Duration::from_secs(10)), "500/s");
        assert_eq!(pace(step(0, Some(9)), Duration::ZERO), "0.0/s");
    }

    #[test]
    fn a_line_is_never_wider_than_the_terminal() {
        let message = "asking docs about src/deep/grün.rs, 1.2M tokens, $12.34";
        for total in [None, Some(345), Some(1_000_000)] {
            for columns in 40..140 {
                let step = ProgressStep {
                    position: 12,
                    total,
                    message,
                };
                let pace = "12.5/s, 30 seconds left";
                let (text, has_bar) = fitted(step, pace.len(), columns);
                let line = match total {
                    Some(total) => format!("{text}: 100% (12/{total}) {pace}"),
                    None => format!("{text}: 12 - {pace}, 12 seconds"),
                };
                let bar = if has_bar { BAR_COLUMNS } else { 0 };
                let width = line.chars().count() + bar;
                assert!(width < columns || text == "…", "{columns}: {line}");
                assert!(columns < 130 || total.is_none() || has_bar, "{columns}");
            }
        }
    }

    #[test]
    fn a_total_may_become_known_later() {
        let mut progress = progress(
            true,
            Instant::now()
                .checked_sub(DELAY * 2)
                .expect("up for half a second"),
        );
        progress.show(ProgressStep {
            position: 1,
            total: None,
            message: "x",
        });
        progress.show(ProgressStep {
            position: 2,
            total: Some(9),
            message: "x",
        });
        let bar = progress.bar.as_ref().expect("drawn");
        assert_eq!((bar.position(), bar.length()), (2, Some(9)));
    }
}
