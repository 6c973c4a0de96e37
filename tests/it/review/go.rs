//! What a review says of packages of Go.

use super::reviewed;
use crate::support::Sandbox;

#[test]
fn a_method_of_go_moves_without_its_type() {
    let said = reviewed(
        r"
        commit first
        + a/x.go
          | package a
          | type W struct{}
          | func (w *W) List() int { return 1 }
          | func (w *W) Stay() int { return 1 }
        + a/v.go
          | package a
          | func (w *W) Back() int { return 1 }
        commit second
        + a/x.go
          | package a
          | type W struct{}
          | func (w *W) Stay() int { return 1 }
          | func (w *W) Back() int { return 1 }
        + a/v.go
          | package a
          | func (w *W) List() int { return 2 + 2 }
    ",
    );
    insta::assert_snapshot!(said, @"
    Same public declarations, 1 body changed, 2 moved · 2 of 2 files are code
    W.List   a/v.go:2   body
    moved: W.List   a/x.go → a/v.go
    moved: W.Back   a/v.go → a/x.go
    ");
}

#[test]
fn a_package_of_go_is_a_folder() {
    let said = reviewed(
        r#"
        commit first
        + chi/chi.go
          | package chi
          | func URLParam(ctx context.Context, key string) string { return "" }
          | type Kind int
          | const (
          |     JSON Kind = iota
          |     XML
          |     HTML
          | )
          | type Context struct {
          |     context.Context
          | }
        + chi/context.go
          | package chi
          | type writer struct{}
          | type Fault struct {
          |     Line int
          | }
        + chi/writer.go
          | package chi
          | func (w *writer) Close() {}
        + chi/wrap17.go
          | // +build !go1.8
          |
          | package chi
          | func Wrap(w Writer) Writer { return one(w) }
        + chi/wrap18.go
          | // +build go1.8
          |
          | package chi
          | func Wrap(w Writer) Writer { return two(w) }
        + chi/notify.go
          | // +build go1.8
          |
          | package chi
          | func Notify() { one() }
        commit second
        + chi/chi.go
          | package chi
          | type Kind int
          | const (
          |     Plain Kind = iota
          |     JSON
          |     XML
          |     HTML
          | )
          | type Context struct {
          |     std.Context
          | }
        + chi/context.go
          | package chi
          | type writer struct{}
          | func URLParam(r *http.Request, key string) string { return "" }
        + chi/writer.go
          | package chi
          | func (w *writer) Push(a int) {}
          | type Fault struct {
          |     Line int
          | }
        - chi/wrap17.go
        - chi/wrap18.go
        + chi/wrap.go
          | package chi
          | func Wrap(w Writer) Writer { return two(w) }
        + chi/notify.go
          | // +build go1.8
          |
          | package chi
          | func Notify() { two() }
        + chi/notify17.go
          | // +build !go1.8
          |
          | package chi
          | func Notify() { two() }
        + chi/old.go
          | // +build !go1.8
          |
          | package chi
          | type Kind int
          | const Old = 1
    "#,
    );
    insta::assert_snapshot!(said, @"
    2 public declarations added, 5 signatures changed, 1 body, 3 moved, 2 private · 8 of 8 files are code
    JSON Kind = iota→1   chi/chi.go:5
    context.→std. Context.Context   chi/chi.go:10
    URLParam(ctx context.Context→r *http.Request, …)   chi/context.go:3
    XML Kind = 1→2   chi/chi.go:6
    HTML Kind = 2→3   chi/chi.go:7
    Notify   chi/notify.go:4   body
    + Plain   chi/chi.go:4
    + Old   chi/old.go:5
    moved: chi/wrap18.go → chi/wrap.go
    moved: URLParam   chi/chi.go → chi/context.go
    moved: struct Fault (1 member)   chi/context.go → chi/writer.go
    − writer.Close   chi/writer.go
    + writer.Push   chi/writer.go:2
    comments or statements: chi/wrap.go
    repeats what stands beside it: chi/{notify17,wrap17}.go
    ");
}

#[test]
fn what_leaves_internal_comes_for_others() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled(
        r"
        commit first
        + internal/slug/slug.go
          | package slug
          |
          | // Make makes a slug of a title.
          | func Make(title string) string {
          |     return strings.ToLower(title)
          | }
          |
          | // A Table has slugs that are taken.
          | type Table struct {
          |     Taken map[string]bool
          | }
        + cmd/shop/main.go
          | package main
          | func Run(args []string) int { return 0 }
        commit second
        - internal/slug/slug.go
        + slug/slug.go
          | package slug
          |
          | // Make makes a slug of a title.
          | func Make(title string) string {
          |     return strings.ToLower(title)
          | }
          |
          | // A Table has slugs that are taken.
          | type Table struct {
          |     Taken map[string]bool
          | }
        + cmd/shop/main.go
          | package main
          | func Run(args []string, out io.Writer) int { return 0 }
    ",
    );
    insta::assert_snapshot!(repo.merkle(&["review", "HEAD^!"]).ok(), @"
    3 public declarations added, 1 moved, 1 private · 2 of 2 files are code
    Run(…, +out io.Writer)   cmd/shop/main.go:2
    + Make, struct Table (1 member)   slug/slug.go
    moved: internal/slug/slug.go → slug/
    ");
    insta::assert_snapshot!(repo.merkle(&["review", "HEAD", "HEAD^"]).ok(), @"
    3 public declarations removed, 1 moved, 1 private · 2 of 2 files are code
    − Make, struct Table (1 member)   slug/slug.go
    Run(…, −out io.Writer)   cmd/shop/main.go:2
    moved: slug/slug.go → internal/slug/
    ");
}

#[test]
fn what_a_file_calls_a_package_is_no_news() {
    let said = reviewed(
        r#"
        commit first
        + level.go
          | package shop
          | import log "example.org/lib/logrus/v2"
          | func Level(l log.Level) log.Level { return l }
          | var Default log.Level
        commit second
        + level.go
          | package shop
          | import "example.org/lib/logrus/v2"
          | func Level(l logrus.Level) logrus.Level { return l }
          | var Default logrus.Level
    "#,
    );
    insta::assert_snapshot!(said, @"
    Same declarations · 1 of 1 file is code
    imports: level.go
    ");
}

#[test]
fn each_name_of_a_list_is_a_declaration() {
    let said = reviewed(
        r"
        commit first
        + config.go
          | package shop
          |
          | type Config struct {
          |     Name, Key string
          |     size, Width int
          | }
          |
          | var Low, High = 1, 9
        + config.h
          | struct config { int width, height; };
        commit second
        + config.go
          | package shop
          |
          | type Config struct {
          |     Name, Key, Level string
          |     size int
          |     Width int
          | }
          |
          | var Low, High = 1, 10
        + config.h
          | struct config { int width, *height; };
    ",
    );
    insta::assert_snapshot!(said, @"
    1 public declaration added, 1 signature changed, 1 body · 2 of 2 files are code
    int +* config.height   config.h:1
    High = 9→10   config.go:9
    + Config.Level   config.go:4
    ");
}

#[test]
fn a_function_moves_within_its_package_beside_others_of_its_name() {
    let said = reviewed(
        r"
        commit first
        + field.go
          | package shop
          | func Error(err error) Field { return Field{} }
          | func Skip() Field { return Field{} }
        + core/field.go
          | package core
          | func Error(err error) Field { return Field{} }
          | func Keep() Field { return Field{} }
        commit second
        + field.go
          | package shop
          | func Skip() Field { return Field{} }
        + error.go
          | package shop
          | func Error(err error) Field { return Field{err} }
        + core/field.go
          | package core
          | func Keep() Field { return Field{} }
    ",
    );
    insta::assert_snapshot!(said, @"
    1 public declaration removed, 1 body changed, 1 moved · 3 of 3 files are code
    − Error   core/field.go
    moved: Error   field.go → error.go
    Error   error.go:2   body
    ");
}

#[test]
fn a_test_that_becomes_a_file_of_the_program_is_no_move() {
    let said = reviewed(
        r#"
        commit first
        + lazy_test.go
          | package shop
          | import "testing"
          | func TestAdd(t *testing.T) { if 1+1 != 2 { t.Fatal("no") } }
          | func Shared(a, b int) int { return a + b }
          | func Other(a, b int) int { return a - b }
        commit second
        - lazy_test.go
        + lazy.go
          | package shop
          | import "testing"
          | func Shared(a, b int) int { return a + b }
          | func Other(a, b int) int { return a - b }
    "#,
    );
    insta::assert_snapshot!(said, @"
    Same public declarations, 2 moved · 1 of 2 files are code
    moved: Shared, Other   lazy_test.go → lazy.go
    tests: 1 removed in lazy_test.go
    ");
}

#[test]
fn a_package_that_becomes_a_program_is_gone_for_others() {
    let said = reviewed(
        "
        commit first
        + tool.go
          | package tool
          | func Run(a int) int { return a }
        commit second
        + tool.go
          | package main
          | func Run(a int) int { return a }
    ",
    );
    insta::assert_snapshot!(said, @"
    1 public declaration removed · 1 of 1 file is code
    − Run   tool.go
    ");
}

#[test]
fn another_package_under_another_name_is_another_type() {
    let said = reviewed(
        r#"
        commit first
        + scale.go
          | package shop
          | import v1 "example.org/api/autoscaling/v1"
          | func Scale(s *v1.Scale) {}
        commit second
        + scale.go
          | package shop
          | import v2 "example.org/api/autoscaling/v2"
          | func Scale(s *v2.Scale) {}
    "#,
    );
    insta::assert_snapshot!(said, @"
    1 signature changed, nothing added or removed · 1 of 1 file is code
    Scale(s *v1→v2.Scale)   scale.go:3
    ");
}
