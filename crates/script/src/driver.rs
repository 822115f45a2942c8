//! Reads scripts, one declaration at a time, into a program.

use std::collections::HashMap;
use std::rc::Rc;

use crate::builtins::FAMILIES;
use crate::check::Checker;
use crate::signatures::Signatures;
use crate::source::{FileId, Span};
use crate::syntax::ast::{Decl, Expr};
use crate::syntax::{Failure, Host, Lexer, Loader, Parser};
use crate::values::Value;
use crate::vm::Engine;

/// Where a script comes from.
#[derive(Clone, Debug)]
pub enum Script {
    /// A path, or what `@load` takes.
    Path(String),
    /// Text with a name for messages.
    Text(String, Vec<u8>),
}

/// Most files that are open within one another.
const NESTED_FILES: usize = 200;

/// Reads scripts into an engine.
pub struct Driver {
    /// The engine.
    pub engine: Engine,
    loader: Loader,
    /// Where files were loaded from: `FILE:LINE`.
    origins: HashMap<FileId, String>,
    /// Number of `@load` that were followed.
    loads: usize,
    /// Number of files around each file that was loaded.
    levels: HashMap<FileId, usize>,
    /// Files of signatures that scripts ask for.
    signature_files: Vec<String>,
    signatures: Option<Signatures>,
}

impl Driver {
    /// Returns a driver that searches folders, colons between them.
    pub fn new(path: Option<&str>) -> Self {
        let mut driver = Self {
            engine: Engine::new(),
            loader: Loader::new(path),
            origins: HashMap::new(),
            loads: 0,
            levels: HashMap::new(),
            signature_files: Vec::new(),
            signatures: None,
        };
        driver.read_prelude("base/init-bare");
        driver
    }

    fn read_prelude(&mut self, part: &str) {
        let text = crate::prelude::text(part);
        self.loader.forbid(part);
        let first = !self.engine.program.symbols.contains_key("fmt");
        if first {
            self.engine.in_prelude = true;
            self.read_text("<built-in functions>", &declarations().into_bytes());
        }
        self.read_text(&format!("<{part}>"), text.as_bytes());
        self.engine.in_prelude = false;
    }

    fn read_text(&mut self, name: &str, text: &[u8]) {
        let file = self.engine.program.files.add(name);
        if self.engine.in_prelude {
            self.engine.prelude_files.insert(file);
        }
        let mut lexer = Lexer::default();
        lexer.push(file, text.into());
        self.parse(lexer);
    }

    /// Reads scripts, in their order; false where errors were reported.
    pub fn read(&mut self, scripts: &[Script]) -> bool {
        let mut lexer = Lexer::default();
        // The stack gives the last one first.
        for script in scripts.iter().rev() {
            match script {
                Script::Path(path) => match self.open(path, Span::default()) {
                    Some((file, text)) => lexer.push(file, text),
                    None => {
                        if self.engine.errors > 0 {
                            return false;
                        }
                    }
                },
                Script::Text(name, text) => {
                    let file = self.engine.program.files.add(name);
                    lexer.push(file, text.as_slice().into());
                }
            }
        }
        self.parse(lexer);
        crate::traffic::switch_groups(&mut self.engine);
        self.engine.errors == 0
    }

    fn parse(&mut self, lexer: Lexer) {
        let mut parser = Parser::new(lexer, self);
        loop {
            match parser.next_declaration() {
                Ok(Some((declaration, module, exported))) => {
                    parser.host.declare(declaration, module, exported);
                    if parser.host.engine.is_fatal {
                        return;
                    }
                }
                Ok(None) => return,
                Err(Failure) => {
                    parser.host.engine.is_fatal = true;
                    return;
                }
            }
        }
    }

    fn declare(&mut self, declaration: Decl, module: Rc<str>, exported: bool) {
        let is_prelude = declaration.span().is_some_and(|span| self.engine.is_prelude(span.file));
        if !is_prelude {
            self.declare_one(declaration, module, exported);
            return;
        }
        // What the prelude says of things that are not there is no error of the script.
        let errors = self.engine.errors;
        let outer = (self.engine.is_quiet, self.engine.in_prelude);
        (self.engine.is_quiet, self.engine.in_prelude) = (std::env::var_os("WEIR_PRELUDE").is_none(), true);
        let file = declaration.span().map(|span| self.engine.program.files.name(span.file));
        self.engine.in_policy = file.is_some_and(|name| name.starts_with(crate::prelude::POLICIES));
        self.declare_one(declaration, module, exported);
        (self.engine.is_quiet, self.engine.in_prelude) = outer;
        self.engine.in_policy = false;
        self.engine.errors = errors;
        self.engine.is_fatal = false;
    }

