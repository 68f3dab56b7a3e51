//! What new machines will have, where the service says little of it.

use std::time::Duration;

use plimsoll_model::{Symbol, resource};
use plimsoll_provider::{NodeIdentity, Provider as _};
use plimsoll_providers::stackpoint::{
    UnknownKinds,
    emulator::{Failure, Generation, Trouble},
};

use super::stage::{Stage, other};

/// A kind that the list of kinds has, and one that nothing knows.
const OFFER: &str = "
organization-id: 12
cluster-id: 345
token: let-me-in
pools:
- {name: old, size: n1-standard-1, autoscaled: true, max: 10}
- {name: unheard-of, size: x1, autoscaled: true, max: 10}
";

fn stage() -> Stage {
    let stage = Stage::offering(OFFER, |_| {});
    stage.emulator.set_generation(Generation::WithoutCatalogue);
    stage
}

/// The only machine of the group becomes a node, and says so.
async fn becomes_a_node(stage: &Stage) {
    stage.emulator.settle();
    stage.provider.refresh().await.unwrap();
    let machine = stage.emulator.machines().pop().unwrap();
    let label = ("stackpoint.io/instance_id".to_owned(), machine.instance_id.clone());
    let (name, labels) = (machine.node_name(), [label].into());
    let node = NodeIdentity { name, labels, ..NodeIdentity::default() };
    assert!(stage.provider.owner(&node).await.unwrap().machine().is_some());
}

#[tokio::test(start_paused = true)]
async fn without_a_catalogue_the_kinds_of_its_time_are_known() {
    let stage = stage();
    let told = stage.group().await;
    assert_eq!(told.min, 0, "nothing has to be learned");
    let template = told.template.unwrap();
    let has = |name: &str| template.capacity.get(Symbol::new(name));
    // 3,750 MB of a million bytes: the machine that is sold as 3.75 GiB has more than that.
    assert_eq!((has(resource::CPU), has(resource::MEMORY)), (1000, 3_750_000_000));
}

#[tokio::test(start_paused = true)]
async fn no_template_promises_more_than_the_node_has() {
    for size in ["t2.medium", "m5.large", "m5.2xlarge", "r4.large", "p3.2xlarge"] {
        let offer = format!(
            "{{organization-id: 12, cluster-id: 345, token: let-me-in, pools: [{{name: a, size: {size}, autoscaled: true, max: 3, initial: 1}}]}}"
        );
        let stage = Stage::offering(&offer, |_| {});
        let template = stage.group().await.template.unwrap();
        let manifest = stage.emulator.node_manifests().pop().unwrap();
        let reported = manifest["status"]["allocatable"]["memory"].as_str().unwrap();
        let promised = template.allocatable.get(Symbol::new(resource::MEMORY));
        assert!(promised <= reported.parse().unwrap(), "{size}: {promised} of {reported}");
    }
}

#[tokio::test(start_paused = true)]
async fn one_machine_of_an_unknown_kind_is_added_and_kept() {
    let mut stage = stage();
    let told = stage.group_of(other()).await;
    assert_eq!((told.min, told.target, told.template), (1, 0, None));
    stage.order(other(), 1).await.unwrap();
    for _ in 0..2 {
        let told = stage.group_of(other()).await;
        assert_eq!((told.min, told.target), (1, 1), "it is on its way");
        // A process that starts now finds the machine, and the same order is the same machine.
        stage.restart();
    }
    assert_eq!(stage.emulator.target(other()), 1);
    becomes_a_node(&stage).await;
    let told = stage.group_of(other()).await;
    assert_eq!((told.min, told.target), (1, 1), "it is what is known of the group");
    assert_eq!(stage.group().await.min, 0, "no other group gets one");
}

#[tokio::test(start_paused = true)]
async fn machines_of_an_unknown_kind_that_never_come_up_are_not_added_without_bound() {
    let stage = stage();
    let mut bought = 0;
    for _ in 0..20 {
        let told = stage.group_of(other()).await;
        if told.min == 0 {
            break;
        }
        stage.emulator.trouble(other(), 1, Trouble::Fails);
        stage.order(other(), 1).await.unwrap();
        bought += 1;
        stage.emulator.settle();
        let failed = stage.group_of(other()).await.instances[0].id.clone();
        stage.provider.delete(other(), &[failed]).await.unwrap();
        stage.emulator.settle();
    }
    assert_eq!(bought, 3);
    let inventory = stage.provider.refresh().await.unwrap();
    let about = &inventory.group(other()).unwrap().about;
    assert!(about.contains("no other is added"), "{about}");
}

#[tokio::test(start_paused = true)]
async fn a_catalogue_that_does_not_answer_makes_nothing_unknown() {
    let stage = Stage::offering(OFFER, |_| {});
    // Pools, machines and the cluster are answered, the catalogue is not.
    for _ in 0..3 {
        stage.emulator.fail_requests(3, 1, Failure::Broken);
        assert_eq!(stage.group_of(other()).await.min, 0, "it may be known soon");
        stage.emulator.fail_requests(0, 0, Failure::Broken);
        tokio::time::sleep(Duration::from_mins(2)).await;
    }
    assert_eq!(stage.group_of(other()).await.min, 1, "the catalogue does not have it");
}

#[tokio::test(start_paused = true)]
async fn a_catalogue_that_is_not_found_once_makes_nothing_unknown() {
    let offer = OFFER.replace("x1", "x9.large");
    let stage = Stage::offering(&offer, |_| {});
    let told = stage.group_of(other()).await;
    assert_eq!((told.min, told.template.is_some()), (0, true));
    stage.emulator.set_generation(Generation::WithoutCatalogue);
    tokio::time::sleep(Duration::from_hours(2)).await;
    let told = stage.group_of(other()).await;
    assert_eq!((told.min, told.template.is_some()), (0, true));
}

#[tokio::test(start_paused = true)]
async fn the_user_may_forbid_it() {
    let stage = Stage::offering(OFFER, |config| config.unknown_kinds = UnknownKinds::Leave);
    stage.emulator.set_generation(Generation::WithoutCatalogue);
    assert_eq!(stage.group_of(other()).await.min, 0);
}

#[tokio::test(start_paused = true)]
async fn a_new_node_says_where_and_what_it_is() {
    let stage = Stage::new();
    let template = stage.group_of(other()).await.template.unwrap();
    let label = |wanted: &str| {
        let found = template.labels.iter().find(|(key, _)| key.as_str() == wanted);
        found.map(|(_, value)| value.to_string()).unwrap_or_default()
    };
    assert_eq!(label("topology.kubernetes.io/region"), "us-west-2", "from the cluster");
    assert_eq!(label("node.kubernetes.io/instance-type"), "m5.xlarge");
    assert_eq!(label("kubernetes.io/arch"), "amd64");
    let template = stage.group().await.template.unwrap();
    let zone =
        template.labels.iter().find(|(key, _)| key.as_str() == "topology.kubernetes.io/zone");
    assert_eq!(
        zone.map(|(_, zone)| zone.to_string()).as_deref(),
        Some("us-west-2a"),
        "a machine's"
    );
}
