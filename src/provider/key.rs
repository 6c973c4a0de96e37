//! Keys: where one comes from, and how it never shows.
//!
//! | the endpoint | the key |
//! |---|---|
//! | any | `keyEnv`, named beside the endpoint in the user's own configuration |
//! | the vendor's own origin | the vendor's variable, such as `OPENAI_API_KEY` |
//! | any | what git's credential helpers have for exactly this origin |
//!
//! The first that is there is taken. A key is put into a header at the moment of sending and nowhere else.

use super::api_key::{ApiKey, HIDDEN};
use super::definition::Definition;
use crate::config::Environment;
use crate::git::{ChildError, credential};

/// A text shorter than this is not looked for when text is made safe: it would black out half of it.
const REDACTED_BYTES_MIN: usize = 6;
/// A shorter key is not looked for in answers: servers of one's own take any word for a key, such as their name.
const ANSWER_KEY_BYTES_MIN: usize = 16;
/// The headers that say who asks.
const HEADERS: [&str; 4] = ["authorization", "x-api-key", "api-key", "x-goog-api-key"];

/// Where a key comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyPlace {
    /// This variable.
    Variable(String),
    /// Git's credential helpers.
    Helper,
}

/// How things stand with a provider's key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyStatus {
    /// It has none and needs none.
    NotNeeded,
    /// It has a header of its own for it.
    Header,
    /// It is here.
    Found(KeyPlace),
    /// It is needed, and nowhere to be found.
    Missing,
}

/// Finds a provider's key and never prints it.
pub fn status(definition: &Definition, environment: &Environment) -> Result<KeyStatus, ChildError> {
    Ok(match find(definition, environment)? {
        Some((_, place)) => KeyStatus::Found(place),
        None if has_header(definition) => KeyStatus::Header,
        None if is_needed(definition) => KeyStatus::Missing,
        None => KeyStatus::NotNeeded,
    })
}

/// The key for a provider, and where it was found; `None` when there is none.
pub fn find(
    definition: &Definition,
    environment: &Environment,
) -> Result<Option<(ApiKey, KeyPlace)>, ChildError> {
    let Some(endpoint) = &definition.endpoint else {
        return Ok(None);
    };
    for variable in variables(definition) {
        if let Some(key) = environment.text(variable).and_then(ApiKey::new) {
            return Ok(Some((key, KeyPlace::Variable(variable.to_owned()))));
        }
    }
    let kept = credential::fill(&endpoint.origin())?;
    Ok(kept
        .as_deref()
        .and_then(ApiKey::new)
        .map(|key| (key, KeyPlace::Helper)))
}

/// The variables that may hold the key of a provider.
pub fn variables(definition: &Definition) -> impl Iterator<Item = &str> {
    let vendors = definition.kind.endpoint().zip(definition.endpoint.as_ref());
    let is_vendors = vendors.is_some_and(|(vendor, endpoint)| vendor.has_origin_of(endpoint));
    let vendors_variable = definition.kind.key_variable().filter(|_| is_vendors);
    definition
        .key_env
        .as_deref()
        .into_iter()
        .chain(vendors_variable)
}

/// True when this program sends a provider nothing without a key: the user named a variable for it, or its vendor gives keys
/// and it is no server on this machine that speaks the vendor's protocol.
#[must_use]
pub fn is_needed(definition: &Definition) -> bool {
    let is_far = definition
        .endpoint
        .as_ref()
        .is_some_and(|endpoint| !endpoint.is_loopback());
    let is_vendors = definition.kind.key_variable().is_some() && is_far;
    (definition.key_env.is_some() || is_vendors) && !has_header(definition)
}

/// True when a header of the user's own says who asks.
fn has_header(definition: &Definition) -> bool {
    definition
        .headers
        .iter()
        .any(|(name, _)| HEADERS.iter().any(|known| name.eq_ignore_ascii_case(known)))
}

/// An answer without the keys that went out with its question: gateways repeat headers, and an answer is kept and travels.
///
/// Other headers hold addresses and names of projects that an answer may well speak of.
#[must_use]
pub(super) fn redact_answer(text: String, definition: &Definition, key: Option<&ApiKey>) -> String {
    let is_key = |name: &str| {
        let name = name.to_ascii_lowercase();
        ["auth", "key", "token", "secret"]
            .iter()
            .any(|word| name.contains(word))
    };
    let headers = definition
        .headers
        .iter()
        .filter(|(name, _)| is_key(name))
        .map(|(_, value)| value);
    let words = key
        .into_iter()
        .chain(headers)
        .flat_map(|secret| secret.reveal().split(' '));
    let keys = words.filter(|word| word.len() >= ANSWER_KEY_BYTES_MIN);
    keys.fold(text, |text, word| {
        if text.contains(word) {
            text.replace(word, HIDDEN)
        } else {
            text
        }
    })
}

/// A text in which no secret stands any more.
#[must_use]
pub fn redact<'a>(text: &str, secrets: impl IntoIterator<Item = &'a ApiKey>) -> String {
    let secrets = secrets.into_iter().map(ApiKey::reveal);
    // Of `Bearer <key>` the key alone is as secret.
    let words = secrets.flat_map(|secret| [secret].into_iter().chain(secret.split(' ').skip(1)));
    words
        .filter(|word| word.len() >= REDACTED_BYTES_MIN)
        .fold(text.to_owned(), |text, word| text.replace(word, HIDDEN))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_never_shows() {
        let key = ApiKey::new(" canary-key\n").expect("a key");
        assert_eq!(
            (format!("{key} {key:?}"), key.reveal()),
            ("*** ***".to_owned(), "canary-key")
        );
        assert_eq!(
            redact("bad key canary-key here", [&key]),
            "bad key *** here"
        );
        let header = ApiKey::new("Bearer canary-key").expect("a header");
        assert_eq!(
            redact("canary-key and Bearer canary-key", [&header]),
            "*** and ***"
        );
    }

    #[test]
    fn what_cannot_stand_in_a_header_is_no_key() {
        for text in ["", " ", "a\nb", "ä", "a\u{7f}"] {
            assert_eq!(ApiKey::new(text), None, "{text:?}");
        }
    }
}
