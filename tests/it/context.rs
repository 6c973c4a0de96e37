//! `context`: the document over real repositories parses as Markdown with exactly the headings and bodies it should have.

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Parser, Tag, TagEnd};

use crate::said::say;
use crate::support::{PROGRAM, Repo, Sandbox};

/// What a Markdown reader sees of a document.
#[derive(Default)]
struct Seen {
    headings: Vec<(HeadingLevel, String)>,
    /// Language and text of each fence, in order.
    fences: Vec<(String, String)>,
    /// The code spans of paragraphs: the headers of resources.
    codes: Vec<String>,
    /// Text and target of each link.
    links: Vec<(String, String)>,
    strangers: Vec<String>,
}

fn read(document: &str) -> Seen {
    let mut seen = Seen::default();
    let (mut text, mut target) = (String::new(), String::new());
    for event in Parser::new(document) {
        match event {
            Event::Start(Tag::Heading { .. }) => text.clear(),
            Event::Start(Tag::Link { dest_url, .. }) => {
                (text, target) = (String::new(), dest_url.to_string());
            }
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(language))) => {
                (text, target) = (String::new(), language.to_string());
            }
            Event::End(TagEnd::Heading(level)) => seen.headings.push((level, text.clone())),
            Event::End(TagEnd::Link) => seen.links.push((text.clone(), target.clone())),
            Event::End(TagEnd::CodeBlock) => seen.fences.push((target.clone(), text.clone())),
            Event::Text(part) => text.push_str(&part),
            Event::Code(code) => seen.codes.push(code.to_string()),
            Event::Start(Tag::Paragraph | Tag::List(_) | Tag::Item | Tag::Strong)
            | Event::End(_)
            | Event::Rule
            | Event::SoftBreak => {}
            stranger => seen.strangers.push(format!("{stranger:?}")),
        }
    }
    seen
}

impl Seen {
    fn titles(&self) -> Vec<&str> {
        self.headings
            .iter()
            .map(|(_, title)| title.as_str())
            .collect()
    }
}

const HISTORY: &str = "
    commit first
    + src/lib.rs = fn a() {}
    + src/deep/b.py = def b(): pass
    + README.md = # words
    + secret.txt = hidden
    + .teddyignore = secret.txt
    @ link -> /etc/passwd
";

/// Red before: memos and lists that came without an agent had no label, and a turn sent them.
#[test]
fn memos_and_lists_that_the_user_has_not_accepted_are_labelled() {
    let sandbox = Sandbox::new();
    let origin = sandbox.repo("origin");
    origin.fill("commit first\n+ README.md = # R\n+ .teddy/memos.yaml = - MEMO\n+ .teddy/global.context = README.md");
    origin
        .merkle(&["session", "new", "told", "-c", "README.md"])
        .ok();
    origin.git(&["add", "-f", ".teddy"]).ok();
    origin.git(&["commit", "-q", "-m", "a session"]).ok();
    let labels = |repo: &Repo<'_>| {
        let text = repo.merkle(&["context", "--session", "told"]).ok();
        assert!(text.contains("MEMO"), "{text}");
        let lines = text.lines().filter(|line| line.contains("has not trusted"));
        lines
            .map(|line| line.split(' ').next().unwrap_or_default().to_owned())
            .collect::<Vec<_>>()
    };
    let clone = origin.clone_to("clone", &[]);
    assert_eq!(
        labels(&clone),
        ["These", "Lists", "Lists"],
        "memos, the session's list, the list of all turns"
    );
    clone.trust();
    assert_eq!(
        labels(&clone),
        ["Lists"],
        "a session is no part of what is accepted"
    );
    std::fs::write(clone.path(".teddy/memos.yaml"), "- MEMO, changed\n").expect("writable");
    assert_eq!(labels(&clone), ["These", "Lists", "Lists"]);
    origin.trust();
    assert!(labels(&origin).is_empty(), "the session was begun here");
    let bare = origin.clone_to("bare", &["--bare"]);
    assert!(
        bare.merkle(&["context", "README.md"])
            .ok()
            .contains("These come from files of this repository")
    );
}

