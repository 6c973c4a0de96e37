//! Words: what one request says, and how each kind of reader gets it.
