//! The methods of the protocol, each with its checks and its answer.

use std::{sync::Arc, time::Duration};

use prost::Message as _;
use tokio::time::{Instant, timeout_at};
use tonic::{Request, Response, Status};

use crate::{
    demand::Demand,
    proto::{
        core::Pod,
        external::{self as message, NodeGroup},
    },
    server::{
        answers, deadline::Deadline, prepared::Prepared, price,
        protocol::cloud_provider_server::CloudProvider, state::State, wishes,
    },
    status,
    wire::{instance::read_node, time::moment},
};

/// Nobody waits longer for a refresh.
const PATIENCE: Duration = Duration::from_secs(30);

/// The protocol's service over the state.
#[derive(Clone, Debug)]
pub(crate) struct Service {
    state: Arc<State>,
}

type Answer<T> = Result<Response<T>, Status>;

// === impl Service ===

impl Service {
    pub(crate) fn new(state: Arc<State>) -> Self {
        Self { state }
    }

    /// Waits for a refresh that begins now. When it fails, or takes longer than the caller can wait, that is reported only if what is
    /// known is too old: the upstream autoscaler drops its whole pass over an error. A caller of this project is told that it failed.
    async fn look_again(&self, deadline: Option<Deadline>, demand: Demand) -> Result<(), Status> {
        let longest = Instant::now() + PATIENCE;
        let until = deadline.map_or(longest, Deadline::while_waiting).min(longest);
        let ticket = self.state.keeper.nudge();
        match timeout_at(until, self.state.keeper.wait(ticket)).await {
            Ok(kept) => match kept.failing {
                Some((_, error)) if demand == Demand::New || self.state.known().is_err() => {
                    Err(status::write(&error))
                }
                Some(_) | None => Ok(()),
            },
            Err(_) => self.state.known().map(drop),
        }
    }

    /// Refuses an optional method that the provider has nothing for.
    fn only_with(&self, has: bool, what: &str) -> Result<(), Status> {
        if has {
            return Ok(());
        }
        let name = self.state.provider().name();
        Err(Status::unimplemented(format!("{name} knows no {what}")))
    }
}

#[tonic::async_trait]
impl CloudProvider for Service {
    async fn node_groups(&self, _: Request<message::NodeGroupsRequest>) -> Answer<Prepared> {
        Ok(Response::new(answers::groups(&*self.state.view().await?)))
    }

    async fn node_group_for_node(
        &self,
        request: Request<message::NodeGroupForNodeRequest>,
    ) -> Answer<message::NodeGroupForNodeResponse> {
        let group: NodeGroup =
            answers::group_for_node(&self.state, request.into_inner().node).await?;
        Ok(Response::new(message::NodeGroupForNodeResponse { node_group: Some(group) }))
    }

    async fn pricing_node_price(
        &self,
        request: Request<message::PricingNodePriceRequest>,
    ) -> Answer<message::PricingNodePriceResponse> {
        self.only_with(self.state.provider().capabilities().prices, "prices")?;
        let asked = request.into_inner();
        let view = self.state.view().await?;
        let node = asked.node.ok_or_else(|| Status::invalid_argument("node is missing"))?;
        let period = price::period(
            moment(asked.start_timestamp.as_ref(), asked.start_time.as_ref()),
            moment(asked.end_timestamp.as_ref(), asked.end_time.as_ref()),
        )?;
        let known = answers::group_of_any_node(&self.state, &view, &read_node(node)).await?;
        let price = price::of_node(&known.group, period)?;
        Ok(Response::new(message::PricingNodePriceResponse { price }))
    }

    async fn pricing_pod_price(
        &self,
        request: Request<message::PricingPodPriceRequest>,
    ) -> Answer<message::PricingPodPriceResponse> {
        self.only_with(self.state.provider().capabilities().prices, "prices")?;
        let asked = request.into_inner();
        let view = self.state.view().await?;
        let pod = if asked.pod_bytes.is_empty() {
            asked.pod.ok_or_else(|| Status::invalid_argument("pod is missing"))?
        } else {
            Pod::decode(&*asked.pod_bytes)
                .map_err(|error| Status::invalid_argument(format!("pod_bytes: {error}")))?
        };
        let period = price::period(
            moment(asked.start_timestamp.as_ref(), asked.start_time.as_ref()),
            moment(asked.end_timestamp.as_ref(), asked.end_time.as_ref()),
        )?;
        let price = price::of_pod(&view, pod, period)?;
        Ok(Response::new(message::PricingPodPriceResponse { price }))
    }

