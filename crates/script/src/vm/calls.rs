//! Calls from outside of the loop: handlers, hooks, functions that built-in ones call.

use std::rc::Rc;

use super::Engine;
use super::fiber::{Exit, Fault, Fiber, Outcome};
use crate::code::Code;
use crate::program::Body;
use crate::types::TypeId;
use crate::values::{FunctionValue, Value, VectorValue};

/// Most runs of the machine within runs of it; each takes some of the machine's own stack.
const NESTED: usize = 180;

impl Engine {
    /// Runs code from an entry.
    pub(super) fn run_entry(
        &mut self,
        code: &Rc<Code>,
        entry: usize,
        arguments: &[Value],
        function: Option<Rc<FunctionValue>>,
    ) -> Outcome<Value> {
        match self.run_exit(code, entry, arguments, u32::MAX, function)? {
            Exit::Done(value) => Ok(value),
            Exit::Broke | Exit::NotYet => Ok(Value::Unset),
            Exit::Waiting(super::Wait::Ready(value)) => Ok(value),
            Exit::Waiting(_) => {
                Err(self.fail("a function that waits can only be called in the condition of \"when\""))
            }
        }
    }

    fn run_exit(
        &mut self,
        code: &Rc<Code>,
        entry: usize,
        arguments: &[Value],
        number: u32,
        function: Option<Rc<FunctionValue>>,
    ) -> Outcome<Exit> {
        if self.nested >= NESTED {
            return Err(self.fail_at(code.span, "calls are nested too deeply"));
        }
        let mut fiber = self.spare.pop().unwrap_or_default();
        fiber.enter(code.clone(), arguments, number, function);
        if let Some(frame) = fiber.frames.last_mut() {
            frame.at = entry;
        }
        let result = self.run_counted(&mut fiber);
        fiber.clear();
        self.spare.push(fiber);
        result
    }

    /// Runs a fiber, with a budget of its own where it is the outermost one.
    pub(super) fn run_counted(&mut self, fiber: &mut Fiber) -> Outcome<Exit> {
        let kept = self.place.clone();
        let depth = self.depth;
        if self.nested == 0 {
            self.fuel = self.limits.steps;
        }
        self.nested += 1;
        self.depth += 1;
        let result = self.run(fiber);
        self.depth = depth;
        self.nested -= 1;
        self.place = kept;
        result
    }

    /// Calls a function by its number.
    ///
    /// # Errors
    ///
    /// Where it ends by an error, which was reported.
    pub fn call_number(&mut self, number: u32, arguments: &[Value]) -> Outcome<Value> {
        self.call(&Rc::new(FunctionValue { function: number, captures: Vec::new().into() }), arguments)
    }

    /// Calls a function, hook or built-in function.
    ///
    /// # Errors
    ///
    /// Where it ends by an error, which was reported.
    pub fn call(&mut self, function: &Rc<FunctionValue>, arguments: &[Value]) -> Outcome<Value> {
        let Some(known) = self.program.functions.get_mut(function.function as usize) else {
            return Ok(Value::Unset);
        };
        known.calls += 1;
        if known.flavor == crate::types::Flavor::Hook {
            return self.run_hook(function, arguments).map(Value::Bool);
        }
        if let Some(body) = known.bodies.first() {
            let code = body.code.clone();
            return match self.run_exit(&code, 0, arguments, function.function, Some(function.clone()))? {
                Exit::Done(value) => Ok(value),
                Exit::Broke | Exit::NotYet => Ok(Value::Unset),
                Exit::Waiting(super::Wait::Ready(value)) => Ok(value),
                Exit::Waiting(_) => {
                    Err(self.fail("a function that waits can only be called in the condition of \"when\""))
                }
            };
        }
        match known.builtin {
            Some(builtin) => (builtin.run)(self, arguments),
            None => Ok(Value::Unset),
        }
    }

    /// Returns the bodies of a function.
    fn bodies(&self, number: u32) -> Rc<Vec<Body>> {
        self.program
            .functions
            .get(number as usize)
            .map(|function| function.bodies.clone())
            .unwrap_or_default()
    }

    /// Returns whether a body is not switched off.
    fn is_active(&self, body: &Body) -> bool {
        body.groups.iter().all(|group| self.program.groups.get(group).copied().unwrap_or(true))
    }

