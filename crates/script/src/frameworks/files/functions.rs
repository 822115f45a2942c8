//! The functions of scripts.

use super::analyzers::{self, Analyzer, Change};
use super::delivery::{MOST_CHANGES, matches};
use super::{File, Id, MOST_IGNORED};
use crate::builtins::{Builtin, argument, bytes, count, row};
use crate::types::TypeId;
use crate::values::{Value, VectorValue};
use crate::vm::{Engine, Outcome};

/// Beginning of the names of tags.
const TAG: &str = "Files::ANALYZER_";

/// Built-in functions, which the prelude declares.
pub const ROWS: &[Builtin] = &[
    row("set_file_handle", "", |e, a| {
        if !bytes(a, 0).is_empty() {
            e.frameworks.files.handle = Some(bytes(a, 0).to_vec());
        }
        Ok(Value::Unset)
    }),
    row("Files::__add_analyzer", "", add),
    row("Files::__remove_analyzer", "", |e, a| {
        let change = Change::Remove(argument(a, 1).int(), analyzers::key(e, &argument(a, 2)));
        Ok(Value::Bool(change_analyzers(e, bytes(a, 0), change)))
    }),
    row("FileExtract::__set_limit", "(file_id: string, args: any, n: count): bool", |e, a| {
        let change = Change::Limit(analyzers::key(e, &argument(a, 1)), count(a, 2));
        Ok(Value::Bool(change_analyzers(e, bytes(a, 0), change)))
    }),
    row("Files::__analyzer_name", "", |e, a| Ok(Value::string(name(e, &argument(a, 0))))),
    row("Files::__enable_analyzer", "", |e, a| {
        e.frameworks.files.disabled.remove(&argument(a, 0).int());
        Ok(Value::Bool(true))
    }),
    row("Files::__disable_analyzer", "", |e, a| {
        e.frameworks.files.disabled.insert(argument(a, 0).int());
        Ok(Value::Bool(true))
    }),
    row("Files::__analyzer_enabled", "", |e, a| {
        Ok(Value::Bool(!e.frameworks.files.disabled.contains(&argument(a, 0).int())))
    }),
    row("Files::__file_exists", "", |e, a| {
        Ok(Value::Bool(e.frameworks.files.files.contains_key(bytes(a, 0))))
    }),
    row("Files::__lookup_file", "", |e, a| match e.frameworks.files.files.get(bytes(a, 0)) {
        Some(file) => Ok(Value::Record(file.record.clone())),
        None => {
            let id = String::from_utf8_lossy(bytes(a, 0)).into_owned();
            e.report_apart(&format!("file ID {id} not a known file"));
            e.report("warning", "", "non-void function returning without a value: Files::lookup_file");
            Ok(Value::Unset)
        }
    }),
    row("Files::__stop", "", |e, a| {
        let manager = &mut e.frameworks.files;
        let is_known = manager.files.contains_key(bytes(a, 0));
        if is_known && manager.ignored.len() < MOST_IGNORED {
            manager.ignored.insert(bytes(a, 0).into());
        } else if is_known {
            manager.count_passed_over();
        }
        Ok(Value::Bool(is_known))
    }),
    row("Files::__set_timeout_interval", "", |e, a| {
        let wait = argument(a, 1);
        let postpones = wait.double() > 0.0;
        let record = with(e, bytes(a, 0), |file| {
            file.is_postponed |= postpones;
            file.record.clone()
        });
        if let Some(record) = &record {
            e.set_field(record, "timeout_interval", wait);
        }
        Ok(Value::Bool(record.is_some()))
    }),
    row("Files::__enable_reassembly", "", |e, a| {
        Ok(Value::Bool(with(e, bytes(a, 0), |file| file.reassembles = true).is_some()))
    }),
    row("Files::__disable_reassembly", "", |e, a| {
        let is_known = with(e, bytes(a, 0), |file| {
            file.reassembles = false;
            file.waiting = None;
        });
        Ok(Value::Bool(is_known.is_some()))
    }),
    row("Files::__set_reassembly_buffer", "", |e, a| {
        Ok(Value::Bool(with(e, bytes(a, 0), |file| file.room = count(a, 1)).is_some()))
    }),
    row("Files::weir_filename", "(fuid: string): string", |e, a| {
        let name = with(e, bytes(a, 0), |file| Value::string(&file.name));
        Ok(name.unwrap_or_else(|| Value::string("")))
    }),
    row("Files::weir_depth", "(fuid: string): count", |e, a| {
        Ok(Value::Count(with(e, bytes(a, 0), |file| file.depth).unwrap_or(0)))
    }),
    row("file_magic", "", |e, a| {
        let found = e.frameworks.files.recognise(bytes(a, 0));
        Ok(match found {
            Some(mime_type) => matches(e, mime_type),
            None => {
                let ty = e.program.type_named("mime_matches").unwrap_or(TypeId::ANY);
                Value::Vector(std::rc::Rc::new(VectorValue::new(ty, Vec::new())))
            }
        })
    }),
    row("identify_data", "", |e, a| {
        let found = e.frameworks.files.recognise(bytes(a, 0));
        Ok(Value::string(found.unwrap_or("<unknown>")))
    }),
];

/// Does something with a file that is followed.
fn with<T>(engine: &mut Engine, id: &[u8], act: impl FnOnce(&mut File) -> T) -> Option<T> {
    engine.frameworks.files.files.get_mut(id).map(act)
}

/// Returns the name of an analyzer by its tag.
fn name(engine: &Engine, tag: &Value) -> String {
    let name = crate::frameworks::log::name_of(engine, tag);
    name.strip_prefix(TAG).unwrap_or(&name).to_owned()
}

fn add(engine: &mut Engine, a: &[Value]) -> Outcome<Value> {
    let (id, tag, arguments) = (bytes(a, 0), argument(a, 1), argument(a, 2));
    let key = analyzers::key(engine, &arguments);
    let number = tag.int();
    let is_there = |file: &mut File| {
        let known = file.analyzers.iter().any(|known| known.is_same(number, &key));
        let asked = file
            .changes
            .iter()
            .any(|change| matches!(change, Change::Add(analyzer) if analyzer.is_same(number, &key)));
        (file.is_done, known || asked)
    };
    match with(engine, id, is_there) {
        None | Some((true, _)) => return Ok(Value::Bool(false)),
        Some((false, true)) => return Ok(Value::Bool(true)),
        Some((false, false)) => {}
    }
    let name = name(engine, &tag);
    let Some(analyzer) = Analyzer::new(engine, number, &name, &arguments) else {
        return Ok(Value::Bool(false));
    };
    let id: Id = id.into();
    Ok(Value::Bool(change_analyzers(engine, &id, Change::Add(Box::new(analyzer)))))
}

/// Has an analyzer be attached, removed or changed when nothing is delivered; answers whether the file is followed.
fn change_analyzers(engine: &mut Engine, id: &[u8], change: Change) -> bool {
    let is_taken = with(engine, id, |file| {
        let has_room = file.changes.len() < MOST_CHANGES;
        let is_taken = !file.is_done && has_room;
        if is_taken {
            file.changes.push(change);
        }
        (is_taken, has_room)
    });
    let (is_taken, has_room) = is_taken.unwrap_or((false, true));
    if !has_room {
        engine.frameworks.files.count_passed_over();
    }
    is_taken
}
