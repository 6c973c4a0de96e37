//! One way to a model: what `prompt` prints as a body is what `turn run` sends, byte for byte, with everything in it.

use git_merkle::chat::Usage;
use serde_json::Value;

use super::{FIXTURE, log, read, write};
use crate::generate::{PROTOCOLS, Protocol, World, command};
use crate::page::{NOW, keep};
use crate::support::loopback::{Loopback, Recorded, Scripted};
use crate::support::{Output, Repo};

const PROFILE: &str = "name: team\nscopes:\n  slice:\n    description: one way through\n    layers: [domain, repository]\n\
standards: [rules.md]\nexamples: [good.md]\ngeneration_params:\n  planning: {temperature: 0.5, max_output_tokens: 900}\n";

/// A user's folder with everything that takes part in a world.
fn furnish(world: &World) {
    let folder = world.sandbox.path("home/.config/git-merkle");
    std::fs::create_dir_all(folder.join("profiles/team")).expect("writable");
    for (name, text) in [
        ("profiles/team/config.yml", PROFILE),
        ("profiles/team/rules.md", "THE STANDARD\n"),
        ("profiles/team/good.md", "THE EXAMPLE\n"),
        ("system.md", "THE ROLE\n"),
        ("system_extra.md", "THE EXTRA\n"),
    ] {
        std::fs::write(folder.join(name), text).expect("writable");
    }
    world.set("merkle.provider.m.cacheBreakpoints", "4");
    world.set("merkle.provider.m.cacheTokensMin", "10");
}

fn merkle(repo: &Repo<'_>, arguments: &[&str]) -> Output {
    command(repo, arguments)
        .env("SOURCE_DATE_EPOCH", NOW.to_string())
        .run()
}

/// Plans, works, and passes a review the second time.
fn team() -> Loopback {
    Loopback::start(|request| {
        let said = request.last_user();
        let text = match said.split(' ').next().unwrap_or_default() {
            "Make" if said.contains("Say why.") => "THE BETTER PLAN",
            "Make" => "THE PLAN",
            "Review" if request.text().contains("THE BETTER WORK") => "verdict: pass",
            "Review" => "verdict: fail\nissues:\n- never freed",
            "Revise" => "THE BETTER WORK",
            _ => "THE WORK",
        };
        Scripted::answer(text).usage(Usage {
            input: 2_000,
            output: 50,
            cache_read: 800,
            ..Usage::default()
        })
    })
}

/// Asks, and holds what arrived against what was printed before.
fn run(world: &World, repo: &Repo<'_>, protocol: Protocol) -> Recorded {
    let format = if protocol == Protocol::Anthropic {
        "anthropic"
    } else {
        "openai"
    };
    let printed = merkle(repo, &["prompt", "-s", "login", "--format", format]).ok();
    merkle(repo, &["turn", "run", "--yes"]).ok();
    let sent = world.server.posts().pop().expect("a request");
    assert_eq!(sent.raw, printed.trim_end(), "printed and sent");
    sent
}

