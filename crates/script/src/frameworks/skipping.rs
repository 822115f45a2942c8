//! Content that scripts want to hear no more of: that of a body of HTTP, and that of a mail until the next one begins. It is
//! passed over when its messages come; files go on.
//!
//! Limit: connections are those of the lane.

use std::collections::HashMap;

use weir_base::event::ReadValue;

use crate::builtins::{Builtin, argument, is_true, row};
use crate::traffic::MOST_KNOWN;
use crate::values::Value;
use crate::vm::Engine;

/// What is passed over of a connection: bodies of the originator and of the responder, and a mail.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Skipped {
    bodies: [bool; 2],
    mail: bool,
}

/// What is passed over, by the uids of connections.
#[derive(Default)]
pub struct Skipping(HashMap<Vec<u8>, Skipped>);

impl Skipping {
    /// A connection is over.
    pub fn forget(&mut self, uid: &[u8]) {
        self.0.remove(uid);
    }

    /// Returns whether an event of a connection is passed over; others may end what was.
    fn passes_over(&mut self, event: &str, uid: &[u8], arguments: &[ReadValue<'_>]) -> bool {
        let Some(skipped) = self.0.get_mut(uid) else { return false };
        let side = match arguments.get(1) {
            Some(ReadValue::Bool(is_orig)) => usize::from(!is_orig),
            _ => 0,
        };
        match event {
            "http_entity_data" => return skipped.bodies.get(side) == Some(&true),
            "http_begin_entity" | "http_end_entity" | "http_message_done" => {
                skipped.bodies.get_mut(side).into_iter().for_each(|body| *body = false);
            }
            "smtp_request" => {
                let is_next = matches!(
                    arguments.get(2),
                    Some(ReadValue::String(command)) if command.eq_ignore_ascii_case(b"MAIL")
                );
                skipped.mail &= !is_next;
            }
            "smtp_data" => return skipped.mail,
            event => return skipped.mail && event.starts_with("mime_"),
        }
        if *skipped == Skipped::default() {
            self.0.remove(uid);
        }
        false
    }
}

/// Returns whether an event is of content that scripts want to hear no more of.
pub fn passes_over(engine: &mut Engine, event: u32, arguments: &[ReadValue<'_>]) -> bool {
    if engine.frameworks.skipping.0.is_empty() {
        return false;
    }
    let Some(ReadValue::Connection(read)) = arguments.first() else { return false };
    let Some(function) = engine.program.functions.get(event as usize) else { return false };
    engine.frameworks.skipping.passes_over(&function.name, read.uid, arguments)
}

fn skip(engine: &mut Engine, connection: &Value, change: impl FnOnce(&mut Skipped)) {
    let Value::Record(connection) = connection else { return };
    let uid = engine.field(connection, "uid").bytes().to_vec();
    let known = &mut engine.frameworks.skipping.0;
    if known.len() < MOST_KNOWN || known.contains_key(&uid) {
        change(known.entry(uid).or_default());
    }
}

/// Functions; their declarations are in the prelude.
pub const ROWS: &[Builtin] = &[
    row("skip_http_entity_data", "", |e, a| {
        let side = usize::from(!is_true(a, 1));
        skip(e, &argument(a, 0), |skipped| {
            skipped.bodies.get_mut(side).into_iter().for_each(|body| *body = true);
        });
        Ok(Value::Unset)
    }),
    row("skip_smtp_data", "", |e, a| {
        skip(e, &argument(a, 0), |skipped| skipped.mail = true);
        Ok(Value::Unset)
    }),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_is_passed_over_until_the_next_begins() {
        let skipped = Skipped { bodies: [true, false], mail: true };
        let mut skipping = Skipping::default();
        skipping.0.insert(b"C1".to_vec(), skipped);
        let side = |is_orig| [ReadValue::Unset, ReadValue::Bool(is_orig)];
        let command = |name| [ReadValue::Unset, ReadValue::Bool(true), ReadValue::String(name)];
        let cases: [(&str, &[ReadValue<'_>], bool); 11] = [
            ("http_entity_data", &side(true), true),
            ("http_entity_data", &side(false), false),
            ("http_header", &side(true), false),
            ("http_end_entity", &side(true), false),
            ("http_entity_data", &side(true), false),
            ("smtp_data", &side(true), true),
            ("mime_entity_data", &[ReadValue::Unset], true),
            ("smtp_request", &command(b"RSET"), false),
            ("smtp_data", &side(true), true),
            ("smtp_request", &command(b"mail"), false),
            ("smtp_data", &side(true), false),
        ];
        for (event, arguments, expected) in cases {
            assert_eq!(skipping.passes_over(event, b"C1", arguments), expected, "{event}");
            assert!(!skipping.passes_over(event, b"C2", arguments));
        }
        assert!(skipping.0.is_empty());
    }
}
