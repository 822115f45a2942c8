//! Syntax trees. The check puts types and places in and replaces names by what they stand for, so that the same tree is
//! read, checked and compiled.

use std::rc::Rc;

use crate::source::Span;
use crate::types::{Flavor, TypeId};
use crate::values::Value;

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// Its kind.
    pub kind: Kind,
    /// Its type, once checked.
    pub ty: TypeId,
    /// Where it stands.
    pub span: Span,
    /// How deep it is nested.
    pub depth: u16,
    /// Stands in parentheses.
    pub is_grouped: bool,
}

/// Operators between two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
    BitAnd,
    BitOr,
    BitXor,
    ShiftLeft,
    ShiftRight,
    And,
    Or,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
    In,
    NotIn,
}

impl Operator {
    /// Returns the operator as it is written.
    pub fn sign(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
            Self::Modulo => "%",
            Self::BitAnd => "&",
            Self::BitOr => "|",
            Self::BitXor => "^",
            Self::ShiftLeft => "<<",
            Self::ShiftRight => ">>",
            Self::And => "&&",
            Self::Or => "||",
            Self::Less => "<",
            Self::LessEqual => "<=",
            Self::Greater => ">",
            Self::GreaterEqual => ">=",
            Self::Equal => "==",
            Self::NotEqual => "!=",
            Self::In => "in",
            Self::NotIn => "!in",
        }
    }

    /// Returns whether the result is a `bool` by comparison.
    pub fn is_comparison(self) -> bool {
        matches!(
            self,
            Self::Less | Self::LessEqual | Self::Greater | Self::GreaterEqual | Self::Equal | Self::NotEqual
        )
    }
}

/// Operators before a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Prefix {
    Not,
    Complement,
    Negate,
    Plus,
    Increment,
    Decrement,
}

/// Which constructor a container is made by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Container {
    /// `table(…)`
    Table,
    /// `set(…)`
    Set,
    /// `vector(…)`
    Vector,
}

