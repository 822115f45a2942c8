//! A transaction: a packet with a long header, and what its direction said of itself with it.

use std::cell::OnceCell;

use weir_applayer::{Progress, TxMeta};
use weir_base::Direction;

use super::anomaly::QuicAnomaly;
use super::extension::Hello;
use super::google::GoogleHello;
use super::settings::Settings;
use super::version::Version;
use crate::settings::Fingerprints;
use crate::tls::fingerprint::{Carrier, Ja3, ja4};
use crate::tls::hello::{ClientHello, ServerHello};

/// The state of a packet that has been read: packets are never seen in part.
pub const COMPLETE: Progress = Progress(1);

/// One packet.
#[derive(Debug, Default)]
pub struct QuicTransaction {
    /// Metadata common to all transactions.
    pub meta: TxMeta,
    /// The version of its header, where that could be read.
    pub version: Option<[u8; 4]>,
    /// The hello of TLS that was complete with it.
    pub hello: Option<Box<Hello>>,
    /// The hello of Google's versions in it.
    pub google: Option<Box<GoogleHello>>,
    /// Settings of fingerprints.
    pub settings: Settings,
    ja3: OnceCell<Ja3>,
    ja4: OnceCell<String>,
}

weir_applayer::transaction!(QuicTransaction);

impl QuicTransaction {
    /// Of a packet in `direction`, perhaps with a header that cannot be read.
    pub fn new(direction: Direction, version: Option<Version>, settings: Settings) -> Self {
        let meta = TxMeta::of_message(direction);
        Self { meta, version: version.map(|version| version.0.to_be_bytes()), settings, ..Self::default() }
    }

    /// The client's hello.
    pub fn client_hello(&self) -> Option<&ClientHello> {
        match self.hello.as_deref()? {
            Hello::Client(hello) => Some(hello),
            Hello::Server(_) => None,
        }
    }

    /// The server's hello.
    pub fn server_hello(&self) -> Option<&ServerHello> {
        match self.hello.as_deref()? {
            Hello::Client(_) => None,
            Hello::Server(hello) => Some(hello),
        }
    }

    /// The server that the client asks for.
    pub fn server_name(&self) -> Option<&[u8]> {
        let of_google = || self.google.as_ref()?.server_name.as_deref();
        self.client_hello().and_then(|hello| hello.server_name.as_deref()).or_else(of_google)
    }

    /// The client's software.
    pub fn user_agent(&self) -> Option<&[u8]> {
        self.google.as_ref()?.user_agent.as_deref()
    }

    /// The fingerprint of whoever sent the hello.
    fn fingerprint(&self) -> Option<&Ja3> {
        let hello = self.hello.as_deref().filter(|_| self.settings.ja3 != Fingerprints::No)?;
        Some(self.ja3.get_or_init(|| match hello {
            Hello::Client(hello) => Ja3::of_client(hello),
            Hello::Server(hello) => Ja3::of_server(hello),
        }))
    }

    /// The client's fingerprint.
    pub fn ja3(&self) -> Option<&Ja3> {
        self.client_hello().and_then(|_| self.fingerprint())
    }

    /// The server's fingerprint.
    pub fn ja3s(&self) -> Option<&Ja3> {
        self.server_hello().and_then(|_| self.fingerprint())
    }

    /// The client's fingerprint of the newer kind.
    pub fn ja4(&self) -> Option<&str> {
        let hello = self.client_hello().filter(|_| self.settings.ja4 != Fingerprints::No)?;
        Some(self.ja4.get_or_init(|| ja4(hello, Carrier::Quic)))
    }

    /// Records an anomaly.
    pub fn note(&mut self, anomaly: QuicAnomaly) {
        self.meta.anomaly(anomaly.into());
    }
}
