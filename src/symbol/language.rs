//! Which language a file is written in, decided from its name and its first bytes.
//!
//! One table says it all: the lasting name of a language (part of digests, so it never changes), the title that
//! people read, how files are recognised and how comments look. Content is looked at only where
//! the name leaves the question open: a `#!` line, or an ending that several languages use, such as `.h`.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::comment::{self, Marks, Strings, Style};
use crate::base::quick_hash::QuickHash;

/// How many bytes of a file are looked at to tell its language.
const HEAD_BYTES_MAX: usize = 32 * 1024;

/// Makes the enum and its table from one list.
macro_rules! languages {
    ($($variant:ident $code:literal $name:literal $title:literal $style:ident
        [$($extension:literal)*] [$($file:literal)*] [$($interpreter:literal)*];)*) => {
        /// A kind of text file, with or without a grammar.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Language {
            $(#[doc = $title] $variant,)*
        }

        impl Language {
            /// Every language, in the order of the table.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            fn entry(self) -> &'static Entry {
                match self {
                    $(Self::$variant => {
                        const ENTRY: Entry = Entry {
                            code: $code,
                            name: $name,
                            title: $title,
                            style: comment::$style,
                            extensions: &[$($extension,)*],
                            files: &[$($file,)*],
                            interpreters: &[$($interpreter,)*],
                        };
                        &ENTRY
                    })*
                }
            }
        }
    };
}

/// One row of the table. Extensions and file names are lower case; they are compared without case.
struct Entry {
    code: u8,
    name: &'static str,
    title: &'static str,
    style: Style,
    extensions: &'static [&'static str],
    files: &'static [&'static str],
    interpreters: &'static [&'static str],
}

