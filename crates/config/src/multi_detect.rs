//! `multi-detect`: tenants, each with rules of its own, and the traffic that is theirs.
//!
//! A tenant's file is a configuration in which only rules and what belongs to them may stand ([`TENANT_KEYS`]); it lies
//! over the main one, whose lists and variables are meant where it has none of its own. Settings of the main
//! configuration below `multi-detect.<id>` lie over the file, which is how the command line reaches them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::error::{ConfigError, Location};
use crate::node::{NO_VALUE, Node};
use crate::settings::{Section, Settings};
use crate::value;

/// Most tenants that the configuration may name.
pub const MAX_TENANTS: usize = 4096;

/// Settings that a tenant's file may have.
pub const TENANT_KEYS: [&str; 7] = [
    "default-rule-path",
    "rule-files",
    "classification-file",
    "reference-config-file",
    "threshold-file",
    "vars.address-groups",
    "vars.port-groups",
];

/// Settings that a tenant has of its own or not at all.
const NEVER_COMMON: [&str; 3] = ["default-rule-path", "rule-files", "multi-detect"];

/// Properties of traffic by which tenants are told apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TenantSelector {
    /// The outermost VLAN.
    Vlan,
    /// The interface.
    Device,
    /// All packets are of the tenant that was named for the capture.
    Direct,
}

/// Traffic that may be a tenant's.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum TenantTraffic {
    /// Packets whose outermost VLAN is this.
    Vlan(u16),
    /// Packets of this interface.
    Device(String),
}

impl std::fmt::Display for TenantTraffic {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Vlan(id) => write!(out, "VLAN {id}"),
            Self::Device(name) => write!(out, "the device {name}"),
        }
    }
}

/// A tenant as the configuration names it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TenantEntry {
    /// Its number, which is not zero.
    pub id: u32,
    /// The file with its settings.
    pub file: PathBuf,
}

/// `multi-detect`, where it is enabled.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MultiDetectSettings {
    /// How packets find their tenant.
    pub selector: TenantSelector,
    /// Whether packets without a tenant are looked at by the rules of the main configuration.
    pub default: bool,
    /// Tenants, in order.
    pub tenants: Vec<TenantEntry>,
    /// Tenants by traffic.
    pub mappings: BTreeMap<TenantTraffic, u32>,
    /// The tenant of captures that are named on the command line (`pcap-file.tenant-id`).
    pub of_captures: Option<u32>,
    /// Entries that were left out, as sentences.
    pub problems: Vec<String>,
}

/// Numbers of VLANs.
const VLANS: std::ops::RangeInclusive<u64> = 1..=4094;

impl MultiDetectSettings {
    /// Reads `multi-detect`; none where it is not enabled.
    pub fn from_settings(settings: &Settings) -> Result<Option<Self>, ConfigError> {
        let section = settings.section("multi-detect");
        if !section.flag("enabled", false) {
            return Ok(None);
        }
        let table = [
            ("vlan", TenantSelector::Vlan),
            ("device", TenantSelector::Device),
            ("direct", TenantSelector::Direct),
        ];
        let expected = "the way to tell tenants apart: write vlan, device or direct";
        let word = section.text("selector").ok_or_else(|| section.wrong("selector", expected))?;
        let known = table.iter().find(|(name, _)| name.eq_ignore_ascii_case(word));
        let selector =
            known.map(|(_, selector)| *selector).ok_or_else(|| section.wrong("selector", expected))?;
        if selector == TenantSelector::Vlan && !settings.section("vlan").flag("use-for-tracking", true) {
            let expected = "what multi-detect needs, whose selector is vlan: write yes";
            return Err(settings.section("vlan").wrong("use-for-tracking", expected));
        }
        let mut own = Self {
            selector,
            default: section.flag("default", false),
            tenants: Vec::new(),
            mappings: BTreeMap::new(),
            of_captures: None,
            problems: Vec::new(),
        };
        own.read_tenants(&section);
        own.read_mappings(&section);
        own.read_captures_tenant(settings);
        Ok(Some(own))
    }

    fn read_tenants(&mut self, section: &Section<'_>) {
        let folder = section.text("config-path").map(PathBuf::from);
        for item in section.section("tenants").children() {
            let place = place(&item);
            let (id, file) = match (tenant_id(item.text("id")), item.text("yaml")) {
                (Some(id), Some(file)) => (id, file),
                (None, _) => {
                    let given = given(item.text("id"));
                    self.leave_out(
                        &place,
                        &format!("a tenant's id is {given}: write a number from 1 to {}", u32::MAX),
                    );
                    continue;
                }
                (_, None) => {
                    self.leave_out(&place, "a tenant has no file: name it with yaml");
                    continue;
                }
            };
            if self.tenants.iter().any(|known| known.id == id) {
                self.leave_out(&place, &format!("there are two tenants {id}, and the first one stays"));
            } else if self.tenants.len() >= MAX_TENANTS {
                self.leave_out(&place, &format!("there are more than {MAX_TENANTS} tenants"));
            } else {
                let file = tenant_file(section.settings(), folder.as_deref(), Path::new(file));
                self.tenants.push(TenantEntry { id, file });
            }
        }
    }

