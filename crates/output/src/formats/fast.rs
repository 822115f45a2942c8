//! `fast.log`: one line of text for each alert.

use weir_packet::Transport;
use weir_rules::Action;

use crate::format::{Format, RecordKind, RecordKinds};
use crate::outlet::{OutletId, Outlets};
use crate::record::{AlertRecord, Record, RecordContext};
use crate::timestamp::TimeWriter;
use crate::{address, protocol_number};

/// Bytes shown of a packet without IP header.
const RAW_BYTES: usize = 32;

/// A worker's writer.
pub struct Fast {
    outlet: OutletId,
    /// Packets can be held back.
    inline: bool,
    /// A capture is read.
    offline: bool,
    time: TimeWriter,
}

impl Fast {
    /// Writes to `outlet`.
    pub fn new(outlet: OutletId, inline: bool, offline: bool) -> Self {
        Self { outlet, inline, offline, time: TimeWriter::default() }
    }

    fn line(&mut self, cx: &RecordContext<'_>, record: &AlertRecord<'_>, out: &mut Vec<u8>) {
        let rule = record.rule;
        self.time.fast(out, cx.packet.map_or(cx.now, |packet| packet.time));
        out.extend_from_slice(b"  ");
        let drops = matches!(
            record.alert.action,
            Action::Drop | Action::Reject | Action::RejectSrc | Action::RejectDst | Action::RejectBoth
        );
        if drops {
            out.extend_from_slice(if self.inline { b"[Drop] " } else { b"[wDrop] " });
        }
        out.extend_from_slice(b"[**] [");
        for (index, number) in [rule.gid, rule.sid, rule.rev].into_iter().enumerate() {
            if index > 0 {
                out.push(b':');
            }
            decimal(out, number);
        }
        out.extend_from_slice(b"] ");
        out.extend_from_slice(if rule.msg.is_empty() { b"(null)" } else { rule.msg.as_bytes() });
        out.extend_from_slice(b" [**] [Classification: ");
        let class = rule.classtype.as_ref().map_or("(null)", |class| &class.description);
        out.extend_from_slice(class.as_bytes());
        out.extend_from_slice(b"] [Priority: ");
        decimal(out, rule.priority);
        out.push(b']');
        match ends(cx) {
            Some(ends) => ends.append(out),
            None => self.raw(cx, out),
        }
    }

    fn raw(&self, cx: &RecordContext<'_>, out: &mut Vec<u8>) {
        let Some(packet) = cx.packet else { return };
        out.extend_from_slice(b" [**] [Raw pkt: ");
        for byte in packet.bytes.iter().take(RAW_BYTES) {
            out.extend(weir_base::hex::digits(*byte).map(|digit| digit.to_ascii_uppercase()));
            out.push(b' ');
        }
        out.push(b']');
        if self.offline {
            out.extend_from_slice(b" [pcap file packet: ");
            out.extend_from_slice(itoa::Buffer::new().format(packet.number).as_bytes());
            out.push(b']');
        }
    }
}

impl Format for Fast {
    fn wants(&self) -> RecordKinds {
        RecordKinds::of(&[RecordKind::Alert])
    }

    fn part(&self, _: &'static str) -> &'static str {
        "fast.log"
    }

    fn record(&mut self, cx: &RecordContext<'_>, record: &Record<'_>, out: &mut Outlets) {
        if let Record::Alert(alert) = record {
            let outlet = self.outlet;
            out.line(outlet, cx.position, |bytes| {
                self.line(cx, alert, bytes);
                true
            });
        }
    }
}

fn decimal(out: &mut Vec<u8>, number: u32) {
    out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
}

/// The two ends as the line shows them: for ICMP, type and code stand in place of ports.
struct Ends {
    protocol: u8,
    source: (std::net::IpAddr, u16),
    destination: (std::net::IpAddr, u16),
}

impl Ends {
    fn append(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b" {");
        match protocol_number::name(self.protocol) {
            Some(name) => out.extend_from_slice(name.as_bytes()),
            None => {
                out.extend_from_slice(b"PROTO:");
                protocol_number::append(out, self.protocol);
            }
        }
        out.extend_from_slice(b"} ");
        address::append_full(out, self.source.0);
        out.push(b':');
        decimal(out, u32::from(self.source.1));
        out.extend_from_slice(b" -> ");
        address::append_full(out, self.destination.0);
        out.push(b':');
        decimal(out, u32::from(self.destination.1));
    }
}

fn ends(cx: &RecordContext<'_>) -> Option<Ends> {
    if let Some(packet) = cx.packet
        && let Some(ip) = &packet.ip
    {
        let (source_port, destination_port) = match &packet.transport {
            Transport::Icmpv4(icmp) | Transport::Icmpv6(icmp) => (u16::from(icmp.kind), u16::from(icmp.code)),
            other => other.ports().unwrap_or((0, 0)),
        };
        return Some(Ends {
            protocol: ip.protocol(),
            source: (ip.source(), source_port),
            destination: (ip.destination(), destination_port),
        });
    }
    let key = cx.flow.as_ref().map(|flow| flow.core.key)?;
    let key = if cx.direction == weir_base::Direction::ToClient { key.reversed() } else { key };
    Some(Ends {
        protocol: key.protocol,
        source: (key.source, key.source_port),
        destination: (key.destination, key.destination_port),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{self, Sample};

    #[test]
    fn lines() {
        let cases = [
            (
                samples::tcp_packet(),
                false,
                "11/14/2023-22:13:20.000001  [**] [1:42:3] a \"message\" [**] [Classification: (null)] [Priority: 3] {TCP} 10.0.0.1:1234 -> 10.0.0.2:80\n",
            ),
            (
                samples::icmp_packet(),
                false,
                "11/14/2023-22:13:20.000001  [**] [1:42:3] a \"message\" [**] [Classification: (null)] [Priority: 3] {ICMP} 10.0.0.1:8 -> 10.0.0.2:0\n",
            ),
            (
                samples::tcp_packet(),
                true,
                "11/14/2023-22:13:20.000001  [wDrop] [**] [1:42:3] a \"message\" [**] [Classification: (null)] [Priority: 3] {TCP} 10.0.0.1:1234 -> 10.0.0.2:80\n",
            ),
        ];
        for (frame, drop, expected) in cases {
            let sample = Sample::new(&frame);
            let action = if drop { Action::Drop } else { Action::Alert };
            let lines = sample.alert_lines(action, &mut Fast::new(OutletId(0), false, true));
            assert_eq!(lines, expected);
        }
    }
}
