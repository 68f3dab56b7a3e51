//! Machines that were not made here: the host's own, those of another cluster, those of the upstream's autoscaler.

use plimsoll_model::Symbol;
use plimsoll_provider::{Binding, Class, Home, NodeIdentity, Provider as _, Whose};
use plimsoll_providers::slicer::emulator::Dialect;

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

/// The same, with its own provider id, at this address.
fn proven(group: &str, hostname: &str, address: &str) -> NodeIdentity {
    NodeIdentity {
        provider_id: format!("slicer://{group}/{hostname}"),
        addresses: vec![address.to_owned(), format!("{hostname}-01234567")],
        ..node_of(group, hostname)
    }
}

#[tokio::test(start_paused = true)]
async fn machines_of_upstreams_autoscaler_are_taken_over_by_their_nodes_if_the_file_says_so() {
    let adopting = INI.replace("[nodegroup \"arm\"]", "adopt = true\n[nodegroup \"arm\"]");
    let stage = Stage::new(&[("one.example", HOST)], &adopting);
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
    // A node at another address is another machine's, whatever it says.
    let mut elsewhere = node_of("api", &by_hand);
    elsewhere.addresses = vec!["10.1.2.3".to_owned()];
    assert_eq!(provider.owner(&elsewhere).await.unwrap(), Whose::Nobodys);
    // What somebody made by hand, and what is no node, is left alone.
    let ids = [format!("slicer://api/{by_hand}").into()];
    let refused = provider.delete(Symbol::new("api"), &ids).await.unwrap_err();
    assert_eq!(refused.class(), Class::Invalid);
    let ids = [format!("slicer://api/{joined}").into()];
    assert_eq!(provider.delete(Symbol::new("api"), &ids).await.unwrap()[0].outcome, Ok(()));
    assert_eq!(host.machines().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn labels_or_a_provider_id_alone_adopt_no_machine() {
    let stage = Stage::usual();
    let host = stage.host();
    let by_hand = host.add("api", &[], "").unwrap();
    let address = host.address(&by_hand).unwrap();
    let provider = stage.provider();
    see(&provider, "api").await;
    let labels_at_its_address =
        NodeIdentity { addresses: vec![address.clone()], ..node_of("api", &by_hand) };
    let no_address = NodeIdentity { addresses: Vec::new(), ..proven("api", &by_hand, &address) };
    let elsewhere = proven("api", &by_hand, "10.1.2.3");
    for node in [node_of("api", &by_hand), labels_at_its_address, no_address, elsewhere] {
        assert_eq!(provider.owner(&node).await.unwrap(), Whose::Nobodys, "{node:?}");
        assert_eq!(see(&provider, "api").await.group.target, 0, "{node:?}");
        let ids = [format!("slicer://api/{by_hand}").into()];
        let refused = provider.delete(Symbol::new("api"), &ids).await.unwrap_err();
        assert_eq!(refused.class(), Class::Invalid);
    }
    assert_eq!(host.machines().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_node_with_the_id_and_the_address_of_a_machine_without_tags_brings_it_into_the_group() {
    let stage = Stage::usual();
    let host = stage.host();
    let first = host.add("api", &[], "").unwrap();
    let node = proven("api", &first, &host.address(&first).unwrap());
    let provider = stage.provider();
    see(&provider, "api").await;
    let owner = provider.owner(&node).await.unwrap().machine().unwrap();
    assert_eq!(owner.instance.as_deref(), Some("slicer://api/api-1"));
    assert_eq!(machines(&provider, "api").await, ["slicer://api/api-1"]);
    // Another node that only has the labels is not believed, and takes nothing from the first.
    assert_eq!(provider.owner(&node_of_other("api", &first)).await.unwrap(), Whose::Nobodys);
    assert_eq!(machines(&provider, "api").await, ["slicer://api/api-1"]);
    // Its own node does not say so any more.
    let moved = NodeIdentity { addresses: vec!["10.1.2.3".to_owned()], ..node.clone() };
    assert_eq!(provider.owner(&moved).await.unwrap(), Whose::Nobodys);
    assert_eq!(machines(&provider, "api").await, [""; 0]);
    let ids = ["slicer://api/api-1".into()];
    assert_eq!(
        provider.delete(Symbol::new("api"), &ids).await.unwrap_err().class(),
        Class::Invalid
    );
}

/// A node of another name that says the same.
fn node_of_other(group: &str, hostname: &str) -> NodeIdentity {
    NodeIdentity { name: "impostor".to_owned(), ..node_of(group, hostname) }
}

#[tokio::test(start_paused = true)]
async fn another_machine_of_the_same_name_is_not_adopted_with_it() {
    // A host that was set up anew counts from one again.
    let stage = Stage::new(&[("one.example", HOST), ("two.example", HOST)], INI);
    let (before, after) = (stage.host_named("one.example"), stage.host_named("two.example"));
    let first = before.add("api", &[], "").unwrap();
    let node = proven("api", &first, &before.address(&first).unwrap());
    let provider = stage.provider();
    see(&provider, "api").await;
    provider.owner(&node).await.unwrap().machine().unwrap();
    assert_eq!(machines(&provider, "api").await, ["slicer://api/api-1"]);
    super::stage::pass(5).await;
    assert_eq!(after.add("api", &["by hand"], "").unwrap(), first);
    stage.write(&INI.replace("one.example", "two.example"));
    assert_eq!(machines(&provider, "api").await, [""; 0]);
    let ids = ["slicer://api/api-1".into()];
    let refused = provider.delete(Symbol::new("api"), &ids).await.unwrap_err();
    assert_eq!(refused.class(), Class::Invalid);
    assert_eq!(after.machines().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_host_that_tells_no_addresses_proves_nothing() {
    let stage = Stage::usual();
    let host = stage.host();
    host.set_dialect(Dialect { addresses: false, ..Dialect::default() });
    let by_hand = host.add("api", &[], "").unwrap();
    let provider = stage.provider();
    see(&provider, "api").await;
    let node = proven("api", &by_hand, &host.address(&by_hand).unwrap());
    assert_eq!(provider.owner(&node).await.unwrap(), Whose::Nobodys);
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

/// A home in the cluster of this uid.
fn home_in(stage: &Stage, uid: &str) -> Home {
    let cluster = Binding::pending();
    cluster.bind(uid);
    Home { cluster, ..Home::alone(stage.clock) }
}

#[tokio::test(start_paused = true)]
async fn machines_of_another_cluster_of_the_same_name_are_left_alone_and_so_is_their_group() {
    let mut stage = Stage::usual();
    stage.home = home_in(&stage, "uid-1");
    buy(&stage.provider(), "o-1", "api", 2).await.unwrap();
    let tags = stage.host().machines().pop().unwrap().tags.join(" ");
    assert_eq!(
        tags,
        "plimsoll-cluster=k3s.example plimsoll-order=o-1 plimsoll-order-size=2 plimsoll-cluster-uid=uid-1"
    );

    stage.home = home_in(&stage, "uid-2");
    let wrong = stage.provider();
    let group = see(&wrong, "api").await.group;
    assert_eq!((group.target, group.instances.len()), (0, 0));
    let reason = group.frozen.unwrap();
    for part in [
        "2 machines, such as api-1",
        "uid-1",
        "uid-2",
        "help: check --kubeconfig",
        "adopt-cluster-uid = uid-1",
    ] {
        assert!(reason.contains(part), "{reason}");
    }
    assert_eq!(see(&wrong, "arm").await.group.frozen, None);
    let node =
        NodeIdentity { provider_id: "slicer://api/api-1".to_owned(), ..node_of("api", "api-1") };
    assert_eq!(wrong.owner(&node).await.unwrap(), Whose::Nobodys);
    let ids = ["slicer://api/api-1".into()];
    let refused = wrong.delete(Symbol::new("api"), &ids).await.unwrap_err();
    assert_eq!(refused.class(), Class::Invalid);

    // Somebody who knows better says so.
    stage.write(
        &INI.replace("[nodegroup \"api\"]", "adopt-cluster-uid = uid-1\n[nodegroup \"api\"]"),
    );
    let group = see(&wrong, "api").await.group;
    assert_eq!((group.target, group.frozen), (2, None));
    assert_eq!(wrong.delete(Symbol::new("api"), &ids).await.unwrap()[0].outcome, Ok(()));
    // New machines are this cluster's own.
    buy(&wrong, "o-2", "api", 1).await.unwrap();
    let newest = stage.host().machines().pop().unwrap();
    assert!(newest.tags.contains(&"plimsoll-cluster-uid=uid-2".to_owned()), "{newest:?}");
}

#[tokio::test(start_paused = true)]
async fn nothing_is_made_or_deleted_before_the_cluster_is_identified() {
    let mut stage = Stage::usual();
    buy(&stage.provider(), "o-1", "api", 1).await.unwrap();
    let cluster = Binding::pending();
    stage.home = Home { cluster: cluster.clone(), ..Home::alone(stage.clock) };
    let provider = stage.provider();
    let group = see(&provider, "api").await.group;
    assert_eq!(group.frozen.as_deref(), Some("the cluster has not been identified yet"));
    let ids = ["slicer://api/api-1".into()];
    let errors = [
        buy(&provider, "o-2", "api", 1).await.unwrap_err(),
        provider.delete(Symbol::new("api"), &ids).await.unwrap_err(),
    ];
    for error in errors {
        assert_eq!((error.class(), error.code()), (Class::Retry, "Unidentified"));
    }
    assert_eq!(stage.host().machines().len(), 1);
    cluster.bind("uid-1");
    assert_eq!(
        see(&provider, "api").await.group.frozen,
        None,
        "machines without a uid count by name"
    );
    assert_eq!(provider.delete(Symbol::new("api"), &ids).await.unwrap()[0].outcome, Ok(()));
}
