//! The output `lua`: scripts that are called for transactions, packets, alerts, streams, flows, files and counters.
//!
//! Scripts are shared by all workers, which take their turn before they call one: what scripts write is the same for
//! any number of workers.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use weir_applayer::{Access, Protocol};
use weir_base::Turn;
use weir_config::Settings;
use weir_config::outputs::OutputsSettings;
use weir_lua::{OutputKind, OutputPiece, OutputScript, OutputView, Say};
use weir_output::{Format, Outlets, Record, RecordContext, RecordKind, RecordKinds};

/// The scripts of all outputs.
#[derive(Clone, Default)]
pub(crate) struct ScriptOutputs {
    scripts: Vec<Arc<OutputScript>>,
}

impl ScriptOutputs {
    /// Opens the scripts that the configuration names; those that cannot be used are reported.
    pub(crate) fn open(
        settings: &Settings,
        protocols: &'static [&'static Protocol],
        log_folder: &Path,
        say: &Say,
    ) -> Self {
        let mut scripts = Vec::new();
        let entries = OutputsSettings::from_settings(settings).outputs;
        for entry in entries.iter().filter(|entry| entry.enabled && entry.kind == "lua") {
            let section = entry.section(settings);
            let folder = PathBuf::from(section.text("scripts-dir").unwrap_or_default());
            let modules = section.text("path").unwrap_or_default();
            for name in section.list("scripts") {
                let path = folder.join(name);
                let log_folder = log_folder.to_string_lossy().into_owned();
                let opened = OutputScript::open(&path, modules, protocols, log_folder, say.clone());
                match opened.and_then(|script| is_of(protocols, script, &path)) {
                    Ok(script) => scripts.push(Arc::new(script)),
                    Err(message) => (say.0)("error", &message),
                }
            }
        }
        Self { scripts }
    }

    /// Whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.scripts.is_empty()
    }

    /// The scripts for a worker that waits for its `turn`.
    pub(crate) fn formats(&self, turn: &Turn) -> impl Iterator<Item = Box<dyn Format>> + '_ {
        let turn = turn.clone();
        self.scripts.iter().map(move |script| -> Box<dyn Format> {
            Box::new(ScriptFormat { script: Arc::clone(script), turn: turn.clone() })
        })
    }

    /// Ends the scripts.
    pub(crate) fn close(&self) {
        for script in &self.scripts {
            script.close();
        }
    }
}

/// A script, unless it asks for a protocol that has no records.
fn is_of(
    protocols: &'static [&'static Protocol],
    script: OutputScript,
    path: &Path,
) -> Result<OutputScript, String> {
    let (name, has_it): (_, fn(&Protocol) -> bool) = match script.kind() {
        OutputKind::Transactions(name) => (name, |_| true),
        OutputKind::Bodies(name) => (name, has_bodies),
        _ => return Ok(script),
    };
    if protocols.iter().any(|protocol| is_named(protocol, name) && has_it(protocol)) {
        return Ok(script);
    }
    let why = match script.kind() {
        OutputKind::Bodies(_) => format!("unsupported streaming argument: {name}"),
        _ => format!("unknown key and/or value: k='protocol', v='{name}'"),
    };
    Err(format!("The script {} cannot be used: {why}.", path.display()))
}

fn has_bodies(protocol: &Protocol) -> bool {
    protocol.fields.iter().any(|field| matches!(field.access, Access::Body(_)))
}

/// Whether records name a protocol so.
fn is_named(protocol: &Protocol, name: &str) -> bool {
    protocol.eve.is_some_and(|log| log.event_type == name)
}

/// One script.
struct ScriptFormat {
    script: Arc<OutputScript>,
    turn: Turn,
}

impl Format for ScriptFormat {
    fn wants(&self) -> RecordKinds {
        RecordKinds::of(&[match self.script.kind() {
            OutputKind::Transactions(_) => RecordKind::Transaction,
            OutputKind::Alerts => RecordKind::Alert,
            OutputKind::Flows => RecordKind::FlowEnd,
            OutputKind::Files => RecordKind::File,
            OutputKind::Packets => RecordKind::Packet,
            OutputKind::Streams => RecordKind::StreamData,
            OutputKind::Bodies(_) => RecordKind::BodyData,
            OutputKind::Counters => RecordKind::Stats,
        }])
    }

