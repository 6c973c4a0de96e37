//! A page that stands alone: one file with its style in it, no script, no request; sections with a list of them at the start.

use std::fmt::Write as _;

use super::escape::escaped;
use super::page::STYLE;

/// What such a page may load: nothing but the style that stands in it.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

/// A page that stands alone.
#[derive(Debug, Default)]
pub struct Sheet {
    /// What it is, for the window and as a heading.
    pub title: String,
    /// What it comes to, in one line.
    pub verdict: String,
    /// Short facts.
    pub facts: Vec<String>,
    /// A picture of it, as HTML, with the same in words below.
    pub map: String,
    /// What it says.
    pub sections: Vec<SheetSection>,
    /// What stands below all of it.
    pub notes: Vec<String>,
}

/// A section.
#[derive(Debug)]
pub struct SheetSection {
    /// What it is about.
    pub title: String,
    /// Its HTML.
    pub html: String,
}

impl Sheet {
    /// The bytes of the file.
    #[must_use]
    pub fn render(&self) -> String {
        let title = escaped(&self.title);
        let mut out = format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"referrer\" content=\"no-referrer\">\n<title>{title}</title>\n<link rel=\"icon\" href=\"data:,\">\n<style>\n{STYLE}</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#main\">Skip to the content</a>\n"
        );
        self.write_contents(&mut out);
        let _ = writeln!(
            out,
            "<main id=\"main\">\n<h1>{title}</h1>\n<ul class=\"facts\">"
        );
        for fact in &self.facts {
            let _ = writeln!(out, "<li>{}</li>", escaped(fact));
        }
        let _ = writeln!(
            out,
            "</ul>\n<p class=\"lead\">{}</p>",
            escaped(&self.verdict)
        );
        out.push_str(&self.map);
        for (number, SheetSection { title, html }) in self.sections.iter().enumerate() {
            let _ = writeln!(
                out,
                "<section aria-labelledby=\"part{number}\">\n<h2 id=\"part{number}\">{}</h2>\n{html}</section>",
                escaped(title)
            );
        }
        out.push_str("</main>\n<footer>\n");
        for note in &self.notes {
            let _ = writeln!(out, "<p>{}</p>", escaped(note));
        }
        out.push_str("</footer>\n</body>\n</html>\n");
        out
    }

    fn write_contents(&self, out: &mut String) {
        if self.sections.len() < 2 {
            return;
        }
        out.push_str("<header>\n<nav class=\"parts\" aria-label=\"Parts\"><ol>\n");
        for (number, section) in self.sections.iter().enumerate() {
            let _ = writeln!(
                out,
                "<li><a href=\"#part{number}\">{}</a></li>",
                escaped(&section.title)
            );
        }
        out.push_str("</ol></nav>\n</header>\n");
    }
}
