//! Zeek's websocket log: what both ends said when a connection changed to WebSocket (RFC 6455 4).

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha1::{Digest, Sha1};
use weir_applayer::{ZeekSink, ZeekValue, zeek_stream};
use weir_base::Timestamp;

zeek_stream! {
    /// The log; HTTP's logger writes it.
    pub static STREAM: "websocket" of a connection;
    struct Row {
        host: Text,
        uri: Text,
        user_agent: Text,
        subprotocol: Text,
        client_protocols: Vector<Text>,
        server_extensions: Vector<Text>,
        client_extensions: Vector<Text>,
    }
}

/// Suffix that the server adds to the client's key (RFC 6455 1.3).
const GUID: &[u8] = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/// Most protocols or extensions in a row.
const MAX_LISTED: usize = 64;

/// The values of a header field: one line's, or those of several, joined.
#[derive(Clone, Copy, Debug, Default)]
pub struct Lines<'a> {
    /// All of them.
    pub value: Option<&'a [u8]>,
    /// There are several lines.
    pub several: bool,
}

/// Header fields of one end whose names begin with `Sec-WebSocket-`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Side<'a> {
    /// The client's `Key`, the server's `Accept`.
    pub proof: Lines<'a>,
    /// `Protocol`
    pub protocol: Lines<'a>,
    /// `Extensions`
    pub extensions: Lines<'a>,
}

/// A handshake.
#[derive(Clone, Copy, Debug, Default)]
pub struct Handshake<'a> {
    /// `Host`
    pub host: Option<&'a [u8]>,
    /// The target.
    pub uri: Option<&'a [u8]>,
    /// `User-Agent`
    pub user_agent: Option<&'a [u8]>,
    /// Header fields of the client.
    pub client: Side<'a>,
    /// Header fields of the server.
    pub server: Side<'a>,
    /// When the answer was over.
    pub time: Timestamp,
}

impl Handshake<'_> {
    /// Writes the row, and what is odd.
    pub fn write(&self, sink: &mut dyn ZeekSink) {
        self.look(sink);
        let lists = [self.client.protocol, self.server.extensions, self.client.extensions]
            .map(|lines| lines.value.map(items).unwrap_or_default());
        let [protocols, chosen, offered] =
            [&lists[0], &lists[1], &lists[2]].map(|list| ZeekValue::texts(list));
        let row = Row {
            host: self.host.into(),
            uri: self.uri.into(),
            user_agent: self.user_agent.into(),
            subprotocol: self.server.protocol.last().into(),
            client_protocols: protocols.as_slice().into(),
            server_extensions: chosen.as_slice().into(),
            client_extensions: offered.as_slice().into(),
        };
        sink.row(&STREAM, self.time, &row.values());
    }

    fn look(&self, sink: &mut dyn ZeekSink) {
        let (key, accept) = (self.client.proof, self.server.proof);
        let nothing = [self.client, self.server].iter().all(|side| {
            side.proof.value.is_none() && side.protocol.value.is_none() && side.extensions.value.is_none()
        });
        for (name, is_so) in [
            ("websocket_multiple_key_headers", key.several),
            ("websocket_multiple_protocol_headers", self.server.protocol.several),
            ("websocket_multiple_accept_headers", accept.several),
            ("websocket_established_unexpected", nothing),
            ("websocket_missing_key_header", key.value.is_none()),
            ("websocket_missing_accept_header", accept.value.is_none()),
        ] {
            if is_so {
                sink.weird_of(self.time, name, None, Some("WebSocket"));
            }
        }
        let (Some(key), Some(accept)) = (key.last(), accept.last()) else { return };
        let expected = STANDARD.encode(Sha1::new().chain_update(key).chain_update(GUID).finalize());
        if expected.as_bytes() != accept {
            let about = format!("expected={expected}, found={}", String::from_utf8_lossy(accept));
            sink.weird_of(self.time, "websocket_wrong_accept_header", Some(&about), Some("WebSocket"));
        }
    }
}

impl<'a> Lines<'a> {
    /// The value, of several the last one.
    fn last(self) -> Option<&'a [u8]> {
        let value = self.value?;
        if !self.several {
            return Some(value);
        }
        value.rsplit(|byte| *byte == b',').next().map(<[u8]>::trim_ascii_start)
    }
}

/// The items of a list, without spaces around commas.
fn items(value: &[u8]) -> Vec<&[u8]> {
    let count = value.iter().filter(|byte| **byte == b',').count() + 1;
    let trimmed = value.split(|byte| *byte == b',').enumerate().map(|(index, item)| {
        let item = if index == 0 { item } else { without_spaces_before(item) };
        if index + 1 == count { item } else { without_spaces_behind(item) }
    });
    trimmed.take(MAX_LISTED).collect()
}

fn without_spaces_before(item: &[u8]) -> &[u8] {
    let start = item.iter().take_while(|byte| **byte == b' ').count();
    item.get(start..).unwrap_or_default()
}

fn without_spaces_behind(item: &[u8]) -> &[u8] {
    let end = item.iter().rposition(|byte| *byte != b' ').map_or(0, |last| last + 1);
    item.get(..end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists() {
        let cases: &[(&[u8], &[&[u8]])] = &[
            (b"v1", &[b"v1"]),
            (b"v1 , v2,v3", &[b"v1", b"v2", b"v3"]),
            (b"a; b=1,", &[b"a; b=1", b""]),
            (b"", &[b""]),
        ];
        for (value, expected) in cases {
            assert_eq!(items(value), *expected);
        }
    }
}
