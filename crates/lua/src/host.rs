//! The way from a script to what it is shown.
//!
//! View of a script, lent for one call. The functions of its libraries are made once, and reach the
//! present view by a function that lives as long as the call: they hand it the place of a [`Call`] in
//! [`crate::library::GROUPS`] and their arguments.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use mlua::{Error, Function, Lua, MultiValue, Value};
use weir_applayer::{File, Protocol, Transaction};
use weir_base::Turn;
use weir_detect::dataset::Datasets;
use weir_detect::names::{NameKind, NameList};
use weir_detect::script::{ScriptSurroundings, ScriptView};
use weir_detect::state::{FlowDetect, NameId};
use weir_flow::FlowCore;
use weir_packet::Packet;
use weir_rules::RuleInfo;

use crate::library::GROUPS;
use crate::output::OutputPiece;

/// Function of a library.
pub(crate) type Call = fn(&Lua, &mut Host<'_>, MultiValue) -> mlua::Result<MultiValue>;

/// Names and sets that all scripts of a worker use.
#[derive(Debug)]
pub(crate) struct Surroundings {
    names: HashMap<(NameKind, String), NameId>,
    /// The sets of rules.
    pub(crate) datasets: Arc<Datasets>,
    /// Turn to wait for before a set is touched.
    pub(crate) turn: Turn,
}

impl Surroundings {
    /// Takes the state that a worker's scripts share with rules.
    pub(crate) fn new(surroundings: &ScriptSurroundings<'_>) -> Self {
        Self {
            names: surroundings.names.iter().map(|(id, kind, name)| ((kind, name.to_owned()), id)).collect(),
            datasets: Arc::clone(surroundings.datasets),
            turn: surroundings.turn.clone(),
        }
    }

    /// The number of a name, if rules or scripts registered it.
    fn name(&self, kind: NameKind, name: &str) -> Option<NameId> {
        self.names.get(&(kind, name.to_owned())).copied()
    }
}

/// View of a script during one call.
#[derive(Default)]
pub(crate) struct Host<'v> {
    /// The packet.
    pub(crate) packet: Option<&'v Packet<'v>>,
    /// The flow.
    pub(crate) flow: Option<&'v FlowCore>,
    /// The flow's protocol, that of each direction, the one before a change, and the one expected.
    pub(crate) app: [&'static str; 5],
    /// The rule.
    pub(crate) rule: Option<&'v RuleInfo>,
    /// The transaction, and its protocol.
    pub(crate) transaction: Option<(&'static Protocol, &'v dyn Transaction)>,
    /// The file, and the number of its transaction.
    pub(crate) file: Option<(&'v File, u64)>,
    /// The piece of a stream or body.
    pub(crate) piece: Option<OutputPiece<'v>>,
    /// State of the flow's rules.
    pub(crate) state: FlowState<'v>,
    /// Byte variables of the rule.
    pub(crate) byte_variables: &'v [u64],
    /// Names and sets.
    pub(crate) names: Names<'v>,
}

/// State that rules keep of a flow.
#[derive(Default)]
pub(crate) enum FlowState<'v> {
    /// There is no flow.
    #[default]
    None,
    /// It can be looked at.
    Shown(&'v FlowDetect),
    /// It can be changed.
    Lent(&'v mut FlowDetect),
}

impl FlowState<'_> {
    /// To look at it.
    pub(crate) fn shown(&self) -> Option<&FlowDetect> {
        match self {
            FlowState::None => None,
            FlowState::Shown(state) => Some(state),
            FlowState::Lent(state) => Some(state),
        }
    }

    /// To change it.
    pub(crate) fn lent(&mut self) -> Option<&mut FlowDetect> {
        match self {
            FlowState::Lent(state) => Some(state),
            FlowState::None | FlowState::Shown(_) => None,
        }
    }
}

/// Where names of variables are looked up.
#[derive(Default)]
pub(crate) enum Names<'v> {
    /// Nowhere.
    #[default]
    None,
    /// Among those of the rules, once for each.
    Listed(&'v NameList),
    /// In a worker's table, with the sets of rules.
    Tabled(&'v Surroundings),
}

impl Names<'_> {
    /// The number of a name, if rules or scripts registered it.
    pub(crate) fn find(&self, kind: NameKind, name: &str) -> Option<NameId> {
        match self {
            Names::None => None,
            Names::Listed(list) => {
                list.iter().find(|(_, known, text)| *known == kind && *text == name).map(|(id, ..)| id)
            }
            Names::Tabled(surroundings) => surroundings.name(kind, name),
        }
    }

    /// The sets of rules.
    pub(crate) fn sets(&self) -> Option<&Surroundings> {
        match self {
            Names::Tabled(surroundings) => Some(surroundings),
            Names::None | Names::Listed(_) => None,
        }
    }
}

impl<'v> Host<'v> {
    /// Returns the view of a rule's script.
    pub(crate) fn of_rule(view: ScriptView<'v>, surroundings: &'v Surroundings) -> Self {
        let found = view.protocol;
        let name = |protocol: Option<&'static Protocol>, failed: bool| match (protocol, failed) {
            (Some(protocol), _) => protocol.eve_name,
            (None, true) => "failed",
            (None, false) => "unknown",
        };
        let (to_server, to_client) = found.failed;
        Self {
            packet: Some(view.packet),
            flow: view.flow,
            app: [
                name(found.protocol, to_server && to_client),
                name(found.to_server, to_server),
                name(found.to_client, to_client),
                name(found.original, false),
                "unknown",
            ],
            rule: Some(view.rule),
            transaction: view.transaction,
            file: None,
            piece: None,
            state: view.state.map_or(FlowState::None, FlowState::Lent),
            byte_variables: view.byte_variables,
            names: Names::Tabled(surroundings),
        }
    }
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
            let Some((.., call)) = call else { return Err(Error::runtime("no such function")) };
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
        return Err(Error::runtime("this can be asked in the functions match and log only"));
    };
    arguments.push_front(Value::Integer(index as i64));
    arguments.push_front(Value::Integer(group as i64));
    host.call(arguments)
}
