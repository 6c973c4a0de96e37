//! What `context` says about its tokens, held against an independent tokenizer over the whole file that it wrote.

use std::path::Path;

use git_merkle::base::token;

use crate::support::{Repo, Sandbox};

/// What an estimate may be off, in per cent.
const OFF_MAX: f64 = 3.0;
/// Real texts: this program's own.
const PARTS: [&str; 5] = ["src", "tests", "docs", "hooks", "README.md"];

/// Texts of other kinds, which nobody wrote for this program; each is repeated to a file of some length.
const TEXTS: &[(&str, &str)] = &[
    (
        "vector.h",
        "#ifndef XG_VEC3_H_\n#define XG_VEC3_H_\n\n#define XG_VEC3F_DOT(a, b) ((a)->x * (b)->x + (a)->y * (b)->y)\n\ntypedef \
         struct xg_vec3f_s {\n\tfloat\tx, y, z;\n\tuint32_t\tflags;\t/* XG_VF_* */\n} xg_vec3f_t;\n\nextern int \
         xg_vec3f_normalize(xg_vec3f_t *restrict dst, const xg_vec3f_t *restrict src);\n#endif /* XG_VEC3_H_ */\n",
    ),
    (
        "walk.py",
        "def walk(root: Path, *, depth: int = 0) -> Iterator[tuple[int, Path]]:\n    \"\"\"Yields paths, parents first.\"\"\"\n    \
         for child in sorted(root.iterdir(), key=lambda p: p.name.lower()):\n        yield depth, child\n        if \
         child.is_dir() and not child.is_symlink():\n            yield from walk(child, depth=depth + 1)\n\n\n",
    ),
    (
        "view.tsx",
        "export const UserList: React.FC<Props> = ({ users, onSelect }) => {\n  const [query, setQuery] = \
         useState<string>('');\n  const shown = useMemo(() => users.filter(u => u.name.includes(query)), [users, query]);\n  \
         return (\n    <ul className=\"user-list\">\n      {shown.map(u => <li key={u.id} onClick={() => onSelect?.(u)}>{u.name}\
         </li>)}\n    </ul>\n  );\n};\n",
    ),
    (
        "pressed.js",
        "!function(e,t){\"object\"==typeof exports?module.exports=t():e.Qx=t()}(this,function(){var \
         n={},r=n.hasOwnProperty;function o(e){return e&&e.__esModule?e:{default:e}}for(var i=0;i<256;++i)n[i]=(i+256)\
         .toString(16).substr(1);",
    ),
    (
        "package.json",
        "{\"name\":\"@scope/pkg\",\"version\":\"10.4.27\",\"dependencies\":{\"left-pad\":\"^1.3.0\",\"qs\":\"~6.11.2\"},\n  \
         \"engines\": { \"node\": \">=18.17.0\" },\n  \"sizes\": [16, 32, 1024, 1.5e-7, null, true]\n}\n",
    ),
    (
        "Cargo.toml",
        "[dependencies.windows-sys]\nversion = \"0.59.0\"\nfeatures = [\"Win32_Foundation\", \"Wdk_Storage\"]\n\n",
    ),
    (
        "hangul.md",
        "## 설치 방법\n\n먼저 저장소를 복제한 다음, `make install` 명령을 실행하십시오. 설정 파일은 홈 디렉터리에 있습니다.\n\n",
    ),
    (
        "chinese.md",
        "## 使用说明\n\n- **安装**:运行 `cargo install foo`,然后把配置文件放到用户目录下。\n- 更多信息请参考[文档](https://example.org/zh)。\n\n",
    ),
    (
        "japanese.md",
        "## 使い方\n\nまず「設定ファイル」を用意して、コマンドを実行してください。詳細はドキュメントをご覧ください。\n\n",
    ),
    (
        "russian.md",
        "## Установка\n\nСначала клонируйте репозиторий, затем выполните команду `make`. Подробности — в документации.\n\n",
    ),
    (
        "hindi.md",
        "## स्थापना\n\nपहले रिपॉजिटरी को क्लोन करें, फिर नीचे दिया गया आदेश चलाएँ। अधिक जानकारी के लिए दस्तावेज़ देखें।\n\n",
    ),
    (
        "german.md",
        "## Überblick\n\nDas Werkzeug prüft Größen und Abhängigkeiten; was übrig bleibt, läuft künftig früher.\n\n",
    ),
    (
        "signs.md",
        "| ✅ | ⚠️ | ❌ | 🚀 👩‍👩‍👧 | → ⇒ ≤ ≠ ∀x∈ℝ |\n├── src\n│   └── lib.rs\n════════════════════\n",
    ),
    (
        "marks.txt",
        "--------------------------------\n================================\n\t\t\t\t\n        \n/////////***////####~~~~\n",
    ),
];
/// A file of these texts has at least so many bytes.
const TEXT_BYTES: usize = 12_000;
/// Of a document with so many bytes only a share is counted.
const LONG_BYTES: usize = 6 << 20;

