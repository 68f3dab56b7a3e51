//! What goes wrong with the service and its machines, and what is made of it.

use std::{fs, sync::Arc, time::Duration};

use expect_test::expect;
use plimsoll_model::{InstanceState, Symbol};
use plimsoll_net::{Fence, Shutdown};
use plimsoll_provider::{
    Class, Fleet, Home, Limits, NodeIdentity, Order, OrderId, Owner, Provider, Steady, Upkeep,
    Whose,
};
use plimsoll_providers::stackpoint::{
    Bounds, Token, TooLarge,
    emulator::{Failure, Reach, ReplyStyle, Trouble},
};
use proptest::{prelude::*, sample::Index};

use super::stage::{Stage, connect, group, other};

#[tokio::test(start_paused = true)]
async fn new_machines_are_counted_whatever_is_in_the_answer() {
    for style in [ReplyStyle::NewOnly, ReplyStyle::All] {
        let stage = Stage::new();
        stage.emulator.set_reply_style(style);
        stage.order(group(), 2).await.unwrap();
        assert_eq!(stage.group().await.target, 5, "{style:?}");
        stage.emulator.set_stock(group(), 0);
        let refused = stage.order(group(), 2).await.unwrap_err();
        assert_eq!(refused.class(), Class::OutOfCapacity, "{style:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_order_is_answered_with_what_was_begun() {
    for style in [ReplyStyle::NewOnly, ReplyStyle::All] {
        let stage = Stage::new();
        stage.emulator.set_reply_style(style);
        stage.emulator.set_stock(group(), 2);
        let from = stage.emulator.target(group());
        let order = Order { id: OrderId::new("o-1").unwrap(), group: group(), count: 5, from };
        assert_eq!(stage.provider.increase(&order).await, Ok(2), "{style:?}");
        // Placed again, what was begun before counts as well.
        stage.emulator.set_stock(group(), 1);
        assert_eq!(stage.provider.increase(&order).await, Ok(3), "{style:?}");
        stage.emulator.set_stock(group(), 9);
        assert_eq!(stage.provider.increase(&order).await, Ok(5), "{style:?}");
        assert_eq!(stage.provider.increase(&order).await, Ok(5), "{style:?}");
        assert_eq!(stage.group().await.target, from + 5, "{style:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_process_that_does_not_lead_changes_nothing() {
    let stage = Stage::new();
    let fence = Fence::closed(stage.clock);
    let home = Home { fence: fence.clone(), ..Home::alone(stage.clock) };
    let provider = connect(&stage.emulator, &stage.config, home);
    let before = stage.emulator.machines().len();
    let machine = provider.refresh().await.unwrap().groups[0].group.instances[0].id.clone();
    let order = Order { id: OrderId::new("o-1").unwrap(), group: group(), count: 1, from: 3 };
    let refused = provider.increase(&order).await.unwrap_err();
    assert_eq!((refused.class(), refused.code()), (Class::Retry, "NotLeader"));
    let answers = provider.delete(group(), std::slice::from_ref(&machine)).await.unwrap();
    assert_eq!(answers[0].outcome.as_ref().unwrap_err().code(), "NotLeader");
    let going = |state: &str| matches!(state, "deleting" | "deleted");
    let machines = stage.emulator.machines();
    assert!(machines.len() == before && !machines.iter().any(|one| going(one.state.word())));
    fence.extend(stage.clock.now(), Duration::from_secs(10));
    assert_eq!(provider.increase(&order).await, Ok(1));
}

#[tokio::test(start_paused = true)]
async fn machines_on_their_way_count_from_the_first_moment() {
    let stage = Stage::new();
    stage.order(group(), 1).await.unwrap();
    let mut seen = Vec::new();
    for _ in 0..60 {
        let machine = stage.emulator.machines().pop().unwrap();
        let told = stage.group().await;
        let instance = told.instances.last().unwrap();
        assert_eq!((told.target, *instance.id == *machine.instance_id), (4, true));
        let is_running = machine.state.word() == "running";
        assert_eq!(instance.state == InstanceState::Running, is_running);
        if seen.last() != Some(&machine.state.word()) {
            seen.push(machine.state.word());
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    assert_eq!(seen, ["draft", "building", "provisioned", "running"]);
}

#[tokio::test(start_paused = true)]
async fn drafts_that_are_stuck_grow_old_and_can_be_deleted() {
    let stage = Stage::new();
    let ordered = stage.clock.now();
    stage.emulator.trouble(group(), 1, Trouble::Stuck);
    stage.order(group(), 1).await.unwrap();
    tokio::time::sleep(Duration::from_hours(1)).await;
    let told = stage.group().await;
    let stuck = told.instances.last().unwrap();
    assert_eq!((stuck.state, stuck.created), (InstanceState::Creating, Some(ordered)));
    assert!(stuck.error.is_none(), "the service never says that it failed");
    let answers = stage.provider.delete(group(), std::slice::from_ref(&stuck.id)).await.unwrap();
    assert_eq!(answers[0].outcome, Ok(()));
    assert_eq!(stage.group().await.target, 3);
}

#[tokio::test(start_paused = true)]
async fn failures_are_told_in_both_ways() {
    for trouble in [Trouble::Fails, Trouble::FailsInPlace] {
        let stage = Stage::new();
        stage.emulator.trouble(group(), 1, trouble);
        stage.order(group(), 1).await.unwrap();
        tokio::time::sleep(Duration::from_mins(5)).await;
        let told = stage.group().await;
        let error = told.instances.last().unwrap().error.clone();
        assert!(error.is_some_and(|error| &*error.code == "failed"), "{trouble:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_machine_that_is_gone_is_told_from_one_that_is_not_ready() {
    let stage = Stage::new();
    let machine = stage.emulator.machines().pop().unwrap();
    let group = stage.group().await.id;
    let labels = [
        ("stackpoint.io/instance_id".to_owned(), machine.instance_id.clone()),
        ("stackpoint.io/node_group".to_owned(), group.to_string()),
    ];
    let node = NodeIdentity {
        name: machine.node_name(),
        labels: labels.into(),
        ..NodeIdentity::default()
    };
    let owner = Owner { group, instance: Some(machine.instance_id.as_str().into()) };
    let there = Whose::Machine(owner.clone());
    assert_eq!(stage.provider.owner(&node).await.unwrap(), there, "whatever its node reports");
    stage.emulator.vanish(&machine.instance_id);
    assert_eq!(stage.provider.owner(&node).await.unwrap(), there, "nobody has looked yet");
    stage.group().await;
    assert_eq!(stage.provider.owner(&node).await.unwrap(), Whose::Gone(owner));
}

#[tokio::test(start_paused = true)]
async fn groups_are_avoided_that_are_too_large_or_named() {
    let why = async |stage: &Stage| {
        let inventory = stage.provider.refresh().await.unwrap();
        let state = inventory.group(group()).unwrap();
        state.overrides.steer.clone().map(|steer| (steer.value, steer.why))
    };
    assert_eq!(why(&Stage::new()).await, None, "nobody's taints are touched");
    let stage = Stage::with(|config| config.steering.too_large = TooLarge::Avoided);
    assert_eq!(why(&stage).await, Some((group(), None)));
    let machines = stage.group().await.target;
    assert!(machines > 0);
    stage.emulator.set_bounds(group(), 0, machines - 1);
    let words = format!("it has {machines} machines and may have {}", machines - 1);
    assert_eq!(why(&stage).await, Some((group(), Some(words.into()))));
    for name in [group().as_str(), "general"] {
        let stage = Stage::with(|config| config.steering.avoid = vec![name.into()]);
        assert_eq!(why(&stage).await, Some((group(), Some("avoid-groups names it".into()))));
    }
    let stage = Stage::with(|config| config.steering.avoid = vec!["another".into()]);
    assert_eq!(why(&stage).await, Some((group(), None)));
}

#[tokio::test(start_paused = true)]
async fn a_token_that_is_written_anew_is_used_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("token");
    fs::write(&file, "let-me-in\n").unwrap();
    let stage = Stage::with(|config| config.token = Token::File(file.clone()));
    stage.group().await;
    stage.emulator.set_token("another");
    let refused = stage.provider.refresh().await.unwrap_err();
    assert_eq!(refused.class(), Class::Auth);
    // In the moment between, the old one is used.
    fs::write(&file, "").unwrap();
    assert_eq!(stage.provider.refresh().await.unwrap_err().class(), Class::Auth);
    fs::write(&file, "another\n").unwrap();
    assert_eq!(stage.group().await.target, 3);
    for text in [refused.to_string(), format!("{:?}", stage.provider)] {
        assert!(!text.contains("let-me-in") && !text.contains("another"), "{text}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_outage_of_ten_minutes_freezes_and_forgets_nothing() {
    let Stage { emulator, provider, clock, .. } = Stage::new();
    let steady: Arc<dyn Provider> = Arc::new(Steady::new(Arc::new(provider), Limits::default()));
    let fleet = Arc::new(Fleet::new(vec![steady], clock, Upkeep::default()).unwrap());
    let (running, shutdown) = (Arc::clone(&fleet), Shutdown::new());
    let until = shutdown.clone();
    let task = tokio::spawn(async move { running.run(&until).await });
    let told = || {
        let inventory = fleet.inventory(&plimsoll_model::GroupOptions::default());
        let group = inventory.group(group()).unwrap().group.clone();
        (group.target, group.instances.len(), group.frozen.is_some())
    };
    tokio::time::sleep(Duration::from_mins(1)).await;
    assert_eq!(told(), (3, 3, false));
    emulator.set_reach(Reach::Down);
    tokio::time::sleep(Duration::from_mins(10)).await;
    assert_eq!(told(), (3, 3, true));
    emulator.set_reach(Reach::Up);
    tokio::time::sleep(Duration::from_mins(2)).await;
    assert_eq!(told(), (3, 3, false));
    shutdown.trigger();
    task.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn pools_of_a_file_go_before_those_of_the_service() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("nodepools");
    let stage = Stage::with(|config| config.node_pools_file = Some(file.clone()));
    let bounds = async || {
        let group = stage.group().await;
        (group.min, group.max, group.target)
    };
    assert_eq!(bounds().await, (1, 10, 3), "there is no such file");
    let pk = stage.emulator.machines().last().unwrap().pool.unwrap();
    let pools = |max: u32| {
        format!(
            r#"[{{"pk": {pk}, "instance_id": "spc5fd2a0b1-pool-1", "instance_size": "m5.large",
                 "autoscaled": true, "min_count": 2, "max_count": {max}, "node_count": 70}}]"#
        )
    };
    fs::write(&file, pools(7)).unwrap();
    assert_eq!(bounds().await, (2, 7, 3));
    fs::write(&file, pools(8)).unwrap();
    assert_eq!(bounds().await, (2, 8, 3), "read anew");
    fs::write(&file, "[{").unwrap();
    assert_eq!(bounds().await, (1, 10, 3), "the service is asked instead");
    fs::remove_file(&file).unwrap();
    // The ConfigMap of the original, as somebody tells it who watches the cluster.
    let board = stage.provider.board();
    board.post(Some(pools(9)));
    assert_eq!(bounds().await, (2, 9, 3));
    fs::write(&file, pools(7)).unwrap();
    assert_eq!(bounds().await, (2, 7, 3), "a file that the user names goes before it");
    fs::remove_file(&file).unwrap();
    for text in [Some("{}".to_owned()), None] {
        board.post(text);
        assert_eq!(bounds().await, (1, 10, 3));
    }
}

#[tokio::test(start_paused = true)]
async fn bounds_of_all_groups_together_are_kept() {
    let stage = Stage::with(|config| config.bounds = Bounds { min: 6, max: Some(8) });
    let told = stage.group().await;
    assert_eq!((told.min, told.stock), (6, Some(5)), "three are missing, five may come");
    stage.order(group(), 3).await.unwrap();
    let refused = stage.order(other(), 3).await.unwrap_err();
    assert_eq!(refused.class(), Class::Quota);
    expect!["all groups together may have 2 more, not 3"].assert_eq(&refused.to_string());
    stage.order(other(), 2).await.unwrap();
    assert_eq!(stage.group().await.stock, Some(0));
}

#[tokio::test(start_paused = true)]
async fn an_empty_group_has_a_template() {
    let stage = Stage::new();
    let inventory = stage.provider.refresh().await.unwrap();
    let template = inventory.group(other()).unwrap().group.template.clone().unwrap();
    assert_eq!(template.capacity.get(Symbol::new("cpu")), 4000);
    // What is known of kinds of machines outlives a failure to ask again.
    tokio::time::sleep(Duration::from_hours(2)).await;
    stage.emulator.fail_requests(2, 1, Failure::Broken);
    let inventory = stage.provider.refresh().await.unwrap();
    assert!(inventory.group(other()).unwrap().group.template.is_some());
}

#[tokio::test(start_paused = true)]
async fn nonsense_is_never_an_empty_list() {
    let stage = Stage::new();
    let bodies = [
        "",
        " ",
        "null",
        "{}",
        "[",
        "[]",
        "[null]",
        "[{}]",
        "\"\"",
        "0",
        "<html></html>",
        "{\"detail\": \"Not found.\"}",
        "[{\"pk\": 1}]",
        "[[]]",
        "{\"nodes\": []}",
        "\u{0}",
    ];
    for body in bodies {
        stage.emulator.garble(Some(body.to_owned()));
        let answer = stage.provider.refresh().await;
        // With neither pools nor machines there is nothing to contradict an empty list.
        if body == "[]" {
            assert!(answer.unwrap().groups.is_empty());
            continue;
        }
        let error = answer.expect_err(body);
        assert!(matches!(error.class(), Class::Bug | Class::Retry), "{body}: {error}");
    }
    stage.emulator.garble(None);
    assert_eq!(stage.group().await.target, 3);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// A list in which bytes were changed is read or refused, by every call, and nothing panics.
    #[test]
    fn no_answer_makes_the_provider_panic(
        changes in prop::collection::vec((any::<Index>(), any::<char>()), 1..6),
        end in prop::option::of(any::<Index>()),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
        runtime.block_on(async {
            let stage = Stage::new();
            let whole = serde_json::json!([{
                "pk": 1, "cluster": 345, "pool": 1, "instance_id": "spc-pool-1", "role": "worker", "state": "running",
                "autoscaled": true, "min_count": 1, "max_count": 4, "instance_size": "m5.large",
            }]);
            let mut letters: Vec<char> = whole.to_string().chars().collect();
            for (place, letter) in changes {
                let place = place.index(letters.len());
                letters[place] = letter;
            }
            letters.truncate(end.map_or(letters.len(), |end| end.index(letters.len())));
            stage.emulator.garble(Some(letters.into_iter().collect()));
            let group = Symbol::new("autoscaling-spc-pool-1");
            let _ = stage.provider.refresh().await;
            let _ = stage.provider.lower_target(group, 0).await;
            let _ = stage.provider.delete(group, &["spc-pool-1".into()]).await;
            let _ = stage.provider.increase(&Order { id: OrderId::new("a").unwrap(), group, count: 1, from: 1 }).await;
        });
    }
}
