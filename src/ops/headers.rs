//! The headers that a library of C gives to others, found in a tree from the folder of a file upwards.

use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;
use std::sync::Arc;

use super::version::{Placed, Reading, visit_entries, visit_folder};
use crate::base::{NodeId, TreePath};
use crate::git::{EntryMode, ObjectError, Repository, Side};
use crate::regen::record::{Blob, with_blob};
use crate::review;

/// Headers that are read at most for what they declare: of more nothing is known.
const HEADERS_MAX: usize = 256;
/// Most folders around one another.
const DEPTH_MAX: usize = 32;
/// Build files that say what is installed.
const BUILD_FILES: [&str; 6] = [
    "Makefile",
    "Makefile.in",
    "GNUmakefile",
    "Makefile.am",
    "CMakeLists.txt",
    "meson.build",
];

/// What is for others, as seen from one folder.
#[derive(Debug, Default)]
pub(super) struct Given {
    /// The headers; `None` where none is known to be.
    headers: Option<BTreeSet<TreePath>>,
    /// What they declare.
    pub(super) names: Option<Arc<BTreeSet<String>>>,
}

impl Given {
    /// Whether what a header declares is for others.
    pub(super) fn has(&self, header: &TreePath) -> bool {
        match &self.headers {
            Some(headers) => headers.contains(header),
            None => !review::is_internal_header(&header.to_text()),
        }
    }
}

/// Reads of a tree what is needed to know that.
pub(super) struct Headers<'r> {
    repo: &'r Repository,
    reading: &'r Reading,
    tree: NodeId,
    known: HashMap<TreePath, Rc<Given>>,
    /// The same by the headers: files of many folders see the same ones.
    shared: HashMap<Vec<TreePath>, Rc<Given>>,
    /// The headers of folders that were looked through; `None` for one with too many. Files of many folders share those above.
    included: HashMap<TreePath, Option<Rc<[Placed]>>>,
    folders: HashMap<TreePath, Rc<Folder>>,
    /// What build files install.
    installed: HashMap<NodeId, Rc<BTreeSet<String>>>,
    /// What headers declare.
    declared: HashMap<NodeId, Rc<[String]>>,
}

/// What of a folder matters for the files in it and below.
#[derive(Default)]
struct Folder {
    /// Its folder of headers for others.
    include: Option<(TreePath, NodeId)>,
    /// With the folder.
    build_files: Vec<(TreePath, NodeId)>,
    headers: Vec<Placed>,
}

impl<'r> Headers<'r> {
    pub(super) fn of(repo: &'r Repository, reading: &'r Reading, tree: NodeId) -> Self {
        Self {
            repo,
            reading,
            tree,
            known: HashMap::new(),
            shared: HashMap::new(),
            included: HashMap::new(),
            folders: HashMap::new(),
            installed: HashMap::new(),
            declared: HashMap::new(),
        }
    }

    /// What is for others, as seen from the folder of a file.
    pub(super) fn given(&mut self, path: &TreePath) -> Result<Rc<Given>, ObjectError> {
        let folder = path.parent().unwrap_or_default();
        if let Some(given) = self.known.get(&folder) {
            return Ok(given.clone());
        }
        let given = self.look(&folder)?;
        self.known.insert(folder, given.clone());
        Ok(given)
    }

    fn look(&mut self, folder: &TreePath) -> Result<Rc<Given>, ObjectError> {
        let mut around: Vec<Rc<Folder>> = Vec::new();
        let mut at = Some(folder.clone());
        for _ in 0..DEPTH_MAX {
            let Some(folder) = at else { break };
            around.push(self.folder(&folder)?);
            at = folder.parent();
        }
        let includes = around.iter().filter_map(|folder| folder.include.as_ref());
        let includes: Vec<&(TreePath, NodeId)> = includes.collect();
        // Below the sources of a library that has one further out, a folder of that name is for the library alone.
        let outermost = includes
            .last()
            .map(|(path, _)| path.parent().unwrap_or_default());
        let is_own = |path: &TreePath| {
            outermost
                .as_ref()
                .is_some_and(|outer| is_below_sources(path, outer))
        };
        let mut included: Vec<Placed> = Vec::new();
        for (path, id) in includes.iter().filter(|(path, _)| !is_own(path)) {
            match self.included(path, *id)? {
                Some(found) => included.extend_from_slice(&found),
                None => return Ok(Rc::default()),
            }
        }
        if included.len() > HEADERS_MAX {
            return Ok(Rc::default());
        }
        included.retain(|(path, _)| !review::is_internal_header(&path.to_text()));
        // A template such as `config.h.in` alone is no header of a library.
        if !included
            .iter()
            .any(|(path, _)| path.name().ends_with(b".h"))
        {
            included = self.installed_around(&around)?;
        }
        if included.is_empty() {
            return Ok(Rc::default());
        }
        let paths: Vec<TreePath> = included.iter().map(|(path, _)| path.clone()).collect();
        if let Some(known) = self.shared.get(&paths) {
            return Ok(known.clone());
        }
        let mut names = BTreeSet::new();
        for (path, side) in &included {
            names.extend(self.declared(path, *side)?.iter().cloned());
        }
        let given = Rc::new(Given {
            headers: Some(paths.iter().cloned().collect()),
            names: Some(Arc::new(names)),
        });
        self.shared.insert(paths, given.clone());
        Ok(given)
    }

