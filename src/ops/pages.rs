//! Pages for payloads: who may have them fetched, and what was fetched before.
//!
//! A page is fetched when the user names it on the command line, or when `merkle.urls` covers it. That a repository is
//! trusted is not enough: its lists are not among what the user has accepted. What came is kept for a day below the
//! cache, a file for each URL, as it came, so that a payload that is built again is the same payload.

use std::os::unix::fs::MetadataExt as _;

use serde::{Deserialize, Serialize};

use crate::base::{clock, hash};
use crate::config::table;
use crate::context::pages::{Shown, Wanted};
use crate::git::StateDir;
use crate::page::address::AddressPolicy;
use crate::page::{Fetcher, Page, PageError, Prefix, Url, html, link};
use crate::workspace::Settings;
use crate::workspace::state::{PAGES, is_page};

/// How long a page is good for, in seconds.
const AGE_SECONDS_MAX: u64 = 24 * 60 * 60;
/// The form of the files.
const FORMAT: u32 = 1;
/// Larger than any page that is fetched, with its head.
const FILE_BYTES_MAX: u64 = 64 << 20;

/// How pages are got for one payload.
#[derive(Clone, Copy, Default)]
pub struct PageOptions<'o> {
    /// HTML is shown as it is, not as Markdown.
    pub is_raw: bool,
    /// True where a person waits; in the background nothing is fetched.
    pub is_foreground: bool,
    /// Hears how many pages are done, of how many.
    pub on_done: Option<&'o dyn Fn(usize, usize)>,
}

impl std::fmt::Debug for PageOptions<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PageOptions")
            .field("is_raw", &self.is_raw)
            .field("is_foreground", &self.is_foreground)
            .finish()
    }
}

/// Gets pages from the cache, else from the web where that is allowed; the reason is one line of plain text.
pub(super) fn pages(
    state: &StateDir,
    settings: &Settings,
    wanted: &[Wanted],
    options: PageOptions<'_>,
) -> Vec<Result<Shown, String>> {
    let allowed = Allowed::parse(settings.stack().words(&table::URLS));
    let judged: Vec<Result<Url, String>> =
        wanted.iter().map(|page| judge(page, &allowed)).collect();
    let mut cache = Cache {
        state,
        now: clock::now_seconds(),
    };
    let fetch = |urls: &[Url]| fetch(urls, options);
    get(&judged, &mut cache, &fetch)
        .into_iter()
        .map(|page| show(page?, options.is_raw))
        .collect()
}

/// What `merkle.urls` allows.
struct Allowed {
    prefixes: Vec<Prefix>,
    /// A word of it that is no prefix of a URL.
    bad: Option<String>,
}

impl Allowed {
    fn parse<'w>(words: impl Iterator<Item = &'w str>) -> Self {
        let mut allowed = Self {
            prefixes: Vec::new(),
            bad: None,
        };
        for word in words {
            match Prefix::parse(word) {
                Some(prefix) => allowed.prefixes.push(prefix),
                None => allowed.bad = Some(word.to_owned()),
            }
        }
        allowed
    }
}

/// The URL of a page that may be had.
fn judge(page: &Wanted, allowed: &Allowed) -> Result<Url, String> {
    let judged = link::parse(page.url.as_bytes())
        .and_then(|url| link::check(&url, &AddressPolicy::PUBLIC).map(|()| url));
    let url = judged.map_err(|error| format!("failed URL: {error}"))?;
    if page.is_personal || allowed.prefixes.iter().any(|prefix| prefix.covers(&url)) {
        return Ok(url);
    }
    if let Some(bad) = &allowed.bad {
        return Err(format!(
            "not fetched, since 'merkle.urls' says '{bad}', which is no beginning of an https URL"
        ));
    }
    let origin = url.origin().ascii_serialization();
    Err(format!(
        "not fetched, since a list of the repository names it and not the user; 'git config --global --add merkle.urls {origin}' allows it"
    ))
}

