//! `packet_stats.log`: what packets cost, by IP version and protocol, and of it each part.

use weir_base::JsonWriter;
use weir_base::profile::Stage;
use weir_base::profile::layers::{Layer, LayerCost, LayerCosts, PacketKind};

/// Protocol number of TCP.
const TCP: u16 = 6;

/// Parts of the worker, with the stages that they are made of.
const WORKER_PARTS: [(&str, &[Stage]); 4] = [
    ("flow", &[Stage::Flow]),
    ("stream", &[Stage::Stream]),
    ("app-layer", &[Stage::Session, Stage::Parser]),
    ("detect", &[Stage::Detect, Stage::Lua]),
];

/// Returns a large number in short.
fn short(number: u64) -> String {
    let float = number as f64;
    match number {
        0..1_000 => number.to_string(),
        1_000..1_000_000 => format!("{:.1}k", float / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1}m", float / 1e6),
        _ => format!("{:.1}b", float / 1e9),
    }
}

/// A row: a name, the packets, and what it cost.
struct Row {
    name: String,
    kind: PacketKind,
    cost: LayerCost,
}

/// Whether the section shows shares.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Percent {
    Right,
    Left,
}

/// Columns that a section has behind the averages.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Behind {
    Nothing,
    Sum,
    SumAndShare,
}

/// Appends the names of a section's columns: the first, those that all have, and those behind them.
fn header(first: Option<(&str, usize)>, behind: Behind, out: &mut String) {
    let columns = [
        ("IP ver", 6, 6),
        ("Proto", 5, 5),
        ("cnt", 10, 12),
        ("min", 12, 12),
        ("max", 12, 12),
        ("avg", 11, 12),
        ("tot", 11, 12),
    ];
    let count = if behind == Behind::Nothing { columns.len() - 1 } else { columns.len() };
    let own = first.map(|(name, width)| (name, width, width));
    let all: Vec<_> = own.into_iter().chain(columns.into_iter().take(count)).collect();
    let names: Vec<String> = all.iter().map(|(name, _, width)| format!("{name:<width$}")).collect();
    let lines: Vec<String> =
        all.iter().map(|(_, dashes, width)| format!("{:<width$}", "-".repeat(*dashes))).collect();
    let (name, line) = if behind == Behind::SumAndShare { ("  %% ", "  ---") } else { ("", "") };
    out.push_str(&format!("\n{}{name}\n{}{line}\n", names.join("   "), lines.join("   ")));
}

/// Appends rows, those of IPv4 first.
fn rows(rows: &[Row], width: usize, percent: Percent, factor: u64, out: &mut String) {
    let all: u64 = rows.iter().map(|row| row.cost.ticks).sum();
    for version in [4, 6, 0] {
        for Row { name, kind, cost } in rows.iter().filter(|row| row.kind.version == version) {
            let share = cost.ticks as f64 * 100.0 / all.max(1) as f64;
            let share = match percent {
                Percent::Right => format!("{share:6.2}"),
                Percent::Left => format!("{share:<6.2}"),
            };
            let first = if width == 0 { " ".to_owned() } else { format!("{name:<width$}    ") };
            let ip = if version == 0 { "none".to_owned() } else { format!("IPv{version}") };
            let average = cost.ticks / cost.units.max(1);
            out.push_str(&format!(
                "{first}{ip}     {:3}  {:12}     {:12}   {:12}  {average:12}  {:>12}  {share}\n",
                kind.protocol,
                cost.units * factor,
                cost.min,
                cost.max,
                short(cost.ticks * factor),
            ));
        }
    }
}

/// Returns a row for each kind of packet and each layer that `name` names.
fn parts(costs: &LayerCosts, name: impl Fn(&Layer) -> Option<String>) -> Vec<Row> {
    let mut found: Vec<Row> = Vec::new();
    for (kind, _, each) in &costs.kinds {
        for (layer, cost) in costs.layers.iter().zip(each).filter(|(_, cost)| cost.units > 0) {
            let Some(name) = name(layer) else { continue };
            match found.iter_mut().find(|row| row.name == name && row.kind == *kind) {
                Some(row) => add_within(&mut row.cost, cost),
                None => found.push(Row { name, kind: *kind, cost: *cost }),
            }
        }
    }
    found.sort_by(|one, other| (&one.name, one.kind).cmp(&(&other.name, other.kind)));
    found
}

/// Adds what another layer took in the same packets; how much one of them took of both is not known, but no less than of
/// each.
fn add_within(cost: &mut LayerCost, other: &LayerCost) {
    cost.units = cost.units.max(other.units);
    cost.ticks += other.ticks;
    cost.calls += other.calls;
    cost.min = cost.min.max(other.min);
    cost.max = cost.max.max(other.max);
}

