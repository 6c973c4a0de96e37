//! A state directory that another person has packed: links, pipes, directories and endless files in it, and forged records.
//!
//! Whatever stands there, a command ends in time with a documented exit code, and nothing outside of the state directory
//! changes: no name, no byte, no mode.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use crate::support::{Output, PROGRAM, Repo, Sandbox};

/// Every place below `merkle`, with what should be there: a folder or a file. `T` stands for a file in which a finished
/// run is remembered, `N` for the name of a marker, `F` for that of a spooled frame, `P` for that of a page.
const PLACES: [(&str, bool); 37] = [
    ("", true),
    ("lock", false),
    ("ledger", false),
    ("ledger-lock", false),
    ("worker-lock", false),
    ("allowed-secrets", false),
    ("allowed-secrets-lock", false),
    ("spool", true),
    ("spool/F", false),
    ("cache", true),
    ("cache/index", false),
    ("cache/index-news", false),
    ("cache/outlines", false),
    ("cache/symbols", false),
    ("cache/T", false),
    ("cache/branches", false),
    ("cache/small-pack", false),
    ("cache/clean-of-secrets", false),
    ("cache/pages", true),
    ("cache/pages/P", false),
    ("hooks", true),
    ("hooks/installed", false),
    ("log", true),
    ("log/worker.log", false),
    ("log/worker-error", false),
    ("log/last-run.json", false),
    ("queue", true),
    ("queue/N", false),
    ("queue/N.taken", false),
    ("pending", true),
    ("tiers", true),
    ("tiers/-", false),
    ("sessions", true),
    ("sessions/s.sha256", false),
    ("sessions/s.lock", false),
    ("answers", true),
    ("damaged", true),
];

/// What stands in the wrong place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Link,
    DanglingLink,
    Pipe,
    Other,
    Sparse,
}

const KINDS: [Kind; 5] = [
    Kind::Link,
    Kind::DanglingLink,
    Kind::Pipe,
    Kind::Other,
    Kind::Sparse,
];

/// Commands that read and write the state, in an order in which those that change most come last.
const ALL: [&[&str]; 15] = [
    &["status"],
    &["hooks", "status"],
    &["show", "a.rs"],
    &["context", "a.rs"],
    &["map"],
    &["prompt", "-m", "x", "--sent"],
    &["validate"],
    &["doctor"],
    &["put-frame", "a.rs", "note.md"],
    &["regenerate", "--verify"],
    &["hooks", "run", "post-commit"],
    &["hooks", "worker"],
    &["session", "list"],
    &["doctor", "--fix"],
    &["hooks", "uninstall"],
];
/// Those that are tried at every single place.
const SOME: [&[&str]; 4] = [
    &["hooks", "status"],
    &["regenerate", "--verify"],
    &["doctor", "--fix"],
    &["hooks", "uninstall"],
];

const DOCUMENTED: [i32; 12] = [0, 1, 3, 65, 69, 74, 75, 77, 78, 79, 128, 129];

/// The user's own files, which nothing may touch.
struct Precious {
    folder: PathBuf,
    before: Vec<(PathBuf, u32, Vec<u8>)>,
}

impl Precious {
    fn new(sandbox: &Sandbox) -> Self {
        let folder = sandbox.path("precious");
        fs::create_dir_all(folder.join("ssh/empty")).expect("a disk with room");
        for name in [
            "id_rsa",
            "id_rsa.pub",
            "netrc",
            "ssh/config",
            "index",
            "0123456789abcdef",
        ] {
            // No line feed at the end: a program that mends lines would cut it off.
            fs::write(folder.join(name), format!("precious {name}")).expect("a disk with room");
        }
        fs::set_permissions(folder.join("id_rsa"), fs::Permissions::from_mode(0o400))
            .expect("a disk with room");
        let before = seen(&folder);
        Self { folder, before }
    }

