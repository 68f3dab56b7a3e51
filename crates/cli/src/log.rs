//! What the program says about itself while it runs: to the standard error, so that answers stay clean.

use std::{
    fmt,
    io::{self, IsTerminal as _},
};

use tracing::{Dispatch, field::Field};
use tracing_subscriber::{
    EnvFilter,
    field::MakeExt as _,
    fmt::{MakeWriter, format},
    util::SubscriberInitExt as _,
};

use crate::printable::printable;

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
            let builder = builder.with_ansi(colours == Colours::Shown).with_target(false);
            builder.fmt_fields(format::debug_fn(field).delimited(" ")).finish().into()
        }
    }
}

/// Writes a field of a message for people. The library would write values as they are.
fn field(out: &mut format::Writer<'_>, field: &Field, value: &dyn fmt::Debug) -> fmt::Result {
    let value = format!("{value:?}");
    let value = printable(&value);
    match field.name() {
        "message" => write!(out, "{value}"),
        // Where a record of another logging library came from; the library leaves it out, too.
        name if name.starts_with("log.") => Ok(()),
        name if out.has_ansi_escapes() => {
            write!(out, "\u{1b}[3m{name}\u{1b}[0m\u{1b}[2m=\u{1b}[0m{value}")
        }
        name => write!(out, "{name}={value}"),
    }
}

/// Libraries have their say only where everything is wanted. The client of the API server would tell every request that fails, without
/// saying which, as an error.
const fn directives(verbosity: u32) -> &'static str {
    match verbosity {
        0 | 1 => "info,kube_client=off",
        2 | 3 => "info,kube_client=off,plimsoll=debug,plimsoll_control=debug",
        4 | 5 => {
            "info,kube_client=off,plimsoll=debug,plimsoll_control=debug,plimsoll_cluster=debug,plimsoll_provider=debug,plimsoll_providers=debug,plimsoll_extgrpc=debug,plimsoll_net=debug,plimsoll_minicluster=debug"
        }
        _ => "trace",
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    #[test]
    fn more_verbosity_is_more_said() {
        let levels: Vec<&str> = (0..8).map(directives).collect();
        assert_eq!(levels[0], levels[1]);
        assert_eq!(levels[2], levels[3]);
        assert_eq!(levels[4], levels[5]);
        assert_eq!(levels[6], levels[7]);
        assert_eq!((levels[0], levels[7]), ("info,kube_client=off", "trace"));
        assert!(levels[2].contains("control=debug") && !levels[2].contains("cluster=debug"));
        assert!(levels[4].contains("cluster=debug"));
    }

    /// What was written.
    #[derive(Clone, Default)]
    struct Kept(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Kept {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// A message with a pod and an error that are up to no good, as it is written.
    fn written(colours: Colours) -> String {
        let kept = Kept::default();
        let out = kept.clone();
        let writer = writer(Settings::default(), move || out.clone(), colours);
        // With one writer alone, what other threads do decides what is worth writing.
        let _another = Dispatch::new(tracing::subscriber::NoSubscriber::default());
        tracing::dispatcher::with_default(&writer, || {
            let (pod, error) = ("web\u{1b}[2J", "refused\u{9b}2J\n\u{202e}INFO all is well");
            tracing::error!(%pod, ?error, plain = "\u{1b}", count = 3, "cannot ask: {error}");
        });
        let bytes = kept.0.lock().unwrap().clone();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn a_message_cannot_command_the_terminal() {
        let line = written(Colours::Left);
        let (_, line) = line.split_once("ERROR ").unwrap();
        let error = r"refused\u{9b}2J\n\u{202e}INFO all is well";
        assert_eq!(
            line,
            format!(
                "cannot ask: {error} pod=web\\u{{1b}}[2J error=\"{error}\" plain=\"\\u{{1b}}\" count=3\n"
            )
        );
        let coloured = written(Colours::Shown);
        assert!(coloured.contains(r"web\u{1b}[2J"), "{coloured:?}");
        assert!(!coloured.contains("\u{1b}[2J") && !coloured.contains('\u{9b}'), "{coloured:?}");
    }
}
