//! What a review touches as a picture: the files that differ as rectangles, and the same in a table.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::known::Known;
use crate::base::TreePath;
use crate::base::number::{IndexVec, to_u32};
use crate::review::{Changes, ReviewedNumber, Section, parts_of_files};
use crate::site::escape::{counted, thousands};
use crate::site::map::{DrawnMap, DrawnTile};
use crate::site::page::state;
use crate::site::shade::{CHANGES, Shades};
use crate::site::treemap::{Rect, Weighed, lay_out};
use crate::site::{Freshness, FreshnessCounts, escaped};

/// Rows of the table: more than a person reads.
const ROWS_MAX: usize = 2_000;

/// A file or folder of the picture.
#[derive(Default)]
struct Node {
    path: TreePath,
    lines: u64,
    /// The step of what changed in it; of a folder the largest below.
    step: u8,
    counts: FreshnessCounts,
    /// The part that tells of a file.
    part: Option<usize>,
    children: Vec<u32>,
}

/// A map of the files that differ, each as large as the lines that do; nothing where one file differs.
pub(super) fn picture(
    changes: &Changes,
    lines: &IndexVec<ReviewedNumber, u64>,
    known: &Known<'_>,
    titles: &[String],
) -> String {
    if changes.files.len() < 2 {
        return String::new();
    }
    let nodes = nodes(changes, lines, known, titles);
    let children = |number: u32| -> Vec<Weighed> {
        let inside = nodes[number as usize].children.iter();
        let weighed = |&number: &u32| Weighed {
            number,
            size: nodes[number as usize].lines,
            is_directory: !nodes[number as usize].children.is_empty(),
        };
        inside.map(weighed).collect()
    };
    let tiles: Vec<DrawnTile> = lay_out(0, &children)
        .into_iter()
        .map(|tile| match tile.number {
            None => DrawnTile::more(tile.rect, tile.count),
            Some(number) => drawn(&nodes[number as usize], tile.rect, tile.is_open),
        })
        .collect();
    let mut out = String::new();
    let map = DrawnMap {
        tiles: &tiles,
        counts: &nodes[0].counts,
        colourings: &[CHANGES],
        first: CHANGES.word,
    };
    map.write(&mut out, &|address| escaped(address).to_string());
    out
}

fn drawn(node: &Node, rect: Rect, is_open: bool) -> DrawnTile {
    let is_folder = !node.children.is_empty();
    let (path, freshness) = (node.path.to_text(), node.counts.worst());
    let name = path.rsplit('/').next().unwrap_or_default();
    DrawnTile {
        rect,
        label: if is_folder {
            format!("{name}/")
        } else {
            name.to_owned()
        },
        title: format!(
            "{path} · {} · {} · {}",
            counted(node.lines, "line differs", "lines differ"),
            CHANGES.steps[node.step as usize],
            freshness.word()
        ),
        address: node.part.map(|part| format!("#part{part}")),
        freshness: (!is_open).then_some(freshness),
        shades: Shades {
            change: node.step,
            ..Shades::default()
        },
    }
}

/// The files that differ and the folders around them, the root first.
fn nodes(
    changes: &Changes,
    lines: &IndexVec<ReviewedNumber, u64>,
    known: &Known<'_>,
    titles: &[String],
) -> Vec<Node> {
    let mut nodes = vec![Node::default()];
    let mut folders: BTreeMap<TreePath, u32> = BTreeMap::from([(TreePath::root(), 0)]);
    for (at, (title, section)) in parts_of_files(changes).into_iter_enumerated() {
        let path = changes.files[at].path();
        let leaf = Node {
            path: path.clone(),
            lines: lines[at],
            step: step(section),
            counts: FreshnessCounts::of(freshness(known, path)),
            part: titles.iter().position(|known| known == title),
            children: Vec::new(),
        };
        let (counts, lines, step) = (leaf.counts, leaf.lines, leaf.step);
        let mut child = to_u32(nodes.len());
        nodes.push(leaf);
        let mut above = path.parent();
        let mut is_linked = false;
        while let Some(folder) = above {
            let number = *folders.entry(folder.clone()).or_insert_with(|| {
                nodes.push(Node {
                    path: folder.clone(),
                    ..Node::default()
                });
                to_u32(nodes.len() - 1)
            });
            let node = &mut nodes[number as usize];
            if !is_linked {
                is_linked = node.lines > 0;
                node.children.push(child);
            }
            node.lines = node.lines.saturating_add(lines);
            node.step = node.step.max(step);
            node.counts.add(&counts);
            child = number;
            above = folder.parent();
        }
    }
    nodes
}

fn step(section: Option<Section>) -> u8 {
    match section {
        None => 0,
        Some(Section::Test | Section::Aside | Section::Private) => 1,
        Some(Section::Added | Section::Moved) => 2,
        Some(Section::Body | Section::Caller) => 3,
        Some(Section::Public) => 4,
    }
}

fn freshness(known: &Known<'_>, path: &TreePath) -> Freshness {
    let known = known.touched.freshness.get(path);
    known.copied().unwrap_or(Freshness::Missing)
}

/// The same in words, with links to what is told of each file.
pub(super) fn files(
    changes: &Changes,
    lines: &IndexVec<ReviewedNumber, u64>,
    known: &Known<'_>,
    titles: &[String],
) -> String {
    let mut out = String::from(
        "<table class=\"entries\">\n<thead><tr><th scope=\"col\">Name</th><th scope=\"col\">State</th><th scope=\"col\" class=\"size\">Lines</th><th scope=\"col\">What differs</th></tr></thead>\n<tbody>\n",
    );
    let parts = parts_of_files(changes);
    for (at, file) in changes.files.iter_enumerated().take(ROWS_MAX) {
        let (title, section) = parts[at];
        let (name, freshness) = (file.path().to_text(), freshness(known, file.path()));
        let name = match titles.iter().position(|known| known == title) {
            Some(part) => format!("<a href=\"#part{part}\">{}</a>", escaped(&name)),
            None => escaped(&name).to_string(),
        };
        let _ = writeln!(
            out,
            "<tr><td class=\"name\">{name}</td><td>{}</td><td class=\"size\">{}</td><td class=\"says\">{}</td></tr>",
            state(freshness, ""),
            thousands(lines[at]),
            CHANGES.steps[step(section) as usize]
        );
    }
    out.push_str("</tbody>\n</table>\n");
    if let Some(more) = changes
        .files
        .len()
        .checked_sub(ROWS_MAX)
        .filter(|more| *more > 0)
    {
        let _ = writeln!(out, "<p class=\"more\">… and {more} more.</p>");
    }
    out
}
