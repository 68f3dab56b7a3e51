//! A server as somebody else would write it: plain errors, one answer for all, no names for orders; and whatever a test makes of
//! it.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex},
    time::Duration,
};

use plimsoll_extgrpc::{
    Address, CloudConfig, ExternalGrpc,
    proto::external::{
        self as message,
        cloud_provider_server::{CloudProvider, CloudProviderServer},
    },
};
use plimsoll_model::GroupOptions;
use plimsoll_net::{Clock, Fence, Shutdown, listen};
use plimsoll_provider::Home;
use tokio::net::TcpListener;
use tonic::{Request, Response, Status, service::Routes};

use crate::fixture::lock;

/// What the server has and how it answers.
#[derive(Debug, Default)]
pub(crate) struct Script {
    pub(crate) groups: Vec<message::NodeGroup>,
    pub(crate) targets: BTreeMap<String, i32>,
    pub(crate) machines: BTreeMap<String, Vec<message::Instance>>,
    pub(crate) template: Option<message::NodeGroupTemplateNodeInfoResponse>,
    pub(crate) options: Option<message::NodeGroupAutoscalingOptionsResponse>,
    pub(crate) price: Option<f64>,
    /// Every call of the method is answered with this …
    pub(crate) failing: BTreeMap<&'static str, Status>,
    /// The same for calls about one group.
    pub(crate) failing_for: BTreeMap<(&'static str, &'static str), Status>,
    /// … and takes effect all the same.
    pub(crate) lost: BTreeSet<&'static str>,
    /// Calls of this method are never answered.
    pub(crate) stuck: BTreeSet<&'static str>,
    /// Machines that are not deleted although they are named.
    pub(crate) protected: BTreeSet<String>,
    /// Machines that are deleted by the names of their nodes only. Who names none that it knows is answered well all the same.
    pub(crate) names: BTreeMap<String, String>,
    /// Groups of nodes whose machines are not listed.
    pub(crate) owners: BTreeMap<String, String>,
    /// Every call takes this long.
    pub(crate) delay: Duration,
    /// So many calls are waiting for that, and the most that ever were.
    pub(crate) waiting: usize,
    pub(crate) most_waiting: usize,
    /// What was called.
    pub(crate) called: Vec<&'static str>,
    pub(crate) asked_options: Vec<message::NodeGroupAutoscalingOptionsRequest>,
    pub(crate) asked_prices: Vec<message::PricingNodePriceRequest>,
    pub(crate) deleted: Vec<message::ExternalGrpcNode>,
}

/// A server that runs the script.
#[derive(Clone, Debug)]
pub(crate) struct Scripted {
    pub(crate) script: Arc<Mutex<Script>>,
    pub(crate) address: String,
}

type Answer<T> = Result<Response<T>, Status>;

// === impl Scripted ===

impl Scripted {
    /// One group, `pool`, of 0 to 10 machines, with two.
    pub(crate) async fn start() -> Self {
        let script = Script {
            groups: vec![group("pool", 0, 10)],
            targets: BTreeMap::from([("pool".to_owned(), 2)]),
            machines: BTreeMap::from([("pool".to_owned(), vec![machine("m-0"), machine("m-1")])]),
            ..Script::default()
        };
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let scripted = Self { script: Arc::new(Mutex::new(script)), address };
        let routes = Routes::new(CloudProviderServer::new(scripted.clone())).prepare();
        tokio::spawn(async move {
            let never = Shutdown::new();
            listen::serve(listener, None, routes, &never, Duration::ZERO).await;
        });
        scripted
    }

    /// It waits longer than an answer takes on a busy machine.
    pub(crate) fn provider(&self) -> ExternalGrpc {
        self.patient(Duration::from_mins(1))
    }

    /// One whose groups have these settings where the server says nothing.
    pub(crate) fn provider_with(&self, defaults: GroupOptions) -> ExternalGrpc {
        let address = Address::parse(&self.address).unwrap();
        let config = CloudConfig { address, tls: None, timeout: Duration::from_mins(1) };
        ExternalGrpc::new("theirs", config, defaults, Home::alone(Clock::system()))
    }

    pub(crate) fn patient(&self, timeout: Duration) -> ExternalGrpc {
        let address = Address::parse(&self.address).unwrap();
        let config = CloudConfig { address, tls: None, timeout };
        ExternalGrpc::new("theirs", config, GroupOptions::default(), Home::alone(Clock::system()))
    }

    /// A provider in a process that may change something while this fence holds.
    pub(crate) fn fenced(&self, fence: Fence) -> ExternalGrpc {
        let address = Address::parse(&self.address).unwrap();
        let config = CloudConfig { address, tls: None, timeout: Duration::from_secs(5) };
        let home = Home { fence, ..Home::alone(Clock::system()) };
        ExternalGrpc::new("theirs", config, GroupOptions::default(), home)
    }

