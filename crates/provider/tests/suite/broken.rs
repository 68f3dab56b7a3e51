//! Providers that break one promise each.

use std::{
    collections::BTreeMap,
    fmt,
    future::pending,
    sync::{
        Arc, Mutex, MutexGuard,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use plimsoll_model::Symbol;
use plimsoll_provider::{
    Capabilities, Class, Deletion, Error, GroupSpec, Inventory, NodeIdentity, Order, OrderId,
    Owner, Provider, Whose,
};

pub(crate) use self::flaw::Flaw;
use crate::honest::{
    Honest,
    service::{Service, State, TOKEN},
};

mod deletions;
mod flaw;
mod inventories;
mod orders;

/// Less than a request takes in a slow service.
const IMPATIENCE: Duration = Duration::from_millis(50);

/// Numbers that are never given twice in this process.
static NUMBERS: AtomicU32 = AtomicU32::new(0);

/// An honest provider, and what goes wrong around it.
pub(crate) struct Broken {
    honest: Honest,
    service: Arc<Service>,
    flaw: Flaw,
    name: String,
    /// What the first refresh and the last one saw.
    first: Mutex<Option<Inventory>>,
    last: Mutex<Option<Inventory>>,
    /// What it remembers of orders.
    orders: Mutex<BTreeMap<OrderId, OrderId>>,
    owners: Mutex<BTreeMap<String, Owner>>,
    /// How often something happened that it should have forgotten.
    grudge: AtomicU32,
    /// How many calls are under way.
    busy: AtomicU32,
}

/// A call that is under way.
struct Busy<'a>(&'a AtomicU32);

// === impl Broken ===

impl Broken {
    pub(crate) fn new(honest: Honest, service: Arc<Service>, flaw: Flaw) -> Self {
        let name = match flaw {
            Flaw::NamesItselfAnew => format!("broken-{}", number()),
            _ => "broken".to_owned(),
        };
        Self {
            honest,
            service,
            flaw,
            name,
            first: Mutex::default(),
            last: Mutex::default(),
            orders: Mutex::default(),
            owners: Mutex::default(),
            grudge: AtomicU32::new(0),
            busy: AtomicU32::new(0),
        }
    }

    fn is(&self, flaw: Flaw) -> bool {
        self.flaw == flaw
    }

    /// The infrastructure by the back door.
    fn truth(&self) -> MutexGuard<'_, State> {
        self.service.state()
    }

    /// Marks a call as under way, and what a flaw makes of the others.
    async fn enter(&self) -> Result<Busy<'_>, Error> {
        let others = self.busy.fetch_add(1, Ordering::SeqCst);
        let busy = Busy(&self.busy);
        if self.is(Flaw::WaitsForItself) && others > 0 {
            pending::<()>().await;
        }
        if self.is(Flaw::NeedsARefreshFirst) && self.last.lock().unwrap().is_none() {
            return Err(Error::bug("refresh first"));
        }
        Ok(busy)
    }

    /// Whether another call is under way.
    fn is_busy(&self) -> bool {
        self.busy.load(Ordering::SeqCst) > 1
    }

    /// What a flaw makes of an error.
    fn told<T>(&self, answer: Result<T, Error>) -> Result<T, Error> {
        answer.map_err(|error| match self.flaw {
            Flaw::EverythingIsABug => Error::bug(error.to_string()),
            Flaw::EverythingIsRetry => Error::retry(error.to_string()),
            Flaw::SaysNothing => Error::new(error.class(), ""),
            Flaw::TellsTheToken => Error::new(error.class(), format!("{error} ({TOKEN})")),
            _ => error,
        })
    }

    /// The group that a flaw takes this name for.
    fn resolve(&self, group: Symbol) -> Symbol {
        match self.flaw {
            Flaw::FoldsNames => {
                let truth = self.truth();
                let mut same = truth.groups.keys().filter(|id| fold(**id) == fold(group));
                same.next().copied().unwrap_or(group)
            }
            Flaw::UsesThePlainGroup => Symbol::new("plain"),
            _ => group,
        }
    }

    fn knows(&self, group: Symbol) -> bool {
        self.truth().groups.contains_key(&group)
    }
}

impl fmt::Debug for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Broken")
    }
}

#[async_trait]
impl Provider for Broken {
    fn name(&self) -> &str {
        &self.name
    }

