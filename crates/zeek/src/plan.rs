//! From settings to logs: the streams that are written, and all that the observers of a run share.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashSet;
use std::net::IpAddr;

use weir_applayer::zeek::{DatagramLogs, Recognised, Script, ScriptColumn, Watch};
use weir_applayer::{Protocol, ZeekStream};
use weir_base::event::ScriptSettings;
use weir_config::{ConfigError, OutputsSettings, Settings};
use weir_output::formats::zeek::{ZeekEncoding, ZeekLogSet};
use weir_output::writer::LogReport;
use weir_output::{Outputs, Warning};
use weir_packet::Packet;

use crate::connection::mobile;
use crate::connection::ports::Ports;
use crate::connection::recognition::Known;
use crate::connection::timeouts::{Sessions, Timeouts};
use crate::events::{EventSettings, Events};
use crate::files::extract::{ExtractSettings, Extracting};
use crate::policy::odd_packet;
use crate::seeded::{SeedKey, SeededIds};
use crate::settings::{Memcap, Scripts, ZeekSettings};
use crate::site::{Network, Site};
use crate::streams;
use crate::tracking::{Tracked, Tracking};
use crate::tunnel::settings::TunnelSettings;

/// Setting of scripts that names the ports at which servers are likely.
const LIKELY_PORTS: &str = "likely_server_ports";

/// Setting of scripts that says what tells connections apart, and its value that has VLANs do so.
const CONNECTION_KEY: &str = "ConnKey::factory";
const KEY_WITH_VLANS: &str = "ConnKey::CONNKEY_VLAN_FIVETUPLE";

/// Setting of scripts that names the networks whose checksums do not matter.
const TRUSTED: &str = "ignore_checksums_nets";

/// Returns the networks whose checksums do not matter, where there are any.
fn trusted(settings: &ScriptSettings) -> Option<Site> {
    let words = settings.words(TRUSTED)?.iter();
    let networks: Vec<Network> =
        words.filter_map(|word| Network::parse(std::str::from_utf8(word).ok()?)).collect();
    (!networks.is_empty()).then(|| Site::new(&networks, false))
}

/// The facts of the run that the logs need.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    /// The logs are written like this, whatever the settings say.
    pub encoding: Option<ZeekEncoding>,
    /// Protocols that `conn` names and that nothing else is read of.
    pub recognised: &'static [Recognised],
    /// Protocols over datagrams that nothing but the logs follows.
    pub datagrams: &'static [DatagramLogs],
    /// The oddities that are looked for in payloads at ports.
    pub watches: &'static [&'static Watch],
    /// The capture filter.
    pub filter: Option<String>,
    /// Packets with a wrong checksum do not count.
    pub checksums: bool,
    /// The key that ids of connections follow from; one worker can count them.
    pub seed: Option<SeedKey>,
    /// What scripts ask for.
    pub events: Option<EventSettings>,
    /// Only the logs of these scripts are written, by Zeek's paths of them; those of all where it is none.
    pub logged_scripts: Option<HashSet<String>>,
}

/// Logs that are written, and their form; shared by all workers.
#[derive(Debug)]
pub struct Plan {
    pub(crate) logs: ZeekLogSet,
    pub(crate) scripts: Scripts,
    /// The networks and names that are local.
    pub(crate) site: Site,
    /// The hosts that policies look at.
    pub(crate) tracking: Tracking,
    pub(crate) timeouts: Timeouts,
    /// Conversations that are over a while after they began.
    pub(crate) sessions: Sessions,
    /// Ports at which servers are likely.
    pub(crate) ports: Ports,
    pub(crate) memcap: Memcap,
    pub(crate) recognised: Known,
    pub(crate) watches: &'static [&'static Watch],
    pub(crate) datagrams: &'static [DatagramLogs],
    /// The capture filter.
    pub(crate) filter: Option<String>,
    /// Packets with a wrong checksum do not count.
    pub(crate) checksums: bool,
    /// Connections of different VLANs are kept apart.
    pub(crate) by_vlan: bool,
    /// Settings about tunnels.
    pub(crate) tunnels: TunnelSettings,
    /// Networks whose checksums do not matter.
    pub(crate) trusted: Option<Site>,
    /// The way in which files are extracted, where they are.
    pub(crate) extracting: Option<Extracting>,
    /// Events for scripts.
    pub(crate) events: Option<Events>,
    /// Gives ids of connections, where they follow from a seed.
    pub(crate) ids: Option<SeededIds>,
    /// Protocols whose scripts are not loaded, by the names of their logs.
    pub(crate) unread: HashSet<&'static str>,
}

