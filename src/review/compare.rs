//! Two sides of files against each other.
//!
//! | pair | is |
//! |---|---|
//! | same file, same qualified name; under one name equal ones first, then in order | unchanged, signature or body changed |
//! | a name that one file lost and one other gained, alike in signature and body | moved |
//! | what is left | removed, added; with its members one change |

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::alike::{is_alike, is_callable, is_moved_implementation, seen};
use super::body::{self, InText};
use super::change::{
    Change, Changes, Code, Content, File, How, Refers, ReviewedNumber, Section, Version,
};
use super::declaration::{Declaration, DeclarationNumber, FileDeclarations};
use super::go::{GoPackage, go_package, plain_form};
use super::import;
use super::lines::{differing, own_lines};
use super::macros::{is_written_by_macro, macros_of};
use super::matched::{matched, pair_up};
use super::reordered::reordered;
use super::signature::find_word;
use super::statement::with_other_statements;
use crate::base::TreePath;
use crate::base::number::IndexVec;
use crate::symbol::{Kind, Language, Visibility};

/// Finds what changed in files.
#[must_use]
pub fn compare(files: Vec<File>) -> Changes {
    let files = IndexVec::from_vec(files);
    let mut pairs = Vec::new();
    let (mut gone, mut come, mut overloads) = (Vec::new(), Vec::new(), Vec::new());
    for (number, file) in files.iter_enumerated() {
        let (old, new) = readable(file);
        let (mut lost, mut gained) = (all(old), all(new));
        let matched = matched(old, new);
        // C has no overloads: several under one name are what conditions of the preprocessor choose from.
        let is_chosen = old.is_some_and(|old| old.language == Some(Language::C));
        for (old, new) in matched.pairs {
            // What others see in one of two places alone comes or goes for them.
            if let Some(is_gone) = crosses(file, old, new) {
                lost[old] = is_gone;
                gained[new] = !is_gone;
                continue;
            }
            lost[old] = false;
            gained[new] = false;
            pairs.push(((number, old), (number, new)));
        }
        for old in matched.lost {
            lost[old] = false;
            overloads.extend((!is_chosen).then_some(((number, old), true)));
        }
        for new in matched.gained {
            gained[new] = false;
            overloads.extend((!is_chosen).then_some(((number, new), false)));
        }
        gone.extend(kept(number, &lost));
        come.extend(kept(number, &gained));
    }
    let sides = Sides { files: &files };
    sides.leave_out_variants(&pairs, &mut gone, &mut come);
    let moved = sides.moved(&mut gone, &mut come);
    overloads.extend(moved.overloads);
    pairs.extend(sides.passed_on(&moved.pairs, &mut gone, &mut come));
    let mut list: Vec<Change> = Vec::new();
    for (old, new) in pairs {
        list.extend(sides.changed(old, new));
    }
    list.extend(sides.moved_changes(&moved.pairs));
    list.extend(
        overloads
            .into_iter()
            .map(|(place, is_gone)| sides.overload(place, is_gone)),
    );
    list.extend(sides.alone(&gone, true));
    list.extend(sides.alone(&come, false));
    Changes {
        statements: with_other_statements(&files),
        files,
        list,
    }
}

/// Both versions; neither where one cannot be read, since nothing is known of what that declares.
fn readable(file: &File) -> (Option<&Code>, Option<&Code>) {
    let is_unread =
        |version: &Version| matches!(version.content, Content::Absent | Content::Unread);
    if [&file.old, &file.new].into_iter().flatten().any(is_unread) {
        return (None, None);
    }
    (
        file.old.as_ref().and_then(Version::code),
        file.new.as_ref().and_then(Version::code),
    )
}

/// A declaration in its file.
type Place = (ReviewedNumber, DeclarationNumber);
/// What files lost and gained.
type GoneAndCome = (Vec<Place>, Vec<Place>);

