//! Named pipes, through which calls of DCE/RPC go (MS-RPCE 2.1.1.2).
//!
//! Bytes of each direction are cut into messages, whatever messages of SMB carry them. Limits: bytes that wait for the
//! rest of a message ([`MAX_BUFFERED`]), calls that are not answered ([`MAX_CALLS`]).

use weir_applayer::TxMeta;
use weir_base::{Direction, PerDirection};

use super::anomaly::SmbAnomaly;
use super::state::{Moment, State};
use super::transaction::{Command, Content, FileId, Ids, PipeCall, SmbTransaction, Status};
use crate::dcerpc::association::{Association, Calls, Message};
use crate::dcerpc::pdu::{HEADER_LENGTH, Header, kind};
use crate::dcerpc::transaction::{Call, Exchange};

/// Most bytes that wait for the rest of a message: none is longer.
const MAX_BUFFERED: usize = 1 << 16;

/// Most calls of a pipe that are not answered.
const MAX_CALLS: usize = 64;

/// Most bytes kept of a call's data in a direction.
const MAX_STUB_SIZE: usize = 1 << 20;

/// Pipes that carry calls, by the name that they are opened under.
const NAMES: &[&[u8]] = &[b"svcctl", b"srvsvc", b"atsvc", b"lsarpc", b"samr", b"spoolss", b"winreg"];

/// One pipe.
#[derive(Debug, Default)]
pub(super) struct Pipe {
    association: Association,
    /// Bytes of messages that are not whole.
    buffers: PerDirection<Vec<u8>>,
    /// Calls that are not answered, by number, newest last.
    calls: Vec<(u32, u64)>,
}

impl Pipe {
    /// Bytes of messages that are not whole, and of its calls.
    pub(super) fn memory(&self) -> usize {
        let buffers = self.buffers.to_server.capacity() + self.buffers.to_client.capacity();
        buffers + self.calls.capacity() * size_of::<(u32, u64)>()
    }
}

/// Message of SMB that carries bytes to or from a pipe.
#[derive(Clone, Copy)]
pub(super) struct Carrier<'a> {
    /// The message's command.
    pub(super) command: Command,
    /// Identifiers.
    pub(super) ids: Ids,
    /// The pipe.
    pub(super) pipe: FileId,
    /// Status of a response.
    pub(super) status: Option<Status>,
    /// The bytes.
    pub(super) data: &'a [u8],
    /// The answer to the message carries what the pipe answers.
    pub(super) is_answered_at_once: bool,
}

/// Whether these bytes begin as messages of DCE/RPC do.
pub(super) fn looks_like_rpc(data: &[u8]) -> bool {
    matches!(Header::read(data), Ok(Some(header)) if header.kind <= kind::RTS)
}

impl State {
    /// Whether a pipe carries calls of DCE/RPC, of which these are some of the bytes.
    pub(super) fn carries_calls(&mut self, pipe: FileId, data: &[u8]) -> bool {
        if self.pipes.get(&pipe).is_some() || looks_like_rpc(data) {
            return true;
        }
        let name = self.name(pipe).unwrap_or_default();
        NAMES.contains(&name.strip_prefix(b"\\").unwrap_or(&name))
    }

    /// Takes what a pipe carries.
    pub(super) fn pipe(&mut self, moment: &Moment<'_>, carrier: Carrier<'_>) {
        let mut pipe = self.pipes.remove(&carrier.pipe).unwrap_or_default();
        let mut rest = std::mem::take(&mut pipe.buffers[moment.direction]);
        if rest.is_empty() {
            rest.extend_from_slice(self.messages(moment, &carrier, &mut pipe, carrier.data));
        } else {
            rest.extend_from_slice(carrier.data);
            // Where no message is whole, what waits stays where it is, however small the pieces are.
            let left = self.messages(moment, &carrier, &mut pipe, &rest).len();
            rest.drain(..rest.len() - left);
        }
        if rest.len() < MAX_BUFFERED {
            pipe.buffers[moment.direction] = rest;
        }
        pipe.calls.retain(|(_, id)| self.transactions.by_id(*id).is_some_and(SmbTransaction::is_open));
        self.pipes.insert(carrier.pipe, pipe);
    }

