//! An SSH conversation: the one transaction of its flow.

use std::any::Any;
use std::cell::OnceCell;

use weir_applayer::{Progress, Transaction, TxMeta};
use weir_base::{Direction, PerDirection, Timestamp};

use super::anomaly::SshAnomaly;
use super::authentication::Authentication;
use super::banner::Banner;
use super::key_exchange::{Hassh, KeyExchange, List, Offers};
use super::settings::Settings;
use crate::settings::Fingerprints;

/// States of the client, for rule hooks.
pub const REQUEST_STATES: &[&str] =
    &["request_in_progress", "request_banner_wait_eol", "request_banner_done", "request_finished"];

/// States of the server, for rule hooks.
pub const RESPONSE_STATES: &[&str] =
    &["response_in_progress", "response_banner_wait_eol", "response_banner_done", "response_finished"];

/// The beginning of a banner was read that is too long; its end is waited for.
pub const BANNER_WAIT_EOL: Progress = Progress(1);
/// The banner was read.
pub const BANNER_DONE: Progress = Progress(2);
/// Both sides speak in secret, or the flow ended.
pub const FINISHED: Progress = Progress(3);

/// Messages of one side.
#[derive(Clone, Debug, Default)]
pub struct Side {
    /// Its version line.
    pub banner: Option<Banner>,
    /// When the end of that was captured.
    pub banner_at: Timestamp,
    /// The algorithms it offers.
    pub offer: Option<KeyExchange>,
    /// Encryption has begun.
    pub encrypted: bool,
    /// Made when it is first asked for.
    hassh: OnceCell<Hassh>,
}

/// One conversation.
#[derive(Debug, Default)]
pub struct SshTransaction {
    /// Metadata common to all transactions.
    pub meta: TxMeta,
    /// By who sent it: the client's to the server, the server's to the client.
    pub sides: PerDirection<Side>,
    /// The key that the server shows, as sent.
    pub host_key: Option<Box<[u8]>>,
    /// Authentication of the client.
    pub authentication: Authentication,
    /// Packets are still read for the authentication.
    pub followed: bool,
    /// Settings of the protocol.
    pub settings: Settings,
}

impl Transaction for SshTransaction {
    fn meta(&self) -> &TxMeta {
        &self.meta
    }

    fn meta_mut(&mut self) -> &mut TxMeta {
        &mut self.meta
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn held(&self) -> Option<usize> {
        let offers = Direction::BOTH
            .map(|direction| self.sides[direction].offer.as_ref().map_or(0, KeyExchange::memory));
        Some(offers.into_iter().sum::<usize>() + self.host_key.as_ref().map_or(0, |key| key.len()))
    }

    /// Fingerprints are part of the record: it waits for what they are made of.
    fn record_is_ready(&self) -> bool {
        self.settings.hassh != Fingerprints::Yes
            || Direction::BOTH.iter().all(|&direction| self.meta.progress[direction] >= FINISHED)
    }

    fn may_change(&self) -> bool {
        self.followed
    }
}

impl SshTransaction {
    /// The fingerprint of a side.
    pub fn hassh(&self, direction: Direction) -> Option<&Hassh> {
        let side = &self.sides[direction];
        let offer = side.offer.as_ref().filter(|_| self.settings.hassh != Fingerprints::No)?;
        Some(side.hassh.get_or_init(|| Hassh::of(offer, direction)))
    }

    /// Returns the algorithms that both sides offer.
    pub fn offers(&self) -> Option<Offers<'_>> {
        let [client, server] = Direction::BOTH.map(|direction| self.sides[direction].offer.as_ref());
        Some(Offers { sides: PerDirection { to_server: client?, to_client: server? } })
    }

    /// Whether both sides pack what they send: its lengths say nothing then.
    pub fn is_compressed(&self) -> bool {
        let packs = |offers: Offers<'_>, direction| {
            matches!(offers.agreed(List::Compression(direction)), Some(b"zlib" | b"zlib@openssh.com"))
        };
        self.offers().is_some_and(|offers| Direction::BOTH.iter().all(|&direction| packs(offers, direction)))
    }

    /// Whether a side can do without the version that is read here, by what it says of itself.
    pub fn is_version_1(&self) -> bool {
        let banners = Direction::BOTH.map(|direction| self.sides[direction].banner.as_ref());
        banners.into_iter().flatten().any(Banner::is_version_1)
    }

    /// A copy for the reading of Zeek's logs alone.
    pub fn fork(&mut self) -> Self {
        Self { meta: self.meta.fork(), sides: self.sides.clone(), host_key: self.host_key.clone(), ..*self }
    }

    /// Records an anomaly.
    pub fn note(&mut self, anomaly: SshAnomaly) {
        self.meta.anomaly_once(anomaly.into());
    }
}
