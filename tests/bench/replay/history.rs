//! A history as a row of requests, each with the world that the program makes of it.

use std::path::Path;

use git_merkle::config::Environment;
use git_merkle::git::Location;
use git_merkle::node::Snapshot;
use git_merkle::ops;
use git_merkle::secret::Allowed;
use git_merkle::session::gather::{Ingredients, Sizes};
use git_merkle::session::task::Task;
use git_merkle::session::{self, World};
use git_merkle::tier::{Content, Item, Request, TierPolicy};
use git_merkle::workspace::Workspace;

use super::{SESSION_REQUESTS, TERMS};
use crate::corpus::{Scratch, note};
use crate::measure::{Failure, failure, git};

/// Requests in the newest part of a history.
const REQUESTS: usize = 60;
/// Files of a commit that are shown in full.
const FILES_MAX: usize = 8;
/// Where the program remembers the tiers of requests without a session.
const REMEMBERED: &str = "merkle/tiers/-";

/// Which snapshot the request for a commit shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Moment {
    /// The commit.
    After,
    /// Its parent.
    Before,
}

impl Moment {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::After => "after",
            Self::Before => "before",
        }
    }
}

/// One request to make: the snapshot, the files to show in full, the words.
struct Wish {
    head: String,
    files: Vec<String>,
    words: String,
}

pub(crate) struct History {
    scratch: Scratch,
    workspace: Workspace,
    wishes: Vec<Wish>,
}

/// A request as the program makes it.
pub(crate) struct Made<'h> {
    pub(crate) world: World<'h>,
    pub(crate) items: Vec<Item>,
    pub(crate) system: Content,
    /// The first since the memory of the tiers was cleared.
    pub(crate) is_first: bool,
}

impl Made<'_> {
    pub(crate) fn request(&self) -> Request<'_> {
        let reference = &self.world.reference;
        let (components, commits) = (&reference.components, reference.evidence.commits);
        Request {
            system: self.system,
            items: &self.items,
            components,
            commits,
            aliases: &reference.aliases,
        }
    }
}

impl History {
    /// Reads the newest commits of `HEAD` along first parents, in a scratch copy whose `HEAD` can be moved.
    pub(crate) fn read(clone: &Path, moment: Moment) -> Result<Self, Failure> {
        let scratch = Scratch::bare("replay", clone)?;
        let run = |arguments: &[&str]| git().args(arguments).inside(&scratch.path).output();
        let newest = format!("-n{REQUESTS}");
        let commits = run(&[
            "rev-list",
            "--first-parent",
            "--min-parents=1",
            &newest,
            "HEAD",
        ])?;
        let mut wishes = Vec::new();
        for commit in commits.lines().rev() {
            let parent = format!("{commit}~");
            let head = if moment == Moment::After {
                commit
            } else {
                &parent
            };
            let there = run(&["ls-tree", "-r", "--name-only", head])?;
            let there: std::collections::BTreeSet<&str> = there.lines().collect();
            // Binary files have no number of lines.
            let changed = run(&[
                "diff-tree",
                "-r",
                "--no-renames",
                "--numstat",
                &parent,
                commit,
            ])?;
            let text = changed
                .lines()
                .filter(|line| !line.starts_with('-'))
                .filter_map(|line| line.split('\t').nth(2));
            let files = text
                .filter(|path| there.contains(path) && !path.contains(['*', '?', '[', '"', ' ']));
            let files = files.take(FILES_MAX).map(str::to_owned).collect();
            let head = run(&["rev-parse", head])?.trim().to_owned();
            wishes.push(Wish {
                head,
                files,
                words: run(&["show", "-s", "--format=%B", commit])?,
            });
        }
        let location = Location {
            git_dir: Some(scratch.path.clone()),
            ..Location::default()
        };
        let workspace =
            Workspace::open(&location, &Environment::default(), [], None).map_err(failure)?;
        Ok(Self {
            scratch,
            workspace,
            wishes,
        })
    }

    /// The world of each request, made as the program makes it. Those that it refuses, for a secret that is shown, are left out.
    pub(crate) fn worlds(&self) -> Result<Vec<Made<'_>>, Failure> {
        let profile = ops::asking::profile(&self.workspace, None, false).map_err(failure)?;
        let mut all = Vec::new();
        for wish in &self.wishes {
            let is_first = all.len().is_multiple_of(SESSION_REQUESTS);
            if is_first {
                drop(std::fs::remove_file(self.scratch.path.join(REMEMBERED)));
            }
            git()
                .args(["update-ref", "--no-deref", "HEAD", &wish.head])
                .inside(&self.scratch.path)
                .output()?;
            let root = self
                .workspace
                .root(&Snapshot::Revision("HEAD".to_owned()))
                .map_err(failure)?;
            let ingredients = Ingredients {
                root: &root,
                session: None,
                number: None,
                task: Task {
                    request: wish.words.clone(),
                    ..Task::default()
                },
                named: &wish.files,
                images: &[],
                profile: &profile,
                allowed: &Allowed::default(),
            };
            let world = match session::gather::world(
                &self.workspace,
                &ingredients,
                Sizes::new(None, None, None),
            ) {
                Ok(world) => world,
                Err(error) => {
                    note(&format!("left out: {error}"));
                    continue;
                }
            };
            // What is remembered of a request is which items it had; where they stand is each strategy's own.
            let placed = session::tiers::place(
                &self.workspace.state,
                &world,
                None,
                TierPolicy::default(),
                &TERMS,
            );
            session::tiers::remember_sent(&self.workspace.state, &placed).map_err(failure)?;
            let (items, system) = (world.items(), world.system_content());
            all.push(Made {
                world,
                items,
                system,
                is_first,
            });
        }
        Ok(all)
    }
}
