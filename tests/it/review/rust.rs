//! What a review says of modules of Rust.

use crate::support::Sandbox;

#[test]
fn what_a_crate_implements_for_itself_is_private_wherever_it_stands() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    repo.fill(
        "
        commit first
        + src/lib.rs
          | mod inner;
          | mod size;
          | pub mod shop;
          | pub use inner::Known;
        + src/inner.rs
          | pub struct Known;
          | pub struct Own;
          | pub trait Weigh {
          |     fn weight(&self) -> u8;
          | }
          | pub use crate::size::Size;
        + src/size.rs = pub struct Size(pub u8);
        + src/shop/mod.rs = pub struct Shop;
        commit second
        + src/shop/mod.rs
          | use crate::inner::{Known, Own, Size, Weigh};
          | use std::fmt;
          | pub struct Shop;
          | impl Weigh for Shop {
          |     fn weight(&self) -> u8 { 1 }
          | }
          | impl fmt::Debug for Own {}
          | impl fmt::Debug for Size {}
          | impl fmt::Debug for Known {}
          | impl Own {
          |     pub fn open(&self) -> bool { true }
          | }
          | impl Known {
          |     pub fn open(&self) -> bool { true }
          | }
    ",
    );
    insta::assert_snapshot!(repo.merkle(&["review", "HEAD^!"]).ok(), @"
    2 public declarations added, 4 private · 1 of 1 file is code
    + impl fmt::Debug for Known, Known::open   src/shop/mod.rs
    + impl Weigh for Shop, impl fmt::Debug for Own, impl fmt::Debug for Size, Own::open   src/shop/mod.rs
    ");
}

#[test]
fn a_type_that_its_crate_passes_on_moves_whatever_it_becomes() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    repo.fill(
        "
        commit first
        + src/lib.rs
          | mod adaptors;
          | mod merge;
          | pub mod structs {
          |     pub use crate::adaptors::MergeBy;
          | }
        + src/adaptors.rs
          | pub struct MergeBy<I, J> where I: Iterator { left: I, right: J }
        + src/merge.rs = pub(crate) fn merge() {}
        commit second
        + src/lib.rs
          | mod adaptors;
          | mod merge;
          | pub mod structs {
          |     pub use crate::merge::MergeBy;
          | }
        + src/adaptors.rs = pub(crate) fn adapt() {}
        + src/merge.rs
          | pub type MergeBy<I, J> = Merged<I, J, bool>;
          | pub(crate) fn merge() {}
    ",
    );
    insta::assert_snapshot!(repo.merkle(&["review", "HEAD^!"]).ok(), @"
    2 signatures changed, 1 moved, 3 private, nothing added or removed · 3 of 3 files are code
    pub struct→type MergeBy <I, J> where I: Iterator→= Merged<I, J, bool>   src/merge.rs:1   ← src/lib.rs
    pub use crate::adaptors::→crate::merge:: structs::MergeBy   src/lib.rs:4
    moved: MergeBy   src/adaptors.rs → src/merge.rs
    − MergeBy::{left, right}   src/adaptors.rs
    + adapt   src/adaptors.rs:1
    ");
}
