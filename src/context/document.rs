//! The document as a plan: everything is decided here, and then the sections are written in order.
//!
//! Each section ends where the next begins, so one of them can be written by itself, and all of them together, behind
//! the title, are the document.

use std::borrow::Cow;
use std::io::{self, Write};
use std::rc::Rc;

use super::budget::{Cost, Fit, Level, fit};
use super::counted::Counted;
use super::markdown::{self, push_fenced};
use super::pages;
use super::people::{MEMOS, PeopleFiles};
use super::render::Blocks;
use super::resource::{Body, OutlineSource, Resolver, Resource, secrets, weight};
use super::scope::{List, Scope};
use super::secrets::{Found, Guard};
use super::tree::Tree;
use crate::base::limit::TREE_DEPTH_MAX;
use crate::base::token::{self, Sample};
use crate::base::{FrameType, NodeId, TreePath};
use crate::frame::{Head, Skipped, Store, StoreError};
use crate::git::Repository;
use crate::node::ScanError;
use crate::secret::redact;

/// What stands above all sections.
const TITLE: &[u8] = b"# Agent Invocation Payload\n\n";
/// The largest part of a budget that the project structure may take: one in so many tokens.
const STRUCTURE_SHARE: u64 = 4;

/// What stands for the memos among the numbers of resources.
const MEMOS_NUMBER: usize = usize::MAX;

/// Names that are searched in one pass.
const NAMES_AT_ONCE: usize = 4_096;

/// The sections of the document, by number.
pub const SECTIONS: std::ops::RangeInclusive<u8> = 1..=5;

/// Why there is no document.
#[derive(Debug, thiserror::Error)]
pub enum ContextError {
    /// The snapshot cannot be walked.
    #[error(transparent)]
    Scan(#[from] ScanError),
    /// The store cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A reading thread failed.
    #[error("cannot read the resources")]
    Read(#[source] io::Error),
    /// Even with nothing but names it is too long.
    #[error("the document takes at least {needed} tokens with nothing but names, over the budget of {tokens_max}")]
    Budget {
        /// What it takes.
        needed: u64,
        /// What there is.
        tokens_max: u64,
    },
}

/// What the document says about the machine.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct System {
    /// The directory that the process runs in: the name of the repository's directory, and the path below that.
    pub cwd: Vec<u8>,
    /// Which state of the repository the document shows.
    pub snapshot: String,
    /// Name and version of the operating system.
    pub os: String,
    /// The name of the user's shell, when it is known.
    pub shell: Option<String>,
}

impl System {
    /// What it says, for a search.
    fn text(&self) -> Vec<u8> {
        [self.cwd.as_slice(), self.os.as_bytes(), self.shell.as_deref().unwrap_or_default().as_bytes()].join(&b'\n')
    }

