//! Treemaps: a directory as rectangles within rectangles, each as large as what it stands for.
//!
//! Squarified (Bruls, Huizing and van Wijk, 2000): rows are laid along the shorter side, each as long as its rectangles stay close to
//! squares. The largest rectangle is opened first, until there are enough of them or none is large enough to be looked into;
//! so a map costs what it shows, however much stands below.

use crate::base::number::to_f64;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Width and height of a map.
pub const WIDTH: f64 = 1_000.0;
/// See [`WIDTH`].
pub const HEIGHT: f64 = 330.0;
/// Most rectangles of a map.
pub const TILES_MAX: usize = 2_000;
/// Most entries of one directory that have a rectangle of their own.
const CHILDREN_MAX: usize = 400;
/// Height of the line with a directory's name.
pub const TITLE_HEIGHT: f64 = 15.0;
/// Space between a directory's border and what is in it.
const INSET: f64 = 2.0;
/// A directory is opened if it is at least this wide and high.
const OPEN_MIN: [f64; 2] = [60.0, 44.0];

/// A rectangle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rect {
    /// From the left.
    pub x: f64,
    /// From the top.
    pub y: f64,
    /// To the right.
    pub width: f64,
    /// Down.
    pub height: f64,
}

/// Something with a size.
#[derive(Debug, Clone, Copy)]
pub struct Weighed {
    /// By which the caller knows it.
    pub number: u32,
    /// Its size; what has none is shown as one.
    pub size: u64,
    /// True where it can be looked into.
    pub is_directory: bool,
}

/// A rectangle of a map.
#[derive(Debug, Clone, Copy)]
pub struct Tile {
    /// What it stands for; `None` for what is too small to be told apart, by how much there is of it.
    pub number: Option<u32>,
    /// How many entries it stands for.
    pub count: usize,
    /// Where it is.
    pub rect: Rect,
    /// True where others stand in it.
    pub is_open: bool,
}

struct Candidate {
    tile: usize,
    area: f64,
}

impl PartialEq for Candidate {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Candidate {}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> Ordering {
        self.area
            .total_cmp(&other.area)
            .then(other.tile.cmp(&self.tile))
    }
}

/// Lays out what is in a directory. Each tile stands behind the one that it is in.
#[must_use]
pub fn lay_out(root: u32, children: &dyn Fn(u32) -> Vec<Weighed>) -> Vec<Tile> {
    let whole = Rect {
        x: 0.0,
        y: 0.0,
        width: WIDTH,
        height: HEIGHT,
    };
    let (mut tiles, mut waiting) = (Vec::new(), BinaryHeap::new());
    open(children(root), whole, &mut tiles, &mut waiting);
    while let Some(Candidate { tile, .. }) = waiting.pop() {
        let Some(inside) = tiles[tile].number.map(children) else {
            continue;
        };
        if tiles.len() + inside.len().min(CHILDREN_MAX + 1) > TILES_MAX {
            continue;
        }
        let Rect {
            x,
            y,
            width,
            height,
        } = tiles[tile].rect;
        tiles[tile].is_open = !inside.is_empty();
        let rect = Rect {
            x: x + INSET,
            y: y + TITLE_HEIGHT,
            width: width - 2.0 * INSET,
            height: height - TITLE_HEIGHT - INSET,
        };
        open(inside, rect, &mut tiles, &mut waiting);
    }
    tiles
}

fn open(
    mut items: Vec<Weighed>,
    rect: Rect,
    tiles: &mut Vec<Tile>,
    waiting: &mut BinaryHeap<Candidate>,
) {
    items.sort_by(|one, other| {
        other
            .size
            .cmp(&one.size)
            .then(one.number.cmp(&other.number))
    });
    let rest = items.split_off(items.len().min(CHILDREN_MAX));
    let size = |item: &Weighed| to_f64(item.size.max(1));
    let mut sizes: Vec<f64> = items.iter().map(size).collect();
    if !rest.is_empty() {
        sizes.push(rest.iter().map(size).sum());
    }
    // The rest is larger than the last of the others, and stands last all the same.
    for (at, rect) in squarify(&sizes, rect).into_iter().enumerate() {
        let item = items.get(at);
        let can_open = item.is_some_and(|item| item.is_directory)
            && rect.width >= OPEN_MIN[0]
            && rect.height >= OPEN_MIN[1];
        if can_open {
            waiting.push(Candidate {
                tile: tiles.len(),
                area: rect.width * rect.height,
            });
        }
        tiles.push(Tile {
            number: item.map(|item| item.number),
            count: if item.is_some() { 1 } else { rest.len() },
            rect,
            is_open: false,
        });
    }
}

