//! Which of the engine's logs scripts have a part in, and which records of protocols they look at (`c$http` and others), by
//! what the program names and by the state of the streams when `zeek_init` is over: only the rows of these logs go through
//! scripts, and only these records are kept.

use std::collections::HashSet;
use std::rc::Rc;

use crate::frameworks::log::Filter;
use crate::frameworks::reporter::LIMIT_REACHED;
use crate::program::{Body, Program};
use crate::types::{Flavor, TypeId};
use crate::values::Value;
use crate::vm::Engine;

/// Groups of handlers that keep records; what follows is the field of `connection` that they keep, and names of events and
/// hooks that need it, with bars between them.
const RECORDS: &str = "records:";
/// Groups of handlers that run where scripts name a function, or handle an event or hook; what follows is its name.
const ASKED: &str = "asked:";
/// Groups of handlers that write a log of the engine in its place; what follows is its name.
const LOG: &str = "log:";

/// The log that scripts write where they follow files.
const FILES: &str = "files";

/// The log of what is odd.
const WEIRD: &str = "weird";

/// Events of files that are followed.
const OF_FILES: [&str; 11] = [
    "file_transferred",
    "file_new",
    "file_over_new_connection",
    "file_sniff",
    "file_gap",
    "file_hash",
    "file_entropy",
    "file_timeout",
    "file_state_remove",
    "file_extraction_limit",
    "file_reassembly_overflow",
];

/// Beginnings of the names of events that tell what is in files.
const IN_FILES: [&str; 3] = ["x509_", "ocsp_", "pe_"];

/// The field of files that holds what the headers of programs say.
const PROGRAMS: &str = "pe";

/// What scripts name that have to do with files that are followed, beside what is in `Files`.
const ABOUT_FILES: [&str; 6] = [
    "SMTP::enable_rfc822_msg_file_analysis",
    "get_file_handle",
    "set_file_handle",
    "default_file_bof_buffer_size",
    "default_file_timeout_interval",
    "FileExtract::set_limit",
];

/// The hook that has a say in which files a log names, and the settings that limit them otherwise.
const FILES_NAMED: &str = "HTTP::max_files_policy";
const OF_FILES_NAMED: [&str; 2] = ["HTTP::max_files_orig", "HTTP::max_files_resp"];

/// What is in `Files` and only has to do with the log.
const ABOUT_LOG: [&str; 2] = ["Files::log_files", "Files::log_policy"];

/// The reason to keep records of connections that describe files which they carry.
const DESCRIBING: &str = "descriptions";

/// Records with a file, which is described where they are logged: by type and field.
const DESCRIBED: [(&str, &str); 2] = [("Intel::Seen", "f"), ("Notice::Info", "f")];

/// The records that certificates fill, which are kept where scripts look at one of these fields.
const CERTIFICATES: &str = "certificates";
const OF_CERTIFICATES: [(&str, &str); 10] = [
    ("Files::Info", "x509"),
    ("SSL::Info", "cert_chain"),
    ("SSL::Info", "cert_chain_fps"),
    ("SSL::Info", "client_cert_chain"),
    ("SSL::Info", "client_cert_chain_fps"),
    ("SSL::Info", "subject"),
    ("SSL::Info", "issuer"),
    ("SSL::Info", "client_subject"),
    ("SSL::Info", "client_issuer"),
    ("SSL::Info", "sni_matches_cert"),
];
/// The log that tells which connections reached limits, and what is spoken there.
const CONNECTIONS: &str = "conn";

/// Logs that the prelude writes to beside the engine, whoever asks for it.
const SHARED: [&str; 2] = ["notice", "reporter"];

/// Logs that scripts write by functions of modules.
const BY_MODULES: [(&str, &str); 2] = [("software", "Software::"), (WEIRD, "Weird::")];

/// Fields of filters that leave columns out.
const LEAVING_OUT: [&str; 2] = ["include", "exclude"];

/// Settings of all logs that the engine knows itself.
const KNOWN: [&str; 3] = ["Log::default_logdir", "Log::default_rotation_interval", "LogAscii::use_json"];

