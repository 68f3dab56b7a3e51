//! What one sees of the demo in a terminal: a pure function of what is so.

use std::time::Duration;

use plimsoll_model::Money;
use ratatui::{
    Frame,
    layout::{Constraint, Layout, Rect},
    style::{Color, Modifier, Style},
    text::{Line as Row, Span},
    widgets::{Block, Borders, Paragraph, Wrap},
};

use super::{
    director::{Director, Progress, Verdict},
    facts::{Facts, Group, seconds},
    play::Act,
    words::{Actor, Line},
};

mod nodes;

/// The mark on a hull that shows how deep a ship may be loaded.
const TITLE: &str = "⊖ plimsoll demo";

/// Rows that decisions get at least.
const DECISIONS: u16 = 4;

/// Columns that names of groups get at least.
const NAMES: usize = 8;

/// What is shown.
#[derive(Clone, Copy, Debug)]
pub(super) struct View<'v> {
    pub(super) facts: &'v Facts,
    pub(super) acts: &'static [Act],
    pub(super) verdicts: &'v [Verdict],
    pub(super) current: Option<usize>,
    pub(super) round: u32,
    pub(super) limit: Option<Duration>,
    /// What the user can type elsewhere.
    pub(super) hints: &'v [String],
}

// === impl View ===

impl<'v> View<'v> {
    pub(super) fn new(facts: &'v Facts, director: &'v Director, hints: &'v [String]) -> Self {
        Self {
            facts,
            acts: director.acts(),
            verdicts: director.verdicts(),
            current: director.current(),
            round: director.round(),
            limit: director.limit(),
            hints,
        }
    }

    /// Draws it, with the last of what happened.
    pub(super) fn draw(&self, frame: &mut Frame<'_>, lines: &[Line]) {
        let area = frame.area();
        let groups = u16::try_from(self.facts.groups.len()).unwrap_or(u16::MAX).saturating_add(1);
        let hints = u16::try_from(self.hints.len()).unwrap_or(u16::MAX);
        let fixed = 1 + 2 + 1 + groups + 2 + hints + DECISIONS + 1;
        let nodes = nodes::height(&self.facts.nodes, area.width).saturating_add(1);
        let nodes = nodes.min(area.height.saturating_sub(fixed)).max(3);
        let [title, act, trail, top, middle, pending, bottom, foot] = Layout::vertical([
            Constraint::Length(1),
            Constraint::Length(2),
            Constraint::Length(1),
            Constraint::Length(groups),
            Constraint::Length(nodes),
            Constraint::Length(2),
            Constraint::Min(DECISIONS + 1),
            Constraint::Length(hints),
        ])
        .areas(area);
        self.draw_title(frame, title);
        frame.render_widget(Paragraph::new(self.act()).wrap(Wrap { trim: true }), act);
        frame.render_widget(self.trail(), trail);
        self.draw_groups(frame, top);
        let inner = framed(frame, middle, "nodes, each filled up to its load line ┃");
        nodes::draw(frame, inner, &self.facts.nodes);
        self.draw_pending(frame, pending);
        draw_lines(frame, bottom, lines);
        let hints: Vec<Row<'_>> =
            self.hints.iter().map(|hint| Row::styled(hint.as_str(), dim())).collect();
        frame.render_widget(Paragraph::new(hints), foot);
    }

    fn draw_title(&self, frame: &mut Frame<'_>, area: Rect) {
        let bold = Style::new().add_modifier(Modifier::BOLD);
        frame.render_widget(Row::styled(TITLE, bold), area);
        let time = self.facts.at.as_secs();
        let time = match self.limit {
            Some(limit) => format!("{time} s of {} s", limit.as_secs()),
            None => format!("{time} s, round {}, q ends it", self.round),
        };
        let Facts { rate, peak, .. } = self.facts;
        let wide = format!("{rate} an hour, at most {peak}   {time}");
        let fits = usize::from(area.width) > wide.chars().count() + TITLE.len();
        let right = if fits { wide } else { time };
        frame.render_widget(Row::raw(right).right_aligned(), area);
    }

