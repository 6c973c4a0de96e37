//! Git's configuration as layers of settings, each value with the line it stands in.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crate::config::{Layer, Place, TrustLevel};
use crate::git::{ConfigScope, ConfigValue};

/// Makes a layer of each scope, in the order of rank.
///
/// Only the scopes that the user alone writes are protected. Git reports files without lines, so the lines are
/// looked up in the files, once for each.
pub(super) fn layers(values: Vec<ConfigValue>) -> Vec<(ConfigScope, Layer)> {
    let mut lines = LineBook::default();
    let mut layers: Vec<(ConfigScope, Layer)> = Vec::new();
    for value in values {
        let Some(key) = value
            .key
            .get("merkle.".len()..)
            .filter(|key| !key.is_empty())
        else {
            continue;
        };
        let place = match &value.file {
            Some(path) => Place::File {
                path: path.clone(),
                line: lines.next(path, &value.key),
            },
            None => Place::CommandLine,
        };
        if layers.last().is_none_or(|(scope, _)| *scope != value.scope) {
            layers.push((value.scope, Layer::new(level(value.scope))));
        }
        if let Some((_, layer)) = layers.last_mut() {
            layer.add(key, value.value.unwrap_or_else(|| "true".to_owned()), place);
        }
    }
    layers
}

fn level(scope: ConfigScope) -> TrustLevel {
    match scope {
        ConfigScope::System | ConfigScope::Global | ConfigScope::Command => TrustLevel::Protected,
        ConfigScope::Local | ConfigScope::Worktree => TrustLevel::Local,
    }
}

/// The lines of the keys in each file, handed out in order as the same key comes again.
#[derive(Default)]
struct LineBook(HashMap<PathBuf, HashMap<String, Vec<u32>>>);

impl LineBook {
    fn next(&mut self, path: &Path, key: &str) -> Option<u32> {
        let file = self.0.entry(path.to_owned()).or_insert_with(|| {
            let text = std::fs::read(path).unwrap_or_default();
            let mut keys: HashMap<String, Vec<u32>> = HashMap::new();
            for (key, line) in key_lines(&String::from_utf8_lossy(&text)) {
                keys.entry(key.to_ascii_lowercase())
                    .or_default()
                    .insert(0, line);
            }
            keys
        });
        file.get_mut(&key.to_ascii_lowercase()).and_then(Vec::pop)
    }
}

/// The keys of a file in git's format and the lines they begin in.
///
/// Reads sections and names only; values are git's business. Good enough to point a person to a line.
fn key_lines(text: &str) -> Vec<(String, u32)> {
    let mut section = String::new();
    let mut found = Vec::new();
    let mut continued = false;
    for (number, line) in (1..).zip(text.lines()) {
        let within_value = std::mem::replace(&mut continued, line.ends_with('\\'));
        let mut rest = line.trim_start();
        if within_value || rest.starts_with(['#', ';']) {
            continue;
        }
        if let Some((header, after)) = rest.strip_prefix('[').and_then(split_header) {
            section = header;
            rest = after.trim_start();
        }
        let name: String = rest
            .chars()
            .take_while(|c| c.is_ascii_alphanumeric() || *c == '-')
            .collect();
        if !name.is_empty() {
            found.push((format!("{section}.{name}"), number));
        }
    }
    found
}

/// Splits `section "sub"] rest` into `section.sub` and what follows.
fn split_header(header: &str) -> Option<(String, &str)> {
    let Some((section, quoted)) = header
        .split_once('"')
        .filter(|(before, _)| !before.contains(']'))
    else {
        return header
            .split_once(']')
            .map(|(section, rest)| (section.trim().to_owned(), rest));
    };
    let mut name = String::new();
    let mut chars = quoted.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => {
                return quoted[at + 1..]
                    .split_once(']')
                    .map(|(_, rest)| (format!("{}.{name}", section.trim()), rest));
            }
            '\\' => name.extend(chars.next().map(|(_, escaped)| escaped)),
            _ => name.push(c),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_found_where_they_stand() {
        let text = "# [x]\n[Merkle]\n\tnotes\n; a = 1\n\tUrls = a \\\n  b = c\n\turls = d\n[merkle \"provider.a\\\"]b\"] endpoint = x\n[core]\nbare=no\n";
        let rows: Vec<String> = key_lines(text)
            .into_iter()
            .map(|(key, line)| format!("{line} {key}"))
            .collect();
        assert_eq!(
            rows,
            [
                "3 Merkle.notes",
                "5 Merkle.Urls",
                "7 Merkle.urls",
                "8 merkle.provider.a\"]b.endpoint",
                "10 core.bare"
            ]
        );
    }

    #[test]
    fn values_get_their_scope_and_line() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("config");
        std::fs::write(&file, "[merkle]\n\turls = a\n\turls = b\n\tnotes\n").expect("writable");
        let value = |key: &str, text: Option<&str>, scope, file: Option<&PathBuf>| ConfigValue {
            key: key.to_owned(),
            value: text.map(str::to_owned),
            scope,
            file: file.cloned(),
        };
        let layers = layers(vec![
            value("merkle.urls", Some("a"), ConfigScope::Local, Some(&file)),
            value("merkle.urls", Some("b"), ConfigScope::Local, Some(&file)),
            value("merkle.notes", None, ConfigScope::Local, Some(&file)),
            value("merkle.notes", Some("no"), ConfigScope::Command, None),
        ]);
        let rows: Vec<String> = layers
            .into_iter()
            .flat_map(|(_, layer)| layer.into_entries())
            .map(|(key, entry)| {
                format!(
                    "{} {:?} {key}={}",
                    entry.origin,
                    entry.origin.level,
                    entry.values.join(",")
                )
            })
            .collect();
        let at = format!("file:{}", file.display());
        assert_eq!(
            rows,
            [
                format!("{at}:4 Local merkle.notes=true"),
                format!("{at}:3 Local merkle.urls=a,b"),
                "command line: Protected merkle.notes=no".to_owned(),
            ]
        );
    }
}
