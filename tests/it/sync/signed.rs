//! Signatures of statements, by the real `ssh-keygen`: they survive unions, mirrors and forks, and whose count is the user's choice.

use std::fmt::Write as _;
use std::fs;

use super::{said, say, sync, world};
use crate::support::{Output, Repo, Sandbox};

const REF: &str = "refs/merkle/frames";

/// Keys without a passphrase in the user's home, each with its line in the file of allowed signers, and settings to sign with them.
fn keys(sandbox: &Sandbox, names: &[&str]) {
    for name in names {
        let key = sandbox.path(&format!("home/{name}"));
        let made = sandbox
            .run("ssh-keygen", &sandbox.path("home"))
            .args(["-q", "-t", "ed25519", "-N", "", "-C", name, "-f"]);
        made.arg(&key).run().ok();
        let line = fs::read_to_string(key.with_extension("pub")).expect("a public key");
        let signers = sandbox.path("home/signers");
        let before = fs::read_to_string(&signers).unwrap_or_default();
        fs::write(
            signers,
            format!("{before}{name}@example.org namespaces=\"git-merkle\" {line}"),
        )
        .expect("writable");
    }
}

fn set(sandbox: &Sandbox, settings: &[(&str, &str)]) {
    for (key, value) in settings {
        let home = sandbox.path("home");
        sandbox
            .run("git", &home)
            .args(["config", "--global", key, value])
            .run()
            .ok();
    }
}

/// A user who signs as one of two, and believes the first one's signatures.
fn signing(sandbox: &Sandbox) {
    keys(sandbox, &["ann"]);
    let signers = fs::read(sandbox.path("home/signers")).expect("signers");
    keys(sandbox, &["eve"]);
    fs::write(sandbox.path("home/signers"), signers).expect("writable");
    set(
        sandbox,
        &[
            ("gpg.format", "ssh"),
            ("user.signingKey", "~/ann.pub"),
            ("gpg.ssh.allowedSignersFile", "~/signers"),
            ("merkle.sign", "true"),
        ],
    );
}

fn with(repo: &Repo<'_>, settings: &[&str], arguments: &[&str]) -> Output {
    let settings = settings.iter().flat_map(|setting| ["-c", setting]);
    repo.merkle(
        &settings
            .chain(arguments.iter().copied())
            .collect::<Vec<_>>(),
    )
}

/// What `show` says about the signature of each statement of people at a path.
fn signatures(repo: &Repo<'_>, path: &str) -> Vec<String> {
    let shown = repo.merkle(&["show", path, "--agent", "human"]);
    let lines = shown.out();
    let of_line = |line: &str| {
        line.strip_prefix("statement by ")?
            .split_once(">, ")
            .map(|(_, signature)| signature.to_owned())
    };
    lines.lines().filter_map(of_line).collect()
}

/// Everything that shows a statement to a reader says the same of its signature.
fn is_told_everywhere(repo: &Repo<'_>, path: &str, text: &str, words: &str) {
    let speaker = |line: &str| line.contains("written by ") && line.contains(&format!(", {words}"));
    let commands: [&[&str]; 4] = [
        &["show", path],
        &["context", path],
        &["context"],
        &["find", text],
    ];
    for command in commands {
        let shown = repo.merkle(command).ok();
        let told = shown.lines().filter(|line| speaker(line)).count();
        assert!(told > 0, "{command:?} does not say '{words}': {shown}");
    }
    let site = repo.path(".git/site");
    repo.merkle(&["browse", "--output", site.to_str().expect("text")])
        .ok();
    let page = fs::read_to_string(site.join(format!("tree/{path}.html"))).expect("a page");
    assert!(page.contains(&format!(", {words}")), "{page}");
}

fn statements(repo: &Repo<'_>) -> usize {
    repo.frames()
        .iter()
        .filter(|path| !path.starts_with("signed/"))
        .count()
}

fn manifests(repo: &Repo<'_>) -> Vec<String> {
    let listed = repo
        .git(&["ls-tree", "-r", "--name-only", REF, "signed/"])
        .ok();
    listed.lines().map(str::to_owned).collect()
}

