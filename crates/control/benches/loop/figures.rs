//! What this process has used, and how it is told.

use std::{fs, io::Write as _, time::Duration};

use crate::Outcome;

/// Clock ticks per second in `/proc`, which is the same on every Linux that matters.
const TICKS: f64 = 100.0;

/// The processor time of this process.
pub(crate) fn cpu_seconds() -> f64 {
    let text = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The name of the process may have spaces in it; what follows has not.
    let fields = text.rsplit(')').next().unwrap_or_default();
    let ticks = fields.split_whitespace().skip(11).take(2);
    ticks.filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / TICKS
}

/// Its memory.
pub(crate) fn resident_bytes() -> u64 {
    let text = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes.unwrap_or_default() * 1024
}

/// As people read it.
pub(crate) fn millis(duration: Duration) -> String {
    format!("{:.1} ms", duration.as_secs_f64() * 1000.0)
}

/// A line of the result.
pub(crate) fn say(what: &str, figure: &str) -> Outcome {
    let mut out = std::io::stdout();
    writeln!(out, "{what:<28}{figure}")?;
    out.flush()?;
    Ok(())
}
