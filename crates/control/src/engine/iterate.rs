//! One iteration: what is due is done, and a pass is begun or finished.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

use jiff::Timestamp;
use plimsoll_cluster::{lease::Standing, mirror::Staleness};
use plimsoll_model::{Memory, Symbol};
use plimsoll_plan::{Admission, Plan, words::Reason};
use plimsoll_provider::{Bound, HoldBack, Inventory, OrderId, Provider as _, Steer};
use rustc_hash::FxHashMap;
use tokio::time::Instant;
use tracing::warn;

use super::{
    Begun, Cause, Context, Engine, HeldBack,
    backlog::{CaughtUp, Meanwhile},
    decide::{Decision, Inputs, Observation},
    later,
    leader::{Event, Leader},
    planning::{Consultation, Planned},
    preconditions::{Preconditions, targets},
    publish::Finished,
    takeover::{Takeover, load},
    watch_loop::Continuity,
};
use crate::{
    hold,
    orders::{Outcome, Wanted},
    retire::Retirement,
    settings::Mode,
    soft, steer,
};

/// How long the first inventory of every provider is waited for; a slower one is left out for the time being.
const FIRST_LOOK: Duration = Duration::from_secs(10);

/// After a pass there is none for as long as it took, times this: however much happens, most of the time belongs to others.
const REST: u32 = 3;

/// How long orders of an earlier leader are waited for before anything else is begun.
const RESUMPTION: Duration = Duration::from_secs(5);

/// A pass whose plan is being made.
pub(super) struct PassUnderWay {
    pub number: u64,
    pub cause: Cause,
    /// The moment for which it decides.
    pub at: Timestamp,
    /// How long the change that called for it waited.
    pub waited: Duration,
    pub held_back: Option<HeldBack>,
    /// Which groups hold their new nodes back, and until when.
    rules: BTreeMap<Symbol, HoldBack>,
    steers: BTreeMap<Symbol, Steer>,
    /// The memory when it was begun.
    before: Memory,
    /// The sizes of groups that the plan goes by.
    assumed: BTreeMap<Symbol, u32>,
    begun: Instant,
}

// === impl Engine ===

impl Engine {
    /// Does what is due.
    pub(super) fn iterate(&mut self) {
        let Self { context, planner, leader, passes, .. } = self;
        let Some(leader) = leader else { return };
        let now = context.clock.now();
        match leader.takeover {
            Takeover::Waiting(until) if until <= now => return leader.load(context, now),
            Takeover::Waiting(_) | Takeover::Loading => return,
            Takeover::Complete { .. } => {}
        }
        leader.do_chores(context, now);
        if let Some(observation) = planner.observation() {
            if leader.step_at.is_some_and(|at| at <= now) {
                leader.step(context, observation, now);
            }
            if let Some((_, cause)) = leader.due.filter(|(at, _)| *at <= now)
                && let Some(inputs) = leader.start_pass((*passes + 1, cause), context, observation)
            {
                *passes += 1;
                let patience = context.settings.pace.advice;
                let adviser = context.adviser.clone();
                let consultation = adviser.map(|adviser| Consultation { adviser, patience });
                planner.begin(inputs, consultation);
            }
        }
        leader.save(context, context.clock.now());
    }

    /// Takes a plan that was made, and begins what still holds of it.
    pub(super) fn finish_planning(&mut self, planned: Planned) -> Continuity {
        let Self { context, planner, leader, standing, .. } = self;
        let pass = leader.as_mut().and_then(|leader| leader.pass.take());
        let Some(observation) = planned.observation else {
            let empty = Observation::new(context.clock.now(), context.kinds.clone());
            planner.take_back(Box::new(empty));
            return Continuity::Broken;
        };
        let backlog = planner.take_back(observation);
        let Some(observation) = planner.observation() else { return Continuity::Kept };
        let CaughtUp { effect, meanwhile, events } = backlog.catch_up(observation);
        match (leader, pass) {
            (Some(leader), Some(pass)) => {
                // Another replica may lead by now, or have led meanwhile.
                let leads = !standing.has_changed().unwrap_or_default()
                    && *standing.borrow() == Standing::Leading;
                if let Some(decision) = planned.decision.filter(|_| leads) {
                    leader.finish_pass(pass, decision, &meanwhile, context, observation);
                }
            }
            // It was made for an earlier leader, whose questions are not answered any more.
            _ => observation.owners.forget_questions(),
        }
        for event in events {
            self.handle_event(event);
        }
        self.show_freshness();
        self.react(effect);
        Continuity::Kept
    }
}