impl Plan {
    /// Reads the entries `zeek` of the outputs in `settings`, and adds the outlets of their logs to `outputs`: one for
    /// each stream of protocols and of those over datagrams. None where no logs are asked for.
    pub fn from_settings(
        settings: &Settings,
        protocols: &[&'static Protocol],
        environment: &Environment,
        outputs: &mut Outputs,
    ) -> Result<Option<Self>, ConfigError> {
        let mut zeek = entries(settings, outputs)?;
        if let Some(encoding) = environment.encoding {
            zeek.get_or_insert_default().write_files(encoding);
        }
        if environment.events.is_some() {
            zeek.get_or_insert_default();
        }
        let Some(settings) = zeek else { return Ok(None) };
        // Scripts that follow files extract them.
        let follows = environment.events.as_ref().is_some_and(|events| events.files);
        let to = settings.extracts_to().filter(|_| !follows);
        // Before the logs: their rows of extracted files are to be true.
        let extracts = to.map(|(folder, room)| outputs.add_extraction(folder, room));
        let ExtractSettings { limit, missing, .. } = settings.extract;
        let (mut streams, more) = streams(&settings, protocols, environment.datagrams);
        let mut unread = HashSet::new();
        if let Some(loaded) = &environment.logged_scripts {
            let is_unread = |stream: &&ZeekStream| !loaded.contains(&*script_of(stream.name));
            unread.extend(streams.iter().copied().filter(is_unread).map(|stream| stream.name));
            streams.retain(|stream| !unread.contains(stream.name));
        }
        let events = environment.events.as_ref();
        if let Some(events) = events {
            streams.retain(|stream| !events.logs.contains(stream.name));
        }
        let events =
            events.map(|events| Events::new(events, protocols, outputs.add_messages(events.taker.clone())));
        let logs = outputs.add_logs(&settings.places(), (&streams, &more));
        let named = environment.events.as_ref().and_then(|events| events.settings.words(LIKELY_PORTS));
        let ports = named.map(|words| Ports::of(words.iter().map(Vec::as_slice))).unwrap_or_default();
        let tracking =
            environment.events.as_ref().map(|events| Tracking::of(&events.settings)).unwrap_or_default();
        let tunnels = environment
            .events
            .as_ref()
            .map(|events| TunnelSettings::of(&events.settings))
            .unwrap_or_default();
        let sessions = environment
            .events
            .as_ref()
            .map(|events| Sessions::of(&events.settings.sessions))
            .unwrap_or_default();
        Ok(Some(Self {
            ports,
            sessions,
            tracking,
            tunnels,
            by_vlan: environment
                .events
                .as_ref()
                .is_some_and(|events| events.settings.choice(CONNECTION_KEY) == Some(KEY_WITH_VLANS)),
            trusted: environment.events.as_ref().and_then(|events| trusted(&events.settings)),
            recognised: Known::new(environment.recognised),
            watches: environment.watches,
            datagrams: environment.datagrams,
            filter: environment.filter.clone(),
            checksums: environment.checksums,
            events,
            unread,
            ids: environment.seed.map(SeededIds::new),
            extracting: extracts.map(|outlet| Extracting { outlet, limit, missing }),
            ..Self::new(&settings, logs)
        }))
    }

    /// Returns whether a policy looks at a host.
    pub(crate) fn tracks(&self, what: Tracked, host: IpAddr) -> bool {
        self.tracking.has(what, &self.site, host)
    }

    /// Returns whether the checksum above IP is wrong and matters: networks that scripts name may send any, and to scripts those
    /// of packets that are routed through others are about the true ends.
    #[inline]
    pub(crate) fn is_corrupt(&self, packet: &Packet<'_>) -> bool {
        let routed = if self.events.is_some() { mobile::checksum_valid(packet) } else { None };
        let is_wrong = routed.map_or_else(|| odd_packet::is_corrupt(packet), |valid| !valid);
        is_wrong && !self.trusts(packet)
    }

    /// Returns whether the checksums of a packet do not matter, as of those that the networks that scripts name send.
    pub(crate) fn trusts(&self, packet: &Packet<'_>) -> bool {
        match (&self.trusted, packet.source()) {
            (Some(networks), Some(source)) => networks.is_local(source),
            _ => false,
        }
    }

    /// Rows of packets and transactions for these logs.
    pub(crate) fn new(settings: &ZeekSettings, logs: ZeekLogSet) -> Self {
        Self {
            logs,
            scripts: settings.scripts,
            site: settings.site.clone(),
            tracking: Tracking::default(),
            trusted: None,
            by_vlan: false,
            tunnels: TunnelSettings::default(),
            timeouts: settings.timeouts,
            sessions: Sessions::default(),
            ports: Ports::default(),
            memcap: settings.memcap,
            recognised: Known::default(),
            watches: &[],
            datagrams: &[],
            filter: None,
            checksums: false,
            extracting: None,
            events: None,
            ids: None,
            unread: HashSet::new(),
        }
    }

    /// Returns whether `conn` may name a protocol: its script is loaded.
    pub(crate) fn names_service(&self, service: &str) -> bool {
        !self.unread.contains(service)
    }

    /// Returns whether files that a protocol carries are followed: its script is loaded, or that of the protocol that
    /// announces its connections.
    pub(crate) fn follows_files_of(&self, service: &str) -> bool {
        let protocol = service.split(['-', '_']).next().unwrap_or(service);
        !self.unread.contains(protocol)
            && !self
                .unread
                .iter()
                .any(|log| log.strip_prefix(protocol).is_some_and(|rest| rest.starts_with('_')))
    }

    /// Returns who takes the rows of a log, where scripts have a part in it.
    pub(crate) fn taker_of(&self, stream: &ZeekStream) -> Option<&Events> {
        self.events.as_ref().filter(|events| events.takes_rows_of(stream))
    }

    /// Returns the number of rows written of each log, by name; logs without a row are left out.
    pub fn written(&self, report: &LogReport) -> Vec<(String, u64)> {
        self.logs.written(report)
    }

    /// Whether scripts handle events of protocols.
    pub fn tells_scripts(&self) -> bool {
        self.events.as_ref().is_some_and(Events::has_protocols)
    }

    /// Whether scripts handle events that have bodies.
    pub fn tells_bodies(&self) -> bool {
        self.events.as_ref().is_some_and(Events::has_bodies)
    }

    /// Whether every file is extracted.
    pub const fn extracts_files(&self) -> bool {
        self.extracting.is_some()
    }

    /// Whether scripts follow files.
    pub fn tells_files(&self) -> bool {
        self.events.as_ref().is_some_and(|events| events.files)
    }

    /// Whether every file is to have hashes.
    pub fn hashes_files(&self) -> bool {
        self.scripts.has(Script::Hashes) && !self.tells_files()
    }
}

/// Reads the entries `zeek`: the first one says what is logged, all of them where that goes.
fn entries(settings: &Settings, outputs: &mut Outputs) -> Result<Option<ZeekSettings>, ConfigError> {
    let warnings = RefCell::new(Vec::new());
    let complain = |text| warnings.borrow_mut().push(Warning(text));
    let mut zeek: Option<ZeekSettings> = None;
    for entry in OutputsSettings::from_settings(settings).enabled("zeek") {
        let section = entry.section(settings);
        match &mut zeek {
            Some(zeek) => zeek.read_beside(&section, &complain)?,
            None => zeek = ZeekSettings::read(&section, &complain)?,
        }
    }
    outputs.warnings.extend(warnings.into_inner());
    Ok(zeek)
}

/// Returns the script that a stream comes with, by Zeek's path of it.
fn script_of(stream: &str) -> Cow<'static, str> {
    Cow::Borrowed(match stream {
        "files" => "base/frameworks/files/main",
        "weird" => "base/frameworks/notice/weird",
        "notice" => "base/frameworks/notice/main",
        "analyzer" => "base/frameworks/analyzer/logging",
        "reporter" => "base/frameworks/reporter/main",
        "packet_filter" => "base/frameworks/packet-filter/main",
        "tunnel" => "base/frameworks/tunnels/main",
        "software" => "base/frameworks/software/main",
        "signatures" => "base/frameworks/signatures/main",
        "x509" => "base/files/x509/main",
        "ocsp" => "base/files/x509/log-ocsp",
        "pe" => "base/files/pe/main",
        "kerberos" => "base/protocols/krb/main",
        "dce_rpc" => "base/protocols/dce-rpc/main",
        "smb_files" | "smb_mapping" | "smb_cmd" => "base/protocols/smb/main",
        "mqtt_connect" | "mqtt_publish" | "mqtt_subscribe" => "base/protocols/mqtt/main",
        "ldap_search" => "base/protocols/ldap/main",
        "modbus_register_change" => "policy/protocols/modbus/track-memmap",
        "known_hosts" => "policy/protocols/conn/known-hosts",
        "known_services" => "policy/protocols/conn/known-services",
        "known_certs" => "policy/protocols/ssl/known-certs",
        "capture_loss" => "policy/misc/capture-loss",
        "stats" => "policy/misc/stats",
        "traceroute" => "policy/misc/detect-traceroute/main",
        other => return Cow::Owned(format!("base/protocols/{other}/main")),
    })
}