    pub(crate) fn change(&self, change: impl FnOnce(&mut Script)) {
        change(&mut lock(&self.script));
    }

    pub(crate) fn called(&self, method: &str) -> usize {
        lock(&self.script).called.iter().filter(|called| **called == method).count()
    }

    /// Notes the call, and does what is to be done before it takes effect.
    async fn enter(&self, method: &'static str) -> Result<(), Status> {
        self.enter_for(method, "").await
    }

    /// The same for a call about a group.
    async fn enter_for(&self, method: &'static str, group: &str) -> Result<(), Status> {
        let delay = lock(&self.script).delay;
        if !delay.is_zero() {
            self.change(|script| {
                script.waiting += 1;
                script.most_waiting = script.most_waiting.max(script.waiting);
            });
            tokio::time::sleep(delay).await;
            self.change(|script| script.waiting -= 1);
        }
        let (stuck, failure) = {
            let mut script = lock(&self.script);
            script.called.push(method);
            let lost = script.lost.contains(method);
            let own = script.failing_for.iter();
            let mut own = own.filter(|((of, about), _)| *of == method && *about == group);
            let failure = own.next().map(|(_, status)| status);
            let failure = failure.or_else(|| script.failing.get(method).filter(|_| !lost)).cloned();
            (script.stuck.contains(method), failure)
        };
        if stuck {
            std::future::pending::<()>().await;
        }
        failure.map_or(Ok(()), Err)
    }

    /// What is to be answered after it took effect.
    fn leave<T>(&self, method: &'static str, answer: T) -> Answer<T> {
        let script = lock(&self.script);
        let lost = script.failing.get(method).filter(|_| script.lost.contains(method));
        lost.map_or_else(|| Ok(Response::new(answer)), |status| Err(status.clone()))
    }

    fn target(&self, id: &str) -> Result<i32, Status> {
        let script = lock(&self.script);
        script.targets.get(id).copied().ok_or_else(|| Status::unknown("node group not found"))
    }
}

#[tonic::async_trait]
impl CloudProvider for Scripted {
    async fn node_groups(
        &self,
        _: Request<message::NodeGroupsRequest>,
    ) -> Answer<message::NodeGroupsResponse> {
        self.enter("NodeGroups").await?;
        let node_groups = lock(&self.script).groups.clone();
        self.leave("NodeGroups", message::NodeGroupsResponse { node_groups })
    }

    async fn node_group_for_node(
        &self,
        request: Request<message::NodeGroupForNodeRequest>,
    ) -> Answer<message::NodeGroupForNodeResponse> {
        self.enter("NodeGroupForNode").await?;
        let node = request.into_inner().node.unwrap_or_default();
        let script = lock(&self.script);
        let has = |list: &Vec<message::Instance>| list.iter().any(|m| m.id == node.provider_id);
        let owner = script.machines.iter().find(|(_, list)| has(list));
        let told = script.owners.get(&node.provider_id);
        let id = owner.map(|(id, _)| id).or(told).cloned().unwrap_or_default();
        let node_group = Some(message::NodeGroup { id, ..Default::default() });
        Ok(Response::new(message::NodeGroupForNodeResponse { node_group }))
    }

    async fn pricing_node_price(
        &self,
        request: Request<message::PricingNodePriceRequest>,
    ) -> Answer<message::PricingNodePriceResponse> {
        let node = request.get_ref().node.as_ref();
        let group = node.map(|node| node.provider_id.clone()).unwrap_or_default();
        self.enter_for("PricingNodePrice", &group).await?;
        let mut script = lock(&self.script);
        script.asked_prices.push(request.into_inner());
        let price = script.price.ok_or_else(|| Status::unimplemented(""))?;
        Ok(Response::new(message::PricingNodePriceResponse { price }))
    }

    async fn pricing_pod_price(
        &self,
        _: Request<message::PricingPodPriceRequest>,
    ) -> Answer<message::PricingPodPriceResponse> {
        Err(Status::unimplemented(""))
    }

    async fn gpu_label(
        &self,
        _: Request<message::GpuLabelRequest>,
    ) -> Answer<message::GpuLabelResponse> {
        self.enter("GPULabel").await?;
        Ok(Response::new(message::GpuLabelResponse { label: "their/gpu".to_owned() }))
    }

    async fn get_available_gpu_types(
        &self,
        _: Request<message::GetAvailableGpuTypesRequest>,
    ) -> Answer<message::GetAvailableGpuTypesResponse> {
        self.enter("GetAvailableGPUTypes").await?;
        let gpu_types = BTreeMap::from([("t4".to_owned(), prost_types::Any::default())]);
        Ok(Response::new(message::GetAvailableGpuTypesResponse { gpu_types }))
    }

