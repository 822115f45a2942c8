//! A rule while its options are compiled, one after the other: the contract of keywords, what they compile
//! against, and why a rule may not be loaded.

mod buffers;
mod environment;
mod failure;
pub mod keyword;
mod number;
mod regex_table;
mod strict;

use std::sync::Arc;

use weir_rules::value::IntegerMatch;
use weir_rules::{RuleInfo, RuleOption, Span, SyntaxError};

use crate::model::buffer::{Check, Content};
use crate::model::hook::StateHook;
pub use crate::model::places::{List, Places};
use crate::model::post::PostAction;
use crate::model::signature::{Checks, Effects, Head, PacketCheck, Subjects};
use crate::state::NameId;
use crate::state::names::NameKind;

pub(crate) use buffers::direction_of;
pub use environment::{Environment, WhenAsked};
pub use failure::{Failure, Reason};
pub use strict::StrictKeywords;

/// Most checks of one buffer.
pub const MAX_CHECKS: usize = 512;

/// Most buffers of one rule, the width of a waiting rule's bit field.
pub const MAX_BUFFERS: usize = 64;

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

/// A rule under construction: its parts, and what its options say beside them.
pub struct RuleBuilder<'a> {
    /// Surroundings that the ruleset provides: variables, classes, fields.
    pub environment: &'a Environment,
    /// Words of its alerts.
    pub info: RuleInfo,
    /// Packets and flows that the rule is on; options narrow it.
    pub head: Head,
    /// Checks that must hold.
    pub checks: Checks,
    /// Effects of a match.
    pub effects: Effects,
    /// Demands of options on when the rule is looked at.
    pub demands: Demands,
    /// Options that are there, as far as others depend on it.
    pub given: Given,
    /// Things worth telling that do not keep the rule from loading.
    pub warnings: Vec<SyntaxError>,
    /// Reason that the rule is left out without being an error: it looks at what no release has any more, or
    /// this one has not.
    pub retired: Option<SyntaxError>,
    /// Options by the checks that they made.
    pub places: Places,
    /// Where the next option stands.
    pub(crate) cursor: Cursor,
}

/// Demands of options that decide when a rule is looked at.
#[derive(Default)]
pub struct Demands {
    /// Subjects that must be looked at.
    pub subjects: Subjects,
    /// An option, at this place, speaks of the transaction that the rule matches in.
    pub needs_transaction: Option<Span>,
    /// Questions to the flow's protocol (`app-layer-protocol`): which finding, whether it
    /// must be another, and the protocols as written.
    pub protocols_asked: Vec<(ProtocolMode, bool, String)>,
    /// The state of transactions in which alone the rule is looked at, where its protocol field names none.
    pub state: Option<StateHook>,
    /// Most bytes of the payload that `dsize` allows.
    pub payload_limit: Option<u64>,
    /// An option looks into a list, a database or a script beside the rule, which may be another one next time.
    pub lists: bool,
    /// An option looks into a table of what addresses did, of which each tenant has its own.
    pub table: bool,
}

/// Options that a rule has.
#[derive(Default)]
pub struct Given {
    /// The rule has a signature id.
    pub sid: bool,
    /// The signature id, wherever it stands among the options; zero where it is wrong.
    pub id: u32,
    /// `priority` is there, which `classtype` does not overrule.
    pub priority: bool,
    /// `alert`: an alert is raised even where the action does not raise one (`pass`).
    pub alert: bool,
    /// The rule has a `dsize`.
    pub payload_size: bool,
    /// `bypass`
    pub bypass: bool,
    /// `filestore`
    pub stores_files: bool,
    /// Comparisons of `ip_proto` so far.
    pub ip_protocols: Vec<IntegerMatch<u8>>,
}