type Fetch<'f> = &'f dyn Fn(&[Url]) -> Vec<Result<Page, PageError>>;

/// Fetches what may be fetched here.
fn fetch(urls: &[Url], options: PageOptions<'_>) -> Vec<Result<Page, PageError>> {
    if !options.is_foreground {
        return vec![Err(PageError::Background); urls.len()];
    }
    let say = |done| {
        options
            .on_done
            .iter()
            .for_each(|on_done| on_done(done, urls.len()));
    };
    say(0);
    match Fetcher::new() {
        Ok(fetcher) => fetcher.fetch_all(urls, &mut { say }),
        Err(error) => vec![Err(error); urls.len()],
    }
}

/// Pages from the cache, and the others in one go.
fn get(
    judged: &[Result<Url, String>],
    cache: &mut Cache<'_>,
    fetch: Fetch<'_>,
) -> Vec<Result<Page, String>> {
    let mut pages: Vec<Option<Page>> = judged
        .iter()
        .map(|url| cache.read(url.as_ref().ok()?))
        .collect();
    let is_missing = |(url, page): (&Result<Url, String>, &Option<Page>)| {
        page.is_none().then(|| url.as_ref().ok().cloned())?
    };
    let missing: Vec<Url> = judged.iter().zip(&pages).filter_map(is_missing).collect();
    let mut fetched = if missing.is_empty() {
        Vec::new()
    } else {
        fetch(&missing)
    }
    .into_iter();
    let mut together = |url: &Result<Url, String>, page: &mut Option<Page>| match (url, page.take())
    {
        (Err(reason), _) => Err(reason.clone()),
        (Ok(_), Some(page)) => Ok(page),
        (Ok(url), None) => {
            let page = fetched
                .next()
                .unwrap_or(Err(PageError::Target))
                .map_err(|error| format!("failed URL: {error}"))?;
            cache.write(url, &page);
            Ok(page)
        }
    };
    judged
        .iter()
        .zip(&mut pages)
        .map(|(url, page)| together(url, page))
        .collect()
}

/// A page as it goes into the document.
fn show(page: Page, is_raw: bool) -> Result<Shown, String> {
    let name = page
        .media_type
        .rsplit(['/', '+'])
        .next()
        .unwrap_or_default();
    let language = match name {
        "html" | "xhtml" => "html",
        "plain" | "x-markdown" => "",
        name if name.bytes().all(|byte| byte.is_ascii_alphanumeric()) => name,
        _ => "",
    };
    let is_html = page.media_type == "text/html" || page.media_type == "application/xhtml+xml";
    if is_raw || !is_html {
        return Ok(Shown {
            language: if is_html { "html" } else { language }.to_owned(),
            note: None,
            text: page.text,
        });
    }
    let markdown = html::to_markdown(&page.text).map_err(|error| format!("failed URL: {error}"))?;
    let note = markdown.title.map(|title| format!("Title: {title}"));
    Ok(Shown {
        language: "markdown".to_owned(),
        note,
        text: markdown.text,
    })
}

/// What was fetched before.
struct Cache<'s> {
    state: &'s StateDir,
    now: u64,
}

/// The first line of a file, JSON; the page's text is what follows.
#[derive(Serialize, Deserialize)]
struct Head {
    format: u32,
    url: String,
    found_at: String,
    media_type: String,
    fetched_seconds: u64,
    /// Of the text: a damaged file is no page.
    sha256: String,
}

