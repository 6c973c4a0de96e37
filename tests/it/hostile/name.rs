//! Four hundred names that nobody should give a file, in every place where a name is printed.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

use git_merkle::base::NodeId;
use git_merkle::git::EntryMode::{Directory, File};

use super::{Forge, assert_civil, json};
use crate::support::{Repo, Sandbox};

/// What names are made of: each alone, between letters, at the start, at the end, doubled.
const PIECES: [&[u8]; 76] = [
    b"\n",
    b"\t",
    b"\r",
    b"\x01",
    b"\x07",
    b"\x08",
    b"\x0b",
    b"\x0c",
    b"\x1b",
    b"\x7f",
    b"\x1b[31m",
    b"\x1b[2J\x1b[H",
    b"\x1b]0;title\x07",
    b"\x1b]8;;http://x\x1b\\",
    b"\xc2\x9b31m",
    b"\xc2\x85",
    b"\"",
    b"'",
    b"`",
    b"```",
    b"``",
    b"\\",
    b"\\n",
    b"$(id)",
    b"${HOME}",
    b"%s%n",
    b"*",
    b"?",
    b"[a-z]",
    b"{a,b}",
    b"!",
    b"#",
    b"~",
    b"~1",
    b"&",
    b"|",
    b";",
    b"<!--",
    b"<b>",
    b"</script>",
    b"](x)",
    b"![x](y)",
    b"- ",
    b"--",
    b"--help",
    b"-rf",
    b"--end-of-options",
    b":",
    b":/",
    b":(glob)",
    b"@",
    b"@{u}",
    b"HEAD",
    b"HEAD^",
    b"a..b",
    b"...",
    b" ",
    b"  ",
    b".",
    b".lock",
    b"CON",
    b"nul.txt",
    b"desktop.ini",
    "\u{202e}".as_bytes(),
    "\u{2066}".as_bytes(),
    "\u{200b}".as_bytes(),
    "\u{200d}".as_bytes(),
    "\u{feff}".as_bytes(),
    "\u{ad}".as_bytes(),
    "\u{e0041}".as_bytes(),
    "e\u{301}".as_bytes(),
    "\u{e9}".as_bytes(),
    "\u{ff0f}".as_bytes(),
    b"\xff",
    b"\xc3\x28",
    b"\xed\xa0\x80",
];

/// Names that git's porcelain refuses and `git mktree` does not.
const FORBIDDEN: [&[u8]; 10] = [
    b".",
    b"..",
    b".git",
    b".GIT",
    b"git~1",
    b".git ",
    b".gi\xe2\x80\x8ct",
    b".gitmodules",
    b".gitattributes",
    b".teddyignore ",
];

fn names() -> Vec<Vec<u8>> {
    let mut names: BTreeSet<Vec<u8>> = FORBIDDEN.iter().map(|name| name.to_vec()).collect();
    for piece in PIECES {
        for (before, after) in [("", ""), ("a", "z"), ("", "z.rs"), ("a", ""), ("a.", ".py")] {
            names.insert([before.as_bytes(), piece, after.as_bytes()].concat());
        }
        names.insert([piece, piece].concat());
    }
    for filler in [&b"x"[..], b"\n", b"`", b"\xff", b"\x1b[1m"] {
        names.insert(filler.iter().copied().cycle().take(255).collect());
    }
    names.into_iter().collect()
}

/// Every name as a file and, in a second directory, as a directory.
fn with_names<'s>(sandbox: &'s Sandbox, names: &[Vec<u8>]) -> Repo<'s> {
    let repo = sandbox.repo("work");
    let mut forge = Forge::default();
    let blobs: Vec<NodeId> = (0..names.len())
        .map(|n| forge.blob(format!("fn number_{n}() {{}}\n").as_bytes()))
        .collect();
    let files: Vec<_> = names
        .iter()
        .zip(&blobs)
        .map(|(name, blob)| (File, &name[..], *blob))
        .collect();
    let files = forge.tree(&files);
    let inside = |n| format!("fn inside_{n}() {{}}\n");
    let blobs: Vec<NodeId> = (0..names.len())
        .map(|n| forge.blob(inside(n).as_bytes()))
        .collect();
    let trees: Vec<NodeId> = blobs
        .iter()
        .map(|blob| forge.tree(&[(File, b"in it.rs", *blob)]))
        .collect();
    let directories: Vec<_> = names
        .iter()
        .zip(&trees)
        .map(|(name, tree)| (Directory, &name[..], *tree))
        .collect();
    let directories = forge.tree(&directories);
    let root = forge.tree(&[
        (Directory, b"files", files),
        (Directory, b"directories", directories),
    ]);
    forge.commit(&repo, root);
    repo
}

