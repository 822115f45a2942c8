//! A rule while its options are compiled, one after the other: the contract of keywords, what they compile
//! against, and why a rule may not be loaded.

pub mod environment;
mod failure;
pub mod keyword;
mod regex_table;
mod strict;

pub use environment::{Environment, WhenAsked};
pub use failure::{Failure, Reason};
pub use strict::StrictKeywords;

use std::sync::Arc;

use weir_base::Direction;
use weir_rules::{RuleInfo, RuleOption, Spanned, SyntaxError};

use crate::model::buffer::{Check, Content, MAX_VARIABLES, Number};
use crate::model::hook::StateHook;
pub use crate::model::places::{List, Places};
use crate::model::post::PostAction;
use crate::model::script::ScriptUse;
use crate::model::signature::{
    BufferMatch, FieldRow, FlowRequirement, FrameRow, PacketCheck, PacketField, Target, ValueMatch,
};
use crate::model::transform::Transform;
use crate::state::NameId;
use crate::state::dataset::Dataset;
use crate::state::names::NameKind;
use crate::state::threshold::Threshold;

/// Most checks of one buffer.
pub const MAX_CHECKS: usize = 512;

/// Most buffers of one rule, the width of a waiting rule's bit field.
pub const MAX_BUFFERS: usize = 64;

/// Which kinds of flow state a rule sets and reads. Rules that set a state run before those that
/// read it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct StateUse {
    /// Flowbits: set, read.
    pub bits: (bool, bool),
    /// Flow integers: set, read.
    pub integers: (bool, bool),
    /// Variables, host and extended bits: set, read.
    pub others: (bool, bool),
}

impl StateUse {
    /// Ranks for sorting, the earliest first.
    pub fn rank(self) -> [u8; 3] {
        let rank = |(sets, reads)| match (sets, reads) {
            (true, false) => 0,
            (true, true) => 1,
            (false, true) => 2,
            (false, false) => 3,
        };
        [rank(self.bits), rank(self.integers), rank(self.others)]
    }
}

/// Finding that `app-layer-protocol` compares.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ProtocolMode {
    /// In the packet's direction.
    Direction,
    /// To the server.
    ToServer,
    /// To the client.
    ToClient,
    /// In any direction.
    Either,
    /// The one whose parser reads the flow.
    Final,
    /// The one before an upgrade.
    Original,
}

impl ProtocolMode {
    /// The finding by its name in rules.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "direction" => Self::Direction,
            "to_server" | "toserver" => Self::ToServer,
            "to_client" | "toclient" => Self::ToClient,
            "either" => Self::Either,
            "final" => Self::Final,
            "original" => Self::Original,
            _ => return None,
        })
    }
}

