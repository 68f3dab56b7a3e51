//! Packs an instance given as plain text and prints what came of it.
//!
//! ```text
//! class PER_BIN
//! bin COST MAX CAPACITY…
//! item COUNT (*|BIN,BIN,…) (-|CLASS,CLASS,…) SIZE…
//! ```

use std::{env, error::Error, fs, num::ParseIntError, time::Instant};

use fixedbitset::FixedBitSet;
use plimsoll_plan::pack::{Bin, Class, Effort, Item, Problem, pack};

#[expect(clippy::print_stdout, reason = "printing is what this example is for")]
#[expect(clippy::disallowed_methods, reason = "measures, decides nothing")]
fn main() -> Result<(), Box<dyn Error>> {
    for path in env::args().skip(1) {
        let problem = parse(&fs::read_to_string(&path)?)?;
        let start = Instant::now();
        let packing = pack(&problem);
        let took = start.elapsed();
        let unplaced: u32 = packing.unplaced.iter().map(|&(_, count)| count).sum();
        println!(
            "{path}: cost {} bound {} gap {} bins {} unplaced {unplaced} steps {} in {took:?}",
            units(packing.cost),
            units(packing.lower_bound),
            percent(packing.cost, packing.lower_bound),
            packing.opened(),
            packing.steps,
        );
    }
    Ok(())
}

fn units(cost: u64) -> String {
    format!("{}.{:06}", cost / 1_000_000, cost % 1_000_000)
}

fn percent(cost: u64, bound: u64) -> String {
    match ((cost - bound) * 100_000).checked_div(bound) {
        Some(share) => format!("{}.{:03}%", share / 1000, share % 1000),
        None => "-".to_owned(),
    }
}

fn parse(text: &str) -> Result<Problem, Box<dyn Error>> {
    let mut problem = Problem {
        items: Vec::new(),
        bins: Vec::new(),
        classes: Vec::new(),
        max_bins_total: None,
        effort: Effort::default(),
    };
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let sizes = |words: &[&str]| -> Result<Vec<i64>, ParseIntError> {
            words.iter().map(|word| word.parse()).collect()
        };
        match *words.as_slice() {
            ["class", per_bin] => problem.classes.push(Class { per_bin: per_bin.parse()? }),
            ["total", most] => problem.max_bins_total = Some(most.parse()?),
            ["steps", steps] => problem.effort = Effort { steps: steps.parse()? },
            ["bin", cost, max, ref capacity @ ..] => problem.bins.push(Bin {
                cost: cost.parse()?,
                max: max.parse()?,
                capacity: sizes(capacity)?,
            }),
            ["item", count, bins, classes, ref size @ ..] => {
                let mut allowed = FixedBitSet::with_capacity(problem.bins.len());
                if bins == "*" {
                    allowed.insert_range(..);
                } else {
                    for bin in bins.split(',') {
                        allowed.insert(bin.parse()?);
                    }
                }
                let mut exclusive = Vec::new();
                for class in classes.split(',').filter(|class| *class != "-") {
                    exclusive.push(class.parse()?);
                }
                problem.items.push(Item {
                    count: count.parse()?,
                    bins: allowed,
                    exclusive,
                    size: sizes(size)?,
                });
            }
            _ => {}
        }
    }
    Ok(problem)
}
