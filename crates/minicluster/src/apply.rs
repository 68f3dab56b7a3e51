//! apply.
