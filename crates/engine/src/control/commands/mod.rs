//! The commands of the control socket.

mod arguments;
mod captures;
mod data;
mod flows;
mod hosts;
mod interfaces;
mod memcaps;
mod profiles;
mod program;
mod rules;
mod tenants;
mod top;

use std::time::Instant;

use self::arguments::Arguments;
use super::dialogue::{Answer, Reply, Request};
use crate::jobs::Jobs;
use crate::live::Listeners;
use crate::reload::Reloads;
use crate::run::Engine;
use crate::statistics::Statistics;

/// Parts of a run that commands are about.
pub(crate) struct Context<'a, 's> {
    pub(crate) engine: &'a mut Engine,
    pub(crate) reloads: &'a mut Reloads,
    /// When the program began.
    pub(crate) started: Instant,
    pub(crate) run: Run<'a, 's>,
}

/// Kinds of runs with a control socket.
pub(crate) enum Run<'a, 's> {
    /// Interfaces are listened on.
    Live(Live<'a, 's>),
    /// Captures are handed in.
    Jobs(&'a mut Jobs),
}

/// Parts of a run that listens.
pub(crate) struct Live<'a, 's> {
    pub(crate) listeners: &'a mut Listeners,
    pub(crate) statistics: &'a mut Statistics<'s>,
    pub(crate) reopen: &'a dyn Fn(),
    /// Has threads report how they get on, while a command takes its time.
    pub(crate) report: &'a mut dyn FnMut(&Listeners),
}

/// A command. Those with arguments are not answered without an object of them.
struct Command {
    name: &'static str,
    /// Its arguments, as [`Arguments::read`] takes them.
    arguments: &'static [&'static str],
    answer: Answers,
}

