//! The lists that describe the engine itself: keywords and protocols, from the tables that run it.

use weir_applayer::{Access, Field, FieldDirection, Transport};
use weir_base::JsonWriter;
use weir_detect::compile::PACKET_PROTOCOLS;
use weir_detect::keywords::{self, notes};
use weir_packet::event::DecodeEvent;
use weir_stream::StreamEvent;

/// A keyword, for people.
#[derive(Clone, Debug)]
pub struct KeywordEntry {
    /// Its name.
    pub name: &'static str,
    /// Meaning.
    pub text: &'static str,
    /// Syntax.
    pub syntax: String,
    /// A rule's options that use it.
    pub example: String,
    /// Other spellings.
    pub aliases: Vec<&'static str>,
    /// The protocol it belongs to, or empty.
    pub protocol: String,
    /// `sticky buffer`, `content modifier`, `integer`, or `option`.
    pub kind: &'static str,
    /// For what is filled by one side only: `to_server` or `to_client`.
    pub direction: &'static str,
    /// The first release of Suricata whose manual has it.
    pub since: &'static str,
    /// Where its limits are; empty where there is nothing to tell.
    pub limits: &'static str,
}

impl KeywordEntry {
    /// Several lines.
    pub fn long(&self) -> String {
        let mut text =
            format!("= {} =\n\tDescription: {}\n\tSyntax: {}\n", self.name, self.text, self.syntax);
        if !self.protocol.is_empty() {
            text.push_str(&format!("\tProtocol: {}\n", self.protocol));
        }
        if !self.example.is_empty() {
            text.push_str(&format!("\tExample: {}\n", self.example));
        }
        text.push_str(&format!("\tFeatures: {}\n", self.kind));
        text
    }

    /// Returns the facts beside the meaning: name and text.
    pub fn facts(&self) -> Vec<(&'static str, String)> {
        let all = [
            ("kind", self.kind.to_owned()),
            ("written", self.syntax.clone()),
            ("also", self.aliases.join(", ")),
            ("example", self.example.clone()),
            ("protocol", self.protocol.clone()),
            ("direction", self.direction.to_owned()),
            ("limits", self.limits.to_owned()),
            ("since", format!("Suricata {}", self.since)),
        ];
        all.into_iter().filter(|(_, text)| !text.is_empty()).collect()
    }

    /// The keyword's page, for a terminal.
    pub fn page(&self) -> String {
        let facts = self.facts();
        let lines = facts.iter().map(|(name, text)| format!("  {name:9}  {text}\n"));
        format!("{}\n\n  {}\n\n{}", self.name, self.text, lines.collect::<String>())
    }

    fn write_json(&self, json: &mut JsonWriter<'_>) {
        json.open_object();
        json.string("name", self.name);
        json.string("meaning", self.text);
        for (name, text) in self.facts().iter().filter(|(name, _)| *name != "also") {
            json.string(name, text);
        }
        json.array("aliases");
        for alias in &self.aliases {
            json.push_string(alias);
        }
        json.close_array();
        json.close_object();
    }
}

/// All keywords, by name.
pub fn keywords() -> Vec<KeywordEntry> {
    let mut entries: Vec<KeywordEntry> = keywords::all()
        .map(|keyword| {
            let doc = keyword.doc;
            KeywordEntry {
                name: keyword.name,
                text: doc.text,
                syntax: doc.syntax.to_owned(),
                example: doc.example.to_owned(),
                aliases: keyword.aliases.to_vec(),
                protocol: String::new(),
                kind: "option",
                direction: "",
                since: notes::since(keyword.name),
                limits: notes::limits(keyword.name),
            }
        })
        .collect();
    for protocol in weir_protocols::ALL {
        for field in protocol.fields {
            add_field(&mut entries, field.name, field, protocol.name);
            if let Some(modifier) = field.modifier {
                add_field(&mut entries, modifier, field, protocol.name);
            }
        }
    }
    entries.sort_by_key(|entry| entry.name);
    entries
}

/// The keyword of that name or other spelling.
pub fn keyword(name: &str) -> Option<KeywordEntry> {
    keywords().into_iter().find(|entry| entry.name == name || entry.aliases.contains(&name))
}

/// Returns the fields that rules can match in a protocol's transactions; none where there is no such protocol.
pub fn fields(protocol: &str) -> Option<Vec<KeywordEntry>> {
    let meant: Vec<&str> =
        weir_protocols::ALL.iter().filter(|known| known.is_named(protocol)).map(|known| known.name).collect();
    let has = |entry: &KeywordEntry| entry.protocol.split(", ").any(|name| meant.contains(&name));
    (!meant.is_empty()).then(|| keywords().into_iter().filter(has).collect())
}

