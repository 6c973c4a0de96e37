//! Data: sections with their keys, elements, columns, translations, notebooks.

use std::collections::{BTreeMap, BTreeSet};

use super::found::Found;
use super::line::{LINE_BYTES_MAX, is_small, lines};
use super::list;
use super::page;
use super::prose::first_paragraph;
use super::tree::is_secret;
use crate::base::count::counted;
use crate::symbol::comment;
use crate::symbol::head;
use crate::symbol::licence;
use crate::symbol::outline::Kind;

/// Keys of one section that are named with it.
const BELOW_MAX: usize = 8;
/// Longest value that is shown in a file of few lines.
const SMALL_VALUE_BYTES_MAX: usize = 100;
/// Sections whose description is that of the whole; the empty name is that of no section.
const DESCRIBED: [&str; 6] = ["", "package", "project", "Unit", "metadata", "tool.poetry"];
/// Bytes of a description over several lines.
const DESCRIPTION_BYTES_MAX: usize = 700;
/// Longest tag that is looked at.
const TAG_BYTES_MAX: usize = 1_000;
/// Longest name of an element that is shown.
const NAME_BYTES_MAX: usize = 40;
/// Numbers of four digits that may name a column.
const YEARS: std::ops::RangeInclusive<f64> = 1_900.0..=2_100.0;
/// What may stand between the cells of a table.
const MARKS: [char; 4] = ['\t', ';', ',', '|'];
/// Columns of a table.
const COLUMNS_MAX: usize = 60;
/// In how many others an element may stand that says what the document is for.
const SAYING_DEPTH_MAX: usize = 2;
/// Elements that say what a document is for.
const SAYING: [&str; 8] = [
    "description",
    "Description",
    "summary",
    "Summary",
    "title",
    "Title",
    "desc",
    "refpurpose",
];
/// Elements of a project of MSBuild that only hold others.
const MSBUILD_GROUPS: [&str; 7] = [
    "Project",
    "ItemGroup",
    "PropertyGroup",
    "ImportGroup",
    "ItemDefinitionGroup",
    "Choose",
    "When",
];
/// Packages of a project that are named.
const PACKAGES_MAX: usize = 5;
/// Names of elements of one document.
const ELEMENTS_MAX: usize = 30;
/// Bytes of a document whose elements are counted.
const ELEMENTS_BYTES_MAX: usize = 1024 * 1024;

/// A section while it is read.
#[derive(Default)]
struct Section {
    name: String,
    keys: Vec<String>,
    left: usize,
    /// How many sections of one list it stands for, and what the first of them are called.
    count: usize,
    names: Vec<String>,
}

impl Section {
    fn add(&mut self, key: &str, shown: String) {
        if key == "name" && self.names.len() < BELOW_MAX {
            let name = shown.trim_start_matches("name ").to_owned();
            self.names.push(name);
        }
        if self.count > 1 {
            // What all have is told by the first.
        } else if self.keys.len() < BELOW_MAX {
            self.keys.push(shown);
        } else {
            self.left += 1;
        }
    }

    fn push_to(self, found: &mut Found) {
        let is_list = self.count > 1;
        let (shown, left) = if is_list && !self.names.is_empty() {
            let left = self.count.saturating_sub(self.names.len());
            (self.names, left)
        } else {
            (self.keys, self.left)
        };
        let head = if is_list {
            format!("{} [[{}]]", self.count, self.name)
        } else {
            format!("[{}]", self.name)
        };
        let mut text = head;
        if !shown.is_empty() {
            text = format!("{text} {}", shown.join(", "));
        }
        if left > 0 && !shown.is_empty() {
            text = format!("{text}, +{left}");
        }
        found.push(Kind::Key, &self.name, &text);
    }
}