    async fn cleanup(
        &self,
        _: Request<message::CleanupRequest>,
    ) -> Answer<message::CleanupResponse> {
        self.enter("Cleanup").await?;
        Ok(Response::new(message::CleanupResponse {}))
    }

    async fn refresh(
        &self,
        _: Request<message::RefreshRequest>,
    ) -> Answer<message::RefreshResponse> {
        self.enter("Refresh").await?;
        Ok(Response::new(message::RefreshResponse {}))
    }

    async fn node_group_target_size(
        &self,
        request: Request<message::NodeGroupTargetSizeRequest>,
    ) -> Answer<message::NodeGroupTargetSizeResponse> {
        self.enter_for("NodeGroupTargetSize", &request.get_ref().id).await?;
        let target_size = self.target(&request.get_ref().id)?;
        Ok(Response::new(message::NodeGroupTargetSizeResponse { target_size }))
    }

    async fn node_group_increase_size(
        &self,
        request: Request<message::NodeGroupIncreaseSizeRequest>,
    ) -> Answer<message::NodeGroupIncreaseSizeResponse> {
        self.enter("NodeGroupIncreaseSize").await?;
        let message::NodeGroupIncreaseSizeRequest { delta, id } = request.into_inner();
        let target = self.target(&id)? + delta;
        lock(&self.script).targets.insert(id, target);
        self.leave("NodeGroupIncreaseSize", message::NodeGroupIncreaseSizeResponse {})
    }

    async fn node_group_delete_nodes(
        &self,
        request: Request<message::NodeGroupDeleteNodesRequest>,
    ) -> Answer<message::NodeGroupDeleteNodesResponse> {
        self.enter("NodeGroupDeleteNodes").await?;
        let message::NodeGroupDeleteNodesRequest { nodes, id } = request.into_inner();
        let mut refused = Vec::new();
        {
            let mut script = lock(&self.script);
            for node in nodes {
                if script.protected.contains(&node.provider_id) {
                    refused.push(node.provider_id);
                    continue;
                }
                if !script.names.is_empty() && !script.names.contains_key(&node.name) {
                    continue;
                }
                let Script { machines, targets, deleted, .. } = &mut *script;
                machines.get_mut(&id).unwrap().retain(|machine| machine.id != node.provider_id);
                *targets.get_mut(&id).unwrap() -= 1;
                deleted.push(node);
            }
        }
        if !refused.is_empty() {
            return Err(Status::unknown(format!("{refused:?} cannot be deleted")));
        }
        self.leave("NodeGroupDeleteNodes", message::NodeGroupDeleteNodesResponse {})
    }

    async fn node_group_decrease_target_size(
        &self,
        request: Request<message::NodeGroupDecreaseTargetSizeRequest>,
    ) -> Answer<message::NodeGroupDecreaseTargetSizeResponse> {
        self.enter("NodeGroupDecreaseTargetSize").await?;
        let message::NodeGroupDecreaseTargetSizeRequest { delta, id } = request.into_inner();
        let target = self.target(&id)? + delta;
        lock(&self.script).targets.insert(id, target);
        let answer = message::NodeGroupDecreaseTargetSizeResponse {};
        self.leave("NodeGroupDecreaseTargetSize", answer)
    }

    async fn node_group_nodes(
        &self,
        request: Request<message::NodeGroupNodesRequest>,
    ) -> Answer<message::NodeGroupNodesResponse> {
        self.enter_for("NodeGroupNodes", &request.get_ref().id).await?;
        let instances = lock(&self.script).machines.get(&request.get_ref().id).cloned();
        let instances = instances.unwrap_or_default();
        Ok(Response::new(message::NodeGroupNodesResponse { instances }))
    }

    async fn node_group_template_node_info(
        &self,
        request: Request<message::NodeGroupTemplateNodeInfoRequest>,
    ) -> Answer<message::NodeGroupTemplateNodeInfoResponse> {
        self.enter_for("NodeGroupTemplateNodeInfo", &request.get_ref().id).await?;
        let template = lock(&self.script).template.clone();
        template.map(Response::new).ok_or_else(|| Status::unimplemented(""))
    }

    async fn node_group_get_options(
        &self,
        request: Request<message::NodeGroupAutoscalingOptionsRequest>,
    ) -> Answer<message::NodeGroupAutoscalingOptionsResponse> {
        self.enter_for("NodeGroupGetOptions", &request.get_ref().id).await?;
        let mut script = lock(&self.script);
        script.asked_options.push(request.into_inner());
        let options = script.options;
        options.map(Response::new).ok_or_else(|| Status::unimplemented(""))
    }
}

pub(crate) fn group(id: &str, min_size: i32, max_size: i32) -> message::NodeGroup {
    message::NodeGroup { id: id.to_owned(), min_size, max_size, debug: format!("debug of {id}") }
}

pub(crate) fn machine(id: &str) -> message::Instance {
    message::Instance { id: id.to_owned(), status: None }
}
