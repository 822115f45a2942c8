//! The settings of a run: each room's own, filled from the configuration.

use crate::firewall::FirewallPlan;
use crate::worker::FEW_FLOWS;
use weir_base::Duration;
use weir_config as config;
use weir_config::{ConfigError, Settings};
use weir_flow::settings::{FlowSettings, IcmpErrors, ProtocolTimeouts, Timeouts};
use weir_packet::decode::DecoderSettings;
use weir_packet::defrag::{DefragSettings, Network};
use weir_stream::{OverlapPolicy, StreamSettings, UrgentPolicy};

/// Options of the command line beside the configuration.
#[derive(Clone, Debug, Default)]
pub struct RunOptions {
    /// `-k`: check checksums; none: as the configuration says.
    pub checksums: Option<bool>,
    /// Packets can be dropped: the source stands between networks, or `--simulate-ips` has it so.
    pub inline: bool,
    /// `--disable-detection`
    pub disable_detection: bool,
    /// `--disable-hashing`
    pub disable_hashing: bool,
    /// `--init-errors-fatal`
    pub fatal_errors: bool,
    /// `-T`: nothing will be run.
    pub test: bool,
    /// `-t`, `--runmode`: workers; zero is one, too.
    pub workers: usize,
    /// `--firewall-rules-exclusive`: there is a firewall, with the rules of this file.
    pub firewall_rules: Option<std::path::PathBuf>,
    /// `--zeek-logs`
    pub zeek: Option<ZeekChoice>,
    /// Writers of the folder for logs.
    pub log_folder: LogFolder,
    /// Treatment of logs that earlier runs left there: `--overwrite`.
    pub existing: Existing,
    /// `--watch`: rules are loaded again where files change that they depend on.
    pub watch: bool,
    /// `--record`: folder of the recording to make of what is listened to.
    pub record: Option<std::path::PathBuf>,
    /// The key that ids of Zeek's connections follow from; with several workers they do not.
    pub seed: Option<weir_zeek::SeedKey>,
    /// The events of traffic that scripts ask for.
    pub events: Option<weir_zeek::EventSettings>,
    /// Of Zeek's logs only those of these scripts are written, by Zeek's paths of them.
    pub logged_scripts: Option<std::collections::HashSet<String>>,
    /// `weir profile`: what is measured, whatever the configuration says.
    pub profile: Option<ProfileChoice>,
}

pub use crate::profile::ProfileChoice;
pub use weir_output::Existing;

/// Writers of the folder for logs at the same time.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum LogFolder {
    /// This run alone.
    #[default]
    Own,
    /// `--shared-log-folder`: other runs, too, into files of other names.
    Shared,
}

/// The form of Zeek's logs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ZeekChoice {
    /// Tab-separated, with header lines.
    Tsv,
    /// A JSON object a line.
    Json,
    /// Tables of Apache Parquet.
    Parquet,
}

/// Typed settings of a worker.
///
/// It has a field for each setting that a stage of the worker reads.
#[derive(Clone, Debug)]
pub struct EngineSettings {
    /// Workers, at least one.
    pub workers: usize,
    /// Packets can be dropped.
    pub inline: bool,
    /// Rules are run.
    pub detection: bool,
    /// Packets with a wrong checksum stay out of the stream.
    pub checksums: bool,
    /// Zeek's logs are written: what they have beyond rules and records is read for them alone.
    pub zeek: bool,
    /// Stream settings of connections that the other settings leave alone, if those are read.
    pub unread_stream: Option<Box<StreamSettings>>,
    /// Decoding.
    pub decoder: DecoderSettings,
    /// Defragmentation.
    pub defrag: DefragSettings,
    /// Flows.
    pub flow: FlowSettings,
    /// Number of flows a worker has before it fetches those of coming packets.
    pub few_flows: usize,
    /// Bytes that parsers of HTTP keep of compressed bodies for Zeek's logs.
    pub http_memcap: u64,
    /// Memory of the protocols of all flows.
    pub app_memcap: u64,
    /// Bytes of a flow's packets for which it gets one record of a transaction or of an anomaly of one; zero is no
    /// bound.
    pub bytes_per_record: u64,
    /// TCP.
    pub stream: StreamSettings,
    /// Systems by network.
    pub host_os: config::HostOsPolicy,
    /// Exception policies.
    pub policies: config::ExceptionPolicies,
    /// Rules.
    pub detect: config::DetectSettings,
    /// The firewall's rule files and policies, where there is one.
    pub firewall: Option<FirewallPlan>,
    /// Statistics.
    pub stats: config::StatsSettings,
    /// Where threads run.
    pub threading: config::ThreadingSettings,
    /// What is measured.
    pub profiling: config::ProfilingSettings,
}

