//! Those that are asked without a network: programs, people, recordings.

use std::path::Path;
use std::sync::Arc;

use git_merkle::chat::{Answer, Ticket, Usage};
use git_merkle::config::Environment;
use git_merkle::git::StateDir;
use git_merkle::provider::{Charge, Provider, ProviderError, Surroundings, connect};

use super::bench::{ask, block_on, canary, definitions, reply, request};

fn open(text: &str, directory: &Path) -> Arc<dyn Provider> {
    let path = search_path();
    let environment: Environment = [
        ("PATH", path.as_str()),
        ("A_API_KEY", &canary()),
        ("B_API_KEY", "seen-by-choice"),
        ("PLAIN", "plain"),
    ]
    .into_iter()
    .collect();
    let surroundings = Surroundings {
        environment: &environment,
        pending: &StateDir::at(directory),
        is_dry: false,
    };
    connect(definitions(text).the_only().expect("one"), surroundings)
        .expect("connected")
        .provider
}

#[expect(
    clippy::disallowed_methods,
    reason = "programs are found on the caller's search path"
)]
fn search_path() -> String {
    std::env::var("PATH").expect("a search path")
}

fn program(script: &str, more: &str) -> Arc<dyn Provider> {
    let script = script.replace('\'', "\"");
    open(
        &format!("[provider.command]\ncommand = ['sh', '-c', '{script}']\n{more}"),
        Path::new("/nonexistent"),
    )
}

#[test]
fn a_program_reads_the_prompt_and_prints_the_answer() {
    assert_eq!(
        reply(&*program("cat", ""), &request()).text,
        "You describe files.\n\nDescribe src/lib.rs."
    );
    assert_eq!(reply(&*program("pwd", ""), &request()).text, "/");
    assert_eq!(reply(&*program("echo done", ""), &request()).usage, None);
    block_on(program("true", "").validate()).expect("there is a shell");
}

#[test]
fn a_program_sees_no_key_but_those_it_may() {
    let seen = reply(&*program("env", "env = 'B_API_KEY'"), &request()).text;
    assert!(
        seen.contains("PLAIN=plain")
            && seen.contains("B_API_KEY=seen-by-choice")
            && !seen.contains("A_API_KEY"),
        "{seen}"
    );
}

#[test]
fn what_a_program_does_wrong_is_told_shortly_and_without_keys() {
    let failure = ask(
        &*program(
            "echo first >&2; echo bad key $B_API_KEY >&2; exit 3",
            "env = 'B_API_KEY'",
        ),
        &request(),
    )
    .0;
    let failure = failure.expect_err("it fails");
    assert_eq!(
        failure.error,
        ProviderError::Protocol("it ended with exit status: 3: bad key ***".to_owned())
    );
    assert_eq!(failure.charge, Charge::Unknown);
    for (script, expected) in [
        ("true", "the answer is empty"),
        (
            "head -c 1100000 /dev/zero",
            "the answer is longer than 1048576 bytes",
        ),
        ("printf \\\\377", "the answer is not UTF-8"),
    ] {
        let error = ask(&*program(script, ""), &request())
            .0
            .expect_err(script)
            .error;
        assert_eq!(
            error,
            ProviderError::Protocol(expected.to_owned()),
            "{script}"
        );
    }
    let missing = open(
        "[provider.command]\ncommand = 'no-such-program-anywhere'",
        Path::new("/nonexistent"),
    );
    let error = block_on(missing.validate()).expect_err("it is missing");
    assert!(
        matches!(error, ProviderError::NotConfigured { .. }),
        "{error}"
    );
    let failure = ask(&*missing, &request()).0.expect_err("it is missing");
    assert!(
        failure
            .error
            .to_string()
            .ends_with("cannot run 'no-such-program-anywhere': no such file or directory"),
        "{failure}"
    );
    assert_eq!(failure.charge, Charge::Nothing);
}

#[test]
fn a_program_that_takes_too_long_is_ended_with_all_it_has_started() {
    let folder = tempfile::tempdir().expect("a folder");
    let mark = folder.path().join("mark");
    let script = format!("(sleep 1; echo late > {}) & sleep 60", mark.display());
    let failure = ask(&*program(&script, "timeout = '200ms'"), &request())
        .0
        .expect_err("too long");
    assert!(
        matches!(failure.error, ProviderError::Timeout(_)),
        "{failure}"
    );
    std::thread::sleep(std::time::Duration::from_millis(1_500));
    assert!(!mark.exists(), "what it had started lives on");
}

#[test]
fn a_large_prompt_and_a_large_answer_do_not_wait_for_each_other() {
    let mut large = request();
    large.messages[1].text = "words ".repeat(150_000);
    assert_eq!(
        reply(&*program("cat", ""), &large).text.len(),
        "You describe files.\n\n".len() + 150_000 * 6 - 1
    );
    assert_eq!(
        reply(&*program("exec <&-; echo unread", ""), &large).text,
        "unread"
    );
}

#[test]
fn a_person_answers_later_in_a_file() {
    use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
    let folder = tempfile::tempdir().expect("a folder");
    let directory = folder.path().join("pending");
    std::fs::DirBuilder::new()
        .mode(0o700)
        .create(&directory)
        .expect("created");
    let person = open("provider.manual.kind = 'manual'", &directory);
    let Ok(Answer::Pending(ticket)) = ask(&*person, &request()).0 else {
        panic!("not pending")
    };
    let prompt = directory.join(format!("{}.prompt.md", ticket.0));
    assert_eq!(
        std::fs::read_to_string(&prompt).expect("a prompt"),
        "You describe files.\n\nDescribe src/lib.rs.\n"
    );
    let mode = |path: &Path| std::fs::metadata(path).expect("there").permissions().mode() & 0o777;
    assert_eq!((mode(&prompt), mode(&directory)), (0o600, 0o700));
    assert_eq!(
        block_on(person.collect(&ticket)),
        Ok(Answer::Pending(ticket.clone()))
    );
    std::fs::write(
        directory.join(format!("{}.answer.md", ticket.0)),
        "By hand.\n",
    )
    .expect("written");
    let answered = block_on(person.collect(&ticket)).expect("an answer");
    assert!(
        matches!(answered, Answer::Ready(reply) if reply.text == "By hand." && reply.usage.is_none())
    );
    let stranger = Ticket("../../etc/passwd".to_owned());
    assert!(block_on(person.collect(&stranger)).is_err());
}

#[test]
fn a_recording_answers_by_digest_and_in_order() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("answers.jsonl");
    let mut other = request();
    other.messages[1].text = "Another question.".to_owned();
    let lines = format!(
        "{{\"request\":\"*\",\"text\":\"one\",\"usage\":{{\"input\":3,\"output\":1}}}}\n\n{{\"request\":\"{}\",\"text\":\"named\",\"model\":\"m\"}}\n{{\"request\":\"*\",\"text\":\"two\"}}\n",
        other.digest()
    );
    std::fs::write(&file, lines).expect("written");
    let text = format!("[provider.replay]\nfile = '{}'", file.display());
    let recording = open(&text, folder.path());
    let first = reply(&*recording, &request());
    assert_eq!(
        (first.text.as_str(), first.usage),
        (
            "one",
            Some(Usage {
                input: 3,
                output: 1,
                ..Usage::default()
            })
        )
    );
    let named = [
        reply(&*recording, &other).text,
        reply(&*recording, &other).text,
    ];
    assert_eq!(named, ["named", "named"]);
    assert_eq!(reply(&*recording, &request()).text, "two");
    let failure = ask(&*recording, &request()).0.expect_err("no more");
    assert_eq!(failure.charge, Charge::Nothing);
}
