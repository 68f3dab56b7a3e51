//! How many units a buffer wants.

use plimsoll_model::{Buffer, Resources};

/// The larger of `replicas` and `percentage`, as far as it is within `limits`; or as many as are within those.
pub(super) fn wanted(
    buffer: &Buffer,
    unit: &Resources,
    scalable: Option<i32>,
) -> Result<i32, String> {
    let share = buffer.percentage.zip(scalable).map(|(percent, of)| share(percent, of));
    let asked = buffer.replicas.max(share);
    let bound = buffer.limits.as_ref().map(|limits| within(limits, unit)).transpose()?;
    match (asked, bound) {
        (Some(asked), Some(bound)) => Ok(asked.min(bound)),
        (Some(count), None) | (None, Some(count)) => Ok(count),
        (None, None) if buffer.percentage.is_some() => {
            Err("percentage is that of a scalableRef; set replicas or limits".to_owned())
        }
        (None, None) => Err("replicas, percentage and limits are not defined".to_owned()),
    }
}

/// A share in percent, rounded up: some of few is not nothing.
fn share(percent: i32, of: i32) -> i32 {
    let hundredths = i64::from(percent.max(0)) * i64::from(of.max(0));
    i32::try_from((hundredths + 99) / 100).unwrap_or(i32::MAX)
}

/// How many units are within limits. Resources that no unit asks for bound nothing.
fn within(limits: &[(plimsoll_model::Symbol, i64)], unit: &Resources) -> Result<i32, String> {
    let counts = limits.iter().filter_map(|(name, limit)| {
        let asked = unit.get(*name);
        (asked > 0).then(|| limit / asked)
    });
    let least =
        counts.min().ok_or("resources in configured limits not found in the pod template")?;
    Ok(i32::try_from(least).unwrap_or(i32::MAX))
}

#[cfg(test)]
mod tests;
