//! Names within a function.

use std::collections::HashMap;
use std::rc::Rc;

use crate::source::Span;
use crate::types::{Flavor, TypeId};

/// A local.
#[derive(Clone, Debug)]
pub struct Local {
    /// Its register.
    pub register: u16,
    /// Its type.
    pub ty: TypeId,
    /// Where it is declared.
    pub span: Span,
    /// `const`
    pub is_const: bool,
    /// Always has a value.
    pub is_set: bool,
    /// Hidden parameters of other prototypes cannot be named.
    pub deprecated: Option<Rc<str>>,
}

/// A captured name.
#[derive(Clone, Debug)]
pub struct Captured {
    /// The name.
    pub name: Rc<str>,
    /// Its type.
    pub ty: TypeId,
    /// The function names it.
    pub is_used: bool,
}

/// What a function body knows.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// Locals by name.
    pub names: HashMap<Rc<str>, Local>,
    /// Number of registers in use.
    pub registers: u16,
    /// What it captured.
    pub captures: Vec<Captured>,
    /// The kind of function; none at the top level.
    pub flavor: Option<Flavor>,
    /// The type of the value that it returns; none where nothing says so.
    pub result: Option<TypeId>,
    /// Loops around the place.
    pub loops: u32,
    /// Loops and switches around the place.
    pub breakable: u32,
    /// It is a lambda or `when`, within the scope before it.
    pub is_inner: bool,
    /// It is a `when`: what it names is captured without a list, too.
    pub is_when: bool,
    /// `return` with a value was seen.
    pub returns_value: bool,
    /// The function's result is that of the first value that is returned.
    pub infers_result: bool,
    /// Names that were used without being captured.
    pub missing: Vec<Rc<str>>,
    /// It is no body: the value of a global or of an attribute.
    pub is_initial: bool,
    /// The function that it is the body of.
    pub owner: Option<Rc<str>>,
}

impl Scope {
    /// Returns a new register.
    pub fn register(&mut self) -> u16 {
        let register = self.registers;
        self.registers = self.registers.saturating_add(1);
        register
    }

    /// Declares a local.
    pub fn declare(&mut self, name: &Rc<str>, ty: TypeId, span: Span) -> u16 {
        let register = self.register();
        let local = Local { register, ty, span, is_const: false, is_set: false, deprecated: None };
        self.names.insert(name.clone(), local);
        register
    }
}
