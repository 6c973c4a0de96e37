//! What the record of a file has for those who compare two of them.

use super::extract_as;
use crate::symbol::{BodyDigest, Language, Symbol, Visibility, extract};

/// The declaration of a name, wherever it stands.
fn find<'s>(symbols: &'s [Symbol], name: &str) -> Option<&'s Symbol> {
    symbols.iter().find_map(|symbol| {
        if symbol.name == name {
            Some(symbol)
        } else {
            find(&symbol.children, name)
        }
    })
}

/// What a text declares under a name.
fn declared(language: Language, text: &str, name: &str) -> Symbol {
    find(&extract_as(language, text).symbols, name)
        .unwrap_or_else(|| panic!("{name} in {text}"))
        .clone()
}

fn body(language: Language, text: &str, name: &str) -> BodyDigest {
    declared(language, text, name).body
}

#[test]
fn a_function_behind_its_prototype_has_a_body() {
    let c = |body: &str| {
        format!("static void *f(int a);\nint g(void);\nstatic void *f(int a) {{\n    {body}\n}}\n")
    };
    let (one, two) = (c("return a;"), c("return b;"));
    let before = declared(Language::C, &one, "f");
    assert_eq!(
        &one[before.span.start as usize..][..20],
        "static void *f(int a"
    );
    assert!(before.span.start > 0, "the body's place is its own");
    assert_ne!(before.body, body(Language::C, &two, "f"));
    assert_eq!(body(Language::C, &one, "g"), BodyDigest::default());
}

#[test]
fn bodies_change_with_code_and_not_with_comments_members_or_places() {
    let rust = "fn f() {\n    a(\"// b\");\n}\n";
    let before = body(Language::Rust, rust, "f");
    assert_ne!(before, BodyDigest::default());
    for same in [
        "\n\n/// Says.\nfn f() {\n    // Calls.\n\n    a(\"// b\"); // and more\n}\n",
        "fn f() {  \r\n    a(\"// b\");\r\n}\r\n",
    ] {
        assert_eq!(body(Language::Rust, same, "f"), before, "{same}");
    }
    assert_ne!(
        body(Language::Rust, "fn f() {\n    a(\"// c\");\n}\n", "f"),
        before,
        "a string is no comment"
    );
    let shell = |value: &str| {
        body(
            Language::Bash,
            &format!("f() {{\n  echo ${{x#{value}}}\n}}\n"),
            "f",
        )
    };
    assert_ne!(shell("a"), shell("b"));
    let class = |method: &str| {
        format!(
            "class A:\n    \"\"\"Says.\"\"\"\n    x: int = 0\n    run()\n    def m(self):\n        {method}\n"
        )
    };
    let (one, two) = (class("pass"), class("return 1"));
    assert_eq!(
        body(Language::Python, &one, "A"),
        body(Language::Python, &two, "A")
    );
    assert_ne!(
        body(Language::Python, &one, "m"),
        body(Language::Python, &two, "m")
    );
    assert_eq!(
        body(Language::Python, &one, "A"),
        body(Language::Python, &one.replace("Says", "Tells"), "A"),
        "documentation is none"
    );
    assert_ne!(
        body(Language::Python, &one, "A"),
        body(Language::Python, &one.replace("run()", "stop()"), "A")
    );
    for (language, text, name) in [
        (Language::Rust, "pub struct A {\n    pub b: u8,\n}\n", "A"),
        (Language::Go, "package a\nfunc F() {}\n", "F"),
        (Language::Java, "class A { }\n", "A"),
    ] {
        assert_eq!(body(language, text, name), BodyDigest::default(), "{text}");
    }
}

#[test]
fn signatures_are_whole_and_attributes_stand_beside_them() {
    let parameters: Vec<String> = (0..60)
        .map(|at| format!("parameter_{at}: int = {at}"))
        .collect();
    let python = format!(
        "@app.route(\"/\")\n@cached(\n    seconds=1,\n)\nasync def f({}) -> str:\n    return 1\n",
        parameters.join(", ")
    );
    let found = declared(Language::Python, &python, "f");
    assert!(
        found.signature.starts_with("async def f(parameter_0")
            && found.signature.ends_with("parameter_59: int = 59) -> str")
    );
    assert_eq!(
        found.attributes,
        ["@app.route(\"/\")", "@cached(seconds=1)"]
    );
    let rust = declared(
        Language::Rust,
        "#[must_use]\n#[inline] // quick\npub(crate) const unsafe fn f(#[cold] a: u8) {}\n",
        "f",
    );
    assert_eq!(
        rust.signature,
        "pub(crate) const unsafe fn f(#[cold] a: u8)"
    );
    assert_eq!(rust.attributes, ["#[must_use]", "#[inline]"]);
    let java = declared(
        Language::Java,
        "class A {\n  @Deprecated\n  @Named(\"x\") /* really */ int f(@Nullable String a) { }\n}\n",
        "f",
    );
    assert_eq!(java.signature, "int f(@Nullable String a)");
    assert_eq!(java.attributes, ["@Deprecated", "@Named(\"x\")"]);
    let value = "@interface A {\n  @Beta B j() default @B(1);\n}\n";
    let value = declared(Language::Java, value, "j");
    assert_eq!(
        (value.signature.as_str(), value.attributes.as_slice()),
        ("B j() default @B(1)", ["@Beta".to_owned()].as_slice())
    );
}

