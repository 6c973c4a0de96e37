//! The declarations of one file as a flat list, each under its qualified name.

use std::collections::HashMap;

use super::accessor::accessors;
use super::export;
use super::form::form;
use super::import;
use super::lifetime;
use super::literal;
use super::several;
use super::signature::{attribute, counts, find_word, normal, normal_value};
use crate::base::number::{IndexSlice, IndexVec, define_index_type, to_u32};
use crate::symbol::{BodyDigest, Kind, Language, Outline, Symbol, Visibility, is_test};

define_index_type! {
    /// The number of a declaration in its file.
    pub struct DeclarationNumber = u32;
}

/// The declarations of a file, each behind what it stands in.
pub type FileDeclarations = IndexSlice<DeclarationNumber, [Declaration]>;

/// One declaration of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Declaration {
    /// Its name behind the names around it, as in `View::head` or `App.run`.
    pub name: String,
    /// Its own name.
    pub own: String,
    /// What it is.
    pub kind: Kind,
    /// Who may use it: what stands in something private is private.
    pub visibility: Visibility,
    /// Who might use it by what is written at the declaration itself.
    pub own_visibility: Visibility,
    /// What others see of it, without what means nothing.
    pub signature: String,
    /// The same in the form in which it is compared, where that is another.
    pub form: Option<String>,
    /// Its attributes and decorators, without those that only speak to the compiler.
    pub attributes: Vec<String>,
    /// The digest of its body; of what has a value, which is read instead, nothing.
    pub body: BodyDigest,
    /// Its value, where that is not in the signature.
    pub value: String,
    /// The digest of that value, to which comments mean nothing.
    pub value_digest: BodyDigest,
    /// Whether it is a test, or holds tests.
    pub is_test: bool,
    /// The line in which it starts, from 1; 0 when that is not known.
    pub line: u32,
    /// Where it starts and ends in the text.
    pub span: (u32, u32),
    /// Where its body starts.
    pub body_at: u32,
    /// What it stands in.
    pub owner: Option<DeclarationNumber>,
}

impl Declaration {
    /// Whether other packages may use it.
    #[must_use]
    pub fn is_public(&self) -> bool {
        self.visibility == Visibility::Public
    }

    /// The signature in the form in which it is compared.
    #[must_use]
    pub fn form(&self) -> &str {
        self.form.as_deref().unwrap_or(&self.signature)
    }

    /// The form from its own name on: without what stands in front, such as who may use it.
    #[must_use]
    pub fn behind(&self) -> &str {
        let form = self.form();
        &form[find_word(form, &self.own).unwrap_or(0)..]
    }

    /// Whether its value is what others see of it, so that another one is a change of the signature.
    #[must_use]
    pub fn has_value(&self) -> bool {
        has_value(self.kind)
    }
}

fn has_value(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Constant | Kind::Variable | Kind::Field | Kind::Property | Kind::Variant | Kind::Type
    )
}

/// Lists what a record of a text declares, each before its members. What is no declaration, as a heading, is left out.
#[must_use]
pub(super) fn declarations<'t>(
    outline: &'t Outline,
    text: &'t str,
) -> IndexVec<DeclarationNumber, Declaration> {
    let is_go = outline.language == Some(Language::Go);
    let mut listing = Listing {
        text,
        language: outline.language,
        separator: separator(outline.language),
        packages: if is_go {
            import::packages(&outline.imports)
        } else {
            HashMap::new()
        },
        found: IndexVec::new(),
    };
    let around = Around {
        name: "",
        visibility: Visibility::Public,
        own_visibility: Visibility::Public,
        number: None,
        is_test: false,
        is_module: true,
        lifetimes: &[],
    };
    listing.add_all(&outline.symbols, around);
    listing.leave_out_imports(&outline.imports);
    set_lines(&mut listing.found, text);
    listing.found
}

/// What stands around declarations.
#[derive(Clone, Copy)]
struct Around<'a> {
    name: &'a str,
    visibility: Visibility,
    own_visibility: Visibility,
    number: Option<DeclarationNumber>,
    is_test: bool,
    /// Whether it is a module or a whole file.
    is_module: bool,
    /// Lifetimes that need no name there.
    lifetimes: &'a [String],
}

