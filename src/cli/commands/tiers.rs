//! `git merkle tiers`: which part of a session's prompt stands in which tier, why, and what caches have served.

use serde::Serialize;

use super::prompt::array::{ArrayArgs, BlockDocument, Recipient, assemble, blocks};
use crate::base::count::counted;
use crate::base::number::to_f64;
use crate::cli::program::Program;
use crate::cli::snapshot::SnapshotArgs;
use crate::cli::ui::OutputError;
use crate::cli::{CliError, Exit, Style, Ui};
use crate::session;
use crate::session::record::TurnRecord;
use crate::tier::Key;
use crate::workspace::Workspace;

/// Arguments of `tiers`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    array: ArrayArgs,
    /// The provider whose cache it is for (default: the configured one)
    #[arg(long, value_name = "provider")]
    provider: Option<String>,
    #[command(flatten)]
    snapshot: SnapshotArgs,
}

#[derive(Serialize)]
struct Document {
    requests: u32,
    tiers: Vec<BlockDocument>,
    /// A prediction, in tokens.
    predicted: Predicted,
    /// What the providers of the session's turns have counted.
    reported: Reported,
    items: Vec<ItemDocument>,
}

#[derive(Serialize)]
struct Predicted {
    read: u64,
    written: u64,
    plain: u64,
}

/// What providers say of the turns that they answered.
#[derive(Debug, Default, Serialize)]
pub struct Reported {
    answers: u64,
    input_tokens: u64,
    cache_read_tokens: u64,
    cache_write_tokens: u64,
    /// Answers for which there was a prediction, their input, and what was predicted and what was read of it: in tokens.
    compared: Compared,
}

/// Predictions held against what providers say.
#[derive(Debug, Default, Serialize)]
pub struct Compared {
    answers: u64,
    input_tokens_estimated: u64,
    cache_read_predicted: u64,
    input_tokens: u64,
    cache_read_tokens: u64,
}

#[derive(Serialize)]
struct ItemDocument {
    kind: &'static str,
    name: String,
    tier: &'static str,
    reason: String,
}

/// Explains; remembers nothing.
pub fn run(args: &Args, program: &mut Program) -> Result<Exit, CliError> {
    let workspace = program.open_paged()?;
    let preview = assemble(
        &args.array,
        Recipient {
            provider: args.provider.as_deref(),
            profile: None,
            format: "text",
        },
        &args.snapshot,
        &workspace,
        program,
    )?;
    let Some(placed) = &preview.words.placed else {
        return Err(CliError::new(
            Exit::Refused,
            "a turn whose prompt was edited is one message, which has no tiers",
        ));
    };
    let reported = reported(&workspace)?;
    let items = placed.reasons.iter().map(|reason| {
        let (kind, name) = named(&reason.key);
        ItemDocument {
            kind,
            name,
            tier: reason.tier.as_str(),
            reason: reason.to_string(),
        }
    });
    let predicted = Predicted {
        read: placed.predicted.read,
        written: placed.predicted.written,
        plain: placed.predicted.plain,
    };
    let document = Document {
        requests: placed.requests,
        tiers: blocks(placed),
        predicted,
        reported,
        items: items.collect(),
    };
    let ui = &mut program.ui;
    if ui.is_json() {
        ui.write_json("tiers", &document)?;
        return Ok(Exit::Done);
    }
    write_text(ui, &document)?;
    for note in &preview.words.notes {
        ui.note(note);
    }
    Ok(Exit::Done)
}

fn write_text(ui: &mut Ui, document: &Document) -> Result<(), OutputError> {
    for block in &document.tiers {
        writeln!(ui, "{}", block.line())?;
        for item in document
            .items
            .iter()
            .filter(|item| item.tier == block.tier())
        {
            let text = ui.styled(
                Style::Plain,
                &format!("{} {}: {}", item.kind, item.name, item.reason),
            );
            writeln!(ui, "  {text}")?;
        }
    }
    let Predicted {
        read,
        written,
        plain,
    } = document.predicted;
    ui.note(&format!(
        "prediction: {read} tokens read from the cache, {written} written, {plain} neither"
    ));
    ui.note(&document.reported.line());
    if let Some(line) = document.reported.compared.line() {
        ui.note(&line);
    }
    Ok(())
}

fn named(key: &Key) -> (&'static str, String) {
    match key {
        Key::Tree => ("files", "all".to_owned()),
        Key::Symbols(path) => ("symbols", path.to_text().into_owned()),
        Key::File(path) => ("file", path.to_text().into_owned()),
        Key::Update(path) => ("update", path.to_text().into_owned()),
        Key::Url(url) => ("url", url.clone()),
        Key::Message(number) => ("message", number.to_string()),
    }
}

/// The caches of all sessions, as the providers have counted; sessions that cannot be read count nothing.
pub fn reported(workspace: &Workspace) -> Result<Reported, CliError> {
    if workspace.repository.work_dir().is_none() {
        return Ok(Reported::default());
    }
    let sessions = session::open::sessions(&workspace.repository)?;
    let turns = sessions
        .iter()
        .filter_map(|folder| folder.load().ok())
        .flat_map(|session| session.turns);
    Ok(turns.fold(Reported::default(), |mut sum, (_, turn)| {
        sum.add(&turn);
        sum
    }))
}

impl Reported {
    fn add(&mut self, turn: &TurnRecord) {
        if let Some(usage) = turn.answered.as_ref().and_then(|answered| answered.usage) {
            self.answers += 1;
            self.input_tokens += usage.input;
            self.cache_read_tokens += usage.cache_read;
            self.cache_write_tokens += usage.cache_write;
            if let Some(predicted) = turn.cache_read_predicted {
                self.compared.answers += 1;
                self.compared.input_tokens_estimated += turn.prompt_tokens_estimated;
                self.compared.cache_read_predicted += predicted;
                self.compared.input_tokens += usage.input;
                self.compared.cache_read_tokens += usage.cache_read;
            }
        }
    }

    /// True when there are no counts.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.answers == 0
    }

    /// One line for people.
    #[must_use]
    pub fn line(&self) -> String {
        let Self {
            answers,
            input_tokens,
            cache_read_tokens,
            cache_write_tokens,
            ..
        } = self;
        let answers = counted(*answers, "answer", "answers");
        format!(
            "reported by providers: {answers}, {input_tokens} tokens in, {cache_read_tokens} read from the cache, \
             {cache_write_tokens} written"
        )
    }
}

impl Compared {
    /// One line for people; `None` where there is nothing to compare.
    fn line(&self) -> Option<String> {
        let percent = |part: u64, all: u64| (all > 0).then(|| to_f64(part) * 100.0 / to_f64(all));
        let predicted = percent(self.cache_read_predicted, self.input_tokens_estimated)?;
        let read = percent(self.cache_read_tokens, self.input_tokens)?;
        let answers = counted(self.answers, "answer", "answers");
        Some(format!(
            "{answers} with a prediction: {predicted:.1} % of the input predicted from the cache, {read:.1} % reported"
        ))
    }
}
