//! Unified diffs, as `git diff` and `diff -u` write them. The counts in a header must be right: a hunk that is shorter is
//! how an answer looks that was cut.

use super::{Act, Demand, Misfit, Passage, Row, Where, Wrong};
use crate::base::TreePath;
use crate::base::path::unquote;

/// What stands for no file.
const NO_FILE: &str = "/dev/null";

/// True where a block of a fence is a diff: its language says so, or its first lines do.
#[must_use]
pub fn is_diff(language: &str, lines: &[&str]) -> bool {
    let mut text = lines.iter().skip_while(|line| line.trim().is_empty());
    let first = text.next().copied().unwrap_or_default();
    let is_header =
        first.starts_with("--- ") && text.next().is_some_and(|next| next.starts_with("+++ "));
    matches!(language, "diff" | "patch" | "udiff")
        || first.starts_with("diff --git ")
        || is_header
        || first.starts_with("@@ -")
}

/// True where a diff says itself which files it is about.
#[must_use]
pub fn names_files(lines: &[&str]) -> bool {
    let mut text = lines.iter().skip_while(|line| line.trim().is_empty());
    text.next().is_some_and(|first| !first.starts_with("@@"))
}

/// Reads a diff whose first line is this line of the answer, under a path or without one.
pub fn read(
    lines: &[&str],
    first: usize,
    under: Option<&TreePath>,
) -> Result<Vec<Demand>, Vec<Misfit>> {
    let mut reader = Reader {
        lines,
        first,
        at: 0,
        under,
        file: FileDiff::default(),
        wanted: Vec::new(),
        misfits: Vec::new(),
    };
    while reader.at < lines.len() {
        reader.line();
    }
    reader.end_file();
    if reader.misfits.is_empty() {
        Ok(reader.wanted)
    } else {
        Err(reader.misfits)
    }
}

/// What was read of the diff of one file.
#[derive(Default)]
struct FileDiff {
    /// The line of the answer at which it begins.
    line: usize,
    /// As they stand behind `---` and `+++`, or `rename from` and `rename to`.
    old: Option<String>,
    new: Option<String>,
    /// The path that the first line says twice, for a diff that has nothing but a mode, or an empty file.
    both: Option<String>,
    is_rename: bool,
    is_executable: Option<bool>,
    is_created: bool,
    is_deleted: bool,
    passages: Vec<Passage>,
}

struct Reader<'d> {
    lines: &'d [&'d str],
    first: usize,
    at: usize,
    under: Option<&'d TreePath>,
    file: FileDiff,
    wanted: Vec<Demand>,
    misfits: Vec<Misfit>,
}

