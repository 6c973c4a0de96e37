//! Before money is spent: the user agrees, has set a limit, or the estimate is small.

use super::program::Program;
use super::{CliError, Exit};
use crate::provider::call::Caller;

/// What is about to be asked, and what was said about its cost.
pub struct CostQuestion<'a> {
    /// What it takes, in words: `this asks 'x' for …`.
    pub words: String,
    /// The estimate in thousand-millionths of a dollar; `None` when no price is known.
    pub nano_dollars: Option<u64>,
    /// `merkle.confirmAbove`.
    pub confirm_above_nano_dollars: u64,
    /// `--yes`, or a limit on the command line.
    pub is_agreed: bool,
    /// Some limit is configured.
    pub has_budget: bool,
    /// A command that only looks.
    pub look: &'a str,
}

/// Goes on, asks, or refuses.
pub fn require(
    program: &mut Program,
    caller: &Caller,
    asked: &CostQuestion<'_>,
) -> Result<(), CliError> {
    let is_somebody_there = program.ui.can_ask();
    if asked.is_agreed || (asked.has_budget && !is_somebody_there) {
        return Ok(());
    }
    if asked
        .nano_dollars
        .is_some_and(|nano| nano <= asked.confirm_above_nano_dollars)
    {
        caller.limit_unasked(asked.confirm_above_nano_dollars);
        return Ok(());
    }
    if is_somebody_there {
        return if program.ui.ask(&format!("{}; go on?", asked.words))? {
            Ok(())
        } else {
            Err(CliError::new(Exit::No, "nothing was sent"))
        };
    }
    Err(CliError::new(
        Exit::Budget,
        format!("{}, and there is no terminal to confirm it", asked.words),
    )
    .hint("give it a budget: --max-cost <usd>, --max-calls <number> or --max-tokens <number>")
    .hint(format!("or look first: {}", asked.look)))
}