/// A rule under construction.
pub struct RuleBuilder<'a> {
    /// What the ruleset provides: variables, classes, fields.
    pub environment: &'a Environment,
    /// What alerts will say.
    pub info: RuleInfo,
    /// What `flow` asked for.
    pub flow: FlowRequirement,
    /// Checks on packets and flows.
    pub packet_checks: Vec<Box<dyn PacketCheck>>,
    /// Checks on the payload.
    pub payload: Vec<Check>,
    /// Checks on what `base64_decode` decodes.
    pub decoded: Vec<Check>,
    /// Other buffers.
    pub buffers: Vec<BufferMatch>,
    /// What happens on a match.
    pub post: Vec<Box<dyn PostAction>>,
    /// Scripts that are asked.
    pub scripts: Vec<ScriptUse>,
    /// The state of transactions in which alone the rule is looked at, where its protocol field names none.
    pub script_state: Option<StateHook>,
    /// `threshold`, `detection_filter`.
    pub threshold: Option<Threshold>,
    /// `noalert`
    pub no_alert: bool,
    /// `alert`: an alert is raised even where the action does not raise one (`pass`).
    pub alert: bool,
    /// `priority` is there, which `classtype` does not overrule.
    pub priority_given: bool,
    /// `dsize`, `flow:no_stream` and the like: packets must be looked at.
    pub wants_packet: bool,
    /// `flow:only_stream` and the like: the stream must be looked at.
    pub wants_stream: bool,
    /// `stream_size`: checks on the payload look at packets too, whose ends the stream does not show.
    pub packets_too: bool,
    /// An option was used that cannot be decided by addresses alone.
    pub needs_packets: bool,
    /// The rule looks at events of transactions (`app-layer-event`).
    pub transaction_event: bool,
    /// An option, at this place, speaks of the transaction that the rule matches in.
    pub needs_transaction: Option<weir_rules::Span>,
    /// What the rule asks of the flow's protocol (`app-layer-protocol`): which finding, and whether it
    /// must be another.
    pub protocols_asked: Vec<(ProtocolMode, bool)>,
    /// Which shared state the rule sets and reads.
    pub state_use: StateUse,
    /// The rule looks at or changes what flows of all workers share: bits of hosts, sets, tags.
    pub shares: bool,
    /// Sets that the rule looks at; shared where some rule changes them.
    pub sets: Vec<Arc<Dataset>>,
    /// Protocols that `app-layer-protocol` and buffers leave.
    pub app_protocols: Option<Vec<&'static weir_applayer::Protocol>>,
    /// Things worth telling that do not keep the rule from loading.
    pub warnings: Vec<SyntaxError>,
    /// The signature id, wherever it stands among the options; zero where it is wrong.
    pub rule_id: u32,
    /// The rule has a `dsize`.
    pub has_payload_size: bool,
    /// Most bytes of the payload that `dsize` allows.
    pub payload_limit: Option<u64>,
    /// Why the rule is left out without being an error: it looks at what no release has any more, or
    /// this one has not.
    pub retired: Option<SyntaxError>,
    /// The rule has a signature id.
    pub has_sid: bool,
    /// Which option made what.
    pub places: Places,
    /// Position of the option being compiled.
    pub(crate) position: usize,
    /// The sticky buffer in force.
    current: List,
    /// Where the newest check is that others may be relative to.
    last_list: List,
    /// Where the newest content is.
    last_content: Option<(List, usize)>,
    /// Names of byte variables, by slot.
    variables: Vec<Arc<str>>,
}

impl<'a> RuleBuilder<'a> {
    /// A rule without options.
    pub fn new(environment: &'a Environment, info: RuleInfo) -> Self {
        Self {
            environment,
            info,
            flow: FlowRequirement::default(),
            packet_checks: Vec::new(),
            payload: Vec::new(),
            decoded: Vec::new(),
            buffers: Vec::new(),
            post: Vec::new(),
            scripts: Vec::new(),
            script_state: None,
            threshold: None,
            no_alert: false,
            alert: false,
            priority_given: false,
            wants_packet: false,
            wants_stream: false,
            packets_too: false,
            needs_packets: false,
            transaction_event: false,
            needs_transaction: None,
            protocols_asked: Vec::new(),
            state_use: StateUse::default(),
            shares: false,
            sets: Vec::new(),
            app_protocols: None,
            warnings: Vec::new(),
            rule_id: 0,
            has_payload_size: false,
            payload_limit: None,
            retired: None,
            has_sid: false,
            places: Places::default(),
            position: 0,
            current: List::Payload,
            last_list: List::Payload,
            last_content: None,
            variables: Vec::new(),
        }
    }

    /// The list that options go to.
    pub fn current(&self) -> List {
        self.current
    }

    /// Whether the next content stands in a sticky buffer.
    pub fn in_buffer(&self) -> bool {
        self.current != List::Payload
    }

    /// The checks of a list.
    pub fn checks(&self, list: List) -> &[Check] {
        match list {
            List::Payload => &self.payload,
            List::Buffer(index) => self.buffers.get(index).map_or(&[], |b| &b.checks),
            List::Decoded => &self.decoded,
        }
    }

    fn checks_mut(&mut self, list: List) -> Option<&mut Vec<Check>> {
        match list {
            List::Payload => Some(&mut self.payload),
            List::Buffer(index) => self.buffers.get_mut(index).map(|b| &mut b.checks),
            List::Decoded => Some(&mut self.decoded),
        }
    }

