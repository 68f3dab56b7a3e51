//! The user's own service that chooses which group to grow: `--expander=grpc`.

use async_trait::async_trait;
use plimsoll_control::engine::{Adviser, Seen};
use plimsoll_extgrpc::{ExpanderOption, GrpcExpander};
use plimsoll_model::{Alternative, Pod, Question, Symbol};

/// The user's service.
#[derive(Debug)]
pub(super) struct Service(pub GrpcExpander);

#[async_trait]
impl Adviser for Service {
    async fn advise(&self, question: &Question, seen: &Seen) -> Option<Vec<Symbol>> {
        let options: Vec<ExpanderOption> =
            question.alternatives.iter().map(|alternative| option(alternative, seen)).collect();
        let best = self.0.best_options(&options).await?;
        Some(best.into_iter().filter_map(|place| Some(options.get(place)?.group)).collect())
    }
}

fn option(alternative: &Alternative, seen: &Seen) -> ExpanderOption {
    let Alternative { group, nodes, pods } = alternative;
    let known = |wanted: &&plimsoll_model::PodName| {
        seen.pending
            .iter()
            .find(|pod| pod.name == wanted.name && pod.shape.namespace == wanted.namespace)
    };
    let pods: Vec<Pod> = pods.iter().filter_map(|name| known(&name)).cloned().collect();
    let template = seen.groups.iter().find(|known| known.id == *group);
    ExpanderOption {
        group: *group,
        nodes: *nodes,
        about: format!("{nodes} of {group} for {} pods", alternative.pods.len()),
        pods,
        template: template.and_then(|group| group.template.clone()),
    }
}

#[cfg(test)]
pub(super) mod tests;
