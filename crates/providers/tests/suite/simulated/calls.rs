//! What goes wrong between the service and its callers.

use std::time::Duration;

use plimsoll_model::{InstanceState, Symbol};
use plimsoll_net::{Clock, Fence};
use plimsoll_provider::{Class, GroupSpec, Home, NodeIdentity, Provider as _, Whose};
use plimsoll_providers::simulated::{Delivery, Reach, Simulated};

use super::{World, pass};

const LAB: &str = "
groups:
- {id: a, max: 300, initial: 5, template: {cpu: 1}, boot: 10s}
- {id: b, max: 5, template: {cpu: 1}, delivery: 20s, boot: 10s}
";

#[tokio::test(start_paused = true)]
async fn calls_fail_as_often_as_the_catalogue_says() {
    let world = World::new(&format!("callFailureRate: 0.2{LAB}"));
    let (mut failed, mut refused) = (0, 0);
    for number in 0..200 {
        let before = world.cloud.target(Symbol::new("a"));
        if let Err(error) = world.buy("a", &format!("o-{number}"), 1).await {
            assert_eq!(error.class(), Class::Retry);
            failed += 1;
            refused += u32::from(world.cloud.target(Symbol::new("a")) == before);
        }
    }
    assert!((20..60).contains(&failed), "{failed} of 200 failed");
    assert!((5..failed - 5).contains(&refused), "{refused} of {failed} took no effect");
}

#[tokio::test(start_paused = true)]
async fn a_service_that_is_down_changes_nothing() {
    let world = World::new(LAB);
    world.cloud.set_reach(Reach::Down);
    assert_eq!(world.buy("a", "o-1", 1).await.unwrap_err().class(), Class::Retry);
    assert_eq!(world.provider.refresh().await.unwrap_err().class(), Class::Retry);
    assert_eq!(world.cloud.target(Symbol::new("a")), 5);
    world.cloud.set_reach(Reach::Up);
    world.buy("a", "o-1", 1).await.unwrap();
    assert_eq!(world.cloud.target(Symbol::new("a")), 6);
}

#[tokio::test(start_paused = true)]
async fn a_slow_service_takes_effect_late() {
    let world = World::new(LAB);
    world.cloud.set_latency(Duration::from_secs(3));
    let buy = world.buy("a", "o-1", 1);
    assert!(tokio::time::timeout(Duration::from_secs(2), buy).await.is_err());
    assert_eq!(world.cloud.target(Symbol::new("a")), 5);
    world.buy("a", "o-1", 1).await.unwrap();
    assert_eq!(world.cloud.target(Symbol::new("a")), 6);
}

#[tokio::test(start_paused = true)]
async fn a_lost_reply_took_effect_once() {
    let world = World::new(LAB);
    world.cloud.lose_replies(1);
    assert_eq!(world.buy("a", "o-1", 2).await.unwrap_err().class(), Class::Retry);
    world.buy("a", "o-1", 2).await.unwrap();
    assert_eq!(world.cloud.target(Symbol::new("a")), 7);
    assert_eq!(world.buy("a", "o-1", 3).await.unwrap_err().class(), Class::Invalid);
}

#[tokio::test(start_paused = true)]
async fn every_page_has_to_be_whole() {
    let world = World::new(LAB);
    let whole = format!("{:?}", world.provider.refresh().await.unwrap());
    world.cloud.set_page_size(2);
    assert_eq!(format!("{:?}", world.provider.refresh().await.unwrap()), whole);
    for page in 0..4 {
        world.cloud.cut_page(page);
        assert_eq!(world.provider.refresh().await.unwrap_err().class(), Class::Retry, "cut {page}");
        world.cloud.fail_requests(page, 1, Class::Auth);
        assert_eq!(world.provider.refresh().await.unwrap_err().class(), Class::Auth, "no {page}");
    }
    world.provider.refresh().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn orders_that_have_not_arrived_can_be_given_up() {
    let world = World::new(LAB);
    let group = Symbol::new("b");
    world.buy("b", "o-1", 3).await.unwrap();
    assert_eq!((world.cloud.target(group), world.ids("b").len()), (3, 0));
    assert_eq!(world.provider.lower_target(group, 2).await.unwrap(), 2);
    pass(21).await;
    assert_eq!(world.count("b", InstanceState::Creating), 2);
    assert_eq!(world.provider.lower_target(group, 0).await.unwrap(), 2, "machines stay");
    world.cloud.set_delivery(group, Delivery::Queued).unwrap();
    world.buy("b", "o-2", 2).await.unwrap();
    pass(3600).await;
    assert_eq!((world.cloud.target(group), world.ids("b").len()), (4, 2));
    world.cloud.set_delivery(group, Delivery::Served).unwrap();
    world.cloud.settle().await;
    assert_eq!(world.count("b", InstanceState::Running), 4);
}

#[tokio::test(start_paused = true)]
async fn owners_are_known_without_the_service() {
    let world = World::new(LAB);
    world.provider.refresh().await.unwrap();
    world.cloud.set_reach(Reach::Down);
    let id = world.ids("a").remove(0);
    let node = NodeIdentity { provider_id: id.to_string(), ..NodeIdentity::default() };
    let owner = world.provider.owner(&node).await.unwrap().machine().unwrap();
    assert_eq!((owner.group, owner.instance), (Symbol::new("a"), Some(id)));
    let restarted = Simulated::new(world.cloud.clone(), Home::alone(Clock::system()));
    assert_eq!(restarted.owner(&node).await.unwrap_err().class(), Class::Retry);
    assert_eq!(restarted.owner(&NodeIdentity::default()).await.unwrap(), Whose::Nobodys);
}

#[tokio::test(start_paused = true)]
async fn a_process_that_does_not_lead_changes_nothing() {
    let world = World::new(LAB);
    world.buy("a", "o-1", 2).await.unwrap();
    pass(120).await;
    let clock = Clock::system();
    let fence = Fence::closed(clock);
    let home = Home { fence: fence.clone(), ..Home::alone(clock) };
    let provider = Simulated::new(world.cloud.clone(), home);
    let (group, before) = (Symbol::new("a"), world.cloud.journal().len());
    let order = plimsoll_provider::Order {
        id: plimsoll_provider::OrderId::new("o-2").unwrap(),
        group,
        count: 1,
        from: 7,
    };
    let spec =
        GroupSpec { name: "new".into(), min: 0, max: 1, machine: "a".into(), template: None };
    let errors = [
        provider.increase(&order).await.map(drop),
        provider.lower_target(group, 0).await.map(drop),
        provider.delete(group, &world.ids("a")).await.map(drop),
        provider.create_group(&spec).await.map(drop),
        provider.delete_group(group).await,
    ];
    for error in errors.map(Result::unwrap_err) {
        assert_eq!((error.class(), error.code()), (Class::Retry, "NotLeader"), "{error}");
    }
    assert_eq!(world.cloud.journal().len(), before);
    assert_eq!(provider.refresh().await.unwrap().groups.len(), 2, "it may look");
    fence.extend(clock.now(), Duration::from_secs(10));
    assert_eq!(provider.increase(&order).await, Ok(1));
}
