//! What rules must not take away: text that looks like something else, and is what a file says.

use super::{each_contains, outline_of};

#[test]
fn comments_that_look_like_something_else_are_kept() {
    for (name, text, expected) in [
        (
            "a.rs",
            "#![allow(clippy::all)] // generated\n\n//! Parses URLs.\n\npub fn a() {}\n",
            "Parses URLs.\n",
        ),
        (
            "a.c",
            "/*****************************************\n * Bitmap allocator for the heap of the kernel\n * Copyright (c) 2020 A. Author\n *****************************************/\n\nint a;\n",
            "Bitmap allocator for the heap of the kernel\n",
        ),
        (
            "b.c",
            "/* Maximum value for windowBits in both. */\n#define MAX_WBITS 15\n#define DEF_WBITS 15\n#define MIN_WBITS 8\n",
            "C source, under 10 lines, 3 public items.\n\n- `#define MAX_WBITS 15`: Maximum value for windowBits in both.\n",
        ),
        (
            "c.c",
            "/** Sizes of what is kept. */\n#define A 15\n#define B 15\n#define C 8\n",
            "C source, under 10 lines, 3 public items.\n\n- `#define A 15`: Sizes of what is kept.\n",
        ),
        (
            "d.c",
            "struct local *find(void) { return 0; }\nlocal to_local(int a) { local b; return b; }\n",
            "C source, under 10 lines, 2 public items.\n",
        ),
        (
            "a.py",
            "\"\"\"Convert to HTML-safe sequences &amp;, &lt;.\"\"\"\n",
            "Convert to HTML-safe sequences &amp;, &lt;.\n",
        ),
        (
            "b.py",
            "# Parses user@example.com.\n\nx = 1\n",
            "Parses user@example.com.\n",
        ),
        (
            "c.py",
            "def f():\n    \"\"\"This function is derived from the class of the item.\"\"\"\n",
            "Python source, under 10 lines, 1 public item.\n\n- `def f()`: This function is derived from the class of the item.\n",
        ),
        (
            "a.js",
            "import a from \"a\";\n\n// Colours of the till.\n\nexport const RED = 1;\n\n// Sizes of the till.\n\nexport const BIG = 1;\n",
            "JavaScript source, under 10 lines, 2 public items.\n",
        ),
        (
            "b.js",
            "const Shop = {};\n/** Sells. */\nShop.sell = function () {};\nconst a = 1;\nexport default { Shop, a };\n",
            "JavaScript source, under 10 lines, 3 public items.\n\n- members of `Shop`\n  - `Shop.sell = function ()`: Sells.\n",
        ),
        (
            "c.js",
            "/**\n * Adds a\n * <ul> with items to the page.\n */\nexport function add() {}\n",
            "JavaScript source, under 10 lines, 1 public item.\n\n- `export function add()`: Adds a with items to the page.\n",
        ),
    ] {
        let outline = outline_of(name, text);
        assert!(outline.starts_with(expected), "{outline}");
    }
}

