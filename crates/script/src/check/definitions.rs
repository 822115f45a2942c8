//! Functions, event handlers and hooks.

use std::rc::Rc;

use super::{Checker, Scope, Thing};
use crate::program::{Body, Function, Meaning, Program, Prototype};
use crate::source::Span;
use crate::syntax::ast::{Attribute, Definition, TypeKind, Variable, VariableKind};
use crate::syntax::listing;
use crate::types::{Field, Flavor, TypeId};
use crate::values::{FunctionValue, Value};

impl Checker<'_> {
    /// Takes `global f: function(…)` and the like.
    pub(super) fn declare_function(&mut self, variable: &Variable, ty: TypeId) {
        let full = Program::qualified(&variable.name, &self.module);
        let known = self.engine.program.function_named(&full);
        if let Some(number) = known {
            self.add_prototype(number, ty, &variable.attributes, variable.span);
            return;
        }
        if let Some(symbol) = self.engine.program.symbols.get(&full) {
            let span = symbol.span;
            let end = Span::line(variable.span.file, variable.span.last);
            self.error_between(&Thing::Name(&full, span), &Thing::Name(&full, end), "already defined");
            return;
        }
        let number = self.add_function(&variable.name, ty, variable.span, &variable.attributes);
        if let Some(function) = self.engine.program.functions.get_mut(number as usize) {
            function.is_declared = true;
        }
    }

    /// Adds a function and the variable of its name.
    pub(super) fn add_function(
        &mut self,
        name: &Rc<str>,
        ty: TypeId,
        span: Span,
        attributes: &[Attribute],
    ) -> u32 {
        let full = Program::qualified(name, &self.module);
        let flavor = self.types().signature(ty).map_or(Flavor::Function, |function| function.flavor);
        let number = u32::try_from(self.engine.program.functions.len()).unwrap_or(u32::MAX);
        self.engine.program.functions.push(Function {
            name: full.clone(),
            ty,
            flavor,
            bodies: Rc::default(),
            builtin: None,
            prototypes: Vec::new(),
            span,
            is_declared: false,
            has_body: false,
            replaced: None,
            calls: 0,
        });
        let in_prelude = self.engine.is_prelude(span.file);
        let builtin = if in_prelude { crate::builtins::find(&full) } else { None };
        if let (Some(builtin), Some(function)) =
            (builtin, self.engine.program.functions.get_mut(number as usize))
        {
            function.builtin = Some(builtin);
            function.is_declared = true;
        }
        self.engine.program.types.show_function(number, full);
        let global = self.add_global(name, ty, span, VariableKind::Global, attributes);
        if let Some(global) = self.engine.program.globals.get_mut(global as usize) {
            global.function = Some(number);
            if flavor != Flavor::Function || builtin.is_some() || in_prelude {
                global.value = function_value(number);
            }
        }
        number
    }

    /// Takes another prototype of an event or hook: the same parameters in another order, or some of them.
    fn add_prototype(&mut self, number: u32, ty: TypeId, attributes: &[Attribute], span: Span) {
        let Some(function) = self.engine.program.functions.get(number as usize).cloned() else { return };
        if self.types().same(function.ty, ty) && function.flavor == Flavor::Function {
            return;
        }
        let (Some(first), Some(other)) =
            (self.types().signature(function.ty).cloned(), self.types().signature(ty).cloned())
        else {
            return;
        };
        if first.flavor != other.flavor || first.flavor == Flavor::Function {
            let (one, two) = (function.span, span);
            self.error_between(
                &Thing::Name(&function.name, one),
                &Thing::Name(&function.name, two),
                "already defined",
            );
            return;
        }
        let there = self.engine.program.files.place(function.span);
        let here = self.engine.program.files.place(span);
        let texts = (self.types().text(ty), self.types().text(function.ty));
        let mut places = Vec::new();
        for field in other.parameters.iter() {
            if !field.attributes.is_empty() {
                let text = format!(
                    "alternate function prototype arguments may not have attributes: arg '{}' ({} and {})",
                    field.name, texts.0, texts.1
                );
                self.engine.report("error", &format!("{here} and {there}"), &text);
                return;
            }
            let place = first.parameters.iter().position(|known| known.name == field.name);
            match place.and_then(|place| u16::try_from(place).ok()) {
                Some(place) => places.push(place),
                None => {
                    let text = format!(
                        "alternate function prototype arg '{}' not found in canonical prototype ({} and {})",
                        field.name, texts.0, texts.1
                    );
                    self.engine.report("error", &format!("{here} and {there}"), &text);
                    return;
                }
            }
        }
        let deprecated =
            attributes.iter().find(|attribute| &*attribute.name == "deprecated").map(Self::sentence);
        if let Some(function) = self.engine.program.functions.get_mut(number as usize) {
            function.prototypes.push(Prototype { ty, places, deprecated, span });
        }
    }

    /// Takes a body of a function, event or hook.
    pub(super) fn definition(&mut self, definition: Definition) {
        let TypeKind::Function(flavor, parameters, result) = &definition.signature.kind else { return };
        let before = self.engine.errors;
        let ty = self.function_type(*flavor, parameters, result.as_deref());
        let full = if definition.flavor == Flavor::Function {
            Program::qualified(&definition.name, &self.module)
        } else {
            self.handler_name(&definition.name, definition.flavor)
        };
        let _ = before;
        if self.engine.broken_types.contains(&ty) && !self.engine.program.symbols.contains_key(&full) {
            let number = self.add_function(&definition.name, ty, definition.span, &definition.attributes);
            self.mark_broken(number);
            return;
        }
        let number = match self.engine.program.symbols.get(&full).map(|symbol| symbol.meaning.clone()) {
            None => {
                // What has no module is to get none.
                let name = if full.contains("::") { full.clone() } else { format!("GLOBAL::{full}").into() };
                self.add_function(&name, ty, definition.span, &definition.attributes)
            }
            Some(Meaning::Global(global)) => {
                match self.engine.program.globals.get(global as usize).and_then(|global| global.function) {
                    Some(number) => number,
                    None => return self.already(&full, definition.span),
                }
            }
            Some(_) => return self.already(&full, definition.span),
        };
        if let Some(symbol) = self.engine.program.symbols.get(&full)
            && let Some(sentence) = symbol.deprecated.clone()
            && definition.flavor != Flavor::Function
        {
            self.warn_deprecated(&full, &sentence, definition.span);
        }
        let Some(places) = self.prototype(number, ty, &definition) else { return };
        self.body(number, ty, definition, places);
    }

    fn mark_broken(&mut self, number: u32) {
        if let Some(function) = self.engine.program.functions.get_mut(number as usize) {
            function.has_body = true;
        }
    }

    fn already(&mut self, name: &Rc<str>, span: Span) {
        let known = self.engine.program.symbols.get(name).map(|symbol| symbol.span).unwrap_or_default();
        self.error_between(&Thing::Name(name, known), &Thing::Name(name, span), "already defined");
    }

    /// Returns the event or hook that a handler is for: one of its module, else one of none. An event that nobody
    /// declared belongs to no module.
    fn handler_name(&mut self, name: &str, flavor: Flavor) -> Rc<str> {
        let module = self.module.clone();
        let own = if flavor == Flavor::Event { "GLOBAL" } else { &*module };
        self.engine
            .program
            .find(name, &module)
            .map_or_else(|| Program::qualified(name, own), |(full, _)| full)
    }

    /// Finds the prototype of a definition; returns the places of its parameters where it is not the first one.
    fn prototype(&mut self, number: u32, ty: TypeId, definition: &Definition) -> Option<Option<Rc<[u16]>>> {
        let function = self.engine.program.functions.get(number as usize)?.clone();
        if self.engine.broken_types.contains(&function.ty) || self.engine.broken_types.contains(&ty) {
            return None;
        }
        let (first, own) =
            (self.types().signature(function.ty)?.clone(), self.types().signature(ty)?.clone());
        if own.flavor != first.flavor {
            self.already(&function.name, definition.span);
            return None;
        }
        if first.flavor == Flavor::Function {
            let is_same =
                first.parameters.len() == own.parameters.len() && self.types().same(function.ty, ty);
            if !is_same {
                self.error(definition.span, &format!("incompatible types ({})", function.name));
                return None;
            }
            return Some(None);
        }
        let same_types = |this: &mut Self, one: &[Field], other: &[Field]| {
            one.len() == other.len()
                && one.iter().zip(other).all(|(one, other)| this.types().same(one.ty, other.ty))
        };
        let same_names =
            |one: &[Field], other: &[Field]| one.iter().zip(other).all(|(a, b)| a.name == b.name);
        // Other prototypes of the same types are told apart by names.
        for prototype in &function.prototypes {
            let known = self.types().signature(prototype.ty)?.parameters.clone();
            if same_types(self, &known, &own.parameters) && same_names(&known, &own.parameters) {
                if let Some(sentence) = &prototype.deprecated {
                    let here = self.engine.program.files.place(definition.span);
                    let there = self.engine.program.files.place(prototype.span);
                    let text = format!(
                        "use of deprecated '{}' prototype: {sentence} ({})",
                        function.name,
                        self.types().text(prototype.ty)
                    );
                    self.engine.report("warning", &format!("{here} and {there}"), &text);
                }
                return Some(Some(prototype.places.clone().into()));
            }
        }
        if same_types(self, &first.parameters, &own.parameters) {
            self.warn_deprecated_parameters(&function, &first.parameters, definition);
            return Some(None);
        }
        let here = self.engine.program.files.place(definition.span);
        let there = self.engine.program.files.place(function.span);
        let text = format!(
            "use of undeclared alternate prototype ({} and {})",
            self.types().text(ty),
            function.name
        );
        self.engine.report("error", &format!("{here} and {there}"), &text);
        None
    }

    fn warn_deprecated_parameters(
        &mut self,
        function: &Function,
        parameters: &[Field],
        definition: &Definition,
    ) {
        for field in parameters {
            if let Some(sentence) = &field.deprecated {
                let here = self.engine.program.files.place(definition.span);
                let there = self.engine.program.files.place(function.span);
                let plain = self.types().text(function.ty);
                let plain = plain.replace(&format!(" {}", field.attributes), "");
                let text = format!("use of deprecated parameter '{}': {sentence} ({plain})", field.name);
                self.engine.report("warning", &format!("{here} and {there}"), &text);
            }
        }
    }

    fn body(&mut self, number: u32, ty: TypeId, definition: Definition, places: Option<Rc<[u16]>>) {
        let Some(own) = self.types().signature(ty).cloned() else { return };
        let Some(function) = self.engine.program.functions.get(number as usize).cloned() else { return };
        // Defaults of parameters come from the declaration.
        if own.flavor == Flavor::Function
            && function.has_body
            && !definition.is_redef
            && function.bodies.iter().any(|body| body.span.is_known())
        {
            self.already(&function.name, definition.span);
            return;
        }
        let owner = Some(function.name.clone());
        let mut scope = Scope { flavor: Some(own.flavor), owner, ..Scope::default() };
        scope.result = Some(own.result);
        for field in own.parameters.iter() {
            scope.declare(&field.name, field.ty, definition.span);
        }
        for local in scope.names.values_mut() {
            local.is_set = true;
        }
        let parameters = scope.registers;
        let priority = self.priority(&definition.attributes);
        let groups = self.groups(&definition.attributes);
        let before = self.engine.errors;
        let whole = definition.span.to(definition.body.span);
        self.push_scope(scope);
        let body = self.statement(definition.body);
        let scope = self.pop_scope();
        if self.engine.errors != before {
            self.mark_broken(number);
            return;
        }
        // Whoever adds a body must be the only one that has those before.
        let name = function.name.clone();
        drop(function);
        let own_text = !self.engine.in_prelude;
        let program = &mut self.engine.program;
        if own_text {
            if definition.is_redef {
                program.types.show_function(number, name.clone());
            }
            let text = listing::body(&body, &program.types, &self.module);
            program.types.show_body(number, ty, &name, &text);
        }
        let code = crate::compile::body(program, &name, &body, parameters, scope.registers, whole);
        let new = Body { priority, code: Rc::new(code), groups, places, span: definition.span };
        self.add_body(number, new, own.flavor, definition.is_redef);
    }

    fn add_body(&mut self, number: u32, body: Body, flavor: Flavor, is_redef: bool) {
        let Some(function) = self.engine.program.functions.get_mut(number as usize) else { return };
        if is_redef || flavor == Flavor::Function {
            function.bodies = Rc::default();
        }
        function.has_body = true;
        function.builtin = None;
        // Bodies of equal priority run in the order of their definition.
        let at = function.bodies.partition_point(|known| known.priority >= body.priority);
        Rc::make_mut(&mut function.bodies).insert(at, body);
        let name = function.name.clone();
        if let Some(Meaning::Global(global)) =
            self.engine.program.symbols.get(&name).map(|symbol| symbol.meaning.clone())
            && let Some(global) = self.engine.program.globals.get_mut(global as usize)
            && !global.value.is_set()
        {
            global.value = function_value(number);
        }
    }

    fn priority(&mut self, attributes: &[Attribute]) -> i64 {
        let Some(attribute) = attributes.iter().find(|attribute| &*attribute.name == "priority") else {
            return 0;
        };
        let Some(value) = attribute.value.clone() else { return 0 };
        let value = self.outside(|this| this.expression(*value));
        if value.ty.numeric().is_none() {
            if value.ty != TypeId::ERROR {
                self.error_about(&value, "expression is not of integral type");
            }
            return 0;
        }
        self.evaluate(&value).map_or(0, |value| value.int())
    }

    fn groups(&mut self, attributes: &[Attribute]) -> Vec<Rc<str>> {
        let mut groups: Vec<Rc<str>> = vec![format!("module:{}", self.module).into()];
        for attribute in attributes.iter().filter(|attribute| &*attribute.name == "group") {
            let name = Self::sentence(attribute);
            groups.push(name);
        }
        for group in &groups {
            self.engine.program.groups.entry(group.clone()).or_insert(true);
        }
        groups
    }
}

/// Returns a function as a value, without captures.
pub fn function_value(number: u32) -> Value {
    Value::Function(Rc::new(FunctionValue { function: number, captures: Vec::new().into() }))
}
