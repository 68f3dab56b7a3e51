//! What happens while a plan is made: an expander service that takes its time keeps the loop from nothing.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use plimsoll_cluster::lease::Standing;
use plimsoll_control::{
    engine::{Adviser, Seen},
    fault::Faults,
};
use plimsoll_model::{Expander, Question, Symbol};
use tokio::sync::watch;

use crate::stage::{Stage, TWO_GROUPS};

/// An expander service that answers when the test lets it.
#[derive(Debug)]
struct Slow {
    asked: watch::Sender<bool>,
    may_answer: watch::Sender<bool>,
}

#[async_trait]
impl Adviser for Slow {
    async fn advise(&self, _question: &Question, _seen: &Seen) -> Option<Vec<Symbol>> {
        self.asked.send_replace(true);
        let _ = self.may_answer.subscribe().wait_for(|may| *may).await;
        None
    }
}

impl Slow {
    async fn is_asked(&self) {
        let _ = self.asked.subscribe().wait_for(|asked| *asked).await;
    }
}

/// Three pods are pending, and the service is being asked about them.
async fn planning() -> (Stage, Arc<Slow>) {
    let mut stage = Stage::set(TWO_GROUPS).await;
    let (asked, may_answer) = (watch::Sender::new(false), watch::Sender::new(false));
    let slow = Arc::new(Slow { asked, may_answer });
    stage.adviser = Some(Arc::clone(&slow) as Arc<dyn Adviser>);
    stage.settings.plan.scale_up.expanders = vec![Expander::Service];
    stage.settings.pace.advice = Duration::from_hours(1);
    stage.start(Faults::default());
    stage.deploy("web", 3, "1");
    slow.is_asked().await;
    (stage, slow)
}

#[tokio::test(start_paused = true)]
async fn pods_that_are_gone_when_the_plan_is_made_get_no_machine() {
    let (stage, slow) = planning().await;
    let mut passes = stage.handle().each_pass();
    stage.scale("web", 0);
    stage.until("the pods are gone", |stage| stage.list("pods").is_empty()).await;
    stage.pass(5).await;
    slow.may_answer.send_replace(true);
    let pass = passes.recv().await.unwrap();
    assert_eq!(pass.plan.purchases.len(), 1, "it was decided");
    let [left] = &*pass.begun.left else { panic!("{:?}", pass.begun) };
    assert!(left.ends_with("no pod that it is for is pending any more"), "{left}");
    stage.pass(300).await;
    assert_eq!((stage.machines(), stage.orders()), (0, Vec::new()));
}

#[tokio::test(start_paused = true)]
async fn a_plan_that_was_made_for_an_earlier_leader_is_not_begun() {
    let (stage, slow) = planning().await;
    stage.standing.send_replace(Standing::Standby { leader: Some("other".to_owned()) });
    stage.pass(5).await;
    slow.may_answer.send_replace(true);
    stage.pass(300).await;
    assert_eq!((stage.machines(), stage.orders()), (0, Vec::new()));
    stage.standing.send_replace(Standing::Leading);
    stage.until("three pods run", |stage| stage.running("web") == 3).await;
    assert_eq!(stage.machines(), 1);
}

#[tokio::test(start_paused = true)]
async fn pods_that_come_while_the_plan_is_made_are_served_after_it() {
    let (stage, slow) = planning().await;
    stage.deploy("late", 4, "1");
    stage.pass(20).await;
    slow.may_answer.send_replace(true);
    stage.until("all run", |stage| stage.running("web") + stage.running("late") == 7).await;
    assert_eq!(stage.machines(), 2, "four pods fit on a machine");
}

#[tokio::test(start_paused = true)]
async fn shutdown_does_not_wait_for_the_plan() {
    let (mut stage, slow) = planning().await;
    // It would wait for an hour otherwise.
    tokio::time::timeout(Duration::from_mins(10), stage.stop()).await.unwrap();
    assert!(!*slow.may_answer.borrow());
    assert_eq!((stage.machines(), stage.orders()), (0, Vec::new()));
}
