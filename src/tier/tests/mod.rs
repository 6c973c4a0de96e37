//! Laws of both policies over random sessions, the rules of `counter` one by one, and the model of a cache.

mod array;
mod cache;
mod counter;
mod expected_cost;
mod lag;
mod laws;
mod session;