impl EngineSettings {
    /// Reads all of them.
    pub fn from_settings(settings: &Settings, options: &RunOptions) -> Result<Self, ConfigError> {
        let rules = options.firewall_rules.as_ref();
        let firewall = FirewallPlan::from_settings(settings, rules, weir_protocols::ALL)?;
        // What a firewall decides is carried out.
        let inline = options.inline || firewall.is_some();
        let stream = config::StreamSettings::from_settings(settings, inline)?;
        let flow = config::FlowSettings::from_settings(settings)?;
        let decoder = config::DecoderSettings::from_settings(settings)?;
        let host_os = config::HostOsPolicy::from_settings(settings)?;
        let as_filled_in =
            matches!(settings.text("pcap-file.checksum-checks"), Some("no" | "false" | "off" | "0"));
        let checksums = options.checksums.unwrap_or(stream.checksum_validation && !as_filled_in);
        Ok(Self {
            workers: options.workers.max(1),
            inline,
            detection: !options.disable_detection,
            checksums,
            zeek: false,
            unread_stream: None,
            decoder: DecoderSettings {
                // Rules ask for such packets as invalid ones.
                unstated_length: options.disable_detection && !inline,
                ..decoder_settings(&decoder)
            },
            defrag: defrag_settings(&config::DefragSettings::from_settings(settings)?, &host_os),
            flow: FlowSettings {
                track_vlan: flow.vlan_tracking,
                track_recursion: decoder.recursion_level_tracking,
                icmp_errors: IcmpErrors::QuotedFlow,
                ..flow_settings(&flow)
            },
            few_flows: FEW_FLOWS,
            http_memcap: memcap(settings, "app-layer.protocols.http", 64 << 20)?,
            app_memcap: memcap(settings, "app-layer", 512 << 20)?,
            bytes_per_record: settings.section("app-layer").integer("bytes-per-record", 16, 0..=1 << 20)?,
            stream: stream_settings(&stream, inline),
            host_os,
            policies: stream.policies,
            detect: config::DetectSettings::from_settings(settings)?,
            stats: config::StatsSettings::from_settings(settings)?,
            threading: config::ThreadingSettings::from_settings(settings)?,
            profiling: config::ProfilingSettings::from_settings(settings)?,
            firewall,
        })
    }
}

impl EngineSettings {
    /// Follows, for Zeek's logs alone: tunnels at any port, TLS after STARTTLS, what goes through
    /// other protocols, connections that were under way before or are seen from one side only, malformed bytes and
    /// holes as Zeek reads them.
    pub fn suit_zeek_logs(&mut self) {
        self.decoder.notes_more = true;
        self.zeek = true;
        // Zeek waits neither for holes to be filled nor for the end of both sides.
        self.stream.tells_early = true;
        // It reads streams to their ends.
        self.stream.tells_beyond = !self.stream.inline;
        self.unread_stream = Some(Box::new(StreamSettings {
            midstream: true,
            async_oneside: true,
            eager: true,
            lenient: true,
            tells_early: false,
            tells_beyond: false,
            depth: 0,
            inline: false,
            bypass: false,
            raw: false,
            ..self.stream.clone()
        }));
    }

    /// No rule looks at anything: what is kept for rules alone need not be.
    pub fn leave_detection(&mut self) {
        self.detection = false;
        self.stream.raw = false;
    }

    /// Rules look at what comes from now on, as they would have in a run that began with some.
    pub fn begin_detection(&mut self, as_asked: &Self) {
        self.detection = as_asked.detection;
        self.stream.raw = as_asked.stream.raw;
    }

    /// Returns those of inspection.
    pub fn inspector(&self) -> weir_detect::InspectorSettings {
        weir_detect::InspectorSettings {
            steps: self.detect.recursion_limit,
            max_alerts: usize::from(self.detect.packet_alert_max),
        }
    }

    /// Those of what is read for Zeek's logs alone ([`Self::suit_zeek_logs`]).
    #[must_use]
    pub fn for_tunnels(&self) -> Self {
        let mut tunnels = Self { decoder: self.decoder.widened(), inline: false, ..self.clone() };
        tunnels.leave_detection();
        tunnels.stream.inline = false;
        tunnels.flow.prealloc = 0;
        tunnels
    }

