//! What there is, as it is given out: in pages of one moment.

use std::{ops::Range, sync::Arc};

use plimsoll_model::{Group, GroupOptions, Instance, InstanceState, Symbol};
use plimsoll_provider::{Error, GroupState, Owner, Whose};

use super::{
    Cloud, Request,
    state::{Held, Number, Phase, Shelf, State},
};
use crate::simulated::machine::provider_id;

/// Everything that there was at one moment: the groups, then their machines.
#[derive(Debug)]
pub(in crate::simulated) struct Listing(Vec<Item>);

/// One thing that is there.
#[derive(Clone, Debug)]
pub(in crate::simulated) enum Item {
    /// A group, whose machines follow.
    Group(Box<GroupState>),
    /// A machine of a group.
    Machine(Symbol, Instance),
}

/// A part of a listing, as it arrives.
#[derive(Debug)]
pub(in crate::simulated) struct Page {
    listing: Arc<Listing>,
    /// What this page was to hold.
    range: Range<usize>,
    /// What of it has arrived.
    pub(in crate::simulated) items: Vec<Item>,
}

// === impl Cloud ===

impl Cloud {
    /// Every machine with its group, whatever happens to requests.
    pub fn instances(&self) -> Vec<(Symbol, Instance)> {
        let state = self.state();
        let listed = state
            .machines
            .values()
            .filter_map(|held| Some((held.machine.group, state.instance(held)?)));
        listed.collect()
    }

    /// The target of a group, whatever happens to requests; zero for one that is not there.
    pub fn target(&self, group: Symbol) -> u32 {
        self.state().target(group)
    }

    /// Asks for the beginning of a new listing.
    pub(in crate::simulated) async fn list(&self) -> Result<Page, Error> {
        self.send(Request::Read, |state, _| {
            let listing = Arc::new(state.listing());
            Ok(Page::of(listing, 0, state))
        })
        .await
    }

    /// Asks for the page after this one; `None` after the last.
    pub(in crate::simulated) async fn list_on(&self, page: &Page) -> Result<Option<Page>, Error> {
        if page.range.end >= page.listing.0.len() {
            return Ok(None);
        }
        let (listing, start) = (Arc::clone(&page.listing), page.range.end);
        self.send(Request::Read, |state, _| Ok(Some(Page::of(listing, start, state)))).await
    }
}

// === impl Page ===

impl Page {
    fn of(listing: Arc<Listing>, start: usize, state: &mut State) -> Self {
        let all = &listing.0;
        let end = start.saturating_add(state.faults.page_size.max(1)).min(all.len());
        let range = start..end;
        let mut items = all.get(range.clone()).unwrap_or_default().to_vec();
        if state.faults.cuts_page() {
            items.truncate(items.len() / 2);
        }
        Self { listing, range, items }
    }

    /// Whether everything has arrived that the page was to hold.
    pub(in crate::simulated) fn is_whole(&self) -> bool {
        self.items.len() == self.range.len()
    }
}

// === impl State ===

impl State {
    /// The machine of this id, unless it is only ordered.
    pub(in crate::simulated) fn find(&self, id: &str) -> Option<(Number, &Held)> {
        let is_meant = |held: &Held| &*held.machine.id == id && held.phase != Phase::Ordered;
        let (number, held) = self.machines.iter().find(|(_, held)| is_meant(held))?;
        Some((*number, held))
    }

    /// Whose machine this is. An id says which group it was given in, so one that nobody has is that of a machine that is gone.
    pub(in crate::simulated) fn whose(&self, id: &str) -> Whose {
        let owner = |group| Owner { group, instance: Some(id.into()) };
        if let Some((_, held)) = self.find(id) {
            return Whose::Machine(owner(held.machine.group));
        }
        let mut groups = self.groups.iter().map(|shelf| shelf.offer.id);
        let group = groups.find(|group| id.starts_with(&*provider_id(group.as_str(), "")));
        group.map_or(Whose::Nobodys, |group| Whose::Gone(owner(group)))
    }

    fn listing(&self) -> Listing {
        let groups = self.groups.iter().map(|shelf| Item::Group(Box::new(self.group(shelf))));
        let machines = self
            .machines
            .values()
            .filter_map(|held| Some(Item::Machine(held.machine.group, self.instance(held)?)));
        Listing(groups.chain(machines).collect())
    }

    fn group(&self, shelf: &Shelf) -> GroupState {
        let offer = &shelf.offer;
        let boot_time = offer.delivery.usual().saturating_add(offer.boot.usual());
        let stock = match (shelf.stock, self.quota) {
            (None, None) => None,
            (stock, _) => Some(stock.unwrap_or(u32::MAX).min(self.quota_left())),
        };
        GroupState {
            group: Group {
                id: offer.id,
                min: offer.min,
                max: offer.max,
                target: self.target(offer.id),
                price: offer.price,
                template: Some(Arc::clone(offer.template.node())),
                instances: Vec::new(),
                options: GroupOptions::default(),
                stock,
                frozen: None,
            },
            overrides: offer.options.clone(),
            boot_time: Some(boot_time),
            about: format!("simulated, boots in about {boot_time:#}").into(),
        }
    }

    /// The machine as it is listed; one that is only ordered is not there yet.
    fn instance(&self, held: &Held) -> Option<Instance> {
        let machine = &held.machine;
        let (state, error) = match &held.phase {
            Phase::Ordered => return None,
            Phase::Creating => (InstanceState::Creating, None),
            Phase::Failed(error) => (InstanceState::Creating, Some(error.clone())),
            Phase::Running => (InstanceState::Running, None),
            Phase::Deleting => (InstanceState::Deleting, None),
        };
        let has_joined = state == InstanceState::Running;
        // The service tells the time by its own clock.
        let ordered = machine.ordered.checked_add(self.faults.skew).unwrap_or(machine.ordered);
        Some(Instance {
            id: machine.id.clone(),
            node: has_joined.then(|| Symbol::new(&machine.name)),
            state,
            created: Some(ordered),
            error,
        })
    }
}
