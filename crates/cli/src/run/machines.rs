//! Machines of a simulated infrastructure as nodes of the cluster: fake kubelets register them over the network, so that a cluster of
//! `plimsoll minicluster` in another process is scaled like a real one.

use std::{path::Path, sync::Arc, time::Duration};

use anyhow::{Context as _, Result};
use plimsoll_control::settings::Mode;
use plimsoll_minicluster::kubelet::{Behaviour, Kubeconfig, Kubelets, Remote};
use plimsoll_net::{Clock, Shutdown};
use plimsoll_providers::{joins, simulated::Cloud};
use tracing::warn;

use super::process::Process;

/// From the binding of a pod until it runs, and from its deletion until it has ended.
const MOMENT: Duration = Duration::from_secs(1);

/// Lets simulated machines become nodes.
pub(super) fn simulate(
    clouds: Vec<Cloud>,
    process: &Process,
    clock: Clock,
    shutdown: &Shutdown,
) -> Result<()> {
    if clouds.is_empty() {
        return Ok(());
    }
    match &process.connection.kubeconfig {
        Some(path) if process.settings.mode == Mode::Act => join(clouds, path, clock, shutdown),
        Some(_) => Ok(()),
        None => {
            warn!("machines of the simulated infrastructure become nodes only with --kubeconfig");
            Ok(())
        }
    }
}

/// Lets the machines of these infrastructures join the cluster that the file names, until `shutdown`.
fn join(clouds: Vec<Cloud>, kubeconfig: &Path, clock: Clock, shutdown: &Shutdown) -> Result<()> {
    let remote = Kubeconfig::read(kubeconfig).and_then(|read| Remote::new(&read));
    let remote = remote.with_context(|| kubeconfig.display().to_string())?;
    let behaviour = Behaviour { pull: MOMENT, termination: Some(MOMENT), ..Behaviour::default() };
    let kubelets = Kubelets::new(Arc::new(remote), clock, behaviour);
    let (running, end) = (kubelets.clone(), shutdown.clone());
    tokio::spawn(async move { running.run(&end).await });
    for cloud in clouds {
        let (coming, going, end) = (kubelets.clone(), kubelets.clone(), shutdown.clone());
        // The Node goes with its machine, as a cloud's own controller would see to.
        let joins = joins(move |node| coming.add(node), move |name| going.remove(name));
        tokio::spawn(async move { cloud.run(&joins, end).await });
    }
    Ok(())
}
