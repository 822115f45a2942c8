//! Keeps a rule set up to date: rules of archives, folders and servers become one file, edited as people asked for.
//!
//! The way of a rule: a [`Source`](source::Source) gives files (`fetch` loads them, `archive` unpacks them in memory),
//! their lines become a [`RuleSet`](set::RuleSet), lines of `disable.conf` and its like ([`edits`]) change it, bits of
//! flows that rules wait for are resolved (`flowbits`), and a [`Store`](store::Store) puts the result in the place of
//! the one before, which it keeps. [`changes`] says what is different.
//!
//! Everything from outside is bounded: bytes loaded, bytes unpacked, entries of an archive, lines of a file. Nothing
//! of an archive is written under a name that the archive chose, but for data that rules ask for, below the folder of
//! rules. What cannot be used is a [`Complaint`] and loses nothing else.

pub mod archive;
pub mod changes;
pub mod companions;
pub mod complaint;
pub mod edits;
pub mod fetch;
mod flowbits;
pub mod index;
pub mod job;
pub mod matcher;
mod rewrite;
pub mod set;
pub mod settings;
pub mod source;
pub mod store;
mod tree;
mod words;

pub use complaint::Complaint;
