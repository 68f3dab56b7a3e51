//! Everything that a server tells, as one inventory.
//!
//! A group whose size or machines cannot be read, or make no sense, is frozen as it was last seen; the others live. The refresh as a
//! whole fails when the server does not list its groups, or has stopped answering.

use std::collections::{BTreeMap, BTreeSet};

use futures::StreamExt as _;
use plimsoll_model::{Group, Instance, Symbol};
use plimsoll_provider::{Error, GroupState, Inventory};
use tonic::Request;
use tracing::warn;

use crate::{
    client::{ExternalGrpc, known::Extras, memory::Listed},
    demand::Demand,
    proto::external::{
        GetAvailableGpuTypesRequest, GpuLabelRequest, NodeGroup, NodeGroupNodesRequest,
        NodeGroupTargetSizeRequest, NodeGroupsRequest, RefreshRequest,
    },
    wire,
};

/// At least this many groups are asked about at a time, and at most …
const FEWEST_AT_A_TIME: usize = 8;
/// … this many. A server may serve one call after the other, and each has to be answered within its limit.
const MOST_AT_A_TIME: usize = 64;
/// The server is asked about this many groups at the same time. With a second for a call, a refresh then takes no longer than what it tells is
/// good for.
const ONE_IN: usize = 4;

/// After this many calls in a row without any answer the rest is not tried.
const LOST: u32 = 16;

