//! Zeek's logs: one file for each stream, as tab-separated values or JSON.
//!
//! Protocols bring their own streams ([`weir_applayer::ZeekLogs`]); `conn`, `files`, `weird` and
//! `tunnel` are made here. Connections are Zeek's, not the flow table's: their own table decides
//! who is the originator and when a connection is over (`connection/`).

mod across;
mod certificates;
mod connection;
mod encode;
mod expected;
mod file_log;
mod flow;
mod identifier;
mod partial;
mod rows;
mod streams;
mod tunnel;
mod worker;

use std::path::Path;

use weir_applayer::zeek::{DatagramLogs, Recognised};
use weir_applayer::{Protocol, ZeekStream};

use crate::outlet::{Destination, OutletId, OutletSettings};

pub use across::ZeekAcross;
pub use connection::table::ConnectionId;
pub use encode::{ZeekEncoding, ZeekForm, ZeekTimes};
pub use flow::{ZeekFlow, ZeekIdentity};
pub use worker::ZeekWorker;

/// Which logs are written, and how; shared by all workers.
#[derive(Debug)]
pub struct ZeekPlan {
    form: ZeekForm,
    streams: Vec<(&'static ZeekStream, OutletId)>,
    recognised: &'static [Recognised],
    datagrams: &'static [DatagramLogs],
}

impl ZeekPlan {
    /// A log in `folder` for each stream, with outlets numbered from `first` on. Files are made
    /// when their first row comes.
    pub fn new(
        form: ZeekForm,
        protocols: &[&'static Protocol],
        folder: &Path,
        first: OutletId,
    ) -> (Self, Vec<OutletSettings>) {
        let own = [
            &streams::CONN,
            &streams::FILES,
            &streams::WEIRD,
            &streams::TUNNEL,
            &streams::ANALYZER,
            &streams::SIGNATURES_ALERT,
        ];
        let protocols = protocols.iter().filter_map(|p| p.zeek).flat_map(|logs| logs.streams.iter().copied());
        let all: Vec<&'static ZeekStream> = own.into_iter().chain(protocols).collect();
        Self::of_streams(form, &all, folder, first)
    }

    fn of_streams(
        form: ZeekForm,
        streams: &[&'static ZeekStream],
        folder: &Path,
        first: OutletId,
    ) -> (Self, Vec<OutletSettings>) {
        let mut plan = Self { form, streams: Vec::new(), recognised: &[], datagrams: &[] };
        let mut outlets = Vec::new();
        for stream in streams.iter().copied() {
            if plan.outlet(stream).is_some() {
                continue;
            }
            let path = folder.join(format!("{}.log{}", stream.name, if form.gzip { ".gz" } else { "" }));
            let mut outlet = OutletSettings::new(Destination::File { path, append: true, lazy: true });
            outlet.gzip = form.gzip;
            if form.encoding == ZeekEncoding::Tsv {
                outlet.header = Some(Box::new(move |seconds| encode::header(stream, seconds)));
                outlet.footer = Some(Box::new(encode::footer));
            }
            plan.streams.push((stream, OutletId(first.0.saturating_add(outlets.len() as u16))));
            outlets.push(outlet);
        }
        (plan, outlets)
    }

    /// Adds protocols that `conn` names and nothing else is written of.
    #[must_use]
    pub fn recognising(mut self, recognised: &'static [Recognised]) -> Self {
        self.recognised = recognised;
        self
    }

    /// Adds protocols over datagrams that nothing else is written of.
    #[must_use]
    pub fn following(mut self, datagrams: &'static [DatagramLogs]) -> Self {
        self.datagrams = datagrams;
        self
    }

    fn outlet(&self, stream: &ZeekStream) -> Option<OutletId> {
        self.streams
            .iter()
            .find(|(known, _)| std::ptr::eq(*known, stream) || known.name == stream.name)
            .map(|(_, outlet)| *outlet)
    }
}

#[cfg(test)]
mod tests;
