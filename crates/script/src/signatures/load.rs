//! From signature files to a set that can be matched: names of events, functions and other signatures are looked up.

use std::collections::{HashMap, HashSet};

use super::reader::{self, Variables};
use super::rule::{Action, Condition, Content, Rule};
use super::{Group, Loaded, Signatures};
use crate::patterns::StreamPatterns;
use crate::types::{Flavor, TypeId};
use crate::values::{Subnet, Value};
use crate::vm::Engine;

/// What is wrong with the parameters of a function for `eval`.
const WRONG_PARAMETERS: &str = "eval function parameters must be a 'signature_state' and a 'string' type";

impl Variables for Engine {
    fn subnets(&self, name: &str) -> Option<Vec<Subnet>> {
        let one = |value: &Value| match value {
            Value::Subnet(subnet) => Some(*subnet),
            Value::Addr(address) => Some(Subnet::new(*address, address.width())),
            _ => None,
        };
        members(&self.global(name)?).iter().map(one).collect()
    }

    fn numbers(&self, name: &str) -> Option<Vec<u64>> {
        let one = |value: &Value| match value {
            Value::Count(number) => Some(*number),
            Value::Int(number) => u64::try_from(*number).ok(),
            Value::Port(port) => Some(port.number.into()),
            _ => None,
        };
        members(&self.global(name)?).iter().map(one).collect()
    }
}

/// The members of a set or vector, or the value itself.
fn members(value: &Value) -> Vec<Value> {
    match value {
        Value::Table(table) => table.keys().into_iter().map(|key| key.0).collect(),
        Value::Vector(vector) => vector.all(),
        single => vec![single.clone()],
    }
}

/// Reads signature files; the answer is nothing where there are no signatures. What is wrong was reported, and counts as an
/// error.
pub fn load(engine: &mut Engine, files: &[String]) -> Option<Signatures> {
    let mut rules: Vec<Rule> = Vec::new();
    let mut names: HashSet<std::rc::Rc<str>> = HashSet::new();
    for file in files {
        let Ok(text) = std::fs::read(file) else {
            engine.report("error", "", &format!("can't open {file}"));
            continue;
        };
        match reader::read(&text, file, engine) {
            Ok(read) => {
                for rule in read {
                    if names.insert(rule.name.clone()) {
                        rules.push(rule);
                    } else {
                        report(
                            engine,
                            &rule.file,
                            rule.line,
                            &format!("duplicate signature ({})", rule.name),
                        );
                    }
                }
            }
            Err(problem) => report(engine, file, problem.line, &problem.text),
        }
    }
    if rules.is_empty() {
        return None;
    }
    let numbers: HashMap<_, usize> =
        rules.iter().enumerate().map(|(number, rule)| (rule.name.clone(), number)).collect();
    let loaded: Vec<Loaded> = rules.into_iter().map(|rule| Loader { engine }.one(rule, &numbers)).collect();
    let (groups, bytes_of_patterns) = groups(engine, &loaded);
    let contents = contents(engine, &loaded);
    Some(Signatures::new(loaded, groups, bytes_of_patterns, contents))
}

fn report(engine: &mut Engine, file: &str, line: u32, text: &str) {
    engine.report("error", "", &format!("Error in signature ({file}:{line}): {text}"));
}

struct Loader<'a> {
    engine: &'a mut Engine,
}