    fn without_secrets(&self, guard: &Guard<'_>) -> Self {
        let shown = |text: &str| String::from_utf8_lossy(&guard.shown(text.as_bytes())).into_owned();
        let cwd = guard.shown(&self.cwd).into_owned();
        Self { cwd, snapshot: self.snapshot.clone(), os: shown(&self.os), shell: self.shell.as_deref().map(shown) }
    }
}

/// What a document is made of.
pub struct Request<'r, 'l> {
    /// The repository.
    pub repo: &'r Repository,
    /// The root tree of the snapshot that files are read from.
    pub tree: NodeId,
    /// The lists, strongest scope first.
    pub lists: &'l [List],
    /// A type whose head frames are added to the files and directories that are listed.
    pub frames: Option<FrameType>,
    /// The most tokens that the document may take, as this program estimates them.
    pub tokens_max: Option<u64>,
    /// Where pages come from.
    pub pages: pages::Source<'l>,
    /// What makes the outline of a node that has no frame.
    pub outlines: OutlineSource<'l>,
    /// Whether a head frame still holds, in a word.
    pub state_of: StateOf<'l>,
    /// Entries of the store that are passed over.
    pub skipped: Skipped,
    /// What the user has accepted of the repository's own files.
    pub accepted: Accepted,
    /// The machine.
    pub system: System,
}

/// Which files of `.teddy` the user has accepted; true where there is none.
#[derive(Debug, Clone, Copy)]
pub struct Accepted {
    /// The memos.
    pub memos: bool,
    /// The list that every turn sees.
    pub global: bool,
    /// The lists of the session and its turn.
    pub session: bool,
}

impl Accepted {
    fn list(self, scope: Scope) -> bool {
        if scope == Scope::Global { self.global } else { self.session }
    }
}

/// Tells whether a head frame still holds, in a word such as `fresh`.
pub type StateOf<'l> = &'l dyn Fn(&Store<'_>, &Head) -> &'static str;

/// A resource with its body, or why that is not shown.
pub type Bodied<'d> = (&'d Resource, Result<String, String>);

/// A document that is ready to be written.
pub struct Document<'r> {
    repo: &'r Repository,
    store_commit: Option<NodeId>,
    tree: Rc<Tree>,
    /// Levels of directories that the structure shows.
    depth_max: usize,
    memos: Option<Result<Vec<u8>, String>>,
    system: System,
    resources: Vec<Resource>,
    fit: Option<Fit>,
    accepted: Accepted,
    /// What is shown without its secrets.
    redacted: Option<(Guard<'r>, Found)>,
}

impl<'r> Document<'r> {
    /// Decides what the document shows. Nothing is written, but by the source of the pages.
    pub fn plan(request: &Request<'r, '_>) -> Result<Self, ContextError> {
        let Request { repo, tree: id, lists, .. } = *request;
        let tree = Tree::read(repo, id)?;
        let store = Store::open(repo)?.noting(request.skipped.clone());
        let people = PeopleFiles::new(repo, id);
        let memos = read_memos(&people);
        let mut resolver = Resolver::new((&store, &people), tree, request.frames.clone(), request.outlines);
        resolver.add_lists(lists);
        let (mut resources, wanted, tree) = resolver.finish();
        pages::fill(&mut resources, &wanted, request.pages);
        let mut document = Self {
            repo,
            store_commit: store.commit(),
            tree,
            depth_max: TREE_DEPTH_MAX,
            memos,
            system: request.system.clone(),
            resources,
            fit: None,
            redacted: None,
            accepted: request.accepted,
        };
        if let Some(tokens_max) = request.tokens_max {
            document.reduce(tokens_max)?;
        }
        document.look_up_states(&store, request.state_of)?;
        Ok(document)
    }

    /// Looks up the state of each frame that is shown.
    fn look_up_states(&mut self, store: &Store<'_>, state_of: StateOf<'_>) -> Result<(), ContextError> {
        for (at, resource) in self.resources.iter_mut().enumerate() {
            let head = match (&resource.body, self.fit.as_ref().map(|fit| fit.levels[at])) {
                (Body::Frame(node, agent, frame_type), _) => store.head(node, agent, frame_type)?,
                (Body::File(node), Some(Level::Frame)) => store.heads(node)?.into_iter().min_by_key(weight),
                _ => None,
            };
            resource.state = head.map(|head| state_of(store, &head));
        }
        Ok(())
    }

    /// The snapshot's root tree.
    #[must_use]
    pub fn tree_id(&self) -> NodeId {
        self.tree.id
    }

    /// The memos; `None` where there are none that can be shown.
    #[must_use]
    pub fn memos(&self) -> Option<String> {
        let memos = self.memos.as_ref()?.as_ref().ok()?;
        Some(String::from_utf8_lossy(memos).into_owned())
    }

    /// What it says about the machine, as a list.
    #[must_use]
    pub fn system_information(&self) -> String {
        let mut text = Vec::new();
        self.write_system(&mut text).expect("a vector takes everything");
        let text = String::from_utf8_lossy(&text);
        text.split_once("\n\n").map(|(_, list)| list.trim_end().to_owned()).unwrap_or_default()
    }

    /// The whole of it.
    pub fn text(&self) -> io::Result<String> {
        let mut text = Vec::new();
        self.write(&mut text, None)?;
        Ok(String::from_utf8_lossy(&text).into_owned())
    }

