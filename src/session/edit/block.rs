//! Edit blocks: the text that stands in a file, and the text that takes its place. No line is counted.
//!
//! ```text
//! <<<<<<< EDIT
//! lines as they stand in the file
//! =======
//! lines that stand there afterwards
//! >>>>>>> REPLACE
//! ```

use super::{Misfit, Passage, Row, Where, Wrong};

/// Words behind the first marker; models that learned another word for the same thing write the second.
const BEGINS: [&str; 2] = ["<<<<<<< EDIT", "<<<<<<< SEARCH"];
const TURNS: &str = "=======";
const ENDS: &str = ">>>>>>> REPLACE";

/// True where a block of a fence begins with an edit.
#[must_use]
pub fn begins(lines: &[&str]) -> bool {
    let first = lines.iter().find(|line| !line.trim().is_empty());
    first.is_some_and(|line| BEGINS.contains(&line.trim_end()))
}

/// Reads all edits of a fence whose first line is this line of the answer; `before` edits of the file came before.
pub fn read(lines: &[&str], first: usize, before: usize) -> Result<Vec<Passage>, Vec<Misfit>> {
    let (mut passages, mut misfits) = (Vec::new(), Vec::new());
    let mut rest = lines.iter().enumerate().peekable();
    while let Some((at, line)) = rest.next() {
        if line.trim().is_empty() {
            continue;
        }
        let place = Where {
            is_hunk: false,
            number: before + passages.len() + misfits.len() + 1,
            line: first + at,
        };
        let mut body = Vec::new();
        let mut is_ended = false;
        let is_begun = BEGINS.contains(&line.trim_end());
        for (_, line) in rest.by_ref() {
            if line.trim_end() == ENDS {
                is_ended = true;
                break;
            }
            body.push(*line);
        }
        match passage(place, &body).filter(|_| is_begun && is_ended) {
            Some(passage) => passages.push(passage),
            None => misfits.push(Misfit {
                path: None,
                place: Some(place),
                line: place.line,
                wrong: Wrong::Markers,
            }),
        }
    }
    if misfits.is_empty() {
        Ok(passages)
    } else {
        Err(misfits)
    }
}

/// What stands between the outer markers; `None` where the marker between old and new is not there just once.
fn passage(place: Where, body: &[&str]) -> Option<Passage> {
    let mut turns = body.iter().enumerate().filter(|(_, line)| **line == TURNS);
    let (turn, _) = turns.next()?;
    let is_nested = body.iter().any(|line| BEGINS.contains(&line.trim_end()));
    if turns.next().is_some() || is_nested {
        return None;
    }
    let (old, new) = (&body[..turn], &body[turn + 1..]);
    // Lines that both begin or end with stay as they are, whatever their ends are in the file.
    let same = |(one, other): &(&&str, &&str)| one == other;
    let head = old.iter().zip(new).take_while(same).count();
    let tail = (old[head..].iter().rev())
        .zip(new[head..].iter().rev())
        .take_while(same)
        .count();
    let keep = |lines: &[&str]| {
        lines
            .iter()
            .map(|line| Row::Keep((*line).to_owned()))
            .collect()
    };
    let mut rows: Vec<Row> = keep(&old[..head]);
    let gone = &old[head..old.len() - tail];
    rows.extend(gone.iter().map(|line| Row::Drop((*line).to_owned())));
    let come = &new[head..new.len() - tail];
    rows.extend(come.iter().map(|line| Row::Add((*line).to_owned())));
    rows.extend::<Vec<Row>>(keep(&old[old.len() - tail..]));
    Some(Passage {
        place,
        rows,
        at: None,
        ends: None,
    })
}
