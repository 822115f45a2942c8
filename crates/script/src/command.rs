//! The command line of Zeek, as far as it is about scripts.

use std::io::Read as _;

use weir_base::seeds::seeds;

use crate::driver::{Driver, Script};
use crate::frameworks::files::Knowledge;
use crate::values::{Style, Value};
use crate::vm::{Engine, Fault};

/// What the command line asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// `-b`: only what is needed everywhere.
    pub bare: bool,
    /// `-a`: read, do not run.
    pub parse_only: bool,
    /// `--dump`: show code, do not run.
    pub dump: bool,
    /// `-r`
    pub reads: Vec<String>,
    /// `-i`
    pub interfaces: Vec<String>,
    /// `-f`
    pub filter: Option<String>,
    /// `-w`
    pub writes: Option<String>,
    /// `-G`
    pub seeds: Option<String>,
    /// `-C`
    pub ignore_checksums: bool,
    /// `-I`: shows a variable, does not run.
    pub shown: Option<String>,
    /// Scripts, statements of `-e` and settings, in their order.
    pub scripts: Vec<Argument>,
    /// `-s`
    pub signatures: Vec<String>,
    /// `-p`
    pub prefixes: Vec<String>,
}

/// An argument that is about scripts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    /// A script.
    Script(String),
    /// Statements.
    Statements(String),
    /// A setting: name, sign and value.
    Setting(String, &'static str, String),
    /// The script comes from standard input.
    Input,
}

/// Words for options.
const WORDS: [(&str, char); 16] = [
    ("readfile", 'r'),
    ("bare-mode", 'b'),
    ("parse-only", 'a'),
    ("exec", 'e'),
    ("prefix", 'p'),
    ("no-checksums", 'C'),
    ("filter", 'f'),
    ("writefile", 'w'),
    ("iface", 'i'),
    ("rulefile", 's'),
    ("load-seeds", 'G'),
    ("save-seeds", 'H'),
    ("optimize", 'O'),
    ("dump", 'X'),
    ("deterministic", 'D'),
    ("pseudo-realtime", 'E'),
];

impl Options {
    /// Reads arguments behind the program's name.
    ///
    /// # Errors
    ///
    /// A sentence that names what cannot be had.
    pub fn parse(arguments: &[String]) -> Result<Self, String> {
        let mut options = Self::default();
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            if argument == "-" {
                options.scripts.push(Argument::Input);
            } else if let Some(word) = argument.strip_prefix("--").filter(|word| !word.is_empty()) {
                let (word, value) =
                    word.split_once('=').map_or((word, None), |(word, value)| (word, Some(value)));
                let Some((_, letter)) = WORDS.iter().find(|(known, _)| *known == word) else {
                    return Err(format!("unknown option --{word}"));
                };
                let mut value = value.map(str::to_owned);
                options.option(*letter, &mut || value.take().or_else(|| rest.next().cloned()))?;
            } else if let Some(letters) = argument.strip_prefix('-') {
                let mut letters = letters.chars();
                while let Some(letter) = letters.next() {
                    options.option(letter, &mut || {
                        let own: String = letters.by_ref().collect();
                        if own.is_empty() { rest.next().cloned() } else { Some(own) }
                    })?;
                }
            } else if let Some((name, value)) = argument.split_once('=').filter(|(name, _)| is_setting(name))
            {
                let (name, value) = (name.trim(), value.trim_start());
                let (name, sign) = match (name.strip_suffix('+'), name.strip_suffix('-')) {
                    (Some(name), _) => (name.trim_end(), "+="),
                    (_, Some(name)) => (name.trim_end(), "-="),
                    _ => (name, "="),
                };
                options.scripts.push(Argument::Setting(name.to_owned(), sign, value.to_owned()));
            } else {
                options.scripts.push(Argument::Script(argument.clone()));
            }
        }
        Ok(options)
    }

    fn option(&mut self, letter: char, value: &mut dyn FnMut() -> Option<String>) -> Result<(), String> {
        let mut value = || value().ok_or_else(|| format!("-{letter} needs a value"));
        match letter {
            'b' => self.bare = true,
            'a' => self.parse_only = true,
            'X' => self.dump = true,
            'r' => self.reads.push(value()?),
            'i' => self.interfaces.push(value()?),
            'f' => self.filter = Some(value()?),
            'C' => self.ignore_checksums = true,
            'I' => self.shown = Some(value()?),
            'G' => self.seeds = Some(value()?),
            'e' => self.scripts.push(Argument::Statements(value()?)),
            'p' => self.prefixes.push(value()?),
            's' => self.signatures.push(value()?),
            'D' | 'E' | 'Q' | 'W' => {}
            'w' => self.writes = Some(value()?),
            'B' | 'H' | 'O' | 'U' => drop(value()?),
            _ => return Err(format!("unknown option -{letter}")),
        }
        Ok(())
    }
}

