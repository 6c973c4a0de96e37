//! What later readings found: code, commands and examples that were taken for what a file says of itself.

use super::{each_contains, outline_of};

#[test]
fn attributes_that_are_words_of_the_language_end_no_function() {
    for word in ["class", "for", "default", "in", "new"] {
        let script = format!(
            "describe('till', () => {{\n  let drawer;\n  it('opens', () => {{\n    render(<p id=\"a\" {word}=\"b c\" />, drawer);\n  }});\n  it('shuts', () => {{}});\n}});\n"
        );
        for name in ["till.test.jsx", "till.test.tsx"] {
            let said = outline_of(name, &script);
            assert!(
                said.ends_with("- `till`: `opens`, `shuts`\n"),
                "{word}: {said}"
            );
        }
    }
    let text = "const a = '<p class=\"b\">';\nexport const shown = <p id=\"a\" class=\"b\" />;\n";
    let said = outline_of("a.jsx", text);
    assert!(said.contains("class=\"b\""), "what is shown stays: {said}");
}

#[test]
fn examples_names_and_code_are_no_sentences() {
    each_contains(&[
        (
            "Till.java",
            "/**\n * <pre>{@code\n * Till till = new Till();\n * till.open(1);\n * }</pre>\n */\npublic class Till {}\n",
            "Java source, under 10 lines, 1 public item.\n\n- `public class Till`\n",
        ),
        (
            "Till.java",
            "/**\n * <pre>{@code\n * Till till = new Till();\n * }</pre>\n * Counts money.\n */\npublic class Till {}\n",
            "Counts money.\n",
        ),
        (
            "finder.rb",
            "# String#camelize, String#underscore\nrequire \"strings\"\n\nmodule Till\n  # Finds items.\n  class Finder\n  end\nend\n",
            "- `class Finder`: Finds items.",
        ),
        (
            "dsl.rb",
            "module Till\n  # @example\n  #   describe Item do\n  #     sells :one\n  #   end\n  def sells(*all)\n  end\nend\n",
            "- `def sells(*all)`\n",
        ),
        (
            "off.go",
            "package main\n\n/*\nfunc shut(paths ...string) {\n\tif len(paths) < 1 {\n\t\texit(\"none\")\n\t}\n}\n*/\n",
            "- lines `package main`",
        ),
    ]);
}

/// Scripts of a language without a name here: their first comment says what they do, and their lines are no paragraph.
#[test]
fn lines_of_commands_are_no_paragraph() {
    each_contains(&[
        (
            "unreadable",
            "# Make file unreadable after watch.\nskip windows  # TODO: find out how\n\ntouch /file\n",
            "Make file unreadable after watch.\n",
        ),
        (
            "symlink",
            "# Create a link that leads nowhere\nrequire symlink\n\nwatch /\nln -s /target /link\n",
            "Create a link that leads nowhere\n",
        ),
        (
            "all",
            "require all\n\ntouch /file\nwatch /file default open close\ncat /file\n",
            "- lines `touch /file`",
        ),
        (
            ".checks",
            "allowfunc fopen\nallowfunc fprintf\nallowfunc printf\n",
            "- lines `allowfunc fopen`",
        ),
        (
            "server_config.txt",
            "Algorithms +ssh-rsa\nKeyAlgorithms +ssh-rsa\n",
            "- lines `Algorithms +ssh-rsa`",
        ),
        (
            "id-cert.pub",
            "ssh-ed25519-cert-v01@openssh.com AAAAIHNzaC1lZDI1NTE5 a@b\n",
            "Certificate of SSH.\n",
        ),
    ]);
}

#[test]
fn what_stands_for_something_else_is_not_declared() {
    let python = "try:\n    import tls\nexcept ImportError:\n    tls = None\n\nSIZE = 1\n";
    let said = outline_of("a.py", python);
    assert!(
        said.contains("`SIZE = 1`") && !said.contains("tls = None"),
        "{said}"
    );
    let header = "#ifndef A_H\n#define A_H 1\n/* Define to 1 if there is <unistd.h>. */\n#define HAVE_UNISTD_H 1\n# include _LT SYS/socket.h _GT\n# include CONFIG_HEADER\n#endif\n";
    let said = outline_of("a.h", header);
    assert!(said.contains("`#define HAVE_UNISTD_H 1`"), "{said}");
    assert!(
        !said.contains("#define A_H") && !said.contains("_LT"),
        "{said}"
    );
    assert!(said.contains("Imports: `CONFIG_HEADER`"), "{said}");
}

