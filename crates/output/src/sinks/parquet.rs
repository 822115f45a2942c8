//! Records as tables of Apache Parquet, an hour of the capture's clock a file (`parquet` of cargo's features).

use std::io;
use std::path::PathBuf;

use weir_applayer::ZeekType;
use weir_config::ParquetSettings;

use super::Sink;
use crate::outlet::Existing;

/// Whether this program was built with it.
pub const HAS_PARQUET: bool = cfg!(feature = "parquet");

/// Tables that an outlet's records go to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParquetTables {
    /// How they are kept; the folder is a full path.
    pub settings: ParquetSettings,
    /// The only table, with its columns; without one, records are EVE and say their tables.
    pub log: Option<ParquetLog>,
    /// Treatment of files that earlier runs left.
    pub existing: Existing,
}

/// A log of Zeek as a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParquetLog {
    /// Its name.
    pub name: String,
    /// Names and types of its columns.
    pub columns: Vec<(String, ZeekType)>,
}

impl ParquetTables {
    /// Returns the folder of the table or tables.
    pub fn place(&self) -> PathBuf {
        match &self.log {
            Some(log) => self.settings.folder.join("zeek").join(&log.name),
            None => self.settings.folder.join("eve"),
        }
    }
}

/// Opens the tables.
#[cfg(not(feature = "parquet"))]
pub(super) fn open(_: ParquetTables) -> io::Result<Box<dyn Sink>> {
    Err(io::Error::new(io::ErrorKind::Unsupported, "this program was built without Parquet"))
}

/// Opens the tables.
#[cfg(feature = "parquet")]
pub(super) fn open(tables: ParquetTables) -> io::Result<Box<dyn Sink>> {
    Ok(Box::new(with_parquet::ParquetSink::open(tables)?))
}

#[cfg(feature = "parquet")]
mod with_parquet {
    use std::error::Error;
    use std::{fs, io};

    use weir_applayer::ZeekType;
    use weir_base::Timestamp;
    use weir_columns::file::FileSettings;
    use weir_columns::{Declared, Failure, Kind, Tables, TablesSettings};

    use super::ParquetTables;
    use crate::outlet::Existing;
    use crate::sinks::{Sink, Unwritten};

    /// Makes rows of lines.
    pub(super) struct ParquetSink(Tables);

    impl ParquetSink {
        pub(super) fn open(tables: ParquetTables) -> io::Result<Self> {
            let ParquetTables { settings, log, existing } = tables;
            fs::create_dir_all(&settings.folder)?;
            let columns = |columns: Vec<(String, ZeekType)>| {
                columns.into_iter().map(|(name, kind)| (name, kind_of(&kind))).collect()
            };
            let tables = Tables::new(TablesSettings {
                folder: settings.folder,
                schema: if log.is_some() { "zeek" } else { "eve" },
                declared: log.map(|log| Declared { table: log.name, columns: columns(log.columns) }),
                files: FileSettings { roll: settings.roll, level: settings.level.into() },
            });
            // `append: no` begins a file anew; only who asks for it by hand loses the hours that are kept.
            if existing == Existing::Clear {
                tables.clear()?;
            }
            Ok(Self(tables))
        }
    }

    /// The type of a column, as `weir query` gives it to the same log.
    fn kind_of(kind: &ZeekType) -> Kind {
        match kind {
            ZeekType::Bool => Kind::Bool,
            ZeekType::Count | ZeekType::Int | ZeekType::Port => Kind::Int,
            ZeekType::Double | ZeekType::Interval => Kind::Float,
            ZeekType::Time => Kind::Time,
            ZeekType::String | ZeekType::Addr | ZeekType::Enum | ZeekType::Subnet => Kind::Text,
            ZeekType::Set(inner) | ZeekType::Vector(inner) => Kind::List(Box::new(kind_of(inner))),
        }
    }

    impl From<Failure> for Unwritten {
        fn from(failure: Failure) -> Self {
            Self { lost: Some(failure.lost), cause: of_system(failure.cause) }
        }
    }

    /// Returns the error of the system that others are wrapped around: what helps is told by it.
    fn of_system(cause: io::Error) -> io::Error {
        let mut next = cause.get_ref().map(|inner| inner as &(dyn Error + 'static));
        while let Some(error) = next {
            if let Some(code) = error.downcast_ref().and_then(io::Error::raw_os_error) {
                return io::Error::from_raw_os_error(code);
            }
            next = error.source();
        }
        cause
    }

    impl Sink for ParquetSink {
        fn write(&mut self, lines: &[u8]) -> Result<(), Unwritten> {
            Ok(self.0.lines(lines)?)
        }

        fn at(&mut self, clock: Timestamp) {
            self.0.at(clock.seconds());
        }

        /// Files have the time in their names: those at hand are ended, so that they can be read.
        fn reopen(&mut self) -> Result<(), Unwritten> {
            Ok(self.0.close()?)
        }

        fn set_aside(&mut self, _: Timestamp) -> Result<(), Unwritten> {
            Ok(self.0.close()?)
        }

        fn finish(&mut self) -> Result<(), Unwritten> {
            Ok(self.0.close()?)
        }
    }
}
