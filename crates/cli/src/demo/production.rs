//! The play as it is played: looks, lets the director decide, does what is to be done, and tells who watches.

use std::{sync::Arc, time::Duration};

use plimsoll_net::{Clock, Shutdown};

use super::{
    audience::Audience,
    director::{Cue, Director},
    facts::{Facts, seconds},
    observer::Observer,
    play::ACTS,
    stage::Stage,
    summary::{Ending, Summary},
    view::View,
    words::{Actor, Line},
};
use crate::failure::Failure;

/// How often it is looked.
const TICK: Duration = Duration::from_millis(100);

/// Plays until the time is over, or `shutdown`.
pub(super) async fn play(
    stage: &mut Stage,
    clock: Clock,
    limit: Option<Duration>,
    hints: &[String],
    audience: &mut dyn Audience,
    shutdown: &Shutdown,
) -> Result<Summary, Failure> {
    let mut director = Director::new(ACTS, limit);
    let mut observer = Observer::new(stage, clock);
    let ending = loop {
        let (facts, lines) = observer.look(stage).map_err(Failure::Running)?;
        for line in &lines {
            audience.hear(line)?;
        }
        let facts = Arc::new(facts);
        let cues = director.step(&facts);
        let over = cues.contains(&Cue::Over);
        for cue in &cues {
            follow(cue, stage, &director, &facts, audience).await?;
        }
        audience.see(&View::new(&facts, &director, hints))?;
        if over {
            break Ending::TimeOver;
        }
        tokio::select! {
            () = tokio::time::sleep(TICK) => {}
            () = shutdown.wait() => {
                break if limit.is_some() { Ending::Interrupted } else { Ending::Left };
            }
        }
    };
    Ok(Summary::new(&director, &observer, ending))
}

/// Does and tells what the director wants.
async fn follow(
    cue: &Cue,
    stage: &mut Stage,
    director: &Director,
    facts: &Facts,
    audience: &mut dyn Audience,
) -> Result<(), Failure> {
    let at = facts.at;
    let mut say = |who, what| audience.hear(&Line { at, who, what });
    let acts = director.acts();
    match *cue {
        Cue::Begin(place) => {
            let Some(act) = acts.get(place) else { return Ok(()) };
            let (number, count) = (place + 1, acts.len());
            let told = format!("act {number} of {count}, {}: {}", act.name, act.sentence);
            say(Actor::Play, told)?;
            for step in act.moves {
                // What cannot be done now is not the end: the act does not come about, and that is told.
                match stage.perform(*step, facts).await {
                    Ok(Some(told)) => say(Actor::Cloud, told)?,
                    Ok(None) => {}
                    Err(error) => say(Actor::Play, format!("{error:#}"))?,
                }
            }
        }
        Cue::Happened(place) => {
            let verdict = acts.get(place).zip(director.verdicts().get(place));
            if let Some((act, verdict)) = verdict {
                let (took, words) = (seconds(verdict.took), &verdict.words);
                say(Actor::Play, format!("✓ {} after {took}: {words}", act.name))?;
            }
        }
        Cue::Late(place) => {
            let verdict = acts.get(place).zip(director.verdicts().get(place));
            if let Some((act, verdict)) = verdict {
                say(Actor::Play, format!("{} is late: {}", act.name, verdict.words))?;
            }
        }
        Cue::Strike => {
            say(Actor::Play, "all that runs is taken away, and the machines can go".to_owned())?;
            stage.strike().map_err(Failure::Running)?;
        }
        Cue::Over => {}
    }
    Ok(())
}