struct Listing<'t> {
    text: &'t str,
    language: Option<Language>,
    separator: &'static str,
    /// The packages of Go that the file imports, by what it calls them.
    packages: HashMap<&'t str, &'t str>,
    found: IndexVec<DeclarationNumber, Declaration>,
}

impl Listing<'_> {
    fn add_all(&mut self, symbols: &[Symbol], around: Around<'_>) {
        let mut listed: Option<&str> = None;
        for symbol in symbols {
            // The names of one list share its signature, and the first has brought all of them.
            if listed == Some(symbol.signature.as_str()) {
                continue;
            }
            let is_list = self.add_several(symbol, around);
            listed = is_list.then_some(symbol.signature.as_str());
            if is_list || !is_declaration(symbol) {
                continue;
            }
            let own = own_visibility(self.language, symbol);
            let is_implementation = symbol.kind == Kind::Implementation;
            let (mut called, mut lifetimes) = (own_name(symbol).to_owned(), Vec::new());
            if is_implementation {
                called = lifetime::without_any(&called);
                let nameless = lifetime::nameless(&symbol.signature).into_iter();
                lifetimes.extend(nameless.map(str::to_owned));
            } else {
                lifetimes.extend_from_slice(around.lifetimes);
            }
            // `impl crate::Builder` adds to what `impl Builder` does.
            if symbol.kind == Kind::Extension && self.language == Some(Language::Rust) {
                let last = called.rfind("::").map_or(0, |at| at + 2);
                called.drain(..last);
            }
            let qualified = match target(symbol).filter(|_| around.name.is_empty()) {
                Some(target) => [&target, self.separator, &called].concat(),
                None => self.qualified(around, &called),
            };
            let within = Around {
                name: &qualified,
                // An implementation in a private module is as visible as its type and trait.
                visibility: if is_implementation && around.is_module {
                    own
                } else {
                    own.max(around.visibility)
                },
                own_visibility: own,
                is_module: symbol.kind == Kind::Module,
                is_test: around.is_test || is_test(symbol),
                lifetimes: &lifetimes,
                number: around.number,
            };
            match symbol.kind {
                Kind::Extension => self.add_all(&symbol.children, within),
                Kind::Export => {
                    let names = export::names(self.language, symbol).into_iter();
                    for (own, signature) in names.filter(|(own, _)| own != "_") {
                        let one = self.declaration(
                            symbol,
                            Around {
                                name: &self.qualified(around, &own),
                                ..within
                            },
                        );
                        self.found.push(Declaration {
                            own,
                            form: form(self.language, &signature, "", &[]),
                            signature,
                            ..one
                        });
                    }
                }
                _ => {
                    let number = Some(self.found.next_idx());
                    self.found.push(self.declaration(symbol, within));
                    self.add_all(&symbol.children, Around { number, ..within });
                }
            }
        }
    }

    /// A name behind the names around it.
    fn qualified(&self, around: Around<'_>, own: &str) -> String {
        if around.name.is_empty() {
            own.to_owned()
        } else {
            [around.name, self.separator, own].concat()
        }
    }

    /// Adds one for each name that a symbol gives in a list; `false` where it gives one, which is not added.
    fn add_several(&mut self, symbol: &Symbol, around: Around<'_>) -> bool {
        let names = several::names(self.language, symbol.kind, &symbol.name, &symbol.signature);
        let Some(names) = names else {
            return false;
        };
        let is_go = self.language == Some(Language::Go);
        for (at, (own, signature)) in names.into_iter().enumerate() {
            let qualified = self.qualified(around, &own);
            // In Go each name says whether others see it.
            let own_visibility = match (is_go, own.starts_with(char::is_uppercase)) {
                (false, _) => own_visibility(self.language, symbol),
                (true, true) => Visibility::Public,
                (true, false) => Visibility::Package,
            };
            let mut one = Symbol {
                name: own,
                signature,
                ..symbol.clone()
            };
            // A long value is that of the whole list, and counts once.
            if at > 0 {
                one.body = BodyDigest::default();
            }
            let within = Around {
                name: &qualified,
                visibility: own_visibility.max(around.visibility),
                own_visibility,
                is_module: false,
                is_test: around.is_test || is_test(symbol),
                ..around
            };
            self.found.push(self.declaration(&one, within));
        }
        true
    }

    /// Takes out what stands in a block of Python and has the name of an import, as `ssl = None` in `except ImportError`: it stands
    /// in for the import where that fails.
    fn leave_out_imports(&mut self, imports: &[String]) {
        if self.language != Some(Language::Python) || imports.is_empty() {
            return;
        }
        let names = import::names(imports);
        // The branch of a `try` or an `if`; at the margin it is a value of its own.
        let is_in_block = |one: &Declaration| {
            let before = self.text.get(..one.span.0 as usize).unwrap_or_default();
            let line = before.rsplit('\n').next().unwrap_or_default();
            !line.is_empty() && line.trim().is_empty()
        };
        // What a list of public names has is declared, whichever of the two it is.
        let has_list = self.text.contains("__all__");
        let is_stand_in = |one: &Declaration| {
            one.owner.is_none()
                && names.contains(one.name.as_str())
                && is_in_block(one)
                && !(has_list && one.is_public())
        };
        retain(&mut self.found, |one, stands| stands && !is_stand_in(one));
    }

    /// One with what is known of it from around.
    fn declaration(&self, symbol: &Symbol, around: Around<'_>) -> Declaration {
        let attributes = symbol.attributes.iter().filter(|text| counts(text));
        let is_python = self.language == Some(Language::Python);
        let named = symbol.signature.split_once(" = ");
        let named = named.filter(|_| is_python && has_value(symbol.kind));
        // What is shown is as it is written, what is compared in one form.
        let (signature, form) = if let Some((name, value)) = named {
            let name = normal(self.language, name);
            let form = format!("{name} = {}", normal_value(self.language, value));
            let signature = format!("{name} = {}", literal::without_brackets(value));
            (signature, Some(form))
        } else {
            let signature = normal(self.language, &symbol.signature);
            let form = if is_python {
                Some(literal::one_form(&signature))
            } else {
                let named = import::with_package_paths(&signature, &self.packages);
                let form = form(self.language, &named, own_name(symbol), around.lifetimes);
                let is_renamed = named != signature;
                form.or_else(|| is_renamed.then(|| named.into_owned()))
            };
            (signature, form)
        };
        let accessors = self.accessors(symbol);
        let with_accessors = |text: String| match &accessors {
            Some(accessors) => format!("{text} {accessors}"),
            None => text,
        };
        let (signature, form) = (with_accessors(signature), form.map(with_accessors));
        Declaration {
            name: around.name.to_owned(),
            own: own_name(symbol).to_owned(),
            kind: symbol.kind,
            visibility: around.visibility,
            own_visibility: around.own_visibility,
            form,
            signature,
            attributes: attributes
                .map(|text| attribute(self.language, text))
                .collect(),
            body: if has_value(symbol.kind) {
                BodyDigest::default()
            } else {
                symbol.body
            },
            value: self.value(symbol),
            value_digest: value_digest(symbol),
            is_test: around.is_test,
            line: 0,
            span: (symbol.span.start, symbol.span.end),
            body_at: symbol.span.body,
            owner: around.number,
        }
    }
}

