//! What the user hands in: a text from a file or, for `-`, standard input, and an image from a file.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use super::program::Program;
use super::{CliError, Exit};
use crate::chat::Image;

/// What the text is called in messages.
#[must_use]
pub fn name(file: &Path) -> String {
    if file.as_os_str() == "-" {
        "standard input".to_owned()
    } else {
        file.display().to_string()
    }
}

/// Reads an image: its bytes, and what they are sent as.
pub fn image(program: &Program, file: &Path) -> Result<(Vec<u8>, Image), CliError> {
    let failed = |error| CliError::io(format!("cannot read '{}'", file.display()), error);
    let bytes = std::fs::read(program.global.resolve(file)).map_err(failed)?;
    let image = Image::new(&bytes)
        .map_err(|error| CliError::new(Exit::Refused, format!("'{}': {error}", file.display())))?;
    Ok((bytes, image))
}

/// Reads a text: UTF-8, not empty, and within this many bytes. A byte order mark at its start is no part of it.
pub fn read(program: &Program, file: &Path, bytes_max: u64) -> Result<String, CliError> {
    let name = name(file);
    let mut bytes = Vec::new();
    let result = if file.as_os_str() == "-" {
        std::io::stdin()
            .lock()
            .take(bytes_max + 1)
            .read_to_end(&mut bytes)
    } else {
        File::open(program.global.resolve(file))
            .and_then(|file| file.take(bytes_max + 1).read_to_end(&mut bytes))
    };
    result.map_err(|err| CliError::io(format!("cannot read '{name}'"), err))?;
    if bytes.len() as u64 > bytes_max {
        return Err(CliError::new(
            Exit::Refused,
            format!("'{name}' is over the limit of {bytes_max} bytes"),
        ));
    }
    let text = String::from_utf8(bytes)
        .map_err(|_| CliError::new(Exit::Refused, format!("'{name}' is not UTF-8")))?;
    let text = text
        .strip_prefix('\u{feff}')
        .map(ToOwned::to_owned)
        .unwrap_or(text);
    if text.trim().is_empty() {
        return Err(CliError::new(Exit::Refused, format!("'{name}' is empty")));
    }
    Ok(text)
}
