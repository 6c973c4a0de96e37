//! Rust, C, C++ and Go. What a reader sees of a small but realistic file.

use super::outline_of;

const RUST: &str = r#"// Copyright 2026 The Authors.
//! Tokens of the input language, cut from text.
//!
//! More about it here.

#![forbid(unsafe_code)]

use std::fmt;
use std::io::{self, Read};

pub use self::error::LexError;
pub mod error;
pub(crate) mod table;

/// Longest token. Longer ones are refused.
pub const TOKEN_BYTES_MAX: usize = 64;

pub static NAMES: [&str; 4] = [
    "a", "b", "c", "d",
];

/// One token with its place, e.g. a word. Cheap to copy.
#[derive(Debug, Clone)]
pub struct Token<'a, T: Into<String> = String>
where
    T: fmt::Debug,
{
    /// Where it starts.
    pub start: usize, // a trailing remark
    pub text: &'a str,
    kind: T,
}

pub enum Shape {
    Word(String),
    Number { value: f64, exact: bool },
    End = 3,
}

/// Gives tokens.
pub trait Source {
    type Item;
    const LIMIT: usize = 3;
    /// The next one.
    fn next(
        &mut self, // the source
        limit: usize,
    ) -> Option<Self::Item>;
    fn skip(&mut self) {
        self.next(1);
    }
}

impl<'a> Token<'a> {
    /// Makes one.
    pub fn new(start: usize) -> Self {
        fn inner() {}
        todo!()
    }
    fn private(&self) {}
    pub(crate) const fn width(&self) -> usize { 1 }
}

impl fmt::Display for Token<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { Ok(()) }
}

impl From<Shape> for String {
    fn from(_: Shape) -> Self { String::new() }
}

#[macro_export]
macro_rules! token {
    ($x:expr) => { $x };
}

macro_rules! hidden { () => {} }

pub async unsafe fn run<R: Read>(input: R) -> io::Result<()> { Ok(()) }

fn helper() {}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn works() {}
}
"#;

