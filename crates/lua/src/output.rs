//! Outputs that scripts write (`outputs`: `lua`).
//!
//! A script says in `init` what it is to be called for, makes ready in `setup`, is called with `log` for each,
//! and ends with `deinit`. It is one for all workers, and the operator's own: it may call all that the language
//! has, and no limit holds it.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use mlua::chunk::ChunkMode;
use mlua::{Function, Lua, Table, Value};
use weir_applayer::{File, Protocol, Transaction};
use weir_base::{Direction, Pipes, named_file};
use weir_detect::names::NameList;
use weir_detect::state::FlowDetect;
use weir_flow::FlowCore;
use weir_packet::Packet;
use weir_rules::RuleInfo;

use crate::failure;
use crate::host::{self, FlowState, Host, Names};
use crate::language::{self, MAX_FILE, Say};
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
    /// Packets of IP.
    Packets,
    /// Pieces of streams of TCP.
    Streams,
    /// Pieces of bodies of this protocol's transactions, as the script names it.
    Bodies(String),
    /// Counters.
    Counters,
}

/// Piece of a stream or body.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OutputPiece<'a> {
    /// The bytes.
    pub bytes: &'a [u8],
    /// Direction.
    pub direction: Direction,
    /// It is the first.
    pub opens: bool,
    /// It is the last.
    pub closes: bool,
}

/// Counter, its value, and that of the time before.
pub type OutputCounter<'a> = (&'a str, u64, u64);

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
    /// The piece of a stream or body.
    pub piece: Option<OutputPiece<'a>>,
    /// Counters of all threads together.
    pub counters: Vec<OutputCounter<'a>>,
}

/// One script, shared by all workers.
pub struct OutputScript {
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
    /// Reads a script and has it make ready; the error is a sentence. Modules of its own are looked for in `modules`,
    /// in the form of Lua's `package.path`.
    pub fn open(
        path: &Path,
        modules: &str,
        protocols: &'static [&'static Protocol],
        log_folder: String,
        say: Say,
    ) -> Result<Self, String> {
        let name = path.display().to_string();
        let source = named_file::read(path, Pipes::Refuse, MAX_FILE)
            .map_err(|error| format!("couldn't load file: {name}: {error}"))?;
        let catalogue = Arc::new(Catalogue { protocols, log_folder, say: say.clone() });
        let (sandbox, kind) = start(&source, &name, modules, &catalogue)
            .map_err(|why| format!("The script {name} cannot be used: {}.", why.trim_end_matches('.')))?;
        let log = sandbox.lua.globals().get::<Function>("log");
        let log = log.map_err(|_| format!("The script {name} cannot be used: no log function in script."))?;
        Ok(Self { kind, say, running: Mutex::new(Running { sandbox, log, told: false }) })
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
        let host = Host {
            packet: view.packet,
            flow: view.flow,
            app: view.app,
            rule: view.rule,
            transaction: view.transaction,
            file: view.file,
            piece: view.piece,
            state: view.state.map_or(FlowState::None, FlowState::Shown),
            byte_variables: &[],
            names: view.names.map_or(Names::None, Names::Listed),
        };
        let called =
            arguments(&sandbox.lua, &view).and_then(|given| host::run(&sandbox.lua, host, log, given));
        if let Err(error) = called
            && !std::mem::replace(&mut running.told, true)
        {
            (self.say.0)("warning", &format!("failed to run script: {}", failure::line(&error)));
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
            (self.say.0)(
                "error",
                &format!("couldn't run script 'deinit' function: {}", failure::line(&error)),
            );
        }
        // Files that the script left open are written.
        let _ = running.sandbox.lua.gc_collect();
    }
}

