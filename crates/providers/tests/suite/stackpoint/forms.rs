//! Replies as versions of the service write them: one odd entry costs nobody else anything.

use plimsoll_provider::{Class, NodeIdentity, Provider as _, Whose};
use serde_json::{Value, json};

use super::stage::{Stage, group, other};

const POOL: &str = "spc5fd2a0b1-pool-1";

#[tokio::test(start_paused = true)]
async fn a_pool_is_read_in_every_form() {
    let stage = Stage::new();
    let plain = stage.group().await;
    for (field, value) in [
        ("labels", json!(["tier=web"])),
        ("cpu", json!("2")),
        ("memory", json!("8Gi")),
        ("min_count", json!("1")),
        ("max_count", json!(10.0)),
        ("node_count", json!("3")),
        ("root_disk_size", json!(50.0)),
        ("zone", json!(null)),
        ("autoscaled", json!("true")),
    ] {
        stage.emulator.patch(POOL, field, Some(value));
    }
    for field in ["gpu_core_count", "provider_subnet_id", "network_components", "state"] {
        stage.emulator.patch(POOL, field, None);
    }
    let told = stage.group().await;
    assert_eq!((told.min, told.max, told.target), (plain.min, plain.max, plain.target));
    assert_eq!(told.frozen, None);
    let template = told.template.unwrap();
    assert!(template.labels.iter().any(|(key, value)| format!("{key}={value}") == "tier=web"));
}

#[tokio::test(start_paused = true)]
async fn one_odd_pool_is_frozen_and_the_others_live() {
    let stage = Stage::new();
    stage.emulator.patch(POOL, "max_count", Some(json!("many")));
    let odd = stage.group().await;
    assert!(odd.frozen.as_deref().unwrap().contains("many"), "{odd:?}");
    assert_eq!((odd.target, odd.instances.len()), (3, 3), "its machines are not gone");
    assert_eq!(stage.order(group(), 1).await.unwrap_err().code(), "Frozen");
    let machine = odd.instances[0].id.clone();
    let refused = stage.provider.delete(group(), &[machine]).await.unwrap_err();
    assert_eq!((refused.class(), refused.code()), (Class::Retry, "Frozen"));
    assert_eq!(stage.group_of(other()).await.frozen, None);
    assert_eq!(stage.order(other(), 1).await, Ok(1));
    stage.emulator.unpatch();
    assert_eq!(stage.group().await.frozen, None);
    assert_eq!(stage.order(group(), 1).await, Ok(1));
}

#[tokio::test(start_paused = true)]
async fn an_odd_record_freezes_its_group_and_its_machine_is_not_gone() {
    let cases: [(&str, Option<Value>); 4] = [
        ("state", None),
        ("role", Some(json!(["worker"]))),
        ("pk", Some(json!("first"))),
        ("is_failed", Some(json!("perhaps"))),
    ];
    for (field, value) in cases {
        let stage = Stage::new();
        stage.order(other(), 1).await.unwrap();
        let machines = stage.emulator.machines();
        let machine = machines.iter().find(|machine| machine.group == Some(group())).unwrap();
        let labels = [
            ("stackpoint.io/instance_id".to_owned(), machine.instance_id.clone()),
            ("stackpoint.io/node_group".to_owned(), group().to_string()),
        ];
        let name = machine.node_name();
        let node = NodeIdentity { name, labels: labels.into(), ..NodeIdentity::default() };
        stage.emulator.patch(&machine.instance_id, field, value.clone());
        let odd = stage.group().await;
        assert!(odd.frozen.is_some(), "{field}");
        let whose = stage.provider.owner(&node).await.unwrap();
        assert!(!matches!(whose, Whose::Gone(_)), "{field}: {whose:?}");
        assert_eq!(stage.order(group(), 1).await.unwrap_err().code(), "Frozen", "{field}");
        assert_eq!(stage.group_of(other()).await.frozen, None, "{field}");
        assert_eq!(stage.order(other(), 1).await, Ok(1), "{field}");
        stage.emulator.unpatch();
        assert_eq!(stage.group().await.frozen, None, "{field}");
    }
}

#[tokio::test(start_paused = true)]
async fn numbers_in_quotes_and_floats_are_numbers() {
    let stage = Stage::new();
    for machine in stage.emulator.machines() {
        let pool = machine.pool.map(|pool| json!(pool.to_string()));
        stage.emulator.patch(&machine.instance_id, "pk", Some(json!(machine.pk.to_string())));
        stage.emulator.patch(&machine.instance_id, "pool", pool);
        stage.emulator.patch(&machine.instance_id, "cluster", Some(json!(345.0)));
    }
    assert_eq!(stage.group().await.target, 3);
    let machine = stage.group().await.instances[0].id.clone();
    let answers = stage.provider.delete(group(), &[machine]).await.unwrap();
    assert_eq!(answers[0].outcome, Ok(()));
}

#[tokio::test(start_paused = true)]
async fn a_service_of_another_version_may_use_a_word_for_etcd_that_is_not_known() {
    use plimsoll_providers::stackpoint::emulator::Generation;
    let stage = Stage::new();
    let machines = stage.emulator.machines();
    let ours: Vec<_> = machines.iter().filter(|one| one.group == Some(group())).collect();
    for machine in &ours {
        stage.emulator.patch(&machine.instance_id, "etcd_state", Some(json!("kube_etcd_v2")));
    }
    let told = stage.group().await;
    assert_eq!((told.min, told.max, told.target), (1, 10, 3));
    // It may host etcd for all that is known, so only the service can say that it may go.
    let id: Box<str> = ours[0].instance_id.as_str().into();
    stage.emulator.set_generation(Generation::Latest);
    let answers = stage.provider.delete(group(), std::slice::from_ref(&id)).await.unwrap();
    assert_eq!(answers[0].outcome, Ok(()));
    let id: Box<str> = ours[1].instance_id.as_str().into();
    stage.emulator.keep(&id);
    let answers = stage.provider.delete(group(), std::slice::from_ref(&id)).await.unwrap();
    assert_eq!(answers[0].outcome.as_ref().unwrap_err().class(), Class::Invalid);
}
