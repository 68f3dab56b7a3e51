//! api.

/// Access to the API from inside the process.
#[derive(Debug, Clone)]
pub struct Api {}
