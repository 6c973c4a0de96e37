//! Repositories that several laws look at.

use std::fmt::Write;

/// So many directories with so many different files each, as a fixture.
pub(super) fn wide(directories: usize, files: usize) -> String {
    let mut fixture = "commit wide\n".to_owned();
    for directory in 0..directories {
        for file in 0..files {
            writeln!(
                fixture,
                "+ d{directory:02}/f{file}.rs = pub fn f{directory}_{file}() {{}}"
            )
            .expect("a string takes all");
        }
    }
    fixture
}
