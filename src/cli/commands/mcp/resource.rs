//! Resources: what is known about a path, under `frame:///<path>`.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use rmcp::model::{ErrorData, ListResourcesResult, Resource, ResourceTemplate};
use serde_json::{Map, Value};

use super::call::call;
use super::tool::TOOLS;
use crate::base::TreePath;
use crate::cli::CliError;
use crate::cli::global::Global;
use crate::cli::snapshot::head;
use crate::config::Environment;
use crate::node::{IgnoreRules, scan_entries};

const SCHEME: &str = "frame://";
/// What an address holds as it is: the unreserved characters of RFC 3986, section 2.3, and the slash.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b'/');
/// Resources of one page of the list.
const PAGE: usize = 200;

/// How the address of any path is made.
pub(super) fn template() -> ResourceTemplate {
    ResourceTemplate::new(format!("{SCHEME}/{{+path}}"), "frames")
        .with_title("Statements about a path")
        .with_description("What is known about a file or directory, as the tool 'show' prints it")
        .with_mime_type("text/markdown")
}

/// The path that an address names; `None` for other addresses.
pub(super) fn path(uri: &str) -> Option<String> {
    let path = uri.strip_prefix(SCHEME)?;
    let path = path.strip_prefix('/').unwrap_or(path);
    let decoded = percent_decode_str(path).decode_utf8().ok()?.into_owned();
    Some(if decoded.is_empty() {
        ".".to_owned()
    } else {
        decoded
    })
}

/// The address of a path; `None` for one that is not UTF-8.
fn address(path: &TreePath) -> Option<String> {
    let path = std::str::from_utf8(path.as_bytes()).ok()?;
    Some(format!("{SCHEME}/{}", utf8_percent_encode(path, ESCAPED)))
}

/// What is known about a path; an error is the message of the command.
pub(super) fn read(
    path: &str,
    global: &Global,
    environment: &Environment,
) -> Result<String, String> {
    let show = TOOLS
        .iter()
        .find(|tool| tool.name == "show")
        .expect("a tool of the table");
    let arguments = Map::from_iter([("paths".to_owned(), Value::from(vec![path]))]);
    let reply = call(show, &arguments, global, environment);
    if reply.is_error {
        return Err(reply.text.trim_end().to_owned());
    }
    Ok(reply.text)
}

/// The root and its entries, a page of them from the cursor on; what is deeper has the template.
pub(super) fn list(
    cursor: Option<&str>,
    global: &Global,
    environment: &Environment,
) -> Result<ListResourcesResult, ErrorData> {
    let bad_cursor = || ErrorData::invalid_params("the cursor is none of this server's", None);
    let start: usize = cursor.map_or(Ok(0), str::parse).map_err(|_| bad_cursor())?;
    let failed = |error: CliError| ErrorData::internal_error(error.to_string(), None);
    let paths = top(global, environment).map_err(failed)?;
    let end = paths.len().min(start.saturating_add(PAGE));
    let page = paths.get(start..end).ok_or_else(bad_cursor)?;
    let resource = |path: &TreePath| {
        let name = if path.is_root() {
            ".".to_owned()
        } else {
            path.to_text().into_owned()
        };
        Some(Resource::new(address(path)?, name).with_mime_type("text/markdown"))
    };
    let mut result =
        ListResourcesResult::with_all_items(page.iter().filter_map(resource).collect());
    result.next_cursor = (end < paths.len()).then(|| end.to_string());
    Ok(result)
}

fn top(global: &Global, environment: &Environment) -> Result<Vec<TreePath>, CliError> {
    let workspace = global.open(environment)?;
    let root = head(&workspace)?;
    let scan = scan_entries(
        &workspace.repository,
        root.tree,
        &TreePath::root(),
        IgnoreRules::default(),
    )?;
    let entries = scan
        .entries(scan.root())
        .filter(|entry| entry.node.is_some());
    let entries = entries.map(|entry| TreePath::new(entry.name));
    Ok(std::iter::once(TreePath::root()).chain(entries).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_read_back() {
        for text in ["src/lib.rs", "a b/ä%#?.md", "%41", "x\ny"] {
            let uri = address(&TreePath::new(text)).unwrap();
            assert!(
                uri.is_ascii() && !uri.contains(char::is_whitespace),
                "{uri}"
            );
            assert_eq!(path(&uri).as_deref(), Some(text));
        }
        assert_eq!(path("frame://src/a").as_deref(), Some("src/a"));
        assert_eq!(path("frame:///").as_deref(), Some("."));
        assert_eq!(path("file:///etc/passwd"), None);
        assert_eq!(path("frame:///%ff"), None);
    }
}
