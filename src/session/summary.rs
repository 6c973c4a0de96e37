//! A model's summary of what was said long ago, in the place of the one that a rule makes.
//!
//! [`super::history`] sums up by a rule once there is too much: the beginning of each message. Where the session or its
//! profile names a `summarizer`, the next `turn run` has that provider write a better one. Its answer is one more entry of the
//! history, which sums up the rule's; when it fails the rule's stands.

use super::answer::{charge, charge_worst_case};
use super::conversation::to_sum_up;
use super::history::{History, HistoryEntry};
use super::open::{OpenSession, append_to_history};
use super::question::{self, TurnAsking};
use super::turn_error::TurnError;
use super::{SessionFolder, SessionRecord};
use crate::chat::{Capabilities, GenerationParams, Request};
use crate::ops::{self, AskingError, Payer};
use crate::profile::{FitError, ProviderRole, Wish, check_input, fit, with_output};
use crate::provider::call::{RetrySink, StopSign};
use crate::provider::{Definition, ProviderKind};
use crate::secret::guard;
use crate::workspace::Workspace;

/// The most tokens of a summary.
const SUMMARY_TOKENS_MAX: u64 = 1_500;

/// A summary that a model can write.
pub struct DueSummary {
    /// Who writes it.
    pub definition: Definition,
    /// The request.
    pub request: Request,
    /// How many messages it sums up.
    pub messages: usize,
    /// The entry of the history that it stands for.
    id: String,
}

/// The summary that a model is to write before the next request; `None` where none is due, or neither the session
/// nor its profile names a summarizer.
pub fn due_summary(
    workspace: &Workspace,
    folder: &SessionFolder,
    own: &SessionRecord,
    asking: &TurnAsking,
) -> Result<Option<DueSummary>, TurnError> {
    let history = History::decode(&folder.read_history()?);
    let Some((summary, entries)) = history.due() else {
        return Ok(None);
    };
    let profile = question::turn_profile(workspace, own, asking)?;
    let role = ProviderRole::Summarizer;
    let Some(name) = own
        .provider_of(role)
        .or(profile.providers.get(&role).map(String::as_str))
    else {
        return Ok(None);
    };
    let definition = ops::asking::definition(&workspace.settings, Some(name))?
        .filter(|definition| definition.kind != ProviderKind::Manual);
    let Some(definition) = definition else {
        return Ok(None);
    };
    let allowed = workspace
        .allowed_secrets(&asking.allowed)
        .map_err(AskingError::Allowed)?;
    for entry in &entries {
        guard(
            entry.content.as_bytes(),
            "conversation",
            workspace.scanner()?,
            &allowed,
        )?;
    }
    let request = request(&entries, &definition.capabilities)?;
    Ok(Some(DueSummary {
        definition,
        request,
        messages: entries.len(),
        id: summary.id.clone(),
    }))
}

/// Requests a summary and keeps it. The open turn is charged.
pub async fn ask_summary(
    open: &mut OpenSession,
    payer: &Payer,
    due: &DueSummary,
    on_retry: RetrySink<'_>,
    stop: &mut StopSign,
) -> Result<(), TurnError> {
    let before = charge_worst_case(open, payer, &due.request)?;
    let outcome = payer
        .caller
        .call(&due.request, &mut |_| (), on_retry, stop)
        .await;
    charge(open, before, payer)?;
    let text = outcome?.reply.text;
    if text.trim().is_empty() {
        return Err(TurnError::Empty);
    }
    let line =
        |history: &History| history.line_of_summary(&due.id, text.trim(), &payer.caller.name);
    append_to_history(&open.folder, line)?;
    Ok(())
}

/// The request, fitted to what its provider takes.
fn request(entries: &[&HistoryEntry], capabilities: &Capabilities) -> Result<Request, FitError> {
    let mut request = Request {
        messages: vec![to_sum_up(entries)],
        ..Request::default()
    };
    let params = GenerationParams {
        max_output_tokens: Some(SUMMARY_TOKENS_MAX),
        ..GenerationParams::default()
    };
    let wish = Wish {
        params,
        ..Wish::default()
    };
    let tokens = request.tokens_estimated();
    check_input(&wish, capabilities, tokens)?;
    let wished = with_output(&wish, capabilities).0;
    request.params = fit(&wished, capabilities, tokens)?.params;
    Ok(request)
}
