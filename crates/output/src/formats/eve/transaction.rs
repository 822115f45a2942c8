//! Records of transactions: the protocol writes its object.

use weir_applayer::{LogDirection, Protocol, Transaction};
use weir_base::{Direction, JsonWriter};

use super::header::{Head, Source};
use super::{Log, RecordWriter, xff};
use crate::record::{RecordContext, TransactionRecord};

impl Log<'_> {
    /// Writes of a transaction, where its protocol's type is on.
    pub(super) fn transaction(&mut self, cx: &RecordContext<'_>, record: &TransactionRecord<'_>) {
        let plan = self.eve.plan;
        let (Some(protocol), Some(flow)) = (plan.protocol(record.protocol), &cx.flow) else { return };
        let Some(writer) = &protocol.record else { return };
        if !writer.logs(record.transaction) {
            return;
        }
        let meta = record.transaction.meta();
        let source = match writer.direction().unwrap_or(protocol.log.direction) {
            LogDirection::Packet => Source::Sender,
            LogDirection::Flow => Source::Client,
            LogDirection::Transaction => match meta.only {
                Some(Direction::ToClient) => Source::Server,
                Some(Direction::ToServer) | None => Source::Client,
            },
        };
        let mut head = Head::new(protocol.log.event_type, source);
        head.transaction = Some(meta.id);
        let client = protocol
            .xff
            .as_ref()
            .and_then(|s| Some((s, xff::client(s, record.protocol, record.transaction)?)));
        if let Some((settings, client)) = client
            && settings.overwrite
        {
            head.addresses = xff::overwritten(cx, source, client);
        }
        let endpoints = flow.endpoints();
        self.line(cx, &head, |_, json| {
            json.object(protocol.log.key);
            if !writer.write(record.transaction, &endpoints, json) {
                return false;
            }
            json.close_object();
            writer.write_beside(record.transaction, json);
            if let Some((settings, client)) = client
                && !settings.overwrite
            {
                xff::write(client, json);
            }
            true
        });
    }
}

/// The record that shows a transaction beside what it is about.
#[derive(Clone, Copy)]
pub(super) enum Inside {
    Alert,
    File,
}

impl RecordWriter<'_> {
    /// The object of a transaction inside another record; nothing where the protocol has none.
    pub(super) fn detail(
        &self,
        cx: &RecordContext<'_>,
        inside: Inside,
        protocol: &Protocol,
        transaction: &dyn Transaction,
        json: &mut JsonWriter<'_>,
    ) {
        let (Some(flow), Some(protocol)) = (&cx.flow, self.plan.protocol(protocol)) else { return };
        let detail = match inside {
            Inside::Alert => &protocol.in_alerts,
            Inside::File => &protocol.in_files,
        };
        let mark = json.position();
        json.object(protocol.log.key);
        if detail.write(transaction, &flow.endpoints(), json) {
            json.close_object();
            detail.write_beside(transaction, json);
        } else {
            json.rewind(mark);
        }
    }
}