// Codes and names are written into caches and digests: never change one, never use one again.
languages! {
    Rust 1 "rust" "Rust" SLASHES ["rs"] [] ["rust-script"];
    Python 2 "python" "Python" HASH ["py" "pyi" "pyw"] ["sconstruct" "sconscript" "wscript" "snakefile"] ["python"];
    JavaScript 3 "javascript" "JavaScript" SLASHES ["js" "mjs" "cjs" "jsx" "es6"] ["jakefile"] ["node" "bun"];
    TypeScript 4 "typescript" "TypeScript" SLASHES ["ts" "mts" "cts"] [] ["deno" "ts-node"];
    Tsx 5 "tsx" "TSX" SLASHES ["tsx"] [] [];
    Go 6 "go" "Go" SLASHES ["go"] [] [];
    Java 7 "java" "Java" SLASHES ["java"] [] [];
    C 8 "c" "C" SLASHES ["c"] [] ["tcc"];
    Cpp 9 "cpp" "C++" SLASHES ["cpp" "cc" "cxx" "c++" "hpp" "hh" "hxx" "h++" "ipp" "inl" "cu" "cuh"] [] [];
    CSharp 10 "csharp" "C#" SLASHES ["cs" "csx"] [] ["dotnet-script"];
    Ruby 11 "ruby" "Ruby" HASH ["rb" "rake" "gemspec" "ru" "podspec" "thor" "rbi"]
        ["gemfile" "rakefile" "podfile" "vagrantfile" "fastfile" "brewfile" "guardfile" "dangerfile"] ["ruby"];
    Php 12 "php" "PHP" PHP ["php" "phtml"] [] ["php"];
    Bash 13 "bash" "Shell" HASH ["sh" "bash" "bats" "ebuild" "ksh"]
        [".bashrc" ".bash_profile" ".profile" "pkgbuild" "apkbuild" ".envrc"] ["sh" "bash" "dash" "ksh"];
    Markdown 14 "markdown" "Markdown" MARKUP ["md" "markdown" "mdx" "rmd" "qmd" "mkd"] [] [];
    Toml 15 "toml" "TOML" HASH ["toml"] ["cargo.lock" "poetry.lock" "uv.lock" "pipfile"] [];
    Yaml 16 "yaml" "YAML" HASH ["yaml" "yml" "cff" "sublime-syntax"] [".clang-format" ".clang-tidy" ".yamllint" ".prettierrc"] [];
    Json 17 "json" "JSON" SLASHES ["json" "jsonc" "json5" "webmanifest" "jsonl" "har" "geojson" "map" "arb" "tfstate" "topojson" "avsc"]
        ["composer.lock" "pipfile.lock" ".babelrc" ".eslintrc" ".jshintrc" ".swcrc" "deno.lock" "flake.lock" "package.resolved"] [];
    Makefile 18 "makefile" "Makefile" HASH ["mk" "mak" "am"] ["makefile" "gnumakefile" "kbuild" "bsdmakefile"] ["make"];
    Dockerfile 19 "dockerfile" "Dockerfile" HASH ["dockerfile"] ["dockerfile" "containerfile"] [];
    Kotlin 20 "kotlin" "Kotlin" SLASHES ["kt" "kts"] [] [];
    Swift 21 "swift" "Swift" SLASHES ["swift"] [] ["swift"];
    Sql 22 "sql" "SQL" SQL ["sql" "psql" "ddl" "dml"] [] [];
    Html 23 "html" "HTML" MARKUP ["html" "htm" "xhtml" "jsp" "aspx" "cshtml" "razor"] [] [];
    Css 24 "css" "CSS" SLASHES ["css" "wxss" "pcss" "postcss"] [] [];
    Scss 25 "scss" "SCSS" SLASHES ["scss" "sass" "styl"] [] [];
    Xml 26 "xml" "XML" MARKUP ["xml" "xsd" "xsl" "xslt" "plist" "csproj" "vcxproj" "svg" "xaml" "storyboard" "xib" "xcscheme"
        "xcworkspacedata" "props" "targets" "fsproj" "vbproj" "resx" "nuspec" "rss" "wsdl" "ui" "xlf" "fxml" "iml" "dtd" "glade" "rng"
        "xcsettings" "dbk" "docbook" "config" "entitlements" "tei" "kml" "gpx"] [] [];
    Ini 27 "ini" "Configuration" HASH ["ini" "cfg" "conf" "properties" "editorconfig" "desktop" "service" "socket" "timer" "target" "mount" "network" "netdev" "link"
        "path" "slice" "cnf" "env" "inf" "xcconfig" "pc" "flatpakref" "automount" "dep5"]
        [".editorconfig" ".gitconfig" ".gitmodules" ".npmrc" ".env" ".flake8" ".pylintrc" ".coveragerc" ".hgrc" ".curlrc" ".inputrc"
        "pylintrc" ".mailrc" ".buckconfig" ".bazelrc" ".tool-versions" ".shellcheckrc" ".rspec" ".yarnrc" ".condarc" ".isort.cfg"] [];
    IgnoreList 28 "ignore" "List" HASH ["gitignore" "dockerignore" "list" "lst" "install" "docs" "manpages"]
        [".gitignore" ".dockerignore" ".npmignore" ".ignore" ".teddyignore" ".eslintignore" ".prettierignore" ".gitattributes"
        ".rgignore" ".helmignore" ".gcloudignore" ".hgignore" ".vscodeignore" ".cvsignore" ".rbuildignore" ".mailmap"
        ".git-blame-ignore-revs" ".stylelintignore" ".terraformignore" ".bazelignore" "codeowners" "owners" "manifest.in" "manifest"
        ".python-version" ".node-version" ".nvmrc" ".ruby-version" ".java-version" ".go-version" ".terraform-version" ".swift-version"
        "approvers" "reviewers" ".fdignore" ".browserslistrc"] [];
    CMake 29 "cmake" "CMake" HASH ["cmake"] ["cmakelists.txt"] [];
    Scala 30 "scala" "Scala" SLASHES ["scala" "sc" "sbt"] [] ["scala"];
    Groovy 31 "groovy" "Groovy" SLASHES ["groovy" "gradle" "gvy"] ["jenkinsfile"] ["groovy"];
    Dart 32 "dart" "Dart" SLASHES ["dart"] [] ["dart"];
    Lua 33 "lua" "Lua" LUA ["lua" "rockspec"] [] ["lua"];
    Perl 34 "perl" "Perl" HASH ["pl" "pm" "t" "pod" "psgi"] ["cpanfile"] ["perl"];
    Haskell 35 "haskell" "Haskell" HASKELL ["hs"] [] ["runhaskell"];
    Elixir 36 "elixir" "Elixir" HASH ["ex" "exs"] ["mix.lock"] ["elixir"];
    Erlang 37 "erlang" "Erlang" PERCENT ["erl" "hrl" "xrl" "yrl" "escript"] ["rebar.config" "rebar.lock"] ["escript"];
    Clojure 38 "clojure" "Clojure" SEMICOLON ["clj" "cljs" "cljc" "edn"] [] [];
    Lisp 39 "lisp" "Lisp" SEMICOLON ["lisp" "el" "scm" "rkt" "lsp" "asd" "cl" "ss" "sld" "eld" "fnl" "hy"] [".emacs" "cask" "eask"] [];
    Ocaml 40 "ocaml" "OCaml" ML ["ml" "mli" "mll" "mly"] [] ["ocaml"];
    FSharp 41 "fsharp" "F#" SLASHES ["fs" "fsi" "fsx"] [] [];
    Zig 42 "zig" "Zig" SLASHES ["zig" "zon"] [] [];
    Nim 43 "nim" "Nim" HASH ["nim" "nims" "nimble"] [] [];
    Julia 44 "julia" "Julia" JULIA ["jl"] [] ["julia"];
    R 45 "r" "R" ROXYGEN ["r"] [] ["rscript"];
    ObjectiveC 46 "objective-c" "Objective-C" SLASHES ["m" "mm"] [] [];
    Assembly 47 "assembly" "Assembly" ASSEMBLY ["s" "asm" "nasm" "arm" "ppc"] [] [];
    PowerShell 48 "powershell" "PowerShell" POWERSHELL ["ps1" "psm1" "psd1"] [] ["pwsh"];
    Batch 49 "batch" "Batch" BATCH ["bat" "cmd"] [] [];
    Fish 50 "fish" "Fish" HASH ["fish"] [] ["fish"];
    Zsh 51 "zsh" "Zsh" HASH ["zsh"] [".zshrc" ".zprofile"] ["zsh"];
    Awk 52 "awk" "AWK" HASH ["awk"] [] ["awk" "gawk"];
    Terraform 53 "terraform" "HCL" MIXED ["tf" "tfvars" "hcl" "tofu" "nomad" "pkr"] [] [];
    Nix 54 "nix" "Nix" MIXED ["nix"] [] [];
    Protobuf 55 "protobuf" "Protocol Buffers" SLASHES ["proto"] [] [];
    Graphql 56 "graphql" "GraphQL" HASH ["graphql" "gql"] [] [];
    Vue 57 "vue" "Vue" MARKUP ["vue"] [] [];
    Svelte 58 "svelte" "Svelte" MARKUP ["svelte"] [] [];
    Tex 59 "tex" "TeX" PERCENT ["tex" "sty" "cls" "ltx" "dtx"] [] [];
    ReStructured 60 "rst" "reStructuredText" NONE ["rst" "rest"] [] [];
    AsciiDoc 61 "asciidoc" "AsciiDoc" SLASHES ["adoc" "asciidoc" "asc"] [] [];
    Text 62 "text" "Text" NONE ["txt" "text" "log" "out" "err" "stdout" "stderr" "expected" "golden" "snap" "summary"]
        ["readme" "authors" "changelog" "changes" "contributing" "todo" "news" "install" "history" "thanks" "credits" "maintainers"
        "copyright" "notice" "version" "contributors" "hacking" "faq" "release-notes" "upgrading" "roadmap" "security"] [];
    Csv 63 "csv" "CSV" NONE ["csv" "tsv" "psv"] [] [];
    Diff 64 "diff" "Diff" NONE ["diff" "patch" "rej"] [] [];
    Lock 65 "lock" "Lock" HASH ["lock" "lockfile"] ["gemfile.lock" "podfile.lock" "yarn.lock"] [];
    GoModule 66 "go-module" "Go module" SLASHES [] ["go.mod" "go.work" "go.sum" "go.work.sum"] [];
    Bazel 67 "bazel" "Starlark" HASH ["bzl" "star" "bazel" "bzlmod" "sky"] ["build" "workspace" "tiltfile" "buck" "targets"] [];
    Just 68 "just" "Justfile" HASH ["just"] ["justfile" ".justfile"] [];
    Vim 69 "vim" "Vim script" VIM ["vim"] [".vimrc"] [];
    Fortran 70 "fortran" "Fortran" FORTRAN ["f90" "f95" "f03" "f08" "f" "for"] [] [];
    Pascal 71 "pascal" "Pascal" PASCAL ["pas" "pp" "dpr"] [] [];
    Solidity 72 "solidity" "Solidity" SLASHES ["sol"] [] [];
    Verilog 73 "verilog" "Verilog" SLASHES ["v" "sv" "vh" "svh"] [] [];
    Vhdl 74 "vhdl" "VHDL" ADA ["vhd" "vhdl"] [] [];
    Notebook 75 "notebook" "Jupyter notebook" NONE ["ipynb"] [] [];
    Licence 76 "licence" "Licence" NONE [] [] [];
    Kconfig 77 "kconfig" "Kconfig" HASH ["kconfig"] ["kconfig" "config.in"] [];
    Devicetree 78 "devicetree" "Devicetree" SLASHES ["dts" "dtsi" "dtso" "overlay"] [] [];
    Roff 79 "roff" "Manual page" ROFF ["1" "2" "3" "4" "5" "6" "7" "8" "9" "man" "mdoc" "roff" "ms" "1m" "3p"] [] [];
    Meson 80 "meson" "Meson" HASH [] ["meson.build" "meson.options" "meson_options.txt"] [];
    Tcl 81 "tcl" "Tcl" HASH ["tcl" "tk" "exp" "test"] [] ["tclsh" "wish" "expect"];
    Gettext 82 "gettext" "Translations" HASH ["po" "pot"] [] [];
    Template 83 "template" "Template" MARKUP ["j2" "jinja" "jinja2" "ejs" "hbs" "handlebars" "mustache" "liquid" "eex" "heex" "leex"
        "twig" "gohtml" "ftl" "erb" "haml" "slim" "pug" "jade" "njk" "vm" "tmpl" "tpl" "astro" "mako" "blade"] [] [];
    Requirements 84 "requirements" "Requirements" HASH [] ["requirements.txt" "constraints.txt" "requirements.in"] [];
    Org 85 "org" "Org" HASH ["org"] [] [];
    Texinfo 86 "texinfo" "Texinfo" NONE ["texi" "texinfo" "txi"] [] [];
    RManual 87 "rd" "R documentation" PERCENT ["rd"] [] [];
    Thrift 88 "thrift" "Thrift" MIXED ["thrift" "capnp" "fbs"] [] [];
    Ada 89 "ada" "Ada" ADA ["adb" "ads" "gpr"] [] [];
    Jsonnet 90 "jsonnet" "Jsonnet" MIXED ["jsonnet" "libsonnet" "cue" "dhall"] [] [];
    Elm 91 "elm" "Elm" HASKELL ["elm" "purs"] [] [];
    D 92 "d" "D" SLASHES ["d" "di"] [] [];
    Coffee 93 "coffee" "CoffeeScript" HASH ["coffee" "litcoffee"] ["cakefile"] ["coffee"];
    Crystal 94 "crystal" "Crystal" HASH ["cr"] [] [];
    Shader 95 "shader" "Shader" SLASHES ["glsl" "vert" "frag" "geom" "comp" "hlsl" "wgsl" "metal" "shader" "fx"] [] [];
    Matlab 96 "matlab" "MATLAB" PERCENT [] [] ["octave"];
    Autoconf 97 "autoconf" "Autoconf" AUTOCONF ["ac" "m4"] ["configure.in"] [];
    Bitbake 98 "bitbake" "BitBake" HASH ["bb" "bbappend" "bbclass"] [] [];
    Gherkin 99 "gherkin" "Gherkin" HASH ["feature"] [] [];
    Rego 100 "rego" "Rego" HASH ["rego"] [] [];
    Linker 101 "linker" "Linker script" SLASHES ["ld" "lds" "ldscript"] [] [];
    Visual 102 "visual" "Visual Basic" QUOTE ["vb" "vbs" "bas"] [] [];
    Cython 103 "cython" "Cython" HASH ["pyx" "pxd" "pxi"] [] [];
    Rdoc 104 "rdoc" "RDoc" NONE ["rdoc"] [] [];
    Less 105 "less" "Less" SLASHES ["less"] [] [];
}

