//! Zeek's ntp log: a row for each message by which clocks are set, of any version; others are known, but have none.
//!
//! Zeek reads versions that rules do not know: its log follows connections datagram by datagram.

use std::net::Ipv4Addr;
use std::ops::ControlFlow;

use weir_applayer::zeek::column::{Interval, Time};
use weir_applayer::zeek::{Datagram, DatagramLogger, DatagramLogs, Silent};
use weir_applayer::{ZeekLogs, ZeekSink, zeek_stream};
use weir_base::{Direction, EventValue, Reader, Timestamp};

use super::PORT;
use super::message::{HEAD, Message, Moment, version_and_mode};

zeek_stream! {
    static STREAM: "ntp" of a connection;
    struct Row {
        version: Count,
        mode: Count,
        stratum: Count,
        poll: Interval,
        precision: Interval,
        root_delay: Interval,
        root_disp: Interval,
        ref_id: Text,
        ref_time: Time,
        org_time: Time,
        rec_time: Time,
        xmt_time: Time,
        num_exts: Count,
    }
}

/// The log's stream; its rows come from [`DATAGRAMS`].
pub static LOGS: ZeekLogs = ZeekLogs::new(&[&STREAM], Silent::open);

/// NTP in Zeek's logs.
pub const DATAGRAMS: DatagramLogs =
    DatagramLogs { name: "ntp", streams: &[], ports: &[PORT], fits, open: || Box::new(NtpLogger) };

/// Least bytes of messages that control a server, and of those of its own kind.
const CONTROL: usize = 12;
const PRIVATE: usize = 8;

/// Least bytes of an extension (RFC 7822 3).
const MIN_EXTENSION: usize = 16;

/// Bytes of what proves who sent a message, by MD5 and by SHA-1, behind the number of a key.
const PROOFS: [usize; 2] = [20, 24];

/// Seconds from 1900 to 1970.
const EPOCH: u64 = 2_208_988_800;

/// Kind of a datagram.
enum Known {
    /// A message by which clocks are set, with so many extensions.
    Setting(u64),
    /// Another message.
    Other,
}

fn fits(payload: &[u8]) -> bool {
    known(payload).is_some()
}

fn known(payload: &[u8]) -> Option<Known> {
    let (version, mode) = version_and_mode(*payload.first()?);
    if !(1..=4).contains(&version) {
        return None;
    }
    match mode {
        1..=5 => extensions(payload.get(HEAD..)?).map(Known::Setting),
        6 if payload.len() >= CONTROL => Some(Known::Other),
        7 if payload.len() >= PRIVATE => Some(Known::Other),
        _ => None,
    }
}

/// Returns the number of extensions between a message's head and its authenticator.
fn extensions(rest: &[u8]) -> Option<u64> {
    let (mut reader, mut count) = (Reader::new(rest), 0);
    while !reader.is_empty() && !PROOFS.contains(&reader.len()) {
        let _kind = reader.u16()?;
        let length = usize::from(reader.u16()?);
        if length < MIN_EXTENSION {
            return None;
        }
        reader.skip(length - 4)?;
        count += 1;
    }
    Some(count)
}

/// Tells of the messages of one connection.
#[derive(Debug)]
struct NtpLogger;

impl DatagramLogger for NtpLogger {
    fn datagram(&mut self, datagram: Datagram<'_>, sink: &mut dyn ZeekSink) -> ControlFlow<()> {
        let Datagram { payload, time, .. } = datagram;
        if let Some(known) = known(payload) {
            sink.service("ntp");
            raise(payload, datagram.direction, sink);
            if let (Known::Setting(extensions), Some(message)) = (known, Message::read(payload)) {
                write(&message, extensions, time, sink);
            }
        }
        ControlFlow::Continue(())
    }
}

/// Raises the event of a message: its version and mode, and, where it sets a clock, what it says.
fn raise(payload: &[u8], direction: Direction, sink: &mut dyn ZeekSink) {
    let (version, mode) = version_and_mode(payload.first().copied().unwrap_or(0));
    let setting = (1..=5).contains(&mode).then(|| Message::read(payload)).flatten();
    let standard = setting.as_ref().map(|message| standard(message, payload));
    let control = (mode == 6).then(|| control(payload)).flatten();
    let private = (mode == 7).then(|| private(payload)).flatten();
    let record = [
        version.into(),
        mode.into(),
        standard.as_ref().map_or(EventValue::Unset, |fields| EventValue::Record(fields)),
        control.as_ref().map_or(EventValue::Unset, |fields| EventValue::Record(fields)),
        private.as_ref().map_or(EventValue::Unset, |fields| EventValue::Record(fields)),
    ];
    let is_orig = EventValue::Bool(direction == Direction::ToServer);
    sink.raise("ntp_message", &[EventValue::Connection, is_orig, EventValue::Record(&record)]);
}

/// Bytes, where there are some.
fn some(bytes: &[u8]) -> EventValue<'_> {
    if bytes.is_empty() { EventValue::Unset } else { EventValue::String(bytes) }
}

