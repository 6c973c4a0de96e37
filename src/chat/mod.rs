//! Words spoken to a model, as values: messages, parameters, what a provider can do, usage, replies.
//!
//! Owns the neutral form of one request and one reply, which every provider renders in its own protocol. Knows no
//! provider, no endpoint and no repository; does nothing but count and hash. Start with [`Request`] and [`Reply`].

pub mod body;
pub mod capability;
pub mod image;
pub mod message;
pub mod params;
pub mod reply;
pub mod request;
pub mod sendable;

pub use capability::Capabilities;
pub use image::{IMAGE_BYTES_MAX, Image, ImageError};
pub use message::{Message, Role};
pub use params::{GenerationParams, OUTPUT_TOKENS_DEFAULT};
pub use reply::{Answer, Reply, Ticket, Usage};
pub use request::Request;