impl Language {
    /// The lasting name, for example `csharp`: lower case, one word, part of digests.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.entry().name
    }

    /// The name as people write it, for example `C#`.
    #[must_use]
    pub fn title(self) -> &'static str {
        self.entry().title
    }

    /// True when declarations are read with a grammar; those of others are read line by line, or not at all. Languages with a
    /// grammar have the lowest codes.
    #[must_use]
    pub fn has_grammar(self) -> bool {
        self.code() <= Self::Bash.code()
    }

    /// The lasting number, 1 to 255, for bytes on disk.
    #[must_use]
    pub fn code(self) -> u8 {
        self.entry().code
    }

    /// The language of a number that [`Language::code`] gave.
    pub(super) fn from_code(code: u8) -> Option<Self> {
        Self::ALL
            .iter()
            .copied()
            .find(|language| language.code() == code)
    }

    /// What tells comments and strings from code; `None` for documents, which are prose from one end to the other.
    #[must_use]
    pub fn marks(self) -> Option<Marks> {
        let Style { line, block } = self.comment_style();
        let quotes: &[u8] = match self {
            Self::JavaScript | Self::TypeScript | Self::Tsx | Self::Go => b"\"'`",
            // There an apostrophe marks lifetimes, characters, quotations.
            Self::Rust
            | Self::C
            | Self::Cpp
            | Self::Java
            | Self::CSharp
            | Self::Haskell
            | Self::Ocaml
            | Self::Lisp
            | Self::Clojure
            | Self::Assembly
            | Self::Verilog
            | Self::Vhdl
            | Self::Vim
            | Self::Swift
            | Self::Scala
            | Self::FSharp
            | Self::Julia
            | Self::Elm
            | Self::Ada
            | Self::Matlab
            | Self::Visual
            | Self::Autoconf
            | Self::Linker
            | Self::Devicetree
            | Self::Kconfig => b"\"",
            Self::Markdown
            | Self::Text
            | Self::ReStructured
            | Self::AsciiDoc
            | Self::Tex
            | Self::Html
            | Self::Xml
            | Self::Diff
            | Self::Csv
            | Self::Licence
            | Self::Roff
            | Self::Template
            | Self::Org
            | Self::Texinfo
            | Self::RManual => return None,
            Self::Lua => b"\"'[",
            _ => b"\"'",
        };
        Some(Marks {
            line,
            block,
            quotes,
            strings: match self {
                Self::Rust => Strings::Rust,
                Self::Vim => Strings::Vim,
                _ => Strings::Line,
            },
        })
    }

    /// How comments look.
    pub(super) fn comment_style(self) -> Style {
        self.entry().style
    }
}

