//! What there is, over all hosts.

use std::collections::BTreeSet;

use futures::future::{join_all, try_join_all};
use jiff::SignedDuration;
use plimsoll_model::{
    ErrorClass, Group, GroupOptions, Instance, InstanceError, InstanceState, Symbol,
};
use plimsoll_provider::{Bound, Error, GroupState, Inventory, Overrides};
use tracing::warn;

use super::{
    Core, count,
    members::{Cluster, Kind, uid_of},
    memory::{Memory, Seen},
    site::{Hosts, Site},
    surplus,
    verify::lack,
};
use crate::slicer::{
    client::{Machine, Status},
    config::GroupConfig,
    template, userdata,
    wire::HostGroup,
};

/// A machine boots in seconds; then k3s is fetched and started.
const USUAL_BOOT: SignedDuration = SignedDuration::from_secs(60);

/// What a host says of one of its groups; `None` for one that it does not have.
type Read = Option<(HostGroup, Vec<Machine>)>;

/// What a host says of its groups, with their place in the configuration.
struct Account {
    groups: Vec<(usize, Read)>,
    /// What host groups it has.
    offered: Vec<HostGroup>,
}

// === impl Core ===

impl Core {
    /// Reads all hosts. It fails when none can be read.
    pub(super) async fn look(&self) -> Result<Inventory, Error> {
        let hosts = self.hosts();
        let read = join_all(hosts.sites.iter().map(|site| read(&hosts, site))).await;
        if let Some(Err(first)) = read.first()
            && read.iter().all(Result::is_err)
        {
            return Err(first.clone());
        }
        let mut states: Vec<Option<GroupState>> = vec![None; hosts.config.groups.len()];
        let cluster = self.cluster(&hosts);
        let mut state = self.state();
        for (site, account) in hosts.sites.iter().zip(read) {
            match account {
                Ok(Account { groups, offered }) => {
                    for (place, read) in groups {
                        let Some(group) = hosts.config.groups.get(place) else { continue };
                        let host = site.client.place();
                        let told = match read {
                            Some(read) => tell(cluster, group, read, &mut state.memory)
                                .map_err(|lack| format!("{lack} at {host}")),
                            None => Err(lack(&host, &offered)),
                        };
                        let told =
                            told.map_err(|lack| format!("{}: {lack}", hosts.config.place(group)));
                        let told = told.unwrap_or_else(|reason| {
                            warn!(provider = &*self.name, reason, "a group is left alone");
                            frozen(group, &state.memory, &reason)
                        });
                        put(&mut states, place, told);
                    }
                }
                Err(error) => {
                    for place in &site.groups {
                        let Some(group) = hosts.config.groups.get(*place) else { continue };
                        let told = frozen(group, &state.memory, &error.to_string());
                        put(&mut states, *place, told);
                    }
                }
            }
        }
        drop(state);
        let groups = states.into_iter().flatten().collect();
        Ok(with_gpus(groups))
    }
}

/// The groups, with what is said of their GPUs.
fn with_gpus(groups: Vec<GroupState>) -> Inventory {
    let key = Symbol::new(userdata::GPU);
    let templates = groups.iter().filter_map(|state| state.group.template.as_deref());
    let types = templates.filter_map(|node| node.labels.get(key));
    let gpu_types: BTreeSet<Box<str>> = types.map(|kind| kind.as_str().into()).collect();
    let gpu_label = if gpu_types.is_empty() { "" } else { userdata::GPU };
    Inventory { groups, gpu_label: gpu_label.into(), gpu_types: gpu_types.into_iter().collect() }
}

fn put(states: &mut [Option<GroupState>], place: usize, told: GroupState) {
    if let Some(slot) = states.get_mut(place) {
        *slot = Some(told);
    }
}

/// All that a host says of the groups of the configuration, or an error.
async fn read(hosts: &Hosts, site: &Site) -> Result<Account, Error> {
    let offered = site.client.host_groups().await?;
    let named = |place: &usize| hosts.config.groups.get(*place).map(|group| &*group.name);
    let groups = try_join_all(site.groups.iter().map(|place| async {
        let offer = offered.iter().find(|offer| Some(&*offer.name) == named(place));
        let Some(offer) = offer else { return Ok((*place, None)) };
        let machines = site.client.machines(&offer.name).await?;
        Ok::<_, Error>((*place, Some((offer.clone(), machines))))
    }));
    let groups = groups.await?;
    Ok(Account { groups, offered })
}

