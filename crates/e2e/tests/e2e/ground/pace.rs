//! How fast time passes: not before the control plane has done what there is to do, and never so fast that what it does by its own
//! clock would come hours late.

use std::{thread, time::Duration};

use plimsoll_e2e::is_idle;
use tokio::{task::spawn_blocking, time::sleep};

/// How much time passes in one go.
const STEP: Duration = Duration::from_secs(1);
/// How long that takes at least on the clock of the machine.
const REST: Duration = Duration::from_millis(8);
/// How long to wait for a control plane that is at work before looking again.
const LOOK: Duration = Duration::from_millis(2);
/// How often to look at most: kubelets that stood still for longer would be taken for dead.
const LOOKS: u32 = 400;

/// Keeps the time of a test in step with these processes.
pub(super) async fn keep(processes: Vec<u32>) {
    loop {
        sleep(STEP).await;
        let processes = processes.clone();
        // Tokio's paused time does not pass while it waits for a blocking task.
        let waited = spawn_blocking(move || wait_for(&processes));
        if waited.await.is_err() {
            return;
        }
    }
}

fn wait_for(processes: &[u32]) {
    thread::sleep(REST);
    for _ in 0..LOOKS {
        if processes.iter().all(|process| is_idle(*process)) {
            return;
        }
        thread::sleep(LOOK);
    }
}
