//! A program: everything that scripts declared.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use crate::builtins::Builtin;
use crate::code::Code;
use crate::source::{Files, Span};
use crate::types::{Flavor, TypeId, Types};
use crate::values::{Attributes, Value};

/// What a name stands for.
#[derive(Clone, Debug)]
pub enum Meaning {
    /// A variable, by its number; functions are variables with a function as their value.
    Global(u32),
    /// A type.
    Type(TypeId),
    /// A value of an enumeration.
    Enum(TypeId, i64),
}

/// A name at the top level.
#[derive(Clone, Debug)]
pub struct Symbol {
    /// What it stands for.
    pub meaning: Meaning,
    /// Where it is declared.
    pub span: Span,
    /// Other modules may use it.
    pub is_exported: bool,
    /// `&deprecated`, with its sentence.
    pub deprecated: Option<Rc<str>>,
}

/// A variable at the top level.
#[derive(Clone, Debug)]
pub struct Global {
    /// Its full name.
    pub name: Rc<str>,
    /// Its type.
    pub ty: TypeId,
    /// Its value.
    pub value: Value,
    /// The function of this name, where it is one.
    pub function: Option<u32>,
    /// `const`
    pub is_const: bool,
    /// `option`
    pub is_option: bool,
    /// `&redef`
    pub is_redefinable: bool,
    /// `export`
    pub is_exported: bool,
    /// `&is_used`, and used by code.
    pub is_used: bool,
    /// Where it is declared.
    pub span: Span,
    /// Attributes of a table.
    pub attributes: Option<Rc<Attributes>>,
    /// Names of its attributes.
    pub attribute_names: Vec<Rc<str>>,
}

/// A prototype of an event or hook beside the first one: places of its parameters among those of the first.
#[derive(Clone, Debug)]
pub struct Prototype {
    /// Its type.
    pub ty: TypeId,
    /// For each parameter, its place in the first prototype.
    pub places: Vec<u16>,
    /// `&deprecated`, with its sentence.
    pub deprecated: Option<Rc<str>>,
    /// Where it is declared.
    pub span: Span,
}

/// A body of a function.
#[derive(Clone, Debug)]
pub struct Body {
    /// `&priority`
    pub priority: i64,
    /// Its code.
    pub code: Rc<Code>,
    /// Groups that switch it: of events by name, and its module.
    pub groups: Vec<Rc<str>>,
    /// Places of its parameters in the arguments, where its prototype is not the first.
    pub places: Option<Rc<[u16]>>,
    /// Where it is.
    pub span: Span,
}

/// A function, event or hook.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its full name.
    pub name: Rc<str>,
    /// Its type.
    pub ty: TypeId,
    /// Its kind.
    pub flavor: Flavor,
    /// Its bodies, by priority, then in the order of their definition.
    pub bodies: Rc<Vec<Body>>,
    /// The built-in function that it is.
    pub builtin: Option<&'static Builtin>,
    /// Other prototypes.
    pub prototypes: Vec<Prototype>,
    /// Where it is declared.
    pub span: Span,
    /// Something raises it: a declaration, or the engine.
    pub is_declared: bool,
    /// Names of groups of which one is switched off.
    pub has_body: bool,
    /// The function that a script put into the variable of this name.
    pub replaced: Option<Rc<crate::values::FunctionValue>>,
    /// How often it was called or raised.
    pub calls: u64,
}

/// All that was declared.
#[derive(Default)]
pub struct Program {
    /// Files that were read.
    pub files: Files,
    /// Types.
    pub types: Types,
    /// Variables.
    pub globals: Vec<Global>,
    /// Functions.
    pub functions: Vec<Function>,
    /// Names, with their modules.
    pub symbols: HashMap<Rc<str>, Symbol>,
    /// Modules that exist.
    pub modules: HashSet<Rc<str>>,
    /// Names of types in the order of declaration, for `type_aliases`.
    pub aliases: HashMap<TypeId, Vec<Rc<str>>>,
    /// Where types were written last.
    pub type_spans: HashMap<TypeId, Span>,
    /// Enumerations' values that are deprecated.
    pub deprecated_values: HashMap<(TypeId, i64), Rc<str>>,
    /// Attributes of tables in constructors and fields.
    pub attributes: Vec<Rc<Attributes>>,
    /// Attributes of fields that are tables, by record and place.
    pub field_attributes: HashMap<(TypeId, usize), Rc<Attributes>>,
    /// Groups of events that are switched off, and those that exist.
    pub groups: HashMap<Rc<str>, bool>,
    /// What scripts name.
    pub mentions: crate::check::Mentions,
    /// Patterns for what record fields' expressions are, for `record_fields`.
    pub alternatives: u32,
}

impl Program {
    /// Returns the full name of a name in a module.
    pub fn qualified(name: &str, module: &str) -> Rc<str> {
        if let Some(rest) = name.strip_prefix("::").or_else(|| name.strip_prefix("GLOBAL::")) {
            return rest.into();
        }
        if name.contains("::") || module == "GLOBAL" {
            return name.into();
        }
        format!("{module}::{name}").into()
    }

    /// Finds a name, first in the module, then among those of no module.
    pub fn find(&self, name: &str, module: &str) -> Option<(Rc<str>, &Symbol)> {
        let full = Self::qualified(name, module);
        if let Some((key, symbol)) = self.symbols.get_key_value(&full) {
            return Some((key.clone(), symbol));
        }
        if name.starts_with("::") {
            return None;
        }
        self.symbols.get_key_value(name).map(|(key, symbol)| (key.clone(), symbol))
    }

    /// Returns a type by its full name.
    pub fn type_named(&self, name: &str) -> Option<TypeId> {
        match self.symbols.get(name)?.meaning {
            Meaning::Type(id) => Some(id),
            _ => None,
        }
    }

    /// Returns a variable by its full name.
    pub fn global_named(&self, name: &str) -> Option<&Global> {
        match self.symbols.get(name)?.meaning {
            Meaning::Global(number) => self.globals.get(number as usize),
            _ => None,
        }
    }

    /// Returns a function by its full name.
    pub fn function_named(&self, name: &str) -> Option<u32> {
        self.global_named(name)?.function
    }

    /// Returns a value of an enumeration by its full name.
    pub fn enum_named(&self, name: &str) -> Option<Value> {
        match self.symbols.get(name)?.meaning {
            Meaning::Enum(ty, value) => Some(Value::Enum(ty, value)),
            _ => None,
        }
    }
}