/// Tells the language of a file from its name (without directories) and its first bytes.
///
/// The whole name decides first, then the extension, then a `#!` line; `None` when none of them says anything.
#[must_use]
pub fn detect(name: &[u8], head: &[u8]) -> Option<Language> {
    let head = &head[..head.len().min(HEAD_BYTES_MAX)];
    let name = name.to_ascii_lowercase();
    // A script may be called `build`.
    if let Some(found) = by(&name, &BY_FILE) {
        let is_json = found == Language::Yaml && head.trim_ascii_start().starts_with(b"{");
        let found = if is_json { Language::Json } else { found };
        return by_shebang(head).or(Some(found));
    }
    if let Some((_, found)) = BEGINNINGS
        .iter()
        .find(|(start, _)| name.starts_with(start.as_bytes()))
        && !is_source(&name)
        && !name.ends_with(b".lock")
    {
        return Some(*found);
    }
    if name.starts_with(b".") && name.ends_with(b"ignore") {
        return Some(Language::IgnoreList);
    }
    let mut name = name.as_slice();
    for _ in 0..WRAPPERS_MAX {
        let extension = name
            .rsplit(|b| *b == b'.')
            .next()
            .filter(|extension| extension.len() < name.len());
        let Some(extension) = extension else {
            return by(name, &BY_FILE).or_else(|| by_beginning(head));
        };
        match extension {
            b"h" => return Some(header_language(head)),
            b"m" => return Some(m_language(head)),
            b"asc" if head.starts_with(b"-----BEGIN ") => return Some(Language::Text),
            _ => {}
        }
        let found = by(extension, &BY_EXTENSION)
            .map(|found| {
                // Settings of some programs end in `.config`, and are JSON.
                let is_json = found == Language::Xml && head.trim_ascii_start().starts_with(b"{");
                if is_json { Language::Json } else { found }
            })
            .filter(|found| *found != Language::Template)
            .filter(|found| {
                extension != b"test" || by_shebang(head).map_or(is_tcl(head), |run| run == *found)
            });
        if found.is_some() {
            return found;
        }
        // `config.h.in` is a header, `page.html.erb` a page.
        if !WRAPPERS.contains(&extension) && by(extension, &BY_EXTENSION).is_none() {
            return by_beginning(head);
        }
        let is_template = !WRAPPERS.contains(&extension);
        name = &name[..name.len() - extension.len() - 1];
        if is_template && !name.contains(&b'.') {
            return Some(Language::Template);
        }
    }
    by_beginning(head)
}

