//! Pods that are written down and do not exist yet.

use std::{hash::Hasher as _, sync::Arc};

use plimsoll_model::{PodShape, PodTemplate, Symbol, Template};
use rustc_hash::FxHasher;
use serde_json::value::RawValue;

use crate::{
    convert::{meta, workload},
    intern::Interner,
    parse::parse,
    problem::{At as _, Checked, Problem},
    wire::{
        pod::{self as wire, PodSpec},
        workload::PodTemplate as Object,
    },
};

/// On a PodTemplate of ours: the digest of the text that it was made from, in hexadecimal digits.
pub const MADE_FROM: &str = "plimsoll.dev/made-from";

/// A template as it was read.
pub(crate) struct Written<'a> {
    shape: PodShape,
    digest: u64,
    pub(crate) spec: PodSpec<'a>,
}

/// Reads a template.
pub(crate) fn template(namespace: Symbol, text: &RawValue) -> Checked<Written<'_>> {
    let template: wire::PodTemplate<'_> = parse(text.get()).at("template")?;
    let shape = workload::pod_of(namespace, &template).at("template")?;
    let mut digest = FxHasher::default();
    digest.write(text.get().as_bytes());
    Ok(Written { shape, digest: digest.finish(), spec: template.spec })
}

/// Reads a PodTemplate.
pub(crate) fn pod_template<'a>(
    object: &Object<'a>,
    shapes: &mut Interner<PodShape>,
) -> Checked<(PodTemplate, PodSpec<'a>)> {
    let namespace = meta::namespace(&object.metadata);
    let text = object.template.ok_or_else(Problem::missing).at("template")?;
    let written = template(namespace, text)?;
    let made_from = object.metadata.annotations.get(MADE_FROM);
    let Template { pod, priority, priority_class, digest } = written.share(shapes);
    let template = PodTemplate {
        namespace,
        name: meta::name(&object.metadata)?.into(),
        generation: object.metadata.generation.unwrap_or_default(),
        made_from: made_from.and_then(|digest| u64::from_str_radix(digest, 16).ok()),
        pod,
        priority,
        priority_class,
        digest,
    };
    Ok((template, written.spec))
}

// === impl Written ===

impl Written<'_> {
    /// What it means; the priority is settled elsewhere.
    pub(crate) fn share(&self, shapes: &mut Interner<PodShape>) -> Template {
        let pod: Arc<PodShape> = shapes.share(self.shape.clone());
        let priority_class = meta::given_symbol(&self.spec.priority_class);
        Template { pod, priority: 0, priority_class, digest: self.digest }
    }
}

#[cfg(test)]
mod tests;