fn add_field(entries: &mut Vec<KeywordEntry>, name: &'static str, field: &Field, protocol: &str) {
    if let Some(entry) = entries.iter_mut().find(|entry| entry.name == name) {
        if !entry.protocol.split(", ").any(|p| p == protocol) && !entry.protocol.is_empty() {
            entry.protocol = format!("{}, {protocol}", entry.protocol);
        }
        let other = direction(field);
        if entry.direction != other {
            entry.direction = "";
        }
        return;
    }
    let modifier = field.modifier == Some(name);
    let (kind, syntax, example) = match field.access {
        _ if modifier => {
            ("content modifier", format!("content:\"…\"; {name};"), format!("content:\"example\"; {name};"))
        }
        Access::Integer { .. } => {
            ("integer", format!("{name}:[<|>|!|<=|>=]<number>;"), format!("{name}:>1;"))
        }
        Access::Flags { names, .. } => {
            let first = names.first().map_or("1", |(name, _)| name);
            ("flags", format!("{name}:[!]<flag>[,…];"), format!("{name}:{first};"))
        }
        Access::Check(_) => ("option", format!("{name}:<value>;"), example_of_check(name)),
        _ => {
            let content = weir_detect::example_of_content(field);
            ("sticky buffer", format!("{name}; content:\"…\";"), format!("{name}; content:\"{content}\";"))
        }
    };
    entries.push(KeywordEntry {
        name,
        text: field.doc,
        syntax,
        example,
        aliases: if modifier { Vec::new() } else { field.aliases.to_vec() },
        protocol: protocol.to_owned(),
        kind,
        direction: direction(field),
        since: notes::since(name),
        limits: notes::limits(name),
    });
}

const fn direction(field: &Field) -> &'static str {
    match field.direction {
        FieldDirection::ToServer => "to_server",
        FieldDirection::ToClient => "to_client",
        FieldDirection::Both => "",
    }
}

/// An example for a keyword with a grammar of its protocol's own.
fn example_of_check(name: &str) -> String {
    let value = match name {
        "ssl_state" => ":client_hello",
        "ftp.mode" => ":passive",
        "ftp.reply_received" => ":yes",
        "ftpdata_command" => ":retr",
        "http2.settings" => ":SETTINGS_ENABLE_PUSH=0",
        "dnp3_ind" => ":device_restart,need_time",
        "dnp3_obj" => ":12,1",
        "cip_service" => ":14,1,7",
        "modbus" => ":unit 10, access write holding, address 100, value >20",
        "mqtt.connack.session_present" => ":yes",
        "mqtt.qos" => ":1",
        "ike.chosen_sa_attribute" => ":alg_hash=2",
        "nfs_procedure" => ":6",
        "nfs_version" => ":3",
        "dcerpc.iface" => ":367abb81-9844-35f1-ad32-98f038001003",
        "dcerpc.opnum" => ":12,62-78",
        "krb5.ticket_encryption" => ":weak",
        "smb.version" => ":2",
        "ssl_version" => ":tls1.2,tls1.3",
        "tls.version" => ":1.2",
        "tls_cert_notbefore" => ":>2015",
        "tls_cert_notafter" => ":<2030-01-01",
        "tls.fingerprint" => ":\"4a:a3:66:76:82:cb:6b:23:bb:c3:58:47:23:a4:63:a7:78:a4:a1:18\"",
        "tls.issuerdn" | "tls.subject" => ":\"CN=example\"",
        "urilen" => ":>100",
        _ => "",
    };
    format!("{name}{value};")
}

/// An event that rules can look at.
#[derive(Clone, Debug)]
pub struct EventEntry {
    /// The keyword that looks at it.
    pub keyword: &'static str,
    /// Its name there.
    pub name: String,
}

/// All events: of the decoder, of streams, and of the protocols.
pub fn events() -> Vec<EventEntry> {
    let decoder = DecodeEvent::ALL.iter().filter(|event| !event.is_retired()).map(|event| {
        let name = event.full_name();
        EventEntry { keyword: "decode-event", name: name.strip_prefix("decoder.").unwrap_or(name).to_owned() }
    });
    let stream = StreamEvent::ALL
        .iter()
        .map(|event| EventEntry { keyword: "stream-event", name: event.name().to_owned() });
    let protocols = weir_protocols::ALL.iter().flat_map(|protocol| {
        protocol.anomalies.iter().map(|anomaly| EventEntry {
            keyword: "app-layer-event",
            name: format!("{}.{anomaly}", protocol.eve_name),
        })
    });
    let mut events: Vec<EventEntry> = decoder.chain(stream).chain(protocols).collect();
    events.sort_by(|a, b| (a.keyword, &a.name).cmp(&(b.keyword, &b.name)));
    events.dedup_by(|a, b| a.keyword == b.keyword && a.name == b.name);
    events
}

