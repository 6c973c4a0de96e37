//! A treemap as a picture in a page: rectangles that lead somewhere, colours by choice, and what the colours mean.
//!
//! It needs no script: style sheets follow the choice. Pages of the site and reviews draw theirs with it.

use std::fmt::Write as _;

use super::escape::{escaped, thousands};
use super::freshness::{Freshness, FreshnessCounts};
use super::shade::{Colouring, Shades};
use super::treemap::{HEIGHT, Rect, TITLE_HEIGHT, WIDTH};

/// Width of a letter of a map, about, and of a capital.
const LETTER: f64 = 6.4;
const CAPITAL: f64 = 7.4;
/// Rectangles smaller than this are not drawn: no eye finds them.
const TILE_MIN: f64 = 1.5;

/// A rectangle of a map, ready to be drawn.
#[derive(Debug)]
pub struct DrawnTile {
    /// Where.
    pub rect: Rect,
    /// The name; a number of entries for what stands for several.
    pub label: String,
    /// What is shown when the pointer rests on it.
    pub title: String,
    /// Where it leads; nowhere where there is no one page.
    pub address: Option<String>,
    /// Its colour; none for a directory whose entries stand in it, and for what stands for several.
    pub freshness: Option<Freshness>,
    /// Its other colours.
    pub shades: Shades,
}

impl DrawnTile {
    /// What stands for entries that are too small to be drawn.
    #[must_use]
    pub fn more(rect: Rect, count: usize) -> Self {
        let label = format!("{count} more");
        Self {
            rect,
            title: label.clone(),
            label,
            address: None,
            freshness: None,
            shades: Shades::default(),
        }
    }
}

/// A map, ready to be written.
#[derive(Debug)]
pub struct DrawnMap<'m> {
    /// Its rectangles.
    pub tiles: &'m [DrawnTile],
    /// How the files stand.
    pub counts: &'m FreshnessCounts,
    /// The colours beside freshness.
    pub colourings: &'m [Colouring],
    /// The word of the colours that are shown first.
    pub first: &'static str,
}

