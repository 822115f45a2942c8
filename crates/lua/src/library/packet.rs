//! `suricata.packet`.

use std::net::IpAddr;

use mlua::{Error, Lua, MultiValue, Value};
use weir_packet::{Packet, Transport};

use super::Method;
use super::time;
use crate::host::Host;
use crate::value::{fraction, nothing, number, string};

/// The methods; the first row says why there is no packet.
pub(super) const METHODS: &[Method] = &[
    ("", "", |lua, host, _| match host.packet {
        Some(_) => Ok(MultiValue::new()),
        None => nothing(lua, "failed to get packet"),
    }),
    ("timestamp", "Seconds and microseconds of the packet's time, two fractions.", |_, host, _| {
        let time = packet(host)?.time;
        Ok([fraction(time.seconds()), fraction(u64::from(time.micros()))].into_iter().collect())
    }),
    ("timestring_legacy", "The time as `fast.log` has it (`11/24/2009-18:57:25.179869`).", |lua, host, _| {
        one(string(lua, time::legacy(packet(host)?.time))?)
    }),
    ("timestring_iso8601", "The time as EVE has it.", |lua, host, _| {
        one(string(lua, packet(host)?.time.iso8601())?)
    }),
    (
        "tuple",
        "Version of IP, source, destination, protocol, and both ports; of ICMP, type and code. 0 alone without IP.",
        tuple,
    ),
    ("sp", "Source port; nothing and a sentence where the protocol has none.", |lua, host, _| {
        one_port(lua, packet(host)?.source_port(), "sp")
    }),
    ("dp", "Destination port; nothing and a sentence where the protocol has none.", |lua, host, _| {
        one_port(lua, packet(host)?.destination_port(), "dp")
    }),
    ("payload", "Payload of the transport protocol.", |lua, host, _| {
        one(string(lua, packet(host)?.payload)?)
    }),
    ("packet", "The whole packet, with the headers of all layers.", |lua, host, _| {
        one(string(lua, packet(host)?.bytes)?)
    }),
    ("pcap_cnt", "Number of the packet in the capture.", |_, host, _| one(number(packet(host)?.number))),
];

fn packet<'a>(host: &Host<'a>) -> mlua::Result<&'a Packet<'a>> {
    host.packet.ok_or_else(|| Error::runtime("no packet"))
}

fn one(value: Value) -> mlua::Result<MultiValue> {
    Ok([value].into_iter().collect())
}

fn one_port(lua: &Lua, found: Option<u16>, name: &str) -> mlua::Result<MultiValue> {
    match found {
        Some(found) => one(port(found)),
        None => nothing(lua, &format!("{name} only available for tcp, udp and sctp")),
    }
}

fn port(port: u16) -> Value {
    Value::Integer(i64::from(port))
}

/// Version of IP, both addresses, the protocol, and both ports, or type and code of ICMP.
pub(super) fn ends(
    lua: &Lua,
    (source, destination): (IpAddr, IpAddr),
    protocol: u8,
    ports: (u16, u16),
) -> mlua::Result<MultiValue> {
    let version = if source.is_ipv4() { 4 } else { 6 };
    Ok([
        Value::Integer(version),
        string(lua, source.to_string())?,
        string(lua, destination.to_string())?,
        Value::Integer(i64::from(protocol)),
        port(ports.0),
        port(ports.1),
    ]
    .into_iter()
    .collect())
}

fn tuple(lua: &Lua, host: &mut Host<'_>, _: MultiValue) -> mlua::Result<MultiValue> {
    let packet = packet(host)?;
    let Some(addresses) = packet.source().zip(packet.destination()) else {
        return one(Value::Integer(0));
    };
    let ports = match &packet.transport {
        Transport::Icmpv4(icmp) | Transport::Icmpv6(icmp) => (u16::from(icmp.kind), u16::from(icmp.code)),
        other => other.ports().unwrap_or_default(),
    };
    ends(lua, addresses, packet.ip_protocol().unwrap_or_default(), ports)
}
