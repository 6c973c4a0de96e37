//! Languages and formats that are read line by line: what a small file of each is said to hold.

use crate::symbol::outline::Symbol;
use crate::symbol::{Outline, detect, extract};

/// The outline of a file with this name and text.
fn of(name: &str, text: &str) -> Outline {
    extract(detect(name.as_bytes(), text.as_bytes()), text.as_bytes())
}

/// `kind name{members}`, with a minus in front of what is private, and what is said in brackets.
fn told(symbols: &[Symbol]) -> String {
    let one = |symbol: &Symbol| {
        let private = if symbol.public { "" } else { "-" };
        let doc = if symbol.doc.is_empty() {
            String::new()
        } else {
            format!(" ({})", symbol.doc)
        };
        let below = if symbol.children.is_empty() {
            String::new()
        } else {
            format!("{{{}}}", told(&symbol.children))
        };
        format!(
            "{private}{} {}{doc}{below}",
            symbol.kind.words().0,
            symbol.name
        )
    };
    symbols.iter().map(one).collect::<Vec<_>>().join(", ")
}

#[track_caller]
fn check(name: &str, text: &str, expected: &str) {
    assert_eq!(told(&of(name, text).symbols), expected, "{name}");
}

#[track_caller]
fn check_doc(name: &str, text: &str, doc: &str) {
    assert_eq!(of(name, text).doc, doc, "{name}");
}

#[test]
fn languages_with_braces() {
    check(
        "a.kt",
        "package a\nimport b.C\n/** Holds. More. */\n@Ann(1)\npublic data class A(\n    val a: Int,\n) : B() {\n    private val x: Int = 1 // y\n    override fun run(s: String = \"}\") {\n        val local = 1\n        fun inner() {}\n    }\n    companion object {\n        const val K = 3\n    }\n}\n\nfun <T> List<T>.second(): T = this[1]\n",
        "class A (Holds. More.){-field x, method run, class Companion{field K}}, function second",
    );
    check(
        "a.swift",
        "import UIKit\n/// Talks.\npublic protocol P {\n    func go()\n}\nextension P {\n    public init(a: Int) {\n        let x = 1\n    }\n}\nenum E {\n    case a\n}\nprivate let k = 1\n",
        "interface P (Talks.){method go}, implementation P{method init}, enum E{variant a}, -variable k",
    );
    check(
        "a.scala",
        "object A {\n  def f(x: Int): Int = {\n    val y = 1\n  }\n  private val z = 2\n}\ntrait T\ncase class C(a: Int)\n",
        "class A{method f, -field z}, interface T, class C",
    );
    check(
        "a.dart",
        "class A extends B {\n  void run(int a) {\n    call(b);\n  }\n  final int x;\n}\nvoid main() {\n}\n",
        "class A{method run, field x}, function main",
    );
    check(
        "build.gradle",
        "plugins {\n  id 'a'\n}\ntask hello {\n}\ndef f(a) {\n}\n",
        "key plugins, target hello, function f",
    );
    check(
        "a.zig",
        "const std = @import(\"std\");\n/// Adds.\npub fn add(a: u8) u8 {\n    const x = 1;\n}\n",
        "-constant std, function add (Adds.)",
    );
    check(
        "a.sol",
        "contract A is B {\n  event E(uint a);\n  function f(uint a) public returns (uint) {\n  }\n}\n",
        "class A{variant E, method f}",
    );
    check(
        "a.proto",
        "syntax = \"proto3\";\npackage a.b;\n// Holds.\nmessage M {\n  string name = 1;\n  repeated int64 ids = 2;\n}\nservice S {\n  rpc Get(M) returns (M);\n}\n",
        "key b, struct M (Holds.){field name, field ids}, interface S{method Get}",
    );
    check(
        "a.graphql",
        "type A implements B {\n  id: ID!\n  list(first: Int): [A]\n}\nenum E {\n  X\n}\n",
        "struct A{field id, field list}, enum E{variant X}",
    );
    check(
        "a.tf",
        "terraform {\n  x = 1\n}\nresource \"aws_subnet\" \"a\" {\n  tags = { x = 1 }\n}\n\nvariable \"name\" {\n  description = \"What it is called. Long.\"\n}\n",
        "key terraform, struct aws_subnet.a, variable name (What it is called. Long.)",
    );
    check(
        "a.m",
        "#import <A.h>\n@interface A : NSObject\n- (void)run:(int)a;\n@end\n@implementation A\n- (void)run:(int)a {\n  int x;\n}\n@end\n",
        "class A, function run, implementation A, function run",
    );
    check(
        "a.sv",
        "module top(\n  input clk\n);\n  function f;\n  endfunction\nendmodule\n",
        "class top{method f}",
    );
    check(
        "a.ps1",
        "<# Says. #>\nfunction Get-It {\n  param($a)\n}\n$x = 1\n",
        "function Get-It (Says.), variable x",
    );
}

