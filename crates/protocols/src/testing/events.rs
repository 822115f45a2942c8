//! Events of scripts as text.

use weir_applayer::zeek::{EventSink, ZeekConnection};
use weir_applayer::{Endpoints, Transport};
use weir_base::event::{FileReader, Nested};
use weir_base::{EventValue, Timestamp};

/// Takes events, all of which scripts handle: each is a line of its name and arguments.
pub(crate) struct Events {
    names: Vec<&'static str>,
    ends: Endpoints,
    /// The events.
    pub(crate) raised: Vec<String>,
    /// Settings that are numbers.
    pub(crate) numbers: Vec<(&'static str, u64)>,
    /// Times that something was left out.
    pub(crate) left_out: u64,
}

impl Events {
    pub(crate) fn new(names: &[&'static str]) -> Self {
        let ends = super::ends(&[], Transport::Tcp);
        Self { names: names.to_vec(), ends, raised: Vec::new(), numbers: Vec::new(), left_out: 0 }
    }
}

/// Returns what a reader of files tells of one.
pub(crate) fn told_of_file(reader: &FileReader, bytes: &[u8]) -> Vec<String> {
    let mut told = Vec::new();
    (reader.events)(bytes, &mut |event, arguments| {
        told.push(line(event, arguments));
    });
    told
}

/// Returns the line of an event.
pub(super) fn line(event: &str, arguments: &[EventValue<'_>]) -> String {
    let arguments: Vec<String> = arguments.iter().map(text).collect();
    format!("{event} {}", arguments.join(" "))
}

pub(super) fn text(value: &EventValue<'_>) -> String {
    let list = |values: &[EventValue<'_>]| values.iter().map(text).collect::<Vec<_>>().join(", ");
    match value {
        EventValue::Unset => "-".to_owned(),
        EventValue::Connection => "c".to_owned(),
        EventValue::Bool(value) => if *value { "T" } else { "F" }.to_owned(),
        EventValue::Count(number) => number.to_string(),
        EventValue::Int(number) => number.to_string(),
        EventValue::Double(number) | EventValue::Interval(number) | EventValue::Moment(number) => {
            number.to_string()
        }
        EventValue::Time(time) => time.0.to_string(),
        EventValue::String(bytes) => bytes.escape_ascii().to_string(),
        EventValue::Addr(address) => address.to_string(),
        EventValue::Port(port, _) => port.to_string(),
        EventValue::Enum(name) => (*name).to_owned(),
        EventValue::Record(values) | EventValue::Index(values) => format!("[{}]", list(values)),
        EventValue::List(values) => format!("({})", list(values)),
        EventValue::Table(values) => format!("{{{}}}", list(values)),
        EventValue::Opaque(_) => "opaque".to_owned(),
        EventValue::Nested(value) => nested_text(value),
        other => format!("{other:?}"),
    }
}

fn nested_text(value: &Nested<'_>) -> String {
    let list = |values: &[Nested<'_>]| values.iter().map(nested_text).collect::<Vec<_>>().join(", ");
    match value {
        Nested::Value(value) => text(value),
        Nested::Record(values) => format!("[{}]", list(values)),
        Nested::List(values) => format!("({})", list(values)),
        Nested::Table(values) => format!("{{{}}}", list(values)),
    }
}

impl EventSink for Events {
    fn wants(&self, event: usize) -> bool {
        event < self.names.len()
    }

    fn raise(&mut self, event: usize, arguments: &[EventValue<'_>]) {
        self.raised.push(line(self.names[event], arguments));
    }

    fn weird(&mut self, name: &str, addl: Option<&str>, source: &str) {
        self.raised.push(format!("weird {name} {} {source}", addl.unwrap_or_default()));
    }

    fn is_set(&self, _: &str) -> bool {
        false
    }

    fn count(&self, setting: &str) -> Option<u64> {
        self.numbers.iter().find(|(name, _)| *name == setting).map(|(_, number)| *number)
    }

    fn connection(&self) -> ZeekConnection<'_> {
        ZeekConnection { endpoints: &self.ends, start: Timestamp::default(), uid: b"C1" }
    }

    fn captured_at(&mut self, _: Timestamp) {}

    fn left_out(&mut self) {
        self.left_out += 1;
    }

    fn now(&self) -> Timestamp {
        Timestamp::default()
    }
}