/// Switches the groups on that scripts ask for, and others off where there are packets.
pub(crate) fn switch_groups(engine: &mut Engine) {
    let names: HashSet<Rc<str>> = engine
        .program
        .functions
        .iter()
        .flat_map(|function| function.bodies.iter().flat_map(|body| body.groups.iter().cloned()))
        .collect();
    for name in names {
        let is_on = match (name.strip_prefix(RECORDS), name.strip_prefix(LOG)) {
            (Some(CERTIFICATES), _) => look_at_any(&engine.program, &OF_CERTIFICATES),
            (Some(wanted), _) => wanted.split('|').any(|name| match name {
                DESCRIBING => describes_files(&engine.program) && follows_files(engine),
                CONNECTIONS if names_services(&engine.program) => true,
                name => keeps(&engine.program, name) || is_asked_for(engine, name),
            }),
            (_, Some(FILES)) => follows_files(engine),
            (_, Some(log)) => {
                is_written_by_functions(&engine.program, log)
                    || log == WEIRD && super::readers::tells_weirds(engine)
            }
            _ => match name.strip_prefix(ASKED) {
                Some(function) => is_asked_for(engine, function),
                None => continue,
            },
        };
        engine.program.groups.insert(name, is_on || !engine.has_packets);
    }
}

/// Returns whether a limit is not the engine's to keep, since scripts overrule it.
pub(super) fn is_left_to_scripts(engine: &Engine, setting: &str) -> bool {
    OF_FILES_NAMED.contains(&setting) && is_asked_for(engine, FILES_NAMED)
}

/// Returns whether scripts, or policy scripts that are loaded, name a function, or scripts handle an event or hook.
fn is_asked_for(engine: &Engine, name: &str) -> bool {
    let is_hook = || {
        let number = engine.program.function_named(name);
        let function = number.and_then(|number| engine.program.functions.get(number as usize));
        function.is_some_and(|function| function.flavor == Flavor::Hook && !function.bodies.is_empty())
    };
    let mentions = &engine.program.mentions;
    mentions.names(|known| known == name) || has_own_body(engine, name) || is_hook()
}

/// Returns whether scripts look at a field of connections, or at that of the state behind it.
fn keeps(program: &Program, field: &str) -> bool {
    let state = format!("{field}_state");
    let names = |name: &str| {
        let ty = program.type_named(name);
        ty.is_some_and(|ty| program.mentions.looks_at(ty, field) || program.mentions.looks_at(ty, &state))
    };
    names("connection") || names("fa_file")
}

/// Returns whether scripts describe files, or have them described in logs.
fn describes_files(program: &Program) -> bool {
    look_at_any(program, &DESCRIBED) || program.mentions.has_global(|name| name == "Files::describe")
}

/// Returns whether scripts look at any of some fields of records.
fn look_at_any(program: &Program, fields: &[(&str, &str)]) -> bool {
    let looks_at = |(record, field): &(&str, &str)| {
        program.type_named(record).is_some_and(|ty| program.mentions.looks_at(ty, field))
    };
    fields.iter().any(looks_at)
}

/// Returns whether scripts follow files: they handle events of them, or name functions and settings.
fn follows_files(engine: &Engine) -> bool {
    let group = format!("{LOG}{FILES}");
    let is_of_prelude = |name: &Rc<str>| **name == *group || name.starts_with(RECORDS);
    let is_of_scripts = |body: &Body| !body.groups.iter().any(is_of_prelude);
    let is_handled = |event: &&str| {
        let number = engine.program.function_named(event);
        let function = number.and_then(|number| engine.program.functions.get(number as usize));
        function.is_some_and(|function| function.bodies.iter().any(is_of_scripts))
    };
    let is_in_files = || {
        let functions = engine.program.functions.iter();
        let mut of_files =
            functions.filter(|function| IN_FILES.iter().any(|name| function.name.starts_with(name)));
        of_files.any(|function| function.bodies.iter().any(is_of_scripts))
    };
    let is_about =
        |name: &str| name.starts_with("Files::") && !ABOUT_LOG.contains(&name) || ABOUT_FILES.contains(&name);
    keeps(&engine.program, PROGRAMS)
        || is_asked_for(engine, FILES_NAMED)
        || OF_FILES.iter().any(is_handled)
        || is_in_files()
        || look_at_any(&engine.program, &OF_CERTIFICATES)
        || engine.program.mentions.has_global(is_about)
}