#[test]
fn languages_with_ends_and_layout() {
    check(
        "a.lua",
        "--[[ Big\n words ]]\nlocal M = {}\n-- Runs.\nfunction M.run(a)\n  local x = 1\nend\nlocal function f() end\nM.g = function(a)\nend\nreturn M\n",
        "-variable M (Big words), function run (Runs.), -function f, function g",
    );
    check(
        "a.ex",
        "defmodule A.B do\n  @moduledoc \"\"\"\n  Keeps values. Long.\n  \"\"\"\n  alias A.C\n  @doc \"Gets.\"\n  @spec get(a) :: b\n  def get(a) do\n    x = 1\n  end\n  defp put(a), do: a\nend\n",
        "module B (Keeps values. Long.){function get (Gets.), -function put}",
    );
    check(
        "a.jl",
        "module A\nusing B\nend\n\"\"\"\n    f(x)\n\nAdds one.\n\"\"\"\nfunction f(x)\n  y = 1\nend\ng(x) = x + 1\nstruct S\n  a::Int\nend\n",
        "module A, function f (Adds one.), function g, struct S",
    );
    check(
        "a.hs",
        "module A.B (f) where\nimport Data.List\n-- | Adds.\nf :: Int -> Int\nf x = x\ndata D = D { a :: Int }\nclass C a where\n  m :: a\ninstance C D where\n  m = D 1\n",
        "module B, function f (Adds.), struct D, interface C{method m}, implementation C",
    );
    check(
        "a.ml",
        "(* Doc. *)\nlet rec f x = x\ntype t = A | B\nmodule M = struct\n  let g = 1\nend\n",
        "function f (Doc.), type t, module M{function g}",
    );
    check(
        "a.erl",
        "-module(a).\n-record(r, {x}).\nf(0) -> 1;\nf(N) -> N.\n",
        "module a, struct r, function f",
    );
    check(
        "a.r",
        "library(x)\n#' Adds.\nadd <- function(a, b) {\n  c <- 1\n}\ntest_that(\"it adds\", {\n  x\n})\nsetClass(\"P\", x)\n.hidden <- 1\n",
        "function add (Adds.), -test it adds, class P, -variable .hidden",
    );
    check(
        "a.clj",
        "(ns a.b\n  (:require x))\n(defn f\n  \"Adds.\"\n  [x]\n  (def y 1))\n(defn- g [])\n",
        "module b, function f (Adds.), -function g",
    );
    check(
        "a.el",
        ";;; a.el --- Does things\n(defun a-b (x)\n  \"Do it.\nMore.\"\n  x)\n(defcustom a-c nil\n  \"Which.\")\n",
        "function a-b (Do it. More.), variable a-c (Which.)",
    );
}

