//! Asking, against servers on 127.0.0.1 that speak both protocols and fail in every way.

mod bench;
mod bounds;
mod key;
mod outcome;
mod outside;
mod pace;
mod vendor;
mod wire;
