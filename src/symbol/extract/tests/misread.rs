//! What readings of projects found on which no rule was made: each case is one that was told wrong.

use super::{each_contains, outline_of};

/// The first paragraph, and the facts.
fn begins(name: &str, text: &str) -> String {
    let outline = outline_of(name, text);
    let mut blocks = outline.split("\n\n").map(str::trim).take(2);
    let (first, second) = (blocks.next(), blocks.next());
    format!(
        "{} | {}",
        first.unwrap_or_default(),
        second.unwrap_or_default()
    )
}

#[test]
fn licences_are_known_however_they_are_spaced() {
    let java = "/**\n * Copyright (c) 2004 A\n * All rights reserved.\n *\n * THE  SOFTWARE IS  PROVIDED  \"AS  IS\", WITHOUT  WARRANTY  OF ANY  KIND,\n * EXPRESS OR  IMPLIED.\n */\npackage a;\n\npublic class B {}\n";
    assert_eq!(
        begins("B.java", java),
        "Java source, 10+ lines, 1 public item. | - `public class B`"
    );
}

#[test]
fn a_kind_is_that_of_the_content_where_the_name_has_two() {
    for (name, text, expected) in [
        (
            "a.zip.asc",
            "-----BEGIN PGP SIGNATURE-----\n\niQEzBAABCAAdFiEE\n-----END PGP SIGNATURE-----\n",
            "PGP signature. | Text file, under 10 lines.",
        ),
        (
            "a.asc",
            "= A title\n\nSays what it is for.\n",
            "Says what it is for. | AsciiDoc file, under 10 lines, 1 heading.",
        ),
        (
            "jq.test",
            "# Tests are groups of three lines\ntrue\nnull\ntrue\n",
            "Tests are groups of three lines | Text file, under 10 lines.",
        ),
        (
            "join.test",
            "# Joins are tried here.\n\nset testdir [file dirname $argv0]\n",
            "Joins are tried here. | Tcl file, under 10 lines.",
        ),
        (
            "Application.myapp",
            "<?xml version=\"1.0\"?>\n<MyData>\n  <A>1</A>\n</MyData>\n",
            "XML file, under 10 lines, 2 keys. | - keys `<MyData>`, `<A>`",
        ),
        (
            ".prettierrc",
            "{ \"printWidth\": 100 }\n",
            "JSON file, under 10 lines, 1 key. | - key `printWidth`",
        ),
        (
            "CITATION.cff",
            "cff-version: 1.2.0\ntitle: hyperfine\nabstract: A tool that measures commands.\n",
            "A tool that measures commands. | YAML file, under 10 lines, 3 keys.",
        ),
    ] {
        assert_eq!(begins(name, text), expected, "{name}");
    }
}

#[test]
fn lists_of_checksums_and_projects_are_no_prose() {
    let sum = "2fd209ca2fd209ca2fd209ca2fd209ca2fd209ca2fd209ca2fd209ca2fd209ca";
    assert_eq!(
        begins(
            "sha256sum.txt",
            &format!("{sum}  a.tar.gz\n{sum} *b/c.zip\n")
        ),
        "SHA-256 checksums of 2 files, from `a.tar.gz` to `c.zip`. | Text file, under 10 lines."
    );
    assert!(
        begins("sums.txt", &format!("{sum} a.zip\n")).starts_with("SHA-256 checksum of `a.zip`.")
    );
    let project = |name: &str| {
        format!("Project(\"{{F1}}\") = \"{name}\", \"{name}.csproj\", \"{{A}}\"\nEndProject\n")
    };
    let solution = format!(
        "\u{feff}\nMicrosoft Visual Studio Solution File, Format Version 12.00\n{}{}Global\n",
        project("Read"),
        project("Write")
    );
    assert_eq!(
        begins("a.sln", &solution),
        "Visual Studio solution with `Read`, `Write`. | Text file, under 10 lines."
    );
    let policy = "permit(\n  principal in Role::\"Triager\",\n  action in [Action::\"close\", Action::\"label\"],\n  resource\n);\n";
    assert!(!begins("triager.cedar", policy).starts_with("permit"));
}

