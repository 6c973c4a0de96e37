//! Facts: how models are asked in each phase, as people configure it.