/// The streams that are written, and the columns that loaded scripts add to them.
pub(crate) fn streams(
    settings: &ZeekSettings,
    protocols: &[&'static Protocol],
    datagrams: &'static [DatagramLogs],
) -> (Vec<&'static ZeekStream>, Vec<&'static ScriptColumn>) {
    let protocols = || protocols.iter().filter_map(|protocol| protocol.zeek);
    let streams = protocols().flat_map(|logs| logs.streams.iter().copied());
    let streams = streams.chain(datagrams.iter().flat_map(|logs| logs.streams.iter().copied()));
    let mut more: Vec<&ScriptColumn> = Vec::new();
    for columns in streams::MORE.into_iter().flatten().chain(protocols().flat_map(|logs| logs.more)) {
        // Several protocols may share their logs.
        let is_new = !more.iter().any(|known| std::ptr::eq(*known, columns));
        if is_new && settings.scripts.has(columns.script) {
            more.push(columns);
        }
    }
    (streams::own(settings.scripts).chain(streams).collect(), more)
}

#[cfg(test)]
mod tests {
    use weir_output::outlet::{Destination, OutletSettings};

    use super::*;

    fn planned(settings: &Settings, environment: Environment) -> (Option<Plan>, Outputs) {
        let mut outputs =
            Outputs::from_settings(settings, &[], &weir_output::Environment::default()).unwrap();
        (Plan::from_settings(settings, &[], &environment, &mut outputs).unwrap(), outputs)
    }

    #[test]
    fn the_shipped_configuration() {
        let settings = Settings::built_in::<&str>(&[]).unwrap();
        for (encoding, written) in [(None, false), (Some(ZeekEncoding::Json), true)] {
            let (plan, mut outputs) = planned(&settings, Environment { encoding, ..Default::default() });
            let files = outputs.take_outlets();
            let is_log =
                |outlet: &OutletSettings| matches!(outlet.destination, Destination::File { lazy: true, .. });
            assert_eq!((plan.is_some(), files.iter().any(is_log)), (written, written));
        }
    }

    /// Files and targets, by what entries and the command line say.
    #[test]
    fn places_of_logs() {
        let sent = "  - zeek:\n      enabled: yes\n      filetype: redis\n";
        let json = "  - zeek:\n      enabled: yes\n      format: json\n";
        for (entries, encoding, files, targets) in [
            (format!("{json}{sent}"), None, 1, 1),
            (sent.to_owned(), None, 0, 1),
            (sent.to_owned(), Some(ZeekEncoding::Tsv), 1, 1),
            (format!("{sent}{sent}{json}"), None, 1, 2),
            (json.to_owned(), Some(ZeekEncoding::Tsv), 1, 0),
            (format!("{json}{json}"), None, 1, 0),
        ] {
            let text = format!("%YAML 1.1\n---\noutputs:\n{entries}");
            let settings = Settings::from_text::<&str>(text.as_bytes(), "a.yaml", &[]).unwrap();
            let (_, mut outputs) = planned(&settings, Environment { encoding, ..Environment::default() });
            let (mut conns, mut sinks) = (0, Vec::new());
            for outlet in outputs.take_outlets() {
                match outlet.destination {
                    Destination::File { name, .. } if format!("{name:?}").contains("/conn") => conns += 1,
                    Destination::Network(pipeline) if !sinks.contains(&pipeline) => sinks.push(pipeline),
                    _ => {}
                }
            }
            assert_eq!((conns, sinks.len()), (files, targets), "{entries} {encoding:?}");
        }
    }

    #[test]
    fn the_entry_zeek() {
        let cases = [
            ("- zeek:\n      enabled: yes\n", true, 0),
            ("- zeek:\n      enabled: yes\n      format: json\n", true, 0),
            ("- zeek:\n      enabled: yes\n      format: xml\n", false, 1),
            ("- zeek:\n      enabled: yes\n      timestamps: iso8601\n      gzip: yes\n", true, 0),
            ("- zeek:\n      enabled: yes\n      timestamps: never\n", true, 1),
            ("- zeek:\n      enabled: no\n", false, 0),
            ("- zeek:\n      enabled: yes\n      local-nets: [8.8.8.0/24, \"2a00::/16\"]\n", true, 0),
            ("- zeek:\n      enabled: yes\n      local-nets: 8.8.8.8/33\n", true, 1),
            ("- zeek:\n      enabled: yes\n      local-nets: [10/8, site, 1.1.1.1]\n", true, 2),
            ("- zeek:\n      enabled: yes\n      timeouts:\n        tcp-inactivity-timeout: 1hr\n", true, 0),
            ("- zeek:\n      enabled: yes\n      timeouts:\n        tcp-inactivity-timeout: long\n", true, 1),
            ("- zeek:\n      enabled: yes\n      timeouts:\n        tcp-timeout: 1hr\n", true, 1),
            ("- zeek:\n      enabled: yes\n      memcap: 1 GiB\n", true, 0),
            ("- zeek:\n      enabled: yes\n      memcap: much\n", true, 1),
            ("- zeek:\n      enabled: yes\n      filetype: redis\n", true, 0),
            ("- zeek:\n      enabled: yes\n  - zeek:\n      enabled: yes\n      filetype: http\n", true, 0),
            ("- zeek:\n      enabled: yes\n  - zeek:\n      enabled: yes\n", true, 0),
            ("- zeek:\n      enabled: yes\n  - zeek:\n      enabled: yes\n      format: json\n", true, 1),
            ("- zeek:\n      enabled: yes\n  - zeek:\n      enabled: yes\n      memcap: 1 GiB\n", true, 2),
        ];
        for (entry, written, warnings) in cases {
            let text = format!("%YAML 1.1\n---\noutputs:\n  {entry}");
            let settings = Settings::from_text::<&str>(text.as_bytes(), "a.yaml", &[]).unwrap();
            let (plan, outputs) = planned(&settings, Environment::default());
            assert_eq!((plan.is_some(), outputs.warnings.len()), (written, warnings), "{entry}");
        }
        let wrong = "%YAML 1.1\n---\noutputs:\n  - zeek:\n      enabled: yes\n      filetype: pipe\n";
        let settings = Settings::from_text::<&str>(wrong.as_bytes(), "a.yaml", &[]).unwrap();
        let mut outputs =
            Outputs::from_settings(&settings, &[], &weir_output::Environment::default()).unwrap();
        let refused = Plan::from_settings(&settings, &[], &Environment::default(), &mut outputs);
        let said = refused.err().map(|error| error.to_string()).unwrap_or_default();
        assert!(
            said.contains("a.yaml, line 6, column 17: 'pipe' is not one of regular, file, redis"),
            "{said}"
        );
        let text = "%YAML 1.1\n---\noutputs:\n  - zeek:\n      enabled: yes\n      local-nets:\n        - 8.8.8.0/24\n        - 10/8\n";
        let settings = Settings::from_text::<&str>(text.as_bytes(), "a.yaml", &[]).unwrap();
        let (_, outputs) = planned(&settings, Environment::default());
        let expected = "10/8 in local-nets of zeek (a.yaml, line 8, column 11) is left out: a network is an \
                        address and the length of its prefix, as 192.0.2.0/24 or 2001:db8::/32";
        assert_eq!(outputs.warnings[0].0, expected);
    }
}
