//! From flags to a provider that can be relied on.

use std::sync::Arc;

use anyhow::{Context as _, Result};
use clap::Args;
use futures::future::join_all;
use plimsoll_model::GroupOptions;
use plimsoll_net::{Clock, Shutdown};
use plimsoll_provider::{Fleet, Home, Limits, Provider, Steady, Upkeep};
use plimsoll_providers::{
    ConfigError,
    choice::{Choice, Opened, Question},
};

/// Which infrastructures.
#[derive(Clone, Debug, Default, Args)]
#[group(id = "infrastructure")]
pub(crate) struct Arguments {
    /// Which infrastructure: simulated, externalgrpc, slicer or spc; several with commas between.
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
    questions: Vec<Question>,
}

/// Reads the configuration of all, which contacts nobody, and puts what every provider needs around each.
pub(crate) fn each(
    arguments: &Arguments,
    home: &Home,
    defaults: &GroupOptions,
) -> Result<Vec<Opened>> {
    let choices = Choice::from_flags(&arguments.provider, &arguments.config)?;
    let open = |choice: &Choice| {
        let opened = choice.open(home.clone(), defaults)?;
        let provider = Arc::new(Steady::new(opened.provider, Limits::default()));
        Ok(Opened { provider, ..opened })
    };
    choices.iter().map(open).collect()
}

/// Asks what only infrastructures can tell of their configuration. Who is away is not waited for long.
pub(crate) async fn ask(questions: Vec<Question>) -> Result<()> {
    let answers = join_all(questions.into_iter().map(Question::ask)).await;
    Ok(answers.into_iter().collect::<Result<(), ConfigError>>()?)
}

// === impl Infrastructure ===

impl Infrastructure {
    /// Reads the configuration of all, which contacts nobody, and puts what every provider needs around each.
    pub(crate) fn open(
        arguments: &Arguments,
        clock: Clock,
        defaults: &GroupOptions,
    ) -> Result<Self> {
        let mut questions = Vec::new();
        let mut providers = Vec::new();
        for opened in each(arguments, &Home::alone(clock), defaults)? {
            providers.push(opened.provider);
            questions.extend(opened.question);
        }
        if let [only] = providers.as_slice() {
            return Ok(Self { provider: Arc::clone(only), fleet: None, questions });
        }
        let fleet = Fleet::new(providers, clock, Upkeep::default())
            .context("--cloud-config needs a list with a name for each")?;
        let fleet = Arc::new(fleet);
        let provider = Arc::clone(&fleet) as Arc<dyn Provider>;
        Ok(Self { provider, fleet: Some(fleet), questions })
    }

    /// Asks once what only the infrastructures can tell of their configuration.
    pub(crate) async fn ask(&mut self) -> Result<()> {
        ask(std::mem::take(&mut self.questions)).await
    }

    /// Begins to keep it fresh, until `shutdown`. Has to be called where tokio runs.
    pub(crate) fn start(&self, shutdown: &Shutdown) {
        if let Some(fleet) = &self.fleet {
            let (fleet, shutdown) = (Arc::clone(fleet), shutdown.clone());
            tokio::spawn(async move { fleet.run(&shutdown).await });
        }
    }
}
