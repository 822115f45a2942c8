//! From a record to a row: which fields are columns, under which names, and how much of them is logged.

use std::cell::RefCell;
use std::rc::Rc;

use super::settings::WriterKind;
use super::{Filter, function_field, number};
use crate::types::{Type, TypeId, Types};
use crate::values::{RecordValue, Value, VectorValue};
use crate::vm::Engine;

/// Deepest nesting of records.
const DEPTH: usize = 32;
/// Most columns.
const MOST_COLUMNS: usize = 1 << 12;

/// A column of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// Its type, as logs name it.
    pub word: String,
    /// Places of the fields that lead to it, the outermost first.
    pub places: Vec<usize>,
    /// It comes from the extension, not from the record.
    pub is_extension: bool,
}

/// How much of a record is logged; zero for no limit.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    field_bytes: usize,
    total_bytes: usize,
    field_elements: usize,
    total_elements: usize,
}

impl Limits {
    /// Reads the limits of a `Log::Stream`.
    pub(super) fn of(engine: &Engine, record: &RecordValue) -> Self {
        let limit = |name: &str| usize::try_from(engine.field(record, name).count()).unwrap_or(0);
        Self {
            field_bytes: limit("max_field_string_bytes"),
            total_bytes: limit("max_total_string_bytes"),
            field_elements: limit("max_field_container_elements"),
            total_elements: limit("max_total_container_elements"),
        }
    }
}

/// Returns the type of a column as logs name it; none for what cannot be logged.
fn word(types: &Types, ty: TypeId) -> Option<String> {
    Some(match types.get(ty) {
        Type::Basic(
            name @ ("bool" | "int" | "count" | "double" | "time" | "interval" | "port" | "addr" | "subnet"
            | "string"),
        ) => (*name).to_owned(),
        Type::Enum(_) => "enum".to_owned(),
        Type::Function(_) => "func".to_owned(),
        Type::File => "file".to_owned(),
        Type::Table { keys, value: None } if keys.len() == 1 => {
            format!("set[{}]", word(types, *keys.first()?).filter(|inner| !inner.contains('['))?)
        }
        Type::Vector(element) => {
            format!("vector[{}]", word(types, *element).filter(|inner| !inner.contains('['))?)
        }
        _ => return None,
    })
}

struct Collector<'a> {
    types: &'a Types,
    separator: String,
    include: Option<Vec<String>>,
    exclude: Vec<String>,
    names: Vec<(String, String)>,
    is_extension: bool,
    columns: Vec<Column>,
}

impl Collector<'_> {
    /// Adds the columns of a record; an error names a field that cannot be logged.
    fn collect(&mut self, ty: TypeId, prefix: &str, places: &mut Vec<usize>) -> Result<(), String> {
        let Some(record) = self.types.record(ty) else { return Ok(()) };
        if places.len() > DEPTH || self.columns.len() > MOST_COLUMNS {
            return Err("records are nested too deeply for a log".to_owned());
        }
        for (place, field) in record.fields.iter().enumerate().filter(|(_, field)| field.log) {
            let name = format!("{prefix}{}", field.name);
            places.push(place);
            if self.types.record(field.ty).is_some() {
                self.collect(field.ty, &format!("{name}{}", self.separator), places)?;
            } else {
                self.leaf(&name, field.ty, places)?;
            }
            places.pop();
        }
        Ok(())
    }

    fn leaf(&mut self, name: &str, ty: TypeId, places: &[usize]) -> Result<(), String> {
        let is_named = |names: &[String]| names.iter().any(|known| known == name);
        let is_chosen = self.include.as_deref().is_none_or(is_named) && !is_named(&self.exclude);
        if !is_chosen && !self.is_extension {
            return Ok(());
        }
        let word =
            word(self.types, ty).ok_or_else(|| format!("unsupported field type for log column '{name}'"))?;
        let renamed = self.names.iter().find(|(from, _)| from == name).map(|(_, to)| to.clone());
        self.columns.push(Column {
            name: renamed.unwrap_or_else(|| name.to_owned()),
            word,
            places: places.to_vec(),
            is_extension: self.is_extension,
        });
        Ok(())
    }
}

/// Returns the strings of a set.
fn strings(value: &Value) -> Option<Vec<String>> {
    value.table().map(|table| table.keys().iter().map(|key| key.0.text()).collect())
}

/// Returns the pairs of a table of strings, in the order of their names.
pub fn pairs(value: &Value) -> Vec<(String, String)> {
    let mut all: Vec<(String, String)> = value
        .table()
        .map(|table| table.entries().iter().map(|entry| (entry.key.0.text(), entry.value.text())).collect())
        .unwrap_or_default();
    all.sort();
    all
}