    /// Adds a check to the list in force.
    pub fn push_check(&mut self, option: &RuleOption, check: Check) -> Result<(), SyntaxError> {
        // After a content that an old modifier moved into a buffer, what is relative to it goes there.
        let follows = match &check {
            Check::Base64Decode(_) => true,
            Check::IsDataAt(_) | Check::ByteTest(_) | Check::ByteJump(_) => check.is_relative(),
            Check::ByteExtract(_) | Check::ByteMath(_) => check.is_relative(),
            _ => false,
        };
        let list = if follows && self.current == List::Payload { self.last_list } else { self.current };
        self.push_check_to(option, list, check)
    }

    /// Adds a check to a list (a regular expression that names its buffer by a flag).
    pub fn push_check_to(
        &mut self,
        option: &RuleOption,
        list: List,
        check: Check,
    ) -> Result<(), SyntaxError> {
        let is_content = matches!(check, Check::Content(_));
        if !matches!(check, Check::Whole(_)) {
            self.last_list = list;
        }
        let position = match self.checks_mut(list) {
            Some(checks) if checks.len() < MAX_CHECKS => {
                checks.push(check);
                checks.len() - 1
            }
            _ => return Err(option.error(format!("A buffer can have at most {MAX_CHECKS} checks."))),
        };
        self.places.checks.push((list, position, self.position));
        if is_content {
            self.last_content = Some((list, position));
        }
        Ok(())
    }

    /// Adds a check on packets or flows.
    pub fn push_packet_check(&mut self, check: impl PacketCheck + 'static) {
        if !check.ip_only() {
            self.needs_packets = true;
        }
        self.places.packet.push(self.position);
        self.packet_checks.push(Box::new(check));
    }

    /// Adds an action.
    pub fn push_post(&mut self, action: impl PostAction + 'static) {
        self.post.push(Box::new(action));
    }

    /// Adds a check on a packet's own headers: the rule then looks at packets, not at the stream.
    pub fn push_header_check(&mut self, check: impl PacketCheck + 'static) {
        self.wants_packet = true;
        self.push_packet_check(check);
    }

    /// The newest content, which `option` modifies.
    pub fn last_content(&mut self, option: &RuleOption) -> Result<&mut Content, SyntaxError> {
        let missing = || {
            option
                .name
                .error(format!("`{}` modifies a content, and there is none before it.", option.name))
                .with_help("write `content:\"…\";` before it")
        };
        let (list, position) = self.last_content.ok_or_else(missing)?;
        match self.checks_mut(list).and_then(|checks| checks.get_mut(position)) {
            Some(Check::Content(content)) => Ok(content),
            _ => Err(missing()),
        }
    }

    /// Whether a content or another check stands before the newest content in its list: what
    /// `distance` and `within` may be relative to.
    pub fn last_content_has_predecessor(&self) -> bool {
        self.last_content.is_some_and(|(_, position)| position > 0)
    }

    /// Makes a sticky buffer of transactions the list in force, looked at in `direction` only where one
    /// is given. A buffer of which there can be several in a transaction begins anew each time it is
    /// named; another one is continued.
    pub fn select(
        &mut self,
        option: &RuleOption,
        name: &'static str,
        rows: &[FieldRow],
        direction: Option<Direction>,
    ) -> Result<(), SyntaxError> {
        let several = rows.iter().any(|row| {
            matches!(
                row.field.access.value(),
                weir_applayer::Access::List(_) | weir_applayer::Access::BuildList(_)
            )
        });
        let found = self.buffers.iter().position(|b| {
            b.name == name
                && b.direction == direction
                && b.value.is_none()
                && b.transforms.is_empty()
                && matches!(b.target, Target::Transaction(_))
        });
        if let Some(index) = found
            && !several
        {
            self.current = List::Buffer(index);
            return Ok(());
        }
        let index = self.new_buffer(option, name, Target::Transaction(rows.to_vec()))?;
        if let Some(buffer) = self.buffers.get_mut(index) {
            buffer.direction = direction;
        }
        self.current = List::Buffer(index);
        Ok(())
    }

