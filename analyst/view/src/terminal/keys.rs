//! The keys, and what they do: what is pressed is looked for here, and the help shows it.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// What a key does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Goes so many lines down, or up.
    Move(isize),
    /// Goes so many pages down, or up.
    MovePage(isize),
    /// Goes to the first line.
    First,
    /// Goes to the last line.
    Last,
    /// Goes to the next line that leads somewhere.
    NextLink,
    /// Opens what the line leads to.
    Open,
    /// Goes back, or ends a question.
    Back,
    /// Shows one of the four screens that all others are behind.
    Tab(usize),
    /// Searches.
    Search,
    /// Shows the connection that the line is of.
    Connection,
    /// Shows bytes as hexadecimal digits, or as text.
    Form,
    /// Shows older records, or newer ones.
    Page(isize),
    /// Counts what found records have in common.
    Common,
    /// Writes what was found to a file.
    Export,
    /// Writes the packets of a connection to a file.
    Packets,
    /// Asks once more.
    Again,
    /// Shows the keys.
    Help,
    /// Ends the program.
    Quit,
}

/// Keys that do the same.
pub struct Binding {
    /// What they do.
    pub action: Action,
    /// The keys.
    pub codes: &'static [KeyCode],
    /// Their names.
    pub names: &'static str,
    /// What they do, in words; nothing where the line above says it.
    pub does: &'static str,
}

const fn binding(
    action: Action,
    codes: &'static [KeyCode],
    names: &'static str,
    does: &'static str,
) -> Binding {
    Binding { action, codes, names, does }
}

use KeyCode::{
    BackTab, Backspace, Char, Down, End, Enter, Esc, Home, Left, PageDown, PageUp, Right, Tab, Up,
};

/// All keys.
pub const BINDINGS: &[Binding] = &[
    binding(Action::Move(1), &[Down, Char('j')], "↓ j", "next line"),
    binding(Action::Move(-1), &[Up, Char('k')], "↑ k", "line before"),
    binding(Action::MovePage(1), &[PageDown, Char(' ')], "PgDn Space", "next page"),
    binding(Action::MovePage(-1), &[PageUp], "PgUp", "page before"),
    binding(Action::First, &[Home, Char('g')], "Home g", "first line"),
    binding(Action::Last, &[End, Char('G')], "End G", "last line"),
    binding(Action::NextLink, &[Tab, BackTab], "Tab", "next line that leads somewhere (marked by ›)"),
    binding(Action::Open, &[Enter, Right, Char('l')], "Enter → l", "open what the line leads to"),
    binding(
        Action::Back,
        &[Esc, Backspace, Left, Char('h'), Char('b')],
        "Esc Backspace ← h",
        "back; ends a question",
    ),
    binding(Action::Tab(0), &[Char('1'), Char('o')], "1 o", "overview"),
    binding(Action::Tab(1), &[Char('2'), Char('a')], "2 a", "alerts by rule"),
    binding(Action::Tab(2), &[Char('3'), Char('s')], "3 s", "search"),
    binding(Action::Tab(3), &[Char('4')], "4", "connections"),
    binding(Action::Search, &[Char('/')], "/", "search"),
    binding(Action::Connection, &[Char('c')], "c", "the connection that the line is of"),
    binding(Action::Form, &[Char('x')], "x", "bytes as hexadecimal digits or as text"),
    binding(Action::Page(1), &[Char('n')], "n", "older records"),
    binding(Action::Page(-1), &[Char('p')], "p", "newer records"),
    binding(Action::Common, &[Char('f')], "f", "types of found records, and values of a field"),
    binding(Action::Export, &[Char('e')], "e", "write found records to a file: .json, .csv, .parquet"),
    binding(Action::Packets, &[Char('w')], "w", "write the packets of the connection to a file, as pcapng"),
    binding(Action::Again, &[Char('r')], "r", "ask once more"),
    binding(Action::Help, &[Char('?')], "?", "help"),
    binding(Action::Quit, &[Char('q')], "q", "quit"),
];

/// What a key does.
pub fn action(key: KeyEvent) -> Option<Action> {
    if key.modifiers.contains(KeyModifiers::CONTROL) {
        return match key.code {
            Char('c') => Some(Action::Quit),
            Char('d' | 'f') => Some(Action::MovePage(1)),
            Char('u' | 'b') => Some(Action::MovePage(-1)),
            _ => None,
        };
    }
    if key.modifiers.contains(KeyModifiers::ALT) {
        return None;
    }
    BINDINGS.iter().find(|binding| binding.codes.contains(&key.code)).map(|binding| binding.action)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_key_does_one_thing() {
        let mut codes: Vec<&KeyCode> = BINDINGS.iter().flat_map(|binding| binding.codes).collect();
        let all = codes.len();
        codes.sort_by_key(|code| format!("{code:?}"));
        codes.dedup();
        assert_eq!(codes.len(), all);
        assert_eq!(action(KeyEvent::from(Char('j'))), Some(Action::Move(1)));
        assert_eq!(action(KeyEvent::new(Char('c'), KeyModifiers::CONTROL)), Some(Action::Quit));
        assert_eq!(action(KeyEvent::new(Char('q'), KeyModifiers::ALT)), None);
        assert_eq!(action(KeyEvent::from(Char('z'))), None);
    }
}
