//! steady.
