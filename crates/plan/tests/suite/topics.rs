//! Fixtures by topic: scale-up, and the state it starts from.

#![expect(clippy::needless_raw_string_hashes, reason = "`UPDATE_EXPECT=1` writes them")]

mod atomic;
mod balance;
mod buffers;
mod capacity_quotas;
mod company;
mod consolidation;
mod daemons;
mod devices;
mod exemplars;
mod expanders;
mod expected;
mod failures;
mod gangs;
mod gpus;
mod headroom;
mod health;
mod hosts;
mod limits;
mod minimum;
mod packing;
mod patience;
mod pending;
mod ports;
mod prices;
mod priorities;
mod quotas;
mod reasons;
mod rechecks;
mod requests;
mod upcoming;
mod volumes;
mod zones;
