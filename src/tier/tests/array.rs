//! The whole array for repositories from empty to full, and what holds for every one.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use proptest::prelude::*;

use crate::base::Digest;
use crate::base::number::to_u32;
use crate::chat::{Image, Message, Role};
use crate::tier::{CacheTerms, Content, FileList, Key, Layout, Texts, Tier, array};

const TERMS: CacheTerms = CacheTerms {
    read: 100,
    write: 1_250,
    prefix_tokens_min: 0,
    breakpoints_max: 4,
};

fn layout(placed: &[(Key, Tier)], terms: &CacheTerms) -> Layout {
    let placed: BTreeMap<Key, (Tier, u64)> = placed
        .iter()
        .map(|(key, tier)| (key.clone(), (*tier, 100)))
        .collect();
    Layout::new(
        &placed,
        Content {
            digest: Digest([0; 32]),
            tokens: 10,
        },
        terms,
    )
}

fn symbols(path: &str) -> Key {
    Key::Symbols(path.into())
}

fn file(path: &str) -> Key {
    Key::File(path.into())
}

fn list(paths: &[&str]) -> FileList {
    FileList {
        lines: paths.iter().map(|path| (*path).to_owned()).collect(),
        count: paths.len(),
    }
}

fn texts(keys: &[(Key, Tier)], history: usize) -> Texts<'static> {
    static TREE: LazyLock<FileList> = LazyLock::new(|| list(&["a.rs", "b.rs"]));
    let text = |key: &Key| match key {
        Key::Tree => String::new(),
        Key::Symbols(path) => format!("{}\n  f run()\n", path.to_text()),
        Key::File(path) => format!("text of {}\n", path.to_text()),
        Key::Update(path) => format!("{} now\n", path.to_text()),
        Key::Url(url) => format!("Title of {url}\n\nIts text.\n"),
        Key::Message(number) => format!("message {number}"),
    };
    let role = |number: usize| {
        if number.is_multiple_of(2) {
            Role::User
        } else {
            Role::Assistant
        }
    };
    Texts {
        system_prompt: "You help.\n",
        preface: "",
        background: "",
        rejected: Vec::new(),
        legend: "c class\n",
        items: keys
            .iter()
            .map(|(key, _)| (key.clone(), text(key)))
            .collect(),
        history: (0..history)
            .map(|number| Message::new(role(number), format!("message {number}")))
            .collect(),
        tree: Some(&TREE),
        request: "Add a lock.",
        images: Vec::new(),
    }
}

/// Roles, marks and texts, as people read them.
fn shown(messages: &[Message]) -> String {
    let one = |message: &Message| {
        let mark = if message.ends_cached_prefix {
            " (mark)"
        } else {
            ""
        };
        let images = message.images.iter().map(Image::data_uri);
        let said: Vec<String> = std::iter::once(message.text.clone())
            .chain(images)
            .collect();
        format!("[{}]{mark}\n{}\n", message.role.as_str(), said.join("\n"))
    };
    messages.iter().map(one).collect::<Vec<_>>().join("\n")
}