fn raw(bytes: &[u8]) -> OsString {
    OsString::from_vec(bytes.to_vec())
}

#[test]
fn names_are_shown_as_text_and_never_obeyed() {
    let sandbox = Sandbox::new();
    let names = names();
    assert!(names.len() >= 400, "{}", names.len());
    let repo = with_names(&sandbox, &names);
    let everywhere: [&[&str]; 12] = [
        &["regenerate", "--dry-run"],
        &["regenerate", "--dry-run", "--json"],
        &["scan"],
        &["regenerate"],
        &["status"],
        &["show", "HEAD:files", "HEAD:directories"],
        &["show", "HEAD:files", "--json"],
        &["list-frames", "HEAD:files"],
        &["explain", "HEAD:files"],
        &["log", "files"],
        &["validate"],
        &["invalidate", "-r", "HEAD:files"],
    ];
    for arguments in everywhere {
        for quoting in ["core.quotePath=true", "core.quotePath=false"] {
            let output = repo
                .run("git-merkle")
                .args(["-c", quoting])
                .args(arguments)
                .run();
            assert_civil(&output);
            assert!(matches!(output.code, Some(0 | 1)), "{output}");
        }
    }
    let before = repo
        .git(&[
            "commit-tree",
            "-m",
            "none",
            repo.git(&["mktree"]).ok().trim(),
        ])
        .ok();
    for (old, new) in [(before.trim(), "main"), ("main", before.trim())] {
        for option in ["--agent=outline", "--name-only", "--json"] {
            assert_civil(
                &repo
                    .merkle(&["diff", &format!("{old}..{new}"), option])
                    .exits(0),
            );
        }
    }
    repo.merkle(&["validate"]).ok();
}

#[test]
fn each_name_can_be_given_and_is_given_back() {
    let sandbox = Sandbox::new();
    let names = names();
    let repo = with_names(&sandbox, &names);
    repo.merkle(&["regenerate"]).ok();
    let verbs = ["show", "list-frames", "explain", "log", "get-head"];
    for (at, name) in names.iter().enumerate() {
        let verb = verbs[at % verbs.len()];
        let path = [
            if verb == "log" {
                &b"files/"[..]
            } else {
                b"HEAD:files/"
            },
            name,
        ]
        .concat();
        let output = repo
            .run("git-merkle")
            .args([verb, "--"])
            .arg(raw(&path))
            .run();
        assert_civil(&output);
        // Arguments that are no text are refused by name; `.` and `..` are what they are in every path.
        let is_text = std::str::from_utf8(name).is_ok();
        let wanted = if is_text { 0 } else { 129 };
        let cannot_be_a_name = name == b".." || name.contains(&b'/');
        assert!(
            output.code == Some(wanted) || cannot_be_a_name,
            "'{}'\n{output}",
            name.escape_ascii()
        );
    }
}

#[test]
fn plain_output_has_the_very_bytes() {
    let sandbox = Sandbox::new();
    let names = names();
    let repo = with_names(&sandbox, &names);
    let output = repo.merkle(&["regenerate", "--dry-run", "-z"]).exits(0);
    let shown: BTreeSet<&[u8]> = output.stdout.split(|byte| *byte == 0).collect();
    for name in &names {
        assert!(
            shown.contains(&[b"directories/", &name[..], b"/"].concat()[..]),
            "{name:?}"
        );
    }
    let plan = json(repo.merkle(&["regenerate", "--dry-run", "--json"]));
    let paths = plan["tasks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|task| task["path"].as_str().unwrap());
    assert_eq!(
        paths.collect::<BTreeSet<_>>().len(),
        3 * names.len() + 3,
        "no two names look alike in JSON"
    );
}

#[test]
fn paths_of_four_thousand_bytes_are_paths() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    let mut forge = Forge::default();
    let blob = forge.blob(b"fn far_below() {}\n");
    let names: Vec<String> = (0..16)
        .map(|n| format!("{n:02}{}", "x".repeat(253)))
        .collect();
    let mut tree = forge.tree(&[(File, b"f.rs", blob)]);
    for name in names.iter().rev() {
        tree = forge.tree(&[(Directory, name.as_bytes(), tree)]);
    }
    forge.commit(&repo, tree);
    let path = format!("HEAD:{}/f.rs", names.join("/"));
    assert!(path.len() > 4_096);
    repo.merkle(&["regenerate"]).ok();
    for arguments in [
        &["show", &path][..],
        &["explain", &path],
        &["list-frames", &path],
        &["validate"],
    ] {
        assert_civil(&repo.merkle(arguments).exits(0));
    }
    let shown = json(repo.merkle(&["show", "--json", &path]));
    assert_eq!(shown["frames"][0]["path"], path["HEAD:".len()..]);
}
