//! What is done whenever something has happened: what is due, and a pass if it is time for one.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use jiff::Timestamp;
use plimsoll_cluster::{lease::Standing, mirror::Staleness};
use plimsoll_model::{Memory, Symbol};
use plimsoll_plan::{Admission, words::Reason};
use plimsoll_provider::{Bound, Inventory, OrderId, Provider as _};
use tokio::time::Instant;
use tracing::{debug, warn};

use super::{
    Begun, Cause, Engine, FIRST_LOOK, HeldBack, Pass, REST, Took,
    decide::{Decision, Matter},
    later,
    reign::{Event, State, load},
    think::unacted,
};
use crate::{
    hold,
    orders::{Chore, Outcome, Wanted},
    retire::Retirement,
    settings::Mode,
    soft, steer,
};

/// How long orders of an earlier run are waited for before anything else is begun.
const RESUMPTION: Duration = Duration::from_secs(5);

// === impl Engine ===

impl Engine {
    /// Does what is due.
    pub(super) async fn tend(&mut self) {
        let now = self.clock.now();
        let Some(reign) = &mut self.reign else { return };
        if let State::Waiting(until) = reign.state {
            if until <= now {
                reign.state = State::Loading;
                let (orders, notebook) = (self.clerk.orders.clone(), self.notebook.clone());
                let (fleet, mode) = (Arc::clone(&self.fleet), self.settings.mode);
                reign.spawn(async move {
                    Event::Loaded(load(&orders, &notebook, &fleet, mode, now).await)
                });
            }
            return;
        }
        if !matches!(reign.state, State::Ready { .. }) {
            return;
        }
        self.do_chores(now);
        if self.step_at.is_some_and(|at| at <= now) {
            self.step(now);
        }
        if let Some((at, cause)) = self.due
            && at <= now
        {
            self.due = None;
            let begun = Instant::now();
            self.pass(cause).await;
            self.rested = later(self.clock.now(), begun.elapsed().saturating_mul(REST));
        }
        self.save(self.clock.now());
    }

    /// Places orders again, writes phases down, removes what is over.
    fn do_chores(&mut self, now: Timestamp) {
        let Some(reign) = &mut self.reign else { return };
        for chore in reign.ledger.chores(&self.settings.orders, now) {
            let clerk = self.clerk.clone();
            reign.spawn(async move {
                match chore {
                    Chore::Place(increase) => {
                        let (outcome, noted) = clerk.order(&increase).await;
                        Event::Placed(increase.order.id, outcome, noted)
                    }
                    Chore::Note(id, phase, message) => {
                        let noted = clerk.note(&id, phase, &message).await;
                        Event::Noted(id, noted)
                    }
                    Chore::Remove(id) => {
                        let removed = clerk.remove(&id).await;
                        Event::Removed(id, removed)
                    }
                }
            });
        }
        let keep = self.settings.orders.keep;
        let old = reign.over.extract_if(.., |_, since| now.duration_since(*since) >= keep);
        let old: Vec<_> = old.map(|(id, _)| id).collect();
        for id in old {
            let clerk = self.clerk.clone();
            reign.spawn(async move {
                let removed = clerk.remove(&id).await;
                Event::Removed(id, removed)
            });
        }
    }

    /// Writes memory down if it is time.
    fn save(&mut self, now: Timestamp) {
        let Some(reign) = &mut self.reign else { return };
        if self.settings.mode == Mode::DryRun {
            reign.save_at = None;
        }
        if reign.saving || reign.save_at.is_none_or(|at| at > now) {
            return;
        }
        (reign.saving, reign.save_at) = (true, None);
        let (notebook, memory) = (self.notebook.clone(), Box::new(reign.memory.clone()));
        reign.spawn(async move {
            let saved = notebook.save(&memory).await.map_err(|error| error.to_string());
            Event::Saved(memory, saved)
        });
    }

