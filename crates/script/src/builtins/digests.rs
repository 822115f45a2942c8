//! Hashes of strings.

use std::rc::Rc;

use md5::{Digest, Md5};
use sha1::Sha1;
use sha2::{Sha224, Sha256, Sha384, Sha512};

use super::{Builtin, argument, bytes, row};
use crate::values::{Opaque, OpaqueValue, Value, text_of};
use crate::vm::{Engine, Outcome};

/// Makes the rows of one hash.
macro_rules! hash {
    ($($variant:ident $hash:ident $name:literal),*) => {
        &[$(
            row(concat!($name, "_hash"), "(va_args: any): string", |e, a| Ok(once::<$hash>(e, a))),
            row(concat!($name, "_hash_init"), concat!("(): opaque of ", $name), |_, _| {
                Ok(Value::Opaque(Rc::new(OpaqueValue::new(Opaque::$variant(Some($hash::new()))))))
            }),
            row(concat!($name, "_hash_update"), concat!("(handle: opaque of ", $name, ", data: string): bool"), |_, a| {
                Ok(Value::Bool(with(a, |opaque| match opaque {
                    Opaque::$variant(Some(state)) => { state.update(bytes(a, 1)); true }
                    _ => false,
                })))
            }),
            row(concat!($name, "_hash_finish"), concat!("(handle: opaque of ", $name, "): string"), |_, a| {
                let mut text = String::new();
                with(a, |opaque| match opaque {
                    Opaque::$variant(state) => {
                        if let Some(state) = state.take() { text = hexadecimal(&state.finalize()); }
                        true
                    }
                    _ => false,
                });
                Ok(Value::string(text))
            }),
        )*
            row("sha224_hash", "(va_args: any): string", |e, a| Ok(once::<Sha224>(e, a))),
            row("md5_hmac", "(va_args: any): string", |e, a| Ok(marked(e, a))),
            row("sha256_hmac", "(va_args: any): string", |e, a| Ok(keyed::<Sha256>(e, a))),
            row("fnv1a32", "(input: any): count", |e, a| {
                let text = text_of(&argument(a, 0), e.types());
                Ok(Value::Count(text.iter().fold(0x811c_9dc5_u64, |sum, byte| ((sum ^ u64::from(*byte)).wrapping_mul(0x0100_0193)) & 0xffff_ffff)))
            }),
            row("fnv1a64", "(input: any): count", |e, a| {
                let text = text_of(&argument(a, 0), e.types());
                Ok(Value::Count(text.iter().fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| (sum ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3))))
            }),
            row("hrw_weight", "(key_digest: count, site_id: count): count", hrw_weight),
            row("community_id_v1", "(cid: conn_id, seed: count &default=0, do_base64: bool &default=T): string", community_id),
        ]
    };
}

pub(super) const ROWS: &[Builtin] = hash!(Md5 Md5 "md5", Sha1 Sha1 "sha1", Sha256 Sha256 "sha256", Sha384 Sha384 "sha384", Sha512 Sha512 "sha512");

fn with(a: &[Value], change: impl FnOnce(&mut Opaque) -> bool) -> bool {
    match a.first() {
        Some(Value::Opaque(opaque)) => {
            opaque.inner.try_borrow_mut().is_ok_and(|mut inner| change(&mut inner))
        }
        _ => false,
    }
}

/// Returns bytes in hexadecimal digits.
pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn content(engine: &Engine, a: &[Value]) -> Vec<u8> {
    a.iter().flat_map(|value| text_of(value, engine.types())).collect()
}

fn once<D: Digest>(engine: &Engine, a: &[Value]) -> Value {
    Value::string(hexadecimal(&D::digest(content(engine, a))))
}

/// Hashes, and hashes what the run's own key makes of that.
fn marked(engine: &Engine, a: &[Value]) -> Value {
    let mut hash = Md5::digest(content(engine, a));
    for (byte, key) in hash.iter_mut().zip(Md5::digest(engine.random.mark())) {
        *byte ^= key;
    }
    Value::string(hexadecimal(&Md5::digest(hash)))
}