/// Sections in brackets with their keys, and the keys before the first one.
pub(super) fn sections(found: &mut Found, text: &str) {
    let (mut all, mut lists) = (Vec::<Section>::new(), BTreeMap::<String, usize>::new());
    let mut open: Option<usize> = None;
    // A text over several lines: the quotes that end it, and whether it says what the whole is for.
    let mut block: Option<(&str, bool)> = None;
    let is_small = is_small(text);
    // Options of a program, as in .rspec.
    let mut told = lines(text)
        .filter(|line| !line.trim().is_empty())
        .peekable();
    if told.peek().is_some() && told.all(|line| line.starts_with('-')) {
        return list::entries(found, text);
    }
    for line in lines(text) {
        let code = line.trim();
        if let Some((quotes, says)) = block {
            if says {
                push_line(&mut found.doc, code.trim_end_matches(quotes));
            }
            block = block.filter(|_| !code.contains(quotes));
        } else if line.starts_with('[') {
            let name = code.trim_start_matches('[').split(']').next();
            let name = name.unwrap_or_default();
            open = Some(section(&mut all, &mut lists, name, code.starts_with("[[")));
        } else if let Some((key, value)) = key_value(line).filter(|_| !goes_on(line)) {
            let place = open.map_or("", |at| &all[at].name);
            let says = key == "description" && DESCRIBED.contains(&place)
                || matches!(key, "Description" | "Comment");
            let quotes = ["\"\"\"", "'''"].into_iter();
            let quotes = quotes.clone().find(|quotes| value.starts_with(quotes));
            if let Some(quotes) = quotes.filter(|quotes| !value[3..].contains(quotes)) {
                block = Some((quotes, says));
            }
            if says {
                scalar(value).clone_into(&mut found.doc);
            }
            let value = scalar(value);
            let is_told = is_small && !is_secret(key) && !value.is_empty() && !says;
            let shown = if is_told && value.len() <= SMALL_VALUE_BYTES_MAX {
                format!("{key} {value}")
            } else {
                shown(key, value)
            };
            match open {
                Some(at) => all[at].add(key, shown),
                None => found.push(Kind::Key, key, &shown),
            }
        }
    }
    for section in all {
        section.push_to(found);
    }
}

/// Whether a line is more of a value that takes several, as those of tox.ini do.
fn goes_on(line: &str) -> bool {
    line.starts_with([' ', '\t'])
        && (line.trim_start().starts_with('-') || !line.contains(['=', ':']))
}

/// The place of the section that begins here; sections of one list are one, as are those of one name in a row.
fn section(
    all: &mut Vec<Section>,
    lists: &mut BTreeMap<String, usize>,
    name: &str,
    is_list: bool,
) -> usize {
    let known = lists.get(name).copied().filter(|_| is_list);
    let last = all.len().checked_sub(1).filter(|at| all[*at].name == name);
    let at = known.or(last).unwrap_or(all.len());
    if at == all.len() {
        all.push(Section {
            name: name.to_owned(),
            ..Section::default()
        });
        lists.insert(name.to_owned(), at);
    }
    all[at].count += usize::from(is_list);
    at
}

/// A key, with its value where that names something.
fn shown(key: &str, value: &str) -> String {
    let is_naming = matches!(
        key,
        "name" | "Name" | "version" | "type" | "Type" | "ExecStart"
    );
    if is_naming && (1..=60).contains(&value.len()) {
        format!("{key} {value}")
    } else {
        key.to_owned()
    }
}

/// A value without its quotes and the comment behind it.
fn scalar(value: &str) -> &str {
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''));
    let Some(quote) = quote else {
        return value.split(" #").next().unwrap_or(value).trim_end();
    };
    let body = value.trim_start_matches(quote);
    body.split(quote).next().unwrap_or(body)
}

/// Adds a line of a text over several lines.
fn push_line(text: &mut String, line: &str) {
    if text.len() < DESCRIPTION_BYTES_MAX && !line.is_empty() {
        text.push_str(if text.is_empty() { "" } else { " " });
        text.push_str(line);
    }
}

/// `key = value`, `key: value`, `key value` of what is no comment.
fn key_value(line: &str) -> Option<(&str, &str)> {
    let line = if line.starts_with([' ', '\t']) && !line.trim_start().contains(['=', ' ']) {
        return None;
    } else {
        line.trim()
    };
    if line.starts_with(['#', ';', '!', '"', '}', ']', '{']) {
        return None;
    }
    let (key, value) = line
        .split_once('=')
        .or_else(|| line.split_once(": "))
        .or_else(|| line.split_once(' '))?;
    let key = key.trim_end().trim_end_matches(':');
    let is_key = !key.is_empty()
        && key
            .chars()
            .all(|c| c.is_alphanumeric() || "_-.\"/$@*+%".contains(c));
    is_key.then(|| (key.trim_matches('"'), value.trim()))
}

