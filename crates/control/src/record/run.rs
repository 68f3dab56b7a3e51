//! The task that tells: it listens to the loop and makes the calls aside.

use std::{sync::Arc, time::Duration};

use jiff::{SignedDuration, Timestamp};
use plimsoll_cluster::{events::Journal, lease::Standing, status_map::StatusMap};
use plimsoll_net::{Clock, Shutdown, metrics::Metrics};
use plimsoll_provider::Fleet;
use tokio::{
    sync::{broadcast::error::RecvError, watch},
    task::JoinSet,
    time::timeout,
};
use tracing::{debug, info, warn};

use super::{
    Chronicle, RecordSettings, Tools, chronicle, doubts,
    events::{Duplicates, Teller},
    metrics::{Freshness, Meter, PerGroup},
    status::{Status, Transitions, go_time, initializing},
};
use crate::{
    engine::{Handle, HeldBack, News, Pass},
    health::Health,
    settings::{Mode, Settings},
};

/// A status that says something new is written at most so often.
const STATUS_PAUSE: SignedDuration = SignedDuration::from_secs(1);

/// A status in which only times are new is written at most so often: as upstream does by its scan interval.
const STATUS_REFRESH: SignedDuration = SignedDuration::from_secs(10);

/// How many events are written in a row before more are chosen.
const BATCH: usize = 50;

/// How long the last events and the end of the status map are waited for.
const FAREWELL: Duration = Duration::from_secs(5);

/// Tells the world what the loop does.
pub(crate) struct Recorder {
    settings: RecordSettings,
    wishes: watch::Receiver<Arc<Settings>>,
    fleet: Arc<Fleet>,
    clock: Clock,
    health: Health,
    meter: Meter,
    chronicle: Chronicle,
    teller: Teller,
    journal: Journal,
    map: StatusMap,
    map_uid: Option<String>,
    transitions: Transitions,
    /// What the last pass could not make sense of, in sentences.
    doubts: Vec<String>,
    /// The latest status, and the one that is written.
    latest: Option<Status>,
    written: Option<Status>,
    /// When a status may be written that says something new, and when one that does not.
    quiet_until: Option<Timestamp>,
    refresh_at: Option<Timestamp>,
    pass: Option<Arc<Pass>>,
    leads: bool,
    writes_status: bool,
    writes_events: bool,
    tasks: JoinSet<Done>,
}

/// What a call aside tells.
enum Done {
    /// The status was written, or was not; with the uid of its object.
    Status(Option<Box<Status>>, Result<Option<String>, String>),
    /// So many events were written, and so many were not.
    Events(usize, usize),
}

// === impl Recorder ===

impl Recorder {
    pub(crate) fn new(tools: Tools) -> Self {
        let Tools { settings, client, fleet, clock, health, wishes } = tools;
        let namespace = wishes.borrow().namespace.clone();
        let map = StatusMap::new(client.clone(), &namespace, &settings.status_name);
        let journal = Journal::new(client, &settings.host, &namespace, &settings.status_name);
        let per_group = if settings.group_metrics { PerGroup::Shown } else { PerGroup::Left };
        let duplicates =
            if settings.duplicated_events { Duplicates::Told } else { Duplicates::Left };
        Self {
            settings,
            wishes,
            fleet,
            clock,
            health,
            meter: Meter::new(per_group),
            chronicle: Chronicle::default(),
            teller: Teller::new(duplicates),
            journal,
            map,
            map_uid: None,
            transitions: Transitions::default(),
            doubts: Vec::new(),
            latest: None,
            written: None,
            quiet_until: None,
            refresh_at: None,
            pass: None,
            leads: false,
            writes_status: false,
            writes_events: false,
            tasks: JoinSet::new(),
        }
    }

    /// What is counted.
    pub(crate) fn metrics(&self) -> Metrics {
        self.meter.metrics()
    }

    /// The last decisions.
    pub(crate) fn chronicle(&self) -> Chronicle {
        self.chronicle.clone()
    }

