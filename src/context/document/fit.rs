//! Which parts of a document are shown, and in which form, so that it keeps to its budget.

use std::io;

use super::super::budget::{Fit, Form, Level, TokenCost, fit};
use super::super::markdown::link_code;
use super::super::overview::Overview;
use super::super::resource::Resource;
use super::super::structure::Folded;
use super::{
    ContextError, Document, FILLED_BUT_ONE_OF, FIT_TRIES, FIXED_TOKENS, FOLDED_LINE_TOKENS,
    REDUCED_TOKENS, SECTIONS, STRUCTURE_SHARE, TEXT_TOKENS_MIN,
};
use crate::base::token;

impl Document<'_> {
    /// Reduces resources, and the structure if it takes more than its share, until everything fits; then fills what is left.
    pub(super) fn reduce(&mut self, tokens_max: u64) -> Result<(), ContextError> {
        self.fold_structure(tokens_max / STRUCTURE_SHARE);
        let costs = self.costs(tokens_max).map_err(ContextError::Read)?;
        let fixed = self.tokens_of(&[1, 2, 3, 4]) + FIXED_TOKENS;
        let mut room = tokens_max.saturating_sub(fixed);
        let mut best: Option<(u64, Vec<Form>, Fit)> = None;
        for _ in 0..FIT_TRIES {
            let fit = fit(&costs, room);
            let (is_reduced, needed, has_names_alone) = (
                !fit.reduced.is_empty(),
                fixed + fit.tokens,
                fit.tokens > room,
            );
            self.forms = (0..costs.len())
                .filter(|_| is_reduced)
                .map(|at| fit.form(at))
                .collect();
            self.fit = Some(fit.clone());
            // Tokens of the parts are not quite those of the whole, least where there are many names.
            let tokens = self.tokens();
            if let Some(over) = tokens.checked_sub(tokens_max).filter(|over| *over > 0) {
                if has_names_alone && best.is_none() {
                    return Err(ContextError::Budget { needed, tokens_max });
                }
                room = room.saturating_sub(over + over / 8 + 4);
                continue;
            }
            if best.as_ref().is_none_or(|(most, ..)| tokens > *most) {
                best = Some((tokens, self.forms.clone(), fit));
            }
            if !is_reduced || tokens + tokens_max / FILLED_BUT_ONE_OF >= tokens_max {
                break;
            }
            room += tokens_max - tokens;
        }
        let Some((_, forms, fit)) = best else {
            return Err(ContextError::Budget {
                needed: self.tokens(),
                tokens_max,
            });
        };
        (self.forms, self.fit) = (forms, Some(fit));
        Ok(())
    }

    /// Shows the default payload, as much of it as fits.
    pub(super) fn show_overview(
        &mut self,
        overview: &Overview<'_>,
        tokens_max: u64,
    ) -> Result<(), ContextError> {
        self.is_overview = true;
        self.fold_structure(tokens_max / STRUCTURE_SHARE);
        let fixed = self.tokens_of(&SECTIONS.collect::<Vec<_>>()) + FIXED_TOKENS;
        let mut room = tokens_max.saturating_sub(fixed);
        let mut best = (fixed, Vec::new());
        for _ in 0..FIT_TRIES {
            let (resources, is_all) = overview.fit(room);
            self.resources = resources;
            let tokens = self.tokens();
            if tokens > tokens_max {
                room = room.saturating_sub(tokens - tokens_max + 8);
                continue;
            }
            if tokens > best.0 {
                best = (tokens, self.resources.clone());
            }
            if is_all || tokens + tokens_max / FILLED_BUT_ONE_OF >= tokens_max {
                break;
            }
            room += tokens_max - tokens;
        }
        self.resources = best.1;
        if best.0 > tokens_max {
            Err(ContextError::Budget {
                needed: best.0,
                tokens_max,
            })
        } else {
            Ok(())
        }
    }

    /// Opens as many directories as fit.
    pub(super) fn fold_structure(&mut self, tokens_max: u64) {
        let whole = || {
            self.tree
                .structure_tokens(self.style, || self.tokens_of(&[2]))
        };
        if self.is_overview || self.is_longer(2, tokens_max) || whole() > tokens_max {
            let folded = Folded::new(
                &self.tree,
                tokens_max.saturating_sub(FOLDED_LINE_TOKENS),
                self.is_overview,
            );
            self.folded = Some(folded).filter(|folded| !folded.is_whole);
        }
    }

    /// What each resource costs; outlines and frames are only looked at when the full texts do not fit.
    pub(super) fn costs(&self, tokens_max: u64) -> io::Result<Vec<TokenCost>> {
        let full = self.blocks().measure(Level::Full)?;
        let fits = full.iter().flatten().sum::<u64>() <= tokens_max / 2;
        let measured = |level| {
            if fits {
                Ok(vec![None; full.len()])
            } else {
                self.blocks().measure(level)
            }
        };
        let (outline, frame, name) = (
            measured(Level::Outline)?,
            measured(Level::Frame)?,
            measured(Level::Name)?,
        );
        let cost = |(at, resource): (usize, &Resource)| {
            let full = full[at].unwrap_or_default();
            TokenCost {
                scope: resource.scopes.strongest(),
                full,
                outline: outline[at],
                frame: frame[at],
                name: name[at].unwrap_or_default(),
                line: REDUCED_TOKENS,
                header: token::estimate(&link_code(&resource.name, &resource.target()))
                    + REDUCED_TOKENS,
                has_text: full > TEXT_TOKENS_MIN,
            }
        };
        Ok(self.resources.iter().enumerate().map(cost).collect())
    }

    /// The tokens of the whole document, counted part by part as when it is written: one text may have fewer.
    pub(super) fn tokens(&self) -> u64 {
        self.write_counted(&mut io::sink(), None).unwrap_or(0)
    }

    /// True for a section with more bytes than these tokens can have: nothing has to be counted, nor written to its end.
    fn is_longer(&self, section: u8, tokens_max: u64) -> bool {
        let mut room = Room(token::bytes_max(tokens_max));
        self.write(&mut room, Some(section)).is_err()
    }

    pub(super) fn tokens_of(&self, sections: &[u8]) -> u64 {
        let mut text = Vec::new();
        for section in sections {
            self.write(&mut text, Some(*section))
                .expect("a vector takes everything");
        }
        token::estimate(&String::from_utf8_lossy(&text))
    }
}

/// Takes as many bytes as there is room for, and none of them anywhere.
struct Room(u64);

impl io::Write for Room {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let left = self.0.checked_sub(bytes.len() as u64);
        self.0 = left.ok_or(io::ErrorKind::StorageFull)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