/// The elements of one name: the number of names before the first of them, how many there are, what they call themselves.
struct Element<'t> {
    first: usize,
    count: usize,
    names: Vec<&'t str>,
}

/// What an attribute of a tag calls its element.
fn naming_attribute(tag: &str) -> Option<&str> {
    const NAMES: [&str; 8] = [
        " name=\"",
        " id=\"",
        " key=\"",
        " Include=\"",
        " fullname=\"",
        " Update=\"",
        " Sdk=\"",
        " signature=\"",
    ];
    let mut attributes = NAMES.into_iter();
    let value = attributes
        .find_map(|attribute| tag.split_once(attribute))?
        .1;
    let (value, _) = value.split_once('"')?;
    (!value.is_empty() && value.len() <= NAME_BYTES_MAX).then_some(value)
}

/// The outermost element, and how often each element stands in it; comments and `<description>` say what it is for.
pub(super) fn xml(found: &mut Found, text: &str) {
    let text = &text[..text.floor_char_boundary(text.len().min(ELEMENTS_BYTES_MAX))];
    if let Some(picture) = picture(text) {
        found.doc = picture;
        return;
    }
    let mut counts: BTreeMap<&str, Element<'_>> = BTreeMap::new();
    for (name, tag) in tags(text) {
        let first = counts.len();
        let element = counts.entry(name).or_insert(Element {
            first,
            count: 0,
            names: Vec::new(),
        });
        element.count += 1;
        let own = naming_attribute(tag.inner).filter(|_| element.names.len() < BELOW_MAX);
        element.names.extend(own);
    }
    let project = msbuild(text);
    let mut order: Vec<(&str, Element<'_>)> = counts.into_iter().collect();
    order.retain(|(name, _)| project.is_none() || !MSBUILD_GROUPS.contains(name));
    order.sort_by_key(|(_, element)| element.first);
    found.more += order.len().saturating_sub(ELEMENTS_MAX) as u64;
    for (name, element) in order.into_iter().take(ELEMENTS_MAX) {
        let shown = match element.count {
            1 => {
                let text = naming_text(text, name);
                let own = element.names.first().copied().unwrap_or_default();
                format!("<{name}> {}", if text.is_empty() { own } else { &text })
            }
            count => {
                let left = count.saturating_sub(element.names.len());
                let names = element.names.join(", ");
                match (names.is_empty(), left) {
                    (true, _) | (_, 0) => format!("{count} <{name}> {names}"),
                    (false, left) => format!("{count} <{name}> {names}, +{left}"),
                }
            }
        };
        found.push(Kind::Key, name, shown.trim_end());
    }
    let said = SAYING
        .iter()
        .map(|name| element(text, name, SAYING_DEPTH_MAX))
        .find(|text| text.contains(' '));
    found.doc = head::file_paragraph(text, comment::MARKUP);
    if found.doc.is_empty() {
        found.doc = said.or(project).unwrap_or_default();
    }
}

/// That a text is a picture, and what it is called: its elements are only lines.
fn picture(text: &str) -> Option<String> {
    let (root, _) = tags(text).next()?;
    (root == "svg").then_some(())?;
    let title = Some(element(text, "title", 1)).filter(|title| title.contains(char::is_alphabetic));
    Some(title.map_or_else(
        || "SVG image.".to_owned(),
        |title| format!("SVG image: {title}"),
    ))
}

/// The names of elements in a text, and how many each stands in; comments and what is quoted whole have none.
fn tags(text: &str) -> impl Iterator<Item = (&str, Tag<'_>)> {
    let (mut at, mut depth) = (0, 0_usize);
    std::iter::from_fn(move || {
        loop {
            at += text[at..].find('<')? + 1;
            let rest = &text[at..];
            let end = [("!--", "-->"), ("![CDATA[", "]]>")];
            if let Some((_, end)) = end.into_iter().find(|(begin, _)| rest.starts_with(begin)) {
                at += rest.find(end).unwrap_or(rest.len());
                continue;
            }
            let is_end = rest.starts_with('/');
            let name = rest.trim_start_matches('/');
            let name = &name[..name
                .find(|c: char| !c.is_alphanumeric() && !"_-:.".contains(c))
                .unwrap_or(name.len())];
            if name.is_empty() {
                continue;
            }
            if is_end {
                depth = depth.saturating_sub(1);
                continue;
            }
            // Of a tag that is never closed no more is looked at than this.
            let behind = &rest[name.len()..];
            let behind = &behind[..behind.floor_char_boundary(TAG_BYTES_MAX.min(behind.len()))];
            let inner = behind.split('>').next().unwrap_or_default();
            let tag = Tag {
                at: at - 1,
                depth,
                inner,
            };
            depth += usize::from(!inner.ends_with('/'));
            return Some((name, tag));
        }
    })
}

/// Where an element begins, how many it stands in, and what its tag says behind the name.
#[derive(Clone, Copy)]
struct Tag<'t> {
    at: usize,
    depth: usize,
    inner: &'t str,
}

