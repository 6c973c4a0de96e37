//! The yardstick of the outlines: tree-sitter parsing alone, of the same files, on all cores.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use tree_sitter::{Language, Parser};

use crate::measure::{Failure, git};

/// A file's text and the language that its name says it is in.
pub(crate) struct Text {
    language: Language,
    content: Vec<u8>,
}

/// Reads the tracked files of a work tree that are in a known language.
pub(crate) fn texts(work_tree: &Path) -> Result<Vec<Text>, Failure> {
    let names = git().args(["ls-files", "-z"]).inside(work_tree).output()?;
    let mut texts = Vec::new();
    for name in names.split_terminator('\0').map(PathBuf::from) {
        if let Some(language) = name
            .extension()
            .and_then(|extension| language(extension.to_str()?))
        {
            texts.push(Text {
                language,
                content: std::fs::read(work_tree.join(name))?,
            });
        }
    }
    Ok(texts)
}

/// Total size in bytes.
pub(crate) fn size_bytes(texts: &[Text]) -> usize {
    texts.iter().map(|text| text.content.len()).sum()
}

/// How long parsing takes with a thread per core, each taking the next file.
pub(crate) fn time(texts: &[Text]) -> Result<Duration, Failure> {
    let cores = std::thread::available_parallelism()?.get();
    let next = AtomicUsize::new(0);
    let start = Instant::now();
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..cores)
            .map(|_| scope.spawn(|| parse_all(texts, &next)))
            .collect();
        workers.into_iter().try_for_each(|worker| {
            worker
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    })?;
    Ok(start.elapsed())
}

fn parse_all(texts: &[Text], next: &AtomicUsize) -> Result<(), Failure> {
    let mut parser = Parser::new();
    while let Some(text) = texts.get(next.fetch_add(1, Ordering::Relaxed)) {
        parser
            .set_language(&text.language)
            .map_err(|error| Failure(error.to_string()))?;
        std::hint::black_box(parser.parse(&text.content, None));
    }
    Ok(())
}

fn language(extension: &str) -> Option<Language> {
    Some(match extension {
        "bash" | "sh" => tree_sitter_bash::LANGUAGE.into(),
        "c" | "h" => tree_sitter_c::LANGUAGE.into(),
        "cc" | "cpp" | "cxx" | "hh" | "hpp" => tree_sitter_cpp::LANGUAGE.into(),
        "cs" => tree_sitter_c_sharp::LANGUAGE.into(),
        "go" => tree_sitter_go::LANGUAGE.into(),
        "java" => tree_sitter_java::LANGUAGE.into(),
        "cjs" | "js" | "jsx" | "mjs" => tree_sitter_javascript::LANGUAGE.into(),
        "php" => tree_sitter_php::LANGUAGE_PHP.into(),
        "py" | "pyi" => tree_sitter_python::LANGUAGE.into(),
        "rb" => tree_sitter_ruby::LANGUAGE.into(),
        "rs" => tree_sitter_rust::LANGUAGE.into(),
        "ts" => tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
        "tsx" => tree_sitter_typescript::LANGUAGE_TSX.into(),
        _ => return None,
    })
}
