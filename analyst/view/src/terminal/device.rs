//! The terminal itself: it is as it was when the program ends, however it ends.

use std::io::{self, Stdout, stdin, stdout};
use std::sync::mpsc::Sender;
use std::thread;

use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::cursor::Show;
use ratatui::crossterm::event::{self, KeyEventKind};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use rustix::event::{PollFd, PollFlags, poll};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use super::state::Event;

/// A terminal that shows screens, until it is dropped.
pub struct Device {
    /// What is drawn on.
    pub terminal: Terminal<CrosstermBackend<Stdout>>,
    _restoring: Restoring,
}

/// Makes a terminal as it was.
struct Restoring;

impl Drop for Restoring {
    fn drop(&mut self) {
        restore();
    }
}

/// Makes the terminal as it was, as far as it can still be reached.
fn restore() {
    let _ = disable_raw_mode();
    let _ = execute!(stdout(), LeaveAlternateScreen, Show);
}

impl Device {
    /// Takes the terminal over, and sends what happens at it.
    pub fn open(events: &Sender<Event>) -> io::Result<Self> {
        let restoring = Restoring;
        hear_signals(events.clone())?;
        restore_on_panic();
        enable_raw_mode()?;
        execute!(stdout(), EnterAlternateScreen)?;
        let terminal = Terminal::new(CrosstermBackend::new(stdout()))?;
        hear_keys(events.clone());
        hear_end(events.clone());
        Ok(Self { terminal, _restoring: restoring })
    }
}

/// Shows what a panic of this thread says on a terminal that is as it was. One of another thread is an answer that says so.
fn restore_on_panic() {
    let before = std::panic::take_hook();
    let this = thread::current().id();
    std::panic::set_hook(Box::new(move |about| {
        if thread::current().id() == this {
            restore();
            before(about);
        }
    }));
}

/// Ends the program in order at the first signal, and at once at the second.
fn hear_signals(events: Sender<Event>) -> io::Result<()> {
    let mut signals = Signals::new([SIGHUP, SIGINT, SIGTERM])?;
    thread::spawn(move || {
        if signals.forever().next().is_some() {
            let _ = events.send(Event::Stop);
        }
        if signals.forever().next().is_some() {
            restore();
            std::process::exit(1);
        }
    });
    Ok(())
}

/// Sends keys and sizes, as long as there is a terminal.
fn hear_keys(events: Sender<Event>) {
    thread::spawn(move || {
        loop {
            let event = match event::read() {
                Ok(event::Event::Key(key)) if key.kind != KeyEventKind::Release => Event::Key(key),
                Ok(event::Event::Resize(columns, rows)) => Event::Size(columns, rows),
                Ok(_) => continue,
                Err(_) => Event::Stop,
            };
            let ends = matches!(event, Event::Stop);
            if events.send(event).is_err() || ends {
                return;
            }
        }
    });
}

/// Ends the program when the terminal is gone, which who reads keys is not told. No flag is asked for: the end comes unasked.
fn hear_end(events: Sender<Event>) {
    thread::spawn(move || {
        let input = stdin();
        while poll(&mut [PollFd::new(&input, PollFlags::empty())], None) == Err(rustix::io::Errno::INTR) {}
        let _ = events.send(Event::Stop);
    });
}
