//! Zeek's signature language: header conditions, patterns on payload and on what protocols say, dependencies between
//! signatures, conditions in the script language.
//!
//! Signatures are matched where scripts run: workers send the first packet of each end and the beginning of payload
//! (`dpd_buffer_size`, `dpd_match_only_beginning`), events bring what protocols say. Of each stream only a state of the
//! patterns is kept. Limit: connections at a time, [`MOST_KNOWN`]; further ones are not looked at, and counted.

mod load;
pub mod reader;
pub mod rule;

use std::collections::HashMap;
use std::rc::Rc;

use weir_base::event::ReadValue;

use crate::patterns::{StreamPatterns, StreamState};
use crate::traffic::MOST_KNOWN;
use crate::values::Value;
use crate::vm::{Engine, Outcome};
use rule::{Carrier, Condition, Content, FirstPacket, FlowState, Rule};

pub use load::load;

/// Zeek's number of the state of an end of TCP that agreed to the connection, and of one that closed it.
const ESTABLISHED: [u8; 2] = [4, 5];

/// A signature with what its names stand for.
#[derive(Debug, Default)]
struct Loaded {
    rule: Rule,
    /// Signatures that it depends on: the number, whether in the other direction, whether negated.
    requires: Vec<(usize, bool, bool)>,
    /// Numbers of its patterns among all.
    patterns: Vec<usize>,
    /// Functions of conditions, in their order.
    functions: Vec<u32>,
    /// Events, their messages, and the number of their parameters.
    events: Vec<(Option<u32>, Option<Rc<str>>, usize)>,
}

/// Patterns on one kind of content.
#[derive(Debug)]
struct Group {
    machine: StreamPatterns,
    /// For each pattern its signature, and its number among all patterns.
    owners: Vec<(usize, usize)>,
}

/// A set of numbers.
#[derive(Clone, Debug, Default)]
struct Bits(Vec<u64>);

impl Bits {
    fn of(count: usize) -> Self {
        Self(vec![0; count.div_ceil(64)])
    }

    fn has(&self, number: usize) -> bool {
        self.0.get(number / 64).is_some_and(|word| word >> (number % 64) & 1 == 1)
    }

    /// Adds a number; whether it is new.
    fn insert(&mut self, number: usize) -> bool {
        let is_new = !self.has(number);
        if let Some(word) = self.0.get_mut(number / 64) {
            *word |= 1 << (number % 64);
        }
        is_new
    }
}

/// A signature of which all patterns matched: the last piece, and the match's end in it.
#[derive(Clone, Debug)]
struct Matched {
    rule: usize,
    text: Rc<[u8]>,
    end: usize,
}

/// One end of a connection.
#[derive(Debug)]
struct EndState {
    /// Signatures whose header conditions its first packet fulfils.
    headers: Bits,
    /// Patterns that matched.
    patterns: Bits,
    /// Signatures that matched.
    rules: Bits,
    /// Signatures of which all patterns matched, in that order, and the same as a set.
    by_patterns: Vec<Matched>,
    whole: Bits,
    /// Signatures with patterns that match nothing at all: they are evaluated with the next match, or at the end.
    at_start: Vec<usize>,
    states: [Option<StreamState>; Content::ALL.len()],
    payload_size: Option<u64>,
    options: Box<[u8]>,
    is_same_address: bool,
}

/// What is known of a connection.
#[derive(Debug)]
struct Conversation {
    record: Value,
    protocol: u8,
    /// States of the ends by Zeek's numbers.
    states: [u8; 2],
    /// The originator and the responder.
    ends: [Option<Box<EndState>>; 2],
}

/// A connection as a message tells of it.
#[derive(Clone, Copy, Debug)]
pub struct Told<'a> {
    /// Its id.
    pub uid: &'a [u8],
    /// Its record.
    pub record: &'a Value,
    /// States of both ends, where they are known.
    pub states: Option<[u8; 2]>,
    /// The number of what carries it.
    pub protocol: u8,
}

