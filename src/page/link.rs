//! URLs as far as they can be judged without looking anything up, and the prefixes that people allow.

use std::net::IpAddr;

use url::{Host, Url};

use super::address::AddressPolicy;

/// The longest URL.
pub const URL_BYTES_MAX: usize = 8_192;
/// The port of https, and the lowest of those that no well-known service of another kind listens on.
const HTTPS_PORT: u16 = 443;
const FREE_PORT_MIN: u16 = 1_024;

/// Why a URL is not followed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LinkError {
    /// It cannot be read.
    #[error("not a URL: {0}")]
    Form(String),
    /// Anything but https.
    #[error("only https is fetched, not {0}")]
    Scheme(String),
    /// A name or password in it.
    #[error("URLs with a user name or password are not fetched")]
    User,
    /// A port of another service.
    #[error("port {0} belongs to another service than https")]
    Port(u16),
    /// An address that is not public.
    #[error("{host} is {kind}, and only public addresses are reached")]
    Address {
        /// The host, with the address where it was found by name.
        host: String,
        /// What it is instead.
        kind: &'static str,
    },
}

/// Reads a URL; its fragment, which no server sees, is dropped.
///
/// Every way to write a number as an IPv4 address (`2130706433`, `0x7f.1`, `017700000001`, full-width digits, …) comes
/// out as that address here, as in browsers.
pub fn parse(text: &[u8]) -> Result<Url, LinkError> {
    let form = |reason: &str| LinkError::Form(reason.to_owned());
    let text = std::str::from_utf8(text).map_err(|_| form("not UTF-8"))?;
    if text.len() > URL_BYTES_MAX {
        return Err(form("too long"));
    }
    // The parser would drop some of them, and two readers could see two hosts.
    if text.contains(|c: char| c.is_control() || c.is_whitespace() || c == '\\') {
        return Err(form(
            "white space, backslashes and control characters stand in none",
        ));
    }
    let mut url = Url::parse(text).map_err(|error| form(&error.to_string()))?;
    url.set_fragment(None);
    Ok(url)
}

/// Judges everything but what a name resolves to.
pub fn check(url: &Url, policy: &AddressPolicy) -> Result<(), LinkError> {
    let host = url
        .host()
        .ok_or_else(|| LinkError::Scheme(url.scheme().to_owned()))?;
    let is_plain =
        url.scheme() == "http" && url.host_str().is_some_and(|host| policy.allows_plain(host));
    if url.scheme() != "https" && !is_plain {
        return Err(LinkError::Scheme(url.scheme().to_owned()));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(LinkError::User);
    }
    if let Some(port) = url
        .port()
        .filter(|port| *port != HTTPS_PORT && *port < FREE_PORT_MIN)
    {
        return Err(LinkError::Port(port));
    }
    let literal: IpAddr = match host {
        Host::Ipv4(address) => address.into(),
        Host::Ipv6(address) => address.into(),
        Host::Domain(_) => return Ok(()),
    };
    match policy.refused_kind(literal) {
        Some(kind) => Err(LinkError::Address {
            host: literal.to_string(),
            kind,
        }),
        None => Ok(()),
    }
}

/// An origin, or an origin and the beginning of a path, under which everything is allowed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prefix(Url);