    /// Returns one worker's share of so many: memories are divided, all else is the same.
    pub fn share_of(&self, workers: usize) -> Self {
        let mut share = self.clone();
        let bytes = |cap: &mut u64| *cap = cap.div_ceil(workers as u64);
        bytes(&mut share.flow.memcap);
        bytes(&mut share.http_memcap);
        bytes(&mut share.app_memcap);
        for stream in [Some(&mut share.stream), share.unread_stream.as_deref_mut()].into_iter().flatten() {
            bytes(&mut stream.memcap);
            bytes(&mut stream.reassembly_memcap);
        }
        share.flow.prealloc = share.flow.prealloc.div_ceil(workers);
        share.defrag.memcap = share.defrag.memcap.div_ceil(workers);
        share.defrag.max_trackers = share.defrag.max_trackers.div_ceil(workers);
        share
    }
}

/// The `memcap` of a section; zero is no bound.
fn memcap(settings: &config::Settings, section: &str, default: u64) -> Result<u64, ConfigError> {
    Ok(match settings.section(section).size("memcap", default)? {
        0 => u64::MAX,
        memcap => memcap,
    })
}

fn decoder_settings(from: &config::DecoderSettings) -> DecoderSettings {
    let ports = |tunnel: &config::decoder::TunnelSettings| {
        if tunnel.enabled { tunnel.ports.clone() } else { Vec::new() }
    };
    DecoderSettings {
        vxlan_ports: ports(&from.vxlan),
        vxlan_strict_reserved_bits: from.vxlan_reserved_bits_check,
        vxlan_gpe_ports: ports(&from.vxlan_gpe),
        geneve_ports: ports(&from.geneve),
        gtp_ports: ports(&from.gtp),
        l2tp_ports: ports(&from.l2tp),
        teredo_enabled: from.teredo.enabled,
        teredo_ports: from.teredo.ports.clone(),
        max_layers: from.max_layers,
        ..DecoderSettings::default()
    }
}

fn defrag_settings(from: &config::DefragSettings, host_os: &config::HostOsPolicy) -> DefragSettings {
    let network =
        |prefix: &config::host_os::Prefix| Network { address: prefix.address, prefix: prefix.length };
    let timeout = |seconds: u32| Duration::from_secs(seconds.into());
    let policies = host_os.networks.iter().rev().filter_map(|(prefix, system)| {
        Some((network(prefix), weir_packet::defrag::OverlapPolicy::of_system(system.name())?))
    });
    DefragSettings {
        memcap: from.memcap as usize,
        max_trackers: from.trackers as usize,
        max_fragments: from.max_frags as usize,
        timeout: timeout(from.timeout_secs),
        timeouts: from.host_timeouts.iter().map(|(prefix, s)| (network(prefix), timeout(*s))).collect(),
        policies: policies.collect(),
        ..DefragSettings::default()
    }
}

fn flow_settings(from: &config::FlowSettings) -> FlowSettings {
    let times = |t: &config::flow::Timeouts| {
        Timeouts::seconds(t.new.into(), t.established.into(), t.closed.into(), t.bypassed.into())
    };
    let pair = |p: &config::flow::TimeoutPair| ProtocolTimeouts {
        normal: times(&p.normal),
        emergency: times(&p.emergency),
    };
    FlowSettings {
        memcap: from.table.memcap,
        emergency_recovery: from.emergency_recovery,
        prealloc: from.table.prealloc as usize,
        other: pair(&from.timeouts.other),
        tcp: pair(&from.timeouts.tcp),
        udp: pair(&from.timeouts.udp),
        icmp: pair(&from.timeouts.icmp),
        elephant: from.rate_tracking.map(|rate| weir_flow::elephant::ElephantSettings {
            bytes: rate.bytes,
            interval_seconds: rate.interval_secs.into(),
            bypass: rate.bypass,
        }),
        ..FlowSettings::default()
    }
}

