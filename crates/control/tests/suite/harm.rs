//! What an autoscaler must never do: delete what runs, forget what costs money, order without bound. Each promise of `docs/safety.md`
//! has its test here.

#[path = "harm/adoption.rs"]
mod adoption;