fn is_written_by_functions(program: &Program, log: &str) -> bool {
    let names_module = |module: &str| {
        program.mentions.has_global(|name| name.starts_with(module))
            || program.mentions.is_called_by_policies(&format!("{module}found"))
    };
    BY_MODULES.iter().any(|(name, module)| *name == log && names_module(module))
}

/// Returns the engine's logs that scripts make from events in its place.
pub(super) fn replaced(engine: &Engine) -> HashSet<String> {
    let is_on = |group: &Rc<str>| engine.program.groups.get(group) == Some(&true);
    let groups = engine.program.groups.keys().filter(|group| is_on(group));
    groups.filter_map(|group| group.strip_prefix(LOG).map(str::to_owned)).collect()
}

/// Returns the engine's logs whose rows go through scripts.
pub(super) fn touched(engine: &Engine) -> HashSet<String> {
    let touches_all = touches_all(engine);
    let own = engine.frameworks.log.own.iter();
    own.filter(|(name, id)| touches_all || touches(engine, name, id)).map(|(name, _)| name.clone()).collect()
}

/// Returns whether scripts have a part in every log.
fn touches_all(engine: &Engine) -> bool {
    let names = |name: &str| {
        name == "Log::active_streams"
            || (name.starts_with("LogAscii::") || name.starts_with("Log::default_")) && !KNOWN.contains(&name)
    };
    crate::frameworks::steering::changes_logs(engine)
        || engine.program.mentions.has_global(|name| names(name) && !is_function(engine, name))
        || has_own_body(engine, "Log::log_stream_policy")
        || engine
            .program
            .mentions
            .has_global(|name| name.starts_with("Log::default_") && name.ends_with("_func"))
}

fn is_function(engine: &Engine, name: &str) -> bool {
    engine.program.function_named(name).is_some()
}

/// Returns whether scripts that are not the prelude's handle an event or hook.
fn has_own_body(engine: &Engine, name: &str) -> bool {
    engine.program.function_named(name).is_some_and(|number| has_own_body_of(engine, number))
}

fn has_own_body_of(engine: &Engine, number: u32) -> bool {
    let function = engine.program.functions.get(number as usize);
    function.is_some_and(|function| function.bodies.iter().any(|body| !engine.is_prelude(body.span.file)))
}

/// Returns whether policy scripts that are loaded have a body for a function.
fn has_body_of_policy(engine: &Engine, number: u32) -> bool {
    let is_of_policy =
        |body: &Body| engine.program.files.name(body.span.file).starts_with(crate::prelude::POLICIES);
    let function = engine.program.functions.get(number as usize);
    function.is_some_and(|function| function.bodies.iter().any(is_of_policy))
}

fn touches(engine: &Engine, name: &str, id: &Value) -> bool {
    let mentions = &engine.program.mentions;
    if SHARED.contains(&name)
        || name == CONNECTIONS
            && (mentions.has_global(|name| name == LIMIT_REACHED) || names_services(&engine.program))
        || matches!(id, Value::Enum(ty, number) if mentions.has_value(*ty, *number))
        || is_written_by_functions(&engine.program, name)
    {
        return true;
    }
    // A stream that nobody names is as the prelude made it, but for what all streams share.
    let Some(stream) = engine.frameworks.log.stream(id.int()) else { return true };
    let has_body = |number| has_own_body_of(engine, number) || has_body_of_policy(engine, number);
    let is_handled = stream.event.is_some_and(has_body);
    let has_policy = stream.policy.as_ref().is_some_and(|policy| has_body(policy.function));
    let is_whole =
        |filter: &Filter| !LEAVING_OUT.iter().any(|name| engine.field(&filter.value, name).is_set());
    let is_plain = stream.is_enabled
        && matches!(stream.filters.as_slice(), [one] if one.name == "default" && is_whole(one));
    is_handled
        || has_policy
        || !is_plain
        || changes(engine, stream.columns, 0)
        || orders_sets(engine, stream.columns)
}