/// Appends the log.
pub(super) fn write_text(costs: &LayerCosts, factor: u64, out: &mut String) {
    out.push_str("\n\nPacket profile dump:\n");
    header(None, Behind::SumAndShare, out);
    let mut whole: Vec<Row> = costs
        .kinds
        .iter()
        .map(|(kind, cost, _)| Row { name: String::new(), kind: *kind, cost: *cost })
        .collect();
    whole.sort_by_key(|row| row.kind);
    rows(&whole, 0, Percent::Right, factor, out);
    out.push_str("Note: Protocol 256 tracks pseudo/tunnel packets.\n");
    out.push_str("\nPer Thread module stats:\n");
    header(Some(("Thread Module", 24)), Behind::SumAndShare, out);
    let modules = parts(costs, |layer| {
        Some(match layer.stage {
            Stage::Decode | Stage::Defrag => "Decode".to_owned(),
            _ => "FlowWorker".to_owned(),
        })
    });
    rows(&modules, 24, Percent::Right, factor, out);
    header(Some(("Flow Worker", 20)), Behind::Nothing, out);
    rows(&worker_parts(costs), 20, Percent::Left, factor, out);
    out.push_str("Note: stream includes app-layer for TCP\n");
    out.push_str("\nPer App layer parser stats:\n");
    header(Some(("App Layer", 20)), Behind::Nothing, out);
    let own = |stage: Stage| move |layer: &Layer| (layer.stage == stage).then(|| layer.name.to_owned());
    rows(&parts(costs, own(Stage::Parser)), 20, Percent::Left, factor, out);
    let detection = |layer: &Layer| (layer.stage == Stage::Session).then(|| "Proto detect".to_owned());
    rows(&parts(costs, detection), 20, Percent::Left, factor, out);
    out.push_str("\nLogger/output stats:\n");
    header(Some(("Logger", 24)), Behind::Sum, out);
    let outputs = |layer: &Layer| match layer.stage {
        Stage::Output => Some(layer.name.to_owned()),
        Stage::Zeek => Some(format!("zeek {}", layer.name)),
        _ => None,
    };
    rows(&parts(costs, outputs), 24, Percent::Left, factor, out);
    out.push_str("\nGeneral detection engine stats:\n");
    header(Some(("Detection phase", 24)), Behind::Sum, out);
    let phase = |layer: &Layer| {
        let name = if layer.name.is_empty() { "detect" } else { layer.name };
        matches!(layer.stage, Stage::Detect | Stage::Lua).then(|| name.to_owned())
    };
    rows(&parts(costs, phase), 24, Percent::Left, factor, out);
}

/// Returns the parts of the worker. Parsers of TCP are called by the stream, and counted with it, too.
fn worker_parts(costs: &LayerCosts) -> Vec<Row> {
    let mut all = Vec::new();
    for (part, stages) in WORKER_PARTS {
        let of_part = parts(costs, |layer| stages.contains(&layer.stage).then(|| part.to_owned()));
        if part == "app-layer" {
            for row in of_part {
                let stream =
                    all.iter_mut().find(|known: &&mut Row| known.name == "stream" && known.kind == row.kind);
                match stream.filter(|_| row.kind.protocol == TCP) {
                    Some(stream) => add_within(&mut stream.cost, &row.cost),
                    None => all.push(row),
                }
            }
        } else {
            all.extend(of_part);
        }
    }
    all
}

/// Adds the rows to an object.
pub(super) fn write_json(costs: &LayerCosts, factor: u64, json: &mut JsonWriter<'_>) {
    let mut kinds: Vec<_> = costs.kinds.iter().collect();
    kinds.sort_by_key(|(kind, _, _)| *kind);
    json.objects("packets", kinds, |json, (kind, cost, _)| {
        json.unsigned("ip_version", kind.version);
        json.unsigned("protocol", kind.protocol);
        json.unsigned("packets", cost.units * factor);
        json.unsigned("ticks", cost.ticks * factor);
        json.unsigned("ticks_min", cost.min);
        json.unsigned("ticks_max", cost.max);
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn costs() -> LayerCosts {
        let layers = vec![
            Layer { stage: Stage::Worker, name: "" },
            Layer { stage: Stage::Stream, name: "" },
            Layer { stage: Stage::Parser, name: "http" },
            Layer { stage: Stage::Output, name: "fast.log" },
        ];
        let cost = |ticks, min, max| LayerCost { calls: 2, units: 2, ticks, min, max };
        let each = vec![cost(100, 40, 60), cost(3000, 1000, 2000), cost(900, 400, 500), cost(0, 0, 0)];
        let kind = PacketKind { version: 4, protocol: 6 };
        LayerCosts { layers, kinds: vec![(kind, cost(4000, 1500, 2500), each)] }
    }

    #[test]
    fn the_log_has_the_form_of_the_reference() {
        let mut text = String::new();
        write_text(&costs(), 1, &mut text);
        for line in [
            "IP ver   Proto   cnt            min            max            avg            tot           %% ",
            " IPv4       6             2             1500           2500          2000          4.0k  100.00",
            "Note: Protocol 256 tracks pseudo/tunnel packets.",
            "FlowWorker                  IPv4       6             2             1000           2000          2000          4.0k  100.00",
            "stream                  IPv4       6             2             1000           2000          1950          3.9k  100.00",
            "http                    IPv4       6             2              400            500           450           900  100.00",
            "Logger                     IP ver   Proto   cnt            min            max            avg            tot         ",
        ] {
            assert!(text.lines().any(|known| known == line), "no {line:?} in\n{text}");
        }
    }

    #[test]
    fn large_numbers_are_short() {
        for (number, text) in [(999, "999"), (1_234, "1.2k"), (2_500_000, "2.5m"), (7_000_000_000, "7.0b")] {
            assert_eq!(short(number), text);
        }
    }
}
