//! What each kind adds to the objects.

use std::sync::Arc;

use plimsoll_model::{Controller, DaemonSet, Symbol, Template, label};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::{Holder, Reader};
use crate::{
    convert::{
        buffer, claim, device, meta, node, pod::Role, provisioning, quota, selector, storage,
        template, workload,
    },
    kind::Kind,
    parse::parse,
    problem::{At as _, Checked},
    wire::{self, meta::Metadata, value::Text},
};

/// How many objects a manifest stands for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Copies {
    /// Itself.
    One,
    /// So many, with numbers in their names.
    Numbered(u32),
}

/// An object that can be taken.
trait Admit<'a>: Deserialize<'a> {
    fn metadata(&mut self) -> &mut Metadata<'a>;

    /// Adds what the object means.
    fn admit(&self, kind: Kind, reader: &mut Reader) -> Checked<()>;
}

/// Takes an object of a known kind.
pub(super) fn admit(reader: &mut Reader, kind: Kind, json: &str, copies: Copies) -> Checked<()> {
    match kind {
        Kind::Budget => take::<wire::workload::Budget<'_>>(reader, kind, json, copies),
        Kind::Buffer => take::<wire::buffer::Buffer<'_>>(reader, kind, json, copies),
        Kind::Claim => take::<wire::storage::Claim<'_>>(reader, kind, json, copies),
        Kind::ConfigMap => take::<wire::workload::ConfigMap<'_>>(reader, kind, json, copies),
        Kind::CsiDriver => take::<wire::storage::CsiDriver<'_>>(reader, kind, json, copies),
        Kind::CsiNode => take::<wire::storage::CsiNode<'_>>(reader, kind, json, copies),
        Kind::DaemonSet => take::<wire::workload::DaemonSet<'_>>(reader, kind, json, copies),
        Kind::DeviceClass => take::<wire::device::DeviceClass<'_>>(reader, kind, json, copies),
        Kind::Job => take::<wire::workload::Job<'_>>(reader, kind, json, copies),
        Kind::Namespace => take::<wire::meta::Namespace<'_>>(reader, kind, json, copies),
        Kind::Node => take::<wire::node::Node<'_>>(reader, kind, json, copies),
        Kind::Pod => take::<wire::pod::Pod<'_>>(reader, kind, json, copies),
        Kind::PodTemplate => take::<wire::workload::PodTemplate<'_>>(reader, kind, json, copies),
        Kind::PriorityClass => {
            take::<wire::workload::PriorityClass<'_>>(reader, kind, json, copies)
        }
        Kind::NamespaceQuota => take::<wire::buffer::Quota<'_>>(reader, kind, json, copies),
        Kind::Quota => take::<wire::quota::Quota<'_>>(reader, kind, json, copies),
        Kind::Deployment | Kind::ReplicaSet | Kind::StatefulSet => {
            take::<wire::workload::Replicated<'_>>(reader, kind, json, copies)
        }
        Kind::ReplicationController => {
            take::<wire::workload::ReplicationController<'_>>(reader, kind, json, copies)
        }
        Kind::Request => take::<wire::provisioning::Request<'_>>(reader, kind, json, copies),
        Kind::ResourceClaim => take::<wire::device::ResourceClaim<'_>>(reader, kind, json, copies),
        Kind::ResourceClaimTemplate => {
            take::<wire::device::ClaimTemplate<'_>>(reader, kind, json, copies)
        }
        Kind::ResourceSlice => take::<wire::device::ResourceSlice<'_>>(reader, kind, json, copies),
        Kind::StorageCapacity => {
            take::<wire::storage::StorageCapacity<'_>>(reader, kind, json, copies)
        }
        Kind::StorageClass => take::<wire::storage::StorageClass<'_>>(reader, kind, json, copies),
        Kind::Volume => take::<wire::storage::Volume<'_>>(reader, kind, json, copies),
        Kind::VolumeAttachment => {
            take::<wire::storage::VolumeAttachment<'_>>(reader, kind, json, copies)
        }
    }
}

fn take<'a, T: Admit<'a>>(
    reader: &mut Reader,
    kind: Kind,
    json: &'a str,
    copies: Copies,
) -> Checked<()> {
    let mut object: T = parse(json)?;
    let Copies::Numbered(count) = copies else {
        return add(&mut object, kind, reader);
    };
    let name = object.metadata().name.to_string();
    for number in 0..count {
        rename(object.metadata(), kind, numbered(&name, number));
        add(&mut object, kind, reader)?;
    }
    Ok(())
}

