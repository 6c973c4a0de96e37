//! What a terminal would obey: standard output is a real one here, and a person reads what others have written.

use std::fs::File;
use std::io::Read;
use std::process::Stdio;

use nix::pty::openpty;

use super::is_invisible;
use crate::support::{PROGRAM, Repo, Sandbox};

/// Sets the title, writes to the clipboard, clears the screen, turns text around.
const TEXT: &str = "said\u{1b}]0;title\u{7}\u{1b}]52;c;AAAA\u{7}\u{1b}[2J\u{202e}turned\u{9b}31m\n";

const COMMANDS: &[&str] = &[
    "get-head a.rs --agent human",
    "show a.rs",
    "log a.rs",
    "list-frames a.rs",
    "get-node a.rs",
    "get-node . --view people",
    "explain a.rs --agent human --type note",
    "context a.rs",
    "context --frames note a.rs",
    "map",
    "prompt",
    "prompt --node . --agent outline",
    "diff HEAD~1..HEAD",
    "status",
    "scan",
    "validate",
    "tiers",
    "agent list",
];

/// What a command writes to a terminal.
fn shown(repo: &Repo<'_>, command: &str) -> String {
    let pty = openpty(None, None).expect("a terminal");
    let run = repo
        .run(PROGRAM)
        .args(["--no-pager"])
        .args(command.split(' '))
        .env("NO_COLOR", "1")
        .env("TERM", "xterm");
    let mut wrapped = run.wrapped(&[]);
    let mut child = wrapped
        .stdin(Stdio::null())
        .stdout(pty.slave)
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    // It holds this end of the terminal open.
    drop(wrapped);
    let (mut bytes, mut terminal) = (Vec::new(), File::from(pty.master));
    // A terminal whose last writer has gone ends with an error.
    let mut part = [0; 4_096];
    while let Ok(count @ 1..) = terminal.read(&mut part) {
        bytes.extend_from_slice(&part[..count]);
    }
    assert_ne!(
        child.wait().expect("it ends").code(),
        Some(101),
        "{command}"
    );
    String::from_utf8(bytes).unwrap_or_else(|_| panic!("bytes that are no text from {command}"))
}

/// Red before: `get-head` wrote such text as it is, alone among all commands.
#[test]
fn no_command_writes_what_a_terminal_would_obey() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled(&format!(
        "commit files\n+ b.rs = fn b() {{}}\ncommit more\n+ a.rs = /// {}",
        TEXT.trim_end()
    ));
    repo.merkle(&["regenerate"]).ok();
    repo.put_frame("a.rs", TEXT).ok();
    let mut told = 0;
    for command in COMMANDS {
        let text = shown(&repo, command);
        let bad = text
            .chars()
            .find(|c| (c.is_control() && !matches!(c, '\r' | '\n' | '\t')) || is_invisible(*c));
        assert_eq!(
            bad.map(|c| c.escape_unicode().to_string()),
            None,
            "from {command}:\n{text}"
        );
        told += usize::from(
            text.contains("\\u{1b}]52") || text.contains("\\x1b]52") || text.contains("title"),
        );
    }
    assert!(told > 5, "only {told} commands showed the text at all");
}
