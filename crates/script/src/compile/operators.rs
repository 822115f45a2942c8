//! Operators: the instruction for the types of their operands.

use super::Compiler;
use crate::code::{Binary, Op, Register, Target, Unary};
use crate::syntax::ast::{Expr, Kind, Operator, Prefix};
use crate::types::{TypeId, Types};
use crate::values::Value;

/// Returns the instruction for scalars.
pub(super) fn instruction(operator: Operator, left: TypeId, right: TypeId, types: &Types) -> Binary {
    match operator {
        Operator::Add => add(left, right),
        Operator::Subtract => subtract(left, right, types),
        Operator::Multiply => match left {
            TypeId::COUNT if right == TypeId::COUNT => Binary::MultiplyCount,
            TypeId::INT if right == TypeId::INT => Binary::MultiplyInt,
            TypeId::INTERVAL => Binary::MultiplyInterval,
            _ if right == TypeId::INTERVAL => Binary::MultiplyInterval,
            _ => Binary::MultiplyDouble,
        },
        Operator::Divide => match left {
            TypeId::COUNT if right == TypeId::COUNT => Binary::DivideCount,
            TypeId::INT if right == TypeId::INT => Binary::DivideInt,
            TypeId::INTERVAL if right == TypeId::INTERVAL => Binary::DivideIntervals,
            TypeId::ADDR => Binary::Subnet,
            _ if left == TypeId::INTERVAL || right == TypeId::INTERVAL => Binary::DivideInterval,
            _ => Binary::DivideDouble,
        },
        Operator::Modulo => {
            if left == TypeId::INT {
                Binary::ModuloInt
            } else {
                Binary::ModuloCount
            }
        }
        Operator::BitAnd if left == TypeId::PATTERN => Binary::PatternAnd,
        Operator::BitOr if left == TypeId::PATTERN => Binary::PatternOr,
        Operator::BitAnd if types.is_set(left) => Binary::SetAnd,
        Operator::BitOr if types.is_set(left) => Binary::SetOr,
        Operator::BitAnd => Binary::BitAnd,
        Operator::BitOr => Binary::BitOr,
        Operator::BitXor => Binary::BitXor,
        Operator::ShiftLeft if left == TypeId::INT => Binary::ShiftLeftInt,
        Operator::ShiftRight if left == TypeId::INT => Binary::ShiftRightInt,
        Operator::ShiftLeft => Binary::ShiftLeft,
        Operator::ShiftRight => Binary::ShiftRight,
        Operator::And => Binary::And,
        Operator::Or => Binary::Or,
        Operator::Equal | Operator::NotEqual => equal(operator == Operator::Equal, left, right, types),
        Operator::Less | Operator::Greater => match left {
            TypeId::COUNT => Binary::LessCount,
            TypeId::INT => Binary::LessInt,
            TypeId::DOUBLE | TypeId::TIME | TypeId::INTERVAL => Binary::LessDouble,
            _ if types.is_set(left) => Binary::SetLess,
            _ => Binary::Less,
        },
        Operator::LessEqual | Operator::GreaterEqual => match left {
            TypeId::COUNT => Binary::LessEqualCount,
            TypeId::INT => Binary::LessEqualInt,
            TypeId::DOUBLE | TypeId::TIME | TypeId::INTERVAL => Binary::LessEqualDouble,
            _ if types.is_set(left) => Binary::SetLessEqual,
            _ => Binary::LessEqual,
        },
        Operator::In | Operator::NotIn => member(left, right, types),
    }
}

fn add(left: TypeId, right: TypeId) -> Binary {
    match left {
        TypeId::COUNT if right == TypeId::COUNT => Binary::AddCount,
        TypeId::INT if right == TypeId::INT => Binary::AddInt,
        TypeId::STRING => Binary::AddString,
        TypeId::TIME => Binary::AddTime,
        TypeId::INTERVAL if right == TypeId::TIME => Binary::AddTime,
        TypeId::INTERVAL => Binary::AddInterval,
        _ => Binary::AddDouble,
    }
}

