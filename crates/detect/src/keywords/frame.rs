//! `frame`: the sticky buffer of the units that a protocol's bytes are made of.

use weir_applayer::{FrameKind, Protocol};
use weir_rules::{Quotes, RuleOption, Spanned, SyntaxError};

use super::known;
use crate::builder::RuleBuilder;
use crate::builder::keyword::Keyword;
use crate::model::signature::FrameRow;

/// The family's keywords.
pub const KEYWORDS: &[Keyword] = &[Keyword::new(
    "frame",
    [
        "frame:[<protocol>.]<frame>;",
        "Sticky buffer: a frame of the protocol, such as a request or a record, or with `stream` all that a side \
         says. `--list-app-layer-frames` lists them; without a protocol, the rule's is meant.",
        "frame:tls.pdu; content:\"|17 03 03|\"; startswith;",
    ],
    frame,
)];

fn frame(option: &RuleOption, rule: &mut RuleBuilder<'_>) -> Result<(), SyntaxError> {
    let text = option.argument(false, Quotes::Optional)?.text;
    let (protocols, name) = named(&text, rule)?;
    let rows: Vec<FrameRow> = protocols
        .iter()
        .filter_map(|&protocol| {
            // Frames may have names that begin as their protocol's does, such as NFS's `nfs.pdu`.
            let kind = FrameKind::named(protocol, name).or_else(|| FrameKind::named(protocol, &text))?;
            Some(FrameRow { protocol, kind })
        })
        .collect();
    let Some(first) = rows.first() else {
        let known: Vec<String> = protocols.iter().map(|protocol| frames_of(protocol)).collect();
        let protocol = protocols.first().map_or("", |protocol| protocol.name);
        return Err(text
            .error(format!("unknown frame '{name}' for protocol '{protocol}'"))
            .with_help(known.join("; ")));
    };
    rule.select_frame(option, first.kind.name(first.protocol), rows)
}

/// The protocols that the text means, and the name of the frame.
fn named<'t>(
    text: &'t Spanned,
    rule: &RuleBuilder<'_>,
) -> Result<(Vec<&'static Protocol>, &'t str), SyntaxError> {
    let of_rule = Some(rule.head.app_protocols.as_slice()).filter(|admitted| !admitted.is_empty());
    let (prefix, rest) = text.split_once('.').unwrap_or((text.as_str(), ""));
    let mut found = rule.environment.fields.protocols_named(prefix);
    if !rest.is_empty() && !found.is_empty() {
        if let Some(admitted) = of_rule {
            found.retain(|protocol| admitted.iter().any(|p| **p == **protocol));
            if found.is_empty() {
                let admitted: Vec<&str> = admitted.iter().map(|p| p.name).collect();
                return Err(text.error(format!(
                    "frame '{text}' protocol '{prefix}' mismatch with rule protocol '{}'",
                    admitted.join(", ")
                )));
            }
        }
        return Ok((found, rest));
    }
    match of_rule {
        Some(admitted) => Ok((admitted.to_vec(), text.as_str())),
        None if !rest.is_empty() && known::is_protocol(prefix) => {
            Err(text.error(format!("The protocol `{prefix}` is not supported yet.")))
        }
        None => Err(text
            .error(format!("rule protocol unknown, can't use shorthand notation for frame '{text}'"))
            .with_help("write the protocol before it, as in `frame:http1.request;`")),
    }
}

/// The frames of a protocol, for people.
fn frames_of(protocol: &Protocol) -> String {
    let mut names = protocol.frames.to_vec();
    names.push("stream");
    format!("the frames of {} are {}", protocol.name, names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{compile_in, environment};
    use crate::model::signature::{Kind, Target};

    #[test]
    fn what_frames_rules_name() {
        for (header, options, name, transforms) in [
            ("tcp", "frame:http1.request; content:\"a\";", "request", 0),
            ("http", "frame:response; content:\"a\";", "response", 0),
            ("http", "frame:http1.stream; content:\"a\"; endswith;", "stream", 0),
            ("http", "frame:http1.head; content:\"a\";", "http1.head", 0),
            ("ip", "frame:http.request; to_lowercase; content:\"a\";", "request", 1),
        ] {
            let header = format!("{header} any any -> any any");
            let signature =
                compile_in(&environment(), &header, options).unwrap_or_else(|f| panic!("{}", f.diagnostic));
            let signature = signature.signature;
            let [buffer] = signature.checks.buffers.as_slice() else { panic!("{options}") };
            let Target::Frame(rows) = &buffer.target else { panic!("{options}") };
            assert_eq!(
                (signature.kind, buffer.name, rows.len(), buffer.transforms.len()),
                (Kind::Frame, name, 1, transforms)
            );
            assert!(signature.head.protocols.has(6) && !signature.head.protocols.all_numbers(), "{options}");
            assert!(signature.prefilter.is_some(), "{options}");
        }
    }

    #[test]
    fn frames_that_are_refused() {
        for (header, options, message) in [
            ("tcp", "frame:request; content:\"a\";", "can't use shorthand notation"),
            ("tcp", "frame:http1; content:\"a\";", "can't use shorthand notation"),
            ("http", "frame:http1.body; content:\"a\";", "unknown frame 'body' for protocol 'http1'"),
            ("tcp", "frame:smtp.data; content:\"a\";", "not supported yet"),
            ("udp", "frame:http1.request; content:\"a\";", "frames of http1 are sent over TCP"),
            ("tcp-pkt", "frame:http1.request; content:\"a\";", "single packets"),
            (
                "http",
                "content:\"b\"; frame:request; content:\"a\";",
                "can't mix pure content and frame inspection",
            ),
            (
                "http",
                "http.uri; content:\"b\"; frame:request; content:\"a\";",
                "can't mix app-layer buffer and frame",
            ),
            ("http", "frame:request; content:\"a\"; dsize:1;", "packet specific"),
            ("http", "frame; content:\"a\";", "frame"),
        ] {
            let header = format!("{header} any any -> any any");
            let failure = compile_in(&environment(), &header, options).err();
            let failure = failure.unwrap_or_else(|| panic!("{header} {options}"));
            let shown = failure.diagnostic.to_string();
            assert!(shown.contains(message), "{options}: {shown}");
        }
    }
}
