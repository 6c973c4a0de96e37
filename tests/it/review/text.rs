//! What is printed, and of which range.

use super::{SHOP, document, reviewed};
use crate::support::Sandbox;

#[test]
fn a_branch_from_what_others_rely_on_to_what_they_do_not_see() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled(SHOP);
    insta::assert_snapshot!(repo.merkle(&["review"]).ok(), @"
    1 public declaration removed, 1 signature changed, 3 bodies, 1 moved, 1 private · 5 of 7 files are code
    − discount   src/price.rs   was in src/bin/till.rs, 1 test
    price_of(…, taxes: u8→u16)   src/price.rs:2   ← src/basket.rs, src/bin/till.rs, 1 test
    rounded   src/price.rs:6   body
    moved: src/lib.rs → src/main_lib.rs
    + Basket::is_empty   src/basket.rs:12
    Basket::total   src/basket.rs:8   body
    main   src/bin/till.rs:3   body
    comments or statements: tool.py
    tests: 1 added, 1 removed in tests/prices.rs
    no code: README.md
    ");
    let json = document(&repo, "main");
    insta::assert_snapshot!(json["changes"][0].to_string(), @r#"{"section":"public","change":"removed","kind":"function","name":"discount","path":"src/price.rs","from":null,"line":6,"old":{"signature":"pub fn discount(item: &str) -> u32","attributes":[],"visibility":"public"},"new":null,"members":[],"lines":3,"body":false,"referring":["src/bin/till.rs"],"referring_tests":1}"#);
}

#[test]
fn what_is_compared() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled(SHOP);
    repo.fill("switch main\ncommit elsewhere\n+ src/other.rs = pub fn other() {}");
    let of_branch = repo.merkle(&["review", "main...work"]).ok();
    repo.git(&["switch", "-q", "work"]).ok();
    for revisions in [&["review"][..], &["review", "main"], &["review", "HEAD^!"]] {
        assert_eq!(repo.merkle(revisions).ok(), of_branch, "{revisions:?}");
    }
    let direct = repo.merkle(&["review", "main..work"]).ok();
    assert!(direct.contains("other"), "{direct}");
    assert_eq!(repo.merkle(&["review", "main", "work"]).ok(), direct);
    repo.git(&["branch", "-m", "main", "trunk"]).ok();
    insta::assert_snapshot!(repo.merkle(&["review"]).exits(129).err(), @"
    error: no default branch is known here
    hint: name what to compare with: git merkle review <base>..<head>
    ");
    repo.config("init.defaultBranch", "trunk");
    assert_eq!(repo.merkle(&["review"]).ok(), of_branch);
}

/// A declaration that stands in another file is one line, and so is a whole file.
#[test]
fn what_moved_is_neither_new_nor_gone() {
    let said = reviewed(
        "
        commit first
        + a.py
          | class Basket:
          |     def total(self, taxes):
          |         return taxes
          |
          |     def clear(self):
          |         self.items = []
          |
          | def kept():
          |     return 1
        + old/one.py = def one(): return 1
        + old/two.py = def two(): return 2
        commit second
        + a.py
          | def kept():
          |     return 1
        + b.py
          | class Basket:
          |     def total(self, taxes):
          |         return taxes + 1
          |
          |     def clear(self):
          |         self.items = []
        > old/one.py -> new/one.py
        > old/two.py -> new/two.py
    ",
    );
    insta::assert_snapshot!(said, @"
    Same public declarations, 1 body changed, 3 moved · 4 of 4 files are code
    Basket.total   b.py:2   body
    moved: old/{one,two}.py → new/
    moved: class Basket (2 members)   a.py → b.py
    ");
}

/// What imports give is not declared again by what stands in for them, `__all__` makes nothing new of it, and how a value is
/// quoted or bracketed is no change.
#[test]
fn names_of_imports_and_quotes_of_python_are_no_news() {
    let said = reviewed(
        r#"
        commit first
        + shop/__init__.py
          | from .api import get, post
          | from . import tls
        + shop/tls.py
          | import ssl
          | is_old = (ssl.version[0] == 2)
          | FACES = {1: '\o/', 2: ('a', u'b'), 3: 'x', 4: 'y', 5: 'a rather long text', 6: 'z'}
          | def version():
          |     return ssl.version
        + shop/api.py = def get(): pass
        commit second
        + shop/__init__.py
          | from .api import get, post
          | from . import tls
          | __all__ = ("get", "tls", "made")
          | __version__ = "2"
        + shop/tls.py
          | try:
          |     import ssl
          | except ImportError:
          |     ssl = None
          | ssl = checked(ssl)
          | is_old = ssl.version[0] == 2
          | FACES = {1: "\o/", 2: ("a", "b"), 3: "x", 4: "y", 5: "a rather long text", 6: "z"}
          | def version():
          |     return ssl.version
    "#,
    );
    insta::assert_snapshot!(said, @"
    2 public declarations added, 1 private · 2 of 2 files are code
    + ssl   shop/tls.py:5
    + made   shop/__init__.py:1
    + __version__   shop/__init__.py:4
    ");
}

#[test]
fn a_private_module_of_python_is_for_others_as_far_as_its_package_passes_it_on() {
    let said = reviewed(
        r"
        commit first
        + pkg/__init__.py
          | from ._client import Client
          | from ._more import *
        + pkg/_client.py
          | class Client:
          |     def __init__(self, proxies=None): pass
          |     def _send(self): pass
          | class Helper:
          |     def run(self, a): pass
        + pkg/_more/__init__.py
          | from ._deep import total
        + pkg/_more/_deep.py
          | def total(a): pass
          | def half(a): pass
        + pkg/test.py
          | class Probe:
          |     def get(self, path): pass
        commit second
        + pkg/_client.py
          | class Client:
          |     def __init__(self): pass
          |     def _send(self, a): pass
          | class Helper:
          |     def run(self): pass
        + pkg/_more/_deep.py
          | def total(b): pass
          | def half(b): pass
        + pkg/test.py
          | class Probe:
          |     def get(self, path, query=None): pass
    ",
    );
    insta::assert_snapshot!(said, @"
    3 signatures changed, 3 private, nothing added or removed · 3 of 3 files are code
    total(a→b)   pkg/_more/_deep.py:1   ← pkg/_more/__init__.py
    Client.__init__(…, −proxies=None)   pkg/_client.py:2
    Probe.get(…, +query=None)   pkg/test.py:2
    Client._send(…, +a)   pkg/_client.py:3
    Helper.run(…, −a)   pkg/_client.py:5
    half(a→b)   pkg/_more/_deep.py:2
    ");
}

#[test]
fn a_class_of_python_moves_with_its_overloads_and_stand_ins_are_no_news() {
    let said = reviewed(
        r"
        commit first
        + a.py
          | class Map:
          |     @overload
          |     def match(self, a: int) -> int: ...
          |     @overload
          |     def match(self, a: str) -> str: ...
          |     def match(self, a): return a
          |     def size(self): return 1
          | def stays(): pass
        + b.py = import os
        + large.py
          | class Held:
          |     def get(self): return 1
          | def other(): return 2
        + local.py
          | import contextvars
          | def get(): pass
        commit second
        + a.py = def stays(): pass
        + large.py = def other(): return 2
        + large/held.py
          | class Held:
          |     def get(self): return 1
        + large/held.pyi
          | class Held:
          |     def get(self) -> int: ...
        + b.py
          | import os
          | class Map:
          |     @overload
          |     def match(self, a: int) -> int: ...
          |     @overload
          |     def match(self, a: str) -> str: ...
          |     @overload
          |     def match(self, a: bytes) -> bytes: ...
          |     def match(self, a): return a
          |     def size(self): return 1
        + local.py
          | try:
          |     from contextvars import ContextVar
          | except ImportError:
          |     class ContextVar:
          |         def get(self): pass
          | def get(): pass
    ",
    );
    insta::assert_snapshot!(said, @"
    1 public declaration added, 2 moved · 6 of 6 files are code
    Map.match +@overload def match(self, a: bytes) -> bytes   b.py:7
    moved: class Map (5 members)   a.py → b.py
    moved: class Held (1 member)   large.py → large/held.py
    imports: local.py
    repeats what stands beside it: large/held.pyi
    ");
}

#[test]
fn a_function_of_c_that_headers_declare_is_one_wherever_it_is_defined() {
    let said = reviewed(
        r"
        commit first
        + include/x.h
          | int x_open(void);
        + src/a.c
          | int x_open(void) { return 1; }
          | int own(void) { return 1; }
        + src/b.c
          | int b(void) { return 1; }
        commit second
        + src/a.c
          | int b(void) { return 1; }
        + src/b.c
          | int x_open(void) { return 2 + 2; }
          | int own(void) { return 2 + 2; }
    ",
    );
    insta::assert_snapshot!(said, @"
    Same public declarations, 1 body changed, 2 moved, 2 private · 2 of 2 files are code
    x_open   src/b.c:1   body
    moved: b   src/b.c → src/a.c
    moved: x_open   src/a.c → src/b.c
    − own   src/a.c
    + own   src/b.c:2
    ");
}

#[test]
fn a_value_that_gets_too_long_to_be_shown_did_not_go() {
    let said = reviewed(
        r#"
        commit first
        + a.py
          | Kind = Literal["auto", "none", "websockets", "wsproto"]
          | Long = Literal["auto", "none", "websockets", "websockets-sansio", "wsproto"]
        commit second
        + a.py
          | Kind = Literal["auto", "none", "websockets", "websockets-sansio", "wsproto"]
          | Long = Literal["auto", "none", "websockets", "wsproto"]
    "#,
    );
    insta::assert_snapshot!(said, @"
    2 signatures changed, nothing added or removed · 1 of 1 file is code
    Kind value   a.py:1
    Long value   a.py:2
    ");
}

#[test]
fn twins_that_go_together_are_told_as_one() {
    let said = reviewed(
        r"
        commit first
        + pattern.go
          | package a
          | func set(a int, b *int) { *b = a }
        + other.go
          | package a
          | func set(a int, b *int) { *b = a + 1 }
        + mux.go
          | package a
          | func Use() { set(1, nil) }
        commit second
        + mux.go
          | package a
          | func Use() { use() }
        - pattern.go
        - other.go
    ",
    );
    insta::assert_snapshot!(said, @"
    Same public declarations, 1 body changed, 1 private · 3 of 3 files are code
    − set   other.go   was in mux.go
    Use   mux.go:2   body
    repeats what stands beside it: pattern.go
    ");
}

#[test]
fn who_calls_a_function_of_c_counts_once_however_many_headers_declare_it() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled(
        r#"
        commit first
        + x.h
          | int go(void);
          | struct ops { int stop; };
        + y.h
          | int go(void);
        + a.c
          | #include "x.h"
          | #include "y.h"
          | static int stop(void) { return 1; }
          | int go(void) { return stop(); }
        + b.c
          | #include "x.h"
          | #include "y.h"
          | int b(struct ops *ops) { return go() + ops->stop; }
        commit second
        + a.c
          | #include "x.h"
          | #include "y.h"
          | static int stop(void) { return 2 + 2; }
          | int go(void) { return 3 + stop(); }
    "#,
    );
    insta::assert_snapshot!(repo.merkle(&["review", "HEAD^!"]).ok(), @"
    Same public declarations, 2 bodies changed · 1 of 1 file is code
    go, stop   a.c   bodies   ← b.c
    ");
    let document = repo.merkle(&["review", "HEAD^!", "--json"]).json("review");
    let referring = |at: usize| &document["changes"][at]["referring"];
    assert_eq!(referring(0), &serde_json::json!(["b.c"]), "{document}");
    assert_eq!(
        referring(1),
        &serde_json::json!([]),
        "a field is no function"
    );
}

#[test]
fn definitions_that_conditions_choose_from_are_one_declaration() {
    let said = reviewed(
        r"
        commit first
        + include/x.h
          | int go(void);
          | int kept(int a);
          | int lost(void);
        + own.h
          | #define OWN 1
        + a.c
          | #ifdef OLD
          | int go(void) { return 1; }
          | #endif
        commit second
        + include/x.h
          | int go(void);
          | int kept(int a);
          | #ifdef OTHER
          | int kept(int b);
          | #endif
          | #if 0
          | int never(void);
          | #endif
        + own.h
          | #define OWN 1
          | int lost(void);
        + b.c
          | int go(void) { return 2; }
    ",
    );
    insta::assert_snapshot!(said, @"
    1 public declaration removed, 2 private · 3 of 3 files are code
    − lost   include/x.h
    + go   b.c:1
    + lost   own.h:2
    ");
}

#[test]
fn how_statements_of_python_are_broken_into_lines_is_no_news() {
    let said = reviewed(
        r#"
        commit first
        + a.py
          | def plan(a, b):
          |     if a:
          |         run(a, {'x': b})
          |         stop()
          | def moved(a):
          |     if a:
          |         run(a)
          |         stop()
        commit second
        + a.py
          | def plan(a, b):
          |     if a:
          |         run(
          |             a,  # first
          |             {"x": b},
          |         )
          |
          |         stop()
          | def moved(a):
          |     if a:
          |         run(a)
          |     stop()
    "#,
    );
    insta::assert_snapshot!(said, @"
    Same public declarations, 1 body changed · 1 of 1 file is code
    moved   a.py:9   body
    ");
}

#[test]
fn what_a_file_passes_on_after_it_moved_is_no_news() {
    let said = reviewed(
        r"
        commit first
        + src/lib.rs
          | mod other;
          | pub struct Vector { len: usize }
          | impl Vector {
          |     pub fn len(&self) -> usize { self.len }
          | }
          | pub fn gone() {}
          | pub fn passed() -> u8 { 1 }
        + src/other.rs
          | use crate::Vector;
          | impl std::fmt::Debug for Vector {
          |     fn fmt(&self) {}
          | }
        commit second
        + src/lib.rs
          | mod other;
          | mod vector;
          | pub use vector::Vector;
          | pub use elsewhere::passed;
        + src/other.rs = use crate::Vector;
        + src/vector.rs
          | pub struct Vector { len: usize }
          | impl Vector {
          |     pub fn len(&self) -> usize { self.len }
          | }
          | impl std::fmt::Debug for Vector {
          |     fn fmt(&self) {}
          | }
    ",
    );
    insta::assert_snapshot!(said, @"
    1 public declaration removed, 1 signature changed, 2 moved, 1 private · 3 of 3 files are code
    − gone   src/lib.rs
    pub fn→use elsewhere:: passed−() −-> u8   src/lib.rs:4
    moved: struct Vector (2 members)   src/lib.rs → src/vector.rs
    moved: impl std::fmt::Debug for Vector   src/other.rs → src/vector.rs
    + module vector   src/lib.rs:2
    ");
}

/// In a partial clone a missing file is a line, and no failure.
#[test]
fn a_file_that_is_not_here_is_told() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled("commit first\n+ a.py = A = 1\n+ b.py = B = 1\ncommit second\n+ a.py = A = 2\n+ b.py = B = 2");
    let id = repo.id("HEAD:b.py");
    let object = repo.path(&format!(".git/objects/{}/{}", &id[..2], &id[2..]));
    std::fs::remove_file(object).expect("a loose object");
    insta::assert_snapshot!(repo.merkle(&["review", "HEAD^!"]).ok(), @"
    1 signature changed, nothing added or removed, 1 file not in this clone · 2 of 2 files are code
    A = 1→2   a.py:1
    not in this clone: b.py
    ");
}

/// For a forge: a mark to find the comment by, the verdict, and nothing of the repository outside of code spans.
#[test]
fn markdown_for_a_forge() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled(SHOP);
    let markdown = |options: &[&str]| {
        let arguments = [&["review", "--format", "markdown"][..], options];
        repo.merkle(&arguments.concat()).ok()
    };
    insta::assert_snapshot!(markdown(&[]), @"
    <!-- git-merkle:review:1 -->
    **1 public declaration removed, 1 signature changed, 3 bodies, 1 moved, 1 private · 5 of 7 files are code**

    - `− discount` `src/price.rs   was in src/bin/till.rs, 1 test`
    - `price_of(…, taxes: u8→u16)` `src/price.rs:2   ← src/basket.rs, src/bin/till.rs, 1 test`
    - `rounded` `src/price.rs:6   body`
    - `moved: src/lib.rs → src/main_lib.rs`
    - `+ Basket::is_empty` `src/basket.rs:12`
    - `Basket::total` `src/basket.rs:8   body`
    - `main` `src/bin/till.rs:3   body`
    - `comments or statements: tool.py`
    - `tests: 1 added, 1 removed in tests/prices.rs`
    - `no code: README.md`
    - compared: `f2aa372` with `HEAD`
    ");
    insta::assert_snapshot!(markdown(&["--limit", "330"]), @"
    <!-- git-merkle:review:1 -->
    **1 public declaration removed, 1 signature changed, 3 bodies, 1 moved, 1 private · 5 of 7 files are code**

    - `− discount` `src/price.rs   was in src/bin/till.rs, 1 test`
    - `price_of(…, taxes: u8→u16)` `src/price.rs:2   ← src/basket.rs, src/bin/till.rs, 1 test`
    - …and 9 more
    ");
    assert_eq!(markdown(&["main..main"]), "");
}

/// Before, a note on the root stood there without a path.
#[test]
fn markdown_names_the_root() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled("commit first\n+ a.py = A = 1");
    repo.merkle(&["note", ".", "-m", "All of it."]).ok();
    repo.fill("commit second\n+ b.py = B = 1");
    let text = repo
        .merkle(&["review", "--format", "markdown", "HEAD^!"])
        .ok();
    assert!(
        text.contains("`./ Test User <user@example.org>: All of it.`"),
        "{text}"
    );
}

/// Of a large change, what is heaviest; every file of code is named.
#[test]
fn a_large_change_is_short_unless_all_is_wanted() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    let files =
        (0..7).map(|number| format!("+ m{number}.py = def run{number}(): return {number}\n"));
    let fixture = "commit first\n+ README.md = # Many\ncommit second\n".to_owned()
        + &files.collect::<String>();
    repo.fill(&fixture);
    insta::assert_snapshot!(repo.merkle(&["review", "HEAD^!"]).ok(), @"
    7 public declarations added · 7 of 7 files are code
    + run0   m0.py:1
    + run1   m1.py:1
    + run2   m2.py:1
    … 4 more in m3.py, m4.py, m5.py, m6.py
    ");
    let all = repo.merkle(&["review", "--all", "HEAD^!"]).ok();
    assert_eq!(
        all.lines().filter(|line| line.starts_with("+ ")).count(),
        7,
        "{all}"
    );
}

/// A branch cannot take what it removes out of the verdict by what its own text says.
#[test]
fn what_a_change_says_of_itself_hides_nothing() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled(
        "
        commit first
        + Cargo.toml = [package]
        + src/lib.rs
          | pub mod a;
          | pub use a::B as C;
        + src/a.rs
          | pub struct B;
          | pub fn gone() {}
        branch work
        commit second
        + src/lib.rs
          | pub mod a;
          | use a::B as C;
        + src/a.rs
          | // @generated
          | pub struct B;
        ",
    );
    let text = repo.merkle(&["review", "main"]).ok();
    assert!(text.starts_with("2 public declarations removed"), "{text}");
    assert!(
        text.contains("\u{2212} gone") && text.contains("src/lib.rs"),
        "{text}"
    );
}

/// Before, who may write a property of C# was its value, and a string that changed had one mark within its quotes.
#[test]
fn who_may_write_and_what_a_string_was_is_said() {
    let said = reviewed(
        "
        commit first
        + a.cs
          | public class Till
          | {
          |     public int Items { get; set; }
          |     public string Name { get; set; } = \"a\";
          | }
        + a.ts = export function sell(item = \"tail\", sep = \",\") {}
        commit second
        + a.cs
          | public class Till
          | {
          |     public int Items { get; private set; }
          |     public string Name { get; set; } = \"b\";
          | }
        + a.ts = export function sell(item = \"new tail\", sep = \",\") {}
    ",
    );
    insta::assert_snapshot!(said, @r#"
    2 signatures changed, 1 body, nothing added or removed · 2 of 2 files are code
    Till.Items { get; +private set; }   a.cs:3
    sell(item = "tail"→"new tail", …)   a.ts:1
    Till.Name value   a.cs:4
    "#);
}

/// Before, a file of more declarations than are read was called unchanged, and what no longer was among them gone.
#[test]
fn a_file_that_is_not_read_to_its_end_is_not_read() {
    let many = |last: &str| -> String {
        (0..4_100)
            .map(|n| format!("pub fn f{n}() {{}}\n"))
            .chain([last.to_owned()])
            .collect()
    };
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    repo.put("a.rs", many("pub fn sell(a: u8) {}\n"));
    repo.commit("first");
    repo.put("a.rs", many("pub fn sell(a: u16) {}\n"));
    repo.commit("second");
    let said = repo.merkle(&["review", "HEAD~1..HEAD"]).ok();
    assert!(said.contains("not read: a.rs"), "{said}");
}

/// A body that changed with its signature, members in another order, statements beside functions, and overloads that went.
#[test]
fn what_stands_beside_other_changes_is_told_as_well() {
    let said = reviewed(
        r"
        commit first
        + auth.go
          | package app
          |
          | func Allow(user string) bool {
          |     return user == root
          | }
          |
          | func Deny(user string) bool {
          |     return user != root
          | }
        + pair.py
          | from typing import NamedTuple
          |
          | class Pair(NamedTuple):
          |     first: int
          |     second: int
        + app.py
          | import atexit
          |
          | def stop():
          |     return 1
          |
          | atexit.register(stop)
        + Random.cs
          | public class Random {
          |     public bool Bool() { return true; }
          |     public bool Bool(float weight) { return weight > 1; }
          | }
        commit second
        + auth.go
          | package app
          |
          | func Allow(user string, why string) bool {
          |     return user != root
          | }
          |
          | func Deny(user string, why string) bool {
          |     return user != root
          | }
        + pair.py
          | from typing import NamedTuple
          |
          | class Pair(NamedTuple):
          |     second: int
          |     first: int
        + app.py
          | import atexit
          |
          | def stop():
          |     return 2
        + Random.cs
          | public class Random {
          |     public bool Bool() { return true; }
          | }
    ",
    );
    insta::assert_snapshot!(said, @"
    1 public declaration removed, 2 signatures changed, 1 type reordered, 1 body, statements in 1 file · 4 of 4 files are code
    Allow(…, +why string), body   auth.go:3
    Deny(…, +why string)   auth.go:7
    Random.Bool −public bool Bool(float weight)   Random.cs
    Pair   pair.py:3   order of members
    stop   app.py:3   body
    statements: app.py
    ");
}

#[test]
fn the_verdict_says_what_changed_where_the_program_declares_the_same() {
    let said = reviewed(
        r"
        commit first
        + tools/a.js = function retry(n = 3) { return n; }
        + app.py = LIMIT = 1
        + tests/test_app.py
          | def test_app():
          |     assert LIMIT
        commit second
        + tools/a.js = function retry(n = 5) { return n; }
        + app.py
          | # Few.
          | LIMIT = 1
        + tests/test_app.py
          | def test_app():
          |     assert LIMIT == 1
    ",
    );
    insta::assert_snapshot!(said, @"
    Same public declarations, 1 changed in examples or tools · 2 of 3 files are code
    retry(n = 3→5)   tools/a.js:1
    comments or statements: app.py
    tests: 1 changed in tests/test_app.py
    ");
}
