//! Which providers the user wants, and their configuration.
//!
//! ```text
//! --cloud-provider=simulated --cloud-config=catalogue.yaml
//! --cloud-provider=simulated,externalgrpc --cloud-config=catalogue.yaml,peer.yaml
//! --cloud-provider=spc
//! --cloud-config=providers.yaml
//! ```
//! The third is configured by environment variables.
//! The last file is a list, for providers that need a name of their own:
//! ```yaml
//! providers:
//! - {name: cellar, type: simulated, config: catalogue.yaml}
//! - {name: burst, type: externalgrpc, config: peer.yaml}
//! ```
//! Nothing is contacted while this is read.

use std::{
    fmt,
    path::{Path, PathBuf},
    sync::Arc,
};

use futures::future::BoxFuture;
use plimsoll_extgrpc::{CloudConfig, ExternalGrpc};
use plimsoll_manifest::flags::did_you_mean;
use plimsoll_model::GroupOptions;
use plimsoll_provider::{Home, Provider};
use thiserror::Error;

#[cfg(feature = "lab")]
use crate::simulated::{Catalogue, Cloud, Simulated};
use crate::{
    document::{self, Checked, ConfigError, Field, Tree},
    slicer::Slicer,
    stackpoint::{self, StackPoint},
};

/// A provider that the user wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// What to call it; the infrastructure's own name when the user gives none.
    pub name: Option<String>,
    /// What it is.
    pub infrastructure: Infrastructure,
    /// Its configuration, where it is not in the environment.
    pub config: Option<PathBuf>,
}

/// The infrastructures there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Infrastructure {
    /// Machines that exist only in this process.
    Simulated,
    /// Whatever an external gRPC server stands for.
    ExternalGrpc,
    /// Small virtual machines on Slicer hosts.
    Slicer,
    /// StackPointCloud, later NetApp Kubernetes Service.
    StackPoint,
}

/// A provider, ready to be asked.
#[derive(Debug)]
pub struct Opened {
    /// The provider.
    pub provider: Arc<dyn Provider>,
    /// The simulated infrastructure behind it, which has to be run by this process.
    #[cfg(feature = "lab")]
    pub cloud: Option<Cloud>,
    /// What only the infrastructure can tell of the configuration.
    pub question: Option<Question>,
    /// Where to put what the ConfigMap of StackPoint's pools says.
    pub board: Option<stackpoint::Board>,
}