#[test]
fn rust() {
    insta::assert_snapshot!(outline_of("sample.rs", RUST), @r"
    Tokens of the input language, cut from text.

    Rust source, 50+ lines, 9 public items.

    - `pub struct Token<'a, T: Into<String> = String> where T: fmt::Debug` (`#[derive(Debug, Clone)]`): One token with its place, e.g. a word.
      - fields `start: usize`, `text: &'a str`
      - `pub fn new(start: usize) -> Self`: Makes one.
      - `pub(crate) const fn width(&self) -> usize`
      - implements `fmt::Display`
    - `pub enum Shape`
      - variants `Word(String)`, `Number { value: f64, exact: bool }`, `End = 3`
    - `pub trait Source`: Gives tokens.
      - `type Item`
      - `const LIMIT: usize = 3`
      - `fn next(&mut self, limit: usize) -> Option<Self::Item>`: The next one.
      - `fn skip(&mut self)`
    - `impl From<Shape> for String`
      - `fn from(_: Shape) -> Self`
    - `macro_rules! token` (`#[macro_export]`)
    - `pub async unsafe fn run<R: Read>(input: R) -> io::Result<()>`
    - `pub const TOKEN_BYTES_MAX: usize = 64`: Longest token.
    - `pub static NAMES: [&str; 4]`
    - module `error`
    - module within the crate `table`
    - re-export `self::error::LexError`

    Not public:

    - `fn private(&self)` of `Token`
    - `fn helper()`
    - `macro_rules! hidden`
    - `mod tests` (`#[cfg(test)]`)

    Tests:

    - `tests`: `works`

    Imports: `std::fmt`, `std::io::{self, Read}`
    ");
}

const C: &str = r#"/* sample.c - keeps values by key
 *
 * Copyright (C) 2026 an author
 */
#include <stdio.h>
#include "sample.h"

#define LIMIT 16
#define MAX(a, b) \
    ((a) > (b) ? (a) : (b))
#define GUARD

/* One entry. */
struct entry {
    char *key;     /* owned */
    int value, *next[2];
    void (*free)(void *);
};

typedef struct { int x; int y; } point_t;
typedef int (*compare_fn)(const void *, const void *);

enum level { LOW, HIGH = 2 };

static int counter = 0;
const char *names[] = { "a", "b" };

/*
 * Finds an entry. Returns NULL when there is none.
 */
struct entry *
find(const char *key, /* the key */
     size_t length)
{
    int inner = 1;
    return NULL;
}

static int helper(void) { return 1; }

#ifdef WITH_EXTRA
int extra(void);
#else
int extra(void);
#endif

ZEXTERN int ZEXPORT deflate OF((z_streamp strm, int flush));
/* After it. */
typedef voidpf (*alloc_func) OF((voidpf opaque, uInt items));
int last(void);
"#;

#[test]
fn c() {
    insta::assert_snapshot!(outline_of("sample.c", C), @r#"
    sample.c - keeps values by key

    C source, 50+ lines, 5 public items.

    - `struct entry`: One entry.
      - fields `char *key`, `int value, *next[2]`, `void (*free)(void *)`
    - `typedef struct {…} point_t`
      - fields `int x`, `int y`
    - `enum level`
      - variants `LOW`, `HIGH = 2`
    - `struct entry *find(const char *key, size_t length)`: Finds an entry.
    - `int extra(void)`
    - `ZEXTERN int ZEXPORT deflate OF((z_streamp strm, int flush))`
    - `int last(void)`
    - `typedef int (*compare_fn)(const void *, const void *)`
    - `typedef voidpf (*alloc_func) OF((voidpf opaque, uInt items))`: After it.
    - `const char *names[] = { "a", "b" }`
    - macros `LIMIT`, `MAX`

    Not public:

    - `static int helper(void)`
    - `static int counter = 0`

    Imports: `<stdio.h>`, `"sample.h"`
    "#);
}

const CPP: &str = "// A small cache.

#include <map>
#include <string>

namespace cache {

/// Keeps values. Not thread safe.
template <typename K, typename V>
class Cache final : public Base<K> {
 public:
  using Key = K;
  explicit Cache(size_t limit) : limit_(limit) {}
  virtual ~Cache() = default;
  /// Finds a value.
  [[nodiscard]] const V* find(const K& key) const noexcept override;
  bool operator==(const Cache& other) const;
  operator bool() const { return true; }
  static int count;

 private:
  size_t limit_;
  void evict();
};

struct Options {
  int size = 1;
  std::string name;
  void reset() { size = 0; }
};

enum class Level : int { Low, High = 2 };

constexpr int kLimit = 3;
using Names = std::map<std::string, int>;
template <typename T> concept Small = sizeof(T) < 8;

namespace {
int hidden() { return 1; }
}

static int local() { return 1; }

void Options::apply(int x) { size = x; }

}  // namespace cache
";

#[test]
fn cpp() {
    insta::assert_snapshot!(outline_of("sample.cpp", CPP), @r"
    A small cache.

    C++ source, 20+ lines, 6 public items.

    - `namespace cache`
      - `template <typename K, typename V> class Cache final : public Base<K>`: Keeps values.
        - field `static int count`
        - `using Key = K`
        - `explicit Cache(size_t limit)`
        - `virtual ~Cache() = default`
        - `const V* find(const K& key) const noexcept override` (`[[nodiscard]]`): Finds a value.
        - `bool operator==(const Cache& other) const`
        - `operator bool() const`
      - `struct Options`
        - fields `int size = 1`, `std::string name`
        - `void reset()`
        - `void Options::apply(int x)`
      - `enum class Level : int`
        - variants `Low`, `High = 2`
      - `constexpr int kLimit = 3`
      - `using Names = std::map<std::string, int>`
      - `template <typename T> concept Small = sizeof(T) < 8`

    Not public:

    - `void evict()` of `Cache`
    - `int hidden()` in `cache`
    - `static int local()` in `cache`

    Imports: `<map>`, `<string>`
    ");
}

const GO: &str = r#"// Copyright 2026 The Authors. All rights reserved.
// Use of this source code is governed by a licence.

// Package store keeps values by key.
//
// More.
package store

import (
	"fmt"
	osx "os"
)

// Limits.
const (
	// MaxSize is the largest size.
	MaxSize = 1 << 20
	minSize = 1
)

var ErrMissing, errOther = fmt.Errorf("missing"), fmt.Errorf("other")

// Store keeps values.
type Store[K comparable, V any] struct {
	Name   string `json:"name"`
	values map[K]V
	sync.Mutex
}

// Reader reads.
type Reader interface {
	// Read reads one.
	Read(key string) (value []byte, err error)
	io.Closer
}

type Option func(*Store[string, int]) error

// Get finds a value.
func (s *Store[K, V]) Get(key K) (V, bool) {
	return s.values[key], true
}

func (r other) Close() error { return nil }

// Open opens.
func Open(name string, options ...Option) (*Store[string, int], error) {
	return nil, nil
}

func helper() {}
"#;

#[test]
fn go() {
    insta::assert_snapshot!(outline_of("sample.go", GO), @r#"
    Package store keeps values by key.

    Go source, 50+ lines, 6 public items.

    - `type Store[K comparable, V any] struct`: Store keeps values.
      - fields `Name string`, `sync.Mutex`
      - `func Get(key K) (V, bool)`: Get finds a value.
    - `type Reader interface`: Reader reads.
      - `Read(key string) (value []byte, err error)`: Read reads one.
      - implements `io.Closer`
    - members of `other`
      - `func (r other) Close() error`
    - `func Open(name string, options ...Option) (*Store[string, int], error)`: Open opens.
    - `type Option func(*Store[string, int]) error`
    - `const MaxSize = 1 << 20`: MaxSize is the largest size.
    - `var ErrMissing, errOther = fmt.Errorf("missing"), fmt.Errorf("other")`

    Not public:

    - `func helper()`
    - `const minSize = 1`

    Imports: `fmt`, `osx os`
    "#);
}

#[test]
fn macros_that_are_parts_of_statements_declare_nothing() {
    let text = "struct A {\n  MY_CATCH(const B&) { f(); }\n  MY_DISALLOW_COPY(A);\n  int go();\n};\nMY_PRAGMA(push);\nTEST(a, b) {}\n";
    insta::assert_snapshot!(outline_of("a.cc", text), @r"
    C++ source, under 10 lines, 1 public item.

    - `struct A`
      - `int go()`
    - `TEST(a, b)`
    ");
}

#[test]
fn what_a_macro_is_given_is_shown_as_the_declaration_that_it_is() {
    let text = "PNG_EXPORT(1, int, f, (char *a));\nextern PNG_EXPORT(void *,g) PNG_ARGS((int a));\nOLD_DEPRECATED(int h(void));\n";
    insta::assert_snapshot!(outline_of("a.h", text), @r"
    C source, under 10 lines, 3 public items.

    - `int f (char *a)`
    - `extern void * g PNG_ARGS((int a))`
    - `int h(void)`
    ");
}

#[test]
fn nothing_within_a_macro_is_declared_by_the_file() {
    let text = "#ifndef SORT_H\n#define SORT_H 1\n/* The loop. */\n#define LOOP(T, N) \\\ndo { \\\n    T l = 0; /* the first, \"so */ \\\n    struct { T l, r; } \\\n    /* On small machines \\\n     * that is enough. */ \\\n    st[32]; \\\n    T m = (l) + 1; \\\n} while (0)\n# define ARROWS_H \"x\" /* an arrow */\nint sort(int n);\n#endif\n";
    insta::assert_snapshot!(outline_of("sort.h", text), @r"
    C source, 10+ lines, 3 public items.

    - `int sort(int n)`
    - `#define LOOP(T, N)`: The loop.
    - macro `ARROWS_H`
    ");
}

#[test]
fn tests_of_rust_are_listed_and_not_public() {
    let text = "pub trait Render {
    fn render(&self) -> String;
}

impl Render for Option<other::Group> {
    fn render(&self) -> String {
        String::new()
    }
}

pub use other::{Group, kind::{A, B}};

#[cfg(test)]
pub mod test {
    use super::*;

    fn helper() {}

    #[test]
    fn named() {}

    #[tokio::test]
    #[ignore]
    // Slow.
    async fn waits() {}

    mod deep {
        #[test]
        fn inner() {}
    }
}
";
    insta::assert_snapshot!(outline_of("render.rs", text), @r"
    Rust source, 20+ lines, 4 public items.

    - `pub trait Render`
      - `fn render(&self) -> String`
    - `impl Render for Option<other::Group>`
      - `fn render(&self) -> String`
    - re-export `other::{Group, kind::{A, B}}`

    Not public:

    - `pub mod test` (`#[cfg(test)]`)

    Tests:

    - `test`: `named`, `waits`
    - `test › deep`: `inner`
    ");
}

#[test]
fn tests_of_the_check_framework_are_tests() {
    let text = "#include <check.h>

static void setup(void) {}

START_TEST(test_open) {
  ck_assert(till_open());
}
END_TEST

START_TEST(test_close)
{
  if (x) { y(); }
}
END_TEST
START_TEST(test_count) {
}
END_TEST

static Suite *till_suite(void) {
  return 0;
}

DWORD_T
count(void)
{
}
";
    insta::assert_snapshot!(outline_of("till-test.c", text), @r"
    C source, 20+ lines, 1 public item.

    - `DWORD_T count(void)`

    Not public:

    - `static void setup(void)`
    - `static Suite *till_suite(void)`

    Tests: `test_open`, `test_close`, `test_count`

    Imports: `<check.h>`
    ");
}

#[test]
fn a_group_for_doxygen_is_about_the_file() {
    let text = "#ifndef TILL_H
#define TILL_H

#include \"shop.h\"

/**
 * @defgroup TILL Tills of a shop
 * @ingroup SHOP
 *
 * The till reads:
 *  * #Settings::till
 *
 * @{
 */
/** Opens it. */
extern int till_open;

extern int till_count;
/**@}*/
int till_close(void);
#endif
";
    insta::assert_snapshot!(outline_of("till.h", text), @r#"
    Tills of a shop

    C source, 20+ lines, 3 public items.

    - `int till_close(void)`
    - `extern int till_open`: Opens it.
    - `extern int till_count`

    Imports: `"shop.h"`
    "#);
}
