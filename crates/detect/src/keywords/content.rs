//! `content` and its modifiers.

use weir_rules::value::parse_pattern;
use weir_rules::{Quotes, RuleOption, SyntaxError};

use crate::builder::keyword::{Doc, Keyword};
use crate::builder::{List, RuleBuilder};
use crate::model::buffer::content::FastPattern;
use crate::model::buffer::{Check, Content, Number};
use crate::model::signature::Subjects;

/// A negated content can only be searched for ahead of the others where it may lie anywhere.
const NEGATED_FAST_PATTERN: &str =
    "fast_pattern; cannot be used with negated content, along with relative modifiers";

/// A content that the prefilter alone looks for has no place.
const PLACED_FAST_PATTERN: &str = "fast_pattern: only; cannot be used with negated content or with any of the \
                                   relative modifiers like distance, within, offset, depth";

/// A place is either counted from the buffer's start or from the match before.
const MIXED_PLACES: &str = "can't use a relative keyword like within/distance with a absolute relative keyword \
                            like depth/offset for the same content.";

/// The prefilter notes that a content is there, not where.
const SEARCHED_BEFORE: &str = "previous keyword has a fast_pattern:only; set. Can't have relative keywords around a \
                               fast_pattern only content";

/// Farthest that a content may lie from the match before it, either way.
const MAX_REACH: i64 = 1_048_576;

/// Longest literal in bytes.
const MAX_LITERAL: usize = 8192;

/// The family's keywords.
pub const KEYWORDS: &[Keyword] = &[
    Keyword {
        name: "content",
        aliases: &[],
        doc: Doc {
            syntax: "content:[!]\"<bytes>\";",
            text: "Looks for bytes in the payload or in the sticky buffer in force. Bytes between bars are \
                   hexadecimal; `!` asks that they be absent.",
            example: "content:\"GET |2f|admin\";",
        },
        compile: content,
    },
    Keyword::new(
        "uricontent",
        [
            "uricontent:[!]\"<bytes>\";",
            "Looks for bytes in the normalised URI of a request; the older spelling of `http.uri` with `content`.",
            "uricontent:\"/admin\";",
        ],
        uri_content,
    ),
    Keyword {
        name: "nocase",
        aliases: &[],
        doc: Doc {
            syntax: "nocase;",
            text: "The content before it matches letters in either case.",
            example: "content:\"admin\"; nocase;",
        },
        compile: nocase,
    },
    Keyword {
        name: "depth",
        aliases: &[],
        doc: Doc {
            syntax: "depth:<bytes|variable>;",
            text: "The content before it must end within this many bytes of the buffer's start, or of its offset.",
            example: "content:\"GET\"; depth:3;",
        },
        compile: depth,
    },
    Keyword {
        name: "offset",
        aliases: &[],
        doc: Doc {
            syntax: "offset:<bytes|variable>;",
            text: "The content before it must start at or after this many bytes.",
            example: "content:\"|00 01|\"; offset:2;",
        },
        compile: offset,
    },
    Keyword {
        name: "distance",
        aliases: &[],
        doc: Doc {
            syntax: "distance:<bytes|variable>;",
            text: "The content before it must start at least this many bytes after the end of the match before; \
                   a negative number reaches back.",
            example: "content:\"user\"; content:\"root\"; distance:1;",
        },
        compile: distance,
    },
    Keyword {
        name: "within",
        aliases: &[],
        doc: Doc {
            syntax: "within:<bytes|variable>;",
            text: "The content before it must end within this many bytes of the end of the match before (plus \
                   `distance`).",
            example: "content:\"user\"; content:\"root\"; within:10;",
        },
        compile: within,
    },
    Keyword {
        name: "startswith",
        aliases: &[],
        doc: Doc {
            syntax: "startswith;",
            text: "The content before it must be the buffer's beginning.",
            example: "http.uri; content:\"/admin\"; startswith;",
        },
        compile: starts_with,
    },
    Keyword {
        name: "endswith",
        aliases: &[],
        doc: Doc {
            syntax: "endswith;",
            text: "The content before it must be the buffer's end.",
            example: "http.uri; content:\".php\"; endswith;",
        },
        compile: ends_with,
    },
    Keyword {
        name: "rawbytes",
        aliases: &[],
        doc: Doc {
            syntax: "rawbytes;",
            text: "Accepted for rules written for Snort; the payload is never altered.",
            example: "content:\"|ff fb|\"; rawbytes;",
        },
        compile: raw_bytes,
    },
    Keyword {
        name: "replace",
        aliases: &[],
        doc: Doc {
            syntax: "replace:\"<bytes>\";",
            text: "Inline, where packets can be changed, the content before it is replaced by as many other bytes; \
                   the rule then looks at packets, not at the stream. Where nothing can be changed the rule alerts, and \
                   that is told when it is loaded.",
            example: "content:\"abc\"; replace:\"def\";",
        },
        compile: replace,
    },
    Keyword {
        name: "fast_pattern",
        aliases: &[],
        doc: Doc {
            syntax: "fast_pattern[:only|:<offset>,<length>];",
            text: "The content before it, or a part of it, is what the prefilter looks for.",
            example: "content:\"rare-word\"; fast_pattern;",
        },
        compile: fast_pattern,
    },
];

