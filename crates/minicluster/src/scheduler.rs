//! scheduler.
