//! Upgrades of connections to WebSocket (RFC 6455 4.2.2), for Zeek's logs.

use weir_applayer::zeek::ZeekSink;
use weir_base::Direction;

use super::super::as_zeek::first_token;
use super::super::headers::Headers;
use super::super::transaction::HttpTransaction;
use crate::websocket::handshake::{Handshake, Lines, Side};

/// The status by which a server changes to another protocol.
const SWITCHING: u16 = 101;

/// Looks at an exchange that is over; answers whether WebSocket follows it.
pub(super) fn look(tx: &HttpTransaction, sink: &mut dyn ZeekSink) -> bool {
    if tx.status != Some(SWITCHING) || !is_upgrade(&tx.response.headers) {
        return false;
    }
    let request = &tx.request.headers;
    let handshake = Handshake {
        host: request.value(b"host"),
        uri: tx.has_request.then(|| tx.target()).flatten(),
        user_agent: request.value(b"user-agent"),
        client: side(request, b"sec-websocket-key"),
        server: side(&tx.response.headers, b"sec-websocket-accept"),
        time: tx.meta.last_seen[Direction::ToClient],
    };
    handshake.write(sink);
    true
}

fn is_upgrade(headers: &Headers) -> bool {
    let says = |name: &[u8], word: &[u8]| {
        headers.value(name).is_some_and(|value| first_token(value).eq_ignore_ascii_case(word))
    };
    says(b"connection", b"upgrade") && says(b"upgrade", b"websocket")
}

fn side<'a>(headers: &'a Headers, proof: &[u8]) -> Side<'a> {
    let lines = |name| Lines { value: headers.value(name), several: headers.is_repeated(name) };
    Side {
        proof: lines(proof),
        protocol: lines(b"sec-websocket-protocol"),
        extensions: lines(b"sec-websocket-extensions"),
    }
}
