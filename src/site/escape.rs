//! The one way in which foreign text becomes HTML.

use std::fmt::{self, Write as _};

use crate::base::number::to_f64;
use crate::base::printable::is_safe;

/// Shows text in HTML, in an attribute as well: markup is escaped, what is invisible or active is written as `\u{…}`.
#[derive(Clone, Copy)]
pub struct Escaped<'a>(&'a str);

/// Wraps text for HTML.
#[must_use]
pub fn escaped(text: &str) -> Escaped<'_> {
    Escaped(text)
}

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut kept_from = 0;
        for (at, c) in self.0.char_indices() {
            let entity = match c {
                '&' => "&amp;",
                '<' => "&lt;",
                '>' => "&gt;",
                '"' => "&quot;",
                '\'' => "&#39;",
                c if is_safe(c) => continue,
                _ => "",
            };
            f.write_str(&self.0[kept_from..at])?;
            if entity.is_empty() {
                write!(f, "\\u{{{:x}}}", u32::from(c))?;
            } else {
                f.write_str(entity)?;
            }
            kept_from = at + c.len_utf8();
        }
        f.write_str(&self.0[kept_from..])
    }
}

/// A count and its word: `1 file`, `1,200 files`.
#[must_use]
pub fn counted(count: u64, one: &str, many: &str) -> String {
    format!(
        "{} {}",
        thousands(count),
        if count == 1 { one } else { many }
    )
}

/// A number with a comma at every third digit.
#[must_use]
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A size for people: `512 B`, `1.4 kB`, `23 MB`.
#[must_use]
pub fn size(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["kB", "MB", "GB", "TB", "PB"];
    if bytes < 1_000 {
        return format!("{bytes} B");
    }
    let (mut value, mut unit) = (to_f64(bytes) / 1_000.0, 0);
    while value >= 999.5 && unit + 1 < UNITS.len() {
        value /= 1_000.0;
        unit += 1;
    }
    let mut text = String::new();
    let digits = usize::from(value < 9.95);
    let _ = write!(text, "{value:.digits$} {}", UNITS[unit]);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_foreign_is_markup() {
        assert_eq!(
            escaped("<a href=\"x\" onclick='y'>&\u{202e}\u{1b}").to_string(),
            "&lt;a href=&quot;x&quot; onclick=&#39;y&#39;&gt;&amp;\\u{202e}\\u{1b}"
        );
        assert_eq!(escaped("grüße 漢字").to_string(), "grüße 漢字");
    }

    #[test]
    fn numbers_are_read_at_a_glance() {
        let sizes = [0, 999, 1_000, 1_449, 9_960, 23_456_789, 999_600_000].map(size);
        assert_eq!(
            sizes,
            [
                "0 B", "999 B", "1.0 kB", "1.4 kB", "10 kB", "23 MB", "1.0 GB"
            ]
        );
        assert_eq!(thousands(1_234_567), "1,234,567");
        assert_eq!(counted(1, "file", "files"), "1 file");
    }
}
