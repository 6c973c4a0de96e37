//! A line that the user types without an echo.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Write as _};

use rustix::termios::{
    LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcsetattr,
};

/// The terminal of this process, whatever the standard streams are.
const TERMINAL: &str = "/dev/tty";
const INTERRUPT: u8 = 3;
const END: u8 = 4;
const BACKSPACE: [u8; 2] = [8, 127];

/// The terminal as it was, put back when this is dropped.
struct Quiet {
    terminal: File,
    before: Termios,
}

impl Quiet {
    /// Shows nothing that is typed, and takes Ctrl-C as a byte: ending here would leave the terminal blind.
    fn start(terminal: File) -> io::Result<Self> {
        let before = tcgetattr(&terminal)?;
        let mut quiet = before.clone();
        quiet
            .local_modes
            .remove(LocalModes::ECHO | LocalModes::ICANON | LocalModes::ISIG);
        quiet.special_codes[SpecialCodeIndex::VMIN] = 1;
        quiet.special_codes[SpecialCodeIndex::VTIME] = 0;
        tcsetattr(&terminal, OptionalActions::Flush, &quiet)?;
        Ok(Self { terminal, before })
    }
}

impl Drop for Quiet {
    fn drop(&mut self) {
        let _ = tcsetattr(&self.terminal, OptionalActions::Flush, &self.before);
        let _ = self.terminal.write_all(b"\n");
    }
}

/// Asks a question and reads the line; `None` when the person ends it instead.
pub(super) fn ask(question: &str) -> io::Result<Option<String>> {
    let mut terminal = OpenOptions::new().read(true).write(true).open(TERMINAL)?;
    terminal.write_all(question.as_bytes())?;
    let mut quiet = Quiet::start(terminal)?;
    let mut line = Vec::new();
    let mut byte = [0];
    loop {
        if quiet.terminal.read(&mut byte)? == 0 {
            return Ok(None);
        }
        match byte[0] {
            b'\n' | b'\r' => break,
            INTERRUPT => return Ok(None),
            END if line.is_empty() => return Ok(None),
            END => break,
            byte if BACKSPACE.contains(&byte) => drop(line.pop()),
            byte => line.push(byte),
        }
    }
    Ok(Some(String::from_utf8(line).unwrap_or_default()))
}
