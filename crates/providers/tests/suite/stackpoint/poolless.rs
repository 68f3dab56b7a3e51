//! A service without pools: machines carry the name of their group, and the user names the groups.

use plimsoll_model::Symbol;
use plimsoll_provider::{Class, NodeIdentity, Provider as _};
use plimsoll_providers::stackpoint::{
    Config, NamedGroup,
    emulator::{Generation, ReplyStyle, Trouble},
};

use super::stage::Stage;

/// The emulator keeps its books by pools; callers of this generation do not see them.
const OFFER: &str = "
organization-id: 12
cluster-id: 345
token: let-me-in
pools:
- {name: A0, id: A0, size: t2.medium, autoscaled: true, max: 100, initial: 1}
- {name: default, size: t2.medium, initial: 2}
";

fn named(config: &mut Config) {
    let (name, size) = ("A0".into(), "t2.medium".into());
    config.groups = vec![NamedGroup { name, size, min: 0, max: 4, ..NamedGroup::default() }];
}

fn stage(change: impl FnOnce(&mut Config)) -> Stage {
    let stage = Stage::offering(OFFER, change);
    stage.emulator.set_generation(Generation::WithoutPools);
    stage
}

fn group() -> Symbol {
    Symbol::new("autoscaling-A0")
}

#[tokio::test(start_paused = true)]
async fn machines_are_added_with_the_group_and_deleted_by_number() {
    for style in [ReplyStyle::NewOnly, ReplyStyle::All] {
        let stage = stage(named);
        stage.emulator.set_reply_style(style);
        let told = stage.group_of(group()).await;
        assert_eq!((told.min, told.max, told.target), (0, 4, 1));
        assert!(told.template.is_some(), "its kind is one of those that are known");
        assert_eq!(stage.order(group(), 2).await, Ok(2), "{style:?}");
        let told = stage.group_of(group()).await;
        assert_eq!(told.target, 3, "{style:?}");
        let last = told.instances.last().unwrap().id.clone();
        let answers = stage.provider.delete(group(), &[last]).await.unwrap();
        assert_eq!(answers[0].outcome, Ok(()));
        assert_eq!(stage.group_of(group()).await.target, 2);
        let refused = stage.order(group(), 3).await.unwrap_err();
        assert_eq!(refused.class(), Class::Invalid, "above the maximum");
        let others = stage.emulator.machines();
        assert_eq!(others.iter().filter(|one| one.group.is_none()).count(), 3, "left alone");
    }
}

#[tokio::test(start_paused = true)]
async fn a_lost_reply_is_no_second_machine() {
    let stage = stage(named);
    let from = stage.emulator.target(group());
    let id = plimsoll_provider::OrderId::new("order-1").unwrap();
    let order = plimsoll_provider::Order { id, group: group(), count: 1, from };
    stage.emulator.lose_replies(1);
    assert_eq!(stage.provider.increase(&order).await.unwrap_err().class(), Class::Retry);
    assert_eq!(stage.provider.increase(&order).await, Ok(1));
    assert_eq!(stage.emulator.target(group()), from + 1);
}

#[tokio::test(start_paused = true)]
async fn a_node_is_known_by_the_tag_that_people_gave() {
    let stage = stage(named);
    stage.provider.refresh().await.unwrap();
    let machines = stage.emulator.machines();
    let machine = machines.iter().find(|one| one.group == Some(group())).unwrap();
    let label = |key: &str, value: &str| (key.to_owned(), value.to_owned());
    let node = NodeIdentity {
        name: machine.node_name(),
        labels: [
            label("stackpoint.io/instance_id", &machine.instance_id),
            label("stackpoint.io/autoscalegroup", "A0"),
        ]
        .into(),
        ..NodeIdentity::default()
    };
    let owner = stage.provider.owner(&node).await.unwrap().machine().unwrap();
    assert_eq!(owner.group, group());
}

#[tokio::test(start_paused = true)]
async fn machines_that_the_service_puts_nowhere_are_not_ordered_again_and_again() {
    let stage = stage(named);
    let before = stage.emulator.machines().len();
    stage.emulator.trouble(group(), 4, Trouble::Homeless);
    let unclear = stage.order(group(), 1).await.unwrap_err();
    assert_eq!((unclear.class(), unclear.code()), (Class::Retry, "Unclear"));
    for _ in 0..5 {
        assert!(stage.order(group(), 1).await.is_err());
        let told = stage.group_of(group()).await;
        assert!(told.frozen.unwrap().contains("does not have them in that group"));
    }
    let machines = stage.emulator.machines();
    assert_eq!(machines.len(), before + 1, "one was made, and no other");
    stage.emulator.vanish(&machines.last().unwrap().instance_id);
    assert_eq!(stage.group_of(group()).await.frozen, None, "somebody deleted it");
}

#[tokio::test(start_paused = true)]
async fn without_pools_and_without_named_groups_there_is_something_to_do() {
    let stage = stage(|_| {});
    let error = stage.provider.refresh().await.unwrap_err();
    assert!(error.to_string().contains("name the groups under `groups`"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_machine_that_may_host_etcd_stays_where_the_service_cannot_say_that_it_may_go() {
    let stage = stage(named);
    let machines = stage.emulator.machines();
    let machine = machines.iter().find(|one| one.group == Some(group())).unwrap();
    let word = Some(serde_json::json!("kube_etcd_v2"));
    stage.emulator.patch(&machine.instance_id, "etcd_state", word);
    let id: Box<str> = machine.instance_id.as_str().into();
    let answers = stage.provider.delete(group(), &[id]).await.unwrap();
    assert_eq!(answers[0].outcome.as_ref().unwrap_err().class(), Class::Invalid);
    let machines = stage.emulator.machines();
    assert!(machines.iter().all(|one| one.deletions == 0), "nothing was deleted");
}
