//! Rule files to rules.
//!
//! Follows Suricata's reading of a file: a line that begins with a space, `#` or `;` holds no rule, a
//! backslash at its end continues it, and text that is not UTF-8 is not a rule. Where that reading drops
//! a rule without a word, a diagnostic is given here.

mod header;
mod options;

use std::sync::Arc;

use crate::diagnostic::{Diagnostic, SyntaxError};
use crate::lines::{LogicalLine, logical_lines};
use crate::rule::Rule;
use crate::text::{Origin, Span, Spanned};

/// Longest rule in bytes, continued lines joined.
pub const MAX_RULE_LENGTH: usize = 1 << 20;

/// What a rule file holds.
#[derive(Clone, Debug)]
pub struct RuleFile {
    /// Name of the file.
    pub file: Arc<str>,
    /// The rules that could be read, in order.
    pub rules: Vec<Rule>,
    /// What is wrong with the others, in order, and warnings.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads every rule of a file; `file` is only its name for diagnostics.
pub fn parse_rules(text: impl AsRef<[u8]>, file: &str) -> RuleFile {
    let mut found = RuleFile { file: file.into(), rules: Vec::new(), diagnostics: Vec::new() };
    for line in logical_lines(text.as_ref()) {
        let origin = match origin_of(line, &found.file) {
            Ok(origin) => origin,
            Err(diagnostic) => {
                found.diagnostics.push(*diagnostic);
                continue;
            }
        };
        match origin.text.as_bytes().first() {
            Some(b';') => {}
            Some(b' ') => found.diagnostics.push(
                origin.warning(
                    SyntaxError::new(
                        Span::new(0, 1),
                        "A line that begins with a space is not read as a rule.",
                    )
                    .with_help("remove the space, or write `#` before the line"),
                ),
            ),
            _ => match parse_origin(origin, &mut found.diagnostics) {
                Ok(rule) => found.rules.push(rule),
                Err(diagnostic) => found.diagnostics.push(*diagnostic),
            },
        }
    }
    found
}

/// Reads one rule that is a text of its own, with the warnings about it.
pub fn parse_rule(text: &str, file: &str, line: u32) -> Result<(Rule, Vec<Diagnostic>), Box<Diagnostic>> {
    let mut warnings = Vec::new();
    let origin = Origin::new(file.into(), line, text.trim_end().into());
    Ok((parse_origin(origin, &mut warnings)?, warnings))
}

fn origin_of(line: LogicalLine<'_>, file: &Arc<str>) -> Result<Origin, Box<Diagnostic>> {
    let read = std::str::from_utf8(&line.bytes);
    let text = match read {
        Ok(text) => Arc::from(text),
        Err(_) => Arc::from(&*String::from_utf8_lossy(&line.bytes)),
    };
    let origin =
        Origin { continuations: line.continuations.into(), ..Origin::new(Arc::clone(file), line.line, text) };
    if let Err(error) = read {
        let start = error.valid_up_to();
        let width = char::REPLACEMENT_CHARACTER.len_utf8();
        return Err(Box::new(
            origin.error(
                SyntaxError::new(Span::new(start, start + width), "The rule is not valid UTF-8.")
                    .with_help("write such bytes in hexadecimal, as in `content:\"|ff|\";`"),
            ),
        ));
    }
    if line.bytes.len() > MAX_RULE_LENGTH {
        let message = format!("The rule is longer than {MAX_RULE_LENGTH} bytes.");
        return Err(Box::new(origin.error(SyntaxError::new(Span::new(0, 1), message))));
    }
    Ok(origin)
}

fn parse_origin(origin: Origin, warnings: &mut Vec<Diagnostic>) -> Result<Rule, Box<Diagnostic>> {
    match parse_text(&origin) {
        Ok((rule, warning)) => {
            warnings.extend(warning.map(|error| origin.warning(error)));
            Ok(rule)
        }
        Err(error) => Err(Box::new(origin.error(error))),
    }
}

fn parse_text(origin: &Origin) -> Result<(Rule, Option<SyntaxError>), SyntaxError> {
    let source = &origin.text;
    let header = header::parse_header(source)?;
    let whole = Spanned::new(source, Span::new(header.end, source.len()));
    let (options, warning) = options::parse_options(&whole)?;
    let rule = Rule {
        origin: origin.clone(),
        action: header.action,
        further_actions: header.further_actions,
        protocol: header.protocol,
        source: header.source,
        source_ports: header.source_ports,
        direction: header.direction,
        destination: header.destination,
        destination_ports: header.destination_ports,
        options,
    };
    Ok((rule, warning))
}

#[cfg(test)]
mod tests;