    fn read_mappings(&mut self, section: &Section<'_>) {
        let items = section.section("mappings").children();
        if self.selector == TenantSelector::Direct {
            return;
        }
        for item in &items {
            let place = place(item);
            let Some(id) = tenant_id(item.text("tenant-id")) else {
                let given = given(item.text("tenant-id"));
                self.leave_out(
                    &place,
                    &format!("the tenant-id of a mapping is {given}: write the id of a tenant"),
                );
                continue;
            };
            let traffic = match self.selector {
                TenantSelector::Device => {
                    item.text("device").map(|name| TenantTraffic::Device(name.to_owned()))
                }
                _ => item.text("vlan-id").and_then(vlan).map(TenantTraffic::Vlan),
            };
            let Some(traffic) = traffic else {
                let reason = match self.selector {
                    TenantSelector::Device => "a mapping has no device".to_owned(),
                    _ => {
                        let given = given(item.text("vlan-id"));
                        format!("the vlan-id of a mapping is {given}: write a number from 1 to 4094")
                    }
                };
                self.leave_out(&place, &reason);
                continue;
            };
            match self.mappings.get(&traffic) {
                Some(first) => {
                    let reason = format!("{traffic} is mapped twice, and stays with tenant {first}");
                    self.leave_out(&place, &reason);
                }
                None => {
                    self.note_absent(id, &traffic, &place);
                    self.mappings.insert(traffic, id);
                }
            }
        }
    }

    fn read_captures_tenant(&mut self, settings: &Settings) {
        let section = settings.section("pcap-file");
        let written = section.text("tenant-id").filter(|text| !text.eq_ignore_ascii_case("none"));
        let Some(text) = written.filter(|_| self.selector == TenantSelector::Direct) else { return };
        let place = section.node().and_then(|node| node.lookup("tenant-id")).map(shown).unwrap_or_default();
        self.of_captures = tenant_id(Some(text));
        match self.of_captures {
            None => self.leave_out(
                &place,
                &format!("pcap-file.tenant-id is '{text}': write the id of a tenant, or none"),
            ),
            Some(id) if self.tenants.iter().all(|tenant| tenant.id != id) => {
                self.leave_out(
                    &place,
                    &format!("pcap-file.tenant-id names the tenant {id}, which multi-detect.tenants has not"),
                );
            }
            Some(_) => {}
        }
    }

    /// Takes note of a mapping whose tenant is not there.
    fn note_absent(&mut self, id: u32, traffic: &TenantTraffic, place: &str) {
        if self.tenants.iter().all(|tenant| tenant.id != id) {
            let what = format!("{traffic} is mapped to the tenant {id}, which multi-detect.tenants has not");
            self.problems.push(format!(
                "{place}: {what}. Its packets have no tenant until one of that id is registered."
            ));
        }
    }

    fn leave_out(&mut self, place: &str, reason: &str) {
        self.problems.push(format!("{place}: {reason}. The entry is left out."));
    }
}

/// Where an item is written.
fn place(item: &Section<'_>) -> String {
    item.node().map(shown).unwrap_or_default()
}

fn shown(node: &Node) -> String {
    node.location().to_string()
}

fn given(text: Option<&str>) -> String {
    text.map_or_else(|| "not given".to_owned(), |text| format!("'{text}'"))
}

/// Reads the number of a tenant, which is not zero.
fn tenant_id(text: Option<&str>) -> Option<u32> {
    text.and_then(value::integer).and_then(|number| u32::try_from(number).ok()).filter(|id| *id != 0)
}

fn vlan(text: &str) -> Option<u16> {
    let number = value::integer(text).filter(|number| VLANS.contains(number))?;
    u16::try_from(number).ok()
}

/// Returns the number of a VLAN, if tenants can be told apart by it.
pub fn tenant_vlan(number: u64) -> Option<u16> {
    u16::try_from(number).ok().filter(|_| VLANS.contains(&number))
}

/// The path of a tenant's file: in the folder that is given, or else as it is named, which may be seen from the folder of
/// the main configuration.
fn tenant_file(settings: &Settings, folder: Option<&Path>, file: &Path) -> PathBuf {
    match folder {
        Some(folder) => folder.join(file),
        None if file.exists() => file.to_owned(),
        None => {
            let beside = settings.folder().join(file);
            if beside.exists() { beside } else { file.to_owned() }
        }
    }
}