/// What a file of another name is by its first line.
fn by_beginning(head: &[u8]) -> Option<Language> {
    let start = head.trim_ascii_start();
    let marks: [(&[u8], Language); 2] = [(b"<?xml ", Language::Xml), (b"<?php", Language::Php)];
    let mut marked = marks.iter().filter(|(mark, _)| start.starts_with(mark));
    by_shebang(head).or_else(|| marked.next().map(|(_, language)| *language))
}

/// Whether a file of tests is a script of Tcl, as SQLite has them; others have lists of cases under this ending.
fn is_tcl(head: &[u8]) -> bool {
    const STARTS: [&str; 9] = [
        "proc ",
        "package ",
        "namespace eval",
        "source ",
        "set ",
        "test ",
        "puts ",
        "if {",
        "do_",
    ];
    let head = String::from_utf8_lossy(head);
    let mut lines = head.lines().map(str::trim_start);
    !head.contains("<?") && lines.any(|line| STARTS.iter().any(|start| line.starts_with(start)))
}

/// Most endings of one name that say nothing about its content.
const WRAPPERS_MAX: usize = 4;

/// Endings that say how a file is used and not what it is.
const WRAPPERS: &[&[u8]] = &[
    b"in",
    b"template",
    b"example",
    b"sample",
    b"dist",
    b"default",
    b"orig",
    b"bak",
    b"old",
    b"tmpl",
    b"tpl",
    b"inc",
    b"local",
    b"dev",
    b"prod",
    b"test",
    b"skel",
    b"example2",
    b"disabled",
    b"new",
    b"win32",
    b"win64",
];