    #[track_caller]
    fn assert_untouched(&self, output: &Output) {
        assert_eq!(seen(&self.folder), self.before, "{output}");
        assert!(
            !self.folder.join("../dangling").exists(),
            "made through a link: {output}"
        );
        assert!(
            !output.out().contains("precious id_rsa") && !output.err().contains("precious id_rsa"),
            "told: {output}"
        );
    }
}

/// Names, modes and bytes below a folder.
fn seen(folder: &Path) -> Vec<(PathBuf, u32, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a disk with room").flatten() {
        let (path, mode) = (
            entry.path(),
            entry
                .metadata()
                .expect("a disk with room")
                .permissions()
                .mode(),
        );
        if path.is_dir() {
            found.push((path.clone(), mode, Vec::new()));
            found.extend(seen(&path));
        } else {
            let bytes = fs::read(&path).expect("a disk with room");
            found.push((path, mode, bytes));
        }
    }
    found.sort();
    found
}

fn ready<'s>(sandbox: &'s Sandbox, name: &str) -> Repo<'s> {
    let repo = sandbox.repo(name);
    repo.config_global("merkle.hookQuiet", "1ms");
    repo.fill("commit files\n+ a.rs = pub fn a() {}\n+ d/b.rs = pub fn b() {}");
    fs::write(repo.path("note.md"), "a note\n").expect("a disk with room");
    repo.merkle(&["regenerate"]).ok();
    repo
}

/// Runs a command that must end in ten seconds with a documented code; nothing precious changes.
#[track_caller]
fn run(repo: &Repo<'_>, arguments: &[&str], precious: &Precious) -> Output {
    let output = repo
        .run("timeout")
        .args(["--signal=KILL", "10", PROGRAM])
        .args(arguments)
        .run();
    super::assert_civil(&output);
    assert!(
        output.code.is_some_and(|code| DOCUMENTED.contains(&code)),
        "{output}"
    );
    precious.assert_untouched(&output);
    output
}

/// Puts something into a place below `merkle`; false where that kind cannot be there.
fn plant(repo: &Repo<'_>, place: (&str, bool), kind: Kind, precious: &Precious) -> bool {
    let (name, is_folder) = place;
    let name = name
        .replace('T', "finished-0123456789abcdef")
        .replace('N', "0123456789abcdef")
        .replace('P', &"ab".repeat(32));
    let name = name.replace('F', &format!("{}.{}", "12".repeat(20), "a".repeat(64)));
    let path = if name.is_empty() {
        repo.path(".git/merkle")
    } else {
        repo.path(".git/merkle").join(name)
    };
    if kind == Kind::Sparse && is_folder {
        return false;
    }
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).expect("a disk with room");
    }
    if path.is_dir() {
        fs::remove_dir_all(&path).expect("a disk with room");
    }
    let _ = fs::remove_file(&path);
    match kind {
        Kind::Link if is_folder => symlink(&precious.folder, &path).expect("a disk with room"),
        Kind::Link => symlink(precious.folder.join("netrc"), &path).expect("a disk with room"),
        Kind::DanglingLink => {
            symlink(precious.folder.join("../dangling"), &path).expect("a disk with room");
        }
        Kind::Pipe => drop(repo.run("mkfifo").arg(&path).run().ok()),
        Kind::Other if is_folder => fs::write(&path, "a file").expect("a disk with room"),
        Kind::Other => fs::create_dir(&path).expect("a disk with room"),
        Kind::Sparse => fs::File::create(&path)
            .and_then(|file| file.set_len(8 << 40))
            .expect("a disk with room"),
    }
    true
}

/// Before: `hooks status` emptied a linked queue, `doctor --fix` moved what a linked spool leads to, pipes and endless
/// files hung every command, and most writing commands wrote where a link led.
#[test]
fn nothing_in_one_place_hangs_a_command_or_leads_it_out() {
    let sandbox = Sandbox::new();
    let (start, precious) = (ready(&sandbox, "start"), Precious::new(&sandbox));
    for kind in KINDS {
        for (number, place) in PLACES.into_iter().enumerate() {
            let repo = start.copy_to(&format!("{kind:?}{number}"));
            if plant(&repo, place, kind, &precious) {
                for arguments in SOME {
                    let _ = run(&repo, arguments, &precious);
                }
            }
            fs::remove_dir_all(repo.path("")).unwrap();
        }
    }
}

