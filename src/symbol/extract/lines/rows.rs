//! What [`super::source`] knows of each programming language: key words with what they declare, then what else differs.
//!
//! The first key word that fits counts, so longer ones stand first.

use super::source::{Odd, Row};
use super::special as by;
use crate::symbol::language::Language;
use crate::symbol::outline::Kind::{
    self, Class, Constant, Enum, Field, Function, Implementation, Interface, Key, Macro, Module,
    Struct, Target, Type, Variable, Variant,
};

/// A language of which nothing is known.
const ROW: Row = Row {
    language: Language::Text,
    words: &[],
    before: &[],
    private: &["private", "fileprivate", "internal", "local"],
    name: "",
    imports: &["import"],
    odd: Odd::No,
    special: None,
};

/// The row of a language; `None` for what has a grammar or a reader of its own.
pub(super) fn of(language: Language) -> Option<&'static Row> {
    ROWS.iter()
        .chain(LISPS)
        .find(|row| row.language == language)
}

/// Makes a list of key words.
macro_rules! words {
    ($($word:literal $kind:ident),* $(,)?) => { &[$(($word, $kind)),*] };
}

/// Makes the table.
macro_rules! rows {
    ($($language:ident [$($word:literal $kind:ident),*] { $($field:ident: $value:expr),* };)*) => {
        const ROWS: &[Row] = &[$(
            Row { language: Language::$language, words: &[$(($word, $kind)),*], $($field: $value,)* ..ROW },
        )*];
    };
}

/// Words that stand before declarations in many languages.
#[rustfmt::skip]
const MODIFIERS: &[&str] = &[
    "public", "private", "protected", "internal", "fileprivate", "open", "abstract", "final", "sealed", "static", "const",
        "override", "inline", "data", "value", "annotation", "inner", "expect", "actual", "suspend", "operator", "infix",
        "tailrec", "external", "lateinit", "companion", "vararg", "crossinline", "noinline", "mutating", "nonmutating",
        "lazy", "weak", "unowned", "required", "convenience", "dynamic", "optional", "indirect", "prefix", "postfix",
        "class", "async", "implicit", "case", "transparent", "package", "late", "factory", "covariant", "base", "mixin",
        "nonisolated", "distributed", "borrowing", "consuming", "native", "synchronized", "default", "partial", "readonly",
        "virtual", "extern",
];

/// The script of a component.
pub(super) const SCRIPT: Row = Row {
    language: Language::TypeScript,
    words: words!["function" Function, "class" Class, "interface" Interface, "type" Type, "enum" Enum, "const" Constant,
        "let" Variable, "var" Variable],
    before: &["export", "default", "async", "declare", "abstract"],
    name: "$",
    ..ROW
};

/// Words of all Lisps.
const LISP_WORDS: &[(&str, Kind)] = words![
    "cl-defstruct" Struct, "cl-defmethod" Function, "cl-defgeneric" Function, "cl-defun" Function, "cl-defmacro" Macro,
        "defstruct" Struct, "defclass" Class, "defmethod" Function, "defgeneric" Function, "defprotocol" Interface,
        "defrecord" Struct, "deftype" Struct, "defmulti" Function, "defmacro" Macro, "defsubst" Function,
        "define-minor-mode" Function, "define-derived-mode" Function, "define-syntax-rule" Macro, "define-syntax" Macro,
        "define-record-type" Struct, "define" Function, "defcustom" Variable, "defgroup" Key, "defface" Variable,
        "defconst" Constant, "defvar-local" Variable, "defvar-keymap" Variable, "defvar" Variable, "defparameter" Variable,
        "deftest" Function, "ert-deftest" Function, "transient-define-prefix" Function, "transient-define-suffix" Function,
        "transient-define-argument" Function, "transient-define-infix" Function, "define-obsolete-function-alias" Function,
        "defalias" Function, "defpackage" Module, "in-package" Module, "ns" Module, "defn-" Function, "defn" Function,
        "defonce" Variable, "def" Variable, "provide" Key, "module" Module, "struct" Struct, "defun" Function
];

/// Characters of their names.
const LISP_NAME: &str = "-+*/<>=?!.:%&'(~";

const LISPS: &[Row] = &[
    Row {
        language: Language::Lisp,
        words: LISP_WORDS,
        name: LISP_NAME,
        odd: Odd::Lisp,
        ..ROW
    },
    Row {
        language: Language::Clojure,
        words: LISP_WORDS,
        private: &["defn-"],
        name: LISP_NAME,
        odd: Odd::Lisp,
        ..ROW
    },
];

