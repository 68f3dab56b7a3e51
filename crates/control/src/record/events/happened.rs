//! Events that follow from news.

use jiff::Timestamp;
use plimsoll_cluster::{
    events::{About, Event, Level},
    evict::Eviction,
};
use plimsoll_plan::Repair;

use super::Teller;
use crate::engine::News;

// === impl Teller ===

impl Teller {
    /// Takes a piece of news.
    pub(crate) fn news(&mut self, news: &News, at: Timestamp) {
        match news {
            News::Placed(order) => {
                let (group, from) = (order.intent.group, order.intent.from);
                let to = from.saturating_add(order.machines());
                let max = self.maxima.get(&group).copied().unwrap_or(to);
                let message = format!(
                    "Scale-up: group {group} size set to {to} instead of {from} (max: {max})"
                );
                self.tell_status(at, Level::Normal, "ScaledUpGroup", message);
                let bought = self.bought.remove(&order.id).unwrap_or_default();
                for (name, uid) in bought.pods {
                    let message =
                        format!("pod triggered scale-up: [{{{group} {from}->{to} (max: {max})}}]");
                    let about = About::Pod { name, uid };
                    let (level, reason) = (Level::Normal, "TriggeredScaleUp");
                    self.tell(at, Event { about, level, reason, message });
                }
            }
            News::OrderFailed { order, class, code } => {
                self.bought.remove(&order.id);
                let why = match (order.message.as_str(), code.as_str()) {
                    ("", "") => class.name(),
                    ("", code) => code,
                    (message, _) => message,
                };
                let message = format!("Scale-up failed for group {}: {why}", order.intent.group);
                self.tell_status(at, Level::Warning, "FailedToScaleUpGroup", message);
            }
            News::ScaleUpHeldBack { group, machines, why } => {
                let message = format!("Scale-up of group {group} by {machines} held back: {why}");
                self.tell_status(at, Level::Warning, "ScaleUpHeldBack", message);
            }
            News::Repaired(Repair::DeleteInstance { instance, .. }) => {
                let message = format!("Removed unregistered node {instance}");
                self.tell_status(at, Level::Normal, "DeleteUnregistered", message);
            }
            News::RepairFailed { repair, message } => self.repair_failed(repair, message, at),
            News::Evicted { pod, uid, outcome, .. } => {
                let (level, reason, message) = match outcome {
                    Eviction::Accepted => {
                        (Level::Normal, "ScaleDown", "deleting pod for node scale down".to_owned())
                    }
                    Eviction::Failed { why } => {
                        let message = format!("failed to delete pod for ScaleDown: {why}");
                        (Level::Warning, "ScaleDownFailed", message)
                    }
                    // It is tried again; whether the node stays because of it is told of the node.
                    Eviction::Gone | Eviction::Blocked { .. } => return,
                };
                let about = About::Pod { name: pod.clone(), uid: uid.clone() };
                self.tell(at, Event { about, level, reason, message });
            }
            News::Leaving(leaving) => {
                let message =
                    format!("marked the node as toBeDeleted/unschedulable: {}", leaving.why);
                self.tell_node(at, leaving.node, (Level::Normal, "ScaleDown"), message);
            }
            News::Gone(gone) => {
                let node = gone.node;
                let (reason, message) = if gone.drains {
                    ("ScaleDown", format!("Scale-down: node {node} removed with drain"))
                } else {
                    ("ScaleDownEmpty", format!("Scale-down: empty node {node} removed"))
                };
                self.tell_status(at, Level::Normal, reason, message);
                let message = "node removed by cluster autoscaler".to_owned();
                self.tell_node(at, node, (Level::Normal, "ScaleDown"), message);
            }
            News::Released { retirement, why } if retirement.needed => {
                let message = format!("marked the node as schedulable: {why}");
                let kind = (Level::Normal, "ClusterAutoscalerCleanup");
                self.tell_node(at, retirement.node, kind, message);
            }
            News::Released { retirement, why } => {
                let message = format!("failed to drain the node, aborting ScaleDown: {why}");
                let kind = (Level::Warning, "ScaleDownFailed");
                self.tell_node(at, retirement.node, kind, message);
            }
            News::Cleaned(node) => {
                let message = "marked the node as schedulable".to_owned();
                self.tell_node(at, *node, (Level::Normal, "ClusterAutoscalerCleanup"), message);
            }
            // There may be nobody to write events to either.
            News::Repaired(_) | News::OrderUnwritten { .. } => {}
        }
    }

    fn repair_failed(&mut self, repair: &Repair, why: &str, at: Timestamp) {
        let (reason, message) = match repair {
            Repair::DeleteInstance { instance, .. } => {
                ("DeleteUnregisteredFailed", format!("Failed to remove node {instance}: {why}"))
            }
            Repair::LowerTarget { group, .. } => (
                "FailedToRevertScaleUp",
                format!("Failed to lower the target size of group {group}: {why}"),
            ),
            Repair::RaiseToMin { group, .. } => {
                ("FailedToScaleUpGroup", format!("Scale-up failed for group {group}: {why}"))
            }
        };
        self.tell_status(at, Level::Warning, reason, message);
    }
}