/// Hashes with a key that is the run's own.
fn keyed<D: Digest>(engine: &Engine, a: &[Value]) -> Value {
    let key = Md5::digest(format!("{:p}", std::ptr::from_ref(&engine.output)));
    let mut block = [0u8; 64];
    for (place, byte) in block.iter_mut().zip(key.iter()) {
        *place = *byte;
    }
    let pad = |with: u8| block.iter().map(|byte| byte ^ with).collect::<Vec<u8>>();
    let inner = D::digest([pad(0x36), content(engine, a)].concat());
    Value::string(hexadecimal(&D::digest([pad(0x5c), inner.to_vec()].concat())))
}

/// Weighs a site for a key (Thaler and Ravishankar, 1998).
fn hrw_weight(_: &mut Engine, a: &[Value]) -> Outcome<Value> {
    let digest = super::count(a, 0) & 0x7fff_ffff;
    let site = super::count(a, 1) & 0x7fff_ffff;
    let step = |value: u64| value.wrapping_mul(1_103_515_245).wrapping_add(12345);
    Ok(Value::Count(step(step(site) ^ digest) % (1 << 31)))
}

/// Returns the identifier of a connection that other tools compute as well (Community ID, version 1).
fn community_id(engine: &mut Engine, a: &[Value]) -> Outcome<Value> {
    let id = argument(a, 0);
    let Some(id) = id.record() else { return Ok(Value::string("")) };
    let field = |name: &str| engine.field(id, name);
    let (Value::Addr(from), Value::Addr(to), Value::Port(from_port), Value::Port(to_port)) =
        (field("orig_h"), field("resp_h"), field("orig_p"), field("resp_p"))
    else {
        return Ok(Value::string(""));
    };
    let mut ends = [(from, from_port.number), (to, to_port.number)];
    let mut is_one_way = false;
    let protocol = match from_port.protocol {
        crate::values::protocol::UDP => 17,
        crate::values::protocol::ICMP => {
            let answer = answer(from_port.number, from.is_v4());
            is_one_way = answer.is_none();
            if let Some(answer) = answer
                && let Some(end) = ends.last_mut()
            {
                end.1 = answer;
            } else if let Some(end) = ends.last_mut() {
                end.1 = to_port.number;
            }
            if from.is_v4() { 1 } else { 58 }
        }
        crate::values::protocol::UNKNOWN => match u8::try_from(field("proto").count()) {
            Ok(protocol) => protocol,
            Err(_) => return Ok(Value::string("")),
        },
        _ => 6,
    };
    if !is_one_way && (from.octets(), from_port.number) > (to.octets(), ends.last().map_or(0, |end| end.1)) {
        ends.reverse();
    }
    let mut input = (super::count(a, 1) as u16).to_be_bytes().to_vec();
    for (address, _) in &ends {
        input.extend_from_slice(address.octets());
    }
    input.extend_from_slice(&[protocol, 0]);
    if from_port.protocol != crate::values::protocol::UNKNOWN {
        input.extend(ends.iter().flat_map(|(_, port)| port.to_be_bytes()));
    }
    let digest = Sha1::digest(input);
    let text = if super::is_true(a, 2) {
        use base64::Engine as _;
        base64::engine::general_purpose::STANDARD.encode(digest)
    } else {
        hexadecimal(&digest)
    };
    Ok(Value::string(format!("1:{text}")))
}

/// Returns the type of ICMP that answers another one.
fn answer(kind: u16, is_v4: bool) -> Option<u16> {
    let pairs: &[(u16, u16)] = if is_v4 {
        &[(8, 0), (0, 8), (13, 14), (14, 13), (15, 16), (16, 15), (10, 9), (9, 10), (17, 18), (18, 17)]
    } else {
        &[
            (128, 129),
            (129, 128),
            (133, 134),
            (134, 133),
            (135, 136),
            (136, 135),
            (130, 131),
            (131, 130),
            (144, 145),
            (145, 144),
            (139, 140),
            (140, 139),
        ]
    };
    pairs.iter().find(|(one, _)| *one == kind).map(|(_, other)| *other)
}
