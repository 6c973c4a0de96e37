//! An image that goes along with a user's words: bytes, as text that every protocol carries.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// Largest image, in bytes: what the strictest of the large providers takes.
pub const IMAGE_BYTES_MAX: usize = 5 << 20;
/// What an image is taken to be in tokens: of Anthropic the most, of OpenAI about the most at high detail.
pub const IMAGE_TOKENS: u64 = 1_600;

/// An image as providers take it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// `image/png`, `image/jpeg`, `image/gif` or `image/webp`.
    pub media_type: &'static str,
    /// Its bytes in base64 (RFC 4648, padded).
    pub base64: String,
}

/// Bytes are no image that providers take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ImageError {
    /// Another kind of file.
    #[error("not an image in PNG, JPEG, GIF or WebP")]
    Unknown,
    /// Too many bytes.
    #[error("{0} bytes, over the limit of {IMAGE_BYTES_MAX}")]
    TooLarge(usize),
}

impl Image {
    /// Takes an image, whose kind is told by its first bytes and not by a name.
    pub fn new(bytes: &[u8]) -> Result<Self, ImageError> {
        if bytes.len() > IMAGE_BYTES_MAX {
            return Err(ImageError::TooLarge(bytes.len()));
        }
        let media_type = match bytes {
            [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => "image/png",
            [0xff, 0xd8, 0xff, ..] => "image/jpeg",
            [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => "image/gif",
            [
                b'R',
                b'I',
                b'F',
                b'F',
                _,
                _,
                _,
                _,
                b'W',
                b'E',
                b'B',
                b'P',
                ..,
            ] => "image/webp",
            _ => return Err(ImageError::Unknown),
        };
        Ok(Self {
            media_type,
            base64: STANDARD.encode(bytes),
        })
    }

    /// The image as an address that holds it (RFC 2397).
    #[must_use]
    pub fn data_uri(&self) -> String {
        format!("data:{};base64,{}", self.media_type, self.base64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kind_is_told_by_the_bytes() {
        let kinds = [
            b"\x89PNG\r\n\x1a\nx".as_slice(),
            b"\xff\xd8\xff\xe0",
            b"GIF89a",
            b"RIFF\0\0\0\0WEBPVP8 ",
        ]
        .map(Image::new);
        let kinds = kinds.map(|image| image.expect("an image").media_type);
        assert_eq!(
            kinds,
            ["image/png", "image/jpeg", "image/gif", "image/webp"]
        );
        for bytes in [b"".as_slice(), b"<svg>", b"RIFF\0\0\0\0WAVE", b"\x89PNG"] {
            assert_eq!(Image::new(bytes), Err(ImageError::Unknown));
        }
        assert_eq!(
            Image::new(&vec![0; IMAGE_BYTES_MAX + 1]),
            Err(ImageError::TooLarge(IMAGE_BYTES_MAX + 1))
        );
        assert_eq!(
            Image::new(b"GIF89a")
                .map(|image| image.data_uri())
                .as_deref(),
            Ok("data:image/gif;base64,R0lGODlh")
        );
    }
}
