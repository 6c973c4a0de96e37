//! Reading what stands beside the files of a review, see [`review::DeclaredBeside`].

use std::collections::{BTreeMap, BTreeSet};

use super::version::{Reading, visit_folder};
use crate::base::{NodeId, TreePath};
use crate::git::{ObjectError, Repository, Side};
use crate::review::{self, DeclaredBeside, File, Version};

/// Leaves out what a file beside each declares all along.
pub(super) fn leave_out_declared_beside(
    repo: &Repository,
    reading: &Reading,
    [old, new]: [NodeId; 2],
    files: &mut [File],
) -> Result<(), ObjectError> {
    let mut packages = BTreeMap::new();
    for folder in folders_with_variants(files) {
        let declared = package(repo, reading, [old, new], &folder)?;
        packages.insert(folder, declared);
    }
    for file in files {
        let path = file.path();
        if let Some(stem) = path.as_bytes().strip_suffix(b".pyi") {
            let module = TreePath::new([stem, b".py"].concat());
            // What comes or goes with its module, that says.
            let mut declared = DeclaredBeside::default();
            for tree in [old, new] {
                if let Some(code) = reading.code(repo, tree, &module)? {
                    declared.add(&module, &code, None);
                }
            }
            review::leave_out_declared_beside(file, &declared);
        } else if let Some(declared) = path.parent().and_then(|folder| packages.get(&folder)) {
            review::leave_out_declared_beside(file, declared);
        }
    }
    Ok(())
}

/// The folders of packages of Go of which a file differs that is built for some platforms.
fn folders_with_variants(files: &[File]) -> BTreeSet<TreePath> {
    let is_variant = |version: &Version| {
        version
            .code()
            .is_some_and(|code| review::is_variant(&version.path, code))
    };
    let sides = files.iter().flat_map(|file| [&file.old, &file.new]);
    let variants = sides.flatten().filter(|version| is_variant(version));
    variants
        .filter_map(|version| version.path.parent())
        .collect()
}

/// What each file of a package of Go declares both before and after: what goes from one file to another is news.
fn package(
    repo: &Repository,
    reading: &Reading,
    [old, new]: [NodeId; 2],
    folder: &TreePath,
) -> Result<DeclaredBeside, ObjectError> {
    let sources = |tree: NodeId| {
        let mut found: BTreeMap<TreePath, Side> = BTreeMap::new();
        visit_folder(repo, tree, folder, |name, side| {
            if name.ends_with(b".go") && !name.ends_with(b"_test.go") {
                found.insert(folder.join(name), side);
            }
        })?;
        Ok::<_, ObjectError>(found)
    };
    let (before, after) = (sources(old)?, sources(new)?);
    let mut declared = DeclaredBeside::default();
    for (path, side) in before {
        let Some(now) = after.get(&path) else {
            continue;
        };
        let (before, after) = (
            reading.version(repo, &path, side)?,
            reading.version(repo, &path, *now)?,
        );
        if let (Some(before), Some(after)) = (before.code(), after.code()) {
            declared.add(&path, before, Some(after));
        }
    }
    Ok(declared)
}