impl ExternalGrpc {
    pub(crate) async fn look(&self) -> Result<Inventory, Error> {
        self.make_it_look().await?;
        let listed = self.list_groups().await?;
        let (gpu_label, gpu_types) = self.gpu().await;
        let at_a_time = (listed.len() / ONE_IN).clamp(FEWEST_AT_A_TIME, MOST_AT_A_TIME);
        let mut states =
            futures::stream::iter(listed).map(|group| self.group(group)).buffered(at_a_time);
        let mut groups = Vec::new();
        while let Some(state) = states.next().await {
            groups.push(state);
            if self.calls.unanswered() >= LOST {
                let reason = format!("{} has stopped answering", self.calls.place());
                return Err(Error::retry(reason).with_code("DeadlineExceeded"));
            }
        }
        drop(states);
        self.freeze_shared(&mut groups);
        let inventory = Inventory { groups, gpu_label, gpu_types };
        self.memory().set_inventory(&inventory);
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

    /// The groups, each once.
    pub(crate) async fn list_groups(&self) -> Result<Vec<Listed>, Error> {
        let request = Request::new(NodeGroupsRequest {});
        let told = self
            .calls
            .call("NodeGroups", request, |mut client, request| async move {
                client.node_groups(request).await
            })
            .await?
            .node_groups;
        let mut listed: Vec<Listed> = Vec::new();
        let mut places: BTreeMap<String, usize> = BTreeMap::new();
        for group in told {
            if group.id.is_empty() {
                warn!(provider = self.name, debug = group.debug, "group without an id left out");
                continue;
            }
            let place = *places.entry(group.id.clone()).or_insert(listed.len());
            match listed.get_mut(place) {
                Some(twice) => twice.nonsense = Some("the group is listed twice".to_owned()),
                None => listed.push(Listed::new(group)),
            }
        }
        self.memory().set_groups(&listed);
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

    /// The group's machines now, each once.
    pub(crate) async fn machines(&self, group: &str) -> Result<Vec<Instance>, Error> {
        let request = Request::new(NodeGroupNodesRequest { id: group.to_owned() });
        let listed = self
            .calls
            .call("NodeGroupNodes", request, |mut client, request| async move {
                client.node_group_nodes(request).await
            })
            .await?
            .instances;
        let nonsense = |problem: String| self.nonsense(&format!("group {group}: {problem}"));
        let machines: Vec<Instance> =
            listed.iter().map(wire::instance::read).collect::<Result<_, _>>().map_err(nonsense)?;
        let mut ids = BTreeSet::new();
        match machines.iter().find(|machine| !ids.insert(&machine.id)) {
            Some(twice) => Err(nonsense(format!("machine {} is listed twice", twice.id))),
            None => Ok(machines),
        }
    }

    /// A reply that makes no sense.
    fn nonsense(&self, problem: &str) -> Error {
        Error::bug(format!("{}: {problem}", self.name))
    }

    /// All about a group; frozen when something of it cannot be relied on.
    async fn group(&self, listed: Listed) -> GroupState {
        let Listed { group, nonsense } = listed;
        let id = &group.id;
        let sizes = async { Ok((self.target(id).await?, self.machines(id).await?)) };
        let sizes: Result<_, Error> = sizes.await;
        let (extras, sense) = match &sizes {
            Ok(_) => self.extras(id).await,
            // It would be asked for in vain.
            Err(_) => (self.memory().extras.get(id).cloned().unwrap_or_default(), Ok(())),
        };
        let problem = nonsense
            .map(|problem| self.nonsense(&format!("group {id}: {problem}")).to_string())
            .or_else(|| sizes.as_ref().err().map(ToString::to_string))
            .or_else(|| {
                let nonsense = sense.err()?;
                Some(self.nonsense(&format!("group {id}: {nonsense}")).to_string())
            });
        let last = || self.memory().seen(Symbol::new(id));
        let (target, instances) = sizes.unwrap_or_else(|_| {
            last().map_or_else(Default::default, |last| (last.group.target, last.group.instances))
        });
        self.state(&group, (target, instances), &extras, problem)
    }

    fn state(
        &self,
        listed: &NodeGroup,
        (target, instances): (u32, Vec<Instance>),
        extras: &Extras,
        problem: Option<String>,
    ) -> GroupState {
        let options = extras.options.value().unwrap_or_else(|| self.defaults.clone());
        let bound = |size: i32| u32::try_from(size).unwrap_or_default();
        GroupState {
            overrides: wire::options::overrides(&options, &self.defaults),
            group: Group {
                id: Symbol::new(&listed.id),
                min: bound(listed.min_size),
                max: bound(listed.max_size).max(bound(listed.min_size)),
                target,
                price: extras.price.value(),
                template: extras.template.value().map(|template| template.node),
                instances,
                options,
                stock: None,
                frozen: problem.map(Into::into),
            },
            boot_time: None,
            about: listed.debug.as_str().into(),
        }
    }

    /// Freezes groups that have a machine in common: one of them lists a machine that is not its own.
    fn freeze_shared(&self, groups: &mut [GroupState]) {
        let mut owners: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (place, state) in groups.iter().enumerate() {
            for instance in &state.group.instances {
                owners.entry(&instance.id).or_default().push(place);
            }
        }
        let shared = owners.into_iter().filter(|(_, places)| places.len() > 1);
        let shared: Vec<(String, Vec<usize>)> =
            shared.map(|(machine, places)| (machine.to_owned(), places)).collect();
        for (machine, places) in shared {
            let names: Vec<_> = places.iter().map(|place| groups[*place].group.id).collect();
            let names: Vec<_> = names.iter().map(|id| id.as_str()).collect();
            let problem = format!("machine {machine} is listed by {}", names.join(" and "));
            for place in places {
                let frozen = &mut groups[place].group.frozen;
                frozen.get_or_insert_with(|| self.nonsense(&problem).to_string().into());
            }
        }
    }

    /// The label and kinds of GPU, which do not change while a server runs. A server that cannot tell has none, and is asked again.
    async fn gpu(&self) -> (Box<str>, Vec<Box<str>>) {
        if let Some(known) = self.memory().gpu.clone() {
            return known;
        }
        let request = Request::new(GpuLabelRequest {});
        let label = self
            .calls
            .call("GPULabel", request, |mut client, request| async move {
                client.gpu_label(request).await
            })
            .await;
        let request = Request::new(GetAvailableGpuTypesRequest {});
        let types = self
            .calls
            .call("GetAvailableGPUTypes", request, |mut client, request| async move {
                client.get_available_gpu_types(request).await
            })
            .await;
        let is_known = label.is_ok() && types.is_ok();
        let label: Box<str> = label.map(|reply| reply.label.into()).unwrap_or_default();
        let types = types.map(|reply| reply.gpu_types).unwrap_or_default();
        let told = (label, types.into_keys().map(Into::into).collect());
        if is_known {
            self.memory().gpu = Some(told.clone());
        }
        told
    }
}
