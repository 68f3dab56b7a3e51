//! Where the text of a unit is found.

use std::sync::Arc;

use plimsoll_model::{Buffer, BufferSource, PodShape, PodTemplate, Symbol, Template, World};

/// Kinds whose pods are written down in them, with their API groups.
const SCALABLE: [(&str, &str); 5] = [
    ("apps", "Deployment"),
    ("apps", "ReplicaSet"),
    ("apps", "StatefulSet"),
    ("core", "ReplicationController"),
    ("batch", "Job"),
];

/// A unit of a buffer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unit<'w> {
    pub pod: &'w Arc<PodShape>,
    pub priority: i32,
    pub priority_class: Option<Symbol>,
    pub digest: u64,
}

/// What a buffer refers to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Source<'w> {
    pub unit: Unit<'w>,
    /// How many pods are wanted there; a PodTemplate wants none by itself.
    pub replicas: Option<i32>,
}

/// What a buffer refers to, or why there is no such thing.
pub(super) fn find<'w>(
    world: &'w World,
    buffer: &'w Buffer,
) -> Result<(&'w BufferSource, Source<'w>), String> {
    let Some(source) = &buffer.source else {
        return Err("exactly one of podTemplateRef and scalableRef has to be set".to_owned());
    };
    let found = match source {
        BufferSource::Template(name) => {
            let template = super::find(world, buffer.namespace, name)
                .ok_or_else(|| format!("PodTemplate {name} is not there"))?;
            Source { unit: Unit::of(template), replicas: None }
        }
        BufferSource::Scalable { group, kind, name } => {
            scalable(world, buffer.namespace, (*group, *kind), name)?
        }
    };
    Ok((source, found))
}

fn scalable<'w>(
    world: &'w World,
    namespace: Symbol,
    (group, kind): (Symbol, Symbol),
    name: &str,
) -> Result<Source<'w>, String> {
    if !SCALABLE.contains(&(group.as_str(), kind.as_str())) {
        let known: Vec<String> =
            SCALABLE.iter().map(|(group, kind)| format!("{group}/{kind}")).collect();
        let known = known.join(", ");
        return Err(format!(
            "pods of {group}/{kind} are not known: scalableRef can be of {known}; with podTemplateRef any pod can be named"
        ));
    }
    let mut controllers = world.controllers.iter();
    let is_it = |one: &&plimsoll_model::Controller| {
        one.kind == kind && one.namespace == namespace && &*one.name == name
    };
    let controller =
        controllers.find(is_it).ok_or_else(|| format!("{kind} {name} is not there"))?;
    let template = controller.template.as_deref().ok_or_else(|| match controller.replicas {
        0 => format!("{kind} {name} wants no pods"),
        _ => format!("the pod template of {kind} {name} cannot be read"),
    })?;
    Ok(Source { unit: Unit::written(template), replicas: Some(controller.replicas) })
}

// === impl Unit ===

impl<'w> Unit<'w> {
    /// The pod of a PodTemplate.
    pub(super) fn of(template: &'w PodTemplate) -> Self {
        let PodTemplate { pod, priority, priority_class, digest, .. } = template;
        Self { pod, priority: *priority, priority_class: *priority_class, digest: *digest }
    }

    /// The pod of a controller.
    fn written(template: &'w Template) -> Self {
        let Template { pod, priority, priority_class, digest } = template;
        Self { pod, priority: *priority, priority_class: *priority_class, digest: *digest }
    }
}