/// Place of the option being compiled, and of those before it that it may belong to.
pub(crate) struct Cursor {
    /// Position of the option.
    pub(crate) position: usize,
    /// The sticky buffer in force.
    current: List,
    /// Where the newest check is that others may be relative to.
    last_list: List,
    /// Where the newest content is.
    last_content: Option<(List, usize)>,
    /// Checks on what `base64_decode` decodes.
    pub(crate) decoded: Vec<Check>,
    /// Names of byte variables, by slot.
    variables: Vec<Arc<str>>,
    /// Lists in which these are defined.
    defined_in: Vec<List>,
}

impl Cursor {
    /// Returns the number of byte variables.
    pub(crate) fn variable_count(&self) -> u8 {
        self.variables.len() as u8
    }
}

impl<'a> RuleBuilder<'a> {
    /// A rule without options.
    pub fn new(environment: &'a Environment, info: RuleInfo, head: Head) -> Self {
        Self {
            environment,
            info,
            head,
            checks: Checks::default(),
            effects: Effects::default(),
            demands: Demands::default(),
            given: Given::default(),
            warnings: Vec::new(),
            retired: None,
            places: Places::default(),
            cursor: Cursor {
                position: 0,
                current: List::Payload,
                last_list: List::Payload,
                last_content: None,
                decoded: Vec::new(),
                variables: Vec::new(),
                defined_in: Vec::new(),
            },
        }
    }

    /// The list that options go to.
    pub fn current(&self) -> List {
        self.cursor.current
    }

    /// Whether the next content stands in a sticky buffer.
    pub fn in_buffer(&self) -> bool {
        self.cursor.current != List::Payload
    }

    fn checks_of_mut(&mut self, list: List) -> Option<&mut Vec<Check>> {
        match list {
            List::Payload => Some(&mut self.checks.payload),
            List::Buffer(index) => self.checks.buffers.get_mut(index).map(|b| &mut b.checks),
            List::Decoded => Some(&mut self.cursor.decoded),
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
        let list = if follows { self.relative_list() } else { self.cursor.current };
        self.push_check_to(option, list, check)
    }

    /// The list that checks go to which are relative to the match before.
    pub fn relative_list(&self) -> List {
        if self.cursor.current == List::Payload { self.cursor.last_list } else { self.cursor.current }
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
            self.cursor.last_list = list;
        }
        let position = match self.checks_of_mut(list) {
            Some(checks) if checks.len() < MAX_CHECKS => {
                checks.push(check);
                checks.len() - 1
            }
            _ => return Err(option.error(format!("A buffer can have at most {MAX_CHECKS} checks."))),
        };
        self.places.checks.push((list, position, self.cursor.position));
        if is_content {
            self.cursor.last_content = Some((list, position));
        }
        Ok(())
    }

    /// Adds a check on packets or flows.
    pub fn push_packet_check(&mut self, check: impl PacketCheck + 'static) {
        if !check.ip_only() {
            self.demands.subjects.insert(Subjects::MORE_THAN_ADDRESSES);
        }
        self.places.packet.push(self.cursor.position);
        self.checks.packet.push(Box::new(check));
    }

    /// Puts the cheapest checks on packets and flows first. None of them changes anything, so their order is free.
    pub(crate) fn order_packet_checks(&mut self) {
        if self.checks.packet.is_sorted_by_key(|check| check.cost()) {
            return;
        }
        let checks = std::mem::take(&mut self.checks.packet);
        let mut placed: Vec<_> = checks.into_iter().zip(std::mem::take(&mut self.places.packet)).collect();
        placed.sort_by_key(|(check, _)| check.cost());
        (self.checks.packet, self.places.packet) = placed.into_iter().unzip();
    }

    /// Refuses an option on packets of an IP protocol that the rule does not admit.
    pub fn needs_protocol(&self, option: &RuleOption, number: u8) -> Result<(), SyntaxError> {
        if self.head.protocols.has(number) {
            return Ok(());
        }
        Err(option.name.error(format!("`{}` cannot be used with the rule's protocol.", option.name)))
    }

    /// Adds an action.
    pub fn push_post(&mut self, action: impl PostAction + 'static) {
        self.effects.post.push(Box::new(action));
    }

