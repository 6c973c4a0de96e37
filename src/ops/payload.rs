//! The payload `input.md`, put together in one place: every command that shows or sends it gets the same bytes.

use std::collections::BTreeSet;

use super::carried;
use super::input::{InputError, PayloadOptions, plan_payload};
use super::{overview, signing};
use crate::base::TreePath;
use crate::context::people::{GLOBAL_LIST, SESSION_LIST, SESSIONS, TURN_LIST};
use crate::context::{ContextError, Document, List, PeopleFiles, Scope};
use crate::workspace::Workspace;

/// Plans the document: the caller's lists, then those of turn, session and all sessions, strongest scope first.
pub fn payload<'w>(
    workspace: &'w Workspace,
    mut options: PayloadOptions<'_>,
) -> Result<Document<'w>, InputError> {
    let people = PeopleFiles::new(&workspace.repository, options.root.tree);
    if let Some(session) = options.session {
        let lists = session_lists(&people, session, options.turn)?.into_iter();
        options
            .lists
            .extend(lists.flat_map(|list| by_author(list, options.typed)));
    }
    options.lists.extend(read_list(
        &people,
        Scope::Global,
        &TreePath::from(GLOBAL_LIST),
    ));
    let names_nothing = options
        .lists
        .iter()
        .all(|list| list.entries.is_empty() && list.fault.is_none());
    if options.question.is_some() && !names_nothing {
        return Err(InputError::Listed);
    }
    let store = workspace
        .store()
        .map_err(|error| InputError::Store(Box::new(error)))?;
    let said = carried::people_say(
        &workspace.repository,
        &workspace.state,
        &store,
        options.root,
    )
    .map_err(ContextError::from)?;
    if options.has_overview && names_nothing {
        let (tokens_max, _) = overview::context_settings(&workspace.settings)?;
        options.tokens_max.get_or_insert(tokens_max);
        return overview::plan_overview(workspace, options, &store, &said);
    }
    let attested = signing::attested(workspace, &store);
    plan_payload(workspace, options, &said, &attested, None)
}

/// The lists of a session that exist, that of the turn first.
fn session_lists(
    people: &PeopleFiles<'_>,
    session: &str,
    turn: Option<&str>,
) -> Result<Vec<List>, InputError> {
    let directory = TreePath::from(SESSIONS).join(checked_name(session)?.as_bytes());
    let turn = turn.map(checked_name).transpose()?;
    let of_turn = turn.map(|turn| directory.join(turn.as_bytes()).join(TURN_LIST.as_bytes()));
    let found: Vec<List> = [
        (Scope::Turn, of_turn),
        (
            Scope::Session,
            Some(directory.join(SESSION_LIST.as_bytes())),
        ),
    ]
    .into_iter()
    .filter_map(|(scope, path)| read_list(people, scope, &path?))
    .collect();
    if found.is_empty() {
        Err(InputError::NoList(session.to_owned()))
    } else {
        Ok(found)
    }
}

/// A list as stretches of what the user typed and of what only the file says: only pages among the first are fetched.
fn by_author(list: List, typed: &BTreeSet<String>) -> Vec<List> {
    let is_typed =
        |entry: &[u8]| std::str::from_utf8(entry).is_ok_and(|entry| typed.contains(entry));
    let mut stretches: Vec<List> = Vec::new();
    for entry in list.entries.iter().cloned() {
        let is_personal = is_typed(&entry);
        match stretches
            .last_mut()
            .filter(|last| last.is_personal == is_personal)
        {
            Some(last) => last.entries.push(entry),
            None => stretches.push(List {
                entries: vec![entry],
                is_personal,
                fault: None,
                ..list.clone()
            }),
        }
    }
    match stretches.last_mut() {
        Some(last) => last.fault = list.fault,
        None => stretches.push(list),
    }
    stretches
}

fn read_list(people: &PeopleFiles<'_>, scope: Scope, path: &TreePath) -> Option<List> {
    match people.read(path) {
        Ok(text) => text.map(|text| List::parse(scope, path.to_text(), &text)),
        Err(reason) => Some(List::unreadable(scope, path.to_text(), reason)),
    }
}

fn checked_name(name: &str) -> Result<&str, InputError> {
    let is_word = !name.is_empty() && !name.starts_with('.') && !name.contains(['/', '\0', '\n']);
    if is_word {
        Ok(name)
    } else {
        Err(InputError::Name(name.to_owned()))
    }
}
