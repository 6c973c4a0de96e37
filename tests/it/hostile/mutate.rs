//! A campaign of mutations: one file of the state, the store, the settings or a person is changed, and commands run.
//!
//! None of them may panic, abort, take longer than ten seconds, or change anything outside of the sentinel's table. Frames
//! are changed raw and with their digests repaired, trees of the store byte by byte. A few rounds run with every test;
//! `GIT_MERKLE_FUZZ_SECONDS` gives the campaign as much time as it says, `GIT_MERKLE_FUZZ_SEED` another beginning.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use git_merkle::frame::{FrameName, decode, encode, frame_id};

use super::sentinel::{self, Row, faults, picture};
use crate::hooks::worker::settle;
use crate::support::{Output, PROGRAM, Repo, Sandbox};

const SECONDS_VARIABLE: &str = "GIT_MERKLE_FUZZ_SECONDS";
const SEED_VARIABLE: &str = "GIT_MERKLE_FUZZ_SEED";
/// Rounds without that variable, in each of two worlds.
const ROUNDS: usize = 4;
/// Commands after one mutation.
const COMMANDS_PER_ROUND: usize = 5;
const SECONDS_MAX: &str = "10";
const FRAMES_REF: &str = "refs/merkle/frames";

/// What commands are drawn from.
const COMMANDS: [&[&str]; 46] = [
    &["status"],
    &["status", "--last"],
    &["scan"],
    &["show"],
    &["show", "."],
    &["log", "."],
    &["diff", "HEAD~1..HEAD"],
    &["explain", "."],
    &["explain", "src/lib.rs"],
    &["map"],
    &["list-frames", "."],
    &["get-head", "."],
    &["get-head", "src/lib.rs", "--agent", "human"],
    &["get-node", "."],
    &["context", "--redact", "**"],
    &["context", "--redact", "--session", "s"],
    &["prompt", "-m", "x"],
    &["prompt", "--session", "s", "-m", "x"],
    &["prompt", "--node", ".", "--agent", "docs"],
    &["tiers"],
    &["tiers", "--session", "s"],
    &["validate"],
    &["doctor"],
    &["doctor", "--fix"],
    &["agent", "list"],
    &["agent", "show", "docs"],
    &["agent", "validate"],
    &["profile", "list"],
    &["profile", "validate"],
    &["provider", "list"],
    &["config", "list"],
    &["trust"],
    &["session", "list"],
    &["session", "show", "s"],
    &["turn", "show", "--session", "s"],
    &["hooks", "status"],
    &["hooks", "worker"],
    &["regenerate"],
    &["regenerate", "--verify"],
    &["regenerate", "--dry-run", "--agent", "docs"],
    &["regenerate", "--agent", "docs", "--yes"],
    &["put-frame", "README.md", "-"],
    &["synthesize", "src", "--agent", "human"],
    &["invalidate", "README.md"],
    &["turn", "new", "-m", "again"],
    &["turn", "run", "--provider", "m", "--yes"],
];

/// What is put somewhere into a file.
const PIECES: [&[u8]; 22] = [
    b"\0",
    b"\xff",
    b"\n",
    b"\n---\n",
    b"\"",
    b": ",
    b"../../../home/.ssh/id_rsa",
    b"/etc/passwd",
    b"99999999999999999999",
    b"-1",
    b"18446744073709551615",
    b"NaN",
    b"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
    b"{\"a\":",
    b"&a [*a, *a]",
    b"**",
    b"https://localhost/",
    b"\x1b]52;c;AA==\x07",
    b"{path}{node_type}",
    b"git-merkle/sealed/1 0",
    b"#",
    b"=",
];

