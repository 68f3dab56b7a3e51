//! Which groups are used.

use std::sync::Arc;

use plimsoll_net::Clock;
use plimsoll_provider::{Home, NodeIdentity, Provider};
use plimsoll_providers::simulated::{Catalogue, Cloud, Simulated};

use super::{Chosen, Groups};

const CATALOGUE: &str = "
name: cellar
groups:
- {id: web-a, min: 1, max: 5, template: {cpu: 4, memory: 8Gi, labels: {pool: web, zone: a}}, initial: 1}
- {id: web-b, max: 5, template: {cpu: 4, memory: 8Gi, labels: {pool: web, zone: b}}}
- {id: batch, max: 5, template: {cpu: 4, memory: 8Gi, labels: {pool: batch}}}
";

fn home() -> Home {
    Home::alone(Clock::system())
}

fn cloud() -> Cloud {
    Cloud::new(Catalogue::read("test.yaml", CATALOGUE).unwrap(), Clock::system())
}

fn chosen(cloud: &Cloud, picks: &[&str], discoveries: &[&str]) -> Chosen {
    let groups = Groups {
        picks: picks.iter().map(|text| text.parse().unwrap()).collect(),
        discoveries: discoveries.iter().map(|text| text.parse().unwrap()).collect(),
    };
    Chosen::new(Arc::new(Simulated::new(cloud.clone(), home())), groups)
}

async fn used(picks: &[&str], discoveries: &[&str]) -> String {
    let inventory = chosen(&cloud(), picks, discoveries).refresh().await.unwrap();
    let groups = inventory.groups.iter().map(|state| {
        let group = &state.group;
        format!("{} {}..{}", group.id, group.min, group.max)
    });
    groups.collect::<Vec<_>>().join(", ")
}

#[tokio::test]
async fn named_groups_are_used_within_the_bounds_that_were_named() {
    assert_eq!(used(&["2:4:web-a"], &[]).await, "web-a 2..4");
    assert_eq!(used(&["0:3:cellar/batch", "1:2:web-b"], &[]).await, "web-b 1..2, batch 0..3");
    assert_eq!(used(&["7:9:web-a"], &[]).await, "web-a 5..5", "never more than it lets us have");
    assert_eq!(used(&["0:1:nobody"], &[]).await, "");
}

#[tokio::test]
async fn groups_are_found_by_name_and_by_label() {
    let by_name = "mig:namePrefix=web-,min=0,max=3";
    assert_eq!(used(&[], &[by_name]).await, "web-a 0..3, web-b 0..3");
    assert_eq!(used(&[], &["label:pool=batch"]).await, "batch 0..5");
    assert_eq!(used(&[], &["label:pool=web,zone"]).await, "web-a 1..5, web-b 0..5");
    assert_eq!(used(&[], &["label:pool=web,zone=b"]).await, "web-b 0..5");
    assert_eq!(used(&["2:4:web-a"], &[by_name]).await, "web-a 2..4, web-b 0..3");
}

#[tokio::test]
async fn nodes_of_other_groups_are_nobodys() {
    let owner_of = async |picks: &[&str]| {
        let cloud = cloud();
        let chosen = chosen(&cloud, picks, &[]);
        let node = NodeIdentity { provider_id: machine(&cloud).await, ..NodeIdentity::default() };
        let before = chosen.owner(&node).await;
        assert!(before.is_err(), "nothing is said before the first look");
        chosen.refresh().await.unwrap();
        chosen.owner(&node).await.unwrap().machine().map(|owner| owner.group.to_string())
    };
    assert_eq!(owner_of(&["0:5:web-a"]).await.as_deref(), Some("web-a"));
    assert_eq!(owner_of(&["0:5:batch"]).await, None);
}

/// The machine that is there from the beginning.
async fn machine(cloud: &Cloud) -> String {
    let inventory = Simulated::new(cloud.clone(), home()).refresh().await.unwrap();
    let group = inventory.groups.iter().find(|state| state.group.id.as_str() == "web-a").unwrap();
    group.group.instances[0].id.to_string()
}
