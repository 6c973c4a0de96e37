//! Programs that a fetch or a push would run: only those that the user's own configuration names.
//!
//! An unpacked archive brings its `.git/config` along. Git believes it: `core.sshCommand`, a credential helper, a proxy, the
//! program at the other end (which is this machine for a path), or an address `ext::<command>` with its protocol allowed.
//! Here a program that a repository's own configuration alone names is an error that says how the user allows it, as for
//! filters. It is not replaced by another one: `ssh` without the user's options could log in to the remote under another name.
//!
//! | setting of the repository's own | what happens |
//! |---|---|
//! | a program, and the user's configuration names the same, or a later one | nothing |
//! | a program otherwise | refused |
//! | `protocol.allow`, `protocol.ext.allow` | the user's for `ext`, else never |
//! | `http.saveCookies` | off: git would write to any file that `http.cookieFile` names |

use super::child::ChildError;
use super::config::{ConfigValue, parse_bool};
use super::filter::quoted;
use super::repo::Repository;
use super::variable::variable;

/// Keys of a program of which the last value counts, and the variable that goes before it.
const PROGRAMS: [(&str, &str); 3] = [
    ("core.sshcommand", "GIT_SSH_COMMAND"),
    ("core.askpass", "GIT_ASKPASS"),
    ("core.alternaterefscommand", ""),
];
/// The sections that are looked at.
const SECTIONS: [&str; 7] = [
    "core",
    "credential",
    "gpg",
    "http",
    "protocol",
    "push",
    "remote",
];

/// What must be said otherwise for a child that talks to a remote, and why none is started.
#[derive(Debug, Default)]
pub(super) struct RemotePrograms {
    pub(super) overrides: Vec<(String, String)>,
    pub(super) refused: Option<ChildError>,
}

impl RemotePrograms {
    /// Reads them from all of git's scopes.
    pub(super) fn of(repo: &Repository, remote: &str) -> Self {
        let values: Vec<ConfigValue> = SECTIONS
            .iter()
            .flat_map(|section| repo.config_section(section))
            .collect();
        Self::judge(&values, remote, &|name| {
            !name.is_empty() && variable(name).is_some()
        })
    }

    fn judge(values: &[ConfigValue], remote: &str, is_set: &dyn Fn(&str) -> bool) -> Self {
        let own = || values.iter().filter(|value| !value.scope.is_protected());
        let last = |key: &str| values.iter().rfind(|value| value.key == key);
        let ends = ["uploadpack", "receivepack"].map(|end| format!("remote.{remote}.{end}"));
        let signs = last("push.gpgsign")
            .is_some_and(|value| value.value.as_deref().and_then(parse_bool) != Some(false));
        let counts = |value: &ConfigValue| {
            let key = value.key.as_str();
            let is_last = || last(key) == Some(value);
            match PROGRAMS.iter().find(|(known, _)| *known == key) {
                Some((_, variable)) => is_last() && !is_set(variable),
                None if ends.iter().any(|end| end == key) => is_last(),
                None => is_listed(key) || signs && is_signer(key),
            }
        };
        let is_users = |found: &ConfigValue| {
            values.iter().any(|value| {
                value.scope.is_protected()
                    && (&value.key, &value.value) == (&found.key, &found.value)
            })
        };
        let named = |value: &&ConfigValue| {
            value
                .value
                .as_deref()
                .is_some_and(|program| !program.is_empty())
        };
        let refused = own()
            .filter(named)
            .find(|value| counts(value) && !is_users(value))
            .map(refusal);
        let mut overrides = vec![("fetch.writeCommitGraph".to_owned(), "false".to_owned())];
        if own().any(|value| matches!(value.key.as_str(), "protocol.allow" | "protocol.ext.allow"))
        {
            let users = values
                .iter()
                .rfind(|value| value.scope.is_protected() && value.key == "protocol.ext.allow");
            let allowed = users
                .and_then(|value| value.value.clone())
                .unwrap_or_else(|| "never".to_owned());
            overrides.push(("protocol.ext.allow".to_owned(), allowed));
        }
        let savers = own()
            .filter(|value| value.key.starts_with("http.") && value.key.ends_with(".savecookies"));
        overrides.extend(savers.map(|value| (value.key.clone(), "false".to_owned())));
        Self { overrides, refused }
    }
}

/// True for programs of which all that are named may run.
fn is_listed(key: &str) -> bool {
    key == "core.gitproxy" || key.starts_with("credential.") && key.ends_with(".helper")
}

fn is_signer(key: &str) -> bool {
    key.starts_with("gpg.") && (key.ends_with(".program") || key.ends_with(".defaultkeycommand"))
}

