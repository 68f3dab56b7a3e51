//! The contract that every infrastructure implements, and what is built once around all of them.
//!
//! ```text
//!  control, extgrpc server
//!        │
//!      Fleet        several providers as one: ids that stay apart, an outage that stays at home
//!        │
//!      Keeper       refreshes in the background and hands out the last inventory with its age
//!        │
//!      Steady       deadlines, retries with jitter, a rate limit, a circuit breaker
//!        │
//!    [Provider]     one infrastructure: what there is, and wishes about it
//! ```
//!
//! A provider says what there is ([`Provider::refresh`]) and takes wishes ([`Provider::increase`], [`Provider::lower_target`],
//! [`Provider::delete`]). A wish is written down and answered at once; whether it came true is seen by a later refresh.
//! **Every call may be repeated**: orders carry a name, targets are absolute, deletions name their machines. So whoever gets no
//! answer asks again, and nothing in front of a provider has to know what may be repeated and what may not.
//!
//! The suite in [`conformance`] checks an implementation against what is promised here. To run it on a provider of your own,
//! implement [`conformance::Testbed`] for an emulator of its service.

use std::{fmt, time::Duration};

use async_trait::async_trait;
use plimsoll_model::Symbol;

pub mod conformance;
mod error;
mod fleet;
mod hold;
mod home;
mod inventory;
mod keeper;
mod order;
#[cfg(test)]
mod scripted;
mod steady;
mod steer;

pub use error::{Class, Error, LONGEST_PAUSE};
pub use fleet::{Fleet, GroupName, SameName, Upkeep};
pub use hold::{HoldBack, Until, Which};
pub use home::{Binding, Bound, Home};
pub use inventory::{GroupState, Inventory, NodeIdentity, Overrides, Owner, Whose};
pub use keeper::{Keeper, Kept, Ticket};
pub use order::{Capabilities, Deletion, GroupSpec, Order};
pub use plimsoll_model::OrderId;
pub use steady::{Call, Limits, Observer, Steady};
pub use steer::Steer;

/// An infrastructure that starts and stops machines.
///
/// Calls on one value may overlap. None of them waits for a machine: each answers as soon as the wish is on record, within the
/// time that one or a few requests to the service take. None of them retries, sleeps between attempts or limits its own rate:
/// that is done around every provider in the same way.
///
/// What a class of error means is the same for every call, see [`Class`].
#[async_trait]
pub trait Provider: fmt::Debug + Send + Sync {
    /// What it is called in messages, and what its groups' ids begin with where two providers have a group of the same name.
    fn name(&self) -> &str;

    /// What it can do beyond what every provider must.
    fn capabilities(&self) -> Capabilities;

    /// How long one attempt at a call of this method may take, where `usual` is what callers give. A provider that gives each of its
    /// requests a limit of its own, and makes many for one call, needs longer.
    fn deadline(&self, _method: &str, usual: Duration) -> Duration {
        usual
    }

    /// Tells which node a machine is that is about to be deleted, as the API server has it at this moment. Some infrastructures know
    /// machines by the names of their nodes only. A machine that no node says to be is introduced as
    /// [unregistered](NodeIdentity::unregistered). The default does nothing.
    fn introduce(&self, _group: Symbol, _instance: &str, _node: &NodeIdentity) {}

    /// What a person should know of a group that is used although part of it could not be read, in sentences that follow "group NAME:".
    /// The default has nothing to say.
    fn remarks(&self, _group: Symbol) -> Vec<String> {
        Vec::new()
    }

    /// Looks at the infrastructure and tells what is there.
    ///
    /// - **Complete or an error.** A page that could not be read, a reply that was cut short or makes no sense is an error, never
    ///   a shorter list: what is missing from an inventory is taken to be gone.
    /// - Machines that are being made or deleted are in it, and those that will not come up, with the reason.
    /// - What earlier calls were told is in it: a refresh after an increase that was answered shows the new target.
    /// - The order of groups and machines is the same from call to call while nothing changes.
    /// - **Looking changes nothing.** What becomes of the target when a machine vanishes by itself is the infrastructure's affair: in
    ///   some it falls, in others it stays and another machine is made. The inventory tells which, and the provider makes up for
    ///   nothing. What the target has too much then is given up with [`Provider::lower_target`].
    async fn refresh(&self) -> Result<Inventory, Error>;

