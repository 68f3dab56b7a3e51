//! The REST interface of a Slicer host, as far as machines are concerned.

use std::{collections::BTreeSet, net::IpAddr, time::Duration};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use http::{Method, StatusCode};
use jiff::{SignedDuration, Timestamp};
use plimsoll_net::Clock;
use plimsoll_provider::{Class, Error};
use secrecy::{ExposeSecret as _, SecretString};
use serde::de::DeserializeOwned;

use super::wire::{Deleted, HostGroup, Listed, NewMachine, NewSecret, SecretInfo, SecretUpdate};
use crate::rest::{Ask, Reply, Rest, UNREACHABLE, class_of};

/// Clocks that differ by less are the same: a `Date` has whole seconds, and answers take time.
const SAME_TIME: SignedDuration = SignedDuration::from_secs(30);

/// Before this there were no machines of this kind: a host that does not know says the year 1.
const EARLIEST: Timestamp = Timestamp::constant(946_684_800, 0);

/// How long a machine may take to be made: the first of an image has to be unpacked, which takes half a minute or more.
const CREATION: Duration = Duration::from_mins(2);

/// How long a machine may take to be deleted, with its disk.
const DELETION: Duration = Duration::from_mins(1);

/// A host that can be asked.
#[derive(Clone, Debug)]
pub struct Client {
    rest: Rest,
    clock: Clock,
}

/// A machine as its host has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Machine {
    pub(super) hostname: Box<str>,
    /// `None` where the host does not say, or says something that is no address.
    pub(super) ip: Option<IpAddr>,
    /// By our clock.
    pub(super) created: Option<Timestamp>,
    /// The host's own words for that, by which a machine is told from a later one of the same name.
    pub(super) created_at: Option<Box<str>>,
    pub(super) tags: Vec<String>,
    pub(super) status: Status,
    pub(super) protected: bool,
}

/// What a machine is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Status {
    Running,
    /// Somebody stopped its time, and will let it go on.
    Paused,
    /// Its guest ended, and its disk is kept.
    Stopped,
}

/// What came of a request for a machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Creation {
    /// The machine is there.
    Done,
    /// The host said that it made none.
    Refused(Error),
    /// The request was sent, and what became of it is not known: the host may go on with it, and the machine may be there later.
    Unanswered(Error),
}

/// What came of giving a host a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Secret {
    /// The host has it.
    Stored,
    /// The host has no way to be given secrets.
    Unsupported,
}

/// What came of a deletion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Removed {
    Done,
    /// There is no such machine.
    Absent,
    /// The host keeps it.
    Protected(Error),
}

// === impl Client ===

impl Client {
    /// A host behind this interface.
    pub const fn new(rest: Rest, clock: Clock) -> Self {
        Self { rest, clock }
    }

    /// Where it is, for messages.
    pub(super) fn place(&self) -> String {
        self.rest.endpoint().to_string()
    }

    /// All host groups.
    pub(super) async fn host_groups(&self) -> Result<Vec<HostGroup>, Error> {
        let reply = self.rest.send(Ask::get(["hostgroup"])).await?;
        let groups: Vec<HostGroup> = list(&reply)?;
        unique(&reply, groups.iter().map(|group| &*group.name))?;
        Ok(groups)
    }

    /// All machines of a host group, in the order of their numbers.
    pub(super) async fn machines(&self, group: &str) -> Result<Vec<Machine>, Error> {
        let reply = self.rest.send(Ask::get(["hostgroup", group, "nodes"])).await?;
        let listed: Vec<Listed> = list(&reply)?;
        unique(&reply, listed.iter().map(|machine| &*machine.hostname))?;
        let ahead = self.ahead(&reply);
        let mut machines: Vec<Machine> = listed
            .into_iter()
            .map(|machine| {
                if machine.hostgroup.as_deref().is_some_and(|named| named != group) {
                    let problem = format!("{} is in another host group", machine.hostname);
                    return Err(reply.nonsense(&problem));
                }
                self.machine(&reply, machine, ahead)
            })
            .collect::<Result<_, _>>()?;
        machines.sort_by(|one, other| {
            (one.hostname.len(), &one.hostname).cmp(&(other.hostname.len(), &other.hostname))
        });
        Ok(machines)
    }

    fn machine(
        &self,
        reply: &Reply,
        listed: Listed,
        ahead: SignedDuration,
    ) -> Result<Machine, Error> {
        let created = listed.created_at.as_deref().filter(|text| !text.is_empty());
        let created = created
            .map(str::parse::<Timestamp>)
            .transpose()
            .map_err(|error| reply.nonsense(&format!("created_at: {error}")))?
            .filter(|created| *created >= EARLIEST)
            .and_then(|created| created.checked_sub(ahead).ok())
            .map(|created| created.min(self.clock.now()));
        let status = match listed.status.as_deref() {
            Some("Stopped") => Status::Stopped,
            Some("Paused") => Status::Paused,
            // Whoever says nothing, or something new, is not taken to be broken.
            _ => Status::Running,
        };
        let ip = listed.ip.as_deref().and_then(|ip| ip.split('/').next()?.trim().parse().ok());
        Ok(Machine {
            hostname: listed.hostname.into(),
            ip,
            created,
            created_at: listed.created_at.map(Into::into),
            tags: listed.tags.unwrap_or_default(),
            status,
            protected: listed.protected.unwrap_or_default(),
        })
    }

