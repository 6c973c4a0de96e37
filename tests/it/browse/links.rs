//! What a page says besides statements: who refers to the file, which commits changed it, and what its map can show.

use super::page;
use crate::support::Sandbox;

const SHOP: &str = r"
    commit first
    + src/lib.rs
      | pub mod basket;
      | pub mod price;
    + src/price.rs
      | pub fn price_of(item: &str) -> u32 {
      |     item.len() as u32
      | }
    + src/basket.rs
      | use crate::price::price_of;
      |
      | pub fn total(items: &[String]) -> u32 {
      |     items.iter().map(|item| price_of(item)).sum()
      | }
    + docs/a.md = # A
    commit <img src=x> second
    + src/price.rs
      | pub fn price_of(item: &str) -> u32 {
      |     2 * item.len() as u32
      | }
";

#[test]
fn a_page_names_the_files_that_refer_to_it_and_the_commits_that_changed_it() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("shop");
    repo.fill(SHOP);
    repo.merkle(&["browse"]).ok();
    let price = page(&repo, "tree/src/price.rs.html");
    let (_, refers) = price.split_once("What refers to it").expect("a list");
    assert!(
        refers.contains("<li><a href=\"basket.rs.html\">src/basket.rs</a></li>"),
        "{price}"
    );
    let (_, history) = price.split_once("Changed by").expect("a list");
    let second = history.find("&lt;img src=x&gt; second").expect("a subject");
    let first = history.find("first").expect("a subject");
    assert!(second < first, "{price}");
    assert!(history.contains(&repo.id("HEAD")[..7]), "{price}");
    let basket = page(&repo, "tree/src/basket.rs.html");
    assert!(
        !basket.contains("second") && basket.contains("first"),
        "{basket}"
    );
    assert!(!page(&repo, "tree/docs/a.md.html").contains("What refers to it"));
    let src = page(&repo, "tree/src/index.html");
    assert!(src.contains("second"), "{src}");
    // Who no longer refers is no longer named.
    repo.fill("commit third\n+ src/basket.rs = pub fn none() {}");
    repo.merkle(&["browse"]).ok();
    let price = page(&repo, "tree/src/price.rs.html");
    assert!(!price.contains("basket.rs.html\">src/basket.rs"), "{price}");
}

#[test]
fn a_map_shows_coverage_age_and_cost_as_well() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("shop");
    repo.fill(SHOP);
    repo.merkle(&["regenerate"]).ok();
    repo.merkle(&["note", "src/price.rs", "-m", "Prices are gross."])
        .ok();
    repo.merkle(&["browse"]).ok();
    let src = page(&repo, "tree/src/index.html");
    for way in ["freshness", "coverage", "age", "cost"] {
        assert!(src.contains(&format!("id=\"by-{way}\"")), "{way}: {src}");
    }
    let tile = |name: &str| {
        let (_, rest) = src
            .split_once(&format!("<title>src/{name}"))
            .expect("a tile");
        let (_, rest) = rest.split_once("class=\"").expect("a class");
        rest.split('"').next().expect("classes").to_owned()
    };
    assert_eq!(tile("price.rs"), "tile fresh c4 a1 k0");
    assert_eq!(tile("basket.rs"), "tile outlined c0 a0 k0");
    // Of a directory what is below it counts: one of four files.
    let root = page(&repo, "index.html");
    assert!(
        !root.contains("<script>") && root.contains("</fieldset>"),
        "{root}"
    );
}
