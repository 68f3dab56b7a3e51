//! A cluster in a file.

use std::io::{self, BufRead, Write};

use bytes::Bytes;
use plimsoll_net::Clock;
use serde_json::Value;

use super::{Api, convert};
use crate::store::Limits;

// === impl Api ===

impl Api {
    /// Writes every object, one to a line.
    pub fn export(&self, out: &mut dyn Write) -> io::Result<()> {
        self.store().export(out)
    }

    /// A cluster as [`Api::export`] wrote it. Watches start anew: versions from before are too old.
    pub fn import(clock: Clock, limits: Limits, input: &mut dyn BufRead) -> io::Result<Self> {
        let api = Self::empty(clock, limits);
        api.store().import(input, |resource, json, interner| {
            let kind = api.registry(|registry| {
                registry.find_resource(&resource.group, &resource.plural).cloned()
            })?;
            let value: Value = serde_json::from_str(json).ok()?;
            if kind.is_definition() {
                api.serve(&value);
            }
            Some(convert::kept(&kind, &value, Bytes::copy_from_slice(json.as_bytes()), interner))
        })?;
        api.bootstrap();
        Ok(api)
    }
}
