//! Before anything is sent: how much a plan would ask, at what cost, and what must not leave.

use std::collections::HashSet;

use super::generate::Batching;
use super::make::is_again;
use super::plan::{Plan, PlannedNode};
use super::prepare::{File, MadeFrom, Nodes, Prepared, Writer, read};
use super::refused::{self, RefusedAnswers};
use crate::agent::Exclusion;
use crate::base::cores::on_all_cores;
use crate::base::printable::chain;
use crate::base::{BasisId, TreePath};
use crate::chat::{GenerationParams, Usage};
use crate::frame::{Children, Index};
use crate::node::NodeNumber;
use crate::profile::{input_tokens_max, with_output};
use crate::provider::batch::BatchClient;
use crate::provider::call::Caller;
use crate::secret::SecretFound;

/// Assumed tokens of an answer when nothing better is known: a summary of some paragraphs.
const ANSWER_TOKENS: u64 = 350;
/// What a child costs its directory beside its text: tag, path, kind.
const CHILD_TOKENS: u64 = 24;
/// What the text around a directory's children costs.
const FRAMING_TOKENS: u64 = 64;

/// Bytes of text that make a token, roughly.
const BYTES_PER_TOKEN: u64 = 4;

/// What a plan would take. All of it is estimated; directories that may turn out unchanged are counted as calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Estimate {
    /// Answers to request.
    pub calls: u64,
    /// Frames that are attached without asking, as far as that is known before the run.
    pub reused: u64,
    /// Tokens to be sent.
    pub input_tokens: u64,
    /// Tokens to come back.
    pub output_tokens: u64,
    /// What that costs; `None` when no price is known.
    pub nano_dollars: Option<u64>,
    /// What it costs in batches; `None` where the provider takes none, or no price is known.
    pub batch_nano_dollars: Option<u64>,
    /// Answers that are owed by a batch: they are not requested again.
    pub owed: u64,
    /// Files whose request was answered before with what is no frame: it is not sent again.
    pub refused: u64,
    /// Directories that wait for such a file.
    pub held_back: u64,
    /// Files that the agent leaves out unless its definition includes them.
    pub left_out: u64,
    /// Tokens that their content would have taken, by its size.
    pub left_out_tokens: u64,
}

/// What was found.
#[derive(Debug, Clone, Default)]
pub struct Survey {
    /// What the plan would take.
    pub estimate: Estimate,
    /// What looks like a secret in what would be sent, the first of each file, and of each directory's names.
    pub secrets: Vec<SecretFound>,
    /// Files that no request can be about, and why: they are no calls.
    pub unfit: Vec<(TreePath, String)>,
}

/// On which terms requests go out.
#[derive(Clone, Copy)]
pub struct SurveyTerms<'t> {
    /// Knows the prices.
    pub caller: &'t Caller,
    /// Knows those in batches, and what is owed already.
    pub batching: &'t Batching,
    /// Knows the answers that were no frames.
    pub refused: &'t RefusedAnswers,
}

/// What one file adds.
#[derive(Default)]
struct Share {
    /// Tokens in and out of the call; `None` where none is made.
    call: Option<(u64, u64)>,
    is_reused: bool,
    is_owed: bool,
    is_refused: bool,
    is_absent: bool,
    secret: Option<SecretFound>,
    unfit: Option<String>,
}

/// Looks at everything that a plan would send.
#[must_use]
pub fn survey(
    nodes: Nodes<'_>,
    plan: &Plan,
    index: &Index,
    writer: &Writer<'_>,
    terms: SurveyTerms<'_>,
) -> Survey {
    let Nodes { repo, scan, inputs } = nodes;
    let owed = terms.batching.owed();
    let (directories, files): (Vec<PlannedNode>, Vec<PlannedNode>) = plan
        .tasks
        .iter()
        .partition(|task| scan.node(task.node).is_directory);
    let work = |repo: &_, at: usize| {
        let nodes = Nodes { repo, scan, inputs };
        let (task, basis) = (files[at], plan.file_basis(scan, inputs, files[at].node));
        if !is_again(task) && index.find_basis(&basis).is_some() {
            return Share {
                is_reused: true,
                is_owed: owed.contains(&basis),
                ..Share::default()
            };
        }
        let mut share = file(nodes, writer, task, basis, terms);
        share.is_owed = owed.contains(&basis);
        share
    };
    let shares = on_all_cores(files.len(), repo, || repo.fork(), work);
    let mut survey = Survey::default();
    let mut waiting = HashSet::new();
    for (share, task) in shares.into_iter().zip(&files) {
        survey.estimate.add(&share);
        if share.is_absent || share.is_refused && !share.is_owed {
            waiting.insert(task.node);
        }
        survey.secrets.extend(share.secret);
        survey.unfit.extend(
            share
                .unfit
                .map(|why| (scan.path(inputs.root, task.node), why)),
        );
    }
    let wished = with_output(&writer.directory_wish, &writer.capabilities).0;
    let answer = answer_of_directory(writer, &wished);
    let most = input_tokens_max(&wished, &writer.capabilities).unwrap_or(u64::MAX);
    for task in directories {
        let path = scan.path(inputs.root, task.node);
        survey
            .secrets
            .extend(writer.guard_names(scan, task.node, &path).err());
        if scan
            .entries(task.node)
            .any(|entry| entry.node.is_some_and(|node| waiting.contains(&node)))
        {
            waiting.insert(task.node);
            survey.estimate.held_back += 1;
            continue;
        }
        let children = scan.entries(task.node).count() as u64;
        let input =
            writer.words_tokens() + FRAMING_TOKENS + children * (CHILD_TOKENS + ANSWER_TOKENS);
        survey.estimate.add(&Share {
            call: Some((of_model(writer, input.min(most)), answer)),
            is_owed: owed.contains(&plan.directory_basis(scan, task.node)),
            ..Share::default()
        });
    }
    survey.estimate.left_out = plan.left_out.len() as u64;
    survey.estimate.left_out_tokens = tokens_of_left_out(nodes, plan, writer, most);
    survey.estimate.price(terms);
    survey.secrets.sort_by(|a, b| a.name.cmp(&b.name));
    survey.secrets.dedup();
    survey
}

