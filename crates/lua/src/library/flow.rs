//! `suricata.flow`.

use mlua::{Error, MultiValue, Value};
use weir_flow::{FlowCore, FlowFlags};

use super::Method;
use super::packet::ends;
use super::time;
use crate::host::Host;
use crate::value::{fraction, nothing, number, string};

/// The methods; the first row says why there is no flow.
pub(super) const METHODS: &[Method] = &[
    ("", "", |lua, host, _| match host.flow {
        Some(_) => Ok(MultiValue::new()),
        None => nothing(lua, "failed to get flow"),
    }),
    (
        "timestamps",
        "Seconds of the first packet and of the last, then the microseconds of both, four fractions.",
        |_, host, _| {
            let core = flow(host)?;
            let ends = [core.start, core.last];
            let seconds = ends.iter().map(|time| time.seconds());
            let parts = seconds.chain(ends.iter().map(|time| u64::from(time.micros())));
            Ok(parts.map(fraction).collect())
        },
    ),
    ("timestring_legacy", "Time of the first packet as `fast.log` has it.", |lua, host, _| {
        one(string(lua, time::legacy(flow(host)?.start))?)
    }),
    ("timestring_iso8601", "Time of the first packet as EVE has it.", |lua, host, _| {
        one(string(lua, flow(host)?.start.iso8601())?)
    }),
    (
        "tuple",
        "Version of IP, client, server, protocol, and both ports; of ICMP, type and code.",
        |lua, host, _| {
            let key = &flow(host)?.key;
            ends(lua, (key.source, key.destination), key.protocol, (key.source_port, key.destination_port))
        },
    ),
    (
        "app_layer_proto",
        "Application protocols: the flow's, the client's, the server's, the one before a change, and the one expected.",
        |lua, host, _| host.app.into_iter().map(|name| string(lua, name)).collect(),
    ),
    ("has_alerts", "Whether a rule alerted on the flow.", |_, host, _| {
        one(Value::Boolean(flow(host)?.flags.contains(FlowFlags::ALERTED)))
    }),
    ("id", "Id of the flow, as in EVE.", |_, host, _| one(number(flow(host)?.id.0))),
    ("stats", "Packets and bytes of the client, packets and bytes of the server.", |_, host, _| {
        let core = flow(host)?;
        let counts =
            [core.packets.to_server, core.bytes.to_server, core.packets.to_client, core.bytes.to_client];
        Ok(counts.into_iter().map(number).collect())
    }),
];

fn one(value: Value) -> mlua::Result<MultiValue> {
    Ok([value].into_iter().collect())
}

fn flow<'a>(host: &Host<'a>) -> mlua::Result<&'a FlowCore> {
    host.flow.ok_or_else(|| Error::runtime("no flow"))
}
