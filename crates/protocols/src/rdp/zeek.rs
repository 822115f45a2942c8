//! Zeek's rdp log: a row for each connection that asks for a session, with what both ends said of it.

use weir_applayer::zeek::column::Count;
use weir_applayer::zeek::{News, Script, WholeFile};
use weir_applayer::{ZeekLogger, ZeekLogs, ZeekSink, ZeekValue, zeek_stream};
use weir_base::Timestamp;

use super::client::{Client, Core, channel_name, text};
use super::events::EVENTS;
use super::names;
use super::negotiation::Confirm;
use super::server::Server;
use super::transaction::{Item, RdpTransaction};
use crate::tls::certificate::sha256;
use crate::tls::zeek::x509;

zeek_stream! {
    static STREAM: "rdp" of a connection;
    struct Row {
        cookie: Text,
        result: Text,
        security_protocol: Text,
        client_channels: Vector<Text>,
        keyboard_layout: Text,
        client_build: Text,
        client_name: Text,
        client_dig_product_id: Text,
        desktop_width: Count,
        desktop_height: Count,
        requested_color_depth: Text,
        cert_type: Text,
        cert_count: Count,
        cert_permanent: Bool,
        encryption_level: Text,
        encryption_method: Text,
    }
}

/// The log.
pub static LOGS: ZeekLogs = ZeekLogs {
    events: Some(&EVENTS),
    from_start: true,
    ..ZeekLogs::new(&[&STREAM, &x509::STREAM], |_| Box::<RdpLogger>::default())
};

/// A session that is asked for, as far as it is known.
#[derive(Debug, Default)]
struct Session {
    time: Timestamp,
    cookie: Option<Vec<u8>>,
    result: Option<String>,
    protocol: Option<String>,
    client: Option<Core>,
    channels: Vec<[u8; 8]>,
    certificate: Option<(String, u64, bool)>,
    encryption: Option<(String, String)>,
}

/// Follows one connection.
#[derive(Debug, Default)]
struct RdpLogger {
    session: Option<Box<Session>>,
}

impl ZeekLogger for RdpLogger {
    fn transaction(&mut self, news: News<'_>, sink: &mut dyn ZeekSink) {
        let Some(tx) = news.of::<RdpTransaction>().filter(|_| news.complete) else { return };
        let time = tx.meta.only.map(|direction| tx.meta.first_seen[direction]).unwrap_or_default();
        let session = self.session.get_or_insert_with(|| Box::new(Session { time, ..Session::default() }));
        match &tx.item {
            Item::Request(request) => session.cookie = Some(request.cookie.clone().unwrap_or_default()),
            Item::Confirm(confirm) => session.confirm(*confirm),
            Item::Client(client) => {
                if client.core.is_some() {
                    sink.service("rdp");
                }
                session.client(client);
            }
            Item::Server(server) => {
                if server.result.is_some() {
                    sink.service("rdp");
                }
                session.server(server);
                certificates(server, time, sink);
            }
            Item::Certificates(_) => {}
        }
    }

    fn end(&mut self, sink: &mut dyn ZeekSink) {
        if let Some(session) = self.session.take() {
            session.write(sink);
        }
    }
}

/// Logs a server's certificates when they are new.
fn certificates(server: &Server, time: Timestamp, sink: &mut dyn ZeekSink) {
    let certificate = server.security.as_ref().and_then(|security| security.certificate.as_ref());
    for (place, der) in certificate.map_or(&[][..], |certificate| &certificate.chain).iter().enumerate() {
        if sink.has(Script::ExtractedFiles) || sink.tells_files() {
            let first = WholeFile::certificate(der, "RDP", false, 0, time);
            sink.unlogged_file(&WholeFile { place: Some(place as u64), ..first });
        }
        let row = x509::Row { der, fingerprint: &sha256(der), is_host: true, is_client: false };
        x509::write(&row, None, time, sink);
    }
}

impl Session {
    fn confirm(&mut self, confirm: Confirm) {
        match confirm {
            Confirm::Nothing => {}
            Confirm::Chosen(_, protocol) => {
                self.protocol = Some(protocol_name(protocol));
                if protocol > 0 {
                    self.encrypted();
                }
            }
            Confirm::Failed(code) => {
                let name = names::failure(code).map(|name| name.replace(' ', "_").to_uppercase());
                self.result = Some(name.unwrap_or_else(|| format!("failure_code-{code}")));
            }
        }
    }

    fn encrypted(&mut self) {
        self.result.get_or_insert_with(|| "encrypted".to_owned());
    }

    fn client(&mut self, client: &Client) {
        self.client = client.core.clone().or(self.client.take());
        if let Some(channels) = &client.channels {
            self.channels = channels.clone();
        }
    }

