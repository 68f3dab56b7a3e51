//! retire.
