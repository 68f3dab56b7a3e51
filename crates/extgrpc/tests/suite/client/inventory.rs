//! What a server tells, and what it must not tell.

use jiff::SignedDuration;
use plimsoll_extgrpc::proto::{
    external as message, external::instance_status::InstanceState as State, meta,
};
use plimsoll_model::{ErrorClass, GroupOptions, InstanceState, Money};
use plimsoll_provider::{Capabilities, Class, Overrides, Provider as _};
use prost::Message as _;
use tonic::Status;

use super::{add_second, node, set_threshold};
use crate::{fixture::lock, scripted::Scripted};

/// A server that knows the old times only cannot say anything of the two switches, so it does not turn them off.
#[tokio::test]
async fn settings_of_an_old_server_turn_nothing_off() {
    let server = Scripted::start().await;
    let nanoseconds = |seconds: i64| Some(meta::Duration { duration: seconds * 1_000_000_000 });
    let old = message::NodeGroupAutoscalingOptions {
        scale_down_utilization_threshold: 0.5,
        scale_down_gpu_utilization_threshold: 0.5,
        scale_down_unneeded_time: nanoseconds(60),
        scale_down_unready_time: nanoseconds(1_200),
        max_node_provision_time: nanoseconds(900),
        ..Default::default()
    };
    let new = message::NodeGroupAutoscalingOptions {
        max_node_provision_duration: Some(prost_types::Duration { seconds: 900, nanos: 0 }),
        ..old
    };
    let defaults = GroupOptions { ignore_daemon_sets: true, atomic: true, ..Default::default() };
    for (sent, expected) in [(old, None), (new, Some(false))] {
        server.change(|script| {
            let node_group_autoscaling_options = Some(sent);
            script.options = Some(message::NodeGroupAutoscalingOptionsResponse {
                node_group_autoscaling_options,
            });
        });
        let inventory = server.provider_with(defaults.clone()).refresh().await.unwrap();
        let overrides = &inventory.groups[0].overrides;
        assert_eq!((overrides.ignore_daemon_sets, overrides.atomic), (expected, expected));
        assert_eq!(overrides.unneeded_time, Some(SignedDuration::from_mins(1)));
    }
}

#[tokio::test]
async fn an_inventory_is_all_that_the_server_tells() {
    let server = Scripted::start().await;
    server.change(|script| {
        let status = |state: State, code: &str, class| {
            let info = message::InstanceErrorInfo {
                error_code: code.to_owned(),
                error_message: "because".to_owned(),
                instance_error_class: class,
            };
            let status =
                message::InstanceStatus { instance_state: state.into(), error_info: Some(info) };
            Some(status)
        };
        let machines = script.machines.get_mut("pool").unwrap();
        *machines = vec![
            message::Instance { id: "a".to_owned(), status: None },
            message::Instance {
                id: "b".to_owned(),
                status: status(State::InstanceCreating, "SOLD_OUT", 1),
            },
            message::Instance {
                id: "c".to_owned(),
                status: status(State::InstanceCreating, "BROKEN", 99),
            },
            message::Instance {
                id: "d".to_owned(),
                status: status(State::InstanceDeleting, "", 0),
            },
            message::Instance {
                id: "e".to_owned(),
                status: status(State::Unspecified, "IGNORED", 1),
            },
        ];
        script.price = Some(0.5);
        script.template = Some(message::NodeGroupTemplateNodeInfoResponse {
            node_info: Some(node(&[("from", "old")])),
            node_bytes: node(&[("from", "new")]).encode_to_vec(),
        });
    });
    let provider = server.provider();
    let inventory = provider.refresh().await.unwrap();
    assert_eq!(&*inventory.gpu_label, "their/gpu");
    assert_eq!(inventory.gpu_types, ["t4".into()]);
    let [state] = &inventory.groups[..] else { panic!("{inventory:?}") };
    assert_eq!(&*state.about, "debug of pool");
    assert_eq!((state.group.min, state.group.max, state.group.target), (0, 10, 2));
    assert_eq!(state.group.price, Some(Money::from_micros(500_000)));
    let template = state.group.template.as_ref().unwrap();
    assert_eq!(template.labels.get("from".into()), Some(&"new".into()), "new fields are preferred");
    assert_eq!(template.allocatable.get("cpu".into()), 2_000);
    let seen: Vec<_> = state
        .group
        .instances
        .iter()
        .map(|instance| {
            let error = instance.error.as_ref().map(|error| (&*error.code, error.class));
            (&*instance.id, instance.state, error)
        })
        .collect();
    assert_eq!(
        seen,
        [
            ("a", InstanceState::Running, None),
            ("b", InstanceState::Creating, Some(("SOLD_OUT", ErrorClass::OutOfResources))),
            ("c", InstanceState::Creating, Some(("BROKEN", ErrorClass::Other))),
            ("d", InstanceState::Deleting, None),
            ("e", InstanceState::Running, None),
        ]
    );
    // An hour, in the fields of every version.
    let asked = lock(&server.script).asked_prices[0].clone();
    let new = (asked.start_timestamp.unwrap(), asked.end_timestamp.unwrap());
    let old = (asked.start_time.unwrap(), asked.end_time.unwrap());
    assert_eq!(new.1.seconds - new.0.seconds, 3_600);
    assert_eq!((old.0.seconds, old.1.seconds), (new.0.seconds, new.1.seconds));
    let shown = asked.node.unwrap();
    assert_eq!((shown.name.as_str(), shown.labels["from"].as_str()), ("template", "new"));
}

