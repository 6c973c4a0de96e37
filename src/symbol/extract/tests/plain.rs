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
    It *does* things, and more. See [docs](x).

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

    TOML file, 10+ lines, 4 keys.

    - keys `name`, `[package]`, `[bin]`, `[dependencies]`
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
    YAML file, under 10 lines, 3 keys.

    - keys `name`, `on`, `jobs`
    ");
}

const JSON: &str = r#"{"name": "x", "description": "Keeps values.", "scripts": {"test": "y"}, "list": [{"a": 1}]}
"#;

#[test]
fn json() {
    insta::assert_snapshot!(outline_of("sample.json", JSON), @"
    Keeps values.

    JSON file, under 10 lines, 4 keys.

    - keys `name`, `description`, `scripts`, `list`
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

    Makefile file, under 10 lines, 3 targets.

    - targets `all`, `%.o`, `clean`
    ");
}

const KOTLIN: &str = "/* A screen. */

package a.b
fun main() {}
";

#[test]
fn kotlin() {
    insta::assert_snapshot!(outline_of("sample.kt", KOTLIN), @"
    A screen.

    Kotlin file, under 10 lines.
    ");
}
