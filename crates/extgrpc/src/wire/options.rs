//! Settings that a group may have of its own.

use plimsoll_model::GroupOptions;
use plimsoll_provider::Overrides;

use crate::{
    proto::external::NodeGroupAutoscalingOptions,
    wire::time::{new_span, old_span, span},
};

/// These settings, in all fields that any version reads: a client that misses one takes it for zero, and an old one ends itself.
pub(crate) fn write(options: &GroupOptions) -> NodeGroupAutoscalingOptions {
    NodeGroupAutoscalingOptions {
        scale_down_utilization_threshold: options.utilization_threshold,
        scale_down_gpu_utilization_threshold: options.gpu_utilization_threshold,
        scale_down_unneeded_time: Some(old_span(options.unneeded_time)),
        scale_down_unready_time: Some(old_span(options.unready_time)),
        max_node_provision_time: Some(old_span(options.provision_time)),
        zero_or_max_node_scaling: options.atomic,
        ignore_daemon_sets_utilization: options.ignore_daemon_sets,
        scale_down_unneeded_duration: Some(new_span(options.unneeded_time)),
        scale_down_unready_duration: Some(new_span(options.unready_time)),
        max_node_provision_duration: Some(new_span(options.provision_time)),
        max_node_startup_duration: Some(new_span(options.startup_time)),
        allow_non_atomic_scale_up_to_max: false,
    }
}

/// The settings that were sent. Times that were left out are those of `missing`; thresholds cannot be told from zero.
///
/// Who sends times in the old fields only may not know the two switches: then one that is off says nothing, and is that of `missing`.
pub(crate) fn read(sent: &NodeGroupAutoscalingOptions, missing: &GroupOptions) -> GroupOptions {
    let unneeded = (&sent.scale_down_unneeded_duration, &sent.scale_down_unneeded_time);
    let unready = (&sent.scale_down_unready_duration, &sent.scale_down_unready_time);
    let provision = (&sent.max_node_provision_duration, &sent.max_node_provision_time);
    let either = |(new, old): (&Option<_>, &Option<_>)| span(new.as_ref(), old.as_ref());
    let news = [&unneeded.0, &unready.0, &provision.0, &&sent.max_node_startup_duration];
    let olds = [&unneeded.1, &unready.1, &provision.1];
    let is_old = news.iter().all(|time| time.is_none()) && olds.iter().any(|time| time.is_some());
    let switch = |sent: bool, missing: bool| sent || (is_old && missing);
    GroupOptions {
        unneeded_time: either(unneeded).unwrap_or(missing.unneeded_time),
        unready_time: either(unready).unwrap_or(missing.unready_time),
        utilization_threshold: sent.scale_down_utilization_threshold,
        gpu_utilization_threshold: sent.scale_down_gpu_utilization_threshold,
        ignore_daemon_sets: switch(sent.ignore_daemon_sets_utilization, missing.ignore_daemon_sets),
        provision_time: either(provision).unwrap_or(missing.provision_time),
        startup_time: span(sent.max_node_startup_duration.as_ref(), None)
            .unwrap_or(missing.startup_time),
        atomic: switch(sent.zero_or_max_node_scaling, missing.atomic),
    }
}

/// What a group of these overrides answers to a client that has these defaults: the defaults come back, but for what is the
/// group's own.
pub(crate) fn answer(
    defaults: &NodeGroupAutoscalingOptions,
    overrides: &Overrides,
) -> NodeGroupAutoscalingOptions {
    let common = read(defaults, &GroupOptions::default());
    NodeGroupAutoscalingOptions {
        allow_non_atomic_scale_up_to_max: defaults.allow_non_atomic_scale_up_to_max,
        ..write(&overrides.over(&common))
    }
}

/// Whether a group has settings of its own that the protocol can carry.
pub(crate) fn are_carried(overrides: &Overrides) -> bool {
    let Overrides {
        unneeded_time,
        unready_time,
        utilization_threshold,
        gpu_utilization_threshold,
        ignore_daemon_sets,
        provision_time,
        startup_time,
        atomic,
        hold_back: _,
        steer: _,
    } = overrides;
    let times = [unneeded_time, unready_time, provision_time, startup_time];
    times.iter().any(|time| time.is_some())
        || [utilization_threshold, gpu_utilization_threshold].iter().any(|share| share.is_some())
        || [ignore_daemon_sets, atomic].iter().any(|switch| switch.is_some())
}

/// Whether who sent this knows of `max-node-provision-time`, as callers do from 1.29 on.
pub(crate) fn has_provision_time(sent: &NodeGroupAutoscalingOptions) -> bool {
    sent.max_node_provision_time.is_some() || sent.max_node_provision_duration.is_some()
}

/// What in `options` is not as in `common`.
pub(crate) fn overrides(options: &GroupOptions, common: &GroupOptions) -> Overrides {
    fn own<T: PartialEq + Copy>(option: T, common: T) -> Option<T> {
        (option != common).then_some(option)
    }
    Overrides {
        unneeded_time: own(options.unneeded_time, common.unneeded_time),
        unready_time: own(options.unready_time, common.unready_time),
        utilization_threshold: own(options.utilization_threshold, common.utilization_threshold),
        gpu_utilization_threshold: own(
            options.gpu_utilization_threshold,
            common.gpu_utilization_threshold,
        ),
        ignore_daemon_sets: own(options.ignore_daemon_sets, common.ignore_daemon_sets),
        provision_time: own(options.provision_time, common.provision_time),
        startup_time: own(options.startup_time, common.startup_time),
        atomic: own(options.atomic, common.atomic),
        // The protocol has no word for them.
        hold_back: None,
        steer: None,
    }
}
