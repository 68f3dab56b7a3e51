//! Asking for what servers need not have: templates, prices and settings of groups.

use std::sync::Arc;

use jiff::SignedDuration;
use plimsoll_model::{GroupOptions, Money};
use prost::Message as _;
use tonic::{Code, Request, Status};
use tracing::warn;

use crate::{
    client::{
        ExternalGrpc,
        known::{Extras, Known, Reply, Template, When},
    },
    proto::{
        core::Node,
        external::{
            ExternalGrpcNode, NodeGroupAutoscalingOptionsRequest, NodeGroupTemplateNodeInfoRequest,
            NodeGroupTemplateNodeInfoResponse, PricingNodePriceRequest,
        },
    },
    wire::{
        self,
        time::{new_moment, old_moment},
    },
};

impl ExternalGrpc {
    /// Asks the server for the template, price and options that are due, and keeps the answers. An error when an answer is invalid.
    pub(crate) async fn extras(&self, group: &str) -> (Extras, Result<(), String>) {
        let mut extras = self.memory().extras.get(group).cloned().unwrap_or_default();
        let mut sense = Ok(());
        let when = || When { now: self.home.clock.now(), connection: self.calls.connection() };
        if extras.template.is_due(when()) {
            let reply = self.ask_template(group).await;
            settle(group, "template", &mut extras.template, reply, when());
        }
        match extras.template.value() {
            None => extras.price = Known::default(),
            Some(template) if extras.price.is_due(when()) => {
                let reply = self.ask_price(&template).await.unwrap_or_else(|nonsense| {
                    sense = Err(nonsense.clone());
                    Reply::Failed(nonsense)
                });
                settle(group, "price", &mut extras.price, reply, when());
            }
            Some(_) => {}
        }
        if extras.options.is_due(when()) {
            let reply = self.ask_options(group).await.unwrap_or_else(|nonsense| {
                sense = Err(nonsense.clone());
                Reply::Failed(nonsense)
            });
            settle(group, "options", &mut extras.options, reply, when());
        }
        self.memory().extras.insert(group.to_owned(), extras.clone());
        (extras, sense)
    }

    /// What a new node looks like.
    async fn ask_template(&self, group: &str) -> Reply<Template> {
        let request = Request::new(NodeGroupTemplateNodeInfoRequest { id: group.to_owned() });
        let reply = self
            .calls
            .try_call(request, |mut client, request| async move {
                client.node_group_template_node_info(request).await
            })
            .await;
        match reply {
            Ok(reply) => read_template(reply).map_or_else(Reply::Failed, Reply::Told),
            Err(status) => self.failed("NodeGroupTemplateNodeInfo", &status),
        }
    }

    /// What a node of this kind costs for an hour.
    async fn ask_price(&self, template: &Template) -> Result<Reply<Money>, String> {
        let start = self.home.clock.now();
        let end = start.saturating_add(SignedDuration::from_hours(1)).unwrap_or(start);
        let request = PricingNodePriceRequest {
            node: Some(template.identity.clone()),
            start_time: Some(old_moment(start)),
            end_time: Some(old_moment(end)),
            start_timestamp: Some(new_moment(start)),
            end_timestamp: Some(new_moment(end)),
        };
        let reply = self
            .calls
            .try_call(Request::new(request), |mut client, request| async move {
                client.pricing_node_price(request).await
            })
            .await;
        match reply {
            Ok(reply) if reply.price >= 0.0 => Ok(Reply::Told(Money::from_units(reply.price))),
            Ok(reply) => Err(format!("a node costs {}", reply.price)),
            // It knows prices, and none for this.
            Err(status) if status.code() == Code::NotFound => Ok(Reply::Told(None)),
            Err(status) => Ok(self.failed("PricingNodePrice", &status)),
        }
    }

    /// The group's settings; none of its own where the server sends none.
    async fn ask_options(&self, group: &str) -> Result<Reply<GroupOptions>, String> {
        let request = NodeGroupAutoscalingOptionsRequest {
            id: group.to_owned(),
            defaults: Some(wire::options::write(&self.defaults)),
        };
        let reply = self
            .calls
            .try_call(Request::new(request), |mut client, request| async move {
                client.node_group_get_options(request).await
            })
            .await;
        let sent = match reply {
            Ok(reply) => reply.node_group_autoscaling_options,
            Err(status) => return Ok(self.failed("NodeGroupGetOptions", &status)),
        };
        let Some(sent) = sent else { return Ok(Reply::Told(None)) };
        let options = wire::options::read(&sent, &self.defaults);
        let share = 0.0..=1.0;
        for threshold in [options.utilization_threshold, options.gpu_utilization_threshold] {
            if !share.contains(&threshold) {
                return Err(format!(
                    "a utilization threshold is {threshold}, which is not from 0 to 1"
                ));
            }
        }
        Ok(Reply::Told(Some(options)))
    }

    fn failed<T>(&self, method: &'static str, status: &Status) -> Reply<T> {
        if is_missing(status) {
            Reply::Missing
        } else {
            Reply::Failed(self.calls.error(method, status).to_string())
        }
    }
}

/// Whether the server says that it does not have the method. Upstream's example server says so in words where the provider behind it
/// does.
fn is_missing(status: &Status) -> bool {
    match status.code() {
        Code::Unimplemented => true,
        Code::Unknown => status.message().to_ascii_lowercase().contains("not implemented"),
        _ => false,
    }
}

fn settle<T: Clone>(group: &str, what: &str, known: &mut Known<T>, reply: Reply<T>, when: When) {
    if let Some(problem) = known.apply(reply, when) {
        warn!(group, what, problem, "part of a group could not be read; what was known stays");
    }
}

fn read_template(reply: NodeGroupTemplateNodeInfoResponse) -> Result<Option<Template>, String> {
    let sent = if reply.node_bytes.is_empty() {
        reply.node_info
    } else {
        let node = Node::decode(&*reply.node_bytes);
        Some(node.map_err(|error| error.to_string())?)
    };
    let Some(sent) = sent else { return Ok(None) };
    let node = Arc::new(wire::node::read(&sent)?);
    let metadata = sent.metadata.unwrap_or_default();
    let identity = ExternalGrpcNode {
        provider_id: node.provider_id.to_string(),
        name: metadata.name,
        labels: metadata.labels,
        annotations: metadata.annotations,
    };
    Ok(Some(Template { node, identity }))
}
