//! One list of siblings while it is read: where it stands, what was found, and what still waits for its declaration.

use std::collections::BTreeMap;
use std::ops::Range;

use tree_sitter::Node;

use crate::symbol::outline::{Kind, Span, Symbol};

/// What is known about the surroundings of a declaration.
#[derive(Clone, Copy, Default)]
pub(super) struct Place<'t> {
    /// What it is a member of; `None` at the level of the file.
    pub owner: Option<Kind>,
    /// Whether it is public unless it says otherwise.
    pub public: bool,
    /// The node with which its text starts, where that is not its own.
    pub wrap: Option<Node<'t>>,
}

/// One list of siblings while it is read.
pub(super) struct Level<'t> {
    pub place: Place<'t>,
    pub symbols: Vec<Symbol>,
    /// Members that stand outside their type.
    pub adopted: Vec<Adopted>,
    /// Attributes before the next declaration.
    pub attributes: Vec<Range<usize>>,
    /// Nodes that start before this place belong to what has been read.
    pub passed_to: usize,
    comment: Option<Comment>,
    /// The row in which the last declaration ended: a comment in it belongs to that one.
    last_row: Option<usize>,
}

/// Members that stand outside their type.
pub(super) struct Adopted {
    /// The name of the type.
    pub owner: String,
    /// What stands for the type when it is in another file.
    pub header: String,
    pub members: Vec<Symbol>,
}

struct Comment {
    start: usize,
    end: usize,
    /// The row in which the comment, or an attribute below it, ends.
    last_row: usize,
}

impl<'t> Level<'t> {
    pub(super) fn new(place: Place<'t>) -> Self {
        Self {
            place,
            symbols: Vec::new(),
            adopted: Vec::new(),
            attributes: Vec::new(),
            passed_to: 0,
            comment: None,
            last_row: None,
        }
    }

    /// Ends a declaration: what led up to it belongs to nothing else.
    pub(super) fn close(&mut self, node: Node<'t>) {
        self.comment = None;
        self.attributes.clear();
        self.last_row = Some(last_row(node));
    }

    /// The place of the comment that touches a declaration.
    pub(super) fn comment_above(&self, node: Node<'t>) -> Option<Range<usize>> {
        let comment = self
            .comment
            .as_ref()
            .filter(|comment| node.start_position().row <= comment.last_row + 1);
        comment.map(|comment| comment.start..comment.end)
    }

    /// The place of the comment between which and a declaration there is one empty line.
    pub(super) fn comment_apart(&self, node: Node<'t>) -> Option<Range<usize>> {
        let comment = self
            .comment
            .as_ref()
            .filter(|comment| node.start_position().row == comment.last_row + 2);
        comment.map(|comment| comment.start..comment.end)
    }

    /// Keeps a comment for what follows, together with the one that it touches.
    pub(super) fn note_comment(&mut self, node: Node<'t>) {
        let row = node.start_position().row;
        if self.last_row == Some(row) {
            return;
        }
        match &mut self.comment {
            Some(comment) if row <= comment.last_row + 1 => {
                comment.end = node.end_byte();
                comment.last_row = last_row(node);
            }
            comment => {
                *comment = Some(Comment {
                    start: node.start_byte(),
                    end: node.end_byte(),
                    last_row: last_row(node),
                });
            }
        }
    }

    /// Keeps an attribute for what follows; the comment above it reaches over it.
    pub(super) fn note_attribute(&mut self, node: Node<'t>) {
        self.attributes.push(node.byte_range());
        self.note_aside(node);
    }

    /// Lets the comment above reach over a line that declares nothing.
    pub(super) fn note_aside(&mut self, node: Node<'t>) {
        if let Some(comment) = &mut self.comment
            && node.start_position().row <= comment.last_row + 1
        {
            comment.last_row = last_row(node);
        }
    }

    /// Forgets the comment above: it belongs to something else.
    pub(super) fn drop_comment(&mut self) {
        self.comment = None;
    }

