//! From what goes wrong with a session or a turn to an exit code and the next step.

use crate::cli::{CliError, Exit};
use crate::profile::{FitError, OutputKey};
use crate::provider::call::CallError;
use crate::provider::ledger::{LedgerError, LimitSpan};
use crate::session::apply::ApplyError;
use crate::session::{ChoiceError, SessionError, Status, TurnError};

impl From<SessionError> for CliError {
    fn from(error: SessionError) -> Self {
        let (exit, hint) = match &error {
            SessionError::NotThere(_) => (
                Exit::Refused,
                Some("'git merkle session list' lists those there are".to_owned()),
            ),
            SessionError::Exists(name) | SessionError::NoTurn(name, _) => (
                Exit::Refused,
                Some(format!("see 'git merkle session show {name}'")),
            ),
            SessionError::Full(name) => (
                Exit::Refused,
                Some(format!("run 'git merkle session branch {name} <name>'")),
            ),
            SessionError::Remains(_) => (
                Exit::Refused,
                Some("put its record back, or remove the folder".to_owned()),
            ),
            SessionError::Bare => (
                Exit::Git,
                Some("make a work tree with 'git worktree add <folder>'".to_owned()),
            ),
            SessionError::Link(_) => (
                Exit::Refused,
                Some("put a plain file or folder in its place".to_owned()),
            ),
            SessionError::Record(..) => (
                Exit::Refused,
                Some("see docs/formats.md, or 'git log -p' for what it was".to_owned()),
            ),
            SessionError::Io(..) => (Exit::Io, None),
        };
        Self::from_source(exit, error).hint_any(hint)
    }
}

impl From<ChoiceError> for CliError {
    fn from(error: ChoiceError) -> Self {
        match error {
            ChoiceError::Session(inner) => inner.into(),
            ChoiceError::Name(inner) => inner.into(),
            ChoiceError::None => {
                Self::from_source(Exit::Refused, error).hint("run 'git merkle session new <name>'")
            }
            ChoiceError::Several(_) => {
                Self::from_source(Exit::Usage, error).hint("name one: --session <name>")
            }
            ChoiceError::Busy(_) => {
                Self::from_source(Exit::Busy, error).hint("try again when it is done")
            }
            ChoiceError::State(..) => Self::from_source(Exit::Io, error),
        }
    }
}

impl From<TurnError> for CliError {
    fn from(error: TurnError) -> Self {
        match error {
            TurnError::Session(inner) => inner.into(),
            TurnError::Input(inner) => inner.into(),
            TurnError::Snapshot(inner) => inner.into(),
            TurnError::Map(inner) => inner.into(),
            TurnError::History(inner) => inner.into(),
            TurnError::Choice(inner) => inner.into(),
            TurnError::Edited(_) => Self::from_source(Exit::Refused, error).hint(
                "change the lists or the files that it is made of, or edit the prompt beside it, which is sent as it stands",
            ),
            TurnError::Asking(inner) => inner.into(),
            TurnError::Fit(inner @ (FitError::Window { .. } | FitError::Beside { .. })) => Self::from(inner)
                .hint("files are as small as they get: ask a provider with a larger window ('contextTokens' says how large), begin anew with 'git merkle session new', or leave entries out with '--drop <entry>'"),
            TurnError::Fit(inner) => Self::from(inner).hint("take less with '--budget <tokens>' or '--drop <entry>'"),
            TurnError::Secret(inner) => inner.into(),
            TurnError::Rules(inner) => inner.into(),
            TurnError::Call(inner) => inner.into(),
            TurnError::Cut { phase, ref profile, key, .. } => {
                let in_profile = format!("'max_output_tokens' of phase '{}' in profile '{profile}'", phase.as_str());
                let raise = match key {
                    OutputKey::Profile => in_profile,
                    OutputKey::Provider => "'outputTokens' of the provider".to_owned(),
                    OutputKey::Window => format!("'contextTokens' of the provider, or set {in_profile}"),
                };
                Self::from_source(Exit::Unavailable, error).hint(format!("raise {raise}, and run 'git merkle turn run' again"))
            }
            TurnError::Status(_, status) => Self::from_source(Exit::Refused, error).hint(match status {
                Status::Ready => "run 'git merkle turn run', or hand the answer in with 'git merkle turn respond <file>'",
                Status::Answered => "run 'git merkle turn approve', or 'git merkle turn reject -m <feedback>'",
                Status::Approved | Status::Rejected => "run 'git merkle turn new'",
            }),
            TurnError::Complete(_) => {
                Self::from_source(Exit::Refused, error).hint("go on with 'git merkle turn new --phase planning -m <request>'")
            }
            TurnError::NoTurns(_) => Self::from_source(Exit::Refused, error).hint("run 'git merkle turn new -m <request>'"),
            TurnError::NoRequest => Self::from_source(Exit::Usage, error).hint("say it with '-m <request>' or '-F <file>'"),
            TurnError::Limit { .. } => Self::from_source(Exit::Budget, error)
                .hint("raise 'limits' in the session's session.yaml, or begin another with 'git merkle session branch'"),
            TurnError::Empty | TurnError::Image(..) => Self::from_source(Exit::Refused, error),
            TurnError::NotKept { .. } => {
                Self::from_source(Exit::Io, error).hint("hand in what was printed with 'git merkle turn respond <file>'")
            }
            TurnError::State(..) => Self::from_source(Exit::Io, error),
        }
    }
}

