//! Fetching: the only place that requests pages of the web.
//!
//! Names are resolved here, every address that comes back is judged, and the connection is made to those addresses: a
//! name that resolves to something else a moment later changes nothing. Redirects are followed by hand, each judged
//! like the first URL. No proxy is used, whatever the environment says, since it would choose the address itself; no
//! cookies, no referrer, no credentials, no compression.

use std::error::Error;
use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::{Arc, Once};
use std::time::Duration;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::{
    ACCEPT, ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderName, LOCATION,
    USER_AGENT,
};
use reqwest::redirect::Policy as Redirects;
use reqwest::{Client, Response};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use url::Url;

use super::address::AddressPolicy;
use super::link::{self, LinkError};
use crate::base::runtime;

/// The largest page, in bytes.
pub const PAGE_BYTES_MAX: usize = 2 * 1024 * 1024;
/// The most redirects that are followed.
pub const REDIRECTS_MAX: usize = 3;
/// The longest time for a page with all its redirects.
pub const TIME_MAX: Duration = Duration::from_secs(15);
/// Pages that are fetched at the same time.
const AT_ONCE: usize = 8;
/// What the request accepts; servers that send something else are judged by what they send.
const WANTED: &str =
    "text/html, text/markdown, text/plain, application/json, application/xml;q=0.9, */*;q=0.1";

/// Why there is no page.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PageError {
    /// The URL, or one that it leads to, is not followed.
    #[error("{0}")]
    Link(#[from] LinkError),
    /// The name is unknown.
    #[error("{0} has no address")]
    Name(String),
    /// No server answers, or its TLS certificate is not valid.
    #[error("{0} cannot be reached: {1}")]
    Connection(String, String),
    /// An answer that is no page.
    #[error("the server answers {0}")]
    Status(u16),
    /// A redirect without a usable target.
    #[error("a redirect that leads nowhere")]
    Target,
    /// Too many redirects.
    #[error("more than {REDIRECTS_MAX} redirects")]
    Redirects,
    /// It did not arrive in time.
    #[error("no answer within {} seconds", .0.as_secs())]
    Time(Duration),
    /// The caller no longer waits for it.
    #[error("nothing is fetched in the background")]
    Background,
    /// It is larger than what is read.
    #[error("more than {PAGE_BYTES_MAX} bytes")]
    Size,
    /// It is compressed although the request did not ask for that.
    #[error("encoded as {0}, which was not requested")]
    Encoding(String),
    /// It is no text.
    #[error("{0} is no text")]
    Media(String),
    /// It is text of another kind than UTF-8.
    #[error("the text is not in UTF-8")]
    Charset,
    /// Its HTML cannot be turned into Markdown in bounds.
    #[error("its HTML {0}; '--raw-url' shows it as it is")]
    Html(&'static str),
}

/// A page as it came: text, whatever it is written in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// Where it was found in the end.
    pub url: String,
    /// Its media type without parameters, in lower case: `text/html`.
    pub media_type: String,
    /// What it says.
    pub text: String,
}

/// Looks up the addresses of a name.
pub(super) trait Names: Send + Sync + 'static {
    fn look_up(
        &self,
        name: String,
    ) -> Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send>>;
}

/// The operating system's resolver.
struct SystemNames;

impl Names for SystemNames {
    fn look_up(
        &self,
        name: String,
    ) -> Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send>> {
        Box::pin(async move {
            Ok(tokio::net::lookup_host((name, 0))
                .await?
                .map(|address| address.ip())
                .collect())
        })
    }
}

/// A resolver that gives out public addresses only, all of them judged at the moment they are used.
struct Judged {
    names: Arc<dyn Names>,
    policy: AddressPolicy,
}