/// Puts files into the store, or takes them out, as anybody who can push might.
fn rewrite(repo: &Repo<'_>, changes: &[(&str, Option<&[u8]>)]) {
    let index = repo.path("rewrite.index");
    let git = |arguments: &[&str]| {
        repo.run("git")
            .env("GIT_INDEX_FILE", &index)
            .args(arguments)
    };
    git(&["read-tree", REF]).run().ok();
    let mut lines = String::new();
    for (path, content) in changes {
        match content {
            Some(bytes) => {
                let blob = repo
                    .run("git")
                    .args(["hash-object", "-w", "--stdin"])
                    .input(*bytes)
                    .run()
                    .ok();
                writeln!(lines, "100644 {}\t{path}", blob.trim()).expect("text");
            }
            None => writeln!(lines, "0 {}\t{path}", "0".repeat(40)).expect("text"),
        }
    }
    git(&["update-index", "--add", "--index-info"])
        .input(lines)
        .run()
        .ok();
    let tree = git(&["write-tree"]).run().ok();
    let commit = repo
        .git(&["commit-tree", "-p", REF, "-m", "rewritten", tree.trim()])
        .ok();
    repo.git(&["update-ref", REF, commit.trim()]).ok();
    fs::remove_file(index).expect("removable");
}

fn content(repo: &Repo<'_>, path: &str) -> String {
    repo.git(&["cat-file", "blob", &format!("{REF}:{path}")])
        .ok()
}

#[test]
fn a_signature_is_as_good_after_three_unions_in_a_mirror_and_in_a_fork() {
    let sandbox = Sandbox::new();
    signing(&sandbox);
    let (origin, clones) = world(&sandbox, &["a", "b", "c"]);
    let [a, b, c] = [&clones[0], &clones[1], &clones[2]];
    let first = say(a, "src/lib.rs", "From a.");
    assert_eq!(signatures(a, "src/lib.rs"), ["signed by ann@example.org"]);
    assert_eq!(manifests(a).len(), 1);
    // Stock tools say the same.
    let manifest = content(a, &manifests(a)[0]);
    let (list, signature) = manifest.split_at(manifest.find("-----BEGIN").expect("a signature"));
    fs::write(sandbox.path("signature"), signature).expect("writable");
    let checked = a.run("ssh-keygen").args([
        "-Y",
        "verify",
        "-n",
        "git-merkle",
        "-I",
        "ann@example.org",
        "-f",
    ]);
    let checked = checked
        .arg(sandbox.path("home/signers"))
        .arg("-s")
        .arg(sandbox.path("signature"))
        .input(list)
        .run()
        .ok();
    assert!(
        checked.starts_with("Good \"git-merkle\" signature for ann@example.org"),
        "{checked}"
    );
    let frame = a
        .frames()
        .into_iter()
        .find(|path| path.contains(&first))
        .expect("a frame");
    let sum = a.run("sha256sum").input(content(a, &frame)).run().ok();
    assert!(
        list.contains(&format!(
            "{first} 1 {}\n",
            sum.split(' ').next().expect("a digest")
        )),
        "{list}"
    );
    // Three unions of stores that have no common ancestor.
    sync(a).ok();
    for (repo, path) in [(b, "README.md"), (c, "src")] {
        with(
            repo,
            &["merkle.sign=false"],
            &["put-frame", path, "README.md"],
        )
        .ok();
        sync(repo).ok();
        with(
            repo,
            &["merkle.sign=false"],
            &["note", path, "-m", "once more"],
        )
        .ok();
        sync(repo).ok();
    }
    sync(a).ok();
    for repo in [a, b, c] {
        assert_eq!(
            signatures(repo, "src/lib.rs"),
            ["signed by ann@example.org"]
        );
        assert_eq!(signatures(repo, "README.md"), ["unsigned"]);
        repo.merkle(&["validate"]).ok();
        repo.assert_sound();
    }
    let mirror = origin.clone_to("mirror.git", &["--mirror"]);
    assert_eq!(
        signatures(&mirror, "HEAD:src/lib.rs"),
        ["signed by ann@example.org"]
    );
    // A fork has no frames; a sync with the first repository brings them, and goes on to the fork.
    let fork = origin.clone_to("fork.git", &["--bare"]);
    let via = fork.clone_to("via", &[]);
    via.git(&[
        "remote",
        "add",
        "upstream",
        origin.path(".").to_str().expect("UTF-8"),
    ])
    .ok();
    via.git(&["fetch", "-q", "upstream"]).ok();
    via.merkle(&["fetch", "upstream"]).ok();
    via.merkle(&["push", "origin"]).ok();
    let last = fork.clone_to("last", &[]);
    assert_eq!(
        with(&last, &["merkle.acceptFrames=signed"], &["sync"]).ok(),
        "1 frame came, 0 went, 4 not accepted\n"
    );
    assert_eq!(
        signatures(&last, "src/lib.rs"),
        ["signed by ann@example.org"]
    );
    assert_eq!(
        said(&last, "README.md").len(),
        0,
        "what is not accepted is used nowhere"
    );
    assert_eq!(sync(&last).ok(), "4 frames came, 0 went\n");
}

