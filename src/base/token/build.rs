//! Writes the table of the vocabulary `o200k`, which the program holds as it is: what a library unpacks in a tenth of a second
//! at each start is unpacked once, when the program is built.

#![allow(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "cargo talks to a build script by environment and output"
)]

use std::path::PathBuf;

#[path = "table.rs"]
mod table;

/// Tokens of the vocabulary without the special ones, which no text has.
const TOKENS: u32 = 199_998;

fn main() {
    println!("cargo::rerun-if-changed=src/base/token/build.rs");
    println!("cargo::rerun-if-changed=src/base/token/table.rs");
    let vocabulary = tiktoken::get_encoding("o200k_base").expect("the feature is on");
    let tokens: Vec<Vec<u8>> = (0..TOKENS).map(|rank| vocabulary.decode(&[rank])).collect();
    let folder = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets it"));
    std::fs::write(folder.join("o200k"), table::write(&tokens))
        .expect("cargo's folder is writable");
}
