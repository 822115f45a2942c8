//! Vectors: order, size.

use std::cmp::Ordering;
use std::rc::Rc;

use super::{Builtin, argument, row, size};
use crate::types::TypeId;
use crate::values::{FunctionValue, Value, VectorValue, order};
use crate::vm::{Engine, Outcome};

pub(super) const ROWS: &[Builtin] = &[
    row("sort", "(va_args: any): any", sort),
    row("order", "(va_args: any): index_vec", order_of),
    row("resize", "(aggr: any, newsize: count): count", |_, a| {
        let new = size(a, 1).min(1 << 26);
        let vector = argument(a, 0);
        let old = vector.vector().map_or(0, |vector| vector.len());
        if let Some(vector) = vector.vector() {
            vector.with(|elements| elements.resize(new, Value::Unset));
        }
        Ok(Value::Count(old as u64))
    }),
    row("any_set", "(v: any): bool", |_, a| {
        let all = argument(a, 0).vector().map(|vector| vector.all()).unwrap_or_default();
        Ok(Value::Bool(all.iter().any(Value::is_true)))
    }),
    row("all_set", "(v: any): bool", |_, a| {
        let all = argument(a, 0).vector().map(|vector| vector.all()).unwrap_or_default();
        Ok(Value::Bool(all.iter().all(Value::is_true)))
    }),
];

/// Sorts by a comparison that may fail; the first fault is returned.
fn sorted(
    engine: &mut Engine,
    elements: &mut [(u64, Value)],
    compare: Option<&Rc<FunctionValue>>,
) -> Outcome<()> {
    let Some(compare) = compare else {
        elements.sort_by(|one, other| order(&one.1, &other.1));
        return Ok(());
    };
    let mut fault = None;
    let mut compared = |one: &Value, other: &Value| {
        if fault.is_some() {
            return Ordering::Equal;
        }
        match engine.call(compare, &[one.clone(), other.clone()]) {
            Ok(Value::Unset) => {
                let span = engine
                    .program
                    .functions
                    .get(compare.function as usize)
                    .and_then(|function| function.bodies.first())
                    .map(|body| body.code.span)
                    .unwrap_or_default();
                fault = Some(engine.fail_at(span, "comparison function did not return a value"));
                Ordering::Equal
            }
            Ok(value) => value.int().cmp(&0),
            Err(error) => {
                fault = Some(error);
                Ordering::Equal
            }
        }
    };
    // A comparison that contradicts itself must not end the program: this sort needs no order to be total.
    merge_sort(elements, &mut |one, other| compared(&one.1, &other.1));
    fault.map_or(Ok(()), Err)
}

/// An element with the place where it was.
type Placed = (u64, Value);

fn merge_sort(all: &mut [Placed], compare: &mut dyn FnMut(&Placed, &Placed) -> Ordering) {
    if all.len() < 2 {
        return;
    }
    let middle = all.len() / 2;
    let (left, right) = all.split_at_mut(middle);
    merge_sort(left, compare);
    merge_sort(right, compare);
    let (left, right) = (left.to_vec(), right.to_vec());
    let (mut left, mut right) = (left.into_iter().peekable(), right.into_iter().peekable());
    for slot in all.iter_mut() {
        let takes_left = match (left.peek(), right.peek()) {
            (Some(one), Some(other)) => compare(one, other) != Ordering::Greater,
            (Some(_), None) => true,
            _ => false,
        };
        if let Some(next) = if takes_left { left.next() } else { right.next() } {
            *slot = next;
        }
    }
}

/// Types that are sorted without a function.
fn has_order(value: &Value) -> bool {
    matches!(
        value,
        Value::Count(_)
            | Value::Int(_)
            | Value::Double(_)
            | Value::Time(_)
            | Value::Interval(_)
            | Value::Enum(..)
    )
}

fn taken(a: &[Value]) -> (Option<Rc<VectorValue>>, Option<Rc<FunctionValue>>) {
    let function = match a.get(1) {
        Some(Value::Function(function)) => Some(function.clone()),
        _ => None,
    };
    (argument(a, 0).vector().cloned(), function)
}

fn sort(engine: &mut Engine, a: &[Value]) -> Outcome<Value> {
    let (Some(vector), compare) = taken(a) else {
        engine.complain("sort() requires vector");
        return Ok(argument(a, 0));
    };
    let mut elements: Vec<(u64, Value)> = vector.all().into_iter().map(|element| (0, element)).collect();
    if compare.is_none() && !elements.iter().all(|(_, element)| has_order(element)) {
        engine.complain("comparison function required for sort() with non-integral types");
        return Ok(argument(a, 0));
    }
    sorted(engine, &mut elements, compare.as_ref())?;
    vector.with(|slots| {
        for (slot, (_, element)) in slots.iter_mut().zip(elements) {
            *slot = element;
        }
    });
    Ok(Value::Vector(vector))
}

fn order_of(engine: &mut Engine, a: &[Value]) -> Outcome<Value> {
    let ty = engine.program.types.vector(TypeId::COUNT);
    let (Some(vector), compare) = taken(a) else {
        engine.complain("order() requires vector");
        return Ok(Value::Vector(Rc::new(VectorValue::new(ty, Vec::new()))));
    };
    let mut elements: Vec<(u64, Value)> = (0..).zip(vector.all()).collect();
    if compare.is_none() && !elements.iter().all(|(_, element)| has_order(element)) {
        engine.complain("comparison function required for order() with non-integral types");
    } else {
        sorted(engine, &mut elements, compare.as_ref())?;
    }
    let places = elements.into_iter().map(|(place, _)| Value::Count(place)).collect();
    Ok(Value::Vector(Rc::new(VectorValue::new(ty, places))))
}
