//! The portmapper (RFC 1833, section 3): which port a program is at.

use weir_base::EventValue;
use weir_base::event::{Nested, StreamFindings, StreamReader, transport};

use super::call::{Call, Reply};
use super::xdr::Xdr;
use super::{Conversation, Program, TIMEOUT};

/// The reader.
pub const READER: StreamReader = StreamReader {
    analyzer: "PORTMAPPER",
    events: &[
        "rpc_call",
        "rpc_dialogue",
        "rpc_discarded_pending_calls",
        "rpc_reply",
        "pm_attempt_callit",
        "pm_attempt_dump",
        "pm_attempt_getport",
        "pm_attempt_null",
        "pm_attempt_set",
        "pm_attempt_unset",
        "pm_bad_port",
        "pm_request_callit",
        "pm_request_dump",
        "pm_request_getport",
        "pm_request_null",
        "pm_request_set",
        "pm_request_unset",
    ],
    tells_weirds: true,
    lasts: Some(TIMEOUT),
    open: || Conversation::open(&PORTMAPPER),
};

static PORTMAPPER: Program = Program { call, reply };

/// The number of the program.
const NUMBER: u32 = 100_000;
/// The number of TCP among transports; others count as UDP.
const TCP: u32 = 6;

/// Procedures (section 3.1).
mod procedure {
    pub const NULL: u32 = 0;
    pub const SET: u32 = 1;
    pub const UNSET: u32 = 2;
    pub const GETPORT: u32 = 3;
    pub const DUMP: u32 = 4;
    pub const CALLIT: u32 = 5;
}

/// Takes numbers that are no ports.
type TellBad<'a> = &'a mut dyn FnMut(u32);

fn call(call: &Call, xdr: &mut Xdr<'_>, findings: &mut dyn StreamFindings) -> Option<usize> {
    if call.program != NUMBER {
        findings.weird("bad_RPC_program", "");
    }
    if call.procedure > procedure::CALLIT {
        return None;
    }
    arguments(call.procedure, xdr, &mut |number| bad_port(number, findings));
    xdr.is_whole().then(|| xdr.position())
}

fn bad_port(number: u32, findings: &mut dyn StreamFindings) {
    findings.raise("pm_bad_port", &[EventValue::Connection, number.into()]);
}

fn arguments(procedure: u32, xdr: &mut Xdr<'_>, bad: TellBad<'_>) -> Option<Nested<'static>> {
    match procedure {
        procedure::SET | procedure::UNSET => Some(mapping(xdr, bad)),
        procedure::GETPORT => {
            let fields = [xdr.u32().into(), xdr.u32().into(), EventValue::from(xdr.u32() == TCP)];
            // The port has no meaning.
            xdr.u32();
            Some(Nested::record(fields))
        }
        procedure::CALLIT => {
            let target = [xdr.u32(), xdr.u32(), xdr.u32()];
            let size = xdr.opaque(usize::MAX).map_or(0, <[u8]>::len);
            let [program, version, procedure] = target.map(EventValue::from);
            Some(Nested::record([program, version, procedure, size.into()]))
        }
        _ => None,
    }
}

/// Reads program, version, transport and port.
fn mapping(xdr: &mut Xdr<'_>, bad: TellBad<'_>) -> Nested<'static> {
    let (program, version) = (xdr.u32(), xdr.u32());
    let is_tcp = xdr.u32() == TCP;
    Nested::record([program.into(), version.into(), port(xdr.u32(), is_tcp, bad)])
}

/// Returns a port; numbers that are none count as 0.
fn port(number: u32, is_tcp: bool, bad: TellBad<'_>) -> EventValue<'static> {
    let port = u16::try_from(number).unwrap_or_else(|_| {
        bad(number);
        0
    });
    EventValue::Port(port, if is_tcp { transport::TCP } else { transport::UDP })
}

fn reply(call: &Call, reply: &Reply, xdr: &mut Xdr<'_>, findings: &mut dyn StreamFindings) -> bool {
    let events = match call.procedure {
        procedure::NULL => ["pm_request_null", "pm_attempt_null"],
        procedure::SET => ["pm_request_set", "pm_attempt_set"],
        procedure::UNSET => ["pm_request_unset", "pm_attempt_unset"],
        procedure::GETPORT => ["pm_request_getport", "pm_attempt_getport"],
        procedure::DUMP => ["pm_request_dump", "pm_attempt_dump"],
        procedure::CALLIT => ["pm_request_callit", "pm_attempt_callit"],
        _ => return false,
    };
    let [request, attempt] = events;
    let asked = arguments(call.procedure, &mut Xdr::new(&call.arguments), &mut |_| ());
    if !reply.is_success() {
        let status = Nested::from(reply.status);
        raise(attempt, [Some(status), asked], findings);
        return true;
    }
    let results = results(call, xdr, &mut |number| bad_port(number, findings));
    if xdr.is_whole() {
        raise(request, [asked, results], findings);
    }
    xdr.is_whole()
}

fn raise(event: &'static str, parts: [Option<Nested<'_>>; 2], findings: &mut dyn StreamFindings) {
    let told = parts.iter().flatten().map(EventValue::Nested);
    let arguments: Vec<EventValue<'_>> = std::iter::once(EventValue::Connection).chain(told).collect();
    findings.raise(event, &arguments);
}

fn results(call: &Call, xdr: &mut Xdr<'_>, bad: TellBad<'_>) -> Option<Nested<'static>> {
    Some(match call.procedure {
        procedure::SET | procedure::UNSET => xdr.flag().into(),
        procedure::GETPORT => {
            let mut asked = Xdr::new(&call.arguments);
            asked.u64();
            port(xdr.u32(), asked.u32() == TCP, bad).into()
        }
        procedure::DUMP => {
            let mut mappings = Vec::new();
            while xdr.flag() {
                let number = mappings.len() / 2 + 1;
                let mapping = mapping(xdr, bad);
                mappings.extend([number.into(), mapping]);
            }
            Nested::Table(mappings)
        }
        procedure::CALLIT => {
            let port = port(xdr.u32(), false, bad);
            xdr.opaque(usize::MAX);
            port.into()
        }
        _ => return None,
    })
}