#[test]
fn what_a_comment_says_beside_a_description_is_left_out() {
    let script = "# /// script\n# requires-python = \">=3.10\"\n# dependencies = [\n#   \"numpy\",\n# ]\n# ///\n\ndef f():\n    pass\n";
    assert_eq!(
        begins("a.py", script),
        "Python source, under 10 lines, 1 public item. | - `def f()`"
    );
    let js = "//------\n// .fromObject()\n//------\nconst base = { a: 1 };\nexport const sum = () => base;\n";
    assert!(!outline_of("a.js", js).contains("fromObject"));
    let cs = "namespace A\n{\n    public static class Errors\n    {\n        /// <summary>Raises it.</summary>\n#if INLINE\n        [Inline]\n#endif\n        public static void Raise(int a) { }\n    }\n}\n";
    let told = outline_of("a.cs", cs);
    assert!(
        told.contains("`public static void Raise(int a)`") && !told.contains("#if"),
        "{told}"
    );
    let defines = "//#define CSX_INTERNAL // Uncomment or define at build time.\n//#define CSX_REM\n\nusing System;\n\npublic class A {}\n";
    assert!(!begins("a.cs", defines).contains("define"));
}

#[test]
fn a_class_of_ruby_is_told_by_the_comment_a_line_above() {
    let ruby = "require 'time'\n\nmodule Rack\n  # Rack::Files serves files below a root.\n  #\n  # More.\n\n  class Files\n    # === The app\n    # Calls it.\n    def call(env)\n    end\n  end\nend\n";
    let told = outline_of("files.rb", ruby);
    assert!(
        told.contains("Rack::Files serves files below a root") && told.contains("Calls it"),
        "{told}"
    );
}

#[test]
fn keys_with_prose_say_what_it_is_about() {
    let yaml = "headline: jq 1.5 Manual\nbody: |\n  Text.\nsections:\n  - title: Basic filters\n    body: |\n      More.\n  - title: Types\n    body: |\n      More.\n";
    let told = outline_of("manual.yml", yaml);
    assert!(
        told.starts_with("jq 1.5 Manual\n") && !told.contains('|'),
        "{told}"
    );
}

#[test]
fn elements_within_character_data_are_none() {
    let xml = "<project>\n<a><![CDATA[List<String>]]></a>\n</project>\n";
    assert!(!outline_of("a.xml", xml).contains("String"));
}

#[test]
fn a_label_is_no_summary() {
    assert!(
        !begins(
            "CHANGELOG.rst",
            "Changelog\n=========\n\nFeatures:\n\n- Typing.\n"
        )
        .starts_with("Features")
    );
}

#[test]
fn what_leads_elsewhere_or_came_from_there_is_no_summary() {
    let guide = "[> Back to homepage](../readme.md#documentation)\n\n## Options\n\nSays what options there are.\n";
    assert_eq!(
        begins("options.md", guide),
        "Says what options there are. | Markdown file, under 10 lines, 1 heading."
    );
    let go = "package a\n\n// Ported from Goji's middleware, source:\n// https://example.org/goji\n\nimport \"fmt\"\n\nfunc B() { fmt.Println() }\n";
    assert!(
        begins("b.go", go).starts_with("Go source"),
        "{}",
        begins("b.go", go)
    );
    let python = "# -- Path setup --------------------\n\nimport io\n\ndef f():\n    pass\n";
    assert!(begins("conf.py", python).starts_with("Python source"));
    let sums = "a.org/b v1.0.0 h1:t9c7=\na.org/b v1.0.0/go.mod h1:u8c7=\na.org/c v1.2.0 h1:v9c7=\n";
    assert!(begins("go.sum", sums).starts_with("Checksums of 2 modules. |"));
    let commits = "2fd209ca2fd209ca2fd209ca2fd209ca2fd209ca Fix the parser\n3fd209ca2fd209ca2fd209ca2fd209ca2fd209ca Add tests\n";
    assert!(!begins("commits.txt", commits).contains("checksum"));
}

