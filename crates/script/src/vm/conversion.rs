//! Conversions and casts.

use std::rc::Rc;

use super::{Engine, Outcome};
use crate::types::{Type, TypeId};
use crate::values::{Addr, Key, Port, RecordValue, Subnet, TableValue, Value, VectorValue, parse_double};

/// Returns a number as one of another type; none where the value is no number.
pub fn convert_number(value: &Value, to: TypeId) -> Option<Value> {
    Some(match (value, to) {
        (Value::Count(inner), TypeId::INT) => Value::Int(i64::try_from(*inner).ok()?),
        (Value::Count(_) | Value::Int(_) | Value::Double(_), TypeId::DOUBLE) => Value::Double(value.double()),
        (Value::Int(inner), TypeId::COUNT) => Value::Count(u64::try_from(*inner).ok()?),
        (Value::Count(_), TypeId::COUNT) | (Value::Int(_), TypeId::INT) => value.clone(),
        _ => return None,
    })
}

impl Engine {
    /// Converts as the check has asked for.
    pub(super) fn coerce(&mut self, value: &Value, to: TypeId) -> Outcome<Value> {
        if !value.is_set() {
            return Ok(Value::Unset);
        }
        if let (
            Value::Count(_) | Value::Int(_) | Value::Double(_),
            TypeId::COUNT | TypeId::INT | TypeId::DOUBLE,
        ) = (value, to)
        {
            return Ok(match to {
                TypeId::COUNT => Value::Count(match value {
                    Value::Int(inner) => *inner as u64,
                    other => other.count(),
                }),
                TypeId::INT => Value::Int(value.int()),
                _ => Value::Double(value.double()),
            });
        }
        match (value, self.program.types.get(to)) {
            (Value::Record(record), Type::Record(_)) => self.coerce_record(&record.clone(), to),
            (Value::Table(table), Type::Table { .. }) => {
                if table.is_empty() || self.is_untyped(table.ty.get()) {
                    table.ty.set(to);
                }
                Ok(value.clone())
            }
            (Value::Vector(vector), Type::Vector(element)) => {
                let element = *element;
                let own = self.program.types.element(vector.ty.get()).unwrap_or(TypeId::VOID);
                if element.numeric().is_some() && own.numeric().is_some() && own != element {
                    let mut converted = Vec::with_capacity(vector.len());
                    for part in vector.all() {
                        converted.push(self.coerce(&part, element)?);
                    }
                    return Ok(Value::Vector(Rc::new(VectorValue::new(to, converted))));
                }
                if own == TypeId::VOID || vector.is_empty() {
                    vector.ty.set(to);
                }
                Ok(value.clone())
            }
            _ if to == TypeId::ANY => Ok(value.clone()),
            _ => {
                if self.is_of(value, to) {
                    return Ok(value.clone());
                }
                let from = self.type_of(value);
                let text = format!(
                    "incompatible \"any\" type ({} vs. {})",
                    self.program.types.text(to),
                    self.program.types.text(from)
                );
                Err(self.fail(&text))
            }
        }
    }

    fn is_untyped(&self, ty: TypeId) -> bool {
        self.program.types.table_of(ty).is_some_and(|(keys, _)| keys.is_empty())
    }

    fn coerce_record(&mut self, record: &Rc<RecordValue>, to: TypeId) -> Outcome<Value> {
        if record.ty == to {
            return Ok(Value::Record(record.clone()));
        }
        let (Some(source), Some(target)) =
            (self.program.types.record(record.ty).cloned(), self.program.types.record(to).cloned())
        else {
            return Ok(Value::Record(record.clone()));
        };
        if source.fields.len() == target.fields.len()
            && self.program.types.same(record.ty, to)
            && source.fields.iter().zip(&target.fields).all(|(one, other)| one.ty == other.ty)
        {
            let same = self.program.types.name_of(record.ty).is_some();
            if same {
                return Ok(Value::Record(record.clone()));
            }
        }
        let new = Rc::new(RecordValue::new(to, Vec::new()));
        for (place, field) in source.fields.iter().enumerate() {
            let value = record.get(place);
            if let (true, Some(at)) = (value.is_set(), target.place(&field.name)) {
                let wanted = target.fields.get(at).map_or(TypeId::ANY, |field| field.ty);
                let value = if wanted == field.ty { value } else { self.coerce(&value, wanted)? };
                new.set(at, value);
            }
        }
        self.fill(&new)?;
        Ok(Value::Record(new))
    }

    /// Returns whether a value is of the type.
    pub fn is_of(&mut self, value: &Value, ty: TypeId) -> bool {
        if !value.is_set() {
            return false;
        }
        if ty == TypeId::ANY {
            return true;
        }
        let own = self.type_of(value);
        own == ty || (own != TypeId::ANY && self.program.types.same(own, ty))
    }

