//! What a reader of eight more projects found: parts, asides and fragments that were taken for what a file says.

use super::{each_contains, outline_of};

#[test]
fn a_licence_that_is_offered_among_others_is_not_the_licence() {
    each_contains(&[
        (
            "license.md",
            "Licenses\n========\n\nYou may use Till under the terms of either the New BSD License or the GNU General Public License (GPL) version 2 or 3.\n\nThe BSD License is recommended.\n\nNew BSD License\n---------------\n\nCopyright (c) 2004 A. Author\nRedistribution and use in source and binary forms are permitted.\n",
            "BSD licence or GNU General Public License.\n\n",
        ),
        (
            "LICENSE",
            "Copyright (c) 2020 The Tills\n\nThis software is dual-licensed under the MIT License, the ISC License and the Mozilla Public License 2.0.\n",
            "MIT licence, ISC licence or Mozilla Public License. Copyright (c) 2020 The Tills\n",
        ),
        (
            "COPYING",
            "This program is free software; you can redistribute it under the terms of the GNU General Public License as published by the Free Software Foundation; either version 2 of the License, or (at your option) any later version.\n",
            "GNU General Public License.\n",
        ),
    ]);
}

#[test]
fn empty_settings_above_a_style_sheet_are_no_key() {
    each_contains(&[
        (
            "main.scss",
            "---\n---\n\n@import \"drawer\";\n",
            "SCSS file, under 10 lines.\n\n- line `@import \"drawer\";`\n\nImports: `drawer`\n",
        ),
        (
            "skin.scss",
            "---\n---\n\n@import \"{{ site.skin | default: 'grid' }}\";\n\n.till {\n  color: red;\n}\n",
            "1 rule.\n\n- rule `.till`\n",
        ),
    ]);
}

#[test]
fn titles_of_tests_go_on_behind_a_backslash() {
    let text = "context \"an open till\" do\n  should \"sell\" do\n  end\n\n  should \"set the price to 'two' \" \\\n    \"where the coin says so\" do\n  end\nend\n\ncontext \"a till with \" \\\n  \"two drawers\" do\n  should \"shut\" do\n  end\nend\n";
    let said = outline_of("till_test.rb", text);
    let expected = "- `an open till`: `sell`, `set the price to 'two' where the coin says so`\n- `a till with two drawers`: `shut`\n";
    assert!(said.contains(expected), "{said}");
    let script = "describe('till', () => {\n  it('sells', () => {});\n  it('sets the price ' +\n    `of ${item} ` + 'to two', () => {});\n});\n";
    let said = outline_of("till.test.js", script);
    assert!(
        said.ends_with("- `till`: `sells`, `sets the price of ${item} to two`\n"),
        "{said}"
    );
}

#[test]
fn a_manual_says_what_it_is_and_not_its_menu() {
    let manual = "\\input texinfo\n@settitle Till @value{VERSION}\n\n@copying\nThis manual is for Till\n(version @value{VERSION}, @value{UPDATED}),\na cash register in @code{C}.\n\nCopyright @copyright{} 2001 A. Author.\n@end copying\n\n@menu\n* Selling::\n* Licence::\n@end menu\n\n@node Selling, Licence, Top, Top\n@chapter Sell a Little, Count a Little\n\n@appendix Licence\n\n@unnumbered Index\n";
    let said = outline_of("till.texi", manual);
    assert_eq!(
        said,
        "This manual is for Till, a cash register in C.\n\nTexinfo file, 20+ lines, 4 headings.\n\n- Till\n- Sell a Little, Count a Little\n- Licence\n- Index\n"
    );
    let page = ".TH \"till\" \"3\"\n.SH \"PROLOG\"\nThis page is part of a manual.\n.SH \"NAME\"\ntill_open\n\\(em open the drawer of a till\n.SH \"SYNOPSIS\"\n";
    let said = outline_of("till.3", page);
    assert!(
        said.starts_with("till_open — open the drawer of a till\n"),
        "{said}"
    );
}

