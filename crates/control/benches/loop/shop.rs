//! A provider that takes orders and tells when.

use std::sync::atomic::{AtomicU32, Ordering};

use async_trait::async_trait;
use plimsoll_model::{Group, GroupOptions, Instance, InstanceState, Symbol};
use plimsoll_provider::{
    Capabilities, Deletion, GroupState, Inventory, NodeIdentity, Order, Overrides, Owner, Provider,
    Whose,
};
use tokio::{sync::mpsc, time::Instant};

/// A provider that takes every order, and whose new machines never come.
#[derive(Debug)]
pub(crate) struct Shop {
    nodes: u32,
    target: AtomicU32,
    calls: mpsc::UnboundedSender<Instant>,
}

// === impl Shop ===

impl Shop {
    /// With machines that run, and where to tell of orders.
    pub(crate) fn new(nodes: u32, calls: mpsc::UnboundedSender<Instant>) -> Self {
        Self { nodes, target: AtomicU32::new(nodes), calls }
    }
}

#[async_trait]
impl Provider for Shop {
    fn name(&self) -> &'static str {
        "shop"
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities::default()
    }

    async fn refresh(&self) -> Result<Inventory, plimsoll_provider::Error> {
        let instances = (0..self.nodes).map(|number| Instance {
            id: format!("shop://node-{number}").into(),
            node: None,
            state: InstanceState::Running,
            created: None,
            error: None,
        });
        let group = Group {
            id: Symbol::new("group"),
            min: 0,
            max: 100_000,
            target: self.target.load(Ordering::Relaxed),
            price: None,
            template: None,
            instances: instances.collect(),
            options: GroupOptions::default(),
            stock: None,
            frozen: None,
        };
        let state = GroupState {
            group,
            overrides: Overrides::default(),
            boot_time: None,
            about: "".into(),
        };
        Ok(Inventory { groups: vec![state], ..Inventory::default() })
    }

    async fn increase(&self, order: &Order) -> Result<u32, plimsoll_provider::Error> {
        self.target.store(order.from + order.count, Ordering::Relaxed);
        // Nobody waits for calls in the end.
        let _ = self.calls.send(Instant::now());
        Ok(order.count)
    }

    async fn lower_target(&self, _: Symbol, target: u32) -> Result<u32, plimsoll_provider::Error> {
        Ok(target)
    }

    async fn delete(
        &self,
        _: Symbol,
        _: &[Box<str>],
    ) -> Result<Vec<Deletion>, plimsoll_provider::Error> {
        Ok(Vec::new())
    }

    async fn owner(&self, node: &NodeIdentity) -> Result<Whose, plimsoll_provider::Error> {
        let instance = Some(node.provider_id.as_str().into());
        Ok(Whose::Machine(Owner { group: Symbol::new("group"), instance }))
    }
}
