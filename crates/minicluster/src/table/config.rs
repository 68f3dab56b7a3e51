//! Kinds of which little is shown: namespaces, what pods are configured with, priorities and leases.

use super::{
    column::{
        AGE,
        Cell::{Count, Flag, Made, Number, Text},
        Column, NAME, boolean, integer, text,
    },
    read, words,
};

pub(super) const NAMESPACE: &[Column] =
    &[NAME, text("Status", "The status of the namespace", Text("/status/phase")), AGE];

pub(super) const CONFIG_MAP: &[Column] = &[
    NAME,
    text(
        "Data",
        words::CONFIG_MAP_DATA,
        Made(|map, _| (read::count(map, "/data") + read::count(map, "/binaryData")).into()),
    ),
    AGE,
];

pub(super) const SECRET: &[Column] = &[
    NAME,
    text("Type", words::SECRET_TYPE, Text("/type")),
    text("Data", words::SECRET_DATA, Count("/data")),
    AGE,
];

pub(super) const SERVICE_ACCOUNT: &[Column] = &[NAME, AGE];

pub(super) const LEASE: &[Column] =
    &[NAME, text("Holder", words::LEASE_SPEC_HOLDER_IDENTITY, Text("/spec/holderIdentity")), AGE];

pub(super) const PRIORITY_CLASS: &[Column] = &[
    NAME,
    integer("Value", words::PRIORITY_CLASS_VALUE, Number("/value")),
    boolean("Global-Default", words::PRIORITY_CLASS_GLOBAL_DEFAULT, Flag("/globalDefault")),
    AGE,
    text("PreemptionPolicy", words::PRIORITY_CLASS_PREEMPTION_POLICY, Text("/preemptionPolicy")),
];
