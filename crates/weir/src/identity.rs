//! The user and group that `run-as` names: they must exist.

use weir_config::Settings;

/// Returns the reason that the user or group of `run-as` cannot be had, if so.
pub fn check(settings: &Settings) -> Result<(), String> {
    for (key, list, kind) in [("user", "/etc/passwd", "user"), ("group", "/etc/group", "group")] {
        let section = settings.section("run-as");
        let Some(name) = section.text(key) else { continue };
        let Ok(known) = std::fs::read_to_string(list) else { continue };
        if name.parse::<u32>().is_err() && !is_listed(&known, name) {
            return Err(format!(
                "unable to get the {kind} ID, check if {kind} exist!! (run-as.{key} is {name})"
            ));
        }
    }
    Ok(())
}

/// Whether a list in the form of `/etc/passwd` has an entry of this name.
fn is_listed(list: &str, name: &str) -> bool {
    list.lines().any(|line| line.split(':').next() == Some(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_whole_first_fields() {
        let list = "root:x:0:0:root:/root:/bin/sh\ndaemon:x:1:1::/:/bin/false\n";
        for (name, listed) in [("root", true), ("daemon", true), ("roo", false), ("x", false), ("", false)] {
            assert_eq!(is_listed(list, name), listed, "{name}");
        }
    }

    #[test]
    fn a_user_that_does_not_exist() {
        let read = |word: &str| Settings::from_text(b"", "test", &[word]).expect("valid");
        assert!(check(&read("run-as.user=totally-not-existing-user")).is_err_and(|e| e.contains("user ID")));
        assert!(check(&read("a=b")).is_ok());
    }
}