#[test]
fn documents_that_look_like_something_else_are_kept() {
    let wasm = format!(
        "// Holds the parser as text.\nexport const parser = \"{}\";\n\n/** Loads it. */\nexport function load() {{}}\n",
        "AGFzbQEA".repeat(500)
    );
    each_contains(&[
        ("wasm.js", &*wasm, "`export function load()`: Loads it."),
        (
            "CHANGES.rst",
            "Changes\n=======\n\n1.2.0 [YANKED]\n--------------\n\n* More.\n",
            "- 1.2.0 [YANKED]\n",
        ),
        (
            "changes.txt",
            "1.2.0 (2024-01-01)\n------------------\n\n* Faster (#12)\n------------------\n",
            "1 heading.",
        ),
        (
            "rfc5280.txt",
            "Network Working Group              D. Cooper\nRequest for Comments: 5280              NIST\nCategory: Standards Track         S. Santesson\n                                  S. Farrell\n                                    May 2008\n\n\n     Internet X.509 Public Key\n     Infrastructure Certificate\n\nStatus of This Memo\n",
            "RFC 5280: Internet X.509 Public Key Infrastructure Certificate\n",
        ),
        (
            "mentions.txt",
            "It follows what stands in Request for Comments: 822 and others.\n\n   Much of it.\n",
            "It follows what stands in Request for Comments: 822 and others.\n",
        ),
        (
            "a.xml",
            "<!-- Shop <shop@x.org>, <http://a.b>, <http://c.d> -->\n<a>\n <b><description>Sells things to people.</description></b>\n</a>\n",
            "Sells things to people.",
        ),
        (
            "b.js.map",
            "{\"version\":3,\"sources\":[\"a.ts\"],\"names\":[\"file\",\"x\"],\"mappings\":\"A\"}",
            "Source map.\n",
        ),
        (
            "sprite.svg",
            "<svg><symbol id=\"a\"><title>Cart</title></symbol></svg>",
            "SVG image.\n",
        ),
        (
            "pipeline.yml",
            "name: pipeline\non: true\njobs: 3\n",
            "YAML file, under 10 lines, 3 keys.\n",
        ),
        (
            "build.yml",
            "name: Build\non: push\njobs:\n  a:\n    runs-on: b\n",
            "GitHub Actions workflow Build, on push.\n",
        ),
        (
            "guide.html",
            "<h1>Guide to the shop</h1><h2>Contents</h2><ul><li>a</li></ul><p>This tells how a shop sells things.</p>",
            "This tells how a shop sells things.\n",
        ),
        (
            "sh.txt",
            "Run nm on the library and look for these lines:\nEXPORTS\nfoo\n",
            "Text file",
        ),
    ]);
}

#[test]
fn headers_of_projects_say_nothing_of_a_file() {
    for (name, text, expected) in [
        (
            "a.c",
            "#include <a.h>\n\n/*********************\n ***  Some inner limits  ***\n *********************/\n\n#define MOST 3\n",
            "C source, under 10 lines, 1 public item.\n\n- macro `MOST`\n",
        ),
        (
            "a.h",
            "/*\n                       __  __            _\n                    ___\\ \\/ /_ __   __ _| |_\n                       \\___/_/\\_\\ .__/ \\__,_|\\__|\n                                 |_| XML parser\n\n   Copyright (c) 1999 A\n   Licensed under the MIT license:\n\n   Permission is hereby granted.\n*/\n\nint a;\n",
            "C source, 10+ lines, 1 public item.\n",
        ),
        (
            "a.go",
            "// Copyright (c) 2012 The authors. All rights reserved.\n// See the included LICENSE file for license details.\n//\n// shop is an implementation of a till\n// Original library is Copyright (c) 2006 A\n\npackage shop\n",
            "Go source, under 10 lines.\n",
        ),
        (
            "c.go",
            "// Copyright (c) 2012 The authors.\n//\n// Sells things to people.\n// Licensed under the MIT license.\n\npackage shop\n",
            "Sells things to people.\n",
        ),
        (
            "b.go",
            "// Copyright (c) 2012 The authors.\n//\n// Package shop sells things.\npackage shop\n",
            "Package shop sells things.\n",
        ),
    ] {
        let outline = outline_of(name, text);
        assert!(outline.starts_with(expected), "{outline}");
    }
}