impl Loader<'_> {
    fn one(&mut self, rule: Rule, numbers: &HashMap<std::rc::Rc<str>, usize>) -> Loaded {
        let mut loaded = Loaded::default();
        for requirement in &rule.requirements {
            match numbers.get(&requirement.name) {
                Some(number) => {
                    loaded.requires.push((*number, requirement.is_reverse, requirement.is_negated));
                }
                None => {
                    let text = format!("unknown rule referenced ({})", requirement.name);
                    report(self.engine, &rule.file, rule.line, &text);
                }
            }
        }
        for (condition, line) in &rule.conditions {
            if let Condition::Eval(name) = condition {
                match self.eval(name) {
                    Ok(function) => loaded.functions.push(function),
                    Err(text) => report(self.engine, &rule.file, *line, &text),
                }
            }
        }
        for (action, line) in &rule.actions {
            if let Action::Event(name, message) = action {
                match self.event(name, message.is_some()) {
                    Ok((event, parameters)) => loaded.events.push((event, message.clone(), parameters)),
                    Err(text) => report(self.engine, &rule.file, *line, &text),
                }
            }
        }
        loaded.rule = rule;
        loaded
    }

    fn use_name(&mut self, name: &str) {
        let number = match self.engine.program.symbols.get(name).map(|symbol| &symbol.meaning) {
            Some(crate::program::Meaning::Global(number)) => *number as usize,
            _ => return,
        };
        if let Some(global) = self.engine.program.globals.get_mut(number) {
            global.is_used = true;
            // Nobody but the signature may call it.
            global.is_exported = true;
        }
    }

    /// Returns the function of a condition `eval`.
    fn eval(&mut self, name: &str) -> Result<u32, String> {
        let number = self.engine.program.function_named(name);
        let Some(number) = number else { return Err(format!("unknown script-level identifier ({name})")) };
        self.use_name(name);
        let Some(function) = self.engine.program.functions.get(number as usize) else {
            return Err(format!("unknown script-level identifier ({name})"));
        };
        let (ty, span, flavor) = (function.ty, function.span, function.flavor);
        let state = self.engine.program.type_named("signature_state");
        let types = self.engine.types();
        let Some(signature) = types.signature(ty) else { return Err(WRONG_PARAMETERS.to_owned()) };
        let given: Vec<TypeId> = signature.parameters.iter().map(|parameter| parameter.ty).collect();
        if flavor != Flavor::Function {
            return Err(format!("eval is not a function ({name})"));
        }
        if given.len() != 2 {
            let shown = self.shown(ty);
            let count = given.len();
            let text = format!("Wrong number of arguments for function. Expected 2, got {count}. ({shown})");
            self.engine.report_at("warning", span, &text);
        }
        if Some(&given) == state.map(|state| vec![state, TypeId::STRING]).as_ref() {
            Ok(number)
        } else {
            Err(format!("{WRONG_PARAMETERS} ({name})"))
        }
    }

    /// The type of a function, with the names of its parameters' types.
    fn shown(&self, ty: TypeId) -> String {
        let program = &self.engine.program;
        let record = |ty: TypeId| program.types.record(ty).and(program.aliases.get(&ty)?.first());
        let named = |ty| record(ty).map_or_else(|| program.types.text(ty), ToString::to_string);
        let Some(signature) = program.types.signature(ty) else { return String::new() };
        let parameters: Vec<String> = signature
            .parameters
            .iter()
            .map(|parameter| format!("{}:{}", parameter.name, named(parameter.ty)))
            .collect();
        format!("function({}) : {}", parameters.join("; "), named(signature.result))
    }

    /// Returns the event of an action, and the number of its parameters.
    fn event(&mut self, name: &str, has_message: bool) -> Result<(Option<u32>, usize), String> {
        // An event that nothing handles is none to raise.
        let Some(number) = self.engine.program.function_named(name) else { return Ok((None, 0)) };
        self.use_name(name);
        let function = self.engine.program.functions.get(number as usize);
        let signature = function.and_then(|function| self.engine.types().signature(function.ty));
        let count = signature.map_or(0, |signature| signature.parameters.len());
        let least = if has_message { 3 } else { 2 };
        if function.is_none_or(|function| function.flavor != Flavor::Event)
            || !(least..=least + 1).contains(&count)
        {
            return Err(format!("wrong event parameters for '{name}'"));
        }
        Ok((Some(number), count))
    }
}

/// The machines of all kinds of content, and the number of all patterns.
fn groups(engine: &mut Engine, rules: &[Loaded]) -> (Vec<Option<Group>>, usize) {
    let mut bits = 0;
    let mut groups = Vec::new();
    for content in Content::ALL {
        let mut owners = Vec::new();
        let mut expressions = Vec::new();
        for (number, rule) in rules.iter().enumerate() {
            for (_, pattern) in rule.rule.patterns.iter().filter(|(of, _)| *of == content) {
                owners.push((number, bits));
                bits += 1;
                expressions.push(pattern.clone());
            }
        }
        let machine = match StreamPatterns::new(&expressions) {
            _ if expressions.is_empty() => None,
            Ok(machine) => Some(machine),
            Err(text) => {
                let Some(first) = owners.first().and_then(|(number, _)| rules.get(*number)) else { continue };
                report(engine, &first.rule.file, first.rule.line, &text);
                None
            }
        };
        groups.push(machine.map(|machine| Group { machine, owners }));
    }
    (groups, bits)
}

/// The events that bring content, by their numbers.
fn contents(engine: &Engine, rules: &[Loaded]) -> HashMap<u32, Vec<Content>> {
    let mut all: HashMap<u32, Vec<Content>> = HashMap::new();
    for content in Content::ALL {
        let is_asked = rules.iter().any(|rule| rule.rule.patterns.iter().any(|(of, _)| *of == content));
        let event = content.event().filter(|_| is_asked);
        if let Some(number) = event.and_then(|event| engine.program.function_named(event)) {
            all.entry(number).or_default().push(content);
        }
    }
    all
}
