//! A provider over a server that somebody else wrote.

mod inventory;
mod wishes;
