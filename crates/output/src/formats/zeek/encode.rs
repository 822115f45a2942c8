//! Rows as tab-separated values and as JSON, as Zeek's ASCII writer makes them.

use weir_applayer::{ZeekConnection, ZeekStream, ZeekType, ZeekValue};
use weir_base::append::{append, append_ends};
use weir_base::{JsonWriter, Timestamp};

use crate::address::append_short;
use crate::timestamp::{date_time, digits};

/// Encoding of rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ZeekEncoding {
    /// Tab-separated values with a header.
    #[default]
    Tsv,
    /// A JSON object for each row.
    Json,
    /// JSON, with the log's name before the columns as `_path`: for rows of different logs in one place.
    JsonWithPath,
    /// Tables of Apache Parquet, whose rows are JSON on the way.
    Parquet,
}

/// Format of times in JSON.
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
    /// Encoding of rows.
    pub encoding: ZeekEncoding,
    /// Format of times in JSON.
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

/// Bytes that most rows take at most.
const ROW_BYTES: usize = 512;

/// A column: its name and type.
type Column = (&'static str, ZeekType);

/// The columns of a stream, with `more` that scripts add.
pub(super) fn columns<'a>(stream: &ZeekStream, more: &'a [Column]) -> impl Iterator<Item = &'a Column> {
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

/// `2015-01-31-00-00-00`, in the zone of logs as Zeek has it.
fn moment(seconds: u64, out: &mut Vec<u8>) {
    date_time(out, Timestamp::new(seconds, 0).local().civil, b"-----");
}

/// Writes the head of a file of tab-separated values.
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

/// Writes its last line.
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
    match form.encoding {
        ZeekEncoding::Tsv => {}
        _ => return json_row(form, (stream, more), connection, ts, values, out),
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
    form: ZeekForm,
    columns: (&ZeekStream, &[Column]),
    connection: Option<&ZeekConnection<'_>>,
    ts: Timestamp,
    values: &[ZeekValue<'_>],
    out: &mut Vec<u8>,
) {
    // Digits of texts are exact, as those of a number of seconds in a table are not.
    let times = if form.encoding == ZeekEncoding::Parquet { ZeekTimes::Iso8601 } else { form.times };
    let mut json = JsonWriter::new(out);
    json.open_object();
    if form.encoding == ZeekEncoding::JsonWithPath {
        json.string("_path", columns.0.name.as_bytes());
    }
    cells(columns, connection, ts, values, &mut |name, value| {
        if !matches!(value, ZeekValue::Unset) {
            json.raw(name, |out| json_value(&value, times, out));
        }
    });
    json.close_object();
}

/// Gives the columns of a row by their names.
pub(super) fn cells<'a>(
    (stream, more): (&ZeekStream, &[Column]),
    connection: Option<&ZeekConnection<'a>>,
    ts: Timestamp,
    values: &[ZeekValue<'a>],
    take: &mut dyn FnMut(&'static str, ZeekValue<'a>),
) {
    let first = [ZeekValue::Time(ts)];
    let ends = ends(connection);
    let ends = if stream.connection { &ends[..] } else { &[] };
    for ((name, _), value) in columns(stream, more).zip(first.iter().chain(ends).chain(values)) {
        take(name, *value);
    }
}

/// The columns of a connection after the time.
fn ends<'a>(connection: Option<&ZeekConnection<'a>>) -> [ZeekValue<'a>; 5] {
    let Some(connection) = connection else { return [ZeekValue::Unset; 5] };
    let ends = connection.endpoints;
    [
        // Rows of a single packet have no uid.
        ZeekValue::text((!connection.uid.is_empty()).then_some(connection.uid)),
        ZeekValue::Addr(ends.client),
        ZeekValue::Port(ends.client_port),
        ZeekValue::Addr(ends.server),
        ZeekValue::Port(ends.server_port),
    ]
}

/// Writes the two ends as columns of tab-separated values.
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

/// Numbers below this are made at once.
const EIGHT_DIGITS: u64 = 100_000_000;

/// The digits of a number below [`EIGHT_DIGITS`], the first one in the lowest byte: halves, then quarters, then
/// digits, each by a multiplication that stands for the division of all of them.
const fn eight_digits(number: u64) -> u64 {
    let halves = (number / 10_000) | ((number % 10_000) << 32);
    let hundreds = ((halves * 10_486) >> 20) & 0x7f_0000_007f;
    let quarters = hundreds | ((halves - hundreds * 100) << 16);
    let tens = ((quarters * 103) >> 10) & 0x000f_000f_000f_000f;
    tens | ((quarters - tens * 10) << 8)
}

