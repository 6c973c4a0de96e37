//! A person as provider: prompts in files, answers beside them, the same command again.

use super::{Protocol, SMALL, World, head, regenerate};

#[test]
fn a_person_answers_by_files_and_the_same_command_goes_on() {
    let world = World::steady(Protocol::OpenAi);
    world.set("merkle.provider.me.kind", "manual");
    let repo = world.repo(SMALL);
    let mut answered = 0;
    for round in ["files", "src/", "the root"] {
        let run = regenerate(&repo, &["--provider", "me", "--json"]).exits(75);
        let report = run.json("regenerate");
        for awaited in report["awaited"].as_array().expect("a list") {
            let ticket = awaited["ticket"].as_str().expect("a ticket");
            let prompt = std::fs::read_to_string(
                repo.path(&format!(".git/merkle/pending/{ticket}.prompt.md")),
            )
            .expect(round);
            assert!(
                prompt.starts_with("You describe source code.")
                    && prompt.contains("Summarize the "),
                "{prompt}"
            );
            let answer = repo.path(&format!(".git/merkle/pending/{ticket}.answer.md"));
            std::fs::write(
                answer,
                format!("said of {}", awaited["path"].as_str().expect("a path")),
            )
            .expect("writable");
            answered += 1;
        }
    }
    assert_eq!(answered, 5);
    regenerate(&repo, &["--provider", "me"]).ok();
    assert_eq!(head(&repo, "src/lib.rs").trim(), "said of src/lib.rs");
    assert_eq!(head(&repo, ".").trim(), "said of");
    assert!(
        regenerate(&repo, &["--provider", "me"])
            .ok()
            .starts_with("nothing to do")
    );
    assert_eq!(world.server.connections(), 0);
}

#[test]
fn a_program_answers_on_standard_output_and_sees_no_key() {
    let world = World::steady(Protocol::OpenAi);
    let script = world.sandbox.path("home/answer.sh");
    let words = "#!/bin/sh\nenv > \"$(dirname \"$0\")/seen\"\nread -r line\necho \"a program heard: $line\"\n";
    std::fs::write(&script, words).expect("writable");
    std::fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755))
        .expect("allowed");
    world.set("merkle.provider.cli.kind", "command");
    world.set("merkle.provider.cli.command", &script.to_string_lossy());
    let repo = world.repo(SMALL);
    regenerate(&repo, &["--provider", "cli", "README.md"]).ok();
    assert_eq!(
        head(&repo, "README.md").trim(),
        "a program heard: You describe source code."
    );
    let seen = std::fs::read_to_string(world.sandbox.path("home/seen")).expect("it ran");
    assert!(!seen.contains(&super::key()), "{seen}");
}
