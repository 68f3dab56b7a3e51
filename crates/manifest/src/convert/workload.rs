//! The objects around pods.

use plimsoll_model::{
    Budget, BudgetRule, ConfigMap, Controller, CountOrPercent, Effect, LabelSelector, PodShape,
    Symbol, Toleration,
};

use crate::{
    convert::{
        meta, selector,
        shape::{self, Source},
    },
    kind::Kind,
    problem::{At as _, Checked, Problem, Quoted},
    wire::{meta::Metadata, pod::PodTemplate, value::CountOrText, workload as wire},
};

/// Taints that a DaemonSet's pods live with.
const DAEMON_TAINTS: [(&str, Effect); 6] = [
    ("node.kubernetes.io/not-ready", Effect::NoExecute),
    ("node.kubernetes.io/unreachable", Effect::NoExecute),
    ("node.kubernetes.io/disk-pressure", Effect::NoSchedule),
    ("node.kubernetes.io/memory-pressure", Effect::NoSchedule),
    ("node.kubernetes.io/pid-pressure", Effect::NoSchedule),
    ("node.kubernetes.io/unschedulable", Effect::NoSchedule),
];

/// Pods in the host's network do without the cluster's.
const HOST_NETWORK_TAINT: (&str, Effect) =
    ("node.kubernetes.io/network-unavailable", Effect::NoSchedule);

/// A controller that wants so many pods, 1 if it does not say.
pub(crate) fn controller(
    kind: Kind,
    metadata: &Metadata<'_>,
    (field, wanted): (&str, Option<i64>),
    selector: Option<LabelSelector>,
) -> Checked<Controller> {
    let replicas = meta::count(wanted.unwrap_or(1), 0, field).at("spec")?;
    Ok(Controller {
        kind: Symbol::new(kind.name()),
        namespace: meta::namespace(metadata),
        name: meta::name(metadata)?.into(),
        uid: (&*metadata.uid).into(),
        replicas,
        expected: replicas,
        selector,
        template: None,
    })
}

/// How many pods a Job wants to have at the moment. One without a number of completions makes no more once a pod has ended well.
pub(crate) fn expected(job: &wire::Job<'_>, parallelism: i32) -> i32 {
    let succeeded = job.status.succeeded.unwrap_or(0);
    let left = match job.spec.completions {
        None if succeeded == 0 => return parallelism,
        None => 0,
        Some(completions) => completions.saturating_sub(succeeded),
    };
    i32::try_from(left.max(0)).unwrap_or(i32::MAX).min(parallelism)
}

/// The pod that a DaemonSet would put on a node, with the tolerations that its controller adds.
pub(crate) fn daemon_pod(set: &wire::DaemonSet<'_>) -> Checked<PodShape> {
    let template = &set.spec.template;
    let mut shape = pod_of(meta::namespace(&set.metadata), template).at("template").at("spec")?;
    let on_host = template.spec.host_network == Some(true);
    let added = DAEMON_TAINTS.into_iter().chain(on_host.then_some(HOST_NETWORK_TAINT));
    let mut tolerations = shape.tolerations.into_vec();
    for (key, effect) in added {
        let toleration =
            Toleration { key: Some(Symbol::new(key)), value: None, effect: Some(effect) };
        if !tolerations.contains(&toleration) {
            tolerations.push(toleration);
        }
    }
    shape.tolerations = tolerations.into_boxed_slice();
    Ok(shape)
}

/// The pod that a template stands for.
pub(crate) fn pod_of(namespace: Symbol, template: &PodTemplate<'_>) -> Checked<PodShape> {
    shape::shape(Source {
        namespace,
        labels: meta::labels(&template.metadata.labels),
        spec: &template.spec,
        status: None,
        claims: None,
        identity: None,
        pinned_to: None,
        terminating: false,
    })
}

/// A PodDisruptionBudget.
pub(crate) fn budget(budget: &wire::Budget<'_>) -> Checked<Budget> {
    let wire::Budget { metadata, spec, status } = budget;
    let allowed =
        status.allowed.map(|allowed| meta::count(allowed, i32::MIN, "disruptionsAllowed"));
    Ok(Budget {
        namespace: meta::namespace(metadata),
        name: meta::name(metadata)?.into(),
        selector: selector::optional(spec.selector.as_ref(), "selector").at("spec")?,
        rule: rule(spec).at("spec")?,
        allowed: allowed.transpose().at("status")?,
    })
}

/// A ConfigMap.
pub(crate) fn config_map(map: &wire::ConfigMap<'_>) -> Checked<ConfigMap> {
    let entries = map.data.iter();
    Ok(ConfigMap {
        namespace: meta::namespace(&map.metadata),
        name: meta::name(&map.metadata)?.into(),
        data: entries.map(|(key, text)| (key.to_string(), text.to_string())).collect(),
    })
}

/// A budget that says nothing lets one pod go at a time.
fn rule(spec: &wire::BudgetSpec<'_>) -> Checked<BudgetRule> {
    let (least, most) = ("minAvailable", "maxUnavailable");
    match (&spec.min_available, &spec.max_unavailable) {
        (None, None) => Ok(BudgetRule::MaxUnavailable(CountOrPercent::Count(1))),
        (Some(count), None) => count_or_percent(count).map(BudgetRule::MinAvailable).at(least),
        (None, Some(count)) => count_or_percent(count).map(BudgetRule::MaxUnavailable).at(most),
        (Some(_), Some(_)) => Err(Problem::new(format!("cannot stand beside {least}"))).at(most),
    }
}

fn count_or_percent(count: &CountOrText<'_>) -> Checked<CountOrPercent> {
    let wrong =
        |shown: String| Problem::new(format!("{shown} is neither a number nor a percentage"));
    match count {
        CountOrText::Count(count) => i32::try_from(*count)
            .ok()
            .filter(|count| *count >= 0)
            .map(CountOrPercent::Count)
            .ok_or_else(|| wrong(count.to_string())),
        CountOrText::Text(text) => text
            .strip_suffix('%')
            .filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))
            .and_then(|digits| digits.parse().ok())
            .map(CountOrPercent::Percent)
            .ok_or_else(|| wrong(Quoted(text).to_string())),
    }
}

#[cfg(test)]
mod tests;
