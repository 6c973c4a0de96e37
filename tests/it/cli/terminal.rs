//! Completion in a terminal: real shells, with their own completion of git, and the tabulator key.
//!
//! `script` gives the shell its terminal. A shell that is not installed is named, and not driven.

use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::SAMPLE;
use crate::support::{Repo, Sandbox};

/// What a shell prints when it waits for a line; written in two parts, so that its echo is not taken for it.
const PROMPT: &str = "ready> ";
const PATIENCE: Duration = Duration::from_secs(30);
/// What loads completions for bash when they are first wanted, where it is installed: git's own, and from there the program's.
const LOADER_FOR_BASH: &str = "/usr/share/bash-completion/bash_completion";
/// Where git's own completion for bash stands on common systems.
const GIT_FOR_BASH: [&str; 4] = [
    "/usr/share/bash-completion/completions/git",
    "/usr/share/git/completion/git-completion.bash",
    "/etc/bash_completion.d/git",
    "/usr/local/share/bash-completion/completions/git",
];

/// A shell in a terminal, ended when dropped.
struct Terminal {
    child: Child,
    seen: Arc<Mutex<Vec<u8>>>,
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill().and_then(|()| self.child.wait());
    }
}

impl Terminal {
    fn open(repo: &Repo<'_>, shell: &str) -> Self {
        let line = format!("stty cols 120 rows 40; exec {shell}");
        let run = repo.run("script").args(["-qefc", &line, "/dev/null"]);
        let run = run.env("TERM", "xterm").env("ZDOTDIR", repo.path("rc"));
        let mut command = run.wrapped(&[]);
        let command = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut child = command.spawn().expect("'script' was there before");
        let mut output = child.stdout.take().expect("standard output is a pipe");
        let seen = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&seen);
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(count @ 1..) = output.read(&mut buffer) {
                let mut kept = kept.lock().expect("no reader panics");
                kept.extend_from_slice(&buffer[..count]);
            }
        });
        let mut terminal = Self { child, seen };
        terminal.wait_for(&[PROMPT], b"");
        terminal
    }

    /// What the terminal has shown so far.
    fn text(&self) -> String {
        let seen = self.seen.lock().expect("no reader panics");
        String::from_utf8_lossy(&seen).into_owned()
    }

    /// Waits for texts, and presses a key again each second until all of them stand there; fails with what does.
    fn wait_for(&mut self, texts: &[&str], key: &[u8]) {
        let begun = Instant::now();
        let mut pressed = begun;
        loop {
            let text = self.text();
            if texts.iter().all(|wanted| text.contains(wanted)) {
                return;
            }
            assert!(
                begun.elapsed() < PATIENCE,
                "wanted {texts:?}, and the terminal shows {text:?}"
            );
            if pressed.elapsed() > Duration::from_secs(1) {
                self.write(key);
                pressed = Instant::now();
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    fn write(&mut self, bytes: &[u8]) {
        let stdin = self.child.stdin.as_mut().expect("standard input is a pipe");
        stdin
            .write_all(bytes)
            .and_then(|()| stdin.flush())
            .expect("the shell reads");
    }
}

/// Says why a shell was not driven.
#[expect(
    clippy::print_stderr,
    reason = "a test that is left out says so where the others tell their results"
)]
fn leave_out(missing: &str) {
    eprintln!("{missing} is not installed: completion was not driven in a terminal");
}

/// True when a program can be started here; says so when not.
fn has(repo: &Repo<'_>, program: &str) -> bool {
    let found = repo
        .run("sh")
        .args(["-c", &format!("command -v {program}")])
        .run();
    if found.code != Some(0) {
        leave_out(program);
    }
    found.code == Some(0)
}

fn world(sandbox: &Sandbox) -> Repo<'_> {
    let repo = sandbox.filled(SAMPLE);
    std::fs::create_dir(repo.path("rc")).expect("a folder");
    repo
}

/// Types the beginning of a line and the tabulator, as a person who waits for a list.
///
/// Each line has a terminal of its own: how a line with an open list is taken back differs between shells and versions.
/// Some shells list at once, others when the key is pressed again.
fn complete(repo: &Repo<'_>, shell: &str, line: &str, expected: &[&str]) {
    let mut terminal = Terminal::open(repo, shell);
    terminal.write(format!("{line}\t").as_bytes());
    terminal.wait_for(expected, b"\t");
}

fn drive(repo: &Repo<'_>, shell: &str) {
    complete(repo, shell, "git merkle con", &["config", "context"]);
    complete(repo, shell, "git merkle show src/", &["lib.rs", "deep"]);
    complete(
        repo,
        shell,
        "git merkle regenerate --agent ",
        &["human", "outline"],
    );
}

#[test]
fn bash_completes_in_a_terminal() {
    let sandbox = Sandbox::new();
    let repo = world(&sandbox);
    let Some(git) = GIT_FOR_BASH.iter().find(|file| Path::new(file).exists()) else {
        leave_out("git's completion for bash");
        return;
    };
    if !has(&repo, "script") || !has(&repo, "bash") {
        return;
    }
    repo.merkle(&["completions", "bash", "--install"]).ok();
    let own = sandbox.path("home/.local/share/bash-completion/completions/git-merkle");
    let by_hand = format!("source {git}\nsource {}", own.display());
    let loader = Path::new(LOADER_FOR_BASH)
        .exists()
        .then(|| format!("source {LOADER_FOR_BASH}"));
    for sources in [Some(by_hand), loader].into_iter().flatten() {
        let text = format!("{sources}\nPS1='ready''> '\n");
        std::fs::write(repo.path("rc/bashrc"), text).expect("writable");
        drive(&repo, "bash --rcfile rc/bashrc -i");
    }
}

#[test]
fn zsh_completes_in_a_terminal() {
    let sandbox = Sandbox::new();
    let repo = world(&sandbox);
    if !has(&repo, "script") || !has(&repo, "zsh") {
        return;
    }
    repo.merkle(&["completions", "zsh", "--install"]).ok();
    let own = sandbox.path("home/.local/share/zsh/site-functions");
    let text = format!(
        "fpath=({} $fpath)\nautoload -Uz compinit; compinit -u -D\nPS1='ready''> '\nsetopt no_beep\n",
        own.display()
    );
    std::fs::write(repo.path("rc/.zshrc"), text).expect("writable");
    drive(&repo, "zsh -d -i");
}

#[test]
fn fish_completes_in_a_terminal() {
    let sandbox = Sandbox::new();
    let repo = world(&sandbox);
    if !has(&repo, "script") || !has(&repo, "fish") {
        return;
    }
    repo.merkle(&["completions", "fish", "--install"]).ok();
    let text = "function fish_prompt; printf 'ready''> '; end\nset -g fish_greeting\n";
    let config = sandbox.path("home/.config/fish/config.fish");
    std::fs::write(config, text).expect("writable");
    drive(&repo, "fish -i");
}
