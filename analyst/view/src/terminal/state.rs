//! What the terminal shows: screens on each other, and how keys and answers change them. Nothing here asks or draws.

use std::path::{Path, PathBuf};

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::bytes::Form;
use super::document::Document;
use super::keys::{self, Action};
use super::packets::Wanted;
use super::question::{Answer, Question};
use super::{draw, help};
use crate::answer::Problem;
use crate::pages::about::About;
use crate::pages::export;
use crate::pages::search::Words;

/// Screens on each other at most.
const DEEPEST: usize = 64;
/// Letters that are typed at most.
const LONGEST: usize = 4096;
/// Records of a page.
pub const PAGE: usize = 100;
/// Places of the mark before each line.
pub const GUTTER: u16 = 2;

/// Screens that all others are behind.
pub const TABS: [&str; 4] = ["Overview", "Alerts", "Search", "Connections"];

/// The tab that searches are on.
const SEARCH: usize = 2;

/// Tables that tell of connections, the best one first.
const CONNECTIONS: [(&str, &str); 4] =
    [("eve", "flow"), ("zeek", "conn"), ("files", "flow"), ("files", "conn")];

/// What happens.
#[derive(Clone, Debug)]
pub enum Event {
    /// A key is pressed.
    Key(KeyEvent),
    /// The terminal has so many columns and rows.
    Size(u16, u16),
    /// A question has its answer.
    Answer(u64, Result<Answer, Problem>),
    /// A quarter of a second passed.
    Tick,
    /// The program is told to end.
    Stop,
}

/// What is known of a screen.
#[derive(Clone, Debug)]
pub enum Content {
    /// It was asked under a number, at a tick.
    Waiting(u64, u64),
    /// It was found.
    Found(Answer),
    /// It was not, for a reason.
    Failed(String),
}

/// A screen.
#[derive(Clone, Debug)]
pub struct Screen {
    /// What it shows.
    pub question: Question,
    /// What is known of it.
    pub content: Content,
    /// How it shows bytes.
    pub form: Form,
    /// The line that keys are for.
    pub cursor: usize,
    /// The first line that is seen.
    pub top: usize,
    /// Its lines, for the width that it had last.
    pub document: Document,
    /// The lines are not those of what is known now.
    stale: bool,
}

impl Screen {
    fn new(question: Question, content: Content) -> Self {
        Self {
            question,
            content,
            form: Form::Hex,
            cursor: 0,
            top: 0,
            document: Document::default(),
            stale: true,
        }
    }

    /// Makes its lines for a width.
    fn refresh(&mut self, width: usize, about: &About) {
        if self.stale || self.document.width != width {
            self.document = draw::document(self, width, about);
            self.stale = false;
        }
        self.cursor = self.cursor.min(self.document.rows.len().saturating_sub(1));
    }

    /// Moves what is seen, so that the cursor is.
    fn follow(&mut self, height: usize) {
        let least = (self.cursor + 1).saturating_sub(height.max(1));
        self.top = self.top.clamp(least, self.cursor.max(least));
    }
}

/// What a text is typed for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// To search for it in this table, or in all where there is no name.
    Search(String),
    /// To count the values of this field in the records of a search.
    Field(Words),
    /// To write the records of a search to this file.
    Export(Words),
    /// To write packets to this file, or with their own name to this folder.
    Packets(Wanted),
}

/// A text that is being typed.
#[derive(Clone, Debug)]
pub struct Prompt {
    /// What it is for.
    pub purpose: Purpose,
    /// The text so far.
    pub text: String,
}

/// All that the terminal shows.
#[derive(Clone, Debug)]
pub struct State {
    /// What there is.
    pub about: About,
    /// Screens on each other, for each tab.
    pub tabs: [Vec<Screen>; TABS.len()],
    /// The tab that is seen.
    pub tab: usize,
    /// Columns and rows.
    pub size: (u16, u16),
    /// A text that is being typed.
    pub prompt: Option<Prompt>,
    /// A sentence about the last key.
    pub note: Option<&'static str>,
    /// Quarters of seconds that passed.
    pub ticks: u64,
    /// Whether there are colours.
    pub colours: bool,
    /// The program ends.
    pub over: bool,
    asked: u64,
}