#[test]
fn a_small_document_looks_like_this() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled(HISTORY);
    std::fs::create_dir(repo.path(".teddy")).expect("a folder");
    std::fs::write(repo.path(".teddy/memos.yaml"), "- remember ```` this\n").expect("writable");
    repo.put(
        ".teddy/global.context",
        "# always\nREADME.md\nsrc/\nlink\nsecret.txt\nhttps://example.org/\n",
    );
    repo.trust();
    say(
        &repo,
        "HEAD:src",
        "docs.summary",
        "# Sources\n\nAll of them.",
    );
    let document = repo
        .merkle(&["context", "./src//lib.rs", "README.md", "--allow-missing"])
        .ok();
    let (_, rest) = document.split_once("## 2. ").expect("a second section");
    insta::assert_snapshot!(rest, @r"
    Project Structure

    ````
    .teddy/
      global.context
      memos.yaml
    .teddyignore
    README.md
    link
    src/
      deep/
        b.py
      lib.rs
    ````

    ## 3. Memos

    `````
    - remember ```` this
    `````

    ## 4. Context Summary

    ### Turn

    - [src/lib.rs](/src/lib.rs)
    - [README.md](/README.md)

    ### Global

    - [README.md](/README.md) (also in Turn)
    - [src/](/src/)
    - [link](/link)
    - [secret.txt](/secret.txt)
    - [https://example.org/](https://example.org/)

    ## 5. Resource Contents

    ---
    **Resource:** `[src/lib.rs](/src/lib.rs)`
    ````rust
    fn a() {}
    ````

    ---
    **Resource:** `[README.md](/README.md)`
    ````markdown
    # words
    ````

    ---
    **Resource:** `[src/](/src/)`
    **Statement** by agent docs, written by hand; fresh. It is not the file itself.
    ````markdown
    # Sources

    All of them.
    ````

    ---
    **Resource:** `[link](/link)`
    Not included: a symbolic link to `/etc/passwd`, which is not followed.

    ---
    **Resource:** `[secret.txt](/secret.txt)`
    Not included: left out by .teddyignore.

    ---
    **Resource:** `[https://example.org/](https://example.org/)`
    Not included: not fetched, since a list of the repository names it and not the user; 'git config --global --add merkle.urls https://example.org' allows it.
    ");
}

#[test]
fn sections_are_the_document_and_the_document_is_the_same_again() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled(HISTORY);
    let whole = repo.merkle(&["context", "src/**"]).ok();
    let section = |number: &str| {
        repo.merkle(&["context", "src/**", "--section", number])
            .ok()
    };
    let parts: String = ["1", "2", "3", "4", "5"].map(section).concat();
    let intro = whole.strip_suffix(&parts).expect("the sections in order");
    assert!(
        intro.starts_with("# Agent Invocation Payload\n\nThis document describes a repository")
            && intro.ends_with("\n\n")
    );
    assert_eq!(section("3"), "## 3. Memos\n\nnone\n\n");
    repo.merkle(&["context", "src/**", "--output", "input.md"])
        .ok();
    assert_eq!(
        std::fs::read_to_string(repo.path("input.md")).expect("written"),
        whole
    );
    let rest = |document: &str| {
        document
            .split_once("## 2.")
            .expect("a second section")
            .1
            .to_owned()
    };
    let clone = repo.clone_to("elsewhere", &["--bare"]);
    assert_eq!(
        rest(&clone.merkle(&["context", "src/**"]).ok()),
        rest(&whole)
    );
    let _ = repo.merkle(&["context", "--section", "6"]).exits(129);
}

#[test]
fn without_lists_it_is_the_root_and_the_readme() {
    let sandbox = Sandbox::new();
    for repo in [sandbox.repo("one"), sandbox.sha256("two")] {
        repo.fill(HISTORY);
        say(&repo, "HEAD^{tree}", "docs.summary", "The root.");
        let seen = read(&repo.merkle(&["context"]).ok());
        let markdown: Vec<&str> = seen
            .fences
            .iter()
            .filter(|(kind, _)| kind == "markdown")
            .map(|(_, text)| &text[..])
            .collect();
        assert_eq!(
            (markdown[0], markdown.last()),
            ("The root.\n", Some(&"# words\n"))
        );
    }
}

