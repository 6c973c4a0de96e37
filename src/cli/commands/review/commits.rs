//! `review --commits`: what is known on both sides as two commits that git and forges can compare.

use serde::Serialize;

use crate::base::NodeId;
use crate::base::count::counted;
use crate::cli::program::Program;
use crate::cli::{CliError, Exit};
use crate::git::{Prompt, Pushed, Repository};
use crate::ops::rendered::{RenderedCommits, render_commits};
use crate::sync::Remote;
use crate::workspace::{Sharing, Workspace};

/// Forges that compare any two commits by their ids, with what stands around the ids in the address.
const FORGES: [(&str, &str, &str, &str); 4] = [
    ("github.com", "/compare/", "..", ""),
    ("gitlab.com", "/-/compare/", "...", "?straight=true"),
    ("codeberg.org", "/compare/", "..", ""),
    ("gitea.com", "/compare/", "..", ""),
];

#[derive(Serialize)]
struct Document<'d> {
    base: String,
    head: String,
    #[serde(rename = "ref")]
    name: &'d str,
    files: usize,
    pushed: Option<&'d str>,
    compare: Option<String>,
}

/// Writes the commits, pushes them to a remote if one is given, and says how to compare them.
pub(super) fn run(
    program: &mut Program,
    workspace: &Workspace,
    sources: [NodeId; 2],
    push: Option<&str>,
) -> Result<Exit, CliError> {
    let rendered = render_commits(workspace, &workspace.store()?, sources)?;
    let Some(rendered) = rendered else {
        program
            .ui
            .note("what is known does not differ: there is nothing to compare");
        return Ok(Exit::Done);
    };
    let remote = match push {
        Some(name) => {
            let name = (!name.is_empty()).then_some(name);
            Some(Sharing::of(workspace)?.remote(workspace, name)?)
        }
        None => None,
    };
    if let Some(remote) = &remote {
        push_to(&workspace.repository, remote, &rendered)?;
    }
    let compare = remote.as_ref().and_then(|remote| {
        let url = workspace
            .repository
            .config_string(&format!("remote.{}.url", remote.name()))?;
        link(&url, &rendered)
    });
    let ui = &mut program.ui;
    if ui.is_json() {
        let document = Document {
            base: rendered.base.to_string(),
            head: rendered.head.to_string(),
            name: &rendered.name,
            files: rendered.files,
            pushed: remote.as_ref().map(Remote::name),
            compare,
        };
        ui.write_json("review-commits", &document)?;
        return Ok(Exit::Done);
    }
    writeln!(ui, "base {}", rendered.base)?;
    writeln!(ui, "head {}", rendered.head)?;
    writeln!(ui, "ref  {}", rendered.name)?;
    if let Some(link) = compare {
        writeln!(ui, "see  {link}")?;
    }
    let files = counted(rendered.files, "file differs", "files differ");
    let range = format!("{}..{}", rendered.base.short(), rendered.head.short());
    ui.note(&format!("{files}: git diff {range}"));
    Ok(Exit::Done)
}

/// Pushes the head, and the base with it; what stood at the ref before was rendered from the same two commits.
fn push_to(repo: &Repository, remote: &Remote, rendered: &RenderedCommits) -> Result<(), CliError> {
    let RenderedCommits { name, head, .. } = rendered;
    let mut there = None;
    repo.list_refs(
        remote.name(),
        &[name.as_str()],
        Prompt::Allowed,
        &mut |found| {
            there = Some(found.id);
            false
        },
    )?;
    let pushed = match there {
        Some(id) if id == *head => return Ok(()),
        Some(id) => repo.push_instead(remote.name(), [&id, head], name, Prompt::Allowed)?,
        None => repo.push_commit(remote.name(), head, name, Prompt::Allowed)?,
    };
    let reason = match pushed {
        Pushed::Accepted => return Ok(()),
        Pushed::Behind(_) => "another push has moved the ref".to_owned(),
        Pushed::Refused(reason) | Pushed::Broken(reason) => reason,
    };
    let message = format!("'{}' did not take the commits: {reason}", remote.name());
    let hint = format!("git push {} {head}:refs/heads/<branch>", remote.name());
    Err(CliError::new(Exit::Refused, message).hint(&hint))
}

/// The address at which a forge shows the difference; `None` for hosts that are not known to compare commits.
fn link(url: &str, rendered: &RenderedCommits) -> Option<String> {
    let rest = match url.split_once("://") {
        Some((_, rest)) => rest.to_owned(),
        None => url.replacen(':', "/", 1),
    };
    let (host, path) = rest.split_once('/')?;
    let host = host.rsplit('@').next()?;
    let host = host.split(':').next()?;
    let path = path.trim_matches('/').trim_end_matches(".git");
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-".contains(c);
    let (_, before, between, behind) = FORGES.iter().find(|forge| forge.0 == host)?;
    let RenderedCommits { base, head, .. } = rendered;
    path.chars()
        .all(is_plain)
        .then(|| format!("https://{host}/{path}{before}{base}{between}{head}{behind}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_those_of_hosts_that_compare_commits() {
        let id = |byte| NodeId::from_bytes(&[byte; 20]).expect("twenty bytes");
        let rendered = RenderedCommits {
            base: id(1),
            head: id(2),
            name: String::new(),
            files: 1,
        };
        let (base, head) = (id(1), id(2));
        let github = format!("https://github.com/o/r.x/compare/{base}..{head}");
        for url in [
            "https://github.com/o/r.x.git",
            "https://user:secret@github.com/o/r.x",
            "git@github.com:o/r.x.git",
            "ssh://git@github.com:22/o/r.x.git/",
        ] {
            assert_eq!(link(url, &rendered), Some(github.clone()), "{url}");
        }
        assert_eq!(
            link("https://gitlab.com/group/sub/r", &rendered),
            Some(format!(
                "https://gitlab.com/group/sub/r/-/compare/{base}...{head}?straight=true"
            ))
        );
        for url in [
            "/srv/hub.git",
            "https://example.com/o/r",
            "https://github.com/o/r?x=<y>",
            "",
        ] {
            assert_eq!(link(url, &rendered), None, "{url}");
        }
    }
}