    fn declare_one(&mut self, declaration: Decl, module: Rc<str>, exported: bool) {
        let mut checker = Checker::new(&mut self.engine, module, exported);
        checker.declare(declaration);
        checker.finish();
    }

    fn open(&mut self, path: &str, from: Span) -> Option<(FileId, Rc<[u8]>)> {
        let file = from.is_known().then(|| self.engine.program.files.name(from.file));
        let level = self.levels.get(&from.file).filter(|_| from.is_known()).map_or(0, |level| level + 1);
        let origin = match &file {
            Some(file) => format!("{file}:{}", from.first),
            None => "command line arguments".to_owned(),
        };
        match self.loader.find(path, file.as_deref()) {
            crate::syntax::Found::File(name, text) => {
                let id = self.engine.program.files.add(&name);
                self.origins.insert(id, origin);
                self.levels.insert(id, level);
                self.engine.loaded.push((name, level));
                Some((id, text))
            }
            crate::syntax::Found::Prelude(part) => {
                let is_of_user = !from.is_known() || !self.engine.is_prelude(from.file);
                if is_of_user && crate::prelude::is_declared_only(part) {
                    let text = format!("{part} is known by its names alone: it does nothing here");
                    self.engine.report_at("warning", from, &text);
                }
                let id = self.engine.program.files.add(&format!("<{part}>"));
                self.engine.prelude_files.insert(id);
                self.levels.insert(id, level);
                self.engine.loaded.push((format!("{part}.zeek"), level));
                Some((id, crate::prelude::text(part).into_bytes().into()))
            }
            crate::syntax::Found::Before => None,
            crate::syntax::Found::Nothing => {
                self.engine.report_at("fatal error", from, &format!("can't find {path}"));
                self.engine.is_fatal = true;
                self.engine.errors += 1;
                None
            }
        }
    }
}

/// Returns declarations of all built-in functions, as a script.
fn declarations() -> String {
    let mut text = String::from(crate::prelude::EARLY);
    for builtin in
        FAMILIES.iter().flat_map(|rows| rows.iter()).filter(|builtin| !builtin.signature.is_empty())
    {
        text.push_str(&format!("export {{ global {}: function{}; }}\n", builtin.name, builtin.signature));
    }
    text
}

impl Host for Driver {
    fn is_defined(&mut self, name: &str, module: &str) -> bool {
        self.engine.program.find(name, module).is_some() || self.engine.program.modules.contains(name)
    }

    fn condition(&mut self, condition: Expr, module: &str) -> Option<bool> {
        let span = condition.span;
        let mut checker = Checker::new(&mut self.engine, module.into(), false);
        let value = checker.condition(condition);
        checker.finish();
        match value {
            Some(Value::Bool(value)) => Some(value),
            Some(value) => Some(value.int() != 0),
            None => {
                self.engine.report_at("error", span, "invalid expression in @if");
                None
            }
        }
    }

    fn load(&mut self, kind: &str, argument: &str, from: Span) -> Option<(FileId, Rc<[u8]>)> {
        match kind {
            "load" => {
                self.loads += 1;
                if self.loads > NESTED_FILES * 50 {
                    return None;
                }
                self.open(argument, from)
            }
            "unload" => {
                self.loader.forbid(argument);
                None
            }
            "load-sigs" => {
                let file = from.is_known().then(|| self.engine.program.files.name(from.file));
                let found = self.find_signatures(argument, file.as_deref());
                self.signature_files.extend(found);
                None
            }
            _ => None,
        }
    }

    fn file_name(&self, file: FileId) -> Rc<str> {
        self.engine.program.files.name(file)
    }

    fn report(&mut self, severity: &str, span: Span, text: &str) {
        self.engine.report_at(severity, span, text);
    }

