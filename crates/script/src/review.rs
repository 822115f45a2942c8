//! Scripts are looked at, and not run: what is wrong with them, what nobody uses, and what handlers cost.

use crate::command::STACK;
use crate::driver::{Driver, Script};
use crate::source::Span;
use crate::types::Flavor;
use crate::vm::{Engine, Message};

/// Ending of files of signatures.
const SIGNATURES: &str = ".sig";

/// Events that come so often that their handlers decide what a run costs, and how often.
const OFTEN: [(&str, &str); 16] = [
    ("new_packet", "for each packet"),
    ("raw_packet", "for each packet"),
    ("ipv6_ext_headers", "for each packet with extension headers"),
    ("esp_packet", "for each packet of ESP"),
    ("packet_contents", "for each packet with payload"),
    ("tcp_packet", "for each packet of TCP"),
    ("tcp_option", "for each option of a packet of TCP"),
    ("tcp_options", "for each packet of TCP with options"),
    ("tcp_contents", "for each piece of a stream"),
    ("stream_deliver", "for each piece of a stream"),
    ("udp_contents", "for each datagram"),
    ("udp_request", "for each datagram of a client"),
    ("udp_reply", "for each datagram of a server"),
    ("http_entity_data", "for each piece of a body"),
    ("smtp_data", "for each line of a mail"),
    ("ssl_encrypted_data", "for each encrypted record"),
];

/// Kinds of remarks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RemarkKind {
    /// The scripts cannot be run.
    Fault,
    /// Something is out of date, not used, or cannot happen.
    Doubt,
    /// A handler that decides what a run costs.
    Cost,
}

/// A remark on a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// Its kind.
    pub kind: RemarkKind,
    /// The file, as it was named, and the line from one on, where it is about one.
    pub place: Option<(String, u32)>,
    /// A sentence or Zeek's words for it.
    pub text: String,
}

/// Reads files of scripts and signatures together, as they would be run, and returns what is to be said of them, in the
/// order of files and lines. Other files are searched for along `ZEEKPATH`.
pub fn review(files: &[String]) -> Vec<Remark> {
    let files = files.to_vec();
    let worker = std::thread::Builder::new().stack_size(STACK).spawn(move || read(&files));
    worker.ok().and_then(|worker| worker.join().ok()).unwrap_or_default()
}

fn read(files: &[String]) -> Vec<Remark> {
    let path = std::env::var("ZEEKPATH").ok();
    let mut driver = Driver::new(path.as_deref());
    driver.engine.output.messages = Some(Vec::new());
    let (signatures, scripts): (Vec<String>, Vec<String>) =
        files.iter().cloned().partition(|file| file.ends_with(SIGNATURES));
    let first = std::iter::once("base/init-default".to_owned());
    let scripts: Vec<Script> = first.chain(scripts).map(Script::Path).collect();
    if driver.read(&scripts) && !driver.engine.is_fatal && driver.read_signatures(&signatures) {
        driver.report_unused();
    }
    let messages = driver.engine.output.messages.take().unwrap_or_default();
    let engine = &driver.engine;
    let mut found: Vec<(Span, Remark)> = messages.into_iter().map(|message| told(engine, message)).collect();
    found.extend(costs(engine));
    found.sort_by_key(|(span, _)| (!span.is_known(), span.file, span.first));
    found.into_iter().map(|(_, remark)| remark).collect()
}

fn told(engine: &Engine, message: Message) -> (Span, Remark) {
    let kind = if message.severity.ends_with("error") { RemarkKind::Fault } else { RemarkKind::Doubt };
    let place = place(engine, message.span);
    let (place, text) = match place {
        None => split_place(&message.text)
            .map_or((None, message.text.as_str()), |(place, text)| (Some(place), text)),
        place => (place, message.text.as_str()),
    };
    (message.span, Remark { kind, place, text: text.to_owned() })
}

/// Takes the place out of a message about signatures: `Error in signature (FILE:LINE): what`.
fn split_place(text: &str) -> Option<((String, u32), &str)> {
    let (place, what) = text.strip_prefix("Error in signature (")?.split_once("): ")?;
    let (file, line) = place.rsplit_once(':')?;
    Some(((file.to_owned(), line.parse().ok()?), what))
}

fn place(engine: &Engine, span: Span) -> Option<(String, u32)> {
    span.is_known().then(|| (engine.program.files.name(span.file).to_string(), span.first))
}

/// Handlers of events that come often.
fn costs(engine: &Engine) -> impl Iterator<Item = (Span, Remark)> + '_ {
    let events = engine.program.functions.iter().filter(|function| function.flavor == Flavor::Event);
    let bodies = events.flat_map(|event| event.bodies.iter().map(|body| (&event.name, body.span)));
    bodies.filter(|(_, span)| !engine.is_prelude(span.file)).filter_map(|(name, span)| {
        let (_, often) = OFTEN.iter().find(|(event, _)| *event == &**name)?;
        let text = format!("A handler of {name} runs {often}");
        Some((span, Remark { kind: RemarkKind::Cost, place: place(engine, span), text }))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remarks_on_scripts() {
        // A script, and the kind, the line and a part of each remark.
        type Expected<'a> = &'a [(RemarkKind, u32, &'a str)];
        let cases: [(&str, Expected<'_>); 5] = [
            ("event zeek_init() { print 1; }\n", &[]),
            (
                "event zeek_init()\n\t{\n\tlocal a: count = \"x\";\n\t}\n",
                &[(RemarkKind::Fault, 3, "non-arithmetic value")],
            ),
            ("event zeek_init() { print 1 }\n", &[(RemarkKind::Fault, 1, "syntax error")]),
            ("event never_raised() { }\n", &[(RemarkKind::Doubt, 1, "non-existing event")]),
            (
                "event zeek_init() { }\nevent new_packet(c: connection, p: pkt_hdr)\n\t{\n\t}\n",
                &[(RemarkKind::Cost, 2, "for each packet")],
            ),
        ];
        let folder = std::env::temp_dir().join(format!("weir-review-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        for (number, (script, expected)) in cases.iter().enumerate() {
            let path = folder.join(format!("{number}.zeek"));
            std::fs::write(&path, script).expect("a file");
            let remarks = review(&[path.to_string_lossy().into_owned()]);
            assert_eq!(remarks.len(), expected.len(), "{script}: {remarks:?}");
            for (remark, (kind, line, part)) in remarks.iter().zip(*expected) {
                assert_eq!(remark.kind, *kind, "{script}: {remark:?}");
                assert_eq!(remark.place.as_ref().map(|(_, line)| *line), Some(*line), "{script}: {remark:?}");
                assert!(remark.text.contains(part), "{script}: {remark:?}");
            }
        }
        std::fs::remove_dir_all(&folder).expect("removed");
    }
}
