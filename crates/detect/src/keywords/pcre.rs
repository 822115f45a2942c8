//! `pcre`: regular expressions with Perl's flags, flags that name a field, and captures.

use weir_mpm::{Regex, RegexLimits, RegexOptions};
use weir_rules::{Quotes, RuleOption, Span, Spanned, SyntaxError};

use crate::builder::keyword::Keyword;
use crate::builder::{List, RuleBuilder};
use crate::model::buffer::{Check, RegexCheck};
use crate::state::names::NameKind;

/// Most captures of one expression that are kept.
const MAX_CAPTURES: usize = 64;

/// The family's keywords.
pub const KEYWORDS: &[Keyword] = &[Keyword::new(
    "pcre",
    [
        "pcre:[!]\"/<expression>/[flags][, <flow|pkt|alert>:<name>…]\";",
        "A regular expression. Flags: i s m x A E G as in Perl and PCRE, R relative to the match before, O \
         without match limit, and for fields of HTTP U I P Q H D M C S Y V W Z.",
        "pcre:\"/user=[a-z]{12}$/Ui\";",
    ],
    pcre,
)];

/// Flags that name a field, with the fields tried in order.
const FIELDS: &[(char, &[&str])] = &[
    ('U', &["http.uri"]),
    ('I', &["http.uri.raw"]),
    ('P', &["http.request_body"]),
    ('Q', &["http.response_body", "file.data"]),
    ('H', &["http.header"]),
    ('D', &["http.header.raw"]),
    ('M', &["http.method"]),
    ('C', &["http.cookie"]),
    ('S', &["http.stat_code"]),
    ('Y', &["http.stat_msg"]),
    ('V', &["http.user_agent"]),
    ('W', &["http.host"]),
    ('Z', &["http.host.raw"]),
];

/// Flags of fields that `B` may not stand before.
const NOT_RAW: &str = "UVWZHIMC";

/// Where the names of captures begin: scope, and what numbers its names.
const SCOPES: &[(&str, &str, NameKind)] = &[
    ("flow:", "flow_", NameKind::FlowVariable),
    ("pkt:", "pkt_", NameKind::PacketVariable),
    ("alert:", "alert_", NameKind::AlertVariable),
];

/// The value taken apart.
struct Parts {
    expression: Spanned,
    flags: Spanned,
    /// Names of captures, in order of the groups.
    captures: Vec<Spanned>,
}

/// Demands of the flags.
#[derive(Default)]
struct Flags {
    options: RegexOptions,
    unlimited: bool,
    /// `B` stands among them.
    raw: bool,
    field: Option<(char, &'static [&'static str])>,
}

fn pcre(option: &RuleOption, rule: &mut RuleBuilder<'_>) -> Result<(), SyntaxError> {
    let argument = option.argument(true, Quotes::Optional)?;
    let parts = split(&argument.text)?;
    let flags = parse_flags(&parts.flags)?;
    let limits = if flags.unlimited { RegexLimits::UNLIMITED } else { rule.environment.regex_limits };
    let regexes = &rule.environment.regexes;
    let regex = regexes.compile(&parts.expression, flags.options, limits).map_err(|error| {
        let at = error.offset.min(parts.expression.len());
        let place = parts.expression.slice(Span::new(at, parts.expression.len().max(at + 1)));
        place.error(format!(
            "pcre2 compile of \"{}\" failed at offset {}: {}",
            argument.text, error.offset, error.message
        ))
    })?;
    let host = flags.field.is_some_and(|(flag, _)| flag == 'W');
    if host && !flags.options.caseless && has_capital(&parts.expression) {
        return Err(parts.expression.error(
            "pcre host(\"W\") specified has an uppercase char.  Since the hostname buffer we match against is \
             actually lowercase, please specify an all lowercase based pcre.",
        ));
    }
    let captures = captures(rule, &regex, &parts)?;
    let list = list(option, rule, &parts.flags, flags.field)?;
    if !captures.is_empty() {
        rule.effects.state_use.others.0 = true;
    }
    if flags.options.in_parts && !rule.in_buffer() && !rule.has_place(list) {
        return Err(option
            .error("pcre with /R (relative) needs preceding match in the same buffer")
            .with_help(
                "write a `content` or another `pcre` in the same buffer before it, or leave `R` out",
            ));
    }
    let check = RegexCheck {
        regex,
        negated: argument.negated,
        nocase: flags.options.caseless,
        relative: flags.options.in_parts,
        followed: false,
        captures,
    };
    rule.push_check_to(option, list, Check::Regex(Box::new(check)))
}

/// Whether a letter outside of escapes is a capital.
fn has_capital(expression: &str) -> bool {
    let mut rest = expression.as_bytes();
    loop {
        rest = match rest {
            [b'\\', b'x', _, _, rest @ ..] | [b'\\', _, rest @ ..] => rest,
            [letter, ..] if letter.is_ascii_uppercase() => return true,
            [_, rest @ ..] => rest,
            [] => return false,
        }
    }
}