#[test]
fn lists_follow_lists_scopes_outrank_scopes_and_duplicates_are_one() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled(HISTORY);
    for (path, text) in [
        (
            "global.context",
            "README.md\n.teddy/more.context\nsrc/lib.rs\n",
        ),
        (
            "more.context",
            ".teddy/more.context\n.teddy/global.context\nsrc/deep/**\n.teddy/none.context\n",
        ),
        ("sessions/one/session.context", "./README.md\n"),
        ("sessions/one/02/turn.context", "src/*.rs\n"),
    ] {
        repo.put(&format!(".teddy/{path}"), text);
    }
    let document = repo
        .merkle(&["context", "--session=one", "--turn=02", "--allow-missing"])
        .ok();
    let seen = read(&document);
    assert_eq!(
        seen.codes,
        [
            "[src/lib.rs](/src/lib.rs)",
            "[README.md](/README.md)",
            "[.teddy/more.context](/.teddy/more.context)",
            "[.teddy/global.context](/.teddy/global.context)",
            "[src/deep/b.py](/src/deep/b.py)",
            "[.teddy/none.context](/.teddy/none.context)",
        ]
    );
    assert!(
        document.contains("- [README.md](/README.md) (also in Session)\n"),
        "{document}"
    );
    assert!(
        document.contains("- [src/lib.rs](/src/lib.rs) (also in Turn)\n"),
        "{document}"
    );
    assert_eq!(
        document.matches("this list names itself").count(),
        2,
        "{document}"
    );
    assert_eq!(document.matches("no such list").count(), 1, "{document}");
    let _ = repo.merkle(&["context", "--session=none"]).exits(65);
    let _ = repo.merkle(&["context", "--session=../x"]).exits(129);
}

/// Before, all of it was read, however large it was: a device has no end.
#[test]
fn a_list_without_an_end_is_refused() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled(HISTORY);
    let list = std::fs::File::create(sandbox.path("home/large.context")).expect("writable");
    list.set_len(1 << 43).expect("a file with a hole");
    let output = repo.merkle(&["context", "../home/large.context"]).exits(65);
    assert!(
        output
            .err()
            .contains("large.context' is over the limit of 8388608 bytes"),
        "{output}"
    );
    let long = "README.md\n".repeat(1 << 20);
    let output = repo
        .run(PROGRAM)
        .args(["context", "-"])
        .input(long)
        .run()
        .exits(65);
    assert!(
        output
            .err()
            .contains("'standard input' is over the limit of 8388608 bytes"),
        "{output}"
    );
}

#[test]
fn other_states_of_the_repository_can_be_shown() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled(HISTORY);
    repo.fill("commit second\n+ README.md = other");
    std::fs::write(repo.path("README.md"), "on disk\r\n").expect("writable");
    let body = |arguments: &[&str]| {
        let document = repo.merkle(&[&["context"], arguments].concat()).ok();
        read(&document).fences.last().expect("a body").1.clone()
    };
    assert_eq!(body(&["README.md"]), "on disk\n");
    assert_eq!(body(&["--rev", "HEAD", "README.md"]), "other\n");
    assert_eq!(body(&["--rev", "HEAD~1", "README.md"]), "# words\n");
    assert_eq!(body(&["HEAD~1:README.md"]), "# words\n");
    assert_eq!(
        body(&["--worktree", "README.md"]),
        "on disk\r\n".replace("\r\n", "\n")
    );
    repo.git(&["add", "README.md"]).ok();
    assert!(body(&["--index", "README.md"]).starts_with("on disk"));
    let _ = repo
        .merkle(&["context", "--index", "--worktree"])
        .exits(129);
}