#[test]
fn a_changed_byte_another_signer_and_a_removed_manifest_are_told_apart() {
    let sandbox = Sandbox::new();
    signing(&sandbox);
    let (origin, clones) = world(&sandbox, &["a", "b"]);
    let [a, b] = [&clones[0], &clones[1]];
    let changed = say(a, "src/lib.rs", "To be changed.");
    say(a, "README.md", "To lose its manifest.");
    let lost = manifests(a);
    with(
        a,
        &["user.signingKey=~/eve.pub"],
        &["note", "src", "-m", "By another signer."],
    )
    .ok();
    let of_eve: Vec<String> = manifests(a)
        .into_iter()
        .filter(|path| !lost.contains(path))
        .collect();
    sync(a).ok();
    let name = origin
        .frames()
        .into_iter()
        .find(|path| path.contains(&changed))
        .expect("a frame");
    let other = content(&origin, &name).replace("Test User", "Tess User");
    let of_readme = lost
        .iter()
        .find(|path| !content(&origin, path).contains(&changed))
        .expect("its manifest");
    rewrite(
        &origin,
        &[(&name, Some(other.as_bytes())), (of_readme, None)],
    );
    let accepted = with(b, &["merkle.acceptFrames=signed"], &["fetch"]);
    assert_eq!(accepted.out(), "0 frames came, 3 not accepted\n");
    let told = with(b, &["merkle.acceptFrames=signed"], &["fetch", "--json"]).json("sync");
    let mut reasons: Vec<&str> = told["refused"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| one["message"].as_str().expect("words"))
        .collect();
    reasons.sort_unstable();
    assert_eq!(told["not_accepted"], 3);
    assert!(
        reasons[0].starts_with("bad signature: changed since ann@example.org signed it"),
        "{reasons:?}"
    );
    assert!(
        reasons[1].starts_with("bad signature: the key SHA256:"),
        "{reasons:?}"
    );
    assert_eq!(reasons[2], "unsigned");
    assert_eq!(statements(b), 0, "nothing of it is in the store");
    sync(b).ok();
    assert_eq!(
        signatures(b, "src/lib.rs"),
        ["bad signature: changed since ann@example.org signed it"]
    );
    assert_eq!(signatures(b, "README.md"), ["unsigned"]);
    for (path, words) in [
        (
            "src/lib.rs",
            "bad signature: changed since ann@example.org signed it",
        ),
        ("README.md", "unsigned"),
    ] {
        let said = b.merkle(&["show", path, "--agent", "human"]).ok();
        let text = said.lines().last().expect("a text");
        is_told_everywhere(b, path, &format!("{text} "), words);
    }
    assert!(signatures(b, "src")[0].starts_with("bad signature: the key SHA256:"));
    let shown = b
        .merkle(&["show", "src/lib.rs", "--agent", "human", "--json"])
        .json("show");
    assert_eq!(shown["frames"][0]["signature"]["state"], "bad");
    assert!(
        b.merkle(&["log", "README.md"])
            .ok()
            .contains(", unsigned\n")
    );
    // A list that its signer did not sign: one statement more under the same signature.
    let list = content(b, &of_eve[0]);
    let forged = list.replacen("at ", "at 1", 1);
    let digest = b.run("sha256sum").input(forged.clone()).run().ok()[..64].to_owned();
    rewrite(
        b,
        &[
            (&of_eve[0], None),
            (
                &format!("signed/{}/{digest}", &digest[..2]),
                Some(forged.as_bytes()),
            ),
        ],
    );
    let eve = fs::read_to_string(sandbox.path("home/eve.pub")).expect("a key");
    let signers = fs::read_to_string(sandbox.path("home/signers")).expect("signers");
    fs::write(
        sandbox.path("home/signers"),
        format!("{signers}eve@example.org {eve}"),
    )
    .expect("writable");
    assert_eq!(
        signatures(b, "src"),
        ["bad signature: it is not the signature of this list"]
    );
    // Now that she is allowed, and with her own list.
    rewrite(b, &[(&of_eve[0], Some(list.as_bytes()))]);
    assert_eq!(signatures(b, "src"), ["signed by eve@example.org"]);
    // Whose signatures count may change again.
    fs::write(sandbox.path("home/signers"), signers).expect("writable");
    assert!(signatures(b, "src")[0].starts_with("bad signature: the key SHA256:"));
    // What the file of signers restricts is not allowed, and is no broken signature.
    let ann = fs::read_to_string(sandbox.path("home/ann.pub")).expect("a key");
    for restriction in ["namespaces=\"git\"", "valid-before=\"20200101\""] {
        fs::write(
            sandbox.path("home/signers"),
            format!("ann@example.org {restriction} {ann}"),
        )
        .expect("writable");
        let told = a.merkle(&["show", "src/lib.rs", "--agent", "human"]).ok();
        assert!(
            told.contains("bad signature: the key SHA256:") && told.contains(" is not allowed"),
            "{restriction}: {told}"
        );
    }
    fs::write(
        sandbox.path("home/signers"),
        format!("ann@example.org {ann}"),
    )
    .expect("writable");
    set(&sandbox, &[("gpg.ssh.revocationFile", "~/ann.pub")]);
    assert!(signatures(a, "src/lib.rs")[0].ends_with(" is not allowed"));
    a.git(&["config", "--global", "--unset", "gpg.ssh.revocationFile"])
        .ok();
    assert_eq!(signatures(a, "src/lib.rs"), ["signed by ann@example.org"]);
    // Other bytes under the name of a list are a bad entry.
    rewrite(b, &[(&of_eve[0], Some(forged.as_bytes()))]);
    let bad = b.merkle(&["validate"]).exits(1);
    assert!(
        bad.out()
            .contains(&format!("{}: its bytes do not match its name", of_eve[0])),
        "{bad}"
    );
}

