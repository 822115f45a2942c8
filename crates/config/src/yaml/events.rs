//! The events of YAML text, by libyaml.
//!
//! The engine users come from reads its configuration with libyaml, which takes more than the
//! standard says: lists that go on at the indentation of their key, comments that touch a bracket,
//! tabs between items. So its own parser reads here, translated to Rust; its interface stays one of
//! pointers, and this module is all that touches them. The text is copied into each event.

#![allow(unsafe_code)]

use std::ffi::CStr;
use std::marker::PhantomData;
use std::mem::MaybeUninit;

use libyaml_rs as libyaml;

/// A line and a column, both from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    pub(super) line: usize,
    pub(super) column: usize,
}

impl From<libyaml::yaml_mark_t> for Mark {
    fn from(mark: libyaml::yaml_mark_t) -> Self {
        let from_one = |count: u64| usize::try_from(count).unwrap_or(usize::MAX).saturating_add(1);
        Self { line: from_one(mark.line), column: from_one(mark.column) }
    }
}

/// One step through the text; a name is that of an anchor.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Event {
    Scalar { text: String, style: Style, tag: Option<String>, anchor: Option<String> },
    SequenceStart { anchor: Option<String> },
    SequenceEnd,
    MappingStart { anchor: Option<String> },
    MappingEnd,
    Alias { anchor: String },
    DocumentStart,
    DocumentEnd,
    StreamEnd,
}

/// Style of a scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    Plain,
    /// In quotes, or as a block.
    Quoted,
}

/// Fault in the text.
#[derive(Debug)]
pub(super) struct Problem {
    /// Where reading stopped.
    pub(super) mark: Mark,
    /// In libyaml's words.
    pub(super) text: String,
    /// Inside of what, and where that begins.
    pub(super) context: Option<(String, Mark)>,
}

/// Reads a text event by event.
pub(super) struct Events<'text> {
    /// Allocated once and never moved, as it holds pointers to itself; freed by `drop`.
    parser: *mut libyaml::yaml_parser_t,
    text: PhantomData<&'text str>,
}

impl<'text> Events<'text> {
    pub(super) fn new(text: &'text str) -> Self {
        let parser = Box::into_raw(Box::<libyaml::yaml_parser_t>::new_uninit()).cast();
        // SAFETY: the parser has memory of its own, which `yaml_parser_initialize` fills (it cannot fail:
        // without memory it ends the process); the text outlives the parser by its lifetime.
        unsafe {
            let _ = libyaml::yaml_parser_initialize(parser);
            libyaml::yaml_parser_set_encoding(parser, libyaml::YAML_UTF8_ENCODING);
            libyaml::yaml_parser_set_input_string(parser, text.as_ptr(), text.len() as u64);
        }
        Self { parser, text: PhantomData }
    }

    /// The next event and where it begins. After the end of the stream and after a problem there is
    /// only the end of the stream.
    pub(super) fn next(&mut self) -> Result<(Event, Mark), Problem> {
        loop {
            let mut event = MaybeUninit::<libyaml::yaml_event_t>::uninit();
            // SAFETY: the parser was initialised by `new`; where parsing does not fail, it has filled the event.
            let mut event = unsafe {
                if libyaml::yaml_parser_parse(self.parser, event.as_mut_ptr()).fail {
                    return Err(self.problem());
                }
                event.assume_init()
            };
            // SAFETY: the event is the one that the parser filled.
            let read = unsafe { copy(&event) };
            let mark = Mark::from(event.start_mark);
            // SAFETY: as above; nothing refers to the event's memory any longer.
            unsafe { libyaml::yaml_event_delete(&raw mut event) };
            if let Some(read) = read {
                return Ok((read, mark));
            }
        }
    }

    fn problem(&self) -> Problem {
        // SAFETY: the parser was initialised by `new`, and its texts are null or constants that end in zero.
        unsafe {
            let parser = &*self.parser;
            let context = (!parser.context.is_null())
                .then(|| (text(parser.context.cast()), Mark::from(parser.context_mark)));
            Problem { mark: parser.problem_mark.into(), text: text(parser.problem.cast()), context }
        }
    }
}

impl Drop for Events<'_> {
    fn drop(&mut self) {
        // SAFETY: the parser was initialised and its memory made by `new`, and neither is used again.
        unsafe {
            libyaml::yaml_parser_delete(self.parser);
            drop(Box::from_raw(self.parser.cast::<MaybeUninit<libyaml::yaml_parser_t>>()));
        }
    }
}

/// Copies an event; none where it is of no use here.
///
/// # Safety
/// The event is one that the parser filled and that is not deleted yet.
unsafe fn copy(event: &libyaml::yaml_event_t) -> Option<Event> {
    // SAFETY: the type says which part of the union is filled; its texts are null or end in zero, and a
    // scalar's value is as long as is said beside it.
    unsafe {
        Some(match event.type_ {
            libyaml::YAML_SCALAR_EVENT => {
                let scalar = &event.data.scalar;
                let length = usize::try_from(scalar.length).unwrap_or_default();
                let value = std::slice::from_raw_parts(scalar.value, length);
                let plain = scalar.style == libyaml::YAML_PLAIN_SCALAR_STYLE;
                Event::Scalar {
                    text: String::from_utf8_lossy(value).into_owned(),
                    style: if plain { Style::Plain } else { Style::Quoted },
                    tag: name(scalar.tag),
                    anchor: name(scalar.anchor),
                }
            }
            libyaml::YAML_SEQUENCE_START_EVENT => {
                Event::SequenceStart { anchor: name(event.data.sequence_start.anchor) }
            }
            libyaml::YAML_MAPPING_START_EVENT => {
                Event::MappingStart { anchor: name(event.data.mapping_start.anchor) }
            }
            libyaml::YAML_ALIAS_EVENT => Event::Alias { anchor: text(event.data.alias.anchor) },
            libyaml::YAML_SEQUENCE_END_EVENT => Event::SequenceEnd,
            libyaml::YAML_MAPPING_END_EVENT => Event::MappingEnd,
            libyaml::YAML_DOCUMENT_START_EVENT => Event::DocumentStart,
            libyaml::YAML_DOCUMENT_END_EVENT => Event::DocumentEnd,
            libyaml::YAML_STREAM_START_EVENT => return None,
            _ => Event::StreamEnd,
        })
    }
}

/// # Safety
/// The pointer is null or leads to bytes that end in zero.
unsafe fn name(bytes: *const u8) -> Option<String> {
    // SAFETY: as the caller says.
    (!bytes.is_null()).then(|| unsafe { text(bytes) })
}

/// # Safety
/// The pointer is null or leads to bytes that end in zero.
unsafe fn text(bytes: *const u8) -> String {
    if bytes.is_null() {
        return String::new();
    }
    // SAFETY: as the caller says.
    unsafe { CStr::from_ptr(bytes.cast()) }.to_string_lossy().into_owned()
}
