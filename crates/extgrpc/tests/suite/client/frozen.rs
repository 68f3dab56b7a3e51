//! Groups that cannot be read or are invalid: they are frozen, and the others live.

use plimsoll_extgrpc::proto::external as message;
use plimsoll_provider::{Class, Provider as _};
use tonic::Status;

use super::{add_second, node, set_threshold};
use crate::scripted::{Script, Scripted, group, machine};

#[tokio::test]
async fn a_group_whose_size_cannot_be_read_is_frozen_as_it_was() {
    for method in ["NodeGroupTargetSize", "NodeGroupNodes"] {
        for status in [Status::unknown("plain Go error"), Status::unavailable("no")] {
            let server = Scripted::start().await;
            server.change(add_second);
            let provider = server.provider();
            provider.refresh().await.unwrap();
            server.change(|script| {
                script.failing_for.insert((method, "pool"), status.clone());
                script.targets.insert("second".to_owned(), 0);
                script.machines.insert("second".to_owned(), vec![]);
            });
            let inventory = provider.refresh().await.unwrap();
            let [pool, second] = &inventory.groups[..] else { panic!("{inventory:?}") };
            let reason = pool.group.frozen.as_deref().unwrap();
            let expected = format!("{}: {method}: {}", server.address, status.message());
            assert_eq!(reason, expected);
            assert_eq!((pool.group.target, pool.group.instances.len()), (2, 2), "as last seen");
            assert_eq!((second.group.target, &second.group.frozen), (0, &None), "it lives");
            server.change(|script| script.failing_for.clear());
            let inventory = provider.refresh().await.unwrap();
            assert!(inventory.groups.iter().all(|state| state.group.frozen.is_none()));
            // Of a group that was never seen nothing is known.
            server.change(|script| {
                script.failing_for.insert((method, "pool"), status.clone());
            });
            let inventory = server.provider().refresh().await.unwrap();
            assert!(inventory.groups[0].group.frozen.is_some());
            assert!(inventory.groups[1].group.frozen.is_none());
        }
    }
}

#[tokio::test]
async fn a_group_that_makes_no_sense_is_frozen_and_the_others_live() {
    type Break = fn(&mut Script);
    let table: [(&str, Break); 11] = [
        ("group pool: the group is listed twice", |script| script.groups.push(group("pool", 0, 1))),
        ("group pool: it is to have 3 to 2 machines", |script| {
            script.groups[0] = group("pool", 3, 2);
        }),
        ("group pool: it is to have -1 to 2 machines", |script| {
            script.groups[0] = group("pool", -1, 2);
        }),
        ("the target of group pool is -1", |script| {
            script.targets.insert("pool".to_owned(), -1);
        }),
        ("group pool: a machine has no id", |script| {
            script.machines.insert("pool".to_owned(), vec![machine("")]);
        }),
        ("group pool: machine m is in state 7, which nobody knows", |script| {
            let status = message::InstanceStatus { instance_state: 7, error_info: None };
            let odd = message::Instance { status: Some(status), ..machine("m") };
            script.machines.insert("pool".to_owned(), vec![odd]);
        }),
        ("group pool: machine twice is listed twice", |script| {
            script.machines.insert("pool".to_owned(), vec![machine("twice"), machine("twice")]);
        }),
        ("group pool: a node costs -1", |script| script.price = Some(-1.0)),
        ("group pool: a node costs NaN", |script| script.price = Some(f64::NAN)),
        ("group pool: a utilization threshold is 50", |script| set_threshold(script, 50.0)),
        ("group pool: a utilization threshold is NaN", |script| set_threshold(script, f64::NAN)),
    ];
    for (expected, break_it) in table {
        let server = Scripted::start().await;
        server.change(|script| {
            add_second(script);
            script.template = Some(message::NodeGroupTemplateNodeInfoResponse {
                node_info: Some(node(&[])),
                node_bytes: Vec::new(),
            });
            // Only the first has a price and settings.
            for method in ["NodeGroupTemplateNodeInfo", "NodeGroupGetOptions"] {
                script.failing_for.insert((method, "second"), Status::unimplemented(""));
            }
        });
        let provider = server.provider();
        provider.refresh().await.unwrap();
        server.change(break_it);
        // Another client has not seen it whole.
        for (provider, machines) in [(provider, 2), (server.provider(), 0)] {
            // What is not asked for at every refresh shows after a while.
            let inventory = provider.refresh().await.unwrap();
            let [pool, second] = &inventory.groups[..] else { panic!("{inventory:?}") };
            let is_late = expected.contains("costs") || expected.contains("threshold");
            let Some(reason) = pool.group.frozen.as_deref() else {
                assert!(is_late && machines == 2, "{expected}");
                continue;
            };
            assert!(reason.starts_with(&format!("theirs: {expected}")), "{reason}");
            assert!(pool.group.instances.len() >= machines, "{expected}: {pool:?}");
            assert_eq!(second.group.frozen, None);
            // Nothing is bought for a group whose bounds are unknown.
            if expected.contains("to have") || expected.contains("the group is") {
                let id = plimsoll_provider::OrderId::new("more").unwrap();
                let order =
                    plimsoll_provider::Order { id, group: "pool".into(), count: 1, from: 2 };
                assert_eq!(provider.increase(&order).await.unwrap_err().class(), Class::Bug);
            }
        }
    }
}

#[tokio::test]
async fn groups_that_share_a_machine_are_frozen() {
    let server = Scripted::start().await;
    server.change(|script| {
        for id in ["second", "third"] {
            script.groups.push(group(id, 0, 1));
            script.targets.insert(id.to_owned(), 1);
        }
        script.groups.push(group("", 0, 1));
        script.machines.insert("second".to_owned(), vec![machine("m-0")]);
        script.machines.insert("third".to_owned(), vec![machine("t-0")]);
    });
    let inventory = server.provider().refresh().await.unwrap();
    let frozen: Vec<_> = inventory
        .groups
        .iter()
        .map(|state| (state.group.id.as_str(), state.group.frozen.as_deref()))
        .collect();
    let reason = Some("theirs: machine m-0 is listed by pool and second");
    assert_eq!(frozen, [("pool", reason), ("second", reason), ("third", None)]);
}
