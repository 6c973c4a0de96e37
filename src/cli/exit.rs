//! The exit codes of the program: documented, closed, and the same for every command.
//!
//! | code | meaning |
//! |---|---|
//! | 0 | done |
//! | 1 | the answer is "no", "different" or "not fresh" |
//! | 3 | some nodes failed, the rest is stored |
//! | 65 | input refused |
//! | 69 | provider unavailable |
//! | 74 | input or output failed |
//! | 75 | busy, try again |
//! | 77 | not trusted |
//! | 78 | configuration, or a secret was found |
//! | 79 | budget reached |
//! | 128 | git itself failed |
//! | 129 | usage |
//! | 130, 141, 143 | ended by a signal (interrupt, a reader that went away, terminate) |

use std::process::ExitCode;

/// How the program ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// The command did what its arguments say.
    Done = 0,
    /// The answer is "no", "different" or "not fresh".
    No = 1,
    /// Some nodes failed; what succeeded is stored.
    Partial = 3,
    /// What was handed in is refused: unknown, malformed or over a limit.
    Refused = 65,
    /// The provider cannot be reached, or refuses.
    Unavailable = 69,
    /// A file, a pipe or the disk failed.
    Io = 74,
    /// Another process is at work, or the remote kept moving: the same command may succeed later.
    Busy = 75,
    /// This repository's settings were not accepted by the user.
    NotTrusted = 77,
    /// A setting is wrong, or text that looks like a secret was about to leave.
    Config = 78,
    /// The budget for calls, tokens or cost is used up.
    Budget = 79,
    /// There is no repository, or git failed underneath.
    Git = 128,
    /// The command line is wrong.
    Usage = 129,
    /// Ended by an interrupt (Ctrl-C).
    Interrupted = 130,
    /// The reader of standard output went away before the answer was complete.
    ReaderGone = 141,
    /// Ended by a request to terminate.
    Terminated = 143,
}

impl Exit {
    /// Every way to end, in the order of the codes.
    pub const ALL: [Self; 15] = [
        Self::Done,
        Self::No,
        Self::Partial,
        Self::Refused,
        Self::Unavailable,
        Self::Io,
        Self::Busy,
        Self::NotTrusted,
        Self::Config,
        Self::Budget,
        Self::Git,
        Self::Usage,
        Self::Interrupted,
        Self::ReaderGone,
        Self::Terminated,
    ];

    /// "No" where that holds, else done.
    #[must_use]
    pub fn no_if(is_no: bool) -> Self {
        if is_no { Self::No } else { Self::Done }
    }

    /// The number that the shell sees.
    #[must_use]
    pub fn code(self) -> u8 {
        self as u8
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_the_documented_ones() {
        let codes = Exit::ALL.map(Exit::code);
        assert_eq!(
            codes,
            [0, 1, 3, 65, 69, 74, 75, 77, 78, 79, 128, 129, 130, 141, 143]
        );
    }

    /// Before, the codes were told in this file alone.
    #[test]
    fn the_table_for_users_is_this_one() {
        let rows = |text: &str| -> Vec<String> {
            let lines = text.lines().map(|line| line.trim_start_matches("//! "));
            let rows = lines
                .skip_while(|line| *line != "| code | meaning |")
                .take_while(|line| line.starts_with('|'));
            rows.map(ToOwned::to_owned).collect()
        };
        let own = rows(include_str!("exit.rs"));
        assert!(own.len() > 10, "{own:?}");
        assert_eq!(rows(include_str!("../../docs/formats.md")), own);
    }

    #[test]
    fn every_code_stands_in_the_module_table() {
        let table: String = include_str!("exit.rs")
            .lines()
            .filter(|line| line.starts_with("//! |"))
            .collect();
        for code in Exit::ALL.map(Exit::code) {
            assert!(
                table.contains(&format!(" {code} ")) || table.contains(&format!(" {code},")),
                "{code} is not documented"
            );
        }
    }
}
