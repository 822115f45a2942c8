//! `weir query`, `weir view`, `weir hunt`, `weir archive`: what is done with records and captures that were kept. A
//! program of its own does it, which stands beside this one, so that a sensor carries neither a query engine nor a web
//! server.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

/// The name of that program.
const PROGRAM: &str = "weir-analyst";

/// Its commands.
const WORDS: &[&str] = &["archive", "hunt", "query", "view"];

/// Becomes that program, where the first word is one of its commands or the help on one; it returns where that cannot be.
pub fn answer(words: &[OsString]) -> Option<Result<ExitCode, String>> {
    let command = |place: usize| words.get(place)?.to_str().filter(|word| WORDS.contains(word));
    let given = match (command(1), command(2)) {
        (Some(_), _) => words.get(1..)?.to_vec(),
        (None, Some(word)) if words.get(1)? == "help" => vec![word.into(), "--help".into()],
        _ => return None,
    };
    let beside = std::env::current_exe().ok().and_then(|path| Some(path.parent()?.join(PROGRAM)));
    let program = beside.filter(|path| path.exists()).unwrap_or_else(|| PathBuf::from(PROGRAM));
    let error = Command::new(&program).args(&given).exec();
    let word = given.first()?.to_string_lossy();
    Some(Err(match error.kind() {
        std::io::ErrorKind::NotFound => format!(
            "`weir {word}` is in the program {PROGRAM}, which is neither beside this one nor in the PATH. Build it \
             with `make analyst`, or install the package of that name."
        ),
        _ => format!("{} cannot be started: {error}.", program.display()),
    }))
}
