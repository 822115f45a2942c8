//! Functions of scripts that discard packets (`discarder_check_…`): the events of a packet that they discard are passed over.
//! Workers count it, for they do not wait for scripts.

use crate::values::{RecordValue, Value};
use crate::vm::{Engine, Outcome};

/// Bytes of an Ethernet header, of a VLAN's tag, of the fixed header of IPv6, and of those of UDP and ICMP.
const ETHERNET: u64 = 14;
const TAG: u64 = 4;
const IPV6: u64 = 40;
const UDP: u64 = 8;

/// The functions, where scripts define them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Discarders {
    ip: Option<u32>,
    tcp: Option<u32>,
    udp: Option<u32>,
    icmp: Option<u32>,
}

impl Discarders {
    /// Returns those that scripts define.
    pub fn of(engine: &Engine) -> Self {
        let defined = |name: &str| {
            let number = engine.program.function_named(name)?;
            let function = engine.program.functions.get(number as usize)?;
            (!function.bodies.is_empty()).then_some(number)
        };
        Self {
            ip: defined("discarder_check_ip"),
            tcp: defined("discarder_check_tcp"),
            udp: defined("discarder_check_udp"),
            icmp: defined("discarder_check_icmp"),
        }
    }

    /// Returns whether there are any.
    pub fn exist(&self) -> bool {
        [self.ip, self.tcp, self.udp, self.icmp].iter().any(Option::is_some)
    }

    /// Returns whether scripts discard a packet, by its headers and bytes.
    ///
    /// # Errors
    ///
    /// Where scripts end the program.
    pub fn discard(&self, engine: &mut Engine, header: &Value, bytes: &[u8]) -> Outcome<bool> {
        let Value::Record(raw) = header else { return Ok(false) };
        let parts = ["ip", "ip6", "tcp", "udp", "icmp"].map(|name| (name, engine.field(raw, name)));
        let [ip, ip6, tcp, udp, icmp] = parts.each_ref().map(|(_, value)| value.is_set());
        if !(ip || ip6) {
            return Ok(false);
        }
        let packet = engine.record_of("pkt_hdr", &parts);
        let mut asks = |function: Option<u32>, arguments: &[Value]| -> Outcome<bool> {
            match function {
                Some(number) => Ok(engine.call_number(number, arguments)?.is_true()),
                None => Ok(false),
            }
        };
        if asks(self.ip, std::slice::from_ref(&packet))? {
            return Ok(true);
        }
        if icmp {
            return asks(self.icmp, &[packet]);
        }
        let function = if tcp { self.tcp } else { self.udp };
        if function.is_none() || !(tcp || udp) {
            return Ok(false);
        }
        let data = payload(engine, raw, bytes);
        let most = engine.global("discarder_maxlen").map_or(u64::MAX, |most| most.count());
        let data = data.get(..usize::try_from(most).unwrap_or(usize::MAX)).unwrap_or(data);
        let data = Value::string(data);
        Ok(match function {
            Some(number) => engine.call_number(number, &[packet, data])?.is_true(),
            None => false,
        })
    }
}

/// Returns what is behind the headers of a packet.
fn payload<'a>(engine: &Engine, raw: &RecordValue, bytes: &'a [u8]) -> &'a [u8] {
    let part = |name: &str| match engine.field(raw, name) {
        Value::Record(part) => Some(part),
        _ => None,
    };
    let number = |record: &RecordValue, name: &str| engine.field(record, name).count();
    let below = part("l2").map_or(0, |link| {
        let tags = ["vlan", "inner_vlan"].map(|name| u64::from(engine.field(&link, name).is_set()));
        let has_type = engine.field(&link, "src").is_set();
        if has_type { ETHERNET + TAG * tags.iter().sum::<u64>() } else { 0 }
    });
    let (header, total) = match (part("ip"), part("ip6")) {
        (Some(ip), _) => (number(&ip, "hl"), number(&ip, "len")),
        (_, Some(ip6)) => (IPV6, IPV6 + number(&ip6, "len")),
        _ => return &[],
    };
    let above = part("tcp").map_or(UDP, |tcp| number(&tcp, "hl"));
    let place =
        |offset: u64| usize::try_from(below.saturating_add(offset)).unwrap_or(usize::MAX).min(bytes.len());
    bytes.get(place(header + above)..place(total)).unwrap_or_default()
}
