//! Where a queue listens, and with what it is entered.

use url::Url;

use crate::config::Environment;
use crate::git::{CredentialOrigin, credential};
use crate::provider::api_key::ApiKey;

/// The variable that holds a token, or `<user>:<password>`. No child is started with it.
const KEY_VARIABLE: &str = "MERKLE_QUEUE_API_KEY";
const PORT: u16 = 4222;

/// Why an address is none of a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum QueueAddressError {
    /// Not an address at all.
    #[error("it is no address of the form nats://<host>:<port>")]
    Syntax,
    /// Requests hold what files hold.
    #[error("'nats://' is for this machine only, use 'tls://'")]
    Plain,
    /// Arguments and configuration are read by others.
    #[error(
        "an address holds no user or password; set {KEY_VARIABLE} to '<user>:<password>' or a token, or keep it with 'git credential'"
    )]
    Secret,
}

/// An address of a NATS server: `tls` anywhere, `nats` on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueueAddress {
    is_tls: bool,
    /// With the port.
    host: String,
}

impl QueueAddress {
    /// Reads an address; without a port it is 4222.
    pub fn parse(text: &str) -> Result<Self, QueueAddressError> {
        let is_tls = text.starts_with("tls://");
        if !is_tls && !text.starts_with("nats://") {
            return Err(QueueAddressError::Syntax);
        }
        let url = Url::parse(text).map_err(|_| QueueAddressError::Syntax)?;
        if !url.username().is_empty() || url.password().is_some() {
            return Err(QueueAddressError::Secret);
        }
        let is_bare = matches!(url.path(), "" | "/") && url.query().is_none();
        let host = url
            .host_str()
            .filter(|host| is_bare && url.fragment().is_none() && !host.is_empty());
        let host = host.ok_or(QueueAddressError::Syntax)?;
        // Other schemes than the web's have no addresses to the parser, only names.
        let number = host.trim_matches(['[', ']']).parse::<std::net::IpAddr>();
        let is_here = number.is_ok_and(|number| number.is_loopback()) || host == "localhost";
        if !is_tls && !is_here {
            return Err(QueueAddressError::Plain);
        }
        let host = format!("{host}:{}", url.port().unwrap_or(PORT));
        Ok(Self { is_tls, host })
    }

    /// As it is shown, and connected to.
    #[must_use]
    pub fn as_text(&self) -> String {
        format!("{}://{}", self.origin().protocol, self.host)
    }

    pub(super) fn is_tls(&self) -> bool {
        self.is_tls
    }

    fn origin(&self) -> CredentialOrigin {
        CredentialOrigin {
            protocol: if self.is_tls { "tls" } else { "nats" }.to_owned(),
            host: self.host.clone(),
        }
    }

    /// What the queue is entered with: the variable, else what git's credential helpers have; `None` when there is none.
    pub fn key(&self, environment: &Environment) -> Option<ApiKey> {
        let kept = || credential::fill(&self.origin()).ok().flatten();
        let named = environment.text(KEY_VARIABLE).and_then(ApiKey::new);
        named.or_else(|| ApiKey::new(&kept()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_could_mislead_is_refused() {
        for (text, expected) in [
            ("nats://127.0.0.1:4222", Ok("nats://127.0.0.1:4222")),
            ("nats://localhost", Ok("nats://localhost:4222")),
            ("nats://[::1]:9/", Ok("nats://[::1]:9")),
            (
                "tls://queue.example.org",
                Ok("tls://queue.example.org:4222"),
            ),
            ("nats://queue.example.org", Err(QueueAddressError::Plain)),
            (
                "nats://127.0.0.1.example.org",
                Err(QueueAddressError::Plain),
            ),
            ("nats://me:word@localhost", Err(QueueAddressError::Secret)),
            ("tls://token@localhost", Err(QueueAddressError::Secret)),
            ("http://localhost:4222", Err(QueueAddressError::Syntax)),
            ("nats://localhost/x", Err(QueueAddressError::Syntax)),
            ("nats://", Err(QueueAddressError::Syntax)),
            ("localhost:4222", Err(QueueAddressError::Syntax)),
        ] {
            let parsed = QueueAddress::parse(text).map(|address| address.as_text());
            assert_eq!(parsed, expected.map(str::to_owned), "{text}");
        }
    }
}