impl Cache<'_> {
    fn folder(&self) -> StateDir {
        self.state.cache().folder(PAGES)
    }

    fn name(url: &Url) -> String {
        hash::sha256_hex(url.as_str().as_bytes())
    }

    /// A page that is no more than a day old.
    fn read(&self, url: &Url) -> Option<Page> {
        let data = String::from_utf8(
            self.folder()
                .read_sealed(&Self::name(url), FILE_BYTES_MAX)?,
        )
        .ok()?;
        let (head, text) = data.split_once('\n')?;
        let head: Head = serde_json::from_str(head).ok()?;
        let is_whole = head.format == FORMAT
            && head.url == url.as_str()
            && head.sha256 == hash::sha256_hex(text.as_bytes());
        let is_young = self.now.abs_diff(head.fetched_seconds) <= AGE_SECONDS_MAX;
        (is_whole && is_young).then(|| Page {
            url: head.found_at,
            media_type: head.media_type,
            text: text.to_owned(),
        })
    }

    /// Keeps a page; where that cannot be done it will be fetched again.
    fn write(&self, url: &Url, page: &Page) {
        let head = Head {
            format: FORMAT,
            url: url.as_str().to_owned(),
            found_at: page.url.clone(),
            media_type: page.media_type.clone(),
            fetched_seconds: self.now,
            sha256: hash::sha256_hex(page.text.as_bytes()),
        };
        let Ok(head) = serde_json::to_string(&head) else {
            return;
        };
        let folder = self.folder();
        if folder.create().is_ok() {
            remove_old(&folder);
            let _ = folder.write_sealed_lightly(
                &Self::name(url),
                format!("{head}\n{}", page.text).as_bytes(),
            );
        }
    }
}

