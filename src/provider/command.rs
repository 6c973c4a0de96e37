//! A program of the user's own: the prompt on its standard input, the answer on its standard output. No shell.
//!
//! It runs outside of the repository, so that nothing in there configures it; it sees no variable that holds a key but
//! those that the user names. A program that takes too long is ended with everything it has started.

use std::path::Path;
use std::process::Stdio;

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{Child, Command};

use super::api_key::ApiKey;
use super::ask::{Provider, ReplyFuture, TextSink};
use super::definition::Definition;
use super::{Charge, Failure, ProviderError, fault, key};
use crate::base::variable::holds_key;
use crate::chat::{Answer, Capabilities, Reply, Request, Role};
use crate::config::Environment;
use crate::git::program::with_search_path;

/// Largest answer, in bytes.
const ANSWER_BYTES_MAX: u64 = 1024 * 1024;
/// As much of what it complains is read.
const COMPLAINT_BYTES_MAX: u64 = 64 * 1024;
/// Where it runs.
const OUTSIDE: &str = "/";

/// A program that answers requests.
pub(super) struct Program {
    definition: Definition,
    environment: Environment,
}

/// A running program and all it has started; ended when this is dropped.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // Its group has its own number, and as long as it was not waited for the number belongs to no other process.
        if let Some(pid) = self.0.id().and_then(|id| Pid::from_raw(id.cast_signed())) {
            let _ = kill_process_group(pid, Signal::KILL);
        }
    }
}

impl Program {
    pub(super) fn new(definition: Definition, environment: &Environment) -> Self {
        let seen = |name: &std::ffi::OsStr| {
            !holds_key(name)
                || definition
                    .env
                    .iter()
                    .any(|allowed| name == allowed.as_str())
        };
        // No program of a work tree, and none that a relative directory of the search path leads to.
        let environment =
            with_search_path(environment.variables().filter(|(name, _)| seen(name))).collect();
        Self {
            definition,
            environment,
        }
    }

    fn start(&self) -> Result<Running, ProviderError> {
        let (program, arguments) = self
            .definition
            .command
            .split_first()
            .expect("a program is connected with a command");
        let mut command = Command::new(program);
        command
            .args(arguments)
            .env_clear()
            .envs(self.environment.variables())
            .current_dir(OUTSIDE)
            .process_group(0);
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        let started = command.spawn().map_err(|error| {
            let reason = format!("cannot run '{program}': {}", plain(&error));
            self.definition.not_configured(reason)
        })?;
        Ok(Running(started))
    }

    async fn ask(&self, request: &Request) -> Result<Answer, (ProviderError, Charge)> {
        let mut running = self.start().map_err(|error| (error, Charge::Nothing))?;
        let child = &mut running.0;
        let mut stdin = child.stdin.take().expect("stdin is a pipe");
        let (stdout, stderr) = (
            child.stdout.take().expect("stdout is a pipe"),
            child.stderr.take().expect("and stderr"),
        );
        let prompt = plain_prompt(request);
        let feed = async move {
            // A program that answers without reading all of it has answered.
            let _ = stdin.write_all(prompt.as_bytes()).await;
            drop(stdin);
        };
        let (answer, complaint, ()) = tokio::join!(
            read(stdout, ANSWER_BYTES_MAX),
            read(stderr, COMPLAINT_BYTES_MAX),
            feed
        );
        let status = child
            .wait()
            .await
            .map_err(|_| unknown("its end is not known".to_owned()))?;
        if !status.success() {
            return Err(unknown(format!(
                "it ended with {status}{}",
                self.reason(complaint.as_deref())
            )));
        }
        let Some(answer) = answer else {
            return Err(unknown(format!(
                "the answer is longer than {ANSWER_BYTES_MAX} bytes"
            )));
        };
        let text =
            String::from_utf8(answer).map_err(|_| unknown("the answer is not UTF-8".to_owned()))?;
        let text = text.trim_end().to_owned();
        if text.is_empty() {
            return Err(unknown("the answer is empty".to_owned()));
        }
        Ok(Answer::Ready(Reply {
            text,
            model: self.definition.model().map(str::to_owned),
            usage: None,
            worker: None,
        }))
    }

    /// The last line of what it complains, without the values of variables that hold keys.
    fn reason(&self, complaint: Option<&[u8]>) -> String {
        let text = complaint.map(String::from_utf8_lossy).unwrap_or_default();
        let Some(line) = text.lines().rfind(|line| !line.trim().is_empty()) else {
            return String::new();
        };
        let keys = self
            .environment
            .variables()
            .filter(|(name, _)| holds_key(name));
        let keys: Vec<ApiKey> = keys
            .filter_map(|(_, value)| value.to_str().and_then(ApiKey::new))
            .collect();
        format!(": {}", fault::shortened(&key::redact(line, &keys)))
    }

    async fn attempt(&self, request: &Request) -> Result<Answer, Failure> {
        let limit = self.definition.timeout;
        let asked = tokio::time::timeout(limit, self.ask(request)).await;
        let (error, charge) = match asked {
            Ok(Ok(answer)) => return Ok(answer),
            Ok(Err(failed)) => failed,
            Err(_) => (ProviderError::Timeout(limit), Charge::Unknown),
        };
        Err(Failure::new(error, charge))
    }
}

impl Provider for Program {
    fn capabilities(&self) -> &Capabilities {
        &self.definition.capabilities
    }

    fn validate(&self) -> ReplyFuture<'_, (), ProviderError> {
        let program = &self.definition.command[0];
        let path = self.environment.text("PATH").unwrap_or_default();
        let found = if program.contains('/') {
            Path::new(program).is_file()
        } else {
            path.split(':')
                .any(|directory| Path::new(directory).join(program).is_file())
        };
        let missing = || {
            let reason = format!("there is no program '{program}'");
            self.definition.not_configured(reason)
        };
        Box::pin(std::future::ready(found.then_some(()).ok_or_else(missing)))
    }

    fn complete<'a>(
        &'a self,
        request: &'a Request,
        _on_text: TextSink<'a>,
    ) -> ReplyFuture<'a, Answer, Failure> {
        Box::pin(self.attempt(request))
    }
}

/// A request for a reader without a protocol: the system text, a blank line, the last text of the user.
pub(super) fn plain_prompt(request: &Request) -> String {
    let system = request
        .messages
        .iter()
        .filter(|message| message.role == Role::System)
        .map(|message| message.text.as_str());
    let last = request
        .messages
        .iter()
        .rfind(|message| message.role == Role::User)
        .map(|message| message.text.as_str());
    system
        .chain(last)
        .map(str::trim_end)
        .collect::<Vec<_>>()
        .join("\n\n")
        + "\n"
}

/// Everything that comes, to its end; `None` when it is more than the limit.
async fn read(mut source: impl AsyncRead + Unpin, bytes_max: u64) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let _ = (&mut source).take(bytes_max).read_to_end(&mut bytes).await;
    // The rest is read all the same: a writer that is not read waits for ever.
    let more = tokio::io::copy(&mut source, &mut tokio::io::sink())
        .await
        .unwrap_or(0);
    (more == 0).then_some(bytes)
}

fn unknown(reason: String) -> (ProviderError, Charge) {
    (ProviderError::Protocol(reason), Charge::Unknown)
}

fn plain(error: &std::io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error ")
        .next()
        .unwrap_or(&text)
        .to_ascii_lowercase()
}

/// True for a program that is the same wherever it is started: a plain name, or an absolute path.
pub(super) fn is_program(program: &str) -> bool {
    !program.is_empty() && (!program.contains('/') || program.starts_with('/'))
}
