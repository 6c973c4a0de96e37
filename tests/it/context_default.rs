//! The default payload of `context`, budgets that are used, and what stands beside bodies.

use git_merkle::base::token;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use crate::said::say;
use crate::support::{PROGRAM, Repo, Sandbox};

/// A repository with directories, code that refers to code, prose, a long text and one without ends of lines.
fn filled(sandbox: &Sandbox, modules: usize) -> Repo<'_> {
    let repo = sandbox.repo("shop");
    let write = |path: String, text: String| repo.put(&path, text);
    for module in 0..modules {
        let below = format!("src/part{}/module{module}.py", module % 7);
        let functions = (0..6).map(|n| {
            format!(
                "def work_{module}_{n}(order, price=None):\n    return order.total + price\n\n\n"
            )
        });
        let head =
            format!("\"\"\"Knows the prices of shelf {module} and what they were.\"\"\"\n\n");
        write(below, head + &functions.collect::<String>());
    }
    let prose = |count: usize| {
        let lines: Vec<String> = (0..count)
            .map(|n| format!("Line {n} of what people should know about it.\n"))
            .collect();
        lines.concat()
    };
    write(
        "README.md".into(),
        format!(
            "# Shop\n\nSells things.\n\n{}\n## More\n\n{}",
            prose(6),
            prose(300)
        ),
    );
    write(
        "docs/guide.md".into(),
        format!("# Guide\n\n{}", prose(2_000)),
    );
    write("docs/line.txt".into(), "word ".repeat(30_000));
    for number in 0..40 {
        write(format!("data/runs/{number}.csv"), format!("{number},1\n"));
    }
    repo.commit("a shop");
    repo
}

/// What held before is wrong: 1 of 276 frames, no map, no branch, and the whole README with its badges.
#[test]
fn the_default_says_what_a_stranger_needs_first() {
    let sandbox = Sandbox::new();
    let repo = filled(&sandbox, 20);
    repo.fill(
        "branch prices\ncommit prices have taxes\n+ src/tax.py = def tax(price): return price",
    );
    say(
        &repo,
        "HEAD:src/part1/module1.py",
        "human.note",
        "Prices are in cents.\n",
    );
    std::fs::write(repo.path("src/new.py"), "def new(): pass\n").expect("writable");
    let document = repo.merkle(&["context"]).ok();
    for expected in [
        "This document describes a repository to a reader who sees nothing else of it.",
        "- **Snapshot:** the work tree; 1 file differs from commit ",
        "Folded: a number in parentheses counts files that are not listed.\n",
        "data/\n  runs/ (40 files)\n",
        "## 3. Memos\n\nnone\n",
        "No context list names anything",
        "**Note** about `src/part1/module1.py` by agent human, written by ",
        "Prices are in cents.\n",
        "**Statement** about the root directory by agent outline, made by a fixed rule; fresh.\n",
        "**Statement** about `src/` by agent outline",
        "**Symbol map**: what every file declares and refers to.\n",
        "  f work_1_0(order,price?)\n",
        "**README**, without pictures: `README.md`\n",
        "1 commit since the branch left main:\n  ",
        " prices have taxes\n",
        "1 file changed since then:\n  new src/tax.py\n",
        "1 file not committed:\n  new src/new.py\n",
    ] {
        assert!(document.contains(expected), "{expected}\n---\n{document}");
    }
    let order = [
        "**Note**",
        "**Statement**",
        "**Symbol map**",
        "**README**",
        "**Branch**",
    ]
    .map(|part| document.find(part));
    assert!(order.is_sorted() && order[0].is_some(), "{order:?}");
    let parts: String = ["1", "2", "3", "4", "5"]
        .map(|number| repo.merkle(&["context", "--section", number]).ok())
        .concat();
    assert!(document.ends_with(&parts), "sections are the document");
}

/// Before, `merkle.contextBudget` was read nowhere.
#[test]
fn settings_say_how_much_and_whether_the_machine_is_told() {
    let sandbox = Sandbox::new();
    let repo = filled(&sandbox, 60);
    let tokens = |arguments: &[&str]| token::estimate(&repo.merkle(arguments).ok());
    repo.config("merkle.contextBudget", "4k");
    let small = tokens(&["context"]);
    assert!((3_686..=4_096).contains(&small), "{small}");
    assert!(
        tokens(&["context", "--budget", "2000"]) <= 2_000,
        "the option is stronger"
    );
    assert!(
        tokens(&["context", "docs/guide.md"]) > 4_096,
        "what is named is not reduced by the default's budget"
    );
    assert!(
        repo.merkle(&["context", "--section=1"])
            .ok()
            .contains("**OS:**")
    );
    let brief = "## 1. System Information\n\n- **Snapshot:** ";
    assert!(
        repo.merkle(&["context", "--section=1", "--no-system"])
            .ok()
            .starts_with(brief)
    );
    repo.config("merkle.contextSystem", "false");
    assert!(
        repo.merkle(&["context", "--section=1"])
            .ok()
            .starts_with(brief)
    );
    repo.config("merkle.contextBudget", "some");
    let warned = repo.merkle(&["context"]).exits(0);
    assert!(
        warned
            .err()
            .contains("'some' is not a whole number of tokens"),
        "{warned}"
    );
    let refused = repo
        .merkle(&["-c", "merkle.contextBudget=some", "context"])
        .exits(78);
    assert!(refused.err().contains("merkle.contextbudget"), "{refused}");
}

