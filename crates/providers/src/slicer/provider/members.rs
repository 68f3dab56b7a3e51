//! Which machines of a host group are a group's.

use plimsoll_provider::Bound;

use crate::slicer::{client::Machine, config::Config};

/// Says which cluster a machine was made for.
const CLUSTER: &str = "plimsoll-cluster=";

/// Says which cluster that is beyond doubt: two may be called the same.
const CLUSTER_UID: &str = "plimsoll-cluster-uid=";

/// Says which order it was made for.
const ORDER: &str = "plimsoll-order=";

/// Says how many machines that order asked for.
const ORDER_SIZE: &str = "plimsoll-order-size=";

/// The cluster that machines are to be for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cluster<'c> {
    /// What the file calls it.
    pub(super) name: &'c str,
    /// What the API server says it is.
    pub(super) uid: Bound<'c>,
    /// The uid of a cluster whose machines it takes over.
    pub(super) adopted_uid: Option<&'c str>,
}

/// Whose machine it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// It was made for this cluster.
    Own,
    /// It has no tags: made by upstream's autoscaler, or by hand. It is the group's once its node proves that it is in this cluster.
    Untold,
    /// It was made for another cluster that is called like this one: one that was built anew, or one that somebody mistook for it.
    Namesakes,
    /// The host itself keeps it, or it was made for another cluster.
    Foreign,
}

// === impl Cluster ===

impl<'c> Cluster<'c> {
    pub(super) fn new(config: &'c Config, uid: Bound<'c>) -> Self {
        Self { name: &config.cluster, uid, adopted_uid: config.adopted_uid.as_deref() }
    }

    /// The tags of a machine that is made for an order of `size` machines.
    pub(super) fn tags(&self, order: &str, size: u32) -> Vec<String> {
        let mut tags = vec![
            format!("{CLUSTER}{}", self.name),
            format!("{ORDER}{order}"),
            format!("{ORDER_SIZE}{size}"),
        ];
        if let Bound::To(uid) = self.uid {
            tags.push(format!("{CLUSTER_UID}{uid}"));
        }
        tags
    }
}

/// The uid of the cluster that a machine was made for, where its maker knew it.
pub(super) fn uid_of(machine: &Machine) -> Option<&str> {
    machine.tags.iter().find_map(|tag| tag.strip_prefix(CLUSTER_UID))
}

/// The order that a machine was made for.
pub(super) fn order_of(machine: &Machine) -> Option<&str> {
    machine.tags.iter().find_map(|tag| tag.strip_prefix(ORDER))
}

/// How many machines that order asked for, where its maker said so.
pub(super) fn order_size(machine: &Machine) -> Option<u32> {
    machine.tags.iter().find_map(|tag| tag.strip_prefix(ORDER_SIZE)?.parse().ok())
}

/// Whose machine it is, where the host keeps so many by itself.
pub(super) fn kind(machine: &Machine, cluster: Cluster<'_>, group: &str, kept: u32) -> Kind {
    if machine.protected {
        return Kind::Foreign;
    }
    let named = machine.tags.iter().find_map(|tag| tag.strip_prefix(CLUSTER));
    // Whoever sees no cluster, or has not identified it yet, goes by the name alone.
    if let (Bound::To(own), Some(uid)) = (cluster.uid, uid_of(machine))
        && uid != own
    {
        return match named {
            _ if cluster.adopted_uid == Some(uid) => Kind::Own,
            Some(named) if named == cluster.name => Kind::Namesakes,
            _ => Kind::Foreign,
        };
    }
    match named {
        Some(named) if named == cluster.name => Kind::Own,
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
    use plimsoll_provider::Bound;

    use super::{Cluster, Kind, kind, order_of, order_size};
    use crate::slicer::client::{Machine, Status};

    const HERE: Cluster<'_> = Cluster { name: "here", uid: Bound::Unbound, adopted_uid: None };

    fn machine(hostname: &str, tags: Vec<String>) -> Machine {
        Machine {
            hostname: hostname.into(),
            ip: None,
            created: None,
            created_at: None,
            tags,
            status: Status::Running,
            protected: false,
        }
    }

    #[test]
    fn tags_say_whose_it_is_and_numbers_what_the_host_keeps() {
        let own = machine("api-1", HERE.tags("order-1", 3));
        assert_eq!(kind(&own, HERE, "api", 3), Kind::Own);
        assert_eq!(kind(&own, Cluster { name: "her", ..HERE }, "api", 0), Kind::Foreign);
        assert_eq!((order_of(&own), order_size(&own)), (Some("order-1"), Some(3)));
        let untold = machine("api-2", vec!["plimsoll".to_owned()]);
        assert_eq!(kind(&untold, HERE, "api", 1), Kind::Untold);
        assert_eq!(kind(&untold, HERE, "api", 2), Kind::Foreign);
        assert_eq!(kind(&machine("api-x-1", vec![]), HERE, "api", 2), Kind::Untold);
        let kept = Machine { protected: true, ..own };
        assert_eq!(kind(&kept, HERE, "api", 0), Kind::Foreign);
    }

    #[test]
    fn the_uid_of_a_cluster_says_more_than_its_name() {
        let bound = |uid| Cluster { uid: Bound::To(uid), ..HERE };
        let one = machine("api-1", bound("uid-1").tags("o", 1));
        let of = |cluster| kind(&one, cluster, "api", 0);
        assert_eq!(of(bound("uid-1")), Kind::Own);
        assert_eq!(of(bound("uid-2")), Kind::Namesakes, "the same name, and another cluster");
        assert_eq!(of(Cluster { name: "there", ..bound("uid-2") }), Kind::Foreign);
        assert_eq!(of(Cluster { name: "there", ..bound("uid-1") }), Kind::Foreign);
        let taking = Cluster { adopted_uid: Some("uid-1"), ..bound("uid-2") };
        assert_eq!(of(taking), Kind::Own);
        assert_eq!(of(Cluster { name: "there", ..taking }), Kind::Own, "somebody said so");
        assert_eq!(of(Cluster { adopted_uid: Some("uid-3"), ..bound("uid-2") }), Kind::Namesakes);
        // Who cannot compare goes by the name.
        for uid in [Bound::Unbound, Bound::Pending] {
            assert_eq!(of(Cluster { uid, ..HERE }), Kind::Own);
            assert_eq!(of(Cluster { uid, name: "there", ..HERE }), Kind::Foreign);
        }
        // A machine of the time before uids.
        let older = machine("api-1", HERE.tags("o", 1));
        assert_eq!(kind(&older, bound("uid-1"), "api", 0), Kind::Own);
    }
}
