//! The options of `get-node` as a view.

use crate::base::{AgentId, FrameType, TreePath, clock};
use crate::cli::snapshot::find_at_head;
use crate::cli::{CliError, Exit};
use crate::frame::BasisKind;
use crate::view::{ContextView, FrameFilter, FrameOrder, FrameSource, FrameState, Orders};
use crate::workspace::Workspace;

/// The options that choose and order frames.
#[derive(Debug, clap::Args)]
pub(super) struct ViewArgs {
    /// Show at most this many frames
    #[arg(long, value_name = "n", default_value_t = crate::view::FRAMES_MAX)]
    max_frames: usize,
    /// Sort order: recency, type=<list>, agent=<list>, relevance[=<types>] or brief
    #[arg(long, value_name = "order", default_value = "recency")]
    order: String,
    /// Only frames of these types
    #[arg(long = "type", value_name = "type", value_delimiter = ',')]
    types: Vec<FrameType>,
    /// Only frames of these agents
    #[arg(long = "agent", value_name = "agent", value_delimiter = ',')]
    agents: Vec<AgentId>,
    /// Only frames of this origin: generated, synthesis, written or invalidation
    #[arg(long = "basis-kind", value_name = "kind", value_delimiter = ',', value_parser = parse_basis_kind)]
    basis_kinds: Vec<BasisKind>,
    /// Only frames in this state: fresh, outdated, invalidated, superseded or carried
    #[arg(long = "state", value_name = "state", value_delimiter = ',', value_parser = parse_state)]
    states: Vec<FrameState>,
    /// Only frames that are at most this old (90s, 15m, 12h, 7d); frames without a time always match
    #[arg(long, value_name = "age", value_parser = parse_age)]
    max_age: Option<u64>,
    /// Also search around the node: parent, siblings or related=<path>
    #[arg(long = "with", value_name = "source", value_delimiter = ',', value_parser = parse_source)]
    sources: Vec<FrameSource>,
    /// Words to look for; sorts by relevance unless --order is given
    #[arg(
        long,
        value_name = "words",
        default_value = "",
        hide_default_value = true
    )]
    query: String,
}

/// The view that the options describe.
pub(super) fn view(args: &ViewArgs) -> Result<ContextView, CliError> {
    let filter = FrameFilter {
        types: args.types.clone(),
        agents: args.agents.clone(),
        basis_kinds: args.basis_kinds.clone(),
        states: args.states.clone(),
        created_from: None,
    };
    let filter = match args.max_age {
        Some(seconds) => filter.not_older_than(seconds, clock::now_seconds()),
        None => filter,
    };
    Ok(ContextView {
        frames_max: args.max_frames,
        order: order(args)?,
        filter,
        sources: args.sources.clone(),
    })
}

/// Makes related paths, which are written as seen from the current directory, paths of the tree.
pub(super) fn find_related(view: &mut ContextView, workspace: &Workspace) -> Result<(), CliError> {
    for source in &mut view.sources {
        if let FrameSource::Related(path) = source {
            let text = path.to_text().into_owned();
            let target = find_at_head(workspace, &text)?;
            *path = target
                .path
                .ok_or_else(|| CliError::new(Exit::Usage, format!("'{text}' is not a path")))?;
        }
    }
    Ok(())
}

fn order(args: &ViewArgs) -> Result<FrameOrder, CliError> {
    let (name, list) = args.order.split_once('=').unwrap_or((&args.order, ""));
    let relevance = |types| FrameOrder::Relevance {
        query: args.query.clone(),
        types,
    };
    let orders = Orders::default();
    let found = match name {
        "recency" if args.query.is_empty() => Some(FrameOrder::Recency),
        "recency" => Some(relevance(Vec::new())),
        "type" => Some(FrameOrder::Type(words(list)?)),
        "agent" => Some(FrameOrder::Agent(words(list)?)),
        "relevance" => Some(relevance(words::<FrameType>(list)?)),
        _ => orders.get(name),
    };
    found.ok_or_else(|| {
        let custom: Vec<&str> = orders.names().collect();
        let known = format!(
            "the orders are recency, type=<list>, agent=<list>, relevance, {}",
            custom.join(", ")
        );
        CliError::new(Exit::Usage, format!("unknown order '{name}'")).hint(known)
    })
}

fn words<T: std::str::FromStr<Err: std::fmt::Display>>(list: &str) -> Result<Vec<T>, CliError> {
    let words = list.split(['>', ',']).filter(|word| !word.is_empty());
    words
        .map(|word| {
            word.parse()
                .map_err(|error: T::Err| CliError::new(Exit::Usage, error.to_string()))
        })
        .collect()
}

pub(super) fn parse_basis_kind(text: &str) -> Result<BasisKind, String> {
    text.parse()
        .map_err(|()| "expected generated, synthesis, written or invalidation".to_owned())
}

pub(super) fn parse_state(text: &str) -> Result<FrameState, String> {
    text.parse()
        .map_err(|()| "expected fresh, outdated, invalidated, superseded or carried".to_owned())
}

pub(super) fn parse_source(text: &str) -> Result<FrameSource, String> {
    match text.split_once('=') {
        None if text == "parent" => Ok(FrameSource::Parent),
        None if text == "siblings" => Ok(FrameSource::Siblings),
        Some(("related", path)) => Ok(FrameSource::Related(TreePath::from(path))),
        _ => Err("expected parent, siblings or related=<path>".to_owned()),
    }
}

/// Reads `90s`, `15m`, `12h`, `7d` or `2w` as seconds.
pub(super) fn parse_age(text: &str) -> Result<u64, String> {
    let unit = match text.as_bytes().last() {
        Some(b's') => 1,
        Some(b'm') => 60,
        Some(b'h') => 3_600,
        Some(b'd') => 86_400,
        Some(b'w') => 7 * 86_400,
        _ => 0,
    };
    let count = text
        .get(..text.len().saturating_sub(1))
        .and_then(|count| count.parse::<u64>().ok());
    let seconds = count
        .filter(|_| unit > 0)
        .and_then(|count| count.checked_mul(unit));
    seconds.ok_or_else(|| "expected a number and one of s, m, h, d, w".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_and_sources_read_as_written() {
        assert_eq!(
            ["90s", "15m", "2w"].map(parse_age),
            [Ok(90), Ok(900), Ok(1_209_600)]
        );
        for bad in ["", "7", "d", "-1d", "99999999999999999999d", "1é"] {
            assert!(parse_age(bad).is_err(), "{bad}");
        }
        assert_eq!(
            parse_source("related=src/"),
            Ok(FrameSource::Related("src/".into()))
        );
        assert!(parse_source("related").is_err() && parse_source("everything").is_err());
    }
}
