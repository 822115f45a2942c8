//! YAML text to a tree in which every scalar stays text and every node has its place.
//!
//! Numbers, booleans and dates are not told apart here: `yes`, `0777` and `1_000` are the
//! characters that were written, as the configuration's own rules read them later.
//! Aliases are copied, and the copies count against [`MAX_WEIGHT`].

use std::collections::HashMap;
use std::sync::Arc;

use saphyr_parser::{Event, Parser, ScalarStyle, ScanError, Span, StrInput, Tag};

use crate::error::{ConfigError, Location};

/// Deepest nesting of mappings and sequences, over all included files together.
pub const MAX_DEPTH: usize = 128;
/// Most nodes of one file after aliases are copied; long scalars count as several.
pub const MAX_WEIGHT: usize = 1_000_000;
/// Characters of a scalar that weigh as much as a node.
const WEIGHT_UNIT: usize = 64;

/// A node with the place it was written.
#[derive(Clone, Debug, PartialEq)]
pub struct Yaml {
    /// What it is.
    pub kind: Kind,
    /// Where it begins.
    pub location: Location,
}

/// The three shapes of YAML.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// Text; `None` is null.
    Scalar {
        /// The characters, without quotes.
        text: Option<String>,
        /// The tag was `!include`.
        include: bool,
    },
    /// Items in order.
    Sequence(Vec<Yaml>),
    /// Keys and values in order, duplicates kept.
    Mapping(Vec<(Yaml, Yaml)>),
}

/// The text of a file: UTF-8 with or without a byte order mark, else Latin-1, where
/// every byte is a character. The flag says it was not UTF-8.
pub fn decode(bytes: &[u8]) -> (String, bool) {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    match std::str::from_utf8(bytes) {
        Ok(text) => (text.to_owned(), false),
        Err(_) => (bytes.iter().copied().map(char::from).collect(), true),
    }
}

/// Checks that the text opens with `%YAML 1.1`. An empty file has nothing to check.
pub fn check_version(text: &str, file: &str) -> Result<(), ConfigError> {
    let mut lines = text.lines().map(str::trim_end);
    let first = lines.find(|line| !line.is_empty() && !line.trim_start().starts_with('#'));
    let Some(first) = first else { return Ok(()) };
    let Some(version) = first.strip_prefix("%YAML") else {
        return Err(ConfigError::NoVersion { file: file.to_owned() });
    };
    let version = version.split('#').next().unwrap_or_default().trim();
    if version == "1.1" {
        return Ok(());
    }
    Err(ConfigError::WrongVersion { file: file.to_owned(), found: version.to_owned() })
}

/// The documents of a file. `file` names it in locations.
pub fn parse(text: &str, file: &str) -> Result<Vec<Yaml>, ConfigError> {
    let mut builder = Builder {
        events: Parser::new_from_str(text),
        file: Arc::from(file),
        anchors: HashMap::new(),
        weight_left: MAX_WEIGHT,
    };
    let mut documents = Vec::new();
    loop {
        let (event, location) = builder.next()?;
        match event {
            Event::StreamEnd => return Ok(documents),
            Event::StreamStart | Event::DocumentStart(_) | Event::DocumentEnd | Event::Nothing => {}
            event => documents.push(builder.node(event, location, 0)?),
        }
    }
}

struct Builder<'text> {
    events: Parser<'text, StrInput<'text>>,
    file: Arc<str>,
    anchors: HashMap<usize, Yaml>,
    weight_left: usize,
}

impl<'text> Builder<'text> {
    fn next(&mut self) -> Result<(Event<'text>, Location), ConfigError> {
        match self.events.next_event() {
            Some(Ok((event, span))) => Ok((event, self.location(&span))),
            Some(Err(error)) => Err(self.syntax(&error)),
            None => Ok((Event::StreamEnd, self.location(&Span::default()))),
        }
    }

    fn location(&self, span: &Span) -> Location {
        Location {
            file: self.file.clone(),
            line: span.start.line().max(1),
            column: span.start.col().saturating_add(1),
        }
    }

    fn syntax(&self, error: &ScanError) -> ConfigError {
        let marker = error.marker();
        ConfigError::Syntax {
            location: Location {
                file: self.file.clone(),
                line: marker.line().max(1),
                column: marker.col().saturating_add(1),
            },
            reason: error.info().to_owned(),
        }
    }

