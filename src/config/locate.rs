//! Where files of settings stand: the user's by the XDG rules, the repository's in `.teddy/`.

use std::path::{Path, PathBuf};

use super::environment::Environment;

/// The folder of a work tree in which people's files for this program stand.
pub const REPOSITORY_FOLDER: &str = ".teddy";

/// The user's own folder: `$XDG_CONFIG_HOME/git-merkle`, else `~/.config/git-merkle`; `None` without a home.
#[must_use]
pub fn user_folder(environment: &Environment) -> Option<PathBuf> {
    config_home(environment).map(|config| config.join("git-merkle"))
}

/// `$XDG_CONFIG_HOME`, else `~/.config`: where programs keep the user's settings; `None` without a home.
#[must_use]
pub fn config_home(environment: &Environment) -> Option<PathBuf> {
    base(environment, "XDG_CONFIG_HOME", ".config")
}

/// `$XDG_DATA_HOME`, else `~/.local/share`: where shells and `man` look for a user's own files; `None` without a home.
#[must_use]
pub fn data_home(environment: &Environment) -> Option<PathBuf> {
    base(environment, "XDG_DATA_HOME", ".local/share")
}

/// A base directory of the XDG rules: what the variable names, else a folder below the home directory.
fn base(environment: &Environment, variable: &str, below_home: &str) -> Option<PathBuf> {
    let home = || Some(environment.directory("HOME")?.join(below_home));
    environment.directory(variable).or_else(home)
}

/// Where this program keeps what it must remember outside of repositories: `$XDG_STATE_HOME/git-merkle`, else
/// `~/.local/state/git-merkle`; `None` without a home.
#[must_use]
pub fn state_folder(environment: &Environment) -> Option<PathBuf> {
    let state = base(environment, "XDG_STATE_HOME", ".local/state")?;
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
