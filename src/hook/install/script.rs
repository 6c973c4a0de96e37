//! The scripts of `hooks/` filled in, and the marked block inside somebody else's shell script.
//!
//! Every line of a block is a comment or ends in one, which is how a block is found again line by line, torn ones
//! included, and why it can stand in a script with CRLF line ends: the comment swallows the CR. Taking a block out gives
//! back the very bytes from before. Must not depend on anything but bytes.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::event::Event;

const BLOCK: &str = include_str!("../../../hooks/block.sh");
const CHAIN: &str = include_str!("../../../hooks/chain.sh");
const COMMAND: &str = include_str!("../../../hooks/command.sh");
const LINE: &str = include_str!("../../../hooks/line.sh");

/// What a script of our own starts with.
pub const SHEBANG: &[u8] = b"#!/bin/sh\n";
const BLOCK_START: &[u8] = b"# >>> git merkle >>>";
const BLOCK_END: &[u8] = b"# <<< git merkle <<<";
const LINE_TAG: &[u8] = b"# git merkle";
/// What the lines of a block start with, for one that was cut off in the middle of a line.
const LINE_STARTS: [&[u8]; 4] = [b"{", b"  if [ -x ", b"  elif command -v ", b"} </dev/null"];
/// Programs that run a shell script, after `#!` or `env`.
const SHELLS: [&[u8]; 7] = [b"sh", b"bash", b"dash", b"zsh", b"ksh", b"mksh", b"ash"];
/// Words after which `$0` is a path to look at, and not a file to be read or run again.
const PATH_WORDS: [&[u8]; 4] = [b"dirname", b"basename", b"readlink", b"realpath"];
/// How hooks ask under which name they were called.
const NAME_QUESTIONS: [&[u8]; 5] = [b"basename", b"##*/", b"argv[0]", b"PROGRAM_NAME", b"ARGV0"];

/// The block for an event, with LF line ends.
#[must_use]
pub fn block(binary: &Path, event: Event) -> Vec<u8> {
    fill(BLOCK, Some(binary), event)
}

/// A hook that is ours alone.
#[must_use]
pub fn own(binary: &Path, event: Event) -> Vec<u8> {
    [SHEBANG, &block(binary, event)].concat()
}

/// A hook that calls the one that was renamed.
#[must_use]
pub fn chain(binary: &Path, event: Event) -> Vec<u8> {
    [own(binary, event), fill(CHAIN, None, event)].concat()
}

/// The command for a hook in git's configuration; git adds `"$@"` at its end.
#[must_use]
pub fn command(binary: &Path, event: Event) -> Vec<u8> {
    fill(COMMAND, Some(binary), event).trim_ascii_end().to_vec()
}

/// One line for a script that is shared with others: no path of this machine in it.
#[must_use]
pub fn line(event: Event) -> String {
    String::from_utf8_lossy(&fill(LINE, None, event)).trim_end().to_owned()
}

/// True for a hook that is ours apart from its block: nothing, or the call of a renamed one.
#[must_use]
pub fn is_chain(script: &[u8], event: Event) -> bool {
    strip(script) == [SHEBANG, &fill(CHAIN, None, event)].concat()
}

fn fill(template: &str, binary: Option<&Path>, event: Event) -> Vec<u8> {
    let quoted = binary.map(shell_quote).unwrap_or_default();
    let text = template.replace("@EVENT@", event.name());
    let mut parts = text.split("@BINARY@");
    let mut out = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        out.extend_from_slice(&quoted);
        out.extend_from_slice(part.as_bytes());
    }
    out
}

/// A path as one word on one line for any shell of the family.
#[must_use]
pub fn shell_quote(path: &Path) -> Vec<u8> {
    let bytes = path.as_os_str().as_bytes();
    if !bytes.iter().any(u8::is_ascii_control) {
        let quoted = bytes.iter().flat_map(|byte| if *byte == b'\'' { b"'\\''".to_vec() } else { vec![*byte] });
        return b"'".iter().copied().chain(quoted).chain(*b"'").collect();
    }
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-".contains(&byte);
    let escaped = bytes.iter().flat_map(|byte| if plain(*byte) { vec![*byte] } else { format!("\\{byte:03o}").into_bytes() });
    b"\"$(printf '".iter().copied().chain(escaped).chain(*b"')\"").collect()
}

/// True when a block is in it, whole or torn.
#[must_use]
pub fn has_block(script: &[u8]) -> bool {
    lines(script).any(|line| line.starts_with(BLOCK_START))
}

