//! What and whom an agent asks, put together from its definition, the profile, the providers and the budget.

use super::open::Workspace;
use super::refresh::{Asking, Planned, Refresh, inputs};
use super::secrets::RulesError;
use super::target::Target;
use super::trust::TrustError;
use crate::agent::{Agent, Instructions, Origin};
use crate::base::AgentId;
use crate::config::ValueError;
use crate::profile::{Phase, Profile, ProfileError, Profiles, fit};
use crate::provider::call::Caller;
use crate::provider::ledger::{Budget, Caps, Ledger};
use crate::provider::{Definition, DefinitionError, Definitions, Gate, Limits, ProviderError, Surroundings, connect};
use crate::regen::generate::Pace;
use crate::regen::prepare::Writer;
use crate::regen::queue::Priority;
use crate::regen::survey::{Survey, survey};
use crate::secret::FindingId;

/// The profile that is meant when none is named.
const DEFAULT_PROFILE: &str = "default";
/// Where requests to people wait, below the state directory.
const PENDING_FOLDER: &str = "pending";
/// Above this estimate somebody is asked first, unless configured: one dollar.
const CONFIRM_ABOVE_NANO_DOLLARS: u64 = 1_000_000_000;

/// What the command line says about asking.
#[derive(Debug, Clone, Default)]
pub struct AskingOptions {
    /// Whom to ask.
    pub provider: Option<String>,
    /// How to ask.
    pub profile: Option<String>,
    /// Limits of this run; what is not given comes from the settings.
    pub caps: Caps,
    /// Calls at once.
    pub concurrency: Option<usize>,
    /// Stop at the first node that fails.
    pub fail_fast: bool,
    /// Refuse what the provider cannot follow.
    pub strict: bool,
    /// How urgent the nodes are.
    pub priority: Option<Priority>,
    /// Findings that may leave, and are remembered.
    pub allowed: Vec<FindingId>,
}

