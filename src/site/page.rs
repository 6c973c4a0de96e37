//! A page as a value, and its bytes.

use std::fmt::Write as _;
use std::sync::Arc;

use super::address::relative;
use super::escape::{escaped, thousands};
use super::freshness::{Freshness, FreshnessCounts};
use super::map::{DrawnMap, DrawnTile};
use super::shade::COLOURINGS;

/// The style sheet.
pub const STYLE: &str = include_str!("style.css");
/// What a page may load: its own style sheets and scripts, and nothing that stands in the page itself.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'none'";

/// A page of a file or directory.
#[derive(Debug, Default)]
pub struct SitePage {
    /// Where it stands in the site.
    pub address: String,
    /// What the repository is called.
    pub repository: String,
    /// The pages above, from the root: names and addresses.
    pub above: Vec<PageLink>,
    /// The name, with a slash behind a directory's.
    pub name: String,
    /// The path from the root.
    pub path: String,
    /// How what is said stands.
    pub freshness: Option<Freshness>,
    /// Short facts: sizes, counts, ids.
    pub facts: Vec<String>,
    /// What it is for, in one line of HTML.
    pub lead: String,
    /// What is in a directory; `None` for a file.
    pub inside: Option<Inside>,
    /// What is said, in the order in which it is read.
    pub said: Vec<SaidText>,
    /// What brings it up to date.
    pub mends: Vec<Mend>,
    /// Pages that refer to this one, and how many more do.
    pub referring: Option<(Vec<PageLink>, usize)>,
    /// The newest commits that changed it.
    pub history: Vec<Arc<PastCommit>>,
}

/// A commit that changed what a page is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PastCommit {
    /// The beginning of its id.
    pub id: String,
    /// The day, as in `2026-11-24`.
    pub day: String,
    /// The first line of its message.
    pub subject: String,
}

/// A name and the page that it leads to.
#[derive(Debug, Clone)]
pub struct PageLink {
    /// What is shown.
    pub name: String,
    /// The page's address.
    pub address: String,
}

/// What is in a directory.
#[derive(Debug, Default)]
pub struct Inside {
    /// How the files below stand.
    pub counts: FreshnessCounts,
    /// The rectangles of its map.
    pub tiles: Vec<DrawnTile>,
    /// Its entries.
    pub rows: Vec<EntryRow>,
    /// How many more there are.
    pub more: usize,
}

/// An entry of a directory.
#[derive(Debug)]
pub struct EntryRow {
    /// Its name, with a slash behind a directory's.
    pub name: String,
    /// The page's address; none for links and submodules.
    pub address: Option<String>,
    /// How what is said stands.
    pub freshness: Option<Freshness>,
    /// Of a directory: how the files below stand.
    pub counts: Option<FreshnessCounts>,
    /// Its size, or what it is.
    pub size: String,
    /// What it is for, in one line of HTML.
    pub says: String,
}

/// A statement.
#[derive(Debug)]
pub struct SaidText {
    /// Agent and type.
    pub title: String,
    /// Who, when, under which id.
    pub by: Vec<String>,
    /// Whether it holds.
    pub freshness: Freshness,
    /// Why it does not hold, or where it comes from.
    pub note: String,
    /// The text as HTML.
    pub html: String,
    /// True where the page says the same in another way: the reader opens it.
    pub is_folded: bool,
}

/// What is to be mended, and the command that does it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mend {
    /// What.
    pub what: String,
    /// The command.
    pub command: String,
}

impl SitePage {
    /// The bytes of the file.
    #[must_use]
    pub fn render(&self) -> String {
        let mut out = String::with_capacity(4_096);
        self.write_head(&mut out);
        let class = if self.inside.is_some() {
            "directory"
        } else {
            "file"
        };
        let _ = writeln!(out, "<main id=\"main\" class=\"{class}\">");
        self.write_title(&mut out);
        if let Some(inside) = &self.inside {
            let map = DrawnMap {
                tiles: &inside.tiles,
                counts: &inside.counts,
                colourings: &COLOURINGS,
                first: "freshness",
            };
            map.write(&mut out, &|address| self.link(address));
        }
        out.push_str("<div class=\"columns\">\n");
        if let Some(inside) = &self.inside {
            self.write_rows(&mut out, inside);
        }
        self.write_said(&mut out);
        if !self.mends.is_empty() || self.referring.is_some() || !self.history.is_empty() {
            out.push_str("<aside aria-label=\"About this page\">\n");
            self.write_mends(&mut out);
            self.write_referring(&mut out);
            self.write_history(&mut out);
            out.push_str("</aside>\n");
        }
        out.push_str("</div>\n</main>\n<footer><p>What is known as of <span class=\"commit\"></span>; <code>git merkle browse</code> writes these pages anew.</p></footer>\n</body>\n</html>\n");
        out
    }

