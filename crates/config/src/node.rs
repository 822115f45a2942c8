//! The settings as one tree of named nodes, addressed by dotted paths.
//!
//! A node may have a value, children, or both: an item of a sequence that is a mapping has the
//! mapping's first key as its value, so that `outputs.1` says `eve-log` and
//! `outputs.1.eve-log.enabled` is found below it. Sequence items are named by their index.

use crate::error::Location;

/// Stands for the value of a setting that has none, where all are written down.
pub(crate) const NO_VALUE: &str = "(null)";

/// One node of the settings tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    pub(crate) name: String,
    pub(crate) value: Option<String>,
    pub(crate) children: Vec<Node>,
    pub(crate) sequence: bool,
    /// Set on the command line: files leave its value alone.
    pub(crate) locked: bool,
    pub(crate) location: Location,
}

impl Node {
    /// An empty node.
    pub fn new(name: &str, location: Location) -> Self {
        Self {
            name: name.to_owned(),
            value: None,
            children: Vec::new(),
            sequence: false,
            locked: false,
            location,
        }
    }

    /// Last part of the path.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The text, where it has one.
    pub fn value(&self) -> Option<&str> {
        self.value.as_deref()
    }

    /// Children in the order of the file.
    pub fn children(&self) -> &[Node] {
        &self.children
    }

    /// Whether it was written as a sequence.
    pub fn is_sequence(&self) -> bool {
        self.sequence
    }

    /// Where it is written.
    pub fn location(&self) -> &Location {
        &self.location
    }

    /// The child of this name.
    pub fn child(&self, name: &str) -> Option<&Node> {
        self.children.iter().find(|child| child.name == name)
    }

    /// The node at a dotted path below this one.
    pub fn lookup(&self, path: &str) -> Option<&Node> {
        path.split('.').try_fold(self, |node, part| node.child(part))
    }

    /// The value at a dotted path below this one.
    pub fn text(&self, path: &str) -> Option<&str> {
        self.lookup(path)?.value()
    }

    /// The item of a sequence whose `key` has this value, as interfaces are found in `af-packet`.
    pub fn entry(&self, key: &str, value: &str) -> Option<&Node> {
        self.children.iter().find(|item| item.text(key) == Some(value))
    }

    /// The texts of a sequence, or the one text of a plain value; a bracketed plain value
    /// such as `"[53, 80]"` is taken apart.
    pub fn texts(&self) -> Vec<&str> {
        if !self.children.is_empty() {
            return self.children.iter().filter_map(Node::value).collect();
        }
        let Some(value) = self.value() else { return Vec::new() };
        let inner = value.trim();
        let inner = inner.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(inner);
        inner.split(',').map(str::trim).filter(|item| !item.is_empty()).collect()
    }

    pub(crate) fn position(&self, name: &str) -> Option<usize> {
        self.children.iter().position(|child| child.name == name)
    }

    /// The child of this name, made where it is missing.
    #[allow(clippy::indexing_slicing, reason = "it is there by then")]
    pub(crate) fn child_or_new(&mut self, name: &str, locked: bool, location: &Location) -> &mut Node {
        let at = self.position(name).unwrap_or(self.children.len());
        if at == self.children.len() {
            let mut node = Node::new(name, location.clone());
            node.locked = locked;
            self.children.push(node);
        }
        &mut self.children[at]
    }

    /// Whether it is the root: no list of items, even where a file is one.
    pub(crate) fn is_root(&self) -> bool {
        self.name.is_empty()
    }

    /// Makes items of the settings that the command line gave for items by name which the list does not have.
    pub(crate) fn number_named_items(&mut self) {
        if self.is_root() {
            return;
        }
        let is_index = |name: &str| name.bytes().all(|byte| byte.is_ascii_digit());
        let named = |node: &Node| node.locked && !node.children.is_empty() && !is_index(&node.name);
        let listed = self.children.iter().filter(|child| is_index(&child.name)).count();
        for (next, child) in (listed..).zip(self.children.iter_mut().filter(|child| named(child))) {
            let mut item = Node::new(&next.to_string(), child.location.clone());
            item.value = Some(child.name.clone());
            item.sequence = true;
            let node = std::mem::replace(child, item);
            child.children.push(node);
        }
    }

    /// The node at a dotted path, its missing parts made.
    pub(crate) fn path_or_new(&mut self, path: &str, locked: bool, location: &Location) -> &mut Node {
        path.split('.').fold(self, |node, part| node.child_or_new(part, locked, location))
    }

    /// Empties a node that is written a second time, but for what the command line set.
    pub(crate) fn prune(&mut self) {
        self.children.retain_mut(|child| {
            if child.locked {
                return true;
            }
            child.prune();
            !child.children.is_empty()
        });
        self.value = None;
        self.sequence = false;
    }

    /// Appends `path = value` lines for everything below this node, `(null)` where a node has no value.
    pub fn dump(&self, prefix: &str, out: &mut String) {
        for child in &self.children {
            let path =
                if prefix.is_empty() { child.name.clone() } else { format!("{prefix}.{}", child.name) };
            out.push_str(&path);
            out.push_str(" = ");
            out.push_str(child.value().unwrap_or(NO_VALUE));
            out.push('\n');
            child.dump(&path, out);
        }
    }
}
