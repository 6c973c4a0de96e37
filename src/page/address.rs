//! Which addresses of the network are public: everything that is not on a list, and of IPv6 only what is given out.
//!
//! The lists are the special-purpose registries of IANA (RFC 6890 and what came later), and the addresses under which
//! clouds serve a machine its own metadata. An address that carries another one inside (mapped, NAT64, 6to4, Teredo)
//! is refused whatever is inside: no page needs it.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Blocks of IPv4 that are not public: network, prefix length, kind.
const V4: &[(Ipv4Addr, u32, &str)] = &[
    (Ipv4Addr::UNSPECIFIED, 8, "unspecified"),
    (Ipv4Addr::new(10, 0, 0, 0), 8, "private"),
    (Ipv4Addr::new(100, 64, 0, 0), 10, "carrier-grade NAT"),
    (Ipv4Addr::new(127, 0, 0, 0), 8, "loopback"),
    (Ipv4Addr::new(168, 63, 129, 16), 32, "metadata"),
    (Ipv4Addr::new(169, 254, 169, 254), 32, "metadata"),
    (Ipv4Addr::new(169, 254, 0, 0), 16, "link-local"),
    (Ipv4Addr::new(172, 16, 0, 0), 12, "private"),
    (Ipv4Addr::new(192, 0, 0, 0), 24, "reserved"),
    (Ipv4Addr::new(192, 0, 2, 0), 24, "documentation"),
    (Ipv4Addr::new(192, 31, 196, 0), 24, "reserved"),
    (Ipv4Addr::new(192, 52, 193, 0), 24, "reserved"),
    (Ipv4Addr::new(192, 88, 99, 0), 24, "6to4"),
    (Ipv4Addr::new(192, 168, 0, 0), 16, "private"),
    (Ipv4Addr::new(192, 175, 48, 0), 24, "reserved"),
    (Ipv4Addr::new(198, 18, 0, 0), 15, "benchmarking"),
    (Ipv4Addr::new(198, 51, 100, 0), 24, "documentation"),
    (Ipv4Addr::new(203, 0, 113, 0), 24, "documentation"),
    (Ipv4Addr::new(224, 0, 0, 0), 4, "multicast"),
    (Ipv4Addr::BROADCAST, 32, "broadcast"),
    (Ipv4Addr::new(240, 0, 0, 0), 4, "reserved"),
];

/// Blocks of IPv6 that have a kind of their own.
const V6: &[(Ipv6Addr, u32, &str)] = &[
    (Ipv6Addr::UNSPECIFIED, 128, "unspecified"),
    (Ipv6Addr::LOCALHOST, 128, "loopback"),
    (
        Ipv6Addr::new(0, 0, 0, 0, 0, 0xffff, 0, 0),
        96,
        "IPv4-mapped",
    ),
    (Ipv6Addr::UNSPECIFIED, 96, "IPv4-compatible"),
    (Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, 0, 0), 96, "NAT64"),
    (Ipv6Addr::new(0x64, 0xff9b, 1, 0, 0, 0, 0, 0), 48, "NAT64"),
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 32, "Teredo"),
    (
        Ipv6Addr::new(0x2001, 2, 0, 0, 0, 0, 0, 0),
        48,
        "benchmarking",
    ),
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23, "reserved"),
    (
        Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0),
        32,
        "documentation",
    ),
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16, "6to4"),
    (
        Ipv6Addr::new(0x2620, 0x4f, 0x8000, 0, 0, 0, 0, 0),
        48,
        "reserved",
    ),
    (
        Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0),
        20,
        "documentation",
    ),
    (
        Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254),
        128,
        "metadata",
    ),
    (
        Ipv6Addr::new(0xfc00, 0, 0, 0, 0, 0, 0, 0),
        7,
        "unique-local",
    ),
    (Ipv6Addr::new(0xfe80, 0, 0, 0, 0, 0, 0, 0), 10, "link-local"),
    (Ipv6Addr::new(0xfec0, 0, 0, 0, 0, 0, 0, 0), 10, "site-local"),
    (Ipv6Addr::new(0xff00, 0, 0, 0, 0, 0, 0, 0), 8, "multicast"),
];

/// What alone is given out for machines on the internet.
const V6_GLOBAL: (Ipv6Addr, u32) = (Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);

/// What may be reached, as a value.
#[derive(Debug, Clone, Copy)]
pub struct AddressPolicy {
    /// Says of which kind an address is that must not be reached.
    refused_kind: fn(IpAddr) -> Option<&'static str>,
    /// Hosts that may be reached without TLS.
    plain_hosts: &'static [&'static str],
}

impl AddressPolicy {
    /// Public addresses, over TLS: what this program does, and no setting changes it.
    pub const PUBLIC: Self = Self {
        refused_kind,
        plain_hosts: &[],
    };

    /// The same for tests of this module, which listen on this machine and have no certificates.
    #[cfg(test)]
    pub(super) const LOOPBACK: Self = Self {
        refused_kind: |address| refused_kind(address).filter(|kind| *kind != "loopback"),
        plain_hosts: &["page.test"],
    };

    /// The kind of an address that must not be reached; `None` for one that may.
    #[must_use]
    pub fn refused_kind(&self, address: IpAddr) -> Option<&'static str> {
        (self.refused_kind)(address)
    }

    /// True when a host may be reached without TLS.
    #[must_use]
    pub fn allows_plain(&self, host: &str) -> bool {
        self.plain_hosts.contains(&host)
    }
}