/// Before, `prompt` printed a message array that nothing sent: `turn run` sent another prompt, without marks, map, extra
/// system prompt, examples, images, or pages that were named in an earlier turn.
#[test]
fn what_is_printed_is_what_is_sent_in_every_phase() {
    for protocol in PROTOCOLS {
        let world = World::new(protocol, team());
        furnish(&world);
        let repo = world.repo(FIXTURE);
        std::fs::write(repo.path(".teddy/memos.yaml"), "- THE MEMO\n").expect("writable");
        repo.trust();
        std::fs::write(repo.path("dot.gif"), b"GIF89a").expect("writable");
        for url in ["https://example.com/first", "https://example.com/second"] {
            keep(&repo, url, "text/plain", &format!("PAGE OF {url}\n"));
        }
        let new = [
            "session",
            "new",
            "login",
            "-c",
            "README.md",
            "https://example.com/first",
            "--profile",
            "team",
            "--scope",
            "slice",
        ];
        merkle(&repo, &new).ok();
        let begin = [
            "turn",
            "new",
            "-m",
            "Free the lock.",
            "--image",
            "dot.gif",
            "--add",
            "https://example.com/second",
        ];
        merkle(&repo, &begin).ok();
        let first = run(&world, &repo, protocol);
        for part in [
            "THE ROLE",
            "THE EXTRA",
            "THE STANDARD",
            "THE EXAMPLE",
            "THE MEMO",
            "R0lGODlh",
            "PAGE OF https://example.com/first",
            "PAGE OF https://example.com/second",
            "lock()",
            "# File Tree",
            "- **OS:** ",
            "layers, each of them and no other: domain",
            "cache_control",
            "\"model\":\"test-large\"",
            "\"max_tokens\":900",
            "\"temperature\":0.5",
        ] {
            assert!(
                first.raw.contains(part),
                "'{part}' is missing: {}",
                first.raw
            );
        }
        merkle(&repo, &["turn", "reject", "-m", "Say why."]).ok();
        let mut phases = Vec::new();
        while !repo
            .merkle(&["session", "list"])
            .ok()
            .starts_with("login complete")
        {
            merkle(&repo, &["turn", "new"]).ok();
            let sent = run(&world, &repo, protocol);
            assert!(
                sent.raw.contains("PAGE OF https://example.com/second"),
                "named in the first turn"
            );
            phases.push(sent);
            assert!(phases.len() < 9, "it ends");
            let state = repo
                .merkle(&["session", "show", "--json"])
                .json("session-show");
            if state["log"]
                .as_array()
                .and_then(|log| log.last())
                .is_some_and(|turn| turn["status"] == "waiting for approval")
            {
                merkle(&repo, &["turn", "approve"]).ok();
            }
        }
        assert_eq!(
            log(&repo).len(),
            6,
            "two plans, work, review, revision, review: {:?}",
            log(&repo)
        );
        let again = &phases[0];
        assert!(
            again.raw.contains("THE PLAN")
                && again.last_user().contains("Say why.")
                && again.raw.contains("R0lGODlh")
        );
        assert!(
            phases[1].text().contains("### The plan that was accepted")
                && !phases[1].text().contains("THE PLAN\n")
        );
        assert!(
            phases[4].text().contains("THE BETTER WORK") && !phases[4].text().contains("THE WORK")
        );
        let meta = read(&repo, "02/meta.yaml");
        assert!(meta.contains("cache_read_predicted: "), "{meta}");
        let tiers = merkle(&repo, &["tiers", "-s", "login", "-m", "x"]).exits(0);
        assert!(
            tiers.err().contains("with a prediction: "),
            "{tiers}\n{meta}"
        );
    }
}

/// Before, every answer that was rejected was sent again in full.
#[test]
fn rejected_rounds_do_not_pile_up() {
    let world = World::new(
        Protocol::OpenAi,
        Loopback::start(|_| Scripted::answer(format!("NO {}", "word ".repeat(2_000)))),
    );
    let repo = world.repo(FIXTURE);
    repo.trust();
    repo.merkle(&["session", "new", "login"]).ok();
    for round in 1..=4 {
        merkle(
            &repo,
            if round == 1 {
                &["turn", "new", "-m", "Free the lock."]
            } else {
                &["turn", "new"]
            },
        )
        .ok();
        run(&world, &repo, Protocol::OpenAi);
        merkle(
            &repo,
            &["turn", "reject", "-m", &format!("Reason {round}.")],
        )
        .ok();
    }
    let posts = world.server.posts();
    let length = |at: usize| posts[at].raw.len();
    assert!(
        length(3) < length(1) + 2_000,
        "{} and {}",
        length(1),
        length(3)
    );
    for reason in ["Reason 1.", "Reason 2.", "Reason 3."] {
        assert!(posts[3].raw.contains(reason), "{reason}");
    }
}