#[test]
fn nothing_in_all_places_at_once_hangs_a_command_or_leads_it_out() {
    let sandbox = Sandbox::new();
    let (start, precious) = (ready(&sandbox, "start"), Precious::new(&sandbox));
    for kind in KINDS {
        for is_folder in [false, true] {
            let repo = start.copy_to(&format!("{kind:?}{is_folder}"));
            for place in PLACES.into_iter().filter(|place| {
                place.1 == is_folder && !place.0.is_empty() && place.0 != "cache/pages"
            }) {
                plant(&repo, place, kind, &precious);
            }
            for arguments in ALL {
                let _ = run(&repo, arguments, &precious);
            }
        }
    }
}

/// The rows of the review's table, one by one, with what is said.
#[test]
fn a_linked_part_of_the_state_is_named_and_left_alone() {
    let sandbox = Sandbox::new();
    let (start, precious) = (ready(&sandbox, "start"), Precious::new(&sandbox));
    let cases: [(&str, &[&str], i32); 7] = [
        ("queue", &["hooks", "status"], 74),
        ("spool", &["doctor", "--fix"], 1),
        ("cache", &["doctor"], 1),
        ("", &["regenerate", "--verify"], 0),
        ("", &["put-frame", "a.rs", "note.md"], 74),
        ("log", &["doctor"], 1),
        ("hooks", &["hooks", "uninstall"], 74),
    ];
    for (number, (place, arguments, code)) in cases.into_iter().enumerate() {
        let repo = start.copy_to(&format!("case{number}"));
        plant(&repo, (place, true), Kind::Link, &precious);
        let output = run(&repo, arguments, &precious);
        assert_eq!(output.code, Some(code), "{output}");
        let path = format!(".git/merkle/{place}");
        let is_told = format!("{}{}", output.out(), output.err()).contains(&format!(
            "{}' is a symbolic link",
            path.trim_end_matches('/')
        ));
        assert!(is_told || code == 0, "{output}");
    }
    // A file that was never there is not made where a link leads.
    plant(&start, ("lock", false), Kind::DanglingLink, &precious);
    let output = run(&start, &["put-frame", "a.rs", "note.md"], &precious);
    assert_eq!(output.code, Some(74), "{output}");
}

/// Before, what the target of a link said was told as the worker's error.
#[test]
fn text_behind_a_link_is_not_told() {
    let sandbox = Sandbox::new();
    let (repo, precious) = (ready(&sandbox, "work"), Precious::new(&sandbox));
    for place in [
        ("log/worker-error", false),
        ("log/worker.log", false),
        ("log/last-run.json", false),
    ] {
        plant(&repo, place, Kind::Link, &precious);
    }
    for arguments in [&["hooks", "status"][..], &["status"], &["status", "--last"]] {
        let output = run(&repo, arguments, &precious);
        assert!(
            !output.out().contains("netrc") && !output.err().contains("precious netrc"),
            "{output}"
        );
    }
}

/// Before, uninstalling removed any empty folder that a record named.
#[test]
fn a_forged_record_of_an_installation_removes_no_folder() {
    let sandbox = Sandbox::new();
    let (repo, precious) = (ready(&sandbox, "work"), Precious::new(&sandbox));
    let folder = precious.folder.join("ssh/empty");
    fs::create_dir(repo.path("empty")).unwrap();
    symlink(&precious.folder, repo.path(".git/out")).unwrap();
    let made = [
        folder.to_str().unwrap(),
        "../empty",
        "out/ssh/empty",
        "../../precious/ssh/empty",
        "/",
    ]
    .map(|path| format!("{path:?}"));
    let record = format!(
        "{{\"format\":\"git-merkle/hooks/1\",\"mode\":\"hookdir\",\"binary\":\"x\",\"events\":[],\"budget_nano_usd\":null,\
         \"directory\":null,\"created\":[],\"made\":[{}],\"ended_line\":false}}\n",
        made.join(",")
    );
    fs::create_dir_all(repo.path(".git/merkle/hooks")).unwrap();
    fs::write(repo.path(".git/merkle/hooks/installed"), record).unwrap();
    let output = run(&repo, &["hooks", "uninstall"], &precious);
    assert_eq!(output.code, Some(0), "{output}");
    assert!(repo.path("empty").is_dir() && !repo.path(".git/merkle/hooks/installed").exists());
}