    fn capabilities(&self) -> Capabilities {
        let prices = !self.is(Flaw::HasPricesSecretly);
        let honest = self.honest.capabilities();
        Capabilities { prices: honest.prices && prices, ..honest }
    }

    async fn refresh(&self) -> Result<Inventory, Error> {
        self.first.lock().unwrap().get_or_insert_default();
        self.last.lock().unwrap().get_or_insert_default();
        let _busy = self.enter().await?;
        self.told(self.look().await)
    }

    async fn increase(&self, order: &Order) -> Result<u32, Error> {
        let _busy = self.enter().await?;
        let order = Order { group: self.resolve(order.group), ..order.clone() };
        if self.is(Flaw::TakesUnknownGroups) && !self.knows(order.group) {
            return Ok(order.count);
        }
        self.told(self.order(&order).await)
    }

    async fn lower_target(&self, group: Symbol, target: u32) -> Result<u32, Error> {
        let _busy = self.enter().await?;
        let group = self.resolve(group);
        if self.is(Flaw::TakesUnknownGroups) && !self.knows(group) {
            return Ok(0);
        }
        self.told(self.lower(group, target).await)
    }

    async fn delete(&self, group: Symbol, instances: &[Box<str>]) -> Result<Vec<Deletion>, Error> {
        let _busy = self.enter().await?;
        let group = self.resolve(group);
        if self.is(Flaw::TakesUnknownGroups) && !self.knows(group) {
            return Ok(deletions::fine(instances));
        }
        self.told(self.remove(group, instances).await)
    }

    async fn owner(&self, node: &NodeIdentity) -> Result<Whose, Error> {
        if self.is(Flaw::OwnsNothingAtFirst) && self.last.lock().unwrap().is_none() {
            return Ok(Whose::Nobodys);
        }
        let plain = Owner { group: Symbol::new("plain"), instance: None };
        if self.is(Flaw::TakesSilenceForDeath) && self.honest.refresh().await.is_err() {
            return Ok(Whose::Gone(plain));
        }
        let found = self.honest.owner(node).await?.machine();
        let mut known = self.owners.lock().unwrap();
        known.extend(found.clone().map(|owner| (node.name.clone(), owner)));
        Ok(match self.flaw {
            Flaw::OwnsNothing => Whose::Nobodys,
            Flaw::OwnsEveryNode => found.or(Some(plain)).into(),
            Flaw::RemembersOwners => found.or_else(|| known.get(&node.name).cloned()).into(),
            Flaw::BuriesEveryNode => found.map_or(Whose::Gone(plain), Whose::Machine),
            Flaw::BuriesInTheWrongGroup if found.is_none() && known.contains_key(&node.name) => {
                Whose::Gone(Owner { group: Symbol::new("elsewhere"), instance: None })
            }
            _ => found.into(),
        })
    }

    async fn create_group(&self, spec: &GroupSpec) -> Result<Symbol, Error> {
        let name = match self.flaw {
            Flaw::MakesGroupsAgain => format!("{}-{}", spec.name, number()).into(),
            Flaw::DoesNotMakeGroups | Flaw::PretendsToMakeGroups => {
                return Ok(Symbol::new(&spec.name));
            }
            _ => spec.name.clone(),
        };
        self.honest.create_group(&GroupSpec { name, ..spec.clone() }).await
    }

    async fn delete_group(&self, group: Symbol) -> Result<(), Error> {
        match self.flaw {
            Flaw::KeepsGroups => return Ok(()),
            Flaw::RemovesFullGroups => {
                let mut truth = self.truth();
                truth.machines.retain(|_, record| record.machine.group != Some(group));
            }
            _ => {}
        }
        self.honest.delete_group(group).await
    }

    async fn close(&self) {
        if self.is(Flaw::ClosesTheShop) {
            let mut truth = self.truth();
            let all: Vec<_> = truth.machines.keys().cloned().collect();
            for id in all {
                // What cannot be deleted stays.
                let _ = truth.delete(&id);
            }
        }
    }
}

// === impl Busy ===

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

fn number() -> u32 {
    NUMBERS.fetch_add(1, Ordering::SeqCst)
}

/// A name without what is hard to carry.
fn fold(name: Symbol) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    name.as_str().chars().map(plain).take(63).collect()
}

fn out_of_capacity() -> Error {
    Error::new(Class::OutOfCapacity, "nothing left")
}
