//! Options: values that change while scripts run, and functions that hear of it.

use std::rc::Rc;

use super::{Builtin, argument, row, text};
use crate::program::Meaning;
use crate::types::TypeId;
use crate::values::{FunctionValue, Key, TableValue, Value};
use crate::vm::{Engine, Outcome};

pub(super) const ROWS: &[Builtin] = &[
    row("Option::set", "(ID: string, val: any, location: string &default=\"\"): bool", set),
    row(
        "Option::set_change_handler",
        "(ID: string, on_change: any, priority: int &default=0): bool",
        set_handler,
    ),
    row("Option::any_set_to_any_vec", "(v: any): any_vec", |e, a| {
        let keys = argument(a, 0).table().map(|table| table.keys()).unwrap_or_default();
        let ty = e.program.types.vector(TypeId::ANY);
        let all = keys.into_iter().map(|key| key.0).collect();
        Ok(Value::Vector(Rc::new(crate::values::VectorValue::new(ty, all))))
    }),
    row("global_options", "(): string_set", |e, _| {
        let ty = e.program.types.table(&[TypeId::STRING], None);
        let set = Rc::new(TableValue::new(ty));
        let names: Vec<Rc<str>> = e
            .program
            .globals
            .iter()
            .filter(|global| global.is_option)
            .map(|global| global.name.clone())
            .collect();
        for name in names {
            set.insert(Key::new(&Value::string(name.as_bytes())), Value::Unset, e.now());
        }
        Ok(Value::Table(set))
    }),
];

/// Finds an option; reports where there is none.
fn option(engine: &mut Engine, name: &str) -> Option<u32> {
    let Some(Meaning::Global(number)) = engine.program.symbols.get(name).map(|symbol| symbol.meaning.clone())
    else {
        engine.complain(&format!("Could not find ID named '{name}'"));
        return None;
    };
    if !engine.program.globals.get(number as usize).is_some_and(|global| global.is_option) {
        engine.complain(&format!("ID '{name}' is not an option"));
        return None;
    }
    Some(number)
}

fn set(engine: &mut Engine, a: &[Value]) -> Outcome<Value> {
    let name = text(a, 0);
    let Some(number) = option(engine, &name) else { return Ok(Value::Bool(false)) };
    let ty = engine.program.globals.get(number as usize).map_or(TypeId::ERROR, |global| global.ty);
    let mut value = argument(a, 1);
    let own = engine.type_of(&value);
    if !engine.is_of(&value, ty) {
        let is_empty = matches!(&value, Value::Table(table) if table.is_empty())
            || matches!(&value, Value::Vector(vector) if vector.is_empty());
        if is_empty && engine.types().becomes_container(own, ty) {
            value = engine.empty_value(ty).unwrap_or_default();
        } else if engine.types().record(own).is_some() && engine.types().record_fits(own, ty) {
            value = engine.convert_value(&value, ty)?;
        } else {
            let texts = (engine.types().text(own), engine.types().text(ty));
            engine.complain(&format!(
                "Incompatible type for set of ID '{name}': got '{}', need '{}'",
                texts.0, texts.1
            ));
            return Ok(Value::Bool(false));
        }
    }
    let mut handlers = engine.frameworks.options.get(&number).cloned().unwrap_or_default();
    handlers.sort_by_key(|(priority, _)| std::cmp::Reverse(*priority));
    for (_, handler) in handlers {
        let parameters = engine
            .program
            .functions
            .get(handler.function as usize)
            .and_then(|function| engine.program.types.signature(function.ty))
            .map_or(2, |signature| signature.parameters.len());
        let mut arguments = vec![Value::string(&name), value.clone()];
        if parameters > 2 {
            arguments.push(argument(a, 2));
        }
        let changed = engine.call(&handler, &arguments)?;
        if !changed.is_set() {
            return Ok(Value::Bool(false));
        }
        value = changed;
    }
    if let Some(global) = engine.program.globals.get_mut(number as usize) {
        global.value = value;
    }
    engine.global_changed(number);
    Ok(Value::Bool(true))
}

fn set_handler(engine: &mut Engine, a: &[Value]) -> Outcome<Value> {
    let name = text(a, 0);
    let Some(number) = option(engine, &name) else { return Ok(Value::Bool(false)) };
    let Value::Function(function) = argument(a, 1) else {
        let value = argument(a, 1);
        let own = engine.type_of(&value);
        let own = engine.types().text(own);
        engine.complain(&format!("Option::on_change needs function argument; got '{own}' for ID '{name}'"));
        return Ok(Value::Bool(false));
    };
    if let Some(fault) = fault(engine, number, &function, &name) {
        engine.complain(&fault);
        return Ok(Value::Bool(false));
    }
    let priority = argument(a, 2).int();
    engine.frameworks.options.entry(number).or_default().push((priority, function));
    Ok(Value::Bool(true))
}

/// Returns why a function cannot hear of changes.
fn fault(engine: &Engine, number: u32, function: &FunctionValue, name: &str) -> Option<String> {
    let ty = engine.program.globals.get(number as usize)?.ty;
    let known = engine.program.functions.get(function.function as usize)?;
    let signature = engine.types().signature(known.ty)?;
    let shown = |id: TypeId| engine.types().text(id);
    if signature.flavor != crate::types::Flavor::Function {
        return Some("Option::on_change needs function argument; not hook or event".to_owned());
    }
    let parameters = &signature.parameters;
    if !(2..=3).contains(&parameters.len()) {
        return Some(format!(
            "Wrong number of arguments for passed function in Option::on_change for ID '{name}'; expected 2 or 3, got {}",
            parameters.len()
        ));
    }
    let parameter = |place: usize| parameters.get(place).map(|field| field.ty);
    if parameter(0) != Some(TypeId::STRING) {
        return Some(format!(
            "First argument of passed function has to be string in Option::on_change for ID '{name}'; got '{}'",
            shown(parameter(0)?)
        ));
    }
    if !engine.types().same(parameter(1)?, ty) {
        return Some(format!(
            "Second argument of passed function has to be {} in Option::on_change for ID '{name}'; got '{}'",
            shown(ty),
            shown(parameter(1)?)
        ));
    }
    if let Some(third) = parameter(2)
        && third != TypeId::STRING
    {
        return Some(format!(
            "Third argument of passed function has to be string in Option::on_change for ID '{name}'; got '{}'",
            shown(third)
        ));
    }
    if !engine.types().same(signature.result, ty) {
        return Some(format!(
            "Passed function needs to return type '{}' for ID '{name}'; got '{}'",
            shown(ty),
            shown(signature.result)
        ));
    }
    None
}
