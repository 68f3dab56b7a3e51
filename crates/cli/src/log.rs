//! What the program says about itself while it runs: to the standard error, so that answers stay clean.

use std::io::{self, IsTerminal as _};

use tracing::Dispatch;
use tracing_subscriber::{EnvFilter, fmt::MakeWriter, util::SubscriberInitExt as _};

/// Says which messages are wanted, over everything else that does.
pub(crate) const VARIABLE: &str = "PLIMSOLL_LOG";

/// How much is written, and how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Settings {
    /// `v`, as in every Kubernetes program.
    pub(crate) verbosity: u32,
    /// `logging-format`.
    pub(crate) format: Format,
}

/// How messages are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Format {
    /// For people.
    #[default]
    Text,
    /// One JSON object a line.
    Json,
}

/// Whether text has colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Colours {
    /// It has.
    Shown,
    /// It has none.
    Left,
}

/// Begins to write messages. Later calls do nothing.
pub(crate) fn start() {
    start_with(Settings::default());
}

/// Begins to write messages, so many of them and in this form. Later calls do nothing.
pub(crate) fn start_with(settings: Settings) {
    let colours = if io::stderr().is_terminal() { Colours::Shown } else { Colours::Left };
    let _ = writer(settings, io::stderr, colours).try_init();
}

/// What writes messages to `out`.
pub(crate) fn writer<W>(settings: Settings, out: W, colours: Colours) -> Dispatch
where
    W: for<'a> MakeWriter<'a> + Send + Sync + 'static,
{
    let filter = EnvFilter::builder()
        .with_env_var(VARIABLE)
        .from_env()
        .ok()
        .filter(|_| std::env::var_os(VARIABLE).is_some())
        .unwrap_or_else(|| EnvFilter::new(directives(settings.verbosity)));
    let builder = tracing_subscriber::fmt().with_env_filter(filter).with_writer(out);
    match settings.format {
        Format::Json => builder.json().flatten_event(true).finish().into(),
        Format::Text => {
            builder.with_ansi(colours == Colours::Shown).with_target(false).finish().into()
        }
    }
}

/// Libraries have their say only where everything is wanted.
const fn directives(verbosity: u32) -> &'static str {
    match verbosity {
        0 | 1 => "info",
        2 | 3 => "info,plimsoll=debug,plimsoll_control=debug",
        4 | 5 => {
            "info,plimsoll=debug,plimsoll_control=debug,plimsoll_cluster=debug,plimsoll_provider=debug,plimsoll_providers=debug,plimsoll_extgrpc=debug,plimsoll_net=debug,plimsoll_minicluster=debug,kube=debug"
        }
        _ => "trace",
    }
}

#[cfg(test)]
mod tests {
    use super::directives;

    #[test]
    fn more_verbosity_is_more_said() {
        let levels: Vec<&str> = (0..8).map(directives).collect();
        assert_eq!(levels[0], levels[1]);
        assert_eq!(levels[2], levels[3]);
        assert_eq!(levels[4], levels[5]);
        assert_eq!(levels[6], levels[7]);
        assert_eq!((levels[0], levels[7]), ("info", "trace"));
        assert!(levels[2].contains("control=debug") && !levels[2].contains("cluster=debug"));
        assert!(levels[4].contains("cluster=debug"));
    }
}