/// Copies this program's own files into a repository.
fn fill_with_own(repo: &Repo<'_>) {
    fn copy(from: &Path, to: &Path) {
        if !from.is_dir() {
            std::fs::copy(from, to).expect("a file");
            return;
        }
        std::fs::create_dir_all(to).expect("a folder");
        for entry in std::fs::read_dir(from).expect("a folder").flatten() {
            copy(&entry.path(), &to.join(entry.file_name()));
        }
    }
    for part in PARTS {
        copy(
            &Path::new(env!("CARGO_MANIFEST_DIR")).join(part),
            &repo.path(part),
        );
    }
}

/// Writes the texts, and tables of numbers and of letters without any sense.
fn fill_with_others(repo: &Repo<'_>) {
    let folder = repo.path("others");
    std::fs::create_dir_all(&folder).expect("a folder");
    let write =
        |name: &str, text: String| std::fs::write(folder.join(name), text).expect("writable");
    for (name, text) in TEXTS {
        write(name, text.repeat(TEXT_BYTES.div_ceil(text.len())));
    }
    let mut state = 1_u64;
    let mut random = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        state >> 33
    };
    let numbers: Vec<String> = (0..900)
        .map(|_| format!("0x{:04x}, {},\n", random() & 0xffff, random()))
        .collect();
    write("numbers.c", numbers.concat());
    let letters = |random: u64| {
        char::from(
            b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/"
                [random as usize % 64],
        )
    };
    write(
        "letters.txt",
        (0..TEXT_BYTES)
            .map(|at| {
                if at % 77 == 76 {
                    '\n'
                } else {
                    letters(random())
                }
            })
            .collect(),
    );
}

fn commit(repo: &Repo<'_>) {
    repo.commit("texts");
}

/// Every folder of the repository makes a document, and every file of the other kinds.
fn documents(repo: &Repo<'_>) -> Vec<String> {
    let folders = repo
        .git(&["ls-tree", "-d", "-r", "--name-only", "HEAD"])
        .ok();
    let files = repo
        .git(&["ls-tree", "--name-only", "HEAD", "others/"])
        .ok();
    let folders = folders.lines().map(|folder| format!("{folder}/**"));
    folders
        .chain(files.lines().map(str::to_owned))
        .chain(["**/*.md".to_owned()])
        .collect()
}

/// What is said of a document that is written, and what an independent tokenizer says of the file, in per cent of that.
fn off(repo: &Repo<'_>, entry: &str) -> (f64, String) {
    let output = repo
        .merkle(&["context", "--redact", "--output", "../input.md", entry])
        .exits(0);
    let document = std::fs::read_to_string(repo.path("../input.md")).expect("written");
    let real = tiktoken_rs::o200k_base_singleton().count_ordinary(&document);
    let said: f64 = output
        .err()
        .strip_suffix(" tokens (estimate)\n")
        .and_then(|said| said.parse().ok())
        .expect("a number");
    (
        100.0 * (said / real as f64 - 1.0),
        format!("{entry}: {said} for {real} in {} bytes", document.len()),
    )
}

#[test]
fn estimates_are_those_of_a_real_tokenizer_within_three_per_cent() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    fill_with_own(&repo);
    fill_with_others(&repo);
    commit(&repo);
    for entry in documents(&repo) {
        let (off, said) = off(&repo, &entry);
        assert!(off.abs() <= OFF_MAX, "{off:+.2} %: {said}");
    }
}

#[test]
fn of_a_long_document_a_share_is_enough() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    fill_with_own(&repo);
    fill_with_others(&repo);
    let mut bytes = 0;
    // Files of many kinds side by side, each kind with its own number of tokens in so many bytes.
    for (number, (name, text)) in TEXTS.iter().cycle().enumerate() {
        if bytes > LONG_BYTES {
            break;
        }
        let text = text.repeat((number + 1) * 40);
        std::fs::create_dir_all(repo.path(&format!("long/{number}"))).expect("a folder");
        std::fs::write(repo.path(&format!("long/{number}/{name}")), &text).expect("writable");
        bytes += text.len();
    }
    commit(&repo);
    let (off, said) = off(&repo, "**");
    assert!(off.abs() <= OFF_MAX, "{off:+.2} %: {said}");
}

#[test]
fn the_estimate_is_said_once_and_not_when_quiet() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled("commit first\n+ a.md = # words");
    let output = repo.merkle(&["context", "a.md"]).exits(0);
    let said: u64 = output
        .err()
        .trim_end_matches(" tokens (estimate)\n")
        .parse()
        .expect("a number");
    let whole = token::estimate(&output.out());
    assert!(whole.abs_diff(said) <= 2, "{whole} of {output}");
    assert_eq!(
        repo.merkle(&["context", "a.md", "--section", "5"])
            .exits(0)
            .err(),
        ""
    );
    assert_eq!(
        repo.merkle(&["context", "a.md", "--quiet"]).exits(0).err(),
        ""
    );
    let output = repo.merkle(&["context", "a.md", "--section", "5", "--json"]);
    let document = output.json("context");
    let said = document["tokens_estimated"].as_u64().expect("a number");
    let whole = token::estimate(document["text"].as_str().expect("text"));
    assert!(whole.abs_diff(said) <= 2, "{whole} of {document}");
    assert_eq!(output.err(), "");
}
