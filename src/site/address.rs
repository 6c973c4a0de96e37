//! Where the page of a path stands: names that every file system and every server takes, and that no two paths share.
//!
//! | path | page |
//! |---|---|
//! | the root | `index.html` |
//! | `src`, `src/lib.rs` | `tree/src/index.html`, `tree/src/lib.rs.html` |
//! | `.github` | `tree/dot.github/index.html`: some servers leave out names with a dot in front |
//! | `a b`, `index`, a directory `x.html`, two names that differ in their case | with `~` and a digest of the name |
//! | what is far down | `deep/<digest of the path>/…` |
//!
//! Only letters, digits and `._+@,=-~` stand in an address, so it is its own form in a link, and never leads out of the site.

use std::collections::HashMap;

use crate::base::Digest;

/// Longest address of a page without its last name.
const FOLDER_BYTES_MAX: usize = 400;
/// Longest part of a name that stands in an address.
const NAME_BYTES_MAX: usize = 100;
/// Digits of a digest in a name: enough that no two names can be made to share it.
const DIGEST_DIGITS: usize = 32;
/// Names that a device has on some systems, with any ending.
const DEVICES: [&str; 4] = ["con", "prn", "aux", "nul"];

/// A name in a directory, with whether it is a directory itself.
pub type Named<'n> = (&'n [u8], bool);

/// The folder of a directory's page; of the root the empty text, else with a slash at its end.
#[must_use]
pub fn folder(parent: &str, name: &str, path: &[u8]) -> String {
    let parent = if parent.is_empty() { "tree/" } else { parent };
    let folder = format!("{parent}{name}/");
    if folder.len() > FOLDER_BYTES_MAX {
        format!("deep/{}/", digits(path))
    } else {
        folder
    }
}

/// The page of a directory by its folder.
#[must_use]
pub fn directory(folder: &str) -> String {
    format!("{folder}index.html")
}

/// The page of a file in the folder of its directory.
#[must_use]
pub fn file(folder: &str, name: &str) -> String {
    let folder = if folder.is_empty() { "tree/" } else { folder };
    format!("{folder}{name}.html")
}

/// What stands for each name of a directory in addresses, in their order.
#[must_use]
pub fn names<'n>(entries: impl Iterator<Item = Named<'n>> + Clone) -> Vec<String> {
    let mut folded: HashMap<Vec<u8>, u32> = HashMap::new();
    for (name, _) in entries.clone() {
        *folded.entry(name.to_ascii_lowercase()).or_default() += 1;
    }
    entries
        .map(|(name, is_directory)| {
            let lower = name.to_ascii_lowercase();
            // On a disk that does not tell cases apart one of them keeps its name.
            let is_shared = folded[&lower] > 1 && lower != name;
            encode(name, is_directory, is_shared)
        })
        .collect()
}

fn encode(name: &[u8], is_directory: bool, is_shared: bool) -> String {
    let lower = name.to_ascii_lowercase();
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"._+@,=-".contains(byte);
    let stem = lower.split(|byte| *byte == b'.').next().unwrap_or_default();
    let is_device = DEVICES.iter().any(|device| device.as_bytes() == stem)
        || matches!(
            stem,
            [b'c', b'o', b'm', b'0'..=b'9'] | [b'l', b'p', b't', b'0'..=b'9']
        );
    let is_taken = if is_directory {
        lower.ends_with(b".html") || lower.ends_with(b".")
    } else {
        lower == b"index"
    };
    let is_kept = name.len() <= NAME_BYTES_MAX
        && name.iter().all(is_plain)
        && !(is_shared || is_device || is_taken || lower.starts_with(b"dot."));
    let (dot, rest) = match name.strip_prefix(b".") {
        Some(rest) => ("dot.", rest),
        None => ("", name),
    };
    let shown = rest.iter().take(NAME_BYTES_MAX);
    let shown = shown.map(|byte| {
        if is_plain(byte) {
            char::from(*byte)
        } else {
            '_'
        }
    });
    let mut text: String = dot.chars().chain(shown).collect();
    if !is_kept {
        text.push('~');
        text.push_str(&digits(name));
    }
    text
}

fn digits(bytes: &[u8]) -> String {
    let mut text = Digest::of("git-merkle 2026 page address/1", bytes).to_string();
    text.truncate(DIGEST_DIGITS);
    text
}

