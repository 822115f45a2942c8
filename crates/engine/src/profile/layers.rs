//! What each stage of a packet's way costs by itself.

use weir_base::JsonWriter;
use weir_base::profile::Stage;
use weir_base::profile::layers::{Layer, LayerCost, LayerCosts};

use super::table::row;

/// Names of the columns, with their widths.
const COLUMNS: [(&str, usize); 7] = [
    ("Layer", 34),
    ("%", 6),
    ("Ticks", 14),
    ("Per packet", 11),
    ("Calls", 12),
    ("Per call", 11),
    ("Max of packet", 14),
];

/// Returns the layers, the dearest first, with the ticks of all and the number of units.
pub(super) fn sorted(costs: &LayerCosts) -> (Vec<(Layer, LayerCost)>, u64, u64) {
    let mut rows: Vec<_> = costs.by_layer().into_iter().filter(|(_, cost)| cost.calls > 0).collect();
    rows.sort_by_key(|(layer, cost)| (std::cmp::Reverse(cost.ticks), *layer));
    let ticks = rows.iter().map(|(_, cost)| cost.ticks).sum();
    let units = costs.kinds.iter().map(|(_, whole, _)| whole.units).sum();
    (rows, ticks, units)
}

/// Returns the name of a layer.
pub(super) fn name(layer: &Layer) -> String {
    match layer.name {
        "" => layer.stage.name().to_owned(),
        part => format!("{}: {part}", layer.stage.name()),
    }
}

fn ratio(sum: u64, count: u64) -> f64 {
    if count == 0 { 0.0 } else { sum as f64 / count as f64 }
}

/// Appends the table.
pub(super) fn write_text(costs: &LayerCosts, factor: u64, limit: usize, out: &mut String) {
    let (rows, all, units) = sorted(costs);
    row(out, 2, COLUMNS);
    for (layer, cost) in rows.iter().take(limit) {
        let cells: [String; 7] = [
            name(layer),
            format!("{:.2}", ratio(cost.ticks * 100, all)),
            (cost.ticks * factor).to_string(),
            format!("{:.1}", ratio(cost.ticks, units)),
            (cost.calls * factor).to_string(),
            format!("{:.1}", ratio(cost.ticks, cost.calls)),
            cost.max.to_string(),
        ];
        row(out, 2, cells.iter().zip(COLUMNS.map(|(_, width)| width)));
    }
    row(
        out,
        2,
        [
            ("all".to_owned(), 34),
            ("100.00".to_owned(), 6),
            ((all * factor).to_string(), 14),
            (format!("{:.1}", ratio(all, units)), 0),
        ],
    );
}

/// Adds the rows to an object.
pub(super) fn write_json(costs: &LayerCosts, factor: u64, json: &mut JsonWriter<'_>) {
    let (rows, all, units) = sorted(costs);
    json.unsigned("packets", units * factor);
    json.unsigned("ticks", all * factor);
    json.objects("layers", &rows, |json, (layer, cost)| {
        json.string("stage", layer.stage.name());
        json.some_string("part", Some(layer.name));
        json.unsigned("ticks", cost.ticks * factor);
        json.unsigned("calls", cost.calls * factor);
        json.unsigned("packets", cost.units * factor);
        json.unsigned("ticks_min", cost.min);
        json.unsigned("ticks_max", cost.max);
    });
}

/// Returns the ticks of a stage in all of its parts.
pub(super) fn of_stage(costs: &LayerCosts, stage: Stage) -> u64 {
    costs.by_layer().iter().filter(|(layer, _)| layer.stage == stage).map(|(_, cost)| cost.ticks).sum()
}
