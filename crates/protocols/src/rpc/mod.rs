//! Remote procedure calls (RFC 5531) for scripts: those of the portmapper (RFC 1833, version 2), of mounting and of NFS
//! (RFC 1813, version 3), over UDP and TCP. Only scripts ask for them, at ports that they register. As in Zeek versions of
//! programs are not told apart, and a call without a reply is told of when its connection ends.
//!
//! Limits: the length of a message ([`record::MAX_MESSAGE`]), calls that wait for replies (`rpc_max_pending_calls` of scripts, at
//! most [`MAX_CALLS`]) and what is kept of them ([`MAX_KEPT`]); where one is reached, those that wait are forgotten.

mod call;
mod mount;
mod nfs3;
mod portmapper;
mod record;
mod xdr;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use weir_base::EventValue;
use weir_base::event::{Nested, ReadStreams, StreamFindings};

use call::{Call, Reply, status};
use record::{Found, Records};
use xdr::Xdr;

pub use mount::READER as MOUNT;
pub use nfs3::READER as NFS3;
pub use portmapper::READER as PORTMAPPER;

/// The setting of scripts that says how long a conversation in datagrams lasts.
const TIMEOUT: &str = "rpc_timeout";

/// Most calls that wait, where scripts say nothing else.
const DEFAULT_CALLS: u64 = 1000;
/// Most calls that wait, whatever scripts say.
const MAX_CALLS: u64 = 65_536;
/// Most bytes that are kept of calls.
const MAX_KEPT: usize = 1 << 20;

/// Kinds of messages.
const CALL: u32 = 0;
const REPLY: u32 = 1;

/// A program: it reads arguments and results.
struct Program {
    /// Reads the arguments of a call; returns how many bytes of them are told with the reply, none where they are malformed.
    call: fn(&Call, &mut Xdr<'_>, &mut dyn StreamFindings) -> Option<usize>,
    /// Reads the results of a call and tells of both; returns whether they make sense.
    reply: fn(&Call, &Reply, &mut Xdr<'_>, &mut dyn StreamFindings) -> bool,
}

/// One connection.
struct Conversation {
    program: &'static Program,
    sides: [Records; 2],
    /// Calls that wait for their replies, by their numbers.
    calls: BTreeMap<u32, Call>,
    /// Bytes that are kept of them.
    kept: usize,
}

impl Conversation {
    fn open(program: &'static Program) -> Box<dyn ReadStreams> {
        Box::new(Self { program, sides: Default::default(), calls: BTreeMap::new(), kept: 0 })
    }

    /// Takes a message; returns whether it is all there and its arguments can be read.
    fn message(
        &mut self,
        message: &[u8],
        is_orig: bool,
        times: [f64; 2],
        findings: &mut dyn StreamFindings,
    ) -> bool {
        let Some((number, kind, body)) = call::read_head(message) else { return false };
        let rest = match kind {
            CALL => {
                if !is_orig {
                    findings.weird("responder_RPC_call", "");
                }
                self.call(number, body, times, findings)
            }
            REPLY => {
                if is_orig {
                    findings.weird("originator_RPC_reply", "");
                }
                self.reply(number, body, times, findings)
            }
            _ => {
                findings.weird("bad_RPC", "");
                Some(body)
            }
        };
        // Zeros fill up.
        if rest.is_some_and(|rest| rest.iter().any(|byte| *byte != 0)) {
            findings.weird("excess_RPC", "");
        }
        rest.is_some()
    }

    /// Takes a call; returns what is left behind its arguments.
    fn call<'a>(
        &mut self,
        number: u32,
        body: &'a [u8],
        times: [f64; 2],
        findings: &mut dyn StreamFindings,
    ) -> Option<&'a [u8]> {
        let (mut call, mut xdr) = if let Some(mut known) = self.calls.remove(&number) {
            self.kept = self.kept.saturating_sub(known.kept());
            if !known.is_again(body) {
                findings.weird("RPC_rexmit_inconsistency", "");
            }
            known.times = times;
            let Some(arguments) = body.get(known.header..) else {
                findings.weird("RPC_underflow", "");
                self.keep(number, known);
                return None;
            };
            (known, Xdr::new(arguments))
        } else if let Some(read) = Call::read(body, times) {
            read
        } else {
            findings.weird("bad_RPC", "");
            return None;
        };
        let counts = [number, call.program, call.version, call.procedure].map(EventValue::from);
        let [number_told, program, version, procedure] = counts;
        let arguments =
            [EventValue::Connection, number_told, program, version, procedure, call.length.into()];
        let begin = xdr.rest();
        let most = findings.count("rpc_max_pending_calls").unwrap_or(DEFAULT_CALLS);
        let most = if most == 0 { MAX_CALLS } else { most.min(MAX_CALLS) };
        if self.calls.len() as u64 >= most || self.kept >= MAX_KEPT {
            findings.weird("RPC_pending_calls_discarded", "");
            findings.raise("rpc_discarded_pending_calls", &[EventValue::Connection]);
            self.calls.clear();
            self.kept = 0;
        }
        findings.raise("rpc_call", &arguments);
        let start = xdr.position();
        let read = (self.program.call)(&call, &mut xdr, findings);
        if let Some(end) = read {
            call.is_valid = true;
            call.arguments = begin.get(..end.saturating_sub(start)).unwrap_or_default().to_vec();
        } else {
            findings.weird("bad_RPC", "");
        }
        self.keep(number, call);
        read.map(|_| xdr.rest())
    }

