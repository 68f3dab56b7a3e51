//! Pods of the machines: they are created, run, end, and are gone.

use std::{net::Ipv4Addr, time::Duration};

use jiff::Timestamp;
use serde_json::Value;

use super::{Action, Fleet, State, Timer, Tracked, later};
use crate::{
    kubelet::pod::{Ending, Plan, Progress, Stage},
    object::Key,
    read::text,
};

// === impl Fleet ===

impl Fleet {
    /// A list of pods begins: those that it does not name are gone.
    pub(in crate::kubelet) fn pods_begin(&mut self) {
        self.unseen = self.pods.keys().cloned().collect();
    }

    /// The list ends.
    pub(in crate::kubelet) fn pods_end(&mut self) {
        for key in std::mem::take(&mut self.unseen) {
            self.forget_pod(&key);
        }
    }

    /// A pod is there, or has changed.
    pub(in crate::kubelet) fn pod_changed(&mut self, pod: &Value, now: Timestamp) {
        let node = text(pod, "/spec/nodeName");
        let key = Key::new(text(pod, "/metadata/namespace"), text(pod, "/metadata/name"));
        self.unseen.remove(&key);
        if node.is_empty() {
            return;
        }
        if !self.machines.contains_key(node) {
            if !self.strangers.contains(node) {
                self.strangers.insert(node.to_owned());
            }
            return;
        }
        let uid = text(pod, "/metadata/uid");
        let known = self.pods.get(&key).is_some_and(|known| known.plan.uid == uid);
        if !known {
            self.forget_pod(&key);
            let tracked = Tracked {
                plan: Plan::read(pod, &self.behaviour),
                node: node.to_owned(),
                progress: Progress::read(pod, now),
                gone_at: None,
                ending: false,
            };
            self.by_node.entry(node.to_owned()).or_default().insert(key.clone());
            self.pods.insert(key.clone(), tracked);
        }
        if let Some(tracked) = self.pods.get_mut(&key) {
            let gone_at = tracked.plan.gone_at(pod);
            let news = gone_at != tracked.gone_at;
            tracked.gone_at = gone_at;
            // Somebody else may have ended it.
            if matches!(text(pod, "/status/phase"), "Succeeded" | "Failed") {
                tracked.progress.stage = Stage::Ended;
            }
            if news || !known {
                self.step(&key, now);
            }
        }
    }

    pub(in crate::kubelet) fn pod_gone(&mut self, pod: &Value) {
        let key = Key::new(text(pod, "/metadata/namespace"), text(pod, "/metadata/name"));
        let uid = text(pod, "/metadata/uid");
        if self.pods.get(&key).is_some_and(|known| known.plan.uid == uid) {
            self.forget_pod(&key);
        }
    }

    fn forget_pod(&mut self, key: &Key) {
        let Some(tracked) = self.pods.remove(key) else { return };
        if let Some(keys) = self.by_node.get_mut(&tracked.node) {
            keys.remove(key);
            if keys.is_empty() {
                self.by_node.remove(&tracked.node);
            }
        }
    }

    /// Whatever is due for a pod.
    pub(super) fn step(&mut self, key: &Key, now: Timestamp) {
        let Some(tracked) = self.pods.get_mut(key) else { return };
        let Some(machine) = self.machines.get(&tracked.node) else { return };
        if machine.state != State::Up || tracked.ending {
            return;
        }
        let host = machine.address.as_str();
        let progress = &mut tracked.progress;
        let due = if let Some(gone_at) = tracked.gone_at {
            if progress.stage == Stage::Ended || gone_at <= now {
                tracked.ending = true;
                let last = (progress.stage != Stage::Ended)
                    .then(|| tracked.plan.last_status(progress, host, now));
                let uid = tracked.plan.uid.clone();
                self.actions.push(Action::PodEnd { key: key.clone(), uid, last });
                return;
            }
            gone_at
        } else {
            let plan = &tracked.plan;
            let before = (progress.stage, progress.restarts);
            if progress.stage == Stage::Bound {
                (progress.stage, progress.since) = (Stage::Creating, now);
            }
            let mut due = None;
            if progress.stage == Stage::Creating {
                let ready = later(progress.since, plan.pull);
                if ready <= now {
                    (progress.stage, progress.since) = (Stage::Running, now);
                    self.addresses = self.addresses.wrapping_add(1);
                    progress.address = Some(pod_address(self.addresses));
                } else {
                    due = Some(ready);
                }
            }
            if let (Stage::Running, Some(run_for)) = (progress.stage, plan.run_for) {
                let end = later(progress.since, run_for);
                match plan.ending() {
                    _ if end > now => due = Some(end),
                    Ending::Over => (progress.stage, progress.since) = (Stage::Ended, now),
                    Ending::Restart => {
                        progress.restarts = progress.restarts.saturating_add(1);
                        progress.since = now;
                        // Containers that end at once are not started more often than every second.
                        due = Some(later(now, run_for.max(Duration::from_secs(1))));
                    }
                }
            }
            if (progress.stage, progress.restarts) != before {
                let body = plan.status(progress, host);
                self.actions.push(Action::PodStatus { key: key.clone(), body });
            }
            match due {
                Some(due) => due,
                None => return,
            }
        };
        let key = key.clone();
        self.timers_made += 1;
        self.timers.insert((due, self.timers_made), Timer::Pod(key));
    }

    /// Pods of a node that has just come up.
    pub(super) fn wake_pods(&mut self, name: &str, now: Timestamp) {
        let keys: Vec<Key> = self.by_node.get(name).into_iter().flatten().cloned().collect();
        for key in keys {
            self.step(&key, now);
        }
    }
}

fn pod_address(number: u32) -> Ipv4Addr {
    let [.., high, middle, low] = number.to_be_bytes();
    Ipv4Addr::new(10, 128 | high, middle, low)
}
