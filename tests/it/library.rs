//! The examples of `docs/guide/library.md`: they are compiled and run here, and the page shows them word for word.

// open
use std::error::Error;
use std::path::Path;

use git_merkle::base::TreePath;
use git_merkle::config::Environment;
use git_merkle::git::Location;
use git_merkle::node::Snapshot;
use git_merkle::workspace::{Target, Workspace, find_target};

/// Opens the repository that a directory is in, with the settings of the user and of the repository.
fn open(directory: &Path) -> Result<Workspace, Box<dyn Error>> {
    let location = Location {
        directory: directory.to_owned(),
        ..Location::default()
    };
    Ok(Workspace::open(
        &location,
        &Environment::capture(),
        [],
        None,
    )?)
}

/// Finds a file or directory of HEAD.
fn target(workspace: &Workspace, path: &str) -> Result<Target, Box<dyn Error>> {
    let head = workspace.root(&Snapshot::Revision("HEAD".to_owned()))?;
    Ok(find_target(
        &workspace.repository,
        head.tree,
        &TreePath::root(),
        path,
    )?)
}
// end

// read
use git_merkle::ops::staleness::is_subject_fresh;
use git_merkle::view::{ContextView, FrameCandidate, LocatedNode, compose, gather};

/// The frames of a path that a view chooses, in the view's order.
fn read(
    workspace: &Workspace,
    target: &Target,
    view: &ContextView,
) -> Result<Vec<FrameCandidate>, Box<dyn Error>> {
    let place = LocatedNode {
        id: target.id,
        kind: target.kind,
        found_in: target.root.zip(target.path.clone()),
    };
    let store = workspace.store()?;
    let found = gather(&store, &place, view, &|subject, head| {
        is_subject_fresh(workspace, &store, target.root, subject, head)
    })?;
    Ok(compose(found.candidates, view).frames)
}
// end

// put
use git_merkle::base::FrameId;
use git_merkle::base::clock;
use git_merkle::ops::Statement;
use git_merkle::ops::statement::put;

/// Stores what a program says about a path; once this returns, the frame is on disk.
fn write(workspace: &Workspace, target: &Target, text: &str) -> Result<FrameId, Box<dyn Error>> {
    let agents = workspace.agents();
    let agent = agents.get("assistant")?;
    let statement = Statement {
        agent,
        frame_type: agent.frame_type.clone(),
        content: text.to_owned(),
        created: clock::render_utc(clock::now_seconds()),
    };
    Ok(put(workspace, target, statement)?.id)
}
// end

// order
use git_merkle::view::Orders;

/// An order of your own: what people wrote comes first.
fn people_first() -> ContextView {
    let mut orders = Orders::default();
    orders.register("people-first", |candidate| {
        u64::from(candidate.frame.author().is_some())
    });
    ContextView {
        order: orders.get("people-first").expect("registered"),
        ..ContextView::default()
    }
}
// end

// policy
use std::sync::Arc;

use git_merkle::base::Digest;
use git_merkle::ops::Synthesis;
use git_merkle::ops::syntheses::synthesize;
use git_merkle::secret::Allowed;
use git_merkle::synthesis::{ChildNode, Filter, Policies, Policy, PolicySpec, SourceTypes};

/// Makes a directory's frame a list of names, of those children about which something is said.
struct Names;

impl Policy for Names {
    fn name(&self) -> &'static str {
        "names"
    }

    // Raise the number when the output changes: frames made before are outdated then.
    fn digest(&self) -> Digest {
        Digest::of("example.org policy", b"names/1")
    }

    fn synthesize(&self, parts: &[ChildNode<'_>]) -> String {
        let spoken = parts.iter().filter(|part| !part.bodies.is_empty());
        let lines: Vec<String> = spoken.map(|part| format!("- {}", part.name)).collect();
        lines.join("\n") + "\n"
    }
}

/// Makes the frames of a directory and of all directories below it.
fn combine(workspace: &Workspace, target: &Target) -> Result<FrameId, Box<dyn Error>> {
    let mut policies = Policies::built_in(Filter::new(Vec::new(), None, None)?);
    policies.register(Arc::new(Names));
    let agents = workspace.agents();
    let synthesis = Synthesis {
        agent: agents.get("outline")?,
        into: "names".parse()?,
        spec: PolicySpec::named("names", SourceTypes::All),
        policy: policies.get("names")?,
        allowed: &Allowed::default(),
    };
    Ok(synthesize(workspace, target, &synthesis)?.frame)
}
// end

// watch
use std::time::Duration;

use git_merkle::agent::OUTLINE;
use git_merkle::hook::watch::Watch;
use git_merkle::ops::{Refresh, refresh};