impl Settings {
    /// Reads the settings of a tenant: those of `file` over these. Where the file is not to be used, the error is why.
    pub fn of_tenant(&self, id: u32, file: &Path) -> Result<Self, ConfigError> {
        let over = self.lookup(&format!("multi-detect.{id}"));
        let mut lines = String::new();
        over.into_iter().for_each(|node| node.dump("", &mut lines));
        let pairs = lines.lines().filter_map(|line| line.split_once(" = "));
        let arguments =
            pairs.filter(|(_, text)| *text != NO_VALUE).map(|(path, text)| format!("{path}={text}"));
        let own = Self::load(file, &arguments.collect::<Vec<_>>())?;
        let mut tenant = self.without(&NEVER_COMMON);
        for key in TENANT_KEYS {
            match own.lookup(key) {
                // Variables that it has not are those of the main configuration.
                Some(node) if key.starts_with("vars.") => {
                    node.children().iter().for_each(|variable| tenant.replace(key, variable));
                }
                Some(node) => tenant.replace("", node),
                None => {}
            }
        }
        if own.lookup("default-rule-path").is_none() {
            // Files are seen from the folder that the program was started in.
            tenant.set("default-rule-path", "");
        }
        own.warn_of_foreign_keys(id);
        tenant.take_remarks(own);
        Ok(tenant)
    }