    fn node(&mut self, event: Event<'text>, location: Location, depth: usize) -> Result<Yaml, ConfigError> {
        if depth > MAX_DEPTH {
            return Err(too_deep(location));
        }
        let (kind, anchor) = match event {
            Event::Scalar(text, style, anchor, tag) => {
                self.spend(1usize.saturating_add(text.len() / WEIGHT_UNIT), &location)?;
                (scalar(&text, style, tag.as_deref()), anchor)
            }
            Event::SequenceStart(anchor, _) => {
                self.spend(1, &location)?;
                (self.sequence(depth)?, anchor)
            }
            Event::MappingStart(anchor, _) => {
                self.spend(1, &location)?;
                (self.mapping(depth)?, anchor)
            }
            Event::Alias(anchor) => return self.alias(anchor, location, depth),
            _ => {
                let reason = "the document ends in the middle of a mapping or sequence".to_owned();
                return Err(ConfigError::Syntax { location, reason });
            }
        };
        let node = Yaml { kind, location };
        if anchor != 0 {
            self.spend(weight(&node), &node.location)?;
            self.anchors.insert(anchor, node.clone());
        }
        Ok(node)
    }

    fn sequence(&mut self, depth: usize) -> Result<Kind, ConfigError> {
        let mut items = Vec::new();
        loop {
            match self.next()? {
                (Event::SequenceEnd, _) => return Ok(Kind::Sequence(items)),
                (event, location) => items.push(self.node(event, location, depth.saturating_add(1))?),
            }
        }
    }

    fn mapping(&mut self, depth: usize) -> Result<Kind, ConfigError> {
        let mut entries = Vec::new();
        loop {
            match self.next()? {
                (Event::MappingEnd, _) => return Ok(Kind::Mapping(entries)),
                (event, location) => {
                    let key = self.node(event, location, depth.saturating_add(1))?;
                    let (event, location) = self.next()?;
                    entries.push((key, self.node(event, location, depth.saturating_add(1))?));
                }
            }
        }
    }

    fn alias(&mut self, anchor: usize, location: Location, depth: usize) -> Result<Yaml, ConfigError> {
        let Some(found) = self.anchors.get(&anchor) else {
            let reason = "an alias stands inside the node that it names".to_owned();
            return Err(ConfigError::Structure { location, reason });
        };
        let (cost, below) = (weight(found), height(found));
        if depth.saturating_add(below) > MAX_DEPTH {
            return Err(too_deep(location));
        }
        let copy = Yaml { kind: found.kind.clone(), location };
        self.spend(cost, &copy.location)?;
        Ok(copy)
    }

    fn spend(&mut self, weight: usize, location: &Location) -> Result<(), ConfigError> {
        match self.weight_left.checked_sub(weight) {
            Some(left) => {
                self.weight_left = left;
                Ok(())
            }
            None => Err(ConfigError::Limit {
                location: location.clone(),
                limit: format!("the configuration has more than {MAX_WEIGHT} nodes"),
            }),
        }
    }
}

/// The error for nesting beyond [`MAX_DEPTH`].
pub(crate) fn too_deep(location: Location) -> ConfigError {
    ConfigError::Limit {
        location,
        limit: format!(
            "Recursion limit reached while parsing configuration file: nested more than {MAX_DEPTH} deep"
        ),
    }
}

fn scalar(text: &str, style: ScalarStyle, tag: Option<&Tag>) -> Kind {
    let plain = matches!(style, ScalarStyle::Plain);
    let null = plain && (text.is_empty() || text == "~" || text.eq_ignore_ascii_case("null"));
    Kind::Scalar {
        text: (!null).then(|| text.to_owned()),
        include: tag.is_some_and(|tag| tag.handle == "!" && tag.suffix == "include"),
    }
}

fn weight(node: &Yaml) -> usize {
    let below: usize = match &node.kind {
        Kind::Scalar { text, .. } => text.as_ref().map_or(0, String::len) / WEIGHT_UNIT,
        Kind::Sequence(items) => items.iter().map(weight).sum(),
        Kind::Mapping(entries) => {
            entries.iter().map(|(key, value)| weight(key).saturating_add(weight(value))).sum()
        }
    };
    below.saturating_add(1)
}

