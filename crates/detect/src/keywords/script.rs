//! `lua` and `luaxform`: scripts that are asked, and scripts that change a buffer.

use std::sync::Arc;

use weir_applayer::NeededPlace;
use weir_rules::{Quotes, RuleOption, Span, SyntaxError};

use crate::builder::keyword::Keyword;
use crate::builder::{List, RuleBuilder};
use crate::model::hook::{StateHook, state_named};
use crate::model::script::{PacketPart, ScriptFacts, ScriptPlace, ScriptUse};
use crate::model::signature::Subjects;
use crate::model::transform::Transform;

/// Most arguments of a transform's script.
const MAX_ARGUMENTS: usize = 10;

/// The family's keywords.
pub const KEYWORDS: &[Keyword] = &[
    Keyword::new(
        "lua",
        [
            "lua:[!]<file>;",
            "The function `match` of a Lua script says so. Behind a sticky buffer it is asked about that buffer.",
            "lua:beacon.lua;",
        ],
        check,
    )
    .also(&["luajit"]),
    Keyword::new(
        "luaxform",
        [
            "luaxform:<file>[, <argument>…];",
            "What the function `transform` of a Lua script makes of the buffer.",
            "http.uri; luaxform:unmask.lua, key 42; content:\"/gate\";",
        ],
        transform,
    ),
];

fn check(option: &RuleOption, rule: &mut RuleBuilder<'_>) -> Result<(), SyntaxError> {
    let mut file = option.argument(false, Quotes::Optional)?.text;
    let negated = file.starts_with('!');
    if negated {
        file = file.slice(Span::new(1, file.len())).trimmed();
    }
    let environment = rule.environment;
    let language = environment.scripts.as_ref().map_err(|why| option.error(why.clone()))?;
    let facts = ScriptFacts { names: &environment.names, byte_variables: rule.byte_variables() };
    let script = language.read_check(&file, &facts).map_err(|message| file.error(message))?;
    rule.demands.lists = true;
    rule.demands.subjects.insert(Subjects::MORE_THAN_ADDRESSES);
    rule.effects.state_use.others.1 = true;
    let mut asked = ScriptUse {
        script: script.id,
        place: ScriptPlace::Last,
        negated,
        argument: "buffer".into(),
        given: Vec::new(),
    };
    let mut selected = None;
    for need in &script.needs {
        match need.as_str() {
            "payload" => asked.given.push(PacketPart::Payload),
            "packet" => asked.given.push(PacketPart::Packet),
            "stream" => {
                rule.demands.subjects.insert(Subjects::STREAM);
                asked.place = ScriptPlace::Payload;
                asked.argument = "stream".into();
            }
            "buffer" => {}
            _ => {
                let before = selected.replace(need);
                if let Some(before) = before {
                    let message =
                        format!("The script asks for `{before}` and `{need}`, of which it can get one.");
                    return Err(file.error(message));
                }
                select(option, rule, need, &mut asked).map_err(|message| match message {
                    Missing::Unknown => file.error(format!("unknown data type {need}")),
                    Missing::Refused(error) => error,
                })?;
            }
        }
    }
    if selected.is_none() {
        asked.place = match rule.current() {
            List::Buffer(index) => ScriptPlace::Buffer(index),
            List::Payload | List::Decoded if script.needs.iter().any(|need| need == "buffer") => {
                ScriptPlace::Payload
            }
            List::Payload | List::Decoded => asked.place,
        };
    }
    rule.checks.scripts.push(asked);
    Ok(())
}

/// Reasons that a script cannot be given what it asks for.
enum Missing {
    /// Nobody knows it.
    Unknown,
    /// It does not go with the rest of the rule.
    Refused(SyntaxError),
}

/// Has the rule look at what a script asks for.
fn select(
    option: &RuleOption,
    rule: &mut RuleBuilder<'_>,
    need: &str,
    asked: &mut ScriptUse,
) -> Result<(), Missing> {
    let fields = &rule.environment.fields;
    let mut needs = fields.protocols().iter().flat_map(|p| p.script_needs.iter().map(|need| (p.name, need)));
    let (name, wanted) = needs.find(|(_, known)| known.word == need).ok_or(Missing::Unknown)?;
    if let NeededPlace::Field(name, direction) = wanted.what {
        let (_, rows) = fields.find(name).ok_or(Missing::Unknown)?;
        let current = rule.current();
        rule.select(option, name, rows, direction).map_err(Missing::Refused)?;
        if let List::Buffer(index) = rule.current() {
            asked.place = ScriptPlace::Buffer(index);
            asked.argument = Arc::from(need);
        }
        rule.return_to(current);
        return Ok(());
    }
    let protocols = fields.protocols_named(name);
    let protocol = protocols.first().ok_or(Missing::Unknown)?;
    rule.narrow(option, protocols.iter().copied()).map_err(Missing::Refused)?;
    if let NeededPlace::State(state) = wanted.what
        && let Some((direction, progress)) = state_named(protocol, state)
    {
        rule.head.flow.direction = Some(direction);
        rule.demands.state = Some(StateHook { direction, progress, with_earlier: false });
    }
    Ok(())
}

fn transform(option: &RuleOption, rule: &mut RuleBuilder<'_>) -> Result<(), SyntaxError> {
    let text = option.argument(false, Quotes::Optional)?.text;
    // Arguments are given as they are written, blanks and all.
    let (file, arguments) =
        text.split_once(',').map_or((text.as_str(), None), |(file, rest)| (file, Some(rest)));
    let file = file.trim();
    if file.is_empty() {
        return Err(text.error("Lua script name not supplied"));
    }
    let arguments: Vec<&str> = arguments.into_iter().flat_map(|rest| rest.split(',')).collect();
    if arguments.len() > MAX_ARGUMENTS {
        return Err(text.error(format!("A script takes at most {MAX_ARGUMENTS} arguments.")));
    }
    let language = rule.environment.scripts.as_ref().map_err(|why| option.error(why.clone()))?;
    let script = language.read_transform(file, &arguments).map_err(|message| text.error(message))?;
    rule.demands.lists = true;
    rule.push_transform(option, Transform::script(format!("luaxform:{text}"), script))
}
