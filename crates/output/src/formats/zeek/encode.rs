//! Rows as tab-separated values and as JSON, as Zeek's ASCII writer makes them.

use weir_applayer::{ZeekConnection, ZeekStream, ZeekType, ZeekValue};
use weir_base::time::Civil;
use weir_base::{JsonWriter, Timestamp};

use crate::address::append_short;
use crate::timestamp::{date_time, digits};

/// How rows are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ZeekEncoding {
    /// Tab-separated values with a header.
    #[default]
    Tsv,
    /// A JSON object for each row.
    Json,
}

/// How JSON shows times.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ZeekTimes {
    /// Seconds since 1970 with a fraction.
    #[default]
    Epoch,
    /// Whole milliseconds since 1970.
    Millis,
    /// `2015-01-31T00:00:00.000000Z`
    Iso8601,
}

/// All that can be chosen of how logs are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ZeekForm {
    /// How rows are written.
    pub encoding: ZeekEncoding,
    /// How JSON shows times.
    pub times: ZeekTimes,
}

/// The columns that a connection's rows begin with.
const CONNECTION: [(&str, ZeekType); 6] = [
    ("ts", ZeekType::Time),
    ("uid", ZeekType::String),
    ("id.orig_h", ZeekType::Addr),
    ("id.orig_p", ZeekType::Port),
    ("id.resp_h", ZeekType::Addr),
    ("id.resp_p", ZeekType::Port),
];

const UNSET: &[u8] = b"-";
const EMPTY: &[u8] = b"(empty)";

/// What most rows take at most.
const ROW_BYTES: usize = 512;

/// A column: its name and type.
type Column = (&'static str, ZeekType);

/// The columns of a stream, with `more` that scripts add.
fn columns<'a>(stream: &ZeekStream, more: &'a [Column]) -> impl Iterator<Item = &'a Column> {
    let first = if stream.connection { CONNECTION.len() } else { 1 };
    CONNECTION.iter().take(first).chain(stream.columns).chain(more)
}

fn type_name(kind: &ZeekType, out: &mut Vec<u8>) {
    let (name, inner) = match kind {
        ZeekType::Time => ("time", None),
        ZeekType::Interval => ("interval", None),
        ZeekType::String => ("string", None),
        ZeekType::Count => ("count", None),
        ZeekType::Int => ("int", None),
        ZeekType::Double => ("double", None),
        ZeekType::Bool => ("bool", None),
        ZeekType::Addr => ("addr", None),
        ZeekType::Port => ("port", None),
        ZeekType::Enum => ("enum", None),
        ZeekType::Subnet => ("subnet", None),
        ZeekType::Set(inner) => ("set", Some(inner)),
        ZeekType::Vector(inner) => ("vector", Some(inner)),
    };
    out.extend_from_slice(name.as_bytes());
    if let Some(inner) = inner {
        out.push(b'[');
        type_name(inner, out);
        out.push(b']');
    }
}

/// `2015-01-31-00-00-00`
fn moment(seconds: u64, out: &mut Vec<u8>) {
    date_time(out, Civil::from_seconds(i64::try_from(seconds).unwrap_or(i64::MAX)), b"-----");
}

/// What a file of tab-separated values begins with.
pub(super) fn header(stream: &ZeekStream, more: &[Column], seconds: u64) -> Vec<u8> {
    let mut out =
        b"#separator \\x09\n#set_separator\t,\n#empty_field\t(empty)\n#unset_field\t-\n#path\t".to_vec();
    out.extend_from_slice(stream.name.as_bytes());
    out.extend_from_slice(b"\n#open\t");
    moment(seconds, &mut out);
    out.extend_from_slice(b"\n#fields");
    for (name, _) in columns(stream, more) {
        out.push(b'\t');
        out.extend_from_slice(name.as_bytes());
    }
    out.extend_from_slice(b"\n#types");
    for (_, kind) in columns(stream, more) {
        out.push(b'\t');
        type_name(kind, &mut out);
    }
    out.push(b'\n');
    out
}

/// What it ends with.
pub(super) fn footer(seconds: u64) -> Vec<u8> {
    let mut out = b"#close\t".to_vec();
    moment(seconds, &mut out);
    out.push(b'\n');
    out
}

