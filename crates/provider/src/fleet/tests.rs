use std::{sync::Arc, time::Duration};

use jiff::Timestamp;
use plimsoll_model::{GroupOptions, SignedDuration, Symbol};
use plimsoll_net::{Clock, Shutdown};

use super::{Fleet, Upkeep};
use crate::{
    Class, Error, GroupName, NodeIdentity, Order, OrderId, Provider, Whose,
    scripted::{Act, Scripted},
};

fn fleet(members: &[&Arc<Scripted>]) -> Arc<Fleet> {
    let clock = Clock::starting_at(Timestamp::UNIX_EPOCH);
    let providers = members.iter().map(|one| Arc::clone(one) as Arc<dyn Provider>).collect();
    let fleet = Arc::new(Fleet::new(providers, clock, Upkeep::default()).unwrap());
    let running = fleet.clone();
    tokio::spawn(async move { running.run(&Shutdown::new()).await });
    fleet
}

fn order(group: &str) -> Order {
    let id = OrderId::new("order-1").unwrap();
    Order { id, group: Symbol::new(group), count: 2, from: 0 }
}

fn node(name: &str) -> NodeIdentity {
    NodeIdentity { name: name.to_owned(), ..NodeIdentity::default() }
}

/// `id`, or `id: why it is frozen`.
fn groups(fleet: &Fleet) -> Vec<String> {
    let inventory = fleet.inventory(&GroupOptions::default());
    let shown = inventory.groups.iter().map(|state| match &state.group.frozen {
        Some(reason) => format!("{}: {reason}", state.group.id),
        None => state.group.id.to_string(),
    });
    shown.collect()
}

#[tokio::test(start_paused = true)]
async fn one_provider_keeps_its_names_and_several_stay_apart() {
    let (a, b) = (Scripted::new("a", &["web", "gpu"]), Scripted::new("b", &["web"]));
    let alone = fleet(&[&a]);
    alone.refresh().await.unwrap();
    assert_eq!(groups(&alone), ["web", "gpu"]);

    let both = fleet(&[&a, &b]);
    both.refresh().await.unwrap();
    assert_eq!(groups(&both), ["a/web", "a/gpu", "b/web"]);
    a.calls();
    b.calls();
    both.increase(&order("b/web")).await.unwrap();
    assert_eq!(b.calls()[0], "increase web by 2");
    assert!(a.calls().is_empty());
    both.delete(Symbol::new("a/gpu"), &["i-1".into()]).await.unwrap();
    assert_eq!(a.calls()[0], "delete i-1 of gpu");
    assert_eq!(both.increase(&order("web")).await.unwrap_err().class(), Class::NotFound);
}

#[tokio::test(start_paused = true)]
async fn two_of_the_same_name_are_refused() {
    let (a, b) = (Scripted::new("a", &[]), Scripted::new("a", &[]));
    let clock = Clock::starting_at(Timestamp::UNIX_EPOCH);
    let error = Fleet::new(vec![a, b], clock, Upkeep::default()).unwrap_err();
    assert_eq!(error.to_string(), "two providers are called a; give one of them another name");
}

#[tokio::test(start_paused = true)]
async fn an_outage_freezes_only_the_groups_of_who_is_out() {
    let (a, b) = (Scripted::new("a", &["x"]), Scripted::new("b", &["y"]));
    let both = fleet(&[&a, &b]);
    both.refresh().await.unwrap();
    a.fail(1_000, &Error::retry("no route to host"));

    tokio::time::sleep(Duration::from_secs(30)).await;
    assert_eq!(groups(&both), ["a/x", "b/y"]);
    tokio::time::sleep(Duration::from_secs(70)).await;
    let shown = groups(&both);
    assert_eq!(shown[0], "a/x: a cannot be read, last seen 100 s ago: no route to host");
    assert_eq!(shown[1], "b/y");
    both.increase(&order("b/y")).await.unwrap();
    assert_eq!(both.refresh().await.unwrap().groups[1].group.target, 2);

    a.script.lock().unwrap().clear();
    tokio::time::sleep(Duration::from_secs(11)).await;
    assert_eq!(groups(&both), ["a/x", "b/y"]);
}

#[tokio::test(start_paused = true)]
async fn who_does_not_answer_is_waited_for_no_longer_than_patience_allows() {
    let (a, b) = (Scripted::new("a", &["x"]), Scripted::new("b", &["y"]));
    let both = fleet(&[&a, &b]);
    both.refresh().await.unwrap();
    a.then(Act::Hang);
    let begun = tokio::time::Instant::now();
    assert_eq!(both.refresh().await.unwrap().groups.len(), 2);
    assert_eq!(begun.elapsed(), Upkeep::default().patience);
}

#[tokio::test(start_paused = true)]
async fn nothing_seen_of_anybody_is_an_error_and_not_an_empty_inventory() {
    let a = Scripted::new("a", &["x"]);
    a.fail(1_000, &Error::new(Class::Auth, "the token is not accepted"));
    let error = fleet(&[&a]).refresh().await.unwrap_err();
    assert_eq!(
        (error.class(), error.to_string().as_str()),
        (Class::Auth, "the token is not accepted")
    );
}

#[tokio::test(start_paused = true)]
async fn a_node_that_nobody_knows_is_unknown_while_somebody_cannot_be_asked() {
    let (a, b) = (Scripted::new("a", &["x"]), Scripted::new("b", &["y"]));
    let both = fleet(&[&a, &b]);
    let owner = both.owner(&node("y-7")).await.unwrap().machine().unwrap();
    assert_eq!(owner.group.as_str(), "b/y");
    assert_eq!(both.owner(&node("z-1")).await, Ok(Whose::Nobodys));
    a.fail(1, &Error::retry("away"));
    assert_eq!(both.owner(&node("y-7")).await.unwrap().machine().unwrap().group.as_str(), "b/y");
    a.fail(1, &Error::retry("away"));
    both.owner(&node("z-1")).await.unwrap_err();
}

