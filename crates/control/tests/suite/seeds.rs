//! Many stories in each of which the process is killed twice, somewhere: nothing is bought twice, nothing is forgotten, and no
//! node stays closed.

use std::{
    collections::BTreeSet,
    env, fs,
    io::Write as _,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::Arc,
    time::Duration,
};

use jiff::SignedDuration;
use plimsoll_control::{
    engine::Pass,
    fault::{Faults, Point, Tripwire},
};
use tokio::time::{sleep, timeout};

use crate::{
    ground::STORIES,
    stage::{Stage, TWO_GROUPS},
};

/// Each story has a runtime, and a time, of its own.
const THREADS: usize = 2;

/// The variable that says which story is told first, where it is another one than the usual.
const FIRST: &str = "PLIMSOLL_STORY_SEED";

/// Stories that once failed.
const KEPT: &str = include_str!("kept_seeds.txt");

/// Where they are kept.
const KEPT_IN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../control/tests/suite/kept_seeds.txt");

/// Numbers that follow from a seed.
struct Dice(u64);

/// Kills the process where it was told to, and starts it again after a while.
struct Killer {
    dice: Dice,
    /// Where to kill it next, and how many times that place is passed before.
    kills: Vec<(Point, u32)>,
    wire: Option<Arc<Tripwire>>,
    killed: BTreeSet<Point>,
}

impl Dice {
    fn below(&mut self, limit: u64) -> u64 {
        // The generator splitmix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % limit
    }

    fn number(&mut self, limit: u32) -> u32 {
        u32::try_from(self.below(u64::from(limit))).unwrap()
    }
}

impl Killer {
    fn new(seed: u64) -> Self {
        let mut dice = Dice(seed);
        let points = u64::try_from(Point::ALL.len()).unwrap();
        let point = |number: u64| Point::ALL[usize::try_from(number % points).unwrap()];
        let first = (point(seed), dice.number(2));
        let second = (point(dice.below(points)), 0);
        Self { dice, kills: vec![second, first], wire: None, killed: BTreeSet::new() }
    }

    fn start(&mut self, stage: &mut Stage) {
        let faults = match self.kills.last() {
            Some((point, spared)) => {
                let (faults, wire) = Faults::after(*spared, *point);
                self.wire = Some(wire);
                faults
            }
            None => Faults::default(),
        };
        stage.start(faults);
    }

    /// Lets time pass until `is_so`, for half an hour at most.
    async fn until(&mut self, stage: &mut Stage, what: &str, is_so: impl Fn(&Stage) -> bool) {
        let begun = stage.clock.now();
        while !is_so(stage) {
            let waited = stage.clock.now().duration_since(begun);
            assert!(
                waited < SignedDuration::from_mins(30),
                "{what} did not come about after {:?}; {} machines, nodes {:?}, orders {:?}, {}",
                self.killed,
                stage.machines(),
                stage.nodes(),
                stage.orders(),
                state_of(stage),
            );
            let Some(wire) = &self.wire else {
                sleep(Duration::from_millis(500)).await;
                continue;
            };
            if timeout(Duration::from_millis(500), wire.tripped()).await.is_ok() {
                stage.kill().await;
                self.wire = None;
                self.killed.extend(self.kills.pop().map(|(point, _)| point));
                let pause = self.dice.below(30_000);
                stage.pass_millis(pause).await;
                self.start(stage);
            }
        }
    }
}

/// What the last pass made of the cluster, for the report of a story that does not end.
fn state_of(stage: &Stage) -> String {
    let passes = stage.handle().passes();
    let Some(pass) = passes.borrow().clone() else { return "no pass was made".to_owned() };
    let Pass { at, held_back, plan, begun, .. } = &*pass;
    let (unneeded, blocked, left) = (&plan.unneeded, &plan.blocked, &begun.left);
    format!(
        "last pass {at}: held back {held_back:?}, unneeded {unneeded:?}, blocked {blocked:?}, not begun {left:?}"
    )
}

