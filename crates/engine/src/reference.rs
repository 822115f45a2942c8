//! The lists that describe the engine itself: keywords and protocols, from the tables that run it.

use weir_applayer::{Access, Transport};
use weir_detect::keywords;

/// A keyword, for people.
#[derive(Clone, Debug)]
pub struct KeywordEntry {
    /// Its name.
    pub name: &'static str,
    /// What it means.
    pub text: &'static str,
    /// How it is written.
    pub syntax: String,
    /// An example, where there is one.
    pub example: &'static str,
    /// The protocol it belongs to, or empty.
    pub protocol: String,
    /// `sticky buffer`, `content modifier`, `integer`, or `option`.
    pub kind: &'static str,
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
}

/// All keywords, by name.
pub fn keywords() -> Vec<KeywordEntry> {
    let mut entries: Vec<KeywordEntry> = keywords::all()
        .map(|keyword| {
            let doc = keyword.doc();
            KeywordEntry {
                name: keyword.name(),
                text: doc.text,
                syntax: doc.syntax.to_owned(),
                example: doc.example,
                protocol: String::new(),
                kind: "option",
            }
        })
        .collect();
    for protocol in weir_protocols::ALL {
        for field in protocol.fields {
            let (kind, syntax) = match field.access {
                Access::Integer { .. } => ("integer", format!("{}:[<|>|!|<=|>=]<number>;", field.name)),
                Access::Check(_) => ("option", format!("{}:<value>;", field.name)),
                _ => ("sticky buffer", format!("{}; content:\"…\";", field.name)),
            };
            add_field(&mut entries, field.name, kind, syntax, field.doc, protocol.name);
            if let Some(modifier) = field.modifier {
                let syntax = format!("content:\"…\"; {modifier};");
                add_field(&mut entries, modifier, "content modifier", syntax, field.doc, protocol.name);
            }
        }
    }
    entries.sort_by_key(|entry| entry.name);
    entries
}

fn add_field(
    entries: &mut Vec<KeywordEntry>,
    name: &'static str,
    kind: &'static str,
    syntax: String,
    text: &'static str,
    protocol: &str,
) {
    if let Some(entry) = entries.iter_mut().find(|entry| entry.name == name) {
        if !entry.protocol.split(", ").any(|p| p == protocol) && !entry.protocol.is_empty() {
            entry.protocol = format!("{}, {protocol}", entry.protocol);
        }
        return;
    }
    entries.push(KeywordEntry { name, text, syntax, example: "", protocol: protocol.to_owned(), kind });
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

#[cfg(test)]
mod tests {
    use super::frames;

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
