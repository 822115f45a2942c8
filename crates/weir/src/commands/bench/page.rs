//! `--html`: figures as a page for browsers.

use weir_lab::report::{Cell, Chart, Look, Part, Series, Table};

use super::figures::{Figure, Figures};

/// Returns the parts of a page: a chart of CPU seconds by row and program, and a table of all figures.
pub fn parts(figures: &Figures) -> Vec<Part> {
    let rows: Vec<&Figure> = figures.figures.iter().filter(|figure| figure.program == 0).collect();
    let words = rows.iter().map(|figure| figure.title.to_owned()).collect();
    let series = figures.programs.iter().enumerate().map(|(program, name)| {
        let own: Vec<&Figure> = figures.figures.iter().filter(|figure| figure.program == program).collect();
        Series {
            name: name.clone(),
            points: (0..).zip(&own).map(|(at, figure)| (f64::from(at), figure.cpu.middle)).collect(),
            errors: own.iter().map(|figure| (figure.cpu.high - figure.cpu.low) / 2.0).collect(),
        }
    });
    let chart = Chart {
        title: "CPU time by row".to_owned(),
        note: "The lines are from quartile to quartile.".to_owned(),
        look: Look::Bars,
        across: "row".to_owned(),
        upward: "CPU time [s]".to_owned(),
        words,
        series: series.collect(),
    };
    vec![Part::Chart(chart), Part::Table(table(figures))]
}

fn table(figures: &Figures) -> Table {
    let number = |value: Option<f64>| value.map_or(Cell::Empty, Cell::Number);
    let rows = figures.figures.iter().map(|figure| {
        vec![
            figure.title.into(),
            figures.programs.get(figure.program).map_or(Cell::Empty, |name| name.as_str().into()),
            figure.cpu.middle.into(),
            (figure.cpu.relative() * 100.0).into(),
            number(figure.packet_rate),
            figure.memory.into(),
            number(figure.ratio.map(|ratio| ratio.middle)),
            number(figure.ratio_interval.map(|interval| interval.low)),
            number(figure.ratio_interval.map(|interval| interval.high)),
        ]
    });
    let column = |title: &str, unit: &str| (title.to_owned(), unit.to_owned());
    Table {
        title: "Figures".to_owned(),
        note: "Ratios are of CPU time, to the first program, with the interval of 95 %.".to_owned(),
        columns: vec![
            column("row", ""),
            column("program", ""),
            column("CPU time [s]", "number"),
            column("spread", "percent"),
            column("packets/s", "count"),
            column("peak memory", "bytes"),
            column("ratio", "number"),
            column("at least", "number"),
            column("at most", "number"),
        ],
        rows: rows.collect(),
    }
}
