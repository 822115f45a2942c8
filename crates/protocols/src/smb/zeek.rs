//! Zeek's logs: files that are opened, renamed or to be gone, shares, users of NTLM, and calls in pipes.

pub(super) mod shares;

use std::collections::BTreeMap;

use weir_applayer::file::FileState;
use weir_applayer::zeek::{FileFate, News};
use weir_applayer::{Options, ZeekLogger, ZeekLogs, ZeekSink};
use weir_base::Direction;

use super::cache::Cache;
use super::events;
use super::transaction::{COMPLETE, Content, FileId, SmbTransaction};
use crate::dcerpc;
use crate::dcerpc::pdu::kind;
use crate::dcerpc::zeek::{Pipe, STREAM as CALLS};
use crate::gssapi::zeek::{Client, STREAM as NTLM};
use crate::krb5::zeek::STREAM as KERBEROS;

/// The logs.
pub(super) static LOGS: ZeekLogs = ZeekLogs {
    events: Some(&events::EVENTS),
    ..ZeekLogs::new(&[&shares::FILES, &shares::MAPPING, &NTLM, &CALLS, &KERBEROS], open)
};

/// So many messages make sense before Zeek takes a connection for one over SMB.
const ENOUGH: u8 = 3;

/// Most pipes of a connection that are remembered.
const MAX_PIPES: usize = 128;

fn open(_: &dyn Options) -> Box<dyn ZeekLogger> {
    Box::new(SmbLogger {
        shares: shares::Shares::default(),
        messages: 0,
        client: Client::default(),
        pipes: Cache::new(MAX_PIPES),
        told: BTreeMap::new(),
        stuck: false,
    })
}

/// Logging state of a transaction.
#[derive(Clone, Copy, Debug, Default)]
struct Told {
    asked: bool,
    answered: bool,
}

/// Follows one connection.
#[derive(Debug)]
struct SmbLogger {
    shares: shares::Shares,
    /// Number of messages seen, up to [`ENOUGH`].
    messages: u8,
    client: Client,
    pipes: Cache<FileId, Pipe>,
    /// Of transactions that are not complete.
    told: BTreeMap<u64, Told>,
    /// The weird of a command that leads nowhere was told.
    stuck: bool,
}

impl ZeekLogger for SmbLogger {
    fn transaction(&mut self, news: News<'_>, sink: &mut dyn ZeekSink) {
        let Some(tx) = news.of::<SmbTransaction>() else { return };
        let mut told = self.told.remove(&tx.meta.id).unwrap_or_default();
        self.confirm(tx, told, sink);
        if let Some(time) = tx.stuck.filter(|_| !std::mem::replace(&mut self.stuck, true)) {
            sink.limit_reached(time, "smb_andx_offset_not_advancing", None);
        }
        match &tx.content {
            Content::File(_) => told.asked |= self.file(tx, told.asked, news.complete, sink),
            Content::Call(_) => self.call(tx, &mut told, sink),
            _ => {
                if !std::mem::replace(&mut told.asked, true) {
                    self.asked(tx, sink);
                }
                if tx.status.is_some() && tx.meta.progress.to_client >= COMPLETE && !told.answered {
                    told.answered = true;
                    self.answered(tx, sink);
                }
            }
        }
        if !news.complete {
            self.told.insert(tx.meta.id, told);
        }
    }

    fn end(&mut self, sink: &mut dyn ZeekSink) {
        self.client.end(sink);
        self.pipes.values_mut().for_each(|pipe| pipe.write(sink));
    }
}

