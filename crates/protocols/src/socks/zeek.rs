//! Zeek's socks log: a row for each connection whose proxy answered. Passwords are shown where scripts say so.

use std::borrow::Cow;

use weir_applayer::zeek::News;
use weir_applayer::zeek::column::{Addr, Port, Text};
use weir_applayer::{ZeekLogger, ZeekLogs, ZeekSink, zeek_stream};

use super::SOCKS;
use super::events::EVENTS;
use super::message::{Target, VERSION_4_CODES};
use super::transaction::SocksTransaction;

zeek_stream! {
    static STREAM: "socks" of a connection;
    struct Row {
        version: Count,
        user: Text,
        password: Text,
        status: Text,
        request_host as "request.host": Addr,
        request_name as "request.name": Text,
        request_p: Port,
        bound_host as "bound.host": Addr,
        bound_name as "bound.name": Text,
        bound_p: Port,
    }
}

/// The logs.
pub static LOGS: ZeekLogs = ZeekLogs {
    from_start: true,
    events: Some(&EVENTS),
    ..ZeekLogs::new(&[&STREAM], |_| Box::<SocksLogger>::default())
};

/// Zeek's words for the codes of version 4, from the first one on.
const STATUS_OF_4: [&str; 4] = [
    "succeeded",
    "general SOCKS server failure",
    "request failed because client is not running identd",
    "request failed because client's identd could not confirm the user ID string in the request",
];

/// Zeek's words for the codes of version 5 (RFC 1928 6).
const STATUS_OF_5: [&str; 9] = [
    "succeeded",
    "general SOCKS server failure",
    "connection not allowed by ruleset",
    "Network unreachable",
    "Host unreachable",
    "Connection refused",
    "TTL expired",
    "Command not supported",
    "Address type not supported",
];

/// Follows one connection.
#[derive(Debug, Default)]
struct SocksLogger {
    /// The tunnel was logged.
    is_tunnel: bool,
    /// Weirds that were logged.
    odd: usize,
}

impl ZeekLogger for SocksLogger {
    fn transaction(&mut self, news: News<'_>, sink: &mut dyn ZeekSink) {
        let Some(tx) = news.of::<SocksTransaction>() else { return };
        for (time, name, about) in tx.unread.iter().skip(self.odd) {
            sink.weird(*time, name, Some(about));
        }
        self.odd = tx.unread.len();
        if let Some((time, _)) = tx.request.as_ref().filter(|_| !self.is_tunnel) {
            self.is_tunnel = true;
            sink.tunnel(*time, "Tunnel::SOCKS");
        }
        if tx.reply.is_some() {
            sink.service(SOCKS.zeek_service);
            if news.complete {
                write(tx, sink);
            }
        }
    }
}

fn write(tx: &SocksTransaction, sink: &mut dyn ZeekSink) {
    let (request, reply) = (tx.request.as_ref(), tx.reply.as_ref());
    let times = [
        tx.login.as_ref().map(|(time, _)| *time),
        tx.login_code.map(|(time, _)| time),
        request.map(|(time, _)| *time),
        reply.map(|(time, _)| *time),
    ];
    let Some(begin) = times.into_iter().flatten().min() else { return };
    let (request, reply) = (request.map(|(_, request)| request), reply.map(|(_, reply)| reply));
    let version = request.map(|request| request.version).or(reply.map(|reply| reply.version)).unwrap_or(5);
    let named = request.map(|request| &request.user[..]).filter(|user| !user.is_empty());
    let user = tx.login.as_ref().map(|(_, name)| &name[..]).or(named);
    let status = match reply {
        Some(reply) => Some(status(reply.version, reply.code)),
        None => tx.login_code.map(|(_, code)| status(5, code)),
    };
    let shows = sink.settings().is_some_and(|settings| settings.is_set("SOCKS::default_capture_password"));
    let (host, name, port) = columns(request.map(|request| &request.target));
    let (bound_host, bound_name, bound_p) = columns(reply.map(|reply| &reply.bound));
    let row = Row {
        version: version.into(),
        user: user.into(),
        password: tx.password.as_deref().filter(|_| shows).into(),
        status: status.as_deref().into(),
        request_host: host,
        request_name: name,
        request_p: port,
        bound_host,
        bound_name,
        bound_p,
    };
    sink.row(&STREAM, begin, &row.values());
}

/// A host by address, by name, and its port.
fn columns(target: Option<&Target>) -> (Addr<'_>, Text<'_>, Port<'_>) {
    let Some(target) = target else { return (Addr::UNSET, Text::UNSET, Port::UNSET) };
    (target.host.address.into(), target.host.name.as_deref().into(), target.port.into())
}

fn status(version: u8, code: u8) -> Cow<'static, str> {
    let known = match version {
        4 => code.checked_sub(*VERSION_4_CODES.start()).and_then(|index| STATUS_OF_4.get(usize::from(index))),
        _ => STATUS_OF_5.get(usize::from(code)),
    };
    known.map_or_else(|| Cow::Owned(format!("unknown-{code}")), |text| Cow::Borrowed(*text))
}
