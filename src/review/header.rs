//! Which headers a library of C gives to others, and what its sources define for them.
//!
//! | headers | are for others |
//! |---|---|
//! | in a folder `include` or `includes` | all but those that are called internal |
//! | elsewhere, where a build file installs headers | those that it installs: beside or around a file, else where it says |
//! | elsewhere, where none is installed | as it is written, but those that are called internal |
//!
//! What a source defines is for others if a header for others declares it. Where no such header is known, it is what is linked:
//! everything that is not `static`, by that word or by a macro of the file that stands for it.

use std::collections::{BTreeMap, BTreeSet};

use super::declaration::FileDeclarations;
use crate::symbol::{Kind, Visibility};

/// Parts of the names of headers that are for the library alone.
const INTERNAL: [&str; 5] = ["private", "internal", "_impl", "-impl", "_priv."];
/// Words of build files before what is installed.
const INSTALLS: [&str; 3] = ["install", "include_headers", "public_header"];

/// Whether the name of a header says that it is for the library alone.
#[must_use]
pub fn is_internal_header(path: &str) -> bool {
    INTERNAL.iter().any(|part| path.contains(part))
}

/// Whether the name of a file is that of a header, or of a text that a build makes one of.
#[must_use]
pub fn is_header(name: &[u8]) -> bool {
    made_header(name).ends_with(b".h")
}

/// The name of the header that a build makes of a file of this name: `a.h` of `a.h.in`.
#[must_use]
pub fn made_header(name: &[u8]) -> &[u8] {
    let stem = name
        .strip_suffix(b".in")
        .or_else(|| name.strip_suffix(b".cmake"));
    stem.filter(|stem| stem.ends_with(b".h")).unwrap_or(name)
}

/// The headers that a build file installs, with the folders that it writes before them.
#[must_use]
pub fn installed(text: &str) -> BTreeSet<String> {
    let statements = statements(text);
    let mut lists: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for statement in &statements {
        if let Some(name) = assigned(statement) {
            lists.entry(name).or_default().extend(headers(statement));
        }
    }
    let mut found = BTreeSet::new();
    let installs = |statement: &&String| {
        // In a list the name says it: `EXTRA_DIST = a.h INSTALL` installs nothing.
        assigned(statement).map_or_else(
            || is_installing(statement),
            |name| is_installing(name) || is_automake_list(name, &lists),
        )
    };
    for statement in statements.iter().filter(installs) {
        found.extend(headers(statement).map(str::to_owned));
        for word in words(statement).collect::<BTreeSet<_>>() {
            let list = lists.get(word).into_iter().flatten();
            found.extend(list.map(|name| (*name).to_owned()));
        }
    }
    found
}

/// The lines of a build file, those that belong together as one: behind a backslash, and within the brackets of a command.
fn statements(text: &str) -> Vec<String> {
    let joined = text.replace("\\\n", " ");
    let (mut statements, mut depth) = (Vec::new(), 0_usize);
    for line in joined.lines() {
        let line = line.split('#').next().unwrap_or_default().trim();
        let (opened, closed) = (line.matches('(').count(), line.matches(')').count());
        if depth > 0 {
            let last: &mut String = statements.last_mut().expect("a command was begun");
            last.push(' ');
            last.push_str(line);
            depth = (depth + opened).saturating_sub(closed);
        } else {
            let command = line.split('(').next().unwrap_or_default().trim_end();
            if !command.is_empty() && command.chars().all(is_of_name) {
                depth = opened.saturating_sub(closed);
            }
            statements.push(line.to_owned());
        }
    }
    statements
}

fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn words(statement: &str) -> impl Iterator<Item = &str> {
    statement.split(|c: char| !is_of_name(c) && !"-./+".contains(c))
}

fn headers(statement: &str) -> impl Iterator<Item = &str> {
    // Before a slash at the start stands a variable such as `$(srcdir)`.
    let paths = words(statement).map(|word| word.trim_start_matches('/'));
    paths.filter(|path| path.len() > 2 && path.as_bytes().ends_with(b".h"))
}

/// The name of a list that a statement gives a value: `A = b.h`, `set(A b.h)`.
fn assigned(statement: &str) -> Option<&str> {
    let command = statement
        .split_once('(')
        .filter(|(command, _)| matches!(&command.trim().to_lowercase()[..], "set" | "list"));
    let name = match command {
        Some((_, list)) => words(list).find(|word| !matches!(*word, "" | "APPEND"))?,
        None => {
            let (name, _) = statement.split_once('=')?;
            name.trim_end_matches([':', '+', '?', ' '])
        }
    };
    (!name.is_empty() && name.chars().all(is_of_name)).then_some(name)
}

/// Whether a list of Automake is one of headers that are installed: `x_HEADERS` where the folder `xdir` is given a value, see
/// "The Uniform Naming Scheme" in its manual.
fn is_automake_list(name: &str, lists: &BTreeMap<&str, Vec<&str>>) -> bool {
    let Some(mut place) = name.strip_suffix("_HEADERS") else {
        return false;
    };
    for prefix in ["dist_", "nodist_", "nobase_"] {
        place = place.strip_prefix(prefix).unwrap_or(place);
    }
    lists.contains_key(&*format!("{place}dir"))
}

fn is_installing(statement: &str) -> bool {
    let lower = statement.to_lowercase();
    let is_hidden = lower.contains("noinst") || lower.contains("uninstall");
    // Older Makefiles copy: `cp z.h $(DESTDIR)$(includedir)`.
    let mut copied = lower.trim_start_matches(['@', '-']).split_whitespace();
    let is_copied =
        || copied.next() == Some("cp") && copied.last().is_some_and(|to| to.contains("include"));
    !is_hidden && (INSTALLS.iter().any(|word| lower.contains(word)) || is_copied())
}