    fn wants_protocol(&self, protocol: &'static Protocol) -> bool {
        match self.script.kind() {
            OutputKind::Transactions(name) | OutputKind::Bodies(name) => is_named(protocol, name),
            _ => false,
        }
    }

    fn part(&self, _: &'static str) -> &'static str {
        "lua"
    }

    fn record(&mut self, cx: &RecordContext<'_>, record: &Record<'_>, _: &mut Outlets) {
        let mut view = seen(cx);
        match record {
            Record::Transaction(record) if self.wants_protocol(record.protocol) => {
                view.transaction = Some((record.protocol, record.transaction));
            }
            Record::Alert(record) => {
                view.rule = Some(record.rule);
                let parser = cx.flow.and_then(|flow| flow.parser);
                let transaction = record.alert.transaction.and_then(|id| cx.transaction(id));
                view.transaction = parser.map(|parser| parser.protocol()).zip(transaction);
            }
            Record::File(record) => {
                view.transaction = Some((record.protocol, record.transaction));
                view.file = Some((record.file, record.transaction.meta().id));
            }
            Record::Data(record) => {
                let parser = cx.flow.and_then(|flow| flow.parser);
                let protocol = parser.map(|parser| parser.protocol());
                if record.transaction.is_some()
                    && !protocol.is_some_and(|protocol| self.wants_protocol(protocol))
                {
                    return;
                }
                view.transaction = protocol.zip(record.transaction.and_then(|id| cx.transaction(id)));
                view.piece = Some(OutputPiece {
                    bytes: record.bytes,
                    direction: record.direction,
                    opens: record.place.is_first(),
                    closes: record.place.is_last(),
                });
            }
            Record::Stats(record) => {
                let counters = record.totals.iter();
                view.counters = counters.map(|c| (c.name.as_str(), c.value, c.previous)).collect();
                // Counters stand outside of the order of the capture: no worker waits for them.
                return self.script.log(view);
            }
            Record::FlowEnd(_) | Record::Packet => {}
            _ => return,
        }
        self.turn.wait();
        self.script.log(view);
    }
}

/// Returns the surroundings of a record, as scripts see them.
fn seen<'a>(cx: &RecordContext<'a>) -> OutputView<'a> {
    let app = cx.flow.map(|flow| flow.app).unwrap_or_default();
    let names = [app.protocol, app.to_server, app.to_client, app.original, app.expected];
    OutputView {
        packet: cx.packet,
        flow: cx.flow.map(|flow| flow.core),
        app: names.map(|name| name.unwrap_or("unknown")),
        state: cx.flow.and_then(|flow| flow.detect),
        names: cx.names,
        ..OutputView::default()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Mutex, PoisonError};

    use super::*;

    #[test]
    fn scripts_that_ask_for_what_is_not_there() {
        let folder = weir_testkit::TestFolder::new("script-output");
        let said = Arc::new(Mutex::new(Vec::new()));
        let heard = Arc::clone(&said);
        let say = Say(Arc::new(move |_, text| {
            heard.lock().unwrap_or_else(PoisonError::into_inner).push(text.to_owned());
        }));
        for (needs, expected) in [
            ("protocol = 'http'", None),
            ("streaming = 'http'", None),
            ("protocol = 'none'", Some("unknown key and/or value: k='protocol', v='none'")),
            ("streaming = 'dns'", Some("unsupported streaming argument: dns")),
        ] {
            let text = format!("function init() return {{{needs}}} end function log() end");
            std::fs::write(folder.join("test.lua"), text).unwrap();
            let settings = [
                "outputs.0.lua.enabled=yes".to_owned(),
                format!("outputs.0.lua.scripts-dir={}", folder.display()),
                "outputs.0.lua.scripts.0=test.lua".to_owned(),
            ];
            let settings = Settings::from_text(b"", "test", &settings).unwrap();
            let opened = ScriptOutputs::open(&settings, weir_protocols::ALL, &folder, &say);
            assert_eq!(opened.is_empty(), expected.is_some(), "{needs}");
            let message = said.lock().unwrap().pop();
            match (message, expected) {
                (Some(message), Some(expected)) => assert!(message.contains(expected), "{message}"),
                (message, expected) => assert_eq!((message, expected), (None, None), "{needs}"),
            }
        }
    }
}
