//! A session: the tables of some files, and the engine that answers.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use arrow::datatypes::DataType;
use datafusion::catalog::{MemorySchemaProvider, TableProvider};
use datafusion::common::DataFusionError;
use datafusion::dataframe::DataFrame;
use datafusion::datasource::file_format::parquet::ParquetFormat;
use datafusion::datasource::listing::{ListingOptions, ListingTable, ListingTableConfig, ListingTableUrl};
use datafusion::execution::SendableRecordBatchStream;
use datafusion::execution::context::{SQLOptions, SessionConfig, SessionContext};
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::logical_expr::{Expr, cast};
use datafusion::physical_plan::{ExecutionPlan, ExecutionPlanProperties, displayable};
use datafusion::sql::parser::Statement as OuterStatement;
use tokio::sync::OnceCell;

use crate::batches::Batches;
use crate::catalog::{Catalog, Listed};
use crate::files::TableName;
use crate::search::Search;
use crate::{functions, names, parquet_files};

/// Ways to answer.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Threads that read and compute.
    pub threads: usize,
    /// Bytes of memory that computing may take; more goes to the disk, where it can.
    pub memory: usize,
}

impl Default for Settings {
    fn default() -> Self {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        Self { threads, memory: 2 << 30 }
    }
}

/// A question that cannot be answered; a sentence.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct QueryError(pub String);

impl From<DataFusionError> for QueryError {
    fn from(error: DataFusionError) -> Self {
        if let DataFusionError::SQL(wrong, _) = error.find_root() {
            return syntax_in_words(&wrong.to_string());
        }
        let text = error.strip_backtrace();
        let mut text = text.as_str();
        // The names of the engine's stages say nothing to who asks.
        for stage in
            ["Error during planning: ", "Schema error: ", "SQL error: ", "External error: ", "Arrow error: "]
        {
            text = text.strip_prefix(stage).unwrap_or(text);
        }
        Self(fields_in_words(text.trim_end()))
    }
}

/// What the reader of SQL says, as a sentence.
fn syntax_in_words(said: &str) -> QueryError {
    let said = said.strip_prefix("sql parser error: ").unwrap_or(said);
    let said = said
        .replacen("Expected: ", "expected ", 1)
        .replacen(", found: EOF", ", found the end", 1)
        .replacen(", found: ", ", found ", 1)
        .replacen(" at Line: ", " at line ", 1)
        .replacen(", Column: ", ", column ", 1);
    QueryError(format!("The question cannot be read: {}.", said.trim_end_matches('.')))
}

/// Names that a message lists at most.
const NAMED: usize = 20;

/// Puts the names of fields in a message as they are written in a question, and leaves out what are too many.
fn fields_in_words(text: &str) -> String {
    let (said, listed) = text.split_once("Valid fields are ").unwrap_or((text, ""));
    let plain = |name: &str| match name.split_once(".\"") {
        Some((_, column)) => column.trim_end_matches('"').to_owned(),
        None => name.split_once('.').map_or(name, |(_, column)| column).to_owned(),
    };
    let mut said = said.trim_end().to_owned();
    if let Some((before, meant)) = said.clone().split_once("Did you mean '") {
        said = format!("{before}Did you mean {}?", plain(meant.trim_end_matches(['?', '\''])));
    }
    let names: Vec<String> =
        listed.trim_end_matches('.').split(", ").filter(|name| !name.is_empty()).map(plain).collect();
    if names.is_empty() {
        return said;
    }
    let few = names.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
    let more = names.len().saturating_sub(NAMED);
    let rest = if more > 0 { format!(" and {more} more (--columns lists all)") } else { String::new() };
    format!("{said} There are {few}{rest}.")
}

/// A column of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// Its type in words.
    pub kind: String,
}

/// The answer to a question, of which the rows come as they are found.
pub struct Answer {
    plan: Arc<dyn ExecutionPlan>,
    streams: Vec<SendableRecordBatchStream>,
}

impl Answer {
    /// Returns the streams of batches, whose rows behind one another are the answer. Each is to be read by its own task.
    pub fn streams(self) -> Vec<SendableRecordBatchStream> {
        self.streams
    }

    /// Begins to read all streams, by tasks of the runtime that is entered here.
    pub fn batches(self) -> Batches {
        Batches::new(self.streams)
    }

    /// Returns the plan in words.
    pub fn plan(&self) -> String {
        displayable(self.plan.as_ref()).indent(false).to_string()
    }

    /// Returns the columns.
    pub fn schema(&self) -> arrow::datatypes::SchemaRef {
        self.plan.schema()
    }
}

/// The tables of some files, and the engine that answers.
pub struct Session {
    catalog: Catalog,
    context: SessionContext,
    /// Tables that the engine knows, or is about to know; others that ask for one wait until it does.
    registered: Mutex<HashMap<TableName, Arc<Registered>>>,
}

/// A table that was asked for.
#[derive(Default)]
struct Registered {
    /// Its rows, once the engine knows it by its name with its schema.
    whole: OnceCell<Arc<dyn TableProvider>>,
    /// Set once the engine knows it by its name alone.
    short: OnceCell<()>,
}

