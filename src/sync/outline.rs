//! Which frames are outlines, as their names alone tell.

use crate::agent::OUTLINE;
use crate::frame::FrameName;

/// True for the name of an outline, so that it need not be read: no agent with a model, and no person, can say one.
#[must_use]
pub(super) fn is_outline(name: &FrameName) -> bool {
    name.agent.as_str() == OUTLINE && name.frame_type.as_str() == OUTLINE
}
