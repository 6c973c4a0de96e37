//! Pages among the resources: which are wanted, and by whom. The caller fetches them through a [`Source`].

use super::resource::{Body, Resource};

/// The most pages of one document.
pub const PAGES_MAX: usize = 100;
/// The most bytes of all pages of one document: they are held in memory.
pub const PAGES_BYTES_MAX: usize = 32 * 1024 * 1024;

/// A page that the lists name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// Its URL as it is asked for, without fragment.
    pub url: String,
    /// True when the user named it, and not only a file of the repository.
    pub is_personal: bool,
    /// Which resource it is.
    pub(super) at: usize,
}

impl Wanted {
    /// A page by itself, for a caller without a document.
    #[must_use]
    pub fn new(url: impl Into<String>, is_personal: bool) -> Self {
        Self {
            url: url.into(),
            is_personal,
            at: 0,
        }
    }
}

/// A page as it goes into the document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// The language of its fence.
    pub language: String,
    /// What there is to say about it besides its text, on one line.
    pub note: Option<String>,
    /// Its text.
    pub text: String,
}

/// Gets pages, one answer for each that is wanted: the page, or the reason why there is none.
pub type Source<'s> = &'s dyn Fn(&[Wanted]) -> Vec<Result<Shown, String>>;

/// Puts pages, or the reasons why there are none, into their resources.
pub(super) fn fill(resources: &mut [Resource], wanted: &[Wanted], source: Source<'_>) {
    let (asked, left_out) = wanted.split_at(wanted.len().min(PAGES_MAX));
    let mut bytes = 0;
    let answers = if asked.is_empty() {
        Vec::new()
    } else {
        source(asked)
    };
    for (page, answer) in asked.iter().zip(answers) {
        bytes += answer.as_ref().map_or(0, |shown| shown.text.len());
        resources[page.at].body = match answer {
            Ok(_) if bytes > PAGES_BYTES_MAX => Body::Refused(format!(
                "the pages have more than {PAGES_BYTES_MAX} bytes together"
            )),
            Ok(shown) => Body::Page(shown),
            Err(reason) => Body::Refused(reason),
        };
    }
    for page in left_out {
        resources[page.at].body = Body::Refused(format!(
            "not fetched, since the lists name more than {PAGES_MAX} pages"
        ));
    }
}
