//! How many lines of each changed file differ, for the map of a review.

use std::collections::HashMap;

use crate::base::NodeId;
use crate::base::cores::on_all_cores;
use crate::base::number::IndexVec;
use crate::git::{EntryMode, ObjectError, Repository};
use crate::regen::record::{Blob, with_blob};
use crate::review::{File, ReviewedNumber, Version};

/// How many lines each file has on one side alone, in their order; at least one, also of what holds no lines or is not here.
pub fn differing_lines(
    repo: &Repository,
    trees: [NodeId; 2],
    files: &IndexVec<ReviewedNumber, File>,
) -> Result<IndexVec<ReviewedNumber, u64>, ObjectError> {
    let work = |repo: &Repository, at: usize| {
        let mut lines: HashMap<Vec<u8>, i64> = HashMap::new();
        let file = &files[ReviewedNumber::new(at)];
        let sides = [&file.old, &file.new].into_iter().zip(trees);
        for ((version, tree), step) in sides.zip([-1, 1]) {
            if let Some(version) = version {
                count(repo, tree, version, &mut |line| {
                    *lines.entry(line.to_vec()).or_default() += step;
                })?;
            }
        }
        let differing: u64 = lines.values().map(|count| count.unsigned_abs()).sum();
        Ok(differing.max(1))
    };
    let found = on_all_cores(files.len(), repo, || repo.fork(), work);
    found.into_iter().collect()
}

/// Hands over the lines of a file of a tree; none of what is no file or not in this clone.
fn count(
    repo: &Repository,
    tree: NodeId,
    version: &Version,
    take: &mut dyn FnMut(&[u8]),
) -> Result<(), ObjectError> {
    let entry = repo.find_entry(&tree, version.path.as_bytes())?;
    let Some((EntryMode::File | EntryMode::Executable, id)) = entry else {
        return Ok(());
    };
    let counted = with_blob(repo, &id, |blob| {
        if let Blob::Data(data) = blob {
            data.split_inclusive(|byte| *byte == b'\n').for_each(take);
        }
    });
    match counted {
        // A damaged file must not stop the others.
        Err(ObjectError::Damaged { .. }) => Ok(()),
        counted => counted,
    }
}
