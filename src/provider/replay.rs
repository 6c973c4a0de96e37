//! Recorded answers, for tests and demos: no network, no key, no cost.
//!
//! A file of JSON lines. `{"request": "<digest>", "text": "…"}` answers that request as often as it comes;
//! `{"request": "*", "text": "…"}` answers any other, each line once, in the order of the file. `model` and `usage`
//! (`input`, `output`, `cache_read`, `cache_write`, `reasoning`) may be said too.

use std::collections::{BTreeMap, VecDeque};
use std::fs;
use std::sync::Mutex;

use serde_json::Value;

use super::ask::{Provider, ReplyFuture, TextSink};
use super::definition::Definition;
use super::{Charge, Failure, ProviderError};
use crate::base::locked;
use crate::chat::{Answer, Capabilities, Reply, Request, Usage};

/// Stands for any request.
const ANY: &str = "*";

/// Recorded answers.
pub(super) struct Replay {
    definition: Definition,
    named: BTreeMap<String, Reply>,
    any: Mutex<VecDeque<Reply>>,
}

impl Replay {
    /// Reads the recording.
    pub(super) fn open(definition: Definition) -> Result<Self, ProviderError> {
        let fault = |reason: String| definition.not_configured(reason);
        let file = definition
            .file
            .as_ref()
            .expect("a recording is connected with a file");
        let text = fs::read_to_string(file).map_err(|error| {
            fault(format!(
                "cannot read the recording '{}': {}",
                file.display(),
                error.kind()
            ))
        })?;
        let (mut named, mut any) = (BTreeMap::new(), VecDeque::new());
        for (at, line) in text
            .lines()
            .enumerate()
            .filter(|(_, line)| !line.trim().is_empty())
        {
            let (request, reply) = read(line).ok_or_else(|| {
                fault(format!(
                    "line {} of the recording '{}' is no answer",
                    at + 1,
                    file.display()
                ))
            })?;
            if request == ANY {
                any.push_back(reply);
            } else {
                named.insert(request, reply);
            }
        }
        Ok(Self {
            definition,
            named,
            any: Mutex::new(any),
        })
    }

    fn answer(&self, request: &Request) -> Result<Answer, Failure> {
        let digest = request.digest().to_string();
        let next = || locked(&self.any).pop_front();
        let missing = || {
            Failure::new(
                ProviderError::Protocol(format!(
                    "the recording has no answer for request {digest}"
                )),
                Charge::Nothing,
            )
        };
        self.named
            .get(&digest)
            .cloned()
            .or_else(next)
            .map(Answer::Ready)
            .ok_or_else(missing)
    }
}

fn read(line: &str) -> Option<(String, Reply)> {
    let recorded: Value = serde_json::from_str(line).ok()?;
    let text = recorded["text"]
        .as_str()
        .filter(|text| !text.trim().is_empty())?;
    let usage = recorded.get("usage").map(|usage| {
        let count = |name: &str| usage[name].as_u64().unwrap_or(0);
        let (cache_read, cache_write) = (count("cache_read"), count("cache_write"));
        Usage {
            input: count("input"),
            output: count("output"),
            cache_read,
            cache_write,
            reasoning: count("reasoning"),
        }
    });
    let model = recorded["model"].as_str().map(str::to_owned);
    Some((
        recorded["request"].as_str()?.to_owned(),
        Reply {
            text: text.to_owned(),
            model,
            usage,
            worker: None,
        },
    ))
}

impl Provider for Replay {
    fn capabilities(&self) -> &Capabilities {
        &self.definition.capabilities
    }

    fn complete<'a>(
        &'a self,
        request: &'a Request,
        _on_text: TextSink<'a>,
    ) -> ReplyFuture<'a, Answer, Failure> {
        Box::pin(std::future::ready(self.answer(request)))
    }
}
