//! Leader election by a Lease, as the upstream autoscaler and every client-go program does it: they may stand for the same Lease.
//!
//! What to do is decided by [`Election`], which is pure; [`stand`] does it. A leader that cannot renew in time stops being one by
//! its own clock, before anybody else may become one.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use k8s_openapi::{
    api::coordination::v1::{Lease, LeaseSpec},
    apimachinery::pkg::apis::meta::v1::MicroTime,
};
use kube::{
    Api, Client,
    api::{ObjectMeta, PostParams},
};
use plimsoll_net::{Clock, Outage, Shutdown, outage::Extent};
use tokio::sync::watch;
use tracing::{info, warn};

mod leadership;

pub use self::leadership::{Leadership, Term};

/// How long a lease holds, and how it is renewed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timings {
    /// `leader-elect-lease-duration`: others wait that long after the last renewal that they saw.
    pub lease: Duration,
    /// `leader-elect-renew-deadline`: a leader that could not renew for that long stops being one.
    pub renew: Duration,
    /// `leader-elect-retry-period`: how often is tried.
    pub retry: Duration,
}

/// Which Lease, and as whom.
#[derive(Clone, Debug)]
pub struct Candidacy {
    /// The Lease's namespace.
    pub namespace: String,
    /// The Lease's name.
    pub name: String,
    /// Who we are: unique among the candidates.
    pub identity: String,
    /// How it is done.
    pub timings: Timings,
}

/// Whether we lead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Somebody else does, or nobody knows.
    Standby {
        /// Who.
        leader: Option<String>,
    },
    /// We do.
    Leading,
}

/// What has been seen of the Lease.
#[derive(Clone, Debug)]
struct Election {
    identity: String,
    timings: Timings,
    /// What the Lease said when it last changed, and when that was by our own clock: the others' clocks do not matter.
    observed: Option<(LeaseSpec, Timestamp)>,
    /// When we last renewed.
    renewed: Option<Timestamp>,
}

/// What to do next.
#[derive(Clone, Debug, PartialEq)]
enum Step {
    /// Write this: we become the leader by it, or stay it.
    Write(LeaseSpec),
    /// Somebody else leads.
    Wait,
}

// === impl Timings ===

impl Default for Timings {
    fn default() -> Self {
        Self {
            lease: Duration::from_secs(15),
            renew: Duration::from_secs(10),
            retry: Duration::from_secs(2),
        }
    }
}

// === impl Election ===

impl Election {
    fn new(identity: &str, timings: Timings) -> Self {
        Self { identity: identity.to_owned(), timings, observed: None, renewed: None }
    }

    /// What to do about the Lease as it is now; `None` when there is none.
    fn step(&mut self, lease: Option<&LeaseSpec>, now: Timestamp) -> Step {
        let Some(lease) = lease else { return Step::Write(self.spec(None, now)) };
        let known = self.observed.as_ref().is_some_and(|(known, _)| known == lease);
        if !known {
            self.observed = Some((lease.clone(), now));
        }
        let holder = lease.holder_identity.as_deref().unwrap_or_default();
        if holder == self.identity || holder.is_empty() || self.has_expired(lease, now) {
            Step::Write(self.spec(Some(lease), now))
        } else {
            Step::Wait
        }
    }

    /// The write succeeded.
    fn won(&mut self, written: LeaseSpec, now: Timestamp) {
        self.observed = Some((written, now));
        self.renewed = Some(now);
    }

    /// Whether we lead at this moment. True only while nobody else can think that the Lease is free.
    fn leads(&self, now: Timestamp) -> bool {
        let fresh = |renewed: Timestamp| since(now, renewed) < self.timings.renew;
        self.renewed.is_some_and(fresh) && self.holder() == Some(self.identity.as_str())
    }

    /// Extends the permit to act, or ends it.
    fn share(&self, leadership: &Leadership, now: Timestamp) {
        match (self.renewed, &self.observed) {
            (Some(renewed), Some((lease, _))) if self.leads(now) => {
                let number = lease.lease_transitions.unwrap_or_default();
                let term = Term { holder: self.identity.clone(), number };
                leadership.win(term, renewed, self.timings.renew);
            }
            _ => leadership.lose(),
        }
    }

    /// When we stop leading unless we renew before.
    fn deadline(&self) -> Option<Timestamp> {
        self.renewed?.checked_add(SignedDuration::try_from(self.timings.renew).ok()?).ok()
    }

    fn holder(&self) -> Option<&str> {
        self.observed.as_ref()?.0.holder_identity.as_deref().filter(|holder| !holder.is_empty())
    }

    fn has_expired(&self, lease: &LeaseSpec, now: Timestamp) -> bool {
        let seconds = lease.lease_duration_seconds.and_then(|seconds| u64::try_from(seconds).ok());
        let holds = seconds.map_or(self.timings.lease, Duration::from_secs);
        self.observed.as_ref().is_some_and(|(_, at)| since(now, *at) >= holds)
    }

    /// The Lease with us as its holder.
    fn spec(&self, before: Option<&LeaseSpec>, now: Timestamp) -> LeaseSpec {
        let before = before.cloned().unwrap_or_default();
        let ours = before.holder_identity.as_deref() == Some(self.identity.as_str());
        let transitions = before.lease_transitions.unwrap_or_default() + i32::from(!ours);
        LeaseSpec {
            holder_identity: Some(self.identity.clone()),
            lease_duration_seconds: i32::try_from(self.timings.lease.as_secs()).ok(),
            acquire_time: if ours { before.acquire_time.clone() } else { Some(MicroTime(now)) },
            renew_time: Some(MicroTime(now)),
            lease_transitions: Some(if before.holder_identity.is_some() { transitions } else { 0 }),
            ..before
        }
    }
}

