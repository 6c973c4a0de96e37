//! Chromium without a screen, where it is installed: what a page is after its scripts have run.

use std::path::Path;

use crate::support::Sandbox;

/// Where distributions put it.
const PLACES: [&str; 3] = [
    "/usr/bin/chromium",
    "/usr/bin/chromium-browser",
    "/usr/bin/google-chrome",
];

/// The program of a browser.
pub(crate) struct Browser(&'static str);

impl Browser {
    /// The one that is installed; where none is, that is said.
    pub(crate) fn find() -> Option<Self> {
        let found = PLACES.into_iter().find(|place| Path::new(place).exists());
        #[expect(clippy::print_stderr, reason = "a check that was left out says so")]
        if found.is_none() {
            eprintln!("no chromium is installed: the pages were not opened in a browser");
        }
        found.map(Self)
    }

    /// The document of a page after its scripts have run.
    pub(crate) fn open(&self, sandbox: &Sandbox, page: &Path) -> String {
        let profile = sandbox.path("profile");
        let output = sandbox
            .run(self.0, &sandbox.path(""))
            .args([
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--no-first-run",
                "--virtual-time-budget=500",
                "--dump-dom",
            ])
            .arg(format!("--user-data-dir={}", profile.display()))
            .arg(format!("file://{}", page.display()))
            .run();
        String::from_utf8_lossy(&output.stdout).into_owned()
    }
}
