//! What it costs to share: the first `sync` of a clone, and the push of one statement, each against git's own transfer.

use std::path::Path;
use std::time::Duration;

use crate::case::FRAMES_REF;
use crate::corpus::{Scratch, note};
use crate::measure::{Failure, Pairs, Run, git, merkle};
use crate::model::Model;
use crate::report::Row;

/// Files of the repository that is shared.
const FILES: usize = 10_000;

/// The refspec that brings frames where nothing of this program reads them.
const BRINGS: &str = "refs/merkle/frames:refs/brought";

/// A remote that has a model's frames for every file and directory, and the clone that pushed them.
struct Shared {
    /// The files, for both and for more clones.
    source: Scratch,
    remote: Scratch,
    teller: Scratch,
    /// What `merkle.share` is in every clone.
    share: &'static str,
    frames: usize,
}

/// The first `sync` of a clone by what is shared, and the push of one note.
pub(crate) fn sharing() -> Result<Vec<Row>, Failure> {
    let model = Model::start(Duration::ZERO)?;
    let said = Shared::new(&model, "said")?;
    let note = Row::ratio(
        format!("`push` of one note to {} frames", said.frames),
        "`git push` of one commit",
        &said.pushes()?,
        2.0,
    );
    let first = said.first_syncs()?;
    drop(said);
    let all = Shared::new(&model, "all")?.first_syncs()?;
    Ok(vec![first, all, note])
}

impl Shared {
    fn new(model: &Model, share: &'static str) -> Result<Self, Failure> {
        let source = source()?;
        let teller = Scratch::unchecked("teller", &source.path)?;
        let remote = Scratch::bare("remote", &source.path)?;
        let (here, there) = (&teller.path, &remote.path);
        git().args(["reset", "-q"]).inside(here).output()?;
        set(there, "receive.autoGC", "false")?;
        follow(here, there)?;
        set(here, "merkle.share", share)?;
        model.configure(here)?;
        note(&format!("a model's frames for {FILES} files"));
        let asked = ["regenerate", "--agent", "docs", "--yes"];
        merkle().args(asked).inside(here).time()?;
        if share == "all" {
            merkle().args(["regenerate"]).inside(here).time()?;
        }
        merkle().args(["push"]).inside(here).time()?;
        let listed = git()
            .args(["ls-tree", "-r", "--name-only", FRAMES_REF])
            .inside(there)
            .output()?;
        Ok(Self {
            source,
            frames: listed.lines().count(),
            remote,
            teller,
            share,
        })
    }

    fn first_syncs(&self) -> Result<Row, Failure> {
        let pairs = Pairs::take(
            || self.in_a_clone(&merkle().args(["sync"])),
            || self.in_a_clone(&git().args(["fetch", "-q", "origin", BRINGS])),
        )?;
        Ok(Row::ratio(
            format!(
                "first `sync`, {} frames, `merkle.share = {}`",
                self.frames, self.share
            ),
            "`git fetch` of the same objects",
            &pairs,
            1.5,
        ))
    }

    /// What a command takes in a clone that has the files and no frame.
    fn in_a_clone(&self, run: &Run) -> Result<Duration, Failure> {
        let clone = Scratch::unchecked("fresh", &self.source.path)?;
        follow(&clone.path, &self.remote.path)?;
        set(&clone.path, "merkle.share", self.share)?;
        run.clone().inside(&clone.path).time()
    }

    /// Each run has something new to push, which is made before.
    fn pushes(&self) -> Result<Pairs, Failure> {
        let here = &self.teller.path;
        let mut number = 0;
        Pairs::take(
            || {
                number += 1;
                let text = format!("note {number}");
                merkle()
                    .args(["note", "0", "-m", &text])
                    .inside(here)
                    .time()?;
                merkle().args(["push"]).inside(here).time()
            },
            || {
                let file = here.join("pushed");
                std::fs::write(&file, format!("{:?}", std::time::Instant::now()))?;
                git().args(["add", "pushed"]).inside(here).time()?;
                git()
                    .args(["commit", "-q", "-m", "one"])
                    .inside(here)
                    .time()?;
                git()
                    .args(["push", "-q", "origin", "HEAD"])
                    .inside(here)
                    .time()
            },
        )
    }
}

/// A repository of small modules, a hundred in each directory.
fn source() -> Result<Scratch, Failure> {
    let scratch = Scratch::empty("source")?;
    for number in 0..FILES {
        let directory = scratch
            .path
            .join(format!("{}/{}", number / 1_000, number / 100 % 10));
        std::fs::create_dir_all(&directory)?;
        let text = format!("def price_{number}(item):\n    return item.price + {number}\n");
        std::fs::write(directory.join(format!("module_{number}.py")), text)?;
    }
    git().args(["add", "."]).inside(&scratch.path).output()?;
    git()
        .args(["commit", "-q", "-m", "modules"])
        .inside(&scratch.path)
        .output()?;
    git().args(["gc", "-q"]).inside(&scratch.path).output()?;
    Ok(scratch)
}

fn follow(clone: &Path, remote: &Path) -> Result<(), Failure> {
    let url = format!("file://{}", remote.display());
    set(clone, "remote.origin.url", &url)
}

fn set(repository: &Path, key: &str, value: &str) -> Result<(), Failure> {
    git()
        .args(["config", key, value])
        .inside(repository)
        .output()
        .map(drop)
}
