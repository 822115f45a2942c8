//! Software of the ends by header fields, reported once for each message.

use weir_applayer::zeek::{Script, Software, SoftwareHost, ZeekSink};
use weir_base::{Direction, PerDirection};

use super::super::transaction::{HEADERS, HttpTransaction};

/// Fields of answers that name software, by the kind that Zeek makes of them.
const SERVER_FIELDS: [(&[u8], &str, &[u8]); 3] = [
    (b"server", "HTTP::SERVER", b""),
    (b"x-powered-by", "HTTP::APPSERVER", b""),
    (b"microsoftsharepointteamservices", "HTTP::APPSERVER", b"SharePoint/"),
];

/// Messages of live transactions whose software was logged.
#[derive(Debug, Default)]
pub(super) struct Told {
    live: Vec<(u64, PerDirection<bool>)>,
    /// Somebody asks for it, as far as is known.
    pub(super) wanted: bool,
}

impl Told {
    /// Tells of what is new in a transaction; one that is `complete` is not given again.
    pub(super) fn look(&mut self, tx: &HttpTransaction, complete: bool, sink: &mut dyn ZeekSink) {
        self.wanted = sink.has(Script::HttpSoftware);
        if !self.wanted {
            return;
        }
        let at = self.live.iter().position(|(id, _)| *id == tx.meta.id);
        let mut told = match at {
            Some(at) => self.live.swap_remove(at).1,
            None => PerDirection::default(),
        };
        for direction in [Direction::ToServer, Direction::ToClient] {
            // The fields are all there once something comes after them.
            if (complete || tx.meta.progress[direction] > HEADERS)
                && !std::mem::replace(&mut told[direction], true)
            {
                tell(tx, direction, sink);
            }
        }
        if !complete {
            self.live.push((tx.meta.id, told));
        }
    }
}

fn tell(tx: &HttpTransaction, direction: Direction, sink: &mut dyn ZeekSink) {
    for (name, value) in tx.message(direction).headers.iter() {
        if direction == Direction::ToServer {
            if name.eq_ignore_ascii_case(b"user-agent") {
                let found = Software { kind: "HTTP::BROWSER", host: SoftwareHost::Client, text: value };
                sink.software(&found);
            }
        } else if let Some((_, kind, prefix)) =
            SERVER_FIELDS.iter().find(|(field, ..)| name.eq_ignore_ascii_case(field))
        {
            let text = [prefix, value].concat();
            sink.software(&Software { kind, host: SoftwareHost::Server, text: &text });
        }
    }
}