/// Numbers that look random; the same after the same seed (xorshift64*).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16
    }

    fn below(&mut self, count: usize) -> usize {
        (self.next() % count.max(1) as u64) as usize
    }

    fn of<'t, T: ?Sized>(&mut self, all: &[&'t T]) -> &'t T {
        all[self.below(all.len())]
    }

    /// Changes bytes, one to three times.
    fn change(&mut self, bytes: &mut Vec<u8>) {
        for _ in 0..=self.below(3) {
            let at = self.below(bytes.len() + 1);
            let end = (at + 1 + self.below(40)).min(bytes.len());
            match self.below(9) {
                0 | 1 if at < bytes.len() => bytes[at] = self.next() as u8,
                2 if at < bytes.len() => bytes[at] ^= 1 << self.below(8),
                3 => bytes.truncate(at),
                4 if at < end => drop(bytes.drain(at..end)),
                5 if at < end => {
                    let part = bytes[at..end].to_vec();
                    drop(bytes.splice(at..at, part));
                }
                6 => {
                    let piece = self
                        .of(&PIECES)
                        .repeat(1 + 2_000 * usize::from(self.below(20) == 0));
                    drop(bytes.splice(at..at, piece));
                }
                7 => self.change_line(bytes),
                _ => {
                    drop(
                        bytes.splice(at..at, *self.of(&PIECES).first_chunk::<1>().unwrap_or(b"x")),
                    );
                }
            }
        }
    }

    /// Takes a line out, puts it in twice, or in the place of another.
    fn change_line(&mut self, bytes: &mut Vec<u8>) {
        let mut lines: Vec<Vec<u8>> = bytes
            .split_inclusive(|byte| *byte == b'\n')
            .map(<[u8]>::to_vec)
            .collect();
        if lines.len() < 2 {
            return;
        }
        let (from, to) = (self.below(lines.len()), self.below(lines.len()));
        match self.below(3) {
            0 => drop(lines.remove(from)),
            1 => lines.insert(to, lines[from].clone()),
            _ => lines.swap(from, to),
        }
        *bytes = lines.concat();
    }
}

/// A repository with something of everything, as it is before each mutation.
fn golden(sandbox: &Sandbox) -> Repo<'_> {
    let home = sandbox.path("home");
    let recording = home.join("replay.jsonl");
    let answers =
        "{\"request\": \"*\", \"text\": \"said\", \"usage\": {\"input\": 9, \"output\": 3}}\n"
            .repeat(40);
    fs::write(&recording, answers).expect("writable");
    for (key, value) in [
        ("kind", "replay"),
        ("file", recording.to_str().expect("UTF-8")),
        ("priceInput", "1"),
        ("priceOutput", "1"),
    ] {
        sandbox
            .run("git", &home)
            .args([
                "config",
                "--global",
                &format!("merkle.provider.m.{key}"),
                value,
            ])
            .run()
            .ok();
    }
    let own = home.join(".config/git-merkle");
    fs::create_dir_all(own.join("agents")).expect("writable");
    fs::write(
        own.join("agents/docs.toml"),
        "id = \"docs\"\nrole = \"writer\"\nsystem_prompt = \"Be brief.\"\ninclude = [\"*.rs\"]\n",
    )
    .expect("writable");
    fs::write(
        own.join("config.toml"),
        "budgetCalls = 1000\nurls = [\"https://docs.example\"]\n",
    )
    .expect("writable");
    fs::write(
        own.join("secrets.toml"),
        "[[rule]]\nid = 'own'\nkeywords = ['own-']\npattern = 'own-[0-9]{8}'\n",
    )
    .expect("writable");
    let repo = sandbox.filled("commit first\n+ README.md = # A\n+ src/lib.rs = pub fn a() {}\n+ src/b.rs = fn b() {}\n+ .teddyignore = *.log");
    repo.merkle(&["init"]).ok();
    repo.fill("commit second\n+ src/c.rs = pub fn c() { crate::a() }");
    let note = |text: &str| {
        drop(repo.put_frame("src/lib.rs", text).ok());
    };
    repo.merkle(&["regenerate"]).ok();
    note("a note\n");
    note("another\n");
    repo.merkle(&["invalidate", "README.md"]).ok();
    repo.merkle(&["synthesize", "src", "--agent", "human"]).ok();
    repo.merkle(&["regenerate", "--agent", "docs", "--yes"])
        .ok();
    repo.merkle(&["session", "new", "s", "-c", "src/"]).ok();
    repo.merkle(&["turn", "new", "-m", "Do it."]).ok();
    repo.merkle(&["prompt", "--session", "s", "--sent"]).ok();
    drop(repo.merkle(&["context", "**"]));
    repo.merkle(&["map"]).ok();
    repo.merkle(&["hooks", "install"]).ok();
    repo.git(&["commit", "-q", "--allow-empty", "-m", "third"])
        .ok();
    repo
}

