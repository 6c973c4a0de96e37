//! Data and texts: what is shown of them, and what they are said to be.

use crate::symbol::{Outline, detect, extract};

fn of(name: &str, text: &str) -> Outline {
    extract(detect(name.as_bytes(), text.as_bytes()), text.as_bytes())
}

#[test]
fn settings_and_lists_are_shown() {
    for (name, text, expected) in [
        (
            "a.toml",
            "bin.name = \"shop\"\nargs = \"--all\" # those\ntoken = \"x\"\n",
            "bin.name shop|args --all|token",
        ),
        (
            "dependabot.yml",
            "version: 2\nupdates:\n  - package-ecosystem: \"cargo\" # one of many\n    directory: /\n",
            "version 2|updates: package-ecosystem cargo",
        ),
        (
            "a.yml",
            "Style/Negation:\n  Enabled: false\n  Exclude: b\n",
            "Style/Negation: Enabled false, Exclude",
        ),
        (".styleignore", "a/**/b\n*.min.js\n", "a/**/b|*.min.js"),
        (
            "a.tape",
            "Output a.gif\nSet Width 8\nType b\n",
            "Output a.gif|Set Width 8|Type b",
        ),
        (
            "a.xml",
            "<a><b id=\"c\"/><b id=\"d\"/><b><e/></b></a>\n",
            "<a>|3 <b> c, d, +1|<e>",
        ),
    ] {
        let outline = of(name, text);
        let shown: Vec<&str> = outline
            .symbols
            .iter()
            .map(|symbol| &*symbol.signature)
            .collect();
        assert_eq!(shown.join("|"), expected, "{name}");
    }
}

#[test]
fn what_says_what_a_file_is_for_is_found() {
    for (name, text, expected) in [
        (
            "a.html",
            "{% extends \"b.html\" %}\n\n{#\nEntry of the shop. Put `{% block c %}` below it.\n#}\n",
            "Entry of the shop. Put `{% block c %}` below it.",
        ),
        (
            "A.csproj",
            "<Project Sdk=\"B\"><Description>Sells all of it.</Description></Project>\n",
            "Sells all of it.",
        ),
        (
            "a.md",
            "# A\n\nHello! Thank you for coming to this!\n\nThis sells things.\n",
            "This sells things.",
        ),
        (
            "b.md",
            "---\ntitle: A\ndescription:\n  What stands\n  below.\n---\n# B\n\nOther words of it.\n",
            "What stands below.",
        ),
        (
            "c.md",
            "# A\n\nSee docs/building for more information.\n\nThis tells of events.\n",
            "This tells of events.",
        ),
        (
            "a.jsonc",
            "// This file has the defaults.\n{\n  \"a\": 1\n}\n",
            "This file has the defaults.",
        ),
        (
            "a.rasi",
            "/**\n * A theme of colours\n * User: a\n */\n* {\n}\n",
            "A theme of colours",
        ),
        (
            "a.yml",
            "description: It sells things\nsummary: A shop of things\n",
            "A shop of things",
        ),
    ] {
        assert_eq!(of(name, text).doc, expected, "{name}");
    }
}

#[test]
fn elements_that_are_not_named_are_counted() {
    let elements: Vec<String> = (0..40).map(|at| format!("<e{at}/>")).collect();
    let text = crate::symbol::render(&of("a.xml", &format!("<a>{}</a>\n", elements.concat())));
    assert!(
        text.starts_with("XML file, under 10 lines, 41 keys."),
        "{text}"
    );
    assert!(text.ends_with("- … and 11 more\n"), "{text}");
}
