//! What becomes of a pod whose turn it is: a node, room that others make for it, or a word on why it waits.

use std::sync::Arc;

use jiff::Timestamp;
use plimsoll_fit::{NodeId, ShapeId};
use plimsoll_model::{Pod, PodVolume, Symbol};
use tracing::{debug, warn};

use super::{
    Refusal, Scheduler, choice,
    preemption::{self, Outcome},
    queue::Hope,
    words::{self, Reasons},
    write::{About, Nomination, Note},
};
use crate::object::Key;

/// A pod whose turn it is.
struct Turn {
    key: Key,
    pod: Pod,
    uid: Box<str>,
    revision: u64,
    hope: Hope,
}

// === impl Scheduler ===

impl Scheduler {
    /// Finds a node for a pod, or says why there is none.
    pub(super) fn try_pod(&mut self, key: &Key, now: Timestamp) {
        let Some(entry) = self.mirror.pods.get(key) else { return self.queue.remove(key) };
        let turn = Turn {
            key: key.clone(),
            pod: entry.pod.clone(),
            uid: entry.uid.clone(),
            revision: entry.revision,
            hope: entry.hope(),
        };
        let shape = self.mirror.shape(&turn.pod);
        let stamp = self.mirror.stamp(turn.hope);
        let known = self.refused.get(&(shape, turn.pod.priority));
        if let Some(known) = known.filter(|known| known.stamp == stamp) {
            let message = Arc::clone(&known.message);
            return self.refuse(&turn, &message, Nomination::Keep, now);
        }
        match choice::choose(&mut self.mirror, key, &turn.pod, shape, &mut self.start) {
            Some(node) => self.bind(&turn, node, now),
            None => self.make_room(&turn, shape, now),
        }
    }

    fn bind(&mut self, turn: &Turn, node: NodeId, now: Timestamp) {
        let name = self.mirror.snapshot.node(node).name.as_str();
        let namespace = &*turn.key.namespace;
        for volume in &turn.pod.shape.volumes {
            if let PodVolume::Claim(claim) | PodVolume::Ephemeral { claim, .. } = volume {
                self.writer.select_node(namespace, claim.as_str(), name);
            }
        }
        match self.writer.bind(&turn.key, &turn.uid, name) {
            Ok(()) => {
                self.queue.remove(&turn.key);
                self.mirror.assume(&turn.key, node);
                let text = format!("Successfully assigned {namespace}/{} to {name}", turn.key.name);
                let note =
                    Note { reason: "Scheduled", action: "Binding", warning: false, text: &text };
                self.writer.note(turn.about(), None, note);
            }
            // The watch tells what has become of it; if it is still there it is tried again.
            Err(error) => {
                debug!(%error, pod = %turn.key.name, "could not bind a pod");
                self.queue.rest(&turn.key, now);
            }
        }
    }

    /// No node takes the pod as things are.
    fn make_room(&mut self, turn: &Turn, shape: ShapeId, now: Timestamp) {
        let nodes = self.mirror.order.len();
        if nodes == 0 {
            return self.refuse(turn, words::NO_NODES, Nomination::Keep, now);
        }
        let objections = words::objections(&self.mirror.snapshot, shape, &self.mirror.order);
        let mut reasons = Reasons::default();
        for (_, rejection, _) in &objections {
            reasons.add(rejection);
        }
        let sentence = reasons.sentence(nodes);
        if let Some(why) = preemption::forbidden(&self.mirror, &turn.key, &objections) {
            let message = format!("{sentence} preemption: {why}");
            return self.refuse(turn, &message, Nomination::Keep, now);
        }
        match preemption::find(&mut self.mirror, &turn.key, &turn.pod, shape, &objections) {
            Outcome::Victims(candidate) => {
                let node = self.mirror.snapshot.node(candidate.node).name;
                self.drive_out(turn, &candidate.victims, node);
                self.mirror.nominated.insert(turn.key.clone(), node);
                self.refuse(turn, &sentence, Nomination::Node(node.as_str()), now);
            }
            Outcome::Hopeless(why) => {
                let message: Arc<str> = format!("{sentence} preemption: {why}").into();
                let stamp = self.mirror.stamp(turn.hope);
                let refusal = Refusal { stamp, message: Arc::clone(&message) };
                // Pods of the same kind that come now need not be looked at, unless room is kept for some of them.
                if self.mirror.nominated.is_empty() {
                    self.refused.insert((shape, turn.pod.priority), refusal);
                }
                self.mirror.nominated.remove(&turn.key);
                self.refuse(turn, &message, Nomination::None, now);
            }
        }
    }

    /// Makes victims leave, and takes back promises to pods that are less important.
    fn drive_out(&mut self, turn: &Turn, victims: &[Key], node: Symbol) {
        let lesser: Vec<Key> = self
            .mirror
            .nominated
            .iter()
            .filter(|(key, promised)| {
                let entry = self.mirror.pods.get(*key);
                **promised == node
                    && entry.is_some_and(|entry| entry.pod.priority < turn.pod.priority)
            })
            .map(|(key, _)| key.clone())
            .collect();
        for key in lesser {
            self.mirror.nominated.remove(&key);
            if let Some(entry) = self.mirror.pods.get(&key) {
                // It may be gone meanwhile, and that is as good.
                let _ = self.writer.forget_nomination(&key, &entry.uid);
            }
        }
        for key in victims {
            let Some(entry) = self.mirror.pods.get(key) else { continue };
            if entry.pod.deletion.is_some() {
                continue;
            }
            if let Err(error) = self.writer.preempt(key, &entry.uid) {
                warn!(%error, pod = %key.name, "could not preempt a pod");
                continue;
            }
            let text = format!("Preempted by pod {} on node {node}", turn.uid);
            let note =
                Note { reason: "Preempted", action: "Preempting", warning: false, text: &text };
            let about = About { key, uid: &entry.uid, revision: entry.revision };
            self.writer.note(about, Some(turn.about()), note);
        }
    }

    /// Says that a pod has no node, and lets it wait for a change.
    fn refuse(&mut self, turn: &Turn, message: &str, nomination: Nomination<'_>, now: Timestamp) {
        self.queue.refuse(&turn.key, now);
        match self.writer.refuse(&turn.key, &turn.uid, message, nomination) {
            Ok(true) => {
                let note = Note {
                    reason: "FailedScheduling",
                    action: "Scheduling",
                    warning: true,
                    text: message,
                };
                self.writer.note(turn.about(), None, note);
            }
            Ok(false) => {}
            Err(error) => debug!(%error, pod = %turn.key.name, "could not say why a pod waits"),
        }
    }
}

// === impl Turn ===

impl Turn {
    fn about(&self) -> About<'_> {
        About { key: &self.key, uid: &self.uid, revision: self.revision }
    }
}
