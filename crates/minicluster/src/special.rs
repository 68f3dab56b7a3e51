//! special.
