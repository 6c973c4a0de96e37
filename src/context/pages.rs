//! Pages among the resources: which are wanted, and by whom. The caller fetches them through a [`Source`].

/// A page that the lists name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// Its URL as it is requested, without fragment.
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