#[test]
fn what_a_macro_runs_is_no_item() {
    let text = "# TILL_CHECK([ITEMS][, ACTION])\n#\n# Looks for items.\nAC_DEFUN([TILL_CHECK],\n[\nAC_MSG_CHECKING([whether it's there])\nold_CFLAGS=\"$CFLAGS\"\ncase $1 in\na) CFLAGS=\"-g\" ;;\nesac\nCFLAGS=\"$old_CFLAGS\" ])\n\nAC_DEFUN([TILL_SHUT], [\nSHUT=1\n])\n";
    let said = outline_of("till.m4", text);
    assert_eq!(
        said,
        "Autoconf source, 10+ lines, 2 public items.\n\n- `AC_DEFUN([TILL_CHECK])`: TILL_CHECK([ITEMS][, ACTION])\n- `AC_DEFUN([TILL_SHUT])`\n"
    );
    let script = "AC_INIT([till], [1.0])\nAC_PREREQ([2.6])\nCFLAGS=\"-g\"\nAC_ARG_ENABLE([drawer],\n  [AS_HELP_STRING([--enable-drawer], [it's one])],\n  [drawer=yes])\nAC_CONFIG_FILES([Makefile])\nAC_OUTPUT\n";
    let said = outline_of("configure.ac", script);
    assert!(
        said.contains("AC_ARG_ENABLE([drawer]") && said.contains("CFLAGS=\"-g\""),
        "{said}"
    );
}

#[test]
fn the_comment_of_one_value_is_not_that_of_all() {
    let text = "# set to 1 if there is a drawer\nHAVE_DRAWER=@HAVE_DRAWER@\nexport HAVE_DRAWER\nEXEEXT=@EXEEXT@\nexport EXEEXT\n";
    let said = outline_of("test_vars.in", text);
    assert!(said.starts_with("Text file"), "{said}");
    let apart =
        "# Values for the tests of the till.\n\nHAVE_DRAWER=@HAVE_DRAWER@\nEXEEXT=@EXEEXT@\n";
    let said = outline_of("test_vars.in", apart);
    assert!(
        said.starts_with("Values for the tests of the till."),
        "{said}"
    );
}

#[test]
fn what_the_project_is_stands_in_its_banner_and_is_not_what_the_file_is() {
    let banner = "/*\n * Till: a cash register for C\n * Copyright (C) 2001 A. Author\n *\n * This library is free software; you can redistribute it.\n */\n\n#include \"till.h\"\n\nint sell(void) { return 1; }\n";
    let said = outline_of("sell.c", banner);
    assert!(said.starts_with("C source"), "{said}");
    let own = "/*\n * Purpose: sells all items\n * Copyright (C) 2001 A. Author\n */\n\n#include \"till.h\"\n\nint sell(void) { return 1; }\n";
    let said = outline_of("sell.c", own);
    assert!(said.contains("sells all items"), "{said}");
}

#[test]
fn labels_for_screen_readers_are_no_headings() {
    let page = "---\nlayout: default\ntitle: News\npermalink: /news/\n---\n<section>\n<h2 class=\"visually-hidden\">Menu</h2>\n<h2><a href=\"{{ page.url }}\"><span class=\"a sr-only\">Permalink</span></a>{{ page.title }}</h2>\n<h2>How sr-only works</h2>\n</section>\n";
    let said = outline_of("news.html", page);
    assert!(
        said.contains("2 headings.\n\n- News\n  - How sr-only works\n"),
        "{said}"
    );
}

#[test]
fn how_titles_of_issues_begin_is_not_what_the_template_is() {
    let text = "---\nname: Feature Request\nabout: Want us to add a till?\ntitle: 'feat: a till'\nlabels: feature\n---\n\n### Summary\n";
    let said = outline_of("feature.md", text);
    assert!(said.starts_with("Want us to add a till?\n"), "{said}");
    assert!(
        said.contains("- Feature Request\n") && !said.contains("feat:"),
        "{said}"
    );
}