/// Returns what is shown after an event.
pub fn update(mut state: State, event: Event) -> State {
    match event {
        Event::Key(key) => state.key(key),
        Event::Size(columns, rows) => state.size = (columns, rows),
        Event::Answer(number, answer) => state.take(number, answer),
        Event::Tick => state.ticks += 1,
        Event::Stop => state.over = true,
    }
    state.refresh();
    state
}

impl State {
    /// The overview, which is asked for.
    pub fn new(about: About, size: (u16, u16), colours: bool) -> Self {
        let mut state = Self {
            about,
            tabs: [vec![], vec![], vec![], vec![]],
            tab: 0,
            size,
            prompt: None,
            note: None,
            ticks: 0,
            colours,
            over: false,
            asked: 0,
        };
        state.show_tab(0);
        state.refresh();
        state
    }

    /// The screen that is seen.
    pub fn screen(&self) -> Option<&Screen> {
        self.tabs.get(self.tab)?.last()
    }

    fn screen_mut(&mut self) -> Option<&mut Screen> {
        self.tabs.get_mut(self.tab)?.last_mut()
    }

    /// Screens behind that which is seen.
    pub fn depth(&self) -> usize {
        self.tabs.get(self.tab).map_or(0, |screens| screens.len().saturating_sub(1))
    }

    /// All questions that an answer is waited for, with their numbers. Those that are not among them need not be answered.
    pub fn wanted(&self) -> Vec<(u64, &Question)> {
        let screens = self.tabs.iter().flatten();
        let waiting = screens.filter_map(|screen| match screen.content {
            Content::Waiting(number, _) => Some((number, &screen.question)),
            _ => None,
        });
        waiting.collect()
    }

    fn refresh(&mut self) {
        let (width, size) = (usize::from(self.size.0.saturating_sub(GUTTER)), self.size);
        let Some(screen) = self.tabs.get_mut(self.tab).and_then(|screens| screens.last_mut()) else { return };
        screen.refresh(width, &self.about);
        let height = draw::places(size, screen.document.head.len()).height;
        screen.follow(height.into());
    }

    fn take(&mut self, number: u64, answer: Result<Answer, Problem>) {
        let mut screens = self.tabs.iter_mut().flatten();
        let asked =
            |screen: &&mut Screen| matches!(screen.content, Content::Waiting(waits, _) if waits == number);
        if let Some(screen) = screens.find(asked) {
            screen.content = match answer {
                Ok(found) => Content::Found(found),
                Err(problem) => Content::Failed(problem.sentence),
            };
            screen.stale = true;
        }
    }

    fn asking(&mut self, question: Question) -> Screen {
        if question == Question::Help {
            return Screen::new(question, Content::Found(Answer::Help));
        }
        self.asked += 1;
        Screen::new(question, Content::Waiting(self.asked, self.ticks))
    }

    /// Shows a screen on the others.
    fn open(&mut self, question: Question) {
        let screen = self.asking(question);
        let Some(screens) = self.tabs.get_mut(self.tab) else { return };
        if screens.len() >= DEEPEST {
            screens.remove(1);
        }
        screens.push(screen);
    }

    /// Shows a screen in the place of the one that is seen.
    fn replace(&mut self, question: Question) {
        let screen = self.asking(question);
        if let Some(seen) = self.screen_mut() {
            *seen = screen;
        }
    }

    fn show_tab(&mut self, tab: usize) {
        if self.tab == tab
            && let Some(screens) = self.tabs.get_mut(tab)
        {
            screens.truncate(1);
        }
        self.tab = tab;
        if self.tabs.get(tab).is_some_and(|screens| !screens.is_empty()) {
            return;
        }
        let words = |table: String| Question::Search(Words { table, limit: Some(PAGE), ..Words::default() });
        match tab {
            0 => self.open(Question::Overview),
            1 => self.open(Question::Alerts),
            SEARCH => self.open(words(String::new())),
            _ => match self.connections() {
                Some(table) => self.open(words(table)),
                None => {
                    let sentence = "No record tells of connections: EVE's flow or Zeek's conn.".to_owned();
                    let screen = Screen::new(words(String::new()), Content::Failed(sentence));
                    self.tabs.get_mut(tab).into_iter().for_each(|screens| screens.push(screen.clone()));
                }
            },
        }
    }

