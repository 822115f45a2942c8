//! Zeek's dnp3 log: a row for each response, with the request before it, and for a last request that has none.

use std::ops::ControlFlow;

use weir_applayer::zeek::{Datagram, DatagramLogger, DatagramLogs, News, Oddity, Watch, Watching};
use weir_applayer::{Transport, ZeekLogger, ZeekLogs, ZeekSink, zeek_stream};
use weir_base::{Direction, EventValue, PerDirection, Timestamp};

use super::events::{self, EVENTS};
use super::link::{self, HEADER, Header, START};
use super::names::zeek_function;
use super::parser::MAX_MESSAGE;
use super::transaction::Dnp3Transaction;

zeek_stream! {
    static STREAM: "dnp3" of a connection;
    struct Row {
        fc_request: Text,
        fc_reply: Text,
        iin: Count,
    }
}

/// The log.
pub static LOGS: ZeekLogs =
    ZeekLogs { events: Some(&EVENTS), ..ZeekLogs::new(&[&STREAM], |_| Box::<Dnp3Logger>::default()) };

/// Logs of datagrams, which rules know nothing of.
pub const DATAGRAMS: DatagramLogs = DatagramLogs {
    name: "dnp3_udp",
    streams: &[],
    ports: &[20000],
    fits: |payload| payload.starts_with(&START),
    open: || Box::new(Dnp3Logger::default()),
};

/// Weirds of frames over TCP.
pub static WATCH: Watch = Watch {
    transport: Transport::Tcp,
    ports: &[20000],
    most: None,
    midway: true,
    look: |originator, payload, _, _, tell| {
        look(originator, payload, &mut |name| tell(Oddity { name, addl: None, source: "DNP3_TCP" }))
    },
};

/// Weirds of frames over UDP.
pub static DATAGRAM_WATCH: Watch = Watch {
    transport: Transport::Udp,
    look: |originator, payload, _, _, tell| {
        look(originator, payload, &mut |name| tell(Oddity { name, addl: None, source: "DNP3_UDP" }))
    },
    ports: &[20000],
    most: None,
    midway: true,
};