fn height(node: &Yaml) -> usize {
    let below = match &node.kind {
        Kind::Scalar { .. } => return 0,
        Kind::Sequence(items) => items.iter().map(height).max(),
        Kind::Mapping(entries) => entries.iter().map(|(key, value)| height(key).max(height(value))).max(),
    };
    below.unwrap_or(0).saturating_add(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(node: &Yaml) -> String {
        match &node.kind {
            Kind::Scalar { text: None, .. } => "null".to_owned(),
            Kind::Scalar { text: Some(text), include } => {
                format!("{}{text}", if *include { "!" } else { "" })
            }
            Kind::Sequence(items) => format!("[{}]", items.iter().map(show).collect::<Vec<_>>().join(" ")),
            Kind::Mapping(entries) => {
                let entries: Vec<_> =
                    entries.iter().map(|(k, v)| format!("{}:{}", show(k), show(v))).collect();
                format!("{{{}}}", entries.join(" "))
            }
        }
    }

    #[test]
    fn text_stays_text() {
        for (yaml, expected) in [
            ("a: yes", "{a:yes}"),
            ("a: 0777", "{a:0777}"),
            ("a: 1_000", "{a:1_000}"),
            ("a: ~", "{a:null}"),
            ("a:", "{a:null}"),
            ("a: NULL", "{a:null}"),
            ("a: \"~\"", "{a:~}"),
            ("a: ''", "{a:}"),
            ("a: 1\na: 2", "{a:1 a:2}"),
            ("- a\n- b: c", "[a {b:c}]"),
            ("a: !include x.yaml", "{a:!x.yaml}"),
            ("a: &n [1, 2]\nb: *n", "{a:[1 2] b:[1 2]}"),
            ("a: [ \"!$HOME_NET\", any ]", "{a:[!$HOME_NET any]}"),
        ] {
            let documents = parse(&format!("%YAML 1.1\n---\n{yaml}\n"), "t").unwrap();
            assert_eq!(documents.iter().map(show).collect::<String>(), expected, "{yaml}");
        }
    }

    #[test]
    fn places_count_from_one() {
        let documents = parse("%YAML 1.1\n---\nab:\n  cd: ef\n", "t").unwrap();
        let Kind::Mapping(outer) = &documents[0].kind else { panic!("not a mapping") };
        let Kind::Mapping(inner) = &outer[0].1.kind else { panic!("not a mapping") };
        assert_eq!(inner[0].1.location.to_string(), "t, line 4, column 7");
    }

    #[test]
    fn limits_hold() {
        let deep = format!("%YAML 1.1\n---\n{}", "[".repeat(5000));
        assert!(parse(&deep, "t").is_err());
        let mut laughs = String::from("%YAML 1.1\n---\na0: &a0 [x,x,x,x,x,x,x,x,x,x]\n");
        for n in 1..12 {
            let aliases = vec![format!("*a{}", n - 1); 10].join(",");
            laughs.push_str(&format!("a{n}: &a{n} [{aliases}]\n"));
        }
        assert!(matches!(parse(&laughs, "t"), Err(ConfigError::Limit { .. })));
        assert!(matches!(
            parse("a: &x [*x]", "t"),
            Err(ConfigError::Structure { .. } | ConfigError::Syntax { .. })
        ));
    }

    #[test]
    fn version_is_asked_for() {
        for (text, good) in [
            ("%YAML 1.1\n---\n", true),
            ("# a comment\n\n%YAML 1.1\n---\na: b\n", true),
            ("", true),
            ("# only a comment\n", true),
            ("a: b\n", false),
            ("---\na: b\n", false),
            ("%YAML 1.2\n---\na: b\n", false),
        ] {
            assert_eq!(check_version(text, "t").is_ok(), good, "{text:?}");
        }
    }

    #[test]
    fn latin1_is_read() {
        assert_eq!(decode(b"caf\xe9"), ("café".to_owned(), true));
        assert_eq!(decode("café".as_bytes()), ("café".to_owned(), false));
        assert_eq!(decode(b"\xef\xbb\xbfa"), ("a".to_owned(), false));
    }
}
