//! Topology spread constraints.

use plimsoll_model::{Labels, SpreadConstraint};

use crate::{
    convert::{affinity::topology_key, selector},
    problem::{At as _, Checked, Problem},
    wire::{affinity as wire, value::Text},
};

const MODES: [&str; 2] = ["DoNotSchedule", "ScheduleAnyway"];
const POLICIES: [&str; 2] = ["Honor", "Ignore"];

/// A constraint, or `None` for one that is only a preference.
pub(crate) fn constraint(
    constraint: &wire::SpreadConstraint<'_>,
    own: &Labels,
) -> Checked<Option<SpreadConstraint>> {
    let selector = selector::optional(constraint.selector.as_ref(), "labelSelector")?;
    let selector = selector::with_own_labels(selector, own, &constraint.match_keys, &[])?;
    let converted = without_selector(constraint)?;
    Ok(converted.map(|converted| SpreadConstraint { selector, ..converted }))
}

/// The same for a constraint whose pods are chosen by somebody else.
pub(crate) fn without_selector(
    constraint: &wire::SpreadConstraint<'_>,
) -> Checked<Option<SpreadConstraint>> {
    let mode = &*constraint.when_unsatisfiable;
    if !MODES.contains(&mode) {
        let problem = match mode {
            "" => Problem::missing(),
            mode => Problem::unknown(mode, "a mode", &MODES),
        };
        return Err(problem).at("whenUnsatisfiable");
    }
    let converted = SpreadConstraint {
        max_skew: positive(constraint.max_skew.unwrap_or_default(), "maxSkew")?,
        topology_key: topology_key(&constraint.topology_key)?,
        selector: None,
        min_domains: positive(constraint.min_domains.unwrap_or(1), "minDomains")?,
        honor_affinity: honor(&constraint.affinity_policy, true, "nodeAffinityPolicy")?,
        honor_taints: honor(&constraint.taints_policy, false, "nodeTaintsPolicy")?,
    };
    Ok((mode == MODES[0]).then_some(converted))
}

fn positive(number: i64, field: &str) -> Checked<u32> {
    let positive = u32::try_from(number).ok().filter(|number| *number > 0);
    positive.ok_or_else(|| Problem::new(format!("{number} is not a positive number"))).at(field)
}

fn honor(policy: &Text<'_>, default: bool, field: &str) -> Checked<bool> {
    match &**policy {
        "" => Ok(default),
        "Honor" => Ok(true),
        "Ignore" => Ok(false),
        word => Err(Problem::unknown(word, "a policy", &POLICIES)).at(field),
    }
}
