//! Pages of the web in `context`: who may have them fetched, which addresses are never reached, and the cache.

use std::net::{Ipv4Addr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use git_merkle::base::hash::sha256_hex;

use crate::support::{Output, Repo, Sandbox};

/// The time of the runs, in seconds.
pub(crate) const NOW: u64 = 1_800_000_000;

/// Spellings of addresses that lead to this machine, its network or its cloud.
const HOSTS: &[&str] = &[
    "localhost",
    "LOCALHOST",
    "localhost.",
    "127.0.0.1",
    "127.1",
    "127.0.1",
    "2130706433",
    "0x7f000001",
    "0x7f.1",
    "017700000001",
    "0177.0.0.1",
    "0177.00.0.01",
    "127.0.0.1.",
    "127.00000.0.1",
    "127.255.255.254",
    "0",
    "0.0.0.0",
    "00",
    "0x0",
    "1２7.0.0.1",
    "①②⑦.⓪.⓪.①",
    "127。0。0。1",
    "%31%32%37.0.0.1",
    "[::1]",
    "[::]",
    "[0:0:0:0:0:0:0:1]",
    "[::127.0.0.1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[0:0:0:0:0:FFFF:7F00:1]",
    "[64:ff9b::7f00:1]",
    "[2002:7f00:1::]",
    "[2001::7f00:1]",
    "10.0.0.1",
    "167772161",
    "10.1",
    "192.168.0.1",
    "192.168.1",
    "3232235521",
    "172.16.0.1",
    "169.254.169.254",
    "2852039166",
    "0xa9fea9fe",
    "0251.0376.0251.0376",
    "169.254.43518",
    "[fd00:ec2::254]",
    "[fe80::1]",
    "[fc00::1]",
    "[ff02::1]",
    "100.64.0.1",
    "198.18.0.1",
    "224.0.0.1",
    "255.255.255.255",
    "168.63.129.16",
];

/// Listens on this machine and counts who comes.
fn listen() -> (u16, Arc<AtomicUsize>) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    let port = listener.local_addr().expect("bound").port();
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    std::thread::spawn(move || {
        for _ in listener.incoming().flatten() {
            counted.fetch_add(1, Ordering::SeqCst);
        }
    });
    (port, count)
}

/// Puts a page where it stands when it was fetched before.
pub(crate) fn keep(repo: &Repo<'_>, url: &str, media_type: &str, text: &str) {
    let folder = repo.state().cache().folder("pages");
    folder.create().expect("a folder");
    let head = serde_json::json!({
        "format": 1, "url": url, "found_at": url, "media_type": media_type, "fetched_seconds": NOW, "sha256": sha256_hex(text.as_bytes()),
    });
    folder
        .write_sealed(
            &sha256_hex(url.as_bytes()),
            format!("{head}\n{text}").as_bytes(),
        )
        .expect("writable");
}

/// Before, such a page was shown as what stands at its URL, and nothing was fetched for a day.
#[test]
fn a_page_that_came_with_the_repository_is_not_believed() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled("commit first\n+ a = x");
    let url = "https://docs.example/guide";
    keep(&repo, url, "text/plain", "curl evil");
    assert!(
        contents(&repo, &[url]).contains("curl evil"),
        "this user's own"
    );
    let path = repo
        .path(".git/merkle/cache/pages")
        .join(sha256_hex(url.as_bytes()));
    let sealed = std::fs::read_to_string(&path).expect("written");
    let plain = sealed.split_once('\n').expect("a line").1.to_owned();
    for forged in [
        plain,
        sealed.replace("curl evil", "curl vile"),
        sealed.replacen("sealed/1 ", "sealed/1 0", 1),
    ] {
        std::fs::write(&path, forged).expect("writable");
        let shown = repo
            .run(crate::support::PROGRAM)
            .args(["context", "--section", "5"])
            .env("SOURCE_DATE_EPOCH", NOW.to_string());
        std::fs::create_dir_all(repo.path(".teddy")).expect("writable");
        std::fs::write(repo.path(".teddy/global.context"), url).expect("writable");
        let shown = shown.run();
        assert!(
            !shown.out().contains("evil") && !shown.out().contains("vile"),
            "{shown}"
        );
    }
    keep(&repo, url, "text/plain", "curl evil");
    let moved = repo.copy_to("moved");
    let shown = context(&moved, &["--section", "5"]);
    assert!(!shown.out().contains("evil"), "bound to the place: {shown}");
}

fn context(repo: &Repo<'_>, arguments: &[&str]) -> Output {
    let run = repo
        .run(crate::support::PROGRAM)
        .args(["context", "--allow-missing"])
        .args(arguments);
    run.env("SOURCE_DATE_EPOCH", NOW.to_string()).run()
}

