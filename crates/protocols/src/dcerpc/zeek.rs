//! Zeek's dce_rpc log: a row for each call that was answered, with the names of interfaces and operations.

use std::borrow::Cow;
use std::collections::BTreeMap;

use weir_applayer::zeek::News;
use weir_applayer::zeek::column::Interval;
use weir_applayer::{TxMeta, ZeekLogger, ZeekLogs, ZeekSink, zeek_stream};
use weir_base::{Direction, PerDirection, Timestamp};

use super::pdu::kind;
use super::transaction::{COMPLETE, Call, Credential, DceRpcTransaction, Exchange};
use super::uuid::Uuid;
use super::{events, names};
use crate::gssapi::zeek::{Client, STREAM as NTLM};
use crate::krb5::zeek::STREAM as KERBEROS;

zeek_stream! {
    /// The stream.
    pub static STREAM: "dce_rpc" of a connection;
    struct Row {
        rtt: Interval,
        named_pipe: Text,
        endpoint: Text,
        operation: Text,
    }
}

/// The logs.
pub static LOGS: ZeekLogs = ZeekLogs {
    events: Some(&events::EVENTS),
    ..ZeekLogs::new(&[&STREAM, &NTLM, &KERBEROS], |_| Box::<DceRpcLogger>::default())
};

/// The port at which Zeek expects DCE/RPC.
const PORT: u16 = 135;

/// Most bytes of a message that came in fragments; with more Zeek reads no further (`DCE_RPC::max_frag_data`).
const MAX_FRAGMENTS: usize = 30_000;

/// Most messages of a side whose later fragments are waited for; with more Zeek reads no further
/// (`DCE_RPC::max_cmd_reassembly`).
const MAX_FRAGMENTED: usize = 20;

/// Bytes of a call, and of an answer, in front of the data of each fragment.
const IN_FRONT: usize = 8;

/// Most contexts whose interfaces are remembered.
const MAX_BINDINGS: usize = 256;

/// Operations that are not logged, by endpoint: they are many and tell little.
const IGNORED: &[(&str, &[&str])] = &[
    (
        "winreg",
        &[
            "BaseRegCloseKey",
            "BaseRegGetVersion",
            "BaseRegOpenKey",
            "BaseRegQueryValue",
            "BaseRegDeleteKeyEx",
            "OpenLocalMachine",
            "BaseRegEnumKey",
            "OpenClassesRoot",
        ],
    ),
    ("spoolss", &["RpcSplOpenPrinter", "RpcClosePrinter"]),
    ("wkssvc", &["NetrWkstaGetInfo"]),
];

/// State of one association, or one pipe.
#[derive(Debug, Default)]
pub struct Pipe {
    /// Interfaces by the numbers of their contexts.
    bindings: Vec<(u16, Uuid)>,
    /// The interface that was bound last.
    interface: Option<Uuid>,
    /// When the last call was made; or else when something was seen first.
    at: Option<Timestamp>,
    rtt: Option<i64>,
    named_pipe: Option<Vec<u8>>,
    endpoint: Option<Cow<'static, str>>,
    operation: Option<Cow<'static, str>>,
    /// Messages of each side whose last fragment has not come: ids of their transactions, and numbers of their calls.
    fragmented: PerDirection<Vec<(u64, u32)>>,
    /// Something was said since the last row.
    open: bool,
    /// Nothing more is read.
    over: bool,
}

impl Pipe {
    fn touch(&mut self, at: Timestamp) {
        self.at.get_or_insert(at);
        self.open = true;
        if let Some(interface) = self.interface {
            self.endpoint = Some(names::endpoint(interface));
        }
    }

    /// A context is bound to an interface.
    fn bind(&mut self, context: u16, interface: Uuid, at: Timestamp) {
        self.touch(at);
        if let Some((_, bound)) = self.bindings.iter_mut().find(|(known, _)| *known == context) {
            *bound = interface;
        } else if self.bindings.len() < MAX_BINDINGS {
            self.bindings.push((context, interface));
        }
        self.interface = Some(interface);
        self.endpoint = Some(names::endpoint(interface));
    }

    /// A bind is answered, with the address at which the server goes on.
    fn answer(&mut self, address: &[u8], at: Timestamp) {
        self.touch(at);
        if !address.is_empty() {
            self.named_pipe = Some(address.to_vec());
        }
    }

    /// A call is made.
    fn call(&mut self, at: Timestamp) {
        self.touch(at);
        self.at = Some(at);
    }

    /// A call is answered, which makes a row.
    fn respond(&mut self, context: u16, operation: u16, at: Timestamp, sink: &mut dyn ZeekSink) {
        self.touch(at);
        if self.interface.is_some() {
            let since = self.at.map_or(0, |from| at.0.wrapping_sub(from.0) as i64);
            if since != 0 {
                self.rtt = Some(since);
            }
        }
        let bound = self.bindings.iter().find(|(known, _)| *known == context).map(|&(_, bound)| bound);
        if let Some(interface) = bound.or(self.interface) {
            self.endpoint = Some(names::endpoint(interface));
            self.operation = Some(names::operation(interface, operation));
        }
        self.write(sink);
    }

    /// Whether nothing is read of a call, nor of what comes after it, as fragments are too many or make no sense.
    pub fn is_over(&mut self, meta: &TxMeta, exchange: &Exchange, sink: &mut dyn ZeekSink) -> bool {
        for direction in Direction::BOTH {
            if !self.over
                && let Some(weird) = self.take_fragments(direction, meta, exchange)
            {
                self.over = true;
                self.fragmented = PerDirection::default();
                sink.weird_of(exchange.sides[direction].at, weird, None, Some("DCE_RPC"));
            }
        }
        self.over
    }

