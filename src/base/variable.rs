//! Names of environment variables that hold keys, told by their form alone.

use std::ffi::OsStr;

/// What the name of a variable that holds a key ends with; no child is started with one, whatever it is for.
pub const KEY_SUFFIX: &str = "_API_KEY";

/// True when a variable of this name holds a key: `OPENAI_API_KEY`, `openai_api_key`.
#[must_use]
pub fn holds_key(name: &OsStr) -> bool {
    name.to_ascii_uppercase()
        .as_encoded_bytes()
        .ends_with(KEY_SUFFIX.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_told_by_the_end_of_the_name() {
        for (name, holds) in [
            ("OPENAI_API_KEY", true),
            ("x_api_key", true),
            ("API_KEY", false),
            ("A_API_KEY_FILE", false),
        ] {
            assert_eq!(holds_key(OsStr::new(name)), holds, "{name}");
        }
    }
}
