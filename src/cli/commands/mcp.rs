//! `git merkle mcp`: a Model Context Protocol server on standard input and output, for coding agents.
//!
//! A tool call is a command line: `tool` turns its arguments into words, `call` runs them as the program runs what a
//! person types, and `server` speaks the protocol. So a tool says what the command says, with the same limits and errors.
//! Standard output carries the protocol and nothing else.

mod call;
mod resource;
mod server;
mod tool;

use rmcp::ServiceExt as _;
use rmcp::service::ServerInitializeError;
use rmcp::transport::stdio;

use crate::base::Shelf;
use crate::base::runtime::runtime;
use crate::cli::program::Program;
use crate::cli::{CliError, Exit};
use server::Server;

/// Arguments of `mcp`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Also offer the tool 'note', which stores what the client says as notes of the agent 'assistant'
    #[arg(long)]
    allow_notes: bool,
}

/// Serves one client until it closes standard input.
pub fn run(args: &Args, program: &mut Program) -> Result<Exit, CliError> {
    // A wrong directory or setting is said now, while a person still looks.
    program.open()?;
    if program.ui.can_ask() {
        program.ui.note("this is a server: an MCP client starts it and speaks JSON-RPC to it; the guide docs/guide/agents.md shows how");
    }
    let mut global = program.global.clone();
    global.shelf = Shelf::lasting();
    let server = Server::new(global, program.environment.clone(), args.allow_notes);
    let runtime = runtime().map_err(|error| CliError::io("cannot start the server", error))?;
    let outcome = runtime.block_on(async {
        match server.serve(stdio()).await {
            Ok(running) => running
                .waiting()
                .await
                .map(drop)
                .map_err(|error| error.to_string()),
            // A client that only asks what the server can do, and one that changes its mind, ends it too.
            Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
            Err(ServerInitializeError::ExpectedInitializeRequest(_)) => {
                Err("its first message is no request".to_owned())
            }
            Err(error) => Err(error.to_string()),
        }
    });
    // A thread may still read standard input or finish a call that has no reader: neither holds the process.
    runtime.shutdown_background();
    outcome.map_err(|error| {
        CliError::new(
            Exit::Refused,
            format!("the client does not speak MCP: {error}"),
        )
    })?;
    Ok(Exit::Done)
}
