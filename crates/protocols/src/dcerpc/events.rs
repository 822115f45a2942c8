//! Events of DCE/RPC for scripts, of associations and of named pipes.
//!
//! They are told of when a message has come whole, once for all of its fragments.

use weir_applayer::ZeekSink;
use weir_applayer::zeek::{EventRaiser, EventTable};
use weir_base::{Direction, EventValue};

use super::pdu::{Verifier, kind};
use super::transaction::{Credential, Exchange};
use crate::gssapi;

/// Zeek's names of the types of messages, by number.
const TYPES: [&str; 21] = [
    "DCE_RPC::REQUEST",
    "DCE_RPC::PING",
    "DCE_RPC::RESPONSE",
    "DCE_RPC::FAULT",
    "DCE_RPC::WORKING",
    "DCE_RPC::NOCALL",
    "DCE_RPC::REJECT",
    "DCE_RPC::ACK",
    "DCE_RPC::CL_CANCEL",
    "DCE_RPC::FACK",
    "DCE_RPC::CANCEL_ACK",
    "DCE_RPC::BIND",
    "DCE_RPC::BIND_ACK",
    "DCE_RPC::BIND_NAK",
    "DCE_RPC::ALTER_CONTEXT",
    "DCE_RPC::ALTER_CONTEXT_RESP",
    "DCE_RPC::AUTH3",
    "DCE_RPC::SHUTDOWN",
    "DCE_RPC::CO_CANCEL",
    "DCE_RPC::ORPHANED",
    "DCE_RPC::RTS",
];

/// Their names, with those of what proves who an end is.
const NAMES: &[&str] = &[
    "dce_rpc_message",
    "dce_rpc_auth",
    "dce_rpc_bind",
    "dce_rpc_bind_ack",
    "dce_rpc_alter_context",
    "dce_rpc_alter_context_resp",
    "dce_rpc_request",
    "dce_rpc_request_stub",
    "dce_rpc_response",
    "dce_rpc_response_stub",
    "ntlm_negotiate",
    "ntlm_challenge",
    "ntlm_authenticate",
    "gssapi_neg_result",
    "krb_ap_request",
];

/// The events, for which messages are kept; the log's follower raises them, in connections and in pipes alike.
pub static EVENTS: EventTable = EventTable {
    package: "base/protocols/dce-rpc/main",
    bodies: None,
    names: NAMES,
    open: || Box::new(RaisedByLogger),
};

#[derive(Debug)]
struct RaisedByLogger;

impl EventRaiser for RaisedByLogger {}

/// Raises the events of one side's message. `file` is the number of the named pipe's file; 0 where there is none.
pub fn raise(exchange: &Exchange, direction: Direction, file: u64, sink: &mut dyn ZeekSink) {
    let Some(number) = exchange.sides[direction].kind else { return };
    let (c, file) = (EventValue::Connection, EventValue::Count(file));
    let Some(ty) = TYPES.get(usize::from(number)) else { return };
    let is_orig = EventValue::Bool(direction == Direction::ToServer);
    sink.raise("dce_rpc_message", &[c, is_orig, file, number.into(), EventValue::Enum(ty)]);
    for verifier in exchange.sides[direction].told.iter().flat_map(|told| &told.verifiers) {
        let Verifier { kind, level, context } = *verifier;
        sink.raise("dce_rpc_auth", &[c, is_orig, file, kind.into(), level.into(), context.into()]);
    }
    for credential in &exchange.sides[direction].credentials {
        if let Credential::Token(_, bytes) = credential {
            gssapi::events::tell(bytes, sink);
        }
    }
    match number {
        kind::REQUEST => call(exchange, direction, ["dce_rpc_request", "dce_rpc_request_stub"], file, sink),
        kind::RESPONSE => {
            call(exchange, direction, ["dce_rpc_response", "dce_rpc_response_stub"], file, sink)
        }
        kind::BIND => contexts(exchange, "dce_rpc_bind", file, sink),
        kind::ALTER_CONTEXT => contexts(exchange, "dce_rpc_alter_context", file, sink),
        kind::BIND_ACK => {
            let address = exchange.address.strip_suffix(b"\0").unwrap_or(&exchange.address);
            sink.raise("dce_rpc_bind_ack", &[c, file, EventValue::String(address)]);
        }
        kind::ALTER_CONTEXT_RESPONSE => sink.raise("dce_rpc_alter_context_resp", &[c, file]),
        _ => {}
    }
}

/// Raises the events of a call, or of what it came to.
fn call(
    exchange: &Exchange,
    direction: Direction,
    [event, of_stub]: [&'static str; 2],
    file: EventValue<'_>,
    sink: &mut dyn ZeekSink,
) {
    let stub = exchange.sides[direction].told.as_ref().map_or(&[][..], |told| &told.stub);
    let (c, context, operation) =
        (EventValue::Connection, exchange.context.into(), exchange.operation.into());
    sink.raise(event, &[c, file, context, operation, stub.len().into()]);
    sink.raise(of_stub, &[c, file, context, operation, EventValue::String(stub)]);
}

/// Raises an event for each context that is offered.
fn contexts(exchange: &Exchange, event: &'static str, file: EventValue<'_>, sink: &mut dyn ZeekSink) {
    for context in &exchange.contexts {
        let uuid = on_the_wire(context.interface.0);
        let (major, minor) = context.version;
        let arguments = [
            EventValue::Connection,
            file,
            context.number.into(),
            EventValue::String(&uuid),
            major.into(),
            minor.into(),
        ];
        sink.raise(event, &arguments);
    }
}

/// The bytes of an identifier as they are sent, least significant first in its first three parts.
fn on_the_wire(uuid: u128) -> [u8; 16] {
    let [a, b, c, d, e, f, g, h, rest @ ..] = uuid.to_be_bytes();
    let [i, j, k, l, m, n, o, p] = rest;
    [d, c, b, a, f, e, h, g, i, j, k, l, m, n, o, p]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_as_sent() {
        let uuid = 0xe1af8308_5d1f_11c9_91a4_08002b14a0fa;
        assert_eq!(on_the_wire(uuid), *b"\x08\x83\xaf\xe1\x1f\x5d\xc9\x11\x91\xa4\x08\x00\x2b\x14\xa0\xfa");
    }
}
