//! Why a node must not be removed, given what is seen of it.

use jiff::{SignedDuration, Timestamp};

use super::{Belongs, Machine, PodKind, PodSeen, Retirement, Sighting, Stage, later};
use crate::settings::RetireSettings;

/// A pod that should have been gone for so long is not waited for: its kubelet is silent, and nobody else ends it. It is more than a
/// drain gives the pods that it evicts itself, so that those are told as what kept the node; one that was ending before is waited
/// for until it counts as lost.
pub(super) const LOST: SignedDuration = SignedDuration::from_mins(1);

/// What stands in the way.
pub(super) enum Obstacle {
    /// The node stays, and is untainted.
    Stays(String),
    /// The node is not the one that was meant, or not ours. It is not touched.
    NotMeant(String),
    /// Nobody knows the machine at the moment. It may be known again until then.
    Unknown(Timestamp),
}

// === impl Retirement ===

impl Retirement {
    /// What stands in the way of going on.
    pub(super) fn obstacle(
        &mut self,
        seen: &Sighting,
        rules: &RetireSettings,
        now: Timestamp,
    ) -> Option<Obstacle> {
        if seen.machine != Machine::Unknown {
            self.unknown_since = None;
        }
        if !self.may_be_called_off() {
            return None;
        }
        let node = self.node;
        if !seen.is_here {
            return Some(Obstacle::Stays("the node is gone".to_owned()));
        }
        if self.node_uid.is_some() && seen.uid.is_some() && self.node_uid != seen.uid {
            return Some(Obstacle::NotMeant(format!("another node is called {node} by now")));
        }
        if seen.is_control_plane {
            return Some(Obstacle::NotMeant(format!("{node} runs the control plane")));
        }
        match (seen.belongs, seen.machine) {
            (_, Machine::Unknown) => return Some(self.unknown(rules, now)),
            (Belongs::Elsewhere, _) => {
                let (instance, group) = (&self.instance, self.group);
                let why = format!("{node} is not the machine {instance} of group {group}");
                return Some(Obstacle::NotMeant(why));
            }
            // An earlier run knew the machine. That it is not listed any more is no reason to remove the node.
            (_, Machine::Gone { .. }) if self.resumed && self.asked_before.is_none() => {
                let why = format!("its provider lists no machine {}", self.instance);
                return Some(Obstacle::Stays(why));
            }
            (Belongs::Here | Belongs::Untold, _) => {}
        }
        if self.node_uid.is_none() {
            self.node_uid.clone_from(&seen.uid);
        }
        if let Some(rival) = seen.rival {
            return Some(Obstacle::Stays(format!("node {rival} claims the same machine")));
        }
        if seen.keep {
            return Some(Obstacle::Stays("it is marked as not to be removed".to_owned()));
        }
        let pinned = seen.pods.iter().find(|pod| pod.kind == PodKind::Pinned);
        pinned.map(|pod| Obstacle::Stays(format!("{} must not be evicted", pod.name)))
    }

    /// Nobody knows the machine: for how long that is waited for, or what follows.
    pub(super) fn unknown(&mut self, rules: &RetireSettings, now: Timestamp) -> Obstacle {
        let since = *self.unknown_since.get_or_insert(now);
        let until = later(since, rules.delete_patience);
        if until > now {
            return Obstacle::Unknown(until);
        }
        Obstacle::Stays(format!("no provider knows the group {} any more", self.group))
    }

    /// The pods on the node without those that nobody is left to end, and the uids of the latter.
    ///
    /// How long a pod has been ending is counted from when it was first seen to, by our own clock: the moment that the API server
    /// wrote down is by another one, and one that is ahead would cut the time short that the pod was promised.
    pub(super) fn without_lost(
        &mut self,
        pods: &[PodSeen],
        now: Timestamp,
    ) -> (Vec<PodSeen>, Vec<Box<str>>) {
        let is_ending =
            |name: &_| pods.iter().any(|pod| pod.ends_in.is_some() && pod.name == *name);
        self.ending_since.retain(|name, _| is_ending(name));
        let (mut living, mut lost) = (Vec::new(), Vec::new());
        for pod in pods {
            let is_lost = pod.ends_in.is_some_and(|grace| {
                let since = *self.ending_since.entry(pod.name.clone()).or_insert(now);
                now.duration_since(since) > grace.saturating_add(LOST)
            });
            if is_lost {
                lost.extend(pod.uid.clone());
            } else {
                living.push(pod.clone());
            }
        }
        (living, lost)
    }

    /// Whether nothing has been asked of the provider, or it has not taken it.
    fn may_be_called_off(&self) -> bool {
        self.is_on_its_way() || self.deletion_due_since().is_some()
    }

    /// Whether the machine is still to be asked for.
    pub(super) fn is_on_its_way(&self) -> bool {
        match &self.stage {
            Stage::Marking
            | Stage::Settling { .. }
            | Stage::Checking
            | Stage::Draining(_)
            | Stage::Delaying { .. } => true,
            Stage::Deleting { .. }
            | Stage::Vanishing { .. }
            | Stage::Releasing { .. }
            | Stage::Over(_) => false,
        }
    }
}
