//! Arguments of commands.

use serde_json::{Map, Value};

/// Arguments of a command, which are there and of their kinds.
#[derive(Debug)]
pub(super) struct Arguments<'a>(Option<&'a Map<String, Value>>);

/// Kinds of arguments: the end of the name of one, and how it is called.
const KINDS: &[(&str, &str)] = &[(":int", "an integer"), (":bool", "a boolean"), ("", "a string")];

impl<'a> Arguments<'a> {
    /// Reads what was given for arguments of these names: texts, those that end in `:int` and `:bool` integers and
    /// booleans; those with `?` behind may be left out. The error is a sentence.
    pub(super) fn read(names: &[&str], given: Option<&'a Map<String, Value>>) -> Result<Self, String> {
        for name in names {
            let (name, may_miss) = name.strip_suffix('?').map_or((*name, false), |name| (name, true));
            let kind = KINDS.iter().find_map(|(end, kind)| Some((name.strip_suffix(end)?, *end, *kind)));
            let Some((name, end, kind)) = kind else { continue };
            let fits = match (given.and_then(|given| given.get(name)), end) {
                (None, _) => may_miss,
                (Some(value), ":int") => value.is_i64(),
                (Some(value), ":bool") => value.is_boolean(),
                (Some(value), _) => value.is_string(),
            };
            if !fits {
                return Err(format!("{name} is not {kind}"));
            }
        }
        Ok(Self(given))
    }

    fn get(&self, name: &str) -> Option<&Value> {
        self.0?.get(name)
    }

    /// Returns a text; the empty one where none was given.
    pub(super) fn text(&self, name: &str) -> &str {
        self.get(name).and_then(Value::as_str).unwrap_or_default()
    }

    /// Returns a number, if one was given; the error is a sentence about one below zero.
    pub(super) fn number(&self, name: &str) -> Result<Option<u64>, String> {
        let given = self.get(name).and_then(Value::as_i64);
        given.map(|number| u64::try_from(number).map_err(|_| format!("{name} is below zero"))).transpose()
    }

    /// Whether what is asked for is to be so; not where nothing was said.
    pub(super) fn is_set(&self, name: &str) -> bool {
        self.get(name).and_then(Value::as_bool).unwrap_or_default()
    }

    /// Whether it was given.
    pub(super) fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn kinds_are_checked() {
        let names = &["text", "number:int", "more:int?", "flag:bool?"];
        for (given, problem) in [
            (json!({"text": "a", "number": -7}), None),
            (json!({"text": "a", "number": 7, "more": 1, "flag": true, "other": []}), None),
            (json!({"number": 7}), Some("text is not a string")),
            (json!({"text": 5, "number": 7}), Some("text is not a string")),
            (json!({"text": "a", "number": "7"}), Some("number is not an integer")),
            (json!({"text": "a", "number": 7.5}), Some("number is not an integer")),
            (json!({"text": "a", "number": u64::MAX}), Some("number is not an integer")),
            (json!({"text": "a", "number": 7, "more": null}), Some("more is not an integer")),
            (json!({"text": "a", "number": 7, "flag": 1}), Some("flag is not a boolean")),
        ] {
            let read = Arguments::read(names, given.as_object());
            assert_eq!(read.err().as_deref(), problem, "{given}");
        }
        let given = json!({"text": "a", "number": 7, "more": -7, "flag": true});
        let read = Arguments::read(names, given.as_object()).expect("arguments");
        assert_eq!((read.text("text"), read.text("none"), read.is_set("flag")), ("a", "", true));
        assert_eq!((read.number("number"), read.number("none")), (Ok(Some(7)), Ok(None)));
        assert_eq!(read.number("more"), Err("more is below zero".to_owned()));
    }
}