    /// Makes a sticky buffer of packets the list in force.
    pub fn select_packet(
        &mut self,
        option: &RuleOption,
        field: &'static PacketField,
    ) -> Result<(), SyntaxError> {
        self.needs_packets = true;
        let found = self.buffers.iter().position(|b| b.name == field.name && b.transforms.is_empty());
        let index = match found {
            Some(index) => index,
            None => self.new_buffer(option, field.name, Target::Packet(field))?,
        };
        self.current = List::Buffer(index);
        Ok(())
    }

    /// Makes frames of a kind the list in force.
    pub fn select_frame(
        &mut self,
        option: &RuleOption,
        name: &'static str,
        rows: Vec<FrameRow>,
    ) -> Result<(), SyntaxError> {
        self.needs_packets = true;
        let found = self
            .buffers
            .iter()
            .position(|b| b.name == name && b.transforms.is_empty() && matches!(b.target, Target::Frame(_)));
        let index = match found {
            Some(index) => index,
            None => self.new_buffer(option, name, Target::Frame(rows))?,
        };
        self.current = List::Buffer(index);
        Ok(())
    }

    /// Makes `list` the one in force again.
    pub fn return_to(&mut self, list: List) {
        self.current = list;
    }

    /// Makes the payload the list in force again (`pkt_data`).
    pub fn select_payload(&mut self) {
        self.current = List::Payload;
        self.last_list = List::Payload;
    }

    /// Makes what `base64_decode` decodes the list in force (`base64_data`).
    pub fn select_decoded(&mut self) {
        self.current = List::Decoded;
    }

    /// Gives the checks on decoded bytes to the option that decodes, once all options are read.
    pub(crate) fn attach_decoded(&mut self) {
        let checks = std::mem::take(&mut self.decoded);
        let lists = std::iter::once(&mut self.payload).chain(self.buffers.iter_mut().map(|b| &mut b.checks));
        let found = lists.flatten().find_map(|check| match check {
            Check::Base64Decode(decode) => Some(decode),
            _ => None,
        });
        if let Some(decode) = found {
            decode.checks = checks;
        }
    }

    /// Adds a test of a field that is no buffer.
    pub fn push_value(
        &mut self,
        option: &RuleOption,
        name: &'static str,
        rows: &[FieldRow],
        value: ValueMatch,
    ) -> Result<(), SyntaxError> {
        let index = self.new_buffer(option, name, Target::Transaction(rows.to_vec()))?;
        if let Some(buffer) = self.buffers.get_mut(index) {
            buffer.value = Some(value);
        }
        Ok(())
    }

    fn new_buffer(
        &mut self,
        option: &RuleOption,
        name: &'static str,
        target: Target,
    ) -> Result<usize, SyntaxError> {
        if self.buffers.len() >= MAX_BUFFERS {
            return Err(option.error(format!("A rule can look at no more than {MAX_BUFFERS} buffers.")));
        }
        match &target {
            Target::Transaction(rows) => self.narrow(option, rows.iter().map(|row| row.protocol))?,
            Target::Frame(rows) => self.narrow(option, rows.iter().map(|row| row.protocol))?,
            Target::Packet(_) => {}
        }
        self.places.buffers.push(self.position);
        // Most rules with a buffer have one or two, and there are tens of thousands of rules.
        self.buffers.reserve_exact(1);
        self.buffers.push(BufferMatch {
            name,
            target,
            direction: None,
            transforms: Vec::new(),
            checks: Vec::new(),
            value: None,
            absent: None,
        });
        Ok(self.buffers.len() - 1)
    }

    /// Leaves only the first protocol that has a field. Spellings that are older than HTTP/2 mean HTTP/1 alone.
    pub fn narrow_to_first(&mut self, option: &RuleOption, rows: &[FieldRow]) -> Result<(), SyntaxError> {
        self.narrow(option, rows.iter().take(1).map(|row| row.protocol))
    }