/// What held before is wrong: `context` showed HEAD whatever stood on disk and did not say so, and section 1 named a path
/// of the machine and the path of the shell.
#[test]
fn the_work_tree_is_shown_and_the_document_says_so() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled(HISTORY);
    let system = |arguments: &[&str]| {
        let run = repo.run(PROGRAM);
        let section = run
            .env("SHELL", "/opt/odd/bin/fish")
            .args(["context", "--section=1"])
            .args(arguments)
            .run()
            .ok();
        let lines = section
            .lines()
            .filter(|line| line.starts_with("- ") && !line.starts_with("- **OS:**"));
        lines
            .collect::<Vec<_>>()
            .join("\n")
            .replace(&repo.id("HEAD")[..12], "<head>")
    };
    assert_eq!(
        system(&[]),
        "- **CWD:** work\n- **Snapshot:** the work tree, as in commit <head>\n- **Shell:** fish"
    );
    assert!(system(&["--rev", "HEAD"]).contains("- **Snapshot:** commit <head>\n"));
    std::fs::write(repo.path("new.rs"), "fn new() {}\n").expect("writable");
    std::fs::remove_file(repo.path("src/lib.rs")).expect("there");
    std::fs::create_dir_all(repo.path(".teddy")).expect("a folder");
    std::fs::write(repo.path(".teddy/memos.yaml"), "- no file of the project\n").expect("writable");
    assert!(
        system(&[]).contains("- **Snapshot:** the work tree; 2 files differ from commit <head>\n"),
        "{}",
        system(&[])
    );
    assert!(system(&["--index"]).contains("- **Snapshot:** the index, as in commit <head>\n"));
    let tree = repo.id("HEAD^{tree}");
    assert!(system(&["--rev", &tree]).contains(&format!("- **Snapshot:** tree {}\n", &tree[..12])));
    let below = repo
        .run(PROGRAM)
        .args(["-C", "src/deep", "context", "--section=1"])
        .run()
        .ok();
    assert!(below.contains("- **CWD:** work/src/deep\n"), "{below}");
    let structure = repo.merkle(&["context", "--section=2"]).ok();
    assert!(
        structure.contains("new.rs") && !structure.contains("lib.rs"),
        "{structure}"
    );
    let map = repo.merkle(&["map"]).ok();
    assert!(
        map.contains("new.rs\n  f new()") && !map.contains("lib.rs"),
        "{map}"
    );
    assert!(
        repo.merkle(&["map", "--rev", "HEAD"])
            .ok()
            .contains("lib.rs")
    );
    let empty = sandbox.repo("empty");
    std::fs::write(empty.path("first.txt"), "first\n").expect("writable");
    let document = empty.merkle(&["context", "first.txt"]).ok();
    assert!(
        document.contains("the work tree; nothing is committed yet\n")
            && document.contains("first\n"),
        "{document}"
    );
}

#[test]
fn a_budget_reduces_and_says_what() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled(HISTORY);
    let code = (0..400).fold(String::new(), |code, n| {
        code + &format!("/// Does {n}.\npub fn f{n}() {{ let x = {n} + {n}; drop(x); }}\n")
    });
    std::fs::write(repo.path("src/lib.rs"), code).expect("writable");
    std::fs::write(repo.path("notes.md"), "word ".repeat(3_000)).expect("writable");
    repo.fill("commit large");
    for budget in ["20000", "8000", "3000", "400"] {
        let document = repo
            .merkle(&["context", "src/lib.rs", "notes.md", "--budget", budget])
            .ok();
        let tokens = git_merkle::base::token::estimate(&document);
        assert!(
            tokens <= budget.parse().expect("a number"),
            "{tokens} of {budget}:\n{document}"
        );
    }
    let document = repo
        .merkle(&["context", "src/lib.rs", "notes.md", "--budget", "8000"])
        .ok();
    assert!(
        document.contains("- [src/lib.rs](/src/lib.rs): outline"),
        "{document}"
    );
    assert!(
        document.contains("Reduced to its outline.\n````markdown\n"),
        "{document}"
    );
    let _ = repo
        .merkle(&["context", "src/lib.rs", "--budget", "50"])
        .exits(79);
}