/// Signatures, and how far connections have come.
#[derive(Debug)]
pub struct Signatures {
    rules: Vec<Loaded>,
    groups: Vec<Option<Group>>,
    /// Number of all patterns.
    patterns: usize,
    /// Signatures that depend on one.
    dependents: Vec<Vec<(usize, bool)>>,
    /// Content that events bring, by the events' numbers.
    contents: HashMap<u32, Vec<Content>>,
    conversations: HashMap<Vec<u8>, Conversation, ahash::RandomState>,
    /// Connections that were not looked at.
    pub left_out: u64,
}

/// The place of an end.
const fn side(is_orig: bool) -> usize {
    if is_orig { 0 } else { 1 }
}

impl Signatures {
    fn new(
        mut rules: Vec<Loaded>,
        groups: Vec<Option<Group>>,
        patterns: usize,
        contents: HashMap<u32, Vec<Content>>,
    ) -> Self {
        for (owner, number) in groups.iter().flatten().flat_map(|group| &group.owners) {
            if let Some(rule) = rules.get_mut(*owner) {
                rule.patterns.push(*number);
            }
        }
        let mut dependents = vec![Vec::new(); rules.len()];
        for (number, rule) in rules.iter().enumerate() {
            for (on, is_reverse, is_negated) in &rule.requires {
                if !is_negated && let Some(known) = dependents.get_mut(*on) {
                    known.push((number, *is_reverse));
                }
            }
        }
        // Ids are the engine's own: nobody chooses them.
        let conversations = HashMap::with_hasher(ahash::RandomState::with_seeds(1, 2, 3, 4));
        Self { rules, groups, patterns, dependents, contents, conversations, left_out: 0 }
    }

    /// Returns whether a signature is about traffic, not files alone.
    pub fn is_about_traffic(&self) -> bool {
        self.rules.iter().any(|rule| rule.rule.magics.is_empty())
    }

    /// Returns the numbers of the events that bring content.
    pub fn events(&self) -> impl Iterator<Item = u32> {
        self.contents.keys().copied()
    }

    /// Takes the first packet of an end; `size` is the length of its payload, where it is a datagram.
    pub fn first(
        &mut self,
        engine: &mut Engine,
        told: Told<'_>,
        is_orig: bool,
        packet: &FirstPacket<'_>,
        size: Option<u64>,
    ) -> Outcome<()> {
        let place = side(is_orig);
        if !self.conversations.contains_key(told.uid) && self.conversations.len() >= MOST_KNOWN {
            self.left_out += 1;
            return Ok(());
        }
        let mut conversation = self.conversations.remove(told.uid).unwrap_or_else(|| Conversation {
            record: told.record.clone(),
            protocol: told.protocol,
            states: [0; 2],
            ends: [None, None],
        });
        conversation.hear(&told);
        let result = if conversation.ends.get(place).is_some_and(Option::is_none) {
            let end = self.open(packet, size);
            if let Some(slot) = conversation.ends.get_mut(place) {
                *slot = Some(Box::new(end));
            }
            self.begin(engine, &mut conversation, place, size.is_none())
        } else {
            Ok(())
        };
        self.conversations.insert(told.uid.to_vec(), conversation);
        result
    }

    fn open(&self, packet: &FirstPacket<'_>, size: Option<u64>) -> EndState {
        let mut headers = Bits::of(self.rules.len());
        for (number, rule) in self.rules.iter().enumerate() {
            let is_file = !rule.rule.magics.is_empty();
            if !is_file && rule.rule.headers.iter().all(|condition| condition.holds(packet)) {
                headers.insert(number);
            }
        }
        let [(source, _), (destination, _)] = packet.ends;
        EndState {
            headers,
            patterns: Bits::of(self.patterns),
            rules: Bits::of(self.rules.len()),
            by_patterns: Vec::new(),
            whole: Bits::of(self.rules.len()),
            at_start: Vec::new(),
            states: [const { None }; Content::ALL.len()],
            payload_size: size,
            options: packet.ip.get(20..).filter(|_| packet.ip.len() <= 60).unwrap_or_default().into(),
            is_same_address: source == destination,
        }
    }

    /// Evaluates signatures without patterns, and patterns that match nothing at all where a stream begins.
    fn begin(
        &mut self,
        engine: &mut Engine,
        conversation: &mut Conversation,
        place: usize,
        is_stream: bool,
    ) -> Outcome<()> {
        self.pure(engine, conversation, place, false)?;
        if is_stream {
            self.search(engine, conversation, place, (Content::Payload, false), b"")?;
        }
        Ok(())
    }

