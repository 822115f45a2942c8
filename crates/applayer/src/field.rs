//! Fields: what rules can look at in a transaction. One row is a sticky buffer, an integer keyword
//! or a check of its own, its old content-modifier spelling, and a line of documentation.

use weir_base::Direction;

use crate::body::Body;
use crate::transaction::{Progress, Transaction};

/// In which direction a field is filled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FieldDirection {
    /// By what the client sends.
    ToServer,
    /// By what the server sends.
    ToClient,
    /// By either: the row is inspected in each direction that the rule's `flow` allows, and
    /// [`Access`] functions get the direction.
    Both,
}

impl FieldDirection {
    /// Whether the field is filled in `direction`.
    pub const fn covers(self, direction: Direction) -> bool {
        match self {
            FieldDirection::Both => true,
            FieldDirection::ToServer => matches!(direction, Direction::ToServer),
            FieldDirection::ToClient => matches!(direction, Direction::ToClient),
        }
    }
}

/// A check that a protocol brings for a keyword that is neither a buffer nor an integer
/// (`tls_cert_expired`, `ssl_state`).
pub trait TransactionCheck: Send + Sync {
    /// Whether the transaction, as far as it has come in `direction`, fulfils the keyword.
    fn matches(&self, transaction: &dyn Transaction, direction: Direction) -> bool;

    /// Whether a rule that holds has the certificates stored that the transaction carries in its direction.
    fn stores_certificates(&self) -> bool {
        false
    }
}

/// Makes a [`TransactionCheck`] of a keyword's option; the error is a sentence.
pub type CheckParser = fn(option: Option<&str>) -> Result<Box<dyn TransactionCheck>, String>;

/// Access to a field's value in a transaction. `None` or `false`: not there (yet).
#[derive(Clone, Copy)]
pub enum Access {
    /// One buffer that the transaction holds.
    Bytes(for<'a> fn(&'a dyn Transaction, Direction) -> Option<&'a [u8]>),
    /// One buffer that is put together when a rule asks.
    Build(fn(&dyn Transaction, Direction, &mut Vec<u8>) -> bool),
    /// Several buffers of which each is inspected by itself, by index from 0 until `None`.
    List(for<'a> fn(&'a dyn Transaction, Direction, usize) -> Option<&'a [u8]>),
    /// Several buffers put together when a rule asks, by index from 0 until `false`.
    BuildList(fn(&dyn Transaction, Direction, usize, &mut Vec<u8>) -> bool),
    /// A body that grows and is inspected as it does.
    Body(for<'a> fn(&'a dyn Transaction, Direction) -> Option<&'a Body>),
    /// A body, and the content of that direction's files that were put together from several bodies.
    BodyAndFiles(for<'a> fn(&'a dyn Transaction, Direction) -> Option<&'a Body>),
    /// The content of the transaction's files of that direction.
    FileData,
    /// The name of the transaction's files of that direction.
    FileName,
    /// Kinds of the transaction's files of that direction, in words.
    FileDescription,
    /// Integers compared with the rule's option, by index from 0 until `None`; one that fits is
    /// enough. `names` are the spellings of values.
    Integer {
        /// Width of the value in bits, for range checks of the option.
        bits: u8,
        /// Values by name (`query` = 0).
        names: &'static [(&'static str, u64)],
        /// The values.
        read: fn(&dyn Transaction, Direction, usize) -> Option<u64>,
    },
    /// A number whose bits have names: the option may also be a list of them, each perhaps with `!`.
    Flags {
        /// Width of the value in bits.
        bits: u8,
        /// Bits by name.
        names: &'static [(&'static str, u64)],
        /// The values.
        read: fn(&dyn Transaction, Direction, usize) -> Option<u64>,
    },
    /// A keyword with a grammar of its own.
    Check(CheckParser),
    /// Another access whose bytes may come, or grow, at any time until its direction is complete.
    Late(&'static Access),
}

