//! Several hosts: the trouble of one is nobody else's.

use plimsoll_model::Symbol;
use plimsoll_provider::{Class, NodeIdentity, Provider as _};
use plimsoll_providers::slicer::emulator::Reach;

use super::stage::{Stage, buy, see};

const ONE: &str = "{token: one, groups: [{name: api, cpus: 2, ram: 4Gi}]}";
const TWO: &str =
    "{token: two, groups: [{name: big, cpus: 8, ram: 32Gi}, {name: more, cpus: 8, ram: 32Gi}]}";
const BOTH: &str = r#"[global]
k3s-url = https://k3s.example:6443
k3s-token = k3s-token
[nodegroup "api"]
slicer-url = https://one.example
slicer-token = one
[nodegroup "big"]
slicer-url = https://two.example
slicer-token = two
max-size = 3
"#;

fn stage() -> Stage {
    Stage::new(&[("one.example", ONE), ("two.example", TWO)], BOTH)
}

#[tokio::test(start_paused = true)]
async fn a_host_that_is_down_freezes_its_own_groups_as_they_were() {
    let stage = stage();
    let provider = stage.provider();
    buy(&provider, "o-1", "api", 2).await.unwrap();
    buy(&provider, "o-2", "big", 2).await.unwrap();
    provider.refresh().await.unwrap();
    stage.host_named("two.example").set_reach(Reach::Down);
    buy(&provider, "o-3", "api", 1).await.unwrap();
    let inventory = provider.refresh().await.unwrap();
    let seen: Vec<_> = inventory
        .groups
        .iter()
        .map(|state| (state.group.id.as_str(), state.group.target, state.group.frozen.is_some()))
        .collect();
    assert_eq!(seen, [("api", 3, false), ("big", 2, true)]);
    assert_eq!(inventory.groups[1].group.instances.len(), 2);
    assert_eq!(buy(&provider, "o-4", "big", 1).await.unwrap_err().class(), Class::Retry);
    // With nobody to be read, nothing is known.
    stage.host_named("one.example").set_reach(Reach::Down);
    assert_eq!(provider.refresh().await.unwrap_err().class(), Class::Retry);
    for name in ["one.example", "two.example"] {
        stage.host_named(name).set_reach(Reach::Up);
    }
    assert_eq!(see(&provider, "big").await.group.frozen, None);
}

#[tokio::test(start_paused = true)]
async fn a_host_that_was_never_seen_has_groups_of_which_nothing_is_known() {
    let stage = stage();
    stage.host_named("two.example").set_token(Some("changed"));
    let provider = stage.provider();
    let big = see(&provider, "big").await.group;
    let reason = big.frozen.unwrap();
    assert!(reason.starts_with("https://two.example: GET /hostgroup: 401"), "{reason}");
    assert_eq!((big.min, big.max, big.target, big.instances.len()), (0, 3, 0, 0));
    // Its nodes are still its own, as far as they say so themselves.
    let labels = [("slicer/hostgroup", "big"), ("slicer/hostname", "big-1")];
    let labels = labels.map(|(key, value)| (key.to_owned(), value.to_owned())).into();
    let node = NodeIdentity { labels, ..NodeIdentity::default() };
    let owner = provider.owner(&node).await.unwrap().machine().unwrap();
    assert_eq!((owner.group.as_str(), owner.instance), ("big", None));
    assert_eq!(see(&provider, "api").await.group.frozen, None);
}

#[tokio::test(start_paused = true)]
async fn a_host_group_that_does_not_exist_is_told_with_its_line() {
    let stage = stage();
    stage.write(&BOTH.replace("nodegroup \"big\"", "nodegroup \"bigger\""));
    let provider = stage.provider();
    let inventory = provider.refresh().await.unwrap();
    let reason = inventory.group(Symbol::new("bigger")).unwrap().group.frozen.clone().unwrap();
    let file = stage.file().display().to_string();
    assert_eq!(
        &*reason,
        format!(
            "{file}:7: nodegroup \"bigger\": there is no such host group at https://two.example, which has big, more"
        )
    );
    assert_eq!(see(&provider, "api").await.group.frozen, None);
}