    /// Files in the document whose names look like those of secrets.
    pub fn secrets(&self) -> impl Iterator<Item = &[u8]> {
        secrets(&self.resources)
    }

    /// What is named and cannot be shown, each with its reason: what is refused, and files that this clone does not hold.
    pub fn missing(&self) -> Result<Vec<(&[u8], String)>, ContextError> {
        let missing = self.blocks().missing().map_err(ContextError::Read)?;
        let named = self.resources.iter().zip(missing);
        Ok(named.filter_map(|(resource, reason)| Some((resource.name.as_slice(), reason?))).collect())
    }

    /// What the document refuses, leaves out or reduces, one line of Markdown each: for the report of a turn.
    pub fn remarks(&self) -> Result<Vec<String>, ContextError> {
        let withheld = self.blocks().withheld().map_err(ContextError::Read)?;
        let withheld = self.resources.iter().zip(withheld).filter_map(|(resource, reason)| {
            Some(format!("{} is not included: {}", markdown::link(&resource.name, &resource.target()), reason?))
        });
        let fit = self.fit.iter().flat_map(|fit| fit.reduced.iter().map(|at| (&self.resources[*at], fit.levels[*at])));
        let reduced = fit
            .map(|(resource, level)| format!("{} is reduced to its {level}", markdown::link(&resource.name, &resource.target())));
        Ok(withheld.chain(reduced).collect())
    }

    /// The names in it that hold what looks like a secret: the first of each place where names stand.
    #[must_use]
    pub fn find_secret_names(&self, guard: &Guard<'_>) -> Found {
        let in_system = guard.find_in_name(&self.system.text(), &"the working directory or the shell");
        let in_tree = self.tree.find_secret_name(guard);
        let in_tree = in_tree.and_then(|(path, id)| guard.find_in_name(path.as_bytes(), &id));
        let in_lists = self.resources.chunks(NAMES_AT_ONCE).find_map(|part| {
            let at = guard.find_in_names(|| part.iter().map(|resource| resource.name.as_slice()))?;
            guard.find_in_name(&part[at].name, &part[at].object())
        });
        // What is listed mostly stands in the tree, too.
        let in_lists = in_lists.filter(|found| in_tree.as_ref().is_none_or(|known| known.id != found.id));
        Found { names: [in_system, in_tree, in_lists].into_iter().flatten().collect(), ..Found::default() }
    }

    /// Everything in its bodies that looks like a secret, memos among them, and the files in which there is nothing of the kind.
    pub fn find_secrets(&self, guard: &Guard<'_>) -> io::Result<(Found, Vec<NodeId>)> {
        let (mut bodies, clean) = self.blocks().find_secrets(guard)?;
        let memos = self.memos.as_ref().and_then(|memos| memos.as_ref().ok());
        bodies.extend(memos.and_then(|memos| guard.find(MEMOS.as_bytes(), memos).0).map(|secret| (MEMOS_NUMBER, secret)));
        Ok((Found { bodies, ..Found::default() }, clean))
    }

    /// Shows markers in the places of what was found.
    pub fn redact(&mut self, guard: Guard<'r>, found: Found) {
        if let (true, Some(Ok(memos))) = (found.bodies.contains_key(&MEMOS_NUMBER), &mut self.memos) {
            let text = String::from_utf8_lossy(memos);
            *memos = redact(&text, guard.scanner, &guard.allowed).text.into_owned().into_bytes();
        }
        if !found.names.is_empty() {
            for resource in &mut self.resources {
                if let Cow::Owned(shown) = guard.shown(&resource.name) {
                    resource.name = shown;
                }
            }
            self.system = self.system.without_secrets(&guard);
        }
        self.redacted = Some((guard, found));
    }

    /// What the lists name, and of each its body as far as it fits, or why it is not shown. All of it is in memory then.
    pub fn bodies(&self) -> Result<Vec<Bodied<'_>>, ContextError> {
        let bodies = self.blocks().bodies().map_err(ContextError::Read)?;
        Ok(self.resources.iter().zip(bodies).collect())
    }

    /// Writes the document, or one section of it.
    pub fn write(&self, out: &mut dyn Write, section: Option<u8>) -> io::Result<()> {
        self.write_sections(&mut Counted::new(out, None), section, &self.sizes(section)?)
    }

