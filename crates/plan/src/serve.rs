//! Who gets a place where: first on what is here or on its way, then on what is bought for the rest.

use crate::{
    existing::{self, Placed},
    gangs::{self, Gang},
    pack::Effort,
    pending::Demand,
    plan::GroupReason,
    scale_up::{self, Allowance, Bought, Explained, Market, Shop},
    scene::Scene,
};

/// The flag that says how long to look for room.
const LOOKING_TIME: &str = "pending-pods-batching-timeout";

/// Gangs that are tried by themselves in one pass.
const TRIES: usize = 64;

/// The demands, served or not.
#[derive(Debug)]
pub(crate) struct Served {
    /// Pods that a node takes that is here or on its way, in the order they were placed.
    pub fitted: Vec<Placed>,
    /// Pods that nothing is bought for.
    pub held: Vec<Demand>,
    pub bought: Bought,
    /// What groups say to the pods that are left.
    pub explained: Explained,
    /// How many pods there was no time to look at. Nobody knows what room they need.
    pub passed_over: usize,
}

/// Serves the demands. Pods of a gang get their places together or not at all: a gang that cannot be served whole is taken out
/// and everything is done again, so that nobody waits for its sake. One that had to make way for another, which then failed as well,
/// is tried again by itself. `brake` is what keeps everything from being bought.
pub(crate) fn serve(
    scene: &mut Scene<'_>,
    market: &Market,
    allowance: &Allowance,
    mut demands: Vec<Demand>,
    brake: Option<&GroupReason>,
) -> Served {
    let mut given_up: Vec<Demand> = Vec::new();
    let mut made_way: Vec<Gang> = Vec::new();
    let mut explained = Explained::default();
    let passed_over = pass_over(scene, &mut demands);
    let mut empty = Shop::new(scene, market, allowance.clone());
    loop {
        let mark = scene.snapshot.mark();
        let fitted = existing::place(scene, demands.clone());
        let (mut held, wanting): (Vec<_>, Vec<_>) =
            fitted.rest.into_iter().partition(|demand| demand.held.is_some());
        let mut bought = match brake {
            None => scale_up::buy(scene, market, empty.clone(), &wanting),
            Some(_) => Bought { shop: empty.clone(), rest: wanting },
        };
        empty = empty.after(bought.shop.spent);
        let failed = gangs::failed(scene, bought.rest.iter().chain(&held));
        if failed.is_empty() {
            scene.snapshot.keep(mark);
            if brake.is_none() {
                let shop = &mut bought.shop;
                given_up = try_each(scene, market, shop, given_up, &made_way);
            }
            let left = scale_up::explain(scene, market, &bought.shop, &bought.rest, brake);
            let late = GroupReason::TimeLimitReached { flag: LOOKING_TIME };
            let late = scale_up::explain(scene, market, &bought.shop, &passed_over, Some(&late));
            for (shape, reasons) in left.into_iter().chain(late) {
                explained.entry(shape).or_insert(reasons);
            }
            let count = passed_over.len();
            let (not_for, given_up): (Vec<_>, Vec<_>) =
                given_up.into_iter().chain(passed_over).partition(|demand| demand.held.is_some());
            held.extend(not_for);
            bought.rest.extend(given_up);
            return Served { fitted: fitted.placed, held, bought, explained, passed_over: count };
        }
        let last = gangs::last_half(scene, &demands, &failed);
        let (out, stay): (Vec<_>, Vec<_>) =
            demands.into_iter().partition(|demand| gangs::is_of(scene, demand, &last));
        // What stopped the gang is seen now; once its places are given up again, nothing seems to.
        explained.extend(scale_up::explain(scene, market, &bought.shop, &out, brake));
        scene.snapshot.undo(mark);
        given_up.extend(out);
        demands = stay;
        if last.len() < failed.len() {
            made_way.extend(last);
        }
    }
}

/// Tries gangs by themselves, on top of what is bought. Returns the pods that are left.
fn try_each(
    scene: &mut Scene<'_>,
    market: &Market,
    shop: &mut Shop,
    mut given_up: Vec<Demand>,
    gangs: &[Gang],
) -> Vec<Demand> {
    for gang in gangs::in_order(scene, &given_up, gangs).into_iter().take(TRIES) {
        let (members, others): (Vec<_>, Vec<_>) =
            given_up.into_iter().partition(|demand| gangs::is_of(scene, demand, &[gang]));
        given_up = others;
        let may_buy = shop.goes_on(scene) && members.iter().all(|demand| demand.held.is_none());
        if !may_buy || scale_up::together(scene, market, shop, &members).is_err() {
            given_up.extend(members);
        }
    }
    given_up
}

/// Takes out those that there is no time to look at: the least important, and gangs of which one is among them.
fn pass_over(scene: &Scene<'_>, demands: &mut Vec<Demand>) -> Vec<Demand> {
    let Some(time) = scene.state.world.settings.scale_up.looking_time else { return Vec::new() };
    let count = Effort::within(time).steps.div_ceil(existing::STEPS_A_POD);
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    let late = demands.split_off(count.min(demands.len()));
    let torn = gangs::failed(scene, late.iter());
    let (mut out, stay): (Vec<_>, Vec<_>) =
        demands.drain(..).partition(|demand| gangs::is_of(scene, demand, &torn));
    *demands = stay;
    out.extend(late);
    out
}