/// What a remote claims in a list may be anything. Red before: a key of no bytes made the process panic.
#[test]
fn a_list_with_an_empty_key_stops_nothing() {
    let sandbox = Sandbox::new();
    signing(&sandbox);
    let (origin, clones) = world(&sandbox, &["a", "b"]);
    let [a, b] = [&clones[0], &clones[1]];
    say(a, "src/lib.rs", "Good.");
    sync(a).ok();
    let list = content(&origin, &manifests(&origin)[0]);
    let (statements, _) = list.split_at(list.find("-----BEGIN").expect("a signature"));
    // The magic word, version 1, and a key of no bytes.
    let bad = format!(
        "{statements}-----BEGIN SSH SIGNATURE-----\nU1NIU0lHAAAAAQAAAAA=\n-----END SSH SIGNATURE-----\n"
    );
    let digest = b.run("sha256sum").input(bad.clone()).run().ok()[..64].to_owned();
    let path = format!("signed/{}/{digest}", &digest[..2]);
    rewrite(&origin, &[(&path, Some(bad.as_bytes()))]);
    let fetched = with(b, &["merkle.acceptFrames=signed"], &["fetch"]).exits(0);
    assert_eq!(fetched.out(), "1 frame came\n");
    assert!(fetched.err().contains(&format!("'{path}'")), "{fetched}");
    let mirror = origin.clone_to("mirror.git", &["--mirror"]);
    assert_eq!(
        signatures(&mirror, "HEAD:src/lib.rs"),
        ["signed by ann@example.org"]
    );
}

/// Red before: that the program was ended, or did not know an option, was kept as if the key were not allowed.
#[test]
fn a_program_that_fails_judges_nothing() {
    let sandbox = Sandbox::new();
    signing(&sandbox);
    let (_, clones) = world(&sandbox, &["a", "b"]);
    let [a, b] = [&clones[0], &clones[1]];
    say(a, "src/lib.rs", "Good.");
    sync(a).ok();
    b.merkle(&["fetch"]).ok();
    let program = sandbox.path("home/keygen");
    set(&sandbox, &[("gpg.ssh.program", "~/keygen")]);
    let write = |line: &str| {
        fs::write(&program, format!("#!/bin/sh\n{line}\n")).expect("writable");
        b.run("chmod").arg("+x").arg(&program).run().ok();
    };
    for failure in ["kill -9 $$", "echo 'usage: ssh-keygen [-q]' >&2; exit 1"] {
        write(failure);
        let shown = b
            .merkle(&["show", "src/lib.rs", "--agent", "human"])
            .exits(0);
        assert!(
            shown.err().contains("keygen' failed: ") && !shown.out().contains("signature"),
            "{failure}: {shown}"
        );
    }
    write("exec ssh-keygen \"$@\"");
    assert_eq!(signatures(b, "src/lib.rs"), ["signed by ann@example.org"]);
}

