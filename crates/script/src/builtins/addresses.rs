//! Addresses, networks and ports.

use std::rc::Rc;

use super::{Builtin, argument, bytes, count, row};
use crate::types::TypeId;
use crate::values::{Addr, Key, Subnet, TableValue, Value, VectorValue, protocol};
use crate::vm::{Engine, Outcome};

pub(super) const ROWS: &[Builtin] = &[
    row("is_v4_addr", "(a: addr): bool", |_, a| Ok(Value::Bool(address(a, 0).is_v4()))),
    row("is_v6_addr", "(a: addr): bool", |_, a| Ok(Value::Bool(!address(a, 0).is_v4()))),
    row("is_v4_subnet", "(s: subnet): bool", |_, a| Ok(Value::Bool(network(a, 0).is_v4()))),
    row("is_v6_subnet", "(s: subnet): bool", |_, a| Ok(Value::Bool(!network(a, 0).is_v4()))),
    row("is_valid_ip", "(ip: string): bool", |_, a| {
        Ok(Value::Bool(Addr::parse(&String::from_utf8_lossy(bytes(a, 0))).is_some()))
    }),
    row("is_valid_subnet", "(cidr: string): bool", |_, a| {
        Ok(Value::Bool(Subnet::parse(&String::from_utf8_lossy(bytes(a, 0))).is_some()))
    }),
    row("addr_to_counts", "(a: addr): index_vec", |e, a| {
        let address = address(a, 0);
        let words = address
            .octets()
            .chunks(4)
            .map(|word| word.iter().fold(0, |sum, byte| sum << 8 | u64::from(*byte)));
        let words = words.map(Value::Count).collect();
        let ty = e.program.types.vector(TypeId::COUNT);
        Ok(Value::Vector(Rc::new(VectorValue::new(ty, words))))
    }),
    row("counts_to_addr", "(v: index_vec): addr", counts_to_addr),
    row("addr_to_subnet", "(a: addr): subnet", |_, a| {
        let address = address(a, 0);
        Ok(Value::Subnet(Subnet::new(address, address.width())))
    }),
    row("subnet_to_addr", "(sn: subnet): addr", |_, a| Ok(Value::Addr(network(a, 0).prefix))),
    row("subnet_width", "(sn: subnet): count", |_, a| Ok(Value::Count(u64::from(network(a, 0).width())))),
    row("mask_addr", "(a: addr, top_bits_to_keep: count): subnet", |e, a| {
        let address = address(a, 0);
        let length = u8::try_from(count(a, 1)).unwrap_or(u8::MAX);
        if length > address.width() {
            return Err(e.fail(&format!("mask_addr: bad prefix length {length}")));
        }
        Ok(Value::Subnet(Subnet::new(address, length)))
    }),
    row("remask_addr", "(a1: addr, a2: addr, top_bits_from_a1: count): addr", |e, a| {
        let length = u8::try_from(count(a, 2)).unwrap_or(u8::MAX);
        if length > 128 {
            return Err(e.fail("remask_addr: bad number of bits"));
        }
        let (one, other) = (address(a, 0), address(a, 1));
        let low = other.number() & !(if length == 0 { 0 } else { u128::MAX << (128 - u32::from(length)) });
        Ok(Value::Addr(Addr((one.masked(length).number() | low).to_be_bytes())))
    }),
    row("addr_to_ptr_name", "(a: addr): string", |_, a| Ok(Value::string(pointer(address(a, 0))))),
    row("ptr_name_to_addr", "(s: string): addr", pointer_to_addr),
    row("is_tcp_port", "(p: port): bool", |_, a| Ok(Value::Bool(transport(a) == protocol::TCP))),
    row("is_udp_port", "(p: port): bool", |_, a| Ok(Value::Bool(transport(a) == protocol::UDP))),
    row("is_icmp_port", "(p: port): bool", |_, a| Ok(Value::Bool(transport(a) == protocol::ICMP))),
    row("get_port_transport_proto", "(p: port): transport_proto", |e, a| Ok(proto(e, transport(a)))),
    row("get_conn_transport_proto", "(cid: conn_id): transport_proto", |e, a| {
        let port = argument(a, 0).record().map(|record| e.field(record, "resp_p"));
        let transport = match port {
            Some(Value::Port(port)) => port.protocol,
            _ => protocol::UNKNOWN,
        };
        Ok(proto(e, transport))
    }),
    row("check_subnet", "(search: subnet, t: any): bool", |_, a| {
        let table = argument(a, 1);
        Ok(Value::Bool(table.table().is_some_and(|table| table.contains(&argument(a, 0)))))
    }),
    row("matching_subnets", "(search: subnet, t: any): subnet_vec", |e, a| {
        let found = covering(a).into_iter().map(|entry| entry.key.0).collect();
        let ty = e.program.types.vector(TypeId::SUBNET);
        Ok(Value::Vector(Rc::new(VectorValue::new(ty, found))))
    }),
    row("filter_subnet_table", "(search: subnet, t: any): any", |e, a| {
        let table = argument(a, 1);
        let ty = table.table().map_or(TypeId::ANY, |table| table.ty.get());
        let new = Rc::new(TableValue::new(ty));
        for entry in covering(a) {
            new.insert(Key::new(&entry.key.0), entry.value, e.now());
        }
        Ok(Value::Table(new))
    }),
    row("routing0_data_to_addrs", "(s: string): addr_vec", |e, a| {
        let octets = bytes(a, 0).get(4..).unwrap_or(&[]);
        let all = octets.chunks_exact(16).filter_map(|chunk| <[u8; 16]>::try_from(chunk).ok());
        let all = all.map(|octets| Value::Addr(Addr(octets))).collect();
        let ty = e.program.types.vector(TypeId::ADDR);
        Ok(Value::Vector(Rc::new(VectorValue::new(ty, all))))
    }),
    row("preserve_prefix", "(a: addr, width: count): any", |_, _| Ok(Value::Unset)),
    row("preserve_subnet", "(a: subnet): any", |_, _| Ok(Value::Unset)),
    row("is_local_interface", "(ip: addr): bool", |_, a| {
        let address = address(a, 0);
        Ok(Value::Bool(address.is_v4() && address.octets().first() == Some(&127)))
    }),
];

