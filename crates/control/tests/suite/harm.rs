//! What must never happen, whatever is wrong with what is seen: a machine deleted on which something runs, one forgotten that costs
//! money, or scale-ups without bound. `docs/safety.md` has the promises.

#[path = "harm/claims.rs"]
mod claims;
#[path = "harm/identity.rs"]
mod identity;
#[path = "harm/lost_nodes.rs"]
mod lost_nodes;
