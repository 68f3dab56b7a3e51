//! Nodes as bars: as long as the machine, filled with what pods ask for, with a line up to which it may be filled.

use ratatui::{
    Frame,
    layout::Rect,
    style::{Color, Style},
    text::{Line as Row, Span},
};

use crate::demo::facts::{Node, NodeState};

/// The least that a bar with its name and words needs.
const WIDTH: u16 = 38;

/// What stands before and behind the bar.
const NAME: u16 = 11;
const WORDS: u16 = 10;

/// How many rows all nodes need.
pub(super) fn height(nodes: &[Node], width: u16) -> u16 {
    let columns = usize::from(columns(width));
    u16::try_from(nodes.len().div_ceil(columns)).unwrap_or(u16::MAX)
}

fn columns(width: u16) -> u16 {
    (width / WIDTH).max(1)
}

/// Draws as many as there is room for, column by column; the last place says how many more there are.
pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, nodes: &[Node]) {
    let columns = columns(area.width);
    let width = area.width / columns;
    let places = usize::from(columns) * usize::from(area.height);
    let too_many = nodes.len() > places;
    let shown = if too_many { places.saturating_sub(1) } else { nodes.len() };
    let place = |number: usize| {
        let number = u16::try_from(number).unwrap_or(u16::MAX);
        let (column, row) = (number / area.height.max(1), number % area.height.max(1));
        Rect::new(area.x + column * width, area.y + row, width, 1)
    };
    for (number, node) in nodes.iter().take(shown).enumerate() {
        frame.render_widget(bar(node, width), place(number));
    }
    if too_many && places > 0 {
        let rest = nodes.len() - shown;
        frame.render_widget(Row::raw(format!("and {rest} more")), place(shown));
    }
}

fn bar(node: &Node, width: u16) -> Row<'static> {
    let room = usize::from(width.saturating_sub(NAME + WORDS + 2));
    let (colour, words) = match node.state {
        NodeState::Booting => (Color::Blue, "booting".to_owned()),
        NodeState::NotReady => (Color::Red, "not ready".to_owned()),
        NodeState::Leaving => (Color::DarkGray, "leaving".to_owned()),
        NodeState::Ready if node.pods == 1 => (Color::Green, "1 pod".to_owned()),
        NodeState::Ready => (Color::Green, format!("{} pods", node.pods)),
    };
    let style = Style::new().fg(colour);
    let name = format!("{:<width$.width$} ", short(node), width = usize::from(NAME));
    let mut spans = vec![Span::styled(name, style)];
    if node.state == NodeState::Booting {
        spans.push(Span::styled("·".repeat(room), style));
    } else {
        let line = thousandths(room, node.line).min(room.saturating_sub(1));
        let load = thousandths(line, node.load).min(line);
        spans.push(Span::styled("█".repeat(load), style));
        spans.push(Span::styled("░".repeat(line - load), Style::new().fg(Color::DarkGray)));
        spans.push(Span::raw("┃"));
        spans.push(Span::raw(" ".repeat(room.saturating_sub(line + 1))));
    }
    spans.push(Span::styled(format!(" {words}"), style));
    Row::from(spans)
}

/// As much of the name as there is room for. Names that do not begin with their group's differ at the end.
fn short(node: &Node) -> String {
    let (length, room) = (node.name.chars().count(), usize::from(NAME));
    if length <= room || node.name.starts_with(&node.group) {
        return node.name.clone();
    }
    let end: String = node.name.chars().skip(length - room + 1).collect();
    format!("…{end}")
}

/// So many thousandths of a length, rounded.
fn thousandths(length: usize, share: u32) -> usize {
    let share = usize::try_from(share).unwrap_or(usize::MAX);
    length.saturating_mul(share).saturating_add(500) / 1000
}

#[cfg(test)]
mod tests {
    use super::{Node, short};

    #[test]
    fn of_a_long_name_that_part_is_shown_by_which_it_is_known() {
        let short = |name: &str, group: &str| {
            let (name, group) = (name.to_owned(), group.to_owned());
            short(&Node { name, group, ..Node::default() })
        };
        assert_eq!(short("small-03f1", "small"), "small-03f1");
        assert_eq!(short("small-10-019f5506", "small"), "small-10-019f5506");
        assert_eq!(short("ip-10-20-4-13", "autoscaling-small"), "…10-20-4-13");
        assert_eq!(short("ip-10-0-0-1", "autoscaling-small"), "ip-10-0-0-1");
    }
}