    /// Takes note of a side's message as far as it has come; answers with what ends the reading, if something does.
    fn take_fragments(
        &mut self,
        direction: Direction,
        meta: &TxMeta,
        exchange: &Exchange,
    ) -> Option<&'static str> {
        let side = &exchange.sides[direction];
        let length = side.stub.len() + IN_FRONT * side.fragments as usize;
        if side.fragments > 1 && length > MAX_FRAGMENTS {
            return Some("too_much_dce_rpc_fragment_data");
        }
        let Call::Association { number, .. } = exchange.call else { return None };
        let waiting = &mut self.fragmented[direction];
        let known = waiting.iter().position(|&(id, _)| id == meta.id);
        match (known, meta.progress[direction] >= COMPLETE || side.fragments == 0) {
            (Some(known), true) => {
                waiting.swap_remove(known);
                None
            }
            (Some(_), false) | (None, true) => None,
            (None, false) if waiting.iter().any(|&(_, other)| other == number) => {
                Some("multiple_first_fragments_in_dce_rpc_reassembly")
            }
            (None, false) => {
                waiting.push((meta.id, number));
                (waiting.len() > MAX_FRAGMENTED).then_some("too_many_dce_rpc_msgs_in_reassembly")
            }
        }
    }

    /// The client's message of a call was seen.
    pub fn asked(&mut self, exchange: &Exchange) {
        let at = exchange.sides.to_server.at;
        if exchange.is_call() {
            return self.call(at);
        }
        for context in &exchange.contexts {
            self.bind(context.number, context.interface, at);
        }
    }

    /// The server's message of a call was seen. Answers whether it shows that calls are made at all: what is not
    /// recognised by its first payloads is by a call.
    pub fn answered(&mut self, exchange: &Exchange, sink: &mut dyn ZeekSink) -> bool {
        let at = exchange.sides.to_client.at;
        match exchange.sides.to_client.kind {
            Some(kind::RESPONSE) => {
                self.respond(exchange.context, exchange.operation, at, sink);
                return self.interface.is_some() || sink.connection().endpoints.server_port == PORT;
            }
            Some(kind::BIND_ACK) => self.answer(&exchange.address, at),
            Some(kind::ALTER_CONTEXT_RESPONSE) => self.answer(b"", at),
            _ => {}
        }
        false
    }

    /// Writes what is there, once.
    pub fn write(&mut self, sink: &mut dyn ZeekSink) {
        if !std::mem::take(&mut self.open) {
            return;
        }
        let (Some(at), Some(endpoint), Some(operation)) = (self.at, &self.endpoint, &self.operation) else {
            return;
        };
        let ignored = IGNORED.iter().find(|(name, _)| *name == *endpoint);
        if ignored.is_some_and(|(_, operations)| operations.contains(&&**operation)) {
            return;
        }
        let row = Row {
            rtt: self.rtt.map_or(Interval::UNSET, Interval::nanos),
            named_pipe: self.named_pipe.as_deref().into(),
            endpoint: (&**endpoint).into(),
            operation: (&**operation).into(),
        };
        sink.row(&STREAM, at, &row.values());
    }
}

impl Exchange {
    /// Tells of what a side made itself known by.
    pub(crate) fn credentials(&self, direction: Direction, client: &mut Client, sink: &mut dyn ZeekSink) {
        let side = &self.sides[direction];
        for credential in &side.credentials {
            match credential {
                Credential::Token(token, _) => client.token(token, side.at, sink),
                Credential::Unknown(kind) => {
                    let kind = kind.to_string();
                    let source = Some("DCE_RPC");
                    sink.weird_of(side.at, "unknown_dce_rpc_auth_type", Some(&kind), source);
                }
            }
        }
    }
}

/// Follows one connection.
#[derive(Debug, Default)]
struct DceRpcLogger {
    pipe: Pipe,
    client: Client,
    /// Of transactions that are not complete: whether the client's and the server's message were logged.
    told: BTreeMap<u64, (bool, bool)>,
}

impl ZeekLogger for DceRpcLogger {
    fn transaction(&mut self, news: News<'_>, sink: &mut dyn ZeekSink) {
        let Some(tx) = news.of::<DceRpcTransaction>() else { return };
        // Datagrams are none of Zeek's.
        if !matches!(tx.exchange.call, Call::Association { .. }) {
            return;
        }
        if self.pipe.is_over(&tx.meta, &tx.exchange, sink) {
            self.told.clear();
            return;
        }
        let mut told = self.told.remove(&tx.meta.id).unwrap_or_default();
        if tx.has_come(Direction::ToServer) && !std::mem::replace(&mut told.0, true) {
            self.pipe.asked(&tx.exchange);
            events::raise(&tx.exchange, Direction::ToServer, 0, sink);
            tx.exchange.credentials(Direction::ToServer, &mut self.client, sink);
        }
        if tx.has_come(Direction::ToClient) && !std::mem::replace(&mut told.1, true) {
            events::raise(&tx.exchange, Direction::ToClient, 0, sink);
            tx.exchange.credentials(Direction::ToClient, &mut self.client, sink);
            if self.pipe.answered(&tx.exchange, sink) {
                sink.service("dce_rpc");
            }
        }
        if !news.complete {
            self.told.insert(tx.meta.id, told);
        }
    }

    fn end(&mut self, sink: &mut dyn ZeekSink) {
        self.pipe.write(sink);
        self.client.end(sink);
    }
}