#[test]
fn who_may_use_it_is_known() {
    use Visibility::{Package, Private, Public};
    for (language, text, expected) in [
        (Language::Rust, "pub fn f() {}", Public),
        (Language::Rust, "pub(crate) fn f() {}", Package),
        (Language::Rust, "pub(in crate::a) fn f() {}", Package),
        (Language::Rust, "pub(self) fn f() {}", Private),
        (Language::Rust, "fn f() {}", Private),
        (Language::Rust, "impl A { pub(super) fn f() {} }", Package),
        (Language::Rust, "impl A for B { fn f() {} }", Public),
        (Language::Java, "class A { public void f() {} }", Public),
        (Language::Java, "class A { protected void f() {} }", Public),
        (Language::Java, "class A { void f() {} }", Package),
        (Language::Java, "class A { private void f() {} }", Private),
        (Language::Java, "interface A { void f(); }", Public),
        (Language::Go, "package a\nfunc f() {}\n", Package),
        (
            Language::CSharp,
            "class A { internal void f() {} }",
            Package,
        ),
        (Language::CSharp, "class A { void f() {} }", Private),
        (Language::CSharp, "class f { }", Package),
        (Language::C, "static int f(void) { return 1; }", Private),
    ] {
        assert_eq!(
            declared(language, text, "f").visibility(),
            expected,
            "{text}"
        );
    }
}

#[test]
fn methods_of_implementations_and_fields_of_constructors_count() {
    let text = "struct A;\nimpl Iterator for A {\n    type Item = u8;\n    /// Goes on.\n    fn next(&mut self) -> Option<u8> { None }\n}\n";
    let found = declared(Language::Rust, text, "next");
    assert_eq!(
        (found.signature.as_str(), found.doc.as_str()),
        ("fn next(&mut self) -> Option<u8>", "Goes on.")
    );
    let python = "class A:\n    def __init__(self, a):\n        #: How many.\n        self.count = 0\n        self.other.x = 1\n        self._a: int = a\n        self.count = 2\n";
    let found = fields(python);
    let found: Vec<_> = found
        .iter()
        .map(|(signature, doc, public)| (signature.as_str(), doc.as_str(), *public))
        .collect();
    assert_eq!(
        found,
        [
            ("def __init__(self, a)", "", true),
            ("count = 0", "How many.", true),
            ("_a: int = a", "", false)
        ]
    );
    let script = "export class A {\n  #b = 1;\n  constructor(c) {\n    super();\n    this.c = c;\n    this.#b = 2;\n    if (c) {\n      this.d = 1;\n    } else {\n      this.e = 2;\n    }\n  }\n}\n";
    let symbols = extract_as(Language::JavaScript, script).symbols;
    let names: Vec<_> = symbols[0]
        .children
        .iter()
        .map(|child| child.name.as_str())
        .collect();
    assert_eq!(names, ["#b", "constructor", "c", "d", "e"]);
}

/// Signature, documentation and visibility of the members of the first class of a file of Python.
fn fields(text: &str) -> Vec<(String, String, bool)> {
    let symbols = extract_as(Language::Python, text).symbols;
    let members = symbols[0].children.iter();
    members
        .map(|child| (child.signature.clone(), child.doc.clone(), child.public))
        .collect()
}