/// Bodies that try to break out of their fence, and what is shown of them; `None` for those that are withheld.
fn hostile_bodies() -> Vec<(Vec<u8>, bool)> {
    let texts = [
        "",
        "\n",
        "\r",
        "a\rb\r",
        "```\n# no\n```\n",
        "``````````\n",
        "````\n## 9. No\n````\n---\n# x\n",
        "~~~~\n# no",
        "<div>\n# no\n</div>\n<!-- \n",
        "<script>\n\n# no",
        "    # no\n\t# no",
        "# no\n===\nno\n---\n",
        "---\n**Resource:** `[x](y)`\n",
        "[a]: /b\n[a]",
        "\\",
        "&copy; \u{2028} \u{202e} \u{feff}",
        "a\n\n\n`",
        "`````\r`````\r# no\r",
        "> # no\n- # no\n1. # no",
    ];
    let mut bodies: Vec<(Vec<u8>, bool)> = texts
        .iter()
        .map(|text| (text.as_bytes().to_vec(), true))
        .collect();
    bodies.push((vec![b'`'; 5_000], true));
    bodies.push(([b"x".repeat(1 << 20), b"\n# no".to_vec()].concat(), true));
    bodies.push((b"a\0b".to_vec(), false));
    bodies.push((b"\xff\xfe# no".to_vec(), false));
    bodies
}

/// Names that try to break out of their link.
fn hostile_name(number: usize) -> String {
    let parts = [
        "a](x)",
        "`",
        "# b",
        "\n# c",
        "<b>",
        "*d*",
        "[e]",
        "\\",
        "&amp;",
        " f ",
        "\u{202e}g",
        "é",
        "``h``",
        "!(i)",
        "\t",
        "_j_",
        "--- ",
    ];
    (0..=number % 3)
        .map(|step| parts[(number * 7 + step * 5) % parts.len()])
        .collect::<String>()
        + &format!("{number}")
}

/// Commits files with any names and bytes, without a work tree.
fn import(repo: &Repo<'_>, files: &[(String, Vec<u8>)]) {
    let mut input =
        b"commit refs/heads/main\ncommitter T <t@example.org> 1800000000 +0000\ndata 1\nx\n"
            .to_vec();
    for (name, body) in files {
        let quoted = name.bytes().fold(String::new(), |quoted, byte| {
            quoted + &format!("\\{byte:03o}")
        });
        input.extend(format!("M 100644 inline \"{quoted}\"\ndata {}\n", body.len()).into_bytes());
        input.extend_from_slice(body);
        input.push(b'\n');
    }
    repo.run("git")
        .args(["fast-import", "--quiet"])
        .input(input)
        .run()
        .ok();
}

/// What CommonMark makes of a body: every kind of line end is a line feed, NUL does not occur, and there is an end.
fn as_read(body: &[u8]) -> String {
    let mut text = String::from_utf8(body.to_vec()).expect("UTF-8");
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text.replace("\r\n", "\n")
}

#[test]
fn hostile_names_and_bodies_stay_where_they_belong() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    let bodies = hostile_bodies();
    let files: Vec<(String, Vec<u8>)> = (0..200)
        .map(|number| {
            (
                hostile_name(number),
                bodies[number % bodies.len()].0.clone(),
            )
        })
        .collect();
    import(&repo, &files);
    let document = repo.merkle(&["context", "**"]).ok();
    let seen = read(&document);
    let sections = [
        "1. System Information",
        "2. Project Structure",
        "3. Memos",
        "4. Context Summary",
        "Turn",
        "5. Resource Contents",
    ];
    assert_eq!(
        seen.titles(),
        [&["Agent Invocation Payload"][..], &sections].concat()
    );
    assert_eq!(seen.strangers, [] as [&str; 0]);
    assert_eq!((seen.links.len(), seen.codes.len()), (200, 200));
    for ((text, target), code) in seen.links.iter().zip(&seen.codes) {
        assert_eq!(*code, format!("[{text}]({target})"));
    }
    let mut in_tree_order = files.clone();
    in_tree_order.sort();
    let shown: Vec<&(String, Vec<u8>)> = in_tree_order
        .iter()
        .filter(|(_, body)| {
            bodies
                .iter()
                .any(|(known, is_text)| known == body && *is_text)
        })
        .collect();
    assert_eq!(seen.fences.len(), 1 + shown.len());
    for ((name, body), (_, text)) in shown.into_iter().zip(&seen.fences[1..]) {
        assert_eq!(
            text.replace('\r', "\n"),
            as_read(body).replace('\r', "\n"),
            "{name:?}"
        );
    }
    let (sections, names) = tags(&repo.merkle(&["context", "--style", "xml", "**"]).ok());
    assert_eq!(
        sections,
        [
            "system_information",
            "project_structure",
            "memos",
            "context_summary",
            "resource_contents"
        ]
    );
    assert_eq!(names.len(), 200);
    assert!(
        names
            .iter()
            .zip(&seen.links)
            .all(|(name, (text, _))| name == text),
        "{names:?}"
    );
}

