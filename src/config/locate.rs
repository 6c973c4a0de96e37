//! Where files of settings stand: the user's by the XDG rules, the repository's in `.teddy/`.

use std::path::{Path, PathBuf};

use super::environment::Environment;

/// The folder of a work tree in which people's files for this program stand.
pub const REPOSITORY_FOLDER: &str = ".teddy";

/// The user's own folder: `$XDG_CONFIG_HOME/git-merkle`, else `~/.config/git-merkle`; `None` without a home.
#[must_use]
pub fn user_folder(environment: &Environment) -> Option<PathBuf> {
    let config = environment.directory("XDG_CONFIG_HOME").or_else(|| {
        environment
            .directory("HOME")
            .map(|home| home.join(".config"))
    })?;
    Some(config.join("git-merkle"))
}

/// Where this program keeps what it must remember outside of repositories: `$XDG_STATE_HOME/git-merkle`, else
/// `~/.local/state/git-merkle`; `None` without a home.
#[must_use]
pub fn state_folder(environment: &Environment) -> Option<PathBuf> {
    let state = environment.directory("XDG_STATE_HOME").or_else(|| {
        environment
            .directory("HOME")
            .map(|home| home.join(".local/state"))
    })?;
    Some(state.join("git-merkle"))
}

/// The repository's folder.
#[must_use]
pub fn repository_folder(work_dir: &Path) -> PathBuf {
    work_dir.join(REPOSITORY_FOLDER)
}

/// The user's settings.
#[must_use]
pub fn user_file(environment: &Environment) -> Option<PathBuf> {
    user_folder(environment).map(|folder| folder.join("config.toml"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_users_file_follows_the_xdg_rules() {
        let file = |pairs: &[(&str, &str)]| user_file(&pairs.iter().copied().collect());
        assert_eq!(
            file(&[("XDG_CONFIG_HOME", "/x"), ("HOME", "/h")]),
            Some("/x/git-merkle/config.toml".into())
        );
        assert_eq!(
            file(&[("XDG_CONFIG_HOME", ""), ("HOME", "/h")]),
            Some("/h/.config/git-merkle/config.toml".into())
        );
        assert_eq!(
            file(&[("XDG_CONFIG_HOME", "rel"), ("HOME", "/h")]),
            Some("/h/.config/git-merkle/config.toml".into())
        );
        assert_eq!(file(&[]), None);
        let state = |pairs: &[(&str, &str)]| state_folder(&pairs.iter().copied().collect());
        assert_eq!(
            state(&[("XDG_STATE_HOME", "/s"), ("HOME", "/h")]),
            Some("/s/git-merkle".into())
        );
        assert_eq!(
            state(&[("HOME", "/h")]),
            Some("/h/.local/state/git-merkle".into())
        );
    }
}
