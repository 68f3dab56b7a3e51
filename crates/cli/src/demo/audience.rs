//! Whom the demo is told to: a terminal that shows the view, or a log.

use std::{
    io::{self, Stdout, Write as _},
    thread::JoinHandle,
    time::Duration,
};

use plimsoll_net::Shutdown;
use ratatui::{
    DefaultTerminal,
    crossterm::event::{self, Event, KeyCode, KeyModifiers},
};

use super::{view::View, words::Line};
use crate::printable::{Lines, printable};

/// How often it is looked whether a key was pressed, or the end has come.
const KEYS: Duration = Duration::from_millis(100);

/// How many lines are kept to be shown.
const KEPT: usize = 100;

/// Who watches.
pub(super) trait Audience {
    /// Something happened.
    fn hear(&mut self, line: &Line) -> io::Result<()>;

    /// This is so.
    fn see(&mut self, view: &View<'_>) -> io::Result<()>;
}

/// A log: a line for each happening.
#[derive(Debug)]
pub(super) struct Log(pub(super) Stdout);

/// A terminal. It is as it was before when this is dropped, and also when the program panics.
#[derive(Debug)]
pub(super) struct Screen {
    terminal: DefaultTerminal,
    lines: Vec<Line>,
    closed: Shutdown,
    keys: Option<JoinHandle<()>>,
}

// === impl Log ===

impl Audience for Log {
    fn hear(&mut self, line: &Line) -> io::Result<()> {
        writeln!(Lines::new(&mut self.0), "{line}")?;
        self.0.flush()
    }

    fn see(&mut self, _: &View<'_>) -> io::Result<()> {
        Ok(())
    }
}

// === impl Screen ===

impl Screen {
    /// Takes the terminal. Ctrl-C, Esc and q give the signal.
    pub(super) fn open(shutdown: &Shutdown) -> io::Result<Self> {
        let terminal = ratatui::try_init()?;
        let (closed, wish) = (Shutdown::new(), shutdown.clone());
        let over = closed.clone();
        let keys = std::thread::spawn(move || listen(&wish, &over));
        Ok(Self { terminal, lines: Vec::new(), closed, keys: Some(keys) })
    }
}

impl Audience for Screen {
    fn hear(&mut self, line: &Line) -> io::Result<()> {
        let what = printable(&line.what).into_owned();
        self.lines.push(Line { what, ..line.clone() });
        let old = self.lines.len().saturating_sub(KEPT);
        self.lines.drain(..old);
        Ok(())
    }

    fn see(&mut self, view: &View<'_>) -> io::Result<()> {
        self.terminal.draw(|frame| view.draw(frame, &self.lines))?;
        Ok(())
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        self.closed.trigger();
        if let Some(keys) = self.keys.take() {
            // It ends by itself, and has nothing to say.
            let _ = keys.join();
        }
        ratatui::restore();
    }
}

/// Waits for the keys that end it. In a terminal that is read key by key, Ctrl-C is one of them.
fn listen(wish: &Shutdown, over: &Shutdown) {
    while !over.is_triggered() {
        match event::poll(KEYS) {
            Ok(true) => match event::read() {
                Ok(event) if is_end(&event) => wish.trigger(),
                Ok(_) => {}
                Err(_) => return,
            },
            Ok(false) => {}
            // No keys can be had, so signals have to do.
            Err(_) => return,
        }
    }
}

fn is_end(event: &Event) -> bool {
    let Event::Key(key) = event else { return false };
    match key.code {
        KeyCode::Char('q') | KeyCode::Esc => true,
        KeyCode::Char('c') => key.modifiers.contains(KeyModifiers::CONTROL),
        _ => false,
    }
}
