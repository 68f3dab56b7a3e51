//! How far each request has come, by what is said of it and by the time.

use std::sync::Arc;

use plimsoll_model::{
    Condition, Pod, PodShape, PodTemplate, Request, SignedDuration, Symbol, Timestamp, Truth, World,
};
use rustc_hash::FxHashMap;

use super::{
    Entry, Requests, Stage,
    class::Class,
    conditions::{
        ACCEPTED, BOOKING_EXPIRED, CAPACITY_REVOKED, FAILED, PROVISIONED, Word, find, known, say,
    },
};

/// How long room is kept.
pub(super) const BOOKING: SignedDuration = SignedDuration::from_mins(10);

/// How long room is looked for, unless the request says less.
const VALIDITY: SignedDuration = SignedDuration::from_hours(7 * 24);

/// How long a request stays after it is over.
const REMEMBRANCE: SignedDuration = SignedDuration::from_hours(7 * 24);

/// A template that is missing may only be seen later than the request that needs it.
const PATIENCE: SignedDuration = SignedDuration::from_secs(30);

/// More pods than anybody means by a request, and fewer than would fill the memory: of one, and of all whose turn it is.
const MOST_PODS: u64 = 50_000;

/// Pods that do not exist yet and need room.
#[derive(Clone, Debug)]
pub(super) struct Wanted {
    pub shape: Arc<PodShape>,
    pub priority: i32,
    pub count: u32,
}

/// What requests are judged by.
struct Surveyor<'w> {
    world: &'w World,
    templates: FxHashMap<(Symbol, &'w str), &'w PodTemplate>,
    /// Pods by the request that they consume.
    consumers: FxHashMap<(Symbol, Symbol), Vec<&'w Pod>>,
    /// How many requests may still wait longer than the first time.
    longer: u32,
    /// How many more pods may have their turn in this pass.
    room: u64,
}

/// Finds out how far the requests have come that are ours to serve.
pub(crate) fn survey(world: &World) -> Requests {
    let mut requests = Requests { served: world.settings.requests.served, ..Requests::default() };
    if !requests.served || world.requests.is_empty() {
        return requests;
    }
    let ours = world.requests.iter().enumerate().filter_map(|(place, request)| {
        Some((place, request, Class::of(request, &world.settings.requests)?))
    });
    let mut ours: Vec<_> = ours.collect();
    ours.sort_by_key(|(_, request, _)| (request.created, request.namespace, &request.name));
    let mut surveyor = Surveyor::new(world);
    for (place, request, class) in ours {
        let mut conditions = known(request, world.memory.requests.get(&request.uid));
        let (stage, wanted) = surveyor.judge(request, &mut conditions);
        if let Stage::Booked(_) = stage {
            requests.booked.insert((request.namespace, Symbol::new(&request.name)), place);
        }
        requests.entries.push(Entry { place, class, stage, conditions, wanted });
    }
    requests
}

// === impl Surveyor ===

impl<'w> Surveyor<'w> {
    fn new(world: &'w World) -> Self {
        let templates = world.pod_templates.iter();
        let mut consumers: FxHashMap<_, Vec<&Pod>> = FxHashMap::default();
        let living = world.pods.iter().filter(|pod| !pod.has_ended() && pod.deletion.is_none());
        for pod in living {
            if let Some(request) = pod.extras.as_ref().and_then(|extras| extras.consumes) {
                consumers.entry((pod.shape.namespace, request)).or_default().push(pod);
            }
        }
        Self {
            world,
            templates: templates.map(|one| ((one.namespace, &*one.name), one)).collect(),
            consumers,
            longer: world.settings.requests.longer_pauses,
            room: MOST_PODS,
        }
    }

    /// How far a request has come, and which of its pods need room now.
    fn judge(
        &mut self,
        request: &Request,
        conditions: &mut Vec<Condition>,
    ) -> (Stage, Vec<Wanted>) {
        let now = self.world.now;
        let ends = [FAILED, BOOKING_EXPIRED, CAPACITY_REVOKED];
        let ends = ends.iter().filter_map(|name| find(conditions, name, Truth::True));
        if let Some(over) = ends.map(|condition| condition.at).max() {
            let outlived = now.duration_since(over) >= REMEMBRANCE;
            return (if outlived { Stage::Outlived } else { Stage::Over }, Vec::new());
        }
        let booked = find(conditions, PROVISIONED, Truth::True).map(|condition| condition.at);
        let judged = match booked {
            Some(since) => self.booked(request, since),
            None => self.unserved(request, conditions),
        };
        match judged {
            Ok((stage, wanted)) => {
                if find(conditions, ACCEPTED, Truth::True).is_none() && stage == Stage::Due {
                    let message = "ProvisioningRequest is accepted".to_owned();
                    let (name, status) = (ACCEPTED, Truth::True);
                    let word = Word { name, status, reason: "Accepted", message };
                    say(conditions, request, word, now);
                }
                (stage, wanted)
            }
            Err(word) => {
                say(conditions, request, word, now);
                (Stage::Over, Vec::new())
            }
        }
    }

