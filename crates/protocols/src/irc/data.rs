//! Connections over which a file is sent that was offered in IRC (DCC). Rules and records know nothing of it.
//!
//! A flow is one transaction. The file is what the responder sends: the originator acknowledges it.

use std::sync::Arc;

use weir_applayer::zeek::{EventRaiser, EventSink, EventTable};
use weir_applayer::{
    Factory, File, FileState, Heard, HeardMessage, Options, Outcome, ParseContext, Parser, Progress,
    Protocol, Request, TransactionList, TxMeta, event_names, factory, parser_transactions, transaction,
};
use weir_base::{Direction, EventValue, Reader};

/// The protocol, which is found by what announced it.
pub static IRC_DATA: Protocol = Protocol {
    zeek_service: "irc-data",
    accepts_gaps: true,
    zeek: Some(&super::zeek::DATA_LOGS),
    ..Protocol::named("irc-dcc-data", configure)
};

/// The state of a side that is at its end.
const COMPLETE: Progress = Progress(1);

/// Transfer over one connection.
#[derive(Debug, Default)]
pub struct DataTransaction {
    /// Metadata common to all transactions.
    pub meta: TxMeta,
    /// File that is sent.
    pub file: Option<File>,
}

transaction!(DataTransaction);

fn configure(_: &dyn Options) -> Box<dyn Factory> {
    factory(|_| Box::<DataParser>::default())
}

#[derive(Debug, Default)]
struct DataParser {
    name: Vec<u8>,
    transactions: TransactionList<DataTransaction>,
    /// The beginning of an acknowledgement.
    begun: Vec<u8>,
    /// Acknowledgements, for scripts.
    acknowledged: Heard,
}

event_names! {
    /// Their names.
    const NAMES;
    ACKNOWLEDGED = "irc_dcc_send_ack",
}

/// The events.
pub(super) static EVENTS: EventTable = EventTable {
    package: "base/protocols/irc/main",
    bodies: None,
    names: NAMES,
    open: || Box::new(DataRaiser),
};

struct DataRaiser;

impl EventRaiser for DataRaiser {
    fn heard(&mut self, messages: Vec<HeardMessage>, sink: &mut dyn EventSink) {
        for message in messages {
            let number = Reader::new(&message.bytes).u32().unwrap_or(0);
            sink.raise(ACKNOWLEDGED, &[EventValue::Connection, number.into()]);
        }
    }
}

/// Bytes of an acknowledgement.
const ACKNOWLEDGEMENT: usize = 4;

impl DataParser {
    /// Takes note of acknowledgements: how many bytes the receiver has.
    fn acknowledgements(&mut self, cx: &ParseContext<'_>, mut bytes: &[u8]) {
        while let Some(byte) = bytes.split_off_first().filter(|_| cx.files.messages) {
            self.begun.push(*byte);
            if self.begun.len() == ACKNOWLEDGEMENT {
                self.acknowledged.note(true, Direction::ToServer, cx.time, 0, &self.begun);
                self.begun.clear();
            }
        }
    }

    /// The file, which its first bytes make.
    fn file(&mut self, cx: &ParseContext<'_>) -> Option<&mut File> {
        if self.transactions.created() == 0 {
            // Zeek's logs alone ask for it.
            let name = std::mem::take(&mut self.name);
            let open = || File::open_entity(0, name, Direction::ToClient, cx.arrival(0), cx.files);
            let file = cx.files.enabled.then(open);
            let tx = self.transactions.push(DataTransaction { file, ..DataTransaction::default() });
            tx.meta.advance(Direction::ToServer, COMPLETE);
        }
        self.transactions.last_mut()?.file.as_mut()
    }
}

impl Parser for DataParser {
    fn announced(&mut self, tag: &Arc<[u8]>) {
        self.name = tag.to_vec();
    }

    fn data(&mut self, cx: &mut ParseContext<'_>, direction: Direction, bytes: &[u8]) -> Outcome {
        if self.transactions.created() == 0 {
            // Zeek's logs have the whole file.
            cx.request(Request::StreamDepth(0));
        }
        if direction == Direction::ToServer {
            self.acknowledgements(cx, bytes);
        } else if let Some(file) = self.file(cx) {
            file.append_arrived(bytes, cx);
        }
        Outcome::Ok
    }

    fn gap(&mut self, cx: &mut ParseContext<'_>, direction: Direction, length: u64) -> Outcome {
        if direction == Direction::ToClient
            && let Some(file) = self.file(cx)
        {
            file.gap(length);
        }
        Outcome::Ok
    }

    fn close(&mut self, _: &mut ParseContext<'_>, direction: Direction) {
        let Some(tx) = self.transactions.last_mut().filter(|_| direction == Direction::ToClient) else {
            return;
        };
        tx.meta.advance(direction, COMPLETE);
        if let Some(file) = &mut tx.file {
            file.close(if file.has_gap { FileState::Truncated } else { FileState::Closed });
        }
    }

    fn heard(&self) -> Option<&Heard> {
        Some(&self.acknowledged)
    }

    parser_transactions!(&IRC_DATA);

    fn is_one_transaction(&self) -> bool {
        true
    }
}
