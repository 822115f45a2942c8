//! Messages as scripts see them (`suricata.dnp3`): each is a table.

use serde_json::{Map, Value};
use weir_applayer::{ScriptLibrary, ScriptMethod, ScriptValue, script_method};
use weir_base::JsonWriter;

use super::eve::write_object;
use super::link::{START, checksum};
use super::object::Object;
use super::transaction::Dnp3Transaction;

/// The library.
pub static LIBRARIES: &[ScriptLibrary] =
    &[ScriptLibrary { name: "dnp3", methods: METHODS, enable: None, earlier: EARLIER }];

/// Functions of earlier releases, with the methods that answer them.
const EARLIER: &[(&str, &str)] = &[("DNP3GetTx", "")];

const METHODS: &[ScriptMethod] = &[script_method!(
    "",
    "The message, a table: `tx_num`, `is_request`, and `request` or `response` with `done`, `complete`, `link_header` (`len`, `control`, `dst`, `src`, `crc`), `application_header` (`control`, `function_code`), `indicators`, and `objects` with `group`, `variation` and `points`.",
    Dnp3Transaction,
    |tx| vec![transaction(tx)]
)];

fn transaction(tx: &Dnp3Transaction) -> ScriptValue {
    let side = if tx.is_request() { "request" } else { "response" };
    table([
        ("tx_num", integer(tx.meta.id)),
        ("is_request", ScriptValue::Boolean(tx.is_request())),
        (side, message(tx)),
    ])
}

fn message(tx: &Dnp3Transaction) -> ScriptValue {
    let application = table([("control", integer(tx.control())), ("function_code", integer(tx.function()))]);
    table([
        ("done", ScriptValue::Boolean(tx.whole)),
        ("complete", ScriptValue::Boolean(tx.objects.complete)),
        ("link_header", link(tx)),
        ("application_header", application),
        ("indicators", ScriptValue::integer(tx.indications().map(i64::from))),
        ("objects", ScriptValue::List(tx.objects.list.iter().map(|one| object(one, &tx.data)).collect())),
    ])
}

fn link(tx: &Dnp3Transaction) -> ScriptValue {
    let header = &tx.link;
    let mut bytes = START.to_vec();
    bytes.extend([header.length, header.control]);
    bytes.extend(header.destination.to_le_bytes());
    bytes.extend(header.source.to_le_bytes());
    table([
        ("len", integer(header.length)),
        ("control", integer(header.control)),
        ("dst", integer(header.destination)),
        ("src", integer(header.source)),
        // A frame with another checksum is no part of a message.
        ("crc", integer(checksum(&bytes))),
    ])
}

/// Group, variation and points, as records have them.
fn object(object: &Object, message: &[u8]) -> ScriptValue {
    let mut text = Vec::new();
    let mut json = JsonWriter::new(&mut text);
    json.open_object();
    write_object(object, message, &mut json);
    json.close_object();
    let mut members: Map<String, Value> = serde_json::from_slice(&text).unwrap_or_default();
    let points = members.remove("points").unwrap_or_else(|| Value::Array(Vec::new()));
    table([
        ("group", integer(object.group)),
        ("variation", integer(object.variation)),
        ("points", converted(points)),
    ])
}

fn converted(value: Value) -> ScriptValue {
    match value {
        Value::Array(values) => ScriptValue::List(values.into_iter().map(converted).collect()),
        Value::Object(members) => ScriptValue::Map(
            members.into_iter().map(|(name, value)| (name.into_bytes(), converted(value))).collect(),
        ),
        Value::Number(number) => match number.as_i64() {
            Some(whole) => ScriptValue::Integer(whole),
            None => number.as_f64().map_or(ScriptValue::Nil, ScriptValue::Number),
        },
        Value::Bool(yes) => ScriptValue::Boolean(yes),
        Value::String(text) => ScriptValue::Bytes(text.into_bytes()),
        Value::Null => ScriptValue::Nil,
    }
}

fn table<const N: usize>(members: [(&str, ScriptValue); N]) -> ScriptValue {
    ScriptValue::Map(members.into_iter().map(|(name, value)| (name.as_bytes().to_vec(), value)).collect())
}

fn integer(number: impl TryInto<i64>) -> ScriptValue {
    ScriptValue::integer(number.try_into().ok())
}