/// The fields of a message that controls a server (RFC 9327 2), as scripts have them.
fn control(payload: &[u8]) -> Option<[EventValue<'_>; 10]> {
    let mut reader = Reader::new(payload.get(1..)?);
    let bits = reader.u8()?;
    let (sequence, status, association) = (reader.u16()?, reader.u16()?, reader.u16()?);
    let (_offset, length) = (reader.u16()?, reader.u16()?);
    let data = reader.take(usize::from(length).min(reader.len()))?;
    // What follows begins at a multiple of four bytes.
    let padding = (4 - data.len() % 4) % 4;
    let _ = reader.skip(padding);
    let proof = reader.rest().split_first_chunk::<4>().filter(|(_, digest)| !digest.is_empty());
    let (key, digest) = proof.map_or((EventValue::Unset, EventValue::Unset), |(key, digest)| {
        (u32::from_be_bytes(*key).into(), EventValue::String(digest))
    });
    let flag = |bit: u8| EventValue::Bool(bits & bit != 0);
    let numbers = [sequence, status, association].map(EventValue::from);
    let [sequence, status, association] = numbers;
    let opcode = (bits & 0x1f).into();
    Some([opcode, flag(0x80), flag(0x40), flag(0x20), sequence, status, association, some(data), key, digest])
}

/// The fields of a message between servers and programs of one kind, as scripts have them.
fn private(payload: &[u8]) -> Option<[EventValue<'_>; 6]> {
    let mut reader = Reader::new(payload.get(1..)?);
    let (bits, implementation, request) = (reader.u8()?, reader.u8()?, reader.u8()?);
    let (error, size) = (reader.u16()?, reader.u16()?);
    let length = usize::from(error & 0xfff) * usize::from(size & 0xfff);
    let data = reader.take(length.min(reader.len()))?;
    Some([
        request.into(),
        EventValue::Bool(bits & 0x80 != 0),
        (bits & 0x7f).into(),
        implementation.into(),
        (error >> 12).into(),
        some(data),
    ])
}

/// The fields of a message that sets a clock, as scripts have them.
fn standard<'a>(message: &'a Message, payload: &'a [u8]) -> [EventValue<'a>; 15] {
    let power = |exponent: i8| EventValue::Interval(f64::from(exponent).exp2());
    let short = |parts: u32| EventValue::Interval(f64::from(parts) / 65_536.0);
    let moment = |moment: Moment| {
        let (seconds, parts) = (moment.0 >> 32, moment.0 & u64::from(u32::MAX));
        let shown = seconds as f64 - EPOCH as f64 + parts as f64 / 4_294_967_296.0;
        EventValue::Moment(if moment.0 == 0 { 0.0 } else { shown })
    };
    let name = &message.reference[..];
    let (kiss, id, address) = match message.stratum {
        0 => (EventValue::String(name), EventValue::Unset, EventValue::Unset),
        1 => (EventValue::Unset, EventValue::String(name), EventValue::Unset),
        _ => {
            let address = EventValue::Addr(Ipv4Addr::from(message.reference).into());
            (EventValue::Unset, EventValue::Unset, address)
        }
    };
    let proof = payload.get(HEAD..).filter(|rest| PROOFS.contains(&rest.len()));
    let (key, digest) = proof
        .and_then(|rest| rest.split_first_chunk::<4>())
        .map_or((EventValue::Unset, EventValue::Unset), |(key, digest)| {
            (u32::from_be_bytes(*key).into(), EventValue::String(digest))
        });
    [
        message.stratum.into(),
        power(message.poll),
        power(message.precision),
        short(message.root_delay),
        short(message.root_dispersion),
        kiss,
        id,
        address,
        moment(message.reference_time),
        moment(message.origin_time),
        moment(message.receive_time),
        moment(message.transmit_time),
        key,
        digest,
        extensions(payload.get(HEAD..).unwrap_or_default()).unwrap_or(0).into(),
    ]
}

fn write(message: &Message, extensions: u64, time: Timestamp, sink: &mut dyn ZeekSink) {
    // Clocks that are set by another host name its address, others have a name of letters.
    let reference = match message.stratum {
        0 | 1 => message.reference.to_vec(),
        _ => Ipv4Addr::from(message.reference).to_string().into_bytes(),
    };
    let power = |exponent: i8| Interval::seconds(f64::from(exponent).exp2());
    let short = |parts: u32| Interval::seconds(f64::from(parts) / 65_536.0);
    let row = Row {
        version: message.version.into(),
        mode: message.mode.into(),
        stratum: message.stratum.into(),
        poll: power(message.poll),
        precision: power(message.precision),
        root_delay: short(message.root_delay),
        root_disp: short(message.root_dispersion),
        ref_id: reference.as_slice().into(),
        ref_time: moment(message.reference_time),
        org_time: moment(message.origin_time),
        rec_time: moment(message.receive_time),
        xmt_time: moment(message.transmit_time),
        num_exts: extensions.into(),
    };
    sink.row(&STREAM, time, &row.values());
}

/// A moment since 1970, or before; zero is logged as the beginning of 1970.
fn moment(moment: Moment) -> Time<'static> {
    let (seconds, parts) = (moment.0 >> 32, moment.0 & u64::from(u32::MAX));
    if moment.0 == 0 {
        return Timestamp(0).into();
    }
    // Zeek's moments are floating-point numbers.
    Time::seconds(seconds as f64 - EPOCH as f64 + parts as f64 / 4_294_967_296.0)
}