/// What a project of MSBuild is: its name, what it makes, and the packages that it uses.
fn msbuild(text: &str) -> Option<String> {
    const MARKS: [&str; 2] = ["<Project Sdk=", "schemas.microsoft.com/developer/msbuild"];
    MARKS.iter().find(|mark| text.contains(**mark))?;
    let value = |names: &[&str]| {
        let values = names
            .iter()
            .map(|name| element(text, name, SAYING_DEPTH_MAX));
        let mut known =
            values.filter(|value| !value.is_empty() && !value.contains(['$', ' ', '`']));
        known.next()
    };
    let name = value(&["AssemblyName", "ProjectName", "RootNamespace"]);
    let makes = value(&["OutputType", "ConfigurationType"]);
    let packages = text.split("<PackageReference Include=\"").skip(1);
    let packages = packages.filter_map(|rest| rest.split_once('"'));
    let packages = packages.filter(|(name, _)| !name.contains(['`', '\n']));
    let packages: Vec<String> = packages
        .map(|(name, _)| format!("`{name}`"))
        .take(PACKAGES_MAX)
        .collect();
    let name = name.map(|name| format!(" `{name}`"));
    let makes = makes.map(|makes| format!(" ({makes})"));
    let uses = (!packages.is_empty()).then(|| format!(" with {}", packages.join(", ")));
    let said = [name, makes, uses]
        .into_iter()
        .flatten()
        .collect::<String>();
    (!said.is_empty()).then(|| format!("MSBuild project{said}."))
}

/// The text of an element that names the document.
fn naming_text(text: &str, name: &str) -> String {
    let is_naming = matches!(
        name,
        "name"
            | "artifactId"
            | "id"
            | "title"
            | "OutputType"
            | "TargetFramework"
            | "TargetFrameworks"
            | "AssemblyName"
    );
    if is_naming {
        element(text, name, usize::MAX)
    } else {
        String::new()
    }
}

/// The text of the first element of a name that stands in no more others than this, on one short line.
fn element(text: &str, name: &str, depth_max: usize) -> String {
    if !text.contains(&format!("<{name}")) {
        return String::new();
    }
    let mut tags = tags(text);
    // Further in it is about one of many things.
    let found = tags.find(|(other, tag)| *other == name && tag.depth <= depth_max);
    let Some((_, Tag { at, .. })) = found else {
        return String::new();
    };
    let window = &text[at..text.floor_char_boundary((at + 1_000).min(text.len()))];
    let inner = window
        .split_once('>')
        .and_then(|(_, rest)| rest.split("</").next())
        .unwrap_or_default();
    page::plain(inner)
}

/// The first line of a table: its columns, or how many values a row has where that line is a row.
pub(super) fn table(found: &mut Found, text: &str) {
    let cells = |line: &str| line.matches(MARKS).count();
    let first = text.lines().next().unwrap_or_default();
    let is_licence = first.starts_with('#') && licence::is_licence(&comment::fold(first));
    let mut told = text
        .lines()
        .skip_while(|line| is_licence && line.starts_with('#'))
        .filter(|line| !line.trim().is_empty())
        .peekable();
    // A comment above the table has fewer cells than its rows.
    while let Some(comment) = told.next_if(|line| line.starts_with('#')) {
        if told.peek().is_none_or(|next| cells(next) <= cells(comment)) {
            return columns(found, comment);
        }
    }
    if let Some(first) = told.next() {
        columns(found, first);
    }
}

