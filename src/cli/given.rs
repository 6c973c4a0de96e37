//! What the user hands in: a text from a file or, for `-`, standard input, and an image from a file.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use super::program::Program;
use super::{CliError, Exit};
use crate::chat::{IMAGE_BYTES_MAX, Image};

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
    let name = file.display().to_string();
    let open = File::open(program.global.resolve(file));
    let bytes = at_most(open, &name, IMAGE_BYTES_MAX as u64)?;
    let image = Image::new(&bytes)
        .map_err(|error| CliError::new(Exit::Refused, format!("'{name}': {error}")))?;
    Ok((bytes, image))
}

/// Reads a text: UTF-8, not empty, and within this many bytes. A byte order mark at its start is no part of it.
pub fn read(program: &Program, file: &Path, bytes_max: u64) -> Result<String, CliError> {
    let name = name(file);
    let bytes = if file.as_os_str() == "-" {
        at_most(Ok(io::stdin().lock()), &name, bytes_max)?
    } else {
        let open = File::open(program.global.resolve(file));
        at_most(open, &name, bytes_max)?
    };
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

/// Reads all of what was opened by this name, which is refused above a limit: some files, such as devices, have no end.
pub fn at_most(
    open: io::Result<impl Read>,
    name: &str,
    bytes_max: u64,
) -> Result<Vec<u8>, CliError> {
    let mut bytes = Vec::new();
    open.and_then(|open| open.take(bytes_max + 1).read_to_end(&mut bytes))
        .map_err(|error| CliError::io(format!("cannot read '{name}'"), error))?;
    if bytes.len() as u64 > bytes_max {
        return Err(CliError::new(
            Exit::Refused,
            format!("'{name}' is over the limit of {bytes_max} bytes"),
        ));
    }
    Ok(bytes)
}