/// The sections of a document in tags, and the names of its resources; all of it is closed, and nothing else is a tag.
fn tags(document: &str) -> (Vec<String>, Vec<String>) {
    let (mut open, mut fence) = (Vec::<String>::new(), None::<String>);
    let (mut sections, mut names) = (Vec::new(), Vec::new());
    for line in document.split('\n') {
        let ticks = "`".repeat(line.bytes().take_while(|byte| *byte == b'`').count());
        match &fence {
            Some(opened) if line == opened => fence = None,
            None if ticks.len() >= 4 => fence = Some(ticks),
            None if line.starts_with("</") => assert_eq!(
                open.pop().map(|name| format!("</{name}>")).as_deref(),
                Some(line)
            ),
            None if line.starts_with('<') => {
                let tag = line
                    .strip_prefix('<')
                    .and_then(|line| line.strip_suffix('>'))
                    .expect("a whole tag");
                let (name, attribute) = tag.split_once(' ').unwrap_or((tag, ""));
                if let Some(text) = attribute
                    .strip_prefix("name=\"")
                    .and_then(|text| text.strip_suffix('"'))
                {
                    assert!(!text.contains(['<', '>', '"']), "{text}");
                    let text = text
                        .replace("&lt;", "<")
                        .replace("&gt;", ">")
                        .replace("&quot;", "\"");
                    names.push(text.replace("&amp;", "&"));
                } else if open.len() == 1 {
                    sections.push(name.to_owned());
                }
                open.push(name.to_owned());
            }
            _ => {}
        }
    }
    assert_eq!((open.len(), fence), (0, None), "something stays open");
    (sections, names)
}

#[test]
fn a_budget_holds_in_tags_too() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled(HISTORY);
    for budget in ["400", "800"] {
        let document = repo
            .merkle(&[
                "context", "--style", "xml", "--budget", budget, "--json", ".",
            ])
            .json("context");
        assert!(
            document["tokens_estimated"].as_u64().expect("a number")
                <= budget.parse().expect("a number")
        );
        assert_eq!(tags(document["text"].as_str().expect("a text")).0.len(), 5);
    }
    let part = repo
        .merkle(&["context", "--style", "xml", "--section", "3"])
        .ok();
    assert_eq!(part, "<memos>\nnone\n\n</memos>\n");
}

/// The clipboard is that of the desktop; where there is none and no terminal, nothing is copied and the next step is told.
#[test]
fn it_goes_to_the_clipboard() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled(HISTORY);
    let copy = || {
        repo.run(PROGRAM)
            .args(["context", "--copy", "--no-system", "README.md"])
    };
    let failed = copy().run().exits(65).err();
    assert!(
        failed.contains("there is no clipboard") && failed.contains("xclip"),
        "{failed}"
    );
    let (programs, copied) = (sandbox.path("bin"), sandbox.path("copied"));
    std::fs::create_dir(&programs).expect("a folder");
    for (name, script) in [
        ("xclip", "exit 1".to_owned()),
        ("xsel", format!("cat > '{}'", copied.display())),
    ] {
        let program = programs.join(name);
        std::fs::write(&program, format!("#!/bin/sh\n{script}\n")).expect("writable");
        std::fs::set_permissions(
            &program,
            std::os::unix::fs::PermissionsExt::from_mode(0o755),
        )
        .expect("executable");
    }
    let path = format!("{}:/usr/bin:/bin", programs.display());
    let done = copy().env("PATH", path).env("DISPLAY", ":9").run().exits(0);
    assert_eq!(done.out(), "");
    assert!(done.err().contains("copied by xsel"), "{done}");
    let printed = repo.merkle(&["context", "--no-system", "README.md"]).ok();
    assert_eq!(std::fs::read_to_string(copied).expect("copied"), printed);
}

