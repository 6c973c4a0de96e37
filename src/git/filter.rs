//! Filters of the work tree: only programs that the user's own configuration names are run.
//!
//! `.gitattributes` says which files go through a filter and comes with a clone; `filter.<name>.clean` and `.process` say
//! which program that is. Where a repository's own configuration names the program, its author may be a stranger: an
//! unpacked archive brings its `.git` along. So each such value is overridden for the child: by what the user's, the
//! system's or the command line's configuration says, else by nothing. A file that needs a filter without a program is an
//! error and not a file that skipped its filter: what it holds may be what the filter is there to hide (git-crypt).
//!
//! | protected configuration | the repository's | what runs |
//! |---|---|---|
//! | names a program | the same, another one, or none | the protected one |
//! | names none | names none, or an empty one | none |
//! | names none | names a program | none: the first file that needs it is named in the error |

use std::collections::BTreeMap;

use super::child::ChildError;
use super::config::ConfigValue;
use super::repo::Repository;

/// The keys that name a program which `git add` runs. The other way, `smudge`, is never run: nothing is checked out.
const KEYS: [&str; 2] = ["clean", "process"];

/// What one place of the configuration says of a filter.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
struct Programs([Option<String>; 2]);

impl Programs {
    /// True when git would run something: `process` hides `clean`, even when it is empty.
    fn run(&self) -> bool {
        let Self([clean, process]) = self;
        process
            .as_ref()
            .or(clean.as_ref())
            .is_some_and(|program| !program.is_empty())
    }
}

/// The filters of a repository and what must be said otherwise for a child that may run them.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Filters {
    /// Settings for every child with an index: git also looks whether files are as they were when it writes one.
    pub(super) overrides: Vec<(String, String)>,
    /// Further settings for a child that adds files: one that needs a filter without a program is an error.
    pub(super) required: Vec<(String, String)>,
    /// Names of filters that are without a program now, with the keys and programs that only the repository names.
    refused: BTreeMap<String, Vec<(&'static str, String)>>,
}

impl Filters {
    /// Reads them from all of git's scopes.
    pub(super) fn of(repo: &Repository) -> Self {
        Self::judge(&repo.config_section("filter"))
    }

    fn judge(values: &[ConfigValue]) -> Self {
        let mut drivers: BTreeMap<&str, (Programs, Programs)> = BTreeMap::new();
        for value in values {
            let Some((name, key)) = value
                .key
                .strip_prefix("filter.")
                .and_then(|rest| rest.rsplit_once('.'))
            else {
                continue;
            };
            let Some(number) = KEYS.iter().position(|known| *known == key) else {
                continue;
            };
            let (protected, local) = drivers.entry(name).or_default();
            let place = if value.scope.is_protected() {
                protected
            } else {
                local
            };
            place.0[number] = Some(value.value.clone().unwrap_or_default());
        }
        let mut filters = Self::default();
        for (name, (protected, local)) in drivers {
            filters.add(name, &protected, &local);
        }
        filters
    }

    fn add(&mut self, name: &str, protected: &Programs, local: &Programs) {
        let mut runs = Programs::default();
        let mut theirs = Vec::new();
        for (number, key) in KEYS.into_iter().enumerate() {
            let (own, found) = (&protected.0[number], &local.0[number]);
            runs.0[number] = found.clone().or_else(|| own.clone());
            // What the repository turns off stays off: that runs nothing.
            let Some(program) = found
                .clone()
                .filter(|program| !program.is_empty() && Some(program) != own.as_ref())
            else {
                continue;
            };
            let allowed = own.clone().unwrap_or_default();
            self.overrides
                .push((format!("filter.{name}.{key}"), allowed.clone()));
            runs.0[number] = Some(allowed);
            theirs.push((key, program));
        }
        if !theirs.is_empty() && !runs.run() {
            self.overrides
                .push((format!("filter.{name}.required"), "false".to_owned()));
            self.required
                .push((format!("filter.{name}.required"), "true".to_owned()));
            self.refused.insert(name.to_owned(), theirs);
        }
    }