fn content(option: &RuleOption, rule: &mut RuleBuilder<'_>) -> Result<(), SyntaxError> {
    let argument = option.argument(true, Quotes::Mandatory)?;
    let bytes = parse_pattern(&argument.text).map_err(|e| argument.text.locate(e))?;
    if bytes.len() > MAX_LITERAL {
        return Err(argument.text.error(format!("A content can have at most {MAX_LITERAL} bytes.")));
    }
    rule.push_check(option, Check::Content(Box::new(Content::new(bytes, argument.negated))))
}

/// Where nothing can change packets the rule is checked, and its alerts are of use all the same.
fn replace(option: &RuleOption, rule: &mut RuleBuilder<'_>) -> Result<(), SyntaxError> {
    let text = option.argument(false, Quotes::Mandatory)?.text;
    let bytes = parse_pattern(&text).map_err(|error| text.locate(error))?;
    if rule.in_buffer() {
        return Err(option.name.error("`replace` changes packets, and cannot follow a sticky buffer."));
    }
    let content = rule.last_content(option)?;
    if content.negated {
        return Err(option.name.error("`replace` cannot change a content that is not there."));
    }
    if content.bytes.len() != bytes.len() {
        return Err(text.error(format!(
            "A content of {} bytes cannot be replaced by {} bytes.",
            content.bytes.len(),
            bytes.len()
        )));
    }
    if !rule.environment.inline {
        rule.warn(option.error("Can't use 'replace' keyword in non IPS mode: packets are not changed."));
        return Ok(());
    }
    rule.last_content(option)?.replacement = Some(Box::new(bytes.into()));
    rule.demands.subjects.insert(Subjects::PACKET);
    Ok(())
}

fn uri_content(option: &RuleOption, rule: &mut RuleBuilder<'_>) -> Result<(), SyntaxError> {
    let environment = rule.environment;
    let Some((_, rows)) = environment.fields.find("http.uri") else {
        return Err(option.name.error("No protocol here has the field `http.uri`."));
    };
    if rule.in_buffer() {
        return Err(option.name.error("`uricontent` cannot be used while a sticky buffer is in force."));
    }
    rule.narrow_to_first(option, rows)?;
    content(option, rule)?;
    rule.move_last_content(option, rows)
}

fn nocase(option: &RuleOption, rule: &mut RuleBuilder<'_>) -> Result<(), SyntaxError> {
    option.no_argument()?;
    let content = rule.last_content(option)?;
    once(option, content.nocase)?;
    content.nocase = true;
    Ok(())
}

/// The number of a modifier that takes one.
fn number(option: &RuleOption, rule: &RuleBuilder<'_>, low: i64, high: i64) -> Result<Number, SyntaxError> {
    let argument = option.argument(false, Quotes::Optional)?;
    rule.number(option, &argument.text, low, high)
}