    fn redef_fault(&self, name: &str, module: &str) -> Option<String> {
        let (_, symbol) = self.engine.program.find(name, module)?;
        let crate::program::Meaning::Type(id) = symbol.meaning else { return None };
        let types = &self.engine.program.types;
        if types.record(id).is_some() {
            return Some(format!("redef of record type {name} is missing record keyword"));
        }
        if types.is_enum(id) {
            return Some(format!("redef of enum type {name} is missing enum keyword"));
        }
        let kind = match types.get(id) {
            crate::types::Type::Table { .. } => "table".to_owned(),
            crate::types::Type::Vector(_) => "vector".to_owned(),
            _ => types.text(id),
        };
        Some(format!("can not redef {kind} type {name}"))
    }

    fn loaded_from(&self, file: FileId) -> String {
        self.origins.get(&file).cloned().unwrap_or_else(|| "command line arguments".to_owned())
    }
}

/// Whether a file of signatures is one of Zeek's own, which stand beside scripts of the prelude: Weir finds protocols and types
/// without them.
fn is_of_prelude(signatures: &str) -> bool {
    let folder = signatures.rsplit_once('/').map(|(folder, _)| folder);
    let is_part = |folder: &str| {
        ["main", "__load__"]
            .into_iter()
            .any(|file| crate::prelude::part(&format!("{folder}/{file}")).is_some())
    };
    folder.is_some_and(is_part)
}

impl Driver {
    /// Finds a file of signatures, and reports where there is none.
    fn find_signatures(&mut self, name: &str, from: Option<&str>) -> Option<String> {
        let found = self.loader.find_signatures(name, from);
        if found.is_none() && !is_of_prelude(name) {
            let text = format!("failed to find file associated with @load-sigs {name}");
            self.engine.report("error", "", &text);
        }
        found
    }

    /// Reads the files of signatures that the command line, `signature_files` and scripts name; false where errors were
    /// reported.
    pub fn read_signatures(&mut self, first: &[String]) -> bool {
        let errors = self.engine.errors;
        let setting = match self.engine.global("signature_files") {
            Some(Value::String(names)) => String::from_utf8_lossy(&names).into_owned(),
            _ => String::new(),
        };
        let names = first.iter().cloned().chain(setting.split_whitespace().map(str::to_owned));
        let mut files: Vec<String> = Vec::new();
        for name in names.collect::<Vec<_>>() {
            files.extend(self.find_signatures(&name, None));
        }
        files.append(&mut self.signature_files);
        let mut seen = std::collections::HashSet::new();
        files.retain(|file| seen.insert(file.clone()));
        self.signatures = crate::signatures::load(&mut self.engine, &files);
        self.engine.errors == errors
    }

    /// Returns the signatures.
    pub const fn signatures(&self) -> Option<&Signatures> {
        self.signatures.as_ref()
    }

    /// Takes the signatures out, to be matched.
    pub const fn take_signatures(&mut self) -> Option<Signatures> {
        self.signatures.take()
    }

    /// Sets a variable as the command line asks: `NAME=VALUE`. False where that cannot be, which was reported.
    pub fn set(&mut self, name: &str, sign: &str, value: &str) -> bool {
        let Some(global) = self.engine.program.global_named(name) else {
            self.engine.report("error", "", &format!("unknown identifier '{name}' in command-line options"));
            return false;
        };
        let ty = global.ty;
        if value.is_empty() && ty != crate::types::TypeId::STRING {
            let text = format!("must assign non-empty value to '{name}' in command-line options");
            self.engine.report("error", "", &text);
            return false;
        }
        let is_string = ty == crate::types::TypeId::STRING && !value.starts_with('"');
        let value = if is_string { format!("\"{value}\"") } else { value.to_owned() };
        let text = format!("redef {name} {sign} {value};");
        self.read(&[Script::Text("<params>".to_owned(), text.into_bytes())])
    }

    /// Returns the parts of the prelude that are loaded, by Zeek's paths.
    pub fn loaded_parts(&self) -> std::collections::HashSet<String> {
        self.loader.parts().map(str::to_owned).collect()
    }

    /// Warns about what nobody uses.
    pub fn report_unused(&mut self) {
        crate::check::report_unused(&mut self.engine);
    }
}