    pub(super) fn cast(&mut self, value: &Value, to: TypeId) -> Outcome<Value> {
        match self.try_cast(value, to) {
            Some(value) => Ok(value),
            None => {
                let from = self.type_of(value);
                let name = |this: &Self, id: TypeId| {
                    this.program
                        .types
                        .name_of(id)
                        .map_or_else(|| this.program.types.text(id), |name| name.to_string())
                };
                let text = format!(
                    "invalid cast of value with type '{}' to type '{}'",
                    name(self, from),
                    name(self, to)
                );
                Err(self.fail(&text))
            }
        }
    }

    /// Returns the value as one of the type, where it can be.
    pub(super) fn try_cast(&mut self, value: &Value, to: TypeId) -> Option<Value> {
        if self.is_of(value, to) {
            return Some(value.clone());
        }
        if let Some(value) = cast_number(value, to) {
            return Some(value);
        }
        match value {
            Value::String(bytes) => cast_string(bytes, to),
            Value::Addr(address) if to == TypeId::SUBNET => {
                Some(Value::Subnet(Subnet::new(*address, address.width())))
            }
            Value::Subnet(network) if to == TypeId::ADDR => Some(Value::Addr(network.prefix)),
            Value::Port(port) if to == TypeId::COUNT => Some(Value::Count(u64::from(port.number))),
            Value::Enum(_, inner) if to == TypeId::INT => Some(Value::Int(*inner)),
            Value::Enum(_, inner) if to == TypeId::COUNT => u64::try_from(*inner).ok().map(Value::Count),
            Value::Table(table) => {
                let element = self.program.types.element(to)?;
                let (keys, None) = self.program.types.table_of(table.ty.get())? else { return None };
                let fits = keys.len() == 1 && self.program.types.same(*keys.first()?, element);
                fits.then(|| {
                    let all = table.keys().iter().map(Key::shown).collect();
                    Value::Vector(Rc::new(VectorValue::new(to, all)))
                })
            }
            Value::Vector(vector) => {
                let element = self.program.types.element(vector.ty.get())?;
                let (keys, None) = self.program.types.table_of(to)? else { return None };
                if keys.len() != 1 || !self.program.types.same(*keys.first()?, element) {
                    return None;
                }
                let set = Rc::new(TableValue::new(to));
                for part in vector.all().iter().filter(|part| part.is_set()) {
                    set.insert(Key::new(part), Value::Unset, self.now());
                }
                Some(Value::Table(set))
            }
            _ => None,
        }
    }
}

fn cast_number(value: &Value, to: TypeId) -> Option<Value> {
    match (value, to) {
        (Value::Count(inner), TypeId::ADDR) => {
            let number = u32::try_from(*inner).ok()?;
            Some(Value::Addr(Addr::v4(number.to_be_bytes())))
        }
        (Value::Count(_) | Value::Int(_) | Value::Double(_), TypeId::TIME) => {
            Some(Value::Time(value.double()))
        }
        (Value::Count(_) | Value::Int(_) | Value::Double(_), TypeId::INTERVAL) => {
            Some(Value::Interval(value.double()))
        }
        (Value::Count(_) | Value::Int(_), TypeId::DOUBLE) => Some(Value::Double(value.double())),
        (Value::Time(inner) | Value::Interval(inner), TypeId::DOUBLE) => Some(Value::Double(*inner)),
        (Value::Double(inner), TypeId::INT) => Some(Value::Int(inner.round_ties_even() as i64)),
        (Value::Double(inner), TypeId::COUNT) => {
            (*inner >= 0.0).then(|| Value::Count(inner.round_ties_even() as u64))
        }
        (Value::Count(inner), TypeId::INT) => i64::try_from(*inner).ok().map(Value::Int),
        (Value::Int(inner), TypeId::COUNT) => u64::try_from(*inner).ok().map(Value::Count),
        _ => None,
    }
}

fn cast_string(bytes: &[u8], to: TypeId) -> Option<Value> {
    let text = std::str::from_utf8(bytes).ok()?;
    match to {
        TypeId::COUNT => text.trim().parse().ok().map(Value::Count),
        TypeId::INT => text.trim().parse().ok().map(Value::Int),
        TypeId::DOUBLE => {
            let (value, length) = parse_double(bytes)?;
            (length == bytes.len()).then_some(Value::Double(value))
        }
        TypeId::ADDR => Addr::parse(text).map(Value::Addr),
        TypeId::SUBNET => Subnet::parse(text).map(Value::Subnet),
        TypeId::PORT => Port::parse(text).map(Value::Port),
        _ => None,
    }
}
