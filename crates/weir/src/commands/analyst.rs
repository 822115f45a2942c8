//! `weir query`, `weir view`, `weir hunt`, `weir archive`: what is done with records and captures that were kept. A program of its own
//! does it, which stands beside this one, so that a sensor carries neither a query engine nor a web server.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

/// The name of that program.
const PROGRAM: &str = "weir-analyst";

/// Its commands.
pub const WORDS: &[&str] = &["archive", "hunt", "query", "view"];

/// Becomes that program; what it is given is what stands behind the name of this one. It returns where there is none.
pub fn run(words: &[OsString]) -> Result<ExitCode, String> {
    let beside = std::env::current_exe().ok().and_then(|path| Some(path.parent()?.join(PROGRAM)));
    let program = beside.filter(|path| path.exists()).unwrap_or_else(|| PathBuf::from(PROGRAM));
    let error = Command::new(&program).args(words.iter().skip(1)).exec();
    if error.kind() == std::io::ErrorKind::NotFound {
        let word = words.get(1).map_or_else(String::new, |word| word.to_string_lossy().into_owned());
        return Err(format!(
            "`weir {word}` is in the program {PROGRAM}, which is neither beside this one nor in the PATH. Build it \
             with `make analyst`, or install the package of that name."
        ));
    }
    Err(format!("{} cannot be started: {error}.", program.display()))
}