/// Red before: `get-node` and `list-frames` said nothing of signatures.
#[test]
fn every_command_that_shows_statements_says_the_same_of_their_signatures() {
    let sandbox = Sandbox::new();
    signing(&sandbox);
    let (_, clones) = world(&sandbox, &["a"]);
    let a = &clones[0];
    say(a, "src/lib.rs", "Signed.");
    with(
        a,
        &["merkle.sign=false"],
        &["note", "README.md", "-m", "Unsigned."],
    )
    .ok();
    for (path, words, state) in [
        ("src/lib.rs", ", signed by ann@example.org\n", "good"),
        ("README.md", ", unsigned\n", "unsigned"),
    ] {
        for command in ["show", "log", "list-frames", "get-node"] {
            assert!(
                a.merkle(&[command, path]).ok().contains(words),
                "{command} {path}"
            );
            let told = a.merkle(&[command, path, "--json"]).json(command);
            let frames = if command == "log" {
                &told["versions"][0]["frames"]
            } else {
                &told["frames"]
            };
            let states: Vec<_> = frames
                .as_array()
                .expect("frames")
                .iter()
                .map(|frame| &frame["signature"]["state"])
                .collect();
            assert!(
                states.iter().any(|found| *found == state),
                "{command} {path}: {told}"
            );
        }
        let head = a
            .merkle(&["get-head", path, "--agent", "human", "--json"])
            .json("get-head");
        assert_eq!(head["signature"]["state"], state);
    }
    is_told_everywhere(a, "src/lib.rs", "Signed. ", "signed by ann@example.org");
    // Where the file of signers cannot be used, no statement passes for a signed one.
    let refused = with(
        a,
        &["gpg.ssh.allowedSignersFile=signers"],
        &["context", "src/lib.rs"],
    )
    .ok();
    assert!(
        refused.contains(", signature not checked; fresh."),
        "{refused}"
    );
    let combined = a.merkle(&["get-node", "src/lib.rs", "--combine"]).ok();
    assert!(!combined.contains("signed by"), "bodies alone: {combined}");
    fs::write(a.path("src/lib.rs"), "pub fn changed() {}\n").expect("writable");
    a.git(&["commit", "-qam", "change"]).ok();
    assert!(
        a.merkle(&["status", "--carried"])
            .ok()
            .contains(", signed by ann@example.org\n")
    );
    let carried = a.merkle(&["status", "--carried", "--json"]).json("carried");
    assert_eq!(carried["frames"][0]["signature"]["state"], "good");
}

/// Which statements count is decided by the user's own settings, each remote for itself.
#[test]
fn whose_statements_count_is_set_for_all_remotes_or_for_one() {
    let sandbox = Sandbox::new();
    signing(&sandbox);
    let (_, clones) = world(&sandbox, &["a", "b"]);
    let [a, b] = [&clones[0], &clones[1]];
    say(a, "src/lib.rs", "Signed.");
    with(
        a,
        &["merkle.sign=false"],
        &["note", "README.md", "-m", "Unsigned."],
    )
    .ok();
    sync(a).ok();
    let fetched = |settings: &[&str]| with(b, settings, &["fetch"]).exits(0).out();
    assert_eq!(
        fetched(&["merkle.acceptFrames=self"]),
        "0 frames came, 2 not accepted\n"
    );
    assert_eq!(
        fetched(&["merkle.acceptFrames=self", "merkle.other.acceptFrames=all"]),
        "0 frames came, 2 not accepted\n"
    );
    assert_eq!(
        fetched(&[
            "merkle.acceptFrames=self",
            "merkle.origin.acceptFrames=signed"
        ]),
        "1 frame came, 1 not accepted\n"
    );
    assert_eq!(
        fetched(&["merkle.origin.acceptFrames=self"]),
        "0 frames came, 1 not accepted\n"
    );
    // A remote's name may have dots. Red before: the process panicked, and a binary without assertions accepted everything.
    let url = b.git(&["remote", "get-url", "origin"]).ok();
    b.git(&["remote", "add", "example.org", url.trim()]).ok();
    let dotted = with(
        b,
        &["merkle.example.org.acceptFrames=self"],
        &["fetch", "example.org"],
    )
    .exits(0);
    assert_eq!(
        (dotted.out().as_str(), dotted.err().contains("ignored")),
        ("0 frames came, 1 not accepted\n", false),
        "{dotted}"
    );
    b.git(&["config", "merkle.acceptFrames", "self"]).ok();
    let loose = b.merkle(&["fetch"]).exits(0);
    assert_eq!(loose.out(), "1 frame came\n");
    assert!(loose.err().contains("merkle.acceptframes"), "{loose}");
    // What is said here counts whatever it says about others, and an unknown word is an error.
    say(b, "src", "From b.");
    assert_eq!(
        with(b, &["merkle.acceptFrames=self"], &["sync"]).ok(),
        "0 frames came, 1 went\n"
    );
    assert!(
        with(b, &["merkle.acceptFrames=mine"], &["fetch"])
            .exits(78)
            .err()
            .contains("'all', 'signed' or 'self'")
    );
    let without = with(
        b,
        &["merkle.acceptFrames=signed", "gpg.ssh.allowedSignersFile="],
        &["fetch"],
    )
    .exits(78);
    assert!(
        without
            .err()
            .contains("hint: git config --global gpg.ssh.allowedSignersFile"),
        "{without}"
    );
}