    /// The same, and estimates its tokens on the way.
    pub fn write_counted(&self, out: &mut dyn Write, section: Option<u8>) -> io::Result<u64> {
        let sizes = self.sizes(section)?;
        let mut counted = Counted::new(out, Some(Sample::of(sizes.iter().sum())));
        self.write_sections(&mut counted, section, &sizes)?;
        Ok(counted.finish())
    }

    /// The bytes of the resources, where any are written.
    fn sizes(&self, section: Option<u8>) -> io::Result<Vec<u64>> {
        if section.is_none_or(|wanted| wanted == *SECTIONS.end()) { self.blocks().sizes() } else { Ok(Vec::new()) }
    }

    fn write_sections(&self, out: &mut Counted<'_>, section: Option<u8>, sizes: &[u64]) -> io::Result<()> {
        if section.is_none() {
            out.write_all(TITLE)?;
        }
        for number in SECTIONS.filter(|number| section.is_none_or(|wanted| wanted == *number)) {
            match number {
                1 => self.write_system(out)?,
                2 => self.write_structure(out)?,
                3 => self.write_memos(out)?,
                4 => self.write_summary(out)?,
                _ => self.write_resources(out, sizes)?,
            }
        }
        Ok(())
    }

    fn write_system(&self, out: &mut dyn Write) -> io::Result<()> {
        let System { cwd, snapshot, os, shell } = &self.system;
        writeln!(out, "## 1. System Information\n")?;
        writeln!(out, "- **CWD:** {}", markdown::text(cwd))?;
        writeln!(out, "- **Snapshot:** {snapshot}")?;
        writeln!(out, "- **OS:** {}", markdown::text(os.as_bytes()))?;
        if let Some(shell) = shell {
            writeln!(out, "- **Shell:** {}", markdown::text(shell.as_bytes()))?;
        }
        writeln!(out)
    }

    fn write_structure(&self, out: &mut dyn Write) -> io::Result<()> {
        let fence = self.tree.fence();
        let guard = self.redacted.as_ref().filter(|(_, found)| !found.names.is_empty()).map(|(guard, _)| guard);
        writeln!(out, "## 2. Project Structure\n\n{fence}")?;
        self.tree.write_structure(out, self.depth_max, guard)?;
        writeln!(out, "{fence}\n")
    }

    fn write_memos(&self, out: &mut dyn Write) -> io::Result<()> {
        let Some(memos) = &self.memos else { return Ok(()) };
        writeln!(out, "## 3. Memos\n")?;
        if !self.accepted.memos {
            writeln!(out, "These come from files of this repository, which its user has not trusted.\n")?;
        }
        match memos {
            Ok(text) => {
                let mut fenced = Vec::with_capacity(text.len() + 16);
                push_fenced(&mut fenced, "", text);
                out.write_all(&fenced)?;
            }
            Err(reason) => writeln!(out, "Not included: {}.", markdown::text(reason.as_bytes()))?,
        }
        writeln!(out)
    }

