//! docs/json.md: every field of the documents that `--json` prints in a small repository, with what stands there.
//!
//! What formats.md says of them is for readers; this page is for those who parse them, and no field comes or goes unseen.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

use serde_json::Value;

use super::{note, sample};
use crate::support::Sandbox;

/// Where the page is written instead of checked: `MERKLE_WRITE_DOCS=1 cargo test --test it -- cli::fields`.
const WRITE_VARIABLE: &str = "MERKLE_WRITE_DOCS";

/// What is run, one after the other; `doctor` and `hooks status` depend on the machine.
const COMMANDS: [&str; 33] = [
    "status",
    "status --carried",
    "map",
    "find adds",
    "find add",
    "review HEAD~1..HEAD",
    "show src/lib.rs",
    "show src/lib.rs --agent human",
    "list-frames src",
    "log src/lib.rs",
    "explain src/lib.rs",
    "diff HEAD~1",
    "context",
    "config list --all",
    "agent list",
    "agent show outline",
    "agent validate",
    "profile list",
    "profile show default",
    "profile validate",
    "provider list",
    "auth status",
    "validate",
    "gc --dry-run",
    "get-node src",
    "get-head README.md",
    "trust",
    "session list",
    "regenerate --dry-run",
    "regenerate",
    "scan",
    "synthesize src",
    "invalidate src/lib.rs",
];

/// The same with a program as provider, a remote and a session.
const WITH_A_PROVIDER: [&[&str]; 25] = [
    &[
        "provider",
        "add",
        "p",
        "--kind",
        "command",
        "--command",
        "sh",
        "--command=-c",
        "--command",
        "cat >/dev/null; echo Adds.",
        "--price-input",
        "1",
        "--price-output",
        "4",
    ],
    &["provider", "show", "p"],
    &["agent", "create", "docs", "--personal"],
    &[
        "regenerate",
        "--agent",
        "docs",
        "--provider",
        "p",
        "--dry-run",
    ],
    &[
        "prompt",
        "--node",
        "src/two.rs",
        "--agent",
        "docs",
        "--provider",
        "p",
    ],
    &[
        "regenerate",
        "--agent",
        "docs",
        "--provider",
        "p",
        "--max-cost",
        "1",
    ],
    &["show", "src/lib.rs", "--agent", "docs"],
    &["status"],
    &["review", "HEAD~1..HEAD"],
    &["note", "README.md", "-m", "Said."],
    &["affirm", "src/lib.rs"],
    &["retract", "README.md"],
    &["sync"],
    &["status"],
    &["config", "get", "merkle.provider.p.kind"],
    &["find", "--evaluate"],
    &["session", "new", "w", "--planner", "p", "--generator", "p"],
    &["turn", "new", "-s", "w", "-m", "Plan it."],
    &["prompt", "-s", "w"],
    &["turn", "run", "-s", "w", "--dry-run"],
    &["turn", "run", "-s", "w", "--yes"],
    &["session", "show", "w"],
    &["session", "list"],
    &["hooks", "install", "--budget", "1"],
    &["init"],
];

/// By the path of a field, what stands there: `string`, `number`, `boolean`, `object`, `list`, `null`.
type Fields = BTreeMap<String, BTreeSet<&'static str>>;

fn collect(value: &Value, path: &str, fields: &mut Fields) {
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "list",
        Value::Object(_) => "object",
    };
    if !path.is_empty() {
        fields.entry(path.to_owned()).or_default().insert(kind);
    }
    match value {
        Value::Array(all) => {
            let path = format!("{path}[]");
            for one in all {
                collect(one, &path, fields);
            }
        }
        Value::Object(all) => {
            for (name, one) in all.iter().filter(|(name, _)| *name != "schema") {
                let dot = if path.is_empty() { "" } else { "." };
                collect(one, &format!("{path}{dot}{name}"), fields);
            }
        }
        _ => {}
    }
}

/// The page, of what the commands print.
fn page() -> String {
    let sandbox = Sandbox::new();
    let repo = sample(&sandbox);
    note(&repo, "src/lib.rs", "a note");
    repo.fill("commit second\n+ src/lib.rs = pub fn add(a: u16) -> u16 { a }\n+ src/two.rs = pub fn two() { add(1) }");
    let mut documents: BTreeMap<String, Fields> = BTreeMap::new();
    let simple = COMMANDS.iter().map(|command| command.split(' ').collect());
    let others = WITH_A_PROVIDER.iter().map(|arguments| arguments.to_vec());
    let origin = repo.clone_to("origin.git", &["--bare"]);
    let url = origin.path("");
    for command in simple.chain(others) {
        if command == ["note", "README.md", "-m", "Said."] {
            let url = url.to_str().expect("UTF-8");
            repo.git(&["remote", "add", "origin", url]).ok();
        }
        let arguments: Vec<&str> = command.into_iter().chain(["--json"]).collect();
        let output = repo.merkle(&arguments);
        let document = serde_json::from_str(output.out().trim());
        let document: Value = document.unwrap_or_else(|_| panic!("no document: {output}"));
        let schema = document["schema"].as_str().expect("a schema");
        collect(
            &document,
            "",
            documents.entry(schema.to_owned()).or_default(),
        );
    }
    let mut page = String::from(
        "# Fields of the documents that `--json` prints\n\nWritten by a test from what the commands print in a small repository: `[]` is each entry of a list. A field that holds nothing there (`null`, an empty list) may hold more elsewhere; [formats](formats.md#json) says what the fields mean. Fields are only ever added.\n",
    );
    for (schema, fields) in documents {
        write!(page, "\n## `{schema}`\n\n| field | holds |\n|---|---|\n")
            .expect("a string takes everything");
        for (field, kinds) in fields.iter().filter(|(field, _)| !field.ends_with("[]")) {
            let kinds: Vec<&str> = kinds.iter().copied().collect();
            writeln!(page, "| `{field}` | {} |", kinds.join(", "))
                .expect("a string takes everything");
        }
    }
    page
}

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "the writer of the page says so by a variable"
)]
fn the_page_of_fields_is_what_the_commands_print() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/json.md");
    let page = page();
    if std::env::var_os(WRITE_VARIABLE).is_some() {
        std::fs::write(&path, &page).expect("a place for the page");
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    let differs = |one: &str, other: &str| -> Vec<String> {
        let known: BTreeSet<&str> = other.lines().collect();
        one.lines()
            .filter(|line| !known.contains(line))
            .map(str::to_owned)
            .collect()
    };
    assert!(
        written == page,
        "docs/json.md lacks {:?} and has {:?}; run {WRITE_VARIABLE}=1 cargo test --test it -- cli::fields",
        differs(&page, &written),
        differs(&written, &page)
    );
}
