//! A machine as the service has it on record.

use jiff::Timestamp;

use crate::stackpoint::{
    listing::Unreadable,
    wire::{Key, Record},
};

/// What `etcd_state` says of a machine that hosts none: nothing, or that etcd runs inside of Kubernetes, where masters host it.
const NO_ETCD: [&str; 3] = ["", "none", "kube_etcd"];

/// What `etcd_state` says of a machine that hosts a member of etcd, in etcd's own words.
const ETCD: [&str; 5] = ["existing", "new", "member", "leader", "follower"];

/// What a machine whose record cannot be read is said to be doing.
const UNREADABLE: &str = "unreadable";

/// A machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::stackpoint) struct Machine {
    pub(in crate::stackpoint) id: Box<str>,
    pub(in crate::stackpoint) pk: Key,
    pub(in crate::stackpoint) phase: Phase,
    /// By the service's clock.
    pub(in crate::stackpoint) created: Option<Timestamp>,
    pub(in crate::stackpoint) private_ip: String,
    /// The service's word for what it is doing.
    pub(in crate::stackpoint) state: String,
    /// Where it is: `region:zone`, or a region.
    pub(in crate::stackpoint) location: String,
    /// The group that the service has it on record with.
    pub(in crate::stackpoint) group_name: String,
    /// What the service has to say before it is deleted.
    pub(in crate::stackpoint) consent: Consent,
}

/// What the service has to say before a machine is deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::stackpoint) enum Consent {
    /// Anything but no. A service that does not know the question is not asked.
    Silent,
    /// That it may be: its record has a word for etcd that is not known, so it may host a member.
    Spoken,
}

/// What a machine is doing.
///
/// | the service says                                 | phase   |
/// |--------------------------------------------------|---------|
/// | `draft`, `building`, `provisioning`, `provisioned` | Coming  |
/// | `running`, or an unknown word           | Running |
/// | `failed`, or `is_failed`                         | Failed  |
/// | `deleting`                                       | Going   |
/// | `deleted`                                        | it is gone, and has no entry |
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::stackpoint) enum Phase {
    Coming,
    Running,
    Failed,
    Going,
}

// === impl Machine ===

impl Machine {
    /// `None` for one that is gone.
    pub(super) fn new(record: &Record) -> Option<Self> {
        let phase = match &*record.state {
            "deleted" => return None,
            "deleting" => Phase::Going,
            "failed" => Phase::Failed,
            _ if record.is_failed => Phase::Failed,
            "draft" | "building" | "provisioning" | "provisioned" => Phase::Coming,
            _ => Phase::Running,
        };
        let id = match &*record.instance_id {
            "" => format!("pk-{}", record.pk).into(),
            id => id.into(),
        };
        let is_known =
            NO_ETCD.contains(&&*record.etcd_state) || ETCD.contains(&&*record.etcd_state);
        Some(Self {
            id,
            pk: record.pk,
            phase,
            created: record.created,
            private_ip: record.private_ip.clone(),
            state: record.state.clone(),
            location: record.location.clone(),
            group_name: record.group_name.clone(),
            consent: if is_known { Consent::Silent } else { Consent::Spoken },
        })
    }

    /// A machine of which only the name is known; `None` where not even that is.
    pub(super) fn unreadable(unreadable: &Unreadable) -> Option<Self> {
        let id = match (&unreadable.instance_id, unreadable.pk) {
            (Some(id), _) => id.as_str().into(),
            (None, Some(pk)) => format!("pk-{pk}").into(),
            (None, None) => return None,
        };
        // Nothing is asked about it while its group is frozen.
        let pk = unreadable.pk.unwrap_or_default();
        Some(Self {
            id,
            pk,
            phase: Phase::Running,
            created: None,
            private_ip: String::new(),
            state: UNREADABLE.to_owned(),
            location: String::new(),
            group_name: unreadable.group_name.clone().unwrap_or_default(),
            consent: Consent::Spoken,
        })
    }

    pub(super) fn region(&self) -> &str {
        self.location.split(':').next().unwrap_or_default()
    }

    pub(super) fn zone(&self) -> &str {
        self.location.split_once(':').map_or("", |(_, zone)| zone)
    }
}

/// Whether a machine of a group may be touched.
pub(super) fn is_ours(record: &Record) -> bool {
    record.role == "worker" && !ETCD.contains(&&*record.etcd_state)
}
