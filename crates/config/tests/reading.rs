//! Whole files: includes, repeated keys, values of the command line, and the dump.

#![allow(clippy::unwrap_used)]

use std::path::PathBuf;

use proptest::prelude::*;
use weir_config::{ConfigError, EveSettings, Settings, unknown_keys};

/// A folder of files that goes away with the test.
struct Folder(PathBuf);

impl Folder {
    fn with(name: &str, files: &[(&str, &str)]) -> Self {
        let folder = std::env::temp_dir().join(format!("weir-config-{name}-{}", std::process::id()));
        for (file, text) in files {
            let path = folder.join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, format!("%YAML 1.1\n---\n{text}")).unwrap();
        }
        Self(folder)
    }

    fn load(&self, overrides: &[&str]) -> Result<Settings, ConfigError> {
        Settings::load(&self.0.join("main.yaml"), overrides)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn dump(text: &str, overrides: &[&str]) -> String {
    Settings::from_text(format!("%YAML 1.1\n---\n{text}").as_bytes(), "t", overrides).unwrap().dump()
}

#[test]
fn dumps() {
    for (text, overrides, expected) in [
        ("a: b\n", &[][..], "a = b\n"),
        ("a:\n  b: ~\n", &[], "a = (null)\na.b = (null)\n"),
        ("l:\n  - x\n  - y\n", &[], "l = (null)\nl.0 = x\nl.1 = y\n"),
        (
            "outputs:\n  - eve-log:\n      enabled: yes\n",
            &[],
            "outputs = (null)\noutputs.0 = eve-log\noutputs.0.eve-log = (null)\noutputs.0.eve-log.enabled = yes\n",
        ),
        (
            "af-packet:\n  - interface: eth0\n    threads: 2\n",
            &[],
            "af-packet = (null)\naf-packet.0 = interface\naf-packet.0.interface = eth0\naf-packet.0.threads = 2\n",
        ),
        ("a: 1\nb: 2\na: 3\n", &[], "a = 3\nb = 2\n"),
        ("s:\n  x: 1\n  y: 2\ns:\n  x: 3\n", &[], "s = (null)\ns.x = 3\n"),
        (
            "a_b: 1\nvars:\n  address-groups:\n    A_B: any\n",
            &[],
            "a-b = 1\nvars = (null)\nvars.address-groups = (null)\nvars.address-groups.A_B = any\n",
        ),
        ("a.b: 1\na.c: 2\n", &[], "a = (null)\na.b = 1\na.c = 2\n"),
        ("s:\n  x: 1\n", &["s.x=9", "n.m=v=w"], "s = (null)\ns.x = 9\nn = (null)\nn.m = v=w\n"),
        (
            "l:\n  - a:\n      x: 1\n  - b:\n      x: 2\n",
            &["l.1.b.x=9"],
            "l = (null)\nl.0 = a\nl.0.a = (null)\nl.0.a.x = 1\nl.1 = b\nl.1.b = (null)\nl.1.b.x = 9\n",
        ),
        // Items by name: the first of that name, also where it was a word alone, or a new one.
        (
            "l:\n  - a:\n      x: 1\n  - b:\n      x: 2\n  - b:\n      x: 3\n",
            &["l.b.x=9", "l.b.y=8"],
            "l = (null)\nl.0 = a\nl.0.a = (null)\nl.0.a.x = 1\nl.1 = b\nl.1.b = (null)\nl.1.b.x = 9\nl.1.b.y = 8\nl.2 = b\nl.2.b = (null)\nl.2.b.x = 3\n",
        ),
        ("l:\n  - a\n", &["l.a.x=9"], "l = (null)\nl.0 = a\nl.0.a = (null)\nl.0.a.x = 9\n"),
        ("l:\n  - a\n", &["l.c.x=9"], "l = (null)\nl.1 = c\nl.1.c = (null)\nl.1.c.x = 9\nl.0 = a\n"),
        (
            "b: c\n",
            &["outputs.file-store.enabled=yes"],
            "outputs = (null)\noutputs.0 = file-store\noutputs.0.file-store = (null)\noutputs.0.file-store.enabled = yes\nb = c\n",
        ),
        ("l:\n  - a\n  - b\n", &["l.0=z"], "l = (null)\nl.0 = z\nl.1 = b\n"),
    ] {
        assert_eq!(dump(text, overrides), expected, "{text} {overrides:?}");
    }
}

#[test]
fn includes() {
    let folder = Folder::with(
        "includes",
        &[
            (
                "main.yaml",
                "a: 1\ninclude: one.yaml\ninclude: sub/two.yaml\nunder:\n  include:\n    - one.yaml\ntag: !include one.yaml\nc: 7\n",
            ),
            ("one.yaml", "a: 2\nb: 3\n"),
            ("sub/two.yaml", "include: three.yaml\n"),
            ("sub/three.yaml", "c: 4\n"),
        ],
    );
    let settings = folder.load(&["b=9"]).unwrap();
    for (path, expected) in [
        ("a", "2"),
        ("b", "9"),
        ("c", "7"),
        ("under.a", "2"),
        ("under.b", "3"),
        ("tag.a", "2"),
        ("tag.b", "3"),
    ] {
        assert_eq!(settings.text(path), Some(expected), "{path}");
    }
    let warnings: Vec<String> = settings.take_warnings().iter().map(ToString::to_string).collect();
    assert_eq!(warnings.len(), 2, "{warnings:?}");
    assert!(warnings[0].starts_with("Configuration node 'a' redefined"), "{warnings:?}");
}

#[test]
fn later_files() {
    let folder = Folder::with("later", &[("main.yaml", "a: 1\n"), ("more.yaml", "a: 2\n")]);
    let mut settings = folder.load(&[]).unwrap();
    settings.include(&folder.0.join("more.yaml")).unwrap();
    assert_eq!(settings.text("a"), Some("2"));
}

#[test]
fn errors_are_sentences() {
    let folder = Folder::with(
        "errors",
        &[
            ("main.yaml", "include: loop.yaml\n"),
            ("loop.yaml", "include: loop.yaml\n"),
            ("map.yaml", "include:\n  a: b\n"),
        ],
    );
    let looped = folder.load(&[]).unwrap_err().to_string();
    assert!(
        looped.contains("loop.yaml, line 3, column 10: failed to include")
            && looped.contains("includes itself"),
        "{looped}"
    );
    let missing = Settings::load::<&str>(&folder.0.join("none.yaml"), &[]).unwrap_err().to_string();
    assert!(missing.starts_with("Failed to open configuration file"), "{missing}");
    assert!(missing.ends_with("none.yaml: there is no such file. Check the path."), "{missing}");
    let map = Settings::load::<&str>(&folder.0.join("map.yaml"), &[]).unwrap_err().to_string();
    assert!(map.contains("Include fields cannot be a mapping"), "{map}");
    for (text, part) in [
        ("a: b\n", "must begin with the following two lines"),
        ("%YAML 1.2\n---\na: b\n", "Must be 1.1"),
        ("%YAML 1.1\n---\na: [b\nc: d\n", "t, line "),
        ("%YAML 1.1\n---\na:\n  b: c\n d: e\n", "Failed to parse configuration file at t, line 5"),
        ("%YAML 1.1\n---\njust text\n", "write settings as 'name: value'"),
        ("%YAML 1.1\n---\n[a]: b\n", "a name is a mapping or sequence"),
    ] {
        let error = Settings::from_text::<&str>(text.as_bytes(), "t", &[]).unwrap_err().to_string();
        assert!(error.contains(part), "{text:?}: {error}");
    }
    for argument in ["novalue", "=x", "a..b=c", ".a=b"] {
        assert!(
            matches!(Settings::from_text(b"", "t", &[argument]), Err(ConfigError::Argument { .. })),
            "{argument}"
        );
    }
    let settings =
        Settings::from_text::<&str>(b"%YAML 1.1\n---\ns:\n  memcap: lots\n", "t.yaml", &[]).unwrap();
    let error = settings.section("s").size("memcap", 0).unwrap_err().to_string();
    assert_eq!(
        error,
        "Failed to parse s.memcap from t.yaml, line 4, column 11: 'lots' is not a size: write a number of bytes, or one with kb, mb or gb after it."
    );
}

#[test]
fn latin1_and_marks_are_read() {
    let settings =
        Settings::from_text::<&str>(b"%YAML 1.1\n---\n# caf\xe9\na: \"\xe9\"\n", "t", &[]).unwrap();
    assert_eq!(settings.text("a"), Some("é"));
    assert_eq!(settings.take_warnings().len(), 1);
    let marked = Settings::from_text::<&str>(b"\xef\xbb\xbf%YAML 1.1\r\n---\r\na: b\r\n", "t", &[]).unwrap();
    assert_eq!(marked.text("a"), Some("b"));
}

/// What the command line sets stays where it is, also beside a file that is a list.
#[test]
fn a_file_that_is_a_list_takes_nothing_from_the_command_line() {
    let text = b"%YAML 1.1\n---\n  - outputs\n  - a";
    let settings = Settings::from_text(text, "t", &["outputs.1.x=y"]).unwrap();
    assert_eq!(settings.text("outputs.1.x"), Some("y"));
}

#[test]
fn the_built_in_configuration_has_no_warnings() {
    let settings = Settings::built_in::<&str>(&[]).unwrap();
    EveSettings::from_settings(&settings).unwrap();
    assert_eq!(settings.take_warnings(), []);
    assert_eq!(settings.text("vars.address-groups.EXTERNAL_NET"), Some("!$HOME_NET"));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_give_a_result(bytes in proptest::collection::vec(any::<u8>(), 0..512)) {
        if let Ok(settings) = Settings::from_text::<&str>(&bytes, "t", &[]) {
            prop_assert!(settings.dump().len() <= bytes.len() * 64 + 64);
        }
    }

    #[test]
    fn any_yaml_like_text_gives_a_result(text in "([ a-z:\\-\\[\\]{}&*!#'\",~>|%?@\n\t.0-9]|outputs|include|\n  - |: ){0,120}") {
        let whole = format!("%YAML 1.1\n---\n{text}");
        if let Ok(settings) = Settings::from_text(whole.as_bytes(), "t", &["outputs.1.x=y"]) {
            unknown_keys(&settings);
            let _ = EveSettings::from_settings(&settings);
            prop_assert_eq!(settings.text("outputs.1.x"), Some("y"));
        }
    }
}
