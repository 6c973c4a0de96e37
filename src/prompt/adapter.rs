//! The renderings of a bundle: for people who read, for people who copy and paste, and for models.
//!
//! An adapter takes a [`Bundle`] and what the reader can do, and nothing else. What a reader cannot take (a system
//! message, earlier turns, a schema) is said in words instead, never left out.

use super::bundle::Bundle;
use crate::chat::{Capabilities, GenerationParams, Message, Request, Role};

/// For prompt files and logs: Markdown under fixed headings; parts that say nothing are left out.
#[must_use]
pub fn display(bundle: &Bundle) -> String {
    let parts = [
        section("## Context and Standards", &bundle.system_context),
        section("## Request", &bundle.request),
        section("## Output Requirements", &bundle.output_instructions),
        section("## Examples", &examples(bundle)),
        section("## Conversation History", &history(&bundle.history)),
    ];
    joined(parts, "\n\n") + "\n"
}

/// For copying into any chat: one block that stands for itself, the conversation so far included.
#[must_use]
pub fn manual(bundle: &Bundle) -> String {
    let parts = [
        section("## Standards and Context", &bundle.system_context),
        section("## Conversation History", &history(&bundle.history)),
        section("## Your Task", &bundle.request),
        section("## Output Format", &bundle.output_instructions),
        section("## Examples", &examples(bundle)),
    ];
    format!(
        "# AI Code Generation Request\n\n{}\n",
        joined(parts, "\n\n---\n\n")
    )
}

/// For models: the system message, the history, and as the last user message examples, request and output instructions.
///
/// Neighbours of one role are merged. Without system messages that text stands in front of the first user's; without
/// turns the history stands in the last user's. System messages within the history join the one in front.
#[must_use]
pub fn messages(bundle: &Bundle, capabilities: &Capabilities) -> Vec<Message> {
    let earlier = |role: Role| {
        bundle
            .history
            .iter()
            .filter(move |message| message.role == role)
    };
    let system = std::iter::once(bundle.system_context.clone());
    let system = joined(
        system.chain(earlier(Role::System).map(|message| message.text.clone())),
        "\n\n",
    );
    let turns: Vec<&Message> = bundle
        .history
        .iter()
        .filter(|message| message.role != Role::System)
        .collect();
    let mut said: Vec<Message> = Vec::new();
    let mut before = vec![section("## Examples", &examples(bundle))];
    if capabilities.multi_turn {
        said.extend(turns.into_iter().cloned());
    } else {
        before.insert(0, section("## Conversation History", &history(turns)));
    }
    said.push(Message::new(Role::User, last_words(before, bundle)));
    if !system.is_empty() && capabilities.system_prompt {
        // Many requests share it. Where it is too short for the provider's cache, the mark does not go out.
        said.insert(
            0,
            Message {
                ends_cached_prefix: true,
                ..Message::new(Role::System, system)
            },
        );
    } else if let Some(first) = said.iter_mut().find(|message| message.role == Role::User) {
        first.text = joined([system, std::mem::take(&mut first.text)], "\n\n");
    }
    merged(said)
}

/// The last user message; behind other parts the request gets a heading, so that it is not taken for one of them.
fn last_words(before: Vec<String>, bundle: &Bundle) -> String {
    let is_alone = before.iter().all(String::is_empty);
    let request = if is_alone {
        bundle.request.clone()
    } else {
        section("## Request", &bundle.request)
    };
    joined(
        before
            .into_iter()
            .chain([request, bundle.output_instructions.clone()]),
        "\n\n",
    )
}

