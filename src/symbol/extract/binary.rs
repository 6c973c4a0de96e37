//! What a content is that is no text, by the bytes that it begins with.

use crate::symbol::markdown::code;

/// The first line of a Git LFS pointer (https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md).
const LFS_VERSION: &[u8] = b"version https://git-lfs.github.com/spec/v1\n";

/// What a Git LFS pointer says, naming the size of what it points to; `None` for any other content.
#[must_use]
pub fn lfs_pointer(data: &[u8]) -> Option<String> {
    let rest = std::str::from_utf8(data.strip_prefix(LFS_VERSION)?).ok()?;
    let size = rest.lines().find_map(|line| line.strip_prefix("size "))?;
    let size: u64 = size.parse().ok()?;
    Some(format!(
        "A Git LFS pointer: the content of {size} bytes is stored outside the repository."
    ))
}

/// Bytes that stand at the start of a content, from a place on, and what it is then.
const SIGNS: [(usize, &[u8], &str); 53] = [
    (0, b"\x89PNG\r\n\x1a\n", "PNG image"),
    (0, b"\xff\xd8\xff", "JPEG image"),
    (0, b"GIF8", "GIF image"),
    (8, b"WEBP", "WebP image"),
    (4, b"ftypavif", "AVIF image"),
    (4, b"ftypavis", "AVIF image"),
    (4, b"ftypheic", "HEIC image"),
    (0, b"II*\0", "TIFF image"),
    (0, b"MM\0*", "TIFF image"),
    (0, b"\0\0\0\x0cjP  \r\n\x87\n", "JPEG 2000 image"),
    (0, b"\0\0\0\x0cJXL \r\n\x87\n", "JPEG XL image"),
    (4, b"ftyp", "MPEG-4 media"),
    (0, b"\x1aE\xdf\xa3", "Matroska media"),
    (8, b"WAVE", "WAVE sound"),
    (8, b"AVI ", "AVI video"),
    (0, b"ID3", "MP3 sound"),
    (0, b"OggS", "Ogg media"),
    (0, b"fLaC", "FLAC sound"),
    (0, b"\0\0\x01\0", "Windows icon"),
    (0, b"8BPS", "Photoshop image"),
    (0, b"wOFF", "WOFF font"),
    (0, b"wOF2", "WOFF2 font"),
    (0, b"\0\x01\0\0\0", "TrueType font"),
    (0, b"OTTO", "OpenType font"),
    (0, b"ttcf", "collection of TrueType fonts"),
    (0, b"%PDF-", "PDF document"),
    (0, b"PK\x03\x04", "ZIP archive"),
    (0, b"\x1f\x8b", "gzip data"),
    (0, b"BZh", "bzip2 data"),
    (0, b"\xfd7zXZ\0", "xz data"),
    (0, b"\x28\xb5\x2f\xfd", "Zstandard data"),
    (257, b"ustar", "tar archive"),
    (0, b"\x7fELF", "ELF object"),
    (0, b"SQLite format 3\0", "SQLite database"),
    (0, b"7z\xbc\xaf\x27\x1c", "7-Zip archive"),
    (0, b"Rar!\x1a\x07", "RAR archive"),
    (0, b"!<arch>\n", "archive of objects"),
    (0, b"\x04\x22\x4d\x18", "LZ4 data"),
    (0, b"\xcf\xfa\xed\xfe", "Mach-O object"),
    (0, b"\xce\xfa\xed\xfe", "Mach-O object"),
    (0, b"\0asm", "WebAssembly module"),
    (0, b"BC\xc0\xde", "LLVM bitcode"),
    (0, b"\x1bLua", "Lua bytecode"),
    (0, b"\xde\x12\x04\x95", "gettext catalogue"),
    (0, b"\x95\x04\x12\xde", "gettext catalogue"),
    (0, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "OLE compound file"),
    (0, b"\xd4\xc3\xb2\xa1", "network capture"),
    (0, b"\xa1\xb2\xc3\xd4", "network capture"),
    (0, b"\x0a\x0d\x0d\x0a", "network capture"),
    (0, b"\x93NUMPY", "NumPy array"),
    (0, b"\x89HDF\r\n\x1a\n", "HDF5 data"),
    (0, b"PAR1", "Parquet table"),
    (0, b"PACK\0\0\0\x02", "pack of git objects"),
];

/// Fewest and most bytes of a label that a content begins with.
const LABEL_BYTES: std::ops::RangeInclusive<usize> = 8..=60;

/// What it is, by its signs, else by the label that a zero ends.
pub(super) fn told(data: &[u8]) -> String {
    let kind = kind(data);
    match label(data).filter(|_| kind.is_empty()) {
        Some(label) => format!("Binary data with the label {}", code(label)),
        None => kind.to_owned(),
    }
}

/// Words or a name that a content begins with.
fn label(data: &[u8]) -> Option<&str> {
    let end = data
        .iter()
        .take(LABEL_BYTES.end() + 1)
        .position(|byte| *byte == 0)?;
    let label = std::str::from_utf8(&data[..end]).ok()?;
    let is_sign = |c: char| c.is_ascii_alphanumeric() || " -_./:".contains(c);
    let letters = label.chars().filter(char::is_ascii_alphabetic).count();
    let is_label =
        LABEL_BYTES.contains(&end) && label.chars().all(is_sign) && 4 * letters >= 3 * end;
    is_label.then(|| label.trim())
}

/// What it is; empty where that is not known. The signs are those of the formats' own specifications.
fn kind(data: &[u8]) -> &'static str {
    // What follows is the version of a class, from 45 on, or how many programs a universal one of macOS has.
    if let Some([_, _, _, number]) = data
        .strip_prefix(b"\xca\xfe\xba\xbe")
        .and_then(|rest| rest.first_chunk())
    {
        return if *number >= 45 {
            "Java class"
        } else {
            "Mach-O object"
        };
    }
    let has_order = data.starts_with(b"\xff\xfe") || data.starts_with(b"\xfe\xff");
    if has_order && data.len() > 2 && data.len().is_multiple_of(2) {
        return "UTF-16 text";
    }
    if is_certificate(data) {
        return "X.509 certificate";
    }
    // A program for Windows begins with one for DOS, which tells where it stands.
    let place = data.strip_prefix(b"MZ").and_then(|rest| rest.get(58..62));
    let place = place.and_then(|place| <[u8; 4]>::try_from(place).ok());
    let place = place.and_then(|place| usize::try_from(u32::from_le_bytes(place)).ok());
    if place.is_some_and(|place| {
        data.get(place..)
            .is_some_and(|at| at.starts_with(b"PE\0\0"))
    }) {
        return "Windows program or library";
    }
    let is_there = |(at, sign, _): &&(usize, &[u8], &str)| {
        let from = data.get(*at..).unwrap_or_default();
        from.starts_with(sign)
    };
    SIGNS.iter().find(is_there).map_or("", |(_, _, kind)| kind)
}

/// Whether it is a certificate in DER (RFC 5280): a sequence whose first part is one that begins with its version.
fn is_certificate(data: &[u8]) -> bool {
    let body = |data: &'_ [u8]| data.starts_with(b"\x30\x82").then_some(4);
    let inner = body(data).and_then(|at| data.get(at..));
    let version = inner.and_then(|inner| inner.get(body(inner)?..));
    version.is_some_and(|version| version.starts_with(b"\xa0\x03\x02\x01"))
}
