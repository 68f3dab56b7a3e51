//! For each flag of the process: two values, and what somebody outside sees of the one and of the other.
//!
//! Every look begins with words of the command line. It assembles the autoscaler as `plimsoll run` does, lets it run in a cluster,
//! and asks the cluster, the infrastructure or the autoscaler's own address.

use std::pin::Pin;

mod buffers;
mod connection;
mod election;
mod groups;
mod health;
mod leaving;
mod pace;
mod requests;
mod telling;

/// Words of a command line.
type Words = Vec<String>;

/// A look at what words lead to.
type Look = fn(Words) -> Pin<Box<dyn Future<Output = String>>>;

/// What a flag does.
pub(super) struct Effect {
    pub flag: &'static str,
    /// What it is set to in turn, and what is seen then.
    pub cases: [(&'static str, &'static str); 2],
    /// Flags that are there in any case.
    pub with: &'static [&'static str],
    pub look: Look,
    pub time: Time,
}

/// Which time holds for a look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Time {
    /// Tokio's, which passes when there is nothing else to do.
    Paused,
    /// Ours: sockets know no other.
    Real,
}

/// All of them, by topic.
const TABLES: [&[Effect]; 9] = [
    buffers::TABLE,
    connection::TABLE,
    election::TABLE,
    groups::TABLE,
    health::TABLE,
    leaving::TABLE,
    pace::TABLE,
    requests::TABLE,
    telling::TABLE,
];

/// The flags whose effect is shown.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    TABLES.into_iter().flatten().map(|effect| effect.flag)
}

/// Looks at all that a table promises.
fn check(table: &[Effect]) {
    for Effect { flag, cases, with, look, time } in table {
        for (value, seen) in cases {
            let words = with.iter().map(|word| (*word).to_owned());
            let words: Words = words.chain([format!("--{flag}={value}")]).collect();
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .start_paused(*time == Time::Paused)
                .build()
                .unwrap();
            let found = runtime.block_on(look(words));
            runtime.shutdown_background();
            assert_eq!(found, *seen, "--{flag}={value}");
        }
        assert_ne!(cases[0].1, cases[1].1, "--{flag} makes no difference");
    }
}