    /// Takes a piece of content. `begins`: it is a unit of its own, or begins one.
    pub fn feed(
        &mut self,
        engine: &mut Engine,
        told: Told<'_>,
        is_orig: bool,
        (content, begins): (Content, bool),
        bytes: &[u8],
    ) -> Outcome<()> {
        let Some(mut conversation) = self.conversations.remove(told.uid) else { return Ok(()) };
        conversation.hear(&told);
        let place = side(is_orig);
        if let Some(Some(end)) = conversation.ends.get_mut(place)
            && content == Content::Payload
            && !bytes.is_empty()
        {
            end.payload_size.get_or_insert(bytes.len() as u64);
        }
        let result = self.search(engine, &mut conversation, place, (content, begins), bytes);
        self.conversations.insert(told.uid.to_vec(), conversation);
        result
    }

    /// Searches a piece, and evaluates signatures of which all patterns have matched.
    fn search(
        &mut self,
        engine: &mut Engine,
        conversation: &mut Conversation,
        place: usize,
        (content, begins): (Content, bool),
        bytes: &[u8],
    ) -> Outcome<()> {
        let Some(Some(group)) = self.groups.get_mut(content as usize) else { return Ok(()) };
        let Some(Some(end)) = conversation.ends.get_mut(place) else { return Ok(()) };
        let Some(slot) = end.states.get_mut(content as usize) else { return Ok(()) };
        let (mut at_start, mut found) = (Vec::new(), Vec::new());
        let patterns = &mut end.patterns;
        let mut new = |pattern: usize| {
            let (rule, number) = group.owners.get(pattern).copied()?;
            (end.headers.has(rule) && patterns.insert(number)).then_some(rule)
        };
        let mut state = match slot.take().filter(|_| !begins) {
            Some(state) => state,
            None => group.machine.begin(&mut |pattern, _| at_start.extend(new(pattern))),
        };
        let mut note = |pattern: usize, at: usize| found.extend(new(pattern).map(|rule| (rule, at)));
        group.machine.feed(&mut state, bytes, &mut note);
        *slot = Some(state);
        end.at_start.append(&mut at_start);
        self.found(engine, conversation, place, &found, bytes)
    }

    /// Patterns of signatures matched, each until a place in the piece.
    fn found(
        &mut self,
        engine: &mut Engine,
        conversation: &mut Conversation,
        place: usize,
        found: &[(usize, usize)],
        bytes: &[u8],
    ) -> Outcome<()> {
        let Some(Some(end)) = conversation.ends.get_mut(place).filter(|_| !found.is_empty()) else {
            return Ok(());
        };
        // What did not hold before may hold now.
        let before = end.by_patterns.clone();
        let at_start = std::mem::take(&mut end.at_start).into_iter().map(|rule| (rule, 0));
        for (rule, at) in &found.iter().copied().chain(at_start).collect::<Vec<_>>() {
            let Some(Some(end)) = conversation.ends.get_mut(place) else { continue };
            let patterns = self.rules.get(*rule).map(|rule| &*rule.patterns).unwrap_or_default();
            let is_whole = patterns.iter().all(|number| end.patterns.has(*number));
            if is_whole && end.whole.insert(*rule) {
                let matched = Matched { rule: *rule, text: bytes.into(), end: *at };
                end.by_patterns.push(matched.clone());
                self.evaluate(engine, conversation, place, matched, false)?;
            }
        }
        for matched in before {
            self.evaluate(engine, conversation, place, matched, false)?;
        }
        Ok(())
    }

    /// Evaluates signatures without patterns.
    fn pure(
        &mut self,
        engine: &mut Engine,
        conversation: &mut Conversation,
        place: usize,
        is_end: bool,
    ) -> Outcome<()> {
        for rule in 0..self.rules.len() {
            let is_pure = self.rules.get(rule).is_some_and(|rule| rule.rule.patterns.is_empty());
            let fits = conversation.end(place).is_some_and(|end| end.headers.has(rule));
            if is_pure && fits {
                let matched = Matched { rule, text: Rc::from([]), end: 0 };
                self.evaluate(engine, conversation, place, matched, is_end)?;
            }
        }
        Ok(())
    }