/// Pods that fill a node each, small ones beside them, and then only the small ones.
async fn story(seed: u64) -> BTreeSet<Point> {
    let mut stage = Stage::set(TWO_GROUPS).await;
    stage.settings.plan.group.unneeded_time = SignedDuration::from_secs(30);
    stage.settings.plan.scale_down.delay_after_add = SignedDuration::from_secs(30);
    stage.settings.plan.scale_down.delay_after_failure = SignedDuration::from_secs(30);
    let mut killer = Killer::new(seed);
    let returns = killer
        .kills
        .iter()
        .any(|(point, _)| matches!(point, Point::ReleaseBegun | Point::ReleaseDone));
    let wide = 2 + killer.dice.number(3);
    let small = 2 + killer.dice.number(wide - 1);
    let [wide_pods, small_pods] = [wide, small].map(|pods| usize::try_from(pods).unwrap());
    killer.start(&mut stage);
    let pause = killer.dice.below(12_000);
    stage.pass_millis(pause).await;
    stage.deploy("wide", wide, "3");
    killer.until(&mut stage, "wide pods", |stage| stage.running("wide") == wide_pods).await;
    stage.deploy("small", small, "500m");
    killer.until(&mut stage, "small pods", |stage| stage.running("small") == small_pods).await;
    let pause = killer.dice.below(60_000);
    stage.pass_millis(pause).await;
    stage.scale("wide", 0);
    if returns {
        // A node that is marked is needed again.
        killer.until(&mut stage, "a node leaves", |stage| !stage.is_all_open()).await;
        stage.scale("wide", wide);
        let back = |stage: &Stage| stage.running("wide") == wide_pods && stage.is_all_open();
        killer.until(&mut stage, "wide pods again", back).await;
        stage.scale("wide", 0);
    }
    let alone = |stage: &Stage| stage.machines() == 1 && stage.node_names().len() == 1;
    killer.until(&mut stage, "one machine is left", alone).await;
    killer.until(&mut stage, "small pods", |stage| stage.running("small") == small_pods).await;
    let over = |stage: &Stage| {
        let is_over = |order: &String| {
            ["Done", "Failed", "Released"].iter().any(|phase| order.contains(phase))
        };
        stage.orders().iter().all(is_over)
    };
    killer.until(&mut stage, "no order is open", over).await;
    stage.pass(60).await;
    let bought: usize = stage.bought().values().sum();
    if returns {
        // Those that had gone too far when they were needed again are bought anew.
        assert!((wide_pods..=2 * wide_pods).contains(&bought), "seed {seed}: bought {bought}");
    } else {
        assert_eq!(bought, wide_pods, "seed {seed}: killed at {:?}", killer.killed);
    }
    assert!(alone(&stage) && over(&stage), "seed {seed}: it stays so");
    assert!(stage.is_all_open(), "seed {seed}: {:?}", stage.nodes());
    assert_eq!(stage.running("small"), small_pods, "seed {seed}");
    assert_eq!(stage.last_pass().memory.unneeded_since.len(), 0, "seed {seed}: it is in use");
    stage.stop().await;
    killer.killed
}

/// The story of which somebody said that it is told first.
fn first() -> Option<u64> {
    env::var(FIRST).ok().map(|seed| seed.parse().unwrap())
}

/// Those that once failed, and as many as are told, from the first on.
fn seeds() -> Vec<u64> {
    let lines = KEPT.lines().filter(|line| !line.starts_with('#'));
    let kept = lines.map(|line| line.trim().parse::<u64>().unwrap());
    let first = first().unwrap_or_default();
    kept.chain((0..STORIES).map(|number| first.wrapping_add(number))).collect()
}

/// A story that fails and has never been told before is kept.
fn tell(seed: u64) -> BTreeSet<Point> {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    let runtime = builder.enable_all().start_paused(true).build().unwrap();
    let told = catch_unwind(AssertUnwindSafe(|| runtime.block_on(story(seed))));
    told.unwrap_or_else(|failure| {
        eprintln!("the story of seed {seed} fails");
        let is_kept = KEPT.lines().any(|line| line == seed.to_string());
        if first().is_some() && !is_kept {
            let mut file = fs::OpenOptions::new().append(true).open(KEPT_IN).unwrap();
            writeln!(file, "{seed}").unwrap();
        }
        resume_unwind(failure)
    })
}

#[test]
fn whoever_is_killed_anywhere_comes_back_and_finishes() {
    let seeds = seeds();
    let threads: Vec<_> = (0..THREADS)
        .map(|number| {
            let own: Vec<u64> = seeds.iter().skip(number).step_by(THREADS).copied().collect();
            std::thread::spawn(move || own.into_iter().flat_map(tell).collect::<BTreeSet<Point>>())
        })
        .collect();
    let killed: BTreeSet<Point> =
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect();
    // Not every story comes to where it was to end. Of those that are usually told, some come to every point.
    let all = BTreeSet::from(Point::ALL);
    let usual = STORIES >= 100 && first().is_none();
    assert!(killed == all || !usual, "every point was come to: {killed:?}");
}