#[test]
fn asides_to_addresses_and_links_over_two_lines() {
    each_contains(&[
        (
            "index.rst",
            "Till\n====\n\nThe goal of Till is a `freely licensed\n<https://a.b/c>`__, quick cash register.\n",
            "The goal of Till is a freely licensed, quick cash register.\n",
        ),
        (
            "shut.py",
            "# https://a.b/issues/1\n# (except for drawers...)\n\nimport till\n\n\ndef shut():\n    pass\n",
            "Python source, under 10 lines, 1 public item.\n",
        ),
        (
            "sell.py",
            "\"\"\"Test typing for Till.open[_soon]().\"\"\"\n\ndef sell():\n    pass\n",
            "Test typing for Till.open[_soon]().\n",
        ),
    ]);
}

#[test]
fn a_comment_within_a_template_is_about_a_part() {
    let layout = "{#\nhttps://a.b/c\n#}\n{% extends \"!layout.html\" %}\n\n{% block title %}\n\n{# the helper for logos was removed in version 6 #}\n<a class=\"logo\" href=\"x\"></a>\n{% endblock %}\n";
    let said = outline_of("layout.html", layout);
    assert!(!said.contains("helper for logos"), "{said}");
    let index = "{% extends \"!index.html\" %}\n\n{# look at the theme if this snippet has become outdated #}\n\n{% block body %}\n<h1>{{ _('Index') }}</h1>\n{% endblock %}\n";
    let said = outline_of("index.html", index);
    assert!(!said.contains("snippet"), "{said}");
    let own = "{# Shows all items of a till. #}\n{% extends \"base.html\" %}\n{% block body %}\n<p>{{ item }}</p>\n{% endblock %}\n";
    let said = outline_of("items.html", own);
    assert!(said.starts_with("Shows all items of a till."), "{said}");
}

#[test]
fn a_name_that_is_declared_twice_is_one_item() {
    each_contains(&[
        (
            "till.py",
            "import sys\n\nif sys.platform == \"win32\":\n    PRICE: int\n    Coin = int\nelse:\n    PRICE = 24\n    Coin = str\n",
            ", 2 public items.\n",
        ),
        (
            "till.ts",
            "export function sell(item: string): number\nexport function sell(item: number): string\nexport function sell(item: unknown) {\n  return item as never\n}\n\nexport interface Till {\n  open: boolean\n}\n",
            ", 2 public items.\n",
        ),
        (
            "Till.java",
            "public class Till {\n  public void sell(int a) {}\n  public void sell(long a) {}\n}\n",
            ", 1 public item.\n",
        ),
        (
            "names.py",
            "with quiet(ImportError):\n    from till import sell\nwith quiet(ImportError):\n    from till import shut\n",
            "Imports: `from till import sell`, `from till import shut`",
        ),
    ]);
}

#[test]
fn what_is_announced_and_not_said_is_marked() {
    each_contains(&[
        (
            "CODE_OF_CONDUCT.md",
            "For the code of conduct of Till, see:\nhttps://a.b/c\n",
            "For the code of conduct of Till, see: …\n",
        ),
        (
            "till.py",
            "# Port is free to choose, but:\n# - it must be above 1024\nPORT = 12345\n\n\ndef sell():\n    pass\n",
            "Port is free to choose, but: …\n",
        ),
        (
            "recipe.md",
            "# Recipe\n\n### Look back\n\nTwo items part after the first is sold. Let us see what occurs,\n\n- Sell one.\n",
            "Two items part after the first is sold.\n\n",
        ),
        (
            "recipe.md",
            "---\ntitle: recipe\n---\n\n> This is another way to sell `two` items\n\n### Look back\n\nTwo items part after the first is sold.\n",
            "This is another way to sell `two` items\n",
        ),
    ]);
}