impl Resolve for Judged {
    fn resolve(&self, name: Name) -> Resolving {
        let (name, policy) = (name.as_str().to_owned(), self.policy);
        let found = self.names.look_up(name.clone());
        Box::pin(async move {
            let addresses = found.await.map_err(|_| PageError::Name(name.clone()))?;
            // One inner address among public ones is no mistake of the name's owner.
            for address in &addresses {
                if let Some(kind) = policy.refused_kind(*address) {
                    return Err(PageError::from(LinkError::Address {
                        host: format!("{name} ({address})"),
                        kind,
                    })
                    .into());
                }
            }
            if addresses.is_empty() {
                return Err(PageError::Name(name).into());
            }
            // The port is that of the URL.
            Ok(Box::new(
                addresses
                    .into_iter()
                    .map(|address| SocketAddr::new(address, 0)),
            ) as Addrs)
        })
    }
}

/// Fetches pages.
#[derive(Clone)]
pub struct Fetcher {
    client: Client,
    policy: AddressPolicy,
    time_max: Duration,
}

impl Fetcher {
    /// A fetcher that reaches public addresses, over TLS. Costs milliseconds, so only when something is fetched.
    pub fn new() -> Result<Self, PageError> {
        Self::with(AddressPolicy::PUBLIC, Arc::new(SystemNames), TIME_MAX)
    }

    pub(super) fn with(
        policy: AddressPolicy,
        names: Arc<dyn Names>,
        time_max: Duration,
    ) -> Result<Self, PageError> {
        static PROVIDER: Once = Once::new();
        // A provider of cryptography that is already installed is as good.
        PROVIDER.call_once(|| drop(rustls::crypto::ring::default_provider().install_default()));
        let client = Client::builder()
            .no_proxy()
            .redirect(Redirects::none())
            .referer(false)
            .http1_only()
            // Another crate may have built these in.
            .no_gzip()
            .no_brotli()
            .no_zstd()
            .no_deflate()
            .pool_max_idle_per_host(0)
            .default_headers(headers())
            .dns_resolver(Judged { names, policy })
            .build()
            .map_err(|error| PageError::Connection("the web".to_owned(), error.to_string()))?;
        Ok(Self {
            client,
            policy,
            time_max,
        })
    }

    /// Fetches several pages at once, in the order of the URLs; `on_done` hears how many are done after each.
    pub fn fetch_all(
        &self,
        urls: &[Url],
        on_done: &mut dyn FnMut(usize),
    ) -> Vec<Result<Page, PageError>> {
        let runtime = match runtime() {
            Ok(runtime) => runtime,
            Err(error) => {
                let reason = PageError::Connection("the web".to_owned(), error.to_string());
                return vec![Err(reason); urls.len()];
            }
        };
        let pages = runtime.block_on(self.fetch_together(urls, on_done));
        // A look-up that hangs in the operating system must not hold up the answer.
        runtime.shutdown_background();
        pages
    }

    async fn fetch_together(
        &self,
        urls: &[Url],
        on_done: &mut dyn FnMut(usize),
    ) -> Vec<Result<Page, PageError>> {
        let places = Arc::new(Semaphore::new(AT_ONCE));
        let mut tasks = JoinSet::new();
        for (at, url) in urls.iter().cloned().enumerate() {
            let (fetcher, places) = (self.clone(), Arc::clone(&places));
            tasks.spawn(async move {
                let _place = places.acquire().await;
                (at, fetcher.fetch(url).await)
            });
        }
        let mut pages = vec![Err(PageError::Target); urls.len()];
        let mut done = 0;
        while let Some(outcome) = tasks.join_next().await {
            if let Ok((at, page)) = outcome {
                pages[at] = page;
            }
            done += 1;
            on_done(done);
        }
        pages
    }

    async fn fetch(&self, url: Url) -> Result<Page, PageError> {
        let outcome = tokio::time::timeout(self.time_max, self.follow(url)).await;
        outcome.unwrap_or(Err(PageError::Time(self.time_max)))
    }

    async fn follow(&self, mut url: Url) -> Result<Page, PageError> {
        for _ in 0..=REDIRECTS_MAX {
            link::check(&url, &self.policy)?;
            let sent = self.client.get(url.clone()).send().await;
            let response = sent.map_err(|error| failure(&url, &error))?;
            match response.status().as_u16() {
                301 | 302 | 303 | 307 | 308 => url = target(&url, &response)?,
                200 | 203 => return read(&url, response).await,
                status => return Err(PageError::Status(status)),
            }
        }
        Err(PageError::Redirects)
    }
}