#[test]
fn kinds_are_those_of_the_content() {
    each_contains(&[
        (
            "sshd.test",
            "#!/usr/bin/env bash\n# Starts a server.\nset -eu\n",
            "Shell source",
        ),
        ("config.inc", "<?php\nreturn ['a' => 1];\n", "PHP source"),
        (
            "box.less",
            "// Box\n.menu {\n  color: red;\n}\n",
            "Less file, under 10 lines, 1 rule.\n\n- rule `.menu`",
        ),
        (
            "Dockerfile",
            "FROM debian\nEXPOSE 22\n",
            "2 instructions.\n\n- instructions `FROM debian`, `EXPOSE 22`",
        ),
        (
            "license.md",
            "# License\n\n*till* is licensed both under the Apache License, Version 2 and the MIT license.\n",
            "Apache License or MIT licence.",
        ),
        (
            "post.md",
            "---\nlayout: post\ntitle: A bridge for Tills\n-----------\n\nTills 3 came out.\n\n## Use\n",
            "A bridge for Tills\n",
        ),
    ]);
    let ruled = "---\n\nTitle of it\n-----------\n\nSays what it is for.\n";
    let said = outline_of("a.md", ruled);
    assert!(
        said.contains("- Title of it"),
        "a ruler below a title: {said}"
    );
    let universal = [b"\xca\xfe\xba\xbe\0\0\0\x02".as_slice(), &[0; 8]].concat();
    let said = super::render(&super::extract(None, &universal));
    assert_eq!(said, "Mach-O object (16 bytes).\n");
    let png = [b"\x89PNG\r\n\x1a\n".as_slice(), &[0; 8]].concat();
    let said = super::render(&super::extract(None, &png));
    assert_eq!(said, "PNG image (16 bytes).\n");
}

#[test]
fn what_is_mentioned_offered_or_counted_is_not_what_a_file_is() {
    each_contains(&[
        (
            "NOTICE",
            "Till is a cash register.\n\nTill is licensed under the Apache License 2.0.\n",
            "Under the Apache License.",
        ),
        (
            "numbers.txt",
            "1.0\n2.5\n3.7.1\n4.0\n0.5\n",
            "Text file, under 10 lines.\n\n- lines `1.0`",
        ),
        (
            "CHANGES.txt",
            "1.0\n- Opens.\n\n1.1\n- Shuts.\n\n1.2\n- Counts.\n",
            "3 headings.",
        ),
        (
            "index.html",
            "<html><head><meta http-equiv=\"refresh\" content=\"7; url='https://a.b/c.html'\" /></head><body><p>Please follow <a href=\"c\">this link</a>.</p></body></html>\n",
            "Leads to `https://a.b/c.html`.\n",
        ),
        (
            "README.md",
            "# Till\n\n## One-Click Deploy\n\nDeploy your own till with one click.\n\n## The idea\n\nTills that count themselves.\n",
            "Tills that count themselves.\n",
        ),
        (
            "setup.rb",
            "# Uncomment this and change the path if necessary to include your own\n# components.\n# Dir['lib/**/*.rb'].each { |f| require f }\n\n# Sets all options of a till.\nTill.setup do |config|\nend\n",
            "Ruby source",
        ),
    ]);
    let said = outline_of(
        "setup.rb",
        "# Uncomment this and change the path if necessary to include your own\n# components.\n\nTill.setup do |config|\nend\n",
    );
    assert!(!said.contains("Uncomment this and"), "{said}");
}

/// What `cfg_net! { … }` is given are items, as deep as such macros stand in one another; `cfg_if!` takes conditions.
#[test]
fn items_within_macros_for_conditions_are_items() {
    each_contains(&[
        (
            "till.rs",
            "cfg_net! {\n    /// Opens it.\n    pub fn open(at: u8) -> Till {\n        match at { _ => Till { at } }\n    }\n\n    pub struct Till { at: u8 }\n    cfg_not_os! {\n        impl Till {\n            /// Shuts it.\n            pub fn shut(self) {}\n        }\n    }\n}\n\ncfg_rt! { pub mod drawer; }\n\ncfg_os! {\nimpl Till {\n    fn peek(&self) {\n    }\n}\n\npub struct Coin;\n} // cfg_os\n",
            "4 public items.\n\n- `pub struct Till`\n  - `pub fn shut(self)`: Shuts it.\n- `pub fn open(at: u8) -> Till`: Opens it.\n- `pub struct Coin`\n- module `drawer`\n",
        ),
        (
            "signs.rs",
            "cfg_os! {\n    // }\n    /* } /* } */ } */\n    pub const A: &str = \"}\\\"}\";\n    pub const B: &str = r#\"}\"}\"#;\n    pub const C: [char; 3] = ['}', '\\'', '\\u{7d}'];\n    pub fn f<'a>(a: &'a str) -> &'a str { a }\n}\n\nmacro_rules! cfg_os {\n    ($($item:item)*) => { cfg_net! { $($item)* } }\n}\n\npub fn open() {}\n",
            "5 public items.",
        ),
        (
            "if.rs",
            "cfg_if! {\n    if #[cfg(unix)] {\n        pub struct Till;\n    }\n}\n\npub fn open() {}\n",
            "1 public item.\n\n- `pub fn open()`\n",
        ),
    ]);
}

