//! `weir ctl`: commands to a program that runs, by its control socket.

mod client;
mod table;

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use serde_json::{Map, Value};
use weir_engine::control::{DEFAULT_SOCKET, RUN_FOLDER, arguments_of};

pub use self::client::Client;
pub use self::table::safe;
use crate::information::print_text;

/// Give a command to a program that runs; without one, list the commands that it has
///
/// Arguments stand in order, or as NAME=VALUE:
///
///     weir ctl iface-stat eth0
///     weir ctl dataset-add setname=bad settype=string datavalue=YWJj
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub struct Arguments {
    /// The command
    command: Option<String>,

    /// Its arguments
    #[arg(value_name = "ARGUMENT")]
    arguments: Vec<String>,

    /// The control socket, where it is another than that of the default
    /// configuration: a path, or a name below /run/suricata
    #[arg(long, value_name = "PATH")]
    socket: Option<PathBuf>,

    /// Print the answer as JSON
    #[arg(long)]
    json: bool,
}

/// Asks, and prints the answer.
pub fn run(arguments: &Arguments) -> Result<ExitCode, String> {
    let path = socket_path(arguments.socket.as_deref());
    let command = arguments.command.as_deref().unwrap_or("command-list");
    let given = read_arguments(command, &arguments.arguments)?;
    let mut client = connect(&path)?;
    let answer = client
        .ask(command, given)
        .map_err(|error| format!("The program at {} does not answer {command}: {error}.", path.display()))?;
    let answer =
        answer.map_err(|message| format!("{command} is refused: {}", table::text(&message).trim_end()))?;
    match arguments.json {
        true => print_text(&format!("{answer}\n")),
        false if command == "command-list" || command == "help" => print_text(&command_lines(&answer)),
        false => print_text(&table::text(&answer)),
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the path of a socket that users name, or of the default one.
pub fn socket_path(name: Option<&Path>) -> PathBuf {
    let name = name.unwrap_or(Path::new(DEFAULT_SOCKET));
    match name.parent() {
        Some(folder) if folder != Path::new("") => name.to_owned(),
        _ => Path::new(RUN_FOLDER).join(name),
    }
}

/// Connects to the program at a socket; the error is a sentence.
pub fn connect(path: &Path) -> Result<Client, String> {
    Client::connect(path).map_err(|error| unreachable_socket(path, &error))
}

/// Says what helps where the socket cannot be used.
fn unreachable_socket(path: &Path, error: &std::io::Error) -> String {
    let path = path.display();
    match error.kind() {
        ErrorKind::NotFound | ErrorKind::ConnectionRefused => format!(
            "Nobody listens at the control socket {path}. It is there while weir listens on interfaces, unless \
             unix-command.enabled is no, and with --unix-socket. Where unix-command.filename names another one, name it \
             with --socket."
        ),
        ErrorKind::PermissionDenied => format!(
            "This user may not use the control socket {path}: it is for the user and the group that the program runs as."
        ),
        _ => format!("The control socket {path} cannot be used: {error}."),
    }
}

/// An argument that a command takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Parameter {
    name: &'static str,
    kind: Kind,
    may_miss: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Text,
    Integer,
    Flag,
}

impl Parameter {
    /// Reads a parameter of the table of commands.
    fn of(text: &'static str) -> Self {
        let (text, may_miss) = text.strip_suffix('?').map_or((text, false), |text| (text, true));
        let (name, kind) = match text.rsplit_once(':') {
            Some((name, "int")) => (name, Kind::Integer),
            Some((name, "bool")) => (name, Kind::Flag),
            _ => (text, Kind::Text),
        };
        Self { name, kind, may_miss }
    }

    fn value(self, command: &str, text: &str) -> Result<Value, String> {
        let name = self.name;
        match self.kind {
            Kind::Text => Ok(text.into()),
            Kind::Integer => text
                .parse::<i64>()
                .map(Value::from)
                .map_err(|_| format!("{name} of {command} is a whole number, not {text}.")),
            Kind::Flag => match text {
                "yes" | "true" => Ok(true.into()),
                "no" | "false" => Ok(false.into()),
                _ => Err(format!("{name} of {command} is yes or no, not {text}.")),
            },
        }
    }
}

/// A command with its arguments, those in brackets that may be left out.
fn usage(command: &str, parameters: &[Parameter]) -> String {
    let words = parameters.iter().map(|parameter| {
        let name = parameter.name;
        if parameter.may_miss { format!(" [{name}]") } else { format!(" {name}") }
    });
    format!("{command}{}", words.collect::<String>())
}

/// Reads arguments as the command takes them. Those of an unknown command are texts with names: it may be one of another
/// release.
fn read_arguments(command: &str, words: &[String]) -> Result<Map<String, Value>, String> {
    let mut given = Map::new();
    let Some(parameters) = arguments_of(command) else {
        for word in words {
            let pair = word.split_once('=').ok_or_else(|| {
                format!("weir knows no command {command}: give its arguments as NAME=VALUE. `weir ctl` lists the commands.")
            })?;
            given.insert(pair.0.to_owned(), pair.1.into());
        }
        return Ok(given);
    };
    let parameters: Vec<Parameter> = parameters.iter().map(|text| Parameter::of(text)).collect();
    let mut in_order = parameters.iter();
    for word in words {
        let named = word.split_once('=').and_then(|(name, text)| {
            let known = parameters.iter().find(|parameter| parameter.name == name)?;
            Some((known, text))
        });
        let next =
            || in_order.find(|parameter| !given.contains_key(parameter.name)).map(|known| (known, &**word));
        let (parameter, text) = named.or_else(next).ok_or_else(|| {
            format!("{word} is too much: it is `weir ctl {}`.", usage(command, &parameters))
        })?;
        given.insert(parameter.name.to_owned(), parameter.value(command, text)?);
    }
    match parameters.iter().find(|parameter| !parameter.may_miss && !given.contains_key(parameter.name)) {
        Some(missing) => {
            Err(format!("{} is missing: it is `weir ctl {}`.", missing.name, usage(command, &parameters)))
        }
        None => Ok(given),
    }
}

/// The commands that a program has, each with its arguments.
fn command_lines(answer: &Value) -> String {
    let Some(names) = answer.get("commands").and_then(Value::as_array) else { return table::text(answer) };
    let lines = names.iter().filter_map(Value::as_str).map(|name| {
        let parameters: Vec<Parameter> =
            arguments_of(name).unwrap_or_default().iter().map(|text| Parameter::of(text)).collect();
        table::safe(&usage(name, &parameters)) + "\n"
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn arguments_are_those_of_the_table() {
        for (line, expected) in [
            ("uptime", Ok(json!({}))),
            ("iface-stat eth0", Ok(json!({"iface": "eth0"}))),
            ("iface-stat iface=eth0", Ok(json!({"iface": "eth0"}))),
            ("conf-get a=b", Ok(json!({"variable": "a=b"}))),
            (
                "dataset-add settype=string bad YWJj=",
                Ok(json!({"settype": "string", "setname": "bad", "datavalue": "YWJj="})),
            ),
            ("get-flow-stats-by-id 7", Ok(json!({"flow_id": 7}))),
            (
                "pcap-file a.pcap out continuous=yes",
                Ok(json!({"filename": "a.pcap", "output-dir": "out", "continuous": true})),
            ),
            ("of-another-release a=5", Ok(json!({"a": "5"}))),
            ("of-another-release 5", Err("NAME=VALUE")),
            ("get-flow-stats-by-id x", Err("flow_id of get-flow-stats-by-id is a whole number, not x.")),
            ("pcap-file a continuous=maybe", Err("yes or no")),
            ("uptime now", Err("now is too much: it is `weir ctl uptime`.")),
            (
                "add-hostbit 10.0.0.1 bad",
                Err("expire is missing: it is `weir ctl add-hostbit ipaddress hostbit expire`."),
            ),
        ] {
            let mut words = line.split(' ').map(str::to_owned);
            let command = words.next().expect("a command");
            match (read_arguments(&command, &words.collect::<Vec<_>>()), expected) {
                (Ok(given), Ok(expected)) => assert_eq!(Value::Object(given), expected, "{line}"),
                (Err(sentence), Err(words)) => assert!(sentence.contains(words), "{line}: {sentence}"),
                (found, _) => panic!("{line}: {found:?}"),
            }
        }
    }
}
