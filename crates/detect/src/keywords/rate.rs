//! `threshold` and `detection_filter`: how often a rule may alert.

use std::time::Duration;

use weir_rules::side::Track;
use weir_rules::value::{comma_list, key_value};
use weir_rules::{Quotes, RuleOption, Span, Spanned, SyntaxError};

use crate::builder::RuleBuilder;
use crate::builder::keyword::Keyword;
use crate::state::threshold::{Rate, Threshold, UniqueOn};

/// The family's keywords.
pub const KEYWORDS: &[Keyword] = &[
    Keyword::new(
        "threshold",
        [
            "threshold:type <limit|threshold|both|backoff>, track <by_src|by_dst|by_both|by_rule|by_flow>, \
             count <n>, seconds <n>|multiplier <n>;",
            "Fewer alerts: at most `count` in the time, one for every `count`, one in the time after `count`, or \
             ever fewer.",
            "threshold:type limit, track by_src, count 1, seconds 60;",
        ],
        |option, rule| {
            let (parts, rest) = parts(option)?;
            if let Some(rest) = rest {
                let ignored = rest.error(format!("`{rest}` is no part of `threshold`, and is ignored."));
                rule.warn(ignored.with_help("end the option with `;`"));
            }
            let rate = match (&parts.kind, parts.multiplier) {
                (Some(kind), multiplier) => rate(kind, multiplier)?,
                (None, _) => return Err(missing(option, "type")),
            };
            install(option, rule, parts, rate)
        },
    ),
    Keyword::new(
        "detection_filter",
        [
            "detection_filter:track <by_src|by_dst|by_both|by_rule|by_flow>, count <n>, seconds <n>\
             [, unique_on <src_port|dst_port|src_ip|dst_ip>];",
            "Alerts only once the rule matched more than `count` times in the time, or with more than `count` \
             different ports or addresses.",
            "detection_filter:track by_src, count 15, seconds 2;",
        ],
        |option, rule| {
            let (parts, rest) = parts(option)?;
            if let Some(rest) = rest {
                return Err(rest.error(format!("`detection_filter` does not know `{rest}`.")));
            }
            if let Some(kind) = &parts.kind {
                return Err(kind.error("`detection_filter` has no type."));
            }
            install(option, rule, parts, Rate::DetectionFilter)
        },
    ),
];

/// Largest count and multiplier of `backoff`.
const MAX_BACKOFF: u32 = 65_535;

/// Words that parts begin with.
const PARTS: &[&str] = &["type", "track", "count", "seconds", "multiplier", "unique_on"];

/// The option's parts as written.
#[derive(Default)]
struct Parts {
    kind: Option<Spanned>,
    track: Option<Track>,
    count: Option<u32>,
    seconds: Option<u32>,
    multiplier: Option<u32>,
    unique_on: Option<UniqueOn>,
}

impl Parts {
    const fn is_complete(&self) -> bool {
        let time = self.seconds.is_some() || self.multiplier.is_some();
        self.kind.is_some() && self.track.is_some() && self.count.is_some() && time
    }
}

fn missing(option: &RuleOption, part: &str) -> SyntaxError {
    option
        .error(format!("`{}` does not say its {part}.", option.name))
        .with_help("write `track by_src, count 5, seconds 60`, and for `threshold` a type before it")
}

/// The parts, and what stands behind the last of them where all are there: rules are about whose
/// authors forgot the semicolon, and they mean what they say before it.
fn parts(option: &RuleOption) -> Result<(Parts, Option<Spanned>), SyntaxError> {
    let text = option.argument(false, Quotes::Optional)?.text;
    let mut parts = Parts::default();
    for item in comma_list(&text) {
        let rest_from = |start: usize| text.slice(Span::new(start - text.span().start, text.len()));
        let (key, value) = key_value(&item);
        if parts.is_complete() && !PARTS.contains(&key.as_str()) {
            return Ok((parts, Some(rest_from(item.span().start))));
        }
        let (value, behind) = key_value(&value);
        let fresh = match key.as_str() {
            "type" => parts.kind.replace(value).is_none(),
            "track" => parts.track.replace(track(&value)?).is_none(),
            "count" => parts.count.replace(number(&value)?).is_none(),
            "seconds" => parts.seconds.replace(number(&value)?).is_none(),
            "multiplier" => parts.multiplier.replace(number(&value)?).is_none(),
            "unique_on" if option.name.eq_ignore_ascii_case("detection_filter") => {
                parts.unique_on.replace(unique_on(&value)?).is_none()
            }
            _ => return Err(item.error(format!("`{}` does not know `{item}`.", option.name))),
        };
        if !fresh {
            return Err(item.error(format!("`{key}` stands twice.")));
        }
        if !behind.is_empty() {
            return match parts.is_complete() {
                true => Ok((parts, Some(rest_from(behind.span().start)))),
                false => Err(behind.error(format!("`{}` does not know `{behind}`.", option.name))),
            };
        }
    }
    Ok((parts, None))
}