    fn server(&mut self, server: &Server) {
        if let Some(result) = server.result {
            self.result = Some(named(RESULTS, result.into(), "result"));
        }
        let Some(security) = &server.security else { return };
        self.encryption = Some((
            named(LEVELS, security.level, "encryption_level"),
            named(METHODS, security.method, "encryption_method"),
        ));
        if let Some(certificate) = &security.certificate {
            let kind = named(CERTIFICATES, certificate.kind, "cert_type");
            self.certificate = Some((kind, certificate.count.into(), certificate.is_permanent));
        }
        if security.method > 0 && security.level > 0 {
            self.encrypted();
            self.protocol = Some(protocol_name(0));
        }
    }

    fn write(&self, sink: &mut dyn ZeekSink) {
        if self.cookie.is_none() && self.client.is_none() && self.result.is_none() {
            return;
        }
        let client = self.client.as_ref();
        let of_client = |tell: fn(&Core) -> String| client.map(tell);
        let layout = of_client(|core| names::zeek_layout(core.keyboard_layout));
        let build = of_client(|core| named(BUILDS, core.build, "client_build"));
        let name = of_client(|core| text(&core.name));
        let product = client.and_then(|core| core.more.digital_product_id.as_deref()).map(text);
        let depth = of_client(color_depth);
        let size = |number: fn(&Core) -> u16| Count::from(client.map(number));
        let channels: Vec<_> =
            self.channels.iter().map(|name| ZeekValue::String(channel_name(name))).collect();
        let (kind, count, permanent) = match &self.certificate {
            Some((kind, count, permanent)) => (Some(kind), *count, Some(*permanent)),
            None => (None, 0, None),
        };
        let (level, method) = self.encryption.as_ref().map(|(level, method)| (level, method)).unzip();
        let row = Row {
            cookie: self.cookie.as_deref().into(),
            result: self.result.as_deref().into(),
            security_protocol: self.protocol.as_deref().into(),
            client_channels: channels.as_slice().into(),
            keyboard_layout: layout.as_deref().into(),
            client_build: build.as_deref().into(),
            client_name: name.as_deref().into(),
            client_dig_product_id: product.as_deref().into(),
            desktop_width: size(|core| core.desktop_width),
            desktop_height: size(|core| core.desktop_height),
            requested_color_depth: depth.as_deref().into(),
            cert_type: kind.into(),
            cert_count: count.into(),
            cert_permanent: permanent.into(),
            encryption_level: level.into(),
            encryption_method: method.into(),
        };
        sink.row(&STREAM, self.time, &row.values());
    }
}

/// The name of a number, or the number behind what it is.
fn named(names: &[(u32, &str)], number: u32, what: &str) -> String {
    let name = names.iter().find(|(known, _)| *known == number);
    name.map_or_else(|| format!("{what}-{number}"), |(_, name)| (*name).to_owned())
}

fn protocol_name(protocol: u32) -> String {
    match names::protocol(protocol).filter(|_| protocol != 4) {
        Some(name) => name.to_uppercase(),
        None => format!("security_protocol-{protocol}"),
    }
}

fn color_depth(core: &Core) -> String {
    const WANTS_32_BITS: u16 = 2;
    if core.more.capabilities.is_some_and(|flags| flags & WANTS_32_BITS != 0) {
        return "32bit".to_owned();
    }
    match core.more.high_color_depth.unwrap_or_default() {
        bits @ (4 | 8 | 15 | 16 | 24) => format!("{bits}bit"),
        other => format!("high_color_depth-{other}"),
    }
}

const RESULTS: &[(u32, &str)] = &[
    (0, "Success"),
    (1, "User rejected"),
    (2, "Resources not available"),
    (3, "Rejected for symmetry breaking"),
    (4, "Locked conference"),
];

const CERTIFICATES: &[(u32, &str)] = &[(1, "RSA"), (2, "X.509")];

const METHODS: &[(u32, &str)] = &[(0, "None"), (1, "40bit"), (2, "128bit"), (8, "56bit"), (10, "FIPS")];

const LEVELS: &[(u32, &str)] = &[(0, "None"), (1, "Low"), (2, "Client compatible"), (3, "High"), (4, "FIPS")];

const BUILDS: &[(u32, &str)] = &[
    (419, "RDP 4.0"),
    (2195, "RDP 5.0"),
    (2221, "RDP 5.0"),
    (2600, "RDP 5.1"),
    (3790, "RDP 5.2"),
    (6000, "RDP 6.0"),
    (6001, "RDP 6.1"),
    (6002, "RDP 6.2"),
    (7600, "RDP 7.0"),
    (7601, "RDP 7.1"),
    (9200, "RDP 8.0"),
    (9600, "RDP 8.1"),
    (25189, "RDP 8.0 (Mac)"),
    (25282, "RDP 8.0 (Mac)"),
];