#[tokio::test]
async fn old_servers_are_understood() {
    let server = Scripted::start().await;
    let nanoseconds = |seconds: i64| Some(meta::Duration { duration: seconds * 1_000_000_000 });
    server.change(|script| {
        script.template = Some(message::NodeGroupTemplateNodeInfoResponse {
            node_info: Some(node(&[("from", "old")])),
            node_bytes: Vec::new(),
        });
        script.options = Some(message::NodeGroupAutoscalingOptionsResponse {
            node_group_autoscaling_options: Some(message::NodeGroupAutoscalingOptions {
                scale_down_utilization_threshold: 0.5,
                scale_down_gpu_utilization_threshold: 0.7,
                scale_down_unneeded_time: nanoseconds(60),
                scale_down_unready_time: nanoseconds(1_200),
                ..Default::default()
            }),
        });
    });
    let inventory = server.provider().refresh().await.unwrap();
    let state = &inventory.groups[0];
    let template = state.group.template.as_ref().unwrap();
    assert_eq!(template.labels.get("from".into()), Some(&"old".into()));
    let expected = Overrides {
        unneeded_time: Some(SignedDuration::from_mins(1)),
        gpu_utilization_threshold: Some(0.7),
        ..Overrides::default()
    };
    assert_eq!(state.overrides, expected);
    assert_eq!(state.group.options, expected.over(&GroupOptions::default()));

    let asked = lock(&server.script).asked_options[0].defaults.unwrap();
    assert_eq!(asked.scale_down_unneeded_time, nanoseconds(600));
    assert_eq!(asked.scale_down_unneeded_duration.unwrap().seconds, 600);
    assert_eq!(asked.max_node_provision_time, nanoseconds(900));
    assert_eq!(asked.max_node_provision_duration.unwrap().seconds, 900);
}

#[tokio::test]
async fn optional_methods_may_be_missing() {
    let missing = [
        Status::unimplemented(""),
        // As upstream's example server says it.
        Status::unknown("Not implemented"),
        Status::unknown("rpc error: code = Unknown desc = not implemented"),
    ];
    for status in missing {
        let server = Scripted::start().await;
        server.change(|script| {
            for method in ["NodeGroupTemplateNodeInfo", "NodeGroupGetOptions"] {
                script.failing.insert(method, status.clone());
            }
        });
        let provider = server.provider();
        provider.refresh().await.unwrap();
        let inventory = provider.refresh().await.unwrap();
        let state = &inventory.groups[0];
        assert!(state.group.template.is_none() && state.group.price.is_none());
        assert_eq!(state.group.options, GroupOptions::default());
        assert_eq!((state.group.frozen.as_deref(), &*state.about), (None, "debug of pool"));
        let left = Capabilities { prices: true, keeps_minimum: true, ..Capabilities::default() };
        assert_eq!(provider.capabilities(), left);
        // Not at every refresh, but after a while.
        assert_eq!(server.called("NodeGroupTemplateNodeInfo"), 1, "the connection was kept");
        assert_eq!(server.called("NodeGroupGetOptions"), 1);
        assert_eq!(server.called("GPULabel"), 1);
    }
}

#[tokio::test]
async fn what_one_group_does_not_have_others_may() {
    let server = Scripted::start().await;
    server.change(|script| {
        add_second(script);
        script.template = Some(message::NodeGroupTemplateNodeInfoResponse {
            node_info: Some(node(&[])),
            node_bytes: Vec::new(),
        });
        let own = message::NodeGroupAutoscalingOptions {
            scale_down_utilization_threshold: 0.25,
            ..Default::default()
        };
        let node_group_autoscaling_options = Some(own);
        script.options =
            Some(message::NodeGroupAutoscalingOptionsResponse { node_group_autoscaling_options });
        script.price = Some(1.0);
        for method in ["NodeGroupTemplateNodeInfo", "NodeGroupGetOptions"] {
            script.failing_for.insert((method, "pool"), Status::unimplemented(""));
        }
    });
    let provider = server.provider();
    let inventory = provider.refresh().await.unwrap();
    let [pool, second] = &inventory.groups[..] else { panic!("{inventory:?}") };
    assert!(pool.group.template.is_none() && pool.group.price.is_none());
    assert_eq!(pool.overrides, Overrides::default());
    assert!(second.group.template.is_some());
    assert_eq!(second.group.price, Some(Money::from_micros(1_000_000)));
    assert_eq!(second.overrides.utilization_threshold, Some(0.25));
    let capabilities = provider.capabilities();
    assert!(capabilities.prices && capabilities.templates && capabilities.options);
}