/// Of a declaration that others see on one side alone, by where its file stands or by its package: whether that is the old side.
/// What the author has written at it is the same on both.
fn crosses(file: &File, old: DeclarationNumber, new: DeclarationNumber) -> Option<bool> {
    let one = |code: Option<&Code>, number: DeclarationNumber| {
        let one = code?.declarations.get(number)?;
        Some((one.is_public(), one.own_visibility))
    };
    let sides = readable(file);
    let is_go = sides
        .0
        .is_some_and(|code| code.language == Some(Language::Go));
    if file.moved_from().is_none() && !is_go {
        return None;
    }
    let ((was_public, old), (is_public, new)) = (one(sides.0, old)?, one(sides.1, new)?);
    (old == new && was_public != is_public).then_some(was_public)
}

type Marks = IndexVec<DeclarationNumber, bool>;

fn all(code: Option<&Code>) -> Marks {
    vec![true; code.map_or(0, |code| code.declarations.len())].into()
}

fn kept(file: ReviewedNumber, marks: &Marks) -> Vec<Place> {
    let numbers = marks.iter_enumerated().filter(|(_, mark)| **mark);
    numbers.map(|(number, _)| (file, number)).collect()
}

/// Whether it is a member of what moved. A method of Go may move without its type.
fn stands_in(moved: &BTreeMap<Place, Place>, place: Place, one: &Declaration) -> bool {
    one.owner
        .is_some_and(|owner| moved.contains_key(&(place.0, owner)))
}

/// What stands in another file than before.
struct Moved {
    pairs: BTreeMap<Place, Place>,
    /// Members that are declared once more or once less under their name, and whether they are gone.
    overloads: Vec<(Place, bool)>,
}

struct Sides<'f> {
    files: &'f IndexVec<ReviewedNumber, File>,
}