/// The link from one page to another.
#[must_use]
pub fn relative(from: &str, to: &str) -> String {
    let folder = |page: &str| page.rfind('/').map_or(0, |slash| slash + 1);
    let (from_end, to_end) = (folder(from), folder(to));
    let shared = from[..from_end]
        .bytes()
        .zip(to[..to_end].bytes())
        .take_while(|(one, other)| one == other)
        .count();
    let shared = from[..shared].rfind('/').map_or(0, |slash| slash + 1);
    let up = from[shared..from_end].matches('/').count();
    let link = "../".repeat(up) + &to[shared..];
    // A name with a colon cannot be; a link that begins like one of ours is one.
    if link.is_empty() {
        ".".to_owned()
    } else {
        link
    }
}

/// True for a file that a site has: what a list of its files may name.
#[must_use]
pub fn is_of_site(file: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._+@,=-~/".contains(&byte);
    let is_name = |name: &str| !matches!(name, "" | "." | "..");
    if !file.bytes().all(is_plain) || !file.split('/').all(is_name) {
        return false;
    }
    match file.split_once('/') {
        None => matches!(
            file,
            "index.html" | "style.css" | "commit.css" | "search.js"
        ),
        Some(("search", name)) => name.strip_suffix(".js").is_some() && !name.contains('/'),
        Some(("tree" | "deep", name)) => name.strip_suffix(".html").is_some(),
        Some(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn pages(entries: &[Named<'_>]) -> Vec<String> {
        let names = names(entries.iter().copied());
        let page = |((name, is_directory), text): (&Named<'_>, &String)| {
            if *is_directory {
                directory(&folder("", text, name))
            } else {
                file("", text)
            }
        };
        entries.iter().zip(&names).map(page).collect()
    }

    #[test]
    fn plain_names_stay_as_they_are() {
        let entries: [Named<'_>; 4] = [
            (b"src", true),
            (b"Cargo.toml", false),
            (b".github", true),
            (b"a.html", false),
        ];
        assert_eq!(
            pages(&entries),
            [
                "tree/src/index.html",
                "tree/Cargo.toml.html",
                "tree/dot.github/index.html",
                "tree/a.html.html"
            ]
        );
    }

    #[test]
    fn hostile_names_share_no_page_and_leave_no_site() {
        let long = [b'x'; 300];
        let hostile: [Named<'_>; 24] = [
            (b"a b", false),
            (b"a_b", false),
            (b"a\nb", false),
            (b"a\xffb", false),
            ("é".as_bytes(), false),
            ("e\u{301}".as_bytes(), false),
            (b"README", false),
            (b"readme", false),
            (b"ReadMe", true),
            (b"index", false),
            (b"INDEX", false),
            (b"index.html", true),
            (b"x", false),
            (b"x.html", true),
            (b"x.HTML", true),
            (b".x", false),
            (b"dot.x", false),
            (b"con", true),
            (b"COM1.txt", false),
            (b"..%2f..", false),
            (b"javascript:alert(1)", false),
            (&long, false),
            (&long[1..], true),
            (b"a.", true),
        ];
        let pages = pages(&hostile);
        let folded: HashSet<String> = pages.iter().map(|page| page.to_lowercase()).collect();
        assert_eq!(folded.len(), hostile.len(), "{pages:?}");
        for page in &pages {
            assert!(is_of_site(page), "{page}");
            assert!(page.split('/').all(|name| name.len() < 200), "{page}");
        }
        // No page is a folder of another one.
        for page in &pages {
            let below = format!("{}/", page.to_lowercase());
            assert!(!folded.iter().any(|other| other.starts_with(&below)));
        }
    }

    #[test]
    fn what_is_far_down_has_a_short_address() {
        let (mut at, mut path) = (String::new(), Vec::new());
        for _ in 0..500 {
            path.extend_from_slice(b"/directory");
            at = folder(&at, "directory", &path);
            assert!(at.len() <= FOLDER_BYTES_MAX + 20, "{at}");
        }
        assert!(at.starts_with("deep/") && is_of_site(&directory(&at)));
    }

    #[test]
    fn links_lead_from_page_to_page() {
        for (from, to, link) in [
            ("index.html", "tree/src/index.html", "tree/src/index.html"),
            ("tree/src/index.html", "index.html", "../../index.html"),
            ("tree/src/a.rs.html", "tree/src/b.rs.html", "b.rs.html"),
            ("tree/src/a.rs.html", "tree/srcs/b.html", "../srcs/b.html"),
            ("deep/1f/index.html", "tree/x.html", "../../tree/x.html"),
        ] {
            assert_eq!(relative(from, to), link, "{from} {to}");
        }
    }

    #[test]
    fn a_list_of_files_names_nothing_else() {
        for file in [
            "",
            "/etc/passwd",
            "../x.html",
            "tree/../../x.html",
            "tree//x.html",
            "notes.txt",
            "tree/x.js",
            "search/a/b.js",
            "tree/a\nb.html",
            ".git/config",
        ] {
            assert!(!is_of_site(file), "{file}");
        }
    }
}