/// Files that are changed: those of the state, of people, and of the user's own settings.
fn targets(sandbox: &Sandbox, repo: &Repo<'_>) -> Vec<PathBuf> {
    let mut open = vec![
        repo.path(".git/merkle"),
        repo.path(".teddy"),
        sandbox.path("home/.config"),
        sandbox.path("home/.local"),
    ];
    let mut found = vec![
        repo.path(".git/config"),
        repo.path(".teddyignore"),
        repo.path("AGENTS.md"),
    ];
    found.extend([
        sandbox.path("home/.gitconfig"),
        sandbox.path("home/replay.jsonl"),
        repo.path(".git/packed-refs"),
    ]);
    found.push(repo.path(".git").join(FRAMES_REF));
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(&directory).into_iter().flatten().flatten() {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => open.push(entry.path()),
                Ok(kind) if kind.is_file() => found.push(entry.path()),
                _ => {}
            }
        }
    }
    found.sort();
    found
}

/// Puts other bytes in the place of a frame, under the name that they say or under the old one.
fn change_frame(repo: &Repo<'_>, random: &mut Random) -> String {
    let names = repo.frames();
    if names.is_empty() {
        return "no frame".to_owned();
    }
    let old = names[random.below(names.len())].clone();
    let mut bytes = repo
        .git(&["cat-file", "blob", &format!("{FRAMES_REF}:{old}")])
        .stdout;
    let mut name = old.clone();
    match decode(&bytes).ok().filter(|_| random.below(2) == 0) {
        None => random.change(&mut bytes),
        Some(mut frame) => {
            let mut content = frame.content.into_bytes();
            random.change(&mut content);
            frame.content = String::from_utf8_lossy(&content).into_owned();
            match random.below(6) {
                0 => frame.seq = random.next() as u32,
                1 => frame.path = Some(git_merkle::base::TreePath::new(content.clone())),
                2 => frame.model = Some(String::from_utf8_lossy(&content).into_owned()),
                3 => frame.unknown.push((
                    "x-y".to_owned(),
                    String::from_utf8_lossy(&content).replace('\n', " "),
                )),
                4 => frame.created = Some("9999-99-99T99:99:99Z".to_owned()),
                _ => frame.basis.0.0[0] ^= 1,
            }
            frame.id = frame_id(
                &frame.basis,
                &frame.agent,
                &frame.frame_type,
                &frame.content,
            );
            let named = FrameName {
                node: frame.node,
                agent: frame.agent.clone(),
                frame_type: frame.frame_type.clone(),
                seq: frame.seq,
                frame: frame.id,
            };
            name = named.path();
            bytes = encode(&frame).unwrap_or(bytes);
        }
    }
    let blob = repo
        .run("git")
        .args(["hash-object", "-w", "--stdin"])
        .input(bytes)
        .run()
        .ok();
    let index = repo.path(".git/fuzz-index");
    let with_index = |arguments: &[&str]| {
        repo.run("git")
            .args(arguments)
            .env("GIT_INDEX_FILE", &index)
            .run()
    };
    drop(with_index(&["read-tree", FRAMES_REF]));
    drop(with_index(&["update-index", "--force-remove", &old]));
    drop(with_index(&[
        "update-index",
        "--add",
        "--cacheinfo",
        &format!("100644,{},{name}", blob.trim()),
    ]));
    let tree = with_index(&["write-tree"]).out();
    let _ = fs::remove_file(&index);
    set_frames(repo, tree.trim());
    format!("frame {old} as {name}")
}

/// Changes the bytes of a tree of the store, whatever git thinks of it.
fn change_tree(repo: &Repo<'_>, random: &mut Random) -> String {
    let mut bytes = repo
        .git(&["cat-file", "tree", &format!("{FRAMES_REF}^{{tree}}")])
        .stdout;
    random.change(&mut bytes);
    let written = repo
        .run("git")
        .args(["hash-object", "-t", "tree", "-w", "--literally", "--stdin"])
        .input(bytes)
        .run();
    set_frames(repo, written.out().trim());
    format!("root tree of the store: {}", written.out().trim())
}

fn set_frames(repo: &Repo<'_>, tree: &str) {
    let body = format!(
        "tree {tree}\nauthor A <a@example.org> 1 +0000\ncommitter A <a@example.org> 1 +0000\n\nforged\n"
    );
    let commit = repo
        .run("git")
        .args([
            "hash-object",
            "-t",
            "commit",
            "-w",
            "--literally",
            "--stdin",
        ])
        .input(body)
        .run();
    drop(repo.git(&["update-ref", FRAMES_REF, commit.out().trim()]));
}

fn change_file(file: &Path, random: &mut Random) -> String {
    let mut bytes = fs::read(file).unwrap_or_default();
    random.change(&mut bytes);
    // A file that only its owner may write is the owner's to change.
    let _ = fs::write(file, bytes);
    file.display().to_string()
}