#[expect(clippy::too_many_lines, reason = "it is a table")]
#[test]
fn other_languages() {
    check(
        "a.vim",
        "\" Doc.\nfunction! s:go() abort\n  let x = 1\nendfunction\ncommand! Go call s:go()\nlet g:a = 1\n",
        "function go (Doc.), macro Go, variable g:a",
    );
    check(
        "a.pl",
        "package A::B;\nuse strict;\n# Runs.\nsub run {\n    my $x = 1;\n}\nsub _in {}\n",
        "module B, function run (Runs.), -function _in",
    );
    check(
        "a.f90",
        "module m\ncontains\n  pure subroutine s(a)\n    integer :: a\n  end subroutine\nend module\n",
        "module m",
    );
    check(
        "a.pas",
        "unit U;\ntype\n  TA = class(TB)\n    procedure Run;\n  end;\nprocedure TA.Run;\nbegin\nend;\n",
        "module U, function Run",
    );
    check(
        "a.vhd",
        "entity e is\n  port (a : in bit);\nend e;\narchitecture r of e is\nbegin\nend r;\n",
        "class e, implementation r",
    );
    check(
        "a.sql",
        "-- Users.\nCREATE TABLE IF NOT EXISTS app.users (\n  id int\n);\ncreate or replace function f() returns int as $$\n",
        "struct users (Users.), function f",
    );
    check(
        "CMakeLists.txt",
        "project(A)\nadd_library(a_b STATIC x.c)\nfunction(f x)\nendfunction()\n",
        "module A, target a_b, function f",
    );
    check(
        "meson.build",
        "project('a', 'c')\nexecutable('b', 'x.c')\n",
        "module a, target b",
    );
    check("a.s", "main:\n  mov x\n.L1:\n", "function main");
    check(
        "a.bat",
        "rem Runs.\n:start\ngoto start\n",
        "target start (Runs.)",
    );
    check(
        "a.nix",
        "{ pkgs }:\n{\n  name = \"x\";\n  buildInputs = [ a\n  ];\n}\n",
        "key name, key buildInputs",
    );
    check(
        "a.libsonnet",
        "function(x) {\n  local k = 1,\n  rules: {\n    alert: 1,\n  },\n}\n",
        "-variable k, key rules",
    );
    check(
        "a.tcl",
        "start_server {tags {x}} {\n  test {GET works} {\n    x\n  }\n}\n",
        "module start_server{function GET works}",
    );
    check(
        "a.tcl",
        "proc ns::run {a} {\n  set x 1\n}\n",
        "function run",
    );
    check(
        "configure.ac",
        "AC_INIT([a], [1])\nAC_DEFUN([B_C], [x])\n",
        "module a, macro B_C",
    );
    check(
        "a.feature",
        "Feature: Log in\n  Scenario: Wrong word\n    Given x\n",
        "module Log in{target Wrong word}",
    );
}

#[expect(clippy::too_many_lines, reason = "it is a table")]
#[test]
fn data() {
    check(
        "a.yaml",
        "kind: Deployment\nmetadata:\n  name: web\n  labels:\n    a: b\nspec: {}\n",
        "key kind, key metadata, key spec",
    );
    check(
        "a.yaml",
        "- name: one\n  hosts: all\n- name: two\n",
        "key name, key name",
    );
    check(
        "a.json",
        "{\"a\": {\"b\": 1, \"c\": [1]}, \"d\": [\"x\", \"y\"]}",
        "key a, key d",
    );
    check(
        "a.json",
        "[{\"a\": 1, \"b\": 2}, {\"a\": 1}]",
        "key a, key b",
    );
    check(
        "a.ini",
        "; x\nroot = true\n[*]\nindent = 2\n",
        "key root, key *",
    );
    check("a.properties", "a.b = 1\na.c: 2\n", "key a.b, key a.c");
    check(
        "a.csv",
        "id,\"name\",n\n1,a,2\n",
        "column id, column name, column n",
    );
    check(
        "a.xml",
        "<?xml version=\"1.0\"?>\n<!-- c --><root><name>A</name><b/><b/></root>\n",
        "key root, key name, key b",
    );
    check(
        "Kconfig",
        "menu \"Drivers\"\nconfig NET\n\tbool \"Network support\"\n\thelp\n\t  Long.\nendmenu\n",
        "key Drivers, key NET (Network support)",
    );
    check(
        "a.dts",
        "#include \"b.dtsi\"\n/ {\n\tmodel = \"Board A\";\n\tcompatible = \"v,a\", \"v,b\";\n\tuart: serial@1 {\n\t};\n};\n",
        "key v,a\", \"v,b, key uart: serial@1",
    );
    check(
        "Makefile",
        "# Builds all.\nall: a b ## x\nobj-$(CONFIG_A) += a.o\nCC := gcc\n\t@echo a: b\n",
        "target all (x), target obj-$(CONFIG_A), key CC",
    );
    check(
        "go.mod",
        "module a/b\n\ngo 1.2\n\nrequire (\n\tc/d v1 // indirect\n)\n",
        "key module, key go",
    );
    check(
        ".gitignore",
        "# x\n/target\n*.o\n",
        "entry /target, entry *.o",
    );
    check(
        "a.diff",
        "--- a/x.c\n+++ b/x.c\n@@ -1 +1 @@\n-a\n+b\n",
        "entry x.c",
    );
    check(
        "a.css",
        "@import \"b.css\";\n/* c */\n.a, .b > c { color: red; }\n@media print { .d { x: y } }\n:root { --v: 1; }\n",
        "rule .a, .b > c, rule @media print, rule .d, rule :root, key --v",
    );
    check(
        "a.vue",
        "<script setup>\nimport A from './A.vue'\nconst { x } = f()\nfunction go() {}\n</script>\n<template><A/></template>\n",
        "function go, entry A",
    );
    check("notes", "alpha\nbeta\n", "line alpha, line beta");
}