    /// Tells until `parked`, when there is nothing more to come.
    pub(crate) async fn run(
        mut self,
        handle: &Handle,
        mut standing: watch::Receiver<Standing>,
        parked: &Shutdown,
    ) {
        let (mut passes, mut news) = (handle.each_pass(), handle.news());
        self.stand(&standing.borrow_and_update().clone());
        loop {
            let due = self.status_due();
            let clock = self.clock;
            tokio::select! {
                biased;
                // Before news: they are of what a pass has begun.
                made = passes.recv() => match made {
                    Ok(pass) => self.pass(pass),
                    Err(RecvError::Lagged(missed)) => warn!(missed, "passes came too fast"),
                    Err(RecvError::Closed) => break,
                },
                heard = news.recv() => match heard {
                    Ok(heard) => self.news(&heard),
                    Err(RecvError::Lagged(missed)) => warn!(missed, "news came too fast"),
                    Err(RecvError::Closed) => break,
                },
                Ok(()) = standing.changed() => {
                    self.stand(&standing.borrow_and_update().clone());
                }
                Some(Ok(done)) = self.tasks.join_next() => self.done(done),
                () = sleep_until(clock, due) => self.write_status(),
                () = parked.wait() => break,
            }
            self.write_events();
        }
        while let Ok(heard) = news.try_recv() {
            self.news(&heard);
        }
        if timeout(FAREWELL, self.farewell()).await.is_err() {
            warn!("the last events or the status map could not be seen to in time");
        }
    }

    fn stand(&mut self, standing: &Standing) {
        let leads = *standing == Standing::Leading;
        self.meter.stand(leads);
        if leads {
            self.health.lead(self.clock.now());
        } else {
            self.health.stand_by();
            // Whoever leads now writes.
            self.tasks.abort_all();
            self.teller.stand_by();
            (self.transitions, self.latest, self.pass, self.doubts) = Default::default();
            (self.written, self.map_uid) = Default::default();
            (self.writes_status, self.writes_events) = (false, false);
        }
        if leads && !self.leads && self.tells() && self.settings.write_status {
            self.begin_status();
        }
        self.leads = leads;
    }

    /// Whether the cluster may be touched.
    fn tells(&self) -> bool {
        self.wishes.borrow().mode == Mode::Act
    }

    fn pass(&mut self, pass: Arc<Pass>) {
        if !self.leads {
            return;
        }
        let now = self.clock.now();
        match &pass.held_back {
            Some(HeldBack::Stale(_)) => self.health.active(now),
            _ => self.health.succeeded(now),
        }
        self.meter.pass(&pass, &self.freshness());
        self.chronicle.add(pass.at, chronicle::decisions(&pass));
        self.latest = Some(self.transitions.status(&pass));
        self.log_doubts(doubts(&pass.plan, pass.at));
        let budget = BATCH.saturating_sub(self.teller.waiting());
        let budget = if self.writes_events { 0 } else { budget };
        self.teller.pass(&pass, budget);
        self.pass = Some(pass);
    }

    /// Logs what is new, and what has been resolved, once.
    fn log_doubts(&mut self, doubts: Vec<String>) {
        for doubt in doubts.iter().filter(|doubt| !self.doubts.contains(doubt)) {
            warn!(problem = doubt, "what was seen is contradictory; nothing is deleted for it");
        }
        if doubts.is_empty() && !self.doubts.is_empty() {
            info!("what was seen is no longer contradictory");
        }
        self.doubts = doubts;
    }

    fn news(&mut self, news: &News) {
        if !self.leads {
            return;
        }
        let now = self.clock.now();
        match news {
            News::OrderUnwritten { why } => {
                let problem = format!("nothing can be ordered or removed: {why}");
                self.health.set_problem(Some(problem));
            }
            News::Placed(_) | News::OrderFailed { .. } | News::Gone(_) => {
                self.health.set_problem(None);
            }
            _ => {}
        }
        self.meter.news(news, self.pass.as_deref(), now);
        self.chronicle.add(now, chronicle::news(news));
        self.teller.news(news, now);
    }