/// Returns whether scripts say what is spoken on connections.
fn names_services(program: &Program) -> bool {
    program.type_named("connection").is_some_and(|ty| program.mentions.is_written(ty, "service"))
}

/// Returns whether a log has sets whose order follows from the seeds of a run.
fn orders_sets(engine: &Engine, record: TypeId) -> bool {
    let declared = engine.types().record(record).filter(|_| crate::values::order::is_followed());
    declared.is_some_and(|declared| {
        declared.fields.iter().any(|field| field.log && engine.types().is_set(field.ty))
    })
}

/// Deepest nesting of records that are logged.
const DEPTH: usize = 16;

/// Returns whether scripts write fields of a record that is logged, or changed which it has.
fn changes(engine: &Engine, record: TypeId, depth: usize) -> bool {
    if engine.program.mentions.touches(record) {
        return true;
    }
    let Some(declared) = engine.types().record(record).filter(|_| depth < DEPTH) else { return false };
    declared.fields.iter().filter(|field| field.log).any(|field| changes(engine, field.ty, depth + 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::STACK;
    use crate::driver::{Driver, Script};

    /// Returns the logs that a script has a part in, and the groups of records that are kept for it.
    fn parts(script: &'static str) -> (Vec<String>, Vec<String>) {
        let thread = std::thread::Builder::new().stack_size(STACK).spawn(move || {
            let mut driver = Driver::new(Some("."));
            driver.engine.has_packets = true;
            let text = format!("@load base/protocols/http\n@load base/protocols/conn\n{script}");
            assert!(driver.read(&[Script::Text("script.zeek".to_owned(), text.into())]));
            driver.engine.begin().unwrap();
            let known = |name: &String| ["http", "conn"].contains(&name.as_str());
            let mut logs: Vec<String> = touched(&driver.engine).into_iter().filter(known).collect();
            logs.sort();
            let groups = driver.engine.program.groups.iter().filter(|(_, is_on)| **is_on);
            let groups = groups.filter_map(|(name, _)| name.strip_prefix(RECORDS).map(str::to_owned));
            let mut groups: Vec<String> = groups.collect();
            groups.sort();
            (logs, groups)
        });
        thread.unwrap().join().unwrap()
    }

    #[test]
    fn the_program_tells_what_it_touches() {
        let cases: [(&str, &[&str], &[&str]); 10] = [
            ("event new_connection(c: connection) { add c$service[\"x\"]; }", &["conn"], &["conn"]),
            ("event new_connection(c: connection) { print c$uid; }", &[], &[]),
            (
                "event http_reply(c: connection, version: string, code: count, reason: string) { if ( c?$http ) print c$http$uri; }",
                &[],
                &["http|descriptions|HTTP::max_files_policy"],
            ),
            ("event new_connection(c: connection) { c$conn$history = \"x\"; }", &["conn"], &["conn"]),
            ("redef record Conn::Info += { a: string &log &optional; };", &["conn"], &[]),
            ("event HTTP::log_http(rec: HTTP::Info) { }", &["http"], &[]),
            (
                "hook Conn::log_policy(rec: Conn::Info, id: Log::ID, filter: Log::Filter) { break; }",
                &["conn"],
                &[],
            ),
            ("event zeek_init() { Log::disable_stream(HTTP::LOG); }", &["http"], &[]),
            ("event zeek_init() { for ( id in Log::active_streams ) print id; }", &["conn", "http"], &[]),
            ("redef LogAscii::empty_field = \"EMPTY\";", &["conn", "http"], &[]),
        ];
        for (script, logs, groups) in cases {
            let expected = (logs.to_vec(), groups.to_vec());
            let found = parts(script);
            let found = (
                found.0.iter().map(String::as_str).collect::<Vec<_>>(),
                found.1.iter().map(String::as_str).collect::<Vec<_>>(),
            );
            assert_eq!(found, expected, "{script}");
        }
    }
}
