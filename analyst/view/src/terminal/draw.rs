//! Draws what is shown: tabs, a title, lines of which one is chosen, and a line about keys.

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::Line;

use super::document::{Document, ERROR, SOFT, STRONG, span};
use super::question::{Answer, Question};
use super::state::{Content, GUTTER, Prompt, Purpose, Screen, State, TABS, title};
use super::{alerts, common, connection, help, overview, packets, record, said, search, text};
use crate::pages::about::About;

/// The style of what is chosen, which is seen without colours.
const CHOSEN: Style = Style::new().add_modifier(Modifier::REVERSED);
/// What turns while a question is computed.
const TURNS: [&str; 4] = ["|", "/", "-", "\\"];

/// Where the parts of a screen are: rows of lines that stay, then lines that move.
#[derive(Clone, Copy, Debug)]
pub struct Places {
    /// The first row of lines that stay.
    pub head: u16,
    /// The first row of lines that move.
    pub body: u16,
    /// Rows of these.
    pub height: u16,
}

/// Returns the places on a terminal of so many columns and rows. Small ones show lines alone.
pub fn places((_, rows): (u16, u16), head: usize) -> Places {
    let top = if rows >= 6 { 2 } else { 0 };
    let bottom = u16::from(rows >= 3);
    let head = if rows >= 6 { u16::try_from(head).unwrap_or(0).min(rows / 3) } else { 0 };
    Places { head: top, body: top + head, height: rows.saturating_sub(top + head + bottom) }
}

/// Makes the lines of a screen.
pub fn document(screen: &Screen, width: usize, about: &About) -> Document {
    let failed = |sentence: &str| {
        let mut document = Document::new(&title(&screen.question), width);
        document.text(sentence, ERROR);
        document
    };
    match (&screen.content, &screen.question) {
        (Content::Waiting(..), question) => Document::new(&title(question), width),
        (Content::Failed(sentence), _) => failed(sentence),
        (Content::Found(found), question) => match (found, question) {
            (Answer::Overview(found), _) => overview::document(found, width),
            (Answer::Alerts(found), _) => alerts::document(found, width),
            (Answer::Search(found), Question::Search(words)) => search::document(words, found, width),
            (Answer::Common(found), Question::Common(words)) => common::document(words, found, width),
            (Answer::Record(found), _) => record::document(found, screen.form, width),
            (Answer::Connection(found), _) => connection::document(found, !about.captures.is_empty(), width),
            (Answer::Said(found), _) => said::document(found, screen.form, width),
            (Answer::Exported(bytes), Question::Export(_, path)) => search::exported(path, *bytes, width),
            (Answer::Packets(written), _) => packets::document(written, width),
            (Answer::Help, _) => help::document(width),
            _ => failed("This is the answer to another question."),
        },
    }
}

/// Draws what is shown.
pub fn draw(state: &State, frame: &mut Frame<'_>) {
    let area = frame.area();
    let cursor = {
        let buffer = frame.buffer_mut();
        if area.height >= 6 {
            tabs(state, area, buffer);
        }
        if let Some(screen) = state.screen() {
            lines(state, screen, area, buffer);
        }
        let cursor = if area.height >= 3 { footer(state, area, buffer) } else { None };
        if !state.colours {
            for cell in &mut buffer.content {
                cell.set_fg(Color::Reset).set_bg(Color::Reset);
            }
        }
        cursor
    };
    if let Some(place) = cursor {
        frame.set_cursor_position(place);
    }
}

fn tabs(state: &State, area: Rect, buffer: &mut Buffer) {
    let mut spans = Vec::new();
    for (place, name) in TABS.iter().enumerate() {
        let style = if place == state.tab { CHOSEN } else { Style::new() };
        spans.push(span(&format!(" {} {name} ", place + 1), style));
        spans.push(span(" ", Style::new()));
    }
    spans.push(span(" ? help  q quit", SOFT));
    buffer.set_line(area.x, area.y, &Line::from(spans), area.width);
}

fn lines(state: &State, screen: &Screen, area: Rect, buffer: &mut Buffer) {
    let document = &screen.document;
    let places = places((area.width, area.height), document.head.len());
    if places.head > 0 {
        let back = if state.depth() > 0 { "‹ " } else { "" };
        let name = text::cut(&document.title, usize::from(area.width).saturating_sub(back.len()));
        let line = Line::from(vec![span(back, SOFT), span(&name, STRONG)]);
        buffer.set_line(area.x, area.y + 1, &line, area.width);
        for (row, line) in (places.head..places.body).zip(&document.head) {
            put(area, row, "", line, buffer);
        }
    }
    let seen = document.rows.iter().enumerate().skip(screen.top).take(places.height.into());
    for (row, (place, shown)) in (places.body..).zip(seen) {
        put(area, row, if shown.link.is_some() { "›" } else { "" }, &shown.line, buffer);
        if place == screen.cursor {
            buffer.set_style(Rect { y: area.y + row, height: 1, ..area }, CHOSEN);
        }
    }
}

/// Draws a line behind its mark.
fn put(area: Rect, row: u16, mark: &str, line: &Line<'_>, buffer: &mut Buffer) {
    if row >= area.height {
        return;
    }
    let gutter = GUTTER.min(area.width);
    buffer.set_stringn(area.x, area.y + row, mark, gutter.into(), SOFT);
    buffer.set_line(area.x + gutter, area.y + row, line, area.width - gutter);
}

/// Draws the last line; returns where the next letter is typed.
fn footer(state: &State, area: Rect, buffer: &mut Buffer) -> Option<(u16, u16)> {
    let row = area.bottom().saturating_sub(1);
    let width = usize::from(area.width);
    if let Some(Prompt { purpose, text: typed }) = &state.prompt {
        let name = match purpose {
            Purpose::Search(table) if table.is_empty() => "/".to_owned(),
            Purpose::Search(table) => format!("/ in {table}: "),
            Purpose::Field(_) => "Field: ".to_owned(),
            Purpose::Export(_) | Purpose::Packets(_) => "Write to: ".to_owned(),
        };
        // Of a long text the end is seen, where letters are typed.
        let typed = text::visible(typed);
        let mut rest = typed.as_str();
        while text::width(&name) + text::width(rest) >= width.max(1) && !rest.is_empty() {
            let mut letters = rest.chars();
            letters.next();
            rest = letters.as_str();
        }
        let line = Line::from(vec![span(&name, STRONG), span(rest, Style::new())]);
        let (column, _) = buffer.set_line(area.x, row, &line, area.width);
        return Some((column.min(area.right().saturating_sub(1)), row));
    }
    let screen = state.screen()?;
    let (words, style) = match (&screen.content, state.note) {
        (_, Some(note)) => (note.to_owned(), STRONG),
        (Content::Waiting(_, since), None) => {
            let waited = state.ticks.saturating_sub(*since);
            let turn = TURNS.get(usize::try_from(waited % 4).unwrap_or(0)).copied().unwrap_or_default();
            (format!("{turn} Asking the records, {} s. Esc ends it.", waited / 4), STRONG)
        }
        _ => ("Enter open  Esc back  / search  Tab next link  c connection  ? help".to_owned(), SOFT),
    };
    let place = format!(" {}/{}", screen.cursor + 1, screen.document.rows.len().max(1));
    let room = width.saturating_sub(place.len());
    let line = Line::from(vec![span(&text::cell(&words, room), style), span(&place, SOFT)]);
    buffer.set_line(area.x, row, &line, area.width);
    None
}