#[test]
fn the_head_of_a_class_of_kotlin_has_several_lines() {
    let kotlin = "package a\n\n/** Reads enums. */\npublic class Adapter<T : Enum<T>>\ninternal constructor(\n  private val type: Class<T>,\n) : JsonAdapter<T?>() {\n  /** Reads. */\n  override fun fromJson(reader: Reader): T? {\n    return null\n  }\n}\n\ndata class Layer<A>(val a: A) :\n  Base<A>() {\n  fun b() {}\n}\n\nclass Plain(val a: Int) {\n  constructor(b: String) : this(1)\n  fun c() {}\n}\n";
    let told = outline_of("Adapter.kt", kotlin);
    for line in [
        "fun fromJson(reader: Reader): T?",
        ") : JsonAdapter<T?>()",
        "data class Layer<A>(val a: A) : Base<A>()",
        "fun b()",
        "fun c()",
    ] {
        assert!(told.contains(line), "{line}: {told}");
    }
}

#[test]
fn an_arrow_behind_one_name_stays() {
    let told = outline_of(
        "a.js",
        "export const limit = headers => ({ a: 1 });\nexport const both = (a, b) => a;\n",
    );
    assert!(
        told.contains("const limit = headers =>`") && told.contains("const both = (a, b)`"),
        "{told}"
    );
}

#[test]
fn a_title_of_one_word_gives_way_to_the_text_below() {
    let python =
        "\"\"\"\nshop.till\n~~~~~~~~~\n\nCounts what is sold.\n\"\"\"\n\ndef count():\n    pass\n";
    assert!(begins("till.py", python).starts_with("Counts what is sold. |"));
    let alone = "\"\"\"shop.till\"\"\"\n\ndef count():\n    pass\n";
    assert!(begins("till.py", alone).starts_with("shop.till |"));
}

#[test]
fn a_licence_is_what_its_title_says() {
    let gpl = "GNU GENERAL PUBLIC LICENSE\nVersion 2, June 1991\n\nEveryone is permitted to copy this license document. Some other software is covered by the GNU Lesser General Public License instead.\n";
    assert!(begins("COPYING", gpl).starts_with("GNU General Public License."));
    let c = "// BSD 2-Clause License (http://www.example.org/bsd-license.php)\n\n#include <a.h>\n\nint f(void) { return 1; }\n";
    assert!(
        begins("a.c", c).starts_with("C source"),
        "{}",
        begins("a.c", c)
    );
    let terms = "END-USER LICENSE\n\n1. Grant. We let you use it.\n2. Scope. It is small.\n3. End. It ends.\n4. Law. Ours.\n";
    assert!(!begins("COMM-LICENSE.txt", terms).contains("headings"));
}

#[test]
fn a_script_without_functions_is_told_by_what_it_runs() {
    let runs = "#!/bin/sh\nset -e\nname=shop\n\n# Build it first\ncargo build --release\ncp a b | tee c\necho done\n";
    assert_eq!(
        begins("release.sh", runs),
        "Shell source, under 10 lines. | - commands `cargo build --release`, `cp a b`"
    );
    let told = "#!/bin/sh\n# Builds the shop.\ncargo build\n";
    assert!(begins("build.sh", told).starts_with("Builds the shop. |"));
    let functions = "#!/bin/sh\nbuild() {\n  cargo build\n}\nbuild\n";
    assert!(!outline_of("build.sh", functions).contains("command"));
}

#[test]
fn a_colon_in_brackets_makes_no_rule_of_a_makefile() {
    let make = "OBJ = $(SRC:.c=.o)\n\n$(LIB): $(OBJ)\n\tar r $@\n\nall: $(LIB)\n";
    let told = outline_of("Makefile", make);
    assert!(
        told.contains("targets `$(LIB)`, `all`") && told.contains("`OBJ"),
        "{told}"
    );
}

#[test]
fn headings_between_rulers_of_stars_document_nothing() {
    let c = "#include <a.h>\n\n/*-*************************************\n*  Local types\n***************************************/\n#define MIN(a,b) ((a)<(b)?(a):(b))\nint f(void) { return 1; }\n";
    assert!(!outline_of("a.c", c).contains("Local types"));
}

#[test]
fn a_header_defines_for_others_and_members_have_their_names() {
    let header = "#ifndef A_H\n#define A_H\nstatic int size(int a) { return a; }\nstruct outer {\n  struct { int a; } in;\n};\n#endif\n";
    let told = outline_of("a.h", header);
    assert!(
        !told.contains("Not public") && told.contains("struct {…} in"),
        "{told}"
    );
    let source = "#ifndef NDEBUG\n#include <a.h>\n#endif\nstatic int size(int a) { return a; }\n";
    assert!(outline_of("a.c", source).contains("Not public"));
}

