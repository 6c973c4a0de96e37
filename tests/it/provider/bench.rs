//! What the tests of providers stand on: a definition for a loopback server, a request, and one attempt.

use std::path::Path;
use std::sync::Arc;

use git_merkle::chat::{Answer, GenerationParams, Message, Reply, Request, Role};
use git_merkle::config::{Environment, Layer, Stack, TrustLevel};
use git_merkle::git::StateDir;
use git_merkle::provider::{Definition, Definitions, Failure, Provider, Surroundings, connect};

use crate::support::loopback::Loopback;

/// The kinds whose protocols the loopback server speaks.
pub(super) const KINDS: [&str; 2] = ["openai", "anthropic"];

/// Definitions from a TOML file of the user's own.
pub(super) fn definitions(text: &str) -> Definitions {
    let mut stack = Stack::new(false);
    stack.add(
        Layer::from_toml(TrustLevel::Protected, text, Path::new("config.toml")).expect("TOML"),
    );
    Definitions::load(&stack).expect("definitions")
}

/// A provider `it` of a kind at a server, with more settings.
pub(super) fn definition(kind: &str, server: &Loopback, more: &str) -> Definition {
    let endpoint = server.endpoint();
    let text = format!(
        "[provider.it]\nkind = '{kind}'\nendpoint = '{endpoint}'\nmodel = 'test-large'\nkeyEnv = 'IT_API_KEY'\n{more}\n"
    );
    definitions(&text).get("it").expect("it").clone()
}

/// A key that is no key of anybody's, and that no text may show.
pub(super) fn canary() -> String {
    ["sk-", "canary", "-0123456789"].concat()
}

/// Ready to be asked, with the canary as its key.
pub(super) fn connected(definition: &Definition) -> Arc<dyn Provider> {
    let environment: Environment = [("IT_API_KEY", canary())].into_iter().collect();
    connect(
        definition,
        Surroundings {
            environment: &environment,
            pending: &StateDir::at(Path::new("/nonexistent")),
            is_dry: false,
        },
    )
    .expect("connected")
    .provider
}

/// A system text and a question.
pub(super) fn request() -> Request {
    let messages = vec![
        Message::new(Role::System, "You describe files."),
        Message::new(Role::User, "Describe src/lib.rs."),
    ];
    let params = GenerationParams {
        temperature: Some(0.0),
        max_output_tokens: Some(300),
        ..GenerationParams::default()
    };
    Request {
        messages,
        params,
        ..Request::default()
    }
}

/// Runs something to its end, on a thread of its own.
pub(super) fn block_on<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime")
        .block_on(work)
}

/// One attempt, with the pieces that came in.
pub(super) fn ask(
    provider: &dyn Provider,
    request: &Request,
) -> (Result<Answer, Failure>, Vec<String>) {
    let mut pieces = Vec::new();
    let mut on_text = |piece: &str| pieces.push(piece.to_owned());
    let outcome = block_on(provider.complete(request, &mut on_text));
    (outcome, pieces)
}

/// One attempt that must give an answer.
pub(super) fn reply(provider: &dyn Provider, request: &Request) -> Reply {
    match ask(provider, request).0.expect("an answer") {
        Answer::Ready(reply) => reply,
        Answer::Pending(ticket) => panic!("pending: {ticket:?}"),
    }
}
