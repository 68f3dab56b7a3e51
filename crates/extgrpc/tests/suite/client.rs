//! A provider over a server that somebody else wrote.

use plimsoll_extgrpc::proto::{core, external as message, meta, resource};

use crate::scripted::{Script, group, machine};

mod calls;
mod frozen;
mod inventory;
mod wishes;

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

/// Another group beside `pool`, which lives whatever becomes of the first.
fn add_second(script: &mut Script) {
    script.groups.push(group("second", 0, 1));
    script.targets.insert("second".to_owned(), 1);
    script.machines.insert("second".to_owned(), vec![machine("s-0")]);
}

fn set_threshold(script: &mut Script, threshold: f64) {
    let own = message::NodeGroupAutoscalingOptions {
        scale_down_utilization_threshold: threshold,
        ..Default::default()
    };
    let node_group_autoscaling_options = Some(own);
    script.options =
        Some(message::NodeGroupAutoscalingOptionsResponse { node_group_autoscaling_options });
}
