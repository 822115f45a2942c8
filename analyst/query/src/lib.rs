//! Questions in SQL over the records that Weir, Suricata and Zeek write: EVE, Zeek's logs as separated values or JSON, and
//! Parquet, as they lie in a folder.
//!
//! Tables are named as records are (`dns`, `alert`, `conn`), columns as users of the logs know them (`http.hostname`,
//! `id.orig_h`). Files are read when they are asked for, and only what is asked for.

mod archive;
mod batches;
mod blocks;
mod catalog;
mod chart;
mod columns;
mod eve;
mod files;
mod functions;
mod kinds;
mod names;
mod output;
mod parquet_files;
mod questions;
mod remarks;
mod schema;
mod search;
mod session;
mod table;
mod wanted;
mod zeek;

pub use archive::{ArchiveSettings, Archived, archive};
pub use batches::Batches;
pub use catalog::Listed as ListedTable;
pub use chart::chart;
pub use files::TableName;
pub use functions::{FUNCTIONS, Listed as ListedFunction};
pub use output::{Form, Printed, print};
pub use questions::{QUESTIONS, Question};
pub use search::Search;
pub use session::{Answer, Column, QueryError, Session, Settings};
pub use weir_columns::file::FileSettings;
pub use weir_columns::times::parse as parse_time;
