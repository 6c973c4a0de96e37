//! Reading what stands beside the files of a review, see [`review::DeclaredBeside`].

use std::collections::{BTreeMap, BTreeSet};

use super::version::{entries, read_code, version_of};
use crate::base::{NodeId, TreePath};
use crate::git::{EntryMode, ObjectError, Repository};
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
        let sides = [
            Package::read(repo, records, old, &folder)?,
            Package::read(repo, records, new, &folder)?,
        ];
        packages.insert(folder, sides);
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
        } else if let Some(packages) = path.parent().and_then(|folder| packages.get(&folder)) {
            packages.each_ref().map(|package| package.beside(path))
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

/// The files of a package of Go in one tree, by path.
struct Package(Vec<Version>);

impl Package {
    fn read(
        repo: &Repository,
        records: &Records,
        tree: NodeId,
        folder: &TreePath,
    ) -> Result<Self, ObjectError> {
        let mut files = Vec::new();
        for (path, side) in entries(repo, tree, folder)? {
            let name = path.name();
            let is_source = name.ends_with(b".go") && !name.ends_with(b"_test.go");
            if is_source && matches!(side.0, EntryMode::File | EntryMode::Executable) {
                files.push(version_of(repo, records, &path, side)?);
            }
        }
        Ok(Self(files))
    }

    /// What the files declare but for one.
    fn beside(&self, path: &TreePath) -> DeclaredBeside {
        let mut beside = DeclaredBeside::default();
        let others = self.0.iter().filter(|version| version.path != *path);
        others
            .filter_map(Version::code)
            .for_each(|code| beside.add(code));
        beside
    }
}