fn headers() -> HeaderMap {
    let rows: [(HeaderName, &'static str); 3] = [
        (
            USER_AGENT,
            concat!("git-merkle/", env!("CARGO_PKG_VERSION")),
        ),
        (ACCEPT, WANTED),
        (ACCEPT_ENCODING, "identity"),
    ];
    rows.into_iter()
        .map(|(name, value)| (name, value.parse().expect("plain text")))
        .collect()
}

/// Where a redirect leads, read as strictly as a URL that a person wrote.
fn target(from: &Url, response: &Response) -> Result<Url, PageError> {
    let location = response.headers().get(LOCATION).ok_or(PageError::Target)?;
    let joined = from
        .join(location.to_str().map_err(|_| PageError::Target)?)
        .map_err(|_| PageError::Target)?;
    Ok(link::parse(joined.as_str().as_bytes())?)
}

/// What went wrong, in words; what this module refused itself comes out as it went in.
fn failure(url: &Url, error: &reqwest::Error) -> PageError {
    let mut deepest: &dyn Error = error;
    loop {
        if let Some(own) = deepest.downcast_ref::<PageError>() {
            return own.clone();
        }
        let Some(source) = deepest.source() else {
            break;
        };
        deepest = source;
    }
    PageError::Connection(
        url.host_str().unwrap_or_default().to_owned(),
        deepest.to_string(),
    )
}

async fn read(url: &Url, mut response: Response) -> Result<Page, PageError> {
    let header = |name| {
        response
            .headers()
            .get(name)
            .map(|value| String::from_utf8_lossy(value.as_bytes()).to_ascii_lowercase())
    };
    if let Some(encoding) = header(CONTENT_ENCODING).filter(|encoding| encoding != "identity") {
        return Err(PageError::Encoding(encoding));
    }
    let content_type = header(CONTENT_TYPE).unwrap_or_else(|| "text/plain".to_owned());
    let (media_type, charset) = split_content_type(&content_type);
    if !is_text(&media_type) {
        return Err(PageError::Media(media_type));
    }
    if response
        .content_length()
        .is_some_and(|bytes| bytes > PAGE_BYTES_MAX as u64)
    {
        return Err(PageError::Size);
    }
    let mut body = Vec::new();
    while let Some(piece) = response
        .chunk()
        .await
        .map_err(|error| failure(url, &error))?
    {
        if body.len() + piece.len() > PAGE_BYTES_MAX {
            return Err(PageError::Size);
        }
        body.extend_from_slice(&piece);
    }
    if body.contains(&0) {
        return Err(PageError::Media("what came".to_owned()));
    }
    let is_readable = body.is_ascii()
        || charset.is_none_or(|charset| matches!(charset.as_str(), "utf-8" | "utf8"));
    let text = String::from_utf8(body)
        .ok()
        .filter(|_| is_readable)
        .ok_or(PageError::Charset)?;
    Ok(Page {
        url: url.to_string(),
        media_type,
        text: text.trim_start_matches('\u{feff}').to_owned(),
    })
}

/// `text/html; charset="utf-8"` as type and charset.
fn split_content_type(text: &str) -> (String, Option<String>) {
    let mut parts = text.split(';').map(str::trim);
    let media_type = parts.next().unwrap_or_default().to_owned();
    let charset = parts
        .find_map(|part| part.strip_prefix("charset="))
        .map(|charset| charset.trim_matches(['"', '\'']).to_owned());
    (media_type, charset)
}

fn is_text(media_type: &str) -> bool {
    let (kind, name) = media_type.split_once('/').unwrap_or_default();
    let is_named = |names: &[&str]| {
        names
            .iter()
            .any(|known| name == *known || name.ends_with(&format!("+{known}")))
    };
    kind == "text"
        || (kind == "application" && is_named(&["json", "xml", "yaml", "toml", "javascript"]))
}