fn address(a: &[Value], place: usize) -> Addr {
    match a.get(place) {
        Some(Value::Addr(address)) => *address,
        _ => Addr([0; 16]),
    }
}

fn network(a: &[Value], place: usize) -> Subnet {
    match a.get(place) {
        Some(Value::Subnet(network)) => *network,
        _ => Subnet { prefix: Addr([0; 16]), length: 0 },
    }
}

fn transport(a: &[Value]) -> u8 {
    match a.first() {
        Some(Value::Port(port)) => port.protocol,
        _ => protocol::UNKNOWN,
    }
}

fn proto(engine: &Engine, transport: u8) -> Value {
    match engine.program.type_named("transport_proto") {
        Some(ty) => Value::Enum(ty, i64::from(transport)),
        None => Value::Unset,
    }
}

/// Returns the entries of a table of networks whose index holds a network, longest prefix first.
fn covering(a: &[Value]) -> Vec<crate::values::Entry> {
    let search = network(a, 0);
    let table = argument(a, 1);
    let Some(table) = table.table() else { return Vec::new() };
    let holds = |entry: &crate::values::Entry| match &entry.key.0 {
        Value::Subnet(wide) => wide.length <= search.length && wide.contains(search.prefix),
        _ => false,
    };
    let mut found: Vec<_> = table.entries().into_iter().filter(holds).collect();
    found.sort_by_key(|entry| match &entry.key.0 {
        Value::Subnet(wide) => std::cmp::Reverse(wide.length),
        _ => std::cmp::Reverse(0),
    });
    found
}

fn counts_to_addr(engine: &mut Engine, a: &[Value]) -> Outcome<Value> {
    let words = argument(a, 0).vector().map(|vector| vector.all()).unwrap_or_default();
    let octets: Vec<u8> = words.iter().flat_map(|word| (word.count() as u32).to_be_bytes()).collect();
    if let Ok(octets) = <[u8; 4]>::try_from(octets.as_slice()) {
        return Ok(Value::Addr(Addr::v4(octets)));
    }
    match <[u8; 16]>::try_from(octets.as_slice()) {
        Ok(octets) => Ok(Value::Addr(Addr(octets))),
        Err(_) => {
            engine.complain("invalid vector size");
            Ok(Value::Addr(Addr([0; 16])))
        }
    }
}

fn pointer(address: Addr) -> String {
    if address.is_v4() {
        let parts: Vec<String> = address.octets().iter().rev().map(u8::to_string).collect();
        return format!("{}.in-addr.arpa", parts.join("."));
    }
    let nibbles: Vec<String> = address
        .octets()
        .iter()
        .rev()
        .flat_map(|byte| [format!("{:x}", byte & 15), format!("{:x}", byte >> 4)])
        .collect();
    format!("{}.ip6.arpa", nibbles.join("."))
}

fn pointer_to_addr(engine: &mut Engine, a: &[Value]) -> Outcome<Value> {
    let text = String::from_utf8_lossy(bytes(a, 0)).into_owned();
    let read = || {
        if let Some(parts) = text.strip_suffix(".in-addr.arpa") {
            let octets: Option<Vec<u8>> = parts.split('.').rev().map(|part| part.parse().ok()).collect();
            return <[u8; 4]>::try_from(octets?).ok().map(Addr::v4);
        }
        let nibbles: Option<Vec<u8>> = text
            .strip_suffix(".ip6.arpa")?
            .split('.')
            .rev()
            .map(|part| u8::from_str_radix(part, 16).ok())
            .collect();
        let nibbles = nibbles.filter(|nibbles| nibbles.len() == 32)?;
        let octets: Vec<u8> = nibbles
            .chunks_exact(2)
            .map(|pair| pair.iter().fold(0u8, |sum, nibble| sum << 4 | nibble))
            .collect();
        <[u8; 16]>::try_from(octets).ok().map(Addr)
    };
    match read() {
        Some(address) => Ok(Value::Addr(address)),
        None => {
            engine.complain("bad PTR name");
            Ok(Value::Addr(Addr([0; 16])))
        }
    }
}