/// Red before: 601,390 tokens for a file of six lines among 100,000 files.
#[test]
fn one_file_of_many_is_not_shown_with_the_names_of_all() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    let files: Vec<(String, Vec<u8>)> = (0..3_000)
        .map(|number| (format!("d{}/file_{number}.rs", number % 30), b"x".to_vec()))
        .collect();
    import(&repo, &files);
    let document = repo
        .merkle(&["context", "--rev", "HEAD", "d7/file_7.rs"])
        .ok();
    assert!(
        document.contains("d9/ (100 files)") && document.contains("x\n```"),
        "{document}"
    );
    assert!(document.len() < 30_000, "{} bytes", document.len());

    let request = [
        "--file",
        "d7/file_7.rs",
        "-m",
        "Rename it.",
        "--rev",
        "HEAD",
    ];
    let sent = repo.merkle(&[&["prompt"][..], &request].concat()).ok();
    assert!(
        sent.contains("# File Tree (3000 files)") && sent.contains("d9/ (100 files)"),
        "{sent}"
    );
}

#[test]
fn a_repository_that_expands_without_end_is_shown_in_bounds() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled("commit first\n+ a = x");
    let mut tree = repo.id("HEAD^{tree}");
    for _ in 0..40 {
        let entries = format!("040000 tree {tree}\tleft\n040000 tree {tree}\tright\n");
        tree = repo
            .run("git")
            .arg("mktree")
            .input(entries)
            .run()
            .ok()
            .trim()
            .to_owned();
    }
    let document = repo
        .merkle(&["context", "--rev", &tree, "**/none", "--section", "5"])
        .exits(1)
        .out();
    assert!(
        document.contains("only the first 20000 paths were looked at"),
        "{document}"
    );
    let document = repo
        .merkle(&["context", "--rev", &tree, "none", "--budget", "1000"])
        .exits(1)
        .out();
    assert!(document.contains("Folded: "), "{document}");
}

#[test]
fn frames_stand_beside_what_they_are_about_or_say_why_not() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled(HISTORY);
    say(&repo, "HEAD:src/lib.rs", "docs.summary", "What a is for.\n");
    say(&repo, "HEAD:src/lib.rs", "human.note", "Beware.\n");
    say(&repo, "HEAD:README.md", "docs.summary", "Gone.\n");
    say(&repo, "HEAD:README.md", "docs.summary", "");
    let document = repo
        .merkle(&[
            "context",
            "src/*.rs",
            "frame:src/lib.rs",
            "frame:README.md",
            "frame:src@x.y",
            "--frames=note",
        ])
        .exits(1)
        .out();
    let seen = read(&document);
    let names: Vec<&str> = seen.links.iter().map(|(text, _)| text.as_str()).collect();
    let expected = [
        "src/lib.rs",
        "frame:src/lib.rs@human.note",
        "frame:src/lib.rs",
        "frame:README.md",
        "frame:src@x.y",
    ];
    assert_eq!(names, expected);
    assert_eq!(
        seen.fences[2..],
        ["Beware.\n", "What a is for.\n"].map(|text| ("markdown".to_owned(), text.to_owned()))
    );
    assert!(
        document.contains("Not included: its frame was taken back;"),
        "{document}"
    );
    assert!(
        document.contains("Not included: it has no frame of this agent and type.\n"),
        "{document}"
    );
}

#[test]
fn the_reader_may_leave_at_any_time() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    let files: Vec<(String, Vec<u8>)> = (0..40)
        .map(|number| (format!("{number}"), vec![b'x'; 1 << 20]))
        .collect();
    import(&repo, &files);
    let script = "\"$0\" context '**' | head -c 100000 >/dev/null; echo done";
    let program = env!("CARGO_BIN_EXE_git-merkle");
    let output = repo.run("sh").args(["-c", script, program]).run().exits(0);
    assert_eq!(
        (output.out(), output.err()),
        ("done\n".to_owned(), String::new())
    );
}
