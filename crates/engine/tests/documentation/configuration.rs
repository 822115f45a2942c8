//! The page of settings, from the comments of the default configuration.

use std::fmt::Write;

use crate::{cell, code};

const DEFAULT: &str = include_str!("../../../../etc/suricata.yaml");

const HEAD: &str = "# Configuration reference

Every setting of [etc/suricata.yaml](../etc/suricata.yaml), the default that is built into the program. A setting
in italics is left out there: the value shown is its default, or an example. Entries of a list are named by
what they say first. [Configuration](configuration.md) is the introduction.
";

/// A setting.
struct Setting {
    path: String,
    optional: bool,
    value: String,
    meaning: String,
}

/// What a line of the file says.
enum Line<'a> {
    Nothing,
    Section(&'a str),
    Comment(&'a str),
    /// Indentation; whether it is commented out; key and value.
    Key(usize, bool, &'a str, &'a str),
    /// Indentation and value of a list's entry without a key.
    Item(usize, &'a str),
}

/// The page.
pub fn page() -> String {
    let mut page = HEAD.to_owned();
    for (section, settings) in sections(DEFAULT) {
        if settings.is_empty() {
            continue;
        }
        let _ = write!(page, "\n## {section}\n\n| setting | value | meaning |\n|---|---|---|\n");
        for setting in settings {
            let path = code(&setting.path);
            let path = if setting.optional { format!("*{path}*") } else { path };
            let _ = writeln!(page, "| {path} | {} | {} |", code(&setting.value), cell(&setting.meaning));
        }
    }
    page
}

fn sections(text: &str) -> Vec<(&str, Vec<Setting>)> {
    let mut sections: Vec<(&str, Vec<Setting>)> = vec![("General", Vec::new())];
    let mut above: Vec<(usize, &str)> = Vec::new();
    let mut comment = String::new();
    for line in text.lines().skip_while(|line| *line != "---").skip(1) {
        let settings = &mut sections.last_mut().expect("there is one").1;
        match read(line) {
            Line::Nothing => comment.clear(),
            Line::Section(name) => sections.push((name, Vec::new())),
            Line::Comment(text) => {
                if !comment.is_empty() {
                    comment.push(' ');
                }
                comment.push_str(text);
            }
            Line::Key(indent, optional, key, rest) => {
                above.retain(|(before, _)| *before < indent);
                above.push((indent, key));
                let (value, remark) = rest.split_once(" # ").unwrap_or((rest, ""));
                let remark = remark.trim().to_owned();
                let meaning = [std::mem::take(&mut comment), remark]
                    .into_iter()
                    .filter(|text| !text.is_empty())
                    .collect::<Vec<_>>()
                    .join(" ");
                let path = above.iter().map(|(_, name)| *name).collect::<Vec<_>>().join(".");
                settings.push(Setting { path, optional, value: value.trim().to_owned(), meaning });
            }
            Line::Item(indent, value) => {
                above.retain(|(before, _)| *before < indent);
                let path = above.iter().map(|(_, name)| *name).collect::<Vec<_>>().join(".");
                if let Some(list) = settings.iter_mut().rev().find(|setting| setting.path == path) {
                    let comma = if list.value.is_empty() { "" } else { ", " };
                    list.value.push_str(comma);
                    list.value.push_str(value);
                }
                comment.clear();
            }
        }
    }
    for (_, settings) in &mut sections {
        settings.retain(|setting| !setting.value.is_empty() || !setting.meaning.is_empty());
    }
    sections
}

fn read(line: &str) -> Line<'_> {
    let text = line.trim_start();
    let mut indent = line.len() - text.len();
    if let Some(name) = text.strip_prefix("## ---- ") {
        return Line::Section(name.trim_end_matches('-').trim());
    }
    let (optional, mut text) = match text.strip_prefix('#') {
        None => (false, text),
        // One space and words: a comment. Anything else: a setting that is commented out.
        Some(rest) if rest.starts_with(' ') && !rest.starts_with("  ") => return Line::Comment(rest.trim()),
        Some(rest) => {
            let setting = rest.trim_start();
            indent += rest.len() - setting.len();
            (true, setting)
        }
    };
    let entry = text.strip_prefix("- ");
    if let Some(rest) = entry {
        indent += 2;
        text = rest;
    }
    let name_end = text.find(": ").or_else(|| text.ends_with(':').then(|| text.len() - 1));
    match name_end {
        Some(end) if !text.starts_with(['"', '[', '{']) => {
            Line::Key(indent, optional, &text[..end], text[end + 1..].trim())
        }
        _ if entry.is_some() => Line::Item(indent, text.split(" # ").next().unwrap_or(text).trim()),
        _ => Line::Nothing,
    }
}

#[test]
fn lines_are_read() {
    let text = "---\n## ---- One ----\n\n# What it is.\na:\n  b: 1 # or 2\n  #c: 3\n  # A list.\n  d:\n    - x\n    - \
                y\n  e:\n    - f:\n        g: yes\n";
    let found: Vec<_> = sections(text)
        .into_iter()
        .flat_map(|(_, settings)| settings)
        .map(|s| (s.path, s.optional, s.value, s.meaning))
        .collect();
    let wanted = [
        ("a", false, "", "What it is."),
        ("a.b", false, "1", "or 2"),
        ("a.c", true, "3", ""),
        ("a.d", false, "x, y", "A list."),
        ("a.e.f.g", false, "yes", ""),
    ];
    let wanted = wanted.map(|(path, optional, value, meaning)| {
        (path.to_owned(), optional, value.to_owned(), meaning.to_owned())
    });
    assert_eq!(found, wanted);
}
