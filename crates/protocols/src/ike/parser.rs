//! Each datagram is a message.

use std::sync::Arc;

use weir_applayer::{
    Factory, Options, Outcome, ParseContext, Parser, TransactionList, factory, parser_transactions,
};
use weir_base::{Direction, Reader};

use super::IKE;
use super::anomaly::IkeAnomaly;
use super::header::Header;
use super::transaction::{Content, IkeTransaction};
use super::{version1, version2};

/// Messages that may wait for the engine before more are passed over.
pub const MAX_TRANSACTIONS: usize = 1024;

/// There is nothing to configure.
pub fn configure(_: &dyn Options) -> Box<dyn Factory> {
    factory(|_| Box::new(IkeParser::default()))
}

/// The messages of one flow, and what both sides have agreed upon.
#[derive(Debug, Default)]
pub struct IkeParser {
    version1: Arc<version1::State>,
    chosen: version2::Chosen,
    transforms: Arc<Vec<version2::Transform>>,
    transactions: TransactionList<IkeTransaction>,
}

impl Parser for IkeParser {
    fn data(&mut self, cx: &mut ParseContext<'_>, direction: Direction, bytes: &[u8]) -> Outcome {
        if bytes.is_empty() || self.transactions.len() >= MAX_TRANSACTIONS {
            return Outcome::Ok;
        }
        let mut reader = Reader::new(bytes);
        let Some(header) = Header::read(&mut reader).filter(|header| matches!(header.major, 1 | 2)) else {
            cx.anomalies.push(IkeAnomaly::MalformedData.into());
            return Outcome::Refused;
        };
        let mut found = Vec::new();
        let mut anomaly = |anomaly| found.push(anomaly);
        let content = match header.major {
            1 => self.version1(direction, header, reader.rest(), &mut anomaly),
            _ => self.version2(direction, header, reader.rest(), &mut anomaly),
        };
        let mut transaction = IkeTransaction::new(direction, header, content);
        for anomaly in found {
            transaction.meta.anomaly_once(anomaly.into());
        }
        transaction.meta.seen(direction, cx.time);
        self.transactions.push(transaction);
        Outcome::Ok
    }

    fn held(&self) -> usize {
        self.transforms.len() * size_of::<version2::Transform>()
    }

    parser_transactions!(&IKE);
}

impl IkeParser {
    fn version1(
        &mut self,
        direction: Direction,
        header: Header,
        payloads: &[u8],
        anomaly: &mut dyn FnMut(IkeAnomaly),
    ) -> Content {
        let message = if header.is_encrypted() {
            version1::Message::encrypted(header.next)
        } else {
            let message = version1::Message::read(header.next, payloads, anomaly);
            Arc::make_mut(&mut self.version1).take(direction, &message, anomaly);
            message
        };
        Content::Version1 { message, state: Arc::clone(&self.version1) }
    }

    fn version2(
        &mut self,
        direction: Direction,
        header: Header,
        payloads: &[u8],
        anomaly: &mut dyn FnMut(IkeAnomaly),
    ) -> Content {
        let message = version2::Message::read(header.next, payloads, anomaly);
        if direction == Direction::ToClient && !message.transforms.is_empty() {
            message.transforms.iter().for_each(|&transform| self.chosen.take(transform));
            let all = Arc::make_mut(&mut self.transforms);
            let room = version2::MAX_TRANSFORMS.saturating_sub(all.len());
            all.extend(message.transforms.iter().take(room));
        }
        Content::Version2 { message, chosen: self.chosen, transforms: Arc::clone(&self.transforms) }
    }
}