/// Makes what a file declares that is for its own library or module alone visible to that alone.
pub fn narrow_to_package(declarations: &mut FileDeclarations) {
    for one in declarations.iter_mut().filter(|one| one.is_public()) {
        one.visibility = Visibility::Package;
    }
}

/// Makes what a source of C defines for its own use private to it: types and macros, which others would have to include, and
/// what a macro makes `static`. Of what is linked only that is for others which their headers declare, where these are known.
pub fn narrow_to_linked(
    declarations: &mut FileDeclarations,
    text: &str,
    given: Option<&BTreeSet<String>>,
) {
    let statics = static_macros(text);
    for at in declarations.indices() {
        let one = &declarations[at];
        let is_linked = matches!(one.kind, Kind::Function | Kind::Variable | Kind::Constant);
        let is_static = || one.signature.split(' ').any(|word| statics.contains(word));
        let visibility = match one.owner {
            Some(owner) => declarations[owner].visibility,
            None if !is_linked || is_static() => Visibility::Private,
            None if given.is_some_and(|given| !given.contains(&one.own)) => Visibility::Package,
            None => Visibility::Public,
        };
        declarations[at].visibility = visibility.max(declarations[at].visibility);
    }
}

/// The macros of a file that stand for `static`, as in `#define local static`.
fn static_macros(text: &str) -> BTreeSet<&str> {
    // Texts are long and such lines are few: only what stands around the word is looked at.
    let defined = text.match_indices("define ").filter_map(|(at, _)| {
        let before = text[..at].trim_end_matches([' ', '\t']).strip_suffix('#')?;
        let before = before.trim_end_matches([' ', '\t']);
        if !before.is_empty() && !before.ends_with('\n') {
            return None;
        }
        let line = text[at + "define ".len()..].lines().next()?;
        let (name, value) = line.trim_start().split_once(' ')?;
        let mut words = value.split(|c: char| !c.is_alphanumeric() && c != '_');
        let is_static = words.any(|word| word == "static");
        (is_static && !name.contains('(')).then_some(name)
    });
    defined.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::review::declaration::declarations;
    use crate::symbol::{Language, extract};

    #[test]
    fn build_files_say_what_they_install() {
        for (text, expected) in [
            ("include_HEADERS = jansson.h config.h", "config.h jansson.h"),
            ("noinst_HEADERS = a.h\nlib_SOURCES = b.c b.h", ""),
            ("EXTRA_DIST = a.h INSTALL", ""),
            (
                "xdir = $(includedir)\nx_HEADERS = a.h \\\n b.h\ny_HEADERS = c.h\nHEADERS = d.h",
                "a.h b.h",
            ),
            ("xdir=x\nnodist_x_HEADERS = a.h", "a.h"),
            (
                "install:\n\t$(INSTALL_DATA) lz4.h $(DESTDIR)/lz4.h",
                "lz4.h",
            ),
            ("uninstall:\n\t$(UNINSTALL) a.h", ""),
            ("INSTALL_HEADERS=a.h \\\n  b.h # c.h", "a.h b.h"),
            (
                "install(FILES\n  src/a.h\n  ${X}/b.h\n  DESTINATION x)\nset(A c.h)",
                "b.h src/a.h",
            ),
            (
                "set(A\n a.h)\nset(B b.h)\ninstall(FILES ${A} DESTINATION x)",
                "a.h",
            ),
            (
                "A = a.h\nA += b.h\ninstall:\n\tcp $(A) x\n\t$(INSTALL) $(A) x",
                "a.h b.h",
            ),
            ("install:\n\tsed 's/(//' x\nlib: c.h", ""),
            (
                "install: lib\n\t-@cp a.h b.h $(DESTDIR)$(includedir)\n\tcp include/c.h build",
                "a.h b.h",
            ),
            ("uninstall:\n\tcp include/c.h old", ""),
            (
                "set(PRIVATE b.h)\nset(HDR_PUBLIC a.h)\nadd_library(x ${PRIVATE} ${HDR_PUBLIC})\nset_target_properties(x PROPERTIES PUBLIC_HEADER \"${HDR_PUBLIC}\")",
                "a.h",
            ),
            (
                "set(X_PUBLIC_HEADERS a.h)\nset(ALL ${X_PUBLIC_HEADERS} b.h)\ninstall(FILES ${X_PUBLIC_HEADERS} DESTINATION x)",
                "a.h",
            ),
            ("install_headers('a.h', subdir: 'x')", "a.h"),
            (
                "set_target_properties(x PROPERTIES PUBLIC_HEADER \"a.h;b.h\")",
                "a.h b.h",
            ),
        ] {
            let found: Vec<String> = installed(text).into_iter().collect();
            assert_eq!(found.join(" "), expected, "{text}");
        }
    }

    #[test]
    fn a_source_gives_what_a_header_declares() {
        let text = "#define local static\n#define FORCE static inline\nstruct s { int x; };\nint f(void) { return 1; }\nint g(void) { return 1; }\nlocal int h(void) { return 1; }\nFORCE int i(void) { return 1; }\nstatic int j(void) { return 1; }\n";
        let seen = |given: Option<&BTreeSet<String>>| {
            let mut all = declarations(&extract(Some(Language::C), text.as_bytes()), text);
            narrow_to_linked(&mut all, text, given);
            let public = all.iter().filter(|one| one.is_public());
            public.map(|one| one.own.clone()).collect::<Vec<_>>()
        };
        assert_eq!(seen(None), ["f", "g"]);
        let given = BTreeSet::from(["f".to_owned(), "s".to_owned(), "j".to_owned()]);
        assert_eq!(seen(Some(&given)), ["f"]);
    }
}