    /// One pass.
    async fn pass(&mut self, cause: Cause) {
        let now = self.clock.now();
        // Whatever comes of this one, there is a next one.
        self.due = Some((later(now, self.settings.pace.scan), Cause::Scan));
        if !self.has_seen_providers(now) {
            return;
        }
        let staleness = self.sight.mirror.staleness(now, self.settings.pace.stale_after);
        if let Some(Staleness::Unseen(_)) = staleness {
            return;
        }
        let waited = self.called.take().map_or(Duration::ZERO, |called| since(now, called));
        let inventory = self.fleet.inventory(&self.settings.plan.group);
        let rules = self.holding_groups(&inventory);
        let steers = steer::wishes(&inventory);
        self.recall(now);
        self.ask_owners(&inventory);
        let Some(reign) = &self.reign else { return };
        let awaited = hold::awaited(&mut self.sight.mirror, &reign.holding, now);
        let held_back = if self.settings.mode == Mode::DryRun {
            Some(HeldBack::DryRun)
        } else if let Some(staleness) = staleness {
            Some(HeldBack::Stale(staleness))
        } else if reign.ledger.is_resuming() && since(now, reign.since) < RESUMPTION {
            Some(HeldBack::Resuming)
        } else {
            None
        };
        let before = reign.memory.clone();
        let revocable = reign.retiring.values().filter(|retirement| retirement.is_revocable());
        let matter = Matter {
            now,
            settings: self.settings.plan.clone(),
            cluster_uid: match self.cluster.bound() {
                Bound::To(uid) => Some(uid.into()),
                Bound::Unbound | Bound::Pending => None,
            },
            inventory,
            memory: before.clone(),
            expected: reign.ledger.expected(Wanted::All),
            decided: reign.ledger.expected(Wanted::Allowed),
            undecided: reign.ledger.undecided(now),
            leaving: reign.retiring.keys().copied().collect(),
            revocable: revocable.map(|one| (one.node, one.unneeded)).collect(),
            awaited,
            replaced: (reign.retiring.values())
                .filter(|one| one.replaced)
                .map(|one| one.node)
                .collect(),
            releasing: (reign.retiring.values())
                .filter(|one| one.is_releasing())
                .map(|one| one.node)
                .collect(),
            check: reign.retiring.values().any(Retirement::is_in_doubt),
            advice: Vec::new(),
            whole_world: self.handle.take_wish(),
        };
        let Some(mut decision) = self.decide(matter).await else { return };
        // Deciding took a while, and somebody else may lead by now, or have led meanwhile.
        let led_on = !self.standing.has_changed().unwrap_or_default();
        if !led_on || *self.standing.borrow() != Standing::Leading {
            return;
        }
        let begun_at = Instant::now();
        let verdicts = std::mem::take(&mut decision.verdicts);
        let planned = decision.plan.memory.clone();
        let resuming = matches!(held_back, None | Some(HeldBack::Resuming));
        if let Some((id, admission)) = decision.admission.take().filter(|_| resuming) {
            self.admit(&id, admission, now);
        }
        let begun = if held_back.is_none() {
            self.judge(verdicts, now);
            self.remember(planned);
            let begun = self.act(&decision, now);
            self.hold(&rules, &decision.seen, now);
            self.steer(&steers, &decision.seen);
            begun
        } else {
            self.remember(unacted(&before, planned));
            Begun::default()
        };
        self.review(now);
        let acting = begun_at.elapsed();
        let steered = steer::reasons(&steers);
        self.publish(cause, now, held_back, decision, steered, begun, waited, acting);
        self.step(self.clock.now());
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of what is published, once")]
    fn publish(
        &mut self,
        cause: Cause,
        at: Timestamp,
        held_back: Option<HeldBack>,
        decision: Decision,
        steered: BTreeMap<Symbol, String>,
        begun: Begun,
        waited: Duration,
        act: Duration,
    ) {
        let Some(reign) = &mut self.reign else { return };
        let something = !begun.orders.is_empty() || !begun.retirements.is_empty();
        let pause = if something { Duration::ZERO } else { self.settings.pace.notes };
        reign.save_by(later(at, pause));
        self.number += 1;
        debug!(number = self.number, ?cause, ?held_back, "made a pass");
        self.handle.publish(Pass {
            number: self.number,
            cause,
            at,
            held_back,
            settings: Arc::clone(&self.settings),
            seen: decision.seen,
            plan: Arc::new(decision.plan),
            memory: Arc::new(reign.memory.clone()),
            steered,
            begun,
            orders: reign.ledger.orders(),
            retirements: reign.retiring.values().map(Retirement::view).collect(),
            took: Took { waited, observe: decision.observing, plan: decision.planning, act },
            world: decision.world,
        });
    }

    /// Whether every provider has been looked at, or should have been by now.
    fn has_seen_providers(&self, now: Timestamp) -> bool {
        since(now, self.started) >= FIRST_LOOK
            || self.fleet.keepers().all(|keeper| {
                let kept = keeper.latest();
                kept.inventory.is_some() || kept.failing.is_some()
            })
    }

    /// With nothing in the notebook, marks of an earlier run tell since when nodes are unneeded.
    fn recall(&mut self, now: Timestamp) {
        let trust = self.settings.soft_taints.trust;
        let Some(reign) = &mut self.reign else { return };
        if let State::Ready { blank: true } = reign.state {
            reign.state = State::Ready { blank: false };
            let nodes = &self.sight.mirror.world().nodes;
            reign.memory.unneeded_since.extend(soft::remembered(nodes, trust, now));
        }
    }

    /// Asks whose nodes those are that the inventory does not explain.
    pub(super) fn ask_owners(&mut self, inventory: &Inventory) {
        let Some(reign) = &mut self.reign else { return };
        for asked in self.sight.owners.ask(&mut self.sight.mirror, inventory) {
            let fleet = Arc::clone(&self.fleet);
            reign.spawn(async move {
                let answer = fleet.owner(&asked.identity).await;
                Event::Owner(asked, answer)
            });
        }
    }

    /// An order that is to be placed again may be, or may not.
    fn admit(&mut self, id: &OrderId, admission: Admission, now: Timestamp) {
        let Some(reign) = &mut self.reign else { return };
        let refused = match admission {
            Admission::Allowed => {
                reign.ledger.allow(id);
                return self.call(Cause::Outcome);
            }
            Admission::Refused(reason) => Reason { reason: &reason, now: Some(now) }.to_string(),
            Admission::Unknown if reign.ledger.is_patient(id, &self.settings.orders, now) => return,
            Admission::Unknown => "no provider that can be read has its group".to_owned(),
        };
        warn!(order = %id, reason = refused, "order of an earlier run not placed");
        self.hear_outcome(id, Outcome::NotAllowed(refused), false, now);
    }

    fn remember(&mut self, memory: Memory) {
        if let Some(reign) = &mut self.reign {
            reign.memory = memory;
        }
    }

    /// Looks which orders have been served.
    fn review(&mut self, now: Timestamp) {
        let Some(reign) = &mut self.reign else { return };
        let inventory = self.fleet.inventory(&self.settings.plan.group);
        let targets: BTreeMap<_, _> =
            inventory.groups.iter().map(|state| (state.group.id, state.group.target)).collect();
        let shown = |group| Some((*targets.get(&group)?, self.fleet.as_of(group)?));
        reign.ledger.review(shown, &reign.memory, now);
    }
}

fn since(now: Timestamp, then: Timestamp) -> Duration {
    Duration::try_from(now.duration_since(then)).unwrap_or_default()
}