/// Red before: the end of a macro that is not closed was taken one byte before the end of the text.
#[test]
fn a_macro_for_conditions_without_an_end_is_no_fault() {
    for text in [
        "cfg_net! {\n pub fn a\u{e9}",
        "cfg_net! {",
        "cfg_net! { \u{e9}",
    ] {
        let _ = outline_of("a.rs", text);
    }
}

#[test]
fn a_directive_that_says_where_names_are_is_no_entry() {
    let page = "Tills\n=====\n\n.. py:currentmodule:: till\n\nHow to sell.\n\n.. py:function:: sell(item)\n";
    let said = outline_of("sell.rst", page);
    assert!(
        said.contains("`sell(item)`") && !said.contains("`till`"),
        "{said}"
    );
}

#[test]
fn the_lock_of_bundler_is_told_by_what_the_project_asks_for() {
    let lock = "PATH\n  remote: .\n  specs:\n    till (1.0)\n      drawer (>= 2)\n\nGEM\n  remote: https://rubygems.org/\n  specs:\n    coin (0.1)\n    drawer (2.1)\n      coin\n\nPLATFORMS\n  ruby\n\nDEPENDENCIES\n  coin (~> 0.1)\n  till!\n\nBUNDLED WITH\n   2.4.1\n";
    let said = outline_of("Gemfile.lock", lock);
    assert_eq!(
        said,
        "Versions of 3 gems.\n\nLock file, 20+ lines.\n\nImports: `coin`, `till`\n"
    );
}

#[test]
fn what_is_passed_on_within_the_crate_alone_is_told_apart() {
    let text = "pub mod coin;\npub(crate) mod drawer;\npub use coin::Coin;\npub(crate) use drawer::{Drawer, open};\n";
    let said = outline_of("lib.rs", text);
    let expected = "- module `coin`\n- module within the crate `drawer`\n- re-export `coin::Coin`\n- re-export within the crate `drawer::{Drawer, open}`\n";
    assert!(said.contains(expected), "{said}");
}

/// Red before: `map` and `find` read a pointer under the name of a program as that, and an outline of it was then another one.
#[test]
fn a_pointer_of_git_lfs_is_no_program() {
    let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n";
    let told = "A Git LFS pointer: the content of 12345 bytes is stored outside the repository.\n";
    for name in ["model.py", "logo.png", "data"] {
        assert_eq!(outline_of(name, pointer), told);
    }
    for other in ["version https://example.com\nsize 3\n", "size 3\n"] {
        assert!(!outline_of("data", other).contains("pointer"));
    }
}

/// Settings under a name of another format, headers for one system, templates of Ruby, and lines that were switched off.
#[test]
fn what_a_name_does_not_say_is_seen() {
    each_contains(&[
        (
            "till.config",
            "{\n  \"drawer\": 1\n}\n",
            "JSON file, under 10 lines, 1 key.\n",
        ),
        (
            "config.h.win32",
            "#if defined(_WIN32)\n#define HAVE_TILL 1\n#endif\n#define HAVE_COIN 1\n",
            "C source, under 10 lines, 2 public items.\n",
        ),
        (
            "till.rb",
            "<% namespacing do -%>\nclass <%= name %>Controller < Base\n  def open\n    @<%= plural %> = 1\n  end\nend\n<% end -%>\n",
            "- `class <%= name %>Controller < Base`\n  - `def open`\n",
        ),
        (
            "Makefile.am",
            "#noinst_PROGRAMS = till coin\n\ntill_SOURCES = till.c drawer.c\n\n#default: $(TILLS)\ndefault: till\n",
            "Makefile file, under 10 lines, 2 targets.\n\n- targets `till till.c drawer.c`, `default`\n",
        ),
        (
            "table.h",
            "struct till *till_open _((struct coin *));\nint till_count _((void));\nvoid till_shut __P((struct till *));\n",
            "3 public items.\n\n- `struct till *till_open _((struct coin *))`",
        ),
        (
            ".copy.hcl",
            "schema = 1\n\nproject {\n  licence = \"MIT\"\n}\n",
            "HCL source, under 10 lines, 2 public items.\n",
        ),
    ]);
}