fn add<'a, T: Admit<'a>>(object: &mut T, kind: Kind, reader: &mut Reader) -> Checked<()> {
    if kind != Kind::Pod {
        reader.note(kind, object.metadata())?;
    }
    object.admit(kind, reader)
}

fn numbered(name: &str, number: u32) -> String {
    match name.is_empty() {
        // A name that is missing stays so, and is complained about.
        true => String::new(),
        false if name.contains("%d") => name.replace("%d", &number.to_string()),
        false => format!("{name}-{number}"),
    }
}

/// The pod that a controller would make. Nobody depends on it but those who look ahead, so a controller whose template makes no
/// sense is one without.
fn template_of(
    controller: &Controller,
    kind: Kind,
    text: Option<&RawValue>,
    reader: &mut Reader,
) -> Option<Box<Template>> {
    let is_idle = controller.replicas == 0 && matches!(kind, Kind::ReplicaSet | Kind::Job);
    let text = text.filter(|_| !is_idle)?;
    let written = template::template(controller.namespace, text).ok()?;
    let holder = Holder::Controller(reader.objects.controllers.len());
    reader.priorities.note(holder, &written.spec).ok()?;
    Some(Box::new(written.share(&mut reader.pods.shapes)))
}

/// The kubelet names a node's hostname label after the node.
fn rename(metadata: &mut Metadata<'_>, kind: Kind, name: String) {
    let old = std::mem::replace(&mut metadata.name, Text::from_string(name.clone()));
    if kind == Kind::Node
        && let Some(host) = metadata.labels.get_mut(label::HOSTNAME)
        && *host == old
    {
        *host = Text::from_string(name);
    }
}

// === impl Copies ===

impl Copies {
    /// How many there are.
    pub(super) fn count(self) -> usize {
        match self {
            Self::One => 1,
            Self::Numbered(count) => usize::try_from(count).unwrap_or(usize::MAX),
        }
    }
}

/// Implements [`Admit`] for a type: `|object, kind, reader| …` adds the object.
macro_rules! admit {
    ($($type:ty => |$object:pat_param, $kind:pat_param, $reader:pat_param| $body:block)*) => {$(
        impl<'a> Admit<'a> for $type {
            fn metadata(&mut self) -> &mut Metadata<'a> {
                &mut self.metadata
            }

            fn admit(&self, $kind: Kind, $reader: &mut Reader) -> Checked<()> {
                let $object = self;
                $body
                Ok(())
            }
        }
    )*};
}

