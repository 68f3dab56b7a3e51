//! Recordings of a real API server, replayed against this one.
//!
//! `ratchet.txt` says how many steps of each recording pass; fewer are a failure. `UPDATE_RATCHET=1` writes what passes now into it.
//! To work on one topic: `RECORDINGS=watch- cargo test -p plimsoll-minicluster recordings -- --nocapture` prints every
//! difference of the recordings whose names begin so.
//!
//! Each recording has a server and a thread of its own, and tokio's time is paused: where all wait, time jumps. So nothing depends on
//! how fast the machine is, and minutes of waiting take none.

use std::{
    collections::{BTreeMap, VecDeque},
    env,
    fmt::Write as _,
    fs,
    path::PathBuf,
    sync::{Mutex, PoisonError},
    thread,
};

use recording::Recording;
use runner::{Outcome, replay};

mod cluster;
mod compare;
mod exchange;
mod normal;
mod placeholder;
mod pointer;
mod recording;
mod runner;
mod variables;

/// Recordings that are replayed at the same time.
const THREADS: usize = 4;

#[test]
fn recordings() {
    let prefix = env::var("RECORDINGS").unwrap_or_default();
    let queue: VecDeque<Recording> = Recording::all()
        .into_iter()
        .filter(|recording| recording.topic.starts_with(&prefix))
        .collect();
    let queue = Mutex::new(queue);
    let outcomes = Mutex::new(BTreeMap::new());
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                loop {
                    let next = queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
                    let Some(recording) = next else { return };
                    let outcome = run(&recording);
                    outcomes.lock().unwrap().insert(outcome.topic.clone(), outcome);
                }
            });
        }
    });
    let outcomes = outcomes.into_inner().unwrap();
    for (topic, outcome) in &outcomes {
        for line in &outcome.differences {
            println!("{topic} {line}");
        }
    }
    for (topic, outcome) in &outcomes {
        println!("{topic} {}/{}", outcome.passed, outcome.total);
    }
    let passed: usize = outcomes.values().map(|outcome| outcome.passed).sum();
    let total: usize = outcomes.values().map(|outcome| outcome.total).sum();
    println!("{passed} of {total} steps pass");
    if prefix.is_empty() {
        ratchet(&outcomes);
    }
}

fn run(recording: &Recording) -> Outcome {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .start_paused(true)
        .build()
        .unwrap();
    runtime.block_on(async {
        let client = cluster::start(&recording.needs);
        replay(recording, client).await
    })
}

/// Fails when a recording passes fewer steps than `ratchet.txt` says, or more: then it wants to be raised.
fn ratchet(outcomes: &BTreeMap<String, Outcome>) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/suite/ratchet.txt");
    let committed: BTreeMap<String, usize> = fs::read_to_string(&path)
        .unwrap_or_default()
        .lines()
        .filter_map(|line| {
            let (topic, counts) = line.split_once(' ')?;
            Some((topic.to_owned(), counts.split_once('/')?.0.parse().ok()?))
        })
        .collect();
    let mut now = String::new();
    for (topic, outcome) in outcomes {
        writeln!(now, "{topic} {}/{}", outcome.passed, outcome.total).unwrap();
    }
    if env::var_os("UPDATE_RATCHET").is_some() {
        fs::write(&path, now).unwrap();
        return;
    }
    let lost: Vec<String> = outcomes
        .values()
        .filter_map(|outcome| {
            let before = *committed.get(&outcome.topic).unwrap_or(&0);
            (outcome.passed < before)
                .then(|| format!("{}: {} steps pass, {before} did", outcome.topic, outcome.passed))
        })
        .collect();
    assert!(
        lost.is_empty(),
        "recordings pass fewer steps than tests/suite/ratchet.txt says:\n{}\nhelp: the differences are above; if this is \
         meant, run again with UPDATE_RATCHET=1",
        lost.join("\n")
    );
    let more = outcomes
        .values()
        .filter(|outcome| outcome.passed > *committed.get(&outcome.topic).unwrap_or(&0))
        .count();
    if more > 0 {
        println!(
            "{more} recordings pass more steps than ratchet.txt says; UPDATE_RATCHET=1 keeps that"
        );
    }
}