impl Session {
    /// Looks at files and folders.
    pub fn open(paths: &[PathBuf], settings: &Settings) -> Result<Self, QueryError> {
        let threads = settings.threads.max(1);
        let mut config = SessionConfig::new().with_target_partitions(threads).with_information_schema(false);
        let parquet = &mut config.options_mut().execution.parquet;
        parquet.pushdown_filters = true;
        parquet.reorder_filters = true;
        let runtime = RuntimeEnvBuilder::new().with_memory_limit(settings.memory, 1.0).build_arc()?;
        let context = SessionContext::new_with_config_rt(config, runtime);
        functions::register(&context);
        if let Some(catalog) = context.catalog("datafusion") {
            for schema in ["eve", "zeek", "files"] {
                catalog.register_schema(schema, Arc::new(MemorySchemaProvider::new()))?;
            }
        }
        Ok(Self { catalog: Catalog::open(paths, threads), context, registered: Mutex::default() })
    }

    /// Lists the tables.
    pub fn tables(&self) -> Vec<Listed> {
        self.catalog.tables()
    }

    /// Returns the table that a word means, as `dns` or `zeek.dns`.
    pub fn named(&self, table: &str) -> Result<TableName, QueryError> {
        let (schema, name) =
            table.split_once('.').map_or((None, table), |(schema, name)| (Some(schema), name));
        self.catalog.named(schema, name).ok_or_else(|| self.no_table(table))
    }

    /// Returns the columns of a table.
    pub async fn columns(&self, table: &str) -> Result<Vec<Column>, QueryError> {
        let name = self.named(table)?;
        let provider = self.provider(&name).await?;
        let fields = provider.schema();
        let column = |field: &Arc<arrow::datatypes::Field>| Column {
            name: field.name().clone(),
            kind: kind_in_words(field.data_type()),
        };
        Ok(fields.fields().iter().map(column).collect())
    }

    /// Begins to answer a question in SQL.
    pub async fn query(&self, sql: &str) -> Result<Answer, QueryError> {
        let state = self.context.state();
        let mut statement = state.sql_to_statement(sql, &state.config().options().sql_parser.dialect)?;
        let inner = match &mut statement {
            OuterStatement::Statement(inner) => inner,
            OuterStatement::Explain(_) => {
                return Err(QueryError("EXPLAIN is written as --explain here.".to_owned()));
            }
            _ => return Err(only_reading()),
        };
        let mut columns = HashSet::new();
        for (schema, table) in names::tables_of(inner) {
            let schema = schema.as_deref();
            if let Some(name) = self.catalog.named(schema, &table) {
                let provider = self.register(&name, schema.is_none()).await?;
                columns.extend(provider.schema().fields().iter().map(|field| field.name().clone()));
            } else if schema.is_some() {
                return Err(self.no_table(&table));
            }
        }
        names::join(inner, &columns);
        let plan = match self.context.state().statement_to_plan(statement).await {
            Ok(plan) => plan,
            Err(error) => return Err(self.explain(error)),
        };
        let reading =
            SQLOptions::new().with_allow_ddl(false).with_allow_dml(false).with_allow_statements(false);
        reading.verify_plan(&plan).map_err(|_| only_reading())?;
        let rows = self.context.execute_logical_plan(plan).await?;
        self.answer(rows).await
    }

    /// Begins to answer with these rows.
    pub async fn answer(&self, rows: DataFrame) -> Result<Answer, QueryError> {
        let plan = rows.create_physical_plan().await?;
        let context = self.context.task_ctx();
        let count = plan.output_partitioning().partition_count();
        let streams = (0..count).map(|partition| plan.execute(partition, context.clone()));
        let streams = streams.collect::<Result<Vec<_>, _>>()?;
        Ok(Answer { plan, streams })
    }

    /// Returns the rows of a table, to ask for more of them by the engine's own means.
    pub async fn rows(&self, name: &TableName) -> Result<DataFrame, QueryError> {
        let provider = self.register(name, false).await?;
        Ok(self.context.read_table(provider)?)
    }

    /// Returns the rows of a table for which a search holds.
    pub async fn search(&self, name: &TableName, search: &Search) -> Result<DataFrame, QueryError> {
        let rows = self.rows(name).await?;
        let condition = search.condition(rows.schema().as_arrow(), &self.context);
        Ok(rows.filter(condition)?)
    }

    /// Calls a function, of those beside SQL's own or of these; none where there is none of this name.
    pub fn call(&self, name: &str, arguments: Vec<Expr>) -> Option<Expr> {
        Some(self.context.state().scalar_functions().get(name)?.call(arguments))
    }

    /// Returns what could not be read since this was asked last, a sentence each.
    pub fn remarks(&self) -> Vec<String> {
        self.catalog.remarks.take()
    }

    /// Returns sentences about files that were named and hold nothing.
    pub fn unreadable(&self) -> &[String] {
        &self.catalog.unreadable
    }

