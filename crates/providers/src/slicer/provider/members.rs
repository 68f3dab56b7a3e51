//! Which machines of a host group are a group's.

use crate::slicer::client::Machine;

/// Says which cluster a machine was made for.
const CLUSTER: &str = "plimsoll-cluster=";

/// Says which order it was made for.
const ORDER: &str = "plimsoll-order=";

/// Whose machine it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// It was made for this cluster.
    Own,
    /// Nobody said: made by upstream's autoscaler, or by hand. It is the group's once its node says that it is in this cluster.
    Untold,
    /// The host itself keeps it, or it was made for another cluster.
    Foreign,
}

/// The tags of a machine that is made for an order.
pub(super) fn tags(cluster: &str, order: &str) -> Vec<String> {
    vec![format!("{CLUSTER}{cluster}"), format!("{ORDER}{order}")]
}

/// Whether a machine was made for this order.
pub(super) fn is_of_order(machine: &Machine, order: &str) -> bool {
    machine.tags.iter().any(|tag| tag.strip_prefix(ORDER) == Some(order))
}

/// Whose machine it is, where the host keeps so many by itself.
pub(super) fn kind(machine: &Machine, cluster: &str, group: &str, kept: u32) -> Kind {
    if machine.protected {
        return Kind::Foreign;
    }
    let named = machine.tags.iter().find_map(|tag| tag.strip_prefix(CLUSTER));
    match named {
        Some(named) if named == cluster => Kind::Own,
        Some(_) => Kind::Foreign,
        None if is_kept(&machine.hostname, group, kept) => Kind::Foreign,
        None => Kind::Untold,
    }
}

/// Whether a machine of this name is one that the host starts by itself: the first numbers are theirs.
pub(super) fn is_kept(hostname: &str, group: &str, kept: u32) -> bool {
    // A machine is called like its group, with a number after it.
    let number = hostname.strip_prefix(group).and_then(|rest| rest.strip_prefix('-'));
    number.and_then(|number| number.parse().ok()).is_some_and(|number: u32| number <= kept)
}

#[cfg(test)]
mod tests {
    use super::{Kind, is_of_order, kind, tags};
    use crate::slicer::client::{Machine, Status};

    fn machine(hostname: &str, tags: Vec<String>) -> Machine {
        let status = Status::Running;
        Machine { hostname: hostname.into(), created: None, tags, status, protected: false }
    }

    #[test]
    fn tags_say_whose_it_is_and_numbers_what_the_host_keeps() {
        let own = machine("api-1", tags("here", "order-1"));
        assert_eq!(kind(&own, "here", "api", 3), Kind::Own);
        assert_eq!(kind(&own, "her", "api", 0), Kind::Foreign);
        assert!(is_of_order(&own, "order-1"));
        assert!(!is_of_order(&own, "order-11") && !is_of_order(&own, "order"));
        let untold = machine("api-2", vec!["plimsoll".to_owned()]);
        assert_eq!(kind(&untold, "here", "api", 1), Kind::Untold);
        assert_eq!(kind(&untold, "here", "api", 2), Kind::Foreign);
        assert_eq!(kind(&machine("api-x-1", vec![]), "here", "api", 2), Kind::Untold);
        let kept = Machine { protected: true, ..own };
        assert_eq!(kind(&kept, "here", "api", 0), Kind::Foreign);
    }
}
