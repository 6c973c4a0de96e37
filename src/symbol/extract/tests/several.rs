//! Statements that declare several names, blocks of extensions, and lines that only look like a declaration.

use super::{each_contains, outline_of};
use crate::symbol::{Kind, Language, Symbol, detect, extract};

/// Names of all symbols, those of members behind their owner's.
fn names(name: &str, text: &str) -> Vec<String> {
    let language = detect(name.as_bytes(), text.as_bytes());
    let outline = extract(language, text.as_bytes());
    let members = |symbol: &Symbol| {
        let members = symbol.children.iter();
        let members = members.map(|member| format!("{}.{}", symbol.name, member.name));
        [symbol.name.clone()]
            .into_iter()
            .chain(members)
            .collect::<Vec<_>>()
    };
    outline.symbols.iter().flat_map(members).collect()
}

#[test]
fn each_name_of_a_statement_is_declared() {
    for (name, text, expected) in [
        (
            "a.go",
            "package a\n\nvar X, Y = 1, 2\n\nconst A, B = 1, 2\n\ntype T struct{ P, Q int }\n",
            "X Y A B T T.P T.Q",
        ),
        (
            "a.java",
            "class A { int a, b = 1; static final int C = 1, D = 2; }\n",
            "A A.a A.b A.C A.D",
        ),
        (
            "a.cs",
            "class A { public int a = 1, b; public event E C, D; }\n",
            "A A.a A.b A.C A.D",
        ),
        (
            "a.php",
            "<?php\nclass A { public $a, $b = 1; const C = 1, D = 2; }\n",
            "A A.$a A.$b A.C A.D",
        ),
        (
            "a.c",
            "struct s { int a, *b, c[3]; };\nint x, y = 2;\n",
            "s s.a s.b s.c x y",
        ),
        (
            "a.ts",
            "export const { a, b: { c }, d = 1, ...e } = f();\nexport const [g, , h] = i;\nconst { j } = k;\n",
            "a c d e g h",
        ),
    ] {
        assert_eq!(names(name, text).join(" "), expected, "{name}");
    }
    // The signature of such a statement stands in the outline once.
    let go = outline_of("a.go", "package a\n\nvar X, Y = 1, 2\n");
    assert_eq!(go.matches("X, Y").count(), 1, "{go}");
}

#[test]
fn extensions_operators_and_indexers_of_csharp_are_members() {
    let text = "public static class RequestExtensions {
    /// <summary>Requests of a client.</summary>
    extension(Client client) {
        /// <summary>Gets.</summary>
        public Task<R> GetAsync(string path) => client.Send();
        public bool IsOpen => true;
        private int Hidden() => 1;
    }
    extension<T>(IEnumerable<T> source) where T : class {
        public static T operator +(T a, T b) => a;
    }
}
public class A {
    public static implicit operator string(A a) => a.B;
    public static bool operator ==(A a, A b) => true;
    public int this[int index] => 1;
    void IShop.Sell() { }
    int extension(int a) { return a; }
}
";
    assert_eq!(
        names("a.cs", text).join(" "),
        "RequestExtensions RequestExtensions.GetAsync RequestExtensions.IsOpen RequestExtensions.Hidden \
         RequestExtensions.operator + A A.operator string A.operator == A.this A.Sell A.extension"
    );
    each_contains(&[
        (
            "a.cs",
            text,
            "`public Task<R> GetAsync(string path)` (`extension(Client client)`): Gets.\n",
        ),
        (
            "a.cs",
            text,
            "`public static T operator +(T a, T b)` (`extension<T>(IEnumerable<T> source) where T : class`)",
        ),
        (
            "a.cs",
            text,
            "`public static implicit operator string(A a)`",
        ),
        ("a.cs", text, "property `int this[int index]`"),
    ]);
}

#[test]
fn a_part_of_a_word_is_not_the_word() {
    each_contains(&[
        (
            "en.po",
            "msgid \"\"\nmsgstr \"\"\n\"Language: en\\n\"\n\nmsgid \"a\"\nmsgstr \"b\"\n",
            "1 message in en.",
        ),
        (
            "a.tex",
            "\\definecolor{brand}{RGB}{1,2,3}\n\\def\\shop#1{a}\n",
            "`\\shop#1{a}`",
        ),
        (
            "go.mod",
            "module a\n\nrequire b v1.0.0\nretract v1.0.0\nreplace vitess.io/x => ../x\n",
            "Imports: `b`\n",
        ),
        (
            "Kconfig",
            "config A\n\tbool \"Shop\"\n\thelp\n\t  source of entropy.\nsource \"b/Kconfig\"\n",
            "Imports: `b/Kconfig`\n",
        ),
        (
            "a.md",
            "# Shop\n\nSells.\n\n````md\n```\n# not one\n```\n````\n\n## Till\n",
            "- Till\n",
        ),
        (
            "a.dts",
            "/ {\n\t/* serial */ uart0: serial@1000 {\n\t};\n\tmodel = \"Till\";\n};\n",
            "Till",
        ),
        ("a.py", "\"\"\"Says 'hello'\"\"\"\n", "Says 'hello'\n"),
    ]);
    let document = outline_of(
        "a.md",
        "# Shop\n\nSells.\n\n````md\n```\n# not one\n```\n````\n\n## Till\n",
    );
    assert!(!document.contains("not one"), "{document}");
    let busybox = outline_of(
        "Kconfig",
        "config A\n\tbool \"Shop\"\nsource shop/Kconfig\n",
    );
    assert!(busybox.contains("Imports: `shop/Kconfig`"), "{busybox}");
    let kconfig = outline_of(
        "Kconfig",
        "config A\n\tbool \"Shop\"\n\thelp\n\t  source of entropy.\n",
    );
    assert!(!kconfig.contains("entropy"), "{kconfig}");
    let tex = outline_of("a.tex", "\\definecolor{brand}{RGB}{1,2,3}\n");
    assert!(!tex.contains("`inecolor"), "{tex}");
    let java = "class A { private String s = \"one final try\"; }\n";
    let java = extract(Some(Language::Java), java.as_bytes());
    assert_eq!(java.symbols[0].children[0].kind, Kind::Field);
}
