//! `plimsoll demo`: a cluster, an infrastructure and the autoscaler in one process, and a play that shows what it does.
//!
//! ```text
//!                 moves ┌────────▶ Stage: minicluster, infrastructure, autoscaler
//! play (acts) ─▶ Director             │
//!                 ▲                   ▼ looks
//!                 └────── Facts ◀── Observer ──▶ lines ──▶ Audience: terminal or log
//! ```
//! The play, the director, the view and the summary are pure; the stage, the observer and the audience are not.

use std::{
    io::{self, IsTerminal as _, Write as _},
    net::SocketAddr,
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::anyhow;
use clap::Args;
use plimsoll_net::{Clock, Shutdown, tls};
use tempfile::TempDir;

use self::{
    audience::{Audience, Log, Screen},
    infrastructure::{Choice, Way},
    stage::{Place, Stage},
    summary::Summary,
};
use crate::{failure::Failure, listen, log, minicluster::time};

mod audience;
mod books;
mod director;
mod facts;
mod infrastructure;
mod observer;
mod play;
mod production;
mod stage;
mod summary;
mod view;
mod words;
mod workload;

/// What was typed.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Ends by itself after this time, 45s at least, with 0 if every act of the play came about. Acts that have not by then get as
    /// much time again. Without it the play is repeated until Ctrl-C.
    #[arg(long = "for", value_name = "DURATION", value_parser = limit)]
    limit: Option<Duration>,
    /// Where the machines come from.
    #[arg(long, value_name = "NAME", value_enum, default_value = "simulated")]
    provider: Choice,
    /// Where to write the kubeconfig. Without it: a temporary file, which is taken away at the end.
    #[arg(long, value_name = "FILE")]
    kubeconfig: Option<PathBuf>,
    /// Where the API server listens, with TLS; port 0 is any that is free.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:0", value_parser = listen::parse)]
    listen: SocketAddr,
    /// Where the autoscaler answers: /status, /explain, /metrics and so on.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:0", value_parser = listen::parse)]
    address: SocketAddr,
    /// What happens by chance, such as how long machines take to boot, follows from it.
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    seed: u64,
    /// Writes a line for each happening, also in a terminal.
    #[arg(long)]
    plain: bool,
}

/// How it is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    View,
    Lines,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let form =
        if io::stdout().is_terminal() && !arguments.plain { Form::View } else { Form::Lines };
    // Messages would spoil the view, and the log tells what there is to tell; who wants more says so.
    if std::env::var_os(log::VARIABLE).is_some()
        && !(form == Form::View && io::stderr().is_terminal())
    {
        log::start();
    }
    tls::install_default();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::Running(error.into()))?;
    let summary = runtime.block_on(show(arguments, form))?;
    write!(io::stdout().lock(), "\n{summary}")?;
    match summary.missing().as_slice() {
        [] => Ok(()),
        missing => {
            let missing = missing.join(", ");
            Err(Failure::Running(anyhow!("not every act of the play came about: {missing}")))
        }
    }
}

/// Sets the stage, plays, and takes everything down again, however it ended.
async fn show(arguments: &Arguments, form: Form) -> Result<Summary, Failure> {
    // Whoever asks for the end while the cluster starts is heard, too.
    let shutdown = Shutdown::new();
    let signals = shutdown.clone();
    let listening = tokio::spawn(async move { signals.on_signal().await });
    let folder = tempfile::Builder::new().prefix("plimsoll-demo-").tempdir();
    let folder: TempDir = folder.map_err(|error| Failure::Running(error.into()))?;
    let kubeconfig = arguments.kubeconfig.clone();
    let kubeconfig = kubeconfig.unwrap_or_else(|| folder.path().join("kubeconfig"));
    let clock = Clock::system();
    let Arguments { provider, seed, .. } = *arguments;
    let infrastructure =
        infrastructure::open(provider, seed, clock, Way::Sockets, folder.path()).await;
    let infrastructure = infrastructure.map_err(Failure::Running)?;
    let place = Place {
        api: Some(arguments.listen),
        autoscaler: Some(arguments.address),
        kubeconfig: Some(kubeconfig.clone()),
    };
    let mut stage = Stage::set(clock, infrastructure, place).await?;
    let outcome = watch(arguments.limit, form, &mut stage, clock, &kubeconfig, &shutdown).await;
    let ended = stage.end().await;
    shutdown.trigger();
    // The signal was given, so this has ended.
    let _ = listening.await;
    let summary = outcome?;
    ended.map_err(Failure::Running)?;
    folder.close().map_err(|error| Failure::Running(error.into()))?;
    Ok(summary)
}

/// Plays to whoever watches.
async fn watch(
    limit: Option<Duration>,
    form: Form,
    stage: &mut Stage,
    clock: Clock,
    kubeconfig: &Path,
    shutdown: &Shutdown,
) -> Result<Summary, Failure> {
    let hints = hints(stage, kubeconfig);
    introduce(stage, &hints)?;
    let mut audience: Box<dyn Audience> = match form {
        Form::View => Box::new(Screen::open(shutdown)?),
        Form::Lines => Box::new(Log(io::stdout())),
    };
    production::play(stage, clock, limit, &hints, &mut *audience, shutdown).await
}

/// What the user can type elsewhere.
fn hints(stage: &Stage, kubeconfig: &Path) -> Vec<String> {
    let path = std::path::absolute(kubeconfig).unwrap_or_else(|_| kubeconfig.to_owned());
    let mut hints = vec![format!("kubectl --kubeconfig {} get nodes -w", path.display())];
    if let Some(address) = stage.address() {
        hints.push(format!("plimsoll status --server http://{address}"));
    }
    hints
}

fn introduce(stage: &Stage, hints: &[String]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    let url = stage.url().unwrap_or("-");
    writeln!(out, "A cluster runs at {url} until the play is over.")?;
    writeln!(out, "{}", stage.infrastructure().about())?;
    writeln!(out, "Watch it with\n")?;
    for hint in hints {
        writeln!(out, "  {hint}")?;
    }
    writeln!(out)?;
    out.flush()
}

/// Reads how long it is to run, for a flag.
fn limit(text: &str) -> Result<Duration, String> {
    let limit = time(text)?;
    if limit < director::SHORTEST {
        let shortest = director::SHORTEST.as_secs();
        return Err(format!(
            "the play takes {shortest}s at least; without --for it can be ended at any time"
        ));
    }
    Ok(limit)
}

#[cfg(test)]
mod tests;
