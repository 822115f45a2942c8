//! Events of a protocol for scripts: a table of their names, and who raises them for one connection.

use weir_base::{EventValue, Timestamp};

use super::logger::News;
use super::sink::{ZeekConnection, ZeekSink};
use crate::heard::HeardMessage;

/// Events of a protocol that scripts can handle.
#[derive(Debug)]
pub struct EventTable {
    /// The script that has to be loaded for the protocol to be read (`base/protocols/http`).
    pub package: &'static str,
    /// The event that has bodies, which are kept for it, by its place among the names.
    pub bodies: Option<usize>,
    /// Their names; an event is told of by its place here.
    pub names: &'static [&'static str],
    /// Opens a raiser for a connection.
    pub open: fn() -> Box<dyn EventRaiser>,
}

/// Takes the events of one connection. The observer of the traffic implements it.
pub trait EventSink {
    /// Returns whether scripts handle an event, by its place in the table.
    fn wants(&self, event: usize) -> bool;

    /// Raises an event, where scripts handle it; values are in the order of its parameters.
    fn raise(&mut self, event: usize, arguments: &[EventValue<'_>]);

    /// Logs something odd that is only noticed where scripts handle an event, and raises its event.
    fn weird(&mut self, name: &str, addl: Option<&str>, source: &str) {
        let _ = (name, addl, source);
    }

    /// Returns whether a setting of scripts is true.
    fn is_set(&self, setting: &str) -> bool;

    /// Returns a setting of scripts that is a number.
    fn count(&self, setting: &str) -> Option<u64>;

    /// Returns the connection.
    fn connection(&self) -> ZeekConnection<'_>;

    /// Says when the bytes were captured that the events are of that are raised from now on: not after now.
    fn captured_at(&mut self, time: Timestamp);

    /// Counts a message, or a part of one, for which there was no room among what is kept for events.
    fn left_out(&mut self);

    /// Returns the time of the packet that is looked at; that of the last one where the capture is over.
    fn now(&self) -> Timestamp;
}

/// Raises the events of a table by their names, for a logger of a protocol that carries another one.
pub struct EventsByName<'a> {
    /// Names of the table.
    pub names: &'static [&'static str],
    /// Takes the events.
    pub sink: &'a mut dyn ZeekSink,
}

impl EventSink for EventsByName<'_> {
    fn wants(&self, event: usize) -> bool {
        self.names.get(event).is_some_and(|name| self.sink.handles(name))
    }

    fn raise(&mut self, event: usize, arguments: &[EventValue<'_>]) {
        if let Some(name) = self.names.get(event) {
            self.sink.raise(name, arguments);
        }
    }

    fn is_set(&self, setting: &str) -> bool {
        self.sink.settings().is_some_and(|settings| settings.is_set(setting))
    }

    fn count(&self, setting: &str) -> Option<u64> {
        self.sink.settings()?.count(setting)
    }

    fn connection(&self) -> ZeekConnection<'_> {
        self.sink.connection()
    }

    fn captured_at(&mut self, _: Timestamp) {}

    fn left_out(&mut self) {}

    fn now(&self) -> Timestamp {
        self.sink.now().unwrap_or_default()
    }
}

/// Follows one connection and raises its events when Zeek would.
pub trait EventRaiser: Send {
    /// A transaction that has news may have made progress. It is called for each piece of progress, and once more when
    /// it is complete.
    fn transaction(&mut self, news: News<'_>, sink: &mut dyn EventSink) {
        let _ = (news, sink);
    }

    /// Messages were sent that are of no transaction ([`crate::Parser::heard`]). What transactions tell of the same bytes
    /// comes behind them.
    fn heard(&mut self, messages: Vec<HeardMessage>, sink: &mut dyn EventSink) {
        let _ = (messages, sink);
    }

    /// The connection ended, or speaks another protocol from now on.
    fn end(&mut self, sink: &mut dyn EventSink) {
        let _ = sink;
    }
}

/// Declares the names of a protocol's events and, for each, a constant with its place among them:
///
/// ```
/// weir_applayer::event_names! {
///     /// Their names.
///     const NAMES;
///     HELLO = "toy_hello",
///     BYE = "toy_bye",
/// }
/// assert_eq!((NAMES[HELLO], NAMES[BYE], BYE), ("toy_hello", "toy_bye", 1));
/// ```
#[macro_export]
macro_rules! event_names {
    ($(#[$about:meta])* $vis:vis const $names:ident; $($place:ident = $name:literal,)*) => {
        $(#[$about])*
        $vis const $names: &[&str] = &[$($name,)*];
        $crate::event_names!(@places ($vis) (0usize) $($place)*);
    };
    (@places ($vis:vis) ($at:expr)) => {};
    (@places ($vis:vis) ($at:expr) $place:ident $($rest:ident)*) => {
        $vis const $place: usize = $at;
        $crate::event_names!(@places ($vis) ($place + 1) $($rest)*);
    };
}
