//! Java. `public` is public, and so is `protected`, which types of others build on; members of interfaces and annotations are public unless they say otherwise.

use tree_sitter::Node;

use super::grammar::{Declared, Grammar, Item, Rule, Walk, nothing, star_comment};
use super::level::Level;
use super::walk::Head;
use crate::symbol::comment;
use crate::symbol::outline::Kind;

pub(super) const GRAMMAR: Grammar = Grammar {
    language: || tree_sitter_java::LANGUAGE.into(),
    rules: |kind| match kind {
        "line_comment" | "block_comment" => Rule::Comment,
        "import_declaration" => Rule::Import(&["import", "static "]),
        "class_declaration" => Rule::Item(Item::of(Kind::Class, "body", &["body"])),
        "record_declaration" => Rule::Item(Item::of(Kind::Struct, "body", &["body"])),
        "interface_declaration" | "annotation_type_declaration" => {
            Rule::Item(Item::of(Kind::Interface, "body", &["body"]).open())
        }
        "enum_declaration" => Rule::Item(Item::of(Kind::Enum, "body", &["body"])),
        "enum_constant" => Rule::Item(Item::body(Kind::Variant, &["body"]).visible()),
        "enum_body_declarations" => Rule::Inside,
        "method_declaration" | "constructor_declaration" | "compact_constructor_declaration" => {
            Rule::Item(Item::body(Kind::Function, &["body"]))
        }
        "annotation_type_element_declaration" => Rule::Item(Item::new(Kind::Function)),
        "field_declaration" | "constant_declaration" => Rule::Special(field),
        _ => Rule::Pass,
    },
    hidden: &[
        "line_comment",
        "block_comment",
        "marker_annotation",
        "annotation",
    ],
    style: comment::SLASHES,
    is_doc: star_comment,
    is_public,
    is_package,
    finish: nothing,
};

fn is_package(declared: &Declared<'_>) -> bool {
    !["public", "protected", "private"]
        .iter()
        .any(|word| declared.says(word))
        && !declared.place.public
}

fn is_public(declared: &Declared<'_>) -> bool {
    declared.says("public")
        || declared.says("protected")
        || declared.place.public && !declared.says("private")
}

fn field<'t>(walk: &mut Walk<'t>, level: &mut Level<'t>, node: Node<'t>) {
    let Some(declarator) = node.child_by_field_name("declarator") else {
        return;
    };
    let Some(name) = declarator.child_by_field_name("name") else {
        return;
    };
    let value = declarator
        .child_by_field_name("value")
        .filter(|value| walk.is_long(*value));
    let before_name = &walk.text[node.start_byte()..name.start_byte()];
    let fixed = before_name.split_whitespace().any(|word| word == "final")
        || node.kind() == "constant_declaration";
    let kind = if fixed { Kind::Constant } else { Kind::Field };
    let symbol = walk.symbol(
        level,
        Head::new(node, kind, name).until(value.map(|value| value.start_byte())),
    );
    let mut cursor = node.walk();
    let declarators = node.children_by_field_name("declarator", &mut cursor);
    let others = declarators.skip(1);
    let others = others.filter_map(|declarator| declarator.child_by_field_name("name"));
    walk.push_all(level, symbol, others);
}