/// Keywords as one JSON array.
pub fn keywords_json(entries: &[KeywordEntry]) -> String {
    array(|json| entries.iter().for_each(|entry| entry.write_json(json)))
}

/// Events as one JSON array.
pub fn events_json(events: &[EventEntry]) -> String {
    array(|json| {
        for event in events {
            json.open_object();
            json.string("keyword", event.keyword);
            json.string("event", &event.name);
            json.close_object();
        }
    })
}

/// Names as one JSON array.
pub fn names_json(names: &[&str]) -> String {
    array(|json| names.iter().for_each(|name| json.push_string(name)))
}

fn array(write: impl FnOnce(&mut JsonWriter<'_>)) -> String {
    let mut out = Vec::new();
    let mut json = JsonWriter::new(&mut out);
    json.open_array();
    write(&mut json);
    json.close_array();
    out.push(b'\n');
    String::from_utf8_lossy(&out).into_owned()
}

/// Returns the names for the protocol field of rules.
pub fn rule_protocol_names() -> Vec<&'static str> {
    let named = weir_protocols::ALL.iter().flat_map(|p| std::iter::once(&p.name).chain(p.aliases)).copied();
    let mut names: Vec<&'static str> = PACKET_PROTOCOLS.iter().copied().chain(named).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Features that rules can ask for.
pub fn feature_names() -> Vec<&'static str> {
    let fields = weir_detect::FieldCatalogue::new(weir_protocols::ALL);
    keywords::requires::features(&fields).collect()
}

/// The protocols that Zeek's logs are written of, as `conn.log` names them.
pub fn zeek_services() -> Vec<&'static str> {
    let logged = weir_protocols::ALL.iter().filter(|protocol| protocol.zeek.is_some());
    let mut names: Vec<&'static str> = logged.map(|protocol| protocol.zeek_service).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Names of the protocols, in order.
pub fn protocol_names() -> Vec<&'static str> {
    let mut names: Vec<&'static str> = weir_protocols::ALL.iter().map(|p| p.name).collect();
    names.sort_unstable();
    names
}

/// Frames of the protocols, by what carries them: `tcp: http1.request`.
pub fn frames() -> Vec<String> {
    let mut frames = Vec::new();
    for protocol in weir_protocols::ALL {
        for transport in protocol.transports {
            let carrier = match transport {
                Transport::Tcp => "tcp",
                Transport::Udp => "udp",
            };
            let stream = (*transport == Transport::Tcp).then_some("stream");
            let names = protocol.frames.iter().copied().chain(stream);
            frames.extend(names.map(|name| format!("{carrier}: {}.{name}", protocol.name)));
        }
    }
    frames.sort();
    frames
}

/// The states that rules can be about (`tls:client_hello_done`): those that every protocol has around
/// each one's own.
pub fn hooks() -> Vec<String> {
    const EVERY: [[&str; 2]; 2] =
        [["request_started", "request_complete"], ["response_started", "response_complete"]];
    let mut hooks = Vec::new();
    for protocol in weir_protocols::ALL {
        for (states, [first, last]) in
            [protocol.states.to_server, protocol.states.to_client].iter().zip(EVERY)
        {
            let own = states.iter().copied().filter(|state| !EVERY.as_flattened().contains(state));
            let names = std::iter::once(first).chain(own).chain([last]);
            hooks.extend(names.map(|name| format!("{}:{name}", protocol.name)));
        }
    }
    hooks
}

#[cfg(test)]
mod tests {
    use super::{frames, hooks};

    #[test]
    fn hooks_of_a_protocol() {
        let hooks = hooks();
        let of_dns: Vec<&str> = hooks.iter().filter_map(|hook| hook.strip_prefix("dns:")).collect();
        assert_eq!(of_dns, ["request_started", "request_complete", "response_started", "response_complete"]);
        let client = hooks.iter().position(|hook| hook == "tls:client_hello_done");
        assert!(client > hooks.iter().position(|hook| hook == "tls:request_started"));
        assert!(client < hooks.iter().position(|hook| hook == "tls:request_complete"));
    }

    #[test]
    fn frames_by_carrier() {
        let frames = frames();
        for wanted in
            ["tcp: http1.response", "udp: mdns.pdu", "tcp: dns.pdu", "udp: dns.pdu", "tcp: tls.stream"]
        {
            assert!(frames.iter().any(|frame| frame == wanted), "{wanted}");
        }
        assert!(!frames.iter().any(|frame| frame == "udp: dns.stream"));
    }
}
