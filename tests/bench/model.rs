//! A model on this machine that takes its time: every request gets the same short answer after the same wait.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::time::Duration;

use crate::measure::{Failure, git};

/// A streamed answer of the OpenAI protocol, whole.
const ANSWER: &str = "\
data: {\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"Does what it says.\"}}]}\n\n\
data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n\
data: {\"choices\":[],\"usage\":{\"prompt_tokens\":100,\"completion_tokens\":5,\"total_tokens\":105}}\n\n\
data: [DONE]\n\n";

/// The agent that asks it.
const AGENT: &str =
    "id = \"docs\"\nrole = \"writer\"\nsystem_prompt = \"Be brief.\"\nprovider = \"bench\"\n";

/// The server; it serves until the program ends.
pub(crate) struct Model {
    address: SocketAddr,
}

impl Model {
    /// Listens; each answer is written after so long.
    pub(crate) fn start(wait: Duration) -> Result<Self, Failure> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                std::thread::spawn(move || while serve(&stream, wait).is_ok() {});
            }
        });
        Ok(Self { address })
    }

    /// Defines it as a provider, and an agent that asks it: for the user whose home the benches have.
    pub(crate) fn configure(&self, repository: &Path) -> Result<(), Failure> {
        let endpoint = format!("http://{}/v1/", self.address);
        let settings = [
            ("kind", "local"),
            ("endpoint", &endpoint),
            ("model", "bench"),
        ];
        for (name, value) in settings {
            let key = format!("merkle.provider.bench.{name}");
            git()
                .args(["config", "--global", &key, value])
                .inside(repository)
                .output()?;
        }
        let agents = crate::measure::home()?.join(".config/git-merkle/agents");
        std::fs::create_dir_all(&agents)?;
        std::fs::write(agents.join("docs.toml"), AGENT)?;
        Ok(())
    }
}

/// Reads one request, waits, answers.
fn serve(stream: &TcpStream, wait: Duration) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value
                .trim()
                .parse()
                .map_err(|_| std::io::ErrorKind::InvalidData)?;
        }
        if line == "\r\n" {
            break;
        }
    }
    reader.read_exact(&mut vec![0; length])?;
    std::thread::sleep(wait);
    let mut stream = stream;
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: {}\r\n\r\n",
        ANSWER.len()
    );
    stream.write_all(format!("{head}{ANSWER}").as_bytes())
}
