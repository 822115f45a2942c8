//! Bytecode: what functions are compiled to.
//!
//! A frame has registers, first the parameters, then the locals, then what expressions need. An instruction names registers
//! by number. Jumps name instructions of the same code.

use std::rc::Rc;

use crate::direct::Direct;
use crate::source::Span;
use crate::types::TypeId;
use crate::values::{Key, Value};

/// A register of the frame.
pub type Register = u16;
/// The place of an instruction.
pub type Target = u32;

/// Arithmetic and comparisons of two values, by their types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Binary {
    AddCount,
    AddInt,
    AddDouble,
    SubtractCount,
    SubtractInt,
    SubtractDouble,
    MultiplyCount,
    MultiplyInt,
    MultiplyDouble,
    DivideCount,
    DivideInt,
    DivideDouble,
    ModuloCount,
    ModuloInt,
    BitAnd,
    BitOr,
    BitXor,
    ShiftLeft,
    ShiftRight,
    ShiftLeftInt,
    ShiftRightInt,
    AddString,
    AddTime,
    AddInterval,
    SubtractTime,
    SubtractTimes,
    SubtractInterval,
    MultiplyInterval,
    DivideInterval,
    DivideIntervals,
    Subnet,
    LessCount,
    LessInt,
    LessDouble,
    LessEqualCount,
    LessEqualInt,
    LessEqualDouble,
    Less,
    LessEqual,
    EqualCount,
    Equal,
    NotEqual,
    MatchPattern,
    MismatchPattern,
    InPattern,
    InString,
    InSubnet,
    InTable,
    InVector,
    SetAnd,
    SetOr,
    SetMinus,
    SetEqual,
    SetNotEqual,
    SetLess,
    SetLessEqual,
    PatternAnd,
    PatternOr,
    And,
    Or,
}

/// Operations on one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Unary {
    Not,
    Complement,
    NegateInt,
    NegateDouble,
    NegateInterval,
    ToInt,
    ToCount,
    ToDouble,
    ToInterval,
    ToTime,
    Size,
    Copy,
    Increment,
    DecrementCount,
    DecrementInt,
}

