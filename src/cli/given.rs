//! Text that the user hands in: a file, or standard input for `-`.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use super::program::Program;
use super::{CliError, Exit};
use crate::base::limit::BODY_BYTES_MAX;

/// What the text is called in messages.
#[must_use]
pub fn name(file: &Path) -> String {
    if file.as_os_str() == "-" { "standard input".to_owned() } else { file.display().to_string() }
}

/// Reads a text: UTF-8, not empty, and at most [`BODY_BYTES_MAX`] bytes.
pub fn read(program: &Program, file: &Path) -> Result<String, CliError> {
    let name = name(file);
    let limit = BODY_BYTES_MAX as u64 + 1;
    let mut bytes = Vec::new();
    let result = if file.as_os_str() == "-" {
        std::io::stdin().lock().take(limit).read_to_end(&mut bytes)
    } else {
        File::open(program.global.resolve(file)).and_then(|file| file.take(limit).read_to_end(&mut bytes))
    };
    result.map_err(|err| CliError::io(format!("cannot read '{name}'"), err))?;
    if bytes.len() > BODY_BYTES_MAX {
        return Err(CliError::new(Exit::Refused, format!("'{name}' is over the limit of {BODY_BYTES_MAX} bytes")));
    }
    let text = String::from_utf8(bytes).map_err(|_| CliError::new(Exit::Refused, format!("'{name}' is not UTF-8")))?;
    if text.trim().is_empty() {
        return Err(CliError::new(Exit::Refused, format!("'{name}' is empty")));
    }
    Ok(text)
}
