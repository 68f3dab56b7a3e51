//! Plimsoll against components that nobody here wrote.

mod scheduler;
mod start;
