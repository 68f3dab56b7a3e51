//! A plan that is carried out to the letter: what the next pass finds of it.

use std::collections::BTreeMap;

use plimsoll_model::{Order, OrderId, ScaleUp, Symbol, World};

use super::{Plan, Repair};

// === impl Plan ===

impl Plan {
    /// The orders that the next pass finds when every scale-up of this plan is accepted: those that are still open, and one for each
    /// group that is scaled up. The running loop has orders of its own; this is for simulations.
    pub fn orders_after(&self, world: &World) -> Vec<Order<ScaleUp>> {
        let is_open = |order: &&Order<ScaleUp>| self.open_orders.binary_search(&order.id).is_ok();
        let mut orders: Vec<Order<ScaleUp>> =
            world.orders.iter().filter(is_open).cloned().collect();
        let mut added: BTreeMap<Symbol, u32> = BTreeMap::new();
        let raised = self.repairs.iter().filter_map(|repair| match repair {
            Repair::RaiseToMin { group, from, to } => Some((*group, to - from)),
            Repair::DeleteInstance { .. } | Repair::LowerTarget { .. } => None,
        });
        let bought = self.purchases.iter().map(|one| (one.group, one.to - one.from));
        for (group, count) in raised.chain(bought) {
            *added.entry(group).or_default() += count;
        }
        // Two passes of one moment would be one pass.
        let moment = world.now.as_nanosecond().unsigned_abs();
        for (number, (group, count)) in added.into_iter().enumerate() {
            if let Some(id) = OrderId::new(&format!("order-{moment}-{number}")) {
                orders.push(Order::placed(id, group, count, world.now));
            }
        }
        orders
    }
}
