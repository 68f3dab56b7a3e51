//! The service's requests, each with its type.

use std::sync::{Mutex, PoisonError};

use http::StatusCode;
use plimsoll_net::Fence;
use plimsoll_provider::{Class, Error};
use secrecy::{ExposeSecret as _, SecretString};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{
    config::{Config, Token, read_token},
    listing::Listing,
    reconcile::Consent,
    template::Catalogue,
    wire::{AddNodes, CataloguePage, Cluster, Eligibility, Key, Pool, Record},
};
use crate::rest::{Ask, Patience, Reply, Rest, class_of};

/// How we introduce ourselves.
const USER_AGENT: &str = "plimsoll";

/// Words of clouds for machines that cannot be had. The service passes on what its cloud said.
const NO_CAPACITY: [&str; 6] = [
    "insufficientinstancecapacity",
    "insufficient capacity",
    "resource_pool_exhausted",
    "allocationfailed",
    "out of capacity",
    "sold out",
];

/// Words of clouds for an account that may not have more.
const NO_QUOTA: [&str; 6] = [
    "instancelimitexceeded",
    "vcpulimitexceeded",
    "quota",
    "droplet limit",
    "limit exceeded",
    "exceed your limit",
];

/// The service, as one cluster sees it.
#[derive(Debug)]
pub(super) struct Client {
    rest: Rest,
    organization: String,
    cluster: String,
    token: Token,
    /// The last token that a file had, for the moment in which it is being written anew.
    last_token: Mutex<Option<SecretString>>,
}

/// What became of a wish to delete a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Gone {
    /// It is on its way out.
    Going,
    /// It was not there any more.
    Already,
}

// === impl Client ===

impl Client {
    /// Nothing is connected yet.
    pub(super) fn new(config: &Config, fence: Fence) -> Result<Self, String> {
        let (endpoint, trust) = (config.endpoint.clone(), &config.trust);
        let rest = Rest::connect(endpoint, trust, Patience::default(), USER_AGENT)?;
        Ok(Self::over(config, rest, fence))
    }

    /// Over connections of the caller's.
    pub(super) fn over(config: &Config, rest: Rest, fence: Fence) -> Self {
        Self {
            rest: rest.with_fence(fence),
            organization: config.organization.to_string(),
            cluster: config.cluster.to_string(),
            token: config.token.clone(),
            last_token: Mutex::new(None),
        }
    }

    /// Every machine of the cluster.
    pub(super) async fn nodes(&self) -> Result<Listing<Record>, Error> {
        let entries: Vec<Value> = self.read(Ask::get(self.path(&["nodes"]))).await?;
        Ok(Listing::of(entries))
    }

    /// Every pool of the cluster; `None` for a service that has no pools, if the cluster is one that it has.
    pub(super) async fn pools(&self) -> Result<Option<Listing<Pool>>, Error> {
        let reply = self.send(Ask::get(self.path(&["nodepools"]))).await?;
        match reply.status() {
            StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED => Ok(None),
            _ => Ok(Some(Listing::of(reply.json()?))),
        }
    }

    /// Asks for machines. Answers with records, old ones among them or not.
    pub(super) async fn add(&self, wish: &AddNodes<'_>) -> Result<Listing<Record>, Error> {
        let pool = wish.node_pool.map(|pool| pool.to_string());
        let path = match &pool {
            Some(pool) => self.path(&["nodepools", pool, "add"]),
            None => self.path(&["add_node"]),
        };
        let reply = self.send(Ask::post(path, wish)).await?;
        if let Some(class) = shortage(&reply) {
            return Err(reply.error(class));
        }
        reply.success()?;
        // It has been served, so an answer that is not understood does not undo it: the next refresh tells.
        let entries: Vec<Value> =
            reply.json().map_err(|error| Error::retry(error.to_string()).with_code("Unclear"))?;
        Ok(Listing::of(entries))
    }