impl Prefix {
    /// Reads `https://host` or `https://host/path`; `None` for anything else, queries and wildcards among it.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let url = parse(text.as_bytes()).ok()?;
        let is_usable = check(&url, &AddressPolicy::PUBLIC).is_ok()
            && url.query().is_none()
            && !text.contains(['*', '#']);
        is_usable.then_some(Self(url))
    }

    /// True for a URL of that origin whose path is this one or below it, name by name.
    #[must_use]
    pub fn covers(&self, url: &Url) -> bool {
        let Self(prefix) = self;
        let origin = |url: &Url| {
            (
                url.scheme().to_owned(),
                url.host().map(|host| host.to_owned()),
                url.port(),
            )
        };
        if origin(prefix) != origin(url) {
            return false;
        }
        let (top, path) = (prefix.path().trim_end_matches('/'), url.path());
        // A server may read an encoded slash as one, and then walk up again.
        let is_plain = !["%2f", "%5c"]
            .iter()
            .any(|coded| path.to_ascii_lowercase().contains(coded));
        top.is_empty()
            || (is_plain
                && path
                    .strip_prefix(top)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with('/')))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(text: &str) -> Result<(), String> {
        parse(text.as_bytes())
            .and_then(|url| check(&url, &AddressPolicy::PUBLIC))
            .map_err(|error| error.to_string())
    }

    /// Spellings of addresses that lead to this machine, its network or its cloud.
    const INNER: &[&str] = &[
        "127.0.0.1",
        "127.1",
        "127.0.1",
        "2130706433",
        "017700000001",
        "0x7f000001",
        "0x7F.1",
        "0177.0.0.1",
        "0177.0.0.01",
        "0x7f.0x0.0x0.0x1",
        "127.0.0.1.",
        "0",
        "0.0.0.0",
        "00",
        "0x0",
        "0x",
        "１２７.0.0.1",
        "①②⑦.⓪.⓪.①",
        "127。0。0。1",
        "%31%32%37.0.0.1",
        "127.0.0.%31",
        "10.1",
        "0xa.1",
        "167772161",
        "10.0.0.1",
        "192.168.1",
        "192.168.257",
        "3232235777",
        "0300.0250.1.1",
        "172.16.0.1",
        "172.1048577",
        "169.254.169.254",
        "2852039166",
        "0xa9fea9fe",
        "0xA9.0xFE.0xA9.0xFE",
        "0251.0376.0251.0376",
        "169.254.43518",
        "169.16689662",
        "100.64.1",
        "198.18.1",
        "224.0.0.1",
        "255.255.255.255",
        "4294967295",
        "[::]",
        "[::1]",
        "[0:0:0:0:0:0:0:1]",
        "[0000::0001]",
        "[::127.0.0.1]",
        "[::7f00:1]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[0:0:0:0:0:FFFF:A9FE:A9FE]",
        "[::ffff:0:127.0.0.1]",
        "[64:ff9b::7f00:1]",
        "[64:ff9b::169.254.169.254]",
        "[2002:7f00:1::]",
        "[2001:0:0:0:0:0:0:1]",
        "[fd00:ec2::254]",
        "[FD00:0EC2:0:0:0:0:0:0254]",
        "[fe80::1]",
        "[fc00::1]",
        "[ff02::1]",
        "[2001:db8::1]",
    ];

    #[test]
    fn no_spelling_of_an_inner_address_passes() {
        for host in INNER {
            let error = judged(&format!("https://{host}/x")).expect_err(host);
            assert!(
                error.ends_with("and only public addresses are reached"),
                "{host}: {error}"
            );
        }
        for host in [
            "[fe80::1%25eth0]",
            "[::1",
            "256.1.1.1",
            "1.2.3.4.5",
            "0x100000000",
            "127.0.0.1:x",
            "",
            "a b",
            "[v1.x]",
        ] {
            let error = judged(&format!("https://{host}/")).expect_err(host);
            assert!(error.starts_with("not a URL"), "{host}: {error}");
        }
    }

    #[test]
    fn what_is_not_plain_https_is_refused() {
        for (url, reason) in [
            ("http://example.org/", "only https is fetched, not http"),
            ("ftp://example.org/", "only https is fetched, not ftp"),
            ("file:///etc/passwd", "only https is fetched, not file"),
            ("data:text/plain,x", "only https is fetched, not data"),
            (
                "https://me@example.org/",
                "URLs with a user name or password are not fetched",
            ),
            (
                "https://me:pw@example.org/",
                "URLs with a user name or password are not fetched",
            ),
            (
                "https://:pw@example.org/",
                "URLs with a user name or password are not fetched",
            ),
            (
                "https://example.org:22/",
                "port 22 belongs to another service than https",
            ),
            (
                "https://example.org:80/",
                "port 80 belongs to another service than https",
            ),
            (
                "https://example.org:0/",
                "port 0 belongs to another service than https",
            ),
        ] {
            assert_eq!(judged(url), Err(reason.to_owned()), "{url}");
        }
        for url in [
            "https://exam\tple.org/",
            "https://example.org\\@x/",
            "https://example.org/a b",
            "https://a\u{85}b/",
        ] {
            assert!(
                judged(url).expect_err(url).starts_with("not a URL"),
                "{url}"
            );
        }
        for url in [
            "https://example.org",
            "https://example.org:443/",
            "https://example.org:8443/",
            "https://8.8.8.8/#x",
        ] {
            assert_eq!(judged(url), Ok(()), "{url}");
        }
    }

    #[test]
    fn prefixes_cover_whole_names_of_one_origin() {
        let covers = |prefix: &str, url: &str| {
            Prefix::parse(prefix)
                .expect(prefix)
                .covers(&parse(url.as_bytes()).expect(url))
        };
        for (prefix, url, expected) in [
            ("https://docs.example", "https://docs.example/a/b?c#d", true),
            ("https://docs.example/", "https://DOCS.example:443/a", true),
            ("https://docs.example/a", "https://docs.example/a", true),
            ("https://docs.example/a", "https://docs.example/a/b", true),
            ("https://docs.example/a/", "https://docs.example/a?x", true),
            ("https://docs.example/a", "https://docs.example/ab", false),
            (
                "https://docs.example/a",
                "https://docs.example/a/../b",
                false,
            ),
            (
                "https://docs.example/a",
                "https://docs.example/a/%2e%2e/b",
                false,
            ),
            (
                "https://docs.example/a",
                "https://docs.example/a/..%2Fb",
                false,
            ),
            ("https://docs.example", "https://docs.example.evil/", false),
            ("https://docs.example", "https://sub.docs.example/", false),
            ("https://docs.example", "https://docs.example:8443/", false),
        ] {
            assert_eq!(covers(prefix, url), expected, "{prefix} {url}");
        }
        for bad in [
            "",
            "docs.example",
            "https://",
            "http://docs.example",
            "https://*.example",
            "https://a/?q",
            "https://127.0.0.1",
        ] {
            assert_eq!(Prefix::parse(bad), None, "{bad}");
        }
    }
}