/// A group as it was read; the error says what is missing on the host.
fn tell(
    cluster: Cluster<'_>,
    group: &GroupConfig,
    (offer, machines): (HostGroup, Vec<Machine>),
    memory: &mut Memory,
) -> Result<GroupState, String> {
    let template = template::node(group, &offer)?;
    let is_first = !memory.seen.contains_key(&group.name);
    memory.forget_others(&group.name, &machines);
    memory.watch(&group.name, &machines);
    let name = &*group.name;
    let mut state = empty(group);
    state.group.template = Some(template);
    // Which machines are the group's depends on how many the host keeps, so that is put down first.
    let seen = Seen { state: state.clone(), kept: offer.count, machines };
    let machines = seen.machines.clone();
    memory.seen.insert(group.name.clone(), seen);
    let members: Vec<&Machine> = memory.members(cluster, name, &machines).collect();
    let mut surplus = surplus::surplus(memory, name, &members);
    let listed = members.iter().map(|machine| {
        let told = instance(name, machine);
        let error = told.error.or_else(|| surplus.remove(&*machine.hostname));
        Instance { error, ..told }
    });
    state.group.instances = listed.collect();
    state.group.target = count(state.group.instances.len());
    if let Some(seen) = memory.seen.get_mut(&group.name) {
        seen.state = state.clone();
    }
    // Machines of an earlier autoscaler are known by their nodes, about which nobody has been able to ask yet.
    let untold = |machine: &Machine| {
        memory.kind(cluster, name, machine) == Kind::Untold
            && !memory.is_member(cluster, name, machine)
    };
    let strangers = machines.iter().filter(|machine| untold(machine)).count();
    if is_first && strangers > 0 {
        let reason = format!(
            "{strangers} machines have no tags; whether they are this cluster's is told by their nodes, from the next refresh on"
        );
        state.group.frozen = Some(reason.into());
    }
    let of_namesake = |machine: &&Machine| memory.kind(cluster, name, machine) == Kind::Namesakes;
    if let Some(machine) = machines.iter().find(of_namesake) {
        let others = machines.iter().filter(of_namesake).count();
        state.group.frozen = Some(namesake(cluster, machine, others).into());
    }
    if cluster.uid == Bound::Pending {
        state.group.frozen = Some(Error::unidentified().to_string().into());
    }
    Ok(state)
}

/// What it means that machines were made for another cluster of this name, and what to do about it.
fn namesake(cluster: Cluster<'_>, machine: &Machine, machines: usize) -> String {
    let Cluster { name, uid, .. } = cluster;
    let own = if let Bound::To(uid) = uid { uid } else { "unknown" };
    let other = uid_of(machine).unwrap_or("unknown");
    format!(
        "{machines} machines, such as {}, were made for another cluster called {name}: it has the uid {other}, and this one has {own}; \
         help: check --kubeconfig; if the cluster was built anew, delete these machines by hand, or set adopt-cluster-uid = {other} \
         in [global] to take them over",
        machine.hostname
    )
}

/// A group that cannot be read: as it was last seen, and not to be touched.
fn frozen(group: &GroupConfig, memory: &Memory, reason: &str) -> GroupState {
    let seen = memory.seen.get(&group.name).map(|seen| seen.state.clone());
    let mut state = seen.unwrap_or_else(|| empty(group));
    (state.group.min, state.group.max) = (group.min, group.max);
    state.group.frozen = Some(reason.into());
    state
}

/// A group as the configuration has it.
fn empty(group: &GroupConfig) -> GroupState {
    GroupState {
        group: Group {
            id: Symbol::new(&group.name),
            min: group.min,
            max: group.max,
            target: 0,
            price: group.price,
            template: None,
            instances: Vec::new(),
            options: GroupOptions::default(),
            stock: None,
            frozen: None,
        },
        overrides: Overrides::default(),
        boot_time: Some(USUAL_BOOT),
        about: format!("host group {} at {}", group.name, group.endpoint).into(),
    }
}

fn instance(group: &str, machine: &Machine) -> Instance {
    let error = (machine.status == Status::Stopped).then(|| InstanceError {
        class: ErrorClass::Other,
        code: "Stopped".into(),
        message: format!("{} ended by itself and is kept by its host", machine.hostname).into(),
    });
    Instance {
        id: userdata::provider_id(group, &machine.hostname),
        node: None,
        state: InstanceState::Running,
        created: machine.created,
        error,
    }
}
