//! The payload of connections as events: of streams and of datagrams, where scripts ask for it.

use weir_base::event::{ReadConnection, transport};

use super::readers::Readers;
use crate::values::{Port, Value};
use crate::vm::Engine;

/// Events that have payload.
const EVENTS: [&str; 3] = ["stream_deliver", "tcp_contents", "udp_contents"];

/// Settings of one transport: whether all of an end's payload is delivered, and ports of which it is.
struct Wanted {
    event: Option<u32>,
    all: [bool; 2],
    ports: [Value; 2],
}

/// Which payload scripts want.
pub(super) struct Streams {
    plain: Option<u32>,
    tcp: Wanted,
    udp: Wanted,
    pub(super) readers: Readers,
}

/// A piece of payload.
#[derive(Clone, Copy)]
pub(super) struct Delivered<'a> {
    pub(super) is_orig: bool,
    /// Its place in the stream; none of a datagram.
    pub(super) offset: Option<u64>,
    pub(super) bytes: &'a [u8],
    /// When it was captured, in seconds; whether that was before the packet that tells.
    pub(super) now: f64,
    pub(super) is_late: bool,
}

fn handled(engine: &Engine, event: &str) -> Option<u32> {
    let number = engine.program.function_named(event)?;
    let function = engine.program.functions.get(number as usize)?;
    (!function.bodies.is_empty()).then_some(number)
}

/// Returns whether scripts want payload as events.
pub(super) fn wants_payload(engine: &Engine) -> bool {
    EVENTS.iter().any(|event| handled(engine, event).is_some()) || !Readers::of(engine).is_empty()
}

impl Wanted {
    fn of(engine: &Engine, word: &str) -> Self {
        let setting = |name: String| engine.global(&name).unwrap_or_default();
        let ends = ["orig", "resp"];
        Self {
            event: handled(engine, &format!("{word}_contents")),
            all: ends.map(|end| setting(format!("{word}_content_deliver_all_{end}")).is_true()),
            ports: ends.map(|end| setting(format!("{word}_content_delivery_ports_{end}"))),
        }
    }

    fn takes(&self, is_orig: bool, port: Port) -> bool {
        let side = usize::from(!is_orig);
        let is_listed = || match self.ports.get(side) {
            Some(Value::Table(ports)) => {
                ports.find(&Value::Port(port)).is_some_and(|wanted| wanted.is_true())
            }
            _ => false,
        };
        self.all.get(side).copied().unwrap_or(false) || is_listed()
    }
}

impl Streams {
    pub(super) fn of(engine: &Engine) -> Self {
        Self {
            plain: handled(engine, "stream_deliver"),
            tcp: Wanted::of(engine, "tcp"),
            udp: Wanted::of(engine, "udp"),
            readers: Readers::of(engine),
        }
    }

    /// Raises the events of a piece of payload.
    pub(super) fn deliver(
        &mut self,
        engine: &mut Engine,
        read: &ReadConnection<'_>,
        record: &Value,
        delivered: &Delivered<'_>,
    ) {
        let Delivered { is_orig, bytes, .. } = *delivered;
        let [_, resp] = &read.ends;
        let port = Port { number: resp.port, protocol: transport::of_protocol(read.protocol) };
        let data = || Value::string(bytes);
        self.readers.take(engine, (read, port), record, delivered);
        let Some(offset) = delivered.offset else {
            if let Some(event) = self
                .udp
                .event
                .filter(|_| port.protocol == transport::UDP && self.takes_datagram(engine, read, is_orig))
            {
                engine.raise(event, vec![record.clone(), Value::Bool(is_orig), data()]);
            }
            return;
        };
        if let Some(event) = self.plain.filter(|_| is_registered(engine, port))
            && !engine.passes_over(event, read.uid)
        {
            engine.raise(event, vec![record.clone(), Value::Bool(is_orig), data()]);
        }
        if let Some(event) = self.tcp.event.filter(|_| self.tcp.takes(is_orig, port)) {
            // Numbers of bytes begin at 1.
            let begin = Value::Count(offset.saturating_add(1));
            engine.raise(event, vec![record.clone(), Value::Bool(is_orig), begin, data()]);
        }
    }

    /// Returns whether scripts want a datagram: by a port of its connection, or by that of its settings which it goes to.
    fn takes_datagram(&self, engine: &Engine, read: &ReadConnection<'_>, is_orig: bool) -> bool {
        let ports = read.ends.each_ref().map(|end| Port { number: end.port, protocol: transport::UDP });
        if let Some(Value::Table(named)) = engine.global("udp_content_ports")
            && ports.iter().any(|port| named.contains(&Value::Port(*port)))
        {
            return true;
        }
        let by_responder =
            engine.global("udp_content_delivery_ports_use_resp").is_some_and(|value| value.is_true());
        let [orig, resp] = ports;
        self.udp.takes(is_orig, if by_responder || is_orig { resp } else { orig })
    }
}

/// Returns whether scripts have registered a port for the analyzer that gives them streams.
fn is_registered(engine: &Engine, port: Port) -> bool {
    let (Some(Value::Table(ports)), Some(tag)) =
        (engine.global("Analyzer::ports"), engine.program.enum_named("Analyzer::ANALYZER_STREAM_EVENT"))
    else {
        return false;
    };
    match ports.find(&tag) {
        Some(Value::Table(ports)) => ports.contains(&Value::Port(port)),
        _ => false,
    }
}