/// Beginnings of names that say it all.
const BEGINNINGS: [(&str, Language); 16] = [
    ("gemfile.", Language::Ruby),
    ("gemfile-", Language::Ruby),
    ("dockerfile.", Language::Dockerfile),
    ("containerfile.", Language::Dockerfile),
    ("makefile.", Language::Makefile),
    ("kconfig.", Language::Kconfig),
    ("license", Language::Licence),
    ("licence", Language::Licence),
    ("copying", Language::Licence),
    ("unlicense", Language::Licence),
    ("requirements-", Language::Requirements),
    ("requirements_", Language::Requirements),
    ("readme.", Language::Text),
    ("changelog.", Language::Text),
    ("changes.", Language::Text),
    ("news.", Language::Text),
];

/// Whether a name ends like that of a program or a document with marks of its own.
fn is_source(name: &[u8]) -> bool {
    let extension = name
        .rsplit(|b| *b == b'.')
        .next()
        .filter(|extension| extension.len() < name.len())
        .unwrap_or_default();
    by(extension, &BY_EXTENSION).is_some_and(|found| {
        !matches!(found, Language::Text | Language::Markdown | Language::Roff)
            || found == Language::Markdown && !is_licence(name)
    })
}

fn is_licence(name: &[u8]) -> bool {
    ["license", "licence", "copying", "unlicense"]
        .iter()
        .any(|start| name.starts_with(start.as_bytes()))
}

