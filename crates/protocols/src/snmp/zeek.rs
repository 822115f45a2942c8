//! Zeek's snmp log: a row for each connection, with the numbers of variables requested and returned.

use weir_applayer::zeek::News;
use weir_applayer::{ZeekLogger, ZeekLogs, ZeekSink, zeek_stream};
use weir_base::{PerDirection, Timestamp};

use super::SNMP;
use super::events::EVENTS;
use super::message::Message;
use super::pdu::{Variable, kind};
use super::transaction::SnmpTransaction;
use crate::ber::{self, tag};

zeek_stream! {
    static STREAM: "snmp" of a connection;
    /// A row as it is written.
    struct Columns {
        duration: Interval,
        version: Text,
        community: Text,
        get_requests: Count,
        get_bulk_requests: Count,
        get_responses: Count,
        set_requests: Count,
        display_string: Text,
        up_since: Time,
    }
}

/// The log.
pub static LOGS: ZeekLogs =
    ZeekLogs { events: Some(&EVENTS), ..ZeekLogs::new(&[&STREAM], |_| Box::<SnmpLogger>::default()) };

/// Object identifier of a device's description: sysDescr.0 of RFC 3418.
const DESCRIPTION: &[u8] = &[0x2b, 6, 1, 2, 1, 1, 1, 0];

/// For how long it has been up, in hundredths of a second: sysUpTime.0.
const UP_TIME: &[u8] = &[0x2b, 6, 1, 2, 1, 1, 3, 0];

/// The tag of spans of time.
const TIME_TICKS: u8 = 0x43;

/// Nanoseconds of a hundredth of a second.
const TICK: u64 = 10_000_000;

/// Numbers of variables, by the kind of PDU.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    get: u64,
    get_bulk: u64,
    response: u64,
    set: u64,
}

/// Columns of a row.
#[derive(Debug)]
struct Row {
    start: Timestamp,
    end: Timestamp,
    version: u32,
    community: Option<Vec<u8>>,
    counts: Counts,
    description: Option<Vec<u8>>,
    up_since: Option<Timestamp>,
}

/// Follows one connection.
#[derive(Debug, Default)]
struct SnmpLogger {
    row: Option<Box<Row>>,
    /// Ends that have sent something.
    spoken: PerDirection<bool>,
}

impl ZeekLogger for SnmpLogger {
    fn transaction(&mut self, news: News<'_>, sink: &mut dyn ZeekSink) {
        let Some(tx) = news.of::<SnmpTransaction>().filter(|_| news.complete) else { return };
        let Some(direction) = tx.meta.only else { return };
        if !SNMP.ports.contains(&sink.connection().endpoints.server_port) {
            return;
        }
        let time = tx.meta.first_seen[direction];
        for variable in tx.message.variables() {
            let length = ber::longest_part(tx.message.at(variable.name));
            if length > ber::MAX_PART {
                let about = length.to_string();
                sink.weird_of_none(time, "asn_oid_subidentifier_too_long", Some(&about));
            }
        }
        self.row.get_or_insert_with(|| Box::new(Row::new(&tx.message, time))).add(&tx.message, time);
        self.spoken[direction] = true;
        if self.spoken.to_server && self.spoken.to_client {
            sink.service("snmp");
        }
    }

    fn end(&mut self, sink: &mut dyn ZeekSink) {
        if let Some(row) = self.row.take() {
            row.write(sink);
        }
    }
}

impl Row {
    fn new(message: &Message, time: Timestamp) -> Self {
        Self {
            start: time,
            end: time,
            version: message.version,
            community: None,
            counts: Counts::default(),
            description: None,
            up_since: None,
        }
    }

    fn add(&mut self, message: &Message, time: Timestamp) {
        self.end = time;
        if self.community.is_none() {
            // Users say who they are once they know the other side.
            let user = message.user().filter(|user| !user.is_empty());
            self.community = message.community().or(user).map(<[u8]>::to_vec);
        }
        let Some(pdu) = &message.pdu else { return };
        let variables = pdu.variables.len() as u64;
        match pdu.kind {
            kind::GET_REQUEST | kind::GET_NEXT_REQUEST => self.counts.get += variables,
            kind::GET_BULK_REQUEST => self.counts.get_bulk += variables,
            kind::SET_REQUEST => self.counts.set += variables,
            kind::RESPONSE => {
                self.counts.response += variables;
                pdu.variables.iter().for_each(|variable| self.told(message, variable, time));
            }
            _ => {}
        }
    }

    /// A variable and what it is.
    fn told(&mut self, message: &Message, variable: &Variable, time: Timestamp) {
        let value = message.at(variable.value);
        match (message.at(variable.name), variable.tag) {
            (DESCRIPTION, tag::OCTET_STRING) => self.description = Some(value.to_vec()),
            (UP_TIME, TIME_TICKS) => {
                let ago = ber::unsigned(value).and_then(|ticks| ticks.checked_mul(TICK));
                self.up_since = ago.map(|ago| Timestamp(time.0.saturating_sub(ago)));
            }
            _ => {}
        }
    }

    fn write(&self, sink: &mut dyn ZeekSink) {
        let version = match self.version {
            1 => "1",
            2 => "2c",
            _ => "3",
        };
        let row = Columns {
            duration: self.end.since(self.start).into(),
            version: version.into(),
            community: self.community.as_deref().into(),
            get_requests: self.counts.get.into(),
            get_bulk_requests: self.counts.get_bulk.into(),
            get_responses: self.counts.response.into(),
            set_requests: self.counts.set.into(),
            display_string: self.description.as_deref().into(),
            up_since: self.up_since.into(),
        };
        sink.row(&STREAM, self.start, &row.values());
    }
}