    /// Explains a failure of the child, where it is that of a filter without a program.
    pub(super) fn explain(&self, error: ChildError) -> ChildError {
        let ChildError::Failed { message, .. } = &error else {
            return error;
        };
        let found = self.refused.iter().find_map(|(name, programs)| {
            let path = message.strip_suffix(&format!(": clean filter '{name}' failed"))?;
            Some((path.to_owned(), name, programs))
        });
        let Some((path, filter, programs)) = found else {
            return error;
        };
        let line = |(key, program): &(&str, String)| {
            format!(
                "git config --global {} {}",
                quoted(&format!("filter.{filter}.{key}")),
                quoted(program)
            )
        };
        let allow = programs.iter().map(line).collect::<Vec<_>>().join("\n");
        ChildError::Filter {
            path,
            filter: filter.clone(),
            allow,
        }
    }
}

/// One word of a shell's command line.
pub(super) fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::super::config::ConfigScope;
    use super::*;

    fn judged(values: &[(ConfigScope, &str, &str)]) -> Filters {
        let value = |(scope, key, text): &(ConfigScope, &str, &str)| ConfigValue {
            key: format!("filter.{key}"),
            value: Some((*text).to_owned()),
            scope: *scope,
            file: None,
        };
        Filters::judge(&values.iter().map(value).collect::<Vec<_>>())
    }

    fn overrides(filters: &Filters) -> Vec<String> {
        let all = filters
            .overrides
            .iter()
            .filter(|(key, _)| !key.ends_with(".required"))
            .chain(&filters.required);
        all.map(|(key, value)| format!("{key}={value}")).collect()
    }

    #[test]
    fn programs_of_the_user_run_and_those_of_the_repository_do_not() {
        use ConfigScope::{Command, Global, Local, Worktree};
        for (values, expected, refuses) in [
            (
                &[
                    (Global, "lfs.clean", "git-lfs clean"),
                    (Global, "lfs.process", "git-lfs p"),
                ][..],
                &[][..],
                false,
            ),
            (
                &[
                    (Global, "lfs.process", "git-lfs p"),
                    (Local, "lfs.process", "git-lfs p"),
                ],
                &[],
                false,
            ),
            (
                &[(Global, "lfs.process", "p"), (Local, "lfs.process", "evil")],
                &["filter.lfs.process=p"],
                false,
            ),
            (
                &[(Local, "x.clean", "evil")],
                &["filter.x.clean=", "filter.x.required=true"],
                true,
            ),
            (
                &[(Worktree, "a=b.c.process", "evil")],
                &["filter.a=b.c.process=", "filter.a=b.c.required=true"],
                true,
            ),
            (
                &[(Global, "x.clean", "c"), (Local, "x.process", "p")],
                &["filter.x.process=", "filter.x.required=true"],
                true,
            ),
            (
                &[(Local, "x.clean", "c"), (Command, "x.clean", "c")],
                &[],
                false,
            ),
            (
                &[(Global, "x.clean", "c"), (Local, "x.clean", "")],
                &[],
                false,
            ),
            (
                &[(Local, "x.smudge", "evil"), (Local, "x.required", "true")],
                &[],
                false,
            ),
        ] {
            let filters = judged(values);
            assert_eq!(overrides(&filters), expected, "{values:?}");
            assert_eq!(!filters.refused.is_empty(), refuses, "{values:?}");
        }
    }

    #[test]
    fn the_error_names_file_filter_and_what_allows_it() {
        let filters = judged(&[(ConfigScope::Local, "it's.clean", "run 'me'")]);
        let failed = |message: &str| ChildError::Failed {
            verb: "add".into(),
            code: Some(128),
            message: message.into(),
        };
        let ChildError::Filter {
            path,
            filter,
            allow,
        } = filters.explain(failed("a: b: clean filter 'it's' failed"))
        else {
            panic!("not explained")
        };
        assert_eq!((path.as_str(), filter.as_str()), ("a: b", "it's"));
        assert_eq!(
            allow,
            r"git config --global 'filter.it'\''s.clean' 'run '\''me'\'''"
        );
        assert!(matches!(
            filters.explain(failed("a: clean filter 'other' failed")),
            ChildError::Failed { .. }
        ));
    }
}
