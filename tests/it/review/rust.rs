//! What a review says of modules of Rust.

use std::fs;

use super::reviewed;
use crate::support::Sandbox;

#[test]
fn what_a_crate_implements_for_itself_is_private_wherever_it_stands() {
    let said = reviewed(
        "
        commit first
        + src/lib.rs
          | mod inner;
          | mod prelude;
          | mod size;
          | pub mod shop;
          | pub use inner::Known;
          | pub struct Open;
        + src/prelude.rs = pub use crate::Open;
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
          | use crate::prelude::*;
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
          | impl fmt::Debug for Open {}
          | impl Known {
          |     pub fn open(&self) -> bool { true }
          | }
    ",
    );
    insta::assert_snapshot!(said, @"
    3 public declarations added, 4 private · 1 of 1 file is code
    + impl fmt::Debug for Known, impl fmt::Debug for Open, Known::open   src/shop/mod.rs
    + impl Weigh for Shop, impl fmt::Debug for Own, impl fmt::Debug for Size, Own::open   src/shop/mod.rs
    ");
}

#[test]
fn a_type_that_its_crate_passes_on_moves_whatever_it_becomes() {
    let said = reviewed(
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
    insta::assert_snapshot!(said, @"
    2 signatures changed, 1 moved, 3 private, nothing added or removed · 3 of 3 files are code
    pub struct→type MergeBy <I, J> where I: Iterator→= Merged<I, J, bool>   src/merge.rs:1   ← src/lib.rs
    pub use crate::adaptors::→crate::merge:: structs::MergeBy   src/lib.rs:4
    moved: MergeBy   src/adaptors.rs → src/merge.rs
    − MergeBy::{left, right}   src/adaptors.rs
    + adapt   src/adaptors.rs:1
    ");
}

#[test]
fn what_a_module_passes_on_of_one_beside_it_is_for_others() {
    let said = reviewed(
        "
        commit first
        + src/lib.rs
          | mod inner;
          | pub mod map;
        + src/inner.rs
          | mod entry;
          | pub use entry::{Entry, Slot};
        + src/inner/entry.rs
          | pub struct Entry;
          | pub struct Slot;
        + src/map.rs = pub use crate::inner::Entry;
        commit second
        + src/inner/entry.rs
          | pub struct Entry(pub u8);
          | pub struct Slot(pub u8);
    ",
    );
    insta::assert_snapshot!(said, @"
    1 signature changed, 1 private, nothing added or removed · 1 of 1 file is code
    Entry+(pub u8)   src/inner/entry.rs:1   ← src/{inner,map}.rs
    Slot+(pub u8)   src/inner/entry.rs:2   ← src/inner.rs
    ");
}

#[test]
fn names_that_stand_for_a_glob_are_no_news() {
    let said = reviewed(
        "
        commit first
        + src/lib.rs
          | mod shop;
          | pub use shop::*;
          | pub use shop::beds::*;
        + src/shop.rs
          | pub mod beds;
          | pub fn open() {}
          | pub fn shop() {}
          | pub fn close() {}
          | pub(crate) fn count() {}
        + src/shop/beds.rs = pub fn dig() {}
        commit second
        + src/lib.rs
          | mod shop;
          | pub use shop::{beds, open, shop};
          | pub use shop::beds::*;
    ",
    );
    insta::assert_snapshot!(said, @"
    1 public declaration removed · 1 of 1 file is code
    − close   src/lib.rs
    ");
}

#[test]
fn types_of_one_name_and_what_they_implement_move_within_their_modules() {
    let said = reviewed(
        "
        commit first
        + src/lib.rs
          | pub mod map;
          | pub mod set;
        + src/map.rs
          | pub struct Iter<K, V>(K, V);
          | impl<K, V> Iterator for Iter<K, V> {}
          | impl<K, V> Iterator for &Iter<K, V> {}
          | pub fn map() {}
        + src/set.rs
          | pub struct Iter<T>(T);
          | impl<T> Iterator for Iter<T> {}
          | pub fn set() {}
        commit second
        + src/map.rs
          | mod iter;
          | pub use self::iter::Iter;
          | pub fn map() {}
        + src/map/iter.rs
          | pub struct Iter<K, V>(K, V);
          | impl<K, V> Iterator for Iter<K, V> {}
          | impl<K, V> Iterator for &Iter<K, V> {}
        + src/set.rs
          | mod iter;
          | pub use self::iter::Iter;
          | pub fn set() {}
        + src/set/iter.rs
          | pub struct Iter<T>(T);
          | impl<T> Iterator for Iter<T> {}
    ",
    );
    insta::assert_snapshot!(said, @"
    Same public declarations, 3 moved, 2 private · 4 of 4 files are code
    moved: struct Iter (1 member), impl<K, V> Iterator for &Iter<K, V>   src/map.rs → src/map/iter.rs
    moved: struct Iter (1 member)   src/set.rs → src/set/iter.rs
    + module iter   src/map.rs:1
    + module iter   src/set.rs:1
    ");
}

#[test]
fn names_that_a_private_module_passes_on_are_told_once() {
    let said = reviewed(
        "
        commit first
        + src/lib.rs
          | mod core;
          | pub use core::Entry;
        + src/core.rs
          | mod entry;
          | pub use entry::Entry;
        + src/core/entry.rs = pub struct Entry;
        commit second
        + src/lib.rs
          | mod core;
          | mod entry;
          | pub use entry::Entry;
        + src/core.rs = fn run() {}
        - src/core/entry.rs
        + src/entry.rs = pub struct Entry;
    ",
    );
    insta::assert_snapshot!(said, @"
    1 signature changed, 1 moved, 4 private, nothing added or removed · 3 of 3 files are code
    pub use core::→entry:: Entry   src/lib.rs:3
    moved: src/core/entry.rs → src/
    − module entry, Entry   src/core.rs
    + run   src/core.rs:1
    + module entry   src/lib.rs:2
    ");
}

#[test]
fn what_a_private_module_passes_on_in_another_way_is_told() {
    let said = reviewed(
        "
        commit first
        + src/lib.rs
          | mod shop;
          | mod beds;
          | pub use shop::Foo;
          | pub use beds::*;
        + src/shop.rs = pub use one::Foo;
        + src/beds.rs
          | mod deep;
          | pub use deep::*;
          | pub fn dig() {}
        + src/beds/deep.rs = pub fn water() {}
        commit second
        + src/lib.rs
          | mod shop;
          | mod beds;
          | pub use shop::Foo;
          | pub use beds::dig;
        + src/shop.rs = pub use two::Foo;
    ",
    );
    // Which names the module passed on of the one below it is not looked for.
    insta::assert_snapshot!(said, @"
    1 public declaration removed, 1 added, 1 signature changed · 2 of 2 files are code
    − beds::*   src/lib.rs
    pub use one::→two:: Foo   src/shop.rs:1
    + dig   src/lib.rs:4
    ");
}

#[test]
fn a_function_moves_into_a_module_of_its_name() {
    let said = reviewed(
        "
        commit first
        + src/lib.rs
          | pub fn fill(text: &str, width: usize) -> String {
          |     text.chars().take(width).collect()
          | }
        commit second
        + src/lib.rs
          | mod fill;
          | pub use fill::fill;
        + src/fill.rs
          | pub fn fill(text: &str, width: usize) -> String {
          |     text.chars().take(width).collect()
          | }
    ",
    );
    insta::assert_snapshot!(said, @"
    Same public declarations, 1 moved, 1 private · 2 of 2 files are code
    moved: fill   src/lib.rs → src/fill.rs
    + module fill   src/lib.rs:1
    ");
}

#[test]
fn a_method_moves_without_its_type() {
    let said = reviewed(
        "
        commit first
        + src/lib.rs
          | mod builder;
          | pub struct Uuid(u8);
          | impl Uuid {
          |     pub fn nil() -> Self { Uuid(0) }
          |     pub fn max() -> Self { Uuid(9) }
          |     pub fn get(&self) -> u8 { self.0 }
          | }
        + src/builder.rs = fn unused() {}
        commit second
        + src/lib.rs
          | mod builder;
          | pub struct Uuid(u8);
          | impl Uuid {
          |     pub fn get(&self) -> u8 { self.0 }
          | }
        + src/builder.rs
          | fn unused() {}
          | impl crate::Uuid {
          |     pub fn nil() -> Self { crate::Uuid(0) }
          |     pub const fn max() -> Self { crate::Uuid(9) }
          | }
    ",
    );
    insta::assert_snapshot!(said, @"
    1 signature changed, 1 body, 2 moved, nothing added or removed · 2 of 2 files are code
    pub +const fn Uuid::max, body   src/builder.rs:4
    Uuid::nil   src/builder.rs:3   body
    moved: Uuid::{nil, max}   src/lib.rs → src/builder.rs
    ");
}

/// Each module of a facade imports all of it: a name that stands nowhere is looked for once in each.
#[test]
fn modules_that_import_each_other_are_followed_once() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    let children: Vec<usize> = (0..30).collect();
    let lines: Vec<String> = children
        .iter()
        .map(|at| format!("mod c{at};\npub use c{at}::*;\n"))
        .collect();
    let facade = lines.concat();
    let child = |at: &usize, more: &str| {
        repo.put(
            &format!("src/m/c{at}.rs"),
            format!("use super::*;\npub struct S{at};\n{more}"),
        );
    };
    repo.put("src/lib.rs", "mod m;\npub use m::*;\nmod inner;\n");
    repo.put("src/inner.rs", "pub struct Error;\n");
    repo.put("src/m/mod.rs", &facade);
    for at in &children {
        child(at, "");
    }
    repo.commit("first");
    // An import by name is that one, whatever a glob gives.
    child(
        &0,
        "use crate::inner::*;\nuse ext::Error;\nimpl Clone for Vec<S0> {}\nimpl From<S0> for String {}\nimpl From<S0> for Error {}\nimpl S7 {\n    pub fn open() {}\n}\n",
    );
    repo.git(&["commit", "-qam", "second"]).ok();
    insta::assert_snapshot!(repo.merkle(&["review", "HEAD^!"]).ok(), @"
    4 public declarations added · 1 of 1 file is code
    + impl Clone for Vec<S0>, impl From<S0> for String, impl From<S0> for Error, S7::open   src/m/c0.rs
    ");
}

#[cfg(target_os = "linux")]
#[test]
fn a_path_that_is_not_utf8_is_compared_as_others_are() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    repo.put("src/lib.rs", "pub mod a;\n");
    repo.put("src/a\u{fffd}.rs", "pub struct A;\n");
    repo.commit("first");
    let name = <std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(b"src/a\xff.rs");
    fs::write(repo.path("").join(name), "impl Foo for Bar {}\n").expect("a file");
    repo.commit("second");
    let text = repo.merkle(&["review", "HEAD^!"]).ok();
    assert!(text.contains("+ impl Foo for Bar"), "{text}");
}
