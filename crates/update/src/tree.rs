//! Small YAML files, read by hand: what is a text, a list, a mapping.

use weir_config::yaml::{self, Kind, Yaml};

use crate::complaint::Complaint;

/// The first document of a file; an empty one is an empty mapping.
pub(crate) fn read(bytes: &[u8], file: &str) -> Result<Vec<(Yaml, Yaml)>, Complaint> {
    let (text, _) = yaml::decode(bytes);
    let documents = yaml::parse(&text, file).map_err(|error| Complaint::new(file, error.to_string()))?;
    match documents.into_iter().next().map(|document| document.kind) {
        None | Some(Kind::Scalar { text: None, .. }) => Ok(Vec::new()),
        Some(Kind::Mapping(entries)) => Ok(entries),
        Some(_) => Err(Complaint::new(file, "it is no mapping. Write lines such as 'sources:'")),
    }
}

/// The text of a scalar.
pub(crate) fn text(node: &Yaml) -> Option<&str> {
    match &node.kind {
        Kind::Scalar { text, .. } => text.as_deref(),
        _ => None,
    }
}

/// Keys and values of a mapping; nothing of anything else.
pub(crate) fn entries(node: &Yaml) -> impl Iterator<Item = (&str, &Yaml)> {
    let entries = match &node.kind {
        Kind::Mapping(entries) => entries.as_slice(),
        _ => &[],
    };
    entries.iter().filter_map(|(key, value)| Some((text(key)?, value)))
}

/// The value of a key.
pub(crate) fn value<'a>(node: &'a Yaml, key: &str) -> Option<&'a Yaml> {
    entries(node).find(|(name, _)| *name == key).map(|(_, value)| value)
}

/// The items of a list, or the one that is none.
pub(crate) fn items(node: &Yaml) -> &[Yaml] {
    match &node.kind {
        Kind::Sequence(items) => items,
        Kind::Scalar { text: None, .. } => &[],
        _ => std::slice::from_ref(node),
    }
}

/// Whether a text means yes or no.
pub(crate) fn flag(node: &Yaml) -> Option<bool> {
    match text(node)?.to_ascii_lowercase().as_str() {
        "yes" | "true" | "on" | "1" => Some(true),
        "no" | "false" | "off" | "0" => Some(false),
        _ => None,
    }
}

/// The line that a node begins on.
pub(crate) fn line(node: &Yaml) -> u32 {
    u32::try_from(node.location.line).unwrap_or(u32::MAX)
}
