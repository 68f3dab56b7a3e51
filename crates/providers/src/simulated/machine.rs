//! Machines, and what they are called.

use std::{collections::BTreeSet, fmt::Write as _, sync::Arc};

use jiff::Timestamp;
use plimsoll_model::{Money, Node, Symbol};
use rand::{Rng, RngExt as _};
use serde_json::Value;

use super::template::{self, Template};

/// What provider ids begin with.
pub(super) const SCHEME: &str = "simulated://";

/// A name and the digits after it stay within a DNS label, which has 63 characters.
const LONGEST_PREFIX: usize = 50;

/// What a machine is called whose group has no letter or digit that a name could have.
const NAMELESS: &str = "node";

/// Digits after the name of the group.
const DIGITS: u32 = 4;

/// A machine that was bought.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    /// Its provider id, `simulated://GROUP/NAME`.
    pub id: Box<str>,
    /// What its node is called: `small-3f9a`.
    pub name: Box<str>,
    /// Its group.
    pub group: Symbol,
    /// What it costs per hour.
    pub price: Option<Money>,
    /// When it was ordered.
    pub ordered: Timestamp,
    template: Arc<Template>,
}

// === impl Machine ===

impl Machine {
    pub(super) fn new(
        group: Symbol,
        name: Box<str>,
        price: Option<Money>,
        ordered: Timestamp,
        template: Arc<Template>,
    ) -> Self {
        Self { id: provider_id(group.as_str(), &name), name, group, price, ordered, template }
    }

    /// Its node, registered at this time.
    pub fn node(&self, registered: Timestamp) -> Node {
        self.template.node_of(&self.name, &self.id, registered)
    }

    /// Its node as Kubernetes writes it, as far as a machine can tell.
    pub fn manifest(&self) -> Value {
        template::manifest(&self.node(self.ordered))
    }
}

/// A provider id in which the group is unmistakable: what could not stand in the path of a URL is written `%2F`.
pub(super) fn provider_id(group: &str, name: &str) -> Box<str> {
    let mut id = SCHEME.to_owned();
    for byte in group.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.') {
            id.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(id, "%{byte:02X}");
        }
    }
    format!("{id}/{name}").into_boxed_str()
}

/// A name that is not taken: that of the group, as far as a DNS label can have it, and some digits. It is taken from now on.
pub(super) fn new_name(
    group: &str,
    taken: &mut BTreeSet<Box<str>>,
    chance: &mut impl Rng,
) -> Box<str> {
    let prefix = dns_label(group);
    let mut range = 1_u64 << (4 * DIGITS);
    loop {
        let digits = chance.random_range(0..range);
        let name = format!("{prefix}-{digits:04x}").into_boxed_str();
        if taken.insert(name.clone()) {
            return name;
        }
        // The fuller it gets, the more digits there are, so this ends soon.
        range = range.saturating_mul(2);
    }
}

/// Lower-case letters and digits, with single dashes between.
fn dns_label(text: &str) -> String {
    let mut label = String::new();
    for letter in text.chars() {
        if letter.is_ascii_alphanumeric() {
            label.push(letter.to_ascii_lowercase());
        } else if !label.is_empty() && !label.ends_with('-') {
            label.push('-');
        }
        if label.len() >= LONGEST_PREFIX {
            break;
        }
    }
    match label.trim_end_matches('-') {
        "" => NAMELESS.to_owned(),
        label => label.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use rand::SeedableRng as _;
    use rand_chacha::ChaCha8Rng;

    use super::{dns_label, new_name, provider_id};

    #[test]
    fn any_group_makes_a_dns_label() {
        let long = "x".repeat(80);
        let labels =
            ["small", "GPU_large/eu.1", "--a--b--", "größe", "東京", "", &long].map(dns_label);
        let short = "x".repeat(50);
        assert_eq!(labels, ["small", "gpu-large-eu-1", "a-b", "gr-e", "node", "node", &short]);
    }

    #[test]
    fn a_provider_id_names_its_group() {
        assert_eq!(&*provider_id("a/b c", "x-1"), "simulated://a%2Fb%20c/x-1");
        assert_ne!(provider_id("a/b", "c"), provider_id("a", "b/c"));
    }

    #[test]
    fn no_name_is_given_twice() {
        let mut chance = ChaCha8Rng::seed_from_u64(1);
        let mut taken = BTreeSet::new();
        for _ in 0..20_000 {
            let name = new_name("small", &mut taken, &mut chance);
            assert!(name.len() <= 63, "{name}");
        }
        assert_eq!(taken.len(), 20_000);
    }
}
