//! Groups that the user names, for a service that has no pools.
//!
//! ```yaml
//! groups:
//! - {name: A0, size: t2.medium, min: 0, max: 8}
//! - {name: big, size: x1, cpu: 16, memory: 64000, max: 4, labels: {tier: db}}
//! ```

use crate::{
    document::{Checked, Field},
    stackpoint::wire::Pool,
};

const FIELDS: [&str; 7] = ["name", "size", "min", "max", "cpu", "memory", "labels"];

/// A group that the user names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NamedGroup {
    /// What machines are labelled with, behind `autoscaling-`.
    pub name: Box<str>,
    /// The kind of machine.
    pub size: Box<str>,
    /// It is not scaled down below this.
    pub min: u32,
    /// It is not scaled up above this.
    pub max: u32,
    /// Cores of a machine, where nothing else tells.
    pub cpu: Box<str>,
    /// Memory of a machine in MB, where nothing else tells.
    pub memory: Box<str>,
    /// Labels of its nodes.
    pub labels: Vec<(Box<str>, Box<str>)>,
}

pub(super) fn named(field: &Field<'_>) -> Checked<Vec<NamedGroup>> {
    let groups = field.each(group)?;
    let mut names: Vec<&str> = groups.iter().map(|group| &*group.name).collect();
    names.sort_unstable();
    match names.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(field.refuse(format!("two groups are called {}", pair[0]))),
        None => Ok(groups),
    }
}

fn group(field: &Field<'_>) -> Checked<NamedGroup> {
    let fields = field.fields(&FIELDS)?;
    let amount = |name: &str| -> Checked<Box<str>> {
        Ok(fields.optional(name, |field| Ok(field.written().into()))?.unwrap_or_default())
    };
    let min = fields.optional("min", Field::count)?.unwrap_or_default();
    let max = fields.required("max")?.count()?;
    if min > max {
        let field = fields.required("min")?;
        return Err(field.refuse(format!("{min} is above max, which is {max}")));
    }
    let labels = fields.optional("labels", |field| {
        field.pairs()?.into_iter().map(|(key, value)| Ok((key.into(), value.name()?))).collect()
    })?;
    Ok(NamedGroup {
        name: fields.required("name")?.name()?,
        size: fields.required("size")?.name()?,
        min,
        max,
        cpu: amount("cpu")?,
        memory: amount("memory")?,
        labels: labels.unwrap_or_default(),
    })
}

impl From<&NamedGroup> for Pool {
    fn from(group: &NamedGroup) -> Self {
        let labels = group.labels.iter();
        Self {
            pk: None,
            name: group.name.to_string(),
            instance_id: group.name.to_string(),
            instance_size: group.size.to_string(),
            cpu: group.cpu.to_string(),
            memory: group.memory.to_string(),
            labels: labels.map(|(key, value)| (key.to_string(), value.to_string())).collect(),
            autoscaled: true,
            min_count: i64::from(group.min),
            max_count: i64::from(group.max),
            ..Self::default()
        }
    }
}