/// An instruction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Op {
    /// register = register
    Move(Register, Register),
    /// register = constant
    Constant(Register, u32),
    /// register = no value
    Clear(Register),
    /// Ends the handler where the register has no value.
    Check(Register),
    /// register = global
    Global(Register, u32),
    /// global = register
    SetGlobal(u32, Register),
    /// register = captured value
    Captured(Register, u16),
    /// captured value = register
    SetCaptured(u16, Register),
    /// Goes on there.
    Jump(Target),
    /// Goes on there where the register is true.
    JumpIf(Register, Target),
    /// Goes on there where the register is false.
    JumpIfNot(Register, Target),
    /// register = register op register
    Binary(Binary, Register, Register, Register),
    /// register = register op constant
    BinaryConstant(Binary, Register, Register, u16),
    /// Goes on there where the comparison of the registers does not hold.
    JumpUnless(Binary, Register, Register, Target),
    /// Goes on there where the comparison of the register with the constant does not hold.
    JumpUnlessConstant(Binary, Register, u16, Target),
    /// The end of a loop: goes back there where the comparison of the registers holds.
    Repeat(Binary, Register, Register, Target),
    /// The end of a loop: goes back there where the comparison of the register with the constant holds.
    RepeatConstant(Binary, Register, u16, Target),
    /// register = op register
    Unary(Unary, Register, Register),
    /// register = element-wise: register op register, into a vector of the type
    Elements(Binary, Register, Register, Register, TypeId),
    /// register = element-wise op register, into a vector of the type
    EachElement(Unary, Register, Register, TypeId),
    /// register = register, converted to the type
    Coerce(Register, Register, TypeId),
    /// register = register, cast to the type
    Cast(Register, Register, TypeId),
    /// register = whether the register is of the type
    Is(Register, Register, TypeId),
    /// register = whether the register can be cast to the type
    CanCast(Register, Register, TypeId),
    /// register = list of `count` registers from `first`
    List(Register, Register, u16),
    /// register = part of a list
    Part(Register, Register, u16),
    /// register = record, the field at the place
    Field(Register, Register, u16),
    /// record, the field at the place = register
    SetField(Register, u16, Register),
    /// register = whether the record has the field
    HasField(Register, Register, u16),
    /// Removes a field of the record.
    DeleteField(Register, u16),
    /// register = new record of the type, with its defaults for what is not set by what follows
    NewRecord(Register, TypeId),
    /// Sets what the record lacks to its defaults, and checks that all is there.
    Defaults(Register),
    /// register = new table or set of the type; attributes by number plus one
    NewTable(Register, TypeId, u32),
    /// register = new vector of the type
    NewVector(Register, TypeId),
    /// Puts an index and value into a new table.
    Insert(Register, Register, Register),
    /// Appends to a vector.
    Append(Register, Register),
    /// register = container[index]
    Index(Register, Register, Register),
    /// container[index] = register
    SetIndex(Register, Register, Register),
    /// register = string or vector, from and to in the two registers that begin there
    Slice(Register, Register, Register),
    /// vector, from and to in the two registers that begin there = register
    SetSlice(Register, Register, Register),
    /// Adds a member to a set.
    Add(Register, Register),
    /// Removes an entry or element.
    Delete(Register, Register),
    /// Empties a table or vector.
    DeleteAll(Register),
    /// Adds to a set or table or vector what another one holds.
    AddAll(Register, Register),
    /// Takes from a set or table what another one holds.
    RemoveAll(Register, Register),
    /// register = function in the register, called with `count` arguments from `first`
    Call(Register, Register, Register, u16),
    /// register = hook in the register, called
    Hook(Register, Register, Register, u16),
    /// register = built-in function by its number, called
    CallBuiltin(Register, u32, Register, u16),
    /// Queues the event in the register with `count` arguments from `first`.
    Event(Register, Register, u16),
    /// Queues the event in the second register after the delay in the first.
    Schedule(Register, Register, Register, u16),
    /// Returns the register.
    Return(Register),
    /// Returns without a value.
    End,
    /// Leaves a hook, whose other bodies do not run.
    Break,
    /// Begins a loop over the second register, in the first.
    Loop(Register, Register),
    /// Takes the next step of the loop: index and value into registers, or goes on there.
    Step(Register, Register, Register, Target),
    /// The end of a loop: takes the next step and goes back there, or goes on where there is none.
    StepAgain(Register, Register, Register, Target),
    /// Prints `count` registers from `first`.
    Print(Register, u16),
    /// Ends the handler with the text in the register, where there is one.
    AssertFailed(Register, u16),
    /// register = function by its number with `count` captures from `first`
    Lambda(Register, u32, Register, u16),
    /// Registers a trigger: function by its number, `count` captures from `first`.
    When(u32, Register, u16),
    /// Registers a trigger whose body's value this function returns.
    ReturnWhen(u32, Register, u16),
    /// register = function by its number, called with `count` arguments from `first`
    CallFunction(Register, u32, Register, u16),
    /// Gives a table its attributes, by number plus one.
    Attributes(Register, u32),
    /// The condition of `when` does not hold yet.
    NotYet,
    /// The condition of `when` holds: what follows is its body.
    Holds,
    /// The condition of `when` has read the container in the register.
    Watch(Register),
    /// The condition of `when` has read an index of the table: table, index.
    WatchEntry(Register, Register),
    /// The condition of `when` has read the global.
    WatchGlobal(u32),
    /// The condition of `when` has read what nobody tells of.
    WatchAll,
    /// Goes on by the value in the register: a table of jumps.
    Switch(Register, u32),
    /// Ends the handler with a sentence.
    Fail(u32),
}

/// Where an instruction comes from, for messages.
#[derive(Clone, Debug)]
pub struct Origin {
    /// The first instruction of it.
    pub at: Target,
    /// Where it stands.
    pub span: Span,
    /// The expression as text.
    pub text: Rc<str>,
}

/// Values of a `switch`, with where each goes on.
#[derive(Clone, Debug, Default)]
pub struct Jumps {
    /// Places by value.
    pub cases: std::collections::HashMap<Key, Target>,
    /// Where other values go on.
    pub otherwise: Target,
}

/// A compiled body.
#[derive(Debug, Default)]
pub struct Code {
    /// The name of the function.
    pub name: Rc<str>,
    /// Instructions.
    pub ops: Vec<Op>,
    /// Instructions in the form in which they are run directly, each at the place of the one that it is made from.
    pub(crate) direct: Box<[Direct]>,
    /// Constants.
    pub constants: Vec<Value>,
    /// Tables of `switch`.
    pub jumps: Vec<Jumps>,
    /// Number of registers.
    pub registers: u16,
    /// Number of parameters, in the first registers.
    pub parameters: u16,
    /// Where instructions come from, by place.
    pub origins: Vec<Origin>,
    /// Sentences of failures.
    pub sentences: Vec<Rc<str>>,
    /// Where the function stands.
    pub span: Span,
    /// For the function of `when`: where body, timeout and the delay of the timeout begin.
    pub entries: Vec<Target>,
}

impl Code {
    /// Returns where an instruction comes from.
    pub fn origin(&self, at: usize) -> Option<&Origin> {
        let at = Target::try_from(at).ok()?;
        let behind = self.origins.partition_point(|origin| origin.at <= at);
        self.origins.get(behind.checked_sub(1)?)
    }
}