    /// Adds a check on a packet's own headers: the rule then looks at packets, not at the stream.
    pub fn push_header_check(&mut self, check: impl PacketCheck + 'static) {
        self.demands.subjects.insert(Subjects::PACKET);
        self.push_packet_check(check);
    }

    /// The newest content of the sticky buffer in force, which `option` modifies; without one, that of any.
    pub fn last_content(&mut self, option: &RuleOption) -> Result<&mut Content, SyntaxError> {
        let current = self.cursor.current;
        let elsewhere = self.cursor.last_content.is_some_and(|(list, _)| list != current);
        if current != List::Payload && elsewhere {
            return Err(no_content(option));
        }
        self.newest_content(option)
    }

    /// The newest content of any buffer, which `option` modifies.
    pub fn newest_content(&mut self, option: &RuleOption) -> Result<&mut Content, SyntaxError> {
        let (list, position) = self.cursor.last_content.ok_or_else(|| no_content(option))?;
        match self.checks_of_mut(list).and_then(|checks| checks.get_mut(position)) {
            Some(Check::Content(content)) => Ok(content),
            _ => Err(no_content(option)),
        }
    }

    /// The content or regular expression before the newest content in its list.
    pub fn match_before_content(&self) -> Option<&Check> {
        let (list, position) = self.cursor.last_content?;
        self.checks_of(list)?.get(..position)?.iter().rev().find(is_match)
    }

    /// Whether a list has a content or a regular expression.
    pub fn has_match(&self, list: List) -> bool {
        self.checks_of(list).is_some_and(|checks| checks.iter().any(|check| is_match(&check)))
    }

    /// Whether a list has something that a regular expression may go on from: also bytes that were jumped over or read.
    pub fn has_place(&self, list: List) -> bool {
        let is_place = |check: &Check| {
            is_match(&check)
                || matches!(check, Check::ByteJump(_) | Check::ByteExtract(_) | Check::ByteMath(_))
        };
        self.checks_of(list).is_some_and(|checks| checks.iter().any(is_place))
    }

    fn checks_of(&self, list: List) -> Option<&Vec<Check>> {
        match list {
            List::Payload => Some(&self.checks.payload),
            List::Buffer(index) => self.checks.buffers.get(index).map(|buffer| &buffer.checks),
            List::Decoded => Some(&self.cursor.decoded),
        }
    }

    /// The list that the newest content is in.
    pub fn last_content_list(&self) -> Option<List> {
        self.cursor.last_content.map(|(list, _)| list)
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

/// The error about a modifier that has no content before it.
fn no_content(option: &RuleOption) -> SyntaxError {
    const OF_DEPTH: &str = "preceding content, uricontent option, http_client_body, http_server_body, http_header \
                            option, http_raw_header option, http_method option, http_cookie, http_raw_uri, \
                            http_stat_msg, http_stat_code, http_user_agent";
    let modifier = option.name.to_ascii_lowercase();
    let message = match modifier.as_str() {
        "depth" => format!(
            "depth needs {OF_DEPTH}, http_host, http_raw_host or file_data/dce_stub_data sticky buffer options."
        ),
        "distance" => format!("distance needs {OF_DEPTH} or file_data/dce_stub_data sticky buffer option"),
        "offset" => "offset needs preceding content option.".to_owned(),
        "startswith" => "startswith needs a preceding content option.".to_owned(),
        "endswith" => "endswith needs a preceding content option".to_owned(),
        "rawbytes" => "\"rawbytes\" needs a preceding content option".to_owned(),
        "fast_pattern" => {
            "fast_pattern found inside the rule, without a content context. Please use a content based \
                           keyword before using fast_pattern"
                .to_owned()
        }
        _ => format!("{modifier} needs preceding content option"),
    };
    option.name.error(message).with_help("write `content:\"…\";` before it")
}

fn is_match(check: &&Check) -> bool {
    matches!(check, Check::Content(_) | Check::Regex(_))
}
