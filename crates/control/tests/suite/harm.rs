//! Do no harm: what runs is not deleted, whatever is wrong with what is known of it. `docs/safety.md` has the promises.

#[path = "harm/frozen.rs"]
mod frozen;
#[path = "harm/unreadable.rs"]
mod unreadable;