#[test]
fn what_belongs_to_a_part_or_to_others_is_not_said_of_a_file() {
    each_contains(&[
        (
            "a.py",
            "class A:\n    def __len__(self):\n        \"\"\"\n        >>> len(A())\n        3\n        \"\"\"\n    def b(self):\n        \"\"\">>> A().b()\n        [1]\n\n        Sells.\n        \"\"\"\n",
            "Python source, 10+ lines, 1 public item.\n\n- `class A`\n  - `def __len__(self)`\n  - `def b(self)`: Sells.\n",
        ),
        (
            "a.rs",
            "// DO NOT EDIT THIS FILE. IT WAS AUTOMATICALLY GENERATED BY:\n//\n//   make-tables --till\n\npub static A: u8 = 1;\n",
            "Rust source, under 10 lines, 1 public item.\n",
        ),
        (
            "a.h",
            "/*\n * Till: a cash register in C\n * (https://example.org/till)\n *\n * Copyright (c) 2020 A. Author\n */\n\nint sell(void);\n",
            "C source, under 10 lines, 1 public item.\n",
        ),
        (
            "b.ts",
            "export type All = { [K in keyof Options]: true };\n",
            "- `export type All = { [K in keyof Options]: true }`\n",
        ),
        (
            "b.h",
            "/*\n * Till: a cash register in C\n * (https://example.org/till)\n *\n * Sells.\n */\n\nint sell(void);\n",
            "Till: a cash register in C",
        ),
        (
            "a.go",
            "package a\n\n// The code in this file is derived from the fork of A. Author\n// licensed under that licence.\n\n// Seller sells.\ntype Seller interface {\n\tio.Closer\n\tOpener\n\tInt | Float\n}\n",
            "Seller sells.\n\nGo source, 10+ lines, 1 public item.\n\n- `type Seller interface`\n  - implements `io.Closer`, `Opener`\n",
        ),
        (
            "a.ts",
            "/** How to sell. */\nexport type Options = {\n  /** How many. */\n  count?: number;\n  sell(name: string): void;\n};\nexport type Id = string | number;\n",
            "TypeScript source, under 10 lines, 2 public items.\n\n- `export type Options`: How to sell.\n  - field `count?: number`\n  - `sell(name: string): void`\n- `export type Id = string | number`\n",
        ),
        (
            "b.rs",
            "flags! {\n    /// The number of a till.\n    #[derive(Debug)]\n    pub struct Number = u32;\n    pub(crate) enum Kind { A, B }\n    struct Own #full { a: u8 }\n    /// All.\n    pub static ref ALL: Vec<u8> = vec![struct_of(1)];\n}\nimpl Number { pub fn get(&self) -> u32 { 1 } }\nfn f() { flags! { pub struct Inner; } }\n",
            "- `pub struct Number = u32`: The number of a till.\n  - `pub fn get(&self) -> u32`\n- `pub(crate) enum Kind`\n- `pub static ref ALL: Vec<u8> = vec![struct_of(1)]`: All.\n\nNot public:\n\n- `struct Own`\n- `fn f()`\n",
        ),
        (
            "A.java",
            "class A {\n  public @Nullable File find() { return null; }\n}\n",
            "- `public File find()` (`@Nullable`) of `A`",
        ),
    ]);
}

#[test]
fn what_stands_in_texts_and_data_is_called_what_it_is() {
    each_contains(&[
        (
            "go.mod",
            "module a.org/b\n\ngo 1.2\n\nreplace a.org/c => ../c\n\nrequire (\n\tc/d v1\n\te/f v2 // indirect\n)\n",
            "- keys `module a.org/b`, `go 1.2`, `replace a.org/c => ../c`\n\nImports: `c/d`\n",
        ),
        (
            "go.sum",
            "a.org/b v1.0.0 h1:t9c7=\na.org/b v1.0.0/go.mod h1:u8c7=\n",
            "Checksums of 1 module.\n\nGo module file, under 10 lines.\n",
        ),
        (
            "COPYING",
            "This project is licensed under either of\n\n Apache License, Version 2.0, (LICENSE-APACHE)\n MIT license (LICENSE-MIT)\n\nat your option.\n",
            "Apache License or MIT licence.\n",
        ),
        (
            "LICENSE-UNICODE",
            "UNICODE, INC. LICENSE AGREEMENT - DATA FILES AND SOFTWARE\n\nPermission is hereby granted, free of charge, to any person\n",
            "Unicode licence.\n",
        ),
        (
            "cases.txt",
            "Cases of the till.\n\n````````````\na\n.\n<p>a</p>\n--sell\n````````````\n",
            "Cases of the till.\n\nText file, under 10 lines.\n",
        ),
        (
            "a.md",
            "# Till\n\nIt writes `<sub>` and <sub>small</sub> letters.\n",
            "It writes `<sub>` and small letters.\n",
        ),
        (
            "readme.md",
            "<div>\n<h1>Till</h1>\n</div>\n\n> [!NOTE]\n> It moved to another place today.\n\n> Till is a small cash register\n> for the terminal.\n\n## Benefits\n\n- It sells.\n",
            "Till is a small cash register for the terminal.\n",
        ),
        (
            ".editorconfig",
            "root = true\n\n[*]\nindent_style = tab\n\n[*.md]\nindent_size = 2\n",
            ", 1 key, 2 sections.\n",
        ),
    ]);
}

