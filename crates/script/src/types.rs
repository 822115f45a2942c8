//! The types of Zeek's script language: an arena of types, in which equal structural types share an id.

mod compare;
mod record;
mod text;

use std::collections::HashMap;
use std::rc::Rc;

pub use compare::{Numeric, promote};
pub use record::{Default, Field, Record};

/// A type, as an index into [`Types`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TypeId(pub u32);

macro_rules! basics {
    ($($name:ident $number:literal $word:literal),* $(,)?) => {
        impl TypeId {
            $(#[doc = concat!("The type `", $word, "`.")] pub const $name: TypeId = TypeId($number);)*
        }
        const BASICS: &[Type] = &[$(Type::Basic($word)),*];
    };
}

basics! {
    VOID 0 "void", BOOL 1 "bool", INT 2 "int", COUNT 3 "count", DOUBLE 4 "double", TIME 5 "time",
    INTERVAL 6 "interval", STRING 7 "string", PATTERN 8 "pattern", PORT 9 "port", ADDR 10 "addr",
    SUBNET 11 "subnet", ANY 12 "any", ERROR 13 "error",
}

/// Kinds of functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Flavor {
    /// Called, and returns a value.
    Function,
    /// Queued; all its bodies run.
    Event,
    /// Called; its bodies run until one leaves by `break`.
    Hook,
}

/// The type of a function, event or hook.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its kind.
    pub flavor: Flavor,
    /// Its parameters.
    pub parameters: Rc<[Field]>,
    /// The type of its value; `bool` for hooks, `void` for events.
    pub result: TypeId,
    /// Takes any arguments, whatever the parameters (some built-in functions).
    pub variadic: bool,
}

/// An enumeration.
#[derive(Clone, Debug, core::default::Default)]
pub struct Enum {
    /// Its full name.
    pub name: Rc<str>,
    /// Names of its values, and the values, in the order of declaration.
    pub values: Vec<(Rc<str>, i64)>,
    /// Names by values.
    pub names: HashMap<i64, Rc<str>>,
}

/// A type.
#[derive(Clone, Debug)]
pub enum Type {
    /// A type that is only a word.
    Basic(&'static str),
    /// An enumeration.
    Enum(Enum),
    /// A table, or a set where there is no value's type.
    Table {
        /// Types of the indices; empty where not known yet.
        keys: Rc<[TypeId]>,
        /// The type of the values.
        value: Option<TypeId>,
    },
    /// A vector of elements.
    Vector(TypeId),
    /// A record.
    Record(Record),
    /// A function, event or hook.
    Function(Function),
    /// A file.
    File,
    /// A value that scripts cannot look into.
    Opaque(Rc<str>),
    /// Several values, as in a composite index.
    List(Rc<[TypeId]>),
    /// A type as a value.
    Type(TypeId),
}

#[derive(PartialEq, Eq, Hash)]
enum Shape {
    Table(Rc<[TypeId]>, Option<TypeId>),
    Vector(TypeId),
    Opaque(Rc<str>),
    List(Rc<[TypeId]>),
    Type(TypeId),
}

/// All types of a program.
pub struct Types {
    all: Vec<Type>,
    shapes: HashMap<Shape, TypeId>,
    file: TypeId,
    names: HashMap<TypeId, Rc<str>>,
    /// Functions as text, by their numbers, as values of functions are written.
    functions: HashMap<u32, Rc<str>>,
}

impl core::default::Default for Types {
    fn default() -> Self {
        let mut all = BASICS.to_vec();
        all.push(Type::File);
        let file = TypeId(14);
        Self { all, shapes: HashMap::new(), file, names: HashMap::new(), functions: HashMap::new() }
    }
}

impl Types {
    /// Returns a type.
    pub fn get(&self, id: TypeId) -> &Type {
        const ERROR: &Type = &Type::Basic("error");
        self.all.get(id.0 as usize).unwrap_or(ERROR)
    }

    /// Adds a type that equals no other.
    pub fn add(&mut self, new: Type) -> TypeId {
        self.all.push(new);
        TypeId(u32::try_from(self.all.len() - 1).unwrap_or(TypeId::ERROR.0))
    }

    fn shaped(&mut self, shape: Shape, new: Type) -> TypeId {
        if let Some(id) = self.shapes.get(&shape) {
            return *id;
        }
        let id = self.add(new);
        self.shapes.insert(shape, id);
        id
    }

    /// Returns the type of tables, or of sets where `value` is `None`.
    pub fn table(&mut self, keys: &[TypeId], value: Option<TypeId>) -> TypeId {
        let keys: Rc<[TypeId]> = keys.into();
        self.shaped(Shape::Table(keys.clone(), value), Type::Table { keys, value })
    }

    /// Returns the type of vectors.
    pub fn vector(&mut self, element: TypeId) -> TypeId {
        self.shaped(Shape::Vector(element), Type::Vector(element))
    }