    fn booked(&self, request: &Request, since: Timestamp) -> Result<(Stage, Vec<Wanted>), Word> {
        let expired = |reason, message: &str| {
            let message = message.to_owned();
            Word { name: BOOKING_EXPIRED, status: Truth::True, reason, message }
        };
        let until = later(since, BOOKING);
        if self.world.now >= until {
            let message = "Capacity reservation time is expired";
            return Err(expired("CapacityReservationTimeExpired", message));
        }
        let mut wanted =
            self.resolve(request).map_err(|problem| failed("FailedToBookCapacity", problem))?;
        let total = pods(&wanted);
        let consumers = self.consumers.get(&(request.namespace, Symbol::new(&request.name)));
        let consumers = consumers.map_or(&[][..], |consumers| consumers);
        let running = consumers.iter().filter(|pod| pod.node.is_some()).count();
        if u64::try_from(running).unwrap_or(u64::MAX) >= total {
            let message = "All pods that the capacity was booked for have their nodes";
            return Err(expired("CapacityBookingConsumed", message));
        }
        for pod in consumers {
            stand_down(&mut wanted, pod);
        }
        Ok((Stage::Booked(until), wanted))
    }

    fn unserved(
        &mut self,
        request: &Request,
        conditions: &[Condition],
    ) -> Result<(Stage, Vec<Wanted>), Word> {
        let now = self.world.now;
        let own = request.parameter("ValidUntilSeconds").parse().ok();
        let validity = own.map_or(VALIDITY, SignedDuration::from_secs).min(VALIDITY);
        if now.duration_since(request.created) >= validity {
            return Err(failed("Expired", "ProvisioningRequest is expired".to_owned()));
        }
        let wanted = match self.resolve(request) {
            Ok(wanted) => wanted,
            Err(_) if now.duration_since(request.created) < PATIENCE => {
                return Ok((Stage::Waits(later(request.created, PATIENCE)), Vec::new()));
            }
            Err(problem) => return Err(failed("FailedToCreatePods", problem)),
        };
        let again = find(conditions, PROVISIONED, Truth::False)
            .map_or(now, |tried| later(tried.at, self.pause(conditions, tried.at)));
        let pods = pods(&wanted);
        if now < again || pods > self.room {
            return Ok((Stage::Waits(again.max(now)), Vec::new()));
        }
        self.room -= pods;
        Ok((Stage::Due, wanted))
    }

    /// How long to wait after a vain attempt. Each pause is twice as long as the one before, so that it is as long as all before
    /// it and a first one: that is what the request itself tells, and nobody has to remember it.
    fn pause(&mut self, conditions: &[Condition], tried: Timestamp) -> SignedDuration {
        let settings = &self.world.settings.requests;
        let first = settings.pause.min(settings.longest_pause);
        if self.longer == 0 {
            return first;
        }
        self.longer -= 1;
        let begun = find(conditions, ACCEPTED, Truth::True).map_or(tried, |accepted| accepted.at);
        let before = tried.duration_since(begun).max(SignedDuration::ZERO);
        first.saturating_add(before).min(settings.longest_pause)
    }

    /// The pods of a request.
    fn resolve(&self, request: &Request) -> Result<Vec<Wanted>, String> {
        let sets = request.pod_sets.iter().map(|set| {
            let template = self.templates.get(&(request.namespace, &*set.template));
            let Some(template) = template else {
                return Err(format!("there is no PodTemplate {}", set.template));
            };
            let (shape, priority) = (Arc::clone(&template.pod), template.priority);
            Ok(Wanted { shape, priority, count: set.count })
        });
        let sets: Vec<Wanted> = sets.collect::<Result<_, _>>()?;
        if sets.is_empty() {
            return Err("it has no pod sets".to_owned());
        }
        let pods = pods(&sets);
        if pods > MOST_PODS {
            return Err(format!("it asks for {pods} pods, and may for {MOST_PODS}"));
        }
        Ok(sets)
    }
}

/// How many pods there are in all.
fn pods(wanted: &[Wanted]) -> u64 {
    wanted.iter().map(|one| u64::from(one.count)).sum()
}

/// One pod less has to be stood for: this one exists. Which one it is can only be guessed by its size.
fn stand_down(wanted: &mut [Wanted], pod: &Pod) {
    let is_like = |one: &Wanted| one.count > 0 && one.shape.requests == pod.shape.requests;
    let alike = wanted.iter().position(is_like);
    let place = alike.or_else(|| wanted.iter().position(|one| one.count > 0));
    if let Some(one) = place.and_then(|place| wanted.get_mut(place)) {
        one.count -= 1;
    }
}

fn failed(reason: &'static str, message: String) -> Word {
    Word { name: FAILED, status: Truth::True, reason, message }
}

pub(super) fn later(at: Timestamp, by: SignedDuration) -> Timestamp {
    at.checked_add(by).unwrap_or(Timestamp::MAX)
}
