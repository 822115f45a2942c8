//! Options that describe the rule itself: message, numbers, class, references.

use weir_rules::value::unescape;
use weir_rules::{Classtype, Quotes, Reference, RuleOption, SyntaxError, Target};

use crate::builder::RuleBuilder;
use crate::builder::keyword::Keyword;

/// Most references of a rule.
const MAX_REFERENCES: usize = 4096;

/// Text in alerts for a class that classification.config does not have.
const UNKNOWN_CLASS: &str = "Unknown Classtype";

/// The family's keywords.
pub const KEYWORDS: &[Keyword] = &[
    Keyword::new("msg", ["msg:\"<text>\";", "The alert's message.", "msg:\"Login from abroad\";"], msg),
    Keyword::new(
        "sid",
        ["sid:<number>;", "The rule's number, unique within its group. Every rule has one.", "sid:1000001;"],
        |option, rule| {
            if rule.given.sid {
                return Err(twice(option));
            }
            rule.info.sid = positive(option)?;
            rule.given.sid = true;
            Ok(())
        },
    ),
    Keyword::new("rev", ["rev:<number>;", "The rule's revision.", "rev:2;"], |option, rule| {
        if rule.info.rev != 0 {
            return Err(twice(option));
        }
        rule.info.rev = positive(option)?;
        Ok(())
    }),
    Keyword::new(
        "gid",
        ["gid:<number>;", "The group that the rule's number belongs to; 1 where it is not given.", "gid:1;"],
        |option, rule| {
            rule.info.gid = number(option)?;
            Ok(())
        },
    ),
    Keyword::new(
        "classtype",
        [
            "classtype:<name>;",
            "The rule's class in classification.config, which gives the alert's category and priority.",
            "classtype:trojan-activity;",
        ],
        classtype,
    ),
    Keyword::new(
        "reference",
        [
            "reference:<type>,<reference>;",
            "Where more can be read; reference.config has what is put before references of a type, unless they have a scheme (`https://`).",
            "reference:cve,2021-44228;",
        ],
        reference,
    ),
    Keyword::new(
        "priority",
        ["priority:<1-255>;", "How urgent alerts are, 1 the most; overrules the class.", "priority:1;"],
        priority,
    ),
    Keyword::new(
        "metadata",
        [
            "metadata:<key> <value>[, …];",
            "Pairs that alerts can carry; they do not change what the rule matches.",
            "metadata:created_at 2024_01_01, signature_severity Major;",
        ],
        metadata,
    ),
    Keyword::new(
        "target",
        ["target:src_ip|dest_ip;", "Which end of the flow is attacked.", "target:dest_ip;"],
        target,
    ),
    Keyword::new(
        "noalert",
        ["noalert;", "The rule raises no alert; all else that it does, it does.", "noalert;"],
        |option, rule| {
            option.no_argument()?;
            rule.effects.no_alert = true;
            Ok(())
        },
    ),
    Keyword::new(
        "alert",
        ["alert;", "The rule raises an alert even where its action does not (`pass`).", "alert;"],
        |option, rule| {
            option.no_argument()?;
            rule.given.alert = true;
            rule.effects.no_alert = false;
            Ok(())
        },
    ),
];

fn twice(option: &RuleOption) -> SyntaxError {
    option.name.error(format!("duplicated '{}' keyword detected", option.name))
}

fn number(option: &RuleOption) -> Result<u32, SyntaxError> {
    let text = option.argument(false, Quotes::Optional)?.text;
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().map_err(|_| match digits {
        true => text.error(format!("{} value to high, max {}", option.name, u32::MAX)),
        false => text.error(format!("invalid character as arg to {} keyword", option.name)),
    })
}

fn positive(option: &RuleOption) -> Result<u32, SyntaxError> {
    match number(option)? {
        0 => Err(option.error(format!("{} value 0 is invalid", option.name))),
        found => Ok(found),
    }
}

