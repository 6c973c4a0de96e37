//! What goes out together: lines up to a number and a size, well below what either provider takes.

use super::{BatchClient, Owed};
use crate::base::BasisId;
use crate::chat::Request;
use crate::provider::ledger::Spend;

/// Most bytes of a batch. Providers take 200 MB and more; this also has to fit into memory, twice.
const BYTES_MAX: usize = 64 << 20;

/// Requests that go out as one batch.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BatchPart {
    /// One JSON document each.
    pub(super) lines: Vec<String>,
    /// What each is known by.
    pub(super) requests: Vec<(BasisId, Owed)>,
    bytes: usize,
}

impl BatchPart {
    /// How many requests there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.lines.len()
    }

    /// True when there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Adds a request; a part that has no room for it comes back, and a new one begins.
    #[must_use]
    pub fn add(
        &mut self,
        client: &BatchClient,
        basis: BasisId,
        request: &Request,
        is_again: bool,
    ) -> Option<Self> {
        let line = client.line(&basis, request);
        let worst = client.worst_case(request);
        let owed = Owed { worst, is_again };
        self.push(line, basis, owed, [client.requests_max(), BYTES_MAX])
    }

    fn push(
        &mut self,
        line: String,
        basis: BasisId,
        owed: Owed,
        [requests_max, bytes_max]: [usize; 2],
    ) -> Option<Self> {
        let is_full = self.len() >= requests_max || self.bytes + line.len() > bytes_max;
        let full = (is_full && !self.is_empty()).then(|| std::mem::take(self));
        // Between two lines stands a comma, or the end of a line.
        self.bytes += line.len() + 1;
        self.lines.push(line);
        self.requests.push((basis, owed));
        full
    }

    /// Takes the second half off.
    #[must_use]
    pub fn split(&mut self) -> Self {
        let at = self.len() / 2;
        let lines = self.lines.split_off(at);
        let requests = self.requests.split_off(at);
        let bytes = lines.iter().map(|line| line.len() + 1).sum();
        self.bytes -= bytes;
        Self {
            lines,
            requests,
            bytes,
        }
    }

    /// The most that all of it can cost.
    pub(super) fn worst_case(&self) -> Spend {
        let mut sum = Spend::default();
        self.requests.iter().for_each(|(_, owed)| sum += owed.worst);
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Digest;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn no_part_is_too_large_and_no_request_is_lost(
            sizes in proptest::collection::vec(0_usize..60, 0..100), most in [1_usize..9, 1..80],
        ) {
            let (mut part, mut parts) = (BatchPart::default(), Vec::new());
            for (number, size) in sizes.iter().enumerate() {
                let basis = BasisId(Digest([crate::base::number::low_byte(number as u64); 32]));
                let owed = Owed { worst: Spend::default(), is_again: false };
                parts.extend(part.push("x".repeat(*size), basis, owed, most));
            }
            if part.len() > 1 {
                let second = part.split();
                parts.extend([part, second]);
            } else {
                parts.push(part);
            }
            let asked = parts.iter().flat_map(|part| &part.requests).map(|(basis, _)| basis.0.0[0]);
            prop_assert_eq!(asked.collect::<Vec<_>>(), (0..crate::base::number::low_byte(sizes.len() as u64)).collect::<Vec<_>>());
            for part in &parts {
                let body = part.lines.join(",").len();
                prop_assert_eq!(part.lines.len(), part.requests.len());
                prop_assert!(part.len() <= most[0] && (body <= most[1] || part.len() == 1), "{} {}", part.len(), body);
            }
        }
    }
}