/// What is not there in full, as the document says it.
fn has_more(document: &str) -> bool {
    let reduced = ["outline", "frame", "name only", "beginning"].map(|form| format!("): {form}"));
    reduced.iter().any(|form| document.contains(form))
        || ["are left out", "its first", "Its beginning.", "more lines)"]
            .iter()
            .any(|word| document.contains(word))
}

/// Before, one step down the ladder left most of a budget unused: a document of 400 tokens for a budget of 8,000.
#[test]
fn every_budget_is_kept_and_used() {
    let sandbox = Sandbox::new();
    let repo = filled(&sandbox, 400);
    let lists: [&[&str]; 4] = [
        &[],
        &["docs/guide.md", "docs/line.txt", "src/part1/"],
        &["src/part2/**", "README.md"],
        &["docs/line.txt"],
    ];
    let mut runner = TestRunner::new(Config {
        cases: 14,
        failure_persistence: None,
        ..Config::default()
    });
    let budget = (1_000.0_f64.ln()..200_000.0_f64.ln()).prop_map(|ln| ln.exp() as u64);
    let holds = |budget: u64, list: usize| {
        let budget_text = budget.to_string();
        let output = repo
            .run(PROGRAM)
            .args(["context", "--budget", &budget_text])
            .args(lists[list])
            .run();
        prop_assert!(
            output.code == Some(0) || list == 2 && budget < 3_000,
            "{}",
            output.err()
        );
        if output.code == Some(0) {
            let document = output.out();
            let tokens = token::estimate(&document);
            prop_assert!(tokens <= budget, "{tokens} of {budget}");
            let told = output.err();
            let told = told.split(" tokens").next().unwrap_or_default();
            let told = told.rsplit(|c: char| !c.is_ascii_digit()).next();
            let told: u64 = told.unwrap_or_default().parse().expect("a number");
            prop_assert!(told <= budget, "{told} of {budget} are told");
            prop_assert!(
                !has_more(&document) || tokens * 10 >= budget * 9,
                "{tokens} of {budget} for {:?}",
                lists[list]
            );
        }
        Ok(())
    };
    // Red before: names alone were counted as more than they take, and what that left stayed unused.
    holds(1_756, 2).unwrap_or_else(|failed| panic!("{failed}"));
    let result = runner.run(&(budget, 0..lists.len()), |(budget, list)| {
        holds(budget, list)
    });
    result.unwrap_or_else(|failed| panic!("{failed}"));
}

/// Before, a path that was reduced was written in the summary, among the reductions and above its block.
#[test]
fn what_people_say_stands_with_what_is_listed_and_a_name_is_written_once() {
    let sandbox = Sandbox::new();
    let repo = filled(&sandbox, 8);
    say(
        &repo,
        "HEAD:src/part1/module1.py",
        "human.note",
        "Prices are in cents.\n",
    );
    let document = repo.merkle(&["context", "src/part1/module1.py"]).ok();
    let (_, after) = document.split_once("def work_1_5").expect("the body");
    assert!(
        after.contains("**Note** by agent human, written by ")
            && after.contains("Prices are in cents."),
        "{document}"
    );
    let document = repo
        .merkle(&[
            "context",
            "src/part1/module1.py",
            "docs/line.txt",
            "--budget",
            "700",
        ])
        .ok();
    assert!(
        document.contains("Prices are in cents."),
        "at every level: {document}"
    );
    assert_eq!(
        document.matches("docs/line.txt").count(),
        4,
        "as text and target, in summary and header: {document}"
    );
    let listed = repo
        .run(PROGRAM)
        .args(["context", "-", "--section=4"])
        .input("docs/guide.md\n# no\nnone.md\n")
        .run()
        .exits(1);
    assert!(
        listed.out().contains("- [docs/guide.md](/docs/guide.md)\n"),
        "{listed}"
    );
    assert!(
        listed
            .err()
            .contains("'none.md' is not shown: no such file in the snapshot"),
        "{listed}"
    );
}

/// Before, a change anywhere hid what a model had said of every directory above it.
#[test]
fn what_was_said_of_the_last_commit_is_shown_as_stale() {
    let sandbox = Sandbox::new();
    let repo = filled(&sandbox, 3);
    say(&repo, "HEAD:src", "docs.summary", "All that is sold.\n");
    let state = |arguments: &[&str]| {
        let document = repo.merkle(arguments).ok();
        let at = document
            .find("All that is sold.")
            .unwrap_or_else(|| panic!("{document}"));
        document[..at]
            .lines()
            .nth_back(1)
            .expect("a line above the fence")
            .to_owned()
    };
    assert!(state(&["context", "src/"]).contains("; fresh."));
    std::fs::write(repo.path("src/new.py"), "x = 1\n").expect("writable");
    assert!(
        state(&["context", "src/"]).contains("; stale, it is about what the last commit has here.")
    );
    assert!(state(&["context"]).contains("**Statement** about `src/` by agent docs"));
    assert!(state(&["context", "--rev", "HEAD", "src/"]).contains("; fresh."));
}