/// The request to a provider. A schema goes along where the provider takes one; else it is said in words.
#[must_use]
pub fn to_request(
    bundle: &Bundle,
    capabilities: &Capabilities,
    params: GenerationParams,
    schema: Option<&serde_json::Value>,
) -> Request {
    match schema {
        Some(schema) if !capabilities.structured_output => {
            let mut bundle = bundle.clone();
            bundle.output_instructions =
                joined([bundle.output_instructions, schema_text(schema)], "\n\n");
            Request {
                messages: messages(&bundle, capabilities),
                params,
                ..Request::default()
            }
        }
        _ => Request {
            messages: messages(bundle, capabilities),
            params,
            schema: schema.cloned(),
            at_once: false,
        },
    }
}

/// A schema in words.
pub(super) fn schema_text(schema: &serde_json::Value) -> String {
    format!(
        "Respond with one JSON document, and nothing else, that is valid under this JSON schema:\n{schema}"
    )
}

/// Neighbours of one role as one message; messages that say nothing are gone. A cache mark holds for the end of the
/// last of them: what follows a mark within one message would be cached with it.
fn merged(said: Vec<Message>) -> Vec<Message> {
    let mut out: Vec<Message> = Vec::new();
    for message in said.into_iter().filter(|message| !message.is_empty()) {
        match out.last_mut() {
            Some(before) if before.role == message.role => {
                before.text.push_str("\n\n");
                before.text.push_str(&message.text);
                before.images.extend(message.images);
                before.ends_cached_prefix = message.ends_cached_prefix;
            }
            _ => out.push(message),
        }
    }
    out
}

/// A text under its heading; empty where there is none.
#[must_use]
pub fn section(heading: &str, text: &str) -> String {
    if text.is_empty() {
        String::new()
    } else {
        format!("{heading}\n\n{text}")
    }
}

fn examples(bundle: &Bundle) -> String {
    let examples = bundle
        .examples
        .iter()
        .enumerate()
        .map(|(at, example)| format!("### Example {}\n\n{example}", at + 1));
    examples.collect::<Vec<_>>().join("\n\n")
}

fn history<'m>(history: impl IntoIterator<Item = &'m Message>) -> String {
    let turns = history
        .into_iter()
        .map(|message| format!("### {}\n\n{}", message.role.as_str(), message.text));
    turns.collect::<Vec<_>>().join("\n\n")
}