    /// The table that tells of connections.
    fn connections(&self) -> Option<String> {
        let is_there = |(schema, table): &&(&str, &str)| {
            self.about.tables.iter().any(|listed| listed.schema == *schema && listed.table == *table)
        };
        CONNECTIONS.iter().find(is_there).map(|(schema, table)| format!("{schema}.{table}"))
    }

    fn key(&mut self, key: KeyEvent) {
        self.note = None;
        if self.prompt.is_some() {
            self.type_key(key);
        } else if let Some(action) = keys::action(key) {
            self.act(action);
        }
    }

    fn act(&mut self, action: Action) {
        match action {
            Action::Move(_) | Action::MovePage(_) | Action::First | Action::Last | Action::NextLink => {
                self.go(action);
            }
            Action::Open | Action::Connection => {
                let row = self.screen().and_then(|screen| screen.document.rows.get(screen.cursor));
                let link = row.and_then(|row| match action {
                    Action::Open => row.link.clone(),
                    _ => row.connection.clone(),
                });
                match link {
                    Some(question) => self.open(question),
                    None if action == Action::Open => self.note = Some("This line leads nowhere."),
                    None => self.note = Some("This line is of no connection."),
                }
            }
            Action::Back => self.back(),
            Action::Tab(tab) => self.show_tab(tab),
            Action::Form => {
                if let Some(screen) = self.screen_mut() {
                    screen.form = screen.form.other();
                    screen.stale = true;
                }
            }
            Action::Page(step) => self.page(step),
            Action::Search | Action::Common | Action::Export => self.ask_for(action),
            Action::Packets => {
                match self.screen().map(|screen| Wanted::on(&screen.content, &self.about.captures)) {
                    Some(Ok(wanted)) => {
                        self.prompt =
                            Some(Prompt { text: wanted.name.clone(), purpose: Purpose::Packets(wanted) });
                    }
                    Some(Err(sentence)) => self.note = Some(sentence),
                    None => {}
                }
            }
            Action::Again => {
                if let Some(question) = self.screen().map(|screen| screen.question.clone()) {
                    self.replace(question);
                }
            }
            Action::Help if matches!(self.screen(), Some(screen) if screen.question == Question::Help) => {}
            Action::Help => self.open(Question::Help),
            Action::Quit => self.over = true,
        }
    }

    /// Moves the cursor.
    fn go(&mut self, action: Action) {
        let size = self.size;
        let Some(screen) = self.screen_mut() else { return };
        let rows = &screen.document.rows;
        let page = usize::from(draw::places(size, screen.document.head.len()).height).max(1).cast_signed();
        let moved = |step: isize| screen.cursor.saturating_add_signed(step);
        screen.cursor = match action {
            Action::Move(step) => moved(step),
            Action::MovePage(step) => moved(step.saturating_mul(page)),
            Action::First => 0,
            Action::Last => usize::MAX,
            _ => {
                let after = rows.iter().enumerate().skip(screen.cursor + 1).chain(rows.iter().enumerate());
                let mut links = after.filter(|(_, row)| row.link.is_some());
                links.next().map_or(screen.cursor, |(place, _)| place)
            }
        };
    }

    fn back(&mut self) {
        if self.depth() > 0 {
            self.tabs.get_mut(self.tab).into_iter().for_each(|screens| drop(screens.pop()));
            return;
        }
        match self.screen_mut() {
            Some(screen) if matches!(screen.content, Content::Waiting(..)) => {
                screen.content = Content::Failed("The question was ended; r asks once more.".to_owned());
                screen.stale = true;
            }
            _ => self.note = Some("There is no screen before this one; q quits."),
        }
    }