/// Looks at the frames of a payload, as far as Zeek reads them: up to what is odd.
fn look(originator: bool, payload: &[u8], tell: &mut dyn FnMut(&'static str)) -> Watching {
    let mut rest = payload;
    // Zeek waits for the header and one byte more.
    while rest.len() > HEADER {
        if !rest.starts_with(&START) {
            tell("dnp3_header_lacks_magic");
            return Watching::Over;
        }
        let Some((header, right)) = Header::read(rest) else { return Watching::Over };
        if !right {
            tell("dnp3_corrupt_header_checksum");
            return Watching::Over;
        }
        if header.length == LENGTH_WITHOUT_DATA {
            return Watching::On;
        }
        if originator != header.is_from_master() {
            tell("dnp3_unexpected_flow_direction");
        }
        if header.length == 0 {
            tell("dnp3_negative_or_zero_length_link_layer");
            return Watching::Over;
        }
        // What goes on in the next payload is not put together.
        let Some(whole) = header.whole().filter(|&whole| whole <= rest.len()) else { return Watching::Over };
        let (frame, behind) = rest.split_at(whole);
        if !link::is_sound(frame.get(HEADER..).unwrap_or_default()) {
            tell("dnp3_corrupt_app_chunk_checksum");
            return Watching::Over;
        }
        rest = behind;
    }
    if rest.is_empty() || rest.len() == HEADER { Watching::On } else { Watching::Over }
}

/// The length of frames that have a header alone.
const LENGTH_WITHOUT_DATA: u8 = 5;

/// Follows one connection.
#[derive(Debug, Default)]
struct Dnp3Logger {
    /// The request that waits for a response.
    request: Option<(u8, Timestamp)>,
    /// Messages in datagrams of which more is to come.
    open: PerDirection<Option<(u8, Option<u16>)>>,
    /// Whether scripts handle events, once that was asked; and what came of messages in datagrams for these.
    is_told: Option<bool>,
    heard: PerDirection<Option<(Header, Vec<u8>)>>,
}

impl Dnp3Logger {
    /// A message begins; a request has no internal indications.
    fn message(
        &mut self,
        (direction, function, indications): (Direction, u8, Option<u16>),
        time: Timestamp,
        sink: &mut dyn ZeekSink,
    ) {
        if direction == Direction::ToServer {
            self.request = Some((function, time));
        } else {
            let request = self.request.take().map(|(function, _)| function);
            row(request, Some((function, indications)), time, sink);
        }
    }

    /// Puts a message together for scripts, where they handle events.
    fn hear(
        &mut self,
        direction: Direction,
        header: Header,
        (transport, part): (u8, &[u8]),
        sink: &mut dyn ZeekSink,
    ) {
        if !*self.is_told.get_or_insert_with(|| EVENTS.names.iter().any(|name| sink.handles(name))) {
            return;
        }
        let heard = &mut self.heard[direction];
        if transport & FIRST != 0 {
            *heard = Some((header, Vec::new()));
        }
        let Some((header, data)) = heard else { return };
        if data.len() + part.len() > MAX_MESSAGE {
            *heard = None;
            return;
        }
        data.extend_from_slice(part);
        if transport & LAST != 0 {
            let is_request = direction == Direction::ToServer;
            let link = [header.length.into(), header.control.into()];
            let ends = [header.destination.into(), header.source.into()];
            events::message(data, is_request, (link, ends), &mut |event, values| {
                let Some(name) = EVENTS.names.get(event) else { return };
                let mut arguments = vec![EventValue::Connection, EventValue::Bool(is_request)];
                arguments.extend_from_slice(values);
                sink.raise(name, &arguments);
            });
            *heard = None;
        }
    }

    /// A last request has no response.
    fn over(&mut self, sink: &mut dyn ZeekSink) {
        if let Some((function, time)) = self.request.take() {
            row(Some(function), None, time, sink);
        }
    }
}

impl DatagramLogger for Dnp3Logger {
    fn datagram(&mut self, datagram: Datagram<'_>, sink: &mut dyn ZeekSink) -> ControlFlow<()> {
        let Datagram { direction, payload, time } = datagram;
        let mut rest = payload;
        while let Some((header, true)) = Header::read(rest)
            && let Some((frame, next)) = header.whole().and_then(|length| rest.split_at_checked(length))
        {
            let data = frame.get(HEADER..).filter(|_| header.carries_data()).and_then(link::data);
            if let Some([transport, part @ ..]) = data.as_deref() {
                if transport & FIRST != 0 {
                    self.open[direction] = header_of(direction, part);
                }
                self.hear(direction, header, (*transport, part), sink);
                if transport & LAST != 0
                    && let Some((function, indications)) = self.open[direction].take()
                {
                    sink.service("dnp3_udp");
                    self.message((direction, function, indications), time, sink);
                }
            }
            rest = next;
        }
        ControlFlow::Continue(())
    }

    fn end(&mut self, sink: &mut dyn ZeekSink) {
        self.over(sink);
    }
}

/// Set in the header of the transport function of a message's first frame.
const FIRST: u8 = 0x40;

/// Set in that of its last frame.
const LAST: u8 = 0x80;

/// The function code of a message, and the internal indications of a response.
fn header_of(direction: Direction, message: &[u8]) -> Option<(u8, Option<u16>)> {
    let [_, function, more @ ..] = message else { return None };
    let indications = match (direction, more) {
        (Direction::ToClient, [first, second, ..]) => Some(u16::from_be_bytes([*first, *second])),
        _ => None,
    };
    Some((*function, indications))
}

impl ZeekLogger for Dnp3Logger {
    fn transaction(&mut self, news: News<'_>, sink: &mut dyn ZeekSink) {
        let Some(tx) = news.of::<Dnp3Transaction>().filter(|tx| news.complete && tx.whole) else {
            return;
        };
        sink.service("dnp3_tcp");
        let Some(direction) = tx.meta.only else { return };
        self.message((direction, tx.function(), tx.indications()), tx.time, sink);
    }

    fn end(&mut self, sink: &mut dyn ZeekSink) {
        self.over(sink);
    }
}

fn row(request: Option<u8>, response: Option<(u8, Option<u16>)>, time: Timestamp, sink: &mut dyn ZeekSink) {
    let request = request.map(zeek_function);
    let reply = response.map(|(function, _)| zeek_function(function));
    let indications = response.and_then(|(_, indications)| indications);
    let row = Row {
        fc_request: request.as_deref().into(),
        fc_reply: reply.as_deref().into(),
        iin: indications.into(),
    };
    sink.row(&STREAM, time, &row.values());
}