#[test]
fn an_empty_repository_is_a_system_prompt_and_a_request() {
    let texts = Texts {
        system_prompt: "You help.",
        request: "Begin.",
        tree: Some(&FileList::default()),
        ..Texts::default()
    };
    insta::assert_snapshot!(shown(&array(&layout(&[], &TERMS), &texts)), @"
    [system] (mark)
    You help.

    [user]
    Begin.
    ");
}

#[test]
fn one_file_is_listed_and_shown() {
    let keys = [(Key::Tree, Tier::Active), (file("a.rs"), Tier::Active)];
    let listed = list(&["a.rs"]);
    let texts = Texts {
        tree: Some(&listed),
        legend: "",
        ..texts(&keys, 0)
    };
    insta::assert_snapshot!(shown(&array(&layout(&keys, &TERMS), &texts)), @"
    [system] (mark)
    You help.

    [user]
    # Repository Files

    Complete list of files in the repository:

    # File Tree (1 file)

    a.rs

    [assistant]
    Ok.

    [user]
    # Working Files

    Here are the files:

    a.rs
    ```
    text of a.rs
    ```

    [assistant]
    Ok.

    [user]
    Add a lock.
    ");
}

#[test]
#[expect(clippy::too_many_lines, reason = "the whole array is what is expected")]
fn every_tier_is_filled_and_the_conversation_runs_through_them() {
    let tiers = [Tier::L0, Tier::L1, Tier::L2, Tier::L3, Tier::Active];
    let mut keys: Vec<(Key, Tier)> = vec![(Key::Tree, Tier::Active)];
    for (at, tier) in tiers.into_iter().enumerate() {
        keys.push((symbols(&format!("s{at}.rs")), tier));
        keys.push((file(&format!("f{at}.rs")), tier));
        keys.push((Key::Message(2 * to_u32(at)), tier));
        keys.push((Key::Message(2 * to_u32(at) + 1), tier));
    }
    keys.push((Key::Url("https://example.org/a".to_owned()), Tier::Active));
    keys.push((Key::Url("https://example.org/b".to_owned()), Tier::Active));
    let image = Image::new(b"GIF89a").expect("an image");
    let texts = Texts {
        images: vec![image],
        ..texts(&keys, 10)
    };
    insta::assert_snapshot!(shown(&array(&layout(&keys, &TERMS), &texts)), @"
    [system]
    You help.

    # Repository Structure

    Below is a map of the repository showing classes, functions, and their relationships.
    Use this to understand the codebase structure and find relevant code.

    c class

    s0.rs
      f run()

    # Reference Files (Stable)

    These files are included for reference:

    f0.rs
    ```
    text of f0.rs
    ```

    [user]
    message 0

    [assistant] (mark)
    message 1

    [user]
    # Repository Structure (continued)

    s1.rs
      f run()

    # Reference Files

    These files are included for reference:

    f1.rs
    ```
    text of f1.rs
    ```

    [assistant]
    Ok.

    [user]
    message 2

    [assistant] (mark)
    message 3

    [user]
    # Repository Structure (continued)

    s2.rs
      f run()

    # Reference Files (L2)

    These files are included for reference:

    f2.rs
    ```
    text of f2.rs
    ```

    [assistant]
    Ok.

    [user]
    message 4

    [assistant] (mark)
    message 5

    [user]
    # Repository Structure (continued)

    s3.rs
      f run()

    # Reference Files (L3)

    These files are included for reference:

    f3.rs
    ```
    text of f3.rs
    ```

    [assistant]
    Ok.

    [user]
    message 6

    [assistant] (mark)
    message 7

    [user]
    # Repository Files

    Complete list of files in the repository:

    # File Tree (2 files)

    a.rs
    b.rs

    [assistant]
    Ok.

    [user]
    # URL Context

    The following content was fetched from URLs mentioned in the conversation:

    Title of https://example.org/a

    Its text.
    ---
    Title of https://example.org/b

    Its text.

    [assistant]
    Ok, I've reviewed the URL content.

    [user]
    # Repository Structure (continued)

    s4.rs
      f run()

    # Working Files

    Here are the files:

    f4.rs
    ```
    text of f4.rs
    ```

    [assistant]
    Ok.

    [user]
    message 8

    [assistant]
    message 9

    [user]
    Add a lock.
    data:image/gif;base64,R0lGODlh
    ");
}

#[test]
fn a_file_cannot_close_its_fence() {
    let keys = [(Key::Tree, Tier::Active), (file("a.md"), Tier::Active)];
    let mut texts = texts(&keys, 0);
    texts
        .items
        .insert(keys[1].0.clone(), "```\nx\n````".to_owned());
    let said = array(&layout(&keys, &TERMS), &texts);
    assert!(
        said[3].text.ends_with("a.md\n`````\n```\nx\n````\n`````"),
        "{}",
        said[3].text
    );
}

/// Keys in any tiers; a conversation keeps its order, older messages in more stable tiers.
fn placed() -> impl Strategy<Value = (Vec<(Key, Tier)>, usize)> {
    let tier = || (0..6_usize).prop_map(Tier::of_number);
    let reference = prop::collection::btree_map((0..12_u8, 0..3_u8), tier(), 0..12);
    (reference, prop::collection::vec(tier(), 0..9)).prop_map(|(reference, mut conversation)| {
        // What was said is never in the tail: it stands behind it.
        conversation
            .iter_mut()
            .filter(|tier| **tier == Tier::Tail)
            .for_each(|tier| *tier = Tier::Active);
        conversation.sort();
        let key = |(number, kind): (u8, u8)| {
            let path = format!("{number:02}.rs");
            match kind {
                0 => file(&path),
                1 => symbols(&path),
                _ => Key::Update(path.as_str().into()),
            }
        };
        let mut keys: Vec<(Key, Tier)> = reference
            .into_iter()
            .map(|(at, tier)| (key(at), tier))
            .collect();
        let history = conversation.len();
        keys.extend(
            conversation
                .into_iter()
                .enumerate()
                .map(|(number, tier)| (Key::Message(to_u32(number)), tier)),
        );
        (keys, history)
    })
}

proptest! {
    #[test]
    fn roles_alternate_and_everything_is_said_once((keys, history) in placed()) {
        let said = array(&layout(&keys, &TERMS), &texts(&keys, history));
        prop_assert!(said.windows(2).all(|pair| pair[0].role != pair[1].role), "{}", shown(&said));
        prop_assert_eq!((said[0].role, said.last().map(|last| last.text.as_str())), (Role::System, Some("Add a lock.")));
        prop_assert!(said.iter().filter(|message| message.ends_cached_prefix).count() <= 4);
        let all = said.iter().map(|message| message.text.as_str()).chain([""]).collect::<Vec<_>>().join("\n");
        for (key, _) in &keys {
            let wanted = match key {
                Key::Symbols(path) => format!("{}\n  f run()", path.to_text()),
                Key::File(path) => format!("text of {}\n", path.to_text()),
                Key::Update(path) => format!("{} now", path.to_text()),
                Key::Tree | Key::Url(_) => continue,
                Key::Message(number) => format!("message {number}\n"),
            };
            prop_assert_eq!(all.matches(&wanted).count(), 1, "{:?} in {}", key, all);
        }
    }

    #[test]
    fn a_changed_block_changes_nothing_before_it((keys, history) in placed(), at in any::<prop::sample::Index>()) {
        prop_assume!(!keys.is_empty());
        let (key, tier) = at.get(&keys);
        let layout = layout(&keys, &TERMS);
        let before = texts(&keys, history);
        let mut after = before.clone();
        if let Key::Message(number) = key {
            after.history[*number as usize].text.push_str(", changed");
        } else {
            after.items.insert(key.clone(), "changed".to_owned());
        }
        let (before, after) = (array(&layout, &before), array(&layout, &after));
        // Blocks of more stable tiers are the same messages, marks and all.
        let marks = layout.blocks.iter().filter(|block| block.tier < *tier && block.ends_with_breakpoint).count();
        let ends: Vec<usize> = (0..before.len()).filter(|at| before[*at].ends_cached_prefix).collect();
        let same = marks.checked_sub(1).map_or(0, |last| ends[last] + 1);
        prop_assert_eq!(&before[..same], &after[..same]);
    }

    #[test]
    fn no_mark_stands_on_a_short_prefix((keys, history) in placed(), least in 0..2_000_u64, most in 0..6_u32) {
        let terms = CacheTerms { prefix_tokens_min: least, breakpoints_max: most, ..TERMS };
        let layout = layout(&keys, &terms);
        let mut tokens = 0;
        for block in &layout.blocks {
            tokens += block.tokens;
            prop_assert!(!block.ends_with_breakpoint || tokens >= least && block.tier != Tier::Active);
        }
        let said = array(&layout, &texts(&keys, history));
        prop_assert!(said.iter().filter(|message| message.ends_cached_prefix).count() <= most.min(4) as usize);
    }
}