    /// Makes a table known to the engine, also without its schema if it is `short`.
    async fn register(&self, name: &TableName, short: bool) -> Result<Arc<dyn TableProvider>, QueryError> {
        let table = {
            let mut tables = self.registered.lock().unwrap_or_else(PoisonError::into_inner);
            tables.entry(name.clone()).or_default().clone()
        };
        let known_as = |name: String, provider: &Arc<dyn TableProvider>| {
            self.context.register_table(name.as_str(), provider.clone()).map(|_| ())
        };
        let whole = async {
            let provider = self.provider(name).await?;
            known_as(format!("{}.{}", name.schema, quoted(&name.table)), &provider)?;
            Ok::<_, QueryError>(provider)
        };
        let provider = table.whole.get_or_try_init(|| whole).await?;
        if short {
            table.short.get_or_try_init(async || known_as(quoted(&name.table), provider)).await?;
        }
        Ok(provider.clone())
    }

    /// Puts a table together from its files.
    async fn provider(&self, name: &TableName) -> Result<Arc<dyn TableProvider>, QueryError> {
        let lines = self.catalog.lines_table(name).map(|table| Arc::new(table) as Arc<dyn TableProvider>);
        let files = self.catalog.parquet_files(name);
        if files.is_empty() {
            return lines.ok_or_else(|| self.no_table(&name.table));
        }
        let urls = files.iter().map(|path| ListingTableUrl::parse(path.to_string_lossy()));
        let urls = urls.collect::<Result<Vec<_>, _>>()?;
        let options = ListingOptions::new(Arc::new(ParquetFormat::default())).with_file_extension("");
        let config = ListingTableConfig::new_with_multi_paths(urls)
            .with_listing_options(options)
            .with_schema(parquet_files::schema_of(files)?);
        let columns: Arc<dyn TableProvider> = Arc::new(ListingTable::try_new(config)?);
        match lines {
            Some(lines) => self.together(vec![lines, columns]),
            None => Ok(columns),
        }
    }

    /// Puts the rows of several tables together, each column as the type that holds the values of all.
    fn together(&self, tables: Vec<Arc<dyn TableProvider>>) -> Result<Arc<dyn TableProvider>, QueryError> {
        let mut kinds: HashMap<String, DataType> = HashMap::new();
        for field in
            tables.iter().flat_map(|table| table.schema().fields().iter().cloned().collect::<Vec<_>>())
        {
            let kind = kinds.entry(field.name().clone()).or_insert_with(|| field.data_type().clone());
            *kind = parquet_files::wider(kind, field.data_type());
        }
        let mut all: Option<DataFrame> = None;
        for table in tables {
            let schema = table.schema();
            let columns = schema.fields().iter().map(|field| {
                let column = Expr::Column(datafusion::common::Column::from_name(field.name()));
                match kinds.get(field.name()).filter(|kind| *kind != field.data_type()) {
                    Some(kind) => cast(column, kind.clone()).alias(field.name()),
                    None => column,
                }
            });
            let columns: Vec<Expr> = columns.collect();
            let rows = self.context.read_table(table)?.select(columns)?;
            all = Some(match all {
                Some(all) => all.union_by_name(rows)?,
                None => rows,
            });
        }
        Ok(all.map_or_else(|| self.context.read_empty(), Ok)?.into_view())
    }

    fn no_table(&self, table: &str) -> QueryError {
        let tables = self.catalog.tables();
        if tables.is_empty() {
            return QueryError(
                "There are no records in these files: EVE, Zeek's logs and Parquet are read.".to_owned(),
            );
        }
        let names: Vec<String> = tables.iter().map(|listed| listed.name.table.clone()).collect();
        QueryError(format!("There is no table {table}; there are {}.", names.join(", ")))
    }

    /// Puts an error of the engine into words of who asks.
    fn explain(&self, error: DataFusionError) -> QueryError {
        let said = QueryError::from(error);
        let table = said.0.strip_prefix("table '").and_then(|rest| rest.split('\'').next());
        match table.filter(|_| said.0.ends_with("not found")) {
            Some(table) => self.no_table(table.rsplit('.').next().unwrap_or(table)),
            None => said,
        }
    }
}

fn only_reading() -> QueryError {
    QueryError("Only questions can be asked (SELECT): files are read and never changed.".to_owned())
}

/// A name in quotes, so that no letter of it says anything else.
fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// A type of Arrow in words.
fn kind_in_words(kind: &DataType) -> String {
    match kind {
        DataType::Boolean => "bool".to_owned(),
        DataType::Utf8 | DataType::Utf8View | DataType::LargeUtf8 => "text".to_owned(),
        DataType::Float64 | DataType::Float32 => "number".to_owned(),
        DataType::Timestamp(..) => "time".to_owned(),
        DataType::List(item) | DataType::LargeList(item) => {
            format!("list of {}", kind_in_words(item.data_type()))
        }
        DataType::Struct(fields) => {
            let members: Vec<String> = fields
                .iter()
                .map(|field| format!("{} {}", field.name(), kind_in_words(field.data_type())))
                .collect();
            format!("({})", members.join(", "))
        }
        DataType::Dictionary(_, values) => kind_in_words(values),
        other if other.is_integer() => "integer".to_owned(),
        other => other.to_string(),
    }
}