/// A `.m` file is Objective-C unless it looks like MATLAB.
fn m_language(head: &[u8]) -> Language {
    let head = String::from_utf8_lossy(head);
    let is_c = head.contains("#import")
        || head.contains("#include")
        || head.contains("@interface")
        || head.contains("@implementation");
    let is_matlab = head
        .lines()
        .map(str::trim_start)
        .any(|line| line.starts_with("function") || line.starts_with('%'));
    if is_matlab && !is_c {
        Language::Matlab
    } else {
        Language::ObjectiveC
    }
}

/// Words that say a language, each once for the first in the order of the table.
type ByWord = LazyLock<HashMap<&'static [u8], Language, QuickHash>>;

static BY_FILE: ByWord = LazyLock::new(|| by_word(|entry| entry.files));
static BY_EXTENSION: ByWord = LazyLock::new(|| by_word(|entry| entry.extensions));
static BY_INTERPRETER: ByWord = LazyLock::new(|| by_word(|entry| entry.interpreters));

fn by_word(
    list: fn(&Entry) -> &'static [&'static str],
) -> HashMap<&'static [u8], Language, QuickHash> {
    let mut all = HashMap::default();
    for language in Language::ALL {
        for word in list(language.entry()) {
            all.entry(word.as_bytes()).or_insert(*language);
        }
    }
    all
}

fn by(word: &[u8], list: &ByWord) -> Option<Language> {
    list.get(word).copied()
}

/// Reads `#!/usr/bin/env -S python3.12 -u` as `python`.
fn by_shebang(head: &[u8]) -> Option<Language> {
    let line = head.strip_prefix(b"#!")?.split(|b| *b == b'\n').next()?;
    let line = std::str::from_utf8(line).ok()?;
    let mut words = line
        .split_whitespace()
        .map(|word| word.rsplit('/').next().unwrap_or(word));
    let program =
        words.find(|word| *word != "env" && !word.starts_with('-') && !word.contains('='))?;
    let program = program
        .trim_end_matches(|c: char| c.is_ascii_digit() || c == '.')
        .to_ascii_lowercase();
    by(program.as_bytes(), &BY_INTERPRETER)
}