impl Sides<'_> {
    fn before(&self, place: Place) -> (&Code, &Declaration) {
        let version = self.files[place.0].old.as_ref();
        let code = version.and_then(Version::code).expect("it was read");
        (code, &code.declarations[place.1])
    }

    fn after(&self, place: Place) -> (&Code, &Declaration) {
        let version = self.files[place.0].new.as_ref();
        let code = version.and_then(Version::code).expect("it was read");
        (code, &code.declarations[place.1])
    }

    fn in_text(&self, old: Place, new: Place) -> [InText<'_>; 2] {
        let sides = [(self.before(old).0, old.1), (self.after(new).0, new.1)];
        sides.map(|(code, number)| InText { code, number })
    }

    /// What changed of one that stands on both sides.
    fn changed(&self, old: Place, new: Place) -> Vec<Change> {
        let change = self.other(old, new);
        change.into_iter().chain(self.reordered(old, new)).collect()
    }

    /// A type whose members stand in another order, where that matters.
    fn reordered(&self, old: Place, new: Place) -> Option<Change> {
        let [before, after] = self.in_text(old, new);
        let lines = reordered(before, after);
        (lines > 0).then(|| Change {
            old: Some(before.one().clone()),
            new: Some(after.one().clone()),
            lines,
            ..change(How::Order, new.0)
        })
    }

    /// Its signature or its body, where that is another.
    fn other(&self, old: Place, new: Place) -> Option<Change> {
        let ((old_code, before), (new_code, after)) = (self.before(old), self.after(new));
        let [one, other] = self.in_text(old, new);
        let how = if !seen(before, after) {
            How::Signature
        } else if body::is_same(one, other) {
            return None;
        } else {
            How::Body
        };
        let has_body = how == How::Signature && body::differs_as_well(one, other);
        let lines = differing(&own_lines(old_code, old.1), &own_lines(new_code, new.1));
        let (mut before, mut after) = (before.clone(), after.clone());
        if how == How::Signature && is_declared(old_code, &before) && is_declared(new_code, &after)
        {
            // Others see what the headers say of it.
            before.visibility = before.visibility.max(Visibility::Package);
            after.visibility = after.visibility.max(Visibility::Package);
        }
        Some(Change {
            old: Some(before),
            new: Some(after),
            lines,
            has_body,
            ..change(how, new.0)
        })
    }

    /// A name that is declared once more than before, or once less: an overload, a setter.
    fn overload(&self, place: Place, is_gone: bool) -> Change {
        let (code, one) = if is_gone {
            self.before(place)
        } else {
            self.after(place)
        };
        let side = Some(one.clone());
        let (old, new) = if is_gone { (side, None) } else { (None, side) };
        let lines = slice(code, one).lines().count();
        Change {
            old,
            new,
            lines,
            ..change(How::Signature, place.0)
        }
    }

    /// What files lost and gained, by name; what they pass on is left out.
    fn by_name(&self, gone: &[Place], come: &[Place]) -> Vec<GoneAndCome> {
        fn name(one: &Declaration) -> (&str, bool) {
            (&one.name, one.kind == Kind::Module)
        }
        let mut by_name: BTreeMap<(&str, bool), GoneAndCome> = BTreeMap::new();
        let is_export = |one: &Declaration| one.kind == Kind::Export;
        for place in gone {
            let one = self.before(*place).1;
            if !is_export(one) {
                by_name.entry(name(one)).or_default().0.push(*place);
            }
        }
        for place in come {
            let one = self.after(*place).1;
            if !is_export(one) {
                by_name.entry(name(one)).or_default().1.push(*place);
            }
        }
        let groups = by_name.into_values();
        groups
            .flat_map(|(from, to)| self.by_package(from, to))
            .collect()
    }

    /// What goes and comes in one package of Go or one module of Rust, apart from what has the same name in others.
    fn by_package(&self, from: Vec<Place>, to: Vec<Place>) -> Vec<GoneAndCome> {
        if from.len() <= 1 && to.len() <= 1 {
            return vec![(from, to)];
        }
        let mut packages: BTreeMap<Option<Scope>, GoneAndCome> = BTreeMap::new();
        let package = |side: &Option<Version>| {
            let side = side.as_ref()?;
            go_package(side).or_else(|| outer_module(side))
        };
        for place in from {
            let package = package(&self.files[place.0].old);
            packages.entry(package).or_default().0.push(place);
        }
        for place in to {
            let package = package(&self.files[place.0].new);
            packages.entry(package).or_default().1.push(place);
        }
        let mut rest = packages.remove(&None).unwrap_or_default();
        let mut groups = Vec::new();
        for (from, to) in packages.into_values() {
            if from.is_empty() || to.is_empty() {
                rest.0.extend(from);
                rest.1.extend(to);
            } else {
                groups.push((from, to));
            }
        }
        groups.push(rest);
        groups
    }

    /// Whether two files are of one package of Go, where a name means the same in each.
    fn are_of_one_package(&self, from: ReviewedNumber, to: ReviewedNumber) -> bool {
        let old = package_of(self.files[from].old.as_ref());
        let new = package_of(self.files[to].new.as_ref());
        old.is_some() && old == new
    }

    /// Whether both are a function of C that the headers of its library declare: of those there is one.
    fn are_linked(&self, from: Place, to: Place) -> bool {
        let mut sides = [self.before(from), self.after(to)].into_iter();
        sides.all(|(code, one)| {
            code.declared_elsewhere.is_some() && one.is_public() && one.kind == Kind::Function
        })
    }

    /// Whether both are types of Rust that others can name, or both traits: modules pass them on under one path, whatever they
    /// have become.
    fn are_types_of_rust(&self, from: Place, to: Place) -> bool {
        let is_type = |one: &Declaration| {
            matches!(one.kind, Kind::Struct | Kind::Enum | Kind::Type) && one.owner.is_none()
        };
        let ((code, one), (_, other)) = (self.before(from), self.after(to));
        code.language == Some(Language::Rust)
            && self.are_of_one_crate(from, to)
            && one.is_public()
            && other.is_public()
            && (is_type(one) && is_type(other)
                || one.kind == Kind::Interface && other.kind == Kind::Interface)
    }

    /// Whether both are a method of one type of Rust, whose implementations may stand in any file of its crate.
    fn are_methods_of_rust(&self, from: Place, to: Place) -> bool {
        let ((code, one), (_, other)) = (self.before(from), self.after(to));
        code.language == Some(Language::Rust)
            && self.are_of_one_crate(from, to)
            && one.name.contains("::")
            && is_callable(one.kind)
            && is_callable(other.kind)
            && one.is_public() == other.is_public()
    }

    fn are_of_one_crate(&self, from: Place, to: Place) -> bool {
        let old = self.files[from.0].old_path().to_text();
        let new = self.files[to.0].path().to_text();
        crate_of(&old) == crate_of(&new)
    }

    /// Takes out what a file of a package of Go declares for some platforms, where another file of the package has it on both
    /// sides, or several that came or went are one.
    fn leave_out_variants(
        &self,
        pairs: &[(Place, Place)],
        gone: &mut Vec<Place>,
        come: &mut Vec<Place>,
    ) {
        let packages =
            |side: fn(&File) -> &Option<Version>| -> IndexVec<ReviewedNumber, Option<GoPackage>> {
                self.files
                    .iter()
                    .map(|file| package_of(side(file).as_ref()))
                    .collect()
            };
        let (before, after) = (packages(|file| &file.old), packages(|file| &file.new));
        // A package may have many of the name `init`.
        let name = |package: &'_ Option<GoPackage>, one: &Declaration| {
            let package = package.clone().filter(|_| one.own != "init")?;
            Some((package, one.name.clone(), plain_form(one)))
        };
        let old = |place: &Place| name(&before[place.0], self.before(*place).1);
        let new = |place: &Place| name(&after[place.0], self.after(*place).1);
        let kept: HashSet<_> = pairs.iter().filter_map(|(_, place)| new(place)).collect();
        // The first of several stays; it is paired with what came or went elsewhere.
        let (mut lost, mut gained) = (HashSet::new(), HashSet::new());
        gone.retain(|place| {
            old(place).is_none_or(|name| !kept.contains(&name) && lost.insert(name))
        });
        come.retain(|place| {
            new(place).is_none_or(|name| !kept.contains(&name) && gained.insert(name))
        });
    }

    /// Takes out what one file lost and one other gained, and is alike; with it its members, of which some may be overloads that
    /// came or went.
    fn moved(&self, gone: &mut Vec<Place>, come: &mut Vec<Place>) -> Moved {
        // What stands in something that moved comes behind it, since names are in order.
        let mut moved: BTreeMap<Place, Place> = BTreeMap::new();
        let mut overloads = Vec::new();
        for (mut from, mut to) in self.by_name(gone, come) {
            // A type may have several of one trait, such as for itself and for a reference to it.
            from.retain(|from| {
                let before = self.before(*from).1;
                let is_it = |to: &Place| {
                    from.0 != to.0 && is_moved_implementation(before, self.after(*to).1)
                };
                let found = to.iter().position(is_it);
                if let Some(at) = found {
                    moved.insert(*from, to.remove(at));
                }
                found.is_none()
            });
            if let ([from], [to]) = (&from[..], &to[..])
                && from.0 != to.0
                && let (before, after) = (self.before(*from).1, self.after(*to).1)
                && (before.owner.or(after.owner).is_none()
                    && before.is_public() == after.is_public()
                    && is_alike(before, after)
                    || self.are_linked(*from, *to)
                    || self.are_types_of_rust(*from, *to)
                    || !stands_in(&moved, *from, before) && self.are_methods_of_rust(*from, *to)
                    || !stands_in(&moved, *from, before) && self.are_of_one_package(from.0, to.0))
            {
                moved.insert(*from, *to);
                continue;
            }
            let owner = |place: &Place, one: &Declaration| Some((place.0, one.owner?));
            let target = from.iter().find_map(|place| {
                let owner = owner(place, self.before(*place).1)?;
                moved.get(&owner).copied()
            });
            let Some(target) = target else { continue };
            from.retain(|place| {
                let owner = owner(place, self.before(*place).1);
                owner.and_then(|owner| moved.get(&owner)) == Some(&target)
            });
            to.retain(|place| owner(place, self.after(*place).1) == Some(target));
            let pairs = pair_up(
                &mut from,
                &mut to,
                |place| self.before(*place).1,
                |place| self.after(*place).1,
            );
            if !pairs.is_empty() {
                overloads.extend(from.into_iter().map(|place| (place, true)));
                overloads.extend(to.into_iter().map(|place| (place, false)));
            }
            moved.extend(pairs);
        }
        let to: BTreeSet<&Place> = moved.values().collect();
        let other = |is_gone: bool| -> BTreeSet<Place> {
            let side = overloads.iter().filter(|one| one.1 == is_gone);
            side.map(|one| one.0).collect()
        };
        let (lost, gained) = (other(true), other(false));
        gone.retain(|place| !moved.contains_key(place) && !lost.contains(place));
        come.retain(|place| !to.contains(place) && !gained.contains(place));
        Moved {
            pairs: moved,
            overloads,
        }
    }

    /// Declarations that a file passed on before or does now. One that moved stays where it was for all who use it: what its
    /// file says of that is no news. Else the two are one declaration that has changed.
    fn passed_on(
        &self,
        moved: &BTreeMap<Place, Place>,
        gone: &mut Vec<Place>,
        come: &mut Vec<Place>,
    ) -> Vec<(Place, Place)> {
        let old = |place: &Place| self.before(*place).1;
        let new = |place: &Place| self.after(*place).1;
        let (mut left, mut reached) = (HashMap::new(), HashMap::new());
        for (from, to) in moved.iter().filter(|pair| old(pair.0).owner.is_none()) {
            left.insert((from.0, old(from).own.as_str()), to.0);
            reached.insert((to.0, new(to).own.as_str()), from.0);
        }
        // Whether an export names what now stands, or stood, in another file.
        let is_said =
            |place: &Place,
             one: &Declaration,
             elsewhere: &HashMap<(ReviewedNumber, &str), ReviewedNumber>| {
                let file = elsewhere.get(&(place.0, one.own.as_str()));
                one.kind == Kind::Export
                    && one.is_public()
                    && file.is_some_and(|file| names_file(one, self.files[*file].path()))
            };
        come.retain(|place| !is_said(place, new(place), &left));
        gone.retain(|place| !is_said(place, old(place), &reached));
        let mut by_name: HashMap<_, Place> = HashMap::new();
        for place in &*come {
            by_name.insert((place.0, new(place).name.as_str()), *place);
        }
        let mut pairs = Vec::new();
        gone.retain(|place| {
            let one = old(place);
            let Some(other) = by_name.get(&(place.0, one.name.as_str())).copied() else {
                return true;
            };
            if (new(&other).kind == Kind::Export) == (one.kind == Kind::Export) {
                return true;
            }
            by_name.remove(&(place.0, one.name.as_str()));
            pairs.push((*place, other));
            false
        });
        let taken: HashSet<Place> = pairs.iter().map(|pair| pair.1).collect();
        come.retain(|place| !taken.contains(place));
        pairs
    }

    /// What moved, with its members one change; what changed on the way is a change of its own.
    fn moved_changes(&self, moved: &BTreeMap<Place, Place>) -> Vec<Change> {
        let mut list: Vec<Change> = Vec::new();
        for (from, to) in moved {
            let (before, after) = (self.before(*from).1, self.after(*to).1);
            if !stands_in(moved, *from, before) {
                list.push(Change {
                    old: Some(before.clone()),
                    new: Some(after.clone()),
                    from: Some(from.0),
                    members: members(&self.after(*to).0.declarations, to.1),
                    ..change(How::Moved, to.0)
                });
            }
            list.extend(self.changed(*from, *to));
        }
        list
    }

    /// What stands on one side only; what stands in it is counted with it.
    fn alone(&self, places: &[Place], is_gone: bool) -> Vec<Change> {
        let set: BTreeSet<Place> = places.iter().copied().collect();
        let mut macros = HashMap::new();
        let mut list = Vec::new();
        for place in places {
            let (code, declaration) = if is_gone {
                self.before(*place)
            } else {
                self.after(*place)
            };
            let is_member = |owner| set.contains(&(place.0, owner));
            let file = &self.files[place.0];
            let other = if is_gone { &file.new } else { &file.old };
            let other = other.as_ref().and_then(Version::code);
            if declaration.owner.is_some_and(is_member)
                || other.is_some_and(|other| is_imported(declaration, other))
                || other.is_some_and(|other| {
                    let macros = macros.entry(place.0).or_insert_with(|| macros_of(other));
                    is_written_by_macro(declaration, macros)
                })
            {
                continue;
            }
            let how = if is_gone { How::Removed } else { How::Added };
            let mut one = declaration.clone();
            // A definition more or less of what headers declare before and after is no news to others.
            if is_declared(code, &one) {
                one.visibility = one.visibility.max(Visibility::Package);
            }
            let side = Some(one);
            let (old, new) = if is_gone { (side, None) } else { (None, side) };
            list.push(Change {
                old,
                new,
                members: members(&code.declarations, place.1),
                lines: slice(code, declaration).lines().count(),
                ..change(how, place.0)
            });
        }
        list
    }
}

