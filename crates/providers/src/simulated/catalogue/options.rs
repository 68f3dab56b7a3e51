//! The settings that a group has of its own, by the names of the flags.

use plimsoll_manifest::flags::{FlagValue, group_options};
use plimsoll_model::GroupOptions;
use plimsoll_provider::Overrides;

use crate::document::{Checked, Field, Value};

/// Reads the settings; how a value is written, and what is wrong with it, is the same as for a flag.
pub(super) fn read(field: &Field<'_>) -> Checked<Overrides> {
    let mut own = Overrides::default();
    for (name, given) in field.pairs()? {
        let given = Field { path: format!("{}.{name}", field.path), ..given };
        let value = FlagValue::One(text(&given)?);
        let set = group_options(&GroupOptions::default(), [(name, value)])
            .map_err(|error| given.refuse(error.problem))?;
        keep(&mut own, name, &set).ok_or_else(|| given.refuse("cannot be set for a group here"))?;
    }
    Ok(own)
}

/// Keeps the one setting of this name; `None` when there is none that a provider could have.
fn keep(own: &mut Overrides, name: &str, set: &GroupOptions) -> Option<()> {
    let key: String = name.chars().filter(|letter| *letter != '-').collect();
    match key.as_str() {
        "scaledownunneededtime" => own.unneeded_time = Some(set.unneeded_time),
        "scaledownunreadytime" => own.unready_time = Some(set.unready_time),
        "scaledownutilizationthreshold" => {
            own.utilization_threshold = Some(set.utilization_threshold);
        }
        "scaledowngpuutilizationthreshold" => {
            own.gpu_utilization_threshold = Some(set.gpu_utilization_threshold);
        }
        "ignoredaemonsetsutilization" => own.ignore_daemon_sets = Some(set.ignore_daemon_sets),
        "maxnodeprovisiontime" => own.provision_time = Some(set.provision_time),
        "maxnodestartuptime" => own.startup_time = Some(set.startup_time),
        "zeroormaxnodescaling" => own.atomic = Some(set.atomic),
        _ => return None,
    }
    Some(())
}

/// The value as a command line would have it.
fn text(field: &Field<'_>) -> Checked<String> {
    match field.value {
        Value::Text(text) => Ok(text.clone()),
        Value::Switch(_) | Value::Integer(_) | Value::Decimal(_) => Ok(field.written()),
        Value::Null | Value::List(_) | Value::Map(_) => {
            Err(field.refuse(format!("{} is not a value", field.written())))
        }
    }
}

#[cfg(test)]
mod tests {
    use plimsoll_manifest::flags::{Scope, TABLE};
    use plimsoll_model::GroupOptions;
    use plimsoll_provider::Overrides;

    use super::keep;

    #[test]
    fn every_option_of_a_group_is_kept() {
        for flag in TABLE.iter().filter(|flag| flag.scope != Scope::Cluster) {
            let mut own = Overrides::default();
            assert_eq!(
                keep(&mut own, flag.name, &GroupOptions::default()),
                Some(()),
                "{}",
                flag.name
            );
            assert_ne!(own, Overrides::default(), "{}", flag.name);
        }
    }
}
