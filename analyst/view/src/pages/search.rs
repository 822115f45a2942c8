//! Searches over all tables: the newest records first, a page at a time, and what they have in common.

use std::collections::HashMap;
use std::sync::Arc;

use arrow::datatypes::DataType;
use axum::extract::State;
use datafusion::functions_aggregate::expr_fn::count;
use datafusion::logical_expr::{cast, lit};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use weir_query::Search;

use super::{Asked, When, optional, parse};
use crate::answer::{Json, Problem};
use crate::asker::{Limits, collect};
use crate::records::{numbers, objects, texts};
use crate::shared::Shared;
use crate::tables::{Span, Table, column};

/// Rows of a page, where nobody says how many.
const PAGE: usize = 100;
/// Bytes of a text in a list.
const LONGEST: usize = 512;
/// Values of a field that are counted.
const VALUES: usize = 20;

/// What is searched for.
#[derive(Deserialize, Clone, Debug, Default, PartialEq, Eq)]
pub struct Words {
    /// The search.
    #[serde(default)]
    pub q: String,
    /// One table; without it, all.
    #[serde(default)]
    pub table: String,
    /// Records of a page.
    #[serde(default, deserialize_with = "optional")]
    pub limit: Option<usize>,
    /// Records before the page.
    #[serde(default, deserialize_with = "optional")]
    pub offset: Option<usize>,
    /// A field to count the values of.
    #[serde(default)]
    pub field: String,
}

/// A record in a list.
#[derive(Serialize, Clone, Debug)]
pub struct Row {
    /// Its table.
    pub table: String,
    /// Its moment in microseconds.
    pub time: Option<i64>,
    /// All that is in it.
    pub record: Box<RawValue>,
}

/// A page of records.
#[derive(Serialize, Clone, Debug)]
pub struct Page {
    /// The newest first.
    pub rows: Vec<Row>,
    /// There are more behind these.
    pub more: bool,
    /// Records did not fit into the answer.
    pub cut: bool,
}

/// Returns the tables that are asked for.
pub async fn tables_of(shared: &Shared, name: &str) -> Result<Vec<Arc<Table>>, Problem> {
    if name.is_empty() { shared.tables.all().await } else { Ok(vec![shared.tables.named(name).await?]) }
}

/// A page of the records for which a search holds.
pub async fn search(
    State(shared): State<Arc<Shared>>,
    Asked(words): Asked<Words>,
    Asked(when): Asked<When>,
) -> Result<Json<impl Serialize>, Problem> {
    Ok(Json(found(shared, words, when).await?))
}

/// Finds a page of the records for which a search holds.
pub async fn found(shared: Arc<Shared>, words: Words, when: When) -> Result<Page, Problem> {
    let search = parse(&words.q)?;
    let Limits { rows, offset, .. } = shared.asker.limits;
    let begin = words.offset.unwrap_or(0);
    if begin > offset {
        return Err(Problem::question(format!(
            "Pages end behind {offset} records. Search for less, or export all that was found."
        )));
    }
    let limit = words.limit.unwrap_or(PAGE).clamp(1, rows);
    let asked = shared.clone();
    let page =
        shared.asker.ask(async move { page(&asked, &search, when.span(), &words.table, begin, limit).await });
    page.await
}

async fn page(
    shared: &Shared,
    search: &Search,
    span: Span,
    table: &str,
    begin: usize,
    limit: usize,
) -> Result<Page, Problem> {
    let tables = tables_of(shared, table).await?;
    // Moments alone say which records of which tables are on the page.
    let mut moments: Vec<(i64, usize)> = Vec::new();
    for (place, table) in tables.iter().enumerate() {
        for moment in newest(shared, table, search, span, begin + limit + 1).await? {
            moments.push((moment.unwrap_or(i64::MIN), place));
        }
    }
    moments.sort_by(|one, other| other.0.cmp(&one.0).then(one.1.cmp(&other.1)));
    let mut rows = Vec::new();
    let mut cut = false;
    let shown = moments.get(begin.min(moments.len())..(begin + limit).min(moments.len())).unwrap_or_default();
    let before = moments.get(..begin.min(moments.len())).unwrap_or_default();
    for (place, table) in tables.iter().enumerate() {
        let of_table = |list: &[(i64, usize)]| list.iter().filter(|(_, of)| *of == place).count();
        let (skipped, taken) = (of_table(before), of_table(shown));
        if taken == 0 {
            continue;
        }
        let oldest = shown.iter().filter(|(_, of)| *of == place).map(|(moment, _)| *moment).min();
        let from = oldest.filter(|oldest| *oldest != i64::MIN).or(span.from);
        let mut frame = shared.tables.rows(table, search, Span { from, to: span.to }).await?;
        frame = ordered(frame, table)?.limit(skipped, Some(taken))?;
        let found = collect(frame, taken, shared.asker.limits.bytes).await?;
        cut |= found.cut;
        for batch in &found.batches {
            let times =
                table.time().map_or_else(|| vec![None; batch.num_rows()], |time| numbers(batch, time));
            let records = objects(std::slice::from_ref(batch), LONGEST)?;
            rows.extend(times.into_iter().zip(records).map(|(time, record)| Row {
                table: table.full_name(),
                time,
                record,
            }));
        }
    }
    rows.sort_by_key(|row| std::cmp::Reverse(row.time));
    cut |= bound(&mut rows, shared.asker.limits.bytes);
    Ok(Page { rows, more: moments.len() > begin + limit, cut })
}

