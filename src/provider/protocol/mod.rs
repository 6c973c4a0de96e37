//! The four protocols: what a request looks like on the wire, and what each document that comes back says.
//!
//! Pure: a request becomes one JSON document, and a document that came in is noted in [`IncomingAnswer`]. The sources are the
//! vendors' own documentations of chat completions (OpenAI), messages (Anthropic), generateContent (Gemini) and
//! `/api/chat` (Ollama). Pieces of a stream and whole answers have the same form but for OpenAI and Anthropic, where
//! both are understood by one function.

mod anthropic;
mod form;
mod gemini;
mod heard;
mod ollama;
mod openai;
mod prepared;

pub(super) use form::{body, hear, path};
pub(super) use heard::{IncomingAnswer, Stop};
