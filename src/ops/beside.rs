//! Reading what stands beside the files of a review, see [`review::DeclaredBeside`].

use std::collections::{BTreeMap, BTreeSet};

use super::version::{entries, read_code, version_of};
use crate::base::{NodeId, TreePath};
use crate::git::{ObjectError, Repository, Side};
use crate::regen::record::Records;
use crate::review::{self, DeclaredBeside, File, Version};

/// Leaves out what a file beside each declares all along.
pub(super) fn leave_out_declared_beside(
    repo: &Repository,
    records: &Records,
    [old, new]: [NodeId; 2],
    files: &mut [File],
) -> Result<(), ObjectError> {
    let mut packages = BTreeMap::new();
    for folder in folders_with_variants(files) {
        let declared = package(repo, records, [old, new], &folder)?;
        packages.insert(folder, declared);
    }
    for file in files {
        let path = file.path();
        if let Some(stem) = path.as_bytes().strip_suffix(b".pyi") {
            let module = TreePath::new([stem, b".py"].concat());
            // What comes or goes with its module, that says.
            let mut declared = DeclaredBeside::default();
            for tree in [old, new] {
                if let Some(code) = read_code(repo, records, tree, &module)? {
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
    records: &Records,
    [old, new]: [NodeId; 2],
    folder: &TreePath,
) -> Result<DeclaredBeside, ObjectError> {
    let after: BTreeMap<TreePath, Side> = entries(repo, new, folder)?.into_iter().collect();
    let mut declared = DeclaredBeside::default();
    for (path, side) in entries(repo, old, folder)? {
        let name = path.name();
        let is_source = name.ends_with(b".go") && !name.ends_with(b"_test.go");
        let Some(now) = after.get(&path).filter(|_| is_source) else {
            continue;
        };
        let (before, after) = (
            version_of(repo, records, &path, side)?,
            version_of(repo, records, &path, *now)?,
        );
        if let (Some(before), Some(after)) = (before.code(), after.code()) {
            declared.add(&path, before, Some(after));
        }
    }
    Ok(declared)
}
