//! One pass: from the World to the Plan.

use plimsoll_model::World;

use crate::{
    buffers,
    pending::Pending,
    plan::{BlockReason, GroupReason, Plan},
    profile,
    report::{self, Findings},
    requests::{self, Requests},
    scale_down::{self, Look},
    scale_up::{Allowance, Market},
    scene::Scene,
    serve, stand_ins,
    state::{self, Readiness},
};

/// Decides what to buy, what to give back and what to put right, and says why.
///
/// Pure: the same World gives the same Plan, to the byte. What the next pass has to remember is in [`Plan::memory`].
pub fn plan(world: &World) -> Plan {
    let buffers = buffers::resolve(world);
    let requests = requests::survey(world);
    let with_stand_ins = stand_ins::add(world, &buffers, &requests);
    let whole = with_stand_ins.as_ref().unwrap_or(world);
    let seen = profile::seen(whole);
    let mut plan = plan_pods(seen.as_ref().unwrap_or(whole), requests);
    plan.buffers = buffers::reports(buffers, &plan.kept);
    plan
}

fn plan_pods(world: &World, mut requests: Requests) -> Plan {
    let mut scene = Scene::new(state::observe(world));
    let Pending { demands, booked, sought, settled } = Pending::sort_out(&mut scene, &requests);
    let kept = requests::keep(&mut scene, &requests, booked);
    let allowance = Allowance::new(&scene);
    let market = Market::new(&scene, &allowance);
    let brake = brake(&scene);
    let brake = brake.as_ref();
    let mut served = serve::serve(&mut scene, &market, &allowance, demands, brake);
    requests::seek(&mut scene, &market, &mut requests, sought, kept, &mut served, brake);
    let given = if served.passed_over > 0 {
        // Pods that nobody has looked at may be about to use the room that seems free.
        scale_down::keep_all(&scene, BlockReason::PodsNotLookedAt)
    } else {
        scale_down::give_back(&mut scene, &served.bought.shop)
    };
    let quiet = served.bought.shop.nodes.is_empty()
        && served.bought.rest.is_empty()
        && given.retirements.is_empty()
        && brake.is_none();
    let look =
        if quiet { scale_down::consolidate(&mut scene, &market, &allowance) } else { Look::NotNow };
    let findings = Findings { settled, served, look, given, requests };
    report::report(scene, findings)
}

/// What keeps everything from being bought, if something does.
fn brake(scene: &Scene<'_>) -> Option<GroupReason> {
    let settings = &scene.state.world.settings.scale_up;
    let any_ready = scene.state.nodes.iter().any(|node| node.readiness == Readiness::Ready);
    if !scene.state.healthy && !settings.when_unhealthy {
        Some(GroupReason::ClusterUnhealthy)
    } else if !settings.from_zero && !any_ready {
        Some(GroupReason::SwitchedOff { flag: "scale-up-from-zero" })
    } else {
        None
    }
}