/// Why nobody can be asked.
#[derive(Debug, thiserror::Error)]
pub enum AskingError {
    /// Its frames are made without a model.
    #[error("agent '{0}' asks no model")]
    NotAsked(AgentId),
    /// A file of rules about secrets cannot be used.
    #[error(transparent)]
    Rules(#[from] RulesError),
    /// The agent or the profile is the repository's own, and the user has not accepted it.
    #[error(transparent)]
    Trust(#[from] TrustError),
    /// The profile cannot be used.
    #[error(transparent)]
    Profile(#[from] ProfileError),
    /// There is no such provider, or none at all.
    #[error(transparent)]
    Definition(#[from] DefinitionError),
    /// The provider cannot be used.
    #[error(transparent)]
    Provider(#[from] ProviderError),
    /// A limit is no number.
    #[error(transparent)]
    Value(#[from] ValueError),
    /// A limit in money, and no price to count with.
    #[error("the budget is in US dollars, and the prices of provider '{0}' are not configured")]
    NoPrices(String),
    /// With `strict`: what of the wished parameters the provider cannot follow.
    #[error("provider '{provider}' cannot follow the profile: {changes}")]
    Strict {
        /// Its name.
        provider: String,
        /// What would be changed.
        changes: String,
    },
    /// What is allowed to leave cannot be read or remembered.
    #[error("cannot remember what is allowed")]
    Allowed(#[source] std::io::Error),
}

impl Workspace {
    /// Puts together what an agent with a model asks, and whom. Reaches nothing but the user's credential helper.
    pub fn asking<'a>(&'a self, agent: &'a Agent, options: AskingOptions) -> Result<Asking<'a>, AskingError> {
        let instructions = agent.instructions().ok_or_else(|| AskingError::NotAsked(agent.id.clone()))?;
        if matches!(agent.origin, Origin::Team(_)) {
            self.require_trust(&format!("agent '{}'", agent.id))?;
        }
        let name =
            options.profile.as_deref().or(instructions.profile.as_deref()).or(self.settings.stack().text("defaultprofile"));
        let profile = self.profile(name.unwrap_or(DEFAULT_PROFILE))?;
        let definition = self.definition(&options, instructions, &profile)?;
        let budget = self.budget(options.caps)?;
        if definition.prices.is_none() && [budget.run, budget.day, budget.month].iter().any(|caps| caps.nano_dollars.is_some()) {
            return Err(AskingError::NoPrices(definition.name));
        }
        let pending_dir = self.state.root().join(PENDING_FOLDER);
        let surroundings = Surroundings { environment: &self.environment, pending_dir: &pending_dir };
        let provider = connect(&definition, surroundings)?;
        let params = |scope: &str| profile.params(Phase::Generating, scope);
        let writer = Writer {
            instructions,
            capabilities: definition.capabilities.clone(),
            file_params: params("file"),
            directory_params: params("directory"),
            scanner: self.scanner()?,
            allowed: self.allowed_secrets(&options.allowed).map_err(AskingError::Allowed)?,
        };
        if options.strict {
            strict(&writer, &definition.name)?;
        }
        let concurrency = options.concurrency.unwrap_or(definition.limits.concurrency);
        let gate = Gate::new(Limits { concurrency, ..definition.limits });
        let ledger = Ledger::new(self.state.root(), budget);
        let confirm_above = self.settings.stack().limit("confirmabove")?.map(nano);
        Ok(Asking {
            writer,
            caller: Caller::new(definition.name, provider, definition.prices, gate, ledger),
            pace: Pace { concurrency, fail_fast: options.fail_fast, priority: options.priority },
            has_budget: budget != Budget::default(),
            confirm_above_nano_dollars: confirm_above.unwrap_or(CONFIRM_ABOVE_NANO_DOLLARS),
        })
    }

    /// The profile of a name: the user's own, else the repository's once it is trusted, else the built-in one.
    pub fn profile(&self, name: &str) -> Result<Profile, AskingError> {
        let (team, personal) = (&self.folder, self.personal_folder());
        let folders = if self.trust.is_trusted() { vec![team, personal] } else { vec![personal] };
        Ok(Profiles::load(&folders).get(name)?.clone())
    }

    /// The provider that is named first: on the command line, by the agent, the profile, the settings; else the only one.
    fn definition(
        &self,
        options: &AskingOptions,
        instructions: &Instructions,
        profile: &Profile,
    ) -> Result<Definition, AskingError> {
        let definitions = Definitions::load(self.settings.stack())?;
        let named = options.provider.as_deref().or(instructions.provider.as_deref());
        let named = named.or(profile.provider(Phase::Generating)).or(self.settings.stack().text("defaultprovider"));
        let definition = match named {
            Some(name) => definitions.get(name)?,
            None => definitions.the_only()?,
        };
        Ok(definition.clone())
    }

    /// All limits in force; what the command line gives for this run takes the place of what is configured for runs.
    fn budget(&self, given: Caps) -> Result<Budget, ValueError> {
        let stack = self.settings.stack();
        let count = |key: &str| Ok::<_, ValueError>(stack.limit(key)?.map(|limit| limit as u64));
        let money = |key: &str| Ok::<_, ValueError>(stack.limit(key)?.map(nano));
        let run = Caps {
            calls: given.calls.or(count("maxcalls")?),
            tokens: given.tokens.or(count("maxtokens")?),
            nano_dollars: given.nano_dollars.or(money("maxcost")?),
        };
        let month = Caps { calls: count("budgetcalls")?, tokens: count("budgettokens")?, nano_dollars: money("budget")? };
        let day = Caps { nano_dollars: money("budgetday")?, ..Caps::default() };
        Ok(Budget { run, day, month })
    }

    /// Looks at everything that a plan would send.
    #[must_use]
    pub fn survey(&self, planned: &Planned, target: &Target, (request, asking): (&Refresh<'_>, &Asking<'_>)) -> Survey {
        let root = target.path.clone().unwrap_or_default();
        let inputs = inputs(request, &root, &planned.outlines);
        let (writer, caller) = (&asking.writer, &asking.caller);
        survey((&self.repository, &planned.scan), &inputs, (&planned.plan, &planned.index), writer, caller)
    }
}

/// Dollars as thousand-millionths.
fn nano(dollars: f64) -> u64 {
    (dollars * 1e9).round() as u64
}

/// Refuses what the provider cannot follow, before anything is sent.
fn strict(writer: &Writer<'_>, provider: &str) -> Result<(), AskingError> {
    let changes = [&writer.file_params, &writer.directory_params].map(|params| fit(params, &writer.capabilities, 0));
    let changes: Vec<String> =
        changes.into_iter().flatten().flat_map(|fitted| fitted.changes).map(|change| change.to_string()).collect();
    if changes.is_empty() {
        return Ok(());
    }
    Err(AskingError::Strict { provider: provider.to_owned(), changes: changes.join("; ") })
}
