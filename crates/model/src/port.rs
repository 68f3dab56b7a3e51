//! Host ports.

use std::fmt;

use crate::Symbol;

/// A port of the node that a pod claims.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct HostPort {
    /// The address, `None` for all IPv4 addresses (`""` and `0.0.0.0`), which clashes with every address. `::` is only one
    /// more address, as in the scheduler.
    pub ip: Option<Symbol>,
    /// TCP, UDP or SCTP.
    pub protocol: Symbol,
    /// 1 to 65535.
    pub port: u16,
}

// === impl HostPort ===

impl HostPort {
    /// A claim as written in a manifest.
    pub fn new(ip: &str, protocol: &str, port: u16) -> Self {
        let ip = (!matches!(ip, "" | "0.0.0.0")).then(|| Symbol::new(ip));
        let protocol = Symbol::new(if protocol.is_empty() { "TCP" } else { protocol });
        Self { ip, protocol, port }
    }

    /// Whether two pods with these claims cannot share a node.
    pub fn clashes(&self, other: &Self) -> bool {
        self.port == other.port
            && self.protocol == other.protocol
            && (self.ip.is_none() || other.ip.is_none() || self.ip == other.ip)
    }
}

impl fmt::Display for HostPort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.ip {
            Some(ip) => write!(f, "{ip}:{}/{}", self.port, self.protocol),
            None => write!(f, "{}/{}", self.port, self.protocol),
        }
    }
}

impl fmt::Debug for HostPort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
