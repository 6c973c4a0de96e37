//! Names of files, directories, refs and the like: searched as text is, and shown with markers.
//!
//! A name stands in many places where no body does: in a tree, in a heading, in the header of a frame. A path is
//! searched whole, and a name by itself; both are bytes, which need not be UTF-8.

use std::borrow::Cow;

use super::allowed::Allowed;
use super::guard::{Object, SecretFound, lossy, without};
use super::scanner::Scanner;

/// The name with a marker in the place of every secret that is not allowed.
#[must_use]
pub fn redact_name<'n>(name: &'n [u8], scanner: &Scanner, allowed: &Allowed) -> Cow<'n, [u8]> {
    without(name, scanner, allowed).0
}

/// Stops at the first secret of a name that is not allowed; the error shows the name with markers, and the object's id.
pub fn guard_name(
    name: &[u8],
    object: &dyn ToString,
    scanner: &Scanner,
    allowed: &Allowed,
) -> Result<(), SecretFound> {
    let shown = || lossy(&redact_name(name, scanner, allowed));
    let found = SecretFound::first(scanner.find(name), allowed, shown);
    found.map_or(Ok(()), |found| {
        let object = Some(Object(object.to_string()));
        Err(SecretFound { object, ..found })
    })
}

/// The number of the first name in which something is found, if it is in any: all are searched in one pass.
///
/// Clean names, and nearly all are, cost no more than their bytes.
#[must_use]
pub fn find_in_names<'n, I>(
    names: impl Fn() -> I,
    scanner: &Scanner,
    allowed: &Allowed,
) -> Option<usize>
where
    I: Iterator<Item = &'n [u8]>,
{
    let mut all = Vec::new();
    for name in names() {
        all.extend_from_slice(name);
        // What is found across two names is looked at again, in each of them.
        all.push(b'\n');
    }
    if scanner.find(&all).is_empty() {
        return None;
    }
    names().position(|name| {
        scanner
            .find(name)
            .iter()
            .any(|finding| !allowed.allows(finding))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(last: char) -> String {
        format!(
            "{}{last}",
            ["ghp", "_", "0aK9dQ2mZ7xW4cV1bN8rT5yU3iO6pL0sH2j"].concat()
        )
    }

    #[test]
    fn names_are_shown_with_markers_whatever_their_bytes() {
        let name = [b"\xffk-", token('F').as_bytes(), b".txt\xfe"].concat();
        let (scanner, none) = (Scanner::built_in(), Allowed::default());
        assert_eq!(
            &*redact_name(&name, scanner, &none),
            b"\xffk-[redacted: github-token].txt\xfe"
        );
        let found = guard_name(&name, &"1a2b", scanner, &none).expect_err("a secret");
        assert!(
            !found.to_string().contains(&token('F')[4..]) && found.to_string().contains("1a2b"),
            "{found}"
        );
        let allowed: Allowed = [found.id].into_iter().collect();
        assert_eq!(guard_name(&name, &"1a2b", scanner, &allowed), Ok(()));
        assert_eq!(&*redact_name(&name, scanner, &allowed), name);
    }

    #[test]
    fn the_first_of_many_names_is_found() {
        let names = [
            "a".to_owned(),
            format!("b{}", token('F')),
            "c".to_owned(),
            token('G'),
        ];
        let bytes = || names.iter().map(String::as_bytes);
        let scanner = Scanner::built_in();
        assert_eq!(find_in_names(bytes, scanner, &Allowed::default()), Some(1));
        let allowed: Allowed = scanner
            .find(names[1].as_bytes())
            .into_iter()
            .map(|finding| finding.id)
            .collect();
        assert_eq!(find_in_names(bytes, scanner, &allowed), Some(3));
        assert_eq!(find_in_names(|| bytes().take(1), scanner, &allowed), None);
    }
}
