//! Records as tables: batches of rows go to Python through Arrow's C data interface, without a copy.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use arrow::array::{Array, RecordBatch, StructArray};
use arrow::datatypes::SchemaRef;
use arrow::ffi::{FFI_ArrowSchema, to_ffi};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use tokio::runtime::Runtime;
use weir_query::{Batches, QueryError, Settings};

use crate::error;
use crate::watch::{LOOK, look};

/// The tables of some files, and the threads that answer.
struct Shared {
    session: weir_query::Session,
    /// There until this goes.
    runtime: Option<Runtime>,
}

impl Shared {
    fn open(paths: &[PathBuf], settings: &Settings) -> Result<Self, QueryError> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(settings.threads)
            .enable_time()
            .build()
            .map_err(|error| QueryError(format!("Threads cannot be started: {error}.")))?;
        Ok(Self { session: weir_query::Session::open(paths, settings)?, runtime: Some(runtime) })
    }

    /// Waits for what is to come; none where there is no runtime.
    fn wait<T>(&self, coming: impl Future<Output = T>) -> Option<T> {
        self.runtime.as_ref().map(|runtime| runtime.block_on(coming))
    }

    fn ask(&self, question: &Question) -> Result<(SchemaRef, Batches), QueryError> {
        let asked = self.wait(async {
            let answer = match question {
                Question::Sql(sql) => self.session.query(sql).await?,
                Question::Table(name) => {
                    self.session.answer(self.session.rows(&self.session.named(name)?).await?).await?
                }
            };
            Ok((answer.schema(), answer.batches()))
        });
        asked.unwrap_or_else(|| Err(QueryError("The records are closed.".to_owned())))
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        // What was asked and is no longer wanted need not come to its end.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// What is asked for.
enum Question {
    Sql(String),
    Table(String),
}

/// The tables of files and folders.
#[pyclass(frozen, module = "weir._native")]
pub struct Session(Arc<Shared>);

#[pymethods]
impl Session {
    /// Looks at files and folders. `memory` is in bytes.
    #[new]
    fn open(
        py: Python<'_>,
        paths: Vec<PathBuf>,
        threads: Option<usize>,
        memory: Option<usize>,
    ) -> PyResult<Self> {
        let mut settings = Settings::default();
        settings.threads = threads.unwrap_or(settings.threads).max(1);
        settings.memory = memory.unwrap_or(settings.memory);
        let shared = look(py, move || Shared::open(&paths, &settings))?.map_err(error)?;
        Ok(Self(Arc::new(shared)))
    }

    /// Lists the tables: schema, name, rows.
    fn tables(&self, py: Python<'_>) -> PyResult<Vec<(String, String, u64)>> {
        let shared = self.0.clone();
        let tables = look(py, move || shared.session.tables())?;
        Ok(tables.into_iter().map(|table| (table.name.schema, table.name.table, table.rows)).collect())
    }

    /// Answers a question in SQL.
    fn query(&self, py: Python<'_>, sql: String) -> PyResult<Answer> {
        self.ask(py, Question::Sql(sql))
    }

    /// Gives all rows of a table.
    fn rows(&self, py: Python<'_>, table: String) -> PyResult<Answer> {
        self.ask(py, Question::Table(table))
    }

    /// Returns what could not be read since this was asked last, a sentence each.
    fn remarks(&self) -> Vec<String> {
        self.0.session.remarks()
    }

    /// Returns sentences about files that were named and hold nothing.
    fn unreadable(&self) -> Vec<String> {
        self.0.session.unreadable().to_vec()
    }
}

impl Session {
    fn ask(&self, py: Python<'_>, question: Question) -> PyResult<Answer> {
        let shared = self.0.clone();
        let (schema, batches) = look(py, move || shared.ask(&question))?.map_err(error)?;
        Ok(Answer { shared: self.0.clone(), schema, batches: Mutex::new(batches) })
    }
}

/// The answer to a question: its schema, and its batches one after the other.
#[pyclass(frozen, module = "weir._native")]
pub struct Answer {
    shared: Arc<Shared>,
    schema: SchemaRef,
    batches: Mutex<Batches>,
}

#[pymethods]
impl Answer {
    /// The columns, as Arrow's C schema.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        schema_capsule(py, &self.schema)
    }

    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Batch>> {
        loop {
            let next = py.detach(|| {
                let mut batches = self.batches.lock().ok()?;
                self.shared.wait(async { tokio::time::timeout(LOOK, batches.next()).await })
            });
            match next {
                Some(Ok(Some(batch))) => return Ok(Some(Batch(batch.map_err(error)?))),
                Some(Ok(None)) | None => return Ok(None),
                // It is not there yet.
                Some(Err(_)) => py.check_signals()?,
            }
        }
    }
}

/// Some rows of an answer.
#[pyclass(frozen, module = "weir._native")]
pub struct Batch(RecordBatch);

#[pymethods]
impl Batch {
    /// The rows, as Arrow's C schema and C array. No other schema can be had.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        let _ = requested_schema;
        let rows = StructArray::from(self.0.clone());
        let (array, _) = to_ffi(&rows.to_data()).map_err(error)?;
        let array = PyCapsule::new_with_value(py, array, c"arrow_array")?;
        Ok((schema_capsule(py, &self.0.schema())?, array))
    }
}

fn schema_capsule<'py>(py: Python<'py>, schema: &SchemaRef) -> PyResult<Bound<'py, PyCapsule>> {
    let schema = FFI_ArrowSchema::try_from(schema.as_ref()).map_err(error)?;
    PyCapsule::new_with_value(py, schema, c"arrow_schema")
}
