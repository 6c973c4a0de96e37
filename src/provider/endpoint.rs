//! Where a provider listens: an address that a key may be sent to.

use url::{Host, Url};

use crate::git::CredentialOrigin;

/// Why an address is none that a provider may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum EndpointError {
    /// Not an address at all.
    #[error("it is no address of the form https://<host>/<path>/")]
    Syntax,
    /// Plain HTTP to another machine.
    #[error("'http://' is for this machine only, use 'https://'")]
    Plain,
    /// A user name, password, query or fragment.
    #[error("an endpoint has no user name, password, query or fragment")]
    Extra,
}

/// An address that ends with a slash: `https` anywhere, `http` on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint(Url);

impl Endpoint {
    /// Reads an address; without a scheme it is `http` on this machine and `https` elsewhere.
    pub fn parse(text: &str) -> Result<Self, EndpointError> {
        let mut url = if text.contains("://") {
            read(text)?
        } else {
            read(&format!("http://{text}"))?
        };
        if !text.contains("://") && !is_loopback(&url) {
            url = read(&format!("https://{text}"))?;
        }
        match url.scheme() {
            "https" => {}
            "http" if is_loopback(&url) => {}
            "http" => return Err(EndpointError::Plain),
            _ => return Err(EndpointError::Syntax),
        }
        let extra = !url.username().is_empty()
            || url.password().is_some()
            || url.query().is_some()
            || url.fragment().is_some();
        if extra {
            return Err(EndpointError::Extra);
        }
        if !url.path().ends_with('/') {
            let path = format!("{}/", url.path());
            url.set_path(&path);
        }
        Ok(Self(url))
    }

    /// The address, with its slash.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// Something below it.
    #[must_use]
    pub fn below(&self, path: &str) -> String {
        format!("{}{path}", self.0)
    }

    /// True for this machine.
    #[must_use]
    pub fn is_loopback(&self) -> bool {
        is_loopback(&self.0)
    }

    /// What a key for it is kept under.
    #[must_use]
    pub fn origin(&self) -> CredentialOrigin {
        let host = self.0.host_str().unwrap_or_default();
        let host = self
            .0
            .port()
            .map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"));
        CredentialOrigin {
            protocol: self.0.scheme().to_owned(),
            host,
        }
    }

    /// True when a key for this one may be sent to an address.
    #[must_use]
    pub fn has_origin(&self, address: &str) -> bool {
        let is_plain = |url: &Url| url.username().is_empty() && url.password().is_none();
        Url::parse(address).is_ok_and(|url| is_plain(&url) && url.origin() == self.0.origin())
    }

    /// True when a key for one may be sent to the other.
    #[must_use]
    pub fn has_origin_of(&self, other: &Self) -> bool {
        self.0.origin() == other.0.origin()
    }
}

fn read(text: &str) -> Result<Url, EndpointError> {
    Url::parse(text).map_err(|_| EndpointError::Syntax)
}

fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scheme_follows_the_machine() {
        for (text, expected) in [
            ("localhost:1234/v1", "http://localhost:1234/v1/"),
            ("127.0.0.1:80", "http://127.0.0.1/"),
            ("[::1]:9/v1/", "http://[::1]:9/v1/"),
            ("api.example.org/v1", "https://api.example.org/v1/"),
            (
                "https://API.example.org:443/v1",
                "https://api.example.org/v1/",
            ),
            ("http://127.9.9.9/x", "http://127.9.9.9/x/"),
        ] {
            assert_eq!(Endpoint::parse(text).expect(text).as_str(), expected);
        }
    }

    #[test]
    fn what_could_mislead_is_refused() {
        for (text, expected) in [
            ("http://api.example.org/v1", EndpointError::Plain),
            ("http://localhost.example.org/", EndpointError::Plain),
            ("http://127.0.0.1@example.org/", EndpointError::Plain),
            ("https://user@example.org/", EndpointError::Extra),
            ("https://example.org/?a=b", EndpointError::Extra),
            ("file:///etc/passwd", EndpointError::Syntax),
            ("", EndpointError::Syntax),
            ("https://", EndpointError::Syntax),
        ] {
            assert_eq!(Endpoint::parse(text), Err(expected), "{text}");
        }
    }

    #[test]
    fn origins_are_compared_as_a_whole() {
        let endpoint = |text| Endpoint::parse(text).expect("an endpoint");
        let vendor = endpoint("https://api.example.org/v1/");
        assert!(vendor.has_origin_of(&endpoint("https://api.example.org:443/other")));
        for other in [
            "https://api.example.org:8443/v1/",
            "https://api.example.org.evil.example/v1/",
            "localhost/v1",
        ] {
            assert!(!vendor.has_origin_of(&endpoint(other)), "{other}");
        }
        assert!(vendor.has_origin("https://api.example.org/v1/results?page=1"));
        for other in [
            "http://api.example.org/v1/results",
            "https://api.example.org@evil.example/v1/",
            "https://user@api.example.org/v1/",
            "results",
        ] {
            assert!(!vendor.has_origin(other), "{other}");
        }
        assert_eq!(
            endpoint("localhost:1234/v1").origin().host,
            "localhost:1234"
        );
    }
}
