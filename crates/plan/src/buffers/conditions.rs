//! What a buffer's conditions say. Types and reasons are the upstream's, because others read them.

use plimsoll_model::{Buffer, Condition, Timestamp, Truth, World};

const READY: &str = "ReadyForProvisioning";
const PROVISIONING: &str = "Provisioning";
const LIMITED: &str = "LimitedByQuotas";

/// The conditions of a buffer on their way from what they were to what they will be. Those of others stay as they are.
#[derive(Debug)]
pub(super) struct Conditions<'w> {
    buffer: &'w Buffer,
    now: Timestamp,
    /// Whether room is kept; otherwise nothing is said about that.
    injects: bool,
    list: Vec<Condition>,
}

// === impl Conditions ===

impl<'w> Conditions<'w> {
    pub(super) fn new(world: &World, buffer: &'w Buffer) -> Self {
        let list = buffer.status.conditions.clone();
        // Kubernetes keeps whole seconds.
        let now = Timestamp::from_second(world.now.as_second()).unwrap_or(world.now);
        Self { buffer, now, injects: world.settings.scale_up.buffers.inject, list }
    }

    pub(super) fn finish(self) -> Vec<Condition> {
        self.list
    }

    /// Whether somebody has found out that nothing can be done.
    pub(super) fn is_not_ready(&self) -> bool {
        let mut list = self.list.iter();
        list.any(|one| &*one.name == READY && one.status == Truth::False)
    }

    pub(super) fn ready(&mut self) {
        self.set(READY, true, "AttributesSetSuccessfully", "ready");
    }

    pub(super) fn not_ready(&mut self, problem: &str) {
        self.set(READY, false, "error", problem);
    }

    pub(super) fn limited(&mut self, wanted: i32, count: i32, blocking: &[&str]) {
        let message = if blocking.is_empty() {
            String::new()
        } else {
            let quotas = blocking.join(", ");
            format!("Buffer replicas limited from {wanted} to {count} due to quotas: {quotas}")
        };
        self.set(LIMITED, !blocking.is_empty(), "ResourceQuotasAllocated", &message);
    }

    pub(super) fn provided(&mut self, message: &str) {
        self.set(PROVISIONING, true, "FakePodsInjected", message);
    }

    pub(super) fn not_provided(&mut self, reason: &str, problem: &str) {
        if self.injects {
            self.set(PROVISIONING, false, reason, problem);
        }
    }

    /// The moment of a condition is that at which it became so; what is said about it may change meanwhile.
    fn set(&mut self, name: &str, holds: bool, reason: &str, message: &str) {
        let status = if holds { Truth::True } else { Truth::False };
        let before = self.list.iter().position(|one| &*one.name == name);
        let known = before.and_then(|place| self.list.get(place));
        let since = known.filter(|known| known.status == status).map(|known| known.at);
        let condition = Condition {
            name: name.into(),
            status,
            reason: reason.into(),
            message: message.into(),
            at: since.unwrap_or(self.now),
            generation: Some(self.buffer.generation),
        };
        match before.and_then(|place| self.list.get_mut(place)) {
            Some(known) => *known = condition,
            None => self.list.push(condition),
        }
    }
}