impl From<ApplyError> for CliError {
    fn from(error: ApplyError) -> Self {
        match error {
            ApplyError::Session(inner) => inner.into(),
            ApplyError::Git(inner) => inner.into(),
            ApplyError::NoWork(_) => Self::from_source(Exit::Refused, error)
                .hint("accept an answer first: 'git merkle turn approve'"),
            ApplyError::Status(number, Status::Answered) => Self::from_source(Exit::Refused, error).hint(format!(
                "see whether it fits with 'git merkle turn apply --check {number}', then run 'git merkle turn approve'"
            )),
            ApplyError::NoFiles(..) | ApplyError::Status(..) => {
                Self::from_source(Exit::Refused, error).hint("see 'git merkle session show' for turns with accepted work")
            }
            ApplyError::Nothing(_) => Self::from_source(Exit::Refused, error)
                .hint("read it with 'git merkle turn show --file response'; files stand in fenced blocks under their paths"),
            ApplyError::Misfits(number, misfits) => {
                let failed = Self::from_source(Exit::Refused, ApplyError::Misfits(number, Vec::new()));
                misfits.iter().fold(failed, |failed, misfit| failed.detail(misfit.to_string())).hint(
                    "ask for what does not fit: 'git merkle turn reject -m <feedback>' before, \
                     'git merkle turn new --phase revising -m <feedback>' after it was accepted",
                )
            }
            ApplyError::Changed { is_undo: true, .. } => {
                Self::from_source(Exit::Refused, error).hint("put the files back as they were applied, or change them by hand")
            }
            ApplyError::Changed { .. } => Self::from_source(Exit::Refused, error)
                .hint("commit what you have, and take over what is missing by hand"),
            ApplyError::NotApplied(_) => Self::from_source(Exit::Refused, error),
            ApplyError::Busy => Self::from_source(Exit::Busy, error).hint("try again when it is done"),
            ApplyError::Io(_) => Self::from_source(Exit::Io, error),
        }
    }
}

impl From<CallError> for CliError {
    fn from(error: CallError) -> Self {
        match error {
            CallError::Provider(inner) => inner.into(),
            CallError::NotRun(_) | CallError::Invalid(_) | CallError::Cut { .. } => Self::from_source(Exit::Unavailable, error),
            CallError::Ledger(LedgerError::Exhausted { span, .. }) => Self::from_source(Exit::Budget, error).hint(match span {
                LimitSpan::Run => "raise 'limits' in the session's session.yaml, or the '--max-cost', '--max-calls' or '--max-tokens' that you gave",
                LimitSpan::Day | LimitSpan::Month => "see 'git merkle config list --show-origin'",
                LimitSpan::Unasked => "give --max-cost <usd>, --max-calls <number> or --max-tokens <number>",
            }),
            CallError::Unpaid { .. } => Self::from_source(Exit::Unavailable, error).hint("git merkle provider list"),
            CallError::Ledger(LedgerError::Io { .. }) => Self::from_source(Exit::Io, error),
            CallError::Ledger(LedgerError::Busy) | CallError::Pending(_) => Self::from_source(Exit::Busy, error),
            CallError::Stopped => Self::from_source(Exit::Interrupted, error),
        }
    }
}
