//! The output `lua`: scripts that are called for transactions, alerts, flows and files.
//!
//! Scripts are shared by all workers, which take their turn before they call one: what scripts write is the same for
//! any number of workers.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use weir_applayer::Protocol;
use weir_base::Turn;
use weir_config::Settings;
use weir_config::outputs::OutputsSettings;
use weir_lua::{OutputKind, OutputScript, OutputView, Say};
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
            for name in section.list("scripts") {
                let log_folder = log_folder.to_string_lossy().into_owned();
                match OutputScript::open(&folder.join(name), protocols, log_folder, say.clone()) {
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
        }])
    }

    fn wants_protocol(&self, protocol: &'static Protocol) -> bool {
        match self.script.kind() {
            OutputKind::Transactions(name) => protocol.eve.is_some_and(|log| log.event_type == name),
            _ => false,
        }
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
            Record::FlowEnd(_) => {}
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