/// Before, Lua had a public item wherever a local variable was assigned to, and read what its long strings hold.
#[test]
fn what_is_assigned_or_quoted_is_not_declared() {
    let text = "local x, y = 1\nlocal f\nx = 2\nlimit = 1\nlimit = 2\nfile:write[[\nlocal z = 1\nX = 2\n]]\n\
                local s = \"-- a\\\n  b \\\n c\"\nlocal function own() end\nfunction f() end\nlocal t = call(\n  \"push 2;\")\n";
    let outline = outline_of("a.lua", text);
    let module = "local M = {}\nlocal t = {}\nfunction M.sell() end\n";
    let module = outline_of("m.lua", &format!("{module}return M\n"));
    assert!(
        module.contains(" 1 public item.\n\n- `function M.sell() end`"),
        "{module}"
    );
    let global = "global T\nglobal function tell() end\nlocal function g() end\nfunction g() end\nX = nil\n\
                  function deep() end\nfunction deep(n) end\n";
    let global = outline_of("g.lua", global);
    assert!(
        global.contains(
            " 2 public items.\n\n- `global function tell() end`\n- `function deep() end`\n"
        ),
        "{global}"
    );
    assert!(!outline_of("t.lua", "local t = {}\nt.__add = 1\nreturn 12\n").contains("public item"));
    for says in [
        "1 public item.",
        "- `limit = 1`",
        "`function f() end`",
        "`local function own() end`\n",
    ] {
        assert!(outline.contains(says), "{says}: {outline}");
    }
    for silent in ["`x = 2`", "limit = 2", "`X", "local z", "push 2;\n"] {
        assert!(!outline.contains(silent), "{silent}: {outline}");
    }
}

/// Before, the words of a page that a program shows spoke for it, and shell in a block of code was a heading.
#[test]
fn what_is_shown_or_switched_off_is_not_told() {
    for (name, text, silent) in [
        (
            "a.erb",
            "<h1>Tills</h1>\n<p>Lorem ipsum dolor sit amet.</p>\n",
            "ipsum",
        ),
        (
            "a.html",
            "{% block body %}\n<p>\n  This is just another page. Head over to the\n  <a href=\"b\">blog</a>.\n</p>\n",
            "another",
        ),
        (
            "README.md",
            "# Watch\n\nSends a file.\n\n    $ go run\n    # Open it.\n",
            "2 headings",
        ),
        (
            "index.md",
            "---\nhero:\n  text: Bear necessities for all of us\n  tagline: A tiny store that stays out of your way\n---\n",
            "hero: text",
        ),
        (
            "a.rb",
            "# require 'a/b'\nrequire 'c'\n\nclass A\n  class << self\n    extend Forwardable\n  end\nend\n",
            "Forwardable",
        ),
        (
            "a.rb",
            "# require 'a/b'\nrequire 'c'\n\nclass A\nend\n",
            "require 'a",
        ),
        (
            "tool",
            "#!/usr/bin/env lua\n\n-- special marks:\n-- \\1 - paragraph\n-- \\4 - space\n\nlocal x = 1\n",
            "special marks",
        ),
        (
            "Makefile",
            "CORE = a.o b.o c.o d.o e.o f.o g.o\n\nall: $(CORE)\n",
            "f.o`",
        ),
        (
            "pack",
            "NAME=$1\n\nln -s . $NAME\nln -s .. ltests\n\ntar cf $NAME\n",
            "ln -s . $NAME ln",
        ),
        (
            "a.lua",
            "-- $Id: a.lua $\n-- See Copyright Notice\n\n-- UTF-8 file\n\nprint 'x'\n",
            "UTF-8",
        ),
        (
            "a.ts",
            "/// <reference types=\"node\" />\n\nexport const a = 1\n",
            "reference",
        ),
        (
            "Gemfile.rails",
            "# frozen_string_literal: true\n\nsource 'x'\n\ngem 'till', '< 3'\n",
            "Text file",
        ),
    ] {
        let outline = outline_of(name, text);
        assert!(!outline.contains(silent), "{name}: {outline}");
    }
}

/// Before, code below an item of a list, or below an underlined title, gave headings.
#[test]
fn code_of_markdown_has_no_headings() {
    for text in [
        "Tool\n====\n\n    # install it as root\n",
        "# Tool\n\n1. Install it:\n\n        # as root\n",
        "# Tool\n\n- Start it:\n\n      # in a shell\n",
    ] {
        let outline = outline_of("a.md", text);
        assert!(outline.contains("1 heading."), "{text}{outline}");
    }
}

