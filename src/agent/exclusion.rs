//! Files that an agent with a model leaves out unless its `include` names them: their content says little about a
//! repository, and they can cost more than all others together. Told by the path alone, so that a plan reads no file.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::LazyLock;

use ::ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::base::TreePath;

/// Why a file is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Exclusion {
    /// Versions that a package manager has chosen.
    Lock,
    /// The text of a licence.
    Licence,
    /// Tables, records and recorded output.
    Data,
    /// Pictures, sounds, fonts, archives, documents for printing.
    Media,
    /// Written by a program from another file.
    Generated,
    /// Copied from another project.
    Vendored,
    /// What this program is told about the repository: agents, prompts, lists, sessions.
    Own,
}

/// The kinds with their patterns, as in `.gitignore`. A name in capitals does not match source code such as `license.rs`.
const PATTERNS: [(Exclusion, &[&str]); 7] = [
    (Exclusion::Own, &["/.teddy/"]),
    (
        Exclusion::Lock,
        &[
            "*.lock",
            "*.lockfile",
            "package-lock.json",
            "npm-shrinkwrap.json",
            "pnpm-lock.yaml",
            "packages.lock.json",
            "bun.lockb",
            "go.sum",
            "go.work.sum",
            "Package.resolved",
        ],
    ),
    (
        Exclusion::Licence,
        &[
            "LICENSE",
            "LICENCE",
            "COPYING",
            "UNLICENSE",
            "LICENSE-*",
            "LICENCE-*",
            "COPYING.*",
            "[Ll][Ii][Cc][Ee][Nn][CcSs][Ee].{md,txt,rst,html}",
            "LICENSES/",
        ],
    ),
    (
        Exclusion::Data,
        &[
            "*.csv",
            "*.tsv",
            "*.jsonl",
            "*.ndjson",
            "*.geojson",
            "*.har",
            "*.snap",
            "*.parquet",
            "*.npy",
            "*.sqlite",
            "*.db",
        ],
    ),
    (
        Exclusion::Media,
        &[
            "*.{png,jpg,jpeg,gif,ico,icns,bmp,webp,tif,tiff,svg,psd}",
            "*.{ttf,otf,woff,woff2,eot}",
            "*.{mp3,mp4,ogg,wav,webm,mov,avi,flac}",
            "*.{zip,gz,bz2,xz,zst,7z,rar,tar,tgz,jar,whl}",
            "*.pdf",
        ],
    ),
    (
        Exclusion::Generated,
        &[
            "*.min.{js,css,mjs}",
            "*.{js,css,mjs,cjs}.map",
            "*.pb.{go,cc,h}",
            "*.pb.gw.go",
            "*_pb2.py",
            "*_pb2.pyi",
            "*_pb2_grpc.py",
            "*_generated.*",
            "*.generated.*",
            "zz_generated.*",
            "*.g.dart",
            "*.freezed.dart",
            "*.[Dd]esigner.cs",
            "*.tab.{c,h}",
            "lex.yy.c",
            "__snapshots__/",
        ],
    ),
    (
        Exclusion::Vendored,
        &[
            "vendor/",
            "node_modules/",
            "bower_components/",
            "third_party/",
            "third-party/",
            "Pods/",
            ".yarn/",
        ],
    ),
];

static MATCHER: LazyLock<(Gitignore, HashMap<&'static str, Exclusion>)> = LazyLock::new(|| {
    let mut builder = GitignoreBuilder::new("");
    let mut kinds = HashMap::new();
    for (exclusion, pattern) in patterns() {
        builder
            .add_line(None, pattern)
            .expect("a test compiles the patterns");
        kinds.insert(pattern, exclusion);
    }
    let matcher = builder.build().expect("a test compiles the patterns");
    (matcher, kinds)
});

/// All patterns, each with its kind.
pub fn patterns() -> impl Iterator<Item = (Exclusion, &'static str)> {
    let of_kind = |(exclusion, list): (Exclusion, &'static [&'static str])| {
        list.iter().map(move |pattern| (exclusion, *pattern))
    };
    PATTERNS.into_iter().flat_map(of_kind)
}

impl Exclusion {
    /// Why a file of this path is left out; `None` for one that is not.
    #[must_use]
    pub fn of(file: &TreePath) -> Option<Self> {
        let (matcher, kinds) = &*MATCHER;
        let bytes = file.as_bytes();
        // The matcher refuses paths that begin with '/'; git has none.
        if bytes.is_empty() || bytes.starts_with(b"/") {
            return None;
        }
        let path = Path::new(OsStr::from_bytes(bytes));
        let found = matcher.matched_path_or_any_parents(path, false);
        found
            .inner()
            .and_then(|glob| kinds.get(glob.original()).copied())
    }

    /// One file of the kind: `lock file`.
    #[must_use]
    pub fn one(self) -> &'static str {
        self.words().0
    }

    /// Several: `lock files`.
    #[must_use]
    pub fn several(self) -> &'static str {
        self.words().1
    }

    fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Lock => ("lock file", "lock files"),
            Self::Licence => ("licence", "licences"),
            Self::Data => ("data file", "data files"),
            Self::Media => ("media file", "media files"),
            Self::Generated => ("generated file", "generated files"),
            Self::Vendored => ("vendored file", "vendored files"),
            Self::Own => ("file of git merkle", "files of git merkle"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_tell_what_is_left_out() {
        for (path, expected) in [
            ("Cargo.lock", Some(Exclusion::Lock)),
            ("web/package-lock.json", Some(Exclusion::Lock)),
            ("src/lock.rs", None),
            ("src/file.lock.rs", None),
            ("LICENSE", Some(Exclusion::Licence)),
            ("docs/License.txt", Some(Exclusion::Licence)),
            ("LICENSE-MIT", Some(Exclusion::Licence)),
            ("src/license.rs", None),
            ("cobra/licenses.go", None),
            ("package.json", None),
            ("data/cities.csv", Some(Exclusion::Data)),
            ("docs/logo.png", Some(Exclusion::Media)),
            ("static/app.min.js", Some(Exclusion::Generated)),
            ("static/app.js", None),
            ("api/v1/types.pb.go", Some(Exclusion::Generated)),
            ("vendor/github.com/x/y.go", Some(Exclusion::Vendored)),
            ("src/vendor.rs", None),
            ("deep/third_party/zlib/inflate.c", Some(Exclusion::Vendored)),
            (".teddy/prompts/docs.file.md", Some(Exclusion::Own)),
            ("deep/.teddy/file.md", None),
            ("src/main.rs", None),
            ("", None),
            ("/odd", None),
        ] {
            assert_eq!(Exclusion::of(&TreePath::from(path)), expected, "{path}");
        }
        let count = patterns().count();
        assert_eq!(MATCHER.1.len(), count, "each pattern stands once");
    }
}