#[test]
fn kotlin_names_companions_and_what_stands_in_backticks() {
    let kotlin = "package a\n\n/* ktlint-disable filename */\n\n@Deprecated(\"Old.\")\nobject `-Old` {\n  fun get() = 1\n}\n\nactual open class Text\ninternal actual constructor(\n  data: String,\n) : Comparable<Text> {\n  actual fun size() = 1\n\n  companion object {\n    fun of() = 2\n  }\n}\n";
    let told = outline_of("Old.kt", kotlin);
    for line in ["object `-Old`", "fun size()", "fun get()"] {
        assert!(told.contains(line), "{line}: {told}");
    }
    assert!(!told.contains("ktlint"), "{told}");
}

#[test]
fn traits_of_php_are_mixed_in() {
    let php = "<?php\nclass A extends B implements C\n{\n    use Retries;\n\n    public function run() {}\n}\n";
    let told = outline_of("A.php", php);
    assert!(told.contains("mixes in `Retries`"), "{told}");
}

#[test]
fn projects_of_msbuild_say_what_they_make() {
    let project = "<Project Sdk=\"Microsoft.NET.Sdk\">\n  <PropertyGroup>\n    <OutputType>Exe</OutputType>\n  </PropertyGroup>\n  <ItemGroup>\n    <PackageReference Include=\"Autofac\" Version=\"1\" />\n  </ItemGroup>\n</Project>\n";
    assert_eq!(
        begins("a.csproj", project),
        "MSBuild project (Exe) with `Autofac`. | XML file, under 10 lines, 2 keys."
    );
}

#[test]
fn what_is_no_sentence_of_a_page_is_left_out() {
    let mail = "<p>\n  Hi Mike, it's <%= @now %> and I'm at <%= @hostname %>.\n</p>\n";
    assert!(begins("cron.html.erb", mail).starts_with("HTML file"));
    let slim = "doctype html\nhtml\n  body\n    h1 Markup examples of this page\n    p This example shows you how it looks.\n";
    assert!(
        !begins("a.slim", slim).contains("doctype html html"),
        "{}",
        begins("a.slim", slim)
    );
    let links = "<h3>{{ _('Useful Links') }}</h3>\n<ul>\n  <li>A</li>\n</ul>\n";
    assert!(
        !outline_of("a.html", links).contains("{{"),
        "{}",
        outline_of("a.html", links)
    );
    let lists = "# Programs for automated tests of the shop\n\nThis directory contains the following programs:\n\n- `a`\n";
    assert!(begins("README.md", lists).starts_with("Programs for automated tests of the shop |"));
    let pointer = "# Adapter for the cloud\n\nView the [documentation](https://example.org).\n";
    assert!(!begins("README.md", pointer).contains("View"));
    let rst = "Shop: sells things\n==================\n\nRelease v\\ |version|. (:ref:`Installation <install>`)\n\nShop sells things over the counter, as they say.\n";
    assert!(
        begins("index.rst", rst).starts_with("Shop sells things"),
        "{}",
        begins("index.rst", rst)
    );
    let data = format!("{}\n", "yF8hMK+lpNaMtr9P7JtY".repeat(8));
    assert!(
        begins("a.yml.enc", &data).starts_with("Encoded data."),
        "{}",
        begins("a.yml.enc", &data)
    );
}

