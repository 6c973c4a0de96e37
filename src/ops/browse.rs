//! A static site of what is known: gathered from the repository and the store, page by page, and written where it differs.
//!
//! | what | how it stays small |
//! |---|---|
//! | nodes, heads, reasons | the plans that `status` makes; the index, no tree of the store |
//! | pages | the deepest level first, so that a directory finds the sentences of what is in it; each is written and forgotten |
//! | statements about earlier contents | one walk back for all paths, over what each commit has changed |
//! | maps | opened from the largest rectangle on, never walked to the end |
//! | the commit | in a style sheet of its own, so that a commit rewrites the pages of what it changed and no others |
//!
//! The pages themselves are values of [`site`](crate::site).

mod folder;
mod known;
mod links;
mod places;

use std::cell::Cell;
use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::sync::Arc;

use self::folder::SiteFolder;
pub use self::folder::SiteFolderError;
use self::known::{KnownNodes, NodeStatement, sentence};
use self::links::AllReferring;
use self::places::{ROOT, SpotNumber, Spots};
use super::files::FilesError;
use super::refresh::RefreshError;
use crate::base::cores::on_all_cores;
use crate::base::number::IndexVec;
use crate::base::{TreePath, clock};
use crate::frame::manifest::{AttestedStatements, speaker};
use crate::frame::{Frame, MadeBy, Slot, Store};
use crate::git::{EntryMode, ObjectError, Repository};
use crate::node::{NodeNumber, SnapshotRoot};
use crate::site::escape::{counted, size};
use crate::site::map::DrawnTile;
use crate::site::page::{EntryRow, Inside, Mend, PageLink, PastCommit, STYLE, SaidText, SitePage};
use crate::site::search::{SCRIPT, Shards};
use crate::site::shade::ShadeFacts;
use crate::site::treemap::{Weighed, lay_out};
use crate::site::{Freshness, FreshnessCounts, address, markdown};
use crate::synthesis::Reason;
use crate::workspace::Workspace;

/// Most pages of a site.
const PAGES_MAX: u64 = 1_000_000;
/// Rows of one directory's table.
const ROWS_MAX: usize = 5_000;
/// Characters of the line that says what an entry is.
const LINE_CHARS_MAX: usize = 160;
/// Links of one text that are looked for among the pages.
const LINKS_MAX: usize = 200;

/// The command that brings a slot's frame of a path up to date, where there is one.
pub type MendCommand<'m> = dyn Fn(&Slot, &TreePath, Reason) -> Option<String> + Sync + 'm;

/// What came of it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Browsed {
    /// Pages of files and directories.
    pub pages: usize,
    /// Files that were written, the style sheets, the script and its index included.
    pub written: usize,
    /// Files that were removed.
    pub removed: usize,
}

