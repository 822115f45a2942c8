//! Libraries by which scripts of rules ask about a transaction: those of a protocol, each a table of methods.
//!
//! Values are copies: a script may keep them for as long as it likes.

use weir_base::Direction;

use crate::transaction::Transaction;

/// A value that a script is given.
#[derive(Clone, PartialEq, Debug)]
pub enum ScriptValue {
    /// Nothing.
    Nil,
    /// Yes or no.
    Boolean(bool),
    /// A number.
    Integer(i64),
    /// A fraction.
    Number(f64),
    /// A string of bytes.
    Bytes(Vec<u8>),
    /// Values by number, from 1.
    List(Vec<ScriptValue>),
    /// Values by number, from 0, where scripts know them so.
    Numbered(Vec<ScriptValue>),
    /// Values by name; of several with the same name, the last one is found.
    Map(Vec<(Vec<u8>, ScriptValue)>),
}

impl ScriptValue {
    /// Bytes, or nothing.
    pub fn bytes(bytes: Option<impl AsRef<[u8]>>) -> Self {
        bytes.map_or(ScriptValue::Nil, |bytes| ScriptValue::Bytes(bytes.as_ref().to_vec()))
    }

    /// Nothing, and why.
    pub fn missing(why: &str) -> Vec<Self> {
        vec![Self::Nil, Self::Bytes(why.as_bytes().to_vec())]
    }

    /// A number, or nothing.
    pub fn integer(number: Option<i64>) -> Self {
        number.map_or(ScriptValue::Nil, ScriptValue::Integer)
    }
}

/// A method of a transaction.
pub struct ScriptMethod {
    /// Its name.
    pub name: &'static str,
    /// Documentation, a sentence.
    pub doc: &'static str,
    /// Returns one value or several. `argument` is the one the script called it with; scripts
    /// that give nothing where something is needed get an error.
    pub call: fn(transaction: &dyn Transaction, argument: Option<&[u8]>) -> Vec<ScriptValue>,
    /// It needs an argument.
    pub takes_argument: bool,
}

impl ScriptMethod {
    /// A method without an argument.
    pub const fn new(
        name: &'static str,
        doc: &'static str,
        call: fn(&dyn Transaction, Option<&[u8]>) -> Vec<ScriptValue>,
    ) -> Self {
        Self { name, doc, call, takes_argument: false }
    }

    /// A method with one argument.
    pub const fn with_argument(
        name: &'static str,
        doc: &'static str,
        call: fn(&dyn Transaction, Option<&[u8]>) -> Vec<ScriptValue>,
    ) -> Self {
        Self { name, doc, call, takes_argument: true }
    }
}

/// A library (`suricata.http`).
pub struct ScriptLibrary {
    /// The name behind `suricata.`.
    pub name: &'static str,
    /// Methods of a transaction. A single one without a name gives the transaction itself, as a table.
    pub methods: &'static [ScriptMethod],
    /// The function by which scripts say that they want fingerprints, where it has any. These are made where someone
    /// asks for them, which a script that uses the library does.
    pub enable: Option<&'static str>,
    /// Functions that earlier releases of Suricata had as globals, each with the method that answers it.
    pub earlier: &'static [(&'static str, &'static str)],
}

impl ScriptLibrary {
    /// Whether a transaction is a table of values.
    pub fn is_table(&self) -> bool {
        matches!(self.methods, [only] if only.name.is_empty())
    }
}

/// A word by which the function `init` of a script asks to be run.
pub struct ScriptNeed {
    /// Its word.
    pub word: &'static str,
    /// Its meaning.
    pub what: NeededPlace,
}

impl ScriptNeed {
    /// A script that asks for `word` is run for every such `what`.
    pub const fn new(word: &'static str, what: NeededPlace) -> Self {
        Self { word, what }
    }
}

/// Occasion for which a script is run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NeededPlace {
    /// A field, in one direction or in both.
    Field(&'static str, Option<Direction>),
    /// A transaction of the protocol that is in this state.
    State(&'static str),
    /// Flows of the protocol.
    Protocol,
}

/// A [`ScriptMethod`] of a transaction type, or of what a transaction carries of it:
/// `script_method!("rrname", "The first name.", DnsTransaction, |tx| …)`, the last part a `Vec` of values.
#[macro_export]
macro_rules! script_method {
    ($name:literal, $doc:literal, $type:ty, |$tx:ident| $body:expr) => {{
        fn call(transaction: &dyn $crate::Transaction, _: Option<&[u8]>) -> Vec<$crate::ScriptValue> {
            let Some($tx) = $crate::either_message::<$type>(transaction) else { return Vec::new() };
            $body
        }
        $crate::ScriptMethod::new($name, $doc, call)
    }};
    ($name:literal, $doc:literal, $type:ty, |$tx:ident, $argument:ident| $body:expr) => {{
        fn call(transaction: &dyn $crate::Transaction, argument: Option<&[u8]>) -> Vec<$crate::ScriptValue> {
            let (Some($tx), Some($argument)) = ($crate::either_message::<$type>(transaction), argument)
            else {
                return Vec::new();
            };
            $body
        }
        $crate::ScriptMethod::with_argument($name, $doc, call)
    }};
}