/// The function that answers a command, by the kind of run that has it.
#[derive(Clone, Copy)]
enum Answers {
    All(fn(&mut Context<'_, '_>, &Arguments<'_>) -> Answer),
    Live(fn(&mut Live<'_, '_>, &Arguments<'_>) -> Answer),
    Jobs(fn(&mut Jobs, &Arguments<'_>) -> Answer),
    /// Captures are handed in, to be read with the engine's rules.
    Captures(fn(&mut Jobs, &Engine, &Arguments<'_>) -> Answer),
}

impl Command {
    const fn all(
        name: &'static str,
        arguments: &'static [&'static str],
        answer: fn(&mut Context<'_, '_>, &Arguments<'_>) -> Answer,
    ) -> Self {
        Self { name, arguments, answer: Answers::All(answer) }
    }

    const fn live(
        name: &'static str,
        arguments: &'static [&'static str],
        answer: fn(&mut Live<'_, '_>, &Arguments<'_>) -> Answer,
    ) -> Self {
        Self { name, arguments, answer: Answers::Live(answer) }
    }

    const fn jobs(
        name: &'static str,
        arguments: &'static [&'static str],
        answer: fn(&mut Jobs, &Arguments<'_>) -> Answer,
    ) -> Self {
        Self { name, arguments, answer: Answers::Jobs(answer) }
    }

    const fn captures(name: &'static str, answer: fn(&mut Jobs, &Engine, &Arguments<'_>) -> Answer) -> Self {
        Self { name, arguments: CAPTURE, answer: Answers::Captures(answer) }
    }

    /// Whether a run has the command.
    fn is_of(&self, run: &Run<'_, '_>) -> bool {
        match self.answer {
            Answers::All(_) => true,
            Answers::Live(_) => matches!(run, Run::Live(_)),
            Answers::Jobs(_) | Answers::Captures(_) => matches!(run, Run::Jobs(_)),
        }
    }
}

/// Arguments of commands about a value of a set.
const VALUE: &[&str] = &["setname", "settype", "datavalue"];

/// Arguments of the one about a value with an object.
const OBJECT: &[&str] = &["setname", "settype", "datavalue", "datajson"];

/// Arguments of commands that hand captures in.
const CAPTURE: &[&str] = &[
    "filename",
    "output-dir?",
    "tenant:int?",
    "continuous:bool?",
    "delete-when-done:bool?",
    "delay:int?",
    "poll-interval:int?",
];

/// Arguments of commands about what leads to tenants.
const HANDLER: &[&str] = &["id:int", "htype", "hargs:int?"];

const COMMANDS: &[Command] = &[
    Command::all("shutdown", &[], program::shutdown),
    Command::all("command-list", &[], program::list),
    Command::all("help", &[], program::list),
    Command::all("version", &[], program::version),
    Command::all("uptime", &[], program::uptime),
    Command::all("running-mode", &[], program::running_mode),
    Command::all("capture-mode", &[], program::capture_mode),
    Command::all("conf-get", &["variable"], program::setting),
    Command::all("dump-counters", &[], program::all_counters),
    Command::all("reopen-log-files", &[], program::reopen),
    Command::all("reload-rules", &[], rules::reload),
    Command::all("ruleset-reload-rules", &[], rules::reload),
    Command::all("ruleset-reload-nonblocking", &[], rules::begin_reload),
    Command::all("ruleset-reload-time", &[], rules::load_time),
    Command::all("ruleset-stats", &[], rules::rule_counts),
    Command::all("ruleset-failed-rules", &[], rules::failed_rules),
    Command::all("ruleset-profile", &[], profiles::rules),
    Command::all("ruleset-profile-start", &[], profiles::start),
    Command::all("ruleset-profile-stop", &[], profiles::stop),
    Command::live("top", &[], top::top),
    Command::all("slow-packets", &[], profiles::slow),
    Command::all("register-tenant-handler", HANDLER, tenants::map),
    Command::all("unregister-tenant-handler", HANDLER, tenants::unmap),
    Command::all("register-tenant", &["id:int", "filename"], tenants::register),
    Command::all("reload-tenant", &["id:int", "filename?"], tenants::reload),
    Command::all("reload-tenants", &[], tenants::reload_all),
    Command::all("unregister-tenant", &["id:int"], tenants::unregister),
    Command::all("memcap-set", &["config", "memcap"], memcaps::set_memcap),
    Command::all("memcap-show", &["config"], memcaps::memcap),
    Command::all("memcap-list", &[], memcaps::memcaps),
    Command::all("dataset-add", VALUE, data::add_data),
    Command::all("dataset-add-json", OBJECT, data::add_object),
    Command::all("dataset-remove", VALUE, data::remove_data),
    Command::all("dataset-lookup", VALUE, data::find_data),
    Command::all("dataset-clear", &["setname", "settype"], data::clear_data),
    Command::all("dataset-dump", &[], data::save_data),
    Command::all("add-hostbit", &["ipaddress", "hostbit", "expire:int"], hosts::add_host_bit),
    Command::all("remove-hostbit", &["ipaddress", "hostbit"], hosts::remove_host_bit),
    Command::all("list-hostbit", &["ipaddress"], hosts::host_bits),
    Command::all("get-flow-stats-by-id", &["flow_id:int"], flows::counts),
    Command::live("iface-stat", &["iface"], interfaces::interface_counts),
    Command::live("iface-list", &[], interfaces::interfaces),
    Command::live("iface-bypassed-stat", &[], interfaces::bypassed),
    Command::live("ebpf-bypassed-stat", &[], interfaces::bypassed),
    Command::captures("pcap-file", captures::add),
    Command::captures("pcap-file-continuous", captures::follow),
    Command::jobs("pcap-file-number", &[], captures::number),
    Command::jobs("pcap-file-list", &[], captures::list),
    Command::jobs("pcap-last-processed", &[], captures::last_change),
    Command::jobs("pcap-interrupt", &[], captures::interrupt),
    Command::jobs("pcap-current", &[], captures::current),
];

/// Returns the arguments of a command by their names: those that end in `:int` and `:bool` are integers and booleans,
/// others texts, and those with `?` behind may be left out. None where there is no such command.
pub fn arguments_of(command: &str) -> Option<&'static [&'static str]> {
    COMMANDS.iter().find(|known| known.name == command).map(|known| known.arguments)
}

/// Answers a request.
pub(crate) fn answer(request: &Request, context: &mut Context<'_, '_>) -> Reply {
    let own = COMMANDS.iter().filter(|command| command.is_of(&context.run));
    let Some(command) = own.into_iter().find(|command| command.name == request.command) else {
        return Reply::Answer(Err("Unknown command".into()));
    };
    if !command.arguments.is_empty() && request.arguments.is_none() {
        return Reply::HangUp;
    }
    let arguments = match Arguments::read(command.arguments, request.arguments.as_ref()) {
        Ok(arguments) => arguments,
        Err(sentence) => return Reply::Answer(Err(sentence.into())),
    };
    Reply::Answer(match (command.answer, &mut context.run) {
        (Answers::All(answer), _) => answer(context, &arguments),
        (Answers::Live(answer), Run::Live(live)) => answer(live, &arguments),
        (Answers::Jobs(answer), Run::Jobs(jobs)) => answer(jobs, &arguments),
        (Answers::Captures(answer), Run::Jobs(jobs)) => answer(jobs, context.engine, &arguments),
        _ => Err("Unknown command".into()),
    })
}
