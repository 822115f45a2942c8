//! Functions that verify certificates, answers on them and timestamps of logs.

use std::rc::Rc;

use weir_base::EventValue;

use super::certificates::{opaque, with};
use super::{Builtin, argument, bytes, count, double, row};
use crate::certificates::der::Parts;
use crate::certificates::{Certificate, answer, path, roots, timestamp};
use crate::types::TypeId;
use crate::values::{Key, Value, VectorValue};
use crate::vm::Engine;

pub(super) const ROWS: &[Builtin] = &[
    row("x509_verify", "", |e, a| {
        let (chain, roots) = (chain(&argument(a, 0)), strings(&argument(a, 1)));
        let roots: Vec<&[u8]> = roots.iter().map(Value::bytes).collect();
        Ok(verify(e, &chain, &roots, seconds(a, 2)))
    }),
    row("x509_ocsp_verify", "", |e, a| {
        let (chain, roots) = (chain(&argument(a, 0)), strings(&argument(a, 2)));
        let chain: Vec<&[u8]> = chain.iter().map(Vec::as_slice).collect();
        let roots: Vec<&[u8]> = roots.iter().map(Value::bytes).collect();
        let (code, text) = answer::verify(&chain, bytes(a, 1), &roots, seconds(a, 3));
        Ok(result(e, code, text, None))
    }),
    row("sct_verify", "", |_, a| {
        let is_known = count(a, 5) == SHA256;
        let is_valid =
            |der: &[u8]| timestamp::is_valid(der, bytes(a, 2), bytes(a, 3), count(a, 4), bytes(a, 6));
        Ok(Value::Bool(is_known && with(a, is_valid).unwrap_or(false)))
    }),
    row("parse_distinguished_name", "", |e, a| Ok(name(e, bytes(a, 0)))),
    row("SSL::weir_add_system_roots", "(certificates: table_string_of_string): count", |e, a| {
        let Value::Table(roots) = argument(a, 0) else { return Ok(Value::Count(0)) };
        for der in roots::of_system() {
            let Some(parts) = Parts::of(&der) else { continue };
            let key = Key::new(&name(e, parts.subject));
            roots.insert(key, Value::string(&der), e.now());
        }
        Ok(Value::Count(roots.len() as u64))
    }),
];

/// Returns the text of a distinguished name; empty where it is none.
fn name(engine: &Engine, der: &[u8]) -> Value {
    let mut text = Value::string("");
    if let Some(reader) = engine.frameworks.files.reader(OF_NAMES) {
        (reader.events)(der, &mut |_, arguments| {
            if let Some(EventValue::String(read)) = arguments.first() {
                text = Value::string(read);
            }
        });
    }
    text
}

/// The number of the hash that logs of certificates use (RFC 5246 7.4.1.4.1).
const SHA256: u64 = 4;

/// What reads distinguished names.
const OF_NAMES: &str = "DISTINGUISHED_NAME";

/// Code of what cannot be verified at all.
const IMPOSSIBLE: i64 = -1;

/// Returns a moment in seconds.
fn seconds(a: &[Value], place: usize) -> i64 {
    double(a, place) as i64
}

/// Returns the certificates of a vector; one that is none is empty.
fn chain(certificates: &Value) -> Vec<Vec<u8>> {
    let certificates = certificates.vector().map(|vector| vector.all()).unwrap_or_default();
    certificates
        .iter()
        .map(|value| with(std::slice::from_ref(value), <[u8]>::to_vec).unwrap_or_default())
        .collect()
}

/// Returns the values of a table.
fn strings(table: &Value) -> Vec<Value> {
    let entries = table.table().map(|table| table.entries()).unwrap_or_default();
    entries.into_iter().map(|entry| entry.value).collect()
}

fn verify(engine: &mut Engine, chain: &[Vec<u8>], roots: &[&[u8]], at: i64) -> Value {
    let Some((first, others)) = chain.split_first() else {
        return result(engine, IMPOSSIBLE, "no certificates", None);
    };
    let Some(first) = Certificate::read(first) else {
        return result(engine, IMPOSSIBLE, "No certificate in opaque", None);
    };
    let others: Vec<&[u8]> = others.iter().map(Vec::as_slice).collect();
    match path::find(first, &others, roots, at) {
        Ok(path) => {
            let path = path.iter().map(|certificate| opaque(certificate.der)).collect();
            result(engine, path::code::OK, path::sentence(path::code::OK), Some(path))
        }
        Err(code) => result(engine, code, path::sentence(code), None),
    }
}

/// Returns a record of a result.
fn result(engine: &mut Engine, code: i64, text: &str, path: Option<Vec<Value>>) -> Value {
    let ty = engine.program.type_named("x509_opaque_vector").unwrap_or(TypeId::ANY);
    let path = path.map_or(Value::Unset, |path| Value::Vector(Rc::new(VectorValue::new(ty, path))));
    let fields =
        [("result", Value::Int(code)), ("result_string", Value::string(text)), ("chain_certs", path)];
    engine.record_of("X509::Result", &fields)
}
