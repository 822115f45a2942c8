//! Rewriting what is safe to rewrite. A fix is kept only where the compiler takes the rule that it makes,
//! and, for a rule that loaded before, makes the same of it.

use weir_detect::analysis::{Dependencies, write_rule};
use weir_detect::compile::{Compiled, Environment, compile};
use weir_rules::{Diagnostic, Resolver, Rule, RuleOption, Span, parse_rule, parse_rules};

use crate::check::{RuleText, check_rule, text_finding};
use crate::finding::Finding;
use crate::policy::Policy;
use crate::subject::Subject;

/// Most fixes made one after the other in one rule.
const MAX_ROUNDS: usize = 64;

/// A piece of a rule's text that is replaced.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edit {
    /// Text that is replaced.
    pub span: Span,
    /// By what.
    pub text: String,
}

/// Edits that belong together and do not overlap.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fix {
    /// The edits, in the order of the text.
    pub edits: Vec<Edit>,
}

impl Fix {
    /// A fix of edits that do not overlap.
    pub(crate) fn new(mut edits: Vec<Edit>) -> Self {
        edits.sort_by_key(|edit| edit.span.start);
        Self { edits }
    }

    /// One that leaves an option out, with the `;` and the white space behind it.
    pub(crate) fn without_option(rule: &Rule, option: &RuleOption) -> Option<Self> {
        if !rule.origin.is_one_line() {
            return None;
        }
        let rest = rule.text().get(option.span.end..)?;
        let end = rest.find(';')? + 1;
        let blank = rest.get(end..)?.bytes().take_while(|byte| *byte == b' ').count();
        let span = Span::new(option.span.start, option.span.end + end + blank);
        Some(Self::new(vec![Edit { span, text: String::new() }]))
    }

    /// The text with the edits made.
    pub fn apply(&self, text: &str) -> String {
        let mut made = String::with_capacity(text.len());
        let mut at = 0;
        for edit in &self.edits {
            made.push_str(text.get(at..edit.span.start).unwrap_or_default());
            made.push_str(&edit.text);
            at = edit.span.end;
        }
        made.push_str(text.get(at..).unwrap_or_default());
        made
    }
}

/// Returns the fix that makes a rule of a line, where one does.
pub(crate) fn of_text(lint: &str, diagnostic: &Diagnostic) -> Option<Fix> {
    let text = &diagnostic.text;
    let (span, added) = match lint {
        "missing-semicolon" => {
            let end = text.get(..diagnostic.span.end)?.trim_end_matches([')', ' ', '\t']).len();
            (Span::new(end, end), ";")
        }
        "missing-parenthesis" => (Span::new(text.len(), text.len()), ")"),
        "leading-space" => {
            let blank = text.len() - text.trim_start().len();
            (Span::new(0, blank), "")
        }
        _ => return None,
    };
    Some(Fix::new(vec![Edit { span, text: added.to_owned() }]))
}

/// A backslash before each `;` inside quotes, where the rule is loaded then.
pub(crate) fn escape_semicolons(
    rule: &Rule,
    environment: &Environment,
    resolver: &mut Resolver<'_>,
) -> Option<Fix> {
    let text = rule.text();
    let mut quoted = false;
    let mut before = 0;
    let mut edits = Vec::new();
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'"' if before != b'\\' => quoted = !quoted,
            b';' if quoted && before != b'\\' => {
                edits.push(Edit { span: Span::new(at, at), text: "\\".to_owned() });
            }
            _ => {}
        }
        before = byte;
    }
    let fix = Some(Fix::new(edits)).filter(|fix| !fix.edits.is_empty() && rule.origin.is_one_line())?;
    compiled(&fix.apply(text), environment, resolver).is_some().then_some(fix)
}

fn compiled(text: &str, environment: &Environment, resolver: &mut Resolver<'_>) -> Option<Compiled> {
    let (rule, _) = parse_rule(text, "", 1).ok()?;
    compile(&rule, environment, resolver).ok()
}

/// Whether the compiler makes the same of a rule before and after a fix.
pub(crate) fn same_meaning(subject: &Subject<'_>, fix: &Fix, resolver: &mut Resolver<'_>) -> bool {
    let text = fix.apply(subject.rule.text());
    let Some(after) = compiled(&text, subject.environment, resolver) else { return false };
    let before = subject.compiled;
    meaning(before) == meaning(&after)
        && before.signature.checks.packet.len() == after.signature.checks.packet.len()
        && before.signature.effects.post.len() == after.signature.effects.post.len()
        && before.signature.effects.threshold == after.signature.effects.threshold
        && before.signature.effects.state_use == after.signature.effects.state_use
}

/// Everything that the analysis of rules has of a signature but its text.
fn meaning(compiled: &Compiled) -> Vec<u8> {
    const AFTER_TEXT: &[u8] = b"\",\"id\":";
    let mut out = Vec::new();
    write_rule(&compiled.signature, &Dependencies::of(&[]), &mut out);
    // Quotes inside the text are escaped, so that the first of these ends it.
    let start = out.windows(AFTER_TEXT.len()).position(|window| window == AFTER_TEXT).unwrap_or_default();
    out.split_off(start)
}

/// A file with its fixes made.
#[derive(Debug)]
pub struct Fixed {
    /// The new text.
    pub text: Vec<u8>,
    /// Number of fixes made.
    pub count: usize,
}

/// Makes all fixes of a file that the policy does not leave out; none where there is nothing to do.
pub fn rewrite(
    file: &RuleText,
    environment: &Environment,
    resolver: &mut Resolver<'_>,
    policy: &Policy,
) -> Option<Fixed> {
    let mut lines: Vec<Vec<u8>> = file.text.split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
    let parsed = parse_rules(&file.text, &file.file);
    let mut count = 0;
    let rules = parsed.rules.iter().map(|rule| (rule.line(), rule.text()));
    let broken = parsed.diagnostics.iter().map(|diagnostic| (diagnostic.line, &diagnostic.text));
    for (number, text) in rules.chain(broken) {
        let Some(line) = lines.get_mut((number as usize).saturating_sub(1)) else { continue };
        let content = line.trim_ascii_end();
        // What stands on several lines, or behind a byte order mark, is left as it is.
        if content != text.as_bytes() {
            continue;
        }
        let (fixed, made) = fixed(text, environment, resolver, policy);
        if made > 0 {
            let end = line.split_off(content.len());
            *line = fixed.into_bytes();
            line.extend(end);
            count += made;
        }
    }
    (count > 0).then(|| Fixed { text: lines.join(&b'\n'), count })
}

/// A rule's text with all its fixes made, and how many they were.
fn fixed(
    text: &str,
    environment: &Environment,
    resolver: &mut Resolver<'_>,
    policy: &Policy,
) -> (String, usize) {
    let mut text = text.to_owned();
    let mut count = 0;
    while count < MAX_ROUNDS {
        let mut findings: Vec<Finding> = Vec::new();
        let parsed = parse_rules(&text, "");
        for diagnostic in parsed.diagnostics {
            findings.push(text_finding(diagnostic, environment, resolver));
        }
        for rule in &parsed.rules {
            check_rule(rule, environment, resolver, &mut findings);
        }
        policy.apply(&mut findings);
        let Some(fix) = findings.into_iter().find_map(|finding| finding.fix) else { break };
        text = fix.apply(&text);
        count += 1;
    }
    (text, count)
}
