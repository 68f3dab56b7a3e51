//! A provider for tests that says what it is told to say.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
};

use async_trait::async_trait;
use plimsoll_model::{Group, GroupOptions, Symbol};
use tokio::sync::Notify;

use crate::{
    Capabilities, Deletion, Error, GroupState, Inventory, NodeIdentity, Order, Overrides, Owner,
    Provider, Whose,
};

/// What happens at the next call.
#[derive(Debug)]
pub(crate) enum Act {
    Fail(Error),
    /// It never answers.
    Hang,
    /// It answers once it is told to.
    Wait(Arc<Notify>),
}

#[derive(Debug, Default)]
pub(crate) struct Scripted {
    pub name: String,
    pub script: Mutex<VecDeque<Act>>,
    /// Every call so far.
    pub calls: Mutex<Vec<String>>,
    pub groups: Mutex<Vec<GroupState>>,
}

// === impl Scripted ===

impl Scripted {
    pub(crate) fn new(name: &str, groups: &[&str]) -> Arc<Self> {
        let groups = groups.iter().map(|id| group(id)).collect();
        Arc::new(Self { name: name.to_owned(), groups: Mutex::new(groups), ..Self::default() })
    }

    pub(crate) fn then(&self, act: Act) {
        self.script.lock().unwrap().push_back(act);
    }

    pub(crate) fn fail(&self, times: usize, error: &Error) {
        for _ in 0..times {
            self.then(Act::Fail(error.clone()));
        }
    }

    pub(crate) fn calls(&self) -> Vec<String> {
        std::mem::take(&mut *self.calls.lock().unwrap())
    }

    async fn act(&self, call: String) -> Result<(), Error> {
        self.calls.lock().unwrap().push(call);
        let act = self.script.lock().unwrap().pop_front();
        match act {
            None => Ok(()),
            Some(Act::Fail(error)) => Err(error),
            Some(Act::Hang) => std::future::pending().await,
            Some(Act::Wait(gate)) => {
                gate.notified().await;
                Ok(())
            }
        }
    }
}

#[async_trait]
impl Provider for Scripted {
    fn name(&self) -> &str {
        &self.name
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities::default()
    }

    async fn refresh(&self) -> Result<Inventory, Error> {
        self.act("refresh".to_owned()).await?;
        Ok(Inventory { groups: self.groups.lock().unwrap().clone(), ..Inventory::default() })
    }

    async fn increase(&self, order: &Order) -> Result<u32, Error> {
        self.act(format!("increase {} by {}", order.group, order.count)).await?;
        let mut groups = self.groups.lock().unwrap();
        let grown = groups.iter_mut().find(|state| state.group.id == order.group);
        grown.ok_or_else(|| Error::not_found("no such group"))?.group.target += order.count;
        Ok(order.count)
    }

    async fn lower_target(&self, group: Symbol, target: u32) -> Result<u32, Error> {
        self.act(format!("lower {group} to {target}")).await?;
        Ok(target)
    }

    async fn delete(&self, group: Symbol, instances: &[Box<str>]) -> Result<Vec<Deletion>, Error> {
        self.act(format!("delete {} of {group}", instances.join(","))).await?;
        Ok(Vec::new())
    }

    async fn owner(&self, node: &NodeIdentity) -> Result<Whose, Error> {
        self.act(format!("owner of {}", node.name)).await?;
        let groups = self.groups.lock().unwrap();
        let owned = groups.iter().find(|state| node.name.starts_with(state.group.id.as_str()));
        let owner = |state: &GroupState| Owner { group: state.group.id, instance: None };
        Ok(owned.map(owner).into())
    }
}

fn group(id: &str) -> GroupState {
    GroupState {
        group: Group {
            id: Symbol::new(id),
            min: 0,
            max: 10,
            target: 0,
            price: None,
            template: None,
            instances: Vec::new(),
            options: GroupOptions::default(),
            stock: None,
            frozen: None,
        },
        overrides: Overrides::default(),
        boot_time: None,
        about: "".into(),
    }
}
