//! A process that is killed at any point neither buys twice nor forgets, and leaves no node closed.

use plimsoll_control::fault::{Faults, Point};

use crate::stage::{Stage, TWO_GROUPS, of};

const BUYING: [Point; 4] = [Point::Decided, Point::Wanted, Point::Answered, Point::Noted];

const RETIRING: [Point; 7] = [
    Point::RetirementWanted,
    Point::Marked,
    Point::DrainNoted,
    Point::Evicted,
    Point::DeletionNoted,
    Point::DeletionAnswered,
    Point::NodeDeleted,
];

/// Runs until somebody comes to the point, and kills the process there.
async fn kill_at(stage: &mut Stage, point: Point, begin: impl Fn(&Stage)) {
    let (faults, wire) = Faults::at(point);
    stage.start(faults);
    begin(stage);
    tokio::time::timeout(std::time::Duration::from_hours(1), wire.tripped())
        .await
        .unwrap_or_else(|_| panic!("nobody came to {point:?}"));
    stage.kill().await;
}

#[tokio::test(start_paused = true)]
async fn an_increase_is_bought_once() {
    for point in BUYING {
        let mut stage = Stage::set(TWO_GROUPS).await;
        kill_at(&mut stage, point, |stage| stage.deploy("web", 6, "1")).await;
        stage.pass(20).await;
        stage.start(Faults::default());
        stage.until("six pods run", |stage| stage.running("web") == 6).await;
        stage.pass(60).await;
        assert_eq!(stage.bought(), of("cheap", 2), "killed at {point:?}");
        assert_eq!(stage.orders(), ["Increase Done"], "killed at {point:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_node_that_leaves_is_gone_in_the_end() {
    for point in RETIRING {
        let mut stage = Stage::set(TWO_GROUPS).await;
        stage.start(Faults::default());
        stage.deploy("wide", 2, "3");
        stage.until("two pods run", |stage| stage.running("wide") == 2).await;
        stage.deploy("small", 2, "500m");
        stage.until("small pods run", |stage| stage.running("small") == 2).await;
        stage.kill().await;
        kill_at(&mut stage, point, |stage| stage.scale("wide", 0)).await;
        stage.pass(20).await;
        stage.start(Faults::default());
        stage
            .until("one machine is left", |stage| {
                stage.machines() == 1 && stage.node_names().len() == 1
            })
            .await;
        stage.pass(120).await;
        assert_eq!(stage.running("small"), 2, "killed at {point:?}");
        assert_eq!(stage.bought(), of("cheap", 2), "killed at {point:?}");
        assert!(stage.is_all_open(), "killed at {point:?}: {:?}", stage.nodes());
        let open = |order: &String| {
            order.starts_with("Retire") && !order.contains("Done") && !order.contains("Released")
        };
        assert!(!stage.orders().iter().any(open), "killed at {point:?}: {:?}", stage.orders());
    }
}

#[tokio::test(start_paused = true)]
async fn a_node_that_is_needed_again_is_opened_by_the_next_process() {
    for point in [Point::Marked, Point::DrainNoted] {
        let mut stage = Stage::set(TWO_GROUPS).await;
        stage.start(Faults::default());
        stage.deploy("web", 3, "1");
        stage.until("three pods run", |stage| stage.running("web") == 3).await;
        stage.kill().await;
        kill_at(&mut stage, point, |stage| stage.scale("web", 0)).await;
        assert!(!stage.is_all_open(), "killed at {point:?}");
        stage.scale("web", 3);
        stage.pass(20).await;
        stage.start(Faults::default());
        stage.until("three pods run", |stage| stage.running("web") == 3).await;
        stage.pass(60).await;
        assert!(stage.is_all_open(), "killed at {point:?}: {:?}", stage.nodes());
    }
}

#[tokio::test(start_paused = true)]
async fn a_release_is_finished_by_the_next_process() {
    // Before and after the scheduler has seen that the node is open.
    for (point, pause) in
        [(Point::ReleaseBegun, 0), (Point::ReleaseDone, 0), (Point::ReleaseDone, 20)]
    {
        let mut stage = Stage::set(TWO_GROUPS).await;
        stage.start(Faults::default());
        stage.deploy("web", 3, "1");
        stage.until("three pods run", |stage| stage.running("web") == 3).await;
        stage.kill().await;
        let (faults, wire) = Faults::at(point);
        stage.start(faults);
        stage.scale("web", 0);
        stage.until("the node leaves", |stage| !stage.is_all_open()).await;
        stage.scale("web", 3);
        tokio::time::timeout(std::time::Duration::from_hours(1), wire.tripped()).await.unwrap();
        stage.kill().await;
        stage.pass(pause).await;
        stage.start(Faults::default());
        stage.until("three pods run", |stage| stage.running("web") == 3).await;
        stage.pass(60).await;
        assert!(stage.is_all_open(), "killed at {point:?}: {:?}", stage.nodes());
        assert_eq!(stage.machines(), 1, "killed at {point:?}");
    }
}
