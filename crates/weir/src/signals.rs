//! Signals to a run: to end in order, to open logs anew, to load rules again.
//!
//! Handlers set flags, which the reader looks at between batches of packets.

use std::io;
use std::sync::Arc;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGUSR2};
use signal_hook::flag::{register, register_conditional_default};
use weir_engine::Requests;

/// Takes SIGHUP and SIGUSR2 from now on; whoever sends them while rules are loaded does not mean to end the program.
pub fn take() -> Result<Requests, String> {
    let requests = Requests::default();
    registered(register(SIGHUP, Arc::clone(&requests.reopen)))?;
    registered(register(SIGUSR2, Arc::clone(&requests.reload)))?;
    Ok(requests)
}

/// Takes SIGINT and SIGTERM, too: the run ends in order. A SIGINT after that ends the program at once.
pub fn take_ends(requests: &Requests) -> Result<(), String> {
    // Handlers act in the order in which they are registered: the first SIGINT finds nothing to end at once.
    registered(register_conditional_default(SIGINT, Arc::clone(&requests.stop)))?;
    for signal in [SIGINT, SIGTERM] {
        registered(register(signal, Arc::clone(&requests.stop)))?;
    }
    Ok(())
}

fn registered<T>(result: io::Result<T>) -> Result<(), String> {
    result.map(drop).map_err(|error| format!("Signals cannot be taken: {error}."))
}
