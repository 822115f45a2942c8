//! The first page: traffic by time and protocol, who talks to whom, and what was lost.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use arrow::datatypes::DataType;
use axum::extract::State;
use axum::response::Response;
use datafusion::dataframe::DataFrame;
use datafusion::functions::expr_fn::{coalesce, lower, nullif};
use datafusion::functions_aggregate::expr_fn::{count, max, min, sum};
use datafusion::logical_expr::{Expr, cast, lit};
use serde::Serialize;
use weir_query::Search;

use super::{Asked, When, only};
use crate::answer::Problem;
use crate::asker::collect;
use crate::records::{numbers, texts};
use crate::shared::Shared;
use crate::tables::{Span, Table, column, micros, within};

/// Bars of a chart at most, but for the last one: a day in quarters of hours.
const BARS: i64 = 96;
/// Protocols that have a colour of their own.
const SERIES: usize = 7;

/// Connections and bytes of each bar.
type Bars = BTreeMap<i64, (i64, i64)>;

/// Groups of bars and protocols that are taken at most.
const GROUPS: usize = 20_000;
/// Pairs of hosts on the map.
const PAIRS: usize = 48;

/// Columns of connections, in the words of EVE or Zeek.
struct Connections {
    table: Arc<Table>,
    begin: String,
    protocol: Expr,
    bytes: Expr,
    ends: [&'static str; 4],
}

impl Connections {
    /// Those of EVE's flows, or of Zeek's connections.
    async fn of(shared: &Shared) -> Result<Option<Self>, Problem> {
        let wanted: [(&str, &[&str]); 2] =
            [("flow", &["src_ip", "dest_ip", "proto"]), ("conn", &["ts", "id.orig_h", "id.resp_h", "proto"])];
        let Some(table) = shared.tables.first(&wanted).await? else { return Ok(None) };
        let (Some(begin), Some(ends)) = (table.begin().map(str::to_owned), table.ends()) else {
            return Ok(None);
        };
        let known = |name: &str| if table.has(name) { Some(column(name)) } else { None };
        let service = known("app_proto").map(|name| nullif(name, lit("failed"))).or_else(|| known("service"));
        let plain = lower(column("proto"));
        let protocol =
            service.map_or_else(|| plain.clone(), |service| coalesce(vec![service, plain.clone()]));
        let sizes = [
            ["flow.bytes_toserver", "flow.bytes_toclient"],
            ["orig_ip_bytes", "resp_ip_bytes"],
            ["orig_bytes", "resp_bytes"],
        ];
        let sizes = sizes.into_iter().find(|names| table.has_all(names));
        let size = |name| coalesce(vec![cast(column(name), DataType::Int64), lit(0_i64)]);
        let bytes = sizes.map_or_else(|| lit(0_i64), |[one, other]| size(one) + size(other));
        Ok(Some(Self { table, begin, protocol, bytes, ends }))
    }

    async fn rows(&self, shared: &Shared, span: Span) -> Result<DataFrame, Problem> {
        let rows = shared.tables.rows(&self.table, &Search::All, Span::default()).await?;
        within(rows, &self.begin, span)
    }