/// Kinds of expressions.
#[derive(Clone, Debug)]
pub enum Kind {
    /// A name that is not resolved yet.
    Name(Rc<str>),
    /// A local, by its register.
    Local(u16, Rc<str>),
    /// What a lambda captured, by its place.
    Capture(u16, Rc<str>),
    /// A global, by its number.
    Global(u32, Rc<str>),
    /// A function by its number.
    Function(u32, Rc<str>),
    /// A type.
    Type(TypeId, Rc<str>),
    /// A constant.
    Constant(Value),
    /// Names that are looked up in the domain name system.
    Host(Rc<str>),
    /// A call; the arguments of built-in and own functions.
    Call(Box<Expr>, Vec<Expr>),
    /// `event f(…)` as an expression of `schedule`, or as a statement.
    Event(Box<Expr>, Vec<Expr>),
    /// `hook f(…)`
    Hook(Box<Expr>),
    /// `schedule delay { f(…) }`
    Schedule(Box<Expr>, Box<Expr>),
    /// `x[…]`
    Index(Box<Expr>, Vec<Expr>),
    /// `x[a:b]`
    Slice(Box<Expr>, Option<Box<Expr>>, Option<Box<Expr>>),
    /// `x$f`, with the field's place.
    Field(Box<Expr>, Rc<str>, u32),
    /// `x?$f`
    HasField(Box<Expr>, Rc<str>, u32),
    /// `!x`, `-x` and the like.
    Unary(Prefix, Box<Expr>),
    /// `a + b` and the like.
    Binary(Operator, Box<Expr>, Box<Expr>),
    /// `a = b`
    Assign(Box<Expr>, Box<Expr>),
    /// `local a = b` in the condition of `when`
    Declare(Rc<str>, Box<Expr>),
    /// `a += b`
    Update(Operator, Box<Expr>, Box<Expr>),
    /// `a ? b : c`
    Choice(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `[a, b]`
    List(Vec<Expr>),
    /// `[$a = 1]` or `record($a = 1)`, or with the name of a type.
    Record(Vec<Expr>, Option<Rc<str>>),
    /// `$a = 1`
    FieldAssign(Rc<str>, Box<Expr>),
    /// A constructor of a container, with its attributes.
    Container(Container, Vec<Expr>, Vec<Attribute>, Option<Rc<str>>),
    /// `{ … }` as an initial value.
    Braces(Vec<Expr>),
    /// A function without a name.
    Lambda(Box<Lambda>),
    /// `|x|`
    Size(Box<Expr>),
    /// `copy(x)`
    Copy(Box<Expr>),
    /// A type that is written out.
    Written(TypeExpr),
    /// `x as T`
    Cast(Box<Expr>, TypeExpr),
    /// `x is T`
    Is(Box<Expr>, TypeExpr),
    /// `x ?as T`
    CanCast(Box<Expr>, TypeExpr),
    /// `add x[…]`
    Add(Box<Expr>),
    /// `delete x[…]`
    Delete(Box<Expr>),
    /// A conversion that the check put in.
    Coerce(Box<Expr>),
    /// A conversion to `any` that the check put in: it does nothing but is seen in messages.
    ToAny(Box<Expr>),
}

/// An attribute.
#[derive(Clone, Debug)]
pub struct Attribute {
    /// Its name, without `&`.
    pub name: Rc<str>,
    /// Its value.
    pub value: Option<Box<Expr>>,
    /// Where it stands.
    pub span: Span,
}

/// A captured name.
#[derive(Clone, Debug)]
pub struct Capture {
    /// The name.
    pub name: Rc<str>,
    /// `copy name`
    pub is_copy: bool,
    /// Where it stands.
    pub span: Span,
}

/// A function without a name.
#[derive(Clone, Debug)]
pub struct Lambda {
    /// Its captures, where they are listed.
    pub captures: Option<Vec<Capture>>,
    /// Its type.
    pub signature: TypeExpr,
    /// Its attributes.
    pub attributes: Vec<Attribute>,
    /// Its body.
    pub body: Stmt,
    /// The number of the function, once checked.
    pub function: u32,
    /// Where the values of the captures are when it is made, once checked.
    pub sources: Vec<Expr>,
}

/// A type as it is written.
#[derive(Clone, Debug)]
pub struct TypeExpr {
    /// Its kind.
    pub kind: TypeKind,
    /// Where it stands.
    pub span: Span,
}

/// A field or parameter as it is written.
#[derive(Clone, Debug)]
pub struct FieldDecl {
    /// Its name.
    pub name: Rc<str>,
    /// Its type.
    pub ty: TypeExpr,
    /// Its attributes.
    pub attributes: Vec<Attribute>,
    /// Where it stands.
    pub span: Span,
}

/// A value of an enumeration as it is written.
#[derive(Clone, Debug)]
pub struct EnumItem {
    /// Its name.
    pub name: Rc<str>,
    /// Its value, where it is said.
    pub value: Option<i64>,
    /// `&deprecated`
    pub deprecated: Option<Attribute>,
    /// Where it stands.
    pub span: Span,
}

/// Kinds of types as they are written.
#[derive(Clone, Debug)]
pub enum TypeKind {
    /// A name of a declared type.
    Name(Rc<str>),
    /// A type that is known.
    Known(TypeId),
    /// `table[…] of …`
    Table(Vec<TypeExpr>, Box<TypeExpr>),
    /// `set[…]`
    Set(Vec<TypeExpr>),
    /// `vector of …`
    Vector(Box<TypeExpr>),
    /// `record { … }`
    Record(Vec<FieldDecl>),
    /// `enum { … }`
    Enum(Vec<EnumItem>),
    /// `function(…): …`, `event(…)`, `hook(…)`
    Function(Flavor, Vec<FieldDecl>, Option<Box<TypeExpr>>),
    /// `opaque of …`
    Opaque(Rc<str>),
    /// `file`
    File,
}

/// A statement.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// Its kind.
    pub kind: StmtKind,
    /// Where it stands.
    pub span: Span,
}

/// Ways in which a declaration gives a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InitClass {
    /// `=`
    Assign,
    /// `+=`
    Add,
    /// `-=`
    Remove,
}

/// Kinds of declared variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VariableKind {
    /// `global`
    Global,
    /// `const`
    Const,
    /// `option`
    Option,
    /// `redef`
    Redef,
    /// `local`
    Local,
}

