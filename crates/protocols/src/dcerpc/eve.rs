//! EVE records of type `dcerpc`.

use weir_applayer::{EveLog, LogDirection, eve};
use weir_base::{Direction, JsonWriter, hex};

use super::context::Context;
use super::pdu::kind;
use super::transaction::{Call, DceRpcTransaction};

/// The record type.
pub static EVE: EveLog = EveLog::new("dcerpc", LogDirection::Flow, |_| eve::writer(write));

fn write(tx: &DceRpcTransaction, json: &mut JsonWriter<'_>) -> bool {
    if is_without_stub(tx) && !tx.has_come(Direction::ToClient) {
        return false;
    }
    request(tx, json);
    response(tx, json);
    match tx.exchange.call {
        Call::Association { number, minor } => {
            json.unsigned("call_id", number);
            json.string("rpc_version", format!("5.{minor}"));
        }
        Call::Datagram { activity, sequence } => {
            json.string("activityuuid", activity.to_string());
            json.unsigned("seqnum", sequence);
            json.string("rpc_version", "4.0");
        }
    }
    true
}

/// Whether the request has no data, in a connection: records know such calls by their response alone.
fn is_without_stub(tx: &DceRpcTransaction) -> bool {
    let side = &tx.exchange.sides.to_server;
    matches!(tx.exchange.call, Call::Association { .. })
        && side.kind == Some(kind::REQUEST)
        && side.stub.is_empty()
}

fn request(tx: &DceRpcTransaction, json: &mut JsonWriter<'_>) {
    let side = &tx.exchange.sides.to_server;
    let is_heard = tx.has_come(Direction::ToServer) && !is_without_stub(tx);
    let Some(kind) = side.kind.filter(|_| is_heard) else {
        return json.string("request", "REQUEST_LOST");
    };
    json.string("request", kind::name(kind));
    if kind == kind::REQUEST {
        json.object("req");
        json.unsigned("opnum", tx.exchange.operation);
        json.unsigned("frag_cnt", side.fragments);
        json.unsigned("stub_data_size", side.stub.len() as u64);
        json.close_object();
    }
    let is_association = matches!(tx.exchange.call, Call::Association { .. });
    if is_association && matches!(kind, kind::REQUEST | kind::BIND) {
        interfaces(&tx.exchange.contexts, Decided::Result, json);
    }
}

/// Part of the server's decision on a context that a record shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Decided {
    /// None of it.
    Nothing,
    /// The result.
    Result,
    /// The result, and a reason that always is the first one: records of pipes have no other.
    ResultAndReason,
}

/// Writes the interfaces of contexts, where there are any.
pub fn interfaces(contexts: &[Context], decided: Decided, json: &mut JsonWriter<'_>) {
    if !contexts.is_empty() {
        json.array("interfaces");
        contexts.iter().for_each(|context| interface(context, decided, json));
        json.close_array();
    }
}

fn interface(context: &Context, decided: Decided, json: &mut JsonWriter<'_>) {
    json.open_object();
    json.text("uuid", |out| hex::append_uuid(out, context.interface.0));
    let (major, minor) = context.version;
    json.text("version", |out| {
        out.extend_from_slice(itoa::Buffer::new().format(major).as_bytes());
        out.push(b'.');
        out.extend_from_slice(itoa::Buffer::new().format(minor).as_bytes());
    });
    if let Some((result, _)) = context.result.filter(|_| decided != Decided::Nothing) {
        json.unsigned("ack_result", result);
        if decided == Decided::ResultAndReason {
            json.unsigned("ack_reason", 0u8);
        }
    }
    json.close_object();
}

fn response(tx: &DceRpcTransaction, json: &mut JsonWriter<'_>) {
    let side = &tx.exchange.sides.to_client;
    let Some(kind) = side.kind.filter(|_| tx.has_come(Direction::ToClient)) else {
        return json.string("response", "UNREPLIED");
    };
    json.string("response", kind::name(kind));
    if kind == kind::RESPONSE {
        json.object("res");
        json.unsigned("frag_cnt", side.fragments);
        json.unsigned("stub_data_size", side.stub.len() as u64);
        json.close_object();
    }
}