    /// Takes all messages that are whole; answers what is left.
    fn messages<'a>(
        &mut self,
        moment: &Moment<'_>,
        carrier: &Carrier<'_>,
        pipe: &mut Pipe,
        mut data: &'a [u8],
    ) -> &'a [u8] {
        loop {
            let header = match Header::read(data) {
                Ok(Some(header)) => header,
                Ok(None) => return data,
                Err(_) => {
                    self.note(SmbAnomaly::MalformedData);
                    return &[];
                }
            };
            let Some((message, rest)) = data.split_at_checked(header.length) else { return data };
            let body = message.get(HEADER_LENGTH..).unwrap_or_default();
            if header.direction() == moment.direction {
                self.message(moment, carrier, pipe, (header, body));
            }
            data = rest;
        }
    }

    fn message(
        &mut self,
        moment: &Moment<'_>,
        carrier: &Carrier<'_>,
        pipe: &mut Pipe,
        (header, body): (Header, &[u8]),
    ) {
        let message =
            Message { header, body, first: moment.first, last: moment.last, keeps: moment.files.messages };
        let Pipe { association, calls, .. } = pipe;
        let mut calls = PipeCalls { state: self, calls, moment, carrier };
        let Some(current) = association.take(&mut calls, message, MAX_STUB_SIZE) else {
            return self.note(SmbAnomaly::MalformedData);
        };
        let dialect = self.dialect.clone();
        if let Some(transaction) = current.and_then(|id| self.transactions.by_id_mut(id)) {
            transaction.dialect = dialect;
            transaction.status = carrier.status.or(transaction.status);
            let (id, ids, is_open) = (transaction.meta.id, transaction.ids, transaction.is_open());
            let key = (transaction.command, ids.session, ids.message);
            if !is_open {
                self.forget(key, id);
            } else if carrier.status.is_none() && carrier.is_answered_at_once {
                self.wait(key, id);
            }
        }
    }
}

/// The calls of one pipe, while a message of it is looked at.
struct PipeCalls<'a> {
    state: &'a mut State,
    calls: &'a mut Vec<(u32, u64)>,
    moment: &'a Moment<'a>,
    carrier: &'a Carrier<'a>,
}

impl Calls for PipeCalls<'_> {
    fn find(&self, number: u32, direction: Direction, fits: &dyn Fn(&Exchange) -> bool) -> Option<u64> {
        let numbered = self.calls.iter().rev().filter(|(known, _)| *known == number);
        let mut live = numbered.filter_map(|(_, id)| self.state.transactions.by_id(*id));
        let found = live.find(|transaction| {
            transaction.meta.progress[direction] < super::transaction::COMPLETE
                && transaction.call().is_some_and(|call| fits(&call.exchange))
        });
        found.map(|transaction| transaction.meta.id)
    }

    fn open(&mut self, header: Header) -> Option<u64> {
        if header.direction() == Direction::ToClient && header.kind != kind::RESPONSE {
            return None;
        }
        let call = Call::Association { number: header.call, minor: header.minor };
        let exchange = Exchange::new(call, header.order);
        let content = Content::Call(Box::new(PipeCall { pipe: self.carrier.pipe, exchange }));
        let id = self.state.open(self.moment, self.carrier.command, self.carrier.ids, content);
        if self.calls.len() >= MAX_CALLS {
            self.calls.remove(0);
        }
        self.calls.push((header.call, id));
        Some(id)
    }

    fn exchange(&mut self, id: u64) -> Option<(&mut TxMeta, &mut Exchange)> {
        let transaction = self.state.transactions.by_id_mut(id)?;
        match &mut transaction.content {
            Content::Call(call) => Some((&mut transaction.meta, &mut call.exchange)),
            _ => None,
        }
    }

    /// The hint of its length, the context and what is reserved come before it.
    fn response_data<'a>(&self, body: &'a [u8]) -> &'a [u8] {
        body.get(8..).unwrap_or_default()
    }
}
