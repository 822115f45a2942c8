//! Readers of streams for events of scripts: of protocols that nothing but scripts asks for, at ports that scripts name.

use super::EventValue;

/// Takes what a reader of streams finds in a connection.
pub trait StreamFindings {
    /// Raises an event, where scripts handle it; values are in the order of its parameters.
    fn raise(&mut self, event: &'static str, arguments: &[EventValue<'_>]);

    /// Tells of something odd.
    fn weird(&mut self, name: &'static str, addl: &str);

    /// Tells of something odd about the connection, whatever is read of it.
    fn weird_of_connection(&mut self, name: &'static str, addl: &str);

    /// Returns a setting of scripts that is a number.
    fn count(&self, setting: &str) -> Option<u64>;

    /// Returns whether a setting of scripts is true.
    fn is_set(&self, setting: &str) -> bool;

    /// Returns when what is read was captured, in seconds since 1970.
    fn now(&self) -> f64;

    /// Returns where a match of one of a setting's patterns ends that lies anywhere in a text.
    fn matches(&self, setting: &str, text: &[u8]) -> Option<usize>;
}

/// Reads both streams of one connection, or its datagrams. It is total and bounded.
pub trait ReadStreams {
    /// Takes bytes that come next in one stream.
    fn data(&mut self, is_orig: bool, bytes: &[u8], findings: &mut dyn StreamFindings);

    /// Takes a datagram.
    fn datagram(&mut self, is_orig: bool, bytes: &[u8], findings: &mut dyn StreamFindings) {
        let _ = (is_orig, bytes, findings);
    }

    /// Bytes of one stream are missing here, or its beginning was not seen.
    fn gap(&mut self, is_orig: bool) {
        let _ = is_orig;
    }

    /// The connection is over.
    fn end(&mut self, findings: &mut dyn StreamFindings) {
        let _ = findings;
    }
}

/// A reader of streams, which runs beside the scripts.
#[derive(Clone, Copy, Debug)]
pub struct StreamReader {
    /// The name of the analyzer that scripts register for ports (`IDENT`).
    pub analyzer: &'static str,
    /// Its events.
    pub events: &'static [&'static str],
    /// Whether it tells of oddities: it reads where scripts name it, also without handlers.
    pub tells_weirds: bool,
    /// The setting of scripts after whose time a conversation in datagrams is over, from its beginning on.
    pub lasts: Option<&'static str>,
    /// Opens a reader for a connection.
    pub open: fn() -> Box<dyn ReadStreams>,
}
