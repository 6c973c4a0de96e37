//! How long a push waits, so that clones that push at once keep out of each other's way.
//!
//! After an attempt that lost, the longest pause doubles. That alone lets a clone that has just pushed win again and again
//! over those that wait: so each push that finds a crowd waits once before its first attempt, too.

use std::time::Duration;

use super::remote::Publish;
use super::terms::Exchange;
use super::writer::Writer;
use crate::base::{NodeId, clock};
use crate::git::LogEntry;

/// The shortest pause after an attempt that lost; it doubles, and each clone waits a random part of it.
const PAUSE_FIRST: Duration = Duration::from_millis(200);

/// The longest pause.
const PAUSE_MAX: Duration = Duration::from_secs(30);

/// Time in which pushes are counted, in seconds.
const CROWD_SECONDS: u64 = 10;

/// The fewest pushes in that time that are a crowd, and the most that are counted.
const CROWD_MIN: u32 = 5;
const CROWD_MAX: usize = 64;

/// What each push of a crowd adds to the longest pause.
const TURN: Duration = Duration::from_millis(500);

/// How the commits that a clone pushes name it: see [`Writer`].
pub(super) const CLONE_FIELD: &str = "Merkle-Clone: ";

/// How many pushes have moved the ref of a remote that clones share in the last ten seconds, by its commits. 0 where they are no
/// crowd, where all are of this clone, since a script that pushes again and again waits for nothing, and where the clone
/// moves a ref of its own.
///
/// Other clocks may be wrong: that makes a pause shorter or longer, within its bounds.
pub(super) fn crowd(exchange: &Exchange<'_>, tip: Option<NodeId>) -> u32 {
    if exchange.publish == Publish::Own {
        return 0;
    }
    let own = format!("{CLONE_FIELD}{}", Writer::of(exchange.state));
    let entry = |commit: &NodeId| exchange.repo.log_entry(commit).ok();
    let entries = std::iter::successors(tip.as_ref().and_then(entry), |newer| {
        entry(newer.parents.first()?)
    });
    let pushes = entries.map(
        |LogEntry {
             seconds, message, ..
         }| Push {
            seconds,
            is_own: message.lines().any(|line| line == own),
        },
    );
    count(pushes, clock::now_seconds())
}

/// A commit that moved a remote's ref.
struct Push {
    seconds: u64,
    is_own: bool,
}

/// How many of the pushes, the newest first, are a crowd.
fn count(pushes: impl Iterator<Item = Push>, now_seconds: u64) -> u32 {
    let recent = pushes
        .take(CROWD_MAX)
        .take_while(|push| push.seconds.abs_diff(now_seconds) <= CROWD_SECONDS);
    let (mut all, mut of_others) = (0, 0);
    for push in recent {
        all += 1;
        of_others += u32::from(!push.is_own);
    }
    if all < CROWD_MIN || of_others == 0 {
        0
    } else {
        all
    }
}

/// A random part of a pause that grows with the crowd, doubles with each attempt that lost, and begins at twice the time that
/// one took: clones that met once do not meet again, also where the remote is far away or busy.
pub(super) fn pause(took: Duration, lost: u32, crowd: u32) -> Duration {
    let after_loss = PAUSE_FIRST.max(took * 2).saturating_mul(1 << lost.min(16));
    after_loss
        .max(TURN * crowd)
        .min(PAUSE_MAX)
        .mul_f64(clock::random_part())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pushes_of_others_are_a_crowd_and_those_of_one_clone_are_none() {
        let pushes = |seconds: &[u64], is_own: fn(u64) -> bool| {
            count(
                seconds.iter().map(|seconds| Push {
                    seconds: *seconds,
                    is_own: is_own(*seconds),
                }),
                1_000,
            )
        };
        let many: Vec<u64> = (0..20).map(|age| 1_000 - age).collect();
        assert_eq!(
            pushes(&many, |_| false),
            11,
            "those of the last ten seconds"
        );
        assert_eq!(pushes(&many, |_| true), 0, "a script that pushes alone");
        assert_eq!(pushes(&many, |seconds| seconds != 995), 11);
        assert_eq!(pushes(&many[..4], |_| false), 0, "a few");
        assert_eq!(pushes(&many[15..], |_| false), 0, "long ago");
        assert_eq!(
            pushes(&[1_000; 500], |_| false),
            crate::base::number::to_u32(CROWD_MAX)
        );
        assert_eq!(pushes(&[], |_| false), 0);
    }

    #[test]
    fn a_pause_has_bounds() {
        for (took, lost, crowd, most) in [
            (0, 0, 0, 200),
            (0, 3, 0, 1_600),
            (1_000, 1, 0, 4_000),
            (0, 0, 8, 4_000),
            (9_000, 60, 64, 30_000),
        ] {
            let longest = Duration::from_millis(most);
            assert!((0..50).all(|_| pause(Duration::from_millis(took), lost, crowd) <= longest));
        }
    }
}