fn stream_settings(from: &config::StreamSettings, inline: bool) -> StreamSettings {
    let urgent = |policy| match policy {
        config::stream::UrgentPolicy::Oob => UrgentPolicy::OutOfBand,
        config::stream::UrgentPolicy::Inline => UrgentPolicy::Inline,
        config::stream::UrgentPolicy::Drop => UrgentPolicy::Drop,
        config::stream::UrgentPolicy::Gap => UrgentPolicy::Gap,
    };
    let reassembly = &from.reassembly;
    StreamSettings {
        memcap: from.memcap,
        reassembly_memcap: reassembly.memcap,
        depth: reassembly.depth.into(),
        midstream: from.midstream,
        async_oneside: from.async_oneside,
        eager: false,
        lenient: false,
        tells_early: false,
        tells_beyond: false,
        inline: from.inline.settle(inline),
        drop_invalid: from.drop_invalid,
        bypass: from.bypass,
        max_syn_queued: from.max_syn_queued,
        max_synack_queued: from.max_synack_queued,
        chunk_to_server: reassembly.toserver_chunk_size.into(),
        chunk_to_client: reassembly.toclient_chunk_size.into(),
        liberal_timestamps: from.liberal_timestamps,
        raw: reassembly.raw,
        urgent: urgent(reassembly.urgent),
        urgent_limit: urgent(reassembly.urgent_oob_limit),
        // Zero is for as many as can be counted.
        max_regions: match reassembly.max_regions {
            0 => u8::MAX,
            regions => u8::try_from(regions).unwrap_or(u8::MAX),
        },
        check_overlap: reassembly.check_overlap.unwrap_or(true),
        keeps_window: reassembly.check_overlap == Some(true),
    }
}

/// Returns the overlap policy of the host at `address`.
pub fn overlap_policy(host_os: &config::HostOsPolicy, address: std::net::IpAddr) -> OverlapPolicy {
    use config::OsPolicy;
    match host_os.policy_for(address) {
        // Streams know no right-hand BSD and no old Solaris.
        OsPolicy::Bsd | OsPolicy::BsdRight => OverlapPolicy::Bsd,
        OsPolicy::OldLinux => OverlapPolicy::OldLinux,
        OsPolicy::Linux => OverlapPolicy::Linux,
        OsPolicy::Solaris | OsPolicy::OldSolaris => OverlapPolicy::Solaris,
        OsPolicy::Hpux10 => OverlapPolicy::Hpux10,
        OsPolicy::Hpux11 => OverlapPolicy::Hpux11,
        OsPolicy::Irix => OverlapPolicy::Irix,
        OsPolicy::Macos => OverlapPolicy::MacOs,
        OsPolicy::Windows => OverlapPolicy::Windows,
        OsPolicy::Vista => OverlapPolicy::Vista,
        OsPolicy::Windows2k3 => OverlapPolicy::Windows2k3,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(overrides: &[&str]) -> EngineSettings {
        let settings = Settings::from_text(b"", "test", overrides).unwrap();
        EngineSettings::from_settings(&settings, &RunOptions::default()).unwrap()
    }

    #[test]
    fn limits_of_reassembly() {
        for (text, regions) in [("0", 255), ("8", 8), ("300", 255)] {
            let stream = settings(&[&format!("stream.reassembly.max-regions={text}")]).stream;
            assert_eq!(stream.max_regions, regions, "{text}");
        }
        let compared = |overrides: &[&str]| settings(overrides).stream.check_overlap;
        assert!(compared(&[]));
        assert!(!compared(&["stream.reassembly.check-overlap-different-data=no"]));
    }

    #[test]
    fn checksums_are_looked_at_unless_captures_lack_them() {
        let cases: [(&[&str], bool); 4] = [
            (&[], true),
            (&["pcap-file.checksum-checks=auto"], true),
            (&["pcap-file.checksum-checks=no"], false),
            (&["stream.checksum-validation=no"], false),
        ];
        for (overrides, expected) in cases {
            assert_eq!(settings(overrides).checksums, expected, "{overrides:?}");
        }
    }

    #[test]
    fn hosts_put_streams_and_fragments_together() {
        let text =
            b"%YAML 1.1\n---\nhost-os-policy:\n  linux: [10.0.0.0/8]\n  old-solaris: [10.1.0.0/16]\n  bsd-right: [\"::1\"]\n";
        let settings = Settings::from_text::<&str>(text, "test", &[]).unwrap();
        let settings = EngineSettings::from_settings(&settings, &RunOptions::default()).unwrap();
        for (address, policy) in [
            ("10.2.0.1", OverlapPolicy::Linux),
            ("10.1.0.1", OverlapPolicy::Solaris),
            ("::1", OverlapPolicy::Bsd),
            ("192.168.0.1", OverlapPolicy::Bsd),
        ] {
            assert_eq!(overlap_policy(&settings.host_os, address.parse().unwrap()), policy, "{address}");
        }
        let fragments = settings.defrag.policies.iter().map(|(_, policy)| *policy);
        use weir_packet::defrag::OverlapPolicy::{BsdRight, Linux, Solaris};
        assert_eq!(fragments.collect::<Vec<_>>(), [Linux, Solaris, BsdRight]);
    }
}
