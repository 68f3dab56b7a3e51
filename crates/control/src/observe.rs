//! observe.
