//! What a host and its callers say to each other.

use serde::{Deserialize, Serialize};

/// A host group: machines of one kind, as the host's own configuration has them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub(super) struct HostGroup {
    pub(super) name: String,
    /// How many the host itself keeps running; those cannot be deleted.
    #[serde(default)]
    pub(super) count: u32,
    #[serde(default)]
    pub(super) ram_bytes: Option<i64>,
    /// What older hosts say instead.
    #[serde(default)]
    pub(super) ram_gb: Option<i64>,
    #[serde(default)]
    pub(super) cpus: Option<i64>,
    #[serde(default)]
    pub(super) gpu_count: Option<i64>,
    #[serde(default)]
    pub(super) arch: Option<String>,
}

/// A machine as it is listed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub(super) struct Listed {
    pub(super) hostname: String,
    #[serde(default)]
    pub(super) hostgroup: Option<String>,
    /// Its address, in some answers with the size of its network after it.
    #[serde(default)]
    pub(super) ip: Option<String>,
    #[serde(default)]
    pub(super) created_at: Option<String>,
    #[serde(default)]
    pub(super) tags: Option<Vec<String>>,
    #[serde(default)]
    pub(super) status: Option<String>,
    /// Newer hosts may say it; others are found out.
    #[serde(default)]
    pub(super) protected: Option<bool>,
}

/// A machine to be made. What is not said is as the host group has it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub(super) struct NewMachine {
    #[serde(default)]
    pub(super) userdata: String,
    #[serde(default)]
    pub(super) tags: Vec<String>,
    #[serde(default)]
    pub(super) secrets: Vec<String>,
    #[serde(default)]
    pub(super) persistent: bool,
}

/// What is told of a deletion. A host that could not do it may say so with a status that means success.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct Deleted {
    #[serde(default)]
    pub(super) error: Option<String>,
}

/// What is told of a secret; what it is, is never told.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct SecretInfo {
    pub(super) name: String,
    #[serde(default)]
    pub(super) size: Option<u64>,
}

/// A secret to be made.
#[derive(Serialize)]
pub(super) struct NewSecret<'s> {
    pub(super) name: &'s str,
    /// In base64.
    pub(super) data: &'s str,
}

/// A secret's new content.
#[derive(Serialize)]
pub(super) struct SecretUpdate<'s> {
    /// In base64.
    pub(super) data: &'s str,
}
