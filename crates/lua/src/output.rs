//! Outputs that scripts write (`outputs`: `lua`).
//!
//! A script says in `init` what it is to be called for, makes ready in `setup`, is called with `log` for each,
//! and ends with `deinit`. It is one for all workers, and the operator's own: it may call all that the language
//! has, and no limit holds it.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use mlua::chunk::ChunkMode;
use mlua::{Function, Table, Value};
use weir_applayer::{File, Protocol, Transaction};
use weir_base::{Pipes, named_file};
use weir_detect::names::NameList;
use weir_detect::state::FlowDetect;
use weir_flow::FlowCore;
use weir_packet::Packet;
use weir_rules::RuleInfo;

use crate::failure;
use crate::host::{self, FlowState, Host, Names};
use crate::language::{MAX_FILE, Say};
use crate::library::{self, Catalogue};
use crate::sandbox::{Limits, Sandbox};

/// Events that a script is called for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OutputKind {
    /// Transactions of this protocol, as the script names it.
    Transactions(String),
    /// Alerts.
    Alerts,
    /// Flows that ended.
    Flows,
    /// Files that ended.
    Files,
}

/// View of a script during one call of `log`.
#[derive(Default)]
pub struct OutputView<'a> {
    /// The packet.
    pub packet: Option<&'a Packet<'a>>,
    /// The flow.
    pub flow: Option<&'a FlowCore>,
    /// The flow's protocol, that of each direction, the one before a change, and the one expected.
    pub app: [&'static str; 5],
    /// State that rules keep of the flow.
    pub state: Option<&'a FlowDetect>,
    /// Names of its variables.
    pub names: Option<&'a NameList>,
    /// The rule of the alert.
    pub rule: Option<&'a RuleInfo>,
    /// The transaction, and its protocol.
    pub transaction: Option<(&'static Protocol, &'a dyn Transaction)>,
    /// The file, and the number of its transaction.
    pub file: Option<(&'a File, u64)>,
}

/// One script, shared by all workers.
pub struct OutputScript {
    name: String,
    kind: OutputKind,
    say: Say,
    running: Mutex<Running>,
}

struct Running {
    sandbox: Sandbox,
    log: Function,
    /// Its first failure was logged.
    told: bool,
}

/// An output's script may do all.
const NO_LIMITS: Limits = Limits { bytes: 0, instructions: 0, all_functions: true };

impl OutputScript {
    /// Reads a script and has it make ready; the error is a sentence.
    pub fn open(
        path: &Path,
        protocols: &'static [&'static Protocol],
        log_folder: String,
        say: Say,
    ) -> Result<Self, String> {
        let name = path.display().to_string();
        let source = named_file::read(path, Pipes::Refuse, MAX_FILE)
            .map_err(|error| format!("couldn't load file: {name}: {error}"))?;
        let catalogue = Arc::new(Catalogue { protocols, log_folder, say: say.clone() });
        let (sandbox, kind) = start(&source, &name, &catalogue).map_err(|error| {
            format!("The script {name} cannot be used: {}.", failure::line(&error).trim_end_matches('.'))
        })?;
        let log = sandbox.lua.globals().get::<Function>("log");
        let log = log.map_err(|_| format!("The script {name} has no function log."))?;
        Ok(Self { name, kind, say, running: Mutex::new(Running { sandbox, log, told: false }) })
    }

    /// Returns the events that it is called for.
    pub fn kind(&self) -> &OutputKind {
        &self.kind
    }

    /// Calls `log`. A script's first failure is logged.
    pub fn log(&self, view: OutputView<'_>) {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        let Running { sandbox, log, .. } = &*running;
        sandbox.begin();
        let id = view.transaction.map(|(_, transaction)| transaction.meta().id);
        let host = Host {
            packet: view.packet,
            flow: view.flow,
            app: view.app,
            rule: view.rule,
            transaction: view.transaction,
            file: view.file,
            state: view.state.map_or(FlowState::None, FlowState::Shown),
            byte_variables: &[],
            names: view.names.map_or(Names::None, Names::Listed),
        };
        let called = arguments(sandbox, id).and_then(|given| host::run(&sandbox.lua, host, log, given));
        if let Err(error) = called
            && !std::mem::replace(&mut running.told, true)
        {
            (self.say.0)("error", &format!("failed to run script {}: {}", self.name, failure::line(&error)));
        }
    }

    /// Nothing more comes.
    pub fn close(&self) {
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        let globals = running.sandbox.lua.globals();
        running.sandbox.begin();
        if let Ok(Some(end)) = globals.get::<Option<Function>>("deinit")
            && let Err(error) = end.call::<()>(())
        {
            (self.say.0)("error", &format!("failed to run script {}: {}", self.name, failure::line(&error)));
        }
        // Files that the script left open are written.
        let _ = running.sandbox.lua.gc_collect();
    }
}

fn start(source: &[u8], name: &str, catalogue: &Arc<Catalogue>) -> mlua::Result<(Sandbox, OutputKind)> {
    let sandbox = Sandbox::new(NO_LIMITS)?;
    library::install(&sandbox.lua, catalogue)?;
    sandbox.begin();
    sandbox.lua.load(source).set_name(format!("@{name}")).set_mode(ChunkMode::Text).exec()?;
    let globals = sandbox.lua.globals();
    let init: Function = globals.get("init").map_err(|_| mlua::Error::runtime("it has no function init"))?;
    let given = sandbox.lua.create_table()?;
    given.raw_set("script_api_ver", 1)?;
    let Value::Table(needs) = init.call::<Value>(given)? else {
        return Err(mlua::Error::runtime("its function init answers no table"));
    };
    let kind = kind(&needs)?;
    if let Some(setup) = globals.get::<Option<Function>>("setup")? {
        setup.call::<()>(sandbox.lua.create_table()?)?;
    }
    Ok((sandbox, kind))
}

/// Reads the kind from `init`'s answer.
fn kind(needs: &Table) -> mlua::Result<OutputKind> {
    let word = |key: &str| needs.get::<Option<String>>(key).ok().flatten();
    let (kind, protocol, filter) = (word("type"), word("protocol"), word("filter"));
    match (kind.as_deref(), protocol, filter.as_deref()) {
        (None, Some(protocol), _) => Ok(OutputKind::Transactions(protocol)),
        (Some("packet"), None, Some("alerts")) => Ok(OutputKind::Alerts),
        (Some("flow"), None, _) => Ok(OutputKind::Flows),
        (Some("file"), None, _) => Ok(OutputKind::Files),
        (Some(kind @ ("packet" | "streaming" | "stats")), ..) => Err(mlua::Error::runtime(format!(
            "it asks for records of type {kind}, which are not supported yet"
        ))),
        _ => Err(mlua::Error::runtime("it asks for nothing that is known")),
    }
}

/// Makes the argument of `log`.
fn arguments(sandbox: &Sandbox, transaction: Option<u64>) -> mlua::Result<Value> {
    let table = sandbox.lua.create_table()?;
    if let Some(id) = transaction {
        table.raw_set("tx_id", id)?;
    }
    Ok(Value::Table(table))
}
