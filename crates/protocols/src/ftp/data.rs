//! The connections for data that control connections agree on: listings, and files.
//!
//! A flow is one transaction. Which command it is for, and the file's name, the control connection said.

use std::sync::Arc;

use weir_applayer::{
    Access, Early, EveLog, Factory, Field, File, FileState, LogDirection, Options, Outcome, ParseContext,
    Parser, Progress, Protocol, TransactionList, TxMeta, eve, factory,
};
use weir_base::{Direction, JsonWriter};

use super::checks;
use super::command::Command;
use super::transaction::COMPLETE;

/// The protocol.
pub static FTP_DATA: Protocol = Protocol {
    accepts_gaps: true,
    fields: FIELDS,
    review: weir_applayer::Review::Own,
    eve: Some(&EVE),
    zeek: Some(&super::zeek::DATA_LOGS),
    ..Protocol::named("ftp-data", configure)
};

/// Name of a file that the server names (`STOU`).
const UNIQUE: &[u8] = b"<stou>";

/// The rows.
const FIELDS: &[Field] = &[
    Field::both("file.data", Progress(0), Access::FileData)
        .aliases(&["file_data"])
        .doc("The content of files."),
    Field::both("file.name", Progress(0), Access::FileName)
        .aliases(&["file_name"])
        .doc("The names of files."),
    Field::both("ftpdata_command", Progress(0), Access::Check(checks::data_command))
        .doc("The command that a connection for data is for: `retr`, `stor`, `nlst`."),
];

/// Transfer over one connection.
#[derive(Debug, Default)]
pub struct DataTransaction {
    /// Metadata common to all transactions.
    pub meta: TxMeta,
    /// The command that it is for.
    pub command: Option<Command>,
    /// The file's name, where there is one.
    pub name: Option<Vec<u8>>,
    /// A list, which only Zeek takes for a file.
    pub list: Option<File>,
}

impl DataTransaction {
    /// Returns the file that is sent.
    pub fn file(&self) -> Option<&File> {
        self.meta.files.first().or(self.list.as_ref())
    }

    /// Forks it for Zeek's logs alone.
    fn fork(&mut self) -> Self {
        let mut meta = self.meta.fork();
        meta.files = self.meta.files.iter_mut().map(File::fork).collect();
        let list = self.list.as_mut().map(File::fork);
        Self { meta, command: self.command, name: self.name.clone(), list }
    }

    /// Returns the file that this side sends, to add to it.
    fn file_from(&mut self, direction: Direction) -> Option<&mut File> {
        let file = self.meta.files.first_mut().or(self.list.as_mut());
        file.filter(|file| file.direction == direction)
    }
}

weir_applayer::transaction!(DataTransaction);

fn configure(_: &dyn Options) -> Box<dyn Factory> {
    factory(|_| Box::new(DataParser { command: None, name: None, transactions: TransactionList::default() }))
}

#[derive(Debug)]
struct DataParser {
    command: Option<Command>,
    name: Option<Vec<u8>>,
    transactions: TransactionList<DataTransaction>,
}

impl DataParser {
    /// The transaction, which the first bytes make.
    fn transaction(&mut self, cx: &ParseContext<'_>, direction: Direction) -> Option<&mut DataTransaction> {
        if self.transactions.created() == 0 {
            let mut meta = TxMeta::default();
            let mut list = None;
            if cx.files.enabled {
                let name = self.name.clone().unwrap_or_default();
                let mut file = File::open_for_all(0, name, direction, cx.arrival(0), cx.files);
                // Zeek shows no name of it.
                file.name_is_path = true;
                match self.name {
                    Some(_) => meta.files.push(file),
                    None => {
                        file.stop_gathering();
                        list = Some(file);
                    }
                }
            }
            meta.advance(direction.opposite(), COMPLETE);
            let (command, name) = (self.command, self.name.take());
            self.transactions.push(DataTransaction { meta, command, name, list });
        }
        self.transactions.last_mut()
    }
}

impl Parser for DataParser {
    fn announced(&mut self, tag: &Arc<[u8]>) {
        let Some((command, argument)) = Command::read(tag) else { return };
        self.command = Some(command);
        self.name = match (command.sends_file(), argument.is_empty()) {
            (true, false) => Some(argument.to_vec()),
            (true, true) if command.name() == "STOU" => Some(UNIQUE.to_vec()),
            _ => None,
        };
    }

    fn data(&mut self, cx: &mut ParseContext<'_>, direction: Direction, bytes: &[u8]) -> Outcome {
        let (first, last) = (cx.arrival(0), cx.arrival(bytes.len().saturating_sub(1)));
        if let Some(tx) = self.transaction(cx, direction) {
            tx.meta.seen(direction, first);
            tx.meta.seen(direction, last);
            if let Some(file) = tx.file_from(direction) {
                file.append_arrived(bytes, cx);
            }
        }
        Outcome::Ok
    }

    fn gap(&mut self, cx: &mut ParseContext<'_>, direction: Direction, length: u64) -> Outcome {
        if let Some(tx) = self.transaction(cx, direction) {
            tx.meta.updated[direction] = true;
            if let Some(file) = tx.file_from(direction) {
                file.gap(length);
            }
        }
        Outcome::Ok
    }

    fn close(&mut self, _: &mut ParseContext<'_>, direction: Direction) {
        if let Some(tx) = self.transactions.last_mut() {
            tx.meta.advance(direction, COMPLETE);
            if let Some(file) = tx.file_from(direction) {
                file.close(if file.has_gap { FileState::Truncated } else { FileState::Closed });
            }
        }
    }

    fn fork(&mut self, _: Direction, early: Early) -> Option<Box<dyn Parser>> {
        // What comes late counts as missing for all.
        if early != Early::Depth {
            return None;
        }
        let transactions = self.transactions.fork(DataTransaction::fork);
        Some(Box::new(Self { command: self.command, name: self.name.clone(), transactions }))
    }

    weir_applayer::parser_transactions!(&FTP_DATA);

    fn is_one_transaction(&self) -> bool {
        true
    }
}

static EVE: EveLog = EveLog {
    other_entries: &["ftp_data", "ftp"],
    ..EveLog::new("ftp_data", LogDirection::Flow, |_| eve::writer(write))
};

fn write(tx: &DataTransaction, json: &mut JsonWriter<'_>) -> bool {
    json.optional_string("filename", tx.name.as_ref());
    if let Some(command) = tx.command {
        json.string("command", command.name());
    }
    true
}
