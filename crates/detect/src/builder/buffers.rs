//! The sticky buffers of a rule under construction: which is in force, and what is put into it.

use weir_base::Direction;
use weir_rules::{RuleOption, SyntaxError};

use super::{List, MAX_BUFFERS, RuleBuilder};
use crate::model::buffer::Check;
use crate::model::signature::{BufferMatch, FieldRow, FrameRow, PacketField, Subjects, Target, ValueMatch};
use crate::model::transform::Transform;

/// Most transforms of one buffer.
const MAX_TRANSFORMS: usize = 16;

/// The direction that a sticky buffer may name: a rule on both directions of a transaction says which one is meant.
pub(crate) fn direction_of(option: &RuleOption) -> Result<Option<Direction>, SyntaxError> {
    match option.value.as_ref().map(|value| value.as_str()) {
        Some("to_server") => Ok(Some(Direction::ToServer)),
        Some("to_client") => Ok(Some(Direction::ToClient)),
        _ => option.no_argument().map(|()| None),
    }
}

impl RuleBuilder<'_> {
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
        self.may_leave_buffer(option)?;
        let several = rows.iter().any(|row| {
            matches!(
                row.field.access.value(),
                weir_applayer::Access::List(_) | weir_applayer::Access::BuildList(_)
            )
        });
        let found = self.checks.buffers.iter().position(|b| {
            b.name == name
                && b.direction == direction
                && b.value.is_none()
                && b.transforms.is_empty()
                && matches!(b.target, Target::Transaction(_))
        });
        if let Some(index) = found
            && !several
        {
            self.cursor.current = List::Buffer(index);
            return Ok(());
        }
        let index = self.new_buffer(option, name, Target::Transaction(rows.to_vec()))?;
        if let Some(buffer) = self.checks.buffers.get_mut(index) {
            buffer.direction = direction;
        }
        self.cursor.current = List::Buffer(index);
        Ok(())
    }

    /// Makes a sticky buffer of packets the list in force.
    pub fn select_packet(
        &mut self,
        option: &RuleOption,
        field: &'static PacketField,
    ) -> Result<(), SyntaxError> {
        self.may_leave_buffer(option)?;
        self.demands.subjects.insert(Subjects::MORE_THAN_ADDRESSES);
        let found = self.checks.buffers.iter().position(|b| b.name == field.name && b.transforms.is_empty());
        let index = match found {
            Some(index) => index,
            None => self.new_buffer(option, field.name, Target::Packet(field))?,
        };
        self.cursor.current = List::Buffer(index);
        Ok(())
    }

    /// Makes frames of a kind the list in force.
    pub fn select_frame(
        &mut self,
        option: &RuleOption,
        name: &'static str,
        rows: Vec<FrameRow>,
    ) -> Result<(), SyntaxError> {
        self.may_leave_buffer(option)?;
        self.demands.subjects.insert(Subjects::MORE_THAN_ADDRESSES);
        let found =
            self.checks.buffers.iter().position(|b| {
                b.name == name && b.transforms.is_empty() && matches!(b.target, Target::Frame(_))
            });
        let index = match found {
            Some(index) => index,
            None => self.new_buffer(option, name, Target::Frame(rows))?,
        };
        self.cursor.current = List::Buffer(index);
        Ok(())
    }

    /// Makes `list` the one in force again.
    pub fn return_to(&mut self, list: List) {
        self.cursor.current = list;
    }

    /// Makes the payload the list in force again (`pkt_data`).
    pub fn select_payload(&mut self, option: &RuleOption) -> Result<(), SyntaxError> {
        self.may_leave_buffer(option)?;
        self.cursor.current = List::Payload;
        self.cursor.last_list = List::Payload;
        Ok(())
    }

    /// Refuses to look elsewhere again once decoded bytes are looked at.
    fn may_leave_buffer(&self, option: &RuleOption) -> Result<(), SyntaxError> {
        match self.cursor.current {
            List::Decoded => Err(option
                .name
                .error("Rule buffer cannot be reset after base64_data.")
                .with_help("put what looks at other buffers before `base64_decode`")),
            List::Payload | List::Buffer(_) => Ok(()),
        }
    }

    /// Makes what `base64_decode` decodes the list in force (`base64_data`).
    pub fn select_decoded(&mut self) {
        self.cursor.current = List::Decoded;
    }

    /// Gives the checks on decoded bytes to the option that decodes, once all options are read.
    pub(crate) fn attach_decoded(&mut self) {
        let checks = std::mem::take(&mut self.cursor.decoded);
        let lists = std::iter::once(&mut self.checks.payload)
            .chain(self.checks.buffers.iter_mut().map(|b| &mut b.checks));
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
        if let Some(buffer) = self.checks.buffers.get_mut(index) {
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
        if self.checks.buffers.len() >= MAX_BUFFERS {
            return Err(option.error(format!("A rule can look at no more than {MAX_BUFFERS} buffers.")));
        }
        match &target {
            Target::Transaction(rows) => self.narrow(option, rows.iter().map(|row| row.protocol))?,
            Target::Frame(rows) => self.narrow(option, rows.iter().map(|row| row.protocol))?,
            Target::Packet(_) => {}
        }
        self.places.buffers.push(self.cursor.position);
        // Most rules with a buffer have one or two, and there are tens of thousands of rules.
        self.checks.buffers.reserve_exact(1);
        self.checks.buffers.push(BufferMatch {
            name,
            target,
            direction: None,
            transforms: Vec::new(),
            checks: Vec::new(),
            value: None,
            absent: None,
        });
        Ok(self.checks.buffers.len() - 1)
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
        let protocols = &mut self.head.app_protocols;
        if protocols.is_empty() {
            for protocol in left {
                if !protocols.contains(&protocol) {
                    protocols.push(protocol);
                }
            }
            return Ok(());
        }
        let before = protocols.clone();
        let named_it = protocols.iter().all(|p| p.carries.is_some());
        protocols.retain(|p| has(p));
        // What belongs to two protocols is only meant together where a rule names the one that has both.
        if protocols.is_empty() || !named_it && protocols.iter().all(|p| p.carries.is_some()) {
            let set = before.first().map_or("", |protocol| protocol.eve_name);
            let names: Vec<&str> = before.iter().map(|protocol| protocol.name).collect();
            return Err(option
                .name
                .error(format!("can't set rule app proto to failed: already set to {set}"))
                .with_help(format!(
                    "`{}` is not a keyword of the rule's protocol ({})",
                    option.name,
                    names.join(", ")
                )));
        }
        Ok(())
    }

    /// Adds a transform to the sticky buffer in force, which must have no checks yet.
    pub fn push_transform(&mut self, option: &RuleOption, transform: Transform) -> Result<(), SyntaxError> {
        let List::Buffer(index) = self.cursor.current else {
            return Err(option
                .name
                .error(format!("The transform `{}` needs a sticky buffer before it.", option.name))
                .with_help("name the buffer first, as in `http.uri; to_lowercase; content:\"…\";`"));
        };
        let used = self.checks.buffers.get(index).filter(|buffer| !buffer.checks.is_empty());
        if used.is_some_and(|buffer| !buffer.transforms.is_empty()) {
            return Err(option
                .name
                .error("transforms must directly follow stickybuffers")
                .with_help("name the buffer again, and all transforms behind it"));
        }
        // A buffer that already has checks stays as it is; the transformed one is another.
        let copy = used.map(|buffer| (buffer.name, buffer.target.clone(), buffer.direction));
        let index = match copy {
            Some((name, target, direction)) => {
                let index = self.new_buffer(option, name, target)?;
                if let Some(buffer) = self.checks.buffers.get_mut(index) {
                    buffer.direction = direction;
                }
                index
            }
            None => index,
        };
        self.cursor.current = List::Buffer(index);
        if let Some(buffer) = self.checks.buffers.get_mut(index) {
            if buffer.transforms.len() >= MAX_TRANSFORMS {
                let message = format!("A buffer can have at most {MAX_TRANSFORMS} transforms.");
                return Err(option.name.error(message));
            }
            buffer.transforms.push(transform);
        }
        Ok(())
    }

    /// The buffer in force, for options that change it (`absent`).
    pub fn current_buffer(&mut self) -> Option<&mut BufferMatch> {
        match self.cursor.current {
            List::Buffer(index) => self.checks.buffers.get_mut(index),
            List::Payload | List::Decoded => None,
        }
    }

    /// Moves the newest payload content into a field, as the old content modifiers do.
    pub fn move_last_content(&mut self, option: &RuleOption, rows: &[FieldRow]) -> Result<(), SyntaxError> {
        if self.in_buffer() {
            return Err(option.name.error(format!(
                "\"{}\" keyword seen with a sticky buffer still set.  Reset sticky buffer with pkt_data before using \
                 the modifier.",
                option.name
            )));
        }
        let is_content = |check: &Check| matches!(check, Check::Content(_));
        let Some(position) = self.checks.payload.iter().rposition(is_content) else {
            return Err(option
                .name
                .error(format!(
                    "\"{0}\" keyword found inside the rule without a content context.  Please use a \"content\" \
                     keyword before using the \"{0}\" keyword",
                    option.name
                ))
                .with_help("write `content:\"…\";` before it"));
        };
        let list = self.list_of(option, rows)?;
        let check = self.checks.payload.remove(position);
        let written = self.places.leave_payload(position);
        if let Check::Content(content) = &check
            && content.raw_bytes
        {
            let message = format!("{} rule can not be used with the rawbytes rule keyword", option.name);
            return Err(option.name.error(message));
        }
        self.push_check_to(option, list, check)?;
        if let (Some(place), Some(written)) = (self.places.checks.last_mut(), written) {
            place.2 = written;
        }
        Ok(())
    }

    /// The list of a field, made where it is not there yet: for `pcre` flags that name a buffer.
    pub fn list_of(&mut self, option: &RuleOption, rows: &[FieldRow]) -> Result<List, SyntaxError> {
        let name = rows.first().map_or("", |row| row.field.name);
        let found = self
            .checks
            .buffers
            .iter()
            .position(|b| b.name == name && b.value.is_none() && b.transforms.is_empty());
        match found {
            Some(index) => Ok(List::Buffer(index)),
            None => Ok(List::Buffer(self.new_buffer(option, name, Target::Transaction(rows.to_vec()))?)),
        }
    }
}