    fn keep(&mut self, number: u32, call: Call) {
        self.kept += call.kept();
        self.calls.insert(number, call);
    }

    /// Takes a reply; returns what is left behind its results.
    fn reply<'a>(
        &mut self,
        number: u32,
        body: &'a [u8],
        times: [f64; 2],
        findings: &mut dyn StreamFindings,
    ) -> Option<&'a [u8]> {
        let mut xdr = Xdr::new(body);
        let (status, is_odd) = call::read_status(&mut xdr)?;
        if is_odd {
            findings.weird("bad_RPC", "");
        }
        let left = EventValue::from(xdr.rest().len());
        findings.raise("rpc_reply", &[EventValue::Connection, number.into(), status.into(), left]);
        let Some(call) = self.calls.remove(&number) else {
            findings.weird("unpaired_RPC_response", "");
            return Some(&[]);
        };
        self.kept = self.kept.saturating_sub(call.kept());
        let reply = Reply { status, times, length: body.len() };
        if !call.is_valid {
            if reply.is_success() {
                findings.weird("successful_RPC_reply_to_invalid_request", "");
            }
        } else if !(self.program.reply)(&call, &reply, &mut xdr, findings) {
            findings.weird("bad_RPC", "");
        }
        dialogue(&call, status, xdr.rest().len(), findings);
        Some(if xdr.is_whole() { xdr.rest() } else { &[] })
    }
}

/// Tells of a call and what came of it, and how many bytes of the reply are not read.
fn dialogue(call: &Call, status: u32, left: usize, findings: &mut dyn StreamFindings) {
    let [program, version, procedure] = [call.program, call.version, call.procedure].map(EventValue::from);
    let [begun, _] = call.times;
    let arguments = [
        EventValue::Connection,
        program,
        version,
        procedure,
        status.into(),
        EventValue::Moment(begun),
        call.length.into(),
        left.into(),
    ];
    findings.raise("rpc_dialogue", &arguments);
}

/// Tells of a call and its reply: the record that sums them up, arguments and results, where there are some.
fn tell(
    event: &'static str,
    info: &Nested<'_>,
    parts: [Option<Nested<'_>>; 2],
    findings: &mut dyn StreamFindings,
) {
    let told = parts.iter().flatten().map(EventValue::Nested);
    let arguments: Vec<EventValue<'_>> =
        [EventValue::Connection, EventValue::Nested(info)].into_iter().chain(told).collect();
    findings.raise(event, &arguments);
}

impl ReadStreams for Conversation {
    fn data(&mut self, is_orig: bool, bytes: &[u8], findings: &mut dyn StreamFindings) {
        let Some(mut records) = self.sides.get_mut(usize::from(!is_orig)).map(std::mem::take) else { return };
        let now = findings.now();
        records.take(bytes, !is_orig, now, &mut |found| match found {
            Found::Message(message, times) => {
                if !self.message(message, is_orig, times, findings) {
                    findings.weird_of_connection("partial_RPC", "");
                }
            }
            Found::TooLong(length) => {
                findings.weird_of_connection("RPC_message_too_long", &length.to_string());
            }
        });
        if let Some(side) = self.sides.get_mut(usize::from(!is_orig)) {
            *side = records;
        }
    }

    fn datagram(&mut self, is_orig: bool, bytes: &[u8], findings: &mut dyn StreamFindings) {
        let now = findings.now();
        if !self.message(bytes, is_orig, [now, now], findings) {
            findings.weird("bad_RPC", "");
        }
    }

    fn gap(&mut self, is_orig: bool) {
        if let Some(side) = self.sides.get_mut(usize::from(!is_orig)) {
            side.lose();
        }
    }

    /// Tells of calls that had no reply.
    fn end(&mut self, findings: &mut dyn StreamFindings) {
        let now = findings.now();
        let reply = Reply { status: status::TIMEOUT, times: [now, now], length: 0 };
        for call in std::mem::take(&mut self.calls).into_values() {
            dialogue(&call, reply.status, 0, findings);
            if call.is_valid && !(self.program.reply)(&call, &reply, &mut Xdr::nothing(), findings) {
                findings.weird("bad_RPC", "");
            }
        }
    }
}