/// Parts one after the other; those that say nothing are left out.
pub fn joined(parts: impl IntoIterator<Item = String>, between: &str) -> String {
    parts
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join(between)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bundle() -> Bundle {
        Bundle {
            system_context: "Be brief.".to_owned(),
            request: "What is it?".to_owned(),
            output_instructions: "One line.".to_owned(),
            examples: vec!["It is a.".to_owned(), "It is b.".to_owned()],
            history: vec![
                Message::new(Role::User, "Hello?"),
                Message::new(Role::Assistant, "Hello."),
            ],
        }
    }

    fn shown(messages: &[Message]) -> String {
        let said = messages
            .iter()
            .map(|message| format!("[{}]\n{}\n", message.role.as_str(), message.text));
        said.collect::<Vec<_>>().concat()
    }

    #[test]
    fn people_get_markdown() {
        insta::assert_snapshot!(display(&bundle()), @"
        ## Context and Standards

        Be brief.

        ## Request

        What is it?

        ## Output Requirements

        One line.

        ## Examples

        ### Example 1

        It is a.

        ### Example 2

        It is b.

        ## Conversation History

        ### user

        Hello?

        ### assistant

        Hello.
        ");
        insta::assert_snapshot!(manual(&bundle()), @"
        # AI Code Generation Request

        ## Standards and Context

        Be brief.

        ---

        ## Conversation History

        ### user

        Hello?

        ### assistant

        Hello.

        ---

        ## Your Task

        What is it?

        ---

        ## Output Format

        One line.

        ---

        ## Examples

        ### Example 1

        It is a.

        ### Example 2

        It is b.
        ");
        assert_eq!(
            display(&Bundle {
                request: "x".to_owned(),
                ..Bundle::default()
            }),
            "## Request\n\nx\n"
        );
    }

    #[test]
    fn models_get_messages() {
        insta::assert_snapshot!(shown(&messages(&bundle(), &Capabilities::default())), @"
        [system]
        Be brief.
        [user]
        Hello?
        [assistant]
        Hello.
        [user]
        ## Examples

        ### Example 1

        It is a.

        ### Example 2

        It is b.

        ## Request

        What is it?

        One line.
        ");
        let bare = Capabilities {
            system_prompt: false,
            multi_turn: false,
            ..Capabilities::default()
        };
        insta::assert_snapshot!(shown(&messages(&bundle(), &bare)), @"
        [user]
        Be brief.

        ## Conversation History

        ### user

        Hello?

        ### assistant

        Hello.

        ## Examples

        ### Example 1

        It is a.

        ### Example 2

        It is b.

        ## Request

        What is it?

        One line.
        ");
        let no_system = Capabilities {
            system_prompt: false,
            ..Capabilities::default()
        };
        assert_eq!(
            messages(&bundle(), &no_system)[0],
            Message::new(Role::User, "Be brief.\n\nHello?")
        );
    }

    #[test]
    fn neighbours_of_one_role_are_one_message() {
        let mut bundle = bundle();
        bundle.examples.clear();
        bundle.history = vec![
            Message::new(Role::User, "a"),
            Message::new(Role::User, ""),
            Message {
                ends_cached_prefix: true,
                ..Message::new(Role::User, "b")
            },
            Message::new(Role::Assistant, "c"),
            Message::new(Role::System, "Be kind."),
            Message {
                ends_cached_prefix: true,
                ..Message::new(Role::User, "d")
            },
        ];
        let said = messages(&bundle, &Capabilities::default());
        assert_eq!(
            shown(&said),
            "[system]\nBe brief.\n\nBe kind.\n[user]\na\n\nb\n[assistant]\nc\n[user]\nd\n\nWhat is it?\n\nOne line.\n"
        );
        assert_eq!(
            said.iter()
                .map(|message| message.ends_cached_prefix)
                .collect::<Vec<_>>(),
            [true, true, false, false]
        );
    }

    #[test]
    fn a_schema_goes_along_or_is_said() {
        let schema = serde_json::json!({"type": "object"});
        let request = |structured_output| {
            let capabilities = Capabilities {
                structured_output,
                ..Capabilities::default()
            };
            to_request(
                &Bundle {
                    request: "x".to_owned(),
                    ..Bundle::default()
                },
                &capabilities,
                GenerationParams::default(),
                Some(&schema),
            )
        };
        assert_eq!(
            (
                request(true).schema.as_ref(),
                request(true).messages[0].text.as_str()
            ),
            (Some(&schema), "x")
        );
        assert_eq!(request(false).schema, None);
        assert!(
            request(false).messages[0]
                .text
                .ends_with("JSON schema:\n{\"type\":\"object\"}")
        );
    }

    proptest::proptest! {
        #[test]
        fn roles_alternate_and_a_user_is_last(turns in proptest::collection::vec((0..3_u8, "[a-c]{0,2}"), 0..8), system: bool, multi: bool) {
            let role = |number| [Role::System, Role::User, Role::Assistant][usize::from(number)];
            let history = turns.into_iter().map(|(number, text)| Message::new(role(number), text)).collect();
            let capabilities = Capabilities { system_prompt: system, multi_turn: multi, ..Capabilities::default() };
            let said = messages(&Bundle { history, ..bundle() }, &capabilities);
            proptest::prop_assert!(said.windows(2).all(|pair| pair[0].role != pair[1].role));
            proptest::prop_assert!(said.iter().skip(1).all(|message| message.role != Role::System));
            proptest::prop_assert_eq!(said.last().map(|message| message.role), Some(Role::User));
            proptest::prop_assert!(system || said[0].role != Role::System);
            proptest::prop_assert!(multi || said.len() <= 2);
        }
    }
}
