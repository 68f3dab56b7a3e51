//! Everything that a server tells, as one inventory.

use std::{
    collections::BTreeSet,
    sync::{Arc, atomic::Ordering},
};

use futures::{StreamExt as _, TryStreamExt as _};
use jiff::SignedDuration;
use plimsoll_model::{Group, GroupOptions, Instance, Money, Symbol};
use plimsoll_provider::{Error, GroupState, Inventory};
use prost::Message as _;
use tonic::{Code, Request};
use tracing::debug;

use crate::{
    client::{ExternalGrpc, memory::Template},
    demand::Demand,
    proto::{
        core::Node,
        external::{
            ExternalGrpcNode, GetAvailableGpuTypesRequest, GpuLabelRequest, NodeGroup,
            NodeGroupAutoscalingOptionsRequest, NodeGroupNodesRequest, NodeGroupTargetSizeRequest,
            NodeGroupTemplateNodeInfoRequest, NodeGroupTemplateNodeInfoResponse, NodeGroupsRequest,
            PricingNodePriceRequest, RefreshRequest,
        },
    },
    wire::{
        self,
        time::{new_moment, old_moment},
    },
};

/// So many groups are asked about at a time.
const AT_A_TIME: usize = 8;

impl ExternalGrpc {
    pub(crate) async fn look(&self) -> Result<Inventory, Error> {
        self.make_it_look().await?;
        let listed = self.list_groups().await?;
        let (gpu_label, gpu_types) = self.gpu().await?;
        let groups: Vec<GroupState> = futures::stream::iter(listed)
            .map(|group| self.group(group))
            .buffered(AT_A_TIME)
            .try_collect()
            .await?;
        let mut machines = BTreeSet::new();
        for instance in groups.iter().flat_map(|state| &state.group.instances) {
            if !machines.insert(&*instance.id) {
                return Err(self.nonsense(&format!("machine {} is listed twice", instance.id)));
            }
        }
        let inventory = Inventory { groups, gpu_label, gpu_types };
        self.memory().set_machines(&inventory);
        Ok(inventory)
    }

    /// Has the server look at its infrastructure, instead of telling what it knows.
    pub(crate) async fn make_it_look(&self) -> Result<(), Error> {
        let mut request = Request::new(RefreshRequest {});
        Demand::New.write(request.metadata_mut());
        let answer = self.calls.call("Refresh", request, |mut client, request| async move {
            client.refresh(request).await
        });
        answer.await.map(drop)
    }

    /// The groups, checked.
    pub(crate) async fn list_groups(&self) -> Result<Vec<NodeGroup>, Error> {
        let request = Request::new(NodeGroupsRequest {});
        let listed = self
            .calls
            .call("NodeGroups", request, |mut client, request| async move {
                client.node_groups(request).await
            })
            .await?
            .node_groups;
        let mut ids = BTreeSet::new();
        for group in &listed {
            let NodeGroup { id, min_size, max_size, .. } = group;
            if id.is_empty() {
                return Err(self.nonsense("a group has no id"));
            }
            if *min_size < 0 || max_size < min_size {
                let bounds = format!("group {id} is to have {min_size} to {max_size} machines");
                return Err(self.nonsense(&bounds));
            }
            if !ids.insert(id) {
                return Err(self.nonsense(&format!("group {id} is listed twice")));
            }
        }
        if self.memory().set_groups(&listed) {
            // Other groups, perhaps another server: ask it again for what it did not have.
            self.has.prices.store(true, Ordering::Relaxed);
            self.has.options.store(true, Ordering::Relaxed);
        }
        Ok(listed)
    }

    /// The group's target now.
    pub(crate) async fn target(&self, group: &str) -> Result<u32, Error> {
        let request = Request::new(NodeGroupTargetSizeRequest { id: group.to_owned() });
        let target = self
            .calls
            .call("NodeGroupTargetSize", request, |mut client, request| async move {
                client.node_group_target_size(request).await
            })
            .await?
            .target_size;
        u32::try_from(target)
            .map_err(|_| self.nonsense(&format!("the target of group {group} is {target}")))
    }

    /// The group's machines now.
    pub(crate) async fn machines(&self, group: &str) -> Result<Vec<Instance>, Error> {
        let request = Request::new(NodeGroupNodesRequest { id: group.to_owned() });
        let listed = self
            .calls
            .call("NodeGroupNodes", request, |mut client, request| async move {
                client.node_group_nodes(request).await
            })
            .await?
            .instances;
        listed
            .iter()
            .map(wire::instance::read)
            .collect::<Result<_, _>>()
            .map_err(|problem| self.nonsense(&format!("group {group}: {problem}")))
    }

    /// A reply that makes no sense.
    fn nonsense(&self, problem: &str) -> Error {
        Error::bug(format!("{}: {problem}", self.name))
    }

    async fn group(&self, listed: NodeGroup) -> Result<GroupState, Error> {
        let NodeGroup { id, min_size, max_size, debug } = listed;
        let target = self.target(&id).await?;
        let instances = self.machines(&id).await?;
        let template = self.template(&id).await?;
        let price = match &template {
            Some(template) => self.price(&id, template).await?,
            None => None,
        };
        let options = self.options(&id).await?;
        let bound = |size: i32| u32::try_from(size).unwrap_or_default();
        Ok(GroupState {
            overrides: wire::options::overrides(&options, &self.defaults),
            group: Group {
                id: Symbol::new(&id),
                min: bound(min_size),
                max: bound(max_size),
                target,
                price,
                template: template.map(|template| template.node),
                instances,
                options,
                stock: None,
                frozen: None,
            },
            boot_time: None,
            about: debug.into(),
        })
    }