/// Removes what can no longer be read, by the time at which it was written.
fn remove_old(folder: &StateDir) {
    folder.remove_abandoned();
    for name in folder
        .names()
        .unwrap_or_default()
        .iter()
        .filter(|name| is_page(name))
    {
        let found = folder.open(name, u64::MAX).and_then(|open| open.metadata());
        let written = found.map_or(u64::MAX, |found| found.mtime().max(0).cast_unsigned());
        if written < clock::real_seconds().saturating_sub(AGE_SECONDS_MAX) {
            let _ = folder.remove(name);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;
    use crate::git::fixture::state;

    fn page(text: &str) -> Page {
        Page {
            url: "https://docs.example/there".into(),
            media_type: "text/html".into(),
            text: text.into(),
        }
    }

    #[test]
    fn pages_are_kept_for_a_day_and_only_as_they_came() {
        let (_folder, state) = state();
        let urls: Vec<Result<Url, String>> = ["https://docs.example/a", "https://docs.example/b"]
            .map(|url| Ok(Url::parse(url).expect("a URL")))
            .into();
        let asked = RefCell::new(Vec::new());
        let fetch = |urls: &[Url]| {
            asked
                .borrow_mut()
                .extend(urls.iter().map(ToString::to_string));
            urls.iter()
                .map(|url| Ok(page(&format!("{url} {}", asked.borrow().len()))))
                .collect()
        };
        let at = |now| get(&urls, &mut Cache { state: &state, now }, &fetch);
        let first = at(1_000);
        assert_eq!(asked.borrow().len(), 2);
        assert_eq!(
            (at(1_000), at(1_000 + AGE_SECONDS_MAX)),
            (first.clone(), first.clone())
        );
        assert_eq!(asked.borrow().len(), 2, "nothing was asked again");
        let files: Vec<_> = fs::read_dir(state.cache().folder(PAGES).shown())
            .expect("written")
            .flatten()
            .collect();
        assert_eq!(files.len(), 2);
        assert!(
            files
                .iter()
                .all(|file| file.metadata().expect("there").permissions().mode() & 0o777 == 0o600)
        );
        let path = state
            .cache()
            .folder(PAGES)
            .shown_file(&Cache::name(urls[0].as_ref().expect("a URL")));
        let text = fs::read_to_string(&path).expect("written");
        for damaged in [
            text.replace("docs.example/a 2", "docs.example/b 2"),
            text[..40].to_owned(),
            String::new(),
        ] {
            fs::write(&path, damaged).expect("writable");
            let before = asked.borrow().len();
            let _ = at(1_000);
            assert_eq!(asked.borrow().len(), before + 1);
        }
        assert_ne!(
            at(1_001 + AGE_SECONDS_MAX),
            first,
            "a day later it is another page"
        );
    }

    #[test]
    fn failures_are_not_kept_and_reasons_stay_with_their_pages() {
        let (_folder, state) = state();
        let url = |text| Ok(Url::parse(text).expect("a URL"));
        let judged = [
            url("https://a.example/"),
            Err("no".to_owned()),
            url("https://b.example/"),
        ];
        let fetch = |urls: &[Url]| {
            urls.iter()
                .map(|url| {
                    if url.host_str() == Some("a.example") {
                        Err(PageError::Status(500))
                    } else {
                        Ok(page("b"))
                    }
                })
                .collect()
        };
        let mut cache = Cache {
            state: &state,
            now: 0,
        };
        let failed = "failed URL: the server answers 500";
        assert_eq!(
            get(&judged, &mut cache, &fetch),
            [Err(failed.to_owned()), Err("no".to_owned()), Ok(page("b"))]
        );
        let never = |_: &[Url]| vec![Err(PageError::Background)];
        let again = get(&judged, &mut cache, &never);
        assert_eq!(again[2], Ok(page("b")));
        assert_eq!(
            again[0],
            Err("failed URL: nothing is fetched in the background".to_owned())
        );
    }

    #[test]
    fn only_the_user_and_the_setting_let_a_page_be_fetched() {
        let judged = |url: &str, is_personal, words: &str| {
            let page = Wanted::new(url, is_personal);
            judge(&page, &Allowed::parse(words.split_whitespace())).map(String::from)
        };
        for (url, is_personal, words, expected) in [
            (
                "https://docs.example/a",
                true,
                "",
                Ok("https://docs.example/a"),
            ),
            (
                "https://docs.example/a",
                false,
                "https://docs.example/a",
                Ok("https://docs.example/a"),
            ),
            (
                "https://docs.example/b",
                false,
                "https://docs.example/a https://docs.example",
                Ok("https://docs.example/b"),
            ),
            (
                "https://docs.example/b",
                false,
                "https://docs.example/a",
                Err("--add merkle.urls https://docs.example' allows it"),
            ),
            (
                "https://docs.example/b",
                false,
                "docs.example",
                Err("says 'docs.example', which is no beginning of an https URL"),
            ),
            (
                "https://127.0.0.1/",
                true,
                "",
                Err("failed URL: 127.0.0.1 is loopback, and only public addresses are reached"),
            ),
            (
                "http://docs.example/",
                true,
                "",
                Err("failed URL: only https is fetched, not http"),
            ),
        ] {
            match (judged(url, is_personal, words), expected) {
                (Ok(url), Ok(expected)) => assert_eq!(url, expected),
                (Err(reason), Err(expected)) => assert!(reason.ends_with(expected), "{reason}"),
                (judged, _) => panic!("{url} {words}: {judged:?}"),
            }
        }
    }

    #[test]
    fn pages_are_shown_as_markdown_or_as_they_came() {
        let shown = |media_type: &str, is_raw| {
            let page = Page {
                media_type: media_type.into(),
                ..page("<title>T</title><p>a<b>c</b>")
            };
            show(page, is_raw).map(|shown| (shown.language, shown.note, shown.text))
        };
        let raw = || "<title>T</title><p>a<b>c</b>".to_owned();
        let (markdown, title) = (|| "markdown".to_owned(), Some("Title: T".to_owned()));
        assert_eq!(
            shown("text/html", false),
            Ok((markdown(), title.clone(), "a**c**".into()))
        );
        assert_eq!(
            shown("application/xhtml+xml", false),
            Ok((markdown(), title, "a**c**".into()))
        );
        assert_eq!(shown("text/html", true), Ok(("html".into(), None, raw())));
        for (media_type, language) in [
            ("text/plain", ""),
            ("application/ld+json", "json"),
            ("text/x.y", ""),
            ("text/markdown", "markdown"),
        ] {
            assert_eq!(
                shown(media_type, false),
                Ok((language.into(), None, raw())),
                "{media_type}"
            );
        }
    }
}
