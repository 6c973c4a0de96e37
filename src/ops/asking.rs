//! What and whom an agent asks, put together from its definition, the profile, the providers and the budget.

use std::path::PathBuf;
use std::sync::Arc;

use super::refresh::{self, ModelRun, Planned, Refresh, RefreshError, inputs};
use crate::agent::{Agent, AgentOrigin};
use crate::base::AgentId;
use crate::base::Cost;
use crate::base::number::{floor, to_index};
use crate::config::{Setting, Stack, ValueError, table};
use crate::frame::Store;
use crate::git::Repository;
use crate::node::NodeNumber;
use crate::profile::{Phase, Profile, ProfileError, Profiles};
use crate::provider::batch::{BatchClient, BatchFiles};
use crate::provider::call::Caller;
use crate::provider::ledger::{Budget, Caps, Ledger, Spend};
use crate::provider::queue::{QueueAddress, Workers};
use crate::provider::{
    Connected, Definition, DefinitionError, Definitions, Gate, Limits, ProviderError, Surroundings,
    connect,
};
use crate::regen::generate::Pace;
use crate::regen::queue::Priority;
use crate::regen::refused::RefusedAnswers;
use crate::regen::survey::{self, Survey, SurveyTerms};
use crate::regen::{
    BatchMode, Batching, Composed, FrameBody, Inputs, NodeError, NodeFilter, Nodes, Writer,
};
use crate::secret::FindingId;
use crate::workspace::{RulesError, Settings, Target, TrustError, Workspace};

/// Where requests to people wait, below the state directory.
const PENDING_FOLDER: &str = "pending";
/// Requests that are in a queue at once, unless the user says how many.
const QUEUED_MAX: usize = 256;

/// What the command line says about asking.
#[derive(Debug, Clone, Default)]
pub struct AskingOptions {
    /// Whom to ask.
    pub provider: Option<String>,
    /// How to ask.
    pub profile: Option<String>,
    /// Limits of this run; what is not given comes from the settings.
    pub caps: Caps,
    /// What this run has spent already, by other callers.
    pub spent: Spend,
    /// A limit of a day in US dollars besides the configured one: the hooks'.
    pub day_usd: Option<f64>,
    /// Calls at once.
    pub concurrency: Option<usize>,
    /// Stop at the first node that fails.
    pub fail_fast: bool,
    /// Refuse what the provider cannot follow.
    pub strict: bool,
    /// How urgent the nodes are.
    pub priority: Option<Priority>,
    /// What goes out in batches.
    pub batch: BatchMode,
    /// Where workers take the requests; `None` to send them from here.
    pub queue: Option<QueueAddress>,
    /// Findings that may leave, and are remembered.
    pub allowed: Vec<FindingId>,
    /// Nothing is sent: it is only said what would be.
    pub is_dry: bool,
}

/// Why no request can be sent.
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
    /// It is to be sent batches, and takes none.
    #[error("provider '{0}' takes no batches")]
    NoBatches(String),
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

/// Why there is nothing to show.
#[derive(Debug, thiserror::Error)]
pub enum ComposeError {
    /// The node cannot be walked.
    #[error(transparent)]
    Refresh(#[from] RefreshError),
    /// It cannot be laid out.
    #[error(transparent)]
    Node(#[from] NodeError),
}

/// A provider with the budget that pays for it.
pub struct Payer {
    /// Sends requests to the provider.
    pub caller: Caller,
    /// The provider's way to take many requests at once; `None` where it has none.
    pub batches: Option<BatchClient>,
    /// Where requests to people wait for their answers.
    pub pending_dir: PathBuf,
    /// True when some limit is configured or given.
    pub has_budget: bool,
    /// `merkle.confirmAbove`: the estimate above which the user has to agree.
    pub confirm_above_nano_dollars: u64,
}

/// A request's words, and the provider that it could go to.
pub struct Draft<'a> {
    /// Writes the requests.
    pub writer: Writer<'a>,
    /// The provider; `None` when none is configured.
    pub definition: Option<Definition>,
    /// The profile with the parameters.
    pub profile: String,
}

/// Prepares the requests of an agent with a model, and their provider. Reaches nothing but the user's credential helper.
pub fn asking<'a>(
    workspace: &'a Workspace,
    agent: &'a Agent,
    options: &AskingOptions,
) -> Result<ModelRun<'a>, AskingError> {
    if matches!(agent.origin, AgentOrigin::Team(_)) {
        workspace.require_trust(&format!("agent '{}'", agent.id))?;
    }
    let Draft {
        writer, definition, ..
    } = draft(workspace, agent, options)?;
    let definition = definition.ok_or(DefinitionError::NoneThere)?;
    if options.strict {
        strict(&writer, &definition.name)?;
    }
    let concurrency = concurrency(options, &definition);
    let Payer {
        caller,
        batches,
        pending_dir,
        has_budget,
        confirm_above_nano_dollars,
    } = payer(workspace, definition, options)?;
    let pace = Pace {
        concurrency,
        fail_fast: options.fail_fast,
        priority: options.priority,
    };
    let is_needed = !matches!(options.batch, BatchMode::Live | BatchMode::Collect);
    if batches.is_none() && is_needed {
        return Err(AskingError::NoBatches(caller.name));
    }
    let requests_min = workspace
        .settings
        .stack()
        .limit(&table::BATCH_MIN)?
        .unwrap_or_default();
    let batching = Batching {
        mode: options.batch,
        requests_min: to_index(floor(requests_min)),
        files: BatchFiles::of(&workspace.state),
        client: batches,
        agent: agent.id.clone(),
    };
    Ok(ModelRun {
        writer,
        caller,
        pace,
        batching,
        queue: options.queue.clone(),
        pending_dir,
        has_budget,
        confirm_above_nano_dollars,
    })
}