impl Listing<'_> {
    /// `{ get; private set; }` of a property of C#: who may read and write it.
    fn accessors(&self, symbol: &Symbol) -> Option<String> {
        let is_property = self.language == Some(Language::CSharp) && symbol.kind == Kind::Property;
        let body = symbol.span.body as usize..symbol.span.end as usize;
        self.text
            .get(body)
            .filter(|_| is_property)
            .and_then(accessors)
    }

    fn value(&self, symbol: &Symbol) -> String {
        if !has_value(symbol.kind) || symbol.body == BodyDigest::default() {
            return String::new();
        }
        let value = symbol.span.body as usize..(symbol.span.end as usize).min(self.text.len());
        normal_value(self.language, self.text.get(value).unwrap_or_default())
    }
}

/// The digest of a value that is not in the signature.
fn value_digest(symbol: &Symbol) -> BodyDigest {
    if has_value(symbol.kind) {
        symbol.body
    } else {
        BodyDigest::default()
    }
}

/// Who might use what a symbol declares, by what is written at it.
fn own_visibility(language: Option<Language>, symbol: &Symbol) -> Visibility {
    match symbol.kind {
        // In Go the name of a type says it.
        Kind::Extension
            if language == Some(Language::Go) && !symbol.name.starts_with(char::is_uppercase) =>
        {
            Visibility::Package
        }
        // What is added to a type of another file is as visible as that type, which is not known here.
        Kind::Extension | Kind::Implementation => Visibility::Public,
        _ if is_hidden(symbol) => symbol.visibility().max(Visibility::Package),
        _ => symbol.visibility(),
    }
}

