//! Arithmetic and comparisons.

use std::cmp::Ordering;
use std::rc::Rc;

use super::run::{Flow, Window, constant};
use super::{Engine, Outcome};
use crate::code::{Binary, Code, Op, Unary};
use crate::types::TypeId;
use crate::values::{Subnet, Value, VectorValue, order};

/// Most bytes of a string that two are put together to.
const MOST_BYTES: usize = 1 << 28;

/// Returns the result of operations that cannot fail; none for others.
pub(super) fn quick(binary: Binary, left: &Value, right: &Value) -> Option<Value> {
    Some(match binary {
        Binary::AddCount => Value::Count(left.count().wrapping_add(right.count())),
        Binary::AddInt => Value::Int(left.int().wrapping_add(right.int())),
        Binary::AddDouble => Value::Double(left.double() + right.double()),
        Binary::SubtractInt => Value::Int(left.int().wrapping_sub(right.int())),
        Binary::SubtractDouble => Value::Double(left.double() - right.double()),
        Binary::MultiplyCount => Value::Count(left.count().wrapping_mul(right.count())),
        Binary::MultiplyInt => Value::Int(left.int().wrapping_mul(right.int())),
        Binary::MultiplyDouble => Value::Double(left.double() * right.double()),
        Binary::BitAnd => Value::Count(left.count() & right.count()),
        Binary::BitOr => Value::Count(left.count() | right.count()),
        Binary::BitXor => Value::Count(left.count() ^ right.count()),
        Binary::AddString if left.bytes().len() + right.bytes().len() <= MOST_BYTES => {
            Value::string([left.bytes(), right.bytes()].concat())
        }
        Binary::AddTime => Value::Time(left.double() + right.double()),
        Binary::AddInterval => Value::Interval(left.double() + right.double()),
        Binary::SubtractTime => Value::Time(left.double() - right.double()),
        Binary::SubtractTimes | Binary::SubtractInterval => Value::Interval(left.double() - right.double()),
        Binary::MultiplyInterval => Value::Interval(left.double() * right.double()),
        Binary::LessCount => Value::Bool(left.count() < right.count()),
        Binary::LessInt => Value::Bool(left.int() < right.int()),
        Binary::LessDouble => Value::Bool(left.double() < right.double()),
        Binary::LessEqualCount => Value::Bool(left.count() <= right.count()),
        Binary::LessEqualInt => Value::Bool(left.int() <= right.int()),
        Binary::LessEqualDouble => Value::Bool(left.double() <= right.double()),
        Binary::Less => Value::Bool(order(left, right) == Ordering::Less),
        Binary::LessEqual => Value::Bool(order(left, right) != Ordering::Greater),
        Binary::EqualCount => Value::Bool(left.count() == right.count()),
        Binary::Equal | Binary::SetEqual => Value::Bool(crate::values::Key::equals(left, right)),
        Binary::NotEqual | Binary::SetNotEqual => Value::Bool(!crate::values::Key::equals(left, right)),
        Binary::MatchPattern => Value::Bool(matches_whole(left, right)),
        Binary::MismatchPattern => Value::Bool(!matches_whole(left, right)),
        Binary::InPattern => match left {
            Value::Pattern(pattern) => Value::Bool(pattern.is_in(right.bytes())),
            _ => Value::Bool(false),
        },
        Binary::InString => Value::Bool(contains(right.bytes(), left.bytes())),
        Binary::InSubnet => match (left, right) {
            (Value::Addr(address), Value::Subnet(network)) => Value::Bool(network.contains(*address)),
            _ => Value::Bool(false),
        },
        Binary::InVector => match right {
            Value::Vector(vector) => {
                let place = usize::try_from(left.int()).unwrap_or(usize::MAX);
                Value::Bool(vector.get(place).is_some_and(|element| element.is_set()))
            }
            _ => Value::Bool(false),
        },
        Binary::And => Value::Bool(left.is_true() && right.is_true()),
        Binary::Or => Value::Bool(left.is_true() || right.is_true()),
        _ => return None,
    })
}

fn matches_whole(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Pattern(pattern), text) | (text, Value::Pattern(pattern)) => pattern.matches(text.bytes()),
        _ => false,
    }
}

/// Returns whether the bytes hold others; empty ones are everywhere.
pub fn contains(bytes: &[u8], wanted: &[u8]) -> bool {
    wanted.is_empty() || find(bytes, wanted).is_some()
}

/// Returns where bytes begin within others, in time that grows with the sum of their lengths.
pub fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    memchr::memmem::find(bytes, wanted)
}