/// The script with exactly this block, after its `#!` line if it has one; line ends as in the script.
#[must_use]
pub fn insert(script: &[u8], block: &[u8]) -> Vec<u8> {
    let clean = strip(script);
    let end: &[u8] = if find(&clean, b"\r\n").is_some() { b"\r\n" } else { b"\n" };
    let block = lines(block).flat_map(|line| [line.trim_ascii_end(), end].concat()).collect::<Vec<u8>>();
    if !clean.starts_with(b"#!") {
        return [block, clean].concat();
    }
    match clean.iter().position(|byte| *byte == b'\n') {
        Some(at) => [&clean[..=at], &block, &clean[at + 1..]].concat(),
        None => [&clean, end, &block[..block.len() - end.len()]].concat(),
    }
}

/// The script without our lines; the bytes from before [`insert`].
#[must_use]
pub fn strip(script: &[u8]) -> Vec<u8> {
    if !has_block(script) {
        return script.to_vec();
    }
    let is_whole = lines(script).any(|line| line.starts_with(BLOCK_END));
    let last = lines(script).last().unwrap_or_default();
    let mut kept: Vec<u8> = lines(script).filter(|line| !is_ours(line)).flatten().copied().collect();
    if last.starts_with(BLOCK_END) && !last.ends_with(b"\n") {
        // The script was one line without an end; the end came with the block.
        let end = if kept.ends_with(b"\r\n") { 2 } else { 1 };
        kept.truncate(kept.len().saturating_sub(end));
    } else if !is_whole && !last.ends_with(b"\n") && !is_ours(last) && LINE_STARTS.iter().any(|start| last.starts_with(start)) {
        kept.truncate(kept.len() - last.len());
    }
    kept
}

fn is_ours(line: &[u8]) -> bool {
    let text = line.trim_ascii_end();
    text.starts_with(BLOCK_START) || text == BLOCK_END || text.ends_with(LINE_TAG)
}

/// Lines with their ends.
fn lines(script: &[u8]) -> impl Iterator<Item = &[u8]> {
    script.split_inclusive(|byte| *byte == b'\n')
}

/// True for a script that a block can be put into: git gives it to a shell, and it is nothing else besides.
///
/// Without a `#!` line git itself runs a file with `sh`. A script that hands itself to another program, or reads data
/// from its own lines, would not survive a block.
#[must_use]
pub fn is_shell(script: &[u8]) -> bool {
    if script.contains(&0) {
        return false;
    }
    let first = lines(script).next().unwrap_or_default().trim_ascii_end();
    first.strip_prefix(b"#!").is_none_or(is_shell_call) && !reads_itself(script)
}

fn is_shell_call(call: &[u8]) -> bool {
    let words = call.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let name = |word: &[u8]| word.rsplit(|byte| *byte == b'/').next().unwrap_or_default().to_vec();
    let mut words = words.skip_while(|word| name(word) == b"env" || word.starts_with(b"-") || word.contains(&b'='));
    words.next().is_some_and(|word| SHELLS.contains(&name(word).as_slice()))
}

/// True when `$0` stands for more than a path in it.
fn reads_itself(script: &[u8]) -> bool {
    let code = lines(script).filter(|line| !line.trim_ascii_start().starts_with(b"#"));
    code.flat_map(|line| [b"$0".as_slice(), b"${0}"].into_iter().flat_map(|zero| befores(line, zero))).any(|before| {
        let mut words = before.split(|byte| byte.is_ascii_whitespace() || b"\"'(`".contains(byte));
        let word = words.rfind(|word| !word.is_empty() && !word.starts_with(b"-"));
        !word.is_some_and(|word| PATH_WORDS.contains(&word))
    })
}

/// What stands before a piece, for each place where it stands.
fn befores<'a>(line: &'a [u8], piece: &'a [u8]) -> impl Iterator<Item = &'a [u8]> {
    line.windows(piece.len()).enumerate().filter(move |(_, window)| *window == piece).map(|(at, _)| &line[..at])
}

/// True for a script that acts by the name it is called under, and so must not be renamed; binaries are not looked into.
#[must_use]
pub fn asks_for_its_name(script: &[u8]) -> bool {
    !script.contains(&0) && NAME_QUESTIONS.iter().any(|question| find(script, question).is_some())
}