impl Access {
    /// Returns the access to the value, whenever it comes.
    pub const fn value(self) -> Self {
        match self {
            Access::Late(access) => *access,
            access => access,
        }
    }
}

/// One row: a keyword that looks at a transaction.
#[derive(Clone, Copy)]
pub struct Field {
    /// The sticky buffer's name, or the keyword's (`http.uri`).
    pub name: &'static str,
    /// Other names of the sticky buffer (`tls_sni`).
    pub aliases: &'static [&'static str],
    /// The old content modifier that selects it (`http_uri`).
    pub modifier: Option<&'static str>,
    /// In which direction it is filled. A field filled differently by each side has a row for each.
    pub direction: FieldDirection,
    /// From which state of that direction on it is complete and inspected (a growing body: from
    /// which state on it is looked at).
    pub ready_at: Progress,
    /// Access to its value.
    pub access: Access,
    /// Form of the digits that its value is made of, where it is.
    pub digits: Option<Digits>,
    /// Rules say which of its integers are meant: any, all, or one by its place.
    pub indexed: bool,
    /// One sentence for the keyword reference.
    pub doc: &'static str,
}

/// Form of hexadecimal digits: hashes, fingerprints and serial numbers.
#[derive(Clone, Copy, Debug)]
pub struct Digits {
    /// Brings letters into their case.
    pub case: fn(&mut [u8]),
    /// The length of a whole value, where rules cannot look for a part.
    pub length: Option<usize>,
    /// Written between two pairs of digits.
    pub separator: Option<u8>,
}

impl Digits {
    /// An MD5 hash.
    pub const HASH: Self = Self { case: <[u8]>::make_ascii_lowercase, length: Some(32), separator: None };
}

impl Field {
    /// A field that is filled in `direction`, complete from `ready_at` on.
    pub const fn new(
        name: &'static str,
        direction: FieldDirection,
        ready_at: Progress,
        access: Access,
    ) -> Self {
        Self {
            name,
            aliases: &[],
            modifier: None,
            direction,
            ready_at,
            access,
            digits: None,
            indexed: false,
            doc: "",
        }
    }

    /// A field that the client fills, complete from `ready_at` on.
    pub const fn to_server(name: &'static str, ready_at: Progress, access: Access) -> Self {
        Self::new(name, FieldDirection::ToServer, ready_at, access)
    }

    /// A field that the server fills, complete from `ready_at` on.
    pub const fn to_client(name: &'static str, ready_at: Progress, access: Access) -> Self {
        Self::new(name, FieldDirection::ToClient, ready_at, access)
    }

    /// A field that either side fills, complete from `ready_at` of its direction on.
    pub const fn both(name: &'static str, ready_at: Progress, access: Access) -> Self {
        Self::new(name, FieldDirection::Both, ready_at, access)
    }

    /// Adds other names of the sticky buffer.
    pub const fn aliases(self, aliases: &'static [&'static str]) -> Self {
        Self { aliases, ..self }
    }

    /// Adds the old content modifier that selects it.
    pub const fn modifier(self, modifier: &'static str) -> Self {
        Self { modifier: Some(modifier), ..self }
    }

    /// Says which digits its value is made of.
    pub const fn digits(self, digits: Digits) -> Self {
        Self { digits: Some(digits), ..self }
    }

    /// Lets rules say which of its integers are meant.
    pub const fn indexed(self) -> Self {
        Self { indexed: true, ..self }
    }

    /// Adds one sentence for the keyword reference.
    pub const fn doc(self, doc: &'static str) -> Self {
        Self { doc, ..self }
    }
}

impl std::fmt::Debug for Field {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Field").field("name", &self.name).field("direction", &self.direction).finish()
    }
}

/// [`Access::Bytes`] of a transaction type: `bytes!(HttpTransaction, |tx, direction| tx.uri.as_deref())`.
#[macro_export]
macro_rules! bytes {
    ($type:ty, |$tx:ident, $direction:pat_param| $body:expr) => {{
        fn access(transaction: &dyn $crate::Transaction, $direction: weir_base::Direction) -> Option<&[u8]> {
            let $tx = $crate::downcast::<$type>(transaction)?;
            $body
        }
        $crate::Access::Bytes(access)
    }};
}