#[test]
fn what_stands_above_a_part_of_a_file_says_nothing_of_the_whole() {
    let go = "// TinyGo does not support it yet;\n// see there.\n//go:build !tinygo\n\npackage a\n\nfunc B() {}\n";
    assert!(begins("b.go", go).starts_with("Go source"));
    let rust = "//! [![github]](https://example.org/a)&ensp;[![crates-io]](https://example.org/b)\n//!\n//! [github]: https://img.example.org/a\n//! [crates-io]: https://img.example.org/b\n//!\n//! <br>\n//!\n//! Keeps errors of any kind.\n\npub struct A;\n";
    assert!(begins("lib.rs", rust).starts_with("Keeps errors of any kind. |"));
    let readme =
        "# Hooks for the log\n\n## Usage\n\n```go\nf()\n```\n\nIf you want it here, say so.\n";
    assert!(begins("README.md", readme).starts_with("Markdown file"));
    let java = "/**\n * <h2>Keeps rows</h2>\n *\n * Rows are what files of values have.\n */\npackage a;\n";
    assert!(begins("package-info.java", java).starts_with("Rows are what files"));
    let cpp = "#pragma once\nnamespace a {\nclass B {\npublic:\n    // public methods\n    void run();\n};\n}\n";
    assert!(!outline_of("b.hpp", cpp).contains("public methods"));
    let robots = "# Licensed to the Apache Software Foundation (ASF) under one\n# or more contributor license agreements.\n\nUser-agent: security research\nDisallow: *\n";
    assert!(!begins("robots.txt", robots).contains("Apache License"));
    let make = "# Catch-all target: send all unknown targets to the tool\n# with its own option.\n%: Makefile\n\trun $@\n";
    assert!(
        outline_of("Makefile", make)
            .contains("send all unknown targets to the tool with its own option")
    );
    let batch = "@ECHO OFF\n\npushd %~dp0\n\nREM Command file for the documentation\n\nif \"%1\" == \"\" goto help\n\n:help\nrun\n\n:end\npopd\n";
    assert_eq!(
        begins("make.bat", batch),
        "Command file for the documentation | Batch source, 10+ lines, 2 public items."
    );
}

#[test]
fn rows_are_no_columns_and_directives_are_entries() {
    for (text, expected) in [
        (
            "# Comment\nname,price\na,1\n",
            "CSV file, under 10 lines, 2 columns. | - columns `name`, `price`",
        ),
        (
            "AA,33,\nAA,,\"\"\n",
            "Rows of 3 values, without names of columns. | CSV file, under 10 lines.",
        ),
    ] {
        assert_eq!(begins("a.csv", text), expected);
    }
    let page = "Fields\n======\n\n.. php:namespace:: Shop\\Fields\n\n.. php:interface:: FieldsInterface\n\n    Represents the fields of a shop.\n\n    .. php:method:: getBytes()\n";
    assert_eq!(
        begins("fields.rst", page),
        "Represents the fields of a shop. | reStructuredText file, 10+ lines, 4 items."
    );
    let header = "#ifndef A\n#define A\nvoid shop::open(shop::level level);\n#endif\n";
    assert!(begins("a-inl.h", header).starts_with("C++ source"));
}

#[test]
fn what_a_reader_would_call_a_slip_is_told_right() {
    let java = "class Till {\n    /** The name: {@value}. */\n    public static final String NAME = \"a\";\n    void test() {}\n}\n";
    let told = outline_of("Till.java", java);
    assert!(
        told.contains("Not public:") && !told.contains("Private"),
        "{told}"
    );
    assert!(!told.contains("name: ."), "{told}");
    let ruby =
        "require File.expand_path(\"../helper\", __FILE__)\nrequire \"json\"\n\nclass A\nend\n";
    assert!(outline_of("a.rb", ruby).contains("Imports: `../helper`, `json`"));
    let rdoc = "= Why this tool\n\nIt builds what has changed.\n\n== Parts\n\nMore.\n";
    assert_eq!(
        begins("README.rdoc", rdoc),
        "It builds what has changed. | RDoc file, under 10 lines, 2 headings."
    );
    let go = "package a\n\n// First is the same as (*URL).Query()[key][0].\nfunc First() {}\n";
    assert!(outline_of("a.go", go).contains("Query()[key][0]"));
}

/// Red before: below one word the text of whatever came next was taken for it.
#[test]
fn one_word_that_is_a_sentence_stays_and_parameters_are_no_text() {
    for (text, doc) in [
        (
            "def f(a):\n    \"\"\"Constructor.\n\n    Args:\n        a: The first thing.\n    \"\"\"\n",
            "Constructor.",
        ),
        (
            "def f(a):\n    \"\"\"Resize\n\n    Example:\n\n    >>> m(1)\n    2\n    \"\"\"\n",
            "Resize",
        ),
    ] {
        let told = outline_of("a.py", text);
        assert!(told.contains(&format!(": {doc}\n")), "{told}");
    }
    let go =
        "// Package a parses; with v := a.Parse(x) one gets a tree.\npackage a\n\nfunc B() {}\n";
    assert!(begins("a.go", go).starts_with("Package a parses"));
    let rust = "//! Parses any MIT license.\n\npub struct A;\n";
    assert!(begins("a.rs", rust).starts_with("Parses any MIT license. |"));
    let queue = "//! Taken from the queue by one worker.\n\npub struct A;\n";
    assert!(begins("a.rs", queue).starts_with("Taken from the queue"));
}