#[tokio::test]
async fn gpus_that_cannot_be_told_are_none_and_asked_for_again() {
    for method in ["GPULabel", "GetAvailableGPUTypes"] {
        for status in [Status::unimplemented(""), Status::unavailable(""), Status::internal("")] {
            let server = Scripted::start().await;
            server.change(|script| {
                script.failing.insert(method, status);
            });
            let provider = server.provider();
            let inventory = provider.refresh().await.unwrap();
            assert_eq!(inventory.groups.len(), 1);
            assert!(inventory.gpu_label.is_empty() || inventory.gpu_types.is_empty());
            server.change(|script| script.failing.clear());
            let inventory = provider.refresh().await.unwrap();
            assert_eq!((&*inventory.gpu_label, inventory.gpu_types.len()), ("their/gpu", 1));
        }
    }
}

#[tokio::test]
async fn a_refresh_without_a_list_of_groups_is_an_error() {
    let table = [
        (Status::unimplemented("no"), Class::Unsupported),
        (Status::unavailable("no"), Class::Retry),
        (Status::unknown("plain Go error"), Class::Retry),
        (Status::resource_exhausted("too often"), Class::Retry),
        (Status::unauthenticated("no"), Class::Auth),
        (Status::permission_denied("no"), Class::Auth),
        (Status::internal("no"), Class::Bug),
    ];
    for method in ["Refresh", "NodeGroups"] {
        for (status, class) in &table {
            let server = Scripted::start().await;
            server.change(|script| {
                script.failing.insert(method, status.clone());
            });
            let error = server.provider().refresh().await.unwrap_err();
            assert_eq!(error.class(), *class, "{method} {status:?}");
            let expected = format!("{}: {method}: {}", server.address, status.message());
            assert_eq!(error.to_string(), expected);
        }
    }
}

#[tokio::test]
async fn what_cannot_be_read_of_a_group_is_what_it_last_was() {
    let server = Scripted::start().await;
    server.change(|script| {
        script.price = Some(0.5);
        script.template = Some(message::NodeGroupTemplateNodeInfoResponse {
            node_info: Some(node(&[("kind", "first")])),
            node_bytes: Vec::new(),
        });
        set_threshold(script, 0.25);
    });
    let provider = server.provider();
    let first = provider.refresh().await.unwrap();
    server.change(|script| {
        let methods = ["NodeGroupTemplateNodeInfo", "NodeGroupGetOptions", "PricingNodePrice"];
        for method in methods {
            script.failing.insert(method, Status::unavailable("overloaded"));
        }
        // Another connection is asked for everything anew.
        script.failing.insert("Refresh", Status::unavailable("gone"));
    });
    provider.refresh().await.unwrap_err();
    server.change(|script| {
        script.failing.remove("Refresh");
    });
    let second = provider.refresh().await.unwrap();
    let (before, after) = (&first.groups[0], &second.groups[0]);
    assert!(server.called("PricingNodePrice") > 1, "they were asked for");
    assert_eq!(after.group.frozen, None);
    assert_eq!(after.group.price, before.group.price);
    assert_eq!(after.group.template, before.group.template);
    assert_eq!(after.overrides, before.overrides);
    let told = provider.remarks("pool".into());
    for (part, told) in ["template", "price", "options"].iter().zip(&told) {
        let expected = format!("its {part} could not be read ({}: ", server.address);
        assert!(told.starts_with(&expected), "{told}");
        assert!(told.ends_with("overloaded); the last known one is used"), "{told}");
    }
    assert_eq!(told.len(), 3);
    // A client that never knew better: there is none, and the group lives.
    let other = server.provider();
    let inventory = other.refresh().await.unwrap();
    let state = &inventory.groups[0];
    assert!(state.group.frozen.is_none() && state.group.template.is_none());
    assert_eq!(state.group.options, GroupOptions::default());
    let told = other.remarks("pool".into());
    assert!(told[0].ends_with("overloaded); there is none"), "{told:?}");
    // A template that cannot be read is one of these.
    server.change(|script| {
        script.failing.clear();
        let (node_info, node_bytes) = (None, vec![0xff; 3]);
        script.template =
            Some(message::NodeGroupTemplateNodeInfoResponse { node_info, node_bytes });
    });
    let inventory = provider.refresh().await.unwrap();
    assert_eq!(inventory.groups[0].group.template, before.group.template);
    assert!(provider.remarks("pool".into())[0].starts_with("its template could not be read"));
}
