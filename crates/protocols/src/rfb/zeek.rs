//! Zeek's rfb log: a row for a connection, once its handshake is over.

use weir_applayer::zeek::News;
use weir_applayer::{ZeekLogger, ZeekLogs, ZeekSink, zeek_stream};
use weir_base::Direction;

use super::RFB;
use super::events::EVENTS;
use super::message::result;
use super::transaction::RfbTransaction;

zeek_stream! {
    static STREAM: "rfb" of a connection;
    struct Row {
        client_major_version: Text,
        client_minor_version: Text,
        server_major_version: Text,
        server_minor_version: Text,
        authentication_method: Text,
        auth: Bool,
        share_flag: Bool,
        desktop_name: Text,
        width: Count,
        height: Count,
    }
}

/// The logs.
pub static LOGS: ZeekLogs = ZeekLogs {
    from_start: true,
    events: Some(&EVENTS),
    ..ZeekLogs::new(&[&STREAM], |_| Box::<RfbLogger>::default())
};

/// Follows one connection.
#[derive(Debug, Default)]
struct RfbLogger {
    /// It is known to speak the protocol, or not to.
    told: bool,
}

impl ZeekLogger for RfbLogger {
    fn transaction(&mut self, news: News<'_>, sink: &mut dyn ZeekSink) {
        // It is recognised once both sides said their versions.
        let Some(tx) = news.of::<RfbTransaction>() else { return };
        let Some(time) = tx.agreed_at else { return };
        self.told = true;
        match tx.failed_at {
            Some(time) => sink.violation(time, "no message of the handshake", None),
            None => sink.service(RFB.zeek_service),
        }
        if !news.complete {
            return;
        }
        let [client, server] = Direction::BOTH.map(|direction| tx.versions[direction].as_ref());
        let method = tx.security_type.map(method_name);
        let desktop = tx.desktop.as_ref();
        let row = Row {
            client_major_version: client.map(|version| version.major.as_slice()).into(),
            client_minor_version: client.map(|version| version.minor.as_slice()).into(),
            server_major_version: server.map(|version| version.major.as_slice()).into(),
            server_minor_version: server.map(|version| version.minor.as_slice()).into(),
            authentication_method: method.into(),
            auth: tx.result.map(|value| value == result::OK).into(),
            share_flag: tx.shared.into(),
            desktop_name: desktop.map(|desktop| desktop.name.as_slice()).into(),
            width: desktop.map(|desktop| desktop.width).into(),
            height: desktop.map(|desktop| desktop.height).into(),
        };
        sink.row(&STREAM, time, &row.values());
    }

    fn has_news(&self, news: News<'_>) -> bool {
        let failed = |tx: &RfbTransaction| tx.failed_at.is_some();
        news.complete || !self.told || news.of().is_some_and(failed)
    }
}

/// Zeek's names of methods of authentication.
fn method_name(number: u32) -> &'static str {
    match number {
        0 => "Invalid",
        1 => "None",
        2 => "VNC",
        16 => "Tight",
        17 => "Ultra",
        18 => "TLS",
        19 => "VeNCrypt",
        20 => "GTK-VNC SASL",
        21 => "MD5 hash authentication",
        22 => "Colin Dean xvp",
        30 => "Apple Remote Desktop",
        _ => "RealVNC",
    }
}
