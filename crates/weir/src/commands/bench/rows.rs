//! Rows of the table, and the command line of each.

use std::path::Path;

/// The name of the row of loading the rules.
pub const LOADING: &str = "loading";

/// A capture without packets: its 24 bytes of header.
pub const NO_PACKETS: &[u8] = b"\xd4\xc3\xb2\xa1\x02\0\x04\0\0\0\0\0\0\0\0\0\0\0\x04\0\x01\0\0\0";

/// Configuration files that rows need: name, content.
pub const CONFIGURATIONS: [(&str, &str); 2] = [
    (
        "flows.yaml",
        "%YAML 1.1\n---\noutputs:\n  - eve-log:\n      enabled: yes\n      types:\n        - flow\n",
    ),
    ("no-eve.yaml", "%YAML 1.1\n---\noutputs:\n  - eve-log:\n      enabled: no\n"),
];

/// A way to run the program.
#[derive(Debug)]
pub struct Row {
    /// Its name on the command line.
    pub name: &'static str,
    /// Its name in tables.
    pub title: &'static str,
    /// Whether rules are run.
    pub rules: bool,
    /// One of [`CONFIGURATIONS`]; none for the program's own.
    configuration: Option<&'static str>,
    zeek: bool,
}

/// All rows.
pub const ROWS: [Row; 6] = [
    row("flows", "flow records only", Some("flows.yaml"), false, false),
    row("eve", "all EVE records", None, false, false),
    row("zeek", "Zeek's logs only", Some("no-eve.yaml"), true, false),
    row("eve+zeek", "all EVE records and Zeek's logs", None, true, false),
    row("rules", "rules and all EVE records", None, false, true),
    row("rules+zeek", "rules, all EVE records and Zeek's logs", None, true, true),
];

const fn row(
    name: &'static str,
    title: &'static str,
    configuration: Option<&'static str>,
    zeek: bool,
    rules: bool,
) -> Row {
    Row { name, title, rules, configuration, zeek }
}

impl Row {
    /// Whether the start of this row is what [`LOADING`] tells.
    pub fn loads(&self) -> bool {
        self.name == "rules"
    }

    /// The options of a run; `folder` has the configurations.
    pub fn options(&self, folder: &Path, rules: &[String]) -> Vec<String> {
        let mut options = vec!["-k".to_owned(), "none".to_owned()];
        if let Some(name) = self.configuration {
            options.extend(["-c".to_owned(), folder.join(name).display().to_string()]);
        }
        if self.zeek {
            options.push("--zeek-logs=tsv".to_owned());
            if self.configuration.is_none() {
                // Without rules Zeek's logs are written alone, where EVE is not asked for.
                options.extend(["--set", "outputs.eve-log.enabled=yes"].map(str::to_owned));
            }
        }
        if self.rules {
            options.extend(rules.iter().flat_map(|file| ["-S".to_owned(), file.clone()]));
        } else {
            options.push("--disable-detection".to_owned());
        }
        options
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_lines() {
        let lines: Vec<String> =
            ROWS.iter().map(|row| row.options(Path::new("/t"), &["a.rules".to_owned()]).join(" ")).collect();
        assert_eq!(
            lines,
            [
                "-k none -c /t/flows.yaml --disable-detection",
                "-k none --disable-detection",
                "-k none -c /t/no-eve.yaml --zeek-logs=tsv --disable-detection",
                "-k none --zeek-logs=tsv --set outputs.eve-log.enabled=yes --disable-detection",
                "-k none -S a.rules",
                "-k none --zeek-logs=tsv --set outputs.eve-log.enabled=yes -S a.rules",
            ]
        );
    }
}