// === impl Leader ===

impl Leader {
    /// Reads what an earlier leader left.
    fn load(&mut self, context: &Context, now: Timestamp) {
        self.takeover = Takeover::Loading;
        let (orders, saved_state) =
            (context.order_executor.orders.clone(), context.saved_state.clone());
        let (fleet, mode) = (Arc::clone(&context.fleet), context.settings.mode);
        self.spawn(
            async move { Event::Loaded(load(&orders, &saved_state, &fleet, mode, now).await) },
        );
    }

    /// Begins a pass: what the plan goes by, if it is time for one.
    fn start_pass(
        &mut self,
        (number, cause): (u64, Cause),
        context: &Context,
        observation: &mut Observation,
    ) -> Option<Inputs> {
        let now = context.clock.now();
        let settings = &context.settings;
        // Whatever comes of this one, there is a next one.
        self.due = Some((later(now, settings.pace.scan), Cause::Scan));
        let staleness = observation.mirror.staleness(now, settings.pace.stale_after);
        if !context.has_seen_providers(now) || matches!(staleness, Some(Staleness::Unseen(_))) {
            return None;
        }
        let begun = Instant::now();
        let waited = self.called.take().map_or(Duration::ZERO, |called| since(now, called));
        let inventory = context.fleet.inventory(&settings.plan.group);
        let rules = context.holding_groups(&inventory);
        let steers = steer::wishes(&inventory);
        self.recall_from_taints(context, observation, now);
        self.ask_owners(context, observation, &inventory);
        let awaited = hold::awaited(&mut observation.mirror, &self.holding, now);
        let held_back = if settings.mode == Mode::DryRun {
            Some(HeldBack::DryRun)
        } else if let Some(staleness) = staleness {
            Some(HeldBack::Stale(staleness))
        } else if self.ledger.is_resuming() && since(now, self.since) < RESUMPTION {
            Some(HeldBack::Resuming)
        } else {
            None
        };
        let expected = self.ledger.expected(Wanted::All);
        let assumed = targets(&inventory, &expected);
        let before = self.memory.clone();
        let inputs = self.inputs(context, inventory, expected, awaited, now);
        self.forget_edits();
        self.pass = Some(PassUnderWay {
            number,
            cause,
            at: now,
            waited,
            held_back,
            rules,
            steers,
            before,
            assumed,
            begun,
        });
        Some(inputs)
    }

    fn inputs(
        &self,
        context: &Context,
        inventory: Inventory,
        expected: FxHashMap<Symbol, u32>,
        awaited: BTreeSet<Symbol>,
        now: Timestamp,
    ) -> Inputs {
        let retiring = || self.retiring.values();
        let revocable = retiring().filter(|retirement| retirement.is_revocable());
        let replaced = retiring().filter(|one| one.replaced).map(|one| one.node);
        let releasing = retiring().filter(|one| one.is_releasing()).map(|one| one.node);
        Inputs {
            now,
            settings: context.settings.plan.clone(),
            cluster_uid: match context.cluster.bound() {
                Bound::To(uid) => Some(uid.into()),
                Bound::Unbound | Bound::Pending => None,
            },
            inventory,
            memory: self.memory.clone(),
            orders: self.ledger.open(),
            expected,
            decided: self.ledger.expected(Wanted::Allowed),
            undecided: self.ledger.undecided(now),
            leaving: self.retiring.keys().copied().collect(),
            revocable: revocable.map(|one| (one.node, one.unneeded)).collect(),
            awaited,
            replaced: replaced.collect(),
            releasing: releasing.collect(),
            check: retiring().any(Retirement::is_in_doubt),
            advice: Vec::new(),
            whole_world: context.handle.take_wish(),
        }
    }