/// The package of a side, where that is Go.
fn package_of(side: Option<&Version>) -> Option<GoPackage> {
    side.and_then(go_package)
}

/// Where a name means one thing: a package of Go, or a module of Rust.
type Scope = GoPackage;

/// The outermost module below the crate in which a file of Rust stands, with the folder of the crate.
fn outer_module(side: &Version) -> Option<Scope> {
    let path = side.path.to_text();
    let (folder, below) = path.strip_suffix(".rs")?.rsplit_once("src/")?;
    let module = below.split('/').next().unwrap_or_default();
    Some((TreePath::from(folder), module.to_owned(), false))
}

/// The folder of the crate in which a file of Rust stands, as far as its path says.
fn crate_of(path: &str) -> &str {
    path.rsplit_once("src/").map_or("", |(folder, _)| folder)
}

/// Whether headers for others declare a function of C on the other side.
fn is_declared(code: &Code, one: &Declaration) -> bool {
    let elsewhere = code.declared_elsewhere.as_ref();
    elsewhere.is_some_and(|names| names.contains(&one.own))
}

fn change(how: How, file: ReviewedNumber) -> Change {
    Change {
        how,
        file,
        old: None,
        new: None,
        from: None,
        members: Vec::new(),
        lines: 0,
        has_body: false,
        refers: Refers::default(),
        section: Section::Private,
        is_internal: false,
    }
}