fn track(text: &Spanned) -> Result<Track, SyntaxError> {
    Ok(match text.as_str() {
        "by_src" => Track::Source,
        "by_dst" => Track::Destination,
        "by_both" => Track::Both,
        "by_rule" => Track::Rule,
        "by_flow" => Track::Flow,
        _ => {
            return Err(text
                .error(format!("`{text}` is nothing to count by."))
                .with_help("count by_src, by_dst, by_both, by_rule or by_flow"));
        }
    })
}

fn unique_on(text: &Spanned) -> Result<UniqueOn, SyntaxError> {
    UniqueOn::named(text).ok_or_else(|| {
        text.error(format!("`{text}` is nothing to tell apart."))
            .with_help("write src_port, dst_port, src_ip or dst_ip")
    })
}

fn number(text: &Spanned) -> Result<u32, SyntaxError> {
    match text.parse() {
        Ok(0) | Err(_) => Err(text.error(format!("`{text}` is no number greater than zero."))),
        Ok(number) => Ok(number),
    }
}

fn rate(kind: &Spanned, multiplier: Option<u32>) -> Result<Rate, SyntaxError> {
    Ok(match (kind.as_str(), multiplier) {
        ("limit", None) => Rate::Limit,
        ("threshold", None) => Rate::Threshold,
        ("both", None) => Rate::Both,
        ("backoff", Some(multiplier @ 2..=MAX_BACKOFF)) => Rate::Backoff { multiplier },
        ("backoff", Some(multiplier)) => {
            return Err(kind.error(format!(
                "invalid multiplier value '{multiplier}': must be in the range 2-{MAX_BACKOFF}"
            )));
        }
        ("backoff", None) => return Err(kind.error("`backoff` needs a multiplier.")),
        ("limit" | "threshold" | "both", Some(_)) => {
            return Err(kind.error(format!("`{kind}` takes seconds, not a multiplier.")));
        }
        _ => {
            return Err(kind
                .error(format!("`{kind}` is no type of threshold."))
                .with_help("types are limit, threshold, both and backoff"));
        }
    })
}

fn install(
    option: &RuleOption,
    rule: &mut RuleBuilder<'_>,
    parts: Parts,
    rate: Rate,
) -> Result<(), SyntaxError> {
    if let Some(before) = &rule.effects.threshold {
        let message = match (before.rate == Rate::DetectionFilter, rate == Rate::DetectionFilter) {
            // While a sticky buffer is in force, what stands outside of it is not looked for.
            _ if rule.in_buffer() => None,
            (false, false) | (true, true) => {
                Some(format!("multiple \"{}\" options are not allowed in the same rule", option.name))
            }
            _ => Some("\"detection_filter\" and \"threshold\" are not allowed in the same rule".to_owned()),
        };
        match message {
            Some(message) => return Err(option.name.error(message)),
            None => rule.warn(option.error(format!("`{}` stands twice; the last one counts.", option.name))),
        }
    }
    let track = parts.track.ok_or_else(|| missing(option, "track"))?;
    let count = parts.count.ok_or_else(|| missing(option, "count"))?;
    let backs_off = matches!(rate, Rate::Backoff { .. });
    if backs_off && track != Track::Flow {
        return Err(option.error("invalid track value: type backoff only supported for track by_flow"));
    }
    if backs_off && count > MAX_BACKOFF {
        return Err(
            option.error(format!("invalid count value '{count}': must be in the range 1-{MAX_BACKOFF}"))
        );
    }
    let seconds = match (parts.seconds, backs_off) {
        (Some(seconds), false) => seconds,
        (None, true) => 0,
        (Some(_), true) => return Err(option.error("`backoff` takes a multiplier, not seconds.")),
        (None, false) => return Err(missing(option, "seconds")),
    };
    let span = Duration::from_secs(seconds.into());
    rule.effects.threshold = Some(Threshold { rate, track, count, span, unique_on: parts.unique_on });
    Ok(())
}
