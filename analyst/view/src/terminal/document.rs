//! What a screen shows: lines, of which some lead to other screens.

use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};

use super::question::Question;
use super::text;

/// Letters of a long text that are shown.
const LONGEST: usize = 20_000;
/// Places that names of facts take.
const NAMES: usize = 18;

/// Words that matter less.
pub const SOFT: Style = Style::new().add_modifier(Modifier::DIM);
/// Headings.
pub const STRONG: Style = Style::new().add_modifier(Modifier::BOLD);
/// What went wrong.
pub const ERROR: Style = Style::new().fg(Color::Red);
/// What a rule looked for. It is seen without colours, too.
pub const MARK: Style = Style::new().fg(Color::Red).add_modifier(Modifier::BOLD.union(Modifier::UNDERLINED));
/// What the client said.
pub const CLIENT: Style = Style::new().fg(Color::Blue);
/// What the server said.
pub const SERVER: Style = Style::new().fg(Color::Yellow);

/// A text in a style: the only way of texts to the screen.
pub fn span(text: &str, style: Style) -> Span<'static> {
    Span::styled(text::visible(text), style)
}

/// The style of a severity.
pub fn severity(level: Option<i64>) -> Style {
    match level {
        Some(1) => Style::new().fg(Color::Red).add_modifier(Modifier::BOLD),
        Some(2) => Style::new().fg(Color::Yellow),
        Some(3) => Style::new().fg(Color::Cyan),
        _ => Style::new(),
    }
}

/// A line, and what it leads to.
#[derive(Clone, Debug, Default)]
pub struct Row {
    /// What it says.
    pub line: Line<'static>,
    /// What it opens.
    pub link: Option<Question>,
    /// The connection that it is of.
    pub connection: Option<Question>,
}

/// The lines of a screen for one width.
#[derive(Clone, Debug, Default)]
pub struct Document {
    /// The width that its lines are made for.
    pub width: usize,
    /// What it is about.
    pub title: String,
    /// Lines that stay when others move.
    pub head: Vec<Line<'static>>,
    /// The lines.
    pub rows: Vec<Row>,
}

impl Document {
    /// An empty document.
    pub fn new(title: &str, width: usize) -> Self {
        Self { width, title: text::cut(title, 400), ..Self::default() }
    }

    /// Adds a line.
    pub fn line(&mut self, spans: Vec<Span<'static>>) {
        self.rows.push(Row { line: Line::from(spans), ..Row::default() });
    }

    /// Adds a line that leads somewhere.
    pub fn link(&mut self, spans: Vec<Span<'static>>, link: Option<Question>) {
        self.rows.push(Row { line: Line::from(spans), link, connection: None });
    }

    /// Adds a heading, with a line before it that is empty.
    pub fn heading(&mut self, words: &str) {
        if !self.rows.is_empty() {
            self.line(vec![]);
        }
        self.line(vec![span(&text::cut(words, self.width), STRONG)]);
    }

    /// Adds a text, in as many lines as it needs.
    pub fn text(&mut self, words: &str, style: Style) {
        for line in lines_of(words, self.width) {
            self.line(vec![span(&line, style)]);
        }
    }

    /// Adds a name and what belongs to it, which may lead somewhere.
    pub fn fact(&mut self, name: &str, value: &str, style: Style, link: Option<Question>) {
        self.named(name, NAMES.min(self.width / 2), value, style, link);
    }

    /// Adds a name of so many places and what belongs to it, in as many lines as it needs.
    pub fn named(&mut self, name: &str, places: usize, value: &str, style: Style, link: Option<Question>) {
        for (place, line) in lines_of(value, self.width.saturating_sub(places)).iter().enumerate() {
            let name = text::cell(if place == 0 { name } else { "" }, places.saturating_sub(1)) + " ";
            self.link(vec![span(&name, SOFT), span(line, style)], link.clone());
        }
    }
}

/// Returns the lines of a text that is not longer than texts on screens may be.
fn lines_of(words: &str, width: usize) -> Vec<String> {
    let mut letters = words.chars();
    let mut shown: String = letters.by_ref().take(LONGEST).collect();
    if letters.next().is_some() {
        shown.push('…');
    }
    text::wrapped(&shown, width)
}