/// The columns that the first row of a table names, or how many values a row has where it names none.
fn columns(found: &mut Found, first: &str) {
    let first = &first[..first.floor_char_boundary(first.len().min(LINE_BYTES_MAX))];
    let mark = MARKS
        .into_iter()
        .max_by_key(|mark| (first.matches(*mark).count(), *mark == ','))
        .unwrap_or(',');
    let columns: Vec<&str> = first
        .split(mark)
        .map(|column| column.trim().trim_matches('"'))
        .collect();
    // The number of a year names a column.
    let is_value = |column: &&str| {
        // `nan` and `inf` are names here.
        let digits = Some(column).filter(|column| column.contains(|c: char| c.is_ascii_digit()));
        let number = digits.and_then(|digits| digits.parse::<f64>().ok());
        number.is_some_and(|number| !(YEARS.contains(&number) && column.len() == 4))
    };
    if columns.iter().any(is_value) {
        let values = counted(columns.len() as u64, "value", "values");
        found.doc = format!("Rows of {values}, without names of columns.");
        return;
    }
    for column in columns.into_iter().take(COLUMNS_MAX) {
        found.push(Kind::Column, column, column);
    }
}

/// Values of a header that gettext writes for others to replace.
const BLANKS: [&str; 4] = ["LANGUAGE", "PACKAGE", "PROJECT VERSION", "FULL NAME"];

/// The language of translations and what they belong to.
pub(super) fn translations(found: &mut Found, text: &str) {
    let value = |key: &str| {
        let line = lines(text)
            .take(60)
            .find_map(|line| line.trim().strip_prefix('"')?.strip_prefix(key))?;
        let line = line.trim();
        let line = line.strip_suffix('"').unwrap_or(line);
        Some(line.strip_suffix("\\n").unwrap_or(line).trim().to_owned())
            // What the template of gettext leaves to fill in.
            .filter(|value| {
                !value.is_empty() && !BLANKS.iter().any(|blank| value.starts_with(blank))
            })
    };
    let count = text.matches("\nmsgid ").count() + usize::from(text.starts_with("msgid "));
    // The entry of the empty text is the header; it goes first.
    let mut entries = lines(text).skip_while(|line| !line.starts_with("msgid "));
    let has_header = entries
        .next()
        .is_some_and(|line| line.trim_end() == "msgid \"\"")
        && entries
            .next()
            .is_some_and(|line| line.starts_with("msgstr "));
    let count = count - usize::from(has_header && count > 0);
    let messages = if count == 1 { "message" } else { "messages" };
    let team = value("Language-Team:");
    let team = team.map(|team| team.split(" <").next().unwrap_or_default().to_owned());
    let language = value("Language:").or_else(|| team.filter(|team| !team.is_empty()));
    let project = value("Project-Id-Version:").filter(|name| name.contains(char::is_alphabetic));
    let project = project.unwrap_or_default();
    let of = if project.is_empty() {
        String::new()
    } else {
        format!(" of {project}")
    };
    found.doc = match language {
        Some(language) => format!("{count} {messages}{of} in {language}."),
        None => format!("{count} {messages}{of} to be translated."),
    };
}

/// Headings and the first paragraph of the cells that are prose, and what cells of code define.
pub(super) fn notebook(found: &mut Found, text: &str) {
    let mut prose = String::new();
    let mut seen = BTreeSet::new();
    let mut is_prose = false;
    for line in lines(text) {
        if line.contains("\"cell_type\":") {
            is_prose = line.contains("\"markdown\"") || line.contains("\"raw\"");
        }
        let Some(words) = line.trim().strip_prefix('"') else {
            continue;
        };
        let words = words
            .trim_end_matches(',')
            .trim_end_matches('"')
            .trim_end_matches("\\n");
        let level = words.bytes().take_while(|byte| *byte == b'#').count();
        if is_prose && (1..=6).contains(&level) && words[level..].starts_with(' ') {
            found.push_heading(level, words[level..].trim());
        } else if let Some(rest) = words
            .strip_prefix("def ")
            .or_else(|| words.strip_prefix("class "))
            .filter(|_| !is_prose)
        {
            let name = rest.split(['(', ':']).next().unwrap_or_default();
            if seen.insert(name) {
                found.push(Kind::Function, name, words.trim_end_matches(':'));
            }
        } else if is_prose
            && prose.len() < 600
            && words.split(' ').count() > 5
            && !words.contains("\": ")
        {
            prose.push_str(words);
            prose.push('\n');
        }
    }
    found.doc = first_paragraph(&prose);
}
