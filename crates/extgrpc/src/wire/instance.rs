//! Machines, and what is told of nodes.

use plimsoll_model::{ErrorClass, Instance, InstanceError, InstanceState};
use plimsoll_provider::NodeIdentity;

use crate::proto::external::{
    self as message, ExternalGrpcNode, InstanceErrorInfo, InstanceStatus,
    instance_status::InstanceState as State,
};

/// Upstream's numbers for the kinds of failure.
const OUT_OF_RESOURCES: i32 = 1;
const OTHER: i32 = 99;

/// A machine as it is sent.
pub(crate) fn write(instance: &Instance) -> message::Instance {
    let state = match instance.state {
        InstanceState::Running => State::InstanceRunning,
        InstanceState::Creating => State::InstanceCreating,
        InstanceState::Deleting => State::InstanceDeleting,
    };
    let status = InstanceStatus {
        instance_state: state.into(),
        error_info: instance.error.as_ref().map(write_error),
    };
    message::Instance { id: instance.id.to_string(), status: Some(status) }
}

/// The machine that was sent; an error when it cannot be one.
pub(crate) fn read(sent: &message::Instance) -> Result<Instance, String> {
    if sent.id.is_empty() {
        return Err("a machine has no id".to_owned());
    }
    let status = sent.status.as_ref();
    let number = status.map_or(0, |status| status.instance_state);
    let state = State::try_from(number)
        .map_err(|_| format!("machine {} is in state {number}, which nobody knows", sent.id))?;
    let (state, error) = match state {
        // Upstream takes such a machine for one that runs, and does not look at its error.
        State::Unspecified => (InstanceState::Running, None),
        State::InstanceRunning => (InstanceState::Running, status.and_then(read_error)),
        State::InstanceCreating => (InstanceState::Creating, status.and_then(read_error)),
        State::InstanceDeleting => (InstanceState::Deleting, status.and_then(read_error)),
    };
    Ok(Instance { id: sent.id.as_str().into(), node: None, state, created: None, error })
}

/// A node as it is sent.
pub(crate) fn write_node(node: &NodeIdentity) -> ExternalGrpcNode {
    ExternalGrpcNode {
        provider_id: node.provider_id.clone(),
        name: node.name.clone(),
        labels: node.labels.clone(),
        annotations: node.annotations.clone(),
    }
}

/// The node that was sent.
pub(crate) fn read_node(sent: ExternalGrpcNode) -> NodeIdentity {
    NodeIdentity {
        name: sent.name,
        provider_id: sent.provider_id,
        labels: sent.labels,
        annotations: sent.annotations,
        addresses: Vec::new(),
    }
}

fn write_error(error: &InstanceError) -> InstanceErrorInfo {
    // Without a code there is no error.
    let code = if error.code.is_empty() { "Other" } else { &error.code };
    InstanceErrorInfo {
        error_code: code.to_owned(),
        error_message: error.message.to_string(),
        instance_error_class: match error.class {
            ErrorClass::OutOfResources => OUT_OF_RESOURCES,
            ErrorClass::Other => OTHER,
        },
    }
}

fn read_error(status: &InstanceStatus) -> Option<InstanceError> {
    let info = status.error_info.as_ref().filter(|info| !info.error_code.is_empty())?;
    let class = match info.instance_error_class {
        OUT_OF_RESOURCES => ErrorClass::OutOfResources,
        _ => ErrorClass::Other,
    };
    Some(InstanceError {
        class,
        code: info.error_code.as_str().into(),
        message: info.error_message.as_str().into(),
    })
}