/// Brings outlines of the work tree up to date, now and after each change, until `go_on` says no.
fn follow(workspace: &Workspace, mut go_on: impl FnMut(u64) -> bool) -> Result<(), Box<dyn Error>> {
    let root = workspace
        .repository
        .work_dir()
        .ok_or("a bare repository has no work tree")?;
    // Listening begins before the first look, so that no change falls between the two.
    let watch = Watch::start(root, workspace.repository.git_dir())?;
    let agents = workspace.agents();
    let request = Refresh::of(agents.get(OUTLINE)?);
    loop {
        let tree = workspace.root(&Snapshot::Worktree)?.tree;
        let done = refresh(workspace, &[Target::root_of(tree)], &request, &mut |_| {})?;
        let quiet = Duration::from_millis(200);
        if !go_on(done.report.made()) || !watch.wait(quiet) {
            return Ok(());
        }
    }
}
// end

// adapter
/// How a framework of yours may see a repository: read, write, combine.
trait AgentAdapter {
    /// What is known of a path, one text.
    fn read_context(&self, path: &str) -> Result<String, Box<dyn Error>>;
    /// Stores a statement.
    fn write_context(&self, path: &str, text: &str) -> Result<FrameId, Box<dyn Error>>;
    /// Combines what is said below a directory.
    fn synthesize(&self, path: &str) -> Result<FrameId, Box<dyn Error>>;
}

impl AgentAdapter for Workspace {
    fn read_context(&self, path: &str) -> Result<String, Box<dyn Error>> {
        let frames = read(self, &target(self, path)?, &people_first())?;
        Ok(frames.into_iter().map(|one| one.frame.content).collect())
    }

    fn write_context(&self, path: &str, text: &str) -> Result<FrameId, Box<dyn Error>> {
        write(self, &target(self, path)?, text)
    }

    fn synthesize(&self, path: &str) -> Result<FrameId, Box<dyn Error>> {
        combine(self, &target(self, path)?)
    }
}
// end

use crate::support::{Repo, Sandbox};

const GARDEN: &str = "
    commit first
    + README.md
      | # Garden
      |
      | Plans a vegetable garden.
    + src/bed.rs
      | //! A bed: a rectangle of soil.
      |
      | pub struct Bed;
    + src/plant.rs
      | //! A plant.
      |
      | pub struct Plant;
";

fn garden(sandbox: &Sandbox) -> Repo<'_> {
    let repo = sandbox.filled(GARDEN);
    // The library reads git's settings as this process sees them, so the author stands in the repository's own.
    for (key, value) in [("user.name", "Ann"), ("user.email", "ann@example.org")] {
        repo.config(key, value);
    }
    repo.merkle(&["regenerate"]).ok();
    repo
}

#[test]
fn an_adapter_reads_writes_and_combines() {
    let sandbox = Sandbox::new();
    let repo = garden(&sandbox);
    let workspace = open(&repo.path("src")).expect("a repository");
    let id = workspace
        .write_context("src/bed.rs", "Beds are measured in metres.\n")
        .expect("stored");
    let context = workspace.read_context("src/bed.rs").expect("read");
    assert!(
        context.starts_with("Beds are measured in metres.\n"),
        "{context}"
    );
    assert!(context.contains("A bed: a rectangle of soil."), "{context}");
    let shown = repo
        .merkle(&["show", "src/bed.rs", "--agent", "assistant"])
        .ok();
    assert!(
        shown.contains(&id.short()) && shown.contains("written by Ann"),
        "{shown}"
    );
    let combined = workspace.synthesize("src").expect("combined");
    let again = workspace.synthesize("src").expect("combined");
    assert_eq!(combined, again, "the same inputs make the same frame");
    let names = repo.merkle(&["show", "src", "--type", "names"]).ok();
    assert!(names.contains("- bed.rs\n- plant.rs\n"), "{names}");
    assert!(target(&workspace, "none").is_err());
    repo.assert_sound();
}

#[test]
fn a_change_is_followed() {
    let sandbox = Sandbox::new();
    let repo = garden(&sandbox);
    let workspace = open(&repo.path(".")).expect("a repository");
    let mut made = Vec::new();
    follow(&workspace, |count| {
        made.push(count);
        // The first look finds nothing to do; the change that is made then is what the second one finds.
        std::fs::write(repo.path("src/shed.rs"), "//! A shed.\n").expect("writable");
        made.len() < 2
    })
    .expect("followed");
    assert_eq!(made, [0, 3], "the file, and the two directories above it");
}

/// The examples are not written twice: the page has each block of this file, from its mark to `// end`.
#[test]
fn the_page_shows_these_examples() {
    let page = std::fs::read_to_string(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/docs/guide/library.md"
    ))
    .expect("a page");
    let here = include_str!("library.rs");
    let mut count = 0;
    for name in ["open", "read", "put", "order", "policy", "watch", "adapter"] {
        let (_, rest) = here.split_once(&format!("\n// {name}\n")).expect(name);
        let (block, _) = rest.split_once("// end\n").expect("an end");
        assert!(
            page.contains(&format!("```rust\n{block}```\n")),
            "docs/guide/library.md does not show '{name}' as it is"
        );
        count += 1;
    }
    assert_eq!(page.matches("```rust\n").count(), count);
}
