//! Events of SSH for scripts.

use md5::{Digest, Md5};
use weir_applayer::event_names;
use weir_applayer::zeek::{EventRaiser, EventSink, EventTable, News};
use weir_base::{Direction, EventValue, PerDirection, hex};

use super::key_exchange::{KeyExchange, List};
use super::transaction::SshTransaction;
use super::zeek::fingerprint;

event_names! {
    /// Their names.
    const NAMES;
    CLIENT_VERSION = "ssh_client_version",
    SERVER_VERSION = "ssh_server_version",
    CAPABILITIES = "ssh_capabilities",
    HOST_KEY = "ssh2_server_host_key",
    HOST_KEY_HASH = "ssh_server_host_key",
    HOST_KEY_FINGERPRINT = "ssh_server_host_key_fingerprint",
    AUTH_ATTEMPTED = "ssh_auth_attempted",
    AUTH_SUCCESSFUL = "ssh_auth_successful",
}

/// The events.
pub static EVENTS: EventTable = EventTable {
    package: "base/protocols/ssh/main",
    bodies: None,
    names: NAMES,
    open: || Box::<SshRaiser>::default(),
};

#[derive(Debug, Default)]
struct SshRaiser {
    versions: PerDirection<bool>,
    capabilities: PerDirection<bool>,
    has_key: bool,
    attempts: u64,
    admitted: bool,
}

impl EventRaiser for SshRaiser {
    fn transaction(&mut self, news: News<'_>, sink: &mut dyn EventSink) {
        let Some(tx) = news.of::<SshTransaction>() else { return };
        for (direction, event) in
            [(Direction::ToServer, CLIENT_VERSION), (Direction::ToClient, SERVER_VERSION)]
        {
            if let Some(banner) = &tx.sides[direction].banner
                && !std::mem::replace(&mut self.versions[direction], true)
            {
                sink.raise(event, &[EventValue::Connection, EventValue::String(banner.line())]);
            }
        }
        for direction in Direction::BOTH {
            if let Some(offer) = &tx.sides[direction].offer
                && !std::mem::replace(&mut self.capabilities[direction], true)
                && sink.wants(CAPABILITIES)
            {
                capabilities(offer, direction, sink);
            }
        }
        if let Some(key) = tx.host_key.as_deref()
            && !std::mem::replace(&mut self.has_key, true)
        {
            host_key(key, sink);
        }
        self.authentication(tx, sink);
    }
}

impl SshRaiser {
    fn authentication(&mut self, tx: &SshTransaction, sink: &mut dyn EventSink) {
        let is_admitted = tx.authentication.success == Some(true);
        let failed = tx.authentication.attempts.saturating_sub(u64::from(is_admitted));
        while self.attempts < failed {
            self.attempts += 1;
            sink.raise(AUTH_ATTEMPTED, &[EventValue::Connection, EventValue::Bool(false)]);
        }
        if is_admitted && !std::mem::replace(&mut self.admitted, true) {
            sink.raise(AUTH_ATTEMPTED, &[EventValue::Connection, EventValue::Bool(true)]);
            let without = tx.authentication.attempts == 0;
            sink.raise(AUTH_SUCCESSFUL, &[EventValue::Connection, EventValue::Bool(without)]);
        }
    }
}

fn host_key(key: &[u8], sink: &mut dyn EventSink) {
    if sink.wants(HOST_KEY_HASH) {
        let mut text = Vec::new();
        hex::append_separated(&mut text, &Md5::digest(key), b':');
        sink.raise(HOST_KEY_HASH, &[EventValue::Connection, EventValue::String(&text)]);
    }
    sink.raise(HOST_KEY, &[EventValue::Connection, EventValue::String(key)]);
    let text = fingerprint(key);
    sink.raise(HOST_KEY_FINGERPRINT, &[EventValue::Connection, EventValue::text(&text)]);
}

/// Raises `ssh_capabilities`.
fn capabilities(offer: &KeyExchange, direction: Direction, sink: &mut dyn EventSink) {
    let names = |list: List| -> Vec<EventValue<'_>> {
        // An empty list has no name.
        offer.names(list).filter(|name| !name.is_empty()).map(EventValue::String).collect()
    };
    let pair = |list: fn(Direction) -> List| Direction::BOTH.map(|side| names(list(side)));
    let (exchanges, keys) = (names(List::Kex), names(List::HostKey));
    let [ciphers, macs, compressions, languages] =
        [List::Cipher as fn(Direction) -> List, List::Mac, List::Compression, List::Language].map(pair);
    let lists = [&ciphers, &macs, &compressions, &languages]
        .map(|pair| pair.each_ref().map(|names| EventValue::List(names)));
    let [ciphers, macs, compressions, spoken] = lists.each_ref().map(|pair| EventValue::Record(pair));
    let speaks = languages.iter().any(|names| !names.is_empty());
    let fields = [
        EventValue::List(&exchanges),
        EventValue::List(&keys),
        ciphers,
        macs,
        compressions,
        if speaks { spoken } else { EventValue::Unset },
        EventValue::Bool(direction == Direction::ToClient),
    ];
    let arguments = [EventValue::Connection, EventValue::String(offer.cookie()), EventValue::Record(&fields)];
    sink.raise(CAPABILITIES, &arguments);
}