fn start(
    source: &[u8],
    name: &str,
    modules: &str,
    catalogue: &Arc<Catalogue>,
) -> Result<(Sandbox, OutputKind), String> {
    let during =
        |what: &'static str| move |error: mlua::Error| format!("couldn't {what}: {}", failure::line(&error));
    let sandbox = Sandbox::new(NO_LIMITS).map_err(during("make an interpreter"))?;
    let lua = &sandbox.lua;
    library::install(lua, catalogue).map_err(during("make an interpreter"))?;
    let globals = lua.globals();
    globals
        .get::<Table>("package")
        .and_then(|package| package.raw_set("path", modules))
        .map_err(during("set the path of modules"))?;
    sandbox.begin();
    let text = lua.load(source).set_name(format!("@{name}")).set_mode(ChunkMode::Text);
    let main = text.into_function().map_err(during("load file"))?;
    main.call::<()>(()).map_err(during("prime file"))?;
    let init: Function = globals.get("init").map_err(|_| "no init function in script")?;
    let given = language::rule_facts(lua).map_err(during("make an interpreter"))?;
    let needs = match init.call::<Value>(given).map_err(during("run script 'init' function"))? {
        Value::Table(needs) => needs,
        other => return Err(language::no_table(&other)),
    };
    let kind = kind(&needs)?;
    if let Ok(Some(setup)) = globals.get::<Option<Function>>("setup") {
        setup.call::<()>(lua.create_table()).map_err(during("run script 'setup' function"))?;
    }
    Ok((sandbox, kind))
}

/// Reads the kind from `init`'s answer.
fn kind(needs: &Table) -> Result<OutputKind, String> {
    let (mut kinds, mut alerts, mut streaming, mut tcp) = (Vec::new(), false, false, false);
    for pair in needs.pairs::<Value, Value>() {
        let (key, value) = pair.map_err(|error| failure::line(&error))?;
        let (Ok(key), Ok(value)) = (key.to_string(), value.to_string()) else { continue };
        match (key.as_str(), value.as_str()) {
            ("protocol", _) => kinds.push(OutputKind::Transactions(value)),
            ("type", "packet") => kinds.push(OutputKind::Packets),
            ("type", "flow") => kinds.push(OutputKind::Flows),
            ("type", "file") => kinds.push(OutputKind::Files),
            ("type", "stats") => kinds.push(OutputKind::Counters),
            ("type", "streaming") => streaming = true,
            ("streaming" | "filter", "tcp") => tcp = true,
            ("streaming", _) => kinds.push(OutputKind::Bodies(value)),
            ("filter", "alerts") => alerts = true,
            _ => return Err(format!("unknown key and/or value: k='{key}', v='{value}'")),
        }
    }
    match (kinds.pop(), kinds.is_empty()) {
        (Some(OutputKind::Packets), true) if alerts => Ok(OutputKind::Alerts),
        (Some(OutputKind::Transactions(protocol)), true) if streaming => Ok(OutputKind::Bodies(protocol)),
        (Some(kind), true) => Ok(kind),
        (Some(_), false) => Err("invalid combination of 'needs' in the script".to_owned()),
        (None, _) if tcp => Ok(OutputKind::Streams),
        (None, _) => Err("its function init asks for nothing".to_owned()),
    }
}

/// Makes the argument of `log`.
fn arguments(lua: &Lua, view: &OutputView<'_>) -> mlua::Result<Value> {
    let table = lua.create_table()?;
    if let Some((_, transaction)) = view.transaction {
        table.raw_set("tx_id", transaction.meta().id)?;
    }
    if let Some(piece) = view.piece {
        let stream = lua.create_table()?;
        stream.raw_set("data", lua.create_string(piece.bytes)?)?;
        stream.raw_set("open", piece.opens)?;
        stream.raw_set("close", piece.closes)?;
        stream.raw_set("to_server", piece.direction == Direction::ToServer)?;
        stream.raw_set("to_client", piece.direction == Direction::ToClient)?;
        table.raw_set("stream", stream)?;
    }
    for &(name, value, before) in &view.counters {
        let counter = lua.create_table()?;
        counter.raw_set("name", name)?;
        counter.raw_set("tmname", "Total")?;
        counter.raw_set("value", value)?;
        counter.raw_set("pvalue", before)?;
        table.raw_push(counter)?;
    }
    Ok(Value::Table(table))
}