/// What only the infrastructure can tell of a configuration, to be asked once when a process starts. Who is away tells nothing, and
/// that is no error.
pub struct Question(BoxFuture<'static, Result<(), ConfigError>>);

/// The providers that the user wants cannot be had.
#[derive(Debug, Error)]
pub enum ChoiceError {
    /// What was typed makes no sense.
    #[error("{0}")]
    Typed(String),
    /// A file is wrong.
    #[error(transparent)]
    File(#[from] ConfigError),
    /// The configuration of an external provider is wrong.
    #[error(transparent)]
    ExternalGrpc(#[from] plimsoll_extgrpc::ConfigError),
    /// The simulated infrastructure is asked for, and this build was made without the feature `lab`.
    #[cfg(not(feature = "lab"))]
    #[error(
        "this build has no lab; the simulated infrastructure is part of it\nhelp: build plimsoll with the feature `lab`, or choose another infrastructure"
    )]
    NoLab,
    /// The configuration of StackPoint is wrong.
    #[error(transparent)]
    StackPoint(#[from] stackpoint::Refused),
}

/// What they are called.
const NAMES: [(&str, Infrastructure); 6] = [
    ("simulated", Infrastructure::Simulated),
    ("externalgrpc", Infrastructure::ExternalGrpc),
    ("slicer", Infrastructure::Slicer),
    ("spc", Infrastructure::StackPoint),
    ("stackpoint", Infrastructure::StackPoint),
    ("nks", Infrastructure::StackPoint),
];

// === impl Choice ===

impl Choice {
    /// What the two flags mean: names with commas between, and as many files; or one file that is a list.
    pub fn from_flags(providers: &str, configs: &str) -> Result<Vec<Self>, ChoiceError> {
        let file = |name: &str| (!name.is_empty()).then(|| PathBuf::from(name));
        let mut files: Vec<Option<PathBuf>> = configs.split(',').map(file).collect();
        if providers.is_empty() {
            return match files.as_slice() {
                [Some(list)] => Self::from_file(list),
                [None] => Err(typed("say which infrastructure with --cloud-provider")),
                _ => Err(typed(
                    "several files in --cloud-config need as many names in --cloud-provider",
                )),
            };
        }
        let names: Vec<&str> = providers.split(',').collect();
        if configs.is_empty() {
            files = vec![None; names.len()];
        }
        if names.len() != files.len() {
            let (named, given) = (names.len(), files.len());
            let problem = format!(
                "--cloud-provider names {named} and --cloud-config has {given}; each needs its own file, in the same order"
            );
            return Err(ChoiceError::Typed(problem));
        }
        names
            .into_iter()
            .zip(files)
            .map(|(name, config)| {
                let infrastructure = Infrastructure::named(name).map_err(|problem| {
                    ChoiceError::Typed(format!("--cloud-provider: {problem}"))
                })?;
                if config.is_none() && infrastructure != Infrastructure::StackPoint {
                    return Err(ChoiceError::Typed(format!(
                        "{name} needs a file in --cloud-config"
                    )));
                }
                Ok(Self { name: None, infrastructure, config })
            })
            .collect()
    }

    /// What a list says. Files are looked for beside it.
    pub fn from_file(path: &Path) -> Result<Vec<Self>, ChoiceError> {
        Ok(document::load(path, |tree| list(tree, path))?)
    }

    /// Reads its configuration and makes it ready; `defaults` are the settings of groups that have none of their own.
    pub fn open(&self, home: Home, defaults: &GroupOptions) -> Result<Opened, ChoiceError> {
        let file = self.config.as_deref().unwrap_or_else(|| Path::new(""));
        match self.infrastructure {
            #[cfg(not(feature = "lab"))]
            Infrastructure::Simulated => Err(ChoiceError::NoLab),
            #[cfg(feature = "lab")]
            Infrastructure::Simulated => {
                let mut catalogue = Catalogue::load(file)?;
                if let Some(name) = &self.name {
                    catalogue.name = name.as_str().into();
                }
                let cloud = Cloud::new(catalogue, home.clock);
                let provider = Arc::new(Simulated::new(cloud.clone(), home));
                Ok(Opened { cloud: Some(cloud), ..Opened::new(provider) })
            }
            Infrastructure::ExternalGrpc => {
                let config = CloudConfig::load(file)?;
                let name = self.name.as_deref().unwrap_or("externalgrpc");
                let provider = ExternalGrpc::new(name, config, defaults.clone(), home);
                Ok(Opened::new(Arc::new(provider)))
            }
            Infrastructure::Slicer => {
                let name = self.name.as_deref().unwrap_or("slicer");
                let provider = Arc::new(Slicer::open(name, file.to_owned(), home)?);
                let asked = Arc::clone(&provider);
                let question = Question(Box::pin(async move { asked.verify().await }));
                Ok(Opened { question: Some(question), ..Opened::new(provider) })
            }
            Infrastructure::StackPoint => {
                let environment = |name: &str| std::env::var(name).ok();
                let config = match &self.config {
                    Some(file) => stackpoint::Config::load(file, &environment)?,
                    None => stackpoint::Config::from_environment(&environment)?,
                };
                let provider = StackPoint::new(self.name.as_deref(), config, home);
                let provider = provider.map_err(ChoiceError::Typed)?;
                let board = Some(provider.board());
                Ok(Opened { board, ..Opened::new(Arc::new(provider)) })
            }
        }
    }
}

// === impl Opened ===

impl Opened {
    /// A provider that needs nothing from this process.
    fn new(provider: Arc<dyn Provider>) -> Self {
        Self {
            provider,
            #[cfg(feature = "lab")]
            cloud: None,
            question: None,
            board: None,
        }
    }
}

// === impl Question ===

impl Question {
    /// What is wrong, if anything.
    pub async fn ask(self) -> Result<(), ConfigError> {
        self.0.await
    }
}

impl fmt::Debug for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Question")
    }
}

// === impl Infrastructure ===

impl Infrastructure {
    fn named(name: &str) -> Result<Self, String> {
        let known = NAMES.iter().find(|(known, _)| *known == name);
        known.map(|(_, infrastructure)| *infrastructure).ok_or_else(|| {
            let known = NAMES.map(|(known, _)| known);
            let problem = did_you_mean("infrastructure", name, known);
            format!("\"{}\": {problem}", name.escape_debug())
        })
    }
}

fn list(tree: &Tree, path: &Path) -> Checked<Vec<Choice>> {
    let entries = tree.root().fields(&["providers"])?.required("providers")?;
    let choices = entries.each(|entry| choice(entry, path))?;
    if choices.is_empty() {
        return Err(entries.refuse("names no provider"));
    }
    Ok(choices)
}

fn choice(entry: &Field<'_>, path: &Path) -> Checked<Choice> {
    let fields = entry.fields(&["name", "type", "config"])?;
    let name = fields.optional("name", Field::name)?.map(String::from);
    let kind = fields.required("type")?;
    let infrastructure =
        Infrastructure::named(&kind.name()?).map_err(|problem| kind.refuse(problem))?;
    let config = match infrastructure {
        Infrastructure::StackPoint => fields.optional("config", Field::name)?,
        _ => Some(fields.required("config")?.name()?),
    };
    let beside = path.parent().unwrap_or_else(|| Path::new(""));
    Ok(Choice { name, infrastructure, config: config.map(|config| beside.join(&*config)) })
}

fn typed(problem: &str) -> ChoiceError {
    ChoiceError::Typed(problem.to_owned())
}

#[cfg(test)]
mod tests;
