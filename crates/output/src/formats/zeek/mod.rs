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
mod inventory;
mod measure;
mod notice;
mod odd_packet;
mod parents;
mod partial;
mod rows;
mod sent;
mod settings;
mod site;
mod software;
mod streams;
mod traceroute;
mod tunnel;
mod worker;

use std::path::Path;

use weir_applayer::zeek::{DatagramLogs, Recognised};
use weir_applayer::{Protocol, ZeekStream};

use settings::Scripts;
use site::Site;

use crate::outlet::{Destination, OutletId, OutletSettings};

pub use across::ZeekAcross;
pub use connection::table::ConnectionId;
pub use encode::{ZeekEncoding, ZeekForm, ZeekTimes};
pub use flow::{ZeekFlow, ZeekIdentity};
pub use measure::ZeekTraffic;
pub use settings::{NETWORK_FORM, ZeekSettings, interval, is_network, is_script, loadable};
pub use worker::ZeekWorker;

/// Which logs are written, and how; shared by all workers.
#[derive(Debug)]
pub struct ZeekPlan {
    form: ZeekForm,
    scripts: Scripts,
    /// What is local.
    site: Site,
    streams: Vec<(&'static ZeekStream, OutletId)>,
    recognised: &'static [Recognised],
    datagrams: &'static [DatagramLogs],
    /// The capture filter.
    filter: Option<String>,
}

impl ZeekPlan {
    /// A log in `folder` for each stream, with outlets numbered from `first` on. Files are made
    /// when their first row comes; a name that is `taken` gets a number.
    pub fn new(
        settings: &ZeekSettings,
        protocols: &[&'static Protocol],
        folder: &Path,
        first: OutletId,
        taken: &dyn Fn(&Path) -> bool,
    ) -> (Self, Vec<OutletSettings>) {
        let protocols = protocols.iter().filter_map(|p| p.zeek).flat_map(|logs| logs.streams.iter().copied());
        let all: Vec<&'static ZeekStream> = streams::own(settings.scripts).chain(protocols).collect();
        Self::of_streams(settings, &all, folder, first, taken)
    }

    fn of_streams(
        settings: &ZeekSettings,
        streams: &[&'static ZeekStream],
        folder: &Path,
        first: OutletId,
        taken: &dyn Fn(&Path) -> bool,
    ) -> (Self, Vec<OutletSettings>) {
        let (form, scripts) = (settings.form, settings.scripts);
        let mut plan = Self {
            form,
            scripts,
            site: settings.site.clone(),
            streams: Vec::new(),
            recognised: &[],
            datagrams: &[],
            filter: None,
        };
        let mut outlets = Vec::new();
        let extension = settings.gzip.as_ref().map(|(_, extension)| format!(".{extension}"));
        for stream in streams.iter().copied() {
            if plan.outlet(stream).is_some() {
                continue;
            }
            let file = |name: &str| folder.join(format!("{name}.log{}", extension.as_deref().unwrap_or("")));
            let mut path = file(stream.name);
            if taken(&path) {
                path = file(&format!("{}-2", stream.name));
            }
            let mut outlet = OutletSettings::new(Destination::File { path, append: true, lazy: true });
            outlet.gzip = settings.gzip.as_ref().map(|(level, _)| *level);
            outlet.rotation = settings.rotation;
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

    /// Tells of the capture filter.
    #[must_use]
    pub fn filtered(mut self, filter: Option<String>) -> Self {
        self.filter = filter;
        self
    }

    fn outlet(&self, stream: &ZeekStream) -> Option<OutletId> {
        // A protocol may bring its own stream of a name that another one brings, too.
        let same = |known: &ZeekStream| std::ptr::eq(known, stream);
        let named = |known: &ZeekStream| known.name == stream.name;
        let found = self.streams.iter().find(|(known, _)| same(known));
        found.or_else(|| self.streams.iter().find(|(known, _)| named(known))).map(|(_, outlet)| *outlet)
    }
}

#[cfg(test)]
mod tests;
