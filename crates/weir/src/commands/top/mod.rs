//! `weir top`: what a program that listens is doing, over its control socket.

mod screen;
mod view;

use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use clap::Args;
use serde_json::{Map, Value};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag::register;

use self::screen::Screen;
use self::view::{Look, write_text};
use super::ctl::{Client, connect, socket_path};
use crate::information::print_text;

/// Longest wait before it is seen that the screen is to end.
const NAP: Duration = Duration::from_millis(50);

/// Show what a program that listens is doing: rates, loss, flows, memory, the rules and stages that cost most, what is
/// waited for. Ctrl-C ends it.
#[derive(Args, Debug)]
pub struct Arguments {
    /// The control socket, where it is another than that of the default
    /// configuration: a path, or a name below /run/suricata
    #[arg(long, value_name = "PATH")]
    socket: Option<PathBuf>,

    /// Seconds between two looks
    #[arg(long, value_name = "SECONDS", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=3600))]
    interval: u32,

    /// Looks before it ends; without a terminal, one
    #[arg(long, value_name = "N")]
    count: Option<u64>,

    /// Print each look as a line of JSON
    #[arg(long)]
    json: bool,
}

/// Shows; the error is a sentence.
pub fn run(arguments: &Arguments) -> Result<ExitCode, String> {
    let path = socket_path(arguments.socket.as_deref());
    let mut client = connect(&path)?;
    let ends = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        register(signal, Arc::clone(&ends)).map_err(|error| format!("Signals cannot be taken: {error}."))?;
    }
    let is_terminal = std::io::stdout().is_terminal();
    let looks = arguments.count.unwrap_or(if is_terminal { u64::MAX } else { 1 });
    let screen = (is_terminal && !arguments.json).then(Screen::enter);
    let interval = Duration::from_secs(arguments.interval.into());
    let mut before: Option<(Instant, Look)> = None;
    for number in 0..looks {
        let now = Instant::now();
        let look = Look::of(&ask(&mut client)?);
        let since = before.as_ref().map(|(then, look)| (now.duration_since(*then), look));
        show(&look, since, arguments, screen.as_ref());
        before = Some((now, look));
        if number + 1 < looks && !wait(now + interval, &ends) {
            break;
        }
    }
    drop(screen);
    Ok(ExitCode::SUCCESS)
}

fn ask(client: &mut Client) -> Result<Value, String> {
    let answer = client.ask("top", Map::new());
    let answer = answer.map_err(|error| format!("The program does not answer any more: {error}."))?;
    answer.map_err(|message| {
        format!(
            "The program does not tell: {message}. It has to listen on interfaces, and to be of this release."
        )
    })
}

/// Waits until then; false where it is to end before.
fn wait(until: Instant, ends: &AtomicBool) -> bool {
    while Instant::now() < until {
        if ends.load(Ordering::Relaxed) {
            return false;
        }
        std::thread::sleep(NAP);
    }
    true
}

fn show(look: &Look, since: Option<(Duration, &Look)>, arguments: &Arguments, screen: Option<&Screen>) {
    if arguments.json {
        print_text(&format!("{}\n", look.json(since)));
        // Who reads it waits for it.
        let _ = std::io::stdout().flush();
        return;
    }
    let (columns, lines) = screen.map_or((usize::MAX, usize::MAX), Screen::size);
    let mut text = String::new();
    write_text(look, since, &mut text);
    match screen {
        Some(screen) => screen.show(&text, columns, lines),
        None => print_text(&text),
    }
}
