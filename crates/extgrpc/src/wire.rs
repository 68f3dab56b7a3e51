//! Between the messages and the words of the model. Pure; both directions side by side, so that they cannot drift apart.

pub(crate) mod instance;
pub(crate) mod node;
pub(crate) mod options;
pub(crate) mod pod;
pub(crate) mod pod_shape;
pub(crate) mod time;

#[cfg(test)]
mod tests;
