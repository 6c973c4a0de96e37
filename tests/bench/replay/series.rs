//! A history made of the unpacked versions of one crate, as cargo keeps them: one commit for each version, in order.

use std::path::{Path, PathBuf};

use crate::corpus::{Scratch, files_of, list};
use crate::measure::{Failure, git};

/// The history of a directory of versions; `None` for a path that is a repository already.
pub(crate) fn repository(path: &Path) -> Result<Option<Scratch>, Failure> {
    if path.join(".git").exists() || path.join("HEAD").exists() {
        return Ok(None);
    }
    let mut versions: Vec<(Vec<u64>, PathBuf)> =
        list(path)?.into_iter().filter_map(|path| Some((version(&path)?, path))).collect();
    versions.sort();
    if versions.is_empty() {
        return Err(Failure(format!("'{}' is neither a repository nor a directory of versions", path.display())));
    }
    let scratch = Scratch::empty("series")?;
    for (_, version) in &versions {
        git().args(["rm", "-rqf", "--ignore-unmatch", "."]).inside(&scratch.path).output()?;
        for (relative, source) in files_of(version)? {
            let target = scratch.path.join(relative);
            std::fs::create_dir_all(target.parent().unwrap_or(&scratch.path))?;
            std::fs::copy(source, target)?;
        }
        git().args(["add", "-A", "-f"]).inside(&scratch.path).output()?;
        git().args(["commit", "-q", "--allow-empty", "-m", "A version"]).inside(&scratch.path).output()?;
    }
    Ok(Some(scratch))
}

/// `1.2.3` of `name-1.2.3`, as numbers; `None` where there are none.
fn version(path: &Path) -> Option<Vec<u64>> {
    let name = path.file_name()?.to_str()?;
    let (_, version) = name.rsplit_once('-')?;
    version.split('.').map(|number| number.parse().ok()).collect()
}
