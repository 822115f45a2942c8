//! Types of arithmetic results.

use crate::syntax::ast::Operator;
use crate::types::{TypeId, Types, promote};

/// What an operator makes of two types: the types to which operands are converted, and that of the result.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rule {
    pub left: TypeId,
    pub right: TypeId,
    pub result: TypeId,
}

fn rule(left: TypeId, right: TypeId, result: TypeId) -> Option<Rule> {
    Some(Rule { left, right, result })
}

/// Returns the rule for two scalars; none where the operator does not take them.
pub(super) fn scalar(operator: Operator, left: TypeId, right: TypeId, types: &Types) -> Option<Rule> {
    match operator {
        Operator::Add => add(left, right),
        Operator::Subtract => subtract(left, right, types),
        Operator::Multiply => multiply(left, right),
        Operator::Divide => divide(left, right),
        Operator::Modulo => match promote(left, right)? {
            TypeId::DOUBLE => None,
            meeting => rule(meeting, meeting, meeting),
        },
        Operator::BitAnd | Operator::BitOr | Operator::BitXor => bits(operator, left, right, types),
        Operator::ShiftLeft | Operator::ShiftRight => {
            let is_good =
                matches!(left, TypeId::COUNT | TypeId::INT) && matches!(right, TypeId::COUNT | TypeId::INT);
            if is_good { rule(left, TypeId::COUNT, left) } else { None }
        }
        Operator::And | Operator::Or => {
            if left == TypeId::BOOL && right == TypeId::BOOL {
                rule(left, right, TypeId::BOOL)
            } else {
                None
            }
        }
        _ => None,
    }
}

fn add(left: TypeId, right: TypeId) -> Option<Rule> {
    if let Some(meeting) = promote(left, right) {
        return rule(meeting, meeting, meeting);
    }
    match (left, right) {
        (TypeId::STRING, TypeId::STRING) => rule(left, right, left),
        (TypeId::TIME, TypeId::INTERVAL) | (TypeId::INTERVAL, TypeId::TIME) => {
            rule(left, right, TypeId::TIME)
        }
        (TypeId::INTERVAL, TypeId::INTERVAL) => rule(left, right, left),
        _ => None,
    }
}

fn subtract(left: TypeId, right: TypeId, types: &Types) -> Option<Rule> {
    if let Some(meeting) = promote(left, right) {
        return rule(meeting, meeting, meeting);
    }
    match (left, right) {
        (TypeId::TIME, TypeId::TIME) => rule(left, right, TypeId::INTERVAL),
        (TypeId::TIME, TypeId::INTERVAL) => rule(left, right, TypeId::TIME),
        (TypeId::INTERVAL, TypeId::INTERVAL) => rule(left, right, left),
        _ if types.is_set(left) && types.same(left, right) => rule(left, right, left),
        _ => None,
    }
}

fn multiply(left: TypeId, right: TypeId) -> Option<Rule> {
    if let Some(meeting) = promote(left, right) {
        return rule(meeting, meeting, meeting);
    }
    match (left, right) {
        (TypeId::INTERVAL, other) if other.numeric().is_some() => rule(left, TypeId::DOUBLE, left),
        (other, TypeId::INTERVAL) if other.numeric().is_some() => rule(TypeId::DOUBLE, right, right),
        _ => None,
    }
}

fn divide(left: TypeId, right: TypeId) -> Option<Rule> {
    if let Some(meeting) = promote(left, right) {
        return rule(meeting, meeting, meeting);
    }
    match (left, right) {
        (TypeId::INTERVAL, TypeId::INTERVAL) => rule(left, right, TypeId::DOUBLE),
        (TypeId::INTERVAL, other) if other.numeric().is_some() => rule(left, TypeId::DOUBLE, left),
        (other, TypeId::INTERVAL) if other.numeric().is_some() => {
            rule(TypeId::DOUBLE, right, TypeId::INTERVAL)
        }
        (TypeId::ADDR, TypeId::COUNT | TypeId::INT) => rule(left, right, TypeId::SUBNET),
        _ => None,
    }
}

fn bits(operator: Operator, left: TypeId, right: TypeId, types: &Types) -> Option<Rule> {
    if left == TypeId::COUNT && right == TypeId::COUNT {
        return rule(left, right, left);
    }
    if left == TypeId::PATTERN && right == TypeId::PATTERN && operator != Operator::BitXor {
        return rule(left, right, left);
    }
    if types.is_set(left) && types.is_set(right) && types.same(left, right) && operator != Operator::BitXor {
        return rule(left, right, left);
    }
    None
}
