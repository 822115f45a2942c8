//! Rule files to rules.
//!
//! Follows Suricata's reading of a file: a line that begins with a space, `#` or `;` holds no rule, a
//! backslash at its end continues it, and text that is not UTF-8 is not a rule. Where that reading drops
//! a rule without a word, a diagnostic is given here.

mod header;
mod options;

use std::sync::Arc;

use header::{Header, parse_header};
use options::parse_options;

use crate::diagnostic::{Diagnostic, SyntaxError};
use crate::lines::{LogicalLine, LogicalLines, logical_lines};
use crate::rule::{Rule, RuleOption};
use crate::text::{Origin, Span, Spanned};

/// Longest rule in bytes, continued lines joined.
pub const MAX_RULE_LENGTH: usize = 1 << 20;

/// Content of a rule file.
#[derive(Clone, Debug)]
pub struct RuleFile {
    /// Name of the file.
    pub file: Arc<str>,
    /// The rules that could be read, in order.
    pub rules: Vec<Rule>,
    /// Faults of the others, in order, and warnings.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads every rule of a file; `file` is only its name for diagnostics.
pub fn parse_rules(text: impl AsRef<[u8]>, file: &str) -> RuleFile {
    let mut reader = RuleReader::new(text.as_ref(), file);
    let rules = reader.by_ref().collect();
    RuleFile { rules, diagnostics: reader.diagnostics, file: reader.file }
}

/// Reads the rules of a file one by one, for those who need not keep them.
pub struct RuleReader<'t> {
    lines: LogicalLines<'t>,
    file: Arc<str>,
    diagnostics: Vec<Diagnostic>,
}

impl<'t> RuleReader<'t> {
    /// A reader of a file's text; `file` is only its name for diagnostics.
    pub fn new(text: &'t [u8], file: &str) -> Self {
        Self { lines: logical_lines(text), file: file.into(), diagnostics: Vec::new() }
    }

    /// Returns the faults of rules that were passed over, in order, and warnings.
    pub fn into_diagnostics(self) -> Vec<Diagnostic> {
        self.diagnostics
    }

    /// The rule that a line holds, if it is one.
    fn rule(&mut self, line: LogicalLine<'_>) -> Result<Option<Rule>, Box<Diagnostic>> {
        let origin = origin_of(line, &self.file)?;
        match origin.text.as_bytes().first() {
            Some(b';') => Ok(None),
            Some(b' ') => {
                let message = "A line that begins with a space is not read as a rule.";
                let warning = SyntaxError::new(Span::new(0, 1), message)
                    .with_help("remove the space, or write `#` before the line");
                self.diagnostics.push(origin.warning(warning));
                Ok(None)
            }
            _ => parse_origin(origin, &mut self.diagnostics).map(Some),
        }
    }
}

impl Iterator for RuleReader<'_> {
    type Item = Rule;

    fn next(&mut self) -> Option<Rule> {
        loop {
            let line = self.lines.next()?;
            match self.rule(line) {
                Ok(Some(rule)) => return Some(rule),
                Ok(None) => {}
                Err(diagnostic) => self.diagnostics.push(*diagnostic),
            }
        }
    }
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
    if let Some(at) = control_character(origin.text.as_bytes()) {
        let error = SyntaxError::new(Span::new(at, at + 1), "rule contains invalid (control) characters");
        let help = "write such bytes in hexadecimal, as in `content:\"|00|\";`";
        return Err(Box::new(origin.error(error.with_help(help))));
    }
    let (header, options, warning) = match parse_text(&origin.text) {
        Ok(parts) => parts,
        Err(error) => return Err(Box::new(origin.error(error))),
    };
    warnings.extend(warning.map(|error| origin.warning(error)));
    Ok(Rule {
        origin,
        action: header.action,
        further_actions: header.further_actions,
        protocol: header.protocol,
        source: header.source,
        source_ports: header.source_ports,
        direction: header.direction,
        destination: header.destination,
        destination_ports: header.destination_ports,
        options,
    })
}

/// Position of the first byte that no rule may hold.
fn control_character(bytes: &[u8]) -> Option<usize> {
    let control = |byte: u8| byte == 0x7f || byte < b' ' && !byte.is_ascii_whitespace();
    // Hardly a rule has one: whether there is any is asked of many bytes at once.
    let any = bytes.iter().fold(false, |any, &byte| any | (byte < b' ') | (byte == 0x7f));
    any.then(|| bytes.iter().position(|&byte| control(byte))).flatten()
}

/// The header, the options and a warning.
type Parts = (Header, Vec<RuleOption>, Option<SyntaxError>);

fn parse_text(source: &Arc<str>) -> Result<Parts, SyntaxError> {
    let header = parse_header(source)?;
    let whole = Spanned::new(source, Span::new(header.end, source.len()));
    let (options, warning) = parse_options(&whole)?;
    Ok((header, options, warning))
}

#[cfg(test)]
mod tests;
