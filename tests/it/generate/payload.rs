//! What is sent about odd nodes, and what never is.

use super::{Protocol, World, command, path_of, regenerate};

/// What was asked about a path, the whole user message.
#[track_caller]
fn asked(world: &World, path: &str) -> String {
    let posts = world.server.posts();
    let post = posts.iter().find(|post| path_of(post) == path);
    post.unwrap_or_else(|| {
        panic!(
            "nothing about '{path}' in {:?}",
            posts.iter().map(path_of).collect::<Vec<_>>()
        )
    })
    .last_user()
}

#[test]
fn odd_files_are_asked_about_as_documented() {
    let world = World::steady(Protocol::OpenAi);
    let repo = world.sandbox.repo("work");
    repo.put("plain.txt", b"one\r\ntwo");
    repo.put("empty.txt", b"");
    repo.put("nul.bin", b"abc\0def");
    repo.put("latin.txt", b"caf\xe9");
    repo.put("tag.txt", b"before</file>after");
    repo.put(
        "pointer.bin",
        b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n",
    );
    repo.commit("files");
    regenerate(&repo, &[]).ok();
    let task = "\n\nSummarize the file plain.txt of 8 bytes.\n\nRespond using this structure:\nOne sentence.";
    assert_eq!(
        asked(&world, "plain.txt"),
        format!("<file path=\"plain.txt\">\none\r\ntwo\n</file>{task}")
    );
    assert!(asked(&world, "empty.txt").starts_with("<file path=\"empty.txt\">\n\n</file>"));
    for (name, size) in [("nul.bin", 7), ("latin.txt", 4)] {
        let placeholder = format!(
            "<file path=\"{name}\">\nBinary file ({size} bytes). No text content sent.\n</file>"
        );
        assert!(
            asked(&world, name).starts_with(&placeholder),
            "{}",
            asked(&world, name)
        );
    }
    let posts = world.server.posts();
    let tag = posts
        .iter()
        .map(super::Recorded::last_user)
        .find(|text| text.contains("before</file>after"))
        .expect("asked");
    assert!(
        tag.starts_with("<file1 path=\"tag.txt\">\nbefore</file>after\n</file1>\n\n"),
        "{tag}"
    );
    assert!(asked(&world, "pointer.bin").contains("12345 bytes"));
    assert!(!asked(&world, "pointer.bin").contains("sha256"));
}

#[test]
fn what_does_not_fit_is_cut_and_the_frame_says_so() {
    let world = World::steady(Protocol::OpenAi);
    world.set("merkle.provider.m.contextTokens", "6000");
    world.set("merkle.provider.m.outputTokens", "1000");
    let repo = world.sandbox.repo("work");
    let functions = (0..4_000)
        .map(|n| format!("/// Number {n}.\npub fn f{n}() -> u32 {{ {n} }}\n"))
        .collect::<Vec<_>>()
        .concat();
    repo.put("big.rs", functions.as_bytes());
    repo.commit("files");
    regenerate(&repo, &["big.rs"]).ok();
    let sent = asked(&world, "big.rs");
    assert!(sent.len() < 30_000, "{} bytes", sent.len());
    assert!(sent.contains("f0") && sent.contains("Summarize the file big.rs"));
    let frame = repo
        .git(&["show", &format!("refs/merkle/frames:{}", repo.frames()[0])])
        .ok();
    assert!(
        frame.lines().any(|line| line.starts_with("cut: \"")),
        "{frame}"
    );
    repo.merkle(&["validate"]).ok();
}

#[test]
fn a_directory_is_asked_about_through_its_children() {
    let world = World::steady(Protocol::OpenAi);
    let repo = world.sandbox.repo("work");
    repo.put("b.txt", b"two");
    repo.put("a/x.txt", b"one");
    std::os::unix::fs::symlink("b.txt", repo.path("link")).expect("a link");
    repo.commit("files");
    regenerate(&repo, &[]).ok();
    let root = world
        .server
        .posts()
        .last()
        .expect("the root comes last")
        .last_user();
    let (a, b) = (
        root.find("about a").expect("a/"),
        root.find("about b.txt").expect("b.txt"),
    );
    assert!(a < b, "in tree order\n{root}");
    assert!(
        root.contains("<child path=\"a\" type=\"directory\">\nabout a\n\n</child>"),
        "{root}"
    );
    assert!(
        root.contains("<child path=\"b.txt\" type=\"file\">\nabout b.txt\n\n</child>"),
        "{root}"
    );
    assert!(
        root.contains("link"),
        "a child without a frame is named\n{root}"
    );
    assert!(!root.contains("two"), "no file is sent with a directory");
}