    /// Returns the type of opaque values of a name.
    pub fn opaque(&mut self, name: &str) -> TypeId {
        let name: Rc<str> = name.into();
        self.shaped(Shape::Opaque(name.clone()), Type::Opaque(name))
    }

    /// Returns the type of a list of values.
    pub fn list(&mut self, members: &[TypeId]) -> TypeId {
        let members: Rc<[TypeId]> = members.into();
        self.shaped(Shape::List(members.clone()), Type::List(members))
    }

    /// Returns the type of a type as a value.
    pub fn type_of_type(&mut self, of: TypeId) -> TypeId {
        self.shaped(Shape::Type(of), Type::Type(of))
    }

    /// Returns the type of files.
    pub fn file(&self) -> TypeId {
        self.file
    }

    /// Returns the type of a function.
    pub fn function(&mut self, function: Function) -> TypeId {
        self.add(Type::Function(function))
    }

    /// Names a type, where it has no name yet.
    pub fn name(&mut self, id: TypeId, name: &str) {
        self.names.entry(id).or_insert_with(|| name.into());
    }

    /// Returns whether logs have columns of the type, or of its fields.
    pub fn is_loggable(&self, id: TypeId) -> bool {
        let is_plain = |part: TypeId| match self.get(part) {
            Type::Basic(name) => !matches!(*name, "any" | "pattern" | "void"),
            Type::Enum(_) | Type::Function(_) | Type::File => true,
            _ => false,
        };
        match self.get(id) {
            Type::Record(_) => true,
            Type::Table { keys, value: None } => keys.iter().all(|key| is_plain(*key)),
            Type::Vector(element) => is_plain(*element),
            _ => is_plain(id),
        }
    }

    /// Says how a function is written.
    pub fn show_function(&mut self, number: u32, text: Rc<str>) {
        self.functions.insert(number, text);
    }

    /// Adds a body to how a function is written.
    pub fn show_body(&mut self, number: u32, ty: TypeId, name: &str, body: &str) {
        let before = self.functions.get(&number).filter(|text| text.contains('\n'));
        let head = before.map_or_else(|| format!("{name}: {}", self.short_text(ty)), |text| text.to_string());
        self.functions.insert(number, format!("{head}\n{body}").into());
    }

    /// Returns a function as it is written.
    pub fn function_text(&self, number: u32) -> Option<&Rc<str>> {
        self.functions.get(&number)
    }

    /// Returns the name under which a type was declared.
    pub fn name_of(&self, id: TypeId) -> Option<Rc<str>> {
        match self.get(id) {
            Type::Enum(inner) => Some(inner.name.clone()),
            _ => self.names.get(&id).cloned(),
        }
    }

    /// Returns the record of a type.
    pub fn record(&self, id: TypeId) -> Option<&Record> {
        match self.get(id) {
            Type::Record(record) => Some(record),
            _ => None,
        }
    }

    /// Returns the record of a type, to change it.
    pub fn record_mut(&mut self, id: TypeId) -> Option<&mut Record> {
        match self.all.get_mut(id.0 as usize) {
            Some(Type::Record(record)) => Some(record),
            _ => None,
        }
    }

    /// Returns the enumeration of a type.
    pub fn enumeration(&self, id: TypeId) -> Option<&Enum> {
        match self.get(id) {
            Type::Enum(inner) => Some(inner),
            _ => None,
        }
    }

    /// Returns the enumeration of a type, to change it.
    pub fn enumeration_mut(&mut self, id: TypeId) -> Option<&mut Enum> {
        match self.all.get_mut(id.0 as usize) {
            Some(Type::Enum(inner)) => Some(inner),
            _ => None,
        }
    }

    /// Returns the function's type.
    pub fn signature(&self, id: TypeId) -> Option<&Function> {
        match self.get(id) {
            Type::Function(function) => Some(function),
            _ => None,
        }
    }

    /// Returns the types of a table's indices and values.
    pub fn table_of(&self, id: TypeId) -> Option<(Rc<[TypeId]>, Option<TypeId>)> {
        match self.get(id) {
            Type::Table { keys, value } => Some((keys.clone(), *value)),
            _ => None,
        }
    }

    /// Returns whether the type is a set.
    pub fn is_set(&self, id: TypeId) -> bool {
        matches!(self.get(id), Type::Table { value: None, .. })
    }

    /// Returns whether the type is a table or set.
    pub fn is_table(&self, id: TypeId) -> bool {
        matches!(self.get(id), Type::Table { .. })
    }

    /// Returns the type of a vector's elements.
    pub fn element(&self, id: TypeId) -> Option<TypeId> {
        match self.get(id) {
            Type::Vector(element) => Some(*element),
            _ => None,
        }
    }

    /// Returns whether the type is an enumeration.
    pub fn is_enum(&self, id: TypeId) -> bool {
        matches!(self.get(id), Type::Enum(_))
    }
}