fn subtract(left: TypeId, right: TypeId, types: &Types) -> Binary {
    match left {
        TypeId::COUNT if right == TypeId::COUNT => Binary::SubtractCount,
        TypeId::INT if right == TypeId::INT => Binary::SubtractInt,
        TypeId::TIME if right == TypeId::TIME => Binary::SubtractTimes,
        TypeId::TIME => Binary::SubtractTime,
        TypeId::INTERVAL => Binary::SubtractInterval,
        _ if types.is_set(left) => Binary::SetMinus,
        _ => Binary::SubtractDouble,
    }
}

fn equal(is_equal: bool, left: TypeId, right: TypeId, types: &Types) -> Binary {
    if left != right && (left == TypeId::PATTERN || right == TypeId::PATTERN) {
        return if is_equal { Binary::MatchPattern } else { Binary::MismatchPattern };
    }
    if types.is_set(left) {
        return if is_equal { Binary::SetEqual } else { Binary::SetNotEqual };
    }
    match (is_equal, left) {
        (true, TypeId::COUNT) => Binary::EqualCount,
        (true, _) => Binary::Equal,
        (false, _) => Binary::NotEqual,
    }
}

fn member(left: TypeId, right: TypeId, types: &Types) -> Binary {
    match right {
        TypeId::STRING if left == TypeId::PATTERN => Binary::InPattern,
        TypeId::STRING => Binary::InString,
        TypeId::SUBNET => Binary::InSubnet,
        _ if types.element(right).is_some() => Binary::InVector,
        _ => Binary::InTable,
    }
}

