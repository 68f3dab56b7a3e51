//! What a server tells, and what it must not tell.

use jiff::SignedDuration;
use plimsoll_extgrpc::proto::{
    core, external as message, external::instance_status::InstanceState as State, meta, resource,
};
use plimsoll_model::{ErrorClass, GroupOptions, InstanceState, Money};
use plimsoll_provider::{Capabilities, Class, Overrides, Provider as _};
use prost::Message as _;
use tonic::Status;

use crate::{
    fixture::lock,
    scripted::{Script, Scripted, group, machine},
};

fn node(labels: &[(&str, &str)]) -> core::Node {
    let quantity = |text: &str| resource::Quantity { string: text.to_owned() };
    core::Node {
        metadata: Some(meta::ObjectMeta {
            name: "template".to_owned(),
            labels: labels.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect(),
            ..meta::ObjectMeta::default()
        }),
        spec: None,
        status: Some(core::NodeStatus {
            capacity: [("cpu".to_owned(), quantity("2")), ("memory".to_owned(), quantity("4Gi"))]
                .into(),
            ..core::NodeStatus::default()
        }),
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
async fn optional_methods_may_be_missing_and_are_not_asked_for_again() {
    let server = Scripted::start().await;
    let provider = server.provider();
    provider.refresh().await.unwrap();
    let inventory = provider.refresh().await.unwrap();
    let state = &inventory.groups[0];
    assert!(state.group.template.is_none() && state.group.price.is_none());
    assert_eq!(state.group.options, GroupOptions::default());
    let left = Capabilities { prices: true, keeps_minimum: true, ..Capabilities::default() };
    assert_eq!(provider.capabilities(), left);
    assert_eq!(server.called("NodeGroupTemplateNodeInfo"), 1);
    assert_eq!(server.called("NodeGroupGetOptions"), 1);
    assert_eq!(server.called("GPULabel"), 1);
    // Another list of groups is asked about anew.
    server.change(|script| {
        script.groups.push(group("second", 0, 1));
        script.targets.insert("second".to_owned(), 0);
    });
    provider.refresh().await.unwrap();
    assert_eq!(server.called("NodeGroupTemplateNodeInfo"), 3);
}

#[tokio::test]
async fn a_refresh_is_complete_or_an_error() {
    let methods = ["Refresh", "NodeGroups", "GPULabel", "NodeGroupTargetSize", "NodeGroupNodes"];
    let table = [
        (Status::unimplemented("no"), Class::Unsupported),
        (Status::unavailable("no"), Class::Retry),
        (Status::unknown("plain Go error"), Class::Retry),
        (Status::resource_exhausted("too often"), Class::Retry),
        (Status::unauthenticated("no"), Class::Auth),
        (Status::permission_denied("no"), Class::Auth),
        (Status::internal("no"), Class::Bug),
    ];
    for method in methods {
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
    // A required answer of the optional ones as well, unless they are not there.
    for method in ["NodeGroupTemplateNodeInfo", "NodeGroupGetOptions"] {
        let server = Scripted::start().await;
        server.change(|script| {
            script.failing.insert(method, Status::unavailable("no"));
        });
        assert_eq!(server.provider().refresh().await.unwrap_err().class(), Class::Retry);
    }
}

#[tokio::test]
async fn nonsense_is_a_bug() {
    type Break = fn(&mut Script);
    let table: [(&str, Break); 8] = [
        ("a group has no id", |script| script.groups[0].id.clear()),
        ("group pool is listed twice", |script| script.groups.push(group("pool", 0, 1))),
        ("group pool is to have 3 to 2 machines", |script| script.groups[0] = group("pool", 3, 2)),
        ("group pool is to have -1 to 2 machines", |script| {
            script.groups[0] = group("pool", -1, 2);
        }),
        ("the target of group pool is -1", |script| {
            script.targets.insert("pool".to_owned(), -1);
        }),
        ("group pool: a machine has no id", |script| {
            script.machines.insert("pool".to_owned(), vec![machine("")]);
        }),
        ("machine twice is listed twice", |script| {
            script.machines.insert("pool".to_owned(), vec![machine("twice"), machine("twice")]);
        }),
        ("the template of group pool: ", |script| {
            let node_bytes = vec![0xff; 3];
            let node_info = None;
            script.template =
                Some(message::NodeGroupTemplateNodeInfoResponse { node_info, node_bytes });
        }),
    ];
    for (expected, break_it) in table {
        let server = Scripted::start().await;
        server.change(break_it);
        let error = server.provider().refresh().await.unwrap_err();
        assert_eq!(error.class(), Class::Bug, "{error}");
        assert!(error.to_string().starts_with(&format!("theirs: {expected}")), "{error}");
    }
}

#[tokio::test]
async fn a_server_that_is_away_may_be_back_later() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let away =
        Scripted { address: listener.local_addr().unwrap().to_string(), ..Scripted::start().await };
    drop(listener);
    let error = away.provider().refresh().await.unwrap_err();
    assert_eq!(error.class(), Class::Retry, "{error}");
}

#[tokio::test]
async fn a_client_that_goes_says_so() {
    let server = Scripted::start().await;
    server.provider().close().await;
    assert_eq!(server.called("Cleanup"), 1);
}