/// Appends a row without its line end.
pub(super) fn row(
    form: ZeekForm,
    (stream, more): (&ZeekStream, &[Column]),
    connection: Option<&ZeekConnection<'_>>,
    ts: Timestamp,
    values: &[ZeekValue<'_>],
    out: &mut Vec<u8>,
) {
    if form.encoding == ZeekEncoding::Json {
        return json_row(form.times, (stream, more), connection, ts, values, out);
    }
    out.reserve(ROW_BYTES);
    time(ts, out);
    if stream.connection {
        ends_tsv(connection, out);
    }
    tsv(values, out);
}

#[cold]
fn json_row(
    times: ZeekTimes,
    (stream, more): (&ZeekStream, &[Column]),
    connection: Option<&ZeekConnection<'_>>,
    ts: Timestamp,
    values: &[ZeekValue<'_>],
    out: &mut Vec<u8>,
) {
    let first = [ZeekValue::Time(ts)];
    let ends = ends(connection);
    let ends = if stream.connection { &ends[..] } else { &[] };
    let mut json = JsonWriter::new(out);
    json.open_object();
    for ((name, _), value) in columns(stream, more).zip(first.iter().chain(ends).chain(values)) {
        if !matches!(value, ZeekValue::Unset) {
            json.raw(name, |out| json_value(value, times, out));
        }
    }
    json.close_object();
}

/// The columns of a connection after the time.
fn ends<'a>(connection: Option<&ZeekConnection<'a>>) -> [ZeekValue<'a>; 5] {
    let Some(connection) = connection else { return [ZeekValue::Unset; 5] };
    let ends = connection.endpoints;
    [
        // What is told of a single packet has no uid.
        ZeekValue::text((!connection.uid.is_empty()).then_some(connection.uid)),
        ZeekValue::Addr(ends.client),
        ZeekValue::Port(ends.client_port),
        ZeekValue::Addr(ends.server),
        ZeekValue::Port(ends.server_port),
    ]
}

/// The same, each behind another column.
fn ends_tsv(connection: Option<&ZeekConnection<'_>>, out: &mut Vec<u8>) {
    let Some(connection) = connection else { return out.extend_from_slice(b"\t-\t-\t-\t-\t-") };
    let ends = connection.endpoints;
    out.push(b'\t');
    // Ids are letters and digits.
    append(if connection.uid.is_empty() { UNSET } else { connection.uid }, out);
    for (address, port) in [(ends.client, ends.client_port), (ends.server, ends.server_port)] {
        out.push(b'\t');
        append_short(out, address);
        out.push(b'\t');
        count(port.into(), out);
    }
}

/// `"2015-01-31T00:00:00.000000Z"`
fn iso8601(time: Timestamp, out: &mut Vec<u8>) {
    out.push(b'"');
    date_time(out, time.civil(), b"--T::");
    out.push(b'.');
    digits(out, u64::from(time.micros()), 6);
    out.extend_from_slice(b"Z\"");
}

/// A number in the making, from its last digit on.
struct Digits {
    /// The digits end in the middle: behind it is room, so that always as many bytes can be taken.
    text: [u8; 2 * MAX_DIGITS],
    start: usize,
}

/// Digits of the longest number, and a point.
const MAX_DIGITS: usize = 24;

/// The numbers below 100 as two digits.
static PAIRS: [[u8; 2]; 100] = {
    let mut pairs = [[b'0'; 2]; 100];
    let mut rest: &mut [[u8; 2]] = &mut pairs;
    let mut number = 0;
    while let Some((first, others)) = rest.split_first_mut() {
        *first = [b'0' + number / 10, b'0' + number % 10];
        number += 1;
        rest = others;
    }
    pairs
};

impl Digits {
    const fn new() -> Self {
        Self { text: [0; 2 * MAX_DIGITS], start: MAX_DIGITS }
    }

    #[inline]
    fn put(&mut self, byte: u8) {
        self.start -= 1;
        if let Some(place) = self.text.get_mut(self.start) {
            *place = byte;
        }
    }

    /// Two digits of a number below 100.
    #[inline]
    fn put_pair(&mut self, number: u64) {
        self.start -= 2;
        if let (Some(place), Some(pair)) =
            (self.text.get_mut(self.start..self.start + 2), PAIRS.get(number as usize))
        {
            place.copy_from_slice(pair);
        }
    }

    #[inline]
    fn put_number(&mut self, mut number: u64) {
        while number >= 100 {
            self.put_pair(number % 100);
            number /= 100;
        }
        if number >= 10 {
            self.put_pair(number);
        } else {
            self.put(b'0' + number as u8);
        }
    }

    #[inline]
    fn append(&self, out: &mut Vec<u8>) {
        let end = out.len() + MAX_DIGITS - self.start;
        // As many bytes each time are copied without a loop.
        if let Some(text) = self.text.get(self.start..).and_then(<[u8]>::first_chunk::<MAX_DIGITS>) {
            out.extend_from_slice(text);
            out.truncate(end);
        }
    }
}

/// A moment. Zeek knows no nanoseconds of a packet.
fn time(time: Timestamp, out: &mut Vec<u8>) {
    seconds(time.0 / 1000, out);
}

/// Microseconds as seconds with six decimals.
fn seconds(micros: u64, out: &mut Vec<u8>) {
    let decimals = micros % 1_000_000;
    let mut digits = Digits::new();
    digits.put_pair(decimals % 100);
    digits.put_pair(decimals / 100 % 100);
    digits.put_pair(decimals / 10_000);
    digits.put(b'.');
    digits.put_number(micros / 1_000_000);
    digits.append(out);
}

/// A span of time. Zeek's seconds are floating-point numbers: what lies below a microsecond is rounded.
fn interval(nanos: i64, out: &mut Vec<u8>) {
    if nanos < 0 {
        out.push(b'-');
    }
    seconds((nanos.unsigned_abs() + 500) / 1000, out);
}

/// A floating-point number that is seen to be one.
fn double(value: f64, out: &mut Vec<u8>) {
    let text = if value.is_finite() { format!("{value:?}") } else { "0.0".to_owned() };
    out.extend_from_slice(text.as_bytes());
}

/// Columns behind another one.
fn tsv(values: &[ZeekValue<'_>], out: &mut Vec<u8>) {
    for value in values {
        match *value {
            ZeekValue::Unset => out.extend_from_slice(b"\t-"),
            ZeekValue::Bool(truth) => out.extend_from_slice(if truth { b"\tT" } else { b"\tF" }),
            ZeekValue::Count(digit @ 0..=9) => out.extend_from_slice(&[b'\t', b'0' + digit as u8]),
            ZeekValue::List(items) => {
                out.push(b'\t');
                list(items, out);
            }
            other => {
                out.push(b'\t');
                scalar(other, false, out);
            }
        }
    }
}

fn list(items: &[ZeekValue<'_>], out: &mut Vec<u8>) {
    if items.is_empty() {
        return out.extend_from_slice(EMPTY);
    }
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        scalar(*item, true, out);
    }
}

#[inline]
fn scalar(value: ZeekValue<'_>, in_list: bool, out: &mut Vec<u8>) {
    match value {
        ZeekValue::String(text) => string(text, in_list, out),
        ZeekValue::Count(number) => count(number, out),
        ZeekValue::Port(port) => count(port.into(), out),
        ZeekValue::Addr(address) => append_short(out, address),
        ZeekValue::Time(moment) => time(moment, out),
        ZeekValue::Interval(nanos) => interval(nanos, out),
        other => rare(other, out),
    }
}

#[cold]
fn rare(value: ZeekValue<'_>, out: &mut Vec<u8>) {
    match value {
        ZeekValue::Bool(truth) => out.push(if truth { b'T' } else { b'F' }),
        ZeekValue::Int(number) => out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes()),
        ZeekValue::Double(number) => double(number, out),
        // A list inside a list has no form of its own.
        _ => out.extend_from_slice(UNSET),
    }
}

/// A number; most are small.
#[inline(never)]
fn count(number: u64, out: &mut Vec<u8>) {
    if number < 10 {
        return out.push(b'0' + number as u8);
    }
    let mut digits = Digits::new();
    digits.put_number(number);
    digits.append(out);
}

/// Appends a text; most are short, and copied without a call.
#[inline(never)]
fn append(text: &[u8], out: &mut Vec<u8>) {
    /// The first bytes and the last ones, some of them twice.
    fn ends<const N: usize>(text: &[u8], out: &mut Vec<u8>) -> bool {
        let (Some(first), Some(last)) = (text.first_chunk::<N>(), text.last_chunk::<N>()) else {
            return false;
        };
        let middle = out.len() + (text.len() - N);
        out.extend_from_slice(first);
        out.truncate(middle);
        out.extend_from_slice(last);
        true
    }
    let _ = match text.len() {
        8..=16 => ends::<8>(text, out),
        17..=32 => ends::<16>(text, out),
        4..=7 => ends::<4>(text, out),
        2 | 3 => ends::<2>(text, out),
        _ => {
            out.extend_from_slice(text);
            true
        }
    };
}

fn hex_escape(byte: u8, out: &mut Vec<u8>) {
    out.extend_from_slice(b"\\x");
    out.extend_from_slice(&weir_base::hex::digits(byte));
}

/// Text with separators, control characters and what is not UTF-8 as `\x09`.
#[inline(never)]
fn string(text: &[u8], in_list: bool, out: &mut Vec<u8>) {
    // Nearly all text is plain.
    if is_plain_text(text, in_list) && !matches!(text, b"" | b"-" | b"(empty)") {
        return append(text, out);
    }
    escape(text, in_list, out);
}

#[cold]
fn escape(text: &[u8], in_list: bool, out: &mut Vec<u8>) {
    if text.is_empty() {
        return out.extend_from_slice(EMPTY);
    }
    if text == UNSET || text == EMPTY {
        // Not to be taken for an absent or empty value.
        if let Some((first, rest)) = text.split_first() {
            hex_escape(*first, out);
            out.extend_from_slice(rest);
        }
        return;
    }
    let (plain, rest) = text.split_at(plain_length(text, in_list));
    out.extend_from_slice(plain);
    for chunk in rest.utf8_chunks() {
        for character in chunk.valid().chars() {
            match character {
                '\\' => out.extend_from_slice(b"\\\\"),
                ',' if in_list => hex_escape(b',', out),
                '\0'..='\x1f' | '\x7f' => hex_escape(character as u8, out),
                other => out.extend_from_slice(other.encode_utf8(&mut [0; 4]).as_bytes()),
            }
        }
        for byte in chunk.invalid() {
            hex_escape(*byte, out);
        }
    }
}

/// Whether all bytes are plain, looked at by eight.
fn is_plain_text(text: &[u8], in_list: bool) -> bool {
    let is_plain = |word: [u8; 8]| is_plain_word(u64::from_le_bytes(word), in_list);
    // The last bytes, some of them again.
    if let Some(last) = text.last_chunk::<8>() {
        let (words, _) = text.as_chunks::<8>();
        return is_plain(*last) && words.iter().all(|word| is_plain(*word));
    }
    match (text.first_chunk::<4>(), text.last_chunk::<4>()) {
        (Some([a, b, c, d]), Some([e, f, g, h])) => is_plain([*a, *b, *c, *d, *e, *f, *g, *h]),
        _ => text.iter().all(|&byte| is_plain_byte(byte, in_list)),
    }
}

/// Whether eight bytes are.
const fn is_plain_word(word: u64, in_list: bool) -> bool {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x80 * ONES;
    /// The high bit of each byte that is zero, and perhaps of one above it.
    const fn zeros(word: u64) -> u64 {
        word.wrapping_sub(ONES) & !word
    }
    let comma = if in_list { zeros(word ^ (b',' as u64 * ONES)) } else { 0 };
    let special = word.wrapping_sub(b' ' as u64 * ONES) & !word
        | zeros(word ^ (0x7f * ONES))
        | zeros(word ^ (b'\\' as u64 * ONES))
        | comma
        | word;
    special & HIGH == 0
}

/// How many bytes at the beginning are plain.
fn plain_length(text: &[u8], in_list: bool) -> usize {
    text.iter().position(|&byte| !is_plain_byte(byte, in_list)).unwrap_or(text.len())
}

/// Whether a byte is written as it is, whatever comes before and after it.
const fn is_plain_byte(byte: u8, in_list: bool) -> bool {
    matches!(byte, b' '..=b'~') && byte != b'\\' && !(in_list && byte == b',')
}

fn json_value(value: &ZeekValue<'_>, times: ZeekTimes, out: &mut Vec<u8>) {
    match value {
        ZeekValue::String(text) => {
            out.push(b'"');
            weir_base::json::escape(out, text);
            out.push(b'"');
        }
        ZeekValue::Bool(truth) => out.extend_from_slice(if *truth { b"true" } else { b"false" }),
        ZeekValue::Addr(address) => {
            out.push(b'"');
            append_short(out, *address);
            out.push(b'"');
        }
        ZeekValue::List(items) => {
            out.push(b'[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                json_value(item, times, out);
            }
            out.push(b']');
        }
        ZeekValue::Unset => out.extend_from_slice(b"null"),
        ZeekValue::Time(time) if times == ZeekTimes::Millis => {
            out.extend_from_slice(itoa::Buffer::new().format(time.0 / 1_000_000).as_bytes());
        }
        ZeekValue::Time(time) if times == ZeekTimes::Iso8601 => iso8601(*time, out),
        ZeekValue::Interval(nanos) => double(*nanos as f64 / 1e9, out),
        other => scalar(*other, false, out),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_applayer::{Endpoints, Transport};

    const STREAM: ZeekStream = ZeekStream {
        name: "sample",
        connection: true,
        columns: &[("text", ZeekType::String), ("list", ZeekType::Vector(&ZeekType::Interval))],
    };

    fn encoded(encoding: ZeekEncoding, text: &[u8], list: &[ZeekValue<'_>]) -> String {
        formed(ZeekForm { encoding, ..ZeekForm::default() }, text, list)
    }

    #[test]
    fn times_of_json() {
        for (times, expected) in [
            (ZeekTimes::Epoch, "{\"ts\":1700000000.000005,"),
            (ZeekTimes::Millis, "{\"ts\":1700000000000,"),
            (ZeekTimes::Iso8601, "{\"ts\":\"2023-11-14T22:13:20.000005Z\","),
        ] {
            let form = ZeekForm { encoding: ZeekEncoding::Json, times };
            let row = formed(form, b"", &[]);
            assert!(row.starts_with(expected), "{row}");
        }
    }

    fn formed(form: ZeekForm, text: &[u8], list: &[ZeekValue<'_>]) -> String {
        let endpoints = Endpoints {
            client: "10.0.0.1".parse().unwrap(),
            client_port: 1234,
            server: "fe80::1".parse().unwrap(),
            server_port: 53,
            transport: Transport::Udp,
        };
        let time = Timestamp::new(1_700_000_000, 5_000);
        let connection = ZeekConnection { endpoints: &endpoints, start: time, uid: b"Cuid" };
        let mut out = Vec::new();
        row(
            form,
            (&STREAM, &[]),
            Some(&connection),
            time,
            &[ZeekValue::String(text), ZeekValue::List(list)],
            &mut out,
        );
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn rows() {
        let ttl = [ZeekValue::Interval(1_500_000_000), ZeekValue::Interval(60_000_000_000)];
        assert_eq!(
            encoded(ZeekEncoding::Tsv, b"a\tb\xff\\", &ttl),
            "1700000000.000005\tCuid\t10.0.0.1\t1234\tfe80::1\t53\ta\\x09b\\xff\\\\\t1.500000,60.000000"
        );
        assert_eq!(
            encoded(ZeekEncoding::Json, b"a\tb\"", &ttl),
            r#"{"ts":1700000000.000005,"uid":"Cuid","id.orig_h":"10.0.0.1","id.orig_p":1234,"id.resp_h":"fe80::1","id.resp_p":53,"text":"a\tb\"","list":[1.5,60.0]}"#
        );
    }

    #[test]
    fn escapes_of_tab_separated_values() {
        let cases: [(&[u8], &str); 9] = [
            (b"", "\t(empty)"),
            (b"-", "\t\\x2d"),
            (b"(empty)", "\t\\x28empty)"),
            (b"--", "\t--"),
            ("gr\u{fc}n".as_bytes(), "\tgr\u{fc}n"),
            (b"a,b", "\ta,b"),
            (b"12345678\n", "\t12345678\\x0a"),
            (b"\x7f12345678", "\t\\x7f12345678"),
            (b"all of it is plain", "\tall of it is plain"),
        ];
        for (text, expected) in cases {
            let mut out = Vec::new();
            tsv(&[ZeekValue::String(text)], &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), expected);
        }
        let mut out = Vec::new();
        tsv(&[ZeekValue::List(&[ZeekValue::String(b"a,b"), ZeekValue::String(b"c")])], &mut out);
        assert_eq!(out, b"\ta\\x2cb,c");
    }

    #[test]
    fn frame_of_a_file() {
        let text = String::from_utf8(header(&STREAM, &[], 0)).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "#separator \\x09");
        assert_eq!(lines[4..6], ["#path\tsample", "#open\t1970-01-01-00-00-00"]);
        assert_eq!(lines[6], "#fields\tts\tuid\tid.orig_h\tid.orig_p\tid.resp_h\tid.resp_p\ttext\tlist");
        assert_eq!(lines[7], "#types\ttime\tstring\taddr\tport\taddr\tport\tstring\tvector[interval]");
        assert_eq!(footer(0), b"#close\t1970-01-01-00-00-00\n");
    }
}