fn is_setting(name: &str) -> bool {
    let name = name.trim().trim_end_matches(['+', '-']).trim_end();
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b':')
}

/// Bytes of the stack that scripts run on: values may be nested deeply.
pub(crate) const STACK: usize = 1 << 29;

/// Reads and runs scripts on a thread of their own; returns the exit code.
pub fn run_apart(options: Options, knowledge: Option<Knowledge>) -> i32 {
    let worker = std::thread::Builder::new().stack_size(STACK).spawn(move || run(&options, knowledge));
    worker.map_or(1, |worker| worker.join().unwrap_or(1))
}

/// Reads and runs scripts; returns the exit code. Types of files are found where it is said how.
pub fn run(options: &Options, knowledge: Option<Knowledge>) -> i32 {
    let path = std::env::var("ZEEKPATH").ok();
    let mut driver = Driver::new(path.as_deref());
    driver.engine.frameworks.bare = options.bare;
    driver.engine.frameworks.files.knowledge = knowledge;
    let code = read_and_run(&mut driver, options);
    driver.engine.close();
    code
}

fn read_and_run(driver: &mut Driver, options: &Options) -> i32 {
    match read(driver, options) {
        Ok(()) => execute(&mut driver.engine),
        Err(code) => code,
    }
}

/// Reads scripts and settings.
///
/// # Errors
///
/// The exit code where nothing is to be run.
pub(crate) fn read(driver: &mut Driver, options: &Options) -> Result<(), i32> {
    if let Err(text) = take_seeds(driver, options) {
        driver.engine.report("fatal error", "", &text);
        return Err(1);
    }
    let mut scripts = Vec::new();
    if !options.bare {
        scripts.push(Script::Path("base/init-default".to_owned()));
    }
    let has_script = options.shown.is_some()
        || options.scripts.iter().any(|argument| !matches!(argument, Argument::Setting(..)));
    let mut settings = Vec::new();
    for argument in &options.scripts {
        match argument {
            Argument::Script(path) => scripts.push(Script::Path(path.clone())),
            // The last statement needs no end.
            Argument::Statements(text) => {
                scripts.push(Script::Text("<command line>".to_owned(), format!("{text}\n;").into_bytes()));
            }
            Argument::Setting(name, sign, value) => settings.push((name.clone(), *sign, value.clone())),
            Argument::Input => scripts.push(standard_input()),
        }
    }
    if !has_script && options.reads.is_empty() && options.interfaces.is_empty() {
        scripts.push(standard_input());
    }
    let is_good = driver.read(&scripts);
    if !is_good || driver.engine.is_fatal {
        return Err(1);
    }
    let are_set =
        settings.into_iter().fold(true, |all, (name, sign, value)| driver.set(&name, sign, &value) && all);
    if !are_set {
        return Err(1);
    }
    if options.ignore_checksums {
        driver.engine.set_global_named("ignore_checksums", Value::Bool(true));
    }
    if let Some(name) = &options.shown {
        return Err(show(&mut driver.engine, name));
    }
    if let Some(text) = crate::frameworks::metadata::fault(&driver.engine) {
        driver.engine.report("fatal error", "", text);
        return Err(1);
    }
    if !driver.read_signatures(&options.signatures) {
        return Err(1);
    }
    driver.report_unused();
    if options.dump {
        let text = crate::dump::program(&driver.engine);
        driver.engine.output.print(text.as_bytes());
        return Err(0);
    }
    if options.parse_only {
        return Err(i32::from(driver.engine.errors > 0));
    }
    Ok(())
}