/// A provider that takes requests, within all limits. Reaches nothing but the user's credential helper.
pub fn payer(
    workspace: &Workspace,
    definition: Definition,
    options: &AskingOptions,
) -> Result<Payer, AskingError> {
    let budget = budget(&workspace.settings, options)?;
    if definition.prices.is_none()
        && [budget.run, budget.day, budget.month]
            .iter()
            .any(|caps| caps.nano_dollars.is_some())
    {
        return Err(AskingError::NoPrices(definition.name));
    }
    let pending = workspace.state.folder(PENDING_FOLDER);
    let concurrency = concurrency(options, &definition);
    let Connected { provider, batches } = match &options.queue {
        Some(address) => {
            let terms = super::queue::terms(
                workspace.settings.stack(),
                address.clone(),
                &workspace.environment,
            )?;
            let capabilities = definition.capabilities.clone();
            Connected {
                provider: Arc::new(Workers::new(capabilities, terms, &workspace.state)),
                batches: None,
            }
        }
        None => connect(
            &definition,
            Surroundings {
                environment: &workspace.environment,
                pending: &pending,
                is_dry: options.is_dry,
            },
        )?,
    };
    let gate = Gate::new(Limits {
        concurrency,
        ..definition.limits
    });
    let ledger = Ledger::new(&workspace.state, budget);
    let confirm_above = workspace
        .settings
        .stack()
        .limit(&table::CONFIRM_ABOVE)?
        .map(|dollars| Cost::of_dollars(dollars).0);
    Ok(Payer {
        caller: Caller::new(definition.name, provider, definition.prices, gate, ledger),
        batches,
        pending_dir: pending.shown(),
        has_budget: budget != Budget::default(),
        confirm_above_nano_dollars: confirm_above.unwrap_or_default(),
    })
}

/// Requests at once. Those in a queue wait for workers, of whom there may be many.
fn concurrency(options: &AskingOptions, definition: &Definition) -> usize {
    let usual = match options.queue {
        Some(_) => QUEUED_MAX,
        None => definition.limits.concurrency,
    };
    options.concurrency.unwrap_or(usual)
}

/// The requests of an agent with a model, and the provider that they would go to. Needs neither trust nor a key: nothing can be sent.
pub fn draft<'a>(
    workspace: &'a Workspace,
    agent: &'a Agent,
    options: &AskingOptions,
) -> Result<Draft<'a>, AskingError> {
    let instructions = agent
        .instructions()
        .ok_or_else(|| AskingError::NotAsked(agent.id.clone()))?;
    let counts_team = workspace.trust.is_trusted() || matches!(agent.origin, AgentOrigin::Team(_));
    let profile = profile(
        workspace,
        options
            .profile
            .as_deref()
            .or(instructions.profile.as_deref()),
        counts_team,
    )?;
    let named = options
        .provider
        .as_deref()
        .or(instructions.provider.as_deref());
    let definition = definition(
        &workspace.settings,
        named.or(profile.provider(Phase::Generating)),
    )?;
    let wish = |scope: &str| profile.wish(Phase::Generating, scope);
    let writer = Writer {
        instructions,
        capabilities: definition
            .as_ref()
            .map(|definition| definition.capabilities.clone())
            .unwrap_or_default(),
        profile: profile.name.clone(),
        file_wish: wish("file"),
        directory_wish: wish("directory"),
        scanner: workspace.scanner()?,
        allowed: workspace
            .allowed_secrets(&options.allowed)
            .map_err(AskingError::Allowed)?,
    };
    Ok(Draft {
        writer,
        definition,
        profile: profile.name,
    })
}

/// The request about one node as it is today; `None` for a file whose content is not in this partial clone.
pub fn compose(
    repo: &Repository,
    store: &Store<'_>,
    target: &Target,
    request: &Refresh<'_>,
    writer: &Writer<'_>,
) -> Result<Option<Composed>, ComposeError> {
    let (agent, frame_type) = (request.agent, &request.frame_type);
    let scan = refresh::scan_shallow(repo, target)?;
    let root = target.path.clone().unwrap_or_default();
    let inputs = Inputs {
        agent,
        frame_type,
        root: &root,
        force: false,
        outlines: Default::default(),
        reach: NodeFilter::All,
    };
    let mut said = |child: NodeNumber| {
        let head = store
            .head(&scan.node(child).id, &agent.id, frame_type)
            .ok()
            .flatten();
        Ok(head.map(|head| FrameBody::from(head.frame.content)))
    };
    let nodes = Nodes {
        repo,
        scan: &scan,
        inputs: &inputs,
    };
    Ok(writer.compose(nodes, scan.root(), &mut said)?)
}