impl DrawnMap<'_> {
    /// Writes the figure; nothing without rectangles. `link` says where an address leads, ready for an attribute.
    pub fn write(&self, out: &mut String, link: &dyn Fn(&str) -> String) {
        if self.tiles.is_empty() {
            return;
        }
        out.push_str("<figure>\n");
        self.write_colourings(out);
        // The table or the list below says the same to those who do not see it.
        let _ = writeln!(
            out,
            "<svg class=\"map\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" preserveAspectRatio=\"none\" aria-hidden=\"true\" focusable=\"false\">\n<defs><pattern id=\"outdated\" width=\"7\" height=\"7\" patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\"><line class=\"hatch\" x1=\"0\" y1=\"0\" x2=\"0\" y2=\"7\"/></pattern><pattern id=\"carried\" width=\"7\" height=\"7\" patternUnits=\"userSpaceOnUse\"><circle class=\"dot\" cx=\"3.5\" cy=\"3.5\" r=\"1.3\"/></pattern></defs>"
        );
        let is_seen = |rect: &Rect| rect.width >= TILE_MIN && rect.height >= TILE_MIN;
        for tile in self.tiles.iter().filter(|tile| is_seen(&tile.rect)) {
            self.write_tile(out, tile, link);
        }
        out.push_str("</svg>\n<figcaption>\n<ul class=\"legend freshness\">");
        for freshness in Freshness::ALL {
            let count = self.counts.count(freshness);
            if count > 0 {
                let _ = write!(
                    out,
                    "<li title=\"{}\"><svg viewBox=\"0 0 26 17\" aria-hidden=\"true\">{}</svg>{} {}</li>",
                    freshness.meaning(),
                    rectangle(
                        &Rect {
                            x: 0.5,
                            y: 0.5,
                            width: 25.0,
                            height: 16.0
                        },
                        freshness.word(),
                        Some(freshness),
                        ""
                    ),
                    thousands(count),
                    freshness.word(),
                );
            }
        }
        out.push_str("</ul>\n");
        self.write_legends(out);
        out.push_str("</figcaption>\n</figure>\n");
    }

    fn write_tile(&self, out: &mut String, tile: &DrawnTile, link: &dyn Fn(&str) -> String) {
        if let Some(address) = &tile.address {
            let _ = write!(out, "<a href=\"{}\" tabindex=\"-1\">", link(address));
        }
        let class = tile.freshness.map_or("open", Freshness::word);
        let shades = tile
            .freshness
            .map_or_else(String::new, |_| tile.shades.classes(self.colourings));
        let _ = write!(
            out,
            "<g><title>{}</title>{}</g>",
            escaped(&tile.title),
            rectangle(&tile.rect, class, tile.freshness, &shades)
        );
        let Rect {
            x,
            y,
            width,
            height,
        } = tile.rect;
        let room = width - 8.0;
        if room >= 3.0 * CAPITAL && height >= TITLE_HEIGHT - 1.0 {
            let class = if tile.freshness.is_none() {
                " class=\"title\""
            } else {
                ""
            };
            let _ = write!(
                out,
                "<text{class} x=\"{:.0}\" y=\"{:.0}\">{}</text>",
                x + 4.0,
                y + 12.0,
                escaped(&shortened(&tile.label, room))
            );
        }
        out.push_str(if tile.address.is_some() {
            "</a>\n"
        } else {
            "\n"
        });
    }

    /// A choice of what the colours of a map say; style sheets do the rest.
    fn write_colourings(&self, out: &mut String) {
        out.push_str("<fieldset class=\"colours\"><legend>Colours by</legend>");
        let words = std::iter::once("freshness").chain(self.colourings.iter().map(|one| one.word));
        for word in words {
            let checked = if word == self.first { " checked" } else { "" };
            let _ = write!(
                out,
                "<label><input type=\"radio\" name=\"colours\" id=\"by-{word}\" autocomplete=\"off\"{checked}> {word}</label>"
            );
        }
        out.push_str("</fieldset>\n");
    }

    /// What the steps of the other colours mean.
    fn write_legends(&self, out: &mut String) {
        for one in self.colourings {
            let _ = write!(out, "<ul class=\"legend {}\">", one.word);
            for (step, meaning) in one.steps.iter().enumerate() {
                let _ = write!(
                    out,
                    "<li><svg viewBox=\"0 0 26 17\" aria-hidden=\"true\"><rect class=\"tile {}{step}\" x=\"0.5\" y=\"0.5\" width=\"25\" height=\"16\"/></svg>{meaning}</li>",
                    one.letter
                );
            }
            out.push_str("</ul>\n");
        }
    }
}

fn rectangle(rect: &Rect, class: &str, freshness: Option<Freshness>, shades: &str) -> String {
    let Rect {
        x,
        y,
        width,
        height,
    } = *rect;
    let place = format!("x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\"");
    let over = match freshness {
        Some(Freshness::Outdated | Freshness::Carried) => {
            format!("<rect class=\"over\" {place} fill=\"url(#{class})\"/>")
        }
        _ => String::new(),
    };
    format!("<rect class=\"tile {class}{shades}\" {place}/>{over}")
}

/// As much of a text as has room. A caller leaves room for a letter and the dots.
fn shortened(text: &str, room: f64) -> String {
    let width = |c: char| if c.is_uppercase() { CAPITAL } else { LETTER };
    if text.chars().map(width).sum::<f64>() <= room {
        return text.to_owned();
    }
    let mut left = room - LETTER;
    let fits = |c: &char| {
        left -= width(*c);
        left >= 0.0
    };
    let start: String = text.chars().take_while(fits).collect();
    format!("{start}…")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capitals_need_more_room() {
        for (text, room, expected) in [
            ("changelog", 9.0 * LETTER, "changelog"),
            ("CHANGELOG", 9.0 * LETTER, "CHANGE…"),
            ("CHANGELOG", 9.0 * CAPITAL, "CHANGELOG"),
            ("ab", LETTER, "…"),
        ] {
            assert_eq!(shortened(text, room), expected);
        }
    }
}
