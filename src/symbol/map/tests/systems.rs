//! Rust, Go, C and C++.

use super::map_of;

const RUST_STORE: &str = r#"//! Keeps things.
use std::collections::BTreeMap;
use crate::model::{Item, price_of};

/// Where things are.
#[derive(Debug, Clone)]
pub struct Store<T: Clone> {
    pub items: BTreeMap<String, T>,
    limit: Option<usize>,
}

impl Store<Item> {
    pub fn with_limit(limit: Option<usize>, (a, b): (u8, u8)) -> Self { Self::build(limit) }
    fn build(limit: Option<usize>) -> Self { todo!() }
    pub async fn total_price(&self, mut taxes: Vec<f64>) -> Result<f64, Error> {
        self.items.values().map(|item| price_of(item, &taxes)).sum()
    }
}

impl std::fmt::Display for Store<Item> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result { write!(f, "{}", self.items.len()) }
}

pub trait Priced: Send + 'static {
    const UNIT: &'static str = "EUR";
    type Output;
    fn price(&self) -> u64;
}

pub const LIMIT: usize = 10;
macro_rules! item { ($x:expr) => { $x } }
"#;

/// Crates are found by their directories, however many there are; one of two directories of a name is not guessed.
#[test]
fn rust_of_many_crates() {
    let mut files: Vec<(String, String)> = (0..80)
        .map(|number| (format!("crates/n{number}/src/lib.rs"), String::new()))
        .collect();
    for (path, text) in [
        ("crates/n-a/src/deep/leaf.rs", "pub struct Leaf;\n"),
        ("crates/n-a/src/lib.rs", "pub mod deep;\n"),
        ("crates/n_b/src/lib.rs", "pub struct Other;\n"),
        ("old/n7/src/lib.rs", ""),
        (
            "user/src/inner/mod.rs",
            "use super::super::*;\nuse super::lib::X;\n",
        ),
        (
            "user/src/lib.rs",
            "mod inner;\nuse n_a::deep::leaf::Leaf;\nuse n_b::Other;\nuse n7::Thing;\nuse n8::*;\nuse serde::de::*;\n",
        ),
    ] {
        files.push((path.to_owned(), text.to_owned()));
    }
    files.sort();
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(path, text)| (path.as_str(), text.as_str()))
        .collect();
    let text = map_of(&files);
    let (_, user) = text.split_once("user/src/inner").expect("the last files");
    insta::assert_snapshot!(user, @r"
    /mod.rs ←1
      i→ user/src/lib.rs
    user/src/lib.rs ←1
      i→ crates/n-a/src/deep/leaf.rs,crates/n8/src/lib.rs,crates/n_b/src/lib.rs,user/src/inner/mod.rs
      i n7,serde
    ");
}

