//! Where git runs hooks from, and which git it is, as the git program itself says.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

use super::child::{ChildError, GitCommand};
use super::config::ConfigScope;
use super::repo::Repository;

impl Repository {
    /// The value of `core.hooksPath` with `~` resolved, and where it was set; `None` for git's default.
    pub fn hooks_path(&self) -> Result<Option<(ConfigScope, PathBuf)>, ChildError> {
        let list = GitCommand::new(self, "config")
            .option("--show-scope")
            .option("-z")
            .option("--type=path");
        let told = list.option("--get-all").option("core.hooksPath").run(b"")?;
        let mut fields: Vec<&[u8]> = told.split(|byte| *byte == 0).collect();
        // Behind the last NUL is nothing, and the last value is that of every child of this program.
        fields.truncate(fields.len().saturating_sub(3));
        let [.., scope, path] = fields.as_slice() else {
            return Ok(None);
        };
        let scope = match *scope {
            b"system" => ConfigScope::System,
            b"global" => ConfigScope::Global,
            b"local" => ConfigScope::Local,
            b"worktree" => ConfigScope::Worktree,
            _ => ConfigScope::Command,
        };
        Ok(Some((
            scope,
            PathBuf::from(OsString::from_vec(path.to_vec())),
        )))
    }

    /// What `git version` prints.
    pub fn git_version(&self) -> Result<String, ChildError> {
        let told = GitCommand::new(self, "version").run(b"")?;
        Ok(String::from_utf8_lossy(&told).trim_end().to_owned())
    }

    /// Takes a value out of the local configuration, with its section when that is empty then; true if it was there.
    pub fn unset_local(&self, key: &'static str, value: &'static str) -> Result<bool, ChildError> {
        let unset = GitCommand::new(self, "config")
            .option("--local")
            .option("--fixed-value")
            .option("--unset-all");
        match unset.option(key).option(value).run(b"") {
            Ok(_) => Ok(true),
            // Git's way to say that there is no such key or value.
            Err(ChildError::Failed { code: Some(5), .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::Fixture;
    use super::*;

    #[test]
    fn the_last_setting_of_the_user_counts() {
        let fixture = Fixture::new();
        assert_eq!(fixture.open().hooks_path().unwrap(), None);
        fixture.git(&["config", "core.hooksPath", "one"]);
        fixture.git(&["config", "--add", "core.hooksPath", "two\nlines"]);
        assert_eq!(
            fixture.open().hooks_path().unwrap(),
            Some((ConfigScope::Local, "two\nlines".into()))
        );
        let settings = vec!["core.hooksPath=three".to_owned()];
        let location = super::super::repo::Location {
            directory: fixture.root.clone(),
            git_dir: None,
            settings,
        };
        let path = Repository::open(&location).unwrap().hooks_path().unwrap();
        assert_eq!(path, Some((ConfigScope::Command, "three".into())));
        assert!(
            fixture
                .open()
                .git_version()
                .unwrap()
                .starts_with("git version ")
        );
    }

    #[test]
    fn a_value_is_taken_out_once() {
        let fixture = Fixture::new();
        fixture.git(&["config", "include.path", "merkle.gitconfig"]);
        let repo = fixture.open();
        assert!(
            repo.unset_local("include.path", "merkle.gitconfig")
                .unwrap()
        );
        assert!(
            !repo
                .unset_local("include.path", "merkle.gitconfig")
                .unwrap()
        );
    }
}
