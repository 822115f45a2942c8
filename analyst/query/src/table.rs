//! Tables over files of lines, which are read when a query is run: what it does not ask for is not parsed.

use std::fmt;
use std::sync::Arc;

use arrow::array::{RecordBatch, RecordBatchOptions};
use arrow::datatypes::SchemaRef;
use async_trait::async_trait;
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::{DataFusionError, Result};
use datafusion::datasource::TableType;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::{Expr, TableProviderFilterPushDown};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::streaming::{PartitionStream, StreamingTableExec};

use crate::blocks::{Blocks, Part};
use crate::columns::Rows;
use crate::eve;
use crate::remarks::Remarks;
use crate::schema::{TableColumn, schema_of};
use crate::wanted::Wanted;
use crate::zeek::Header;

/// Rows that are given out together.
const BATCH_ROWS: usize = 8192;
/// Blocks of lines that are read for them at most.
const BATCH_BLOCKS: usize = 8;

/// Which lines of its files are rows of a table, and how they are read.
#[derive(Clone, Debug)]
pub enum Form {
    /// Records of EVE of this type.
    Eve(String),
    /// Rows as JSON objects.
    Json,
    /// Rows as separated values. Files that were put together have several heads: the offset of each.
    Tsv(Arc<Vec<(u64, Header)>>),
}

/// A part of a file and how its lines are read.
#[derive(Clone, Debug)]
pub struct Piece {
    /// The lines.
    pub part: Part,
    /// Their form.
    pub form: Form,
}

/// A table over files of lines.
#[derive(Debug)]
pub struct LinesTable {
    columns: Vec<TableColumn>,
    schema: SchemaRef,
    pieces: Vec<Piece>,
    threads: usize,
    remarks: Arc<Remarks>,
}

impl LinesTable {
    /// A table of these columns over these pieces, read by as many threads.
    pub fn new(columns: Vec<TableColumn>, pieces: Vec<Piece>, threads: usize, remarks: Arc<Remarks>) -> Self {
        let schema = schema_of(&columns);
        Self { columns, schema, pieces, threads, remarks }
    }
}

#[async_trait]
impl TableProvider for LinesTable {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    async fn scan(
        &self,
        _state: &dyn Session,
        projection: Option<&Vec<usize>>,
        filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let columns: Vec<TableColumn> = match projection {
            Some(chosen) => chosen.iter().filter_map(|index| self.columns.get(*index).cloned()).collect(),
            None => self.columns.clone(),
        };
        let schema = schema_of(&columns);
        let wanted = Arc::new(Wanted::by(filters, &self.columns));
        let each = self.pieces.len().div_ceil(self.threads.max(1)).max(1);
        let mut partitions: Vec<Arc<dyn PartitionStream>> = Vec::new();
        for pieces in self.pieces.chunks(each) {
            partitions.push(Arc::new(Partition {
                schema: schema.clone(),
                columns: columns.clone(),
                pieces: pieces.to_vec(),
                wanted: wanted.clone(),
                // A limit counts rows behind the filters.
                limit: limit.filter(|_| filters.is_empty()),
                remarks: self.remarks.clone(),
            }));
        }
        if partitions.is_empty() {
            return Ok(Arc::new(datafusion::physical_plan::empty::EmptyExec::new(schema)));
        }
        Ok(Arc::new(StreamingTableExec::try_new(schema, partitions, None, [], false, None)?))
    }

    fn supports_filters_pushdown(&self, filters: &[&Expr]) -> Result<Vec<TableProviderFilterPushDown>> {
        Ok(vec![TableProviderFilterPushDown::Inexact; filters.len()])
    }
}

/// Pieces that one thread reads.
struct Partition {
    schema: SchemaRef,
    columns: Vec<TableColumn>,
    pieces: Vec<Piece>,
    wanted: Arc<Wanted>,
    limit: Option<usize>,
    remarks: Arc<Remarks>,
}

impl fmt::Debug for Partition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Partition").field("pieces", &self.pieces.len()).finish()
    }
}

impl PartitionStream for Partition {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn execute(&self, _: Arc<TaskContext>) -> SendableRecordBatchStream {
        let scan = Scan {
            schema: self.schema.clone(),
            rows: Rows::new(&self.columns),
            names: self.columns.iter().map(|(path, _)| path.join(".")).collect(),
            pieces: self.pieces.clone().into_iter(),
            current: None,
            wanted: self.wanted.clone(),
            left: self.limit.unwrap_or(usize::MAX),
            remarks: self.remarks.clone(),
        };
        Box::pin(RecordBatchStreamAdapter::new(self.schema.clone(), futures::stream::iter(scan)))
    }
}