/// [`Access::List`] of a transaction type, or of what a transaction carries of it:
/// `list!(TlsTransaction, |tx, direction, index| …)`.
#[macro_export]
macro_rules! list {
    ($type:ty, |$tx:ident, $direction:pat_param, $index:ident| $body:expr) => {{
        fn access(
            transaction: &dyn $crate::Transaction,
            way: weir_base::Direction,
            $index: usize,
        ) -> Option<&[u8]> {
            let ($direction, $tx) = (way, $crate::message::<$type>(transaction, way)?);
            $body
        }
        $crate::Access::List(access)
    }};
}

/// [`Access::Build`] of a transaction type: `build!(HttpTransaction, |tx, direction, out| …bool)`.
#[macro_export]
macro_rules! build {
    ($type:ty, |$tx:ident, $direction:pat_param, $out:ident| $body:expr) => {{
        fn access(
            transaction: &dyn $crate::Transaction,
            $direction: weir_base::Direction,
            $out: &mut Vec<u8>,
        ) -> bool {
            let Some($tx) = $crate::downcast::<$type>(transaction) else { return false };
            $body
        }
        $crate::Access::Build(access)
    }};
}

/// [`Access::BuildList`] of a transaction type: `build_list!(T, |tx, direction, index, out| …bool)`.
#[macro_export]
macro_rules! build_list {
    ($type:ty, |$tx:ident, $direction:pat_param, $index:ident, $out:ident| $body:expr) => {{
        fn access(
            transaction: &dyn $crate::Transaction,
            $direction: weir_base::Direction,
            $index: usize,
            $out: &mut Vec<u8>,
        ) -> bool {
            let Some($tx) = $crate::downcast::<$type>(transaction) else { return false };
            $body
        }
        $crate::Access::BuildList(access)
    }};
}

/// [`Access::Body`] of a transaction type: `body!(HttpTransaction, |tx, direction| Some(&tx.body))`;
/// with `BodyAndFiles` before it, that.
#[macro_export]
macro_rules! body {
    ($type:ty, |$tx:ident, $direction:pat_param| $body:expr) => {
        $crate::body!(Body, $type, |$tx, $direction| $body)
    };
    ($access:ident, $type:ty, |$tx:ident, $direction:pat_param| $body:expr) => {{
        fn access(
            transaction: &dyn $crate::Transaction,
            $direction: weir_base::Direction,
        ) -> Option<&$crate::Body> {
            let $tx = $crate::downcast::<$type>(transaction)?;
            $body
        }
        $crate::Access::$access(access)
    }};
}

/// [`Access::Late`] of another one: `late!(bytes!(…))`.
#[macro_export]
macro_rules! late {
    ($access:expr) => {{
        const ACCESS: $crate::Access = $access;
        $crate::Access::Late(&ACCESS)
    }};
}

/// [`Access::Integer`] of a transaction type, or of what a transaction carries of it:
/// `integer!(DnsTransaction, 8, NAMES, |tx, direction, index| …)`; with `Flags` before it, that.
#[macro_export]
macro_rules! integer {
    ($type:ty, $bits:expr, $names:expr, |$tx:ident, $direction:pat_param, $index:ident| $body:expr) => {
        $crate::integer!(Integer, $type, $bits, $names, |$tx, $direction, $index| $body)
    };
    ($access:ident, $type:ty, $bits:expr, $names:expr, |$tx:ident, $direction:pat_param, $index:ident| $body:expr) => {{
        fn read(
            transaction: &dyn $crate::Transaction,
            way: weir_base::Direction,
            $index: usize,
        ) -> Option<u64> {
            let ($direction, $tx) = (way, $crate::message::<$type>(transaction, way)?);
            $body
        }
        $crate::Access::$access { bits: $bits, names: $names, read }
    }};
}
