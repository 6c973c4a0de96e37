//! Laws of the tiers.