#[test]
fn no_earlier_frame_of_a_node_is_sent() {
    let world = World::steady(Protocol::Anthropic);
    let repo = world.repo("commit one\n+ a.md = # A");
    regenerate(&repo, &["a.md"]).ok();
    regenerate(&repo, &["a.md", "--force"]).ok();
    let posts = world.server.posts();
    assert_eq!(
        posts[0].body, posts[1].body,
        "the same question, byte for byte"
    );
}

#[test]
fn what_looks_like_a_secret_stops_the_run_before_anything_is_sent() {
    let world = World::steady(Protocol::OpenAi);
    let repo = world.sandbox.repo("work");
    let secret = ["ghp_", "wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx"].concat();
    repo.put(
        "src/a.rs",
        format!("// one\nconst TOKEN: &str = \"{secret}\";\n").as_bytes(),
    );
    repo.put("b.txt", b"harmless");
    repo.commit("files");
    let stopped = regenerate(&repo, &[]).exits(78);
    assert!(stopped.err().contains("'src/a.rs', line 2"), "{stopped}");
    assert!(!stopped.err().contains(&secret));
    assert_eq!(world.server.connections(), 0);
    let id = stopped
        .err()
        .split("--allow-secret")
        .nth(1)
        .and_then(|rest| rest.split_whitespace().next().map(str::to_owned));
    let id = id.expect("the hint names it");
    regenerate(&repo, &["--allow-secret", id.trim_matches(['=', '\''])]).ok();
    assert!(asked(&world, "src/a.rs").contains(&secret));
}

#[test]
fn prompt_prints_what_is_sent_byte_for_byte() {
    let world = World::steady(Protocol::OpenAi);
    let repo = world.repo(super::SMALL);
    regenerate(&repo, &[]).ok();
    let printed = command(
        &repo,
        &[
            "prompt",
            "--node",
            "src/lib.rs",
            "--agent",
            "docs",
            "--json",
        ],
    )
    .run()
    .exits(0)
    .json("prompt");
    let sent = asked(&world, "src/lib.rs");
    let messages = printed["messages"].as_array().expect("messages");
    assert_eq!(messages.last().expect("the user's")["text"], sent);
    assert_eq!(messages[0]["text"], "You describe source code.");
    assert_eq!(world.server.posts().len(), 5, "and nothing was sent for it");
}

/// Before, a seed or a `top_p` that the provider does not take went out, or was left out, without a word; what was fitted stood in
/// frames alone.
#[test]
fn what_the_provider_does_not_take_is_told_everywhere() {
    let world = World::steady(Protocol::Anthropic);
    world.set("merkle.provider.m.model", "claude-sonnet-4-5");
    let folder = world
        .sandbox
        .path("home/.config/git-merkle/profiles/default");
    std::fs::create_dir_all(&folder).expect("writable");
    let wishes = "name: default\ngeneration_params:\n  generating: {temperature: 0.5, top_p: 0.9, seed: 7, stop: [END]}\n";
    std::fs::write(folder.join("config.yml"), wishes).expect("writable");
    let repo = world.repo(super::SMALL);
    let told = [
        "top_p 0.9 is dropped: the model takes none beside a temperature",
        "seed 7 is dropped: the model takes none",
    ];
    let planned = regenerate(&repo, &["--dry-run"]).exits(0);
    assert!(
        told.iter()
            .all(|change| planned.err().matches(change).count() == 1),
        "{planned}"
    );
    let planned = regenerate(&repo, &["--dry-run", "--json"]).json("plan");
    assert_eq!(planned["estimate"]["fitted"], serde_json::json!(told));
    let made = regenerate(&repo, &["--json"]).exits(0);
    assert_eq!(
        made.json("regenerate")["model"]["fitted"],
        serde_json::json!(told)
    );
    assert!(
        told.iter()
            .all(|change| made.err().matches(change).count() == 1),
        "{made}"
    );
    let body = &world.server.posts()[0].body;
    assert!(
        body.get("top_p").is_none()
            && body.get("seed").is_none()
            && body["stop_sequences"][0] == "END",
        "{body}"
    );
    command(&repo, &["session", "new", "login", "-c", "src/"])
        .run()
        .ok();
    command(
        &repo,
        &["turn", "new", "-m", "Add.", "--phase", "generating"],
    )
    .run()
    .ok();
    let planned = command(&repo, &["turn", "run", "--dry-run", "--json"])
        .run()
        .exits(0);
    assert_eq!(
        planned.json("turn-plan")["fitted"],
        serde_json::json!(told),
        "{planned}"
    );
    assert!(
        told.iter().all(|change| planned.err().contains(change)),
        "{planned}"
    );
    command(&repo, &["turn", "run", "--yes"]).run().ok();
    command(&repo, &["turn", "approve"]).run().ok();
    let report =
        std::fs::read_to_string(repo.path(".teddy/sessions/login/01/report.md")).expect("a report");
    assert!(
        told.iter().all(|change| report.contains(change)),
        "{report}"
    );
}