/// Reads pieces, one after the other.
struct Scan {
    schema: SchemaRef,
    rows: Rows,
    /// Names of the columns, in order.
    names: Vec<String>,
    pieces: std::vec::IntoIter<Piece>,
    current: Option<(Piece, Blocks)>,
    wanted: Arc<Wanted>,
    /// Rows that are still wanted.
    left: usize,
    remarks: Arc<Remarks>,
}

impl Iterator for Scan {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        // Blocks without a row that is wanted end in a batch without rows, so that a query can be given up between them.
        let mut ended = self.left == 0;
        for _ in 0..BATCH_BLOCKS {
            if ended || self.rows.len() >= BATCH_ROWS {
                break;
            }
            ended = !self.block();
        }
        if ended && self.rows.is_empty() {
            return None;
        }
        self.left = self.left.saturating_sub(self.rows.len());
        let batch = self.rows.finish().and_then(|(rows, arrays)| {
            let options = RecordBatchOptions::new().with_row_count(Some(rows));
            RecordBatch::try_new_with_options(self.schema.clone(), arrays, &options)
        });
        Some(batch.map_err(|error| DataFusionError::ArrowError(Box::new(error), None)))
    }
}

impl Scan {
    /// Reads a block of lines; false where there are no more.
    fn block(&mut self) -> bool {
        if self.current.is_none() {
            let Some(piece) = self.pieces.next() else { return false };
            match Blocks::open(&piece.part) {
                Ok(blocks) => self.current = Some((piece, blocks)),
                Err(error) => self.remarks.unreadable(&piece.part.file.path, &error),
            }
            return true;
        }
        let Some((piece, blocks)) = &mut self.current else { return false };
        match blocks.next() {
            Ok(Some((offset, lines))) => {
                let mut reader = Reader {
                    piece,
                    rows: &mut self.rows,
                    names: &self.names,
                    wanted: &self.wanted,
                    remarks: &self.remarks,
                };
                reader.lines(offset, lines);
            }
            Ok(None) => {
                self.remarks.too_long(blocks.too_long);
                self.current = None;
            }
            Err(error) => {
                self.remarks.unreadable(&piece.part.file.path, &error);
                self.current = None;
            }
        }
        true
    }
}

/// Reads lines into rows.
struct Reader<'a> {
    piece: &'a Piece,
    rows: &'a mut Rows,
    names: &'a [String],
    wanted: &'a Wanted,
    remarks: &'a Remarks,
}

impl Reader<'_> {
    fn lines(&mut self, mut offset: u64, lines: &[u8]) {
        let piece = self.piece;
        let mut layout = None;
        for line in lines.split_inclusive(|byte| *byte == b'\n') {
            let start = offset;
            offset += line.len() as u64;
            let line = line.trim_ascii_end();
            if line.is_empty() {
                continue;
            }
            match &piece.form {
                Form::Eve(kind) => match eve::event_type(line) {
                    Some(found) if found == kind => self.json(line),
                    _ => {}
                },
                Form::Json => self.json(line),
                Form::Tsv(headers) => {
                    if line.starts_with(b"#") {
                        layout = None;
                    } else if self.wanted.may_hold(line) {
                        let (header, places) =
                            layout.get_or_insert_with(|| layout_at(headers, start, self.names));
                        if let Some(header) = header {
                            self.separated(header, places, line, start);
                        }
                    }
                }
            }
        }
    }

    fn json(&mut self, line: &[u8]) {
        if self.wanted.may_hold(line) {
            // Lines that are cut short were told of when their types were looked at.
            let _ = self.rows.append(line);
        }
    }

    fn separated(&mut self, header: &Header, places: &[Option<usize>], line: &[u8], offset: u64) {
        let mut fits = true;
        for (index, value) in header.values(line) {
            let column =
                places.get(index).copied().flatten().and_then(|place| self.rows.columns().get_mut(place));
            fits &= column.is_none_or(|column| header.append(value, column));
        }
        self.rows.end_row();
        if !fits {
            self.remarks.misfit(&self.piece.part.file.path, offset);
        }
    }
}

/// Returns the head that holds at an offset, and the place in `names` of each of its columns.
fn layout_at<'h>(
    headers: &'h [(u64, Header)],
    offset: u64,
    names: &[String],
) -> (Option<&'h Header>, Vec<Option<usize>>) {
    let header = headers.iter().rev().find(|(start, _)| *start <= offset).map(|(_, header)| header);
    let columns = header.map_or(&[][..], |header| &header.columns);
    let place = |(column, _): &(String, _)| names.iter().position(|name| name == column);
    (header, columns.iter().map(place).collect())
}
