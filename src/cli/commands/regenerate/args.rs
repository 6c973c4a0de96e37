//! The command line of `regenerate`.

use crate::base::FrameType;
use crate::cli::amount;
use crate::cli::snapshot::SnapshotArgs;
use crate::provider::ledger::Caps;
use crate::regen::{BatchMode, Shard};

/// Arguments of `regenerate`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Files and directories to bring up to date, directories with everything below them (default: the whole repository)
    #[arg(value_name = "node")]
    pub(super) nodes: Vec<String>,
    /// Check only what differs from this revision, and the directories above it
    #[arg(long, value_name = "rev")]
    pub(super) since: Option<String>,
    /// The agent whose frames to bring up to date [default: outline]
    #[arg(long, value_name = "agent")]
    pub(super) agent: Option<String>,
    /// The frames' type (default: the agent's own)
    #[arg(long = "type", value_name = "type", hide_short_help = true)]
    pub(super) frame_type: Option<FrameType>,
    /// Regenerate outdated frames only, and leave missing ones
    #[arg(long, conflicts_with = "force", hide_short_help = true)]
    pub(super) outdated: bool,
    /// No effect: directories are always recursive
    #[arg(long, short = 'r', hide_short_help = true)]
    pub(super) recursive: bool,
    /// Regenerate only files of share <i> of <n>, chosen by object id, and no directories: run each share on a machine of its own,
    /// unite the frames with 'git merkle sync', and run 'regenerate' once more for the directories
    #[arg(
        long,
        value_name = "i/n",
        conflicts_with = "outdated",
        hide_short_help = true
    )]
    pub(super) shard: Option<Shard>,
    /// Regenerate fresh frames as well
    #[arg(long)]
    pub(super) force: bool,
    /// Check every node, whatever the last run found
    #[arg(long, hide_short_help = true)]
    pub(super) verify: bool,
    /// Show what would be made, why, and at what cost; send and change nothing
    #[arg(long, short = 'n')]
    pub(super) dry_run: bool,
    #[command(flatten)]
    pub(super) model: ModelArgs,
    #[command(flatten)]
    pub(super) snapshot: SnapshotArgs,
}

/// What only matters for requests to a model.
#[derive(Debug, clap::Args)]
pub(super) struct ModelArgs {
    /// The provider to send requests to (default: the agent's, then merkle.defaultProvider, then the only one)
    #[arg(long, value_name = "provider")]
    pub(super) provider: Option<String>,
    /// The profile with the requests' parameters (default: the agent's)
    #[arg(long, value_name = "profile", hide_short_help = true)]
    pub(super) profile: Option<String>,
    /// Stop before this run costs more US dollars
    #[arg(long, value_name = "usd", value_parser = amount::dollars)]
    pub(super) max_cost: Option<u64>,
    /// Stop before this run makes more calls, failed attempts included
    #[arg(long, value_name = "number", value_parser = amount::count, hide_short_help = true)]
    pub(super) max_calls: Option<u64>,
    /// Stop before this run uses more tokens, input and output
    #[arg(long, value_name = "number", value_parser = amount::count, hide_short_help = true)]
    pub(super) max_tokens: Option<u64>,
    /// Maximum concurrent calls (default: the provider's)
    #[arg(long, value_name = "number", value_parser = clap::value_parser!(u16).range(1..=256), hide_short_help = true)]
    pub(super) concurrency: Option<u16>,
    /// Stop at the first node that fails
    #[arg(long, hide_short_help = true)]
    pub(super) fail_fast: bool,
    /// Fail on parameters that the provider does not support, instead of adapting them
    #[arg(long, hide_short_help = true)]
    pub(super) strict: bool,
    /// Send requests in batches, at half the price with OpenAI and Anthropic: answers come within a day, and the same command
    /// collects them
    #[arg(long)]
    pub(super) batch: bool,
    /// With --batch, wait for the answers
    #[arg(long, requires = "batch", hide_short_help = true)]
    pub(super) wait: bool,
    /// With --batch, ask the provider to cancel the batches under way; you pay for what it has run, and the next run collects it
    #[arg(long, requires = "batch", conflicts_with_all = ["wait", "dry_run"], hide_short_help = true)]
    pub(super) cancel: bool,
    /// Send requests to workers by way of this NATS server, such as tls://queue.example:4222; start them with 'git merkle worker'
    /// [default: merkle.queue]
    #[arg(
        long,
        value_name = "address",
        conflicts_with = "batch",
        hide_short_help = true
    )]
    pub(super) queue: Option<String>,
    /// Do not ask for confirmation, whatever the estimate
    #[arg(long, short = 'y')]
    pub(super) yes: bool,
    /// Print one JSON object per step as it happens, and the report last
    #[arg(long, hide_short_help = true)]
    pub(super) json_lines: bool,
}

impl ModelArgs {
    /// The first option that only matters to an agent with a model.
    pub(super) fn about_a_model(&self) -> Option<&'static str> {
        let given = [
            ("--provider", self.provider.is_some()),
            ("--profile", self.profile.is_some()),
            ("--max-cost", self.max_cost.is_some()),
            ("--max-calls", self.max_calls.is_some()),
            ("--max-tokens", self.max_tokens.is_some()),
            ("--batch", self.batch),
            ("--queue", self.queue.is_some()),
        ];
        given
            .into_iter()
            .find_map(|(option, is_given)| is_given.then_some(option))
    }

    pub(super) fn batch_mode(&self) -> BatchMode {
        match (self.batch, self.wait) {
            (false, _) => BatchMode::Live,
            (true, false) => BatchMode::Submit,
            (true, true) => BatchMode::Wait,
        }
    }

    pub(super) fn caps(&self) -> Caps {
        Caps {
            calls: self.max_calls,
            tokens: self.max_tokens,
            nano_dollars: self.max_cost,
        }
    }
}
