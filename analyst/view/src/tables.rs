//! The tables of the records, and what their columns mean.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use arrow::datatypes::DataType;
use datafusion::common::Column as ColumnName;
use datafusion::dataframe::DataFrame;
use datafusion::logical_expr::{Expr, cast, lit};
use datafusion::scalar::ScalarValue;
use weir_query::{Column, Search, Session, TableName};

use crate::answer::Problem;
use crate::records::moments;

/// A table with its columns.
#[derive(Clone, Debug)]
pub struct Table {
    /// Its name.
    pub name: TableName,
    /// Its rows.
    pub rows: u64,
    /// Its columns.
    pub columns: Vec<Column>,
}

/// A part of time, in microseconds since 1970; the end is not of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// Where it begins.
    pub from: Option<i64>,
    /// Where it ends.
    pub to: Option<i64>,
}

impl Span {
    /// All of time.
    pub const fn is_all(self) -> bool {
        self.from.is_none() && self.to.is_none()
    }
}

/// A column, whatever letters its name has.
pub fn column(name: &str) -> Expr {
    Expr::Column(ColumnName::from_name(name))
}

/// A moment.
pub fn moment(micros: i64) -> Expr {
    Expr::Literal(ScalarValue::TimestampMicrosecond(Some(micros), Some("UTC".into())), None)
}

/// Microseconds since 1970 of a moment.
pub fn micros(of: Expr) -> Expr {
    cast(cast(of, moments()), DataType::Int64)
}

impl Table {
    /// Its name with its schema.
    pub fn full_name(&self) -> String {
        format!("{}.{}", self.name.schema, self.name.table)
    }

    /// Whether it has a column.
    pub fn has(&self, name: &str) -> bool {
        self.columns.iter().any(|column| column.name == name)
    }

    /// Whether it has all of these columns.
    pub fn has_all(&self, names: &[&str]) -> bool {
        names.iter().all(|name| self.has(name))
    }

    fn is(&self, name: &str, kind: &str) -> bool {
        self.columns.iter().any(|column| column.name == name && column.kind == kind)
    }

    /// The column that says when a record was made.
    pub fn time(&self) -> Option<&str> {
        ["timestamp", "ts"].into_iter().find(|name| self.is(name, "time"))
    }

    /// The column that says when what a record tells of began.
    pub fn begin(&self) -> Option<&str> {
        if self.is("flow.start", "time") { Some("flow.start") } else { self.time() }
    }

    /// The columns of the addresses: client and server, or sender and recipient.
    pub fn ends(&self) -> Option<[&'static str; 4]> {
        [["src_ip", "src_port", "dest_ip", "dest_port"], ["id.orig_h", "id.orig_p", "id.resp_h", "id.resp_p"]]
            .into_iter()
            .find(|[from, _, to, _]| self.has(from) && self.has(to))
    }
}

/// All tables of a session.
pub struct Tables {
    /// The records.
    pub session: Session,
    listed: Vec<(TableName, u64)>,
    known: Mutex<HashMap<TableName, Arc<Table>>>,
}

impl Tables {
    /// The tables of a session.
    pub fn new(session: Session) -> Self {
        let listed = session.tables().into_iter().map(|listed| (listed.name, listed.rows)).collect();
        Self { session, listed, known: Mutex::default() }
    }

    /// Names and rows of all tables.
    pub fn listed(&self) -> &[(TableName, u64)] {
        &self.listed
    }

    /// Returns a table of this name, if there is one.
    pub async fn table(&self, name: &TableName) -> Result<Option<Arc<Table>>, Problem> {
        let Some((_, rows)) = self.listed.iter().find(|(listed, _)| listed == name) else { return Ok(None) };
        if let Some(table) = self.known.lock().ok().and_then(|known| known.get(name).cloned()) {
            return Ok(Some(table));
        }
        let columns = self.session.columns(&format!("{}.{}", name.schema, name.table)).await?;
        let table = Arc::new(Table { name: name.clone(), rows: *rows, columns });
        if let Ok(mut known) = self.known.lock() {
            known.insert(name.clone(), table.clone());
        }
        Ok(Some(table))
    }

    /// Returns a table by its full name, `eve.dns`.
    pub async fn named(&self, full: &str) -> Result<Arc<Table>, Problem> {
        let name = full.split_once('.').map(|(schema, table)| TableName::new(schema, table));
        let table = match name {
            Some(name) => self.table(&name).await?,
            None => None,
        };
        table.ok_or_else(|| Problem::missing("There is no such type of records here."))
    }

    /// Returns all tables.
    pub async fn all(&self) -> Result<Vec<Arc<Table>>, Problem> {
        let mut all = Vec::new();
        for (name, _) in &self.listed {
            all.extend(self.table(name).await?);
        }
        Ok(all)
    }

    /// Returns the first of these tables, of which each is a name and columns that it must have.
    pub async fn first(&self, wanted: &[(&str, &[&str])]) -> Result<Option<Arc<Table>>, Problem> {
        for (name, columns) in wanted {
            for schema in ["eve", "zeek", "files"] {
                let table = self.table(&TableName::new(schema, *name)).await?;
                if let Some(table) = table.filter(|table| table.has_all(columns)) {
                    return Ok(Some(table));
                }
            }
        }
        Ok(None)
    }

    /// Returns the rows of a table in a part of time.
    pub async fn rows(&self, table: &Table, search: &Search, span: Span) -> Result<DataFrame, Problem> {
        let frame = match search {
            Search::All => self.session.rows(&table.name).await?,
            search => self.session.search(&table.name, search).await?,
        };
        let Some(time) = table.time() else {
            return if span.is_all() { Ok(frame) } else { Ok(frame.filter(lit(false))?) };
        };
        within(frame, time, span)
    }
}

/// Returns those rows whose time is in a part of time.
pub fn within(mut frame: DataFrame, time: &str, span: Span) -> Result<DataFrame, Problem> {
    if let Some(from) = span.from {
        frame = frame.filter(column(time).gt_eq(moment(from)))?;
    }
    if let Some(to) = span.to {
        frame = frame.filter(column(time).lt(moment(to)))?;
    }
    Ok(frame)
}
