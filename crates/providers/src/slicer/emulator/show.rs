//! The books in the words of the interface.

use jiff::Timestamp;
use serde_json::{Map, Value, json};

use super::{
    settings::Offer,
    state::{Machine, State},
};

const GIB: i64 = 1024 * 1024 * 1024;

// === impl State ===

impl State {
    /// A time as the host's clock shows it.
    fn written(&self, time: Timestamp) -> String {
        time.checked_add(self.skew).unwrap_or(time).to_string()
    }

    pub(super) fn show_group(&self, offer: &Offer) -> Value {
        let mut shown = Map::new();
        shown.insert("name".to_owned(), json!(offer.name));
        shown.insert("cpus".to_owned(), json!(offer.cpus));
        if self.dialect.ram_in_gb {
            shown.insert("ram_gb".to_owned(), json!(offer.ram / GIB));
        } else {
            shown.insert("ram_bytes".to_owned(), json!(offer.ram));
        }
        if !self.dialect.sparse || offer.count > 0 {
            shown.insert("count".to_owned(), json!(offer.count));
        }
        if !self.dialect.sparse || offer.gpus > 0 {
            shown.insert("gpu_count".to_owned(), json!(offer.gpus));
        }
        if !self.dialect.sparse {
            shown.insert("arch".to_owned(), json!(offer.arch));
        }
        Value::Object(shown)
    }

    /// A machine as lists have it, with a plain address.
    pub(super) fn show(&self, machine: &Machine) -> Value {
        let mut shown = json!({
            "hostname": machine.hostname,
            "created_at": self.written(machine.created),
        });
        let offer = self.settings.groups.iter().find(|offer| offer.name == machine.group);
        if let (Value::Object(shown), Some(offer)) = (&mut shown, offer) {
            if self.dialect.addresses {
                shown.insert("ip".to_owned(), json!(self.address(machine)));
            }
            // Whose machine it is cannot be left out where it is known.
            if !self.dialect.sparse || !machine.tags.is_empty() {
                shown.insert("tags".to_owned(), json!(machine.tags));
            }
            if !self.dialect.sparse {
                shown.insert("hostgroup".to_owned(), json!(machine.group));
                shown.insert("ram_bytes".to_owned(), json!(offer.ram));
                shown.insert("cpus".to_owned(), json!(offer.cpus));
                shown.insert("arch".to_owned(), json!(offer.arch));
                shown.insert("persistent".to_owned(), json!(machine.persistent));
            }
            if !self.dialect.sparse || machine.status != super::state::RUNNING {
                shown.insert("status".to_owned(), json!(machine.status));
            }
        }
        shown
    }

    /// A machine as its creator is told of it, with the address of its network.
    pub(super) fn show_new(&self, machine: &Machine) -> Value {
        json!({
            "hostname": machine.hostname,
            "hostgroup": machine.group,
            "ip": format!("{}/24", self.address(machine)),
            "created_at": self.written(machine.created),
        })
    }

    /// Each group has a network of its own.
    pub(super) fn address(&self, machine: &Machine) -> String {
        let place = self.settings.groups.iter().position(|offer| offer.name == machine.group);
        format!("192.168.{}.{}", 137 + place.unwrap_or_default() % 100, machine.number % 253 + 2)
    }

    /// A list, which some releases write `null` when it is empty.
    pub(super) fn show_list(&self, list: Vec<Value>) -> Value {
        if list.is_empty() && self.dialect.null_lists { Value::Null } else { Value::Array(list) }
    }
}