impl Reader<'_> {
    fn line(&mut self) {
        let line = self.lines[self.at];
        let here = self.first + self.at;
        self.at += 1;
        let value = |prefix: &str| line.strip_prefix(prefix).map(str::to_owned);
        if let Some(both) = value("diff --git ") {
            self.begin_file(here);
            self.file.both = one_of_both(&both);
        } else if let Some(old) = value("--- ") {
            if self.file.new.is_some() && !self.file.is_rename || !self.file.passages.is_empty() {
                self.begin_file(here);
            }
            self.file.line = if self.file.line == 0 {
                here
            } else {
                self.file.line
            };
            self.file.old = Some(old);
        } else if let Some(new) = value("+++ ") {
            self.file.new = Some(new);
        } else if let Some(from) = value("rename from ") {
            (self.file.old, self.file.is_rename) = (Some(from), true);
        } else if let Some(to) = value("rename to ") {
            (self.file.new, self.file.is_rename) = (Some(to), true);
        } else if let Some(mode) = value("new file mode ") {
            self.file.is_created = true;
            self.mode(&mode, here);
        } else if let Some(mode) = value("new mode ") {
            self.mode(&mode, here);
        } else if line.starts_with("deleted file mode ") {
            self.file.is_deleted = true;
        } else if line.starts_with("@@") {
            self.hunk(line, here);
        } else if line.starts_with("Binary files ") || line.starts_with("GIT binary patch") {
            self.wrong(
                here,
                Wrong::NotDone("a diff of a binary file is not applied"),
            );
        } else if line.starts_with("copy from ") {
            self.wrong(
                here,
                Wrong::NotDone("a copy is not applied: give the whole new file"),
            );
        } else if self.file.passages.last().is_some() && line.starts_with([' ', '+', '-', '\\']) {
            self.overlong(here);
        } else if !is_header(line) {
            self.wrong(here, Wrong::NoDiff(line.to_owned()));
        }
    }

    fn mode(&mut self, mode: &str, here: usize) {
        match mode.trim() {
            "100644" => self.file.is_executable = Some(false),
            "100755" => self.file.is_executable = Some(true),
            "120000" => self.wrong(here, Wrong::NotDone("the diff makes a symbolic link")),
            _ => self.wrong(here, Wrong::NotDone("the diff makes what is no file")),
        }
    }

    fn hunk(&mut self, header: &str, here: usize) {
        let place = Where {
            is_hunk: true,
            number: self.file.passages.len() + 1,
            line: here,
        };
        let mut passage = Passage {
            place,
            rows: Vec::new(),
            at: None,
            ends: None,
        };
        let Some((at, mut old, mut new)) = counts(header) else {
            self.wrong(here, Wrong::Header);
            return self.skip_hunk(passage);
        };
        // The lines that a hunk needs at least: those that stay are counted on both sides.
        let mut is_whole = true;
        while old > 0 || new > 0 {
            let line = self.lines.get(self.at).copied();
            let row = line.and_then(|line| row(line, old > 0, new > 0));
            let Some(row) = row else {
                is_whole = false;
                break;
            };
            old -= usize::from(!matches!(row, Row::Add(_)));
            new -= usize::from(!matches!(row, Row::Drop(_)));
            passage.rows.push(row);
            self.at += 1;
            self.no_line_feed(&mut passage);
        }
        if !is_whole {
            let has = passage.rows.len();
            let wrong = match self.lines.get(self.at) {
                Some(line) if line.starts_with([' ', '+', '-']) => Wrong::Overlong,
                _ => Wrong::Cut {
                    has,
                    says: has + old.max(new),
                },
            };
            self.misfit(Some(place), here, wrong);
            return self.skip_hunk(passage);
        }
        passage.at = Some(at);
        self.file.passages.push(passage);
    }

    /// Takes the remark that the line before has no line feed at its end.
    fn no_line_feed(&mut self, passage: &mut Passage) {
        if !self
            .lines
            .get(self.at)
            .is_some_and(|line| line.starts_with('\\'))
        {
            return;
        }
        self.at += 1;
        passage.ends = match passage.rows.last() {
            Some(Row::Drop(_)) => Some(true),
            _ => Some(false),
        };
    }

    /// Goes on behind a hunk that cannot be read; it counts, so that the next has its number.
    fn skip_hunk(&mut self, passage: Passage) {
        let is_body = |line: &&str| line.is_empty() || line.starts_with([' ', '+', '-', '\\']);
        let is_next = |rest: &[&str]| {
            rest[0].starts_with("--- ") && rest.get(1).is_some_and(|next| next.starts_with("+++ "))
        };
        while self.lines.get(self.at).is_some_and(is_body) && !is_next(&self.lines[self.at..]) {
            self.at += 1;
        }
        self.file.passages.push(passage);
    }

    fn overlong(&mut self, here: usize) {
        let place = self.file.passages.last().map(|passage| passage.place);
        self.misfit(place, here, Wrong::Overlong);
        while self
            .lines
            .get(self.at)
            .is_some_and(|line| line.starts_with([' ', '+', '-', '\\']))
        {
            self.at += 1;
        }
    }

    fn begin_file(&mut self, line: usize) {
        self.end_file();
        self.file.line = line;
    }

    fn end_file(&mut self) {
        let file = std::mem::take(&mut self.file);
        let is_said = file.both.is_some() || file.old.is_some() || file.new.is_some();
        if !is_said && file.passages.is_empty() {
            return;
        }
        let line = if file.line == 0 {
            self.first
        } else {
            file.line
        };
        match self.acts(file, line) {
            Ok(wanted) => self.wanted.extend(wanted),
            Err(wrong) => self.misfits.push(Misfit {
                path: self.under.cloned(),
                place: None,
                line,
                wrong,
            }),
        }
    }

    /// What the diff of one file wants.
    fn acts(&self, file: FileDiff, line: usize) -> Result<Vec<Demand>, Wrong> {
        let is_no_file = |side: &Option<String>| side.as_deref() == Some(NO_FILE);
        let (is_created, is_deleted) = (
            file.is_created || is_no_file(&file.old),
            file.is_deleted || is_no_file(&file.new),
        );
        let is_bare = file.is_rename;
        let old = self.path(file.old.as_deref(), 'a', is_bare)?;
        let only = file
            .both
            .filter(|_| file.new.is_none() && file.old.is_none());
        let new = self.path(file.new.or(only).as_deref(), 'b', is_bare)?;
        let mut wanted = Vec::new();
        let path = match (&old, &new) {
            (Some(old), Some(new)) if file.is_rename && old != new => {
                let (path, act) = (old.clone(), Act::Rename(new.clone()));
                wanted.push(Demand { path, line, act });
                new.clone()
            }
            (Some(old), Some(new)) if old != new => {
                return Err(Wrong::OtherPath(new.to_text().into_owned()));
            }
            (Some(path), _) | (None, Some(path)) => path.clone(),
            (None, None) => self.under.cloned().ok_or(Wrong::NoPath)?,
        };
        if self.under.is_some_and(|under| *under != path) {
            return Err(Wrong::OtherPath(path.to_text().into_owned()));
        }
        let act = match (is_created, is_deleted) {
            (true, _) => Some(Act::Create(file.passages)),
            (_, true) if file.passages.is_empty() => Some(Act::Delete),
            (_, true) => Some(Act::Empty(file.passages)),
            _ if file.passages.is_empty() => None,
            _ => Some(Act::Edit(file.passages)),
        };
        let mode = file.is_executable.map(Act::Mode);
        wanted.extend(act.into_iter().chain(mode).map(|act| Demand {
            path: path.clone(),
            line,
            act,
        }));
        Ok(wanted)
    }

    /// The path of one side, without the letter that git writes before it; `None` where the side is no file.
    fn path(
        &self,
        side: Option<&str>,
        letter: char,
        is_bare: bool,
    ) -> Result<Option<TreePath>, Wrong> {
        let Some(side) = side.filter(|side| *side != NO_FILE) else {
            return Ok(None);
        };
        // `diff -u` writes a time behind a tab.
        let name = side.split('\t').next().unwrap_or_default().trim_end();
        let bytes = unquote(name).ok_or_else(|| Wrong::OtherPath(name.to_owned()))?;
        let whole = TreePath::new(bytes.clone());
        if is_bare || self.under == Some(&whole) {
            return Ok(Some(whole));
        }
        let prefix = [letter as u8, b'/'];
        Ok(Some(match bytes.strip_prefix(&prefix[..]) {
            Some(path) => TreePath::new(path),
            None => whole,
        }))
    }

    fn wrong(&mut self, line: usize, wrong: Wrong) {
        let place = matches!(wrong, Wrong::Header).then(|| Where {
            is_hunk: true,
            number: self.file.passages.len() + 1,
            line,
        });
        self.misfit(place, line, wrong);
    }

    fn misfit(&mut self, place: Option<Where>, line: usize, wrong: Wrong) {
        let side = |side: Option<&str>, letter| {
            self.path(side, letter, self.file.is_rename).ok().flatten()
        };
        let path = side(self.file.new.as_deref(), 'b')
            .or_else(|| side(self.file.old.as_deref(), 'a'))
            .or_else(|| self.under.cloned());
        self.misfits.push(Misfit {
            path,
            place,
            line,
            wrong,
        });
    }
}

