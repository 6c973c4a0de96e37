//! Ground: finding what looks like a secret in names and text, before it leaves.