#[tokio::test(start_paused = true)]
async fn a_groups_own_settings_go_over_the_common_ones() {
    let a = Scripted::new("a", &["x", "y"]);
    a.groups.lock().unwrap()[0].overrides.unneeded_time = Some(SignedDuration::from_secs(7));
    let alone = fleet(&[&a]);
    alone.refresh().await.unwrap();
    let common = GroupOptions { utilization_threshold: 0.9, ..GroupOptions::default() };
    let inventory = alone.inventory(&common);
    let own = |place: usize| {
        let options = &inventory.groups[place].group.options;
        (options.unneeded_time.as_secs(), options.utilization_threshold)
    };
    assert_eq!([own(0), own(1)], [(7, 0.9), (600, 0.9)]);
}

/// What a stored name means now.
fn resolved(fleet: &Fleet, stored: &str, provider: Option<&str>) -> Option<String> {
    fleet.resolve(stored, provider).map(|group| group.to_string())
}

#[tokio::test(start_paused = true)]
async fn a_group_keeps_its_name_at_its_provider_when_providers_come_and_go() {
    let (a, b) = (Scripted::new("a", &["web", "gpu"]), Scripted::new("b", &["web"]));
    let (alone, both) = (fleet(&[&a]), fleet(&[&a, &b]));
    alone.refresh().await.unwrap();
    both.refresh().await.unwrap();
    let name = GroupName { provider: "a".into(), group: "web".into() };
    assert_eq!(alone.name_of(Symbol::new("web")), Some(name.clone()));
    assert_eq!(both.name_of(Symbol::new("a/web")), Some(name.clone()));
    assert_eq!(both.name_of(Symbol::new("web")), None, "nobody's by its name");
    assert_eq!(alone.outer(&name), Some(Symbol::new("web")));
    assert_eq!(both.outer(&name), Some(Symbol::new("a/web")));
    let other = GroupName { provider: "c".into(), group: "web".into() };
    assert_eq!([alone.outer(&other), both.outer(&other)], [None, None]);

    // From one provider to two: what was stored plainly.
    assert_eq!(resolved(&both, "web", Some("a")).as_deref(), Some("a/web"));
    assert_eq!(resolved(&both, "web", Some("b")).as_deref(), Some("b/web"));
    assert_eq!(resolved(&both, "gpu", None).as_deref(), Some("a/gpu"), "only one has it");
    assert_eq!(resolved(&both, "web", None), None, "two have it");
    assert_eq!(resolved(&both, "old", None), None, "nobody has it");
    assert_eq!(resolved(&both, "old", Some("a")).as_deref(), Some("a/old"), "it was there");
    // From two to one: what was stored under its provider.
    for provider in [None, Some("a")] {
        assert_eq!(resolved(&alone, "a/web", provider).as_deref(), Some("web"));
        assert_eq!(resolved(&both, "a/web", provider).as_deref(), Some("a/web"));
        assert_eq!(resolved(&alone, "a/old", provider).as_deref(), Some("old"));
    }
    for provider in [None, Some("b")] {
        assert_eq!(resolved(&alone, "b/web", provider), None, "its provider is not there");
    }
    assert_eq!(resolved(&alone, "web", Some("b")), None, "another's group of the same name");
    assert_eq!(resolved(&alone, "web", None).as_deref(), Some("web"));
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_decided_before_a_provider_was_read_is_not() {
    let (a, b) = (Scripted::new("a", &["web"]), Scripted::new("b", &["y"]));
    b.fail(1_000, &Error::retry("no route to host"));
    let both = fleet(&[&a, &b]);
    let group = |name| Symbol::new(name);
    assert_eq!(both.lists_group(group("a/web")), None);
    assert_eq!(resolved(&both, "a/web", None).as_deref(), Some("a/web"), "the name says it");
    both.refresh().await.unwrap();
    assert_eq!(resolved(&both, "web", None), None, "b may have one of that name");
    assert_eq!(resolved(&both, "web", Some("a")).as_deref(), Some("a/web"));
    assert_eq!(both.lists_group(group("a/web")), Some(true));
    assert_eq!(both.lists_group(group("a/old")), Some(false));
    assert_eq!(both.lists_group(group("b/y")), None, "it was never read");
    assert_eq!(both.lists_group(group("c/y")), Some(false), "no provider could have it");
    let alone = fleet(&[&b]);
    assert_eq!(resolved(&alone, "b/y", Some("b")), None, "it may be called y or b/y");
}

#[tokio::test(start_paused = true)]
async fn a_group_that_is_called_like_one_of_its_provider_is_known_by_the_inventory() {
    let odd = Scripted::new("a", &["a/web"]);
    let alone = fleet(&[&odd]);
    alone.refresh().await.unwrap();
    assert_eq!(resolved(&alone, "a/web", Some("a")).as_deref(), Some("a/web"));
    let both = fleet(&[&odd, &Scripted::new("b", &[])]);
    both.refresh().await.unwrap();
    assert_eq!(resolved(&both, "a/web", None).as_deref(), Some("a/a/web"));
    let twins = fleet(&[&Scripted::new("a", &["a/web", "web"])]);
    twins.refresh().await.unwrap();
    assert_eq!(resolved(&twins, "a/web", None), None);
}
