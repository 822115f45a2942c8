//! Scripts beside packets, as far as they need no script language: `@load`, `redef` of settings, and comments.

use std::path::{Path, PathBuf};

use weir_base::{Pipes, Unreadable, named_file};

use super::ZeekCommand;

/// Nesting of files that load files.
const MAX_DEPTH: usize = 8;
/// Longest script, in bytes.
const MAX_SCRIPT: u64 = 1 << 24;

/// Scripts that the engine has a part of, and what runs scripts another.
const OF_BOTH: [&str; 1] = ["protocols/dhcp/software"];

impl ZeekCommand {
    /// Loads a script by its name: a file, by its path from `folder` on, or one of Zeek's policy.
    pub(super) fn script(&mut self, name: &str, folder: &Path, depth: usize) -> Result<(), String> {
        match file(name, folder) {
            Some(path) => self.file(&path, depth),
            None => self.policy(name),
        }
    }

    fn file(&mut self, path: &Path, depth: usize) -> Result<(), String> {
        if depth >= MAX_DEPTH {
            return Err(format!("Scripts load each other more than {MAX_DEPTH} deep: {}.", path.display()));
        }
        let pipes = if depth == 0 { Pipes::Read } else { Pipes::Refuse };
        let text = named_file::read(path, pipes, MAX_SCRIPT).map_err(|error| {
            format!("The script {} cannot be read: {}.", path.display(), Unreadable::new(path, &error))
        })?;
        self.statements(&String::from_utf8_lossy(&text), Some(path), depth + 1)
    }

    fn policy(&mut self, name: &str) -> Result<(), String> {
        if !weir_zeek::is_script(name) || OF_BOTH.contains(&name) {
            return Err(format!(
                "{name} is no file, and none of the scripts of Zeek's that Weir has of its own: {}.",
                weir_zeek::loadable()
            ));
        }
        self.scripts.push(name.to_owned());
        Ok(())
    }

    /// Obeys the statements of a file, or of the command line. What of a file would load or set something
    /// that is not known is passed over with a remark; any other statement is refused.
    pub(super) fn statements(&mut self, text: &str, of: Option<&Path>, depth: usize) -> Result<(), String> {
        let folder = of.and_then(Path::parent).unwrap_or(Path::new(""));
        for (line, statement) in split(text) {
            let done = if let Some(name) = statement.strip_prefix("@load ") {
                match file(name, folder) {
                    Some(path) => {
                        self.file(&path, depth)?;
                        continue;
                    }
                    None => self.policy(name),
                }
            } else if let Some((name, value)) =
                statement.strip_prefix("redef ").and_then(|rest| rest.split_once('='))
            {
                self.set(name, value)
            } else if statement.starts_with("@load-sigs ") {
                Err(format!("Weir does not have Zeek's signatures: {statement}."))
            } else {
                let place = of.map(|of| format!("{}, line {line}: ", of.display())).unwrap_or_default();
                return Err(format!(
                    "{place}This is no @load and no redef of a setting, and needs what runs scripts: {statement}."
                ));
            };
            match (done, of) {
                (Err(sentence), Some(of)) => {
                    let script = statement.strip_prefix("@load ").map(|name| name.trim_end_matches(".zeek"));
                    let is_run = script.is_some_and(|name| weir_script::prelude::part(name).is_some());
                    self.unknown_scripts += usize::from(statement.starts_with('@') && !is_run);
                    self.remarks.push(format!("{}, line {line} is passed over: {sentence}", of.display()));
                }
                (done, _) => done?,
            }
        }
        Ok(())
    }
}

/// The file that a script's name stands for.
fn file(name: &str, folder: &Path) -> Option<PathBuf> {
    [folder.join(name), folder.join(format!("{name}.zeek"))].into_iter().find(|path| path.is_file())
}

/// The statements of a text, each with its line and any space as one blank: directives end with theirs,
/// others at a semicolon.
fn split(text: &str) -> Vec<(usize, String)> {
    let mut statements: Vec<(usize, String)> = Vec::new();
    let mut open: Option<(usize, String)> = None;
    for (line, number) in text.lines().zip(1..) {
        let mut quoted = false;
        for character in line.chars() {
            quoted ^= character == '"';
            match character {
                '#' if !quoted => break,
                ';' if !quoted => statements.extend(open.take()),
                _ if character.is_whitespace() => blank(&mut open),
                _ => open.get_or_insert((number, String::new())).1.push(character),
            }
        }
        blank(&mut open);
        statements.extend(open.take_if(|(_, text)| text.starts_with('@')));
    }
    statements.extend(open);
    statements.iter_mut().for_each(|(_, text)| text.truncate(text.trim_end().len()));
    statements
}

/// A blank behind what was begun.
fn blank(open: &mut Option<(usize, String)>) {
    if let Some((_, text)) = open.as_mut().filter(|(_, text)| !text.ends_with(' ')) {
        text.push(' ');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements() {
        let text = "# A site.\n@load local # all of it\n@load misc/stats; redef a = T;\nredef Site::local_nets +=\n\
                    {\n\t10.0.0.0/8, # ours\n};\nredef salt = \"a;#b\";";
        let expected = [
            (2, "@load local"),
            (3, "@load misc/stats"),
            (3, "redef a = T"),
            (4, "redef Site::local_nets += { 10.0.0.0/8, }"),
            (8, "redef salt = \"a;#b\""),
        ];
        let expected: Vec<(usize, String)> =
            expected.iter().map(|(line, text)| (*line, text.to_string())).collect();
        assert_eq!(split(text), expected);
        assert_eq!(split(" \n# nothing\n;"), []);
    }

    #[test]
    fn what_files_say() {
        let site = Path::new("site.zeek");
        let mut command = ZeekCommand::default();
        let text = "@load misc/stats\n@load-sigs shells\n@load ftp/detect\nredef digest_salt = \"x\";\n\
                    redef LogAscii::use_json=T;\nredef Site::local_nets = { 192.0.2.0/24 };\n";
        assert_eq!(command.statements(text, Some(site), 0), Ok(()));
        assert!(command.json);
        assert_eq!((command.scripts.len(), command.local_nets.len()), (1, 1));
        let remarks = ["site.zeek, line 2 is", "site.zeek, line 3 is", "site.zeek, line 4 is"];
        assert_eq!((command.remarks.len(), command.unknown_scripts), (remarks.len(), 2));
        for (remark, expected) in command.remarks.iter().zip(remarks) {
            assert!(remark.starts_with(expected), "{remark}");
        }
        let refused = command.statements("\nevent zeek_init() { print 1; }", Some(site), 0);
        assert!(refused.unwrap_err().starts_with("site.zeek, line 2: This is no @load and no redef"));
        assert!(command.statements("@load ftp/detect", None, 0).is_err());
    }
}