/// Whether an export names the module of a file; only in Rust does it say where something stands.
fn names_file(export: &Declaration, file: &TreePath) -> bool {
    let path = file.to_text();
    let Some(path) = path.strip_suffix(".rs") else {
        return true;
    };
    let path = path.strip_suffix("/mod").unwrap_or(path);
    let module = path.rsplit('/').next().unwrap_or(path);
    module == "lib" || find_word(&export.signature, module).is_some()
}

/// Whether a name that `__all__` passes on in one version of a file of Python is one that the other has imported and, without an
/// `__all__`, passed on as well.
fn is_imported(one: &Declaration, other: &Code) -> bool {
    other.language == Some(Language::Python)
        && one.kind == Kind::Export
        && !other.text.contains("__all__")
        && import::names(&other.imports).contains(one.name.as_str())
}

/// The names of what stands in one and is as visible.
fn members(declarations: &FileDeclarations, number: DeclarationNumber) -> Vec<String> {
    let mut within = Marks::from_vec(vec![false; declarations.len()]);
    within[number] = true;
    let mut names = Vec::new();
    // The methods of an interface that is implemented are those of the interface.
    if declarations[number].kind == Kind::Implementation {
        return names;
    }
    for (at, one) in declarations.iter_enumerated() {
        if one.owner.is_some_and(|owner| within[owner]) {
            within[at] = one.kind != Kind::Implementation;
            if one.visibility == declarations[number].visibility {
                names.push(one.name.clone());
            }
        }
    }
    names
}

fn slice<'c>(code: &'c Code, declaration: &Declaration) -> &'c str {
    let (from, to) = (declaration.span.0 as usize, declaration.span.1 as usize);
    code.text
        .get(from..to.min(code.text.len()))
        .unwrap_or_default()
}