impl Engine {
    /// Goes on by a comparison.
    pub(super) fn compared(
        &mut self,
        window: &Window<'_>,
        code: &Rc<Code>,
        at: usize,
        op: Op,
    ) -> Outcome<Flow> {
        let register = |register| window.get(register).clone();
        // Where it goes on when the comparison is this.
        let (binary, one, other, target, when) = match op {
            Op::JumpUnless(binary, left, right, target) => {
                (binary, register(left), register(right), target, false)
            }
            Op::JumpUnlessConstant(binary, left, number, target) => {
                (binary, register(left), constant(code, number), target, false)
            }
            Op::Repeat(binary, left, right, target) => {
                (binary, register(left), register(right), target, true)
            }
            Op::RepeatConstant(binary, left, number, target) => {
                (binary, register(left), constant(code, number), target, true)
            }
            _ => return Ok(Flow::Next),
        };
        if when {
            self.spend(code, at)?;
        }
        let holds = self.operate(code, at, binary, &one, &other)?.is_true();
        Ok(if holds == when { Flow::Jump(target as usize) } else { Flow::Next })
    }

    pub(super) fn binary(&mut self, binary: Binary, left: &Value, right: &Value) -> Outcome<Value> {
        Ok(match binary {
            Binary::SubtractCount => {
                let (left, right) = (left.count(), right.count());
                if right > left {
                    self.warn_underflow(&format!("{left} - {right}"));
                }
                Value::Count(left.wrapping_sub(right))
            }
            Binary::DivideCount | Binary::DivideInt | Binary::DivideDouble => {
                self.divide(binary, left, right)?
            }
            Binary::DivideInterval => {
                if right.double() == 0.0 {
                    return Err(self.fail("division by zero"));
                }
                Value::Interval(left.double() / right.double())
            }
            Binary::DivideIntervals => {
                if right.double() == 0.0 {
                    return Err(self.fail("division by zero"));
                }
                Value::Double(left.double() / right.double())
            }
            Binary::ModuloCount => match left.count().checked_rem(right.count()) {
                Some(value) => Value::Count(value),
                None => return Err(self.fail("modulo by zero")),
            },
            Binary::ModuloInt => match left.int().checked_rem(right.int()) {
                Some(value) => Value::Int(value),
                None => return Err(self.fail("modulo by zero")),
            },
            Binary::Subnet => self.subnet(left, right)?,
            Binary::ShiftLeft | Binary::ShiftRight | Binary::ShiftLeftInt | Binary::ShiftRightInt => {
                self.shift(binary, left, right)?
            }
            Binary::InTable => self.in_table(left, right)?,
            Binary::SetAnd | Binary::SetOr | Binary::SetMinus | Binary::SetLess | Binary::SetLessEqual => {
                self.set_operation(binary, left, right)
            }
            Binary::PatternAnd | Binary::PatternOr => match (left, right) {
                (Value::Pattern(one), Value::Pattern(other)) => {
                    let made = if binary == Binary::PatternAnd { one.then(other) } else { one.or(other) };
                    match made {
                        Ok(pattern) => Value::Pattern(Rc::new(pattern)),
                        Err(sentence) => return Err(self.fail(&sentence)),
                    }
                }
                _ => return Err(self.fail("value used but not set")),
            },
            Binary::AddString if left.bytes().len() + right.bytes().len() > MOST_BYTES => {
                return Err(self.fail("the string is too long"));
            }
            other => match quick(other, left, right) {
                Some(value) => value,
                None => return Err(self.fail("the operands do not fit")),
            },
        })
    }

    fn warn_underflow(&mut self, shown: &str) {
        let _ = shown;
        self.warn("count underflow");
    }

    fn divide(&mut self, binary: Binary, left: &Value, right: &Value) -> Outcome<Value> {
        let result = match binary {
            Binary::DivideCount => left.count().checked_div(right.count()).map(Value::Count),
            Binary::DivideInt => left.int().checked_div(right.int()).map(Value::Int),
            _ if right.double() == 0.0 => None,
            _ => Some(Value::Double(left.double() / right.double())),
        };
        result.ok_or_else(|| self.fail("division by zero"))
    }

    fn subnet(&mut self, left: &Value, right: &Value) -> Outcome<Value> {
        let Value::Addr(address) = left else { return Err(self.fail("value used but not set")) };
        let length = right.int();
        let width = i64::from(address.width());
        if !(0..=width).contains(&length) {
            let version = if address.is_v4() { 4 } else { 6 };
            return Err(self.fail(&format!("bad IPv{version} subnet prefix length: {length}")));
        }
        Ok(Value::Subnet(Subnet::new(*address, u8::try_from(length).unwrap_or(0))))
    }

    fn shift(&mut self, binary: Binary, left: &Value, right: &Value) -> Outcome<Value> {
        let by = u32::try_from(right.count()).unwrap_or(64);
        if right.count() >= 64 {
            return Err(self.fail(&format!("shifting by more bits than the value has: {}", right.count())));
        }
        Ok(match binary {
            Binary::ShiftLeft => Value::Count(left.count().wrapping_shl(by)),
            Binary::ShiftRight => Value::Count(left.count().wrapping_shr(by)),
            Binary::ShiftLeftInt => {
                if left.int() < 0 {
                    return Err(self.fail("left shifting a negative number is undefined"));
                }
                Value::Int(left.int().wrapping_shl(by))
            }
            _ => Value::Int(left.int().wrapping_shr(by)),
        })
    }