fn contents(repo: &Repo<'_>, arguments: &[&str]) -> String {
    context(repo, &[arguments, &["--section", "5"]].concat()).ok()
}

#[test]
fn no_spelling_reaches_this_machine_its_network_or_its_cloud() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled("commit first\n+ a = x");
    let (port, connections) = listen();
    let urls: Vec<String> = HOSTS
        .iter()
        .map(|host| format!("https://{host}:{port}/x"))
        .collect();
    let mut run = repo
        .run(crate::support::PROGRAM)
        .args(["context", "--allow-missing"])
        .args(&urls)
        .args(["--section", "5"]);
    // A proxy would look up the names itself.
    for name in ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "HTTP_PROXY"] {
        run = run.env(name, format!("http://127.0.0.1:{port}"));
    }
    let document = run.run().ok();
    let reasons = document
        .lines()
        .filter(|line| line.starts_with("Not included: failed URL: "))
        .count();
    let shown = document
        .lines()
        .filter(|line| line.starts_with("**Resource:**"))
        .count();
    assert_eq!(
        (
            reasons,
            document.contains("only public addresses are reached")
        ),
        (shown, true),
        "{document}"
    );
    // Some of them are one URL when they are read.
    assert!(shown > 20 && !document.contains("````"), "{document}");
    assert_eq!(connections.load(Ordering::SeqCst), 0, "nobody was asked");
}

#[test]
fn what_a_repository_lists_is_fetched_only_where_the_user_allows_it() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled("commit first\n+ other.context = https://docs.example/a");
    std::fs::create_dir(repo.path(".teddy")).expect("a folder");
    repo.put(".teddy/global.context", "https://docs.example/a\n");
    keep(&repo, "https://docs.example/a", "text/plain", "words\n");
    let is_shown = |arguments: &[&str]| {
        context(&repo, arguments)
            .ok()
            .contains("````\nwords\n````\n")
    };
    assert!(!is_shown(&[]), "not even from the cache");
    assert!(!is_shown(&["other.context"]));
    let allow = |value: &str| format!("merkle.urls={value}");
    let given = |value: &str, arguments: &[&str]| {
        let run = repo
            .run(crate::support::PROGRAM)
            .args(["-c", &allow(value), "context", "--allow-missing"])
            .args(arguments);
        run.env("SOURCE_DATE_EPOCH", NOW.to_string())
            .run()
            .ok()
            .contains("````\nwords\n````\n")
    };
    assert!(
        given("https://docs.example", &[])
            && given(
                "https://other.example https://docs.example/a/",
                &["other.context"]
            )
    );
    assert!(!given("https://docs.example/b", &[]) && !given("https://docs.example.org", &[]));
    assert!(
        is_shown(&["https://DOCS.example:443/a#there"]),
        "the user names it"
    );
    let outside = sandbox.path("mine.context");
    std::fs::write(&outside, "https://docs.example/a\n").expect("writable");
    assert!(
        is_shown(&[outside.to_str().expect("UTF-8")]),
        "a list of the user"
    );
    repo.put(".teddy/config.toml", "urls = ['https://docs.example']\n");
    repo.config("merkle.urls", "https://docs.example");
    assert!(
        !is_shown(&[]),
        "neither file of the repository allows anything"
    );
    assert!(!is_shown(&["other.context"]));
}

#[test]
fn the_same_cache_gives_the_same_payload_as_markdown_or_raw() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled("commit first\n+ a = x");
    let html =
        "<title>The *page*</title><h1>Head</h1><script>no</script><p>````</p><p>Words &lt;b&gt;";
    keep(&repo, "https://docs.example/a", "text/html", html);
    let arguments = &["https://docs.example/a"];
    let document = contents(&repo, arguments);
    insta::assert_snapshot!(document, @r"
    ## 5. Resource Contents

    ---
    **Resource:** `[https://docs.example/a](https://docs.example/a)`
    Title: The \*page\*
    ````markdown
    # Head

    \`\`\`\`

    Words \<b>
    ````
    ");
    assert_eq!(contents(&repo, arguments), document);
    assert!(
        contents(&repo, &["https://docs.example/a", "--raw-url"])
            .contains(&format!("`````html\n{html}\n`````\n"))
    );
    keep(
        &repo,
        "https://docs.example/long",
        "text/plain",
        &"words ".repeat(2_000),
    );
    let reduced = contents(&repo, &["https://docs.example/long", "--budget", "600"]);
    let is_begun = reduced.contains("Its beginning, 1 of 1 lines.\n````\nwords words ");
    assert!(
        is_begun && git_merkle::base::token::estimate(&reduced) <= 600,
        "as much as fits: {reduced}"
    );
}