admit! {
    wire::workload::Budget<'a> => |budget, _, reader| {
        reader.objects.budgets.push(workload::budget(budget)?);
    }

    wire::buffer::Buffer<'a> => |buffer, _, reader| {
        let buffer = buffer::buffer(buffer, reader.pods.default_created)?;
        reader.objects.buffers.push(buffer);
    }

    wire::storage::Claim<'a> => |claim, _, reader| {
        let claim = storage::claim(claim)?;
        reader.objects.storage.claims.insert(claim.id, claim);
    }

    wire::workload::ConfigMap<'a> => |map, _, reader| {
        reader.objects.config_maps.push(workload::config_map(map)?);
    }

    wire::storage::CsiDriver<'a> => |driver, _, reader| {
        if driver.spec.storage_capacity == Some(true) {
            let name = Symbol::new(meta::name(&driver.metadata)?);
            reader.objects.storage.capacity_drivers.insert(name);
        }
    }

    wire::storage::CsiNode<'a> => |node, _, reader| {
        reader.objects.storage.limits.extend(storage::limits(node)?);
    }

    wire::workload::DaemonSet<'a> => |set, _, reader| {
        let pod = workload::daemon_pod(set)?;
        let holder = Holder::DaemonSet(reader.objects.daemon_sets.len());
        reader.priorities.note(holder, &set.spec.template.spec)?;
        reader.objects.daemon_sets.push(DaemonSet {
            namespace: pod.namespace,
            name: meta::name(&set.metadata)?.into(),
            uid: (&*set.metadata.uid).into(),
            pod: reader.pods.shapes.share(pod),
            priority: 0,
        });
    }

    wire::device::DeviceClass<'a> => |class, _, reader| {
        let class = device::class(class)?;
        reader.objects.devices.classes.insert(class.name, class);
    }

    wire::workload::Job<'a> => |job, kind, reader| {
        let wanted = ("parallelism", job.spec.parallelism);
        let mut controller = workload::controller(kind, &job.metadata, wanted, None)?;
        controller.expected = workload::expected(job, controller.replicas);
        controller.template = template_of(&controller, kind, job.spec.template, reader);
        reader.objects.controllers.push(controller);
    }

    wire::meta::Namespace<'a> => |namespace, _, reader| {
        let name = Symbol::new(meta::name(&namespace.metadata)?);
        reader.objects.namespaces.insert(name, meta::labels(&namespace.metadata.labels));
    }

    wire::node::Node<'a> => |node, _, reader| {
        let node = node::node(node, reader.pods.default_created)?;
        reader.objects.nodes.push(Arc::new(node));
    }

    wire::pod::Pod<'a> => |pod, _, reader| {
        let converted = reader.pods.convert(pod, Role::Member)?;
        reader.priorities.note(Holder::Pod(reader.objects.pods.len()), &pod.spec)?;
        reader.objects.pods.push(converted);
    }

    wire::workload::PodTemplate<'a> => |object, _, reader| {
        let (template, spec) = template::pod_template(object, &mut reader.pods.shapes)?;
        let holder = Holder::PodTemplate(reader.objects.pod_templates.len());
        reader.priorities.note(holder, &spec).at("template")?;
        reader.objects.pod_templates.push(template);
    }

    wire::workload::PriorityClass<'a> => |class, _, reader| {
        reader.priorities.add(class)?;
    }

    wire::buffer::Quota<'a> => |quota, _, reader| {
        reader.objects.namespace_quotas.push(buffer::quota(quota)?);
    }

    wire::quota::Quota<'a> => |one, _, reader| {
        reader.objects.quotas.push(quota::quota(one)?);
    }

    wire::workload::Replicated<'a> => |set, kind, reader| {
        let wanted = ("replicas", set.spec.replicas);
        // Pods are not a Deployment's own: they are those of its ReplicaSets.
        let selector = set.spec.selector.as_ref().filter(|_| kind != Kind::Deployment);
        let selector = selector::optional(selector, "selector").at("spec")?;
        let mut controller = workload::controller(kind, &set.metadata, wanted, selector)?;
        controller.template = template_of(&controller, kind, set.spec.template, reader);
        reader.objects.controllers.push(controller);
    }

    wire::workload::ReplicationController<'a> => |set, kind, reader| {
        let wanted = ("replicas", set.spec.replicas);
        let selector = selector::of_labels(&set.spec.selector, "selector").at("spec")?;
        let mut controller = workload::controller(kind, &set.metadata, wanted, selector)?;
        controller.template = template_of(&controller, kind, set.spec.template, reader);
        reader.objects.controllers.push(controller);
    }

    wire::provisioning::Request<'a> => |request, _, reader| {
        let request = provisioning::request(request, reader.pods.default_created)?;
        reader.objects.requests.push(request);
    }

    wire::device::ResourceClaim<'a> => |claim, _, reader| {
        let claim = claim::claim(claim)?;
        reader.objects.devices.claims.insert(claim.id, Arc::new(claim));
    }

    wire::device::ClaimTemplate<'a> => |template, _, reader| {
        let (id, spec) = claim::template(template)?;
        reader.objects.devices.templates.insert(id, spec);
    }

    wire::device::ResourceSlice<'a> => |slice, _, reader| {
        let slice = device::slice(slice)?;
        reader.objects.devices.slices.insert(slice.name, Arc::new(slice));
    }

    wire::storage::StorageCapacity<'a> => |capacity, _, reader| {
        reader.objects.storage.capacities.push(storage::capacity(capacity)?);
    }

    wire::storage::StorageClass<'a> => |class, _, reader| {
        let class = storage::storage_class(class)?;
        reader.objects.storage.classes.insert(class.name, class);
    }

    wire::storage::Volume<'a> => |volume, _, reader| {
        reader.objects.storage.add_volume(storage::volume(volume)?);
    }

    wire::storage::VolumeAttachment<'a> => |attachment, _, reader| {
        let (node, source) = (&attachment.spec.node, &attachment.spec.source);
        if let Some(volume) = meta::given_symbol(&source.volume) {
            let attachments = &mut reader.objects.storage.attachments;
            attachments.entry(Symbol::new(node)).or_default().push(volume);
        }
    }
}