/// Eight times the digit zero.
const ZEROS: u64 = 0x3030_3030_3030_3030;

/// Appends the first `length` of eight letters, the first one in the lowest byte.
#[inline]
fn append_letters(letters: u64, length: usize, out: &mut Vec<u8>) {
    // As many bytes each time are copied without a loop.
    let end = out.len() + length;
    out.extend_from_slice(&letters.to_le_bytes());
    out.truncate(end);
}

/// A number.
#[inline(never)]
fn count(number: u64, out: &mut Vec<u8>) {
    if number >= EIGHT_DIGITS {
        count(number / EIGHT_DIGITS, out);
        return append_letters(ZEROS | eight_digits(number % EIGHT_DIGITS), 8, out);
    }
    let digits = eight_digits(number);
    // The last digit is shown whatever it is.
    let left_out = (digits.trailing_zeros() / 8).min(7);
    append_letters((ZEROS | digits) >> (8 * left_out), 8 - left_out as usize, out);
}

/// A moment. Zeek knows no nanoseconds of a packet.
fn time(time: Timestamp, out: &mut Vec<u8>) {
    seconds(time.0 / 1000, out);
}

/// Microseconds as seconds with six decimals.
fn seconds(micros: u64, out: &mut Vec<u8>) {
    count(micros / 1_000_000, out);
    // Of two zeros before the decimals the second one becomes the point.
    let decimals = (ZEROS | eight_digits(micros % 1_000_000)) >> 8;
    append_letters((decimals & !0xff) | u64::from(b'.'), 7, out);
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
        ZeekValue::Seconds(number) => out.extend_from_slice(format!("{number:.6}").as_bytes()),
        // A list inside a list has no form of its own.
        _ => out.extend_from_slice(UNSET),
    }
}

fn hex_escape(byte: u8, out: &mut Vec<u8>) {
    out.extend_from_slice(b"\\x");
    out.extend_from_slice(&weir_base::hex::digits(byte));
}

