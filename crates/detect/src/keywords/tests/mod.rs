//! Every keyword: what it compiles to, what it matches and just does not, and what is refused.

mod buffers;
mod limits;
pub(crate) mod packets;
mod rules;
mod state;
mod words;

use weir_applayer::{Access, AnyPort, Field, FieldDirection, Progress, Protocol, TxMeta, bytes};
use weir_base::PerDirection;
use weir_rules::side::{Classifications, References};
use weir_rules::{Resolver, VariableMap, parse_rule};

use crate::FieldCatalogue;
use crate::compile::{Compiled, Environment, Failure, WhenAsked, compile};
use crate::inspect::inspect;
use crate::model::buffer::{Buffer, BufferScratch, Check};
use crate::model::signature::Signature;

/// A transaction of the protocol below.
#[derive(Default)]
struct Exchange {
    meta: TxMeta,
    uri: Vec<u8>,
}

weir_applayer::transaction!(Exchange);

const fn field(name: &'static str, direction: FieldDirection, access: Access) -> Field {
    Field::new(name, direction, Progress(1), access)
}

pub(crate) static HTTP: Protocol = Protocol {
    aliases: &["http"],
    eve_name: "http",
    ports: &[80],
    any_port: AnyPort::OneSide,
    states: PerDirection {
        to_server: &["started", "complete"],
        to_client: &["waiting", "answered", "answer_complete"],
    },
    frames: &["request", "response", "http1.head"],
    fields: &[
        field("http.uri", FieldDirection::ToServer, bytes!(Exchange, |tx, _| Some(tx.uri.as_slice()))),
        field("http.uri.raw", FieldDirection::ToServer, bytes!(Exchange, |tx, _| Some(tx.uri.as_slice()))),
        field("http.method", FieldDirection::ToServer, bytes!(Exchange, |tx, _| Some(tx.uri.as_slice()))),
        field("http.header.raw", FieldDirection::Both, bytes!(Exchange, |tx, _| Some(tx.uri.as_slice()))),
        Field::new(
            "http.host",
            FieldDirection::ToServer,
            Progress(0),
            bytes!(Exchange, |tx, _| Some(tx.uri.as_slice())),
        ),
        field("file.name", FieldDirection::Both, Access::FileName),
        field("file.data", FieldDirection::Both, Access::FileData),
    ],
    anomalies: &["first", "second"],
    ..Protocol::named("http1", |_| unreachable!("no parser is opened here"))
};

pub(crate) fn environment() -> Environment {
    let (classifications, _) = Classifications::parse(
        "config classification: bad,Something bad,1\nconfig classification: odd,Something odd,4\n",
        "classification.config",
    );
    let (references, _) =
        References::parse("config reference: cve https://cve.example/\n", "reference.config");
    Environment {
        classifications,
        references,
        countries: WhenAsked::new(Box::new(|| {
            Ok(std::sync::Arc::new(crate::state::countries::tests::upper_half_in("DE")))
        })),
        ..Environment::bare(FieldCatalogue::new(&[&HTTP]))
    }
}

pub(crate) fn compile_in(
    environment: &Environment,
    header: &str,
    options: &str,
) -> Result<Compiled, Failure> {
    let text = format!("alert {header} ({options} sid:1;)");
    let (rule, _) = parse_rule(&text, "test.rules", 1).unwrap_or_else(|error| panic!("{text}: {error}"));
    let variables = VariableMap::default();
    compile(&rule, environment, &mut Resolver::new(&variables))
}

pub(crate) fn compiled(options: &str) -> Result<Compiled, Failure> {
    compile_in(&environment(), "ip any any -> any any", options)
}

pub(crate) fn signature(options: &str) -> Signature {
    compiled(options).unwrap_or_else(|f| panic!("{options}: {}", f.diagnostic)).signature
}

/// Compiles a rule with another action.
fn acting(action: &str, options: &str) -> Signature {
    let text = format!("{action} ip any any -> any any ({options} sid:1;)");
    let (rule, _) = parse_rule(&text, "test.rules", 1).unwrap_or_else(|error| panic!("{text}: {error}"));
    let variables = VariableMap::default();
    let compiled = compile(&rule, &environment(), &mut Resolver::new(&variables));
    compiled.unwrap_or_else(|f| panic!("{text}: {}", f.diagnostic)).signature
}

/// Whether checks hold in a text.
fn holds_in(checks: &[Check], text: &[u8]) -> bool {
    let mut scratch = BufferScratch { steps: 3000, ..Default::default() };
    inspect(checks, &Buffer::whole(text), &mut scratch)
}
