//! What scripts ask of the traffic: events that they handle, scripts that they load, settings of the engine.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use weir_base::event::{PayloadExtent, ScriptSettings};

use crate::driver::Driver;
use crate::frameworks::discarding::Discarders;
use crate::frameworks::expectations::BEGINNING;
use crate::frameworks::{expectations, frames, packets, steering, thresholds, unknown_protocols};
use crate::program::Body;
use crate::signatures::Signatures;
use crate::types::Flavor;
use crate::values::{Style, Value, print_value};
use crate::vm::Engine;

/// Settings of scripts that are the engine's.
const SETTINGS: [&str; 17] = [
    "ignore_checksums",
    "tcp_inactivity_timeout",
    "udp_inactivity_timeout",
    "icmp_inactivity_timeout",
    "unknown_ip_inactivity_timeout",
    "tcp_attempt_delay",
    "tcp_close_delay",
    "tcp_reset_delay",
    "dns_session_timeout",
    "Site::local_nets",
    "Site::local_zones",
    "Site::private_address_space_is_local",
    "Log::default_logdir",
    "Log::default_rotation_interval",
    "LogAscii::use_json",
    "FileExtract::prefix",
    "FileExtract::default_limit",
];

/// The event behind each packet that a connection counts, which is for the lane alone.
pub(super) const EACH: &str = "weir_packet_counted";

/// Settings of protocols.
const OF_PROTOCOLS: [&str; 48] = [
    "likely_server_ports",
    "mime_segment_length",
    "mime_segment_overlap_length",
    "dns_skip_all_auth",
    "dns_skip_all_addl",
    "FTP::logged_commands",
    "FTP::guest_ids",
    "FTP::default_capture_password",
    "FTP::max_user_length",
    "FTP::max_password_length",
    "FTP::max_arg_length",
    "FTP::max_reply_msg_length",
    "FTP::max_pending_commands",
    "HTTP::default_capture_password",
    "HTTP::log_client_header_names",
    "HTTP::log_server_header_names",
    "HTTP::max_files_orig",
    "HTTP::max_files_resp",
    "HTTP::proxy_headers",
    "IRC::max_dcc_expected_transfers",
    "LDAP::default_capture_password",
    "LDAP::default_log_search_attributes",
    "LDAP::max_pending_messages",
    "LDAP::max_pending_searches",
    "MQTT::max_payload_size",
    "SMTP::enable_rfc822_msg_file_analysis",
    "SMB::logged_file_actions",
    "SMB::max_pending_messages",
    "SOCKS::default_capture_password",
    "SSL::log_include_client_certificate_subject_issuer",
    "SSL::log_include_server_certificate_subject_issuer",
    "SSL::max_ssl_history_length",
    "SSH::disable_analyzer_after_detection",
    "SSL::disable_analyzer_after_detection",
    "POP3::default_capture_password",
    "Known::host_tracking",
    "Known::service_tracking",
    "Known::cert_tracking",
    "SSL::notify_certs_expiration",
    "SSL::notify_weak_keys",
    "Software::asset_tracking",
    "ignore_checksums_nets",
    "DNS::skip_resp_host_port_pairs",
    "ConnKey::factory",
    "Tunnel::max_depth",
    "Tunnel::max_changes_per_connection",
    "Tunnel::delay_teredo_confirmation",
    "Tunnel::delay_gtp_confirmation",
];

/// What scripts ask for.
#[derive(Clone, Debug, Default)]
pub struct Demand {
    /// Numbers of the functions of events that scripts handle, by the names of the events.
    pub functions: HashMap<String, u32>,
    /// Parts of the prelude that are loaded, by Zeek's paths.
    pub loaded: HashSet<String>,
    /// Parts of the prelude of protocols that scripts have looked for at ports, loaded or not.
    pub registered: HashSet<String>,
    /// Only what is needed everywhere was loaded.
    pub is_bare: bool,
    /// Scripts wait for moments, and are to hear of the clock with each packet.
    pub waits: bool,
    /// Logs of the engine that scripts make from events in its place.
    pub logs: HashSet<String>,
    /// Logs of the engine whose rows go through scripts.
    pub rows: HashSet<String>,
    /// Settings of protocols.
    pub protocols: ScriptSettings,
    /// The payload of connections that signatures are matched against.
    pub payload: Option<PayloadExtent>,
    /// Scripts look at whole packets.
    pub packets: bool,
    /// Protocols that no connection speaks, as far as scripts are concerned: only loaded ones have logs.
    pub is_limited: bool,
    /// The filter of packets that scripts have installed.
    pub filter: Option<String>,
    /// Scripts follow files, and write the log of them.
    pub files: bool,
    /// Settings of the engine that scripts changed, and their values as the command line has them.
    pub settings: Vec<(String, String)>,
}

/// Values of the engine's settings, as text.
pub(super) fn settings(engine: &Engine) -> Vec<(String, String)> {
    SETTINGS
        .iter()
        .filter_map(|name| Some(((*name).to_owned(), text(engine, &engine.global(name)?))))
        .collect()
}

