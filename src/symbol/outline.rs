//! The record of one file: what it is for, what it declares, what it imports. Outlines, maps and `find` cut from it.
//!
//! Every text in a record is one line of valid UTF-8 with its whitespace folded and its length capped, so that no
//! reader has to think about size or shape again. Signatures and documentation are whole: the caps only meet
//! text that is data, and what shows less says so. Limits that cut something leave a count behind.
//!
//! Two records of a file are compared by the qualified names of their declarations, and under one name in the order of the
//! file: `signature` and `attributes` say what others see, [`Symbol::body`] whether anything else has changed.

use serde::Serialize;

use super::comment::{cap, fold};
use super::language::Language;
use super::sentence::first_sentence;

/// Longest name, in bytes.
pub(super) const NAME_BYTES_MAX: usize = 120;
/// Longest signature, in bytes; what is longer is data, and its end counts as body.
pub(super) const SIGNATURE_BYTES_MAX: usize = 4_096;
/// Longest attribute, in bytes.
pub(super) const ATTRIBUTE_BYTES_MAX: usize = 1_024;
/// Most attributes of one symbol.
pub(super) const ATTRIBUTES_MAX: usize = 32;
/// Longest first sentence of a symbol's documentation, in bytes.
const SENTENCE_BYTES_MAX: usize = 200;
/// Longest import, in bytes.
pub(super) const IMPORT_BYTES_MAX: usize = 200;
/// Most imports that are kept.
pub(super) const IMPORTS_MAX: usize = 400;
/// Most symbols that are kept, members included.
pub(super) const SYMBOLS_MAX: usize = 4_000;
/// Deepest nesting of symbols; what is deeper is not listed.
pub(super) const DEPTH_MAX: usize = 8;

/// What one file declares.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Outline {
    /// The language, when it is known.
    pub language: Option<Language>,
    /// What kind of content was found, and whether it could be read with the grammar.
    pub content: Content,
    /// Size in bytes.
    pub bytes: u64,
    /// Lines, a last one without line feed included; 0 for content that is not text.
    pub lines: u64,
    /// First paragraph of the file's own documentation; empty when it has none.
    pub doc: String,
    /// Declarations in the order of the file.
    pub symbols: Vec<Symbol>,
    /// Declarations beyond the limit, which are counted and not kept.
    pub more: u64,
    /// What the file imports, as written, without the keyword.
    pub imports: Vec<String>,
}

/// What was found in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Content {
    /// Text, read with the grammar of its language.
    Parsed,
    /// Text in a language without a grammar here, or of no known language.
    #[default]
    Plain,
    /// Text in a language with a grammar that was too large or too knotted to be read with it.
    Unparsed,
    /// Not UTF-8, or NUL near the start.
    Binary,
    /// Larger than [`crate::base::limit::FILE_BYTES_MAX`]; not looked at.
    TooLarge,
}

/// One declaration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol {
    /// What is declared.
    pub kind: Kind,
    /// Its name, without the names around it.
    pub name: String,
    /// The declaration without its body and its attributes.
    pub signature: String,
    /// Attributes, annotations and decorators, as written.
    pub attributes: Vec<String>,
    /// Whether files of other directories may use it, by the rules of the language.
    pub public: bool,
    /// Whether it is for its own package, crate or assembly, in which it may be public.
    pub is_package: bool,
    /// First paragraph of its documentation; empty when it has none.
    pub doc: String,
    /// Members, in the order of the file.
    pub children: Vec<Symbol>,
    /// Where it stands in the text it was read from.
    pub span: Span,
    /// A digest of what stands behind the signature, without comments, empty lines and members; zero for nothing, and
    /// where there is no grammar.
    pub body: BodyDigest,
}

/// The first bytes of a digest.
pub type BodyDigest = [u8; 16];

/// Who may use a declaration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Visibility {
    /// All.
    Public,
    /// Its own package, crate or assembly.
    Package,
    /// Its own file or type.
    Private,
}

/// Places in a text, in bytes; all zero when they are not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Span {
    /// Where the declaration starts.
    pub start: u32,
    /// Where it ends, body included.
    pub end: u32,
    /// Where the node of its name starts.
    pub name: u32,
    /// Where its signature ends, and its body starts if it has one.
    pub body: u32,
}