impl SmbLogger {
    /// Says what a transaction shows that the connection speaks.
    fn confirm(&mut self, tx: &SmbTransaction, told: Told, sink: &mut dyn ZeekSink) {
        let (mut negotiates, mut shows_ticket) = (false, false);
        match &tx.content {
            Content::Setup(setup) => {
                negotiates = setup.has_token;
                shows_ticket = setup.ticket.is_some() && !told.asked;
            }
            Content::Negotiation(offer) => negotiates = offer.has_token,
            _ => {}
        }
        if negotiates {
            sink.service("gssapi");
        }
        if matches!(&tx.content, Content::Setup(setup) if setup.has_ntlm) {
            sink.service("ntlm");
        }
        let answers = tx.meta.progress.to_client >= COMPLETE && tx.status.is_some();
        if self.messages < ENOUGH {
            self.messages += u8::from(!told.asked) + u8::from(answers && !told.answered);
            if self.messages >= ENOUGH {
                sink.service("smb");
            }
        }
        if shows_ticket {
            self.client.ticket(tx.meta.last_seen.to_server, sink);
        }
    }

    fn asked(&mut self, tx: &SmbTransaction, sink: &mut dyn ZeekSink) {
        match &tx.content {
            Content::Setup(setup) if setup.has_ntlm => {
                let who = setup.ntlm.as_ref().or(setup.odd_ntlm.as_ref());
                self.client.ntlm(tx.meta.last_seen.to_server, who);
            }
            Content::Close(file) => self.shares.close(*file, tx, sink),
            Content::Rename(rename) => self.shares.rename(rename, tx, sink),
            Content::Disposition(disposition) => {
                self.shares.dispose(disposition, tx, sink);
            }
            _ => {}
        }
    }

    fn answered(&mut self, tx: &SmbTransaction, sink: &mut dyn ZeekSink) {
        match &tx.content {
            Content::Setup(setup) => {
                if let Some(server) = &setup.challenge {
                    self.client.challenge(server);
                }
                if let Some(outcome) = setup.outcome {
                    self.client.outcome(outcome, sink);
                }
            }
            Content::Connect(connect) => self.shares.connect(connect, tx, sink),
            Content::Create(create) => self.shares.open(create, tx, sink),
            _ => {}
        }
    }

    /// Answers whether the file has a name of Zeek's.
    fn file(&mut self, tx: &SmbTransaction, is_named: bool, complete: bool, sink: &mut dyn ZeekSink) -> bool {
        let (Content::File(transfer), Some(file)) = (&tx.content, tx.meta.files.first()) else {
            return false;
        };
        let is_over = file.state != FileState::Open;
        if file.size == 0 || is_named && !is_over && !complete && !file.is_extract_due() {
            return is_named;
        }
        let fate = match (is_over, complete) {
            (false, false) => FileFate::Open,
            (true, _) if complete => FileFate::Over,
            (true, _) => return is_named,
            (false, true) => FileFate::Abandoned,
        };
        let fuid = sink.file(file, fate);
        self.shares.name(transfer.file, fuid);
        true
    }

    fn call(&mut self, tx: &SmbTransaction, told: &mut Told, sink: &mut dyn ZeekSink) {
        let Some(call) = tx.call() else { return };
        if self.pipes.get(&call.pipe).is_none() {
            self.pipes.insert(call.pipe, Pipe::default());
        }
        let Some(pipe) = self.pipes.get(&call.pipe) else { return };
        let exchange = &call.exchange;
        if pipe.is_over(&tx.meta, exchange, sink) {
            return;
        }
        let has_come = |direction: Direction| {
            tx.meta.progress[direction] >= COMPLETE && exchange.sides[direction].kind.is_some()
        };
        if has_come(Direction::ToServer) && !std::mem::replace(&mut told.asked, true) {
            pipe.asked(exchange);
            dcerpc::events::raise(exchange, Direction::ToServer, events::number(call.pipe), sink);
            exchange.credentials(Direction::ToServer, &mut self.client, sink);
        }
        if has_come(Direction::ToClient) && !std::mem::replace(&mut told.answered, true) {
            dcerpc::events::raise(exchange, Direction::ToClient, events::number(call.pipe), sink);
            exchange.credentials(Direction::ToClient, &mut self.client, sink);
            let makes_calls = pipe.answered(exchange, sink);
            if makes_calls || exchange.sides.to_client.kind == Some(kind::BIND_ACK) {
                sink.service("dce_rpc");
            }
        }
    }
}