impl Compiler<'_> {
    pub(super) fn unary(&mut self, into: Register, prefix: Prefix, inner: &Expr, expr: &Expr) {
        if let (Kind::Constant(value), Prefix::Negate | Prefix::Plus) = (&inner.kind, prefix)
            && let Some(value) = signed(value, prefix)
        {
            return self.constant_into(into, value);
        }
        let element = self.program.types.element(inner.ty);
        let base = element.unwrap_or(inner.ty);
        let value = self.expression(inner);
        let unary = match (prefix, base) {
            (Prefix::Not, _) => Unary::Not,
            (Prefix::Complement, _) => Unary::Complement,
            (Prefix::Negate, TypeId::DOUBLE) => Unary::NegateDouble,
            (Prefix::Negate, TypeId::INTERVAL) => Unary::NegateInterval,
            (Prefix::Negate, _) => Unary::NegateInt,
            (_, TypeId::COUNT) => Unary::ToInt,
            _ => {
                self.emit(Op::Move(into, value));
                return;
            }
        };
        self.origin(expr);
        if element.is_some() {
            self.emit(Op::EachElement(unary, into, value, expr.ty));
        } else {
            self.emit(Op::Unary(unary, into, value));
        }
    }

    pub(super) fn binary(
        &mut self,
        into: Register,
        operator: Operator,
        left: &Expr,
        right: &Expr,
        expr: &Expr,
    ) {
        let elements = (self.program.types.element(left.ty), self.program.types.element(right.ty));
        let is_member = matches!(operator, Operator::In | Operator::NotIn);
        let is_vector = (elements.0.is_some() || elements.1.is_some()) && !is_member;
        if matches!(operator, Operator::And | Operator::Or) && !is_vector {
            return self.short(into, operator, left, right);
        }
        // Both are vectors, and compared as a whole.
        let is_whole = elements.0.is_some() && elements.1.is_some() && expr.ty == TypeId::BOOL;
        let (one, other) = (elements.0.unwrap_or(left.ty), elements.1.unwrap_or(right.ty));
        let instruction = if is_whole {
            if operator == Operator::NotEqual { Binary::NotEqual } else { Binary::Equal }
        } else if is_member {
            instruction(operator, left.ty, right.ty, &self.program.types)
        } else {
            instruction(operator, one, other, &self.program.types)
        };
        let is_swapped = matches!(operator, Operator::Greater | Operator::GreaterEqual);
        let mut first = self.expression(left);
        if let Kind::Constant(value) = &right.kind
            && !is_vector
            && !is_swapped
            && let Some(number) = self.short_constant(value)
        {
            if can_fail(instruction) {
                self.origin(expr);
            }
            self.emit(Op::BinaryConstant(instruction, into, first, number));
            if operator == Operator::NotIn {
                self.emit(Op::Unary(Unary::Not, into, into));
            }
            return;
        }
        let mut second = self.expression(right);
        if is_swapped {
            std::mem::swap(&mut first, &mut second);
        }
        if can_fail(instruction) {
            self.origin(expr);
        }
        if is_vector && !is_whole {
            self.emit(Op::Elements(instruction, into, first, second, expr.ty));
        } else {
            self.emit(Op::Binary(instruction, into, first, second));
        }
        if operator == Operator::NotIn {
            self.emit(Op::Unary(Unary::Not, into, into));
        }
    }

    /// Compiles a comparison of scalars, or of membership, to a jump that is taken where it does not hold; none for other
    /// expressions.
    pub(super) fn compared(&mut self, test: &Expr) -> Option<usize> {
        let Kind::Binary(operator, left, right) = &test.kind else { return None };
        let is_meant = matches!(
            operator,
            Operator::Less
                | Operator::LessEqual
                | Operator::Greater
                | Operator::GreaterEqual
                | Operator::Equal
                | Operator::NotEqual
                | Operator::In
        );
        let has_vector = [left, right].iter().any(|side| self.program.types.element(side.ty).is_some());
        if !is_meant || has_vector {
            return None;
        }
        let instruction = instruction(*operator, left.ty, right.ty, &self.program.types);
        let mut first = self.expression(left);
        let is_swapped = matches!(operator, Operator::Greater | Operator::GreaterEqual);
        if let Kind::Constant(value) = &right.kind
            && !is_swapped
            && let Some(number) = self.short_constant(value)
        {
            return Some(self.emit(Op::JumpUnlessConstant(instruction, first, number, Target::MAX)));
        }
        let mut second = self.expression(right);
        if is_swapped {
            std::mem::swap(&mut first, &mut second);
        }
        Some(self.emit(Op::JumpUnless(instruction, first, second, Target::MAX)))
    }

    /// Adds a constant that instructions name by a short number; none where there are too many.
    pub(super) fn short_constant(&mut self, value: &Value) -> Option<u16> {
        let number = u16::try_from(self.code.constants.len()).ok()?;
        self.code.constants.push(value.clone());
        Some(number)
    }

    fn short(&mut self, into: Register, operator: Operator, left: &Expr, right: &Expr) {
        // The register may be that of a local that the right side reads.
        let test = self.temporary();
        self.expression_into(test, left);
        let done = if operator == Operator::And { self.jump_if_not(test) } else { self.jump_if(test) };
        self.expression_into(test, right);
        self.land(done);
        self.emit(Op::Move(into, test));
    }
}

fn signed(value: &Value, prefix: Prefix) -> Option<Value> {
    let is_negative = prefix == Prefix::Negate;
    Some(match value {
        Value::Count(value) => {
            let value = i64::try_from(*value).ok()?;
            Value::Int(if is_negative { -value } else { value })
        }
        Value::Double(value) => Value::Double(if is_negative { -value } else { *value }),
        Value::Interval(value) => Value::Interval(if is_negative { -value } else { *value }),
        _ => return None,
    })
}

/// Returns whether an instruction can end the handler, or warn.
pub(super) fn can_fail(binary: Binary) -> bool {
    matches!(
        binary,
        Binary::AddString
            | Binary::SubtractCount
            | Binary::DivideCount
            | Binary::DivideInt
            | Binary::DivideDouble
            | Binary::DivideInterval
            | Binary::DivideIntervals
            | Binary::ModuloCount
            | Binary::ModuloInt
            | Binary::Subnet
            | Binary::ShiftLeft
            | Binary::ShiftRight
            | Binary::ShiftLeftInt
            | Binary::ShiftRightInt
            | Binary::PatternAnd
            | Binary::PatternOr
    )
}
