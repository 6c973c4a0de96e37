//! Messages as one provider takes them: marks within its limits, a system text where it takes one, roles in turns.

use super::capability::Capabilities;
use super::message::{Message, Role};

/// What stands between two texts that become one.
const BETWEEN: &str = "\n\n";

/// The messages in turns, with the marks that the provider allows.
#[must_use]
pub fn sendable(messages: &[Message], capabilities: &Capabilities) -> Vec<Message> {
    let mut messages = messages.to_vec();
    keep_marks(&mut messages, capabilities);
    if !capabilities.system_prompt {
        messages = without_system(messages);
    }
    merged(messages)
}

/// Takes away the marks that the provider does not take: those on prefixes that are too short, and those above its number.
///
/// Of too many the first stays, which most requests share, and the last ones, which save most.
fn keep_marks(messages: &mut [Message], capabilities: &Capabilities) {
    if messages.iter().all(|message| !message.ends_cached_prefix) {
        return;
    }
    let mut tokens = 0;
    let mut marked = Vec::new();
    for (at, message) in messages.iter_mut().enumerate() {
        tokens += message.tokens_estimated();
        message.ends_cached_prefix &=
            tokens >= capabilities.cache_tokens_min && !message.is_empty();
        if message.ends_cached_prefix {
            marked.push(at);
        }
    }
    let allowed = capabilities.cache_breakpoints as usize;
    let surplus = marked.len().saturating_sub(allowed);
    let first = usize::from(allowed > 1);
    for at in marked.into_iter().skip(first).take(surplus) {
        messages[at].ends_cached_prefix = false;
    }
}

/// Puts the system text in front of the first text of the user.
fn without_system(messages: Vec<Message>) -> Vec<Message> {
    let (system, mut others): (Vec<_>, Vec<_>) = messages
        .into_iter()
        .partition(|message| message.role == Role::System);
    let text = system
        .into_iter()
        .map(|message| message.text)
        .collect::<Vec<_>>()
        .join(BETWEEN);
    if !text.is_empty() {
        others.insert(0, Message::new(Role::User, text));
    }
    others
}

/// Makes one message of neighbours of one role, but for those between which a mark stands.
fn merged(messages: Vec<Message>) -> Vec<Message> {
    let mut merged: Vec<Message> = Vec::new();
    for message in messages {
        match merged
            .last_mut()
            .filter(|last| last.role == message.role && !last.ends_cached_prefix)
        {
            Some(last) => {
                last.text = [last.text.as_str(), &message.text].join(BETWEEN);
                last.images.extend(message.images);
                last.ends_cached_prefix = message.ends_cached_prefix;
            }
            None => merged.push(message),
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(texts: &[&str]) -> Vec<Message> {
        texts
            .iter()
            .map(|text| Message {
                ends_cached_prefix: true,
                ..Message::new(Role::User, *text)
            })
            .collect()
    }

    fn kept(texts: &[&str], breakpoints: u32, min: u64) -> Vec<bool> {
        let mut messages = marked(texts);
        let capabilities = Capabilities {
            cache_breakpoints: breakpoints,
            cache_tokens_min: min,
            ..Capabilities::default()
        };
        keep_marks(&mut messages, &capabilities);
        messages
            .iter()
            .map(|message| message.ends_cached_prefix)
            .collect()
    }

    #[test]
    fn of_too_many_marks_the_first_and_the_last_stay() {
        let six = ["a", "b", "c", "d", "e", "f"];
        assert_eq!(kept(&six, 4, 0), [true, false, false, true, true, true]);
        assert_eq!(kept(&six, 1, 0), [false, false, false, false, false, true]);
        assert_eq!(kept(&six, 0, 0), [false; 6]);
        assert_eq!(
            kept(&["short", "a long text with many words in it"], 4, 5),
            [false, true]
        );
        assert_eq!(kept(&[""], 4, 0), [false]);
    }

    #[test]
    fn neighbours_become_one_but_for_marks() {
        let plain = vec![
            Message::new(Role::User, "a"),
            Message::new(Role::User, "b"),
            Message::new(Role::Assistant, "c"),
        ];
        let texts: Vec<String> = merged(plain)
            .into_iter()
            .map(|message| message.text)
            .collect();
        assert_eq!(texts, ["a\n\nb", "c"]);
        assert_eq!(merged(marked(&["a", "b"])).len(), 2);
    }

    #[test]
    fn without_a_system_message_its_text_goes_before_the_users() {
        let messages = vec![
            Message::new(Role::System, "s"),
            Message::new(Role::User, "u"),
        ];
        let merged = merged(without_system(messages));
        assert_eq!(
            (merged.len(), merged[0].role, merged[0].text.as_str()),
            (1, Role::User, "s\n\nu")
        );
    }
}