    /// The label and kinds of GPU, which do not change while a server runs.
    async fn gpu(&self) -> Result<(Box<str>, Vec<Box<str>>), Error> {
        if let Some(known) = self.memory().gpu.clone() {
            return Ok(known);
        }
        let label = self
            .calls
            .call("GPULabel", Request::new(GpuLabelRequest {}), |mut client, request| async move {
                client.gpu_label(request).await
            })
            .await?
            .label;
        let request = Request::new(GetAvailableGpuTypesRequest {});
        let types = self
            .calls
            .call("GetAvailableGPUTypes", request, |mut client, request| async move {
                client.get_available_gpu_types(request).await
            })
            .await?
            .gpu_types;
        let known = (label.into(), types.into_keys().map(Into::into).collect());
        self.memory().gpu = Some(known);
        Ok(self.memory().gpu.clone().unwrap_or_default())
    }

    /// What a new node looks like: asked once, until the list of groups changes.
    async fn template(&self, group: &str) -> Result<Option<Template>, Error> {
        let known = self.memory().templates.get(group).cloned();
        if let Some(known) = known {
            return Ok(known);
        }
        let request = Request::new(NodeGroupTemplateNodeInfoRequest { id: group.to_owned() });
        let reply = self
            .calls
            .optional("NodeGroupTemplateNodeInfo", request, |mut client, request| async move {
                client.node_group_template_node_info(request).await
            })
            .await?;
        let template = reply.and_then(|reply| self.read_template(group, reply).transpose());
        let template = template.transpose()?;
        let mut memory = self.memory();
        memory.templates.insert(group.to_owned(), template.clone());
        let some = memory.templates.values().any(Option::is_some);
        self.has.templates.store(some, Ordering::Relaxed);
        Ok(template)
    }

    fn read_template(
        &self,
        group: &str,
        reply: NodeGroupTemplateNodeInfoResponse,
    ) -> Result<Option<Template>, Error> {
        let nonsense =
            |problem| self.nonsense(&format!("the template of group {group}: {problem}"));
        let sent = if reply.node_bytes.is_empty() {
            reply.node_info
        } else {
            let node = Node::decode(&*reply.node_bytes);
            Some(node.map_err(|error| nonsense(error.to_string()))?)
        };
        let Some(sent) = sent else { return Ok(None) };
        let node = Arc::new(wire::node::read(&sent).map_err(nonsense)?);
        let metadata = sent.metadata.unwrap_or_default();
        let identity = ExternalGrpcNode {
            provider_id: node.provider_id.to_string(),
            name: metadata.name,
            labels: metadata.labels,
            annotations: metadata.annotations,
        };
        Ok(Some(Template { node, identity }))
    }

    /// What a node of this kind costs for an hour. A server that does not know the price of one group may know that of another, and
    /// says so in whichever way it likes; only one that cannot be reached makes the whole refresh fail.
    async fn price(&self, group: &str, template: &Template) -> Result<Option<Money>, Error> {
        if !self.has.prices.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let start = self.home.clock.now();
        let end = start.saturating_add(SignedDuration::from_hours(1)).unwrap_or(start);
        let request = PricingNodePriceRequest {
            node: Some(template.identity.clone()),
            start_time: Some(old_moment(start)),
            end_time: Some(old_moment(end)),
            start_timestamp: Some(new_moment(start)),
            end_timestamp: Some(new_moment(end)),
        };
        let answer = self
            .calls
            .try_call(Request::new(request), |mut client, request| async move {
                client.pricing_node_price(request).await
            })
            .await;
        match answer {
            Ok(reply) if reply.price >= 0.0 => Ok(Money::from_units(reply.price)),
            Ok(reply) => {
                Err(self.nonsense(&format!("a node of group {group} costs {}", reply.price)))
            }
            Err(status) => match status.code() {
                Code::Unimplemented => {
                    self.has.prices.store(false, Ordering::Relaxed);
                    Ok(None)
                }
                Code::Unavailable | Code::DeadlineExceeded | Code::Cancelled => {
                    Err(self.calls.error("PricingNodePrice", &status))
                }
                _ => {
                    debug!(group, problem = status.message(), "the price is not known");
                    Ok(None)
                }
            },
        }
    }

    /// The group's settings.
    async fn options(&self, group: &str) -> Result<GroupOptions, Error> {
        if !self.has.options.load(Ordering::Relaxed) {
            return Ok(self.defaults.clone());
        }
        let request = NodeGroupAutoscalingOptionsRequest {
            id: group.to_owned(),
            defaults: Some(wire::options::write(&self.defaults)),
        };
        let reply = self
            .calls
            .optional(
                "NodeGroupGetOptions",
                Request::new(request),
                |mut client, request| async move { client.node_group_get_options(request).await },
            )
            .await?;
        let Some(reply) = reply else {
            self.has.options.store(false, Ordering::Relaxed);
            return Ok(self.defaults.clone());
        };
        let Some(sent) = reply.node_group_autoscaling_options else {
            return Ok(self.defaults.clone());
        };
        let options = wire::options::read(&sent, &self.defaults);
        let share = 0.0..=1.0;
        if !share.contains(&options.utilization_threshold)
            || !share.contains(&options.gpu_utilization_threshold)
        {
            return Err(self.nonsense(&format!("group {group} has a threshold that is no share")));
        }
        Ok(options)
    }
}