/// Stands for the Lease until `shutdown`, and tells where we stand. Gives the Lease back in the end.
pub async fn stand(
    client: Client,
    candidacy: Candidacy,
    clock: Clock,
    standing: watch::Sender<Standing>,
    leadership: Leadership,
    shutdown: Shutdown,
) {
    let api: Api<Lease> = Api::namespaced(client, &candidacy.namespace);
    let mut election = Election::new(&candidacy.identity, candidacy.timings);
    let mut outage = Outage::default();
    loop {
        // Until here we lead, whatever becomes of the attempt: a call that hangs must not keep us leading.
        let deadline = election.deadline();
        tokio::select! {
            outcome = attempt(&api, &candidacy.name, &mut election, &clock) => {
                match outcome {
                    Ok(()) => {
                        if let Some(Extent { lasted, failures }) = outage.ended(clock.now()) {
                            info!(lasted = format_args!("{lasted:#}"), failures, "lease can be read and renewed again");
                        }
                    }
                    Err(error) => {
                        if let Some(Extent { lasted, failures }) = outage.failed(clock.now()) {
                            let lasted = format_args!("{lasted:#}");
                            warn!(%error, lasted, failures, "cannot read or renew the lease; trying again");
                        }
                    }
                }
            }
            () = lapse(deadline, &clock) => warn!("lease not renewed in time"),
            () = shutdown.wait() => break,
        }
        // The permit is there before anybody is told to use it, and gone before anybody is told that it is.
        election.share(&leadership, clock.now());
        tell(&standing, &election, clock.now());
        let deadline = election.deadline();
        tokio::select! {
            () = tokio::time::sleep(candidacy.timings.retry) => {}
            () = lapse(deadline, &clock) => tell(&standing, &election, clock.now()),
            () = shutdown.wait() => break,
        }
    }
    leadership.lose();
    release(&api, &candidacy.name, &election, &clock).await;
}

/// Waits for the moment at which the lease is lost; for ever when it is not held.
async fn lapse(deadline: Option<Timestamp>, clock: &Clock) {
    match deadline.filter(|deadline| *deadline > clock.now()) {
        Some(deadline) => clock.sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}

async fn attempt(
    api: &Api<Lease>,
    name: &str,
    election: &mut Election,
    clock: &Clock,
) -> Result<(), kube::Error> {
    let found = api.get_opt(name).await?;
    let spec = found.as_ref().and_then(|lease| lease.spec.as_ref());
    // The time is taken before the write: if the answer is late, we stop early rather than late.
    let now = clock.now();
    let Step::Write(spec) = election.step(spec, now) else { return Ok(()) };
    let metadata = match found {
        Some(lease) => lease.metadata,
        None => ObjectMeta { name: Some(name.to_owned()), ..ObjectMeta::default() },
    };
    let is_new = metadata.resource_version.is_none();
    let lease = Lease { metadata, spec: Some(spec.clone()) };
    let parameters = PostParams::default();
    let written = if is_new {
        api.create(&parameters, &lease).await
    } else {
        // With the version that was read: who was quicker wins.
        api.replace(name, &parameters, &lease).await
    };
    match written {
        Ok(written) => {
            election.won(written.spec.unwrap_or(spec), now);
            Ok(())
        }
        Err(kube::Error::Api(status)) if status.is_conflict() || status.is_already_exists() => {
            Ok(())
        }
        Err(error) => Err(error),
    }
}

fn tell(standing: &watch::Sender<Standing>, election: &Election, now: Timestamp) {
    let current = if election.leads(now) {
        Standing::Leading
    } else {
        let leader = election.holder().filter(|holder| *holder != election.identity);
        Standing::Standby { leader: leader.map(str::to_owned) }
    };
    standing.send_if_modified(|known| {
        let changed = *known != current;
        if changed {
            match &current {
                Standing::Leading => info!("became leader"),
                Standing::Standby { leader } => {
                    let leader = leader.as_deref().unwrap_or_default();
                    info!(leader, "standing by, another replica leads");
                }
            }
            known.clone_from(&current);
        }
        changed
    });
}

/// Leaves the Lease to whoever comes first.
async fn release(api: &Api<Lease>, name: &str, election: &Election, clock: &Clock) {
    if !election.leads(clock.now()) {
        return;
    }
    let outcome = async {
        let mut lease = api.get(name).await?;
        let spec = lease.spec.get_or_insert_default();
        if spec.holder_identity.as_deref() == Some(election.identity.as_str()) {
            spec.holder_identity = Some(String::new());
            spec.lease_duration_seconds = Some(1);
            spec.renew_time = Some(MicroTime(clock.now()));
            api.replace(name, &PostParams::default(), &lease).await?;
        }
        Ok::<_, kube::Error>(())
    };
    if let Err(error) = outcome.await {
        warn!(%error, "could not give the lease back; others wait until it has run out");
    }
}

fn since(now: Timestamp, then: Timestamp) -> Duration {
    Duration::try_from(now.duration_since(then)).unwrap_or_default()
}

#[cfg(test)]
mod tests;