/// Makes a filter of a `Log::Filter`; none where it cannot be, which was reported.
pub(super) fn filter(engine: &mut Engine, id: &Value, record: &Rc<RecordValue>) -> Option<Filter> {
    let stream = engine.frameworks.log.stream(number(id))?.columns;
    let extension = extension(engine, record);
    let path = engine.field(record, "path");
    let path_function = match function_field(engine, record, "path_func") {
        Some(function) => Some(function),
        None if path.is_set() => None,
        None => engine.function("Log::default_path_func"),
    };
    if let Some(function) = &path_function {
        engine.set_field(record, "path_func", Value::Function(function.clone()));
    }
    let mut collector = Collector {
        types: engine.types(),
        separator: engine.field(record, "scope_sep").text(),
        include: strings(&engine.field(record, "include")),
        exclude: strings(&engine.field(record, "exclude")).unwrap_or_default(),
        names: pairs(&engine.field(record, "field_name_map")),
        is_extension: true,
        columns: Vec::new(),
    };
    let prefix = engine.field(record, "ext_prefix").text();
    let mut places = Vec::new();
    let mut done = match &extension {
        Some((_, ty)) => collector.collect(*ty, &prefix, &mut places),
        None => Ok(()),
    };
    collector.is_extension = false;
    done = done.and_then(|()| collector.collect(stream, "", &mut places));
    let columns = collector.columns;
    if let Err(text) = done {
        engine.report("error", "", &text);
        return None;
    }
    Some(Filter {
        name: engine.field(record, "name").text(),
        writer: WriterKind::of(&super::name_of(engine, &engine.field(record, "writer"))),
        config: pairs(&engine.field(record, "config")),
        is_local: engine.field(record, "log_local").is_true(),
        path: RefCell::new(path.text()),
        path_function,
        policy: function_field(engine, record, "policy"),
        extension: extension.map(|(function, _)| function),
        rotation_interval: engine.field(record, "interv").double(),
        postprocessor: function_field(engine, record, "postprocessor"),
        value: record.clone(),
        columns,
    })
}

/// Returns the function that makes extensions, and the type of its records.
fn extension(engine: &Engine, record: &RecordValue) -> Option<(Rc<crate::values::FunctionValue>, TypeId)> {
    let function = function_field(engine, record, "ext_func").or_else(|| {
        match engine.global("Log::default_ext_func") {
            Some(Value::Function(function)) => Some(function),
            _ => None,
        }
    })?;
    let known = engine.program.functions.get(function.function as usize)?;
    let function = known.replaced.clone().unwrap_or(function);
    let known = engine.program.functions.get(function.function as usize)?;
    let result = engine.program.types.signature(known.ty)?.result;
    engine.types().record(result).map(|_| (function, result))
}

/// Returns the values of a record's columns.
pub fn row(
    columns: &[Column],
    record: &Rc<RecordValue>,
    extension: Option<&Rc<RecordValue>>,
    limits: Limits,
) -> Vec<Value> {
    let mut budget = Budget { limits, bytes: limits.total_bytes, elements: limits.total_elements };
    columns
        .iter()
        .map(|column| {
            let from = if column.is_extension { extension.cloned() } else { Some(record.clone()) };
            let mut value = from.map_or(Value::Unset, Value::Record);
            for place in &column.places {
                value = match &value {
                    Value::Record(record) => record.get(*place),
                    _ => Value::Unset,
                };
            }
            budget.take(value)
        })
        .collect()
}

/// What a record may still log.
struct Budget {
    limits: Limits,
    bytes: usize,
    elements: usize,
}

impl Budget {
    fn take(&mut self, value: Value) -> Value {
        match &value {
            Value::String(bytes) => {
                let most = self.most_bytes(bytes.len());
                if most < bytes.len() { Value::string(bytes.get(..most).unwrap_or_default()) } else { value }
            }
            Value::Table(table) => {
                let keys = table.keys();
                let most = self.most_elements(keys.len());
                if most == keys.len() && !keys.iter().any(|key| matches!(key.0, Value::String(_))) {
                    return value;
                }
                let all = keys.into_iter().take(most).map(|key| self.take(key.0)).collect();
                Value::Vector(Rc::new(VectorValue::new(table.ty.get(), all)))
            }
            Value::Vector(vector) => {
                let elements = vector.all();
                let most = self.most_elements(elements.len());
                if most == elements.len() && !elements.iter().any(|part| matches!(part, Value::String(_))) {
                    return value;
                }
                let all = elements.into_iter().take(most).map(|part| self.take(part)).collect();
                Value::Vector(Rc::new(VectorValue::new(vector.ty.get(), all)))
            }
            _ => value,
        }
    }

    fn most_bytes(&mut self, wanted: usize) -> usize {
        let mut most = wanted;
        if self.limits.field_bytes > 0 {
            most = most.min(self.limits.field_bytes);
        }
        if self.limits.total_bytes > 0 {
            most = most.min(self.bytes);
            self.bytes -= most;
        }
        most
    }

    fn most_elements(&mut self, wanted: usize) -> usize {
        let mut most = wanted;
        if self.limits.field_elements > 0 {
            most = most.min(self.limits.field_elements);
        }
        if self.limits.total_elements > 0 {
            most = most.min(self.elements);
            self.elements -= most;
        }
        most
    }
}
