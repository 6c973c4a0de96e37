//! The index of the search: paths in files of JavaScript, which pages that come from a disk may load.
//!
//! Each file calls one function of `search.js` with its number, how many there are, and its lines: `path` where the page's address
//! follows from it, else `path`, a tab, and the address. Directories end with a slash.

use super::address;
use crate::base::printable;
use crate::base::printable::one_line;

/// The script.
pub const SCRIPT: &str = include_str!("search.js");
/// Bytes of lines after which the next file begins.
const SHARD_BYTES: usize = 1_000_000;

/// The lines of all pages, in files.
#[derive(Default)]
pub struct Shards {
    done: Vec<String>,
    lines: String,
}

impl Shards {
    /// Adds a page.
    pub fn add(&mut self, path: &[u8], is_directory: bool, page: &str) {
        let shown = printable(&one_line(&String::from_utf8_lossy(path))).to_string();
        let slash = if is_directory { "/" } else { "" };
        self.lines.push_str(&shown);
        self.lines.push_str(slash);
        let plain = if is_directory {
            address::directory(&format!("tree/{shown}/"))
        } else {
            address::file("", &shown)
        };
        if page != plain {
            self.lines.push('\t');
            self.lines.push_str(page);
        }
        self.lines.push('\n');
        if self.lines.len() >= SHARD_BYTES {
            self.done.push(std::mem::take(&mut self.lines));
        }
    }

    /// The files, by name.
    #[must_use]
    pub fn finish(mut self) -> Vec<(String, String)> {
        if !self.lines.is_empty() || self.done.is_empty() {
            self.done.push(self.lines);
        }
        let count = self.done.len();
        let file = |(number, lines): (usize, &String)| {
            // In a string of JSON nothing ends a script but '<'.
            let text = serde_json::Value::from(lines.as_str())
                .to_string()
                .replace('<', "\\u003c");
            (
                format!("search/{number}.js"),
                format!("merkleIndex({number},{count},{text});\n"),
            )
        };
        self.done.iter().enumerate().map(file).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_one_line_and_no_script() {
        let mut shards = Shards::default();
        shards.add(b"src/lib.rs", false, "tree/src/lib.rs.html");
        shards.add(b"src", true, "tree/src/index.html");
        shards.add(b"</script>\n\"\xff", false, "tree/x~1.html");
        assert_eq!(
            shards.finish(),
            [(
                "search/0.js".to_owned(),
                "merkleIndex(0,1,\"src/lib.rs\\nsrc/\\n\\u003c/script> \\\"\u{fffd}\\ttree/x~1.html\\n\");\n".to_owned()
            )]
        );
    }
}