#[test]
fn documents() {
    check(
        "a.rst",
        "=====\nTitle\n=====\n\nWords go here.\n\nPart\n----\n\nSub\n~~~\n",
        "heading Title{heading Part{heading Sub}}",
    );
    check(
        "a.adoc",
        "= Title\n\nWords.\n\n== Part\n----\n== no\n----\n",
        "heading Title{heading Part}",
    );
    check(
        "a.html",
        "<html><title>The page</title><body><h1>One <b>two</b></h1><p>Words are here now.</p></body>",
        "heading One two",
    );
    check(
        "a.1",
        ".TH A 1\n.SH NAME\na \\- does things\n.SH OPTIONS\n",
        "heading NAME, heading OPTIONS",
    );
    check(
        "a.tex",
        "\\section{One}\nText here.\n\\subsection{Two}\n",
        "heading One{heading Two}",
    );
    check(
        "a.org",
        "#+TITLE: Words of it\n* One\n** Two\n",
        "heading One{heading Two}",
    );
    check_doc("a.1", ".SH NAME\na \\- does things\n", "a - does things");
    check_doc("a.dts", "/ {\n\tmodel = \"Board A\";\n};\n", "Board A");
    check_doc(
        "a.md",
        "---\ntitle: The page of it\ndescription: \"Says what it is.\"\n---\n# x\n\nOther words.\n",
        "Says what it is.",
    );
    check_doc(
        "a.po",
        "msgid \"\"\nmsgstr \"\"\n\"Project-Id-Version: A 1\\n\"\n\"Language: de\\n\"\n\nmsgid \"a\"\nmsgstr \"b\"\n",
        "1 message of A 1 in de.",
    );
    check_doc(
        "LICENSE",
        "MIT License\n\nCopyright (c) 2026 A\n\nPermission is hereby granted, free of charge, to any person\n",
        "MIT licence. Copyright (c) 2026 A",
    );
    check_doc(
        "a.json",
        "{\"GET\": {\"summary\": \"Gets a value.\", \"since\": \"1.0\"}}",
        "Gets a value.",
    );
    check_doc("a.html", "<html><title>The page</title></html>", "The page");
    check_doc("a.diff", "Subject: [PATCH 1/2] Mend it\n---\n", "Mend it");
}

