//! How good rankings and answers are, over many questions, with the intervals of paired differences.

use crate::base::number::{to_f64, to_index};

/// How often the questions are drawn again for an interval.
const DRAWS: usize = 2_000;

/// The share of the right ones among the first `count` of a ranking.
#[must_use]
pub fn recall<T: PartialEq>(ranking: &[T], right: &[T], count: usize) -> f64 {
    let found = ranking
        .iter()
        .take(count)
        .filter(|number| right.contains(number))
        .count();
    to_f64(found as u64) / to_f64(right.len().max(1) as u64)
}

/// One through the place of the first right one; 0 where there is none.
#[must_use]
pub fn reciprocal_rank<T: PartialEq>(ranking: &[T], right: &[T]) -> f64 {
    ranking
        .iter()
        .position(|number| right.contains(number))
        .map_or(0.0, |at| 1.0 / (to_f64(at as u64) + 1.0))
}

/// The mean; 0 of none.
#[must_use]
pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / to_f64(values.len().max(1) as u64)
}

/// The mean of the differences of pairs, and the interval that holds it in a given number of a thousand draws; the same on every machine.
#[must_use]
pub fn difference(ones: &[f64], others: &[f64], of_thousand: usize) -> (f64, f64, f64) {
    let differences: Vec<f64> = ones
        .iter()
        .zip(others)
        .map(|(one, other)| one - other)
        .collect();
    if differences.is_empty() {
        return (0.0, 0.0, 0.0);
    }
    let count = differences.len() as u64;
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut draw = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        differences[to_index(state % count)]
    };
    let mut means: Vec<f64> = (0..DRAWS)
        .map(|_| (0..count).map(|_| draw()).sum::<f64>() / to_f64(count))
        .collect();
    means.sort_by(f64::total_cmp);
    let outside = DRAWS * (1_000 - of_thousand.min(1_000)) / 2_000;
    (
        mean(&differences),
        means[outside.min(DRAWS - 1)],
        means[(DRAWS - 1).saturating_sub(outside)],
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_what_they_are_called() {
        assert!((recall(&[3, 1, 2], &[1, 9], 2) - 0.5).abs() < 1e-9);
        assert!((reciprocal_rank(&[3, 1, 2], &[2]) - 1.0 / 3.0).abs() < 1e-9);
        let (mean, low, high) = difference(&[1.0; 50], &[0.0; 50], 950);
        assert!(mean >= 1.0 && low >= 1.0 && high <= 1.0);
        let mixed: Vec<f64> = (0..100).map(|at| f64::from(at % 2)).collect();
        let (mean, low, high) = difference(&mixed, &[0.5; 100], 950);
        assert!(low < mean && mean < high && low > -0.2 && high < 0.2);
    }
}