/// A `.h` file is C unless a line of its head can only be C++. What comments say is no line of it.
fn header_language(head: &[u8]) -> Language {
    const EVIDENCE: [&str; 11] = [
        "class ",
        "namespace ",
        "template<",
        "template <",
        "using ",
        "public:",
        "private:",
        "protected:",
        "constexpr ",
        "inline namespace ",
        "enum class ",
    ];
    const LIBRARY: [&str; 8] = [
        "<string>",
        "<vector>",
        "<memory>",
        "<map>",
        "<cstdint>",
        "<cstddef>",
        "<utility>",
        "<type_traits>",
    ];
    let head = String::from_utf8_lossy(head);
    let mut is_comment = false;
    let mut code = head.lines().map(str::trim_start).filter(|line| {
        let was_comment = is_comment;
        let (open, close) = (line.rfind("/*"), line.rfind("*/"));
        is_comment = match (open, close) {
            (Some(open), Some(close)) => open > close,
            (Some(_), None) => true,
            (None, Some(_)) => false,
            (None, None) => is_comment,
        };
        !was_comment
    });
    // `spdlog::level level();`, which is no part of a path or a string.
    let is_scoped = |line: &str| {
        let code = line.split("//").next().unwrap_or(line);
        let code = code.split("/*").next().unwrap_or(code);
        !line.starts_with('#')
            && code.split('"').step_by(2).any(|code| {
                code.match_indices("::").any(|(at, _)| {
                    code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '>')
                })
            })
    };
    let cpp = code.any(|line| {
        is_scoped(line)
            || EVIDENCE.iter().any(|start| line.starts_with(start))
            || line.starts_with("#include") && LIBRARY.iter().any(|header| line.contains(header))
    });
    if cpp { Language::Cpp } else { Language::C }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn names_and_codes_are_unique_and_read_back() {
        let names: BTreeSet<_> = Language::ALL
            .iter()
            .map(|language| language.name())
            .collect();
        let codes: BTreeSet<_> = Language::ALL
            .iter()
            .map(|language| language.code())
            .collect();
        assert_eq!(
            (names.len(), codes.len()),
            (Language::ALL.len(), Language::ALL.len())
        );
        assert!(!codes.contains(&0));
        for &language in Language::ALL {
            assert_eq!(Language::from_code(language.code()), Some(language));
        }
    }

    #[test]
    fn no_extension_or_file_name_has_two_owners() {
        for list in [
            |entry: &Entry| entry.files,
            |entry: &Entry| entry.extensions,
            |entry: &Entry| entry.interpreters,
        ] {
            let mut seen = BTreeSet::new();
            for word in Language::ALL
                .iter()
                .flat_map(|language| list(language.entry()))
            {
                assert!(seen.insert(*word), "{word}");
                assert_eq!(*word, word.to_ascii_lowercase());
            }
        }
    }

    #[test]
    fn files_are_known_by_name_extension_or_shebang() {
        for (name, head, expected) in [
            ("lib.rs", "", Some("rust")),
            ("A.PY", "", Some("python")),
            ("index.d.ts", "", Some("typescript")),
            ("Makefile", "", Some("makefile")),
            ("Dockerfile.dev", "", Some("dockerfile")),
            ("CMakeLists.txt", "", Some("cmake")),
            ("notes.txt", "", Some("text")),
            ("go.mod", "", Some("go-module")),
            ("run", "#!/usr/bin/env -S python3.12 -u\n", Some("python")),
            ("run", "#!/bin/sh\n", Some("bash")),
            ("run.v2", "#! /usr/bin/env FOO=1 node\n", Some("javascript")),
            ("run", "#!/usr/bin/env\n", None),
            ("run", "", None),
            ("rs", "", None),
            ("", "", None),
        ] {
            assert_eq!(
                detect(name.as_bytes(), head.as_bytes()).map(Language::name),
                expected,
                "{name}"
            );
        }
        assert_eq!(detect(b"\xff\xfe", b"#!\xff\n"), None);
    }

    #[test]
    fn headers_are_c_until_something_says_otherwise() {
        for (head, expected) in [
            (
                "#include <stdio.h>\nstruct a { int class_of; };",
                Language::C,
            ),
            ("/* a class of things */\nint f(void);", Language::C),
            (
                "/* compresses\nusing what\n came before */\nint f(void);",
                Language::C,
            ),
            ("/* a\n */\n/* b */ class A;\nclass B;", Language::Cpp),
            ("#pragma once\n#include <vector>\n", Language::Cpp),
            ("#ifdef X\n  namespace a {\n", Language::Cpp),
            ("template <typename T>\n", Language::Cpp),
        ] {
            assert_eq!(detect(b"a.h", head.as_bytes()), Some(expected), "{head}");
        }
    }
}