/// Where a piece first stands.
pub(super) fn find(bytes: &[u8], piece: &[u8]) -> Option<usize> {
    bytes.windows(piece.len()).position(|window| window == piece)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BINARY: &str = "/opt/it's $HOME/git-merkle";

    fn check(script: &[u8]) {
        let block = block(Path::new(BINARY), Event::PostCommit);
        let with = insert(script, &block);
        assert!(has_block(&with), "{}", String::from_utf8_lossy(script));
        assert_eq!(strip(&with), script, "{}", String::from_utf8_lossy(&with));
        assert_eq!(insert(&with, &block), with, "twice is once");
        let moved = super::block(Path::new("/elsewhere"), Event::PostCommit);
        assert_eq!(strip(&insert(&with, &moved)), script);
        let first = lines(script).next().unwrap_or_default();
        assert!(!first.starts_with(b"#!") || with.starts_with(first), "the first line stays first");
    }

    #[test]
    fn a_block_comes_and_goes_without_a_trace() {
        for script in [
            b"".as_slice(),
            b"#!/bin/sh",
            b"#!/bin/sh\n",
            b"#!/bin/sh\r\nexit 3\r\n",
            b"#!/bin/bash -eu\nexit 3",
            b"echo no shebang\r\n",
            b"#!/bin/sh\n\xff\xfe latin\n\n\n",
        ] {
            check(script);
        }
    }

    #[test]
    fn a_torn_block_is_taken_out_as_far_as_it_is_ours() {
        let whole = insert(b"#!/bin/sh\necho mine\n", &block(Path::new(BINARY), Event::PostCommit));
        let from = find(&whole, BLOCK_START).unwrap();
        let end = find(&whole, BLOCK_END).unwrap();
        for cut in [from + 25, from + 150, end] {
            let at = lines(&whole)
                .scan(0, |sum, line| {
                    *sum += line.len();
                    Some(*sum)
                })
                .find(|at| *at >= cut)
                .unwrap();
            let torn = [&whole[..at], b"echo mine\n"].concat();
            assert_eq!(String::from_utf8_lossy(&strip(&torn)), "#!/bin/sh\necho mine\n");
        }
        for cut in from + 20..end {
            let stripped = strip(&whole[..cut]);
            assert!(stripped == b"#!/bin/sh\n" || stripped.len() < 40 + b"#!/bin/sh\n".len(), "{cut}");
        }
    }

    #[test]
    fn shells_are_told_from_everything_else() {
        let check = |script: &str, expected: bool| assert_eq!(is_shell(script.as_bytes()), expected, "{script}");
        for shell in ["#!/bin/sh\n", "#! /usr/bin/env bash\n", "#!/usr/bin/env -S zsh -eu\n", "#!/bin/dash -e\r\n", "echo\n", ""]
        {
            check(shell, true);
        }
        for other in ["#!/usr/bin/env python3\n", "#!/usr/bin/fish\n", "#!/bin/tcsh\n", "\u{7f}ELF\0", "#!/usr/bin/perl\n"] {
            check(other, false);
        }
        check("#!/bin/sh\n. \"$(dirname -- \"$0\")/_/husky.sh\"\n", true);
        check("#!/bin/sh\n# run $0 again\ncd \"${0%/*}\"\n", true);
        check("#!/bin/sh\n\"exec\" \"python3\" \"$0\" \"$@\"\nimport os\n", false);
        check("#!/bin/sh\ncd \"$(readlink -f \"$0\")/..\"\n", true);
        check("#!/bin/sh\nexec awk -f \"$0\" \"$@\"\n", false);
        check("#!/bin/sh\n# \\\nexec tclsh \"$0\" \"$@\"\n", false);
        check("#!/bin/sh\ntail -n +4 \"${0}\" | tar x\n", false);
        assert!(asks_for_its_name(b"name = File.basename($0)") && !asks_for_its_name(b"dirname"));
    }

    #[test]
    fn paths_are_one_word_on_one_line() {
        let quoted = |path: &str| String::from_utf8(shell_quote(Path::new(path))).unwrap();
        assert_eq!(quoted("/a b/$x`y\"\\"), "'/a b/$x`y\"\\'");
        assert_eq!(quoted("/it's"), "'/it'\\''s'");
        assert_eq!(quoted("/a\nb'%"), "\"$(printf '/a\\012b\\047\\045')\"");
    }

    #[test]
    fn a_chain_is_known_whatever_binary_it_calls() {
        let chain = chain(Path::new(BINARY), Event::PrePush);
        assert!(is_chain(&chain, Event::PrePush) && !is_chain(&chain, Event::PostCommit));
        assert!(!is_chain(&[&chain[..], b"echo more\n"].concat(), Event::PrePush));
    }
}