fn msg(option: &RuleOption, rule: &mut RuleBuilder<'_>) -> Result<(), SyntaxError> {
    let text = option.argument(false, Quotes::Mandatory)?.text;
    if !rule.info.msg.is_empty() {
        return Err(twice(option));
    }
    rule.info.msg = unescape(&text).into();
    Ok(())
}

fn classtype(option: &RuleOption, rule: &mut RuleBuilder<'_>) -> Result<(), SyntaxError> {
    let name = option.argument(false, Quotes::Optional)?.text;
    let letter = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    if !name.starts_with(|c: char| c.is_ascii_alphabetic()) || !name.chars().all(letter) {
        return Err(name.error(format!("`{name}` is not a name for a class.")));
    }
    let found = rule.environment.classifications.find(&name);
    let Some(class) = found else {
        let unknown = name
            .error(format!("unknown classtype: \"{name}\", using default priority {}", rule.info.priority))
            .with_help("add a line to classification.config, or use one of its classes");
        rule.warn_unless_strict(option, unknown)?;
        rule.info.classtype.get_or_insert_with(|| Classtype {
            name: name.as_str().into(),
            description: UNKNOWN_CLASS.into(),
        });
        return Ok(());
    };
    if rule.info.classtype.is_some() {
        rule.warn(option.error("`classtype` stands twice; the class of the higher priority counts."));
        if class.priority >= rule.info.priority {
            return Ok(());
        }
    }
    rule.info.classtype =
        Some(Classtype { name: class.name.clone(), description: class.description.clone() });
    if !rule.given.priority {
        rule.info.priority = class.priority;
    }
    Ok(())
}

fn priority(option: &RuleOption, rule: &mut RuleBuilder<'_>) -> Result<(), SyntaxError> {
    let found = number(option)?;
    if !(1..=255).contains(&found) {
        return Err(option.error(format!("A priority lies between 1 and 255; {found} does not.")));
    }
    rule.info.priority = found;
    rule.given.priority = true;
    Ok(())
}

fn reference(option: &RuleOption, rule: &mut RuleBuilder<'_>) -> Result<(), SyntaxError> {
    let text = option.argument(false, Quotes::Optional)?.text;
    let parts = text.split_once(',').map(|(key, rest)| (key.trim(), rest.trim()));
    let Some((key, rest)) = parts.filter(|(key, rest)| !key.is_empty() && !rest.is_empty()) else {
        return Err(text
            .error("A reference is a type, a comma, and what the type's systems call it.")
            .with_help("write `reference:cve,2021-44228;` or `reference:url,example.org/page;`"));
    };
    let prefix = rule.environment.references.prefix(key);
    if prefix.is_none() {
        let unknown = text.error(format!(
            "unknown reference key \"{key}\". Supported keys are defined in reference.config file."
        ));
        rule.warn_unless_strict(option, unknown)?;
    }
    if rule.info.references.len() < MAX_REFERENCES {
        let rest = unescape(rest);
        // What has a scheme of its own is an address already.
        let prefix = prefix.filter(|_| !rest.contains("://")).unwrap_or_default();
        let url = [prefix, &rest].concat();
        rule.info.references.push(Reference { key: key.to_ascii_lowercase().into(), url: url.into() });
    }
    Ok(())
}

fn metadata(option: &RuleOption, rule: &mut RuleBuilder<'_>) -> Result<(), SyntaxError> {
    let text = option.argument(false, Quotes::Optional)?.text;
    rule.info.metadata.push(text.span());
    Ok(())
}

fn target(option: &RuleOption, rule: &mut RuleBuilder<'_>) -> Result<(), SyntaxError> {
    let text = option.argument(false, Quotes::Optional)?.text;
    let found = match text.as_str() {
        "src_ip" => Target::SrcIp,
        "dest_ip" => Target::DestIp,
        other => {
            return Err(text
                .error(format!("`{other}` is no end of a flow."))
                .with_help("write `target:src_ip;` or `target:dest_ip;`"));
        }
    };
    if ![Target::None, found].contains(&rule.info.target) {
        return Err(option.error("Conflicting values of target keyword"));
    }
    rule.info.target = found;
    Ok(())
}
