//! What `status` has found, as `--json` says it.

use serde::Serialize;

use crate::base::count::counted;
use crate::cli::commands::regenerate::BatchDocument;
use crate::cli::commands::tiers::Reported;

#[derive(Serialize)]
pub(super) struct Document {
    pub(super) root: String,
    pub(super) commit: Option<String>,
    pub(super) files: u64,
    pub(super) directories: u64,
    /// How many paths the files stand at, where a content stands at several.
    #[serde(skip)]
    pub(super) paths: u64,
    /// Files that nothing is said about because their content is not in this repository, as far as that was looked at.
    pub(super) absent: u64,
    pub(super) store: Option<String>,
    /// Entries of the store that are no frames.
    pub(super) store_faults: u32,
    pub(super) slots: Vec<SlotDocument>,
    pub(super) spooled: usize,
    pub(super) damaged_spool_files: usize,
    /// Statements of this clone that wait for a signature.
    pub(super) unsigned: usize,
    /// Batches whose answers are owed, or were not taken yet; absent without one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) batches: Vec<BatchDocument>,
    /// The remote that frames are exchanged with, without asking it; absent where none or several may be meant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) remote: Option<RemoteDocument>,
    /// The remotes where several may be meant.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) remotes: Vec<String>,
    /// What providers have counted for the turns of sessions; absent before the first answer.
    #[serde(skip_serializing_if = "Reported::is_empty")]
    pub(super) turns: Reported,
}

#[derive(Serialize)]
pub(super) struct SlotDocument {
    pub(super) agent: String,
    pub(super) r#type: String,
    pub(super) fresh: u64,
    pub(super) outdated: u64,
    /// What people have said about earlier contents of paths and not ended; absent for agents that are no people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) carried: Option<u64>,
    /// Absent for agents whose frames are written by hand: nothing says that every node needs one.
    pub(super) missing: Option<u64>,
    /// How many frames have to be generated until everything is fresh, and the command that does it.
    #[serde(skip)]
    pub(super) behind: Option<(u64, String)>,
}

#[derive(Serialize)]
pub(super) struct RemoteDocument {
    pub(super) name: String,
    pub(super) fetched: bool,
    /// When frames were last exchanged, where that is known.
    pub(super) exchanged: Option<String>,
    pub(super) unpushed: usize,
    pub(super) held_back: usize,
    /// Whether this clone moves a ref of its own.
    pub(super) own_ref: bool,
    /// What the last exchange in the background failed with.
    pub(super) background_error: Option<String>,
}

impl RemoteDocument {
    pub(super) fn line(&self) -> String {
        let Self {
            name,
            fetched,
            exchanged,
            unpushed,
            held_back,
            own_ref,
            ..
        } = self;
        let way = "(use \"git merkle sync\")";
        let target = if *own_ref { " to a ref of its own" } else { "" };
        if !fetched {
            return format!("remote '{name}': its frames were never fetched {way}");
        }
        let exchanged = exchanged
            .as_ref()
            .map_or_else(String::new, |when| format!("exchanged {when}, "));
        let held = if *held_back > 0 {
            format!(", {held_back} held back")
        } else {
            String::new()
        };
        match unpushed {
            0 => format!("remote '{name}': {exchanged}nothing to push{target}{held}"),
            count => {
                let statements = counted(*count, "statement", "statements");
                format!("remote '{name}': {exchanged}{statements} to push{target}{held} {way}")
            }
        }
    }
}