    fn link(&self, address: &str) -> String {
        escaped(&relative(&self.address, address)).to_string()
    }

    fn write_head(&self, out: &mut String) {
        let title = if self.path.is_empty() {
            escaped(&self.repository).to_string()
        } else {
            format!("{} · {}", escaped(&self.path), escaped(&self.repository))
        };
        let link = |file| self.link(file);
        let _ = write!(
            out,
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"referrer\" content=\"no-referrer\">\n<title>{title}</title>\n<link rel=\"icon\" href=\"data:,\">\n<link rel=\"stylesheet\" href=\"{}\">\n<link rel=\"stylesheet\" href=\"{}\">\n<script src=\"{}\" defer></script>\n</head>\n<body>\n<a class=\"skip\" href=\"#main\">Skip to the content</a>\n<header>\n<nav aria-label=\"Path\"><ol>\n",
            link("style.css"),
            link("commit.css"),
            link("search.js"),
        );
        for PageLink { name, address } in &self.above {
            let _ = writeln!(
                out,
                "<li><a href=\"{}\">{}</a></li>",
                self.link(address),
                escaped(name)
            );
        }
        let here = self.name.trim_end_matches('/');
        let _ = write!(
            out,
            "<li><span aria-current=\"page\">{}</span></li>\n</ol></nav>\n",
            escaped(here)
        );
        out.push_str("<div id=\"search\" role=\"search\" hidden>\n<label class=\"away\" for=\"query\">Search for a path</label>\n<input id=\"query\" type=\"search\" autocomplete=\"off\" spellcheck=\"false\" placeholder=\"Search for a path (press /)\">\n<div id=\"results\"><ul id=\"found\"></ul><p id=\"found-count\" role=\"status\"></p></div>\n</div>\n</header>\n");
    }

    fn write_title(&self, out: &mut String) {
        let _ = writeln!(out, "<h1>{}</h1>", escaped(&self.name));
        out.push_str("<ul class=\"facts\">");
        if let Some(freshness) = self.freshness {
            let _ = write!(out, "<li>{}</li>", state(freshness, ""));
        }
        for fact in &self.facts {
            let _ = write!(out, "<li>{}</li>", escaped(fact));
        }
        out.push_str("</ul>\n");
        if !self.lead.is_empty() {
            let _ = writeln!(out, "<p class=\"lead\">{}</p>", self.lead);
        }
    }

    fn write_rows(&self, out: &mut String, inside: &Inside) {
        out.push_str("<section aria-labelledby=\"in\">\n<h2 id=\"in\">In this directory</h2>\n<table class=\"entries\">\n<thead><tr><th scope=\"col\">Name</th><th scope=\"col\">State</th><th scope=\"col\" class=\"size\">Size</th><th scope=\"col\">What it is</th></tr></thead>\n<tbody>\n");
        for row in &inside.rows {
            let name = escaped(&row.name);
            let name = match &row.address {
                Some(address) => format!("<a href=\"{}\">{name}</a>", self.link(address)),
                None => format!("<span class=\"aside\">{name}</span>"),
            };
            let below = row.counts.map_or_else(String::new, |counts| below(&counts));
            let _ = writeln!(
                out,
                "<tr><td class=\"name\">{name}</td><td>{}{below}</td><td class=\"size\">{}</td><td class=\"says\">{}</td></tr>",
                row.freshness
                    .map_or_else(String::new, |freshness| state(freshness, "")),
                escaped(&row.size),
                row.says
            );
        }
        out.push_str("</tbody>\n</table>\n");
        if inside.more > 0 {
            let _ = writeln!(
                out,
                "<p class=\"more\">… and {} more; the search finds them.</p>",
                thousands(inside.more as u64)
            );
        }
        out.push_str("</section>\n");
    }

