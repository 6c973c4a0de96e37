//! What a content is that is no text, by the bytes that it begins with.

/// Bytes that stand at the start of a content, from a place on, and what it is then.
const SIGNS: [(usize, &[u8], &str); 20] = [
    (0, b"\x89PNG\r\n\x1a\n", "PNG image"),
    (0, b"\xff\xd8\xff", "JPEG image"),
    (0, b"GIF8", "GIF image"),
    (8, b"WEBP", "WebP image"),
    (4, b"ftypavif", "AVIF image"),
    (0, b"\0\0\x01\0", "Windows icon"),
    (0, b"8BPS", "Photoshop image"),
    (0, b"wOFF", "WOFF font"),
    (0, b"wOF2", "WOFF2 font"),
    (0, b"\0\x01\0\0\0", "TrueType font"),
    (0, b"OTTO", "OpenType font"),
    (0, b"%PDF-", "PDF document"),
    (0, b"PK\x03\x04", "ZIP archive"),
    (0, b"\x1f\x8b", "gzip data"),
    (0, b"BZh", "bzip2 data"),
    (0, b"\xfd7zXZ\0", "xz data"),
    (0, b"\x28\xb5\x2f\xfd", "Zstandard data"),
    (257, b"ustar", "tar archive"),
    (0, b"\x7fELF", "ELF object"),
    (0, b"SQLite format 3\0", "SQLite database"),
];

/// What it is; empty where that is not known. The signs are those of the formats' own specifications.
pub(super) fn kind(data: &[u8]) -> &'static str {
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
    let is_there = |(at, sign, _): &&(usize, &[u8], &str)| {
        let from = data.get(*at..).unwrap_or_default();
        from.starts_with(sign)
    };
    SIGNS.iter().find(is_there).map_or("", |(_, _, kind)| kind)
}
