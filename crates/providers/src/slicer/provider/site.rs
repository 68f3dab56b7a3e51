//! The hosts of a configuration.

use std::{collections::BTreeMap, sync::Arc};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use plimsoll_provider::Home;
use secrecy::{ExposeSecret as _, SecretString};
use tokio::sync::Semaphore;

use super::Connector;
use crate::{
    ConfigError,
    slicer::{
        client::Client,
        config::{Config, GroupConfig},
    },
};

/// All hosts, as one configuration has them.
#[derive(Debug)]
pub(super) struct Hosts {
    pub(super) config: Arc<Config>,
    pub(super) sites: Vec<Arc<Site>>,
}

/// A host, asked by one token.
#[derive(Debug)]
pub(super) struct Site {
    pub(super) client: Client,
    /// Its groups, by their place in the configuration.
    pub(super) groups: Vec<usize>,
    /// What knows it again when the configuration has changed.
    pub(super) key: Box<str>,
    /// A permit is needed to make a machine. Sites that reach the same host by another token share the permits.
    pub(super) turns: Arc<Semaphore>,
}

/// Where a group is.
#[derive(Clone, Debug)]
pub(super) struct At {
    pub(super) hosts: Arc<Hosts>,
    pub(super) site: Arc<Site>,
    pub(super) group: GroupConfig,
}

// === impl Hosts ===

impl Hosts {
    pub(super) fn new(
        config: Arc<Config>,
        home: &Home,
        connector: &Connector,
    ) -> Result<Self, ConfigError> {
        let mut sites: Vec<(&GroupConfig, Vec<usize>)> = Vec::new();
        for (place, group) in config.groups.iter().enumerate() {
            match sites.iter_mut().find(|(first, _)| first.shares_host(group)) {
                Some((_, groups)) => groups.push(place),
                None => sites.push((group, vec![place])),
            }
        }
        let parallel = usize::try_from(config.parallel_creations).unwrap_or(1);
        let mut turns: BTreeMap<Box<str>, Arc<Semaphore>> = BTreeMap::new();
        let sites = sites.into_iter().map(|(first, groups)| {
            let refuse = |problem: String| ConfigError {
                file: config.file.clone(),
                line: Some(first.line),
                place: format!("nodegroup \"{}\"", first.name),
                problem: format!("slicer-url: {problem}"),
            };
            let rest = connector(&first.endpoint, &config.trust).map_err(refuse)?;
            // A host may repeat what it was sent, as it is or in base64.
            let token = config.k3s_token.expose_secret();
            let rest = rest.hiding(token).hiding(&STANDARD.encode(token));
            let rest = rest.with_fence(home.fence.clone());
            let rest = match &first.token {
                Some(token) => rest.with_token(SecretString::from(token.expose_secret())),
                None => rest,
            };
            let key: Box<str> = first.endpoint.to_string().into();
            let turns = turns.entry(key.clone());
            let turns = Arc::clone(turns.or_insert_with(|| Arc::new(Semaphore::new(parallel))));
            Ok(Arc::new(Site { client: Client::new(rest, home.clock), groups, key, turns }))
        });
        let sites = sites.collect::<Result<_, ConfigError>>()?;
        Ok(Self { config, sites })
    }

    /// Where a group is.
    pub(super) fn find(self: Arc<Self>, group: &str) -> Option<At> {
        let place = self.config.groups.iter().position(|config| &*config.name == group)?;
        let site = self.sites.iter().find(|site| site.groups.contains(&place))?;
        let (site, config) = (Arc::clone(site), self.config.groups.get(place)?.clone());
        Some(At { hosts: self, site, group: config })
    }
}
