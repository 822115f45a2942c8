//! XMPP as scripts hear of it: the moment at which a stream goes on over TLS (RFC 6120, section 5.4.2).
//!
//! Limit: [`MAX_CLEAR`] bytes of a side, behind which a stream that goes on in the clear is of no interest.

use memchr::memmem;
use weir_base::EventValue;
use weir_base::event::{ReadStreams, StreamFindings, StreamReader};

/// The reader.
pub const READER: StreamReader = StreamReader {
    analyzer: "XMPP",
    events: &["xmpp_starttls"],
    tells_weirds: false,
    lasts: None,
    open: || Box::<Xmpp>::default(),
};

/// Most bytes of a side that are looked at.
const MAX_CLEAR: usize = 1 << 16;

/// Elements by which a client asks for TLS, and a server agrees.
const ELEMENTS: [&[u8]; 2] = [b"<starttls", b"<proceed"];

/// One side: the end of what it said, and whether its element was there.
#[derive(Debug, Default)]
struct Side {
    end: Vec<u8>,
    seen: usize,
    is_ready: bool,
}

/// One connection.
#[derive(Debug, Default)]
struct Xmpp([Side; 2]);

impl ReadStreams for Xmpp {
    fn data(&mut self, is_orig: bool, bytes: &[u8], findings: &mut dyn StreamFindings) {
        let place = usize::from(!is_orig);
        let is_asked = self.0.first().is_some_and(|side| side.is_ready);
        let (Some(side), Some(element)) = (self.0.get_mut(place), ELEMENTS.get(place)) else { return };
        if side.is_ready || side.seen > MAX_CLEAR || !is_orig && !is_asked {
            return;
        }
        side.seen += bytes.len();
        side.end.extend_from_slice(bytes);
        side.is_ready = memmem::find(&side.end, element).is_some();
        let kept = side.end.len().min(element.len() - 1);
        side.end.drain(..side.end.len() - kept);
        if side.is_ready && !is_orig {
            findings.raise("xmpp_starttls", &[EventValue::Connection]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::told;

    #[test]
    fn tls_follows() {
        type Case<'a> = (&'a [(bool, &'a [u8])], &'a [&'a str]);
        let cases: &[Case<'_>] = &[
            (
                &[
                    (false, b"<features><starttls xmlns='t'/></features>"),
                    (true, b"<a/><starttls xmlns='t'/>"),
                    (false, b"<proceed xmlns='t'/>"),
                ],
                &["xmpp_starttls c"],
            ),
            (&[(false, b"<proceed/>"), (true, b"<starttls/>")], &[]),
            (&[(true, b"<starttls/>"), (false, b"<failure/>")], &[]),
        ];
        for (pieces, expected) in cases {
            assert_eq!(told(&READER, pieces), *expected);
        }
    }
}