/// What the rules above must leave as it is.
#[test]
fn what_only_looks_like_one_of_these_is_told() {
    let stb = "/* Do this:\n   #define FOO_IMPLEMENTATION\n   #include \"foo.h\"\n*/\n#if !defined(FOO_H)\n#define FOO_H\n\
               typedef struct foo { int a; } foo;\nint foo_new(void) { return 1; }\n#endif\n";
    each_contains(&[
        (
            "a.cpp",
            "StaticMesh* load(const char* path) { return 0; }\n",
            "1 public item.\n\n- `StaticMesh* load(const char* path)`",
        ),
        ("foo.h", stb, "2 public items."),
        (
            "k.cpp",
            "class Own {};\nstd::vector<int> all() { return {}; }\n",
            "1 public item.",
        ),
        (
            "a.lua",
            "local _, ns = ...\nfunction ns.Open() end\n",
            "1 public item.",
        ),
        (
            "a.lua",
            "local M = {}\nfunction M.a() end\n_G.M = M\n",
            "`function M.a() end`\n",
        ),
        (
            "a.lua",
            "local M = {}\nfunction M.a() end\nreturn{ a = M.a }\n",
            "1 public item.",
        ),
        (
            "a.lua",
            "--[==[\nfunction old() end\n]==]\nfunction new() end\n",
            "1 public item.\n\n- `function new() end`",
        ),
        (
            "a.c",
            "/* main loop:\n * reads a line and runs what it says */\nint loop(void) { return 0; }\n",
            "main loop: reads a line",
        ),
        (
            "a.c",
            "/* result: -1 where nothing is found */\nint seek(void) { return 0; }\n",
            "result: -1 where",
        ),
        (
            "a.h",
            "// From proto/*.proto by hand.\n#if !defined (A_H)\n#define A_H\ntypedef int foo;\nint f(void) { return 1; }\n#endif\n",
            "2 public items.",
        ),
        (
            "a.lua",
            "local M = {}\nfunction M.a() end\nregister(\"M\", M)\nreturned = 2\n",
            "2 public items.",
        ),
        (
            "a.html",
            "<p>The till sells things every day.</p><script>say('{{name}}')</script>",
            "The till sells things every day.",
        ),
        (
            "a.md",
            "# One\n\n1. Do it\n\n    ## Install\n",
            "2 headings",
        ),
    ]);
}

/// Before, release notes below a notice of the Apache License were that licence.
#[test]
fn a_text_below_a_licence_is_told_and_not_the_licence() {
    let notice = "\nLicensed to the Apache Software Foundation (ASF) under one\nor more. See the License for the\nlimitations under the License.\n\n=====\n\n    The Till\n\nThis document tells what is new in this release.\n";
    let told = "This document tells what is new in this release.";
    assert!(
        outline_of("RELEASE-NOTES.txt", notice).starts_with(told),
        "{}",
        outline_of("RELEASE-NOTES.txt", notice)
    );
}

/// Before, macros and types of a source file of C were public, which no other file sees.
#[test]
fn what_only_a_source_file_of_c_sees_is_not_public() {
    let text = "#define MAX 10\nstruct Own { int a; };\nl_sinline void *g(int a) { return 0; }\nint f(void) { return MAX; }\n";
    let outline = outline_of("a.c", text);
    assert!(
        outline.contains(" 1 public item.\n\n- `struct Own`")
            && outline.contains("Not public:\n\n- `l_sinline void *g(int a)`"),
        "{outline}"
    );
    let header = outline_of(
        "a.h",
        &text.replace("int f(void) { return MAX; }", "int f(void);"),
    );
    assert!(header.contains(" 3 public items.\n"), "{header}");
}

#[test]
fn what_is_private_or_one_of_many_is_not_said_of_the_whole() {
    each_contains(&[
        (
            "a.rb",
            "class A\n  B = 1\n  C = 2\n  private_constant :B\nend\n",
            "- `class A`\n  - `C = 2`\n",
        ),
        (
            "Makefile",
            "OBJS = a.o b.o\nobj-y += c.o\n\nall: $(OBJS)\n",
            "- key `OBJS a.o b.o`\n- targets `obj-y c.o`, `all`\n",
        ),
        (
            "a.json",
            "[{\"description\": \"one of them\", \"n\": 1}, {\"description\": \"the other one\"}]",
            "List of 2 objects.\n",
        ),
    ]);
}