/// Text with separators, control characters and what is not UTF-8 as `\x09`.
#[inline(never)]
fn string(text: &[u8], in_list: bool, out: &mut Vec<u8>) {
    // Nearly all text is plain, and most of it is short: two words hold it.
    let word = |word: &[u8; 8]| u64::from_le_bytes(*word);
    match text.len() {
        8..=16 => {
            if let (Some(first), Some(last)) = (text.first_chunk(), text.last_chunk())
                && is_plain_word(word(first), in_list)
                && is_plain_word(word(last), in_list)
            {
                return append_ends::<8>(text, out);
            }
        }
        4..=7 => {
            if let (Some([a, b, c, d]), Some([e, f, g, h])) = (text.first_chunk(), text.last_chunk())
                && is_plain_word(word(&[*a, *b, *c, *d, *e, *f, *g, *h]), in_list)
                && text != EMPTY
            {
                return append_ends::<4>(text, out);
            }
        }
        17.. => {
            let (words, _) = text.as_chunks();
            if let Some(last) = text.last_chunk()
                && is_plain_word(word(last), in_list)
                && words.iter().all(|part| is_plain_word(word(part), in_list))
            {
                return append(text, out);
            }
        }
        1..=3 => {
            if text.iter().all(|&byte| is_plain_byte(byte, in_list)) && text != UNSET {
                return out.extend_from_slice(text);
            }
        }
        0 => {}
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

/// Whether eight bytes are all plain.
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

/// Returns the number of leading bytes that need no escape.
fn plain_length(text: &[u8], in_list: bool) -> usize {
    text.iter().position(|&byte| !is_plain_byte(byte, in_list)).unwrap_or(text.len())
}

/// Whether a byte is written as it is, whatever comes before and after it.
const fn is_plain_byte(byte: u8, in_list: bool) -> bool {
    matches!(byte, b' '..=b'~') && byte != b'\\' && !(in_list && byte == b',')
}

/// Text with JSON's escapes. What is not UTF-8, and a control character that JSON has no letter for, becomes `\x00`.
fn json_text(text: &[u8], out: &mut Vec<u8>) {
    let has_letter = |byte: u8| matches!(byte, 0x08 | b'\t' | b'\n' | 0x0c | b'\r');
    let is_plain = |byte: &u8| !byte.is_ascii_control() || has_letter(*byte);
    let escaped = |bytes: &[u8], out: &mut Vec<u8>| {
        bytes.iter().for_each(|byte| {
            out.push(b'\\');
            hex_escape(*byte, out);
        });
    };
    if text.iter().all(|byte| byte.is_ascii() && is_plain(byte)) {
        return weir_base::json::escape(out, text);
    }
    for part in text.utf8_chunks() {
        for run in part.valid().as_bytes().chunk_by(|one, next| is_plain(one) == is_plain(next)) {
            match run.first().is_some_and(is_plain) {
                true => weir_base::json::escape(out, run),
                false => escaped(run, out),
            }
        }
        escaped(part.invalid(), out);
    }
}

fn json_value(value: &ZeekValue<'_>, times: ZeekTimes, out: &mut Vec<u8>) {
    match value {
        ZeekValue::String(text) => {
            out.push(b'"');
            json_text(text, out);
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
        ZeekValue::Seconds(number) => double(*number, out),
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
        let plain = encoded(ZeekEncoding::Json, b"a", &ttl);
        let named = plain.replacen('{', r#"{"_path":"sample","#, 1);
        assert_eq!(encoded(ZeekEncoding::JsonWithPath, b"a", &ttl), named);
    }

    #[test]
    fn texts_in_json() {
        let cases: [(&[u8], &str); 6] = [
            (b"a\"\\\n\r\t\x08\x0c", r#"a\"\\\n\r\t\b\f"#),
            (b"\0a\x10\x1f", r"\\x00a\\x10\\x1f"),
            (b"\x7f", r"\\x7f"),
            ("gr\u{fc}n\0".as_bytes(), "gr\u{fc}n\\\\x00"),
            (b"gr\xc3\xbcn\xff\xfe", "gr\u{fc}n\\\\xff\\\\xfe"),
            (b"", ""),
        ];
        for (text, expected) in cases {
            let mut out = Vec::new();
            json_text(text, &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), expected);
        }
    }

    #[test]
    fn seconds_of_any_kind() {
        let spans = [2f64.powi(-20), -1.5, 64.0].map(ZeekValue::Seconds);
        for (encoding, expected) in [
            (ZeekEncoding::Tsv, "0.000001,-1.500000,64.000000"),
            (ZeekEncoding::Json, "[9.5367431640625e-7,-1.5,64.0]}"),
        ] {
            let row = encoded(encoding, b"", &spans);
            assert!(row.ends_with(expected), "{row}");
        }
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
    fn numbers_and_times() {
        let edges = (0..20).flat_map(|power| [10u64.pow(power) - 1, 10u64.pow(power), 10u64.pow(power) + 1]);
        let some = (0..100_000).map(|number: u64| number.wrapping_mul(number) % 200_000_003);
        for number in edges.chain(some).chain([12_345_678, 90_000_009, 1_000_000_000_000, u64::MAX]) {
            let (mut plain, mut time) = (Vec::new(), Vec::new());
            count(number, &mut plain);
            seconds(number, &mut time);
            assert_eq!(String::from_utf8(plain).unwrap(), number.to_string());
            let expected = format!("{}.{:06}", number / 1_000_000, number % 1_000_000);
            assert_eq!(String::from_utf8(time).unwrap(), expected);
        }
    }

    /// Text of any length, with one byte that is to be escaped at any place of it.
    #[test]
    fn texts_of_any_length() {
        for length in 0..40 {
            let plain: Vec<u8> = (0..length).map(|index| b'a' + index % 26).collect();
            let mut out = Vec::new();
            string(&plain, false, &mut out);
            assert_eq!(out, if length == 0 { EMPTY } else { &plain });
            for at in 0..plain.len() {
                for (byte, escaped) in [(b'\t', "\\x09"), (0x7f, "\\x7f"), (0xff, "\\xff"), (b'\\', "\\\\")] {
                    let mut text = plain.clone();
                    text[at] = byte;
                    let mut out = Vec::new();
                    string(&text, false, &mut out);
                    assert_eq!(out, [&plain[..at], escaped.as_bytes(), &plain[at + 1..]].concat());
                }
            }
        }
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