    /// Warns of what no tenant can have of its own.
    fn warn_of_foreign_keys(&self, id: u32) {
        let is_own = |path: &str| TENANT_KEYS.contains(&path);
        let warn = |path: &str, location: &Location| {
            let what =
                format!("{path} is no setting of a tenant: tenant {id} has that of the main configuration.");
            self.warn("multi-detect", what, Some(location));
        };
        for node in self.root().children() {
            match node.name() {
                "vars" => {
                    let below = node.children().iter().map(|child| (format!("vars.{}", child.name()), child));
                    below
                        .filter(|(path, _)| !is_own(path))
                        .for_each(|(path, child)| warn(&path, child.location()));
                }
                name if !is_own(name) => warn(name, node.location()),
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use weir_testkit::TestFolder;

    use super::*;

    fn read(text: &str) -> Result<Option<MultiDetectSettings>, ConfigError> {
        let text = format!("%YAML 1.1\n---\n{text}");
        MultiDetectSettings::from_settings(
            &Settings::from_text::<&str>(text.as_bytes(), "main.yaml", &[]).unwrap(),
        )
    }

    const TENANTS: &str =
        "  tenants:\n  - id: 1\n    yaml: a.yaml\n  - tenant:\n    id: 2\n    yaml: /etc/b.yaml\n";

    fn enabled(selector: &str, rest: &str) -> MultiDetectSettings {
        let text = format!(
            "multi-detect:\n  enabled: yes\n  config-path: /tenants\n  selector: {selector}\n{TENANTS}{rest}"
        );
        read(&text).unwrap().unwrap()
    }

    #[test]
    fn tenants_and_their_traffic() {
        let read = enabled(
            "vlan",
            "  mappings:\n  - vlan-id: 1000\n    tenant-id: 1\n  - vlan:\n    vlan-id: 4094\n    tenant-id: 2\n",
        );
        let files: Vec<_> =
            read.tenants.iter().map(|tenant| (tenant.id, tenant.file.to_str().unwrap())).collect();
        assert_eq!(files, [(1, "/tenants/a.yaml"), (2, "/etc/b.yaml")]);
        let mappings: Vec<_> = read.mappings.into_iter().collect();
        assert_eq!(mappings, [(TenantTraffic::Vlan(1000), 1), (TenantTraffic::Vlan(4094), 2)]);
        assert_eq!((read.selector, read.default, read.problems), (TenantSelector::Vlan, false, Vec::new()));
        let read = enabled("device", "  default: yes\n  mappings:\n  - device: eth0\n    tenant-id: 2\n");
        assert_eq!(read.mappings.get(&TenantTraffic::Device("eth0".to_owned())), Some(&2));
        assert!(read.default);
        assert_eq!(enabled("direct", "pcap-file:\n  tenant-id: 2\n").of_captures, Some(2));
        assert_eq!(enabled("direct", "pcap-file:\n  tenant-id: none\n").of_captures, None);
        assert_eq!(enabled("vlan", "pcap-file:\n  tenant-id: 2\n").of_captures, None);
    }

    #[test]
    fn what_is_wrong_is_left_out_and_told_with_its_place() {
        for (selector, rest, expected) in [
            (
                "vlan",
                "  - id: 1\n    yaml: c.yaml\n",
                "main.yaml, line 14, column 3: there are two tenants 1, and the first one stays",
            ),
            (
                "vlan",
                "  - id: 0\n    yaml: c.yaml\n",
                "a tenant's id is '0': write a number from 1 to 4294967295",
            ),
            ("vlan", "  - yaml: c.yaml\n", "a tenant's id is not given"),
            ("vlan", "  - id: 7\n", "a tenant has no file: name it with yaml"),
            (
                "vlan",
                "  mappings:\n  - vlan-id: 4095\n    tenant-id: 1\n",
                "main.yaml, line 15, column 3: the vlan-id of a mapping is '4095': write a number from 1 to 4094",
            ),
            ("vlan", "  mappings:\n  - vlan-id: 0\n    tenant-id: 1\n", "the vlan-id of a mapping is '0'"),
            ("vlan", "  mappings:\n  - vlan-id: 5\n    tenant-id: x\n", "the tenant-id of a mapping is 'x'"),
            (
                "vlan",
                "  mappings:\n  - vlan-id: 5\n    tenant-id: 9\n",
                "VLAN 5 is mapped to the tenant 9, which multi-detect.tenants has not",
            ),
            ("device", "  mappings:\n  - vlan-id: 5\n    tenant-id: 1\n", "a mapping has no device"),
            (
                "vlan",
                "  mappings:\n  - {vlan-id: 5, tenant-id: 1}\n  - {vlan-id: 5, tenant-id: 2}\n",
                "VLAN 5 is mapped twice, and stays with tenant 1",
            ),
            (
                "direct",
                "pcap-file:\n  tenant-id: 9\n",
                "pcap-file.tenant-id names the tenant 9, which multi-detect.tenants has not",
            ),
        ] {
            let problems = enabled(selector, rest).problems;
            assert!(problems.len() == 1 && problems[0].contains(expected), "{rest}: {problems:?}");
        }
    }

    #[test]
    fn settings_that_cannot_be_meant_are_errors() {
        for (text, expected) in [
            ("multi-detect:\n  selector: vlan\n", None),
            ("multi-detect:\n  enabled: yes\n", Some("multi-detect.selector")),
            ("multi-detect:\n  enabled: yes\n  selector: mac\n", Some("multi-detect.selector")),
            (
                "vlan:\n  use-for-tracking: no\nmulti-detect:\n  enabled: yes\n  selector: vlan\n",
                Some("vlan.use-for-tracking"),
            ),
        ] {
            match (read(text), expected) {
                (Ok(None), None) => {}
                (Err(ConfigError::Value { key, .. }), Some(expected)) => assert_eq!(key, expected),
                (other, _) => panic!("{text}: {other:?}"),
            }
        }
    }

    #[test]
    fn a_tenants_settings_lie_over_the_main_ones() {
        let folder = TestFolder::new("tenant-settings");
        let file = folder.join("t.yaml");
        let text = "%YAML 1.1\n---\nrule-files: [own.rules]\nvars:\n  address-groups:\n    HOME_NET: 10.0.0.0/8\n  other: 1\noutputs: []\n";
        std::fs::write(&file, text).unwrap();
        let main = "%YAML 1.1\n---\nrule-files: [main.rules]\ndefault-rule-path: /main\nclassification-file: c.config\nvars:\n  address-groups:\n    HOME_NET: any\n    OTHER: 1.1.1.1\n";
        let arguments = ["multi-detect.3.threshold-file=t.config"];
        let main = Settings::from_text(main.as_bytes(), "main.yaml", &arguments).unwrap();
        let tenant = main.of_tenant(3, &file).unwrap();
        for (path, expected) in [
            ("rule-files.0", Some("own.rules")),
            ("default-rule-path", Some("")),
            ("classification-file", Some("c.config")),
            ("threshold-file", Some("t.config")),
            ("vars.address-groups.HOME_NET", Some("10.0.0.0/8")),
            ("vars.address-groups.OTHER", Some("1.1.1.1")),
            ("multi-detect.3.threshold-file", None),
        ] {
            assert_eq!(tenant.text(path), expected, "{path}");
        }
        let warnings: Vec<String> = tenant.take_warnings().iter().map(ToString::to_string).collect();
        assert_eq!(warnings.len(), 2, "{warnings:?}");
        assert!(warnings[0].contains("vars.other") && warnings[1].contains("outputs"), "{warnings:?}");
        assert!(warnings[1].contains("line 8"), "{warnings:?}");
        assert_eq!(tenant.files(), [file]);
        assert!(matches!(main.of_tenant(4, &folder.join("none.yaml")), Err(ConfigError::Open { .. })));
    }
}