    /// Drops what is declared twice in the same words, as both branches of an `#if` often do. Of a prototype and what it
    /// announces, the place is that of the body.
    fn drop_repeated(&mut self) {
        // A prototype ends with its semicolon.
        let has_body = |symbol: &Symbol| symbol.span.body + 1 < symbol.span.end;
        let mut seen: BTreeMap<(&str, &str), usize> = BTreeMap::new();
        let mut keep = vec![true; self.symbols.len()];
        let (mut bodies, mut repeated) = (Vec::new(), Vec::new());
        for (at, symbol) in self.symbols.iter().enumerate() {
            if !symbol.children.is_empty() {
                continue;
            }
            let first = *seen.entry((&symbol.name, &symbol.signature)).or_insert(at);
            keep[at] = first == at;
            if first != at && !self.symbols[first].attributes.is_empty() {
                repeated.push((first, symbol.attributes.clone()));
            }
            if !has_body(&self.symbols[first]) && has_body(symbol) {
                bodies.push((first, symbol.span));
            }
        }
        // What holds for one of them only, such as its `cfg`, does not hold for what is declared.
        for (first, attributes) in repeated {
            let kept = &mut self.symbols[first].attributes;
            kept.retain(|attribute| attributes.contains(attribute));
        }
        // The first body counts.
        for (at, span) in bodies.into_iter().rev() {
            self.symbols[at].span = span;
        }
        let mut keep = keep.into_iter();
        self.symbols.retain(|_| keep.next().unwrap_or(true));
    }

    /// Gives members that stand outside their type to the type, and keeps the rest.
    pub(super) fn into_symbols(mut self) -> Vec<Symbol> {
        self.drop_repeated();
        if self.adopted.is_empty() {
            return self.symbols;
        }
        let mut homeless: Vec<Symbol> = Vec::new();
        let mut places: BTreeMap<String, usize> = BTreeMap::new();
        for Adopted {
            owner,
            header,
            members,
        } in self.adopted
        {
            if let Some(known) = find_owner(&mut self.symbols, &owner) {
                for member in members {
                    join(&mut known.children, member, owner == header);
                }
                continue;
            }
            let at = *places.entry(owner.clone()).or_insert(homeless.len());
            if at == homeless.len() {
                homeless.push(implementation(owner, header, &members));
            } else if homeless[at].signature.is_empty() {
                // What came before are interfaces, which stand for nothing.
                homeless[at].signature = header;
            }
            homeless[at].public |= members.iter().any(|member| member.public);
            homeless[at].children.extend(members);
        }
        self.symbols.extend(homeless.into_iter().flat_map(flatten));
        self.symbols
    }
}

/// What stands for a type of another file.
fn implementation(name: String, signature: String, members: &[Symbol]) -> Symbol {
    // Where the first member stands, as an empty place: what is used in it belongs to the member.
    let span = members.first().map(|member| Span {
        end: member.span.start,
        body: member.span.start,
        ..member.span
    });
    let named = Symbol::named(Kind::Extension, "");
    Symbol {
        name,
        signature,
        public: false,
        span: span.unwrap_or_default(),
        ..named
    }
}

/// The last type of that name: `A`, or `A::B` for one in another.
fn find_owner<'s>(symbols: &'s mut [Symbol], owner: &str) -> Option<&'s mut Symbol> {
    let at = symbols
        .iter()
        .rposition(|symbol| symbol.kind.can_own() && symbol.name == owner);
    if let Some(at) = at {
        return symbols.get_mut(at);
    }
    let (outer, inner) = owner.split_once("::")?;
    let at = symbols
        .iter()
        .rposition(|symbol| symbol.kind.can_own() && symbol.name == outer)?;
    find_owner(&mut symbols[at].children, inner)
}

/// Adds a member; a definition of what the type declares already only says where that stands.
fn join(members: &mut Vec<Symbol>, member: Symbol, is_definition: bool) {
    let count = |symbol: &Symbol| {
        let parameters = symbol
            .signature
            .split_once(&format!("{}(", symbol.name))
            .map_or("", |(_, rest)| rest);
        parameters.matches(',').count()
    };
    let mut known = members.iter_mut().filter(|known| {
        is_definition
            && known.kind == Kind::Method
            && known.name == member.name
            && count(known) == count(&member)
    });
    match (known.next(), known.next()) {
        (Some(declared), None) => (declared.span, declared.body) = (member.span, member.body),
        _ => members.push(member),
    }
}

/// A type of another file that only gets interfaces is not worth a level of its own.
fn flatten(symbol: Symbol) -> Vec<Symbol> {
    if symbol
        .children
        .iter()
        .all(|child| child.kind == Kind::Implementation)
    {
        symbol.children
    } else {
        vec![symbol]
    }
}

fn last_row(node: Node<'_>) -> usize {
    let end = node.end_position();
    if end.column == 0 {
        end.row.saturating_sub(1)
    } else {
        end.row
    }
}
