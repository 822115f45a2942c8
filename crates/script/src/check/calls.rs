//! Calls of functions, hooks and events.

use super::{Checker, Thing};
use crate::source::Span;
use crate::syntax::ast::{Expr, Kind};
use crate::types::{Default, Flavor, Function, Type, TypeId};
use crate::values::Value;

impl Checker<'_> {
    pub(super) fn call(&mut self, function: Expr, arguments: Vec<Expr>, span: Span, depth: u16) -> Expr {
        let function = self.expression(function);
        if let Kind::Type(id, _) = &function.kind {
            let id = *id;
            return self.named_constructor(id, &function, arguments, span, depth);
        }
        if arguments.iter().any(|argument| matches!(argument.kind, Kind::FieldAssign(..))) {
            if function.ty == TypeId::ERROR {
                return Self::built(Kind::Call(Box::new(function), arguments), TypeId::ERROR, span, depth);
            }
            let name = self.text(&function);
            self.error(span, &format!("syntax error, at or near \"$\" ({name})"));
            return Self::built(Kind::Call(Box::new(function), arguments), TypeId::ERROR, span, depth);
        }
        let known = self.types().signature(function.ty).cloned();
        if let Some(known) = &known
            && known.flavor != Flavor::Function
        {
            let word = if known.flavor == Flavor::Hook {
                "hook cannot be called directly, use hook operator"
            } else {
                "event cannot be called directly, use event statement"
            };
            let name = self.text(&function);
            self.error(span, &format!("{word} ({name})"));
            return Self::built(Kind::Call(Box::new(function), arguments), TypeId::ERROR, span, depth);
        }
        self.finish_call(function, known, arguments, span, depth)
    }

    fn finish_call(
        &mut self,
        function: Expr,
        known: Option<Function>,
        arguments: Vec<Expr>,
        span: Span,
        depth: u16,
    ) -> Expr {
        let arguments: Vec<Expr> = arguments.into_iter().map(|argument| self.argument(argument)).collect();
        let Some(known) = known else {
            let broken =
                Self::built(Kind::Call(Box::new(function.clone()), arguments), TypeId::ERROR, span, depth);
            if function.ty == TypeId::ANY {
                return Expr { ty: TypeId::ANY, ..broken };
            }
            if function.ty != TypeId::ERROR {
                self.error_about(&Expr { ty: TypeId::ANY, ..broken.clone() }, "can't call a non-function");
            }
            return broken;
        };
        let shown = arguments.clone();
        let result = known.result;
        match self.arguments(&known, arguments, &function) {
            Some(arguments) => {
                let result = self.call_type(&function, &arguments, result);
                let built = Self::built(Kind::Call(Box::new(function), arguments), result, span, depth);
                self.check_format(&built);
                self.folded(built)
            }
            None => {
                let broken = Self::built(Kind::Call(Box::new(function), shown), result, span, depth);
                self.error_about(&broken, "argument type mismatch in function call");
                Self::broken(broken)
            }
        }
    }

    fn folded(&mut self, call: Expr) -> Expr {
        call
    }

    /// Returns the type of a call's value: some built-in functions return what they were given.
    fn call_type(&mut self, function: &Expr, arguments: &[Expr], declared: TypeId) -> TypeId {
        let Kind::Global(_, name) = &function.kind else { return declared };
        let first = arguments.first().map_or(TypeId::ANY, |argument| match &argument.kind {
            Kind::ToAny(inner) => inner.ty,
            _ => argument.ty,
        });
        match name.strip_prefix("::").unwrap_or(name) {
            "sort" if self.types().element(first).is_some() => first,
            _ => declared,
        }
    }

    /// Checks an argument: lists stand for records nowhere here.
    fn argument(&mut self, argument: Expr) -> Expr {
        self.expression(argument)
    }

    /// Converts arguments to the types of parameters, adds defaults; none where they do not fit, reported but for the whole.
    fn arguments(&mut self, known: &Function, arguments: Vec<Expr>, function: &Expr) -> Option<Vec<Expr>> {
        if arguments.iter().any(|argument| argument.ty == TypeId::ERROR) {
            self.engine.errors += u64::from(self.engine.errors == 0);
            return Some(arguments);
        }
        if known.variadic {
            return Some(arguments);
        }
        // One parameter of any type takes any number of arguments; what is called decides when it runs.
        if let [only] = &*known.parameters
            && only.ty == TypeId::ANY
            && arguments.len() != 1
            && !arguments.is_empty()
        {
            return Some(arguments);
        }
        let mut arguments = arguments;
        let given = arguments.len();
        if given > known.parameters.len() {
            return None;
        }
        for field in known.parameters.iter().skip(given) {
            let like = arguments.last().unwrap_or(function).clone();
            let span = if like.span.is_known() { like.span } else { function.span };
            match &field.default {
                Some(Default::Value(value)) => arguments.push(match value {
                    // A number without a sign is written as a count.
                    Value::Int(number @ 0..) if field.ty == TypeId::INT => {
                        Self::constant(Value::Count(number.unsigned_abs()), TypeId::COUNT, span)
                    }
                    _ => Self::constant(value.clone(), field.ty, span),
                }),
                Some(Default::Function(number)) => {
                    let called = Self::built(Kind::Function(*number, "".into()), field.ty, span, 0);
                    arguments.push(Self::built(Kind::Call(Box::new(called), Vec::new()), field.ty, span, 1));
                }
                Some(Default::Empty) => {
                    arguments.push(Self::constant(Value::Unset, field.ty, span));
                }
                None => return None,
            }
        }
        let wanted: Vec<TypeId> = known.parameters.iter().map(|field| field.ty).collect();
        self.convert_arguments(&mut arguments, &wanted).then_some(arguments)
    }

    fn convert_arguments(&mut self, arguments: &mut Vec<Expr>, wanted: &[TypeId]) -> bool {
        let mut is_good = true;
        let mut done = Vec::new();
        for (place, argument) in std::mem::take(arguments).into_iter().enumerate() {
            let to = wanted.get(place).copied().unwrap_or(TypeId::ANY);
            let argument = self.literal_for(argument, to);
            match self.convert_argument(argument, to) {
                Ok(argument) => done.push(argument),
                Err(argument) => {
                    is_good = false;
                    let is_shown = argument.ty == TypeId::ERROR && to != TypeId::ERROR;
                    if is_shown {
                        self.error_between(&Thing::Expr(&argument), &Thing::Type(to), "type mismatch");
                    }
                    done.push(argument);
                }
            }
        }
        *arguments = done;
        is_good
    }

    /// Makes constructors without types into ones of the wanted type.
    pub(super) fn literal_for(&mut self, expr: Expr, to: TypeId) -> Expr {
        match (&expr.kind, self.types().get(to).clone()) {
            (Kind::Container(..), Type::Vector(_) | Type::Table { .. })
                if expr.ty != to && !self.types().same(expr.ty, to) =>
            {
                let Kind::Container(container, members, attributes, name) = expr.kind.clone() else {
                    return expr;
                };
                if self.fits_members(&members, to) {
                    return self.recast(container, members, attributes, name, to, &expr);
                }
                expr
            }
            _ => expr,
        }
    }

    pub(super) fn event_call(
        &mut self,
        function: Expr,
        arguments: Vec<Expr>,
        span: Span,
        depth: u16,
    ) -> Expr {
        let name = self.text(&function);
        let function = self.expression(function);
        if let Kind::Local(..) | Kind::Capture(..) = &function.kind {
            let text =
                format!("local identifier \"{name}\" cannot be used to reference an event, at or near \")\"");
            self.error(span, &text);
            self.engine.is_fatal = true;
            return Self::built(Kind::Event(Box::new(function), arguments), TypeId::ERROR, span, depth);
        }
        let known = self.types().signature(function.ty).cloned();
        let Some(known) = known else {
            if function.ty != TypeId::ERROR {
                self.error(span, &format!("function is not an event ({name})"));
            }
            return Self::built(Kind::Event(Box::new(function), arguments), TypeId::ERROR, span, depth);
        };
        if known.flavor != Flavor::Event {
            self.error(span, &format!("function is not an event ({name})"));
            return Self::built(Kind::Event(Box::new(function), arguments), TypeId::ERROR, span, depth);
        }
        if let Kind::Global(number, _) = &function.kind
            && let Some(number) =
                self.engine.program.globals.get(*number as usize).and_then(|global| global.function)
            && let Some(function) = self.engine.program.functions.get_mut(number as usize)
        {
            function.is_declared = true;
        }
        let arguments: Vec<Expr> = arguments.into_iter().map(|argument| self.expression(argument)).collect();
        let shown = arguments.clone();
        match self.arguments(&known, arguments, &function) {
            Some(arguments) => {
                Self::built(Kind::Event(Box::new(function), arguments), TypeId::VOID, span, depth)
            }
            None => {
                let shown = crate::syntax::display::list(&shown, &self.engine.program.types);
                self.error(span, &format!("type mismatch in event parameter ({name}({shown}))"));
                Self::built(Kind::Event(Box::new(function), Vec::new()), TypeId::ERROR, span, depth)
            }
        }
    }

    pub(super) fn hook_call(&mut self, call: Expr, span: Span, depth: u16) -> Expr {
        let Kind::Call(function, arguments) = call.kind else {
            let shown = self.expression(call);
            self.error_about(&Expr { ty: TypeId::ANY, ..shown.clone() }, "not a valid hook call expression");
            return Self::built(Kind::Hook(Box::new(shown)), TypeId::ERROR, span, depth);
        };
        let function = self.expression(*function);
        let known = self.types().signature(function.ty).cloned();
        if let Some(known) = &known
            && known.flavor != Flavor::Hook
        {
            let shown = Self::built(Kind::Call(Box::new(function), arguments), TypeId::ANY, span, depth);
            self.error_about(&shown, "hook keyword should only be used to call hooks");
            return Self::built(Kind::Hook(Box::new(shown)), TypeId::ERROR, span, depth);
        }
        let call = self.finish_call(function, known, arguments, span, depth);
        let ty = call.ty;
        Self::built(Kind::Hook(Box::new(call)), ty, span, depth)
    }

    pub(super) fn schedule(&mut self, delay: Expr, event: Expr, span: Span, depth: u16) -> Expr {
        self.engine.waits |= !self.engine.in_prelude;
        let delay = self.expression(delay);
        let event = self.expression(event);
        if !delay.ty.is_temporal() && delay.ty != TypeId::ERROR {
            self.error_about(&delay, "schedule expression requires a time interval");
        }
        let ty = if event.ty == TypeId::ERROR { TypeId::ERROR } else { TypeId::VOID };
        Self::built(Kind::Schedule(Box::new(delay), Box::new(event)), ty, span, depth)
    }

    /// Warns of formats that cannot fit.
    fn check_format(&mut self, call: &Expr) {
        let Kind::Call(function, arguments) = &call.kind else { return };
        let Kind::Global(_, name) = &function.kind else { return };
        if &**name != "fmt" {
            return;
        }
        if arguments.first().is_some_and(|format| format.ty != TypeId::STRING && format.ty != TypeId::ANY)
            && arguments.len() > 1
        {
            self.error_about(call, "format string is not of type string");
        }
    }
}
