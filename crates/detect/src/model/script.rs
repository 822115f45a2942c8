//! Scripts of rules (`lua`, `luaxform`): what a language brings, and what its scripts see.
//!
//! Detection does not know the language: it is handed a [`ScriptLanguage`] with the
//! [`crate::Environment`], has it read each script while rules are compiled, and asks it for one
//! [`ScriptRunner`] for each worker, which keeps what its scripts remember.

use std::sync::Arc;

use weir_applayer::{Protocol, Transaction};
use weir_base::{Direction, Turn};
use weir_flow::FlowCore;
use weir_packet::Packet;
use weir_rules::RuleInfo;

use crate::model::buffer::MAX_VARIABLES;
use crate::model::view::FlowProtocol;
use crate::state::FlowDetect;
use crate::state::dataset::Datasets;
use crate::state::names::{NameList, NameTable};

/// The number that a language gave a script: one for each use in a rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct ScriptId(pub u32);

/// A language of scripts, shared by all workers. Errors are sentences for the rule's author.
pub trait ScriptLanguage: Send + Sync + std::fmt::Debug {
    /// Reads the script of the keyword `lua`.
    fn read_check(&self, file: &str, facts: &ScriptFacts<'_>) -> Result<CheckScript, String>;

    /// Reads the script of the transform `luaxform`.
    fn read_transform(&self, file: &str, arguments: &[&str]) -> Result<ScriptId, String>;

    /// Makes the runner of the scripts for one worker.
    fn runner(&self, surroundings: &ScriptSurroundings<'_>) -> Box<dyn ScriptRunner>;

    /// Whether some script may put values into sets.
    fn changes_sets(&self) -> bool;
}

/// Facts of its rule that a script may ask for while it is read.
pub struct ScriptFacts<'a> {
    /// Names of flow variables and integers, to register others.
    pub names: &'a NameTable,
    /// Names of the rule's byte variables so far, by slot.
    pub byte_variables: &'a [Arc<str>],
}

/// A script of the keyword `lua`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CheckScript {
    /// Its number.
    pub id: ScriptId,
    /// Things that it asked to be given, by the names of the documentation (`payload`, `http.uri`).
    pub needs: Vec<String>,
}

/// Tables and names that the scripts of a worker share with others.
pub struct ScriptSurroundings<'a> {
    /// Names of flow variables and integers.
    pub names: &'a NameList,
    /// The sets of rules and scripts.
    pub datasets: &'a Arc<Datasets>,
    /// Turn that is waited for before a set is touched.
    pub turn: &'a Turn,
}

/// Runs the scripts of one worker.
pub trait ScriptRunner: Send {
    /// Whether the script says that what it is shown matches.
    fn matches(&mut self, script: ScriptId, view: ScriptView<'_>) -> Result<bool, ScriptFailure>;

    /// Appends what the script makes of `input` to `output`, which is empty.
    fn transform(&mut self, script: ScriptId, input: &[u8], output: &mut Vec<u8>);
}

/// Reasons that a script ended without an answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ScriptFailure {
    /// An error of its own.
    Error,
    /// It called what is not allowed.
    Blocked,
    /// It took too many steps.
    Instructions,
    /// It wanted too much memory.
    Memory,
}

/// Bytes that a script is given by their name: a buffer, a payload.
#[derive(Clone, Copy, Debug)]
pub struct ScriptArgument<'a> {
    /// The name.
    pub name: &'a str,
    /// The bytes.
    pub bytes: &'a [u8],
    /// Position of the first byte in the body or stream that it is a window of.
    pub offset: u64,
}

/// Traffic and state as a script sees them.
pub struct ScriptView<'a> {
    /// The rule.
    pub rule: &'a RuleInfo,
    /// Bytes that it asked to be given.
    pub arguments: &'a [ScriptArgument<'a>],
    /// The packet.
    pub packet: &'a Packet<'a>,
    /// Direction.
    pub direction: Direction,
    /// Its flow.
    pub flow: Option<&'a FlowCore>,
    /// Findings on the flow's protocol.
    pub protocol: FlowProtocol,
    /// State that rules keep of the flow.
    pub state: Option<&'a mut FlowDetect>,
    /// The transaction that is looked at, and its protocol.
    pub transaction: Option<(&'static Protocol, &'a dyn Transaction)>,
    /// Byte variables of the rule.
    pub byte_variables: &'a [u64; MAX_VARIABLES],
}

/// Where in a rule a script stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ScriptPlace {
    /// It is asked once all else of the rule holds.
    Last,
    /// Beside the checks on the stream, or on payloads.
    Payload,
    /// Beside the checks of the buffer with this position in the rule.
    Buffer(usize),
}

/// A script in a rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ScriptUse {
    /// Script.
    pub script: ScriptId,
    /// Where it stands.
    pub place: ScriptPlace,
    /// It must not match.
    pub negated: bool,
    /// The name under which it is given its buffer.
    pub argument: Arc<str>,
    /// Parts of the packet that it is given.
    pub given: Vec<PacketPart>,
}

/// Part of a packet that a script is given. It is not asked where there is none.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum PacketPart {
    /// The payload.
    Payload,
    /// The packet with its headers.
    Packet,
}