    /// Leaves only these protocols.
    pub fn narrow(
        &mut self,
        option: &RuleOption,
        left: impl Iterator<Item = &'static weir_applayer::Protocol> + Clone,
    ) -> Result<(), SyntaxError> {
        let has = |protocol: &weir_applayer::Protocol| left.clone().any(|other| *other == *protocol);
        match &mut self.app_protocols {
            Some(protocols) => {
                let before: Vec<&str> = protocols.iter().map(|p| p.name).collect();
                let named_it = protocols.iter().all(|p| p.carries.is_some());
                protocols.retain(|p| has(p));
                // What belongs to two protocols is only meant together where a rule names the one that has both.
                if protocols.is_empty() || !named_it && protocols.iter().all(|p| p.carries.is_some()) {
                    return Err(option.name.error(format!(
                        "`{}` is not a keyword of the rule's protocol ({}).",
                        option.name,
                        before.join(", ")
                    )));
                }
            }
            None => {
                let mut protocols: Vec<&'static weir_applayer::Protocol> = Vec::new();
                for protocol in left {
                    if !protocols.iter().any(|p| **p == *protocol) {
                        protocols.push(protocol);
                    }
                }
                self.app_protocols = Some(protocols);
            }
        }
        Ok(())
    }

    /// Adds a transform to the sticky buffer in force, which must have no checks yet.
    pub fn push_transform(&mut self, option: &RuleOption, transform: Transform) -> Result<(), SyntaxError> {
        let List::Buffer(index) = self.current else {
            return Err(option
                .name
                .error(format!("The transform `{}` needs a sticky buffer before it.", option.name))
                .with_help("name the buffer first, as in `http.uri; to_lowercase; content:\"…\";`"));
        };
        // A buffer that already has checks stays as it is; the transformed one is another.
        let copy = self
            .buffers
            .get(index)
            .filter(|buffer| !buffer.checks.is_empty())
            .map(|buffer| (buffer.name, buffer.target.clone(), buffer.direction));
        let index = match copy {
            Some((name, target, direction)) => {
                let index = self.new_buffer(option, name, target)?;
                if let Some(buffer) = self.buffers.get_mut(index) {
                    buffer.direction = direction;
                }
                index
            }
            None => index,
        };
        self.current = List::Buffer(index);
        if let Some(buffer) = self.buffers.get_mut(index) {
            buffer.transforms.push(transform);
        }
        Ok(())
    }

    /// The buffer in force, for options that change it (`absent`).
    pub fn current_buffer(&mut self) -> Option<&mut BufferMatch> {
        match self.current {
            List::Buffer(index) => self.buffers.get_mut(index),
            List::Payload | List::Decoded => None,
        }
    }

    /// Moves the newest payload content into a field, as the old content modifiers do.
    pub fn move_last_content(&mut self, option: &RuleOption, rows: &[FieldRow]) -> Result<(), SyntaxError> {
        let missing = || {
            option
                .name
                .error(format!(
                    "`{}` modifies a content of the payload, and there is none before it.",
                    option.name
                ))
                .with_help("write `content:\"…\";` before it")
        };
        let position = match self.last_content {
            Some((List::Payload, position)) => position,
            Some((List::Buffer(_) | List::Decoded, _)) | None => return Err(missing()),
        };
        if self.in_buffer() {
            return Err(option.name.error(format!(
                "`{}` cannot modify a content while a sticky buffer is in force.",
                option.name
            )));
        }
        if position >= self.payload.len() {
            return Err(missing());
        }
        let name = rows.first().map_or("", |row| row.field.name);
        let found =
            self.buffers.iter().position(|b| b.name == name && b.value.is_none() && b.transforms.is_empty());
        let index = match found {
            Some(index) => index,
            None => self.new_buffer(option, name, Target::Transaction(rows.to_vec()))?,
        };
        let check = self.payload.remove(position);
        let written = self.places.leave_payload(position);
        if let Check::Content(content) = &check
            && content.raw_bytes
        {
            return Err(option.name.error(format!("`{}` cannot be used with `rawbytes`.", option.name)));
        }
        self.push_check_to(option, List::Buffer(index), check)?;
        if let (Some(place), Some(written)) = (self.places.checks.last_mut(), written) {
            place.2 = written;
        }
        Ok(())
    }

