//! Maps of small projects in every language.