/// Before, `regenerate` committed frames onto the user's branch.
#[test]
fn a_ref_that_leads_elsewhere_is_refused_by_every_command_with_a_way_out() {
    let sandbox = Sandbox::new();
    for (number, options) in [&[][..], &["--ref-format=reftable"]]
        .into_iter()
        .enumerate()
    {
        let repo = sandbox.init(&format!("work{number}"), options);
        repo.fill("commit files\n+ a.rs = pub fn a() {}");
        fs::write(repo.path("note.md"), "a note\n").unwrap();
        let (main, tree) = (repo.id("main"), repo.id("main^{tree}"));
        repo.git(&["tag", "-am", "t", "t"]).ok();
        let tag = repo.id("t");
        let commands: [&[&str]; 9] = [
            &["status"],
            &["show", "a.rs"],
            &["list-frames", "a.rs"],
            &["log", "a.rs"],
            &["validate"],
            &["regenerate"],
            &["put-frame", "a.rs", "note.md"],
            &["invalidate", "a.rs"],
            &["synthesize", "."],
        ];
        let way_out = [
            "git symbolic-ref --delete refs/merkle/frames",
            "git update-ref -d refs/merkle/frames",
        ];
        for (target, way_out) in [
            ("refs/heads/main", way_out[0]),
            (&tree, way_out[1]),
            (&tag, way_out[1]),
        ] {
            let verb = if target.starts_with("refs/") {
                "symbolic-ref"
            } else {
                "update-ref"
            };
            repo.git(&[verb, "refs/merkle/frames", target]).ok();
            for arguments in commands {
                let output = repo.merkle(arguments).exits(128);
                assert!(output.err().contains(way_out), "{output}");
            }
            let told = repo.merkle(&["doctor"]).exits(1).out();
            assert!(
                told.contains("store     wrong") && told.contains(way_out),
                "{told}"
            );
            assert_eq!(
                (repo.id("main"), repo.id("HEAD")),
                (main.clone(), main.clone()),
                "the branch stays"
            );
            repo.git(&way_out.split(' ').skip(1).collect::<Vec<_>>())
                .ok();
        }
        // One that leads nowhere is not followed either: no branch is made.
        repo.git(&["symbolic-ref", "refs/merkle/frames", "refs/heads/nowhere"])
            .ok();
        let _ = repo.merkle(&["put-frame", "a.rs", "note.md"]);
        assert_ne!(
            repo.git(&["rev-parse", "-q", "--verify", "refs/heads/nowhere"])
                .code,
            Some(0)
        );
    }
}

/// Before, the worker made outlines in whatever repository a marker named.
#[test]
fn a_marker_that_names_another_repository_starts_nothing_there() {
    let sandbox = Sandbox::new();
    let (here, there) = (ready(&sandbox, "here"), sandbox.repo("there"));
    there.fill("commit files\n+ x.rs = pub fn x() {}");
    let queue = here.path(".git/merkle/queue");
    let names = [
        (there.path(".git"), there.path("")),
        (here.path(".git"), there.path("")),
    ];
    for (git_dir, directory) in names.map(|(git_dir, directory)| {
        (
            git_dir.canonicalize().unwrap(),
            directory.canonicalize().unwrap(),
        )
    }) {
        let marker = git_merkle::hook::marker::Marker {
            git_dir,
            directory,
            event: "post-commit".to_owned(),
        };
        git_merkle::hook::marker::leave(&here.state(), &marker).unwrap();
    }
    drop(
        here.run("timeout")
            .args(["10", PROGRAM, "hooks", "worker"])
            .run(),
    );
    assert_eq!(there.frames(), [] as [&str; 0]);
    assert!(!there.path(".git/merkle").exists());
    assert_eq!(fs::read_dir(queue).unwrap().count(), 0);
}