/// Refuses a modifier that is there already.
fn once(option: &RuleOption, present: bool) -> Result<(), SyntaxError> {
    if !present {
        return Ok(());
    }
    let plural = match option.name.as_str() {
        "nocase" => "nocase modifiers with the same content",
        "fast_pattern" => "fast_pattern options for the same content",
        "rawbytes" => "rawbytes modifiers for the same content. ",
        name => return Err(option.error(format!("can't use multiple {name}s for the same content."))),
    };
    Err(option.error(format!("can't use multiple {plural}")))
}

/// Refuses a place for a content that must have none: a negated fast pattern, or one that the
/// prefilter alone looks for.
fn placeable(option: &RuleOption, content: &Content) -> Result<(), SyntaxError> {
    let (kind, pattern) = match content.fast_pattern {
        Some(_) if content.negated => ("negated keyword", "fast_pattern"),
        Some(FastPattern::Only) => ("keyword", "fast_pattern:only;"),
        _ => return Ok(()),
    };
    let pattern = match option.name.to_ascii_lowercase().as_str() {
        "distance" | "within" if content.negated => format!("a {pattern}"),
        "distance" | "within" => format!("a {pattern}"),
        "startswith" if content.negated => format!("a '{pattern}'."),
        _ => format!("'{pattern}'."),
    };
    Err(option.error(format!("can't have a relative {kind} set along with {pattern}")))
}

fn depth(option: &RuleOption, rule: &mut RuleBuilder<'_>) -> Result<(), SyntaxError> {
    let value = number(option, rule, 0, u16::MAX.into())?;
    let content = rule.last_content(option)?;
    once(option, content.depth.is_some() || content.starts_with)?;
    exclusive(option, content.is_relative(), MIXED_PLACES)?;
    placeable(option, content)?;
    if let Number::Value(depth) = value
        && depth < content.bytes.len() as i64
    {
        let length = content.bytes.len();
        return Err(option
            .error(format!("depth:{depth} smaller than content of len {length}."))
            .with_help("`depth` counts to the content's end: it must be at least its length"));
    }
    content.depth = Some(value.reach());
    Ok(())
}

fn offset(option: &RuleOption, rule: &mut RuleBuilder<'_>) -> Result<(), SyntaxError> {
    let value = number(option, rule, 0, u16::MAX.into())?;
    let content = rule.last_content(option)?;
    exclusive(option, content.starts_with, "can't use offset with startswith.")?;
    once(option, content.offset.is_some())?;
    exclusive(option, content.is_relative(), MIXED_PLACES)?;
    placeable(option, content)?;
    content.offset = Some(value.reach());
    Ok(())
}

fn distance(option: &RuleOption, rule: &mut RuleBuilder<'_>) -> Result<(), SyntaxError> {
    let value = number(option, rule, -MAX_REACH, MAX_REACH)?;
    let content = rule.last_content(option)?;
    once(option, content.distance.is_some())?;
    exclusive(option, content.is_absolute(), MIXED_PLACES)?;
    placeable(option, content)?;
    content.distance = Some(value.reach());
    follows_searched_content(option, rule)
}

fn within(option: &RuleOption, rule: &mut RuleBuilder<'_>) -> Result<(), SyntaxError> {
    let value = number(option, rule, -MAX_REACH, MAX_REACH)?;
    let content = rule.last_content(option)?;
    once(option, content.within.is_some())?;
    exclusive(option, content.is_absolute(), MIXED_PLACES)?;
    placeable(option, content)?;
    if let Number::Value(within) = value
        && within < content.bytes.len() as i64
    {
        let length = content.bytes.len();
        return Err(option
            .error(format!(
                "within argument \"{within}\" is less than the content length \"{length}\" which is invalid, since this \
                 will never match.  Invalidating signature"
            ))
            .with_help("`within` counts to the content's end: it must be at least its length"));
    }
    content.within = Some(value.reach());
    follows_searched_content(option, rule)
}

