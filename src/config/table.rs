//! The table of settings: every key there is, and nothing else is a setting.
//!
//! `tests/it/settings.rs` holds it to the code (each row has the one reader that it names) and to `docs/settings.md`
//! (which it writes). A setting that names an endpoint, a program, a key, a header, a proxy or a price comes from the
//! user only, whatever a repository says.

use super::kind::ValueKind;
use super::permission::Order;
use super::setting::{KeySection, Setting};

pub mod provider;

const USD: &str = "US dollars";

const fn general(name: &'static str, kind: ValueKind) -> Setting {
    Setting::new(KeySection::General, name, kind)
}

const ACCEPT: ValueKind = ValueKind::Choice(&["all", "signed", "self"]);

/// `maxCost`.
pub const MAX_COST: Setting = general("maxCost", ValueKind::Limit(USD))
    .tighten(Order::Smaller)
    .read_by("ops/asking.rs")
    .means("Most that one run may cost");

/// `maxCalls`.
pub const MAX_CALLS: Setting = general("maxCalls", ValueKind::Limit("calls"))
    .tighten(Order::Smaller)
    .read_by("ops/asking.rs")
    .means("Most requests that one run may send");

/// `maxTokens`.
pub const MAX_TOKENS: Setting = general("maxTokens", ValueKind::Limit("tokens"))
    .tighten(Order::Smaller)
    .read_by("ops/asking.rs")
    .means("Most tokens that one run may use, input and output together");

/// `budget`.
pub const BUDGET: Setting = general("budget", ValueKind::Limit(USD))
    .tighten(Order::Smaller)
    .read_by("ops/asking.rs")
    .means("Most that this clone may spend in a calendar month (UTC)");

/// `budgetCalls`.
pub const BUDGET_CALLS: Setting = general("budgetCalls", ValueKind::Limit("calls"))
    .tighten(Order::Smaller)
    .read_by("ops/asking.rs")
    .means("Most requests that this clone may send in a calendar month (UTC)");

/// `budgetTokens`.
pub const BUDGET_TOKENS: Setting = general("budgetTokens", ValueKind::Limit("tokens"))
    .tighten(Order::Smaller)
    .read_by("ops/asking.rs")
    .means("Most tokens that this clone may use in a calendar month (UTC)");

/// `budgetDay`.
pub const BUDGET_DAY: Setting = general("budgetDay", ValueKind::Limit(USD))
    .tighten(Order::Smaller)
    .read_by("ops/asking.rs")
    .means("Most that this clone may spend in a day (UTC)");

/// `confirmAbove`.
pub const CONFIRM_ABOVE: Setting = general("confirmAbove", ValueKind::Limit(USD))
    .default("1")
    .tighten(Order::Smaller)
    .read_by("ops/asking.rs")
    .means("Estimated cost above which a run needs your confirmation or a budget");

/// `batchMin`.
pub const BATCH_MIN: Setting = general("batchMin", ValueKind::Positive("requests"))
    .default("100")
    .read_by("ops/asking.rs")
    .means(
        "Fewest requests that go out as a batch; a level of the tree with fewer is sent at once",
    );

/// `queue`.
pub const QUEUE: Setting = general(
    "queue",
    ValueKind::Text("an address, such as tls://queue.example:4222"),
)
.read_by("ops/queue.rs")
.means("NATS server by way of which `git merkle regenerate` sends requests to workers");

/// `queueWait`.
pub const QUEUE_WAIT: Setting = general("queueWait", ValueKind::Duration)
    .default("30s")
    .read_by("ops/queue.rs")
    .means("How long a worker of a queue may be silent before its request counts as lost");

/// `urls`.
pub const URLS: Setting = general(
    "urls",
    ValueKind::List("an address, such as https://docs.example/guide"),
)
.tighten(Order::Fewer)
.read_by("ops/pages.rs")
.means("Pages that the repository's own lists may fetch");

/// `defaultAgent`.
pub const DEFAULT_AGENT: Setting = general("defaultAgent", ValueKind::Text("an agent id"))
    .once_trusted()
    .read_by("workspace/settings.rs")
    .means("Agent to use when you name none");

/// `defaultProvider`.
pub const DEFAULT_PROVIDER: Setting =
    general("defaultProvider", ValueKind::Text("the name of a provider"))
        .once_trusted()
        .read_by("ops/asking.rs")
        .means("Provider to use when you name none");

/// `defaultProfile`.
pub const DEFAULT_PROFILE: Setting =
    general("defaultProfile", ValueKind::Text("the name of a profile"))
        .default("default")
        .once_trusted()
        .read_by("ops/asking.rs")
        .means("Profile to use when you name none");

/// `contextBudget`.
pub const CONTEXT_BUDGET: Setting = general("contextBudget", ValueKind::Number("tokens"))
    .default("24000")
    .once_trusted()
    .read_by("ops/overview.rs")
    .means("Size of the default payload of `git merkle context`");

/// `findBudget`.
pub const FIND_BUDGET: Setting = general("findBudget", ValueKind::Number("tokens"))
    .default("2000")
    .once_trusted()
    .read_by("session/gather.rs")
    .means("Size of what `git merkle find` adds to a turn whose map cannot show every file; 0 for nothing");

/// `contextSystem`.
pub const CONTEXT_SYSTEM: Setting = general("contextSystem", ValueKind::Boolean)
    .default("true")
    .once_trusted()
    .read_by("ops/overview.rs")
    .means("Whether payloads of `git merkle context` describe this machine");