/// Before, a digest beside a session of the repository made it count as written here.
#[test]
fn a_digest_that_came_along_makes_no_session_the_users() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled("commit files\n+ .teddy/sessions/s/session.yaml = \"version: 1\\nproviders:\\n  generator: theirs\\n\"");
    let record = fs::read(repo.path(".teddy/sessions/s/session.yaml")).unwrap();
    let digest = git_merkle::base::hash::sha256_hex(&record);
    fs::create_dir_all(repo.path(".git/merkle/sessions")).unwrap();
    for forged in [
        digest.clone(),
        format!("git-merkle/sealed/1 {}\n{digest}", "0".repeat(64)),
    ] {
        fs::write(repo.path(".git/merkle/sessions/s.sha256"), forged).unwrap();
        let output = repo.merkle(&["turn", "new", "-m", "x"]);
        assert!(
            output.err().contains("came with the repository"),
            "{output}"
        );
    }
}

/// Before, all of these were believed: a finished run that never was, a list of files without secrets, ids that may pass.
#[test]
fn caches_of_another_user_are_not_believed() {
    let sandbox = Sandbox::new();
    let theirs = ready(&sandbox, "theirs");
    let token = crate::secret::token();
    fs::write(theirs.path("secret.txt"), format!("token {token}\n")).unwrap();
    theirs.commit("more");
    theirs.merkle(&["regenerate"]).ok();
    let stopped = theirs.merkle(&["context", "secret.txt"]).exits(78);
    let text = stopped.err();
    let id = text.split("--allow-secret ").nth(1).unwrap()[..12].to_owned();
    theirs
        .merkle(&["context", "secret.txt", "--allow-secret", &id])
        .ok();
    theirs.merkle(&["context", "secret.txt"]).ok();
    let finished = theirs.path(".git/merkle/cache").join(theirs.memory());
    // The same bytes for another user: a new key.
    fs::remove_file(sandbox.path("home/.local/state/git-merkle/key")).unwrap();
    drop(theirs.merkle(&["context", "secret.txt"]).exits(78));
    let before = fs::read(&finished).unwrap();
    theirs.merkle(&["regenerate"]).ok();
    assert_ne!(
        fs::read(&finished).unwrap(),
        before,
        "the run was not taken for finished"
    );
}

/// Before, temporary files of a killed writer stayed until git's own prune, and its mark until the next write.
#[test]
fn what_a_killed_writer_left_goes_with_the_next_run() {
    let sandbox = Sandbox::new();
    let repo = ready(&sandbox, "work");
    let packs = repo.path(".git/objects/pack");
    let left = [
        "tmp_pack_merkle_1_0",
        "tmp_idx_merkle_1_1",
        "tmp_keep_merkle_1_2",
    ]
    .map(|name| packs.join(name));
    let mark = packs.join(format!("pack-{}.keep", "1".repeat(40)));
    let others = ["tmp_pack_a1b2c3", "tmp_pack_merkle_x_0"].map(|name| packs.join(name));
    for file in left.iter().chain(&others) {
        fs::write(file, "x").unwrap();
    }
    fs::write(&mark, "git-merkle 1 0\n").unwrap();
    let told = repo.merkle(&["doctor"]).exits(1).out();
    assert!(
        told.contains("writers   wrong: 4 files of writers that were killed"),
        "{told}"
    );
    assert_eq!(
        repo.merkle(&["regenerate"]).ok(),
        "nothing to do: every node of HEAD is fresh\n"
    );
    assert!(
        left.iter().chain([&mark]).all(|file| !file.exists())
            && others.iter().all(|file| file.exists())
    );
    assert!(
        repo.merkle(&["doctor"])
            .ok()
            .contains("writers   ok: none was killed")
    );
}
