//! Events of SOCKS for scripts: what a client asks a proxy for, and the answer.

use weir_applayer::event_names;
use weir_applayer::zeek::{EventRaiser, EventSink, EventTable, News};
use weir_base::EventValue;
use weir_base::event::transport;

use super::message::Target;
use super::transaction::SocksTransaction;

event_names! {
    /// Their names.
    const NAMES;
    REQUEST = "socks_request",
    REPLY = "socks_reply",
    LOGIN = "socks_login_userpass_request",
    LOGIN_REPLY = "socks_login_userpass_reply",
}

/// The events.
pub(super) static EVENTS: EventTable = EventTable {
    package: "base/protocols/socks/main",
    bodies: None,
    names: NAMES,
    open: || Box::<SocksRaiser>::default(),
};

#[derive(Debug, Default)]
struct SocksRaiser {
    /// What was told: the login, its answer, the request, the reply.
    told: [bool; 4],
}

impl SocksRaiser {
    /// Whether something is there that was not told.
    fn is_new(&mut self, what: usize, is_there: bool) -> bool {
        let Some(told) = self.told.get_mut(what).filter(|told| is_there && !**told) else { return false };
        *told = true;
        true
    }
}

impl EventRaiser for SocksRaiser {
    fn transaction(&mut self, news: News<'_>, sink: &mut dyn EventSink) {
        let Some(tx) = news.of::<SocksTransaction>() else { return };
        let c = EventValue::Connection;
        if self.is_new(LOGIN, tx.login.is_some())
            && let Some((_, name)) = &tx.login
        {
            let password = tx.password.as_deref().unwrap_or_default();
            sink.raise(LOGIN, &[c, EventValue::String(name), EventValue::String(password)]);
        }
        if self.is_new(LOGIN_REPLY, tx.login_code.is_some())
            && let Some((_, code)) = tx.login_code
        {
            sink.raise(LOGIN_REPLY, &[c, code.into()]);
        }
        if self.is_new(REQUEST, tx.request.is_some())
            && let Some((_, request)) = &tx.request
        {
            let (address, port) = place(&request.target);
            let user = EventValue::String(&request.user);
            let (version, command) = (request.version.into(), request.command.into());
            sink.raise(REQUEST, &[c, version, command, EventValue::Record(&address), port, user]);
        }
        if self.is_new(REPLY, tx.reply.is_some())
            && let Some((_, reply)) = &tx.reply
        {
            let (address, port) = place(&reply.bound);
            let (version, code) = (reply.version.into(), reply.code.into());
            sink.raise(REPLY, &[c, version, code, EventValue::Record(&address), port]);
        }
    }
}

/// A host, and its port.
fn place(target: &Target) -> ([EventValue<'_>; 2], EventValue<'_>) {
    let host = target.host.address.map_or(EventValue::Unset, EventValue::Addr);
    let name = EventValue::bytes(target.host.name.as_deref());
    ([host, name], EventValue::Port(target.port, transport::TCP))
}