    /// The headers that the build files of some folders install: those of them that stand in these folders, else those where the
    /// build files say.
    fn installed_around(&mut self, around: &[Rc<Folder>]) -> Result<Vec<Placed>, ObjectError> {
        let (mut names, mut places) = (BTreeSet::new(), BTreeSet::new());
        for (folder, id) in around.iter().flat_map(|folder| &folder.build_files) {
            for path in &*self.installed(id)? {
                let (below, name) = path.rsplit_once('/').unwrap_or(("", path));
                names.insert(name.as_bytes().to_owned());
                if let Some(place) = folder
                    .follow(below.as_bytes())
                    .filter(|place| place != folder)
                {
                    places.insert((place, name.as_bytes().to_owned()));
                }
            }
        }
        let headers = around.iter().flat_map(|folder| &folder.headers);
        let beside = headers.filter(|(path, _)| names.contains(review::made_header(path.name())));
        let mut found: Vec<Placed> = beside.cloned().collect();
        if !found.is_empty() {
            return Ok(found);
        }
        // Of too many nothing is known.
        if places.len() > HEADERS_MAX {
            return Ok(found);
        }
        for (folder, name) in places {
            let folder = self.folder(&folder)?;
            let named = folder.headers.iter();
            let named = named.filter(|(path, _)| review::made_header(path.name()) == name);
            found.extend(named.cloned());
        }
        Ok(found)
    }

    /// What of a folder itself matters.
    fn folder(&mut self, folder: &TreePath) -> Result<Rc<Folder>, ObjectError> {
        if let Some(known) = self.folders.get(folder) {
            return Ok(known.clone());
        }
        let mut found = Folder::default();
        visit_folder(self.repo, self.tree, folder, |name, side| {
            if side.0 == EntryMode::Directory {
                if name == b"include" || name == b"includes" {
                    found.include = Some((folder.join(name), side.1));
                }
            } else if BUILD_FILES.iter().any(|file| file.as_bytes() == name) {
                found.build_files.push((folder.clone(), side.1));
            } else if review::is_header(name) {
                found.headers.push((folder.join(name), side));
            }
        })?;
        let found = Rc::new(found);
        self.folders.insert(folder.clone(), found.clone());
        Ok(found)
    }

    /// The headers that a build file installs.
    fn installed(&mut self, id: &NodeId) -> Result<Rc<BTreeSet<String>>, ObjectError> {
        if let Some(known) = self.installed.get(id) {
            return Ok(known.clone());
        }
        let installed = with_blob(self.repo, id, |blob| match blob {
            Blob::Data(data) => review::installed(&String::from_utf8_lossy(data)),
            _ => BTreeSet::new(),
        })?;
        let installed = Rc::new(installed);
        self.installed.insert(*id, installed.clone());
        Ok(installed)
    }

    /// The names that a header declares.
    fn declared(&mut self, path: &TreePath, side: Side) -> Result<Rc<[String]>, ObjectError> {
        if let Some(known) = self.declared.get(&side.1) {
            return Ok(known.clone());
        }
        let names: Rc<[String]> = self.reading.declared(self.repo, path, &side.1)?.into();
        self.declared.insert(side.1, names.clone());
        Ok(names)
    }

    /// The headers below a folder; `None` where there are too many.
    fn included(
        &mut self,
        folder: &TreePath,
        id: NodeId,
    ) -> Result<Option<Rc<[Placed]>>, ObjectError> {
        if let Some(known) = self.included.get(folder) {
            return Ok(known.clone());
        }
        let found = self.headers_below(folder, id)?.map(Rc::from);
        self.included.insert(folder.clone(), found.clone());
        Ok(found)
    }