fn refusal(value: &ConfigValue) -> ChildError {
    let (key, program) = (value.key.clone(), value.value.clone().unwrap_or_default());
    let allow = format!(
        "git config --global --add {} {}",
        quoted(&key),
        quoted(&program)
    );
    ChildError::Program { key, allow }
}

#[cfg(test)]
mod tests {
    use super::super::config::ConfigScope::{self, Command, Global, Local, Worktree};
    use super::*;

    fn judged(values: &[(ConfigScope, &str, &str)]) -> (Option<String>, Vec<String>) {
        let value = |(scope, key, text): &(ConfigScope, &str, &str)| ConfigValue {
            key: (*key).to_owned(),
            value: Some((*text).to_owned()),
            scope: *scope,
            file: None,
        };
        let values: Vec<ConfigValue> = values.iter().map(value).collect();
        let RemotePrograms { overrides, refused } =
            RemotePrograms::judge(&values, "origin", &|name| name == "GIT_ASKPASS");
        let refused = refused.map(|error| match error {
            ChildError::Program { key, .. } => key,
            other => panic!("{other:?}"),
        });
        (
            refused,
            overrides
                .iter()
                .skip(1)
                .map(|(key, value)| format!("{key}={value}"))
                .collect(),
        )
    }

    #[expect(clippy::too_many_lines, reason = "it is a table")]
    #[test]
    fn programs_of_the_user_run_and_those_of_the_repository_do_not() {
        for (values, refused) in [
            (&[(Global, "core.sshcommand", "ssh -i x")][..], None),
            (
                &[(Local, "core.sshcommand", "evil")],
                Some("core.sshcommand"),
            ),
            (
                &[
                    (Global, "core.sshcommand", "ssh"),
                    (Local, "core.sshcommand", "evil"),
                ],
                Some("core.sshcommand"),
            ),
            (
                &[
                    (Global, "core.sshcommand", "ssh"),
                    (Local, "core.sshcommand", "ssh"),
                ],
                None,
            ),
            (
                &[
                    (Local, "core.sshcommand", "evil"),
                    (Command, "core.sshcommand", "ssh"),
                ],
                None,
            ),
            (&[(Local, "core.askpass", "evil")], None),
            (
                &[(Worktree, "core.alternaterefscommand", "evil")],
                Some("core.alternaterefscommand"),
            ),
            (
                &[
                    (Local, "core.gitproxy", "evil"),
                    (Command, "core.gitproxy", "none"),
                ],
                Some("core.gitproxy"),
            ),
            (
                &[
                    (Global, "credential.helper", "store"),
                    (Local, "credential.helper", "store"),
                ],
                None,
            ),
            (&[(Local, "credential.helper", "")], None),
            (
                &[(Local, "credential.https://h.helper", "!evil")],
                Some("credential.https://h.helper"),
            ),
            (
                &[(Local, "remote.origin.uploadpack", "evil")],
                Some("remote.origin.uploadpack"),
            ),
            (&[(Local, "remote.other.uploadpack", "evil")], None),
            (&[(Local, "gpg.program", "evil")], None),
            (
                &[
                    (Local, "gpg.program", "evil"),
                    (Local, "push.gpgsign", "if-asked"),
                ],
                Some("gpg.program"),
            ),
            (
                &[
                    (Local, "gpg.ssh.defaultkeycommand", "evil"),
                    (Global, "push.gpgsign", "1"),
                ],
                Some("gpg.ssh.defaultkeycommand"),
            ),
            (
                &[
                    (Local, "gpg.program", "evil"),
                    (Local, "push.gpgsign", "no"),
                ],
                None,
            ),
        ] {
            assert_eq!(judged(values).0.as_deref(), refused, "{values:?}");
        }
    }

    #[test]
    fn what_the_repository_opens_is_closed_again() {
        assert_eq!(
            judged(&[(Global, "protocol.ext.allow", "always")]).1,
            [] as [&str; 0]
        );
        let opened = [
            (Global, "protocol.ext.allow", "user"),
            (Local, "protocol.allow", "always"),
        ];
        assert_eq!(judged(&opened).1, ["protocol.ext.allow=user"]);
        assert_eq!(
            judged(&[(Local, "protocol.ext.allow", "always")]).1,
            ["protocol.ext.allow=never"]
        );
        let cookies = [
            (Local, "http.savecookies", "true"),
            (Local, "http.http://h/.savecookies", "true"),
        ];
        assert_eq!(
            judged(&cookies).1,
            ["http.savecookies=false", "http.http://h/.savecookies=false"]
        );
    }
}