/// Leaves out rows beyond so many bytes.
pub fn bound(rows: &mut Vec<Row>, bytes: usize) -> bool {
    let mut sum = 0;
    let fit = rows.iter().take_while(|row| {
        sum += row.record.get().len();
        sum <= bytes
    });
    let (fit, all) = (fit.count(), rows.len());
    rows.truncate(fit);
    fit < all
}

/// The newest first; those of the same moment in an order of their own.
pub fn ordered(
    frame: datafusion::dataframe::DataFrame,
    table: &Table,
) -> Result<datafusion::dataframe::DataFrame, Problem> {
    let Some(time) = table.time() else { return Ok(frame) };
    let mut order = vec![column(time).sort(false, false)];
    let ties = ["flow_id", "uid", "fuid", "tx_id"].into_iter().filter(|name| table.has(name));
    order.extend(ties.map(|name| column(name).sort(true, false)));
    Ok(frame.sort(order)?)
}

/// Returns the moments of the newest records.
async fn newest(
    shared: &Shared,
    table: &Table,
    search: &Search,
    span: Span,
    most: usize,
) -> Result<Vec<Option<i64>>, Problem> {
    let frame = shared.tables.rows(table, search, span).await?;
    let Some(time) = table.time() else {
        let frame = frame.select(vec![lit(1_i64).alias("one")])?;
        let found = collect(frame, most, usize::MAX).await?;
        return Ok(vec![None; found.batches.iter().map(arrow::array::RecordBatch::num_rows).sum()]);
    };
    let frame = frame.select(vec![column(time)])?.sort(vec![column(time).sort(false, false)])?;
    let found = collect(frame.limit(0, Some(most))?, most, usize::MAX).await?;
    Ok(found.batches.iter().flat_map(|batch| numbers(batch, time)).collect())
}

/// How many records have something.
#[derive(Serialize, Clone, Debug)]
pub struct Count {
    /// What they have.
    pub name: String,
    /// How many they are.
    pub records: i64,
}

/// What the records of a search have in common.
#[derive(Serialize, Clone, Debug)]
pub struct Facets {
    /// The tables that they are of.
    pub tables: Vec<Count>,
    /// Fields that there are, for who looks for one.
    pub fields: Vec<String>,
    /// The most frequent values of a field.
    pub values: Vec<Count>,
    /// There are more values.
    pub more: bool,
}

/// What the records of a search have in common: how many are in each table, and the most frequent values of a field.
pub async fn facets(
    State(shared): State<Arc<Shared>>,
    Asked(words): Asked<Words>,
    Asked(when): Asked<When>,
) -> Result<Json<impl Serialize>, Problem> {
    Ok(Json(in_common(shared, words, when).await?))
}

/// Counts what the records of a search have in common.
pub async fn in_common(shared: Arc<Shared>, words: Words, when: When) -> Result<Facets, Problem> {
    let search = parse(&words.q)?;
    let asked = shared.clone();
    shared.asker.ask(async move { common(&asked, &search, when.span(), &words).await }).await
}

async fn common(shared: &Shared, search: &Search, span: Span, words: &Words) -> Result<Facets, Problem> {
    let mut tables = Vec::new();
    for table in shared.tables.all().await? {
        let records = if *search == Search::All && span.is_all() {
            i64::try_from(table.rows).unwrap_or(i64::MAX)
        } else {
            let frame = shared.tables.rows(&table, search, span).await?;
            let frame = frame.aggregate(vec![], vec![count(lit(1_i64)).alias("records")])?;
            super::only(&collect(frame, 1, usize::MAX).await?.batches, "records").unwrap_or(0)
        };
        if records > 0 {
            tables.push(Count { name: table.full_name(), records });
        }
    }
    let chosen = tables_of(shared, &words.table).await?;
    let mut fields: Vec<String> =
        chosen.iter().flat_map(|table| table.columns.iter().map(|c| c.name.clone())).collect();
    fields.sort();
    fields.dedup();
    let mut values: HashMap<String, i64> = HashMap::new();
    let mut more = false;
    for table in chosen.iter().filter(|table| table.has(&words.field)) {
        let value = cast(column(&words.field), DataType::Utf8).alias("value");
        let frame =
            shared.tables.rows(table, search, span).await?.filter(column(&words.field).is_not_null())?;
        let frame = frame.aggregate(vec![value], vec![count(lit(1_i64)).alias("records")])?;
        let frame =
            frame.sort(vec![column("records").sort(false, false), column("value").sort(true, false)])?;
        let found = collect(frame.limit(0, Some(VALUES + 1))?, VALUES, usize::MAX).await?;
        more |= found.cut;
        for batch in objects_and_counts(&found.batches) {
            *values.entry(batch.0).or_default() += batch.1;
        }
    }
    let mut values: Vec<Count> = values.into_iter().map(|(name, records)| Count { name, records }).collect();
    values.sort_by(|one, other| other.records.cmp(&one.records).then_with(|| one.name.cmp(&other.name)));
    more |= values.len() > VALUES;
    values.truncate(VALUES);
    Ok(Facets { tables, fields, values, more })
}

fn objects_and_counts(batches: &[arrow::array::RecordBatch]) -> Vec<(String, i64)> {
    let of_batch = |batch| texts(batch, "value").into_iter().zip(numbers(batch, "records"));
    batches.iter().flat_map(of_batch).filter_map(|(value, count)| Some((value?, count?))).collect()
}