/// Takes `/expression/flags, names` apart. The expression ends at the last slash that only letters
/// follow, up to the end or to the comma before the names.
fn split(text: &Spanned) -> Result<Parts, SyntaxError> {
    let malformed = || {
        text.error(format!("pcre parse error: {text}"))
            .with_help("write `pcre:\"/expression/i\";`; a slash inside is written `\\/` or `/`")
    };
    if !text.starts_with('/') {
        return Err(malformed());
    }
    let names_at = text.match_indices(',').map(|(at, _)| at).find(|&at| {
        let (before, after) = (text.get(..at).unwrap_or(""), text.get(at + 1..).unwrap_or(""));
        let after = after.trim_start();
        SCOPES.iter().any(|(scope, ..)| after.starts_with(scope)) && flags_start(before).is_some()
    });
    let end = names_at.unwrap_or(text.len());
    let slash = flags_start(text.get(..end).unwrap_or("")).ok_or_else(malformed)?;
    let captures = match names_at {
        Some(at) => weir_rules::value::comma_list(&text.slice(Span::new(at + 1, text.len()))),
        None => Vec::new(),
    };
    let expression = text.slice(Span::new(1, slash));
    Ok(Parts { expression, flags: text.slice(Span::new(slash + 1, end)).trimmed(), captures })
}

/// Where the slash stands that ends the expression.
fn flags_start(text: &str) -> Option<usize> {
    let slash = text.rfind('/').filter(|&at| at > 0)?;
    let flags = text.get(slash + 1..)?;
    flags.trim_end().chars().all(|c| c.is_ascii_alphabetic()).then_some(slash)
}

fn parse_flags(text: &Spanned) -> Result<Flags, SyntaxError> {
    let mut flags = Flags::default();
    for (at, flag) in text.char_indices() {
        let place = || text.slice(Span::new(at, at + flag.len_utf8()));
        let options = &mut flags.options;
        match flag {
            'i' => options.caseless = true,
            's' => options.dotall = true,
            'm' => options.multiline = true,
            'x' => options.extended = true,
            'A' => options.anchored = true,
            'E' => options.dollar_end_only = true,
            'G' => options.ungreedy = true,
            'R' => options.in_parts = true,
            'O' => flags.unlimited = true,
            'B' if flags.field.is_some() => {
                return Err(place().error("regex modifier 'B' inconsistent with chosen buffer"));
            }
            // Raw bytes are all there are.
            'B' => flags.raw = true,
            _ => match FIELDS.iter().find(|(letter, _)| *letter == flag) {
                Some(_) if flags.raw && NOT_RAW.contains(flag) => {
                    return Err(place().error(format!("regex modifier '{flag}' inconsistent with 'B'")));
                }
                Some((_, fields)) => match flags.field {
                    Some(_) => {
                        return Err(place().error("only one pcre option to specify a buffer type is allowed"));
                    }
                    None => flags.field = Some((flag, fields)),
                },
                None => return Err(place().error(format!("unknown regex modifier '{flag}'"))),
            },
        }
    }
    Ok(flags)
}

/// The list that the expression goes to: the sticky buffer in force, or the field a flag names.
fn list(
    option: &RuleOption,
    rule: &mut RuleBuilder<'_>,
    flags: &Spanned,
    field: Option<(char, &'static [&'static str])>,
) -> Result<List, SyntaxError> {
    let Some((flag, names)) = field else { return Ok(rule.current()) };
    let environment = rule.environment;
    let Some((_, rows)) = names.iter().find_map(|name| environment.fields.find(name)) else {
        let name = names.first().copied().unwrap_or_default();
        return Err(
            flags.error(format!("No protocol here has the field `{name}` that the flag `{flag}` names."))
        );
    };
    rule.narrow_to_first(option, rows)?;
    // The flag may repeat what the sticky buffer says already.
    if rule.current_buffer().is_some_and(|buffer| names.contains(&buffer.name)) {
        return Ok(rule.current());
    }
    if rule.in_buffer() {
        return Err(flags
            .error(format!("The flag `{flag}` names a field while another sticky buffer is in force."))
            .with_help(
                "leave the flag out after the sticky buffer, or go back to the payload with `pkt_data;`",
            ));
    }
    rule.list_of(option, rows)
}

/// The groups to keep with the numbers of their variables: those named behind the expression, in
/// order, and those whose own name begins with the scope.
fn captures(rule: &RuleBuilder<'_>, regex: &Regex, parts: &Parts) -> Result<Vec<(usize, u32)>, SyntaxError> {
    let mut found = Vec::new();
    for (index, item) in parts.captures.iter().enumerate() {
        let scope = SCOPES.iter().find_map(|(scope, _, kind)| Some((*kind, item.strip_prefix(scope)?)));
        let Some((kind, name)) = scope.filter(|(_, name)| !name.is_empty()) else {
            return Err(item
                .error(format!("`{item}` does not say where the capture goes."))
                .with_help("write `flow:name`, `pkt:name` or `alert:name`"));
        };
        if index >= regex.capture_count() || index >= MAX_CAPTURES {
            return Err(item
                .error("more pkt/flow var capture names than capturing substrings")
                .with_help(format!("the expression has {} groups", regex.capture_count())));
        }
        found.push((index + 1, rule.name(kind, name).0));
    }
    if parts.captures.is_empty() {
        for (name, group) in regex.capture_names() {
            let scope = SCOPES.iter().find_map(|(_, prefix, kind)| Some((*kind, name.strip_prefix(prefix)?)));
            if let Some((kind, name)) = scope
                && found.len() < MAX_CAPTURES
            {
                found.push((*group, rule.name(kind, name).0));
            }
        }
    }
    Ok(found)
}
