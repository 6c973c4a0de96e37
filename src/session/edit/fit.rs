//! Finds where passages stand in a file, and puts what they say into their place. Lines are compared without their ends.
//!
//! A hunk goes to the line that its header names, where its lines stand there; else, and for an edit block, to the one
//! place where they stand. Nothing is guessed: what stands at several places, or nearly, is a misfit. What is kept keeps
//! its bytes; what is added ends as the lines around it do.

use super::{Misfit, Passage, Row, Wrong};

/// Places of a text that a message names.
const PLACES_MAX: usize = 4;

/// A line of a file: its text, and how it ends.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Line<'f> {
    text: &'f [u8],
    end: &'f [u8],
}

/// The bytes of a file after all of its passages.
pub fn fit(file: &[u8], passages: &[Passage]) -> Result<Vec<u8>, Vec<Misfit>> {
    let lines = lines(file);
    let mut misfits = Vec::new();
    let mut placed: Vec<(usize, &Passage)> = Vec::new();
    for passage in passages {
        match place(&lines, passage) {
            Ok(at) => placed.push((at, passage)),
            Err(wrong) => misfits.push(misfit(passage, wrong)),
        }
    }
    placed.sort_by_key(|(at, _)| *at);
    for pair in placed.windows(2) {
        let ((at, one), (next, other)) = (pair[0], pair[1]);
        if at + one.old().count() > next {
            misfits.push(misfit(other, Wrong::Overlaps(one.place.line)));
        }
    }
    if misfits.is_empty() {
        Ok(write(&lines, &placed))
    } else {
        Err(misfits)
    }
}

/// A whole file that takes the place of another: its lines end as those of the other did.
#[must_use]
pub fn whole(before: Option<&[u8]>, text: &str) -> Vec<u8> {
    let before = lines(before.unwrap_or_default());
    let end = usual_end(&before);
    let mut out: Vec<u8> = Vec::new();
    for line in text.lines() {
        out.extend_from_slice(line.as_bytes());
        out.extend_from_slice(end);
    }
    if before.last().is_some_and(|line| line.end.is_empty()) {
        out.truncate(out.len().saturating_sub(end.len()));
    }
    out
}

fn misfit(passage: &Passage, wrong: Wrong) -> Misfit {
    Misfit {
        path: None,
        place: Some(passage.place),
        line: passage.place.line,
        wrong,
    }
}

fn lines(file: &[u8]) -> Vec<Line<'_>> {
    let split = file.split_inclusive(|byte| *byte == b'\n');
    split
        .map(|line| {
            let text = line.strip_suffix(b"\n").unwrap_or(line);
            let text = match text.strip_suffix(b"\r") {
                Some(shorter) if line.len() > text.len() => shorter,
                _ => text,
            };
            let end = &line[text.len()..];
            Line { text, end }
        })
        .collect()
}

/// How a file's lines end: as the first of them does.
fn usual_end<'f>(lines: &[Line<'f>]) -> &'f [u8] {
    let first = lines.first().map_or(&b"\n"[..], |line| line.end);
    if first.is_empty() { b"\n" } else { first }
}

/// The line of the file, counted from 0, at which a passage stands.
fn place(lines: &[Line<'_>], passage: &Passage) -> Result<usize, Wrong> {
    let old: Vec<&str> = passage.old().collect();
    if old.is_empty() {
        return if lines.is_empty() {
            Ok(0)
        } else {
            Err(Wrong::NoOldText)
        };
    }
    let stands = |at: &usize| {
        let there = lines.get(*at..*at + old.len());
        there.is_some_and(|there| there.iter().zip(&old).all(|(line, text)| is(line, text)))
    };
    let named = passage.at.and_then(|at| at.checked_sub(1));
    let at = match named.filter(stands) {
        Some(at) => at,
        None => only(lines, &old, named, &stands)?,
    };
    let end = at + old.len();
    if passage.ends.is_some() && end < lines.len() {
        return Err(Wrong::GoesOn(end));
    }
    Ok(at)
}

/// The one place where the text stands.
fn only(
    lines: &[Line<'_>],
    old: &[&str],
    named: Option<usize>,
    stands: &dyn Fn(&usize) -> bool,
) -> Result<usize, Wrong> {
    let places: Vec<usize> = (0..lines.len()).filter(stands).take(PLACES_MAX).collect();
    match places[..] {
        [at] => Ok(at),
        [] => Err(nearest(lines, old, named)),
        _ => Err(Wrong::Several(places.iter().map(|at| at + 1).collect())),
    }
}

/// What is wrong at the place that has most of the text from its beginning on, nearest to the named one.
fn nearest(lines: &[Line<'_>], old: &[&str], named: Option<usize>) -> Wrong {
    let run = |at: usize| {
        let there = lines[at..].iter().zip(old);
        there.take_while(|(line, text)| is(line, text)).count()
    };
    let distance = |at: usize| named.map_or(at, |named| named.abs_diff(at));
    let best = (0..lines.len())
        .map(|at| (run(at), at))
        .max_by_key(|(run, at)| (*run, std::cmp::Reverse(distance(*at))));
    // Where its first line stands nowhere, the named line is the place to look at.
    let (run, at) = match (best, named) {
        (Some((0, _)), Some(named)) if named < lines.len() => (0, named),
        (Some((0, _)) | None, _) => return Wrong::Nowhere(old[0].to_owned()),
        (Some(best), _) => best,
    };
    let says = old[run].to_owned();
    match lines.get(at + run) {
        Some(found) => Wrong::Differs {
            line: at + run + 1,
            found: String::from_utf8_lossy(found.text).into_owned(),
            says,
        },
        None => Wrong::Ends {
            line: lines.len(),
            says,
        },
    }
}

fn is(line: &Line<'_>, text: &str) -> bool {
    line.text == text.as_bytes()
}

fn write(lines: &[Line<'_>], placed: &[(usize, &Passage)]) -> Vec<u8> {
    let usual = usual_end(lines);
    let mut out: Vec<(&[u8], &[u8])> = Vec::new();
    let mut at = 0;
    let mut ends = lines.last().is_none_or(|line| !line.end.is_empty());
    for (start, passage) in placed {
        out.extend(lines[at..*start].iter().map(|line| (line.text, line.end)));
        at = *start;
        let mut end = lines.get(at).map_or(usual, |line| line.end);
        for row in &passage.rows {
            match row {
                Row::Keep(_) => {
                    end = lines[at].end;
                    out.push((lines[at].text, end));
                    at += 1;
                }
                Row::Drop(_) => {
                    end = lines[at].end;
                    at += 1;
                }
                Row::Add(text) => out.push((text.as_bytes(), end)),
            }
        }
        ends = passage.ends.unwrap_or(ends);
    }
    out.extend(lines[at..].iter().map(|line| (line.text, line.end)));
    join(&out, usual, ends)
}

/// The lines as bytes: each but the last has an end, and the last has one when the file is to end in one.
fn join(lines: &[(&[u8], &[u8])], usual: &[u8], ends: bool) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (number, (text, end)) in lines.iter().enumerate() {
        bytes.extend_from_slice(text);
        let is_last = number + 1 == lines.len();
        if !is_last || ends {
            bytes.extend_from_slice(if end.is_empty() { usual } else { end });
        }
    }
    bytes
}