/// A repository that was unpacked from an archive chooses neither program nor key nor signers.
#[test]
fn a_repositorys_own_configuration_chooses_nothing() {
    let sandbox = Sandbox::new();
    signing(&sandbox);
    let (_, clones) = world(&sandbox, &["a"]);
    let a = &clones[0];
    let evil = sandbox.path("evil");
    fs::write(
        &evil,
        format!("#!/bin/sh\ntouch '{}'\n", sandbox.path("ran").display()),
    )
    .expect("writable");
    a.run("chmod").arg("+x").arg(&evil).run().ok();
    let evil = evil.to_str().expect("UTF-8");
    let eve = sandbox.path("home/eve.pub");
    a.put(
        "signers",
        format!(
            "ann@example.org {}",
            fs::read_to_string(&eve).expect("a key")
        ),
    );
    for (key, value) in [
        ("gpg.ssh.program", evil),
        ("gpg.ssh.defaultKeyCommand", evil),
        ("user.signingKey", eve.to_str().expect("UTF-8")),
        ("gpg.ssh.allowedSignersFile", "signers"),
        ("merkle.sign", "false"),
        ("merkle.signingKey", eve.to_str().expect("UTF-8")),
    ] {
        a.git(&["config", key, value]).ok();
    }
    say(a, "src/lib.rs", "Signed by ann.");
    assert_eq!(signatures(a, "src/lib.rs"), ["signed by ann@example.org"]);
    assert!(!sandbox.path("ran").exists());
    // A relative path of the user's own would lead into the repository.
    let relative = with(
        a,
        &["gpg.ssh.allowedSignersFile=signers"],
        &["show", "src/lib.rs", "--agent", "human"],
    );
    assert!(
        relative.err().contains("would lead into the repository")
            && !relative.out().contains("signed by"),
        "{relative}"
    );
    // A list of what waits that came with the repository is not believed.
    fs::write(a.path(".git/merkle/unsigned"), "git-merkle unsigned 1\n").expect("writable");
    assert_eq!(sync(a).ok(), "0 frames came, 1 went\n");
}