    /// What is being played.
    fn act(&self) -> String {
        match self.current.and_then(|place| Some((place, self.acts.get(place)?))) {
            Some((place, act)) => {
                format!("Act {} of {}, {}: {}", place + 1, self.acts.len(), act.name, act.sentence)
            }
            None if self.verdicts.iter().all(|verdict| verdict.state == Progress::ToCome) => {
                "The cluster starts.".to_owned()
            }
            None if self.verdicts.iter().all(|verdict| verdict.state == Progress::Happened) => {
                "The play is over; all that ran is taken away, and the machines are given back."
                    .to_owned()
            }
            None => "Waiting for what is late.".to_owned(),
        }
    }

    /// All acts, and how far they are.
    fn trail(&self) -> Row<'static> {
        let mark = |verdict: &Verdict| match verdict.state {
            Progress::ToCome => ("·", dim()),
            Progress::Playing => ("▸", Style::new().fg(Color::Yellow)),
            Progress::Late => ("…", Style::new().fg(Color::Red)),
            Progress::Happened => ("✓", Style::new().fg(Color::Green)),
        };
        let spans =
            self.acts.iter().zip(self.verdicts).enumerate().map(|(place, (act, verdict))| {
                let (mark, style) = mark(verdict);
                let space = if place > 0 { " " } else { "" };
                Span::styled(format!("{space}{mark}{}", act.name), style)
            });
        spans.collect()
    }

    fn draw_groups(&self, frame: &mut Frame<'_>, area: Rect) {
        let inner = framed(frame, area, "groups");
        let groups = &self.facts.groups;
        let widths = groups.iter().map(|group| group.id.chars().count());
        let width = widths.fold(NAMES, usize::max);
        let rows: Vec<Row<'_>> = groups.iter().map(|one| group(one, width)).collect();
        frame.render_widget(Paragraph::new(rows), inner);
    }

    fn draw_pending(&self, frame: &mut Frame<'_>, area: Rect) {
        let pending = &self.facts.pending;
        let inner = framed(frame, area, &format!("pending pods: {}", pending.len()));
        let row = pending.iter().map(|one| {
            let waits = self.facts.at.saturating_sub(one.since);
            format!("{} ({})  ", one.pod, seconds(waits))
        });
        let row: String = row.collect();
        frame.render_widget(Row::styled(row, Style::new().fg(Color::Yellow)), inner);
    }
}

/// A line with a title, and what is under it.
fn framed(frame: &mut Frame<'_>, area: Rect, title: &str) -> Rect {
    let block = Block::new().borders(Borders::TOP).border_style(dim()).title(format!(" {title} "));
    let inner = block.inner(area);
    frame.render_widget(block, area);
    inner
}

fn group(group: &Group, width: usize) -> Row<'static> {
    let Group { id, min, max, size, booting, price, note } = group;
    let range = format!("{min}–{max}");
    let cost: Money = price.times(size.saturating_sub(*booting));
    let coming = if *booting > 0 { format!("{booting} booting  ") } else { String::new() };
    let text = format!(
        "{id:<width$} {size:>3} of {range:<6} at {price} each  {cost:>6} an hour  {coming}"
    );
    Row::from(vec![Span::raw(text), Span::styled(note.clone(), Style::new().fg(Color::Red))])
}

/// The last of what happened, the newest at the bottom.
fn draw_lines(frame: &mut Frame<'_>, area: Rect, lines: &[Line]) {
    let inner = framed(frame, area, "what happens");
    let skipped = lines.len().saturating_sub(usize::from(inner.height));
    let rows: Vec<Row<'_>> = lines.iter().skip(skipped).map(happening).collect();
    frame.render_widget(Paragraph::new(rows), inner);
}

fn happening(line: &Line) -> Row<'_> {
    let colour = match line.who {
        Actor::Play => Color::Yellow,
        Actor::Plimsoll => Color::Cyan,
        Actor::Cloud => Color::Blue,
        Actor::Cluster => Color::Green,
    };
    let time = format!("{:5.1}s ", line.at.as_secs_f64());
    let who = format!("{:<9}", line.who.name());
    Row::from(vec![
        Span::styled(time, dim()),
        Span::styled(who, Style::new().fg(colour)),
        Span::raw(line.what.as_str()),
    ])
}

fn dim() -> Style {
    Style::new().fg(Color::DarkGray)
}

#[cfg(test)]
mod tests;
