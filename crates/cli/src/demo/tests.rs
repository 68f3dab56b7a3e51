//! The whole play, in time that passes as fast as it can.

use std::{io, time::Duration};

use plimsoll_net::{Clock, Shutdown};

use super::{
    audience::Audience,
    infrastructure::{self, Choice, Way},
    production,
    stage::{Place, Stage},
    summary::Summary,
    view::View,
    words::Line,
};

/// Keeps what it hears, and checks that whatever it sees can be shown.
#[derive(Default)]
struct Critic(Vec<String>);

impl Audience for Critic {
    fn hear(&mut self, line: &Line) -> io::Result<()> {
        self.0.push(line.to_string());
        Ok(())
    }

    fn see(&mut self, _: &View<'_>) -> io::Result<()> {
        Ok(())
    }
}

/// Plays, and gives what there is to say in the end with all that was told.
async fn play(choice: Choice, seconds: u64, seed: u64) -> (Summary, String) {
    let clock = Clock::starting_at("2026-03-01T12:00:00Z".parse().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let infrastructure = infrastructure::open(choice, seed, clock, Way::Direct, folder.path());
    let infrastructure = infrastructure.await.unwrap();
    let mut stage = Stage::set(clock, infrastructure, Place::default()).await.unwrap();
    let (mut critic, limit) = (Critic::default(), Some(Duration::from_secs(seconds)));
    let shutdown = Shutdown::new();
    let summary = production::play(&mut stage, clock, limit, &[], &mut critic, &shutdown).await;
    stage.end().await.unwrap();
    (summary.unwrap(), critic.0.join("\n"))
}

async fn every_act_comes_about(choice: Choice) {
    for (seconds, seed) in [(60, 0), (45, 1)] {
        let (summary, told) = play(choice, seconds, seed).await;
        assert_eq!(summary.missing(), [""; 0], "in {seconds} s\n{told}\n\n{summary}");
    }
}

#[tokio::test(start_paused = true)]
async fn every_act_comes_about_on_paper() {
    every_act_comes_about(Choice::Simulated).await;
}

#[tokio::test(start_paused = true)]
async fn every_act_comes_about_on_slicer() {
    every_act_comes_about(Choice::Slicer).await;
}

#[tokio::test(start_paused = true)]
async fn every_act_comes_about_on_stackpoint() {
    every_act_comes_about(Choice::StackPoint).await;
}