    /// The search whose records are seen.
    fn words(&self) -> Option<&Words> {
        match &self.screen()?.question {
            Question::Search(words) | Question::Common(words) => Some(words),
            _ => None,
        }
    }

    fn page(&mut self, step: isize) {
        let more = match self.screen().map(|screen| &screen.content) {
            Some(Content::Found(Answer::Search(page))) => page.more,
            _ => return,
        };
        let Some(words) = self.words().cloned() else { return };
        let offset = words.offset.unwrap_or(0);
        if (step > 0 && !more) || (step < 0 && offset == 0) {
            self.note = Some("There are no more records.");
            return;
        }
        let offset = offset.saturating_add_signed(step.saturating_mul(PAGE.cast_signed()));
        self.replace(Question::Search(Words { offset: Some(offset), ..words }));
    }

    /// Begins to take a text.
    fn ask_for(&mut self, action: Action) {
        let words = self.words().cloned();
        self.prompt = match (action, words) {
            (Action::Search, words) => {
                let Words { q, table, .. } = words.unwrap_or_default();
                Some(Prompt { purpose: Purpose::Search(table), text: q })
            }
            (Action::Common, Some(words)) => {
                Some(Prompt { purpose: Purpose::Field(words), text: "src_ip".to_owned() })
            }
            (_, Some(words)) => {
                Some(Prompt { purpose: Purpose::Export(words), text: "records.json".to_owned() })
            }
            (_, None) => {
                self.note = Some("This is for the records of a search: / searches.");
                None
            }
        };
    }

    fn type_key(&mut self, key: KeyEvent) {
        let Some(prompt) = &mut self.prompt else { return };
        match key.code {
            KeyCode::Esc => self.prompt = None,
            KeyCode::Enter => self.typed(),
            KeyCode::Char('c') if key.modifiers.contains(KeyModifiers::CONTROL) => self.prompt = None,
            KeyCode::Char('u') if key.modifiers.contains(KeyModifiers::CONTROL) => prompt.text.clear(),
            KeyCode::Char(letter)
                if !key.modifiers.intersects(KeyModifiers::CONTROL.union(KeyModifiers::ALT))
                    && prompt.text.len() < LONGEST =>
            {
                prompt.text.push(letter);
            }
            KeyCode::Backspace => {
                prompt.text.pop();
            }
            _ => {}
        }
    }

    /// Does what a text was typed for.
    fn typed(&mut self) {
        let Some(Prompt { purpose, text }) = self.prompt.take() else { return };
        match purpose {
            Purpose::Search(table) => {
                if self.words().is_none() {
                    self.tab = SEARCH;
                }
                self.open(Question::Search(Words { q: text, table, limit: Some(PAGE), ..Words::default() }));
            }
            Purpose::Field(words) => self.open(Question::Common(Words { field: text, ..words })),
            Purpose::Export(Words { q, table, .. }) => {
                let ending = Path::new(&text).extension().and_then(|ending| ending.to_str());
                let form = ending.unwrap_or_default().to_owned();
                self.open(Question::Export(export::Words { q, table, form }, PathBuf::from(text)));
            }
            Purpose::Packets(wanted) => {
                let is_folder = text.is_empty() || text.ends_with('/');
                let path = if is_folder { Path::new(&text).join(&wanted.name) } else { PathBuf::from(text) };
                self.open(Question::Packets(wanted, path));
            }
        }
    }
}

/// What a screen is called until it has its answer.
pub fn title(question: &Question) -> String {
    match question {
        Question::Overview => "Overview".to_owned(),
        Question::Alerts => "Alerts".to_owned(),
        Question::Search(words) => super::search::title(words),
        Question::Common(words) => format!("In common: {}", super::search::title(words)),
        Question::Record(which) => which.table.clone(),
        Question::Connection(which) => format!("Connection {}", which.id),
        Question::Said(..) => "What both sides said".to_owned(),
        Question::Export(_, path) => format!("Export to {}", path.display()),
        Question::Packets(_, path) => format!("Packets to {}", path.display()),
        Question::Help => help::TITLE.to_owned(),
    }
}
