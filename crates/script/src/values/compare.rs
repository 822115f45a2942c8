//! Equality and order of values.

use std::cmp::Ordering;
use std::rc::Rc;

use super::Value;

/// How deep values are compared; what differs only below counts as equal.
const DEPTH: usize = 200;

/// Returns whether two values are equal, containers by what they hold.
pub fn equal(left: &Value, right: &Value) -> bool {
    equal_at(left, right, 0)
}

fn equal_at(left: &Value, right: &Value, depth: usize) -> bool {
    if depth > DEPTH {
        return true;
    }
    match (left, right) {
        (Value::Unset, Value::Unset) => true,
        (Value::Bool(a), Value::Bool(b)) => a == b,
        (Value::Int(a), Value::Int(b)) => a == b,
        (Value::Count(a), Value::Count(b)) => a == b,
        (Value::Int(a), Value::Count(b)) | (Value::Count(b), Value::Int(a)) => {
            u64::try_from(*a).is_ok_and(|a| a == *b)
        }
        (Value::Enum(_, a), Value::Enum(_, b)) => a == b,
        (
            Value::Double(a) | Value::Time(a) | Value::Interval(a),
            Value::Double(b) | Value::Time(b) | Value::Interval(b),
        ) => a == b,
        (Value::Port(a), Value::Port(b)) => a == b,
        (Value::Addr(a), Value::Addr(b)) => a == b,
        (Value::Subnet(a), Value::Subnet(b)) => a == b,
        (Value::String(a), Value::String(b)) => a == b,
        (Value::Pattern(a), Value::Pattern(b)) => a.text() == b.text(),
        (Value::Type(a), Value::Type(b)) => a == b,
        (Value::List(a), Value::List(b)) => {
            a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| equal_at(a, b, depth + 1))
        }
        (Value::List(a), b) | (b, Value::List(a)) if a.len() == 1 => {
            a.first().is_some_and(|a| equal_at(a, b, depth + 1))
        }
        (Value::Function(a), Value::Function(b)) => {
            Rc::ptr_eq(a, b) || (a.function == b.function && captures_equal(a, b, depth))
        }
        (Value::File(a), Value::File(b)) => Rc::ptr_eq(a, b),
        (Value::Opaque(a), Value::Opaque(b)) => Rc::ptr_eq(a, b),
        (Value::Record(a), Value::Record(b)) => {
            if Rc::ptr_eq(a, b) {
                return true;
            }
            let (a, b) = (a.all(), b.all());
            (0..a.len().max(b.len())).all(|place| {
                equal_at(
                    a.get(place).unwrap_or(&Value::Unset),
                    b.get(place).unwrap_or(&Value::Unset),
                    depth + 1,
                )
            })
        }
        (Value::Vector(a), Value::Vector(b)) => {
            if Rc::ptr_eq(a, b) {
                return true;
            }
            let (a, b) = (a.all(), b.all());
            a.len() == b.len() && a.iter().zip(&b).all(|(a, b)| equal_at(a, b, depth + 1))
        }
        (Value::Table(a), Value::Table(b)) => {
            if Rc::ptr_eq(a, b) {
                return true;
            }
            a.len() == b.len()
                && a.each(|entry| {
                    b.find(&entry.key.0).is_some_and(|other| equal_at(&entry.value, &other, depth + 1))
                })
        }
        _ => false,
    }
}

fn captures_equal(a: &super::FunctionValue, b: &super::FunctionValue, depth: usize) -> bool {
    match (a.captures.try_borrow(), b.captures.try_borrow()) {
        (Ok(a), Ok(b)) => {
            a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| equal_at(a, b, depth + 1))
        }
        _ => false,
    }
}

/// Returns the order of two values of one type that has an order.
pub fn order(left: &Value, right: &Value) -> Ordering {
    match (left, right) {
        (Value::Int(a) | Value::Enum(_, a), Value::Int(b) | Value::Enum(_, b)) => a.cmp(b),
        (Value::Count(a), Value::Count(b)) => a.cmp(b),
        (Value::Bool(a), Value::Bool(b)) => a.cmp(b),
        (
            Value::Double(a) | Value::Time(a) | Value::Interval(a),
            Value::Double(b) | Value::Time(b) | Value::Interval(b),
        ) => a.partial_cmp(b).unwrap_or(Ordering::Equal),
        (Value::Port(a), Value::Port(b)) => a.rank().cmp(&b.rank()),
        (Value::Addr(a), Value::Addr(b)) => a.cmp(b),
        (Value::Subnet(a), Value::Subnet(b)) => a.cmp(b),
        (Value::String(a), Value::String(b)) => a.cmp(b),
        _ => Ordering::Equal,
    }
}