    /// Runs the bodies of a hook; false where one left by `break`. An error ends the body alone.
    pub fn run_hook(&mut self, hook: &Rc<FunctionValue>, arguments: &[Value]) -> Outcome<bool> {
        for body in self.bodies(hook.function).iter() {
            if !self.is_active(body) {
                continue;
            }
            let given = placed(body, arguments);
            match self.run_exit(&body.code, 0, &given, hook.function, Some(hook.clone())) {
                Ok(Exit::Broke) => return Ok(false),
                Ok(_) | Err(Fault::Error) => {}
                Err(fault) => return Err(fault),
            }
        }
        Ok(true)
    }

    /// Runs a hook by its name; true where it does not exist.
    pub fn run_hook_named(&mut self, name: &str, arguments: &[Value]) -> bool {
        let Some(number) = self.program.function_named(name) else { return true };
        let hook = Rc::new(FunctionValue { function: number, captures: Vec::new().into() });
        self.run_hook(&hook, arguments).unwrap_or(true)
    }

    /// Runs all handlers of an event. An error ends its handler alone.
    pub fn handle(&mut self, number: u32, arguments: &[Value]) -> Outcome<()> {
        if let Some(every) = self.every
            && every != number
            && self.is_told(number)
        {
            let told = self.told_event(number, arguments);
            self.handle(every, &told)?;
        }
        if let Some(function) = self.program.functions.get_mut(number as usize) {
            function.calls += 1;
        }
        self.frameworks.steering.event = Some(number);
        if self.frameworks.steering.is_asked {
            self.frameworks.steering.subject = arguments.first().cloned().unwrap_or_default();
        }
        for body in self.bodies(number).iter() {
            if !self.is_active(body) {
                continue;
            }
            let given = placed(body, arguments);
            let mut fiber = self.spare.pop().unwrap_or_default();
            fiber.enter(body.code.clone(), &given, number, None);
            match self.run_counted(&mut fiber) {
                Ok(Exit::Waiting(wait)) => {
                    self.suspend(fiber, wait);
                    continue;
                }
                Ok(_) | Err(Fault::Error) => {}
                Err(fault) => return Err(fault),
            }
            fiber.clear();
            self.spare.push(fiber);
        }
        Ok(())
    }
}

impl Engine {
    /// Has the handlers of `new_event` hear of each event that has handlers, before these.
    pub(super) fn tell_handled_events(&mut self) {
        self.every =
            self.program.function_named("new_event").filter(|number| !self.bodies(*number).is_empty());
    }

    /// From now on, the handlers of `new_event` hear of each event, whether or not it has others.
    pub fn tell_every_event(&mut self) {
        self.tell_handled_events();
        self.tells_all = self.every.is_some();
    }

    /// Returns whether `new_event` hears of an event: the prelude's own ones are nobody's.
    fn is_told(&self, number: u32) -> bool {
        let known = self.program.functions.get(number as usize);
        self.is_heard(number) && known.is_some_and(|function| !function.name.contains("weir_"))
    }

    /// Returns whether anything hears of an event.
    pub(crate) fn is_heard(&self, number: u32) -> bool {
        let known = self.program.functions.get(number as usize);
        known.is_some_and(|function| self.tells_all || !function.bodies.is_empty())
    }

    /// Returns the name of an event and its arguments, as `new_event` has them.
    fn told_event(&mut self, number: u32, arguments: &[Value]) -> [Value; 2] {
        let Some(function) = self.program.functions.get(number as usize) else {
            return [Value::Unset, Value::Unset];
        };
        let name = Value::string(&*function.name);
        let parameters = self
            .program
            .types
            .signature(function.ty)
            .map(|known| known.parameters.clone())
            .unwrap_or_default();
        let mut told = Vec::new();
        for (parameter, value) in parameters.iter().zip(arguments) {
            let fields = [
                ("name", Value::string(&*parameter.name)),
                ("type_name", Value::string(self.types().text(parameter.ty))),
                ("value", value.clone()),
            ];
            told.push(self.record_of("call_argument", &fields));
        }
        let ty = self.program.type_named("call_argument_vector").unwrap_or(TypeId::ANY);
        [name, Value::Vector(Rc::new(VectorValue::new(ty, told)))]
    }
}

/// Returns the arguments in the places that a body's prototype gives them.
fn placed(body: &Body, arguments: &[Value]) -> Vec<Value> {
    match &body.places {
        Some(places) => places
            .iter()
            .map(|place| arguments.get(usize::from(*place)).cloned().unwrap_or_default())
            .collect(),
        None => arguments.to_vec(),
    }
}
