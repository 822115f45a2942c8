//! Records as columns: lines of JSON become tables of Apache Parquet while they come.
//!
//! [`Tables`] takes lines and finds the table of each. A table ([`table`]) learns its columns from the values it sees:
//! members of objects are columns of their own with dots in their names (`http.hostname`), moments, numbers and truths
//! have their types, lists stay lists. Where a later value does not fit the type of its column, the file at hand ends
//! and the next one has a type that holds both. [`file`] writes a file, which has its name when it is whole.
//!
//! Everything is capped: rows and bytes that wait, columns of a table, names of an object, depth of lists, tables.

mod buffers;
mod column;
pub mod file;
mod fill;
mod json;
mod table;
mod tables;
pub mod times;

pub use column::Kind;
pub use table::Failure;
pub use tables::{Declared, Tables, TablesSettings};

/// Key of a file's metadata that says which table its rows belong to, as `eve.dns`.
pub const TABLE_KEY: &str = "weir.table";
