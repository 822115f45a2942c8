//! Opaque values: what built-in functions keep between calls.

mod bloom;
mod cardinality;
mod entropy;
mod glob;
mod topk;

use std::cell::RefCell;
use std::rc::Rc;

use md5::Md5;
use sha1::Sha1;
use sha2::{Sha256, Sha384, Sha512};

pub use bloom::Bloom;
pub use cardinality::Cardinality;
pub use entropy::Entropy;
pub use glob::Globs;
pub use topk::TopK;

/// What an opaque value holds.
#[derive(Clone, Debug)]
pub enum Opaque {
    /// The state of a hash; none behind its end.
    Md5(Option<Md5>),
    /// The state of a hash; none behind its end.
    Sha1(Option<Sha1>),
    /// The state of a hash; none behind its end.
    Sha256(Option<Sha256>),
    /// The state of a hash; none behind its end.
    Sha384(Option<Sha384>),
    /// The state of a hash; none behind its end.
    Sha512(Option<Sha512>),
    /// Entropy of bytes.
    Entropy(Box<Entropy>),
    /// A Bloom filter.
    Bloom(Bloom),
    /// An estimate of how many different values there were.
    Cardinality(Cardinality),
    /// The most frequent values.
    TopK(TopK),
    /// Globs.
    Globs(Globs),
    /// A certificate, as it was sent.
    Certificate(Rc<[u8]>),
    /// Something of a framework, by its type's name and a number.
    Handle(&'static str, u64),
}

/// An opaque value.
#[derive(Debug)]
pub struct OpaqueValue {
    /// What it holds.
    pub inner: RefCell<Opaque>,
    name: &'static str,
}

impl OpaqueValue {
    /// Returns a new value.
    pub fn new(inner: Opaque) -> Self {
        let name = match &inner {
            Opaque::Md5(_) => "md5",
            Opaque::Sha1(_) => "sha1",
            Opaque::Sha256(_) => "sha256",
            Opaque::Sha384(_) => "sha384",
            Opaque::Sha512(_) => "sha512",
            Opaque::Entropy(_) => "entropy",
            Opaque::Bloom(_) => "bloomfilter",
            Opaque::Cardinality(_) => "cardinality",
            Opaque::TopK(_) => "topk",
            Opaque::Globs(_) => "paraglob",
            Opaque::Certificate(_) => "x509",
            Opaque::Handle(name, _) => name,
        };
        Self { inner: RefCell::new(inner), name }
    }

    /// Returns the name of the type.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Returns an independent copy.
    pub fn duplicate(&self) -> Self {
        let inner = self.inner.try_borrow().map(|inner| inner.clone());
        Self { inner: RefCell::new(inner.unwrap_or(Opaque::Handle(self.name, 0))), name: self.name }
    }
}
