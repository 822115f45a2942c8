//! Indices of tables: values that are compared and hashed by what they hold.

use std::hash::{BuildHasher, Hash, Hasher, RandomState};
use std::rc::Rc;
use std::sync::LazyLock;

use super::{Style, Value, compare, deep_copy, print_value};
use crate::types::Types;

/// The key of hashes, another one in each process: indices come from the network, and nobody shall make them collide.
static STATE: LazyLock<ahash::RandomState> = LazyLock::new(|| {
    let chance = RandomState::new();
    let [one, two, three, four] = [1, 2, 3, 4].map(|number: u64| chance.hash_one(number));
    ahash::RandomState::with_seeds(one, two, three, four)
});

/// An index. Its containers are its own, so that nobody changes them.
#[derive(Clone, Debug)]
pub struct Key(pub Value);

impl Key {
    /// Makes an index of a value. Containers are copied.
    pub fn new(value: &Value) -> Self {
        match value {
            value if is_container(value) => Self(deep_copy(value)),
            Value::List(parts) if parts.iter().any(is_container) => {
                Self(Value::List(parts.iter().map(|part| Self::new(part).0).collect::<Rc<[Value]>>()))
            }
            other => Self(other.clone()),
        }
    }

    /// Returns the index as a value for scripts, which change nothing of the index by it: containers are copied.
    #[inline]
    pub fn shown(&self) -> Value {
        Self::new(&self.0).0
    }

    /// Returns the parts of the index as values for scripts.
    pub fn shown_parts(&self) -> Vec<Value> {
        self.parts().iter().map(|part| Self::new(part).0).collect()
    }

    /// Returns the parts of the index, one for each type of the table.
    pub fn parts(&self) -> &[Value] {
        match &self.0 {
            Value::List(parts) => parts,
            single => std::slice::from_ref(single),
        }
    }

    /// Returns the hash of an index.
    pub fn hash_of(value: &Value) -> u64 {
        let mut state = STATE.build_hasher();
        hash(value, &mut state, 0);
        state.finish()
    }

    /// Returns the hash of an index that is a count.
    #[inline]
    pub fn hash_of_count(number: u64) -> u64 {
        let mut state = STATE.build_hasher();
        state.write_u64(number);
        state.finish()
    }

    /// Returns whether two values are the same index.
    pub fn equals(left: &Value, right: &Value) -> bool {
        compare::equal(left, right)
    }

    /// Returns the index as messages show it.
    pub fn text(&self, types: &Types) -> String {
        let mut out = Vec::new();
        for (at, part) in self.parts().iter().enumerate() {
            if at > 0 {
                out.extend_from_slice(b", ");
            }
            print_value(part, types, Style::Escaped, &mut out);
        }
        String::from_utf8_lossy(&out).into_owned()
    }
}

/// Returns whether a value holds others, which scripts can change.
#[inline]
fn is_container(value: &Value) -> bool {
    matches!(value, Value::Record(_) | Value::Table(_) | Value::Vector(_))
}

impl PartialEq for Key {
    fn eq(&self, other: &Self) -> bool {
        Self::equals(&self.0, &other.0)
    }
}

impl Eq for Key {}

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        hash(&self.0, state, 0);
    }
}

/// What is deeper is taken as equal for the hash; the comparison tells it apart.
const DEPTH: usize = 20;

fn hash<H: Hasher>(value: &Value, state: &mut H, depth: usize) {
    if depth > DEPTH {
        return;
    }
    match value {
        Value::Unset | Value::Cursor(_) => state.write_u8(0),
        Value::Bool(inner) => inner.hash(state),
        Value::Int(inner) | Value::Enum(_, inner) => state.write_u64(*inner as u64),
        Value::Count(inner) => state.write_u64(*inner),
        Value::Double(inner) | Value::Time(inner) | Value::Interval(inner) => {
            state.write_u64(if *inner == 0.0 { 0 } else { inner.to_bits() });
        }
        Value::Port(inner) => state.write_u32(inner.rank()),
        Value::Addr(inner) => inner.hash(state),
        Value::Subnet(inner) => inner.hash(state),
        Value::String(inner) => inner.hash(state),
        Value::Pattern(inner) => inner.text().hash(state),
        Value::Record(inner) => {
            for field in inner.all().iter().filter(|field| field.is_set()) {
                hash(field, state, depth + 1);
            }
        }
        Value::Vector(inner) => {
            for element in inner.all() {
                hash(&element, state, depth + 1);
            }
        }
        Value::Table(inner) => {
            // Sets are equal in any order.
            let mut sum = 0u64;
            inner.each(|entry| {
                let mut own = STATE.build_hasher();
                hash(&entry.key.0, &mut own, depth + 1);
                sum = sum.wrapping_add(own.finish());
                true
            });
            state.write_u64(sum);
        }
        Value::List(parts) => {
            for part in parts.iter() {
                hash(part, state, depth + 1);
            }
        }
        Value::Function(inner) => state.write_u32(inner.function),
        Value::File(inner) => inner.name.hash(state),
        Value::Opaque(inner) => state.write_usize(Rc::as_ptr(inner) as usize),
        Value::Type(inner) => state.write_u32(inner.0),
    }
}