fn run(sandbox: &Sandbox, repo: &Repo<'_>, arguments: &[&str]) -> Output {
    let run = repo
        .run("timeout")
        .args(["-k", "2", SECONDS_MAX, PROGRAM])
        .args(arguments);
    run.env("TMPDIR", sandbox.path("tmp"))
        .env("XDG_STATE_HOME", sandbox.path("home/.local/state"))
        .input("a note\n")
        .run()
}

fn has_ended_well(output: &Output) -> bool {
    let text = String::from_utf8_lossy(&output.stderr);
    output
        .code
        .is_some_and(|code| code != 101 && code != 124 && code < 130)
        && !text.contains("panicked")
}

/// What a campaign has done, and what it found.
#[derive(Default)]
struct Tally {
    mutations: usize,
    commands: usize,
    faults: Vec<String>,
}

fn campaign(seed: u64, goes_on: &dyn Fn(usize) -> bool) -> Tally {
    let mut random = Random(seed | 1);
    let mut tally = Tally::default();
    let template = sentinel::world();
    // A worker that is still at work would change files while they are copied.
    settle(&golden(&template));
    let (root, kept) = (
        template.path(""),
        tempfile::tempdir().expect("a temporary folder"),
    );
    let copy = |from: &Path, to: &Path| {
        drop(
            template
                .run("cp", from)
                .args(["-a", "."])
                .arg(to)
                .run()
                .ok(),
        );
    };
    copy(&root, kept.path());
    while goes_on(tally.mutations) {
        // The same world at the same place: its records name absolute paths.
        drop(
            template
                .run("find", &root)
                .args([".", "-mindepth", "1", "-delete"])
                .run(),
        );
        copy(kept.path(), &root);
        let repo = Repo::at(&template, template.path("work"));
        let mut row = Row::of(repo.path(""));
        row.git.push(repo.path(".git"));
        let what = match random.below(8) {
            0 | 1 => change_frame(&repo, &mut random),
            2 => change_tree(&repo, &mut random),
            _ => {
                let targets = targets(&template, &repo);
                change_file(&targets[random.below(targets.len())], &mut random)
            }
        };
        tally.mutations += 1;
        let mut before = picture(&root);
        for _ in 0..COMMANDS_PER_ROUND {
            let arguments = random.of(&COMMANDS);
            let output = run(&template, &repo, arguments);
            tally.commands += 1;
            let after = picture(&root);
            let name = format!(
                "mutation {} of seed {seed}, {what}: {}",
                tally.mutations,
                arguments.join(" ")
            );
            if !has_ended_well(&output) {
                tally.faults.push(format!("{name}: {output}"));
            }
            tally.faults.extend(
                faults(&before, &after, &row, &root)
                    .into_iter()
                    .map(|fault| format!("{name}: {fault}")),
            );
            before = after;
        }
    }
    tally
}

#[expect(clippy::disallowed_methods, reason = "how long is the caller's choice")]
fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

#[test]
fn mutated_files_break_nothing() {
    let (begun, seconds) = (Instant::now(), number(SECONDS_VARIABLE));
    let goes_on = |done: usize| match seconds {
        Some(seconds) => begun.elapsed() < Duration::from_secs(seconds),
        None => done < ROUNDS,
    };
    let seed = number(SEED_VARIABLE).unwrap_or(20_261_122);
    let tallies: Vec<Tally> = std::thread::scope(|scope| {
        let both =
            [seed, seed.wrapping_mul(31)].map(|seed| scope.spawn(move || campaign(seed, &goes_on)));
        both.into_iter()
            .map(|one| one.join().expect("a campaign ends"))
            .collect()
    });
    let (mutations, commands): (usize, usize) = tallies.iter().fold((0, 0), |(m, c), tally| {
        (m + tally.mutations, c + tally.commands)
    });
    let all: Vec<&str> = tallies
        .iter()
        .flat_map(|tally| &tally.faults)
        .map(String::as_str)
        .collect();
    assert!(
        all.is_empty(),
        "{} faults in {mutations} mutations and {commands} commands:\n{}",
        all.len(),
        all.join("\n")
    );
    assert!(mutations >= ROUNDS);
    if seconds.is_some() {
        tell(&format!(
            "{mutations} mutations, {commands} commands, {:?}",
            begun.elapsed()
        ));
    }
}

/// Says how much a long campaign has done: `cargo test -- --nocapture`.
#[expect(
    clippy::print_stdout,
    reason = "a campaign that was given time says what it did"
)]
fn tell(text: &str) {
    println!("{text}");
}