/// Shows a variable: its type, value and attributes; the exit code.
fn show(engine: &mut Engine, name: &str) -> i32 {
    let Some(global) = engine.program.global_named(name).cloned() else {
        engine.report("fatal error", "", &format!("No such identifier: {name}"));
        return 1;
    };
    let mut text = format!("{name} : {}", engine.types().text(global.ty)).into_bytes();
    if global.value.is_set() {
        text.extend_from_slice(b" = ");
        engine.print_one(&global.value, Style::Escaped, &mut text);
    }
    for attribute in &global.attribute_names {
        text.extend_from_slice(format!(" {attribute}").as_bytes());
    }
    text.push(b'\n');
    engine.output.print(&text);
    0
}

/// Takes the seeds that the command line or the environment names.
fn take_seeds(driver: &mut Driver, options: &Options) -> Result<(), String> {
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let file = options.seeds.clone().or_else(|| variable("ZEEK_SEED_FILE"));
    let seeds = match (file, variable("ZEEK_SEED_VALUES")) {
        (Some(_), Some(_)) => {
            return Err("can't use ZEEK_SEED_VALUES together with ZEEK_SEED_FILE or -G".to_owned());
        }
        (None, None) => return Ok(()),
        (None, Some(text)) => seeds(&text).ok_or_else(|| "Could not load seeds from string".to_owned())?,
        (Some(file), None) => {
            let text = std::fs::read_to_string(&file).map_err(|error| {
                let reason = error.to_string();
                let reason = reason.split(" (os error").next().unwrap_or_default();
                driver.engine.report("warning", "", &format!("Could not open seed file '{file}': {reason}"));
            });
            let found = text.ok().and_then(|text| seeds(&text));
            found.ok_or_else(|| format!("Could not load seeds from file '{file}'."))?
        }
    };
    driver.engine.random.take_seeds(&seeds);
    crate::values::order::follow(seeds.key());
    Ok(())
}

fn standard_input() -> Script {
    let mut text = Vec::new();
    let _ = std::io::stdin().read_to_end(&mut text);
    Script::Text("<stdin>".to_owned(), text)
}

/// Runs a script with what bare mode loads; returns what it prints, what is wrong, and the exit code.
pub fn run_text(script: &str) -> (String, String, i32) {
    let script = script.as_bytes().to_vec();
    let worker = std::thread::Builder::new().stack_size(STACK).spawn(move || {
        let mut driver = Driver::new(Some("."));
        driver.engine.output.captured = Some((Vec::new(), String::new()));
        let is_read = driver.read(&[Script::Text("script.zeek".to_owned(), script)]);
        let code = if is_read && !driver.engine.is_fatal {
            driver.report_unused();
            execute(&mut driver.engine)
        } else {
            1
        };
        let (out, errors) = driver.engine.output.captured.take().unwrap_or_default();
        (String::from_utf8_lossy(&out).into_owned(), errors, code)
    });
    worker.ok().and_then(|worker| worker.join().ok()).unwrap_or_default()
}

/// Runs what was read.
fn execute(engine: &mut Engine) -> i32 {
    match engine.run_top_level() {
        Ok(()) => {}
        Err(Fault::Exit) => return engine.exit_code.unwrap_or(0),
        Err(_) => return 1,
    }
    let result = engine.run_without_packets();
    crate::frameworks::finish(engine);
    drop(result);
    engine.exit_code.unwrap_or(0)
}
