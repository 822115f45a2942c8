//! Sections of the configuration as protocols' record writers read them.

use weir_applayer::Options;
use weir_config::Node;

/// A section; none for one that is not there.
pub struct NodeOptions<'a> {
    node: Option<&'a Node>,
    complain: &'a dyn Fn(String),
}

impl<'a> NodeOptions<'a> {
    /// `complain` is called with a sentence for each value that cannot be used.
    pub const fn new(node: Option<&'a Node>, complain: &'a dyn Fn(String)) -> Self {
        Self { node, complain }
    }
}

fn below<'a>(node: Option<&'a Node>, path: &str) -> Option<&'a Node> {
    if path.is_empty() { node } else { node?.lookup(path) }
}

fn children(node: Option<&Node>, path: &str) -> Vec<String> {
    below(node, path)
        .map_or_else(Vec::new, |found| found.children().iter().map(|child| child.name().to_owned()).collect())
}

impl Options for NodeOptions<'_> {
    fn text(&self, path: &str) -> Option<String> {
        below(self.node, path)?.value().map(str::to_owned)
    }

    fn children(&self, path: &str) -> Vec<String> {
        children(self.node, path)
    }

    fn complain(&self, path: &str, remedy: &str) {
        let found = below(self.node, path);
        let value = found.and_then(Node::value).unwrap_or_default();
        let place = found.map(|node| format!(" ({})", node.location())).unwrap_or_default();
        (self.complain)(format!("{path} is {value:?}{place}: {remedy}"));
    }
}

/// The options of a record type, where the process environment may choose the layout's version:
/// without `version` in the configuration, `SURICATA_EVE_<TYPE>_VERSION` holds.
pub struct VersionedOptions<'a> {
    options: &'a dyn Options,
    version: Option<String>,
}

impl<'a> VersionedOptions<'a> {
    /// Over the options of a record type.
    pub fn new(options: &'a dyn Options, event_type: &str) -> Self {
        let variable = format!("SURICATA_EVE_{}_VERSION", event_type.to_ascii_uppercase());
        Self { options, version: std::env::var(variable).ok() }
    }
}

impl Options for VersionedOptions<'_> {
    fn text(&self, path: &str) -> Option<String> {
        let found = self.options.text(path);
        if path == "version" { found.or_else(|| self.version.clone()) } else { found }
    }

    fn children(&self, path: &str) -> Vec<String> {
        self.options.children(path)
    }

    fn complain(&self, path: &str, remedy: &str) {
        self.options.complain(path, remedy);
    }
}

/// Options for describing a transaction inside an alert or file record: the
/// options of `alert`, and that all is wanted (`extended`). `alert` is `yes`.
pub struct AlertOverlay<'a> {
    node: Option<&'a Node>,
}

impl<'a> AlertOverlay<'a> {
    /// Over the options of `alert`.
    pub const fn new(node: Option<&'a Node>) -> Self {
        Self { node }
    }
}

impl Options for AlertOverlay<'_> {
    fn text(&self, path: &str) -> Option<String> {
        match path {
            "extended" | "alert" => Some("yes".to_owned()),
            _ => below(self.node, path)?.value().map(str::to_owned),
        }
    }

    fn children(&self, path: &str) -> Vec<String> {
        // Lists such as `custom` belong to the record's own type.
        if path == "custom" { Vec::new() } else { children(self.node, path) }
    }

    fn complain(&self, _: &str, _: &str) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Written(Option<&'static str>);

    impl Options for Written {
        fn text(&self, path: &str) -> Option<String> {
            (path == "version").then_some(self.0?.to_owned())
        }
        fn children(&self, _: &str) -> Vec<String> {
            Vec::new()
        }
        fn complain(&self, _: &str, _: &str) {}
    }

    #[test]
    fn the_configured_version_goes_first() {
        for (written, environment, expected) in
            [(None, None, None), (None, Some("2"), Some("2")), (Some("3"), Some("2"), Some("3"))]
        {
            let written = Written(written);
            let options = VersionedOptions { options: &written, version: environment.map(str::to_owned) };
            assert_eq!(options.text("version").as_deref(), expected);
            assert_eq!(options.text("formats"), None);
        }
    }
}