    /// Returns the first and the last moment in a part of time.
    async fn span(&self, shared: &Shared, span: Span) -> Result<Option<(i64, i64)>, Problem> {
        if let Span { from: Some(from), to: Some(to) } = span {
            return Ok((from < to).then(|| (from, to - 1)));
        }
        let begin = || column(&self.begin);
        let frame = self.rows(shared, span).await?;
        let frame = frame.aggregate(vec![], vec![min(begin()).alias("first"), max(begin()).alias("last")])?;
        let found = collect(frame, 1, usize::MAX).await?.batches;
        Ok(only(&found, "first").zip(only(&found, "last")))
    }
}

/// The bars of a protocol.
#[derive(Serialize, Clone, Debug, Default)]
pub struct Series {
    /// The protocol.
    pub name: String,
    /// Connections of each bar.
    pub connections: Vec<i64>,
    /// Bytes of each bar.
    pub bytes: Vec<i64>,
}

/// Traffic by time and protocol.
#[derive(Serialize, Clone, Debug, Default)]
pub struct Traffic {
    /// The table of connections, if there is one.
    pub table: Option<String>,
    /// The column of the moments.
    pub time: String,
    /// The beginning of the first bar in microseconds.
    pub from: i64,
    /// The width of each bar in microseconds.
    pub step: i64,
    /// The most frequent protocol first.
    pub series: Vec<Series>,
}

/// Returns a width of bars that people know, so that no more than [`BARS`] are needed.
fn step_for(length: i64) -> i64 {
    const MILLI: i64 = 1_000;
    const SECOND: i64 = 1_000 * MILLI;
    const MINUTE: i64 = 60 * SECOND;
    const HOUR: i64 = 60 * MINUTE;
    const DAY: i64 = 24 * HOUR;
    const STEPS: [i64; 27] = [
        MILLI,
        2 * MILLI,
        5 * MILLI,
        10 * MILLI,
        20 * MILLI,
        50 * MILLI,
        100 * MILLI,
        200 * MILLI,
        500 * MILLI,
        SECOND,
        2 * SECOND,
        5 * SECOND,
        10 * SECOND,
        15 * SECOND,
        30 * SECOND,
        MINUTE,
        2 * MINUTE,
        5 * MINUTE,
        10 * MINUTE,
        15 * MINUTE,
        30 * MINUTE,
        HOUR,
        3 * HOUR,
        6 * HOUR,
        12 * HOUR,
        DAY,
        7 * DAY,
    ];
    let enough = |step: &i64| length / step <= BARS;
    STEPS.into_iter().find(enough).unwrap_or_else(|| (length / BARS / DAY + 1).saturating_mul(DAY))
}

/// Counts of connections and bytes by time and protocol.
pub async fn traffic(
    State(shared): State<Arc<Shared>>,
    Asked(when): Asked<When>,
) -> Result<Response, Problem> {
    kept_traffic(shared, when.span()).await
}

async fn kept_traffic(shared: Arc<Shared>, span: Span) -> Result<Response, Problem> {
    let work = of_traffic(shared.clone(), span);
    shared.keep(format!("traffic {span:?}"), shared.asker.ask(work)).await
}

/// Counts connections and bytes by time and protocol.
pub async fn of_traffic(shared: Arc<Shared>, span: Span) -> Result<Traffic, Problem> {
    let Some(connections) = Connections::of(&shared).await? else { return Ok(Traffic::default()) };
    let mut traffic = Traffic {
        table: Some(connections.table.full_name()),
        time: connections.begin.clone(),
        ..Traffic::default()
    };
    let Some((first, last)) = connections.span(&shared, span).await? else { return Ok(traffic) };
    let step = step_for(last.saturating_sub(first));
    traffic.step = step;
    traffic.from = first.div_euclid(step).saturating_mul(step);
    let bar = (micros(column(&connections.begin)) - lit(traffic.from)) / lit(step);
    let frame = connections.rows(&shared, span).await?;
    let frame = frame.aggregate(
        vec![bar.alias("bar"), connections.protocol.clone().alias("protocol")],
        vec![count(lit(1_i64)).alias("connections"), sum(connections.bytes.clone()).alias("bytes")],
    )?;
    let mut series: BTreeMap<String, BTreeMap<i64, (i64, i64)>> = BTreeMap::new();
    for batch in collect(frame, GROUPS, usize::MAX).await?.batches {
        let (bars, names) = (numbers(&batch, "bar"), texts(&batch, "protocol"));
        let (counts, bytes) = (numbers(&batch, "connections"), numbers(&batch, "bytes"));
        for (((bar, name), count), bytes) in bars.into_iter().zip(names).zip(counts).zip(bytes) {
            let Some(bar) = bar else { continue };
            let name = name.unwrap_or_else(|| "unknown".to_owned());
            series.entry(name).or_default().insert(bar, (count.unwrap_or(0), bytes.unwrap_or(0)));
        }
    }
    let bars = usize::try_from((last - traffic.from) / step + 1).unwrap_or(0);
    let mut ordered: Vec<(i64, String, Bars)> = series
        .into_iter()
        .map(|(name, bars)| (bars.values().map(|(count, _)| count).sum(), name, bars))
        .collect();
    ordered.sort_by(|one, other| other.0.cmp(&one.0).then_with(|| one.1.cmp(&other.1)));
    for (place, (_, name, values)) in ordered.into_iter().enumerate() {
        if place <= SERIES {
            let name = if place == SERIES { "other".to_owned() } else { name };
            traffic.series.push(Series { name, connections: vec![0; bars], bytes: vec![0; bars] });
        }
        let Some(series) = traffic.series.last_mut() else { continue };
        for (bar, (count, bytes)) in values {
            let Ok(bar) = usize::try_from(bar) else { continue };
            series.connections.get_mut(bar).into_iter().for_each(|sum| *sum += count);
            series.bytes.get_mut(bar).into_iter().for_each(|sum| *sum += bytes);
        }
    }
    Ok(traffic)
}

/// Two hosts that talk to each other.
#[derive(Serialize, Clone, PartialEq, Eq, Debug)]
pub struct Pair {
    /// The one that begins.
    pub one: String,
    /// The other one.
    pub other: String,
    /// Their connections.
    pub connections: i64,
    /// The bytes of these.
    pub bytes: i64,
}

/// Who talks to whom.
#[derive(Serialize, Clone, Debug, Default)]
pub struct Talkers {
    /// The table of connections, if there is one.
    pub table: Option<String>,
    /// The columns of the addresses.
    pub ends: Vec<&'static str>,
    /// Those that sent most first.
    pub pairs: Vec<Pair>,
    /// There are more.
    pub more: bool,
}

/// The pairs of hosts that sent most.
pub async fn talkers(
    State(shared): State<Arc<Shared>>,
    Asked(when): Asked<When>,
) -> Result<Response, Problem> {
    kept_talkers(shared, when.span()).await
}

async fn kept_talkers(shared: Arc<Shared>, span: Span) -> Result<Response, Problem> {
    let work = of_talkers(shared.clone(), span);
    shared.keep(format!("talkers {span:?}"), shared.asker.ask(work)).await
}

/// Finds the pairs of hosts that sent most.
pub async fn of_talkers(shared: Arc<Shared>, span: Span) -> Result<Talkers, Problem> {
    let Some(connections) = Connections::of(&shared).await? else { return Ok(Talkers::default()) };
    let [from, _, to, _] = connections.ends;
    let frame = connections.rows(&shared, span).await?;
    let frame = frame
        .aggregate(
            vec![column(from).alias("one"), column(to).alias("other")],
            vec![count(lit(1_i64)).alias("connections"), sum(connections.bytes.clone()).alias("bytes")],
        )?
        .sort(vec![
            column("bytes").sort(false, false),
            column("connections").sort(false, false),
            column("one").sort(true, false),
            column("other").sort(true, false),
        ])?;
    // Twice as many, for a pair may have talked in both directions.
    let found = collect(frame, 2 * PAIRS, usize::MAX).await?;
    let mut sums: HashMap<(String, String), (i64, i64)> = HashMap::new();
    for batch in &found.batches {
        let (ones, others) = (texts(batch, "one"), texts(batch, "other"));
        let (counts, bytes) = (numbers(batch, "connections"), numbers(batch, "bytes"));
        for (((one, other), count), bytes) in ones.into_iter().zip(others).zip(counts).zip(bytes) {
            let (Some(one), Some(other)) = (one, other) else { continue };
            let turned = sums.contains_key(&(other.clone(), one.clone()));
            let sum = sums.entry(if turned { (other, one) } else { (one, other) }).or_default();
            sum.0 += count.unwrap_or(0);
            sum.1 += bytes.unwrap_or(0);
        }
    }
    let pair = |((one, other), (connections, bytes))| Pair { one, other, connections, bytes };
    let mut pairs: Vec<Pair> = sums.into_iter().map(pair).collect();
    pairs.sort_by(|a, b| b.bytes.cmp(&a.bytes).then_with(|| (&a.one, &a.other).cmp(&(&b.one, &b.other))));
    let more = found.cut || pairs.len() > PAIRS;
    pairs.truncate(PAIRS);
    Ok(Talkers { table: Some(connections.table.full_name()), ends: vec![from, to], pairs, more })
}

/// Something that may have been lost; nothing where no record tells.
#[derive(Serialize, Clone, Debug)]
pub struct Loss {
    /// What was lost.
    pub name: &'static str,
    /// How much.
    pub value: Option<i64>,
    /// Of how much.
    pub of: Option<i64>,
    /// The table that tells it.
    pub source: &'static str,
}

/// Counters of EVE's statistics: words for people, the counter, and what it is a part of.
const COUNTERS: [(&str, &[&str], Option<&str>); 6] = [
    ("Packets the kernel dropped", &["stats.capture.kernel_drops"], Some("stats.capture.kernel_packets")),
    ("Packets that are invalid", &["stats.decoder.invalid"], Some("stats.decoder.pkts")),
    ("Gaps in streams", &["stats.tcp.reassembly_gap"], None),
    ("Segments no memory was left for", &["stats.tcp.segment_memcap_drop"], None),
    ("Flows no memory was left for", &["stats.flow.memcap", "stats.tcp.ssn_memcap_drop"], None),
    ("Alerts beyond the queue of a packet", &["stats.detect.alert_queue_overflow"], None),
];

/// What was lost, as far as records tell.
pub async fn lost(State(shared): State<Arc<Shared>>, Asked(when): Asked<When>) -> Result<Response, Problem> {
    kept_lost(shared, when.span()).await
}

async fn kept_lost(shared: Arc<Shared>, span: Span) -> Result<Response, Problem> {
    let work = of_lost(shared.clone(), span);
    shared.keep(format!("lost {span:?}"), shared.asker.ask(work)).await
}

/// Tells what was lost, as far as records do.
pub async fn of_lost(shared: Arc<Shared>, span: Span) -> Result<Vec<Loss>, Problem> {
    let stats = shared.tables.first(&[("stats", &["timestamp"])]).await?;
    let mut losses = Vec::new();
    for (name, counters, whole) in COUNTERS {
        let (mut value, mut of) = (None, None);
        if let Some(stats) = &stats {
            for counter in counters {
                let counted = counted(&shared, stats, counter, span).await?;
                value = value.map_or(counted, |sum: i64| Some(sum + counted.unwrap_or(0)));
            }
            if let Some(whole) = whole {
                of = counted(&shared, stats, whole, span).await?;
            }
        }
        losses.push(Loss { name, value, of, source: "eve.stats" });
    }
    let missed = shared.tables.first(&[("conn", &["ts", "missed_bytes"])]).await?;
    let value = match missed {
        Some(table) => summed(&shared, &table, "missed_bytes", span).await?,
        None => None,
    };
    losses.push(Loss { name: "Bytes missing in connections", value, of: None, source: "zeek.conn" });
    Ok(losses)
}

/// The greatest value of a counter that only grows.
async fn counted(shared: &Shared, table: &Table, name: &str, span: Span) -> Result<Option<i64>, Problem> {
    if !table.has(name) {
        return Ok(None);
    }
    let frame = shared.tables.rows(table, &Search::All, span).await?;
    let frame = frame.aggregate(vec![], vec![max(cast(column(name), DataType::Int64)).alias("value")])?;
    Ok(only(&collect(frame, 1, usize::MAX).await?.batches, "value"))
}

async fn summed(shared: &Shared, table: &Table, name: &str, span: Span) -> Result<Option<i64>, Problem> {
    let frame = shared.tables.rows(table, &Search::All, span).await?;
    let frame = frame.aggregate(vec![], vec![sum(cast(column(name), DataType::Int64)).alias("value")])?;
    Ok(only(&collect(frame, 1, usize::MAX).await?.batches, "value"))
}

/// Computes what the first page asks for, before anybody does.
pub async fn warm(shared: Arc<Shared>) {
    // What fails is told to who asks.
    let all = Span::default();
    let _ = kept_traffic(shared.clone(), all).await;
    let _ = super::alerts::kept(shared.clone(), all).await;
    let _ = kept_talkers(shared.clone(), all).await;
    let _ = kept_lost(shared, all).await;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_few_and_round() {
        let cases = [
            (0, 1_000),
            (1_400_000, 20_000),
            (95 * 1_000_000, 1_000_000),
            (96 * 1_000_000, 1_000_000),
            (97 * 1_000_000, 2_000_000),
            (86_400_000_000, 900_000_000),
            (365 * 86_400_000_000, 7 * 86_400_000_000),
            (i64::MAX, 1_112_000 * 86_400_000_000),
        ];
        for (length, expected) in cases {
            assert_eq!(step_for(length), expected, "{length}");
        }
    }
}