/// `progress`.
pub const PROGRESS: Setting = general("progress", ValueKind::Boolean)
    .default("true")
    .also_local()
    .read_by("workspace/settings.rs")
    .means("Whether progress is drawn on a terminal");

/// `hooks`.
pub const HOOKS: Setting = general("hooks", ValueKind::Boolean)
    .also_local()
    .read_by("cli/commands/hooks/run.rs")
    .means("Whether hooks start the worker; without it they do where they are installed, except in continuous integration");

/// `hookQuiet`.
pub const HOOK_QUIET: Setting = general("hookQuiet", ValueKind::Duration)
    .default("3s")
    .also_local()
    .read_by("cli/commands/hooks/worker.rs")
    .means("How long the hooks' worker waits for further changes before it starts");

/// `hookBudget`.
pub const HOOK_BUDGET: Setting = general("hookBudget", ValueKind::Limit(USD))
    .tighten(Order::Smaller)
    .read_by("ops/background.rs")
    .means("Most that the hooks' worker may spend in a day; without it the worker asks no model");

/// `hookComplete`.
pub const HOOK_COMPLETE: Setting = general("hookComplete", ValueKind::Boolean)
    .default("false")
    .read_by("ops/background.rs")
    .means("Whether the hooks' worker also generates frames for nodes that have none from the agent yet");

/// `remote`.
pub const REMOTE: Setting = general("remote", ValueKind::Text("the name of a remote"))
    .also_local()
    .read_by("workspace/sharing.rs")
    .means("Remote to share the store with when you name none");

/// `remoteRef`.
pub const REMOTE_REF: Setting = general(
    "remoteRef",
    ValueKind::Text("a ref below refs/merkle/, or in a folder _merkle"),
)
.read_by("workspace/sharing.rs")
.means("Ref of the shared store on the remote, where it is not the usual one");

/// `share`.
pub const SHARE: Setting = general("share", ValueKind::Choice(&["said", "all"]))
    .default("said")
    .also_local()
    .read_by("workspace/sharing.rs")
    .means("Which frames are shared: those of models and people, or also those that any clone can compute");

/// `publish`.
pub const PUBLISH: Setting = general("publish", ValueKind::Choice(&["shared", "own"]))
    .default("shared")
    .read_by("workspace/sharing.rs")
    .means("Which ref this clone pushes: the shared one, or one of its own");

/// `autoSync`.
pub const AUTO_SYNC: Setting = general(
    "autoSync",
    ValueKind::Choice(&["off", "fetch", "push", "both"]),
)
.default("off")
.read_by("ops/autosync.rs")
.means("What the hooks' worker exchanges with the remote after a pull or a push");

/// `syncInterval`.
pub const SYNC_INTERVAL: Setting = general("syncInterval", ValueKind::Duration)
    .default("5m")
    .read_by("ops/autosync.rs")
    .means("Shortest time between two exchanges of the hooks' worker");

/// `acceptFrames`.
pub const ACCEPT_FRAMES: Setting = general("acceptFrames", ACCEPT)
    .default("all")
    .read_by("workspace/sharing.rs")
    .means(
        "Which frames of a remote count: all, those with an accepted signature, or only your own",
    );

/// `sign`.
pub const SIGN: Setting = general("sign", ValueKind::Boolean)
    .read_by("workspace/settings.rs")
    .means("Whether statements are signed; without it, as git signs commits with SSH");

/// `signingKey`.
pub const SIGNING_KEY: Setting = general(
    "signingKey",
    ValueKind::Text("a path, or key:: and a public key"),
)
.read_by("workspace/sharing.rs")
.means("Key to sign with, where it is not that of git");

/// `acceptFrames`.
pub const REMOTE_ACCEPT_FRAMES: Setting = Setting::new(KeySection::Remote, "acceptFrames", ACCEPT)
    .read_by("workspace/sharing.rs")
    .means("The same for one remote");

/// The settings `merkle.<key>`, in the order of the reference page.
pub const GENERAL: &[Setting] = &[
    MAX_COST,
    MAX_CALLS,
    MAX_TOKENS,
    BUDGET,
    BUDGET_CALLS,
    BUDGET_TOKENS,
    BUDGET_DAY,
    CONFIRM_ABOVE,
    BATCH_MIN,
    QUEUE,
    QUEUE_WAIT,
    URLS,
    DEFAULT_AGENT,
    DEFAULT_PROVIDER,
    DEFAULT_PROFILE,
    CONTEXT_BUDGET,
    FIND_BUDGET,
    CONTEXT_SYSTEM,
    PROGRESS,
    HOOKS,
    HOOK_QUIET,
    HOOK_BUDGET,
    HOOK_COMPLETE,
    REMOTE,
    REMOTE_REF,
    SHARE,
    PUBLISH,
    AUTO_SYNC,
    SYNC_INTERVAL,
    ACCEPT_FRAMES,
    SIGN,
    SIGNING_KEY,
];

/// The settings `merkle.<remote>.<key>`.
pub const REMOTES: &[Setting] = &[REMOTE_ACCEPT_FRAMES];

/// All settings.
pub fn all() -> impl Iterator<Item = &'static Setting> {
    GENERAL.iter().chain(provider::ALL).chain(REMOTES)
}
