//! The one HTTP client of a provider: how a request goes out, and what is asked beside answers, the list of models.

use std::sync::Once;
use std::time::Duration;

use reqwest::header::{
    ACCEPT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, USER_AGENT,
};
use reqwest::redirect::Policy;
use reqwest::{Client, Proxy, Response};
use serde_json::Value;

use super::api_key::ApiKey;
use super::definition::Definition;
use super::kind::ProviderKind;
use super::{Charge, ProviderError, fault, transport};

/// Longest time to make a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(15);
/// Longest time for the list of models.
const LIST_TIMEOUT: Duration = Duration::from_secs(20);
/// Connections kept open between requests.
const IDLE_CONNECTIONS_MAX: usize = 32;
/// Models that are listed in an error.
const MODELS_MAX: usize = 200;
/// The version of the Anthropic protocol that is spoken.
const ANTHROPIC_VERSION: &str = "2023-06-01";

/// Builds the client: no redirects, rustls, a proxy only where the user has named one; none to this machine.
///
/// Costs milliseconds (certificates), so once per provider and only when there is a request.
pub(super) fn client(definition: &Definition) -> Result<Client, String> {
    static PROVIDER: Once = Once::new();
    // A provider of cryptography that is already installed is as good.
    PROVIDER.call_once(|| drop(rustls::crypto::ring::default_provider().install_default()));
    let mut builder = Client::builder()
        .redirect(Policy::none())
        .referer(false)
        .connect_timeout(CONNECT_TIMEOUT)
        .pool_max_idle_per_host(IDLE_CONNECTIONS_MAX)
        .tcp_nodelay(true)
        // Another crate may have built these in; what is unpacked on the way no limit would hold for.
        .no_gzip()
        .no_brotli()
        .no_zstd()
        .no_deflate();
    if let Some(proxy) = &definition.proxy {
        builder = builder
            .proxy(Proxy::all(proxy.reveal()).map_err(|_| "its proxy is no address".to_owned())?);
    } else if definition
        .endpoint
        .as_ref()
        .is_some_and(super::endpoint::Endpoint::is_loopback)
    {
        builder = builder.no_proxy();
    }
    builder
        .build()
        .map_err(|error| format!("no connection can be made: {error}"))
}

/// The headers of every request to a provider, the key in its place among them.
///
/// No request accepts compressed bodies: no limit would hold before they are unpacked.
fn headers(definition: &Definition, key: Option<&ApiKey>) -> HeaderMap {
    let mut map = HeaderMap::new();
    for (name, value) in named_headers(definition, key) {
        let (Ok(name), Ok(mut value)) = (HeaderName::try_from(name), HeaderValue::try_from(value))
        else {
            continue;
        };
        value.set_sensitive(true);
        map.insert(name, value);
    }
    map.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
    map
}

/// What goes out: a request without a body, or one with its type.
pub(super) struct Outgoing {
    /// The whole address.
    pub(super) address: String,
    /// Its type, and the body, which makes it a `POST`.
    pub(super) body: Option<(&'static str, Vec<u8>)>,
}

/// Sends a document to a place below the endpoint.
pub(super) async fn post(
    client: &Client,
    definition: &Definition,
    key: Option<&ApiKey>,
    path: &str,
    body: &Value,
) -> Result<Response, reqwest::Error> {
    let endpoint = definition
        .endpoint
        .as_ref()
        .expect("a model is connected with an endpoint");
    let outgoing = Outgoing {
        address: endpoint.below(path),
        body: Some(("application/json", body.to_string().into_bytes())),
    };
    send(client, definition, key, outgoing).await
}

/// Sends a request with the key. The caller sees to it that the address has the endpoint's origin.
pub(super) async fn send(
    client: &Client,
    definition: &Definition,
    key: Option<&ApiKey>,
    outgoing: Outgoing,
) -> Result<Response, reqwest::Error> {
    let mut headers = headers(definition, key);
    let request = match outgoing.body {
        None => client.get(outgoing.address),
        Some((kind, body)) => {
            headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
            client.post(outgoing.address).body(body)
        }
    };
    request.headers(headers).send().await
}

fn named_headers(definition: &Definition, key: Option<&ApiKey>) -> Vec<(String, String)> {
    let mut headers = vec![(
        USER_AGENT.to_string(),
        concat!("git-merkle/", env!("CARGO_PKG_VERSION")).to_owned(),
    )];
    if definition.kind == ProviderKind::Anthropic {
        headers.push(("anthropic-version".to_owned(), ANTHROPIC_VERSION.to_owned()));
    }
    if let Some(key) = key {
        headers.push(match definition.kind {
            ProviderKind::Anthropic => ("x-api-key".to_owned(), key.reveal().to_owned()),
            ProviderKind::Gemini => ("x-goog-api-key".to_owned(), key.reveal().to_owned()),
            _ => (
                "authorization".to_owned(),
                format!("Bearer {}", key.reveal()),
            ),
        });
    }
    for (name, value) in &definition.headers {
        headers.retain(|(other, _)| !other.eq_ignore_ascii_case(name));
        headers.push((name.clone(), value.reveal().to_owned()));
    }
    headers
}

/// The names of the models that a provider lists; empty when it has no list.
pub(super) async fn models(
    client: &Client,
    definition: &Definition,
    key: Option<&ApiKey>,
) -> Result<Vec<String>, ProviderError> {
    let Some(endpoint) = &definition.endpoint else {
        return Ok(Vec::new());
    };
    let path = if definition.kind == ProviderKind::Ollama {
        "api/tags"
    } else {
        "models"
    };
    let sent = client
        .get(endpoint.below(path))
        .headers(headers(definition, key))
        .timeout(LIST_TIMEOUT)
        .send()
        .await;
    let response =
        sent.map_err(|error| fault::of_transport(&error, LIST_TIMEOUT, Charge::Nothing).0)?;
    listed(response).await
}

async fn listed(mut response: Response) -> Result<Vec<String>, ProviderError> {
    transport::check_encoding(&response)?;
    let (status, headers) = (response.status().as_u16(), response.headers().clone());
    if !(200..300).contains(&status) {
        return Err(fault::of_status(
            status,
            &headers,
            &transport::beginning(&mut response).await,
        ));
    }
    let body = transport::whole(&mut response, transport::LIST_BYTES_MAX).await;
    let body = body.map_err(|error| fault::of_body(&error, LIST_TIMEOUT, Charge::Nothing).0)?;
    let document: Value = serde_json::from_slice(&body)
        .map_err(|_| ProviderError::Protocol("its list of models is no JSON".to_owned()))?;
    let list = ["data", "models"]
        .iter()
        .find_map(|name| document[*name].as_array());
    let list = list
        .ok_or_else(|| ProviderError::Protocol("its list of models has another form".to_owned()))?;
    let names = list
        .iter()
        .filter_map(|model| model["id"].as_str().or(model["name"].as_str()));
    Ok(names
        .map(|name| name.trim_start_matches("models/").to_owned())
        .take(MODELS_MAX)
        .collect())
}
