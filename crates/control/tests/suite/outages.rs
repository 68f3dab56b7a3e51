//! What happens when the API server is away, watches break, replicas fight and clocks jump.

use jiff::SignedDuration;
use plimsoll_cluster::{
    connect,
    lease::{Candidacy, Leadership, Standing, Timings, stand},
};
use plimsoll_control::{engine::HeldBack, fault::Faults};
use plimsoll_net::{Clock, Shutdown};
use plimsoll_providers::simulated::Reach;
use tokio::{sync::watch, task::JoinHandle};

use crate::{
    gate::{Gate, State},
    stage::{Running, Stage, TWO_GROUPS, of},
};

#[tokio::test(start_paused = true)]
async fn while_the_api_server_is_away_nothing_is_done_and_afterwards_everything() {
    for away in [State::Refusing, State::Silent] {
        let stage = Stage::with(TWO_GROUPS).await;
        stage.deploy("web", 3, "1");
        stage.until("three pods run", |stage| stage.running("web") == 3).await;
        stage.pass(300).await;
        stage.scale("web", 0);
        stage.deploy("late", 5, "1");
        stage.gate.set(away);
        stage.pass(300).await;
        let bought = stage.bought();
        assert!(bought["cheap"] <= 2, "{away:?}: what was begun before may have been placed");
        assert!(stage.is_all_open(), "{away:?}");
        if away == State::Refusing {
            let held_back = stage.last_pass().held_back.clone();
            assert!(matches!(held_back, Some(HeldBack::Stale(_))), "{held_back:?}");
        }
        stage.gate.set(State::Open);
        stage.until("five pods run", |stage| stage.running("late") == 5).await;
        stage.pass(120).await;
        assert_eq!(stage.last_pass().held_back, None, "{away:?}");
        assert_eq!((stage.bought(), stage.machines()), (of("cheap", 2), 2), "{away:?}");
        assert!(stage.is_all_open(), "{away:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_provider_that_is_away_for_ten_minutes_loses_nothing() {
    let stage = Stage::with(TWO_GROUPS).await;
    stage.deploy("web", 6, "1");
    stage.until("six pods run", |stage| stage.running("web") == 6).await;
    stage.pass(300).await;
    stage.scale("web", 3);
    stage.until("a node leaves", |stage| !stage.is_all_open()).await;
    stage.cloud.set_reach(Reach::Down);
    stage.pass(600).await;
    assert!(stage.is_all_open(), "a node whose machine nobody can delete is given back");
    assert_eq!(stage.running("web"), 3);
    stage.cloud.set_reach(Reach::Up);
    stage.until("one machine is left", |stage| stage.machines() == 1).await;
    stage.until("one node is left", |stage| stage.node_names().len() == 1).await;
    stage.pass(120).await;
    assert_eq!((stage.running("web"), stage.bought()), (3, of("cheap", 2)));
    assert!(stage.is_all_open());
}

/// A process of its own, with its own way to the API server.
pub(crate) struct Replica {
    gate: Gate,
    standing: watch::Receiver<Standing>,
    pub(crate) election: JoinHandle<()>,
    pub(crate) running: Running,
}

impl Replica {
    pub(crate) fn start(stage: &Stage, name: &str) -> Self {
        let gate = Gate::new(stage.ground.service());
        let leadership = Leadership::contested(stage.clock);
        let client = connect::fenced(gate.clone(), leadership.fence());
        let sender = watch::Sender::new(Standing::Standby { leader: None });
        let standing = sender.subscribe();
        let candidacy = Candidacy {
            namespace: "kube-system".to_owned(),
            name: "cluster-autoscaler".to_owned(),
            identity: name.to_owned(),
            timings: Timings::default(),
        };
        let clock = stage.clock;
        let shares = leadership.clone();
        let election = stand(client.clone(), candidacy, clock, sender, shares, Shutdown::new());
        let running = stage.run_as(client, standing.clone(), leadership, Faults::default());
        Self { gate, standing, election: tokio::spawn(election), running }
    }

    pub(crate) fn leads(&self) -> bool {
        *self.standing.borrow() == Standing::Leading
    }

    async fn kill(self) {
        self.election.abort();
        self.running.task.abort();
        let _ = self.running.task.await;
    }
}

#[tokio::test(start_paused = true)]
async fn of_two_replicas_one_acts_and_the_other_takes_over() {
    let stage = Stage::set(TWO_GROUPS).await;
    let one = Replica::start(&stage, "one");
    stage.until("one leads", |_| one.leads()).await;
    let two = Replica::start(&stage, "two");
    stage.deploy("web", 6, "1");
    stage.until("an order is placed", |stage| stage.machines() == 2).await;
    assert!(!two.leads());
    // The first one cannot reach the API server, and stops leading before the second begins.
    one.gate.set(State::Silent);
    for _ in 0..600 {
        stage.pass_millis(100).await;
        assert!(!(one.leads() && two.leads()));
    }
    assert!(two.leads());
    stage.until("six pods run", |stage| stage.running("web") == 6).await;
    one.gate.set(State::Open);
    stage.pass(60).await;
    assert!(two.leads() && !one.leads());
    stage.deploy("more", 6, "1");
    stage.until("six more run", |stage| stage.running("more") == 6).await;
    // The second one is killed in the middle of a drain; the first finishes what it began.
    stage.scale("more", 0);
    stage.until("a node leaves", |stage| !stage.is_all_open()).await;
    let killed = stage.clock.now();
    two.kill().await;
    stage.until("the first leads", |_| one.leads()).await;
    let took = stage.clock.now().duration_since(killed);
    assert!(took <= SignedDuration::from_secs(15 + 2 + 1), "{took}");
    stage.until("two machines are left", |stage| stage.machines() == 2).await;
    stage.until("two nodes are left", |stage| stage.node_names().len() == 2).await;
    stage.pass(120).await;
    assert_eq!((stage.running("web"), stage.bought()), (6, of("cheap", 3)));
    assert!(stage.is_all_open(), "{:?}", stage.nodes());
}

#[tokio::test(start_paused = true)]
async fn a_clock_that_jumps_between_two_runs_delays_nothing_and_hurries_nothing() {
    let (right, ahead) = (SignedDuration::ZERO, SignedDuration::from_hours(2));
    for (first, second) in [(right, ahead), (ahead, right)] {
        let mut stage = Stage::set(TWO_GROUPS).await;
        stage.own_clock = Clock::starting_at(stage.clock.now() + first);
        stage.start(Faults::default());
        stage.deploy("web", 3, "1");
        stage.until("three pods run", |stage| stage.running("web") == 3).await;
        stage.scale("web", 0);
        stage.pass(60).await;
        stage.stop().await;
        stage.own_clock = Clock::starting_at(stage.clock.now() + second);
        stage.start(Faults::default());
        stage.scale("web", 6);
        stage.until("six pods run", |stage| stage.running("web") == 6).await;
        assert_eq!(stage.bought(), of("cheap", 2), "from {first} to {second}");
        stage.scale("web", 0);
        let idle = stage.clock.now();
        stage.until("all nodes are gone", |stage| stage.node_names().is_empty()).await;
        let took = stage.clock.now().duration_since(idle);
        assert!(took <= SignedDuration::from_mins(15), "from {first} to {second}: {took}");
        assert!(took >= SignedDuration::from_mins(2), "from {first} to {second}: {took}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_stop_in_any_phase_is_taken_up_again() {
    let phases = ["Increase Placed", "Retire Marked", "Retire Draining", "Retire Deleting"];
    for phase in phases {
        let mut stage = Stage::with(TWO_GROUPS).await;
        stage.deploy("wide", 2, "3");
        let reached = |stage: &Stage| stage.orders().iter().any(|order| order == phase);
        if phase.starts_with("Retire") {
            stage.until("two pods run", |stage| stage.running("wide") == 2).await;
            stage.deploy("small", 2, "500m");
            stage.until("small pods run", |stage| stage.running("small") == 2).await;
            stage.scale("wide", 0);
        } else {
            stage.deploy("small", 2, "500m");
        }
        stage.until(phase, reached).await;
        stage.stop().await;
        stage.pass(60).await;
        stage.start(Faults::default());
        stage.scale("wide", 0);
        stage.until("one machine is left", |stage| stage.machines() == 1).await;
        stage.until("one node is left", |stage| stage.node_names().len() == 1).await;
        stage.until("small pods run", |stage| stage.running("small") == 2).await;
        stage.pass(120).await;
        assert!(stage.is_all_open(), "{phase}: {:?}", stage.nodes());
        assert_eq!((stage.machines(), stage.bought()), (1, of("cheap", 2)), "{phase}");
    }
}
