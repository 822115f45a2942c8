//! `requires`: rules that need a version, a feature or a keyword. A rule whose requirements are not
//! met is left out without being an error, and its other options are not even looked at.

use weir_rules::value::{comma_list, key_value};
use weir_rules::{Quotes, Rule, RuleOption, Spanned, SyntaxError};

use crate::builder::Environment;
use crate::builder::keyword::Keyword;

/// The version of the rule language that rules can rely on.
const VERSION: Version = Version(8, 0, 7);

/// Features that rules can ask for by name, with the field that is there where the feature is.
const FEATURES: &[(&str, &str)] = &[("ja3", "ja3.hash"), ("ja4", "ja4.hash")];

/// The names of the features that are there.
pub fn features(fields: &crate::model::fields::FieldCatalogue) -> impl Iterator<Item = &'static str> {
    FEATURES.iter().filter(|(_, field)| fields.find(field).is_some()).map(|(name, _)| *name)
}

/// The family's keywords.
pub const KEYWORDS: &[Keyword] = &[Keyword::new(
    "requires",
    [
        "requires:<feature|keyword <name>>|<version <comparisons>>[, …];",
        "The rule is left out unless the version, the feature or the keyword is there.",
        "requires:version >= 7.0.3 < 8 | >= 8.0.1, keyword absent;",
    ],
    // All requirements were looked at before the first option was compiled.
    |_, _| Ok(()),
)];

/// A version: major, minor, patch.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Version(u16, u16, u16);

/// Reasons why `requires` leaves a rule out.
#[derive(Debug)]
pub enum Unmet {
    /// A requirement is not met; the rule is left out.
    Requirement(SyntaxError),
    /// The option is wrong.
    Syntax(SyntaxError),
}

/// Looks at all `requires` of a rule, before its other options.
pub fn check(rule: &Rule, environment: &Environment) -> Result<(), Unmet> {
    let mut found = rule.options.iter().filter(|option| option.name.eq_ignore_ascii_case("requires"));
    let mut version_seen = false;
    found.try_for_each(|option| check_option(option, environment, &mut version_seen))
}

fn check_option(
    option: &RuleOption,
    environment: &Environment,
    version_seen: &mut bool,
) -> Result<(), Unmet> {
    let text = option.argument(false, Quotes::Optional).map_err(Unmet::Syntax)?.text;
    for item in comma_list(&text) {
        let (kind, what) = key_value(&item);
        if what.is_empty() {
            return Err(Unmet::Syntax(
                item.error("A requirement is a word and what it asks for.")
                    .with_help("write `requires:version >= 8.0.0, feature lua;`"),
            ));
        }
        let mut sentence = format!("The rule requires {item}.");
        let met = match kind.as_str() {
            "version" if std::mem::replace(version_seen, true) => {
                return Err(Unmet::Syntax(item.error("A rule can ask for a version only once.")));
            }
            "version" => version_met(&what).map_err(Unmet::Syntax)?,
            "feature" => {
                sentence = format!("The rule is missing a required feature: {item}.");
                let field = FEATURES.iter().find(|(name, _)| what == *name);
                field.is_some_and(|(name, field)| {
                    environment.fields.find(field).is_some() && !environment.switched_off.contains(name)
                })
            }
            "keyword" => super::find(&what).is_some() || environment.fields.find(&what).is_some(),
            // A requirement of a later version.
            _ => false,
        };
        if !met {
            return Err(Unmet::Requirement(item.error(sentence)));
        }
    }
    Ok(())
}

/// Whether one of the alternatives between bars holds, each a run of comparisons that all must.
fn version_met(text: &Spanned) -> Result<bool, SyntaxError> {
    let mut met = false;
    for alternative in text.split('|') {
        met |= comparisons_hold(alternative).ok_or_else(|| {
            text.error(format!("`{}` does not compare versions.", alternative.trim()))
                .with_help("write `version >= 7.0.4 < 8 | >= 8.0.3`")
        })?;
    }
    Ok(met)
}

fn comparisons_hold(text: &str) -> Option<bool> {
    let mut rest = text.trim();
    let mut holds = true;
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let sign = ["<=", ">=", "<", ">", "="].into_iter().find(|sign| rest.starts_with(sign))?;
        rest = rest.get(sign.len()..)?.trim_start();
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let version = parse_version(rest.get(..end)?)?;
        rest = rest.get(end..)?.trim_start();
        holds &= match sign {
            "<=" => VERSION <= version,
            ">=" => VERSION >= version,
            "<" => VERSION < version,
            ">" => VERSION > version,
            _ => VERSION == version,
        };
    }
    Some(holds)
}

fn parse_version(text: &str) -> Option<Version> {
    let mut parts = text.split('.').map(|part| part.parse::<u16>().ok());
    let major = parts.next()??;
    let minor = parts.next().unwrap_or(Some(0))?;
    let patch = parts.next().unwrap_or(Some(0))?;
    parts.next().is_none().then_some(Version(major, minor, patch))
}

#[cfg(test)]
mod tests {
    use super::comparisons_hold;

    #[test]
    fn versions() {
        for (text, expected) in [
            (">= 7.0.3 < 8", Some(false)),
            (">= 8", Some(true)),
            (">=8.0.7", Some(true)),
            ("> 8.0.7", Some(false)),
            (">= 8.0.3 < 9", Some(true)),
            ("< 8.0.7", Some(false)),
            ("8.0", None),
            (">=", None),
            ("", None),
            (">= 8.x", None),
        ] {
            assert_eq!(comparisons_hold(text), expected, "{text}");
        }
    }
}