    /// Takes the end of a connection.
    pub fn end(&mut self, engine: &mut Engine, uid: &[u8]) -> Outcome<()> {
        let Some(mut conversation) = self.conversations.remove(uid) else { return Ok(()) };
        for place in [0, 1] {
            let Some(Some(end)) = conversation.ends.get_mut(place) else { continue };
            let mut found: Vec<(usize, usize)> = end.at_start.drain(..).map(|rule| (rule, 0)).collect();
            if let Some(Some(group)) = self.groups.get_mut(Content::Payload as usize)
                && let Some(Some(state)) = end.states.get(Content::Payload as usize)
            {
                for pattern in group.machine.end(state) {
                    if let Some((rule, number)) = group.owners.get(pattern)
                        && end.headers.has(*rule)
                        && end.patterns.insert(*number)
                    {
                        found.push((*rule, 0));
                    }
                }
            }
            self.found(engine, &mut conversation, place, &found, b"")?;
            self.pure(engine, &mut conversation, place, true)?;
            let open = conversation.end(place).map(|end| end.by_patterns.clone()).unwrap_or_default();
            for matched in open {
                self.evaluate(engine, &mut conversation, place, matched, true)?;
            }
        }
        Ok(())
    }

    /// Evaluates the conditions of a signature, and what depends on it where it matches.
    fn evaluate(
        &mut self,
        engine: &mut Engine,
        conversation: &mut Conversation,
        place: usize,
        matched: Matched,
        is_end: bool,
    ) -> Outcome<()> {
        let mut open = vec![(place, matched)];
        while let Some((place, matched)) = open.pop() {
            let rule = matched.rule;
            let is_told = |place: usize| conversation.end(place).is_some_and(|end| end.rules.has(rule));
            if is_told(place)
                || !self.depends(conversation, place, rule, is_end)
                || !self.holds(engine, conversation, place, &matched)?
                || is_told(1 - place)
            {
                continue;
            }
            if let Some(Some(end)) = conversation.ends.get_mut(place) {
                end.rules.insert(rule);
            }
            self.act(engine, conversation, place, &matched);
            for (dependent, is_reverse) in self.dependents.get(rule).into_iter().flatten() {
                let at = if *is_reverse { 1 - place } else { place };
                let known = conversation.end(at).map(|end| &end.by_patterns);
                let waiting = known.into_iter().flatten().filter(|matched| matched.rule == *dependent);
                open.extend(waiting.map(|matched| (at, matched.clone())));
            }
        }
        Ok(())
    }

    /// Returns whether the signatures matched that one depends on.
    fn depends(&self, conversation: &Conversation, place: usize, rule: usize, is_end: bool) -> bool {
        let requires = self.rules.get(rule).map(|rule| &*rule.requires).unwrap_or_default();
        requires.iter().all(|(on, is_reverse, is_negated)| {
            let end = conversation.end(if *is_reverse { 1 - place } else { place });
            let has_matched = end.is_some_and(|end| end.rules.has(*on));
            // That something does not match is known at the end only.
            if *is_negated { is_end && !has_matched } else { has_matched }
        })
    }

