//! The program `git-merkle`: hands its arguments to the command line of the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    git_merkle::cli::run(std::env::args_os())
}