/// Makes the enum with its lasting codes.
macro_rules! kinds {
    ($($(#[$doc:meta])* $variant:ident $code:literal $one:literal $many:literal;)*) => {
        /// What a symbol is.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Kind {
            $($(#[$doc])* $variant,)*
        }

        impl Kind {
            /// The word for it, for one and for several.
            #[must_use]
            pub fn words(self) -> (&'static str, &'static str) {
                match self {
                    $(Self::$variant => ($one, $many),)*
                }
            }

            /// The lasting number, for bytes on disk.
            #[must_use]
            pub fn code(self) -> u8 {
                match self {
                    $(Self::$variant => $code,)*
                }
            }

            /// The kind of a number that [`Kind::code`] gave.
            #[must_use]
            pub fn from_code(code: u8) -> Option<Self> {
                match code {
                    $($code => Some(Self::$variant),)*
                    _ => None,
                }
            }
        }
    };
}

kinds! {
    /// A module, namespace or package.
    Module 1 "module" "modules";
    /// A class.
    Class 2 "class" "classes";
    /// A struct, record or union.
    Struct 3 "struct" "structs";
    /// An enumeration.
    Enum 4 "enum" "enums";
    /// An interface, trait, protocol or concept.
    Interface 5 "interface" "interfaces";
    /// An implementation of an interface.
    Implementation 6 "implementation" "implementations";
    /// Another name for a type.
    Type 7 "type" "types";
    /// A function outside any type.
    Function 8 "function" "functions";
    /// A function of a type.
    Method 9 "method" "methods";
    /// A constant.
    Constant 10 "constant" "constants";
    /// A variable.
    Variable 11 "variable" "variables";
    /// A data member.
    Field 12 "field" "fields";
    /// A data member that is read and written by code of its own.
    Property 27 "property" "properties";
    /// A case of an enumeration.
    Variant 13 "variant" "variants";
    /// A macro.
    Macro 14 "macro" "macros";
    /// A name passed on from another file.
    Export 15 "re-export" "re-exports";
    /// A heading of a document.
    Heading 16 "heading" "headings";
    /// A key or table of a data file.
    Key 17 "key" "keys";
    /// A target or stage of a build file.
    Target 18 "target" "targets";
    /// One thing of a list.
    Entry 21 "entry" "entries";
    /// A column of a table.
    Column 22 "column" "columns";
    /// A rule of a style sheet.
    Rule 23 "rule" "rules";
    /// How a text begins of which nothing else is known.
    Line 24 "line" "lines";
    /// A test that has a sentence or a word for a name, or a group of such.
    Test 25 "test" "tests";
    /// What a server answers to: a method and a path.
    Route 26 "route" "routes";
    /// What a script runs.
    Command 28 "command" "commands";
    /// A step by which an image of a container is made.
    Instruction 29 "instruction" "instructions";
    /// Members added to a type that stands elsewhere.
    Extension 19 "extension" "extensions";
}

impl Kind {
    /// True for what a name is given to; false for a title, which is words.
    pub(crate) fn declares_a_name(self) -> bool {
        !matches!(self, Self::Heading | Self::Test)
    }

    /// True for what a text that is no program consists of, and what a script runs: shown as it is written.
    pub(super) fn is_listed(self) -> bool {
        use Kind::{Column, Command, Entry, Instruction, Key, Line, Rule, Target};
        let is_name = matches!(self, Key | Target | Entry | Column | Rule | Line);
        is_name || matches!(self, Command | Instruction)
    }

    /// True for what members that stand elsewhere in the file can belong to.
    pub(super) fn can_own(self) -> bool {
        use Kind::{Class, Enum, Function, Interface, Struct, Type, Variable};
        matches!(
            self,
            Class | Struct | Enum | Interface | Type | Function | Variable
        )
    }
}

impl Symbol {
    /// A public symbol of which nothing but its name is known.
    pub(super) fn named(kind: Kind, name: &str) -> Self {
        let name = cap(&fold(name), NAME_BYTES_MAX);
        Self {
            kind,
            signature: name.clone(),
            name,
            attributes: Vec::new(),
            public: true,
            is_package: false,
            doc: String::new(),
            children: Vec::new(),
            span: Span::default(),
            body: BodyDigest::default(),
        }
    }

    /// Who may use it.
    #[must_use]
    pub fn visibility(&self) -> Visibility {
        match (self.is_package, self.public) {
            (true, _) => Visibility::Package,
            (false, true) => Visibility::Public,
            (false, false) => Visibility::Private,
        }
    }

    /// Whether it is a trait of PHP or a module of Ruby that gives its methods to a class.
    pub(super) fn is_mixed_in(&self) -> bool {
        ["use ", "include "]
            .iter()
            .any(|word| self.signature.starts_with(word))
    }

    /// The first sentence of its documentation, for those who have no room for more.
    #[must_use]
    pub fn sentence(&self) -> String {
        cap(first_sentence(&self.doc), SENTENCE_BYTES_MAX)
    }
}