    async fn gpu_label(
        &self,
        _: Request<message::GpuLabelRequest>,
    ) -> Answer<message::GpuLabelResponse> {
        let label = self.state.view().await?.inventory.gpu_label.to_string();
        Ok(Response::new(message::GpuLabelResponse { label }))
    }

    async fn get_available_gpu_types(
        &self,
        _: Request<message::GetAvailableGpuTypesRequest>,
    ) -> Answer<message::GetAvailableGpuTypesResponse> {
        let gpu_types = answers::gpu_types(&*self.state.view().await?);
        Ok(Response::new(message::GetAvailableGpuTypesResponse { gpu_types }))
    }

    /// One caller goes; the provider may have others.
    async fn cleanup(
        &self,
        _: Request<message::CleanupRequest>,
    ) -> Answer<message::CleanupResponse> {
        Ok(Response::new(message::CleanupResponse {}))
    }

    async fn refresh(
        &self,
        request: Request<message::RefreshRequest>,
    ) -> Answer<message::RefreshResponse> {
        self.state.shown().begin_round();
        let demand = Demand::read(request.metadata());
        self.look_again(request.extensions().get().copied(), demand).await?;
        Ok(Response::new(message::RefreshResponse {}))
    }

    async fn node_group_target_size(
        &self,
        request: Request<message::NodeGroupTargetSizeRequest>,
    ) -> Answer<message::NodeGroupTargetSizeResponse> {
        let view = self.state.view().await?;
        let known = answers::group_of(&view, &request.get_ref().id)?;
        let target_size = i32::try_from(self.state.target(&view, known)).unwrap_or(i32::MAX);
        Ok(Response::new(message::NodeGroupTargetSizeResponse { target_size }))
    }

    async fn node_group_increase_size(
        &self,
        request: Request<message::NodeGroupIncreaseSizeRequest>,
    ) -> Answer<message::NodeGroupIncreaseSizeResponse> {
        let asked = request.get_ref();
        wishes::increase(&self.state, &asked.id, asked.delta, request.metadata()).await?;
        Ok(Response::new(message::NodeGroupIncreaseSizeResponse {}))
    }

    async fn node_group_delete_nodes(
        &self,
        request: Request<message::NodeGroupDeleteNodesRequest>,
    ) -> Answer<message::NodeGroupDeleteNodesResponse> {
        let asked = request.into_inner();
        wishes::delete(&self.state, &asked.id, asked.nodes).await?;
        Ok(Response::new(message::NodeGroupDeleteNodesResponse {}))
    }

    async fn node_group_decrease_target_size(
        &self,
        request: Request<message::NodeGroupDecreaseTargetSizeRequest>,
    ) -> Answer<message::NodeGroupDecreaseTargetSizeResponse> {
        let asked = request.get_ref();
        wishes::decrease(&self.state, &asked.id, asked.delta).await?;
        Ok(Response::new(message::NodeGroupDecreaseTargetSizeResponse {}))
    }

    async fn node_group_nodes(
        &self,
        request: Request<message::NodeGroupNodesRequest>,
    ) -> Answer<Prepared> {
        Ok(Response::new(answers::machines(&self.state, &request.get_ref().id).await?))
    }

    async fn node_group_template_node_info(
        &self,
        request: Request<message::NodeGroupTemplateNodeInfoRequest>,
    ) -> Answer<Prepared> {
        self.only_with(self.state.provider().capabilities().templates, "templates")?;
        Ok(Response::new(answers::template(&self.state, &request.get_ref().id).await?))
    }

    async fn node_group_get_options(
        &self,
        request: Request<message::NodeGroupAutoscalingOptionsRequest>,
    ) -> Answer<message::NodeGroupAutoscalingOptionsResponse> {
        let asked = request.into_inner();
        let node_group_autoscaling_options =
            answers::options(&self.state, &asked.id, asked.defaults).await?;
        Ok(Response::new(message::NodeGroupAutoscalingOptionsResponse {
            node_group_autoscaling_options,
        }))
    }
}