#[test]
fn prose_is_told_from_marks_lists_comments_and_code() {
    for (name, text, doc) in [
        (
            "a.md",
            "---\nname: Request\nabout: Suggest a change\n---\n\n<!--\nReplace this.\n-->\n",
            "Suggest a change",
        ),
        (
            "b.md",
            "<!--\nPlease say more here.\n-->\n",
            "Please say more here.",
        ),
        (
            "c.md",
            "# Checklist\n\n* Run it. Commit the\n  `Cargo.lock`.\n\n  And more.\n* End\n",
            "",
        ),
        (
            "d.md",
            "# Title\n\n## Options\n\n### `Option`\n\nIt may be set.\n",
            "",
        ),
        (
            "e.md",
            "## Contract\n\n### Versions\n\nThere are versions.\n",
            "There are versions.",
        ),
        (
            "f.md",
            "[![x](a)](\nhttps://a.b/c?d)\n\n**Fast [tool] of [WSGI][1].**\n\n[tool]: https://x\n",
            "Fast tool of WSGI.",
        ),
        (
            "h.md",
            "# Steps\n\n1. a\n2. b\n3. c\n4. d\n5. e\n\nNote that it may fail.\n",
            "",
        ),
        (
            "i.md",
            "Tell us of it with [a\nform](https://a.b/c).\n",
            "Tell us of it with a form.",
        ),
        (
            "g.md",
            "# Snapshot\n\n    Code\n      run it twice or more\n",
            "",
        ),
        (
            "a.rst",
            "Title\n=====\n\nThe data of a request, or the\n:data:`.g` and :doc:`/api` proxies of `Click`_.\n",
            "The data of a request, or the `g` and api proxies of Click.",
        ),
    ] {
        check_doc(name, text, doc);
    }
}

#[test]
fn what_stands_far_down_in_a_list_of_versions_is_about_one_of_them() {
    let version = |name: &str| format!("{name} / now\n=======\n\n * a\n\n");
    let text = ["4", "3", "2", "1", "0"].map(version).concat();
    check_doc("CHANGES.md", &format!("{text}The first of them.\n"), "");
}

#[test]
fn pages_licences_and_data_say_what_they_are() {
    for (name, text, doc) in [
        (
            "a.html",
            "<div><a href=x>fetch</a> is the <em>new way</em> to ask.</div>",
            "fetch is the new way to ask.",
        ),
        (
            "LICENSE",
            "Apache License\nVersion 2.0\n   copyright notice that is included in it\n",
            "Apache License.",
        ),
        (
            "Cargo.toml",
            "[package]\nname = \"a\"\ndescription = \"\"\"\nKeeps values\nof all kinds.\n\"\"\"\n",
            "Keeps values of all kinds.",
        ),
        (
            "data.R",
            "#' Storm tracks data\n#'\n#' From sea.\n\"storms\"\n",
            "Storm tracks data",
        ),
        (
            ".clang-format",
            "# To reformat a file:\n# do it\n\nLanguage: Cpp\n",
            "To reformat a file: do it",
        ),
        ("a.yml", "# changes to the docs\n\"area\":\n  - x\n", ""),
    ] {
        check_doc(name, text, doc);
    }
    check(
        "a.html",
        "{% extends 'b.html' %}{% block header %}<h1>{% block title %}New{% endblock %}</h1>{% endblock %}",
        "entry header, heading New",
    );
    let lock =
        "[[package]]\nname = \"a\" # x\n\n[package.more]\nb = 1\n\n[[package]]\nname = \"c\"\n";
    let said = of("Cargo.lock", lock).symbols;
    let said: Vec<_> = said
        .iter()
        .map(|symbol| symbol.signature.as_str())
        .collect();
    assert_eq!(said, ["2 [[package]] a, c", "[package.more] b 1"]);
}

