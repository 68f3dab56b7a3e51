//! The protocol from outside: bytes, sockets, certificates, and providers and servers that misbehave.

#![expect(clippy::unwrap_used, reason = "a test stops where it is surprised")]

mod client;
mod codes;
mod deadlines;
mod expander;
mod fixture;
mod frames;
mod frozen;
mod observed;
mod options;
mod registered;
mod scripted;
mod tls;
mod versions;
mod wishes;