    /// How far the host's clock is ahead of ours.
    fn ahead(&self, reply: &Reply) -> SignedDuration {
        let ahead = reply.date().map(|date| date.duration_since(self.clock.now()));
        ahead.filter(|ahead| ahead.abs() > SAME_TIME).unwrap_or_default()
    }

    /// Makes a machine. What is answered beside the status does not matter: the next list has it.
    pub(super) async fn create(&self, group: &str, new: &NewMachine) -> Creation {
        let ask = Ask::post(["hostgroup", group, "nodes"], new).with_limit(CREATION);
        let reply = match self.rest.send(ask).await {
            Ok(reply) => reply,
            Err(error) if error.code() == UNREACHABLE => return Creation::Unanswered(error),
            // It was not sent.
            Err(error) => return Creation::Refused(error),
        };
        match reply.status() {
            status if status.is_success() => Creation::Done,
            // That is the answer of something between us and the host, which may go on.
            status @ (StatusCode::BAD_GATEWAY | StatusCode::GATEWAY_TIMEOUT) => {
                Creation::Unanswered(reply.error(class_of(status)))
            }
            // A host on trial has as many machines as it may have.
            StatusCode::FORBIDDEN => Creation::Refused(reply.error(Class::Quota)),
            status => Creation::Refused(reply.error(class_of(status))),
        }
    }

    /// Deletes a machine.
    pub(super) async fn delete(&self, group: &str, hostname: &str) -> Result<Removed, Error> {
        let ask = Ask::delete(["hostgroup", group, "nodes", hostname]).with_limit(DELETION);
        let reply = self.rest.send(ask).await?;
        match reply.status() {
            StatusCode::NOT_FOUND => Ok(Removed::Absent),
            StatusCode::FORBIDDEN => Ok(Removed::Protected(reply.error(Class::Invalid))),
            status if status.is_success() && has_error(&reply) => {
                Err(reply.error(Class::Retry).with_code("DeletionFailed"))
            }
            _ => reply.success().map(|()| Removed::Done),
        }
    }

    /// What secrets there are, without what they say.
    pub(super) async fn secrets(&self) -> Result<Vec<SecretInfo>, Error> {
        list(&self.rest.send(Ask::get(["secrets"])).await?)
    }

    /// Makes a secret, or gives it this content.
    pub(super) async fn put_secret(
        &self,
        name: &str,
        secret: &SecretString,
    ) -> Result<Secret, Error> {
        let data = STANDARD.encode(secret.expose_secret());
        let patch =
            Ask::new(Method::PATCH, ["secrets", name]).with_body(&SecretUpdate { data: &data });
        let reply = self.rest.send(patch.clone()).await?;
        if !is_missing(&reply) {
            return reply.success().map(|()| Secret::Stored);
        }
        let reply =
            self.rest.send(Ask::post(["secrets"], &NewSecret { name, data: &data })).await?;
        if is_missing(&reply) {
            return Ok(Secret::Unsupported);
        }
        if reply.status() != StatusCode::CONFLICT {
            return reply.success().map(|()| Secret::Stored);
        }
        // Somebody made it in between.
        self.rest.send(patch).await?.success().map(|()| Secret::Stored)
    }
}

/// Whether the host says that there is no such secret, or no such path.
fn is_missing(reply: &Reply) -> bool {
    matches!(
        reply.status(),
        StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED | StatusCode::NOT_IMPLEMENTED
    )
}

/// Whether an answer tells of an error, whatever its status.
fn has_error(reply: &Reply) -> bool {
    let said: Option<Deleted> = serde_json::from_slice(reply.body()).ok();
    said.and_then(|said| said.error).is_some_and(|error| !error.is_empty())
}

/// A list. Hosts are written in Go, where an empty one may be written `null`.
fn list<T: DeserializeOwned>(reply: &Reply) -> Result<Vec<T>, Error> {
    reply.json::<Option<Vec<T>>>().map(Option::unwrap_or_default)
}

/// A list in which something stands twice, or has no name, is not to be believed.
fn unique<'n>(reply: &Reply, names: impl Iterator<Item = &'n str>) -> Result<(), Error> {
    let mut seen = BTreeSet::new();
    for name in names {
        if name.is_empty() {
            return Err(reply.nonsense("an entry has no name"));
        }
        if !seen.insert(name) {
            return Err(reply.nonsense(&format!("{name} stands twice")));
        }
    }
    Ok(())
}
