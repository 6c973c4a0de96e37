//! A person: the prompt is written to a file, the answer is put into another one beside it.
//!
//! `<ticket>.prompt.md` holds the words, readable by their owner only; the answer is expected in `<ticket>.answer.md`.
//! The ticket is the request's digest: asking the same again writes nothing new.

use std::io::{self, Write as _};

use super::ask::{Provider, ReplyFuture, TextSink};
use super::command::plain_prompt;
use super::definition::Definition;
use super::{Charge, Failure, ProviderError};
use crate::chat::{Answer, Capabilities, Reply, Request, Ticket};
use crate::git::{Refused, StateDir};

/// Hexadecimal digits of a ticket.
const TICKET_DIGITS: usize = 16;
/// Largest answer, in bytes.
const ANSWER_BYTES_MAX: u64 = 1024 * 1024;

/// A person who answers.
pub(super) struct Person {
    definition: Definition,
    directory: StateDir,
}

impl Person {
    pub(super) fn new(definition: Definition, directory: &StateDir) -> Self {
        Self {
            definition,
            directory: directory.clone(),
        }
    }

    fn ask(&self, request: &Request) -> Result<Answer, Failure> {
        let digest = request.digest().to_string();
        let ticket = digest[..TICKET_DIGITS].to_owned();
        let file = file(&ticket, "prompt");
        self.write(&file, &plain_prompt(request))
            .map_err(|error| self.failure("cannot write", &file, &error))?;
        Ok(Answer::Pending(Ticket(ticket)))
    }

    fn look(&self, ticket: &Ticket) -> Result<Answer, Failure> {
        let is_ticket = ticket.0.len() == TICKET_DIGITS
            && ticket.0.bytes().all(|byte| byte.is_ascii_hexdigit());
        if !is_ticket {
            let error =
                ProviderError::Protocol("this is no ticket of a request to a person".to_owned());
            return Err(Failure::new(error, Charge::Nothing));
        }
        let file = file(&ticket.0, "answer");
        let text = match self.directory.read_text(&file, ANSWER_BYTES_MAX) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(Answer::Pending(ticket.clone()));
            }
            read => read.map_err(|error| self.failure("cannot read", &file, &error))?,
        };
        match text.trim_end() {
            // Made and not yet written.
            "" => Ok(Answer::Pending(ticket.clone())),
            text => Ok(Answer::Ready(Reply {
                text: text.to_owned(),
                model: None,
                usage: None,
                worker: None,
            })),
        }
    }

    /// Writes a file that its owner alone can read; the same text is not written again.
    fn write(&self, file: &str, text: &str) -> io::Result<()> {
        if self
            .directory
            .read_text(file, text.len() as u64)
            .is_ok_and(|present| present == text)
        {
            return Ok(());
        }
        self.directory.create()?;
        self.directory
            .replace(file, |open| open.write_all(text.as_bytes()))
    }

    fn failure(&self, what: &str, file: &str, error: &io::Error) -> Failure {
        let why = Refused::of(error).map_or_else(
            || error.kind().to_string(),
            |refused| refused.why.to_owned(),
        );
        let reason = format!(
            "{what} '{}': {why}",
            self.directory.shown_file(file).display()
        );
        Failure::new(self.definition.not_configured(reason), Charge::Nothing)
    }
}

fn file(ticket: &str, what: &str) -> String {
    format!("{ticket}.{what}.md")
}

impl Provider for Person {
    fn capabilities(&self) -> &Capabilities {
        &self.definition.capabilities
    }

    fn complete<'a>(
        &'a self,
        request: &'a Request,
        _on_text: TextSink<'a>,
    ) -> ReplyFuture<'a, Answer, Failure> {
        Box::pin(std::future::ready(self.ask(request)))
    }

    fn collect<'a>(&'a self, ticket: &'a Ticket) -> ReplyFuture<'a, Answer, Failure> {
        Box::pin(std::future::ready(self.look(ticket)))
    }
}
