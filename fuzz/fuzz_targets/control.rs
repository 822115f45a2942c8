//! Any bytes of a client of the control socket: the same is said in whatever pieces they come, and no more than a
//! request is kept.

#![no_main]

use libfuzzer_sys::fuzz_target;
use weir_engine::control::dialogue::{Dialogue, MAX_REQUEST, Reply, Request, Step};

/// Most bytes of a piece.
const MAX_PIECE: usize = 64;

fn answer(request: &Request) -> Reply {
    match (request.command.as_str(), &request.arguments) {
        ("shutdown", _) => Reply::HangUp,
        ("uptime", _) => Reply::Answer(Ok(7.into())),
        (command, None) => Reply::Answer(Err(command.into())),
        (_, Some(arguments)) => Reply::Answer(Ok(arguments.clone().into())),
    }
}

/// What is said to a client whose bytes come in pieces of so many, each as its first byte says, or as many as there
/// is room for.
fn said(bytes: &[u8], in_pieces: bool) -> Vec<u8> {
    let (mut dialogue, mut said, mut rest) = (Dialogue::default(), Vec::new(), bytes);
    loop {
        match dialogue.step(&mut answer) {
            Step::Say(answer) => {
                assert!(answer.is_ascii());
                said.extend(answer);
            }
            Step::Wait if !rest.is_empty() => {
                let room = dialogue.room();
                assert!(room > 0 && room <= MAX_REQUEST);
                let first = rest.first().copied().map_or(1, usize::from);
                let piece = if in_pieces { first % MAX_PIECE + 1 } else { room };
                let (now, later) = rest.split_at(piece.min(room).min(rest.len()));
                dialogue.take(now);
                rest = later;
            }
            Step::Wait | Step::End => return said,
        }
    }
}

fuzz_target!(|bytes: &[u8]| assert_eq!(said(bytes, false), said(bytes, true)));
