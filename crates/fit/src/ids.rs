//! Small handles into a snapshot's tables.

/// Makes a handle: a place in a table, 32 bits wide.
macro_rules! handle {
    ($(#[$doc:meta])* $visibility:vis $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        $visibility struct $name(u32);

        impl $name {
            /// The handle of a place; tables have fewer than 2³² entries.
            pub(crate) fn new(place: usize) -> Self {
                Self(u32::try_from(place).unwrap_or(u32::MAX))
            }

            /// The place in the table.
            $visibility fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

handle!(
    /// A node of a snapshot. Valid until the node is removed, or the fork in which it was added is dropped.
    pub NodeId
);
handle!(
    /// A pod placed in a snapshot.
    pub PodId
);
handle!(
    /// A pod shape known to a snapshot. Valid as long as the snapshot: shapes are never forgotten.
    pub ShapeId
);
handle!(
    /// A column of the free-capacity table.
    pub(crate) Column
);
handle!(
    /// A set of nodes that look the same to all known requirements.
    pub(crate) ClassId
);
handle!(
    /// A distinct node affinity.
    pub(crate) AffinityId
);
handle!(
    /// A distinct list of tolerations.
    pub(crate) TolerationsId
);
handle!(
    /// A distinct pair of node affinity and tolerations.
    pub(crate) GateId
);
handle!(
    /// A label key by which nodes are grouped into domains.
    pub(crate) KeyId
);
handle!(
    /// The nodes and domains that count for a spread constraint.
    pub(crate) CensusId
);
handle!(
    /// A running count of pods per domain.
    pub(crate) CounterId
);
handle!(
    /// A device of a pool.
    pub(crate) DeviceId
);
handle!(
    /// Devices that look the same to selectors.
    pub(crate) LookId
);
handle!(
    /// A device selector.
    pub(crate) ExpressionId
);
