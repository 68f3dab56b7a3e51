//! What must never happen, whatever is wrong with what is seen: a machine deleted on which something runs, one forgotten that costs
//! money, or scale-ups without bound. Each promise of `docs/safety.md` has its test here.

#[path = "harm/adoption.rs"]
mod adoption;
#[path = "harm/identity.rs"]
mod identity;