#[test]
fn rust() {
    insta::assert_snapshot!(map_of(&[
        ("Cargo.toml", "[package]\nname = \"shop\"\n"),
        ("src/lib.rs", "pub mod model;\nmod store;\npub use store::Store;\n"),
        ("src/store.rs", RUST_STORE),
        ("src/model/mod.rs", "mod tax;\npub use tax::add_tax;\npub enum Item { Book(String), Pen { colour: u8 } }\npub fn price_of(item: &Item, taxes: &[f64]) -> f64 { add_tax(1.0, taxes) }\n"),
        ("src/model/tax.rs", "pub(crate) fn add_tax(price: f64, taxes: &[f64]) -> f64 { price }\nfn unused() {}\n"),
        ("tests/shop.rs", "use shop::store::Store;\nuse shop::model::Item;\n#[test]\nfn works() { let store = Store::with_limit(None, (1, 2)); let price = Item::Book(\"a\".into()); store.total_price(vec![]); }\n"),
    ]), @r"
    Cargo.toml
    src/lib.rs
      i→ src/model/mod.rs,src/store.rs
    src/model/mod.rs ←3
      i→ src/model/tax.rs
      c Item ←2
        p Book ←1
        p Pen
      f price_of(item,taxes)->f64 ←1 →add_tax
    src/model/tax.rs ←1
      f add_tax(price,taxes)->f64 ←1
      f unused()
    src/store.rs ←2
      i→ src/model/mod.rs
      i std
      c Store(Display) ←2 →Item
        p items
        p limit?
        m with_limit(limit?,_)->Self ←1
        m build(limit?)->Self
        am total_price(taxes)->Result<f64,Error> ←1 →price_of
      c Priced(Send)
        v UNIT
        c Output
        m price()->u64
      v LIMIT
      f item
    tests/shop.rs
      i→ src/model/mod.rs,src/store.rs
      f works() →Item,Store::with_limit,total_price
    ");
}

#[test]
fn go() {
    insta::assert_snapshot!(map_of(&[
        ("go.mod", "module example.com/shop\n"),
        ("cmd/main.go", "package main\n\nimport (\n\t\"fmt\"\n\ts \"example.com/shop/internal/store\"\n)\n\nfunc main() {\n\tst := s.NewStore(10, \"x\")\n\tst.AddItem(s.Item{Name: \"a\"})\n\tfmt.Println(st)\n}\n"),
        ("internal/store/store.go", "package store\n\nimport \"errors\"\n\n// Store keeps.\ntype Store struct {\n\tItems []Item\n\tlimit int\n}\n\nvar ErrFull = errors.New(\"full\")\n\nfunc NewStore(limit int, name string) *Store { return &Store{limit: limit} }\n\nfunc (s *Store) AddItem(item Item) (bool, error) { return check(item), ErrFull }\n"),
        ("internal/store/item.go", "package store\n\ntype Item struct{ Name string }\n\ntype Priced interface {\n\tPrice() float64\n}\n\nfunc check(item Item, rest ...int) bool { return true }\n"),
    ]), @r"
    cmd/main.go
      i→ internal/store/
      i fmt
      f main() →AddItem,Item,NewStore
    go.mod
    internal/store/item.go ←2
      c Item ←2
        p Name ←1
      c Priced
        m Price()->float64
      f check(item,rest)->bool ←1
    internal/store/store.go ←1
      i errors
      c Store
        p Items →Item
        p limit
        m AddItem(item)->(bool,error) ←1 →Item,check
      v ErrFull
      f NewStore(limit,name)->*Store ←1
    ");
}

#[test]
fn c() {
    insta::assert_snapshot!(map_of(&[
        ("include/ring.h", "#ifndef RING_H\n#define RING_H\n#include <stddef.h>\n#define RING_MAX 16\n#define RING_STEP(x) ((x) + 1)\ntypedef struct ring { size_t head; char *slots[RING_MAX]; } ring_t;\nenum ring_error { RING_FULL, RING_EMPTY };\nextern int ring_push(ring_t *ring, const char *item, void (*done)(int));\nstatic inline int ring_is_empty(const ring_t *ring) { return ring->head == 0; }\n#endif\n"),
        ("src/ring.c", "#include \"ring.h\"\n#include \"util.h\"\n\nstatic int next(ring_t *ring) { return RING_STEP(ring->head); }\n\nint ring_push(ring_t *ring, const char *item, void (*done)(int)) {\n    char *copy = util_copy(item);\n    return copy ? next(ring) : RING_FULL;\n}\n"),
        ("src/util.c", "#include \"util.h\"\nchar *util_copy(const char *text) { return 0; }\n"),
        ("src/util.h", "#pragma once\nchar *util_copy(const char *text);\n"),
    ]), @r"
    include/ring.h ←1
      i <stddef.h>
      v RING_MAX
      f RING_STEP(x) ←1
      c ring_t ←1
        p head ←1
        p slots
      c ring_error
        p RING_FULL ←1
        p RING_EMPTY
      f ring_push(ring,item,done)->int
      f ring_is_empty(ring)->int
    src/ring.c
      i→ include/ring.h,src/util.h
      f next(ring)->int →RING_STEP,ring_t
      f ring_push(ring,item,done)->int →ring_t,util_copy
    src/util.c
      i→ src/util.h
      f util_copy(text)->char*
    src/util.h ←2
      f util_copy(text)->char* ←1
    ");
}

#[test]
fn cpp() {
    insta::assert_snapshot!(map_of(&[
        ("src/shape.hpp", "#pragma once\n#include <string>\nnamespace geo {\nclass Shape {\npublic:\n  explicit Shape(std::string name = \"\");\n  virtual ~Shape() = default;\n  virtual double area() const = 0;\n  const std::string& full_name() const;\nprivate:\n  std::string name_;\n};\ntemplate <typename T> T biggest(const T& a, const T& b) { return a; }\n}\n"),
        ("src/circle.cpp", "#include \"shape.hpp\"\nnamespace geo {\nclass Circle : public Shape, private Counter<int> {\npublic:\n  Circle(double r) : Shape(\"circle\"), r_(r) {}\n  auto area() const -> double override { return r_; }\nprivate:\n  double r_;\n};\nconst std::string& Shape::full_name() const { return name_; }\n}\nint main(int argc, char** argv) { geo::Circle c(1.0); return biggest(c.area(), 2.0) > 1; }\n"),
    ]), @r"
    src/circle.cpp
      i→ src/shape.hpp
      c geo
        c Circle(Shape,Counter)
          m Circle(r)
          m area()->double
          p r_
        c Shape
          m full_name()->std::string&
      f main(argc,argv)->int →biggest
    src/shape.hpp ←1
      i <string>
      c geo
        c Shape
          m Shape(name?)
          m ~Shape()
          m area()->double
          m full_name()->std::string&
          p name_
        f biggest(a,b)->T ←1
    ");
}
