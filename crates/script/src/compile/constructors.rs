//! Constructors.

use super::Compiler;
use crate::code::{Op, Register};
use crate::syntax::ast::{Container, Expr, Kind};
use crate::types::TypeId;

/// The register that stands for no value, where a set's member is put in.
pub const NO_VALUE: Register = Register::MAX;

impl Compiler<'_> {
    /// Makes a record of a type from the fields of a constructor.
    pub(super) fn record(&mut self, into: Register, fields: &[Expr], ty: TypeId) {
        // The register may be that of a local that the fields name.
        let made = self.temporary();
        self.emit(Op::NewRecord(made, ty));
        for field in fields {
            let Kind::FieldAssign(name, value) = &field.kind else { continue };
            let known = self.program.types.record(ty);
            let Some(place) = known.and_then(|record| record.place(name)) else { continue };
            let wanted = known.and_then(|record| record.fields.get(place)).map_or(value.ty, |field| field.ty);
            let kept = self.next;
            let register = self.converted(value, wanted);
            self.emit(Op::SetField(made, u16::try_from(place).unwrap_or(u16::MAX), register));
            self.next = kept;
        }
        self.emit(Op::Defaults(made));
        self.emit(Op::Move(into, made));
    }

    /// Returns a register with a value of the wanted type.
    fn converted(&mut self, value: &Expr, wanted: TypeId) -> Register {
        if value.ty == wanted || wanted == TypeId::ANY || value.ty == TypeId::ANY {
            return self.expression(value);
        }
        let needs = self.program.types.record(wanted).is_some()
            || value.ty.numeric().is_some()
            || self.program.types.becomes_container(value.ty, wanted);
        if !needs {
            return self.expression(value);
        }
        let coerced = Expr { kind: Kind::Coerce(Box::new(value.clone())), ty: wanted, ..value.clone() };
        self.expression(&coerced)
    }

    pub(super) fn container(
        &mut self,
        into: Register,
        container: Container,
        members: &[Expr],
        attributes: Option<&str>,
        expr: &Expr,
    ) {
        let made = self.temporary();
        let number = attributes.and_then(|number| number.parse().ok()).unwrap_or(0);
        if container == Container::Vector {
            self.emit(Op::NewVector(made, expr.ty));
        } else {
            self.emit(Op::NewTable(made, expr.ty, number));
        }
        for member in members {
            let kept = self.next;
            match (container, &member.kind) {
                (Container::Vector, _) => {
                    let value = self.expression(member);
                    self.emit(Op::Append(made, value));
                }
                (_, Kind::Assign(index, value)) => {
                    let key = self.expression(index);
                    let value = self.expression(value);
                    self.origin(member);
                    self.emit(Op::Insert(made, key, value));
                }
                _ => {
                    let key = self.expression(member);
                    self.origin(member);
                    self.emit(Op::Insert(made, key, NO_VALUE));
                }
            }
            self.next = kept;
        }
        self.emit(Op::Move(into, made));
    }
}
