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
    let folders = folders_with_variants(files);
    let mut packages = BTreeMap::new();
    for folder in folders {
        let package = Package::read(repo, records, [old, new], &folder)?;
        packages.insert(folder, package);
    }
    for file in files {
        let path = file.path();
        let sides = if let Some(stem) = path.as_bytes().strip_suffix(b".pyi") {
            let module = TreePath::new([stem, b".py"].concat());
            let mut sides = [DeclaredBeside::default(), DeclaredBeside::default()];
            for (tree, beside) in [old, new].into_iter().zip(&mut sides) {
                if let Some(code) = read_code(repo, records, tree, &module)? {
                    beside.add(&code);
                }
            }
            sides
        } else if let Some(package) = path.parent().and_then(|folder| packages.get(&folder)) {
            let beside = package.beside(path);
            [beside.clone(), beside]
        } else {
            continue;
        };
        review::leave_out_declared_beside(file, &sides[0], &sides[1]);
    }
    Ok(())
}

/// The folders of packages of Go of which a file differs that is built for some platforms.
fn folders_with_variants(files: &[File]) -> BTreeSet<TreePath> {
    let is_variant = |version: &Version| version.code().is_some_and(review::is_variant);
    let sides = files.iter().flat_map(|file| [&file.old, &file.new]);
    let variants = sides.flatten().filter(|version| is_variant(version));
    variants
        .filter_map(|version| version.path.parent())
        .collect()
}

/// What each file of a package of Go declares both before and after, by path: what goes from one file to another is news.
struct Package(Vec<(TreePath, DeclaredBeside)>);

impl Package {
    fn read(
        repo: &Repository,
        records: &Records,
        [old, new]: [NodeId; 2],
        folder: &TreePath,
    ) -> Result<Self, ObjectError> {
        let after: BTreeMap<TreePath, Side> = entries(repo, new, folder)?.into_iter().collect();
        let mut files = Vec::new();
        for (path, side) in entries(repo, old, folder)? {
            let name = path.name();
            let is_source = name.ends_with(b".go") && !name.ends_with(b"_test.go");
            let Some(now) = after.get(&path).filter(|_| is_source) else {
                continue;
            };
            let read = |side: Side| -> Result<DeclaredBeside, ObjectError> {
                let mut declared = DeclaredBeside::default();
                if let Some(code) = version_of(repo, records, &path, side)?.code() {
                    declared.add(code);
                }
                Ok(declared)
            };
            let common = read(side)?.common(&read(*now)?);
            files.push((path, common));
        }
        Ok(Self(files))
    }

    /// What the files declare but for one.
    fn beside(&self, path: &TreePath) -> DeclaredBeside {
        let mut beside = DeclaredBeside::default();
        let others = self.0.iter().filter(|file| file.0 != *path);
        others.for_each(|file| beside.extend(file.1.clone()));
        beside
    }
}