/// The second of the paths behind `diff --git`, where both are the same but for their letters.
fn one_of_both(both: &str) -> Option<String> {
    let half = both.len().checked_sub(1)? / 2;
    let (old, new) = (both.get(..half)?, both.get(half + 1..)?);
    let plain = |side: &str| side.replacen("a/", "", 1);
    let is_same = plain(old) == new.replacen("b/", "", 1);
    (is_same && both.as_bytes().get(half) == Some(&b' ')).then(|| new.to_owned())
}

/// Lines that say nothing which is needed here.
fn is_header(line: &str) -> bool {
    const KNOWN: [&str; 5] = [
        "index ",
        "old mode ",
        "similarity index ",
        "dissimilarity index ",
        "Index: ",
    ];
    line.trim().is_empty()
        || line.starts_with("=====")
        || KNOWN.iter().any(|known| line.starts_with(known))
}

/// The first line of the old side, and how many lines each side has.
fn counts(header: &str) -> Option<(usize, usize, usize)> {
    let inner = header.strip_prefix("@@ -")?;
    let (inner, _) = inner.split_once(" @@")?;
    let (old, new) = inner.split_once(" +")?;
    let side = |text: &str| -> Option<(usize, usize)> {
        let (at, count) = text.split_once(',').unwrap_or((text, "1"));
        Some((at.parse().ok()?, count.parse().ok()?))
    };
    let ((at, old), (_, new)) = (side(old)?, side(new)?);
    Some((at, old, new))
}

/// A line of a hunk, as far as its header leaves room for it. A space at the end of an empty line gets lost on the way.
fn row(line: &str, has_old: bool, has_new: bool) -> Option<Row> {
    let (kind, text) = match line.chars().next() {
        None => (' ', line),
        Some(first) => (first, &line[first.len_utf8()..]),
    };
    let text = || text.to_owned();
    match kind {
        ' ' if has_old && has_new => Some(Row::Keep(text())),
        '-' if has_old => Some(Row::Drop(text())),
        '+' if has_new => Some(Row::Add(text())),
        _ => None,
    }
}
