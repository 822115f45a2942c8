//! Alerts by rule: the gravest first, then the most frequent.

use std::sync::Arc;

use arrow::datatypes::DataType;
use axum::extract::State;
use axum::response::Response;
use datafusion::common::{DataFusionError, JoinType};
use datafusion::functions_aggregate::expr_fn::{count, max, min, sum};
use datafusion::logical_expr::{Expr, Operator, binary_expr, cast, lit};
use datafusion::prelude::DataFrame;
use serde::Serialize;
use weir_query::Search;

use super::{Asked, When};
use crate::answer::Problem;
use crate::asker::collect;
use crate::records::{numbers, texts};
use crate::shared::Shared;
use crate::tables::{Span, column};

/// Rules at most.
const GROUPS: usize = 2_000;

/// The alerts of a rule.
#[derive(Serialize, Clone, Debug)]
pub struct Group {
    /// Its severity; 1 is the gravest.
    pub severity: Option<i64>,
    /// Its number.
    pub sid: Option<i64>,
    /// Its message.
    pub signature: Option<String>,
    /// Its class.
    pub category: Option<String>,
    /// What was done with the traffic.
    pub action: Option<String>,
    /// How many there are.
    pub alerts: i64,
    /// Addresses that they are from.
    pub sources: i64,
    /// Addresses that they are to.
    pub targets: i64,
    /// The moment of the first one in microseconds.
    pub first: Option<i64>,
    /// The moment of the last one.
    pub last: Option<i64>,
}

/// Alerts by rule.
#[derive(Serialize, Clone, Debug, Default)]
pub struct Alerts {
    /// The table of alerts, if there is one.
    pub table: Option<String>,
    /// The gravest first, then the most frequent.
    pub groups: Vec<Group>,
    /// There are more rules.
    pub more: bool,
}

/// Counts alerts by rule.
pub async fn alerts(
    State(shared): State<Arc<Shared>>,
    Asked(when): Asked<When>,
) -> Result<Response, Problem> {
    kept(shared, when.span()).await
}

/// Counts alerts by rule, once.
pub async fn kept(shared: Arc<Shared>, span: Span) -> Result<Response, Problem> {
    let work = of_rules(shared.clone(), span);
    shared.keep(format!("alerts {span:?}"), shared.asker.ask(work)).await
}

/// Counts alerts by rule.
pub async fn of_rules(shared: Arc<Shared>, span: Span) -> Result<Alerts, Problem> {
    let wanted: [(&str, &[&str]); 1] = [("alert", &["alert.signature_id"])];
    let Some(table) = shared.tables.first(&wanted).await? else { return Ok(Alerts::default()) };
    let known = |name: &str| {
        if table.has(name) {
            column(name)
        } else {
            cast(lit(datafusion::scalar::ScalarValue::Null), DataType::Utf8)
        }
    };
    let keys = [
        ("alert.severity", "severity"),
        ("alert.signature_id", "sid"),
        ("alert.signature", "signature"),
        ("alert.category", "category"),
        ("alert.action", "action"),
    ];
    let names = keys.map(|(_, short)| short);
    let keys: Vec<Expr> = keys.iter().map(|(name, short)| known(name).alias(*short)).collect();
    let time = table.time().map_or_else(|| lit(datafusion::scalar::ScalarValue::Null), column);
    // By rule and host first, then by rule: distinct values are counted group by group otherwise, which takes long.
    let rows = shared.tables.rows(&table, &Search::All, span).await?;
    let by_rule = || names.map(column).to_vec();
    let hosts = |rows: DataFrame, end: &str, name: &str| -> Result<DataFrame, DataFusionError> {
        let keys = keys.iter().cloned().chain([known(end).alias("host")]).collect();
        let times = [min(time.clone()).alias("earliest"), max(time.clone()).alias("latest")];
        let each = [count(lit(1_i64)).alias("each")].into_iter().chain(times).collect();
        let sums = vec![
            sum(column("each")).alias("alerts"),
            count(column("host")).alias(name),
            min(column("earliest")).alias("first"),
            max(column("latest")).alias("last"),
        ];
        rows.aggregate(keys, each)?.aggregate(by_rule(), sums)
    };
    let of_targets = |name: &str| format!("of_{name}");
    let renamed = names.map(|name| column(name).alias(of_targets(name)));
    let targets = hosts(rows.clone(), "dest_ip", "targets")?
        .select(renamed.into_iter().chain([column("targets")]).collect::<Vec<_>>())?;
    let same =
        names.map(|name| binary_expr(column(name), Operator::IsNotDistinctFrom, column(&of_targets(name))));
    let frame = hosts(rows, "src_ip", "sources")?.join_on(targets, JoinType::Left, same)?.sort(vec![
        column("severity").sort(true, false),
        column("alerts").sort(false, false),
        column("sid").sort(true, false),
    ])?;
    let found = collect(frame, GROUPS, shared.asker.limits.bytes).await?;
    let mut alerts = Alerts { table: Some(table.full_name()), groups: Vec::new(), more: found.cut };
    for batch in &found.batches {
        let whole = |name| numbers(batch, name).into_iter();
        let named = |name| texts(batch, name).into_iter();
        let (mut severities, mut sids, mut counts) = (whole("severity"), whole("sid"), whole("alerts"));
        let (mut sources, mut targets) = (whole("sources"), whole("targets"));
        let (mut firsts, mut lasts) = (whole("first"), whole("last"));
        let (mut signatures, mut categories, mut actions) =
            (named("signature"), named("category"), named("action"));
        for _ in 0..batch.num_rows() {
            alerts.groups.push(Group {
                severity: severities.next().flatten(),
                sid: sids.next().flatten(),
                signature: signatures.next().flatten(),
                category: categories.next().flatten(),
                action: actions.next().flatten(),
                alerts: counts.next().flatten().unwrap_or(0),
                sources: sources.next().flatten().unwrap_or(0),
                targets: targets.next().flatten().unwrap_or(0),
                first: firsts.next().flatten(),
                last: lasts.next().flatten(),
            });
        }
    }
    Ok(alerts)
}
