//! Files without a grammar. What a reader sees of a small but realistic file.

use super::outline_of;

const MARKDOWN: &str = r#"---
title: x
---
[![badge](https://example.org/x.svg)](https://example.org)
<p align="center">logo</p>

# Title

It *does* things,
and more. See [docs](x).

## Install

```sh
# not a heading
```

### From source

Usage
-----
text
"#;

#[test]
fn markdown() {
    insta::assert_snapshot!(outline_of("sample.md", MARKDOWN), @"
    It *does* things, and more. See docs.

    Markdown file, 20+ lines, 4 headings.

    - Title
      - Install
        - From source
      - Usage
    ");
}

const TOML: &str = r#"# Configuration of the tool.

name = "x"
[package]
description = "Keeps values."
[[bin]]
name = "a"
[[bin]]
name = "b"
[dependencies]
"#;

#[test]
fn toml() {
    insta::assert_snapshot!(outline_of("sample.toml", TOML), @"
    Keeps values.

    TOML file, 10+ lines, 1 key, 4 tables.

    - keys `name x`, `[package] description`, `2 [[bin]] a, b`, `[dependencies]`
    ");
}

const YAML: &str = "# Runs the tests.
name: ci
on:
  push:
    branches: [main]
jobs:
  build: x
";

#[test]
fn yaml() {
    insta::assert_snapshot!(outline_of("sample.yaml", YAML), @"
    Runs the tests.

    YAML file, under 10 lines, 3 keys.

    - keys `name ci`, `on: push`, `jobs: build`
    ");
}

const JSON: &str = r#"{"name": "x", "description": "Keeps values.", "scripts": {"test": "y"}, "list": [{"a": 1}]}
"#;

#[test]
fn json() {
    insta::assert_snapshot!(outline_of("sample.json", JSON), @"
    Keeps values.

    JSON file, under 10 lines, 4 keys.

    - keys `name x`, `description`, `scripts: test`, `list`
    ");
}

const MAKEFILE: &str = "# Builds everything.

CC := gcc
.PHONY: all
all: a.o b.o
	cc -o all
%.o: %.c
clean:
";

#[test]
fn makefile() {
    insta::assert_snapshot!(outline_of("Makefile", MAKEFILE), @"
    Builds everything.

    Makefile file, under 10 lines, 4 items.

    - key `CC`
    - targets `all`, `%.o`, `clean`
    ");
}

#[test]
fn rules_of_a_long_style_sheet_are_counted_to_the_end() {
    let long = format!("{}x{{}}\n", "a, ".repeat(100));
    let rules = (0..450).map(|at| format!(".a{at} {{ color: red }}\n"));
    let text = outline_of("a.css", &(rules.collect::<String>() + &long));
    assert!(
        text.starts_with("CSS file, 200+ lines, 451 rules."),
        "{text}"
    );
}
