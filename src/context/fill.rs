//! Putting pages, or the reasons why there are none, into the resources of a document.

use super::pages::{Source, Wanted};
use super::resource::{Body, Resource};

/// The most pages of one document.
const PAGES_MAX: usize = 100;

/// The most bytes of all pages of one document: they are held in memory.
const PAGES_BYTES_MAX: usize = 32 * 1024 * 1024;

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
