//! How the document marks its sections and resources: as Markdown headings, or as XML tags around the same words.
//!
//! In both styles a fence holds what comes from the repository. A fence grows past any run of backticks in its text, so no
//! text can end it; a tag has no such measure, and a name in an attribute is escaped.

use super::markdown::{link_code, plain};

/// The names of the sections, by number from 1.
const SECTIONS: [&str; 5] = [
    "System Information",
    "Project Structure",
    "Memos",
    "Context Summary",
    "Resource Contents",
];

/// How sections and resources are marked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Markup {
    /// Headings and rules.
    #[default]
    Markdown,
    /// Tags.
    Xml,
}

impl Markup {
    /// What stands above all sections.
    pub(super) fn opening(self) -> &'static str {
        match self {
            Self::Markdown => "# Agent Invocation Payload\n\n",
            Self::Xml => "<agent_invocation_payload>\n",
        }
    }

    /// What stands below all sections.
    pub(super) fn closing(self) -> &'static str {
        match self {
            Self::Markdown => "",
            Self::Xml => "</agent_invocation_payload>\n",
        }
    }

    /// What stands above a section.
    pub(super) fn section_opening(self, number: u8) -> String {
        let name = SECTIONS[usize::from(number) - 1];
        // Each resource begins with an empty line of its own.
        let end = if usize::from(number) == SECTIONS.len() {
            ""
        } else {
            "\n"
        };
        match self {
            Self::Markdown => format!("## {number}. {name}\n{end}"),
            Self::Xml => format!("<{}>\n", tag(name)),
        }
    }

    /// What stands below a section.
    pub(super) fn section_closing(self, number: u8) -> String {
        match self {
            Self::Markdown => String::new(),
            Self::Xml => format!("</{}>\n", tag(SECTIONS[usize::from(number) - 1])),
        }
    }

    /// What stands above a resource that a list names.
    pub(super) fn resource_opening(self, name: &[u8], target: &str) -> String {
        match self {
            Self::Markdown => format!("\n---\n**Resource:** {}\n", link_code(name, target)),
            Self::Xml => format!("\n<resource name=\"{}\">\n", attribute(&plain(name))),
        }
    }

    /// What stands above a part of the default payload; the title is a line of Markdown.
    pub(super) fn part_opening(self, title: &str) -> String {
        match self {
            Self::Markdown => format!("\n---\n{title}\n"),
            Self::Xml => format!("\n<resource>\n{title}\n"),
        }
    }

    /// What stands below a resource or part.
    pub(super) fn resource_closing(self) -> &'static str {
        match self {
            Self::Markdown => "",
            Self::Xml => "</resource>\n",
        }
    }
}

fn tag(name: &str) -> String {
    name.to_lowercase().replace(' ', "_")
}

/// Text in the double quotes of an attribute.
fn attribute(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}