    fn headers_below(
        &self,
        folder: &TreePath,
        id: NodeId,
    ) -> Result<Option<Vec<Placed>>, ObjectError> {
        let mut found = Vec::new();
        let mut waiting = vec![(folder.clone(), id)];
        let mut read = 0;
        while let Some((folder, id)) = waiting.pop() {
            read += 1;
            visit_entries(self.repo, id, |name, side| match side.0 {
                EntryMode::Directory => waiting.push((folder.join(name), side.1)),
                EntryMode::File if review::is_header(name) => found.push((folder.join(name), side)),
                _ => {}
            })?;
            if found.len() > HEADERS_MAX || read > HEADERS_MAX {
                return Ok(None);
            }
        }
        Ok(Some(found))
    }
}

/// Whether a folder stands below one for sources, seen from a folder around it.
fn is_below_sources(path: &TreePath, outer: &TreePath) -> bool {
    let text = path.to_text();
    let below = text.strip_prefix(&*outer.to_text()).unwrap_or(&text);
    let mut parts = below.split('/');
    parts.any(|part| matches!(part, "src" | "source" | "lib"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::git::{Location, StateDir};

    /// A header that declares one function, called as the header.
    const A: &str = "int a(void);\n";
    const B: &str = "int b(void);\n";

    #[expect(
        clippy::disallowed_methods,
        reason = "a real repository is the fixture"
    )]
    fn git(at: &std::path::Path, arguments: &[&str]) -> String {
        let settings = ["-c", "user.name=A", "-c", "user.email=a@example.org"];
        let output = std::process::Command::new("git")
            .current_dir(at)
            .env("HOME", at)
            .args(settings)
            .args(arguments)
            .output()
            .expect("git runs");
        assert!(output.status.success(), "{arguments:?}");
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    /// A repository in a folder, and the tree of files.
    fn repository(at: &std::path::Path, files: &[(&str, &str)]) -> (Repository, NodeId) {
        git(at, &["init", "-q", "."]);
        for (path, text) in files {
            let parent = at.join(path).parent().map(std::path::Path::to_owned);
            std::fs::create_dir_all(parent.expect("a folder")).expect("a folder");
            std::fs::write(at.join(path), text).expect("a file");
        }
        git(at, &["add", "-A"]);
        let tree = git(at, &["write-tree"]).parse().expect("an id");
        let location = Location {
            directory: at.to_owned(),
            ..Location::default()
        };
        let repo = Repository::open(&location).expect("a repository");
        (repo, tree)
    }

    /// What is for others as seen from the folder of a file: the headers, and what they declare.
    fn seen(files: &[(&str, &str)], from: &str) -> Option<(Vec<String>, Vec<String>)> {
        let folder = tempfile::tempdir().expect("a folder");
        let (repo, tree) = repository(folder.path(), files);
        let reading = Reading::of(&StateDir::of(&repo).cache());
        let mut headers = Headers::of(&repo, &reading, tree);
        let given = headers.given(&from.into()).expect("the tree is whole");
        let again = headers.given(&from.into()).expect("the tree is whole");
        assert!(Rc::ptr_eq(&given, &again), "a folder is looked at once");
        let texts = |paths: &BTreeSet<TreePath>| {
            let texts = paths.iter().map(|path| path.to_text().into_owned());
            texts.collect::<Vec<_>>()
        };
        let names = given.names.as_ref()?;
        let (names, headers) = (names.iter().cloned().collect(), given.headers.as_ref()?);
        Some((texts(headers), names))
    }

    #[expect(clippy::unnecessary_wraps, reason = "compared with an option")]
    fn known(headers: &[&str], names: &[&str]) -> Option<(Vec<String>, Vec<String>)> {
        let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        Some((owned(headers), owned(names)))
    }

    #[test]
    fn a_folder_include_is_for_others_but_for_what_is_called_internal() {
        let files = [
            ("include/x/a.h", A),
            ("include/x/a-impl.h", B),
            ("include/x/private/b.h", B),
            ("src/b.h", B),
            ("src/a.c", "int a(void) { return 1; }\n"),
            ("Makefile", "install:\n\tcp src/b.h /usr/include\n"),
        ];
        assert_eq!(seen(&files, "src/a.c"), known(&["include/x/a.h"], &["a"]));
        // The folder of a header itself is looked at in the same way.
        assert_eq!(
            seen(&files, "include/x/a.h"),
            known(&["include/x/a.h"], &["a"])
        );
    }

    #[test]
    fn elsewhere_what_a_build_file_installs_is() {
        let files = [
            ("lib/a.h", A),
            ("lib/b.h", B),
            ("lib/a.c", ""),
            ("tools/c.h", "int c(void);\n"),
            ("Makefile.am", "include_HEADERS = lib/a.h tools/c.h\n"),
        ];
        // Headers of other folders are not looked for: they belong to something else.
        assert_eq!(seen(&files, "lib/a.c"), known(&["lib/a.h"], &["a"]));
        assert_eq!(seen(&files, "tools/d.c"), known(&["tools/c.h"], &["c"]));
        // Where none stands around, and in a folder that is not there, they are.
        assert_eq!(
            seen(&files, "gone/x.c"),
            known(&["lib/a.h", "tools/c.h"], &["a", "c"])
        );
        let made = [
            ("src/a.h.in", A),
            ("src/b.h", B),
            ("src/a.c", ""),
            ("src/Makefile.am", "include_HEADERS = a.h\n"),
            ("include/config.h.in", "#undef HAVE_X\n"),
        ];
        assert_eq!(seen(&made, "src/a.c"), known(&["src/a.h.in"], &["a"]));
        let above = [
            ("api/a.h", A),
            ("src/a.c", ""),
            ("src/Makefile.am", "include_HEADERS = ../api/./a.h\n"),
        ];
        assert_eq!(seen(&above, "src/a.c"), known(&["api/a.h"], &["a"]));
    }

    #[test]
    fn a_folder_include_below_the_sources_is_for_the_library_alone() {
        let files = [
            ("include/a.h", A),
            ("src/lib/include/b.h", B),
            ("src/lib/a.c", ""),
        ];
        assert_eq!(seen(&files, "src/lib/a.c"), known(&["include/a.h"], &["a"]));
        // Without one further out it is the library's own way to give.
        assert_eq!(
            seen(&files[1..], "src/lib/a.c"),
            known(&["src/lib/include/b.h"], &["b"])
        );
    }

    #[test]
    fn a_macro_of_a_header_declares_no_function() {
        let header = "#ifdef PREFIX\n#define b my_b\n#endif\nint a(void);\n";
        let files = [
            ("include/a.h", header),
            ("a.c", "int b(void) { return 1; }\n"),
        ];
        assert_eq!(seen(&files, "a.c"), known(&["include/a.h"], &["a"]));
    }

    #[test]
    fn where_no_header_is_known_or_too_many_are_nothing_is() {
        let none = [("a.h", A), ("a.c", ""), ("Makefile", "all: a.h\n")];
        assert_eq!(seen(&none, "a.c"), None);
        let paths: Vec<String> = (0..=HEADERS_MAX)
            .map(|number| format!("include/{number}.h"))
            .collect();
        let many: Vec<(&str, &str)> = paths.iter().map(|path| (&path[..], A)).collect();
        assert_eq!(seen(&many, "a.c"), None);
        assert!(seen(&many[1..], "a.c").is_some());
    }

    #[test]
    fn a_header_is_for_others_as_its_name_says_where_nothing_is_known() {
        let given = Given::default();
        assert!(given.has(&"src/a.h".into()) && !given.has(&"src/a_internal.h".into()));
        let given = Given {
            headers: Some(BTreeSet::from(["src/a_internal.h".into()])),
            names: None,
        };
        assert!(!given.has(&"src/a.h".into()) && given.has(&"src/a_internal.h".into()));
    }

    #[test]
    fn a_header_that_is_not_in_this_clone_declares_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = folder.path();
        let (repo, tree) = repository(at, &[("include/a.h", A)]);
        let blob = git(at, &["rev-parse", ":include/a.h"]);
        std::fs::remove_file(at.join(format!(".git/objects/{}/{}", &blob[..2], &blob[2..])))
            .expect("a loose object");
        let reading = Reading::of(&StateDir::of(&repo).cache());
        let mut headers = Headers::of(&repo, &reading, tree);
        let given = headers.given(&"a.c".into()).expect("no failure");
        assert_eq!(given.names, Some(Arc::default()));
        assert!(given.has(&"include/a.h".into()));
    }
}