    /// Asks for `order.count` more machines in a group.
    ///
    /// - **Idempotent in `order.id`**: the same order again, after a timeout or a restart of either side, buys nothing more and is
    ///   answered like the first. A service that cannot keep the name compares its target with `order.from` instead: once the
    ///   target is at `from + count`, or above, the order has been served; otherwise it buys what is missing, and never more than
    ///   `count`. A target tells nothing of an order any more when machines were deleted since, so **whoever orders from a provider
    ///   without `order_ids` deletes nothing in a group that has an order without an answer**; then this is as good as a name.
    /// - **An order that was refused is over.** It bought nothing and is not remembered as served. Whoever wants to try again takes a
    ///   new name: placed under the old one it may be refused as before or be tried anew, as the service has it, and buys once at
    ///   most.
    /// - **Partial success is success.** The answer says how many machines the order has in all, those of earlier attempts
    ///   included: at least one, and never more than `order.count`. A provider that [cannot tell](Capabilities::counts_orders)
    ///   answers with `order.count`; what could not be had is seen by a refresh then, as a target that did not rise all the way or
    ///   as instances with an error.
    ///
    /// Errors: `OutOfCapacity` and `Quota` when *nothing* could be had; `Invalid` when the target would be above the group's maximum
    /// or the count is zero; `NotFound` for an unknown group. In all these cases nothing was bought.
    async fn increase(&self, order: &Order) -> Result<u32, Error>;

    /// Gives up what was ordered and has not arrived, until the group's target is `target`. Answers with the target it then has.
    ///
    /// - No machine that exists is touched, whatever its state: the answer is above `target` when more machines than that are
    ///   there. To get rid of those, name them in [`Provider::delete`].
    /// - A target that is at or below `target` already stays as it is.
    ///
    /// Errors: `NotFound` for an unknown group.
    async fn lower_target(&self, group: Symbol, target: u32) -> Result<u32, Error>;

    /// Deletes these machines of a group, and lowers its target by as many.
    ///
    /// - **Only this group's.** If one of them is known to belong to another group, or to none
    ///   ([`strangers`](Capabilities::strangers)), the whole call is refused as `Invalid` and nothing is deleted. A provider that sees
    ///   the machines of its groups only answers `NotFound` for one that belongs to none, and leaves it alone.
    /// - **Now or not at all.** Whoever deletes has just made sure that nothing runs on these machines. So a deletion does not wait long
    ///   for other calls, and one whose caller has given up waiting is not begun later.
    /// - Answers for each machine, in the order asked. One that is being deleted already is `Ok`, lowers the target no second time
    ///   and goes on going: its deletion is not begun anew. One that does not exist is `NotFound` for that machine: it is gone, which
    ///   is what was wanted.
    /// - A machine that the service protects is refused for that machine (`Invalid`); the others are deleted.
    /// - The group's minimum is the caller's concern: a machine that is broken may have to go first and be replaced then. Only a
    ///   provider that [keeps the minimum](Capabilities::keeps_minimum) refuses a deletion that would bring the target below it, if
    ///   machines that run are among the named: the whole call is `Invalid` and nothing is deleted. The same call is fine as soon as
    ///   the group is larger. Machines that are being made or did not come up may go there as well.
    ///
    /// Errors of the whole call: `NotFound` for an unknown group; `Retry` when the service is away and nothing is known of any.
    async fn delete(&self, group: Symbol, instances: &[Box<str>]) -> Result<Vec<Deletion>, Error>;

    /// Which group and machine a node is.
    ///
    /// Answers from what the last refresh saw where it can. Before the first refresh it asks the service, or fails as `Retry`: that a
    /// node is nobody's, or that its machine is gone, is not known by whoever has not looked.
    ///
    /// A node whose machine is gone belongs to no group any more. A provider that knows its machines' nodes by what they say of
    /// themselves (an id that only it gives, its labels) answers [`Whose::Gone`] with the group and the machine that the node names:
    /// then whoever asks removes the Node once it has been silent for a while. **Only for a machine that the last complete look at its
    /// group did not find**: a service that is away makes nothing gone, and neither does a node that may be somebody else's. A provider
    /// that cannot tell answers [`Whose::Nobodys`], and the Node is left to others.
    async fn owner(&self, node: &NodeIdentity) -> Result<Whose, Error>;

    /// Makes a group. The same specification again is answered with the same id and makes no second one.
    async fn create_group(&self, spec: &GroupSpec) -> Result<Symbol, Error> {
        Err(Error::unsupported(format!("{} cannot make a group like {}", self.name(), spec.name)))
    }

    /// Removes a group that has no machines. One that does not exist is `Ok`; one that still has machines is `Invalid`.
    async fn delete_group(&self, group: Symbol) -> Result<(), Error> {
        Err(Error::unsupported(format!("{} cannot remove the group {group}", self.name())))
    }

    /// Lets go of what it holds: connections, sessions. The last call; the default does nothing.
    async fn close(&self) {}
}
