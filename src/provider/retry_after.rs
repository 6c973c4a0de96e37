//! The `Retry-After` header in its forms: seconds, milliseconds, a date (RFC 9110, section 10.2.3).

use std::time::Duration;

use reqwest::header::{DATE, HeaderMap, RETRY_AFTER};

use crate::base::clock;

const MONTHS: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];

/// How long a provider asks to wait. A date counts from the response's own date where it has one.
pub(super) fn read(headers: &HeaderMap) -> Option<Duration> {
    let text = |name: &str| {
        headers
            .get(name)
            .and_then(|value| value.to_str().ok())
            .map(str::trim)
    };
    if let Some(milliseconds) = text("retry-after-ms").and_then(|text| text.parse().ok()) {
        return Some(Duration::from_millis(milliseconds));
    }
    let value = text(RETRY_AFTER.as_str())?;
    if let Ok(seconds) = value.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let now = text(DATE.as_str())
        .and_then(seconds_of)
        .unwrap_or_else(clock::real_seconds);
    Some(Duration::from_secs(seconds_of(value)?.saturating_sub(now)))
}

/// Seconds since 1970 of `Sun, 06 Nov 1994 08:49:37 GMT`, the one form of a date that is still sent.
///
/// The calendar is Howard Hinnant's `days_from_civil`.
fn seconds_of(date: &str) -> Option<u64> {
    let words: Vec<&str> = date.split_ascii_whitespace().collect();
    let &[_, day, month, year, time, "GMT"] = words.as_slice() else {
        return None;
    };
    let (day, year): (u64, u64) = (day.parse().ok()?, year.parse().ok()?);
    let month = MONTHS.iter().position(|name| *name == month)? as u64 + 1;
    let time: Vec<u64> = time
        .split(':')
        .map(|part| part.parse().ok())
        .collect::<Option<_>>()?;
    let &[hour, minute, second] = time.as_slice() else {
        return None;
    };
    if !(1970..10_000).contains(&year)
        || !(1..=31).contains(&day)
        || hour > 23
        || minute > 59
        || second > 60
    {
        return None;
    }
    let year = if month <= 2 { year - 1 } else { year };
    let (era, of_era) = (year / 400, year % 400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let days = era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + day_of_year - 719_468;
    Some(days * 86_400 + hour * 3_600 + minute * 60 + second)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wait(pairs: &[(&'static str, &'static str)]) -> Option<Duration> {
        let headers = pairs.iter().map(|(name, value)| {
            (
                name.parse().expect("a name"),
                value.parse().expect("a value"),
            )
        });
        read(&headers.collect())
    }

    #[test]
    fn dates_are_read_right() {
        assert_eq!(
            seconds_of("Sun, 06 Nov 1994 08:49:37 GMT"),
            Some(784_111_777)
        );
        assert_eq!(
            seconds_of("Tue, 29 Feb 2000 00:00:00 GMT"),
            Some(951_782_400)
        );
        for text in [
            "",
            "Sun, 06 Nov 1994 08:49:37 UTC",
            "Sun, 06 Nov 1 08:49:37 GMT",
            "Sun, 06 Xxx 1994 08:49:37 GMT",
        ] {
            assert_eq!(seconds_of(text), None, "{text}");
        }
    }

    #[test]
    fn every_form_is_a_wait() {
        let date = ("date", "Sun, 06 Nov 1994 08:49:37 GMT");
        assert_eq!(wait(&[("retry-after", "7")]), Some(Duration::from_secs(7)));
        assert_eq!(
            wait(&[("retry-after", "7"), ("retry-after-ms", "250")]),
            Some(Duration::from_millis(250))
        );
        assert_eq!(
            wait(&[date, ("retry-after", "Sun, 06 Nov 1994 08:49:49 GMT")]),
            Some(Duration::from_secs(12))
        );
        assert_eq!(
            wait(&[date, ("retry-after", "Sun, 06 Nov 1994 08:00:00 GMT")]),
            Some(Duration::ZERO)
        );
        for text in ["", "soon", "-1", "1e300"] {
            assert_eq!(wait(&[("retry-after", text)]), None, "{text}");
        }
    }
}