    pub(super) fn unary(&mut self, unary: Unary, value: &Value) -> Outcome<Value> {
        if !value.is_set() {
            return Err(self.fail("value used but not set"));
        }
        Ok(match unary {
            Unary::Not => Value::Bool(match value {
                Value::Bool(inner) => !inner,
                other => other.int() == 0,
            }),
            Unary::Complement => Value::Count(!value.count()),
            Unary::NegateInt => Value::Int(value.int().wrapping_neg()),
            Unary::NegateDouble => Value::Double(-value.double()),
            Unary::NegateInterval => Value::Interval(-value.double()),
            Unary::ToInt => Value::Int(match value {
                Value::Count(inner) => *inner as i64,
                other => other.int(),
            }),
            Unary::ToCount => Value::Count(match value {
                Value::Int(inner) => *inner as u64,
                Value::Double(inner) => *inner as u64,
                other => other.count(),
            }),
            Unary::ToDouble => Value::Double(value.double()),
            Unary::ToInterval => Value::Interval(value.double()),
            Unary::ToTime => Value::Time(value.double()),
            Unary::Size => self.size(value),
            Unary::Copy => crate::values::deep_copy(value),
            Unary::Increment => match value {
                Value::Int(inner) => Value::Int(inner.wrapping_add(1)),
                other => Value::Count(other.count().wrapping_add(1)),
            },
            Unary::DecrementInt => Value::Int(value.int().wrapping_sub(1)),
            Unary::DecrementCount => {
                if value.count() == 0 {
                    self.warn("count underflow");
                }
                Value::Count(value.count().wrapping_sub(1))
            }
        })
    }

    /// Returns `|x|`.
    pub fn size(&mut self, value: &Value) -> Value {
        match value {
            Value::Bool(inner) => Value::Count(u64::from(*inner)),
            Value::Int(inner) => Value::Count(inner.unsigned_abs()),
            Value::Count(inner) => Value::Count(*inner),
            Value::Double(inner) | Value::Time(inner) | Value::Interval(inner) => Value::Double(inner.abs()),
            Value::Enum(_, inner) => Value::Count(inner.unsigned_abs()),
            Value::Port(port) => Value::Count(u64::from(port.rank())),
            Value::Addr(address) => Value::Count(u64::from(address.width())),
            Value::Subnet(network) => {
                let bits = if network.is_v4() { 32 } else { 128 };
                Value::Double(2f64.powi(bits - i32::from(network.width())))
            }
            Value::String(bytes) => Value::Count(bytes.len() as u64),
            Value::Table(table) => Value::Count(table.len() as u64),
            Value::Vector(vector) => Value::Count(vector.len() as u64),
            Value::Record(record) => {
                let count = self.program.types.record(record.ty).map_or(0, |record| record.fields.len());
                Value::Count(count as u64)
            }
            Value::Function(function) => {
                let known = self.program.functions.get(function.function as usize);
                let signature = known.and_then(|known| self.program.types.signature(known.ty));
                Value::Count(signature.map_or(0, |signature| signature.parameters.len() as u64))
            }
            Value::File(file) => {
                self.output.flush_file(file.handle);
                let known = std::fs::metadata(&file.name);
                Value::Double(known.map_or(0.0, |known| known.len() as f64))
            }
            Value::Pattern(_) | Value::Opaque(_) | Value::Type(_) | Value::List(_) => Value::Count(0),
            Value::Unset | Value::Cursor(_) => Value::Count(0),
        }
    }

    /// Runs an operation on each element, of one vector or of two.
    pub(super) fn elements(
        &mut self,
        binary: Binary,
        left: &Value,
        right: &Value,
        ty: TypeId,
    ) -> Outcome<Value> {
        let (one, other) =
            (left.vector().map(|vector| vector.all()), right.vector().map(|vector| vector.all()));
        let count = match (&one, &other) {
            (Some(one), Some(other)) => {
                if one.len() != other.len() {
                    return Err(self.fail("vector operands are of different sizes"));
                }
                one.len()
            }
            (Some(all), None) | (None, Some(all)) => all.len(),
            (None, None) => 0,
        };
        let mut results = Vec::with_capacity(count);
        for place in 0..count {
            let first = one.as_ref().map_or(Some(left), |all| all.get(place)).cloned().unwrap_or_default();
            let second =
                other.as_ref().map_or(Some(right), |all| all.get(place)).cloned().unwrap_or_default();
            let value = if first.is_set() && second.is_set() {
                match quick(binary, &first, &second) {
                    Some(value) => value,
                    None => self.binary(binary, &first, &second)?,
                }
            } else {
                Value::Unset
            };
            results.push(value);
        }
        Ok(Value::Vector(Rc::new(VectorValue::new(ty, results))))
    }

    pub(super) fn each_element(&mut self, unary: Unary, value: &Value, ty: TypeId) -> Outcome<Value> {
        let Value::Vector(vector) = value else { return Err(self.fail("value used but not set")) };
        let mut results = Vec::with_capacity(vector.len());
        for element in vector.all() {
            results.push(if element.is_set() { self.unary(unary, &element)? } else { Value::Unset });
        }
        Ok(Value::Vector(Rc::new(VectorValue::new(ty, results))))
    }
}