    /// Begins what was decided, as far as it still holds, and tells.
    fn finish_pass(
        &mut self,
        pass: PassUnderWay,
        mut decision: Decision,
        meanwhile: &Meanwhile,
        context: &Context,
        observation: &mut Observation,
    ) {
        let (now, settings) = (pass.at, &context.settings);
        let begun_at = Instant::now();
        let staleness =
            observation.mirror.staleness(context.clock.now(), settings.pace.stale_after);
        let held_back = pass.held_back.clone().or_else(|| staleness.map(HeldBack::Stale));
        let verdicts = std::mem::take(&mut decision.verdicts);
        let planned = decision.plan.memory.clone();
        let may_differ = meanwhile.inventory_changed || self.was_answered;
        let remembered = if held_back.is_none() { planned } else { unacted(&pass.before, planned) };
        self.remember(remembered, settings);
        if let Some((id, admission)) = decision.admission.take()
            && matches!(held_back, None | Some(HeldBack::Resuming))
        {
            self.admit(&id, admission, context, now);
        }
        let mut begun = Begun::default();
        if held_back.is_none() {
            let current = may_differ.then(|| {
                let inventory = context.fleet.inventory(&settings.plan.group);
                targets(&inventory, &self.ledger.expected(Wanted::All))
            });
            let preconditions = Preconditions::new(meanwhile, &pass.assumed, current);
            self.judge(verdicts, now);
            begun = self.begin(&decision, &preconditions, context, observation, now);
            self.hold(&pass.rules, &decision.seen, context, observation, now);
            self.steer(&pass.steers, &decision.seen, context);
        }
        self.review(&decision.plan, context, now);
        let acting = begun_at.elapsed();
        let steered = steer::reasons(&pass.steers);
        self.rested = later(context.clock.now(), pass.begun.elapsed().saturating_mul(REST));
        self.publish(context, Finished { pass, held_back, decision, steered, begun, acting });
        self.step(context, observation, context.clock.now());
    }

    /// Without saved memory, taints of an earlier leader tell since when nodes are unneeded.
    fn recall_from_taints(
        &mut self,
        context: &Context,
        observation: &mut Observation,
        now: Timestamp,
    ) {
        if let Takeover::Complete { blank: true } = self.takeover {
            self.takeover = Takeover::Complete { blank: false };
            let trust = context.settings.soft_taints.trust;
            let nodes = &observation.mirror.world().nodes;
            self.memory.unneeded_since.extend(soft::remembered(nodes, trust, now));
        }
    }

    /// Asks providers whose nodes those are that the inventory does not explain.
    pub(super) fn ask_owners(
        &mut self,
        context: &Context,
        observation: &mut Observation,
        inventory: &Inventory,
    ) {
        for asked in observation.owners.ask(&mut observation.mirror, inventory) {
            let fleet = Arc::clone(&context.fleet);
            self.spawn(async move {
                let answer = fleet.owner(&asked.identity).await;
                Event::OwnerAnswered(asked, answer)
            });
        }
    }

    /// An order that is to be placed again may be, or may not.
    fn admit(&mut self, id: &OrderId, admission: Admission, context: &Context, now: Timestamp) {
        let refused = match admission {
            Admission::Allowed => {
                self.ledger.allow(id);
                return self.schedule_pass(Cause::Outcome, context);
            }
            Admission::Refused(reason) => Reason { reason: &reason, now: Some(now) }.to_string(),
            Admission::Unknown if self.ledger.is_patient(id, &context.settings.orders, now) => {
                return;
            }
            Admission::Unknown => "no provider that can be read has its group".to_owned(),
        };
        warn!(order = %id, reason = refused, "order of an earlier run not placed");
        self.handle_outcome(id, Outcome::NotAllowed(refused), false, context, now);
    }

    /// Looks which orders have been served.
    fn review(&mut self, plan: &Plan, context: &Context, now: Timestamp) {
        let inventory = context.fleet.inventory(&context.settings.plan.group);
        let targets: BTreeMap<_, _> =
            inventory.groups.iter().map(|state| (state.group.id, state.group.target)).collect();
        let shown = |group| Some((*targets.get(&group)?, context.fleet.as_of(group)?));
        self.ledger.review(shown, &plan.open_orders, now);
    }
}

// === impl Context ===

impl Context {
    /// Whether every provider has been read, or should have been by now.
    fn has_seen_providers(&self, now: Timestamp) -> bool {
        since(now, self.started) >= FIRST_LOOK
            || self.fleet.keepers().all(|keeper| {
                let kept = keeper.latest();
                kept.inventory.is_some() || kept.failing.is_some()
            })
    }
}

/// What is remembered of a plan that is not acted on: what was found out, and nothing that would have been done.
fn unacted(before: &Memory, planned: Memory) -> Memory {
    let before = before.clone();
    Memory {
        last_scale_up: before.last_scale_up,
        last_scale_down: before.last_scale_down,
        last_scale_down_failure: before.last_scale_down_failure,
        group_activity: before.group_activity,
        replacement: before.replacement,
        consolidated: before.consolidated,
        stayed: before.stayed,
        recent_evictions: before.recent_evictions,
        requests: before.requests,
        ..planned
    }
}

fn since(now: Timestamp, then: Timestamp) -> Duration {
    Duration::try_from(now.duration_since(then)).unwrap_or_default()
}
