//! Facts: what a request holds in each phase, as people configure it.
//!
//! Owns the form of `profiles/<name>/config.yml`, the built-in profile, and the pure fitting of what is wished to what
//! a provider can do. A profile names providers and never knows an endpoint, a key or a model; fitting never edits
//! configuration. Reads no file by itself: folders are handed in whole. Start with [`Profiles`] and [`fit()`].

mod file;
pub mod fit;
pub mod params;
pub mod registry;
pub mod standard;

pub use fit::{
    Adjustment, FitError, FittedParams, OutputKey, Wants, Wish, check_input, fit, input_tokens_max,
    lasting_changes, output_key, over, said_in_words, with_output,
};
pub use params::{Phase, Profile, ProfileScope, ProviderRole};
pub use registry::{DEFAULT, ProfileError, Profiles};
pub use standard::{Standard, Standards};
