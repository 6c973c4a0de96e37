//! Hooks as a user meets them: put in beside anything, called by stock git, taken out without a trace.

#[cfg(target_os = "linux")]
mod autosync;
mod broken;
mod install;
mod install_config;
#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod install_kill;
mod install_said;
#[cfg(target_os = "linux")]
mod neighbour;
#[cfg(target_os = "linux")]
mod push;
mod quarantine;
mod secret;
#[cfg(target_os = "linux")]
pub(crate) mod worker;

use std::collections::BTreeMap;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use crate::support::{Output, PROGRAM, Repo, Run, Sandbox};

/// What the folder of the program is called: everything that shells and configuration files give a meaning to.
const PROGRAM_FOLDER: &str = "b i'n $HOME \"q\" `x` \\y";

/// A file or a link, its mode, and what it holds.
type Listing = BTreeMap<PathBuf, (u32, Vec<u8>)>;

/// A repository whose hooks write down what they are given.
struct World<'s> {
    sandbox: &'s Sandbox,
    repo: Repo<'s>,
}

impl<'s> World<'s> {
    /// With one commit, in a folder of this name; the program stands in a folder of its own.
    fn new(sandbox: &'s Sandbox, name: &str) -> Self {
        let repo = sandbox.repo(name);
        repo.fill("commit first\n+ a.txt = a");
        Self::at(sandbox, repo)
    }

    fn at(sandbox: &'s Sandbox, repo: Repo<'s>) -> Self {
        // What the hooks lead to is another question: here they are called, and do nothing.
        repo.config_global("merkle.hooks", "false");
        let folder = sandbox.path(PROGRAM_FOLDER);
        std::fs::create_dir_all(&folder).expect("files of a test can be made");
        let world = Self { sandbox, repo };
        world.place_program();
        world
    }

    fn program(&self) -> PathBuf {
        self.sandbox.path(PROGRAM_FOLDER).join("git-merkle")
    }

    /// The program under test, to install with.
    fn place_program(&self) {
        let _ = std::fs::remove_file(self.program());
        symlink(PROGRAM, self.program()).expect("files of a test can be made");
    }

    /// A program that writes down how it was called, reads its input, complains and fails.
    fn place_recorder(&self) {
        std::fs::remove_file(self.program()).expect("files of a test can be made");
        let log = self.log_file("calls");
        script(
            &self.program(),
            &format!(
                "#!/bin/sh\necho \"$*\" >>'{0}'\ncat >>'{0}'\necho noise; echo noise >&2\nexit 9\n",
                log.display()
            ),
        );
    }

    fn log_file(&self, name: &str) -> PathBuf {
        self.sandbox.path(name)
    }

    /// What was written down since the last look.
    fn log(&self, name: &str) -> String {
        let text = std::fs::read_to_string(self.log_file(name)).unwrap_or_default();
        let _ = std::fs::remove_file(self.log_file(name));
        text
    }

    /// A command with the program's folder first on the search path.
    fn command(&self, program: &str, arguments: &[&str]) -> Run {
        let script = "PATH=\"$1:$PATH\"; shift; exec \"$@\"";
        let run = self
            .repo
            .run("sh")
            .args(["-c", script, "sh"])
            .arg(self.sandbox.path(PROGRAM_FOLDER));
        run.arg(program).args(arguments)
    }

    fn hooks(&self, arguments: &[&str]) -> Output {
        self.command("git-merkle", &[&["hooks"], arguments].concat())
            .run()
    }

    /// Lets git run a hook with arguments and input.
    fn fire(&self, event: &str) -> (Option<i32>, String, String) {
        std::fs::write(self.log_file("input"), "one two\nthree\n")
            .expect("files of a test can be made");
        let input = format!("--to-stdin={}", self.log_file("input").display());
        let output = self.repo.git(&[
            "hook",
            "run",
            "--ignore-missing",
            &input,
            event,
            "--",
            "a",
            "b c",
            "",
        ]);
        (
            output.code,
            String::from_utf8_lossy(&output.stderr).into_owned(),
            self.log("seen"),
        )
    }

    /// A shell line that writes down arguments and input.
    fn noting(&self) -> String {
        format!(
            "{{ printf '<%s>' \"$@\"; cat; }} >>'{}'",
            self.log_file("seen").display()
        )
    }

    /// A hook in the default folder, or wherever the name leads.
    fn hook(&self, name: &str, text: &str) {
        script(&self.repo.path(".git/hooks").join(name), text);
    }
}

/// Writes an executable file, with the directories above it.
fn script(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().expect("files of a test can be made"))
        .expect("files of a test can be made");
    std::fs::write(path, text).expect("files of a test can be made");
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755))
        .expect("files of a test can be made");
}

/// Everything below a folder.
fn listing(root: &Path) -> Listing {
    let mut found = Listing::new();
    let mut pending = vec![root.to_owned()];
    while let Some(directory) = pending.pop() {
        let mode = std::fs::metadata(&directory)
            .expect("files of a test can be made")
            .permissions()
            .mode();
        found.insert(directory.clone(), (mode, Vec::new()));
        for entry in std::fs::read_dir(&directory).expect("files of a test can be made") {
            let path = entry.expect("files of a test can be made").path();
            let about = std::fs::symlink_metadata(&path).expect("files of a test can be made");
            if about.is_dir() {
                pending.push(path);
                continue;
            }
            let target = || {
                std::fs::read_link(&path)
                    .expect("files of a test can be made")
                    .into_os_string()
                    .into_encoded_bytes()
            };
            let bytes = if about.is_symlink() {
                target()
            } else {
                std::fs::read(&path).expect("files of a test can be made")
            };
            found.insert(path, (about.permissions().mode(), bytes));
        }
    }
    found
}
