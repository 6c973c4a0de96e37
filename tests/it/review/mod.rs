//! `review`: what a branch changes, in the order in which a reviewer reads; laws first.

mod comment;
mod commits;
mod foreign;
mod forge;
mod go;
mod html;
mod known;
mod laws;
mod markdown;
mod note;
mod rust;
mod target;
mod text;
pub(crate) mod workflow;

use serde_json::Value;

use crate::support::{Repo, Sandbox};

/// A small program of two languages with tests, documents, and one file of each kind of change.
const SHOP: &str = r#"
    commit first
    + README.md = # Shop
    + src/lib.rs
      | pub mod basket;
      | pub mod price;
    + src/price.rs
      | /// What it costs.
      | pub fn price_of(item: &str, taxes: u8) -> u32 {
      |     item.len() as u32 + u32::from(taxes)
      | }
      |
      | pub fn discount(item: &str) -> u32 {
      |     0
      | }
      |
      | fn rounded(price: u32) -> u32 {
      |     price
      | }
    + src/basket.rs
      | use crate::price::price_of;
      |
      | pub struct Basket {
      |     pub items: Vec<String>,
      | }
      |
      | impl Basket {
      |     pub fn total(&self) -> u32 {
      |         self.items.iter().map(|item| price_of(item, 0)).sum()
      |     }
      | }
    + src/bin/till.rs
      | use shop::price::{discount, price_of};
      |
      | fn main() {
      |     discount("a");
      |     price_of("a", 19);
      | }
    + tests/prices.rs
      | use shop::price::discount;
      |
      | #[test]
      | fn nothing_is_off() {
      |     assert_eq!(discount("a"), 0);
      | }
    + tool.py
      | LIMIT = 3
      |
      | def run(name, *, timeout=10):
      |     return name
    branch work
    commit second
    + README.md = # The shop
    + src/price.rs
      | /// What it costs.
      | pub fn price_of(item: &str, taxes: u16) -> u32 {
      |     item.len() as u32 + u32::from(taxes)
      | }
      |
      | fn rounded(price: u32) -> u32 {
      |     price.next_multiple_of(5)
      | }
    + src/basket.rs
      | use crate::price::price_of;
      |
      | pub struct Basket {
      |     pub items: Vec<String>,
      | }
      |
      | impl Basket {
      |     pub fn total(&self) -> u32 {
      |         self.items.iter().map(|item| price_of(item, 7)).sum()
      |     }
      |
      |     pub(crate) fn is_empty(&self) -> bool {
      |         self.items.is_empty()
      |     }
      | }
    + src/bin/till.rs
      | use shop::price::price_of;
      |
      | fn main() {
      |     price_of("a", 19);
      | }
    + tests/prices.rs
      | use shop::price::price_of;
      |
      | #[test]
      | fn taxes_count() {
      |     assert_eq!(price_of("a", 1), 2);
      | }
    + tool.py
      | # Run by hand.
      | LIMIT = 3
      |
      | def run(name, *, timeout=10):
      |     return name
    > src/lib.rs -> src/main_lib.rs
"#;

/// What a review says of the last commit of a history.
#[track_caller]
fn reviewed(history: &str) -> String {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled(history);
    repo.merkle(&["review", "HEAD^!"]).ok()
}

fn document(repo: &Repo<'_>, range: &str) -> Value {
    repo.merkle(&["review", "--json", range])
        .exits(0)
        .json("review")
}

/// What the document says of each change: how, its name, its path.
fn changes(document: &Value) -> Vec<(String, String, String)> {
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let list = document["changes"].as_array().expect("a list");
    list.iter()
        .map(|one| (text(&one["change"]), text(&one["name"]), text(&one["path"])))
        .collect()
}