/// What cannot be signed without a question waits, and nothing is lost meanwhile.
#[test]
fn what_was_not_signed_is_signed_by_the_next_sync() {
    let sandbox = Sandbox::new();
    signing(&sandbox);
    let (_, clones) = world(&sandbox, &["a", "b"]);
    let [a, b] = [&clones[0], &clones[1]];
    let locked = sandbox.path("home/locked");
    let made = sandbox
        .run("ssh-keygen", &sandbox.path("home"))
        .args(["-q", "-t", "ed25519", "-N", "a phrase", "-f"]);
    made.arg(&locked).run().ok();
    for setting in [
        "user.signingKey=~/locked.pub",
        "gpg.ssh.program=no-such-program",
        "user.signingKey=",
        "gpg.format=openpgp",
    ] {
        let output = with(a, &[setting], &["note", "src/lib.rs", "-m", setting]).exits(0);
        assert!(output.err().contains("not signed: "), "{setting}: {output}");
    }
    let told = with(a, &["gpg.format=openpgp"], &["sync", "--dry-run"]).ok();
    assert_eq!(told, "0 frames came, 4 would go\n");
    let openpgp = with(a, &["gpg.format=openpgp"], &["note", "src", "-m", "x"])
        .exits(0)
        .err();
    assert!(
        openpgp.contains("statements are signed with SSH keys, and 'gpg.format' is 'openpgp'"),
        "{openpgp}"
    );
    assert!(
        openpgp
            .contains("openpgp and x509 are not supported; git config --global merkle.signingKey"),
        "{openpgp}"
    );
    assert_eq!((statements(a), manifests(a).len()), (5, 0));
    let waits = a.merkle(&["status"]).ok();
    assert!(
        waits.contains("signatures: 5 statements wait for one"),
        "{waits}"
    );
    let wrong = a.merkle(&["doctor"]).exits(1);
    assert!(
        wrong
            .out()
            .contains("signing   wrong: 5 statements wait for a signature"),
        "{wrong}"
    );
    let signed = sync(a).exits(0);
    assert_eq!(
        (signed.out().as_str(), manifests(a).len()),
        ("0 frames came, 5 went\n", 1)
    );
    assert!(
        signed.err().contains("5 statements are signed now"),
        "{signed}"
    );
    assert_eq!(
        with(b, &["merkle.acceptFrames=signed"], &["sync"]).ok(),
        "5 frames came, 0 went\n"
    );
    // A key of this program's own, whatever git signs with; and the default as git has it for commits.
    let own = ["gpg.format=openpgp", "merkle.signingKey=~/ann.pub"];
    with(
        b,
        &own,
        &["note", "README.md", "-m", "With a key of its own."],
    )
    .ok();
    assert_eq!(signatures(b, "README.md"), ["signed by ann@example.org"]);
    set(&sandbox, &[("commit.gpgSign", "true")]);
    b.git(&["config", "--global", "--unset", "merkle.sign"])
        .ok();
    let key = fs::read_to_string(sandbox.path("home/ann.pub")).expect("a key");
    fs::write(
        sandbox.path("home/key"),
        format!("#!/bin/sh\necho \"{}\"\n", key.trim()),
    )
    .expect("writable");
    b.run("chmod")
        .arg("+x")
        .arg(sandbox.path("home/key"))
        .run()
        .ok();
    b.merkle(&["note", "src", "-m", "As git signs commits."])
        .ok();
    assert_eq!(signatures(b, "src")[0], "signed by ann@example.org");
    // The command that names the key gives one that an agent has, and there is no agent.
    let agent = with(
        b,
        &["user.signingKey=", "gpg.ssh.defaultKeyCommand=~/key 'x y'"],
        &["note", "src", "-m", "y"],
    )
    .exits(0);
    assert!(
        agent.err().contains("not signed: ") && agent.err().to_lowercase().contains("agent"),
        "{agent}"
    );
}

/// `gc` takes a list with the last of its statements, and a list that was signed later than its statements went goes alone.
#[test]
fn lists_go_with_their_statements_and_alone() {
    let sandbox = Sandbox::new();
    signing(&sandbox);
    let (origin, clones) = world(&sandbox, &["a", "b"]);
    let [a, b] = [&clones[0], &clones[1]];
    with(
        a,
        &["user.signingKey=~/none.pub"],
        &["note", "README.md", "-m", "Unsigned at first."],
    )
    .ok();
    with(a, &["user.signingKey=~/none.pub"], &["sync"]).ok();
    assert_eq!((statements(&origin), manifests(&origin).len()), (1, 0));
    assert_eq!(sync(b).ok(), "1 frame came, 0 went\n");
    assert_eq!(sync(a).ok(), "0 frames came, 0 went\n");
    assert_eq!(manifests(&origin).len(), 1);
    assert_eq!(sync(b).ok(), "0 frames came, 0 went\n");
    assert_eq!(signatures(b, "README.md"), ["signed by ann@example.org"]);
    // A list of statements that nobody has any longer.
    let list = content(b, &manifests(b)[0]);
    let frame = list.lines().nth(2).expect("a statement")[..64].to_owned();
    let orphan = list.replace(&frame, &"0".repeat(64));
    let digest = b.run("sha256sum").input(orphan.clone()).run().ok()[..64].to_owned();
    rewrite(
        b,
        &[(
            &format!("signed/{}/{digest}", &digest[..2]),
            Some(orphan.as_bytes()),
        )],
    );
    assert_eq!(manifests(b).len(), 2);
    b.merkle(&["gc"]).ok();
    assert_eq!((manifests(b).len(), statements(b)), (1, 1));
    assert_eq!(signatures(b, "README.md"), ["signed by ann@example.org"]);
    b.merkle(&["validate"]).ok();
}