#[test]
fn what_a_paragraph_belongs_to_is_not_said_of_the_whole() {
    check_doc(
        "a.rst",
        "Overview\n========\n\n#. To use streams, `a` must be enabled in your\n   system's php.ini.\n\nThe way to install it is with Composer.\n",
        "The way to install it is with Composer.",
    );
    check_doc(
        "faq.rst",
        "===\nFAQ\n===\n\nDoes it require cURL?\n=====================\n\nNo. It can use any handler.\n",
        "",
    );
    check_doc(
        "faq.md",
        "# FAQ\n\n## Does it need cURL?\n\nNo. It can use any handler.\n",
        "",
    );
    check_doc(
        "a.md",
        "# A\n\n## What is A?\n\nA keeps items for you.\n",
        "A keeps items for you.",
    );
    check_doc(
        "README",
        "Welcome to tmux!\n\ntmux is a terminal multiplexer for many terminals.\n",
        "tmux is a terminal multiplexer for many terminals.",
    );
}

#[test]
fn what_is_no_prose_is_called_what_it_is() {
    check_doc(
        "a.crt",
        "-----BEGIN CERTIFICATE-----\nMIIDDjCCAfagAwIBAgIBAzANBgkqhkiG9w0B\n-----END CERTIFICATE-----\n",
        "PEM certificate.",
    );
    check(
        "a.eps",
        "%!PS-Adobe-3.0\n%%Title: (a logo)\n1 0 i\n2 0 i\n3 0 i\n",
        "",
    );
    check_doc(
        "a.eps",
        "%!PS-Adobe-3.0\n%%Title: (a logo)\n1 0 i\n",
        "PostScript: a logo",
    );
    check(
        "a.result",
        "base\n\n   ┌─┐\n   │A    B│\n   └─┘\n",
        "line base, line ┌─┐, line │A B│",
    );
    check("a.result", "\u{1b}[30m\u{1b}[47mA B\n", "line A B");
    check(
        "config.ru",
        "require \"rack/lobster\"\nrun Rack::Lobster.new\n",
        "line run Rack::Lobster.new",
    );
    let rules = "<module name=\"Checker\">\n<module name=\"ConstantName\"/>\n<module name=\"UnusedImports\"/>\n</module>\n";
    let told = of("checks.xml", rules).symbols;
    assert_eq!(
        told[0].signature,
        "3 <module> Checker, ConstantName, UnusedImports"
    );
    check(
        "a.sh",
        "# Wait for the client.\nn=0\nwhile [ $n -lt 20 ]; do\n  n=1\ndone\n./run &\nrun_pid=$!\n# Where it is.\nDIR=/x\n",
        "-variable n, command ./run, -variable DIR (Where it is.)",
    );
}

#[test]
fn a_function_with_a_prototype_in_front_is_told_once() {
    let outline = of(
        "a.c",
        "static int f(int);\nint g(void);\nstatic int f(int a) { return a; }\n",
    );
    assert_eq!(outline.symbols.len(), 3);
    let said = crate::symbol::render(&outline);
    assert!(
        said.contains("int f(int a)") && !said.contains("f(int)") && said.contains("g(void)"),
        "{said}"
    );
}

#[test]
fn a_fence_behind_the_mark_of_a_list_is_one() {
    let text = "# A\n\n- ```sh\n  # 50% width\n  ```\n\n## 0.2\n";
    check("a.md", text, "heading A{heading 0.2}");
    check_doc("History.md", "1.0 / 2020\n---\n\n**fixes**\n\n * one\n", "");
}

#[test]
fn objects_of_a_list_are_told_by_their_first_value() {
    let text = "version: 2\nupdates:\n  - package-ecosystem: \"npm\"\n    directory: /\n  - package-ecosystem: gomod\n";
    let told = of(".github/dependabot.yml", text).symbols;
    assert_eq!(
        told[1].signature,
        "updates: package-ecosystem npm, package-ecosystem gomod"
    );
}

#[test]
fn texts_in_a_list_are_told_by_how_they_begin() {
    let text =
        "fixes:\n  - |\n    Keep the context\n    of each call.\n  - >-\n    Another.\nother: 1\n";
    let told = of("notes/a.yaml", text).symbols;
    assert_eq!(
        told[0].signature,
        "fixes: Keep the context of each call., Another."
    );
    assert_eq!(told[1].signature, "other");
}

