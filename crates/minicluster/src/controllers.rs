//! controllers.
pub(crate) mod budget;