    fn write_said(&self, out: &mut String) {
        out.push_str("<section aria-labelledby=\"said\">\n<h2 id=\"said\">What is said</h2>\n");
        if self.said.is_empty() {
            out.push_str("<p class=\"more\">Nothing about this content.</p>\n");
        }
        for said in &self.said {
            said.write(out);
        }
        out.push_str("</section>\n");
    }

    fn write_mends(&self, out: &mut String) {
        if self.mends.is_empty() {
            return;
        }
        out.push_str(
            "<section aria-labelledby=\"mend\">\n<h2 id=\"mend\">To bring it up to date</h2>\n",
        );
        out.push_str(&mends(&self.mends));
        out.push_str("</section>\n");
    }

    fn write_referring(&self, out: &mut String) {
        let Some((links, more)) = &self.referring else {
            return;
        };
        out.push_str("<section aria-labelledby=\"refers\">\n<h2 id=\"refers\">What refers to it</h2>\n<ul class=\"refers\">\n");
        for PageLink { name, address } in links {
            let _ = writeln!(
                out,
                "<li><a href=\"{}\">{}</a></li>",
                self.link(address),
                escaped(name)
            );
        }
        if *more > 0 {
            let _ = writeln!(
                out,
                "<li class=\"more\">… and {} more</li>",
                thousands(*more as u64)
            );
        }
        out.push_str("</ul>\n</section>\n");
    }

    fn write_history(&self, out: &mut String) {
        if self.history.is_empty() {
            return;
        }
        out.push_str("<section aria-labelledby=\"history\">\n<h2 id=\"history\">Changed by</h2>\n<ul class=\"history\">\n");
        for past in &self.history {
            let PastCommit { id, day, subject } = &**past;
            let _ = writeln!(
                out,
                "<li><span class=\"by\">{day} <code>{id}</code></span> {}</li>",
                escaped(subject)
            );
        }
        out.push_str("</ul>\n</section>\n");
    }
}

impl SaidText {
    /// Writes the statement as an article, or folded.
    pub fn write(&self, out: &mut String) {
        let (word, title) = (self.freshness.word(), escaped(&self.title));
        let heading = format!("<h3>{title}</h3> {}", state(self.freshness, &self.note));
        let by: Vec<String> = self.by.iter().map(|by| escaped(by).to_string()).collect();
        let body = format!(
            "<p class=\"by\">{}</p>\n<div class=\"text\">\n{}</div>",
            by.join(" · "),
            self.html
        );
        let _ = if self.is_folded {
            writeln!(
                out,
                "<details class=\"said {word}\"><summary>{heading}</summary>\n{body}\n</details>"
            )
        } else {
            writeln!(
                out,
                "<article class=\"said {word}\">{heading}\n{body}\n</article>"
            )
        };
    }
}

/// What is to be mended, with the commands.
#[must_use]
pub fn mends(mends: &[Mend]) -> String {
    let mut out = String::from("<dl class=\"mend\">\n");
    for Mend { what, command } in mends {
        let _ = writeln!(
            out,
            "<dt>{}</dt><dd><code>{}</code></dd>",
            escaped(what),
            escaped(command)
        );
    }
    out.push_str("</dl>\n");
    out
}

/// Sign and word; the colour says nothing that these do not.
#[must_use]
pub fn state(freshness: Freshness, note: &str) -> String {
    let colon = if note.is_empty() { "" } else { ": " };
    format!(
        "<span class=\"state {0}\"><span class=\"sign\" aria-hidden=\"true\">{1}</span>{0}</span>{colon}{2}",
        freshness.word(),
        freshness.sign(),
        escaped(note)
    )
}

/// What asks for attention below a directory.
fn below(counts: &FreshnessCounts) -> String {
    let mut parts = Vec::new();
    for freshness in [Freshness::Outdated, Freshness::Carried, Freshness::Missing] {
        let count = counts.count(freshness);
        if count > 0 {
            parts.push(format!(
                "<span class=\"state {0}\"><span class=\"away\">{0}: </span><span class=\"sign\" aria-hidden=\"true\">{1}</span>{2}</span>",
                freshness.word(),
                freshness.sign(),
                thousands(count)
            ));
        }
    }
    if parts.is_empty() {
        return String::new();
    }
    format!(" <span class=\"below\">{} below</span>", parts.join(" "))
}
