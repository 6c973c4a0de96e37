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
