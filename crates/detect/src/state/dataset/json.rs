//! Files of JSON that a set begins with: each object has a value of the set, and is what alerts on that
//! value show.

use std::path::Path;

use serde_json::{Map, Value};

use super::{Addition, Dataset, file};

/// Longest file of a single document, which is in memory as a whole.
const MAX_DOCUMENT: u64 = 1 << 28;

/// Longest file of lines.
const MAX_LINES: u64 = 1 << 31;

/// Longest object, written without blanks.
const MAX_OBJECT: usize = 1024;

/// Form of a file of JSON.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JsonFormat {
    /// An object on each line; else one document with an array of objects.
    pub lines: bool,
    /// Where an object has its value, keys with points between them.
    pub value_key: String,
    /// Where the document has its array; without it the document is one.
    pub array_key: Option<String>,
    /// Alerts are not to show the value.
    pub remove_key: bool,
}

/// Fills a set from a file.
pub(super) fn load(set: &Dataset, format: &JsonFormat, path: &Path) -> Result<(), String> {
    let bytes = file::read(path, if format.lines { MAX_LINES } else { MAX_DOCUMENT })?;
    fill(set, format, &bytes).map_err(|(place, what)| format!("{}{place}: {what}", path.display()))
}

/// The error is where in the file something is wrong, and what.
fn fill(set: &Dataset, format: &JsonFormat, bytes: &[u8]) -> Result<(), (String, String)> {
    let mut loading = Loading { set, format, taken: 0 };
    if format.lines {
        for (line, number) in bytes.split(|byte| *byte == b'\n').zip(1u64..) {
            let place = |what| (format!(":{number}"), what);
            if !line.trim_ascii().is_empty() {
                let object = serde_json::from_slice(line).map_err(|e| place(message(&e)))?;
                loading.take(object).map_err(place)?;
            }
        }
    } else {
        let document: Value = serde_json::from_slice(bytes)
            .map_err(|e| (format!(":{}:{}", e.line(), e.column()), message(&e)))?;
        let array = match &format.array_key {
            Some(key) => into_member(document, key),
            None => Some(document),
        };
        let Some(Value::Array(array)) = array else {
            let what = match &format.array_key {
                Some(key) => format!("there is no array under '{key}'"),
                None => "it is no array; array_key says where in an object one is".to_owned(),
            };
            return Err((String::new(), what));
        };
        for (object, number) in array.into_iter().zip(1u64..) {
            loading.take(object).map_err(|what| (format!(": element {number}"), what))?;
        }
    }
    if loading.taken == 0 {
        return Err((String::new(), format!("nothing in it has the key '{}'", format.value_key)));
    }
    Ok(())
}

/// The parser's words without its own place, which is that within a line.
fn message(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.split(" at line ").next().unwrap_or_default().to_owned()
}

struct Loading<'a> {
    set: &'a Dataset,
    format: &'a JsonFormat,
    taken: u64,
}

impl Loading<'_> {
    /// Puts an object's value into the set; one without the key is passed over.
    fn take(&mut self, object: Value) -> Result<(), String> {
        let Value::Object(mut object) = object else { return Err("it is no object".to_owned()) };
        let key = &self.format.value_key;
        let Some(value) = member(&object, key) else { return Ok(()) };
        let Some(text) = value.as_str() else { return Err(format!("the value of '{key}' is no string")) };
        let value = self.set.kind.read_plain(text)?;
        if self.format.remove_key {
            remove(&mut object, key);
        }
        match add(self.set, &value, &object)? {
            Addition::NoRoom => return Err("dataset too large for set memcap".to_owned()),
            Addition::New => self.taken += 1,
            // The first object of a value counts.
            Addition::Refused => {}
        }
        Ok(())
    }
}

/// Adds a value with its object.
fn add(set: &Dataset, value: &[u8], object: &Map<String, Value>) -> Result<Addition, String> {
    let json = serde_json::to_string(object).map_err(|e| message(&e))?;
    if json.len() > MAX_OBJECT {
        return Err(format!("the object has {} bytes; {MAX_OBJECT} are the most", json.len()));
    }
    Ok(set.add_object(value, json.into()))
}