#[test]
fn guards_tables_and_rows_of_commands_are_what_they_are() {
    let source = "#ifndef _GNU_SOURCE\n#define _GNU_SOURCE\n#endif\n#include <a.h>\nstatic int size(int a) { return a; }\n";
    assert!(outline_of("a.c", source).contains("Not public"));
    for (text, expected) in [
        (",name,price\n0,a,1\n", "columns `name`, `price`"),
        (
            "country,2019,2020\nA,1,2\n",
            "columns `country`, `2019`, `2020`",
        ),
        ("#CHROM,POS\n1,2\n", "columns `#CHROM`, `POS`"),
    ] {
        assert!(
            outline_of("a.csv", text).contains(expected),
            "{}",
            outline_of("a.csv", text)
        );
    }
    let row = "set -e\ncd x && FOO=1 cargo build && cargo test\nFOO=2 cargo doc\n";
    assert!(
        outline_of("a.sh", row).contains("commands `cargo build`, `cargo doc`"),
        "{}",
        outline_of("a.sh", row)
    );
    let help = "USAGE=\"Counts what is sold.\"\ncount all\n";
    assert!(!outline_of("a.sh", help).contains("command"));
    let cc0 = "Creative Commons Legal Code\n\nCC0 1.0 Universal\n\nThis license is none.\n";
    assert!(begins("LICENSE", cc0).starts_with("CC0 dedication"));
    let header = "#ifndef A\n#define A\nint a; /* like std::vector */\n#endif\n";
    assert!(begins("a.h", header).starts_with("C source"));
    let agents = "ssh-agent forwarding explained\nfor people who need it here\n";
    assert!(!begins("notes", agents).contains("key"));
}

#[test]
fn what_is_offered_by_a_list_is_public_and_what_is_kept_is_not() {
    let source = "const isA = v => v;\nconst _b = 1;\nconst kept = 2;\nconst proto = A.prototype;\nproto.add = function add(name) {\n  this.name = name;\n};\n\nexport default {\n  isA,\n  b: _b,\n};\n";
    let outline = outline_of("a.js", source);
    let (public, private) = outline.split_once("Not public:").expect("both");
    for offered in [
        "`const isA = v =>`",
        "`const _b = 1` (`export default { b: _b }`)",
    ] {
        assert!(public.contains(offered), "{outline}");
    }
    for kept in ["`const kept = 2`", "proto.add = function"] {
        assert!(private.contains(kept), "{outline}");
    }
    let helper = "var __importStar = (this && this.__importStar) || function (m) {};\nconst a = 1;\nmodule.exports = { a };\n";
    assert!(!outline_of("a.js", helper).contains("__importStar"));
    let source = "#define local static\n\n/* Adds. */\nlocal int add(int a) { return a; }\nint sum(void) { return add(1); }\n";
    let outline = outline_of("a.c", source);
    assert!(
        outline.contains("Not public:\n\n- `local int add(int a)`"),
        "{outline}"
    );
    let source = "pub(crate) fn a() {}\npub fn b() {}\n";
    assert!(outline_of("a.rs", source).contains(", 1 public item."));
}

#[test]
fn what_is_made_for_machines_is_called_that() {
    let minified = format!("!function(t){{{}}}();\n", "t.a=t.b?1:2;".repeat(200));
    let map =
        r#"{"version":3,"file":"a.min.js","sources":["a.js"],"names":["x"],"mappings":"AAAA"}"#;
    let rc = "#include <winver.h>\nVS_VERSION VERSIONINFO\nBEGIN\n  VALUE \"FileDescription\", \"packs and unpacks\\0\"\nEND\n";
    let yaml =
        "name: CI\non:\n  push:\n  pull_request:\njobs:\n  test:\n    runs-on: ubuntu-latest\n";
    for (name, text, expected) in [
        (
            "a.min.js",
            &*minified,
            "Minified code.\n\nJavaScript file, under 10 lines.\n",
        ),
        ("a.min.js.map", map, "Source map of `a.min.js`.\n"),
        (
            "a.svg",
            "<svg xmlns=\"x\"><title>A till</title><path d=\"M0\"/></svg>",
            "SVG image: A till\n",
        ),
        ("a.rc", rc, "Windows resources: packs and unpacks.\n"),
        (
            "a.def",
            "; packs and unpacks files\nEXPORTS\n    pack\n    unpack\n",
            "packs and unpacks files\n",
        ),
        (
            "ci.yml",
            yaml,
            "GitHub Actions workflow CI, on push, pull_request.\n",
        ),
    ] {
        let outline = outline_of(name, text);
        assert!(outline.starts_with(expected), "{outline}");
    }
}

