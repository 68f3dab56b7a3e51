//! Requests for room: checked for, bought whole or not at all, kept for a while.

mod booked;
mod bought;
mod checked;
mod turns;
