//! The table that a run of the benches prints, and the machine it was made on.

use git_merkle::base::clock;

use crate::measure::{Failure, Pairs, Usage, git};

/// One line of the table.
pub(crate) struct Row {
    pub(crate) work: String,
    pub(crate) against: String,
    /// What was measured, rendered: `0.63 ×`, `212 MiB`.
    pub(crate) figure: String,
    /// What must hold, rendered; empty for a figure that only informs.
    pub(crate) hold: String,
    pub(crate) holds: Option<bool>,
    /// Absolute figures, for information.
    pub(crate) detail: String,
}

impl Row {
    /// A ratio that must not be greater than a bound.
    pub(crate) fn ratio(
        work: impl Into<String>,
        against: impl Into<String>,
        pairs: &Pairs,
        ratio_max: f64,
    ) -> Self {
        Self {
            detail: pairs.to_string(),
            ..Self::growth(work, against, pairs.ratio(), ratio_max)
        }
    }

    /// A time that may come on top of another, in milliseconds.
    pub(crate) fn added(
        work: impl Into<String>,
        against: impl Into<String>,
        pairs: &Pairs,
        ms_max: f64,
    ) -> Self {
        let added = pairs.added_ms();
        Self {
            work: work.into(),
            against: against.into(),
            figure: format!("+ {added:.1} ms"),
            hold: format!("≤ + {ms_max} ms"),
            holds: Some(added <= ms_max),
            detail: pairs.to_string(),
        }
    }

    /// Peak memory that must not be greater than a bound.
    pub(crate) fn peak(work: impl Into<String>, usage: Usage, peak_mib_max: u64) -> Self {
        Self {
            work: work.into(),
            against: "peak memory".to_owned(),
            figure: format!("{} MiB", usage.peak_kib / 1024),
            hold: format!("≤ {peak_mib_max} MiB"),
            holds: Some(usage.peak_kib <= peak_mib_max * 1024),
            detail: format!("{} MiB without pages of files", usage.own_kib / 1024),
        }
    }

    /// Processor time that must not be greater than a bound, in seconds.
    pub(crate) fn seconds(work: impl Into<String>, seconds: f64, seconds_max: f64) -> Self {
        Self {
            work: work.into(),
            against: "processor time".to_owned(),
            figure: format!("{seconds:.3} s"),
            hold: format!("≤ {seconds_max} s"),
            holds: Some(seconds <= seconds_max),
            detail: String::new(),
        }
    }

    /// A cost that must not grow by more than a factor.
    pub(crate) fn growth(
        work: impl Into<String>,
        against: impl Into<String>,
        growth: f64,
        growth_max: f64,
    ) -> Self {
        Self {
            work: work.into(),
            against: against.into(),
            figure: format!("{growth:.2} ×"),
            hold: format!("≤ {growth_max} ×"),
            holds: Some(growth <= growth_max),
            detail: String::new(),
        }
    }

    /// A figure that only informs.
    pub(crate) fn figure(work: &str, against: &str, figure: String, pairs: &Pairs) -> Self {
        let (work, against, hold) = (work.to_owned(), against.to_owned(), String::new());
        Self {
            work,
            against,
            figure,
            hold,
            holds: None,
            detail: pairs.to_string(),
        }
    }

    /// A work without a figure, and why.
    pub(crate) fn unmeasured(work: &str, against: &str) -> Self {
        let (work, against, figure) = (
            work.to_owned(),
            against.to_owned(),
            "not measured".to_owned(),
        );
        Self {
            work,
            against,
            figure,
            hold: String::new(),
            holds: None,
            detail: String::new(),
        }
    }
}

/// Rows as they come in.
pub(crate) struct Report {
    command: String,
    rows: Vec<(u32, Row)>,
}

impl Report {
    pub(crate) fn new(arguments: &[String]) -> Self {
        let separator = if arguments.is_empty() { "" } else { " -- " };
        Self {
            command: format!("cargo bench{separator}{}", arguments.join(" ")),
            rows: Vec::new(),
        }
    }

    /// Keeps the rows of a bench, or the reason why it has none.
    pub(crate) fn add(&mut self, number: u32, outcome: Result<Vec<Row>, Failure>) {
        let rows =
            outcome.unwrap_or_else(|failure| vec![Row::unmeasured(&failure.to_string(), "")]);
        self.rows.extend(rows.into_iter().map(|row| (number, row)));
    }

    #[expect(
        clippy::print_stdout,
        reason = "the table is the answer of a bench run"
    )]
    pub(crate) fn print(&self) {
        println!("{}\n", machine(&self.command));
        println!("| # | work | against | measured | hold | holds | times |");
        println!("|---|---|---|---|---|---|---|");
        for (number, row) in &self.rows {
            let holds = row
                .holds
                .map_or("", |holds| if holds { "yes" } else { "**no**" });
            let Row {
                work,
                against,
                figure,
                hold,
                detail,
                ..
            } = row;
            println!("| {number} | {work} | {against} | {figure} | {hold} | {holds} | {detail} |");
        }
    }
}

/// Where, when and by what command the figures were made.
fn machine(command: &str) -> String {
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let kernel = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let processors = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = processors
        .lines()
        .find_map(|line| line.strip_prefix("model name"))
        .unwrap_or(": unknown processor");
    let model = model.trim_start_matches([' ', '\t', ':']);
    let version = git()
        .args(["--version"])
        .output()
        .unwrap_or_else(|failure| failure.to_string());
    let date = clock::render_utc(clock::now_seconds());
    let (kernel, version) = (kernel.trim(), version.trim());
    format!("{cores} cores, {model}, kernel {kernel}, {version}, {date}, `{command}`")
}
