//! A signature beside its text taken apart again.

use weir_rules::{Rule, RuleOption, parse_rule};

use crate::keywords;
use crate::model::buffer::{Check, Content};
use crate::model::signature::{BufferMatch, PrefilterPlace, Signature, Target};

/// One rule under analysis.
pub(super) struct Subject<'a> {
    /// Signature that it was compiled to.
    pub signature: &'a Signature,
    rule: Option<Rule>,
}

/// The literal that the prefilter looks for: its list and its position there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Literal {
    pub place: PrefilterPlace,
    pub position: usize,
}

impl<'a> Subject<'a> {
    /// The rule behind `signature`.
    pub fn new(signature: &'a Signature) -> Self {
        let rule = parse_rule(&signature.info.text, "", 0).ok().map(|(rule, _)| rule);
        Self { signature, rule }
    }

    /// The options as written.
    pub fn options(&self) -> &[RuleOption] {
        self.rule.as_ref().map_or(&[], |rule| &rule.options)
    }

    /// The header's protocol, without a hook.
    pub fn header(&self) -> String {
        self.rule.as_ref().map(|rule| rule.protocol.name.to_ascii_lowercase()).unwrap_or_default()
    }

    /// The options at `positions`.
    pub fn options_at<'s>(&'s self, positions: &'s [u16]) -> impl Iterator<Item = &'s RuleOption> {
        positions.iter().filter_map(|position| self.options().get(usize::from(*position)))
    }

    /// Options that are checks on packets or flows. `flow` is one unless it names a direction alone.
    pub fn packet_options(&self) -> Vec<&RuleOption> {
        let flow = &self.signature.head.flow;
        let flow_checks = flow.established.is_some() || flow.fragment.is_some() || flow.stream.is_some();
        let listed = &self.signature.trace.packet;
        self.options()
            .iter()
            .enumerate()
            .filter(|(position, option)| {
                listed.iter().any(|listed| usize::from(*listed) == *position)
                    || (option.name == "flow" && flow_checks)
            })
            .map(|(_, option)| option)
            .collect()
    }

    /// Whether the rule looks at transactions.
    pub fn is_transactional(&self) -> bool {
        self.signature.checks.has_transaction_buffers()
    }

    /// The literal that the prefilter looks for. A negated one serves where there is no other: then
    /// all that it is not found in are candidates.
    pub fn literal(&self) -> Option<Literal> {
        if self.prefilter_option().is_some() {
            return None;
        }
        let chosen = self.signature.prefilter.as_ref();
        chosen
            .map(|chosen| Literal { place: chosen.place.clone(), position: chosen.content })
            .or_else(|| self.negated_literal())
    }

    fn negated_literal(&self) -> Option<Literal> {
        let buffers = self.signature.checks.buffers.iter().enumerate();
        let scanned = buffers
            .filter(|(_, buffer)| buffer.absent.is_none() && matches!(buffer.target, Target::Transaction(_)));
        let mut lists: Vec<(PrefilterPlace, &[Check])> = scanned
            .map(|(index, buffer)| (PrefilterPlace::Buffer(index), buffer.checks.as_slice()))
            .collect();
        lists.push((PrefilterPlace::Payload, &self.signature.checks.payload));
        let literals = lists.into_iter().flat_map(|(place, checks)| {
            let contents = checks.iter().enumerate().filter_map(|(position, check)| match check {
                Check::Content(content) => Some((position, content.prefilter_bytes().len())),
                _ => None,
            });
            contents.map(move |(position, length)| (length, place.clone(), position)).collect::<Vec<_>>()
        });
        // The first of the longest.
        let mut best: Option<(usize, Literal)> = None;
        for (length, place, position) in literals {
            if best.as_ref().is_none_or(|(longest, _)| length > *longest) {
                best = Some((length, Literal { place, position }));
            }
        }
        best.map(|(_, literal)| literal)
    }

    /// The checks of a list.
    pub fn checks(&self, place: &PrefilterPlace) -> &'a [Check] {
        match place {
            PrefilterPlace::Payload => &self.signature.checks.payload,
            PrefilterPlace::Buffer(index) => {
                self.signature.checks.buffers.get(*index).map_or(&[], |buffer| &buffer.checks)
            }
        }
    }

    /// The content of a literal.
    pub fn content(&self, literal: &Literal) -> Option<&'a Content> {
        match self.checks(&literal.place).get(literal.position)? {
            Check::Content(content) => Some(content),
            _ => None,
        }
    }

    /// The position of the literal in the list `place`, if it is there.
    pub fn literal_in(&self, literal: Option<&Literal>, place: &PrefilterPlace) -> Option<usize> {
        literal.filter(|literal| literal.place == *place).map(|literal| literal.position)
    }

    /// The check on packets that the author wants looked at first (`prefilter` behind it).
    pub fn prefilter_option(&self) -> Option<&RuleOption> {
        let options = self.options();
        let at = options.iter().position(|option| option.name == "prefilter")?;
        let packet = self.packet_options();
        for option in options.get(..at)?.iter().rev() {
            if matches!(option.name.as_str(), "content" | "uricontent") {
                return None;
            }
            if packet.iter().any(|listed| std::ptr::eq(*listed, option)) && option.name != "flow" {
                return Some(option);
            }
        }
        None
    }

    /// Buffers of transactions with their positions.
    pub fn transaction_buffers(&self) -> impl Iterator<Item = (usize, &'a BufferMatch)> {
        let buffers = self.signature.checks.buffers.iter().enumerate();
        buffers.filter(|(_, buffer)| matches!(buffer.target, Target::Transaction(_)))
    }

    /// Buffers of frames with their positions.
    pub fn frame_buffers(&self) -> impl Iterator<Item = (usize, &'a BufferMatch)> {
        let buffers = self.signature.checks.buffers.iter().enumerate();
        buffers.filter(|(_, buffer)| matches!(buffer.target, Target::Frame(_)))
    }

    /// Buffers of packets with their positions.
    pub fn packet_buffers(&self) -> impl Iterator<Item = (usize, &'a BufferMatch)> {
        let buffers = self.signature.checks.buffers.iter().enumerate();
        buffers.filter(|(_, buffer)| matches!(buffer.target, Target::Packet(_)))
    }
}

/// The name that a keyword goes by in reports, whichever spelling the rule has.
pub(super) fn keyword_name(option: &RuleOption) -> &str {
    keywords::find(&option.name).map_or(option.name.as_str(), |keyword| keyword.name)
}
