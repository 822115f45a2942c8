//! The index of sources: `index.yaml` as OISF publishes it, version 1.
//!
//! `%(__version__)s` in an address is the release whose rules are asked for; `%(name)s` is a parameter, such as an
//! access code, that whoever uses the source gives.

use std::collections::BTreeMap;

use crate::complaint::Complaint;
use crate::fetch::Address;
use crate::tree;

/// Where OISF publishes it.
pub const ADDRESS: &str = "https://www.openinfosecfoundation.org/rules/index.yaml";

/// The release of the rule language that sources are asked for.
pub const RELEASE: &str = "8.0.7";

/// The version of the format that is known.
const VERSION: &str = "1";

/// A source that the index has.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Listed {
    /// Name, such as `et/open`.
    pub name: String,
    /// A line about it.
    pub summary: String,
    /// Who makes it.
    pub vendor: String,
    /// Its licence.
    pub license: String,
    /// The address, with parameters in it.
    pub url: String,
    /// Whether a checksum lies beside it.
    pub checksum: bool,
    /// Parameters: name, and what to ask for.
    pub parameters: Vec<(String, String)>,
    /// Where to subscribe.
    pub subscribe_url: Option<String>,
    /// Why it is not to be used any more.
    pub obsolete: Option<String>,
}

impl Listed {
    /// The address for given parameters; the error is a clause with a remedy.
    pub fn address(&self, given: &BTreeMap<String, String>) -> Result<Address, String> {
        let values = |name: &str| given.get(name).map(String::as_str);
        let missing = self.parameters.iter().find(|(name, _)| values(name).is_none());
        if let Some((name, prompt)) = missing {
            let whence = self.subscribe_url.as_ref().map(|url| format!(" ({url})")).unwrap_or_default();
            return Err(format!(
                "it needs {name}: {prompt}{whence}. Write '{{source: {}, {name}: …}}' below 'sources:' of update.yaml",
                self.name
            ));
        }
        Ok(Address { url: expand(&self.url, values)?, checksum: self.checksum, header: None })
    }
}

/// Puts values in the place of `%(name)s`; the error is a clause with a remedy.
pub fn expand<'a>(url: &str, value: impl Fn(&str) -> Option<&'a str>) -> Result<String, String> {
    let mut out = String::new();
    let mut rest = url;
    while let Some((front, tail)) = rest.split_once("%(") {
        let (name, tail) =
            tail.split_once(")s").ok_or("its address has a %( without )s. Tell whoever made the index")?;
        let value = if name == "__version__" { Some(RELEASE) } else { value(name) };
        out.push_str(front);
        out.push_str(value.ok_or_else(|| format!("its address asks for {name}, which has no value"))?);
        rest = tail;
    }
    out.push_str(rest);
    Ok(out)
}

/// The sources of an index, by name.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Index {
    /// The sources.
    pub sources: BTreeMap<String, Listed>,
}

impl Index {
    /// Reads an index; entries without an address are complained of.
    pub fn read(bytes: &[u8], file: &str, complaints: &mut Vec<Complaint>) -> Result<Self, Complaint> {
        let root = tree::read(bytes, file)?;
        let value =
            |key: &str| root.iter().find(|(name, _)| tree::text(name) == Some(key)).map(|(_, value)| value);
        match value("version").and_then(tree::text) {
            Some(VERSION) => {}
            found => {
                let found = found.unwrap_or("none");
                let text = format!(
                    "its version is {found}, where {VERSION} is known. Name another index with --index"
                );
                return Err(Complaint::new(file, text));
            }
        }
        let mut index = Self::default();
        let Some(sources) = value("sources") else { return Ok(index) };
        for (name, node) in tree::entries(sources) {
            let text =
                |key: &str| tree::value(node, key).and_then(tree::text).map(|text| text.trim().to_owned());
            let Some(url) = text("url") else {
                let text = format!("the source {name} has no url and is left out");
                complaints.push(Complaint::at(file, tree::line(node), text));
                continue;
            };
            let parameters = tree::value(node, "parameters").map(|parameters| {
                let prompt =
                    |node| tree::value(node, "prompt").and_then(tree::text).unwrap_or("a value").to_owned();
                tree::entries(parameters).map(|(name, node)| (name.to_owned(), prompt(node))).collect()
            });
            let listed = Listed {
                name: name.to_owned(),
                summary: text("summary").unwrap_or_default(),
                vendor: text("vendor").unwrap_or_default(),
                license: text("license").unwrap_or_default(),
                url,
                checksum: tree::value(node, "checksum").and_then(tree::flag).unwrap_or(true),
                parameters: parameters.unwrap_or_default(),
                subscribe_url: text("subscribe-url"),
                obsolete: text("obsolete").or_else(|| text("deprecated")),
            };
            index.sources.insert(name.to_owned(), listed);
        }
        Ok(index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INDEX: &str = "version: 1\nsources:\n  et/open:\n    summary: Open rules\n    vendor: Proofpoint\n    license: MIT\n    \
        url: https://rules.example/open/suricata-%(__version__)s/emerging.rules.tar.gz\n  et/pro:\n    summary: More\n    \
        url: https://rules.example/%(secret-code)s/pro.tar.gz\n    subscribe-url: https://sub.example\n    checksum: false\n    \
        parameters:\n      secret-code:\n        prompt: Access code\n  broken/one:\n    summary: nothing\n  old/one:\n    \
        url: https://a.example/x\n    obsolete: no longer kept\n";

    #[test]
    fn an_index_gives_addresses() {
        let mut complaints = Vec::new();
        let index = Index::read(INDEX.as_bytes(), "index.yaml", &mut complaints).expect("an index");
        assert_eq!(index.sources.keys().collect::<Vec<_>>(), ["et/open", "et/pro", "old/one"]);
        assert_eq!(complaints.len(), 1);
        assert!(complaints[0].to_string().contains("broken/one has no url"), "{}", complaints[0]);
        let none = BTreeMap::new();
        let open = index.sources["et/open"].address(&none).expect("an address");
        assert_eq!(open.url, "https://rules.example/open/suricata-8.0.7/emerging.rules.tar.gz");
        assert!(open.checksum);
        let why = index.sources["et/pro"].address(&none).expect_err("a code is needed");
        assert!(
            why.contains("Access code (https://sub.example). Write '{source: et/pro, secret-code: …}'"),
            "{why}"
        );
        let code = BTreeMap::from([("secret-code".to_owned(), "abc".to_owned())]);
        let pro = index.sources["et/pro"].address(&code).expect("an address");
        assert_eq!((pro.url.as_str(), pro.checksum), ("https://rules.example/abc/pro.tar.gz", false));
        assert_eq!(index.sources["old/one"].obsolete.as_deref(), Some("no longer kept"));
    }

    #[test]
    fn other_versions_and_no_yaml_are_refused() {
        for (text, words) in
            [("version: 2\n", "its version is 2"), ("[1]", "no mapping"), ("a: [", "index.yaml")]
        {
            let error = Index::read(text.as_bytes(), "index.yaml", &mut Vec::new()).expect_err(text);
            assert!(error.to_string().contains(words), "{error}");
        }
    }
}