    /// Deletes a machine, unless the service says that it may not be.
    pub(super) async fn delete(&self, node: Key, consent: Consent) -> Result<Gone, Error> {
        let node = node.to_string();
        let reply = self.send(Ask::get(self.path(&["nodes", &node, "can_delete"]))).await?;
        match (reply.status(), consent) {
            // Either the machine is gone or this version of the service does not know the question: the next request tells.
            (StatusCode::NOT_FOUND, Consent::Silent) => {}
            (StatusCode::NOT_FOUND, Consent::Spoken) => {
                return Err(Error::invalid(format!(
                    "machine {node} may host etcd, and the service does not say that it may be deleted"
                )));
            }
            _ if !reply.json::<Eligibility>()?.eligible => {
                return Err(Error::invalid(format!("the service keeps machine {node}")));
            }
            _ => {}
        }
        let reply = self.send(Ask::delete(self.path(&["nodes", &node]))).await?;
        match reply.status() {
            StatusCode::NOT_FOUND => Ok(Gone::Already),
            _ => reply.success().map(|()| Gone::Going),
        }
    }

    /// What the service knows of the cluster itself.
    pub(super) async fn cluster(&self) -> Result<Cluster, Error> {
        self.read(Ask::get(self.path(&[]))).await
    }

    /// The kinds of machines of a cloud. A service without a catalogue has an empty one.
    pub(super) async fn catalogue(&self, cloud: &str) -> Result<Catalogue, Error> {
        if cloud.is_empty() {
            return Ok(Catalogue::new());
        }
        let ask = Ask::get(["meta", "provider-instances"]).with_query("provider", cloud);
        let reply = self.send(ask).await?;
        match reply.json::<Vec<CataloguePage>>() {
            Ok(pages) => Ok(pages.into_iter().flat_map(CataloguePage::kinds).collect()),
            // The service answers that it has none.
            Err(error) if is_no_catalogue(error.class()) => Ok(Catalogue::new()),
            Err(error) => Err(error),
        }
    }

    async fn read<T: DeserializeOwned>(&self, ask: Ask) -> Result<T, Error> {
        let reply = self.send(ask).await?;
        // The cluster or the organization is not there, which is no group's or machine's fault.
        if reply.status() == StatusCode::NOT_FOUND {
            return Err(reply.error(Class::Auth));
        }
        reply.json()
    }

    async fn send(&self, ask: Ask) -> Result<Reply, Error> {
        let token = self.token()?;
        self.rest.clone().with_token(token).send(ask).await
    }

    /// The token as it is now. A file that is empty or gone is about to be written anew, until the service says otherwise.
    fn token(&self) -> Result<SecretString, Error> {
        let file = match &self.token {
            Token::Fixed(token) => return Ok(token.clone()),
            Token::File(file) => file,
        };
        let mut last = self.last_token.lock().unwrap_or_else(PoisonError::into_inner);
        match read_token(file) {
            Ok(token) => {
                let is_same = last
                    .as_ref()
                    .is_some_and(|known| known.expose_secret() == token.expose_secret());
                if !is_same {
                    tracing::info!(file = %file.display(), "reads the service's token");
                }
                *last = Some(token.clone());
                Ok(token)
            }
            Err(problem) => last.clone().ok_or_else(|| Error::new(Class::Auth, problem)),
        }
    }

    /// The parts of a path below the cluster.
    fn path<'a>(&'a self, rest: &[&'a str]) -> Vec<&'a str> {
        let mut path = vec!["orgs", &*self.organization, "clusters", &*self.cluster];
        path.extend(rest);
        path
    }
}

/// Whether an answer to the question for a catalogue means that there is none, and will be none.
fn is_no_catalogue(class: Class) -> bool {
    matches!(class, Class::NotFound | Class::Invalid | Class::Unsupported)
}

/// Why machines cannot be had, where an answer tells that.
fn shortage(reply: &Reply) -> Option<Class> {
    let is_refusal =
        class_of(reply.status()) == Class::Invalid || reply.status() == StatusCode::FORBIDDEN;
    if !is_refusal {
        return None;
    }
    let words = reply.words().to_lowercase();
    let says = |known: &[&str]| known.iter().any(|phrase| words.contains(phrase));
    if says(&NO_CAPACITY) {
        Some(Class::OutOfCapacity)
    } else if says(&NO_QUOTA) {
        Some(Class::Quota)
    } else {
        None
    }
}
