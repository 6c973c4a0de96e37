//! Frames as stock git sees them: blobs of a frame's size and text at a frame's paths, for the yardsticks.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::ops::Range;
use std::path::PathBuf;

use crate::corpus::{directory, source_texts};
use crate::measure::Failure;

/// Bytes of a body: what an outline or a summary has.
const BODY_BYTES: usize = 1_100;

/// The body of a frame: real text, another one for every number.
pub(crate) struct Bodies {
    texts: Vec<String>,
}

impl Bodies {
    pub(crate) fn new() -> Result<Self, Failure> {
        Ok(Self {
            texts: source_texts(BODY_BYTES)?,
        })
    }

    /// The body with a number.
    pub(crate) fn get(&self, number: usize) -> String {
        format!(
            "Frame {number}.\n\n{}",
            self.texts[number % self.texts.len()]
        )
    }
}

/// The id of the node that the frame with a number speaks about.
pub(crate) fn node_id(number: usize) -> String {
    blake3::hash(&number.to_le_bytes()).to_hex()[..40].to_owned()
}

/// A name in the store and its content, with a header as long as a real one.
fn blob(bodies: &Bodies, number: usize) -> (String, String) {
    let node = node_id(number);
    let digest = |word: &str| blake3::hash(format!("{word} {number}").as_bytes()).to_hex();
    let (frame, basis) = (digest("frame"), digest("basis"));
    let name = format!(
        "{}/{}.outline.outline.00000001.{frame}",
        &node[..2],
        &node[2..]
    );
    let identity = format!(
        "---\nformat: git-merkle/frame/1\nframe: {frame}\nnode: {node}\nkind: file\nagent: outline\n"
    );
    let origin = format!(
        "type: outline\nseq: 1\nbasis: {basis}\nbasis-kind: generated\npath: \"src/{number}.rs\"\n"
    );
    let made = "created: 2026-11-21T20:13:05Z\ntool: git-merkle 0.1.0\n---\n\n";
    (
        name,
        format!("{identity}{origin}{made}{}", bodies.get(number)),
    )
}

/// Input for `git fast-import`, in a file that is gone when this is dropped.
pub(crate) struct Stream {
    pub(crate) path: PathBuf,
}

impl Drop for Stream {
    fn drop(&mut self) {
        drop(std::fs::remove_file(&self.path));
    }
}

/// A stream that commits the frames with the numbers of a range to a ref, on top of a parent if there is one.
pub(crate) fn stream(
    reference: &str,
    parent: Option<&str>,
    numbers: Range<usize>,
) -> Result<Stream, Failure> {
    let bodies = Bodies::new()?;
    let stream = Stream {
        path: directory().join(format!("stream-{}-{}", std::process::id(), numbers.start)),
    };
    let mut out = BufWriter::new(File::create(&stream.path)?);
    write!(
        out,
        "commit {reference}\ncommitter Bench <bench@example.org> 1800000000 +0000\ndata 7\nframes\n\n"
    )?;
    if let Some(parent) = parent {
        writeln!(out, "from {parent}")?;
    }
    for number in numbers {
        let (name, content) = blob(&bodies, number);
        write!(
            out,
            "M 100644 inline {name}\ndata {}\n{content}\n",
            content.len()
        )?;
    }
    out.write_all(b"done\n")?;
    out.flush()?;
    Ok(stream)
}