    fn holds(
        &self,
        engine: &mut Engine,
        conversation: &Conversation,
        place: usize,
        matched: &Matched,
    ) -> Outcome<bool> {
        let Some(loaded) = self.rules.get(matched.rule) else { return Ok(false) };
        let Some(end) = conversation.end(place) else { return Ok(false) };
        let mut functions = loaded.functions.iter();
        for (condition, _) in &loaded.rule.conditions {
            let holds = match condition {
                Condition::PayloadSize(comparison, size) => {
                    end.payload_size.is_some_and(|payload| comparison.holds(payload, *size))
                }
                Condition::SameAddress => end.is_same_address,
                Condition::State(carrier, states) => conversation.is_in(*carrier, states, place),
                Condition::IpOptions(numbers) => rule::has_option(&end.options, numbers),
                Condition::Eval(_) => {
                    let Some(function) = functions.next() else { return Ok(false) };
                    let state = state_of(engine, loaded, conversation, place);
                    let data = Value::string(&*matched.text);
                    match engine.call_number(*function, &[state, data]) {
                        Ok(value) => value.is_true(),
                        Err(crate::vm::Fault::Error) => false,
                        Err(fault) => return Err(fault),
                    }
                }
            };
            if !holds {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Raises the events of a match.
    fn act(&self, engine: &mut Engine, conversation: &Conversation, place: usize, matched: &Matched) {
        let Some(loaded) = self.rules.get(matched.rule) else { return };
        for (event, message, parameters) in &loaded.events {
            let Some(event) = event else { continue };
            let mut arguments = vec![state_of(engine, loaded, conversation, place)];
            arguments.extend(message.as_ref().map(|message| Value::string(message.as_bytes())));
            arguments.push(Value::string(&*matched.text));
            arguments.push(Value::Count(matched.end as u64));
            arguments.truncate(*parameters);
            engine.raise(*event, arguments);
        }
    }

    /// Takes what an event of scripts brings.
    pub fn hear(
        &mut self,
        engine: &mut Engine,
        event: u32,
        told: Told<'_>,
        arguments: &[ReadValue<'_>],
    ) -> Outcome<()> {
        let Some(contents) = self.contents.get(&event) else { return Ok(()) };
        for content in contents.clone() {
            if let Some((is_orig, begins, bytes)) = brought(content, arguments) {
                self.feed(engine, told, is_orig, (content, begins), &bytes)?;
            }
        }
        Ok(())
    }
}

/// What an event brings of a kind of content: whether the originator said it, whether it is a unit of its own, and the bytes.
fn brought(content: Content, arguments: &[ReadValue<'_>]) -> Option<(bool, bool, Vec<u8>)> {
    let text = |place: usize| match arguments.get(place) {
        Some(ReadValue::String(bytes)) => Some(*bytes),
        _ => None,
    };
    let is_orig = matches!(arguments.get(1), Some(ReadValue::Bool(true)));
    match content {
        Content::Payload => None,
        Content::HttpRequest => Some((true, true, text(3)?.to_vec())),
        Content::HttpRequestHeader | Content::HttpReplyHeader => {
            let is_own = is_orig == (content == Content::HttpRequestHeader);
            is_own.then(|| Some((is_orig, true, [text(2)?, text(4)?].join(&b": "[..])))).flatten()
        }
        Content::HttpRequestBody | Content::HttpReplyBody => {
            let is_own = is_orig == (content == Content::HttpRequestBody);
            is_own.then(|| Some((is_orig, false, text(3)?.to_vec()))).flatten()
        }
        Content::Ftp => Some((true, true, [text(1)?, text(2)?].join(&b' '))),
        Content::Finger => {
            let (user, host) = (text(2)?, text(3)?);
            let line = if host.is_empty() { user.to_vec() } else { [user, host].join(&b'@') };
            Some((true, true, line))
        }
    }
}

fn state_of(engine: &mut Engine, loaded: &Loaded, conversation: &Conversation, place: usize) -> Value {
    let size = conversation.end(place).and_then(|end| end.payload_size).unwrap_or(0);
    let fields = [
        ("sig_id", Value::string(loaded.rule.name.as_bytes())),
        ("conn", conversation.record.clone()),
        ("is_orig", Value::Bool(place == 0)),
        ("payload_size", Value::Count(size)),
    ];
    engine.record_of("signature_state", &fields)
}

impl Conversation {
    fn end(&self, place: usize) -> Option<&EndState> {
        self.ends.get(place)?.as_deref()
    }

    fn hear(&mut self, told: &Told<'_>) {
        self.states = told.states.unwrap_or(self.states);
    }

    /// Returns whether the sender at a place is in one of the states of each kind that are named.
    fn is_in(&self, carrier: Carrier, states: &[FlowState], place: usize) -> bool {
        let is_carrier = match carrier {
            Carrier::Tcp => self.protocol == 6,
            Carrier::Udp => self.protocol == 17,
        };
        is_carrier
            && states.iter().all(|state| match state {
                FlowState::Established => self.states.iter().all(|state| ESTABLISHED.contains(state)),
                FlowState::Originator => place == 0,
                FlowState::Responder => place == 1,
            })
    }
}
