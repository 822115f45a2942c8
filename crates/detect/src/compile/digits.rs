//! Buffers that hold digits in one case and of one length: hashes, fingerprints and serial numbers. Contents are
//! brought into that case; one that can never be there is refused.

use weir_rules::{Rule, SyntaxError};

use crate::builder::RuleBuilder;
use crate::model::buffer::{Check, Content};

/// Case of the letters among the digits.
#[derive(Clone, Copy)]
enum Case {
    Small,
    Capital,
}

/// Demands of a buffer on what it is compared with.
struct Digits {
    buffer: &'static str,
    case: Case,
    /// The length that a content must have; none where a part may be looked for.
    length: Option<usize>,
    /// A colon stands between two pairs of digits.
    colons: bool,
}

const fn hash(buffer: &'static str) -> Digits {
    Digits { buffer, case: Case::Small, length: Some(32), colons: false }
}

const BUFFERS: &[Digits] = &[
    hash("ja3.hash"),
    hash("ja3s.hash"),
    hash("ssh.hassh"),
    hash("ssh.hassh.server"),
    hash("quic.cyu.hash"),
    Digits { buffer: "tls.cert_fingerprint", case: Case::Small, length: Some(59), colons: true },
    Digits { buffer: "tls.cert_serial", case: Case::Capital, length: None, colons: true },
];

/// Returns a content that the sticky buffer of this name can have, as an example of a rule.
pub fn example_of_content(buffer: &str) -> String {
    match BUFFERS.iter().find(|digits| digits.buffer == buffer) {
        None => "example".to_owned(),
        Some(Digits { colons: false, length, .. }) => "0123456789abcdef".repeat(length.unwrap_or(16) / 16),
        Some(Digits { length, .. }) => vec!["5c"; length.unwrap_or(8).div_ceil(3)].join(":"),
    }
}

impl Digits {
    /// Why the content can never be in the buffer.
    fn problem(&self, content: &Content) -> Option<String> {
        let Self { buffer, length, colons, .. } = self;
        let found = content.bytes.len();
        if let Some(length) = length.filter(|length| *length != found) {
            return Some(format!(
                "Invalid length of the specified {buffer} (should be {length} characters long). This rule will \
                 therefore never match."
            ));
        }
        if *colons && found > 2 && !content.bytes.contains(&b':') {
            return Some(format!(
                "No colon delimiters ':' detected in content after {buffer}. This rule will therefore never match."
            ));
        }
        let digit = |byte: &u8| byte.is_ascii_hexdigit() || (*colons && *byte == b':');
        (!content.bytes.iter().all(digit)).then(|| {
            format!(
                "Invalid {buffer} string (should be string of hexadecimal characters). This rule will therefore \
                 never match."
            )
        })
    }
}

/// Brings contents into their buffer's case, and refuses those that can never be there.
pub(super) fn settle(rule: &Rule, builder: &mut RuleBuilder<'_>) -> Result<(), SyntaxError> {
    for buffer in builder.checks.buffers.iter_mut().filter(|buffer| buffer.transforms.is_empty()) {
        let Some(digits) = BUFFERS.iter().find(|digits| digits.buffer == buffer.name) else { continue };
        for check in &mut buffer.checks {
            let Check::Content(content) = check else { continue };
            if let Some(problem) = digits.problem(content) {
                return Err(rule.protocol.name.error(format!("rule {}: {problem}", builder.info.sid)));
            }
            match digits.case {
                Case::Small => content.bytes.make_ascii_lowercase(),
                Case::Capital => content.bytes.make_ascii_uppercase(),
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_that_a_buffer_can_have() {
        let fingerprint = ["AB"; 20].join(":");
        for (buffer, content, taken) in [
            ("ja3.hash", "E7D705A3286E19EA42F587B344EE6865", true),
            ("ja3.hash", "e7d705a3286e19ea", false),
            ("ssh.hassh", "g7d705a3286e19ea42f587b344ee6865", false),
            ("tls.cert_fingerprint", &fingerprint, true),
            ("tls.cert_fingerprint", "AB:CD", false),
            ("tls.cert_serial", "5c:19:b7", true),
            ("tls.cert_serial", "5c", true),
            ("tls.cert_serial", "5c19b7", false),
        ] {
            let digits = BUFFERS.iter().find(|digits| digits.buffer == buffer).unwrap();
            let problem = digits.problem(&Content::new(content.into(), false));
            assert_eq!(problem.is_none(), taken, "{buffer} {content}: {problem:?}");
        }
    }
}
