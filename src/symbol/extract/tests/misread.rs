//! What readings of projects found on which no rule was made: each case is one that was told wrong.

use super::outline_of;

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
