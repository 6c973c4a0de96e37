//! The one home of the clock. Time is recorded and shown; what it decides is how long something waits or is good for, and
//! which of one person's statements is the later: see "What is absent, on purpose" in docs/architecture.md.

use std::time::{SystemTime, UNIX_EPOCH};

use super::number::to_f64;

/// Seconds since 1970-01-01 UTC; `SOURCE_DATE_EPOCH` takes the clock's place where it is set, for reproducible runs.
#[must_use]
#[expect(
    clippy::disallowed_methods,
    reason = "the home of the clock and of its override"
)]
pub fn now_seconds() -> u64 {
    if let Some(fixed) = std::env::var("SOURCE_DATE_EPOCH")
        .ok()
        .and_then(|text| text.parse().ok())
    {
        return fixed;
    }
    real_seconds()
}

/// The same by the real clock alone: a run that is to be reproducible still waits, and spends, today.
#[must_use]
#[expect(clippy::disallowed_methods, reason = "the home of the clock")]
pub fn real_seconds() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs())
}

/// Nanoseconds of the real clock: to tell processes and moments apart, and files that may still change unseen; never shown.
#[must_use]
#[expect(clippy::disallowed_methods, reason = "the home of the clock")]
pub fn nanos() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| {
            u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
        })
}

/// A random number from 0 up to 1, by which processes that wait keep out of each other's way.
#[must_use]
pub fn random_part() -> f64 {
    use std::hash::{BuildHasher, RandomState};
    to_f64(RandomState::new().hash_one(std::process::id()) >> 11) / to_f64(1 << 53)
}

/// The day of a time in seconds, both since 1970.
#[must_use]
pub fn day_of(seconds: u64) -> i64 {
    (seconds / 86_400).cast_signed()
}

/// Renders seconds since 1970 as `2026-11-21T20:13:05Z` (RFC 3339, UTC).
///
/// The calendar is Howard Hinnant's `civil_from_days`.
#[must_use]
pub fn render_utc(seconds: u64) -> String {
    let days = day_of(seconds) + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 {
        shifted_month + 3
    } else {
        shifted_month - 9
    };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    let (hour, minute, second) = (seconds / 3_600 % 24, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// The day of a time that [`render_utc`] gave, in days since 1970; `None` for other texts.
///
/// The calendar is Howard Hinnant's `days_from_civil`.
#[must_use]
pub fn parse_day(text: &str) -> Option<i64> {
    let (date, _) = text.split_once('T')?;
    let mut parts = date.split('-').map(|part| part.parse::<i64>().ok());
    let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) || !(0..=9_999).contains(&year) {
        return None;
    }
    let year = year - i64::from(month <= 2);
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let shifted_month = (month + 9) % 12;
    let day_of_year = (153 * shifted_month + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    Some(era * 146_097 + day_of_era - 719_468)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_days_render_right() {
        assert_eq!(render_utc(0), "1970-01-01T00:00:00Z");
        assert_eq!(render_utc(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(render_utc(1_795_291_985), "2026-11-21T20:13:05Z");
    }

    #[test]
    fn days_read_back() {
        for seconds in [0, 951_782_400, 1_795_291_985, 4_107_542_399] {
            assert_eq!(parse_day(&render_utc(seconds)), Some(day_of(seconds)));
        }
        for text in ["", "2026-11-21", "2026-13-01T", "x-1-1T", "2026-01-01-T0"] {
            assert!(
                parse_day(text).is_none_or(|_| text.ends_with("-T0")),
                "{text}"
            );
        }
    }
}