/// Refuses a place counted from a content that the prefilter alone looks for: its place is not known.
fn follows_searched_content(option: &RuleOption, rule: &RuleBuilder<'_>) -> Result<(), SyntaxError> {
    let searched = rule.match_before_content().is_some_and(
        |check| matches!(check, Check::Content(before) if before.fast_pattern == Some(FastPattern::Only)),
    );
    exclusive(option, searched, SEARCHED_BEFORE)
}

fn exclusive(option: &RuleOption, present: bool, message: &str) -> Result<(), SyntaxError> {
    if present { Err(option.error(message)) } else { Ok(()) }
}

fn starts_with(option: &RuleOption, rule: &mut RuleBuilder<'_>) -> Result<(), SyntaxError> {
    option.no_argument()?;
    let content = rule.last_content(option)?;
    let bounded = content.depth.is_some() || content.starts_with;
    exclusive(option, bounded, "can't use multiple depth/startswith settings for the same content.")?;
    exclusive(option, content.is_relative(), MIXED_PLACES)?;
    placeable(option, content)?;
    exclusive(option, content.offset.is_some(), "can't mix offset with startswith.")?;
    content.starts_with = true;
    Ok(())
}

fn ends_with(option: &RuleOption, rule: &mut RuleBuilder<'_>) -> Result<(), SyntaxError> {
    option.no_argument()?;
    rule.last_content(option)?.ends_with = true;
    Ok(())
}

fn raw_bytes(option: &RuleOption, rule: &mut RuleBuilder<'_>) -> Result<(), SyntaxError> {
    option.no_argument()?;
    let in_buffer = rule.in_buffer();
    let content = rule.last_content(option)?;
    once(option, content.raw_bytes)?;
    if in_buffer {
        return Err(option.error("`rawbytes` cannot be used in a sticky buffer."));
    }
    content.raw_bytes = true;
    Ok(())
}

fn fast_pattern(option: &RuleOption, rule: &mut RuleBuilder<'_>) -> Result<(), SyntaxError> {
    let wanted = match &option.value {
        None => FastPattern::Whole,
        Some(value) if value == "only" => FastPattern::Only,
        Some(value) => {
            let parts: Option<(u16, u16)> = value.split_once(',').and_then(|(offset, length)| {
                Some((offset.trim().parse().ok()?, length.trim().parse().ok()?))
            });
            let Some((offset, length)) = parts else {
                return Err(value
                    .error(format!("parse error, ret -1, string {value}"))
                    .with_help("write `fast_pattern;` or `fast_pattern:4,10;`"));
            };
            FastPattern::Chop { offset, length }
        }
    };
    let list = rule.last_content_list();
    exclusive(option, list == Some(List::Decoded), "fast_pattern cannot be used with base64_data")?;
    let taken = rule
        .checks
        .payload
        .iter()
        .any(|check| matches!(check, Check::Content(other) if other.fast_pattern.is_some()));
    let content = rule.newest_content(option)?;
    let placed = content.is_relative() || content.is_absolute();
    exclusive(option, content.negated && placed, NEGATED_FAST_PATTERN)?;
    match wanted {
        FastPattern::Whole => {
            once(option, content.fast_pattern.is_some())?;
            exclusive(option, taken, "fast_pattern can be used on only one content in a rule")?;
        }
        FastPattern::Only => exclusive(option, content.negated || placed, PLACED_FAST_PATTERN)?,
        FastPattern::Chop { offset, length } => {
            let (end, whole) = (u32::from(offset) + u32::from(length), content.bytes.len());
            if end > u32::from(u16::MAX) {
                return Err(option.error("Fast pattern (length + offset) exceeds limit pattern length limit"));
            }
            if length == 0 || end as usize > whole {
                return Err(option.error(format!(
                    "Fast pattern (length + offset ({end})) exceeds pattern length ({whole})"
                )));
            }
        }
    }
    content.fast_pattern = Some(wanted);
    Ok(())
}