    fn write_summary(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "## 4. Context Summary\n")?;
        for scope in Scope::ALL {
            let mut named = self.resources.iter().filter(|resource| resource.scopes.contains(scope)).peekable();
            if named.peek().is_none() {
                continue;
            }
            writeln!(out, "### {}\n", scope.title())?;
            if !self.accepted.list(scope) {
                writeln!(out, "Lists of this repository, which its user has not trusted, name some of these.\n")?;
            }
            for resource in named {
                let strongest = resource.scopes.strongest();
                let also = if strongest == scope { String::new() } else { format!(" (also in {})", strongest.title()) };
                writeln!(out, "- {}{also}", markdown::link(&resource.name, &resource.target()))?;
            }
            writeln!(out)?;
        }
        self.write_reduced(out)
    }

    fn write_reduced(&self, out: &mut dyn Write) -> io::Result<()> {
        let Some(fit) = &self.fit else { return Ok(()) };
        if fit.reduced.is_empty() && self.depth_max == TREE_DEPTH_MAX {
            return Ok(());
        }
        writeln!(out, "### Reduced\n")?;
        if self.depth_max < TREE_DEPTH_MAX {
            let levels = if self.depth_max == 1 { "level" } else { "levels" };
            writeln!(out, "- Project Structure: {} {levels}", self.depth_max)?;
        }
        for at in &fit.reduced {
            writeln!(out, "{}", reduced_line(&self.resources[*at], fit.levels[*at]))?;
        }
        writeln!(out)
    }

    fn write_resources(&self, out: &mut Counted<'_>, sizes: &[u64]) -> io::Result<()> {
        writeln!(out, "## 5. Resource Contents")?;
        self.blocks().write(out, sizes)
    }

    fn blocks(&self) -> Blocks<'_> {
        let levels = self.fit.as_ref().map_or(&[][..], |fit| &fit.levels);
        let redacted = self.redacted.as_ref().map(|(guard, found)| (guard, found));
        Blocks { repo: self.repo, store_commit: self.store_commit, resources: &self.resources, levels, redacted }
    }

    /// Reduces resources, and the structure if it takes more than its share, until everything fits.
    fn reduce(&mut self, tokens_max: u64) -> Result<(), ContextError> {
        self.reduce_structure(tokens_max / STRUCTURE_SHARE);
        // The headings of the list of reductions and of the last section.
        let fixed = self.tokens_of(&[1, 2, 3, 4]) + 40;
        let costs = self.costs(tokens_max.saturating_sub(fixed)).map_err(ContextError::Read)?;
        let fit = fit(&costs, tokens_max.saturating_sub(fixed));
        let needed = fixed + fit.tokens;
        if needed > tokens_max {
            return Err(ContextError::Budget { needed, tokens_max });
        }
        self.fit = Some(fit);
        Ok(())
    }

    /// Shows as many levels of directories as fit, at least one.
    fn reduce_structure(&mut self, tokens_max: u64) {
        if self.tokens_of(&[2]) <= tokens_max {
            return;
        }
        // From the top, since a level can have any number of times the paths of the one above.
        for depth in 1..self.tree.depth() {
            let before = std::mem::replace(&mut self.depth_max, depth);
            if depth > 1 && self.tokens_of(&[2]) > tokens_max {
                self.depth_max = before;
                return;
            }
        }
    }

    /// What each resource costs; outlines and frames are only looked at when the full texts do not fit.
    fn costs(&self, tokens_max: u64) -> io::Result<Vec<Cost>> {
        let full: Vec<u64> = self.blocks().measure(Level::Full)?.into_iter().map(Option::unwrap_or_default).collect();
        let (outlines, frames) = if full.iter().sum::<u64>() <= tokens_max {
            (vec![None; full.len()], vec![None; full.len()])
        } else {
            (self.blocks().measure(Level::Outline)?, self.blocks().measure(Level::Frame)?)
        };
        let line = |resource: &Resource| token::estimate(&reduced_line(resource, Level::Outline)) + 3;
        let costs = self.resources.iter().zip(full).zip(outlines.into_iter().zip(frames));
        Ok(costs
            .map(|((resource, full), (outline, frame))| Cost {
                scope: resource.scopes.strongest(),
                full,
                outline,
                frame,
                line: line(resource),
            })
            .collect())
    }

    fn tokens_of(&self, sections: &[u8]) -> u64 {
        let mut text = Vec::new();
        for section in sections {
            self.write(&mut text, Some(*section)).expect("a vector takes everything");
        }
        token::estimate(&String::from_utf8_lossy(&text))
    }
}

fn reduced_line(resource: &Resource, level: Level) -> String {
    format!("- {}: {level}", markdown::link(&resource.name, &resource.target()))
}

fn read_memos(people: &PeopleFiles<'_>) -> Option<Result<Vec<u8>, String>> {
    let text = people.read(&TreePath::from(MEMOS)).transpose()?;
    Some(text.and_then(|text| {
        let is_text = std::str::from_utf8(&text).is_ok() && !text.contains(&0);
        if is_text { Ok(text) } else { Err("not UTF-8 text".to_owned()) }
    }))
}
