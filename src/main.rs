//! The program `git-merkle`: hands its arguments to the command line of the library.

fn main() {}