/// Why the site is not there.
#[derive(Debug, thiserror::Error)]
pub enum BrowseError {
    /// What is known cannot be found out.
    #[error(transparent)]
    Refresh(#[from] RefreshError),
    /// An object cannot be read.
    #[error(transparent)]
    Object(#[from] ObjectError),
    /// The files that may refer to others cannot be read.
    #[error(transparent)]
    Files(#[from] FilesError),
    /// The folder.
    #[error(transparent)]
    Folder(#[from] SiteFolderError),
    /// More pages than a person could look at.
    #[error("the snapshot has files and directories at more than {PAGES_MAX} paths")]
    TooMany,
}

/// Writes the site of a snapshot to a folder.
pub fn browse(
    workspace: &Workspace,
    store: &Store<'_>,
    root: &SnapshotRoot,
    output: &Path,
    mend: &MendCommand<'_>,
) -> Result<Browsed, BrowseError> {
    let folder = SiteFolder::open(output)?;
    let referring = links::referring(workspace, root)?;
    let history = links::history(&workspace.repository, root.commit)?;
    let known = KnownNodes::of(workspace, store, root)?;
    let spots = Spots::of(&known.scan, PAGES_MAX).ok_or(BrowseError::TooMany)?;
    let site = Site {
        repository: name(&workspace.repository),
        sizes: sizes(&workspace.repository, &known)?,
        known: &known,
        spots,
        mend,
        referring,
        history,
        today: today(workspace, root)?,
    };
    site.write(
        &workspace.repository,
        &folder,
        &commit_style(workspace, root)?,
    )
}

/// Everything that pages are made of.
struct Site<'s> {
    repository: String,
    known: &'s KnownNodes,
    spots: Spots<'s>,
    /// By node: a file's bytes, and those of all files below a directory's paths.
    sizes: IndexVec<NodeNumber, u64>,
    mend: &'s MendCommand<'s>,
    referring: AllReferring,
    history: HashMap<TreePath, Vec<Arc<PastCommit>>>,
    /// The day of the commit, since 1970.
    today: i64,
}

/// What is known of paths below, when their directory is written.
struct Below {
    freshness: IndexVec<SpotNumber, Freshness>,
    counts: IndexVec<SpotNumber, FreshnessCounts>,
    /// By path: what it is, in one line of HTML.
    lines: IndexVec<SpotNumber, Box<str>>,
    /// What statements have in common.
    facts: IndexVec<SpotNumber, ShadeFacts>,
}

impl Site<'_> {
    fn write(
        &self,
        repo: &Repository,
        folder: &SiteFolder,
        commit_style: &str,
    ) -> Result<Browsed, BrowseError> {
        let mut done = Browsed {
            pages: self.spots.len(),
            ..Browsed::default()
        };
        let (all, written) = self.begin(folder, commit_style)?;
        done.written = written;
        let numbers = self.spots.numbers();
        for number in numbers.filter(|number| self.spots.is_directory(*number)) {
            let address = self.spots.address(number);
            folder.make(address.strip_suffix("index.html").unwrap_or(&address))?;
        }
        // Files of the root stand in a folder of their own.
        folder.make("tree/")?;
        let mut below = self.below();
        for level in self.spots.levels_up() {
            let work = |repo: &Repository, at: usize| {
                let made = self.page(repo, SpotNumber::new(level.start + at), &below);
                let bytes = made.page.render();
                let written = folder.write(&made.page.address, bytes.as_bytes())?;
                Ok::<_, SiteFolderError>((written, made.line, made.facts))
            };
            let pages = on_all_cores(level.len(), repo, || repo.fork(), work);
            for (number, page) in level.map(SpotNumber::new).zip(pages) {
                let (written, line, facts) = page?;
                done.written += usize::from(written);
                below.lines[number] = line.into();
                below.facts[number] = facts;
            }
        }
        done.removed = folder.finish(&all)?;
        Ok(done)
    }

    /// Writes what is no page; the addresses of all files, and how many were written.
    fn begin(
        &self,
        folder: &SiteFolder,
        commit_style: &str,
    ) -> Result<(BTreeSet<String>, usize), SiteFolderError> {
        let shards = self.shards();
        let fixed = [
            ("style.css", STYLE),
            ("search.js", SCRIPT),
            ("commit.css", commit_style),
        ];
        let files = shards.iter().map(|(name, text)| (&name[..], &text[..]));
        let files: Vec<(&str, &str)> = fixed.into_iter().chain(files).collect();
        let all: BTreeSet<String> = self
            .spots
            .numbers()
            .map(|number| self.spots.address(number))
            .chain(files.iter().map(|(name, _)| (*name).to_owned()))
            .collect();
        folder.begin(&all)?;
        folder.make("search/")?;
        let mut written = 0;
        for (name, text) in files {
            written += usize::from(folder.write(name, text.as_bytes())?);
        }
        Ok((all, written))
    }

    fn shards(&self) -> Vec<(String, String)> {
        let mut shards = Shards::default();
        for number in self.spots.numbers().skip(1) {
            let (path, is_directory) = (self.spots.path(number), self.spots.is_directory(number));
            shards.add(path.as_bytes(), is_directory, &self.spots.address(number));
        }
        shards.finish()
    }

    /// How everything stands, and how much of it stands so below each directory.
    fn below(&self) -> Below {
        let count = self.spots.len();
        let mut below = Below {
            freshness: vec![Freshness::Missing; count].into(),
            counts: vec![FreshnessCounts::default(); count].into(),
            lines: vec![Box::default(); count].into(),
            facts: vec![ShadeFacts::default(); count].into(),
        };
        for number in self.spots.numbers().rev() {
            let node = self.spots.spot(number).node;
            let freshness = self.known.freshness(node, &self.spots.path(number));
            below.freshness[number] = freshness;
            let mut counts = FreshnessCounts::default();
            if self.spots.is_directory(number) {
                for child in self.spots.children(number) {
                    counts.add(&below.counts[child]);
                }
            } else {
                counts = FreshnessCounts::of(freshness);
            }
            below.counts[number] = counts;
        }
        below
    }

    fn page(&self, repo: &Repository, number: SpotNumber, below: &Below) -> MadePage {
        let spots = &self.spots;
        let node = spots.spot(number).node;
        let (path, is_directory) = (spots.path(number), spots.is_directory(number));
        let heard = self.known.heard(repo, node, &path);
        let line = sentence(&heard, spots.name(number), is_directory)
            .map_or_else(String::new, |text| markdown::line(&text, LINE_CHARS_MAX));
        let label = if number == ROOT {
            self.repository.clone()
        } else {
            spots.label(number)
        };
        let address = spots.address(number);
        let page = SitePage {
            repository: self.repository.clone(),
            above: self.above(number),
            name: label,
            path: path.to_text().into_owned(),
            freshness: Some(below.freshness[number]),
            facts: self.facts(number, below),
            lead: if is_directory {
                line.clone()
            } else {
                String::new()
            },
            inside: is_directory.then(|| self.inside(number, below)),
            said: heard
                .iter()
                .map(|heard| self.said(number, &address, heard))
                .collect(),
            mends: self.mends(number, &path, &heard),
            referring: self.referring(&path),
            history: self.history.get(&path).cloned().unwrap_or_default(),
            address,
        };
        let facts = self.shade_facts(number, &heard, below);
        MadePage { page, line, facts }
    }

    /// The pages of the files that refer to a file.
    fn referring(&self, path: &TreePath) -> Option<(Vec<PageLink>, usize)> {
        let (first, more) = self.referring.get(path)?;
        let (mut links, mut more) = (Vec::new(), more);
        for path in first {
            match self.spots.find(ROOT, &path.to_text()) {
                Some(number) => links.push(PageLink {
                    name: path.to_text().into_owned(),
                    address: self.spots.address(number),
                }),
                None => more += 1,
            }
        }
        Some((links, more))
    }

    /// What the statements of a path have in common with those of what is below it.
    fn shade_facts(
        &self,
        number: SpotNumber,
        heard: &[NodeStatement],
        below: &Below,
    ) -> ShadeFacts {
        let said = heard.iter().filter(|one| !one.is_synthesis);
        let said = said.filter(|one| one.frame.made_by() != MadeBy::Program);
        let mut facts = ShadeFacts::default();
        for NodeStatement { frame, .. } in said {
            let made = frame.created.as_deref().and_then(clock::parse_day);
            facts.add(&ShadeFacts {
                oldest: made,
                cost: frame.cost.map_or(0, |cost| cost.0),
                covered: 1,
                ..ShadeFacts::default()
            });
        }
        if self.spots.is_directory(number) {
            facts.covered = 0;
            for child in self.spots.children(number) {
                facts.add(&below.facts[child]);
            }
        } else {
            (facts.files, facts.covered) = (1, facts.covered.min(1));
        }
        facts
    }

    /// The pages above, from the root.
    fn above(&self, number: SpotNumber) -> Vec<PageLink> {
        let (mut links, mut at) = (Vec::new(), number);
        while at != ROOT {
            at = self.spots.spot(at).parent;
            let name = if at == ROOT {
                self.repository.clone()
            } else {
                String::from_utf8_lossy(self.spots.name(at)).into_owned()
            };
            let address = self.spots.address(at);
            links.push(PageLink { name, address });
        }
        links.reverse();
        links
    }

    fn facts(&self, number: SpotNumber, below: &Below) -> Vec<String> {
        let node = self.spots.spot(number).node;
        let bytes = size(self.sizes[node]);
        let id = self.spots.scan.node(node).id.short();
        if !self.spots.is_directory(number) {
            return vec![bytes, format!("blob {id}")];
        }
        let files = below.counts[number].total();
        let files = counted(files, "file", "files");
        vec![files, bytes, format!("tree {id}")]
    }

    fn said(&self, number: SpotNumber, address: &str, heard: &NodeStatement) -> SaidText {
        let NodeStatement {
            frame,
            reason,
            age,
            commit,
            is_synthesis,
        } = heard;
        let is_directory = self.spots.is_directory(number);
        let is_outline = frame.made_by() == MadeBy::Program && !is_synthesis;
        let title = if frame.agent.as_str() == frame.frame_type.as_str() {
            frame.agent.to_string()
        } else {
            format!("{}/{}", frame.agent, frame.frame_type)
        };
        let left = Cell::new(LINKS_MAX);
        let at = if is_directory {
            number
        } else {
            self.spots.spot(number).parent
        };
        let resolve = |path: &str| {
            left.set(left.get().checked_sub(1)?);
            let to = self.spots.address(self.spots.find(at, path)?);
            Some(address::relative(address, &to))
        };
        SaidText {
            title,
            by: by(frame, &self.known.attested),
            freshness: match (age, reason) {
                (Some(_), _) => Freshness::Carried,
                (None, Some(_)) => Freshness::Outdated,
                (None, None) if is_outline => Freshness::Outlined,
                (None, None) => Freshness::Fresh,
            },
            note: match (age, reason) {
                (Some(age), _) => age.clone(),
                (None, Some(reason)) => match commit {
                    Some(commit) => format!("{reason}, of commit {}", commit.short()),
                    None => reason.to_string(),
                },
                (None, None) => String::new(),
            },
            html: markdown::html(&frame.content, &resolve),
            // The table says the same of what is in a directory.
            is_folded: *is_synthesis || is_outline && is_directory,
        }
    }

    fn mends(&self, number: SpotNumber, path: &TreePath, heard: &[NodeStatement]) -> Vec<Mend> {
        let behind = self.known.behind(self.spots.spot(number).node);
        let mend = |(slot, reason): (&Slot, Reason)| {
            let what = format!("{}/{}: {reason}", slot.agent, slot.frame_type);
            let command = (self.mend)(slot, path, reason)?;
            Some(Mend { what, command })
        };
        let mut mends: Vec<Mend> = behind.filter_map(mend).collect();
        if let Some(frame) = heard.iter().find(|heard| heard.age.is_some()) {
            let slot = frame.frame.slot();
            mends.extend(
                (self.mend)(&slot, path, Reason::Changed).map(|command| Mend {
                    what: "a note about an earlier content still holds".to_owned(),
                    command,
                }),
            );
        }
        mends
    }

    fn inside(&self, number: SpotNumber, below: &Below) -> Inside {
        let rows = self.rows(number, below);
        let more = rows.1;
        Inside {
            counts: below.counts[number],
            tiles: self.tiles(number, below),
            rows: rows.0,
            more,
        }
    }

    fn rows(&self, number: SpotNumber, below: &Below) -> (Vec<EntryRow>, usize) {
        let spots = &self.spots;
        let mut children = spots.children(number);
        let entries = spots.scan.entries(spots.spot(number).node);
        let mut rows = Vec::new();
        let mut more = 0;
        for entry in entries {
            // Entries with a node and paths with a page are in one order.
            let child = entry.node.and_then(|_| children.next());
            if rows.len() == ROWS_MAX {
                more += 1;
                continue;
            }
            rows.push(match child {
                Some(child) => self.row(child, below),
                None => EntryRow {
                    name: String::from_utf8_lossy(entry.name).into_owned(),
                    address: None,
                    freshness: None,
                    counts: None,
                    size: String::new(),
                    says: match entry.mode {
                        EntryMode::Symlink => "symbolic link".to_owned(),
                        _ => "submodule".to_owned(),
                    },
                },
            });
        }
        // Directories first, as in other lists of files.
        rows.sort_by_key(|row| row.counts.is_none());
        (rows, more)
    }

    fn row(&self, number: SpotNumber, below: &Below) -> EntryRow {
        let spots = &self.spots;
        let is_directory = spots.is_directory(number);
        let counts = below.counts[number];
        EntryRow {
            name: spots.label(number),
            address: Some(spots.address(number)),
            freshness: Some(below.freshness[number]),
            counts: is_directory.then_some(counts),
            size: if is_directory {
                counted(counts.total(), "file", "files")
            } else {
                size(self.sizes[spots.spot(number).node])
            },
            says: below.lines[number].to_string(),
        }
    }

    fn tiles(&self, number: SpotNumber, below: &Below) -> Vec<DrawnTile> {
        let spots = &self.spots;
        let size_of = |number: SpotNumber| self.sizes[spots.spot(number).node];
        let children = |number| {
            let weighed = |child: SpotNumber| Weighed {
                number: child.raw(),
                size: size_of(child),
                is_directory: spots.is_directory(child),
            };
            spots
                .children(SpotNumber::from_raw(number))
                .map(weighed)
                .collect()
        };
        let tiles = lay_out(number.raw(), &children).into_iter();
        let drawn = tiles.map(|tile| match tile.number.map(SpotNumber::from_raw) {
            None => DrawnTile::more(tile.rect, tile.count),
            Some(child) => {
                // What is not looked into stands for what asks for attention most below it.
                let freshness = if spots.is_directory(child) {
                    below.counts[child].worst()
                } else {
                    below.freshness[child]
                };
                DrawnTile {
                    rect: tile.rect,
                    label: spots.label(child),
                    title: format!(
                        "{} · {} · {}",
                        spots.path(child).to_text(),
                        size(size_of(child)),
                        freshness.word()
                    ),
                    address: Some(spots.address(child)),
                    freshness: (!tile.is_open).then_some(freshness),
                    shades: below.facts[child].shades(self.today),
                }
            }
        });
        drawn.collect()
    }
}

/// A page, the line that the page of the directory above says of it, and what its map shows of it.
struct MadePage {
    page: SitePage,
    line: String,
    facts: ShadeFacts,
}

/// The day of the commit, against which ages are told; of a tree alone the first day.
fn today(workspace: &Workspace, root: &SnapshotRoot) -> Result<i64, ObjectError> {
    let Some(commit) = root.commit else {
        return Ok(0);
    };
    let seconds = workspace.repository.log_entry(&commit)?.seconds;
    Ok(clock::day_of(seconds))
}

/// Who said it, when, and under which id.
fn by(frame: &Frame, attested: &AttestedStatements) -> Vec<String> {
    let mut by = vec![speaker(frame, attested)];
    if let Some(created) = &frame.created {
        by.push(created.replacen('T', " ", 1).replace('Z', " UTC"));
    }
    by.extend(frame.cost.map(|cost| format!("{cost} USD")));
    by.push(format!("frame {}", frame.id.short()));
    by
}

/// What people call the repository: its folder.
fn name(repo: &Repository) -> String {
    let folder = repo.work_dir().unwrap_or_else(|| repo.git_dir());
    let name = folder.canonicalize().ok();
    let name = name.as_deref().and_then(Path::file_name);
    let name = name.map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    name.strip_suffix(".git").unwrap_or(&name).to_owned()
}

/// The sizes of all nodes. What is not in this clone has none.
fn sizes(repo: &Repository, known: &KnownNodes) -> Result<IndexVec<NodeNumber, u64>, ObjectError> {
    let scan = &known.scan;
    let look = |repo: &Repository, number: usize| {
        let node = scan.node(NodeNumber::new(number));
        if node.is_directory {
            return Ok(0);
        }
        let header = repo.header(&node.id)?;
        Ok::<_, ObjectError>(header.map_or(0, |header| header.size_bytes))
    };
    let found = on_all_cores(scan.len(), repo, || repo.fork(), look);
    let sizes: Result<_, _> = found.into_iter().collect();
    let mut sizes: IndexVec<NodeNumber, u64> = sizes?;
    for &number in scan.bottom_up() {
        let below = scan.children(number);
        let sum = below.fold(0_u64, |sum, child| sum.saturating_add(sizes[child]));
        if scan.node(number).is_directory {
            sizes[number] = sum;
        }
    }
    Ok(sizes)
}

/// The style sheet that says which commit the pages are of.
fn commit_style(workspace: &Workspace, root: &SnapshotRoot) -> Result<String, ObjectError> {
    let what = match root.commit {
        Some(commit) => {
            let seconds = workspace.repository.log_entry(&commit)?.seconds;
            let when = clock::render_utc(seconds);
            let day = when.split_once('T').map_or(when.as_str(), |(day, _)| day);
            format!("commit {} of {day}", commit.short())
        }
        None => format!("tree {}", root.tree.short()),
    };
    Ok(format!(
        "/* What the pages are of: in a file of its own, so that they change only where what they say does. */\n.commit::after {{ content: \"{what}\"; }}\n"
    ))
}