/// Before, each of these said what belongs to the whole project, to a tool, to an author, or to no text at all.
#[test]
fn what_is_no_text_of_a_file_is_not_what_it_is_for() {
    each_contains(&[
        (
            "a.php",
            "<?php\n/**\n * Till - a cash register for small shops\n * @author A. Name\n */\n\nnamespace Till\\Item;\n\n/** Lists items. */\nclass ItemList {}\n",
            "Lists items.\n\nPHP source,",
        ),
        (
            "a.md",
            "# Till\n\n<style>\n.a { color: red; }\n</style>\n\nA cash register for small shops.\n",
            "A cash register for small shops.\n",
        ),
        (
            "b.md",
            "---\ntitle: Items\n---\n\n<details>\n<summary>\nLesson 14: watch the video about all of it\n</summary>\n</details>\n\n## Adding\n\nText.\n",
            "2 headings.\n\n- Items\n  - Adding\n",
        ),
        (
            "c.md",
            "# Till\n\n_Sell the next item by simply giving it away_\n\nWinner of a prize.\n",
            "Sell the next item by simply giving it away\n",
        ),
        (
            "a.css",
            "/*\n:root {\n    --a: #000;\n}\n*/\n\na { color: red; }\n",
            "CSS file, under 10 lines,",
        ),
        (
            "guide.txt",
            "till: a cash register\n=====================\nA. Name <a@example.org>\nv2.3.0, February 2021\n\nSells items in small shops and keeps accounts of them.\n",
            "Sells items in small shops and keeps accounts of them.\n",
        ),
        (
            "README",
            "Targets\n-------\nfirst: builds the first of them\nlast: builds the last of them\n----------------------------\n",
            " 1 heading.\n",
        ),
        (
            "a.c",
            "/*\n * Filename: a.c\n * Description: A simple till.\n */\n\n#include <a.h>\n\nint sell(void) { return 0; }\n",
            "A simple till.\n",
        ),
        (
            "a.yml",
            "# For most projects, this workflow file will not need changing; you simply need\n# to commit it to your repository.\n\nname: Sell\n",
            "YAML file,",
        ),
        (
            "a.py",
            "def f():\n    \"\"\"1. Request is sent\n    2. Answer is read\n    \"\"\"\n",
            "- `def f()`: 1\\. Request is sent\n",
        ),
        (
            "a.txt",
            "<!--\n  Licensed to the Apache Software Foundation (ASF) under one or more\n  contributor license agreements.\n-->\nSells items in small shops and keeps accounts.\n",
            "Sells items in small shops and keeps accounts.\n",
        ),
        (
            "b.yml",
            "name: Sell\non:  # yamllint disable-line rule:truthy\n  workflow_call:\njobs:\n  a:\n    runs-on: x\n",
            "on workflow_call.\n",
        ),
        ("b.rb", "def sell item:\nend\n", "- `def sell item:`\n"),
        (
            "a.js.snap",
            "// Jest Snapshot v1, https://example.org\n\nexports[`sells > an item 1`] = `a`;\n\nexports[`sells > an item 2`] = `b`;\n",
            "Snapshots of tests: `sells > an item`.\n",
        ),
    ]);
}

/// Before, what nothing outside can reach counted among the public items.
#[test]
fn implementations_of_private_traits_and_for_private_types_offer_nothing() {
    let text = "trait Own {}\nstruct Inner<'a>(&'a u8);\npub trait Open {}\nimpl Own for char {}\nimpl Open for &Inner<'_> {}\nimpl<T> Open for Vec<T> {}\n";
    let outline = outline_of("a.rs", text);
    let (public, private) = outline.split_once("Not public:").expect("both");
    assert!(
        public.contains(" 1 public item.") && public.contains("`impl<T> Open for Vec<T>`"),
        "{outline}"
    );
    assert!(
        !public.contains("Own") && !public.contains("Inner"),
        "{outline}"
    );
    assert!(private.contains("`trait Own`"), "{outline}");
    let statics = "thread_local! { static NOW: Cell<u8> = const { Cell::new(0) }; }\n";
    let outline = outline_of("b.rs", statics);
    assert!(outline.contains("- `static NOW: Cell<u8>`\n"), "{outline}");
}