impl Estimate {
    fn add(&mut self, share: &Share) {
        self.reused += u64::from(share.is_reused);
        if share.is_owed {
            self.owed += 1;
        } else if share.is_refused {
            self.refused += 1;
        } else if let Some((input, output)) = share.call {
            self.calls += 1;
            self.input_tokens += input;
            self.output_tokens += output;
        }
    }

    fn price(&mut self, terms: SurveyTerms<'_>) {
        let usage = Usage {
            input: self.input_tokens,
            output: self.output_tokens,
            ..Usage::default()
        };
        self.nano_dollars = terms.caller.cost(&usage);
        let prices = terms.batching.client.as_ref().and_then(BatchClient::prices);
        self.batch_nano_dollars = prices.map(|prices| prices.cost(&usage));
    }
}

/// About how many tokens the content of the files would take that the agent leaves out: by their sizes.
fn tokens_of_left_out(
    Nodes { repo, scan, .. }: Nodes<'_>,
    plan: &Plan,
    writer: &Writer<'_>,
    most: u64,
) -> u64 {
    let tokens = |node: NodeNumber, exclusion: Exclusion| {
        let header = repo.header(&scan.node(node).id).ok().flatten();
        // A picture is never sent as text.
        let is_text = exclusion != Exclusion::Media;
        let bytes = header.map_or(0, |header| header.size_bytes * u64::from(is_text));
        let input = writer.words_tokens() + FRAMING_TOKENS + bytes / BYTES_PER_TOKEN;
        of_model(writer, input.min(most))
    };
    let left_out = plan.left_out.iter();
    left_out
        .map(|(node, exclusion)| tokens(*node, *exclusion))
        .sum()
}

fn file(
    nodes: Nodes<'_>,
    writer: &Writer<'_>,
    task: PlannedNode,
    basis: BasisId,
    terms: SurveyTerms<'_>,
) -> Share {
    let Nodes { repo, scan, inputs } = nodes;
    let path = scan.path(inputs.root, task.node);
    let secret = writer.guard_names(scan, task.node, &path).and_then(|()| {
        match read(repo, scan, task.node) {
            Ok(File::Data(data)) => writer.guard_file(&path, &data),
            // What is too large or cannot be read is not sent; the run says so.
            Ok(File::TooLarge(_) | File::Absent) | Err(_) => Ok(()),
        }
    });
    let share = Share {
        secret: secret.err(),
        ..Share::default()
    };
    let made_from = MadeFrom {
        basis,
        children: Children::None,
    };
    match writer.prepare(nodes, task.node, made_from, &mut |_| Ok(None)) {
        Ok(Prepared::Ask(question)) => {
            let input = of_model(writer, question.request.tokens_estimated());
            Share {
                is_refused: !is_again(task)
                    && terms
                        .refused
                        .find(&refused::key(&question.request, &terms.caller.name))
                        .is_some(),
                call: Some((
                    input,
                    answer_tokens(question.request.params.max_output_tokens),
                )),
                ..share
            }
        }
        Ok(Prepared::Absent) => Share {
            is_absent: true,
            ..share
        },
        Err(error) => Share {
            unfit: Some(chain(&error)),
            ..share
        },
    }
}

/// What an answer about a directory has.
fn answer_of_directory(writer: &Writer<'_>, wished: &GenerationParams) -> u64 {
    let limits = [wished.max_output_tokens, writer.capabilities.output_tokens];
    answer_tokens(limits.into_iter().flatten().min())
}

/// What our count is in tokens of the model, its template around the messages included.
fn of_model(writer: &Writer<'_>, tokens: u64) -> u64 {
    (tokens.saturating_mul(writer.capabilities.tokens_percent)).div_ceil(100)
}

/// What an answer has: no more than it may.
fn answer_tokens(most: Option<u64>) -> u64 {
    ANSWER_TOKENS.min(most.unwrap_or(u64::MAX))
}