/// Values of the settings of protocols.
fn of_protocols(engine: &Engine) -> ScriptSettings {
    let mut settings = ScriptSettings::default();
    for name in OF_PROTOCOLS {
        match engine.global(name) {
            Some(Value::Bool(true)) if !steering::is_left_to_scripts(engine, name) => {
                settings.switches.insert(name.to_owned());
            }
            Some(Value::Count(_)) if super::logs::is_left_to_scripts(engine, name) => {}
            Some(Value::Count(count)) => {
                settings.counts.insert(name.to_owned(), count);
            }
            Some(value @ Value::Enum(..)) => {
                settings.choices.insert(name.to_owned(), text(engine, &value));
            }
            Some(Value::Table(table)) => {
                let mut words = HashSet::new();
                for entry in table.entries().iter() {
                    words.insert(entry.key.text(engine.types()).into_bytes());
                }
                settings.words.insert(name.to_owned(), words);
            }
            _ => {}
        }
    }
    settings
}

fn text(engine: &Engine, value: &Value) -> String {
    match value {
        Value::Interval(seconds) => format!("{seconds} sec"),
        Value::Table(table) => {
            let members: Vec<String> =
                table.entries().iter().map(|entry| entry.key.text(engine.types())).collect();
            format!("{{{}}}", members.join(", "))
        }
        other => {
            let mut out = Vec::new();
            print_value(other, engine.types(), Style::Escaped, &mut out);
            String::from_utf8_lossy(&out).into_owned()
        }
    }
}

/// Returns the folder of a protocol's part of the prelude, by the name of its analyzer.
fn folder(analyzer: &str) -> String {
    format!("base/protocols/{}/", analyzer.to_ascii_lowercase().replace('_', "-"))
}

/// Returns the name of an analyzer without that of its transport (`KRB_TCP`).
fn without_transport(analyzer: &str) -> &str {
    analyzer.strip_suffix("_TCP").or_else(|| analyzer.strip_suffix("_UDP")).unwrap_or(analyzer)
}

/// Returns the analyzers that scripts have registered for ports.
pub(super) fn registered(engine: &Engine) -> impl Iterator<Item = String> {
    let ports = engine.global("Analyzer::ports").and_then(|value| value.table().cloned());
    let tags = ports.into_iter().flat_map(|ports| ports.keys());
    let names = tags.map(|tag| engine.analyzer_named_by(&tag.0));
    names.collect::<Vec<_>>().into_iter()
}

/// The payload of a connection that is matched.
fn extent(engine: &Engine) -> PayloadExtent {
    let is_limited = engine.global("dpd_match_only_beginning").is_none_or(|value| value.is_true());
    match engine.global("dpd_buffer_size") {
        Some(Value::Count(size)) if is_limited => PayloadExtent::Beginning(size),
        _ => PayloadExtent::All,
    }
}

impl Demand {
    /// Of the scripts that were read; `before` are the settings as the prelude has them.
    pub(super) fn of(driver: &Driver, before: &[(String, String)]) -> Self {
        let engine = &driver.engine;
        let is_off = |group: &Rc<str>| engine.program.groups.get(group) == Some(&false);
        let is_on = |body: &Body| !body.groups.iter().any(is_off);
        let is_own = |name: &str| engine.program.global_named(name).is_some();
        let mut functions: HashMap<String, u32> = engine
            .program
            .functions
            .iter()
            .zip(0u32..)
            .filter(|(function, _)| function.flavor == Flavor::Event)
            .filter(|(function, number)| {
                function.bodies.iter().any(is_on) || engine.is_heard(*number) && function.bodies.is_empty()
            })
            .filter(|(function, _)| is_own(&function.name))
            .map(|(function, number)| (function.name.to_string(), number))
            .collect();
        let signatures = driver.signatures();
        for number in signatures.into_iter().flat_map(Signatures::events) {
            if let Some(function) = engine.program.functions.get(number as usize) {
                functions.insert(function.name.to_string(), number);
            }
        }
        if thresholds::wants_packets(engine)
            && let Some(number) = engine.program.function_named(EACH)
        {
            functions.insert(EACH.to_owned(), number);
        }
        if expectations::are_asked(engine)
            && let Some(number) = engine.program.function_named(BEGINNING)
        {
            functions.insert(BEGINNING.to_owned(), number);
        }
        let now = settings(engine);
        let is_asking = |name: &str| packets::ASKING.contains(&name) || frames::ASKING.contains(&name);
        let is_heard =
            |name: &str| engine.program.function_named(name).is_some_and(|number| engine.is_heard(number));
        let packets = engine.program.mentions.names(is_asking)
            || Discarders::of(engine).exist()
            || is_heard(unknown_protocols::EVENT);
        let wants_all = super::streams::wants_payload(engine) || steering::wants_payload(engine);
        let payload = signatures.filter(|signatures| signatures.is_about_traffic()).map(|_| extent(engine));
        let mut loaded = driver.loaded_parts();
        let parts = steering::disabled(engine);
        let parts: Vec<String> = parts.map(folder).collect();
        loaded.retain(|loaded| !parts.iter().any(|part| loaded.starts_with(part)));
        let logs = super::logs::replaced(engine);
        Self {
            payload: if wants_all { Some(PayloadExtent::All) } else { payload },
            packets,
            is_limited: engine.frameworks.bare || !parts.is_empty(),
            functions,
            loaded,
            registered: registered(engine)
                .map(|name| format!("{}main", folder(without_transport(&name))))
                .collect(),
            is_bare: engine.frameworks.bare,
            waits: engine.waits || packets,
            rows: super::logs::touched(engine).difference(&logs).cloned().collect(),
            filter: engine.frameworks.filters.expression(),
            files: logs.contains("files"),
            logs,
            protocols: ScriptSettings { sessions: super::readers::sessions(engine), ..of_protocols(engine) },
            settings: now.into_iter().filter(|setting| !before.contains(setting)).collect(),
        }
    }
}