/// With refs of their own, clones publish their lists as well, and a list stays away with what is held back.
#[test]
fn lists_travel_by_refs_of_clones_and_stay_with_what_is_private() {
    let sandbox = Sandbox::new();
    signing(&sandbox);
    let (origin, clones) = world(&sandbox, &["a", "b"]);
    let [a, b] = [&clones[0], &clones[1]];
    say(a, "src/lib.rs", "Public.");
    a.git(&["switch", "-q", "-c", "plan"]).ok();
    fs::write(a.path("plan.txt"), "buy the field\n").expect("writable");
    a.git(&["add", "plan.txt"]).ok();
    a.git(&["commit", "-q", "-m", "plan"]).ok();
    a.merkle(&["note", "plan.txt", "-m", "Private."]).ok();
    assert_eq!(
        with(a, &["merkle.publish=own"], &["sync"]).ok(),
        "0 frames came, 1 went, 1 held back\n"
    );
    let own = origin
        .git(&["for-each-ref", "--format=%(refname)", "refs/merkle/by/"])
        .ok();
    let count = |name: &str| {
        origin
            .git(&["ls-tree", "-r", "--name-only", name, "signed/"])
            .ok()
            .lines()
            .count()
    };
    assert_eq!(count(own.trim()), 1);
    assert_eq!(
        with(b, &["merkle.acceptFrames=signed"], &["sync"]).ok(),
        "1 frame came, 0 went\n"
    );
    assert_eq!(
        b.merkle(&["sync", "--collect"]).ok(),
        "0 frames came, 0 went, 1 ref collected\n"
    );
    assert_eq!(count(REF), 1);
    a.git(&["push", "-q", "origin", "plan"]).ok();
    assert_eq!(sync(a).ok(), "0 frames came, 1 went\n");
    assert_eq!(count(REF), 2);
    b.git(&["fetch", "-q"]).ok();
    assert_eq!(
        with(b, &["merkle.acceptFrames=signed"], &["sync"]).ok(),
        "1 frame came, 0 went\n"
    );
}

/// The folder of lists is read in bounded work, whatever stands in it, and what is bad there is named.
#[test]
fn what_is_no_list_is_left_out_by_name() {
    let sandbox = Sandbox::new();
    signing(&sandbox);
    let (origin, clones) = world(&sandbox, &["a", "b"]);
    let [a, b] = [&clones[0], &clones[1]];
    say(a, "src/lib.rs", "Good.");
    sync(a).ok();
    let huge = vec![b'x'; 600 << 10];
    let newer = b"git-merkle/signed/2\nwhat nobody knows yet\n";
    let digest = |bytes: &[u8]| a.run("sha256sum").input(bytes).run().ok()[..64].to_owned();
    let path = |digest: &str| format!("signed/{}/{digest}", &digest[..2]);
    let (huge_path, newer_path) = (path(&digest(&huge)), path(&digest(newer)));
    rewrite(
        &origin,
        &[
            (&huge_path, Some(&huge)),
            (&newer_path, Some(newer)),
            ("signed/00/name", Some(b"x")),
            ("signed/file", Some(b"x")),
            ("signed/zz/name", Some(b"x")),
            (&format!("signed/00/{}", "1".repeat(64)), Some(b"x")),
        ],
    );
    let fetched = b.merkle(&["fetch"]).exits(0);
    assert_eq!(fetched.out(), "1 frame came\n");
    for name in [
        &huge_path,
        &newer_path,
        "signed/00/name",
        "signed/file",
        "signed/zz",
        "signed/00/11",
    ] {
        assert!(
            fetched.err().contains(&format!("'{name}")),
            "{name}: {fetched}"
        );
    }
    assert_eq!(manifests(b).len(), 1);
    say(b, "README.md", "From b.");
    sync(b).ok();
    assert_eq!(
        manifests(&origin).len(),
        8,
        "what is not understood is carried"
    );
    let mirror = origin.clone_to("mirror.git", &["--mirror"]);
    let fixed = mirror.merkle(&["doctor", "--fix"]);
    assert!(fixed.out().contains("set aside"), "{fixed}");
    assert!(
        manifests(&mirror).contains(&newer_path),
        "what is newer stays"
    );
    assert_eq!(manifests(&mirror).len(), 3);
    mirror.merkle(&["validate"]).ok();
}
