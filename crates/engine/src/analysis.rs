//! `--engine-analysis`: the reports on rules, written into the folder for logs.

use std::io;
use std::path::Path;

use weir_base::Timestamp;
use weir_config::{DetectSettings, OutputsSettings, Settings};
use weir_detect::Ruleset;
use weir_detect::analysis::groups::{GroupSettings, TCP_PRIORITY_PORTS, UDP_PRIORITY_PORTS};
use weir_detect::analysis::text::{self, EngineFacts};
use weir_detect::analysis::{Dependencies, groups, write_flowbits, write_patterns, write_rule};

/// Writes the reports that the configuration asks for (`engine-analysis`, and
/// `detect.profiling.grouping` for the groups).
pub(crate) fn write(
    ruleset: &Ruleset,
    settings: &Settings,
    detect: &DetectSettings,
    folder: &Path,
    now: Timestamp,
) -> io::Result<()> {
    let wanted = settings.section("engine-analysis");
    let time = now.local().civil;
    let date = format!(
        "{}/{}/{} -- {:02}:{:02}:{:02}",
        time.day, time.month, time.year, time.hour, time.minute, time.second
    );
    if wanted.flag("rules", true) {
        let dependencies = Dependencies::of(ruleset.signatures());
        let rules_json = |firewall: bool| {
            let mut out = Vec::new();
            for signature in ruleset.signatures().iter().filter(|s| s.head.firewall.is_some() == firewall) {
                write_rule(signature, &dependencies, &mut out);
                out.push(b'\n');
            }
            out
        };
        std::fs::write(folder.join("rules.json"), rules_json(false))?;
        if ruleset.firewall.is_some() {
            std::fs::write(folder.join("firewall.json"), rules_json(true))?;
        }
        let mut totals = Vec::new();
        write_flowbits(ruleset.signatures(), &mut totals);
        std::fs::write(folder.join("flowbits.json"), &totals)?;
        totals.clear();
        write_patterns(ruleset.signatures(), &mut totals);
        std::fs::write(folder.join("patterns.json"), &totals)?;
        let stores_files = OutputsSettings::from_settings(settings).enabled("file-store").next().is_some();
        let mut report = text::head(&date);
        for signature in ruleset.signatures() {
            report.push_str(&text::analysis(signature, EngineFacts { stores_files }));
        }
        std::fs::write(folder.join("rules_analysis.txt"), report)?;
    }
    if wanted.flag("rules-fast-pattern", true) {
        let mut report = text::head(&date);
        for signature in ruleset.signatures() {
            report.push_str(&text::fast_pattern(signature));
        }
        std::fs::write(folder.join("rules_fast_pattern.txt"), report)?;
    }
    let grouping = settings.section("detect.profiling.grouping");
    if grouping.flag("dump-to-disk", false) {
        let settings = GroupSettings {
            to_server: usize::from(detect.toserver_groups),
            to_client: usize::from(detect.toclient_groups),
            tcp_ports: detect.tcp_priority_ports.clone().unwrap_or_else(|| TCP_PRIORITY_PORTS.to_owned()),
            udp_ports: detect.udp_priority_ports.clone().unwrap_or_else(|| UDP_PRIORITY_PORTS.to_owned()),
            rules: grouping.flag("include-rules", false),
            literals: grouping.flag("include-mpm-stats", false),
        };
        let mut out = Vec::new();
        groups::write(ruleset.signatures(), &settings, &mut out);
        out.push(b'\n');
        std::fs::write(folder.join("rule_group.json"), out)?;
    }
    Ok(())
}
