//! From flags to a provider that can be relied on.

use std::sync::Arc;

use anyhow::{Context as _, Result};
use clap::Args;
use plimsoll_model::GroupOptions;
use plimsoll_net::{Clock, Shutdown};
use plimsoll_provider::{Fleet, Limits, Provider, Steady, Upkeep};
use plimsoll_providers::choice::{Choice, Opened};

/// Which infrastructures.
#[derive(Clone, Debug, Default, Args)]
#[group(id = "infrastructure")]
pub(crate) struct Arguments {
    /// Which infrastructure: simulated or externalgrpc; several with commas between.
    #[arg(
        long = "cloud-provider",
        value_name = "NAME,…",
        default_value = "",
        hide_default_value = true
    )]
    pub(crate) provider: String,
    /// Its configuration file; for several, one each in the same order, or one file with a list of providers.
    #[arg(
        long = "cloud-config",
        value_name = "FILE,…",
        default_value = "",
        hide_default_value = true
    )]
    pub(crate) config: String,
}

/// The infrastructures that the user wants, as one.
#[derive(Debug)]
pub(crate) struct Infrastructure {
    /// The only one, or all of them.
    pub(crate) provider: Arc<dyn Provider>,
    /// Several have to be kept fresh.
    fleet: Option<Arc<Fleet>>,
}

/// Reads the configuration of all, which contacts nobody, and puts what every provider needs around each.
pub(crate) fn each(
    arguments: &Arguments,
    clock: Clock,
    defaults: &GroupOptions,
) -> Result<Vec<Opened>> {
    let choices = Choice::from_flags(&arguments.provider, &arguments.config)?;
    let open = |choice: &Choice| {
        let Opened { provider, cloud } = choice.open(clock, defaults)?;
        let provider = Arc::new(Steady::new(provider, Limits::default()));
        Ok(Opened { provider, cloud })
    };
    choices.iter().map(open).collect()
}

// === impl Infrastructure ===

impl Infrastructure {
    /// Reads the configuration of all, which contacts nobody, and puts what every provider needs around each.
    pub(crate) fn open(
        arguments: &Arguments,
        clock: Clock,
        defaults: &GroupOptions,
    ) -> Result<Self> {
        let opened = each(arguments, clock, defaults)?;
        let providers: Vec<_> = opened.into_iter().map(|opened| opened.provider).collect();
        if let [only] = providers.as_slice() {
            return Ok(Self { provider: Arc::clone(only), fleet: None });
        }
        let fleet = Fleet::new(providers, clock, Upkeep::default())
            .context("--cloud-config needs a list with a name for each")?;
        let fleet = Arc::new(fleet);
        Ok(Self { provider: Arc::clone(&fleet) as Arc<dyn Provider>, fleet: Some(fleet) })
    }

    /// Begins to keep it fresh, until `shutdown`. Has to be called where tokio runs.
    pub(crate) fn start(&self, shutdown: &Shutdown) {
        if let Some(fleet) = &self.fleet {
            let (fleet, shutdown) = (Arc::clone(fleet), shutdown.clone());
            tokio::spawn(async move { fleet.run(&shutdown).await });
        }
    }
}