#[test]
fn what_leads_elsewhere_or_stands_in_a_later_section_speaks_for_no_document() {
    let text = "Title\n=====\n\n**Please refer to the** `manual <x>`_.\n\nMakes coffee.\n";
    check_doc("a.rst", text, "Makes coffee.");
    let text = "Title\n=====\n\nFirst\n-----\n\n.. auto:: a\n\nSecond\n------\n\nThose are more.\n";
    check_doc("a.rst", text, "");
    check_doc(
        "a.md",
        "<table>\n\nVisit\n<a href=\"x\">us</a>\n\n</table>\n\nMakes coffee now.\n",
        "Makes coffee now.",
    );
    check_doc(
        "a.md",
        "Method | Mean | Ratio\n--- | --- | ---\nA | 1 | 2\n",
        "",
    );
}

#[test]
fn labels_lists_and_tasks_end_or_are_no_sentence() {
    let text = "#!/bin/sh\n\n# Description: Copies the selection\n#   to the clipboard.\n# Dependencies:\n#   - tr\n\nrun\n";
    check_doc("a.sh", text, "Copies the selection to the clipboard.");
    check_doc(
        "a.sh",
        "#!/bin/sh\n\n# TODO clean this up\n# soon\n\n# https://example.org/x\n\n# Does it.\n\nrun\n",
        "Does it.",
    );
    check_doc(
        "a.yml",
        "# yaml-language-server: $schema=x\n\n# Builds it.\n\non: push\n",
        "Builds it.",
    );
}

#[test]
fn values_that_name_something_are_told() {
    let patch = "# Description: Prints names first\n#   in the detail view.\n#\ndiff --git a/a.c b/a.c\n--- a/a.c\n+++ b/a.c\n";
    check_doc("a.diff", patch, "Prints names first in the detail view.");
    check("a.diff", patch, "entry a.c");
    let project = of(
        "a.csproj",
        "<Project>\n<PackageReference Include=\"xunit\"/>\n</Project>\n",
    );
    assert_eq!(project.symbols[1].signature, "<PackageReference> xunit");
    check_doc(
        "a.html",
        "<meta name=\"description\" content=\"declaration: package: a, class: B\"><div class=\"block\">Holds all of it.</div>",
        "Holds all of it.",
    );
    check_doc(
        "a.adoc",
        "= JCommander\n:toc: left\n\nParses arguments.\n",
        "Parses arguments.",
    );
    check_doc(
        "a.po",
        "msgid \"\"\nmsgstr \"\"\n\"Language-Team: LANGUAGE <LL@li.org>\\n\"\n\"Language: de\\n\"\n\nmsgid \"a\"\n",
        "1 message in de.",
    );
}

#[test]
fn a_tag_over_several_lines_is_no_paragraph() {
    let text = "<h3>[<a\nhref=\"x\">Features</a>] [<a\nhref=\"y\">Wiki</a>]</h3>\n\n`nnn` is a manager of files.\n";
    check_doc("README.md", text, "`nnn` is a manager of files.");
    let text = "<p align=\"center\">\nFast and small.\n</p>\n";
    check_doc("README.md", text, "Fast and small.");
}

#[test]
fn code_in_a_text_is_no_sentence_but_the_comment_above_it_is_one() {
    let text = "# Runs nnn and changes the directory.\n#\n# More.\nexport def --env n [\n\t...args : string\n]\n";
    check_doc("quitcd.nu", text, "Runs nnn and changes the directory.");
    check_doc("a.txt", "import builtins\nimport os\nimport os.path\n", "");
    check_doc(
        "a.txt",
        "Keeps (nearly) all of it, or two = 2.\n",
        "Keeps (nearly) all of it, or two = 2.",
    );
    let desktop = "[Desktop Entry]\nType=Application\nName=nnn\nComment=Terminal file manager\n";
    check_doc("nnn.desktop", desktop, "Terminal file manager");
    let table = "<table>\n<tr><td>\n\nOur sponsor makes more of it.\n\n</td></tr>\n</table>\n\nzoxide is a cd command.\n";
    check_doc("README.md", table, "zoxide is a cd command.");
}
