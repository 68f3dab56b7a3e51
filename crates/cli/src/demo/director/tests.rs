//! The director, with acts that come about when they are told to.

use std::{sync::Arc, time::Duration};

use super::{Cue, Director, Progress, Verdict};
use crate::demo::{
    facts::Facts,
    play::{Act, Outcome, Scene},
};

const fn act(name: &'static str, outcome: fn(&Scene<'_>) -> Outcome) -> Act {
    Act { name, sentence: "", moves: &[], outcome }
}

/// Three acts: one takes two seconds, the second as long as `bought` says, the third comes about at once.
const ACTS: &[Act] = &[
    act("first", |scene| after(scene, 2)),
    act("second", second),
    act("third", |scene| after(scene, 0)),
];

fn after(scene: &Scene<'_>, seconds: u64) -> Outcome {
    let over = scene.now.at.saturating_sub(scene.before.at) >= Duration::from_secs(seconds);
    if over { Ok("done".to_owned()) } else { Err("too early".to_owned()) }
}

fn second(scene: &Scene<'_>) -> Outcome {
    let takes = scene.now.bought.get("seconds").copied().unwrap_or_default();
    after(scene, takes.into())
}

/// Leads through a play in which the second act takes so long; tells what happened when.
fn lead(director: &mut Director, second: u32, seconds: u64) -> Vec<String> {
    let mut told = Vec::new();
    for at in 0..=seconds {
        let facts = Facts {
            at: Duration::from_secs(at),
            awake: at > 0,
            bought: [("seconds".to_owned(), second)].into(),
            ..Facts::default()
        };
        let cues = director.step(&Arc::new(facts));
        told.extend(cues.into_iter().map(|cue| match cue {
            Cue::Begin(act) => format!("{at} begin {act}"),
            Cue::Happened(act) => format!("{at} happened {act}"),
            Cue::Late(act) => format!("{at} late {act}"),
            Cue::Strike => format!("{at} strike"),
            Cue::Over => format!("{at} over"),
        }));
    }
    told
}

#[test]
fn an_act_begins_when_the_one_before_it_has_come_about_and_was_seen() {
    let mut director = Director::new(ACTS, Some(Duration::from_mins(1)));
    let told = lead(&mut director, 10, 60);
    let expected = [
        "1 begin 0",
        "3 happened 0",
        "9 begin 1",
        "19 happened 1",
        "19 begin 2",
        "20 happened 2",
        "28 strike",
        "60 over",
    ];
    assert_eq!(told, expected);
    assert!(director.verdicts().iter().all(Verdict::is_good));
}

#[test]
fn an_act_that_takes_long_is_waited_for() {
    let mut director = Director::new(ACTS, Some(Duration::from_mins(1)));
    let told = lead(&mut director, 40, 60);
    // Of the 9 s that are left then, but for a reserve of 2 s, one may watch the last act for less long.
    let expected = [
        "1 begin 0",
        "3 happened 0",
        "9 begin 1",
        "49 happened 1",
        "49 begin 2",
        "50 happened 2",
        "57 strike",
        "60 over",
    ];
    assert_eq!(told, expected);
    assert!(director.verdicts().iter().all(Verdict::is_good));
}

#[test]
fn an_act_that_takes_too_long_does_not_hold_up_the_others_and_may_come_about_in_overtime() {
    let mut director = Director::new(ACTS, Some(Duration::from_mins(1)));
    let told = lead(&mut director, 70, 120);
    let expected = [
        "1 begin 0",
        "3 happened 0",
        "9 begin 1",
        "54 late 1",
        "54 begin 2",
        "55 happened 2",
        "79 happened 1",
        "79 over",
    ];
    assert_eq!(told, expected);
    assert!(director.verdicts().iter().all(Verdict::is_good));
}

#[test]
fn an_act_that_never_comes_about_is_missing() {
    let mut director = Director::new(ACTS, Some(Duration::from_mins(1)));
    let told = lead(&mut director, 1000, 120);
    assert_eq!(told.last().map(String::as_str), Some("120 over"));
    let states: Vec<Progress> = director.verdicts().iter().map(|one| one.state).collect();
    assert_eq!(states, [Progress::Happened, Progress::Late, Progress::Happened]);
    let good: Vec<bool> = director.verdicts().iter().map(Verdict::is_good).collect();
    assert_eq!(good, [true, false, true]);
    assert_eq!(director.verdicts()[1].words, "too early");
}

#[test]
fn without_a_limit_the_play_is_repeated() {
    let mut director = Director::new(ACTS, None);
    let told = lead(&mut director, 1, 110);
    let begun = told.iter().filter(|one| one.ends_with("begin 0")).count();
    assert_eq!((begun, director.round()), (4, 4), "{told:?}");
    assert!(!told.iter().any(|one| one.ends_with("over")), "{told:?}");
    assert_eq!(director.verdicts()[0].happened, 4);
}

#[test]
fn there_is_another_round_only_when_there_is_time_for_it() {
    for (seconds, rounds) in [(100, 1), (120, 2), (300, 7)] {
        let mut director = Director::new(ACTS, Some(Duration::from_secs(seconds)));
        let told = lead(&mut director, 1, seconds);
        assert_eq!(director.round(), rounds, "{told:?}");
        assert!(director.verdicts().iter().all(Verdict::is_good), "{told:?}");
    }
}