/// Keeps some declarations; a member is also told whether what it stands in is kept.
pub(super) fn retain(
    all: &mut IndexVec<DeclarationNumber, Declaration>,
    is_kept: impl Fn(&Declaration, bool) -> bool,
) {
    // Members have numbers of what they stand in, which stands before them.
    let mut numbers: IndexVec<DeclarationNumber, Option<DeclarationNumber>> =
        IndexVec::with_capacity(all.len());
    let mut next = DeclarationNumber::new(0);
    for one in &*all {
        let stands = one.owner.is_none_or(|owner| numbers[owner].is_some());
        let stays = is_kept(one, stands);
        numbers.push(stays.then_some(next));
        next += usize::from(stays);
    }
    let mut stays = numbers.iter().map(Option::is_some);
    all.retain(|_| stays.next().unwrap_or(true));
    for one in all {
        one.owner = one.owner.and_then(|owner| numbers[owner]);
    }
}

/// Its name; of an interface that is implemented the last one, as in `std::fmt::Debug`.
fn own_name(symbol: &Symbol) -> &str {
    let end = symbol.name.find('<').unwrap_or(symbol.name.len());
    match symbol.name[..end].rfind("::") {
        Some(at) if symbol.kind == Kind::Implementation => &symbol.name[at + 2..],
        _ => &symbol.name,
    }
}

/// The type that an interface is implemented for, where that stands elsewhere: `BStr` of `impl<'a> Deref for &'a BStr`.
fn target(symbol: &Symbol) -> Option<String> {
    if symbol.kind != Kind::Implementation {
        return None;
    }
    let (_, target) = symbol.signature.split_once(" for ")?;
    let target = target.split(" where ").next().unwrap_or(target).trim();
    let named = target.trim_start_matches('&').trim_start();
    let named = match named.strip_prefix('\'') {
        Some(rest) => rest.split_once(' ').map_or(named, |(_, rest)| rest),
        None => named,
    };
    let named = named.strip_prefix("mut ").unwrap_or(named);
    let name = named.split(['<', ' ']).next().unwrap_or(named);
    let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    Some(match name.rsplit("::").next() {
        Some(last) if name.chars().all(is_name) => last.to_owned(),
        _ => target.to_owned(),
    })
}

fn separator(language: Option<Language>) -> &'static str {
    match language {
        Some(Language::Rust | Language::Cpp | Language::Php | Language::Ruby) => "::",
        _ => ".",
    }
}

/// Headings, keys and the like say what a document holds; they declare nothing. What is called `_` only asks the compiler to
/// look at it, as in `var _ Reader = (*File)(nil)`.
fn is_declaration(symbol: &Symbol) -> bool {
    let is_word = matches!(
        symbol.kind,
        Kind::Heading
            | Kind::Key
            | Kind::Entry
            | Kind::Column
            | Kind::Rule
            | Kind::Line
            | Kind::Command
    );
    !is_word && symbol.name != "_"
}

/// Rust's mark for what others can name and should not.
fn is_hidden(symbol: &Symbol) -> bool {
    symbol
        .attributes
        .iter()
        .any(|text| text == "#[doc(hidden)]")
}

fn set_lines(found: &mut FileDeclarations, text: &str) {
    let mut order: Vec<DeclarationNumber> = found.indices().collect();
    order.sort_by_key(|at| found[*at].span.0);
    let bytes = text.as_bytes();
    let (mut line, mut from) = (1, 0);
    for at in order {
        let to = (found[at].span.0 as usize).min(bytes.len()).max(from);
        line += bytes[from..to].split(|byte| *byte == b'\n').skip(1).count();
        from = to;
        found[at].line = to_u32(line);
    }
}