#[test]
fn what_stands_above_or_below_a_ruler_is_read_as_it_is_meant() {
    for (name, text, expected) in [
        (
            "a.test",
            "Class declaration\n-----\n<?php\nnamespace A;\nclass B {\n}\n-----\narray(\n)\n",
            "Class declaration\n\nText file",
        ),
        (
            "a.md",
            "# A\n\nKeeps items.\n\n<!-- [[[cog\n# Made by a program.\n]]] -->\n",
            "Keeps items.\n\nMarkdown file, under 10 lines, 1 heading.",
        ),
        (
            "a.html",
            "<h1>What is new in 4.11</h1>\n<h2>Matchers</h2>\n<p>Uses the latest of them now.</p>\n",
            "What is new in 4.11\n",
        ),
        (
            "a.c",
            "/* a.c\n * Copyright (C) 2003 A\n * For conditions of use, see copyright notice\n *\n * a.c unpacks files of old programs.\n */\n\n/*\n * Change history:\n *\n * 1.0 First\n */\nint a;\n",
            "a.c unpacks files of old programs.\n",
        ),
        (
            "a.rs",
            "#![deny(\n    missing_docs\n)]\n\n//! Does things.\n\n/// ```compile_fail\n/// use a::b;\n/// ```\nfn c() {}\n",
            "Does things.\n\nRust source, 10+ lines.\n\nNot public:\n\n- `fn c()`\n",
        ),
        (
            "b.rs",
            "#![doc(test(\n    attr(deny(warnings))\n))]\n//! Does things. If a command is missing it is invoked and\n//! Thor::Runner finds the command.\nfn c() {}\n",
            "Does things. If a command is missing it is invoked and Thor::Runner finds the command.\n",
        ),
        (
            "a.expected",
            "{\n  \"name\": \"Jack (\\\"Bee\\\") Nimble\",\n  \"format\": { \"type\": \"rect\" }\n}\n",
            "Text file, under 10 lines, 2 keys.\n\n- keys `name Jack (\"Bee\") Nimble`, `format: type rect`",
        ),
        (
            "ChangeLog",
            "\n                Changes of the till by day\n\n1.1 (12 Feb)\n- Adds what was missing.\n",
            "Changes of the till by day\n",
        ),
        (
            "rfc1.txt",
            "Network Working Group                       A. Author\nRequest for Comments: 1952                  Institute\nCategory: Informational                      May 1996\n\n\n        Format of a till's files\n\nStatus of This Memo\n\n   It says what is in them.\n",
            "RFC 1952: Format of a till's files\n",
        ),
        (
            "b.c",
            "/* all linked symbols */\n#define a b_a\n#define b b_b\n#define c b_c\n\n/* the most of them */\n#define MOST 3\n",
            "C source, under 10 lines, 4 public items.\n\n- `#define MOST 3`: the most of them\n- macros `a`, `b`, `c`\n",
        ),
        (
            "b.rb",
            "# This code was copied from Rake, available under MIT-LICENSE\n# Copyright (c) 2003\ndef width\n  80\nend\n",
            "Ruby source, under 10 lines, 1 public item.\n\n- `def width`\n",
        ),
    ] {
        let outline = outline_of(name, text);
        assert!(outline.starts_with(expected), "{outline}");
    }
}