/// The declaration of a variable.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its kind.
    pub kind: VariableKind,
    /// Its name.
    pub name: Rc<str>,
    /// Its type, where it is said.
    pub ty: Option<TypeExpr>,
    /// Its value.
    pub init: Option<(InitClass, Expr)>,
    /// Its attributes.
    pub attributes: Vec<Attribute>,
    /// Where it stands.
    pub span: Span,
    /// The register of a local, once checked.
    pub register: u16,
}

/// A case of `switch`.
#[derive(Clone, Debug)]
pub struct Case {
    /// Values; none for `default`.
    pub values: Vec<Expr>,
    /// Types with the names that values get there.
    pub types: Vec<(TypeExpr, Option<Rc<str>>, u16)>,
    /// `default`
    pub is_default: bool,
    /// What is done.
    pub body: Vec<Stmt>,
    /// Where it stands.
    pub span: Span,
}

/// A `when` statement.
#[derive(Clone, Debug)]
pub struct When {
    /// Condition, body and timeout as one function, with what it captures.
    pub captures: Option<Vec<Capture>>,
    /// The condition.
    pub condition: Expr,
    /// What is done when it holds.
    pub body: Stmt,
    /// How long it may take, and what is done then.
    pub timeout: Option<(Expr, Option<Box<Stmt>>)>,
    /// `return when`
    pub returns: bool,
    /// The function's number, once checked.
    pub function: u32,
    /// Where the values of captures are, once checked.
    pub sources: Vec<Expr>,
}

/// Kinds of statements.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// `;`
    Null,
    /// An expression.
    Expr(Expr),
    /// `print …`
    Print(Vec<Expr>),
    /// `event f(…)`
    Event(Expr),
    /// `{ … }`
    Block(Vec<Stmt>),
    /// A declaration within a body.
    Local(Box<Variable>),
    /// `if`
    If(Expr, Box<Stmt>, Option<Box<Stmt>>),
    /// `switch`
    Switch(Expr, Vec<Case>),
    /// `for`: names of the index and of the value, what is looped over, body; then registers.
    For(Vec<Rc<str>>, Option<Rc<str>>, Expr, Box<Stmt>, Vec<Option<Expr>>),
    /// `while`
    While(Expr, Box<Stmt>),
    /// `next`
    Next,
    /// `break`
    Break,
    /// `fallthrough`
    Fallthrough,
    /// `return`
    Return(Option<Expr>),
    /// `when`
    When(Box<When>),
    /// `assert`
    Assert(Expr, Option<Expr>),
}

/// A declaration at the top of a file.
#[derive(Clone, Debug)]
pub enum Decl {
    /// A variable.
    Variable(Box<Variable>),
    /// `type`
    Type(Rc<str>, TypeExpr, Vec<Attribute>, Span),
    /// `redef record R += { … }`
    RecordFields(Rc<str>, Vec<FieldDecl>, Span),
    /// `redef record R$f += { &log }`, or `-=`.
    FieldAttributes(Rc<str>, Rc<str>, InitClass, Vec<Attribute>, Span),
    /// `redef enum E += { … }`
    EnumItems(Rc<str>, Vec<EnumItem>, Span),
    /// A function, event handler or hook.
    Function(Box<Definition>),
    /// A statement.
    Statement(Stmt),
}

impl Decl {
    /// Returns where the declaration stands.
    pub fn span(&self) -> Option<Span> {
        Some(match self {
            Self::Variable(variable) => variable.span,
            Self::Type(_, _, _, span)
            | Self::RecordFields(_, _, span)
            | Self::FieldAttributes(_, _, _, _, span)
            | Self::EnumItems(_, _, span) => *span,
            Self::Function(definition) => definition.span,
            Self::Statement(statement) => statement.span,
        })
    }
}

/// A body of a function, event or hook.
#[derive(Clone, Debug)]
pub struct Definition {
    /// Its name.
    pub name: Rc<str>,
    /// Its type.
    pub signature: TypeExpr,
    /// Its kind.
    pub flavor: Flavor,
    /// Its attributes.
    pub attributes: Vec<Attribute>,
    /// Its body.
    pub body: Stmt,
    /// `redef function`, `redef event`
    pub is_redef: bool,
    /// Where it begins.
    pub span: Span,
}