fn refused_kind(address: IpAddr) -> Option<&'static str> {
    match address {
        IpAddr::V4(address) => {
            let is_in = |(network, length, _): &&(Ipv4Addr, u32, &str)| {
                (address.to_bits() ^ network.to_bits()).leading_zeros() >= *length
            };
            V4.iter().find(is_in).map(|(_, _, kind)| *kind)
        }
        IpAddr::V6(address) => {
            let shared =
                |network: Ipv6Addr| (address.to_bits() ^ network.to_bits()).leading_zeros();
            let known = V6
                .iter()
                .find(|(network, length, _)| shared(*network) >= *length)
                .map(|(_, _, kind)| *kind);
            known.or_else(|| (shared(V6_GLOBAL.0) < V6_GLOBAL.1).then_some("reserved"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The edges of every block, from inside and from outside.
    const EDGES: &[(&str, Option<&str>)] = &[
        ("0.255.255.255", Some("unspecified")),
        ("1.0.0.0", None),
        ("9.255.255.255", None),
        ("10.0.0.0", Some("private")),
        ("10.255.255.255", Some("private")),
        ("11.0.0.0", None),
        ("100.63.255.255", None),
        ("100.64.0.0", Some("carrier-grade NAT")),
        ("100.100.100.200", Some("carrier-grade NAT")),
        ("100.127.255.255", Some("carrier-grade NAT")),
        ("100.128.0.0", None),
        ("126.255.255.255", None),
        ("127.255.255.254", Some("loopback")),
        ("128.0.0.0", None),
        ("168.63.129.16", Some("metadata")),
        ("168.63.129.17", None),
        ("169.253.255.255", None),
        ("169.254.0.1", Some("link-local")),
        ("169.254.169.254", Some("metadata")),
        ("169.255.0.0", None),
        ("172.15.255.255", None),
        ("172.16.0.0", Some("private")),
        ("172.31.255.255", Some("private")),
        ("172.32.0.0", None),
        ("192.0.0.192", Some("reserved")),
        ("192.0.1.0", None),
        ("192.0.2.1", Some("documentation")),
        ("192.88.99.1", Some("6to4")),
        ("192.167.255.255", None),
        ("192.168.0.0", Some("private")),
        ("192.169.0.0", None),
        ("198.17.255.255", None),
        ("198.18.0.0", Some("benchmarking")),
        ("198.19.255.255", Some("benchmarking")),
        ("198.20.0.0", None),
        ("198.51.100.9", Some("documentation")),
        ("203.0.113.9", Some("documentation")),
        ("223.255.255.255", None),
        ("224.0.0.1", Some("multicast")),
        ("239.255.255.255", Some("multicast")),
        ("240.0.0.0", Some("reserved")),
        ("255.255.255.255", Some("broadcast")),
        ("::", Some("unspecified")),
        ("::1", Some("loopback")),
        ("::2", Some("IPv4-compatible")),
        ("::127.0.0.1", Some("IPv4-compatible")),
        ("::ffff:127.0.0.1", Some("IPv4-mapped")),
        ("::ffff:8.8.8.8", Some("IPv4-mapped")),
        ("64:ff9b::8.8.8.8", Some("NAT64")),
        ("64:ff9b:1::1", Some("NAT64")),
        ("100::1", Some("reserved")),
        ("1fff:ffff::1", Some("reserved")),
        ("2001::1", Some("Teredo")),
        ("2001:2::1", Some("benchmarking")),
        ("2001:20::1", Some("reserved")),
        ("2001:1ff:ffff::1", Some("reserved")),
        ("2001:200::1", None),
        ("2001:db8::1", Some("documentation")),
        ("2001:4860:4860::8888", None),
        ("2002:7f00:1::1", Some("6to4")),
        ("2003::1", None),
        ("3ffe::1", None),
        ("3fff:fff::1", Some("documentation")),
        ("4000::1", Some("reserved")),
        ("5f00::1", Some("reserved")),
        ("fc00::1", Some("unique-local")),
        ("fd00:ec2::254", Some("metadata")),
        ("fd00:ec2::253", Some("unique-local")),
        ("fdff::1", Some("unique-local")),
        ("fe80::1", Some("link-local")),
        ("febf::1", Some("link-local")),
        ("fec0::1", Some("site-local")),
        ("ff02::1", Some("multicast")),
    ];

    #[test]
    fn blocks_begin_and_end_where_they_should() {
        for (address, kind) in EDGES {
            let parsed: IpAddr = address.parse().expect("an address");
            assert_eq!(
                AddressPolicy::PUBLIC.refused_kind(parsed),
                *kind,
                "{address}"
            );
        }
    }

    #[test]
    fn tests_widen_nothing_but_loopback() {
        let policy = AddressPolicy::LOOPBACK;
        assert_eq!(policy.refused_kind(IpAddr::from([127, 0, 0, 1])), None);
        assert_eq!(
            policy.refused_kind(IpAddr::from([10, 0, 0, 1])),
            Some("private")
        );
        assert!(policy.allows_plain("page.test") && !policy.allows_plain("other.test"));
        assert!(!AddressPolicy::PUBLIC.allows_plain("page.test"));
    }
}