#[test]
fn what_says_nothing_of_a_file_is_passed_over() {
    for (name, text, expected) in [
        (
            "b.mjs",
            "import { styleText } from 'node:util';\n\n// Customise colours for help output.\n\nconst program = new Command();\n",
            "Customise colours for help output.\n",
        ),
        (
            "release",
            "#!/bin/sh\n#/ Usage: release\n#/\n#/ Tag the version and push it.\n#/\n\nset -e\ngit tag 1\n",
            "Tag the version and push it.\n",
        ),
        (
            "c.rb",
            "# =====================\n#   Unity Project - A Framework\n#   Copyright (c) 2007 A\n# =====================\n\n# This script creates modules.\n\nrequire File.join(dir, 'all')\nrequire 'b'\n",
            "This script creates modules.\n\nRuby source, under 10 lines.\n\nImports: `File.join(dir, 'all')`, `b`\n",
        ),
        (
            "a.xml",
            "<?xml version=\"1.0\"?>\n<all>\n<one><user><description>ask me a question</description></user></one>\n</all>\n",
            "XML file, under 10 lines",
        ),
        (
            "settings.gradle",
            "include ':app'\ninclude(\":lib\")\n",
            "Groovy source, under 10 lines, 2 public items.\n\n- entries `include ':app'`, `include(\":lib\")`\n",
        ),
        (
            "a.ads",
            "-------------------\n--  Thick binding of it. --\n-------------------\n\nwith Ada;\n",
            "Thick binding of it.\n",
        ),
    ] {
        let outline = outline_of(name, text);
        assert!(outline.starts_with(expected), "{outline}");
    }
}

#[test]
fn sentences_end_where_they_end_and_commands_are_whole() {
    let tests = "mod a {\n    fn make() {}\n    buf_tests!(make);\n}\nrgtest!(finds, |dir| {});\n";
    let outline = outline_of("a.rs", tests);
    assert!(outline.contains("\nTests: `finds`\n"), "{outline}");
    let many: String = (0..400).fold(String::new(), |text, at| {
        text + &format!("    /** Checks one. */\n    public static void assertEquals{at}(String message, Object a) {{}}\n")
    });
    let java = format!("/** Methods for tests. More. */\npublic class Assert {{\n{many}}}\n");
    let outline = outline_of("Assert.java", &java);
    assert!(
        outline.starts_with("Methods for tests. More.\n\nJava source"),
        "{}",
        &outline[..500]
    );
    let java = "/** Checks\n * <ul><li>a</li></ul>\n */\npublic class A {\n  /** Runs. <p>More */\n  public void run() {}\n}\n";
    let outline = outline_of("A.java", java);
    assert!(outline.contains("`public class A`: Checks\n"), "{outline}");
    let shell =
        "set -e\ncargo miri setup\nRUSTFLAGS=\"-Z a\" \\\ncargo miri test --all \\\n  --release\n";
    let outline = outline_of("a.sh", shell);
    assert!(
        outline.contains("commands `cargo miri setup`, `cargo miri test --all --release`"),
        "{outline}"
    );
}

#[test]
fn lists_of_settings_are_read_as_they_go_on() {
    each_contains(&[
        (
            "tox.ini",
            "[testenv]\nextras = tests\ncommands =\n    pytest \\\n      --cov-report=xml\n    mkdocs build\n",
            "- key `[testenv] extras tests, commands`\n",
        ),
        (
            "ci.yml",
            "name: CI\non: [push, pull_request]\njobs:\n  test:\n    runs-on: a\n",
            "GitHub Actions workflow CI, on push, pull_request.\n",
        ),
        (
            ".rspec",
            "-w\n--color\n--warnings\n",
            "- entries `-w`, `--color`, `--warnings`\n",
        ),
        (
            "a.rb",
            "class A\n  alias_method :notify, :results=\nend\n",
            "  - `alias_method :notify, :results=`\n",
        ),
        (
            "a_spec.rb",
            "describe A do\n  it \"works\" do\n    describe \"inner\" do\n      it(\"is material\") {}\n    end\n  end\nend\n",
            "- `A`: `works`\n",
        ),
        (
            "CHANGELOG.md",
            "# Changes\n\n## [**6.2.0**](https://a.b/c)\n- more\n",
            "  - 6.2.0\n",
        ),
        (
            "curl.txt",
            "COPYRIGHT AND PERMISSION NOTICE\n\nCopyright (c) 1996 A, and contributors.\n\nPermission to use, copy, modify, and distribute this software for any purpose with or without fee is hereby granted.\n",
            "curl licence. Copyright (c) 1996 A, and contributors.\n",
        ),
    ]);
}
