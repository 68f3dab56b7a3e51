//! The loop over Slicer hosts, from pods that wait to machines that go.

use plimsoll_providers::slicer::emulator::{Fate, Reach};

use self::stage::{INI, Stage};

#[path = "slicer/ended.rs"]
mod ended;
#[path = "slicer/promises.rs"]
mod promises;
#[path = "slicer/stage.rs"]
pub(crate) mod stage;

#[tokio::test(start_paused = true)]
async fn scale_from_zero() {
    let stage = Stage::new().await;
    assert_eq!((stage.machines(), stage.nodes().len()), (0, 0));
    stage.deploy("web", 3);
    stage.until("three pods run", |stage| stage.running() == 3).await;
    assert_eq!((stage.machines(), stage.nodes().len()), (1, 1));
    assert!(stage.nodes()[0].starts_with("api-1-"), "{:?}", stage.nodes());
}

#[tokio::test(start_paused = true)]
async fn burst() {
    let stage = Stage::new().await;
    stage.host.lose_replies(2);
    stage.deploy("web", 40);
    stage.until("forty pods run", |stage| stage.running() == 40).await;
    stage.pass(300).await;
    assert_eq!((stage.machines(), stage.nodes().len()), (10, 10));
}

#[tokio::test(start_paused = true)]
async fn stuck_machines_are_replaced() {
    let stage = Stage::new().await;
    stage.host.set_fates("api", &[Fate::NeverJoins, Fate::Ends]);
    stage.deploy("web", 8);
    stage.until("eight pods run", |stage| stage.running() == 8).await;
    stage.until("the stuck ones are gone", |stage| stage.machines() == 2).await;
    let names: Vec<_> = stage.host.machines().into_iter().map(|one| one.hostname).collect();
    assert!(!names.contains(&"api-1".into()) && !names.contains(&"api-2".into()), "{names:?}");
}

#[tokio::test(start_paused = true)]
async fn token_rotation() {
    let stage = Stage::new().await;
    stage.deploy("web", 3);
    stage.until("three pods run", |stage| stage.running() == 3).await;
    // Both tokens change: nothing can be read, and nobody could join, until the file is written anew.
    stage.host.set_token(Some("host-rotated"));
    stage.host.set_k3s_token("k3s-rotated");
    stage.scale("web", 11);
    stage.pass(120).await;
    assert_eq!((stage.machines(), stage.nodes().len()), (1, 1));
    stage.write(&INI.replace("host-token", "host-rotated").replace("k3s-secret", "k3s-rotated"));
    stage.until("eleven pods run", |stage| stage.running() == 11).await;
    assert_eq!(stage.host.secret("k3s-token").as_deref(), Some("k3s-rotated"));
}

#[tokio::test(start_paused = true)]
async fn api_down_for_ten_minutes() {
    let stage = Stage::new().await;
    stage.deploy("web", 7);
    stage.until("seven pods run", |stage| stage.running() == 7).await;
    stage.host.set_reach(Reach::Down);
    stage.scale("web", 15);
    stage.pass(600).await;
    // What could not be read was not taken to be gone.
    assert_eq!((stage.machines(), stage.nodes().len(), stage.running()), (2, 2, 8));
    stage.host.set_reach(Reach::Up);
    stage.until("fifteen pods run", |stage| stage.running() == 15).await;
    stage.pass(300).await;
    assert_eq!(stage.machines(), 4);
}

#[tokio::test(start_paused = true)]
async fn scale_down() {
    let stage = Stage::new().await;
    stage.deploy("web", 15);
    stage.until("fifteen pods run", |stage| stage.running() == 15).await;
    assert_eq!(stage.machines(), 4);
    stage.scale("web", 3);
    stage.until("one machine is left", |stage| stage.machines() == 1).await;
    // With the machines their Nodes go.
    stage.until("one node is left", |stage| stage.nodes().len() == 1).await;
    assert_eq!(stage.running(), 3);
}