#[test]
fn fields_are_set_in_blocks_and_several_at_once() {
    let text = "\
class A:
    __slots__ = ('a', 'b')

    def __init__(self, a):
        if a:  # Mostly.
            self.set = 1
        elif self.set:
            # Seldom.
            self.seldom = 2
        else:
            self.set = None
        with a as b:
            try:
                self.deep = b
            except OSError:
                self.failed = True
        self.one = self.two = 0
        self.x, (self.y) = a
        self.typed: int
        self.__mangled = 3

        def later():
            self.later = 1
        lambda: self
";
    let found = fields(text);
    let signatures: Vec<&str> = found.iter().map(|field| field.0.as_str()).collect();
    assert_eq!(
        signatures,
        [
            "__slots__ = ('a', 'b')",
            "def __init__(self, a)",
            "set = 1",
            "seldom = 2",
            "deep = b",
            "failed = True",
            "one",
            "two",
            "x",
            "typed: int",
            "__mangled = 3",
        ]
    );
    let docs: Vec<&str> = found
        .iter()
        .map(|field| field.1.as_str())
        .filter(|doc| !doc.is_empty())
        .collect();
    assert_eq!(docs, ["Seldom."]);
    let private: Vec<&str> = found
        .iter()
        .filter(|field| !field.2)
        .map(|field| field.0.as_str())
        .collect();
    assert_eq!(private, ["__mangled = 3"]);
}

#[test]
fn names_with_two_underscores_are_read_by_tools() {
    let text = "__version__ = \"1.2\"\n__all__ = [\"f\"]\n\ndef f(): pass\n\ndef __getattr__(name): pass\n";
    let all = extract_as(Language::Python, text).symbols;
    let public = |symbols: &[Symbol]| -> Vec<String> {
        let public = symbols.iter().filter(|symbol| symbol.public);
        public.map(|symbol| symbol.name.clone()).collect()
    };
    assert_eq!(public(&all), ["f"], "a list of what is public is believed");
    let all = extract_as(Language::Python, &text.replace("__all__ = [\"f\"]\n", "")).symbols;
    assert_eq!(public(&all), ["__version__", "f", "__getattr__"]);
}

#[test]
fn constants_of_go_count_with_iota_and_embedded_fields_have_short_names() {
    let text = "package a\n\nconst (\n\tA Kind = iota\n\tB\n\t// Three.\n\tC\n\tD = \"x\"\n\tE\n\tF = 1 << (10 * iota)\n\tG, H = iota, iota\n\tI\n)\n\nconst J = iota\n";
    let symbols = extract_as(Language::Go, text).symbols;
    let signatures: Vec<&str> = symbols
        .iter()
        .map(|symbol| symbol.signature.as_str())
        .collect();
    assert_eq!(
        signatures,
        [
            "const A Kind = iota",
            "const B Kind = 1",
            "const C Kind = 2",
            "const D = \"x\"",
            "const E = \"x\"",
            "const F = 1 << (10 * 5)",
            "const G, H = iota, iota",
            "const G, H = iota, iota",
            "const I",
            "const J = iota",
        ]
    );
    assert_eq!(
        find(&symbols, "C").map(|symbol| symbol.doc.as_str()),
        Some("Three.")
    );
    let text = "package a\n\ntype A struct {\n\tcontext.Context\n\t*Other\n\tpkg.List[int]\n\tb, c int\n}\n";
    let symbols = extract_as(Language::Go, text).symbols;
    let names: Vec<&str> = symbols[0]
        .children
        .iter()
        .map(|child| child.name.as_str())
        .collect();
    assert_eq!(names[..3], ["Context", "Other", "List"]);
}

#[test]
fn what_is_declared_under_two_conditions_has_neither() {
    let text = "#[cfg(unix)]\n#[must_use]\npub fn f() -> u8 { 1 }\n#[cfg(windows)]\n#[must_use]\npub fn f() -> u8 { 2 }\n";
    let outline = extract(Some(Language::Rust), text.as_bytes());
    assert_eq!(outline.symbols.len(), 1);
    assert_eq!(outline.symbols[0].attributes, ["#[must_use]"]);
}

#[test]
fn members_of_a_type_elsewhere_name_it() {
    let text = "package a\n\nfunc (r *Renderer) Init() error { return nil }\n";
    let said = crate::symbol::render(&extract(Some(Language::Go), text.as_bytes()));
    assert!(said.contains("`func (r *Renderer) Init() error`"), "{said}");
}

/// Red before: the line of the type was blank.
#[test]
fn a_type_elsewhere_with_an_interface_first_is_named() {
    let text = "impl Run for Query {\n    fn run(&self) {}\n}\nimpl Query {\n    fn query(&self) -> u8 { 0 }\n}\n";
    let outline = extract(Some(Language::Rust), text.as_bytes());
    assert_eq!(outline.symbols.len(), 1);
    assert_eq!(outline.symbols[0].signature, "impl Query");
    let said = crate::symbol::render(&outline);
    assert!(said.contains("`impl Query`"), "{said}");
}
