//! Machines that were not made here: the host's own, those of another cluster, those of the upstream's autoscaler.

use plimsoll_model::Symbol;
use plimsoll_provider::{Class, NodeIdentity, Provider as _, Whose};

use super::stage::{HOST, INI, Stage, buy, machines, see};

fn node_of(group: &str, hostname: &str) -> NodeIdentity {
    let labels = [("slicer/hostgroup", group), ("slicer/hostname", hostname)];
    NodeIdentity {
        name: format!("{hostname}-01234567"),
        provider_id: format!("k3s://{hostname}-01234567"),
        labels: labels.map(|(key, value)| (key.to_owned(), value.to_owned())).into(),
        ..NodeIdentity::default()
    }
}

#[tokio::test(start_paused = true)]
async fn machines_that_the_host_keeps_are_nobodys() {
    let host = HOST.replace("{name: api, cpus: 2", "{name: api, count: 2, cpus: 2");
    let stage = Stage::new(&[("one.example", &host)], INI);
    let provider = stage.provider();
    buy(&provider, "o-1", "api", 1).await.unwrap();
    let state = see(&provider, "api").await;
    assert_eq!((state.group.target, state.group.frozen), (1, None));
    assert_eq!(machines(&provider, "api").await, ["slicer://api/api-3"]);
    for kept in ["api-1", "api-2"] {
        assert_eq!(provider.owner(&node_of("api", kept)).await.unwrap(), Whose::Nobodys);
    }
    // While the host restarts one of its own it does not list it.
    assert!(stage.host().remove("api-2"));
    see(&provider, "api").await;
    assert_eq!(provider.owner(&node_of("api", "api-2")).await.unwrap(), Whose::Nobodys);
    let refused = provider.delete(Symbol::new("api"), &["slicer://api/api-1".into()]).await;
    assert_eq!(refused.unwrap_err().class(), Class::Invalid);
}

#[tokio::test(start_paused = true)]
async fn a_machine_that_cannot_be_deleted_is_not_offered_for_it_again() {
    let stage = Stage::usual();
    let provider = stage.provider();
    buy(&provider, "o-1", "api", 2).await.unwrap();
    assert!(stage.host().protect("api-1"));
    let ids = ["slicer://api/api-1".into(), "slicer://api/api-2".into()];
    let answers = provider.delete(Symbol::new("api"), &ids).await.unwrap();
    let classes: Vec<_> = answers
        .iter()
        .map(|answer| answer.outcome.as_ref().err().map(plimsoll_provider::Error::class))
        .collect();
    assert_eq!(classes, [Some(Class::Invalid), None]);
    let state = see(&provider, "api").await;
    assert_eq!((state.group.target, state.group.instances.len()), (0, 0));
    assert_eq!(provider.owner(&node_of("api", "api-1")).await.unwrap(), Whose::Nobodys);
}

#[tokio::test(start_paused = true)]
async fn machines_of_upstreams_autoscaler_are_taken_over_by_their_nodes() {
    let stage = Stage::usual();
    let host = stage.host();
    let (joined, by_hand) =
        (host.add("api", &[], "").unwrap(), host.add("api", &["mine"], "").unwrap());
    let provider = stage.provider();
    // Nobody can have asked about their nodes yet, so nothing is decided on what is seen.
    let first = see(&provider, "api").await.group;
    assert!(first.frozen.unwrap().contains("2 machines have no tags"));
    assert_eq!(see(&provider, "arm").await.group.frozen, None);
    let owner = provider.owner(&node_of("api", &joined)).await.unwrap().machine().unwrap();
    assert_eq!(owner.instance.as_deref(), Some("slicer://api/api-1"));
    let second = see(&provider, "api").await.group;
    assert_eq!((second.frozen, second.target), (None, 1));
    // What somebody made by hand, and what is no node, is left alone.
    let ids = [format!("slicer://api/{by_hand}").into()];
    let refused = provider.delete(Symbol::new("api"), &ids).await.unwrap_err();
    assert_eq!(refused.class(), Class::Invalid);
    let ids = [format!("slicer://api/{joined}").into()];
    assert_eq!(provider.delete(Symbol::new("api"), &ids).await.unwrap()[0].outcome, Ok(()));
    assert_eq!(host.machines().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn two_clusters_share_a_host() {
    let stage = Stage::usual();
    let provider = stage.provider();
    buy(&provider, "o-1", "api", 1).await.unwrap();
    stage.write(&INI.replace("[nodegroup \"api\"]", "cluster-name = other\n[nodegroup \"api\"]"));
    let other = stage.provider();
    buy(&other, "o-1", "api", 1).await.unwrap();
    assert_eq!(machines(&other, "api").await, ["slicer://api/api-2"]);
    assert_eq!(see(&other, "api").await.group.frozen, None);
    assert_eq!(other.owner(&node_of("api", "api-1")).await.unwrap(), Whose::Nobodys);
}