    fn freshness(&self) -> Vec<Freshness> {
        let keepers = self.fleet.keepers().map(|keeper| {
            let kept = keeper.latest();
            Freshness {
                provider: keeper.provider().name().to_owned(),
                as_of: kept.as_of,
                is_failing: kept.failing.is_some(),
            }
        });
        keepers.collect()
    }

    /// When the status is to be written.
    fn status_due(&self) -> Option<Timestamp> {
        let latest = self.latest.as_ref()?;
        if self.writes_status || !self.leads || !self.settings.write_status || !self.tells() {
            return None;
        }
        match &self.written {
            Some(written) if written.says_the_same_as(latest) => {
                // Without a new pass there is nothing new to say, not even a time.
                self.refresh_at.filter(|_| written.at < latest.at)
            }
            _ => Some(self.quiet_until.unwrap_or(latest.at)),
        }
    }

    fn write_status(&mut self) {
        let Some(latest) = self.latest.clone() else { return };
        let (text, moment) = (latest.text(), go_time(latest.at));
        self.spawn_status(Some(latest), text, moment);
    }

    /// Says that we are here, before there is anything to say.
    fn begin_status(&mut self) {
        let now = self.clock.now();
        self.spawn_status(None, initializing(now), go_time(now));
    }

    fn spawn_status(&mut self, status: Option<Status>, text: String, moment: String) {
        self.writes_status = true;
        let (map, status) = (self.map.clone(), status.map(Box::new));
        self.tasks.spawn(async move {
            let outcome = map.write(text, &moment).await.map_err(|error| error.to_string());
            Done::Status(status, outcome)
        });
    }

    fn write_events(&mut self) {
        if !self.leads || !self.tells() {
            // What is not told now would be old news later.
            self.teller.take(usize::MAX);
            return;
        }
        if self.writes_events {
            return;
        }
        let batch = self.teller.take(BATCH);
        if batch.is_empty() {
            return;
        }
        self.writes_events = true;
        let (journal, clock, uid) = (self.journal.clone(), self.clock, self.map_uid.clone());
        self.tasks.spawn(async move {
            let (mut written, mut failed) = (0, 0);
            // One after the other: what is told is never more urgent than what is done.
            for event in batch {
                match journal.write(&event, uid.as_deref(), clock.now()).await {
                    Ok(()) => written += 1,
                    Err(error) => {
                        debug!(%error, ?event, "an event is lost");
                        failed += 1;
                    }
                }
            }
            Done::Events(written, failed)
        });
    }

    fn done(&mut self, done: Done) {
        match done {
            Done::Events(written, failed) => {
                self.writes_events = false;
                self.meter.events("written", written);
                self.meter.events("failed", failed);
                if failed > 0 {
                    warn!(written, failed, "events could not be written");
                }
            }
            Done::Status(status, outcome) => {
                self.writes_status = false;
                let now = self.clock.now();
                let refresh = now.checked_add(STATUS_REFRESH).ok();
                match outcome {
                    Ok(uid) => {
                        self.map_uid = uid;
                        self.written = status.map(|status| *status);
                        self.quiet_until = now.checked_add(STATUS_PAUSE).ok();
                    }
                    Err(error) => {
                        warn!(%error, "the status is not written");
                        self.quiet_until = refresh;
                    }
                }
                self.refresh_at = refresh;
            }
        }
    }

    /// Writes what is left, and deletes the status: who looks for it shall not find an old one.
    async fn farewell(&mut self) {
        while let Some(done) = self.tasks.join_next().await {
            if let Ok(done) = done {
                self.done(done);
            }
            self.write_events();
        }
        self.write_events();
        while let Some(done) = self.tasks.join_next().await {
            if let Ok(done) = done {
                self.done(done);
            }
        }
        if self.leads
            && self.tells()
            && self.settings.write_status
            && let Err(error) = self.map.delete().await
        {
            warn!(%error, "an old status stays behind");
        }
    }
}

impl std::fmt::Debug for Recorder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Recorder").field("settings", &self.settings).finish_non_exhaustive()
    }
}

async fn sleep_until(clock: Clock, moment: Option<Timestamp>) {
    match moment {
        Some(moment) => clock.sleep_until(moment).await,
        None => std::future::pending().await,
    }
}
