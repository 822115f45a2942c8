//! `threshold` and `detection_filter`: how often a rule may alert.

use std::time::Duration;

use weir_rules::side::Track;
use weir_rules::value::{comma_list, key_value};
use weir_rules::{Quotes, RuleOption, Spanned, SyntaxError};

use crate::builder::RuleBuilder;
use crate::keyword::KeywordRow;
use crate::threshold::{Rate, Threshold, UniqueOn};

/// The family's keywords.
pub const KEYWORDS: &[KeywordRow] = &[
    KeywordRow::new(
        "threshold",
        [
            "threshold:type <limit|threshold|both|backoff>, track <by_src|by_dst|by_both|by_rule|by_flow>, \
             count <n>, seconds <n>|multiplier <n>;",
            "Fewer alerts: at most `count` in the time, one for every `count`, one in the time after `count`, or \
             ever fewer.",
            "threshold:type limit, track by_src, count 1, seconds 60;",
        ],
        |option, rule| {
            let parts = parts(option)?;
            let rate = match (&parts.kind, parts.multiplier) {
                (Some(kind), multiplier) => rate(kind, multiplier)?,
                (None, _) => return Err(missing(option, "type")),
            };
            install(option, rule, parts, rate)
        },
    ),
    KeywordRow::new(
        "detection_filter",
        [
            "detection_filter:track <by_src|by_dst|by_both|by_rule|by_flow>, count <n>, seconds <n>\
             [, unique_on <src_port|dst_port|src_ip|dst_ip>];",
            "Alerts only once the rule matched more than `count` times in the time, or with more than `count` \
             different ports or addresses.",
            "detection_filter:track by_src, count 15, seconds 2;",
        ],
        |option, rule| {
            let parts = parts(option)?;
            if let Some(kind) = &parts.kind {
                return Err(kind.error("`detection_filter` has no type."));
            }
            install(option, rule, parts, Rate::DetectionFilter)
        },
    ),
];

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

fn missing(option: &RuleOption, part: &str) -> SyntaxError {
    option
        .error(format!("`{}` does not say its {part}.", option.name))
        .with_help("write `track by_src, count 5, seconds 60`, and for `threshold` a type before it")
}

fn parts(option: &RuleOption) -> Result<Parts, SyntaxError> {
    let text = option.argument(false, Quotes::Optional)?.text;
    let mut parts = Parts::default();
    for item in comma_list(&text) {
        let (key, value) = key_value(&item);
        let fresh = match key.as_str() {
            "type" => parts.kind.replace(value).is_none(),
            "track" => parts.track.replace(track(&value)?).is_none(),
            "count" => parts.count.replace(number(&value)?).is_none(),
            "seconds" => parts.seconds.replace(number(&value)?).is_none(),
            "multiplier" => parts.multiplier.replace(number(&value)?).is_none(),
            "unique_on" if option.name.as_str() == "detection_filter" => {
                parts.unique_on.replace(unique_on(&value)?).is_none()
            }
            _ => return Err(item.error(format!("`{}` does not know `{item}`.", option.name))),
        };
        if !fresh {
            return Err(item.error(format!("`{key}` stands twice.")));
        }
    }
    Ok(parts)
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
        ("backoff", Some(multiplier)) => Rate::Backoff { multiplier },
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
    if let Some(before) = &rule.threshold {
        let message = if (before.rate == Rate::DetectionFilter) == (rate == Rate::DetectionFilter) {
            format!("multiple \"{}\" options are not allowed in the same rule", option.name)
        } else {
            "\"detection_filter\" and \"threshold\" are not allowed in the same rule".to_owned()
        };
        return Err(option.name.error(message));
    }
    let track = parts.track.ok_or_else(|| missing(option, "track"))?;
    let count = parts.count.ok_or_else(|| missing(option, "count"))?;
    let backs_off = matches!(rate, Rate::Backoff { .. });
    if backs_off && track != Track::Flow {
        return Err(option.error("`backoff` counts by_flow only."));
    }
    let seconds = match (parts.seconds, backs_off) {
        (Some(seconds), false) => seconds,
        (None, true) => 0,
        (Some(_), true) => return Err(option.error("`backoff` takes a multiplier, not seconds.")),
        (None, false) => return Err(missing(option, "seconds")),
    };
    let span = Duration::from_secs(seconds.into());
    rule.threshold = Some(Threshold { rate, track, count, span, unique_on: parts.unique_on });
    Ok(())
}