impl Dataset {
    /// Adds a value with the text of its object. The error says what is wrong with the object, or that the set has none.
    pub fn add_with_object(&self, value: &[u8], text: &str) -> Result<Addition, String> {
        if !self.has_objects() {
            return Err("the set has no JSON".to_owned());
        }
        match serde_json::from_str(text).map_err(|e| message(&e))? {
            Value::Object(object) => add(self, value, &object),
            _ => Err("it is no object".to_owned()),
        }
    }
}

/// Returns what an object has under keys with points between them.
fn member<'a>(object: &'a Map<String, Value>, path: &str) -> Option<&'a Value> {
    let (first, rest) = path.split_once('.').map_or((path, None), |(first, rest)| (first, Some(rest)));
    let value = object.get(first)?;
    match rest {
        Some(rest) => member(value.as_object()?, rest),
        None => Some(value),
    }
}

fn into_member(mut document: Value, path: &str) -> Option<Value> {
    for key in path.split('.') {
        document = document.as_object_mut()?.remove(key)?;
    }
    Some(document)
}

fn remove(object: &mut Map<String, Value>, path: &str) {
    match path.split_once('.') {
        None => {
            object.remove(path);
        }
        Some((first, rest)) => {
            if let Some(inner) = object.get_mut(first).and_then(Value::as_object_mut) {
                remove(inner, rest);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{DataKind, Description};
    use super::*;

    fn format(lines: bool, value_key: &str, array_key: Option<&str>, remove_key: bool) -> JsonFormat {
        JsonFormat {
            lines,
            value_key: value_key.to_owned(),
            array_key: array_key.map(str::to_owned),
            remove_key,
        }
    }

    fn set(kind: DataKind, format: &JsonFormat, memcap: u64) -> Dataset {
        let wanted = Description { json: Some(format.clone()), ..Description::default() };
        Dataset::new("s", kind, memcap, 1, &wanted)
    }

    /// A file, and the object of a value in it.
    type Case<'a> = (DataKind, JsonFormat, &'a str, &'a [u8], Option<&'a str>);

    #[test]
    fn objects_of_values() {
        let threats = r#"{"time": 1, "response": {"threats": [
            {"host": "a.example", "origin": "x"},
            {"other": true},
            {"host": "b.example", "list": [1,
                2]}]}}"#;
        let nested = r#"[{"host": {"fqdn": "a.example", "tld": "example"}, "year": 2005}]"#;
        let lines =
            "{\"ip\": \"10.0.0.1\", \"n\": 1}\n\n{\"ip\": \"::1\"}\r\n{\"ip\": \"10.0.0.1\", \"n\": 2}\n";
        let a: &[u8] = b"a.example";
        let cases: [Case; 7] = [
            (
                DataKind::Text,
                format(false, "host", Some("response.threats"), false),
                threats,
                a,
                Some(r#"{"host":"a.example","origin":"x"}"#),
            ),
            (
                DataKind::Text,
                format(false, "host", Some("response.threats"), true),
                threats,
                b"b.example",
                Some(r#"{"list":[1,2]}"#),
            ),
            (
                DataKind::Text,
                format(false, "host", Some("response.threats"), true),
                threats,
                b"c.example",
                None,
            ),
            (
                DataKind::Text,
                format(false, "host.fqdn", None, true),
                nested,
                a,
                Some(r#"{"host":{"tld":"example"},"year":2005}"#),
            ),
            (
                DataKind::Ip,
                format(true, "ip", None, false),
                lines,
                &[10, 0, 0, 1],
                Some(r#"{"ip":"10.0.0.1","n":1}"#),
            ),
            (DataKind::Ip, format(true, "ip", None, true), lines, &[0; 16], None),
            (
                DataKind::Md5,
                format(true, "hash", None, true),
                "{\"hash\":\"00000000000000000000000000000000\"}",
                &[0; 16],
                Some("{}"),
            ),
        ];
        for (kind, format, text, value, expected) in cases {
            let set = set(kind, &format, 1 << 20);
            fill(&set, &format, text.as_bytes()).unwrap();
            assert_eq!(set.object(value).as_deref(), expected, "{format:?} {text}");
            assert_eq!(set.add(b"new", 0), Addition::Refused, "nothing is added to it");
        }
    }

    #[test]
    fn damaged_files() {
        let long = format!("{{\"ip\":\"::1\",\"x\":\"{}\"}}", "x".repeat(MAX_OBJECT));
        let cases = [
            (
                format(true, "ip", None, false),
                "{\"ip\":\"::1\"}\n{\"ip\":",
                ":2",
                "EOF while parsing a value",
            ),
            (format(true, "ip", None, false), "\n[]", ":2", "it is no object"),
            (format(true, "ip", None, false), "{\"ip\":7}", ":1", "the value of 'ip' is no string"),
            (format(true, "ip", None, false), "{\"ip\":\"x\"}", ":1", "bad address"),
            (format(true, "ip", None, false), &long, ":1", "the object has 1043 bytes; 1024 are the most"),
            (format(true, "ip", None, false), "{\"a\":1}", "", "nothing in it has the key 'ip'"),
            (format(false, "ip", None, false), "[\n{]", ":2:2", "key must be a string"),
            (
                format(false, "ip", None, false),
                "{}",
                "",
                "it is no array; array_key says where in an object one is",
            ),
            (format(false, "ip", Some("a.b"), false), "{\"a\":{}}", "", "there is no array under 'a.b'"),
            (
                format(false, "ip", None, false),
                "[{\"ip\":\"::1\"},{\"ip\":\"?\"}]",
                ": element 2",
                "bad address",
            ),
        ];
        for (format, text, place, what) in cases {
            let set = set(DataKind::Ip, &format, 1 << 20);
            let error = fill(&set, &format, text.as_bytes()).unwrap_err();
            assert_eq!((error.0.as_str(), error.1.as_str()), (place, what), "{text}");
        }
    }

    #[test]
    fn objects_come_and_go() {
        let lines = format(true, "ip", None, true);
        // Room for two values with short objects.
        let set = set(DataKind::Ip, &lines, 104_064 + 90);
        fill(&set, &lines, b"{\"ip\":\"::1\",\"a\":1}").unwrap();
        let [first, second, third] = ["::1", "::2", "::3"].map(|text| set.read(text).unwrap());
        let object = |value: &[u8]| set.object(value).map(|json| json.to_string());
        for (value, text, expected) in [
            (&second, "{ \"b\": [2] }", Ok(Addition::New)),
            (&second, "{}", Ok(Addition::Refused)),
            (&third, "{}", Ok(Addition::NoRoom)),
            (&third, "[]", Err("it is no object")),
            (&third, "{", Err("EOF while parsing an object")),
        ] {
            let added = set.add_with_object(value, text);
            assert_eq!(added, expected.map_err(str::to_owned), "{text}");
        }
        assert_eq!(object(&second).as_deref(), Some("{\"b\":[2]}"));
        assert!(set.remove(&first) && object(&first).is_none());
        assert_eq!(set.add_with_object(&third, "{\"c\":3}"), Ok(Addition::New), "there is room again");
        assert_eq!(
            [&second, &third].map(|value| object(value).unwrap_or_default()),
            ["{\"b\":[2]}", "{\"c\":3}"]
        );
        set.clear();
        assert!(object(&third).is_none() && set.add_with_object(&third, "{}").is_ok());
    }

    #[test]
    fn a_full_set_takes_no_more_objects() {
        let lines = format(true, "ip", None, false);
        let set = set(DataKind::Ip, &lines, 104_064 + 60);
        let error = fill(&set, &lines, b"{\"ip\":\"::1\"}\n{\"ip\":\"::2\"}").unwrap_err();
        assert_eq!(error, (":2".to_owned(), "dataset too large for set memcap".to_owned()));
    }
}
