//! Rules about the names of files: what is named like this holds secrets, whatever stands in it.

/// Names of files that hold secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FileRule {
    /// Its name in messages.
    pub id: String,
    /// Patterns of names; see [`FileRule::matches`].
    pub(super) names: Vec<String>,
    /// Patterns of names that are harmless though they match.
    pub(super) except: Vec<String>,
}

impl FileRule {
    /// True when the last parts of a path match one of the patterns, and none of the exceptions.
    ///
    /// `*` stands for any part of a name, case does not count, and a pattern with `/` takes as many parts of the path.
    #[must_use]
    pub(super) fn matches(&self, path: &[u8]) -> bool {
        let is_one_of = |patterns: &[String]| {
            patterns
                .iter()
                .any(|pattern| fits_end(pattern.as_bytes(), path))
        };
        is_one_of(&self.names) && !is_one_of(&self.except)
    }
}

fn fits_end(pattern: &[u8], path: &[u8]) -> bool {
    let parts = pattern.split(|byte| *byte == b'/').count();
    let mut names = path.rsplitn(parts + 1, |byte| *byte == b'/');
    pattern
        .rsplit(|byte| *byte == b'/')
        .all(|part| names.next().is_some_and(|name| fits(part, name)))
}

/// Matches a name with one look-back per star, so that no pattern takes more than the product of the lengths.
fn fits(pattern: &[u8], name: &[u8]) -> bool {
    let (mut at, mut next) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while at < name.len() {
        match pattern.get(next) {
            Some(b'*') => {
                star = Some((next, at));
                next += 1;
            }
            Some(byte) if byte.eq_ignore_ascii_case(&name[at]) => (at, next) = (at + 1, next + 1),
            _ => match star.as_mut() {
                Some((star_at, from)) => {
                    *from += 1;
                    (at, next) = (*from, *star_at + 1);
                }
                None => return false,
            },
        }
    }
    pattern[next..].iter().all(|byte| *byte == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_any_part_of_a_name() {
        for (pattern, path, expected) in [
            (".env", "a/b/.env", true),
            (".env", "a/.env/b", false),
            (".env.*", ".ENV.local", true),
            ("*.pem", "x.PEM", true),
            ("*.pem", "x.pem.txt", false),
            ("credentials*.json", "credentials-prod.json", true),
            (".aws/credentials", "home/.aws/credentials", true),
            (".aws/credentials", "aws/credentials", false),
            (".aws/credentials", "credentials", false),
            ("a*b*c", "axxbyybzzc", true),
            ("a*b*c", "axxbyy", false),
        ] {
            assert_eq!(
                fits_end(pattern.as_bytes(), path.as_bytes()),
                expected,
                "{pattern} {path}"
            );
        }
    }
}