    /// The list of a field, made where it is not there yet: for `pcre` flags that name a buffer.
    pub fn list_of(&mut self, option: &RuleOption, rows: &[FieldRow]) -> Result<List, SyntaxError> {
        let name = rows.first().map_or("", |row| row.field.name);
        let found =
            self.buffers.iter().position(|b| b.name == name && b.value.is_none() && b.transforms.is_empty());
        match found {
            Some(index) => Ok(List::Buffer(index)),
            None => Ok(List::Buffer(self.new_buffer(option, name, Target::Transaction(rows.to_vec()))?)),
        }
    }

    /// A new byte variable's slot, or its old one where the name is known.
    pub fn define_variable(&mut self, name: &Spanned) -> Result<u8, SyntaxError> {
        let valid = name.chars().next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'));
        if !valid {
            return Err(name.error(format!("`{name}` is no name for a byte variable.")));
        }
        if let Some(slot) = self.variables.iter().position(|v| &**v == name.as_str()) {
            return Ok(slot as u8);
        }
        if self.variables.len() >= MAX_VARIABLES {
            return Err(name.error(format!("A rule can have at most {MAX_VARIABLES} byte variables.")));
        }
        self.variables.push(name.as_str().into());
        Ok((self.variables.len() - 1) as u8)
    }

    /// Names of the byte variables so far, by slot.
    pub fn byte_variables(&self) -> &[Arc<str>] {
        &self.variables
    }

    /// How many byte variables there are.
    pub fn variable_count(&self) -> u8 {
        self.variables.len() as u8
    }

    /// A number or the byte variable of that name, between `low` and `high`.
    pub fn number(
        &self,
        option: &RuleOption,
        text: &Spanned,
        low: i64,
        high: i64,
    ) -> Result<Number, SyntaxError> {
        if let Some(slot) = self.variables.iter().position(|v| &**v == text.as_str()) {
            return Ok(Number::Variable(slot as u8));
        }
        let trimmed = text.strip_prefix('+').unwrap_or(text);
        let (sign, digits) = match trimmed.strip_prefix('-') {
            Some(digits) => (-1i128, digits),
            None => (1, trimmed),
        };
        let parsed = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
            Some(hex) => i128::from_str_radix(hex, 16).ok(),
            None => digits.parse::<i128>().ok().filter(|_| digits.bytes().all(|b| b.is_ascii_digit())),
        };
        let Some(value) = parsed.map(|v| sign * v) else {
            return Err(text
                .error(unknown_variable(&option.name, text))
                .with_help("define the variable with `byte_extract` or `byte_math` before it is used"));
        };
        if value < i128::from(low) || value > i128::from(high) {
            return Err(text.error(format!("{value} is not between {low} and {high}.")));
        }
        Ok(Number::Value(value as i64))
    }

    /// The number of a flowbit or another name that rules share.
    pub fn name(&self, kind: NameKind, name: &str) -> NameId {
        self.environment.names.id(kind, name)
    }

    /// Leaves the rule out, which is no error; the first reason counts.
    pub fn retire(&mut self, reason: SyntaxError) {
        self.retired.get_or_insert(reason);
    }

    /// Notes what is an error only where the command line asks to be strict about the keyword.
    pub fn warn_unless_strict(&mut self, option: &RuleOption, error: SyntaxError) -> Result<(), SyntaxError> {
        if self.environment.strict.covers(&option.name) {
            return Err(error);
        }
        self.warn(error);
        Ok(())
    }

    /// Notes something worth telling.
    pub fn warn(&mut self, warning: SyntaxError) {
        self.warnings.push(warning);
    }
}

/// What is said of a word that is neither a number nor a byte variable.
fn unknown_variable(keyword: &str, word: &str) -> String {
    match keyword {
        "byte_test" | "byte_jump" => format!("Unknown byte_extract var seen in {keyword} - {word}"),
        _ => format!("unknown byte_ keyword var seen in {keyword} - {word}"),
    }
}
