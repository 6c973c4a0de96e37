//! What a finished command said, with failures that show all of it.

use std::fmt;

/// Exit code and streams of a finished command, and the command line for the failure text.
#[must_use]
pub(crate) struct Output {
    pub(crate) command: String,
    /// `None` when a signal ended it.
    pub(crate) code: Option<i32>,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
}

impl Output {
    /// Demands success and returns standard output as text.
    #[track_caller]
    pub(crate) fn ok(self) -> String {
        self.exits(0).out()
    }

    /// Demands an exit code.
    #[track_caller]
    pub(crate) fn exits(self, code: i32) -> Self {
        assert!(
            self.code == Some(code),
            "wanted exit code {code} from\n{self}"
        );
        self
    }

    /// Standard output as text; bytes that are not UTF-8 fail the test.
    #[track_caller]
    pub(crate) fn out(&self) -> String {
        String::from_utf8(self.stdout.clone())
            .unwrap_or_else(|_| panic!("wanted UTF-8 from\n{self}"))
    }

    /// Standard error as text; bytes that are not UTF-8 fail the test.
    #[track_caller]
    pub(crate) fn err(&self) -> String {
        String::from_utf8(self.stderr.clone())
            .unwrap_or_else(|_| panic!("wanted UTF-8 from\n{self}"))
    }

    /// Demands standard output to be one line with the JSON document `git-merkle/<name>/1`, and reads it.
    #[track_caller]
    pub(crate) fn json(&self, name: &str) -> serde_json::Value {
        let text = self.out();
        assert!(
            text.ends_with('\n') && text.lines().count() == 1,
            "wanted one line from\n{self}"
        );
        let document: serde_json::Value =
            serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error} in\n{self}"));
        assert_eq!(
            document["schema"],
            format!("git-merkle/{name}/1"),
            "from\n{self}"
        );
        document
    }
}

impl fmt::Display for Output {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let code = self
            .code
            .map_or("a signal".to_owned(), |code| format!("exit code {code}"));
        writeln!(out, "$ {}\n({code})", self.command)?;
        writeln!(out, "--- stdout\n{}", String::from_utf8_lossy(&self.stdout))?;
        write!(out, "--- stderr\n{}", String::from_utf8_lossy(&self.stderr))
    }
}