/// Fills a rectangle with others whose areas are as their sizes, in this order.
#[must_use]
pub fn squarify(sizes: &[f64], rect: Rect) -> Vec<Rect> {
    let total: f64 = sizes.iter().sum();
    let (mut free, mut left) = (rect, total);
    let (mut done, mut start) = (Vec::with_capacity(sizes.len()), 0);
    while start < sizes.len() {
        let is_wide = free.width >= free.height;
        let (short, long) = if is_wide {
            (free.height, free.width)
        } else {
            (free.width, free.height)
        };
        let scale = if left > 0.0 { short * long / left } else { 0.0 };
        let (mut end, mut sum, mut worst) = (start, 0.0, f64::INFINITY);
        while end < sizes.len() {
            let area = sum + sizes[end] * scale;
            let thickness = area / short.max(f64::MIN_POSITIVE);
            let ratio = |size: f64| {
                let length = size * scale / thickness.max(f64::MIN_POSITIVE);
                (length / thickness).max(thickness / length.max(f64::MIN_POSITIVE))
            };
            let next = ratio(sizes[start]).max(ratio(sizes[end]));
            if next > worst {
                break;
            }
            (end, sum, worst) = (end + 1, area, next);
        }
        let end = end.max(start + 1);
        let row: f64 = sizes[start..end].iter().sum();
        let thickness = if left > 0.0 { long * row / left } else { 0.0 };
        let mut at = 0.0;
        for size in &sizes[start..end] {
            let length = if row > 0.0 { short * size / row } else { 0.0 };
            done.push(if is_wide {
                Rect {
                    x: free.x,
                    y: free.y + at,
                    width: thickness,
                    height: length,
                }
            } else {
                Rect {
                    x: free.x + at,
                    y: free.y,
                    width: length,
                    height: thickness,
                }
            });
            at += length;
        }
        if is_wide {
            free.x += thickness;
            free.width = (free.width - thickness).max(0.0);
        } else {
            free.y += thickness;
            free.height = (free.height - thickness).max(0.0);
        }
        (start, left) = (end, (left - row).max(0.0));
    }
    done
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: Rect = Rect {
        x: 0.0,
        y: 0.0,
        width: 600.0,
        height: 400.0,
    };

    #[test]
    fn areas_are_as_sizes_and_nothing_overlaps() {
        let sizes = [6.0, 6.0, 4.0, 3.0, 2.0, 2.0, 1.0];
        let rects = squarify(&sizes, WHOLE);
        for (rect, size) in rects.iter().zip(sizes) {
            assert!(
                (rect.width * rect.height - size * 10_000.0).abs() < 1e-6,
                "{rect:?}"
            );
            let ratio = (rect.width / rect.height).max(rect.height / rect.width);
            assert!(ratio < 3.5, "{rect:?}");
            assert!(rect.x >= -1e-9 && rect.x + rect.width <= 600.0 + 1e-6);
            assert!(rect.y >= -1e-9 && rect.y + rect.height <= 400.0 + 1e-6);
        }
        for (at, one) in rects.iter().enumerate() {
            for other in &rects[at + 1..] {
                let apart = one.x + one.width <= other.x + 1e-6
                    || other.x + other.width <= one.x + 1e-6
                    || one.y + one.height <= other.y + 1e-6
                    || other.y + other.height <= one.y + 1e-6;
                assert!(apart, "{one:?} {other:?}");
            }
        }
    }

    #[test]
    fn extreme_sizes_are_drawn_as_well() {
        for sizes in [vec![], vec![0.0; 5], vec![1e18, 1.0], vec![1.0; 3_000]] {
            let rects = squarify(&sizes, WHOLE);
            assert_eq!(rects.len(), sizes.len());
            assert!(
                rects
                    .iter()
                    .all(|rect| rect.width.is_finite() && rect.height.is_finite())
            );
        }
    }

    #[test]
    fn a_map_is_bounded_and_looks_into_what_is_large() {
        // Every directory has a thousand entries, all of them directories.
        let children = |_: u32| -> Vec<Weighed> {
            (0..1_000)
                .map(|number| Weighed {
                    number,
                    size: u64::from(1_000 - number),
                    is_directory: true,
                })
                .collect()
        };
        let tiles = lay_out(0, &children);
        assert!(tiles.len() <= TILES_MAX);
        assert_eq!(tiles[CHILDREN_MAX].count, 1_000 - CHILDREN_MAX);
        let two = |number: u32| -> Vec<Weighed> {
            let is_root = number == 0;
            (1..3)
                .map(|at| Weighed {
                    number: number * 2 + at,
                    size: 10,
                    is_directory: is_root,
                })
                .collect()
        };
        let tiles = lay_out(0, &two);
        assert_eq!(
            (
                tiles.len(),
                tiles.iter().filter(|tile| tile.is_open).count()
            ),
            (6, 2)
        );
    }
}