rows! {
    Kotlin ["enum class" Enum, "fun interface" Interface, "interface" Interface, "class" Class, "object" Class,
        "fun" Function, "val" Variable, "var" Variable, "typealias" Type] { before: MODIFIERS,
        name: ".`", special: Some(by::gradle_block) };
    Swift ["protocol" Interface, "extension" Implementation, "struct" Struct, "enum" Enum, "actor" Class, "func" Function,
        "let" Variable, "var" Variable, "typealias" Type, "associatedtype" Type, "case" Variant, "macro" Macro,
        "class func" Function, "class var" Variable, "class" Class] {
        before: &["public", "private", "internal", "fileprivate", "open", "package", "final", "static", "override",
        "mutating", "nonmutating", "lazy", "weak", "unowned", "required", "convenience", "dynamic", "optional",
        "indirect", "prefix", "postfix", "infix", "private(set)", "fileprivate(set)", "internal(set)", "nonisolated",
        "isolated", "async"], name: ".`", special: Some(by::swift) };
    Scala ["package object" Module, "trait" Interface, "class" Class, "object" Class, "enum" Enum,
        "extension" Implementation, "given" Constant, "def" Function, "val" Variable, "var" Variable, "type" Type] {
        before: MODIFIERS };
    Groovy ["class" Class, "interface" Interface, "trait" Interface, "enum" Enum, "def" Function, "task" Target,
        "pipeline" Target, "stage" Target] { before: MODIFIERS, special: Some(by::gradle_block) };
    Dart ["abstract class" Class, "mixin class" Class, "class" Class, "mixin" Class, "extension type" Struct,
        "extension" Implementation, "enum" Enum, "typedef" Type, "const" Constant, "final" Variable, "var" Variable] {
        before: MODIFIERS, imports: &["import", "export", "part"], odd: Odd::TypeFirst, special: Some(by::c_function) };
    Lua ["local function" Function, "global function" Function, "function" Function] { private: &["local function"], name: ".:", imports: &[],
        special: Some(by::lua) };
    Perl ["package" Module, "sub" Function, "class" Class, "method" Function, "role" Interface] { name: ":'",
        imports: &["use", "require"], odd: Odd::Underscore };
    Haskell ["module" Module, "newtype" Struct, "data" Struct, "type family" Type, "type" Type, "class" Interface,
        "instance" Implementation, "pattern" Constant] { name: ".'", special: Some(by::haskell) };
    Elixir ["defmodule" Module, "defprotocol" Interface, "defimpl" Implementation, "defmacrop" Macro, "defmacro" Macro,
        "defguardp" Macro, "defguard" Macro, "defp" Function, "defdelegate" Function, "def" Function, "defstruct" Struct,
        "defexception" Struct, "test" Function, "describe" Module] { private: &["defp", "defmacrop", "defguardp"],
        name: ".!?", imports: &["import", "alias", "use", "require", "import_config"], special: Some(by::elixir_config) };
    Erlang ["-module" Module, "-record" Struct, "-type" Type, "-opaque" Type, "-callback" Interface, "-define" Macro] {
        name: "@(", imports: &["-include", "-include_lib"], special: Some(by::erlang) };
    Ocaml ["module type" Interface, "module rec" Module, "module" Module, "class type" Interface, "class" Class,
        "type nonrec" Type, "type" Type, "exception" Struct, "external" Function, "val" Function, "let rec" Function,
        "let" Function, "and" Function] { before: &["private", "virtual"], name: "'.", imports: &["open", "include"] };
    FSharp ["module" Module, "namespace" Module, "type" Class, "exception" Struct, "member" Function,
        "abstract member" Function, "let rec" Function, "let" Function, "and" Class] {
        before: &["private", "internal", "public", "inline", "static", "override", "default", "mutable"], name: "'.",
        imports: &["open"] };
    Zig ["fn" Function, "test" Function, "const" Constant, "var" Variable] {
        before: &["pub", "export", "extern", "inline", "threadlocal", "comptime"], imports: &[], odd: Odd::Needs("pub") };
    Nim ["proc" Function, "func" Function, "method" Function, "iterator" Function, "template" Macro, "macro" Macro,
        "converter" Function, "type" Type, "const" Constant, "let" Variable, "var" Variable] {
        imports: &["import", "from", "include"] };
    Julia ["module" Module, "baremodule" Module, "function" Function, "macro" Macro, "mutable struct" Struct,
        "struct" Struct, "abstract type" Interface, "primitive type" Struct, "const" Constant] {
        before: &["@inline", "@noinline", "@propagate_inbounds", "@generated"], name: ".!",
        imports: &["using", "import", "include"], odd: Odd::Underscore, special: Some(by::julia) };
    R [] { name: ".", imports: &["library", "require", "source"], special: Some(by::r) };
    ObjectiveC ["@interface" Class, "@protocol" Interface, "@implementation" Implementation, "@property" Field,
        "typedef" Type, "#define" Macro, "enum" Enum, "struct" Struct] { imports: &["#import", "#include", "@import"],
        special: Some(by::objective_c) };
    Assembly ["ENTRY" Function, "SYM_FUNC_START" Function, "SYM_CODE_START" Function, ".macro" Macro, "#define" Macro,
        "%macro" Macro, ".section" Key, "WEAK" Function] { name: "(.$", imports: &["#include", ".include", "%include"],
        special: Some(by::label) };
    PowerShell ["function" Function, "filter" Function, "class" Class, "enum" Enum, "param" Function] { name: "-:",
        imports: &["using", "Import-Module"], special: Some(by::assigned) };
    Batch [] { imports: &["call"], special: Some(by::batch) };
    Fish ["function" Function] { name: "-.", imports: &["source"], special: Some(by::shell) };
    Zsh ["function" Function] { name: "-.:", imports: &["source"], special: Some(by::shell) };
    Awk ["function" Function, "func" Function, "BEGIN" Target, "END" Target] { imports: &["@include"] };
    Tcl ["proc" Function, "method" Function, "namespace eval" Module, "oo::class create" Class, "start_server" Module,
        "start_cluster" Module, "test" Function] { name: ":-.{", imports: &["package require", "source"] };
    Vim ["function!" Function, "function" Function, "func!" Function, "func" Function, "fu!" Function, "def" Function,
        "command!" Macro, "command" Macro, "augroup" Target, "class" Class, "syntax" Key, "syn" Key] {
        before: &["export", "-nargs=*", "-nargs=0", "-nargs=1", "-bar", "-bang"], name: ":#.<>",
        imports: &["runtime", "source", "import"], special: Some(by::assigned) };
    Fortran ["module procedure" Function, "module" Module, "submodule" Module, "program" Module, "subroutine" Function,
        "function" Function, "interface" Interface, "type ::" Struct, "type" Struct] {
        before: &["pure", "elemental", "recursive", "impure", "module", "integer", "real", "logical", "complex",
        "character", "double precision"], imports: &["use", "include"] };
    Pascal ["unit" Module, "program" Module, "library" Module, "procedure" Function, "function" Function,
        "constructor" Function, "destructor" Function, "property" Field] { before: &["class"], name: ".",
        imports: &["uses"], special: Some(by::pascal) };
    Solidity ["contract" Class, "library" Class, "interface" Interface, "struct" Struct, "enum" Enum, "event" Variant,
        "error" Variant, "modifier" Function, "function" Function, "mapping" Field] { before: &["abstract"] };
    Verilog ["module" Class, "interface" Interface, "package" Module, "class" Class, "function automatic" Function,
        "function" Function, "task automatic" Function, "task" Function, "typedef" Type, "`define" Macro,
        "parameter" Constant, "localparam" Constant, "input" Field, "output" Field, "inout" Field] {
        before: &["virtual", "static", "automatic", "pure", "extern", "protected"], name: "$:",
        imports: &["`include", "import"] };
    Vhdl ["entity" Class, "architecture" Implementation, "package body" Module, "package" Module, "component" Class,
        "function" Function, "procedure" Function, "type" Type, "signal" Field, "constant" Constant] {
        before: &["pure", "impure"], imports: &["use", "library"] };
    Ada ["package body" Module, "package" Module, "procedure" Function, "function" Function, "type" Type,
        "task type" Class, "task" Class, "generic" Key] { name: ".", imports: &["with", "use"] };
    Protobuf ["package" Key, "message" Struct, "enum" Enum, "service" Interface, "rpc" Function, "oneof" Struct,
        "extend" Implementation] { name: ".", special: Some(by::proto_field) };
    Graphql ["extend type" Implementation, "type" Struct, "interface" Interface, "input" Struct, "enum" Enum, "union" Type,
        "scalar" Type, "directive" Macro, "query" Function, "mutation" Function, "subscription" Function,
        "fragment" Struct, "schema" Struct] { name: "@", imports: &["#import"], special: Some(by::graphql_field) };
    Thrift ["namespace" Key, "struct" Struct, "union" Struct, "exception" Struct, "enum" Enum, "service" Interface,
        "typedef" Type, "const" Constant] { imports: &["include"] };
    Terraform ["resource" Struct, "data" Struct, "module" Struct, "variable" Variable, "output" Variable, "provider" Key,
        "terraform" Key, "locals" Key, "moved" Key, "import" Key, "check" Key, "required_providers" Key, "backend" Key,
        "ephemeral" Struct] { imports: &[], special: Some(by::hcl) };
    Sql ["create table" Struct, "create temporary table" Struct, "create temp table" Struct,
        "create unlogged table" Struct, "create or replace table" Struct, "create materialized view" Type,
        "create or replace view" Type, "create view" Type, "create unique index" Key, "create index" Key,
        "create or replace function" Function, "create function" Function, "create or replace procedure" Function,
        "create procedure" Function, "create or replace trigger" Function, "create trigger" Function, "create type" Type,
        "create domain" Type, "create sequence" Key, "create schema" Module, "create extension" Key,
        "create database" Module, "create role" Key, "create user" Key, "create operator" Function,
        "create aggregate" Function, "alter table" Struct, "drop table" Key, "insert into" Key, "{% macro" Macro,
        "{%- macro" Macro, "{% snapshot" Struct, "{% test" Function, "with" Key] { name: ".\"`", imports: &["\\i", "\\ir"],
        special: Some(by::sql) };
    CMake ["project" Module, "function" Function, "macro" Macro, "add_library" Target, "add_executable" Target,
        "add_custom_target" Target, "add_subdirectory" Key, "option" Variable, "add_test" Target, "set" Variable,
        "install" Key] { name: "(-.$", imports: &["include", "find_package"] };
    Meson ["project" Module, "executable" Target, "shared_library" Target, "static_library" Target, "library" Target,
        "test" Target, "option" Variable, "subdir" Key, "custom_target" Target, "install_data" Key, "run_target" Target] {
        name: "(-.'\"/", imports: &[], special: Some(by::meson) };
    Bazel ["def" Function] { imports: &["load"], odd: Odd::Underscore, special: Some(by::call) };
    Nix [] { name: ".-'", imports: &["imports"], special: Some(by::nix) };
    Jsonnet ["local" Variable] { name: ".", imports: &["import"], special: Some(by::nix) };
    Elm ["module" Module, "port module" Module, "type alias" Type, "type" Type, "port" Function] { name: ".",
        special: Some(by::haskell) };
    D ["module" Module, "class" Class, "struct" Struct, "interface" Interface, "enum" Enum, "union" Struct,
        "template" Macro, "alias" Type, "unittest" Target] { before: MODIFIERS, name: ".", special: Some(by::c_function) };
    Coffee ["class" Class] { imports: &["import"], special: Some(by::assigned) };
    Crystal ["module" Module, "class" Class, "struct" Struct, "enum" Enum, "lib" Module, "macro" Macro, "def" Function,
        "fun" Function, "alias" Type, "property" Field, "getter" Field] { before: &["private", "protected", "abstract"],
        name: ".:?!", imports: &["require"] };
    Shader ["struct" Struct, "#define" Macro, "uniform" Variable, "varying" Variable, "in" Variable, "out" Variable,
        "fn" Function, "cbuffer" Struct, "kernel" Function] {
        before: &["layout", "flat", "highp", "mediump", "lowp", "static", "const"], imports: &["#include"],
        special: Some(by::c_function) };
    Matlab ["function" Function, "classdef" Class, "properties" Key, "methods" Key] { };
    Autoconf ["AC_INIT" Module, "AC_DEFUN" Macro, "AU_DEFUN" Macro, "m4_define" Macro, "define" Macro,
        "AC_ARG_ENABLE" Variable, "AC_ARG_WITH" Variable, "AC_CONFIG_FILES" Key, "AC_CHECK_LIB" Key,
        "PKG_CHECK_MODULES" Key] { name: "(-.`", imports: &["m4_include", "include"], special: Some(by::assigned) };
    Bitbake ["inherit" Key, "do_" Function, "python" Function] { imports: &["require", "include"], special: Some(by::assigned) };
    Gherkin ["Feature:" Module, "Scenario Outline:" Target, "Scenario:" Target, "Rule:" Module, "Background:" Target] {
        name: " -,'()/<>.\"", imports: &[] };
    Rego ["package" Module, "default" Variable] { name: ".", special: Some(by::assigned) };
    Linker ["SECTIONS" Key, "MEMORY" Key, "ENTRY" Function, "PHDRS" Key, "OUTPUT_ARCH" Key] { name: "(",
        imports: &["INCLUDE", "#include"], special: Some(by::linker) };
    Visual ["namespace" Module, "module" Module, "class" Class, "structure" Struct, "interface" Interface, "enum" Enum,
        "sub" Function, "function" Function, "property" Field, "const" Constant] {
        before: &["public", "private", "protected", "friend", "shared", "overrides", "overridable", "partial",
        "readonly", "async"], name: ".", imports: &["imports"] };
    Cython ["cdef class" Class, "class" Class, "cpdef" Function, "cdef" Function, "def" Function] { before: &["async"],
        imports: &["from", "import", "cimport"], odd: Odd::Underscore };
}
