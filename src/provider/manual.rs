//! A person: the prompt is written to a file, the answer is put into another one beside it.
//!
//! `<ticket>.prompt.md` holds the words, readable by their owner only; the answer is expected in `<ticket>.answer.md`.
//! The ticket is the request's digest: asking the same again writes nothing new.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use super::ask::{Asking, Provider, TextSink};
use super::command::plain_prompt;
use super::definition::Definition;
use super::{Charge, Failure, ProviderError};
use crate::chat::{Answer, Capabilities, Reply, Request, Ticket};

/// Hexadecimal digits of a ticket.
const TICKET_DIGITS: usize = 16;
/// Largest answer, in bytes.
const ANSWER_BYTES_MAX: u64 = 1024 * 1024;

/// A person who is asked.
pub(super) struct Person {
    definition: Definition,
    directory: PathBuf,
}

impl Person {
    pub(super) fn new(definition: Definition, directory: &Path) -> Self {
        Self { definition, directory: directory.to_owned() }
    }

    fn ask(&self, request: &Request) -> Result<Answer, Failure> {
        let digest = request.digest().to_string();
        let ticket = digest[..TICKET_DIGITS].to_owned();
        let file = self.file(&ticket, "prompt");
        write_private(&file, &plain_prompt(request))
            .map_err(|error| self.failure(&format!("cannot write '{}'", file.display()), &error))?;
        Ok(Answer::Pending(Ticket(ticket)))
    }

    fn look(&self, ticket: &Ticket) -> Result<Answer, Failure> {
        let is_ticket = ticket.0.len() == TICKET_DIGITS && ticket.0.bytes().all(|byte| byte.is_ascii_hexdigit());
        if !is_ticket {
            let error = ProviderError::Protocol("this is no ticket of a request to a person".to_owned());
            return Err(Failure { error, charge: Charge::Nothing, answered_in_part: false });
        }
        let file = self.file(&ticket.0, "answer");
        let cannot = |error: io::Error| self.failure(&format!("cannot read '{}'", file.display()), &error);
        match fs::metadata(&file) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Answer::Pending(ticket.clone())),
            Err(error) => return Err(cannot(error)),
            Ok(found) if found.len() > ANSWER_BYTES_MAX => return Err(cannot(io::Error::other("it is too large"))),
            Ok(_) => {}
        }
        let text = fs::read_to_string(&file).map_err(cannot)?;
        match text.trim_end() {
            // Made and not yet written.
            "" => Ok(Answer::Pending(ticket.clone())),
            text => Ok(Answer::Ready(Reply { text: text.to_owned(), model: None, usage: None })),
        }
    }

    fn file(&self, ticket: &str, what: &str) -> PathBuf {
        self.directory.join(format!("{ticket}.{what}.md"))
    }

    fn failure(&self, what: &str, error: &io::Error) -> Failure {
        let reason = format!("{what}: {}", error.kind());
        let error = ProviderError::NotConfigured { provider: self.definition.name.clone(), reason };
        Failure { error, charge: Charge::Nothing, answered_in_part: false }
    }
}

/// Writes a file that its owner alone can read, in a directory of the same kind; the same text is not written again.
fn write_private(file: &Path, text: &str) -> io::Result<()> {
    if fs::read_to_string(file).is_ok_and(|present| present == text) {
        return Ok(());
    }
    if let Some(directory) = file.parent() {
        DirBuilder::new().recursive(true).mode(0o700).create(directory)?;
    }
    let temporary = file.with_extension("tmp");
    let _ = fs::remove_file(&temporary);
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(&temporary)?.write_all(text.as_bytes())?;
    fs::rename(&temporary, file)
}

impl Provider for Person {
    fn capabilities(&self) -> &Capabilities {
        &self.definition.capabilities
    }

    fn validate(&self) -> Asking<'_, (), ProviderError> {
        Box::pin(std::future::ready(Ok(())))
    }

    fn complete<'a>(&'a self, request: &'a Request, _on_text: TextSink<'a>) -> Asking<'a, Answer, Failure> {
        Box::pin(std::future::ready(self.ask(request)))
    }

    fn collect<'a>(&'a self, ticket: &'a Ticket) -> Asking<'a, Answer, Failure> {
        Box::pin(std::future::ready(self.look(ticket)))
    }
}
