//! The way from a script to what it is shown.
//!
//! What a script sees is lent for one call. The functions of its libraries are made once, and reach the
//! present view by a function that lives as long as the call: they hand it the place of a [`Call`] in
//! [`crate::library::GROUPS`] and their arguments.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use mlua::{Error, Function, Lua, MultiValue, Value};
use weir_base::Turn;
use weir_detect::dataset::Datasets;
use weir_detect::names::NameKind;
use weir_detect::script::{ScriptSurroundings, ScriptView};
use weir_detect::state::NameId;

use crate::library::GROUPS;

/// What functions of libraries do.
pub(crate) type Call = fn(&Lua, &mut Host<'_>, MultiValue) -> mlua::Result<MultiValue>;

/// Names and sets that all scripts of a worker use.
#[derive(Debug)]
pub(crate) struct Surroundings {
    names: HashMap<(NameKind, String), NameId>,
    /// The sets of rules.
    pub(crate) datasets: Arc<Datasets>,
    /// What is waited for before a set is touched.
    pub(crate) turn: Turn,
}

impl Surroundings {
    /// What a worker's scripts share with rules.
    pub(crate) fn new(surroundings: &ScriptSurroundings<'_>) -> Self {
        Self {
            names: surroundings.names.iter().map(|(id, kind, name)| ((kind, name.to_owned()), id)).collect(),
            datasets: Arc::clone(surroundings.datasets),
            turn: surroundings.turn.clone(),
        }
    }

    /// The number of a name, if rules or scripts registered it.
    pub(crate) fn name(&self, kind: NameKind, name: &str) -> Option<NameId> {
        self.names.get(&(kind, name.to_owned())).copied()
    }
}

/// What a script sees during one call.
pub(crate) struct Host<'v> {
    /// Packet, flow, transaction.
    pub(crate) view: ScriptView<'v>,
    /// Names.
    pub(crate) surroundings: &'v Surroundings,
}

/// Where the function is that leads to the host.
const HOST: &str = "host";

/// Runs `script` with `argument` while `host` answers its questions.
pub(crate) fn run(lua: &Lua, host: Host<'_>, script: &Function, argument: Value) -> mlua::Result<Value> {
    let host = RefCell::new(host);
    lua.scope(|scope| {
        let answer = scope.create_function(|lua, mut arguments: MultiValue| {
            let mut place = || match arguments.pop_front() {
                Some(Value::Integer(place)) => usize::try_from(place).ok(),
                _ => None,
            };
            let call = place().zip(place()).and_then(|(group, index)| GROUPS.get(group)?.get(index));
            let Some((_, call)) = call else { return Err(Error::runtime("no such function")) };
            let mut host = host.try_borrow_mut().map_err(|_| Error::runtime("a call within a call"))?;
            call(lua, &mut host, arguments)
        })?;
        lua.set_named_registry_value(HOST, answer)?;
        script.call(argument)
    })
}

/// Has the host answer.
pub(crate) fn ask(
    lua: &Lua,
    (group, index): (usize, usize),
    mut arguments: MultiValue,
) -> mlua::Result<MultiValue> {
    let Value::Function(host) = lua.named_registry_value(HOST)? else {
        return Err(Error::runtime("this can be asked in the function match only"));
    };
    arguments.push_front(Value::Integer(index as i64));
    arguments.push_front(Value::Integer(group as i64));
    host.call(arguments)
}