/// The profile of a name: the user's own, else the repository's if that `counts`, else the built-in one.
///
/// Until the repository is trusted its profiles are for its own agents, which cannot run before then, and no other.
pub fn profile(
    workspace: &Workspace,
    named: Option<&str>,
    counts_team: bool,
) -> Result<Profile, AskingError> {
    let (team, personal) = (&workspace.folder, workspace.personal_folder());
    let folders = if counts_team {
        vec![team, personal]
    } else {
        vec![personal]
    };
    let name = named
        .or(workspace.settings.stack().text(&table::DEFAULT_PROFILE))
        .unwrap_or_default();
    let found = Profiles::load(&folders).get(name).cloned();
    let is_unknown =
        |found: Result<&Profile, &ProfileError>| matches!(found, Err(ProfileError::Unknown(_)));
    // There is one, which does not count before the user trusts the repository.
    if is_unknown(found.as_ref()) && !is_unknown(workspace.profiles().get(name).as_ref().copied()) {
        workspace.require_trust(&format!("profile '{name}'"))?;
    }
    Ok(found?)
}

/// The provider that the user named, else the one of the settings, else the only one; `None` where there is none.
pub fn definition(
    settings: &Settings,
    named: Option<&str>,
) -> Result<Option<Definition>, AskingError> {
    let definitions = Definitions::load(settings.stack())?;
    match named.or(default_provider(settings)) {
        Some(name) => Ok(Some(definitions.get(name)?.clone())),
        None => match definitions.the_only() {
            Err(DefinitionError::NoneThere) => Ok(None),
            only => Ok(Some(only?.clone())),
        },
    }
}

/// `merkle.defaultProvider`.
#[must_use]
pub fn default_provider(settings: &Settings) -> Option<&str> {
    default_provider_of(settings.stack())
}

/// The same from settings that are no workspace's.
#[must_use]
pub fn default_provider_of(stack: &Stack) -> Option<&str> {
    stack.text(&table::DEFAULT_PROVIDER)
}

/// True when some limit is configured or given.
pub fn has_budget(settings: &Settings, options: &AskingOptions) -> Result<bool, AskingError> {
    Ok(budget(settings, options)? != Budget::default())
}

/// All limits in force; what the command line gives for this run takes the place of what is configured for runs.
fn budget(settings: &Settings, options: &AskingOptions) -> Result<Budget, ValueError> {
    let given = options.caps;
    let stack = settings.stack();
    let count = |key: &Setting| Ok::<_, ValueError>(stack.limit(key)?.map(floor));
    let money = |key: &Setting| {
        Ok::<_, ValueError>(stack.limit(key)?.map(|dollars| Cost::of_dollars(dollars).0))
    };
    let left = |limit: Option<u64>, spent: u64| limit.map(|limit| limit.saturating_sub(spent));
    let run = Caps {
        calls: left(
            given.calls.or(count(&table::MAX_CALLS)?),
            options.spent.calls,
        ),
        tokens: left(
            given.tokens.or(count(&table::MAX_TOKENS)?),
            options.spent.tokens,
        ),
        nano_dollars: left(
            given.nano_dollars.or(money(&table::MAX_COST)?),
            options.spent.nano_dollars.unwrap_or(0),
        ),
    };
    let month = Caps {
        calls: count(&table::BUDGET_CALLS)?,
        tokens: count(&table::BUDGET_TOKENS)?,
        nano_dollars: money(&table::BUDGET)?,
    };
    let days = [
        money(&table::BUDGET_DAY)?,
        options.day_usd.map(|dollars| Cost::of_dollars(dollars).0),
    ];
    let day = Caps {
        nano_dollars: days.into_iter().flatten().min(),
        ..Caps::default()
    };
    Ok(Budget {
        run,
        day,
        month,
        unasked: None,
    })
}

/// Looks at everything that a plan would send.
#[must_use]
pub fn survey(
    workspace: &Workspace,
    planned: &Planned,
    request: &Refresh<'_>,
    asking: &ModelRun<'_>,
) -> Survey {
    let inputs = inputs(request, &planned.root, &planned.outlines);
    let nodes = Nodes {
        repo: &workspace.repository,
        scan: &planned.scan,
        inputs: &inputs,
    };
    survey::survey(
        nodes,
        &planned.plan,
        &planned.index,
        &asking.writer,
        SurveyTerms {
            caller: &asking.caller,
            batching: &asking.batching,
            refused: &RefusedAnswers::of(&workspace.state),
        },
    )
}

/// Refuses what the provider cannot follow, before anything is sent.
fn strict(writer: &Writer<'_>, provider: &str) -> Result<(), AskingError> {
    let changes = writer.lasting_changes();
    if changes.is_empty() {
        return Ok(());
    }
    Err(AskingError::Strict {
        provider: provider.to_owned(),
        changes: changes.join("; "),
    })
}