#[test]
fn notes_and_warnings_are_no_description() {
    each_contains(&[
        (
            "CONTRIBUTING.md",
            "# How to help\n\n> [!IMPORTANT]\n>\n> - If you use tools, read our policy first.\n\n## Thanks\n\nThank you for selling with us.\n",
            "Thank you for selling with us.\n",
        ),
        (
            "README.md",
            "# Tills\n\n> **Note:** tills are no longer made of wood.\n\n## Description\n\nSells what lies in it.\n",
            "Sells what lies in it.\n",
        ),
        (
            "test-requirements.txt",
            "# This file was made by a tool: tool make\ncoin==1.0\ndrawer==2.1\n",
            "This file was made by a tool: tool make\n",
        ),
        (
            "till.h",
            "/* Hashes are variants of those listed at\n * https://a.b/c\n * (old link: https://d.e/f ) */\nint sell(void);\n",
            "(old link:",
        ),
        (
            "rules.py",
            "class Till:\n    \"\"\"Sells under a name::\n\n        till = Till()\n    \"\"\"\n\n\ndef sell():\n    pass\n",
            "- `class Till`: Sells under a name: …\n",
        ),
        (
            "bug.md",
            "---\nname: \"Bug\"\nabout: Tell what is wrong\nlabels: bug\n---\n\n## Bug report\n\n### Steps\n",
            "2 headings.\n\n- Bug report\n  - Steps\n",
        ),
        (
            "fdl.texi",
            "@c The licence\n@center Version 1.3\n\n@display\nCopyright @copyright{} 2000 A. Author\n@end display\n\n@enumerate 0\n@item\nPREAMBLE\n\nThe purpose of this License is to make a manual free.\nGNU Free Documentation License applies.\n@heading ADDENDUM: How to use it\n",
            "GNU Free Documentation License. Copyright © 2000 A. Author\n\nTexinfo file, 10+ lines, 1 heading.\n",
        ),
    ]);
}

#[test]
fn orders_attributes_and_imports_have_comments_of_their_own() {
    each_contains(&[
        (
            "x_output",
            "/*\n * DO NOT EDIT THIS FILE. Made by tillmk.\n * Edit the original file instead.\n */\n\n#include <till.h>\n",
            "Made by tillmk. Edit the original file instead.\n",
        ),
        (
            "lib.rs",
            "// There is the same in the other crate. It is just\n// too much work with a part of it.\n#![cfg_attr(not(feature = \"std\"), allow(dead_code))]\n\nmod till;\n",
            "Rust source, under 10 lines.\n",
        ),
        (
            "__init__.py",
            "# Uses `from x import y as y` for tools\n\nfrom .till import sell as sell\n",
            "Python source",
        ),
        (
            "CheckTill.cmake",
            "# - Check if there is a till\n#\n# Sets HAVE_TILL.\n\nmacro(CHECK_TILL VARIABLE)\nendmacro()\n",
            "Check if there is a till\n\nCMake",
        ),
        (
            "till.m4",
            "# Copyright (c) 2008 A. Author <a@b.c>.\n#\n# This code may freely be used, modified and/or redistributed for any purpose.\n# It would be nice if additions were sent back.\n\nAC_DEFUN([TILL], [])\n",
            "Autoconf source, under 10 lines, 1 public item.\n",
        ),
    ]);
    let said = outline_of(
        "__init__.py",
        "# Uses `from x import y as y` for tools\nfrom .till import sell as sell\n",
    );
    assert!(said.starts_with("Python source"), "{said}");
}

#[test]
fn kinds_of_data_are_told_by_their_first_bytes() {
    let of = |data: &[u8]| {
        let data = [data, &[0; 8]].concat();
        super::render(&super::extract(None, &data))
    };
    let size = |kind: &str, bytes: usize| format!("{kind} ({bytes} bytes).\n");
    let certificate = b"\x30\x82\x04\xba\x30\x82\x03\xa2\xa0\x03\x02\x01\x02\x02\x10";
    assert_eq!(of(certificate), size("X.509 certificate", 23));
    assert_eq!(of(b"II*\0"), size("TIFF image", 12));
    assert_eq!(of(b"\0\0\0\x1cftypavif"), size("AVIF image", 20));
    let labelled = size("Binary data with the label `till-automaton-dense`", 29);
    assert_eq!(of(b"till-automaton-dense\0"), labelled);
    assert_eq!(of(b"\xff\xfet\0i\0"), size("UTF-16 text", 14));
    assert_eq!(of(b"a\0b"), size("Binary file", 11));
}
