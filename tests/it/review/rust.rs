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
