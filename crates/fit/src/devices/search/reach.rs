//! What was chosen, and from which nodes it can be used.

use plimsoll_model::{
    AllocatedWhere, DeviceReach, NameRequirement, NodeAffinity, NodeTerm, Symbol,
};

use super::Chosen;
use crate::devices::{Given, ledger::Allotment};

/// What was chosen, and where it can be used from now on.
pub(super) fn allotment(chosen: &[Chosen<'_>], node: Symbol) -> Allotment {
    let devices = chosen.iter().map(|one| Given {
        id: one.candidate.id,
        admin: one.admin,
        shared: one.candidate.device().shareable,
        consumed: one.consumed.clone(),
    });
    Allotment { devices: devices.collect(), reach: reach(chosen, node) }
}

fn reach(chosen: &[Chosen<'_>], node: Symbol) -> AllocatedWhere {
    let mut term = NodeTerm::default();
    for one in chosen {
        let (slice, device) = (&one.candidate.slice, one.candidate.device());
        let reach = match &slice.reach {
            DeviceReach::PerDevice => &device.reach,
            reach => reach,
        };
        match reach {
            _ if device.binds_to_node => return only(node),
            DeviceReach::Node(_) => return only(node),
            DeviceReach::Nodes(nodes) => {
                if let Some([more]) = nodes.terms.as_deref() {
                    term = term.with(more);
                }
            }
            DeviceReach::Everywhere | DeviceReach::PerDevice | DeviceReach::Unknown => {}
        }
    }
    if term == NodeTerm::default() {
        return AllocatedWhere::Everywhere;
    }
    let terms = Some([term].into());
    AllocatedWhere::Nodes(NodeAffinity { terms, ..NodeAffinity::default() })
}

fn only(node: Symbol) -> AllocatedWhere {
    let names = [NameRequirement { name: node, negated: false }].into();
    let terms = Some([NodeTerm { names, ..NodeTerm::default() }].into());
    AllocatedWhere::Nodes(NodeAffinity { terms, ..NodeAffinity::default() })
}
