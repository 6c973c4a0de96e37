//! Progress for a person who waits: a bar on a terminal, after a quarter of a second, and nothing anywhere else.
//!
//! Modules below report in their own events; a command turns them into [`ProgressStep`]s. None of them sees how it is drawn.

use std::time::{Duration, Instant};

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::ui::Ui;
use crate::base::printable;

/// How long something must take before it is worth a bar.
const DELAY: Duration = Duration::from_millis(250);

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
}

impl Progress {
    /// Begins to wait; draws nothing yet.
    #[must_use]
    pub fn new(ui: &Ui) -> Self {
        Self {
            wanted: ui.shows_progress(),
            begun: Instant::now(),
            bar: None,
        }
    }

    /// Shows a step, if it has taken long enough and there is a terminal.
    pub fn show(&mut self, step: ProgressStep<'_>) {
        if !self.wanted || (self.bar.is_none() && self.begun.elapsed() < DELAY) {
            return;
        }
        let bar = self.bar.get_or_insert_with(|| draw(self.begun, step.total));
        if bar.length() != step.total {
            bar.set_style(style(step.total));
            match step.total {
                Some(total) => bar.set_length(total),
                None => bar.unset_length(),
            }
        }
        bar.set_message(printable(step.message).to_string());
        bar.set_prefix(pace(step, self.begun.elapsed()));
        bar.set_position(step.position);
    }

    /// Takes the bar off the terminal while something else is said there.
    pub fn suspend<T>(&self, say: impl FnOnce() -> T) -> T {
        match &self.bar {
            Some(bar) => bar.suspend(say),
            None => say(),
        }
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
    let rate = step.position as f64 / elapsed.as_secs_f64().max(0.001);
    let rate_text = if rate < 100.0 {
        format!("{rate:.1}/s")
    } else {
        format!("{rate:.0}/s")
    };
    let left = step
        .total
        .filter(|_| step.position > 0)
        .map(|total| total.saturating_sub(step.position) as f64 / rate);
    match left {
        Some(seconds) => format!(
            "{rate_text}, {} left",
            HumanDuration(Duration::from_secs_f64(seconds))
        ),
        None => rate_text,
    }
}

fn draw(begun: Instant, total: Option<u64>) -> ProgressBar {
    ProgressBar::with_draw_target(total, ProgressDrawTarget::stderr())
        .with_style(style(total))
        .with_elapsed(begun.elapsed())
}

fn style(total: Option<u64>) -> ProgressStyle {
    let template = match total {
        Some(_) => "{msg}: {percent:>3}% ({pos}/{len}) {bar:20} {prefix}",
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