/// Before, a payload that was edited by hand was sent; nothing is made of that file any more, and the edit must not be lost.
#[test]
fn an_edited_payload_is_refused_and_a_changed_world_is_written_again() {
    let world = World::new(Protocol::Anthropic, Loopback::echo());
    let repo = world.repo(FIXTURE);
    repo.trust();
    repo.merkle(&["session", "new", "login", "-c", "src/*.rs"])
        .ok();
    merkle(&repo, &["turn", "new", "-m", "Free the lock."]).ok();
    std::fs::write(repo.path("src/lock.rs"), "pub fn changed() {}\n").expect("writable");
    run(&world, &repo, Protocol::Anthropic);
    assert!(
        read(&repo, "01/input.md").contains("changed()"),
        "the payload is of the same world"
    );
    merkle(&repo, &["turn", "approve"]).ok();
    merkle(&repo, &["turn", "new"]).ok();
    write(&repo, "02/input.md", "mine\n");
    let refused = merkle(&repo, &["turn", "run", "--yes"]).exits(65);
    assert!(
        refused.err().contains("02/input.md' was edited"),
        "{refused}"
    );
    assert_eq!(
        (
            world.server.posts().len(),
            read(&repo, "02/input.md").as_str()
        ),
        (1, "mine\n")
    );
}

/// Before, standards larger than the window ended the turn; now they are condensed, and the turn says so.
#[test]
fn standards_are_condensed_for_a_small_window() {
    let world = World::new(Protocol::OpenAi, Loopback::echo());
    furnish(&world);
    let rules = format!(
        "# Rules\n\nBe brief.\n\n{}",
        "A long story about many things that happened.\n\n".repeat(1_000)
    );
    std::fs::write(
        world
            .sandbox
            .path("home/.config/git-merkle/profiles/team/rules.md"),
        rules,
    )
    .expect("writable");
    world.set("merkle.provider.m.contextTokens", "8000");
    let repo = world.repo(FIXTURE);
    repo.trust();
    repo.merkle(&["session", "new", "login", "--profile", "team"])
        .ok();
    let begun = merkle(&repo, &["turn", "new", "-m", "Free the lock."]).exits(0);
    assert!(
        begun
            .err()
            .contains("the standards of profile 'team' are condensed to fit"),
        "{begun}"
    );
    let sent = run(&world, &repo, Protocol::OpenAi);
    assert!(
        sent.raw.contains("Be brief.") && sent.raw.len() < 8_000 * 4,
        "{}",
        sent.raw.len()
    );
    let messages = sent.body["messages"].as_array().expect("messages");
    assert!(
        messages
            .iter()
            .all(|message| message["role"] != Value::Null)
    );
}

/// Before, a turn had the same map for every request: where that leaves most files out, none of them had to do with it.
#[test]
fn a_request_finds_what_the_map_leaves_out() {
    let world = World::new(Protocol::OpenAi, Loopback::echo());
    let module = |number: usize| {
        let function = |at: usize| {
            format!("pub fn step_{at}_of_part_{number}(count: u32) -> u32 {{ count }} ")
        };
        let functions = (0..20).map(function).collect::<Vec<_>>().concat();
        format!("\n    + src/part{number}.rs = {functions}")
    };
    let modules = (0..40).map(module).collect::<Vec<_>>().concat();
    let quiet = "\n    + src/quiet.rs = pub fn calibrate_barometer(height: f32) -> f32 { height }";
    let repo = world.repo(&format!("{FIXTURE}{modules}{quiet}"));
    repo.trust();
    repo.merkle(&["session", "new", "login"]).ok();
    let begin = [
        "turn",
        "new",
        "-m",
        "Say when the barometer was calibrated.",
    ];
    merkle(&repo, &begin).ok();
    let printed = || merkle(&repo, &["prompt", "-s", "login", "--format", "openai"]).ok();
    let heading = "# Found for the Request";
    assert!(!printed().contains(heading), "the map shows every file");
    world.set("merkle.provider.m.contextTokens", "8000");
    let small = printed();
    let found = small.split_once(heading).expect("it is there").1;
    assert!(
        found.contains("src/quiet.rs\\n  1 pub fn calibrate_barometer(height: f32) -> f32\\n"),
        "{found}"
    );
    let sent = run(&world, &repo, Protocol::OpenAi);
    assert!(sent.raw.contains(heading), "{}", sent.raw);
    merkle(&repo, &["turn", "reject", "-m", "Say where."]).ok();
    merkle(&repo, &["turn", "new"]).ok();
    assert!(read(&repo, "02/planning-prompt.md").contains("### Found for the request"));
    world.set("merkle.findBudget", "0");
    let sent = run(&world, &repo, Protocol::OpenAi);
    assert!(!sent.raw.contains(heading), "{}", sent.raw);
}
