//! Figures as people read them: a line for each row, or with several programs a line for each of them.

use super::figures::{Figure, Figures};
use super::table::{Cell, Look, Table, Tone};

/// Ratios closer to one than this are no difference.
const SAME: f64 = 0.02;
/// Programs that are more than this get a line each, and the rows are columns.
const FEW_PROGRAMS: usize = 2;

/// The report: what was measured, the figures, and what is to be said of them.
pub fn text(figures: &Figures, look: Look) -> String {
    let tables = if figures.programs.len() > FEW_PROGRAMS {
        let (times, memory) = (times_by_program(figures).text(look), memory_by_program(figures).text(look));
        format!("{times}\n{memory}\n{}\n", spread_of_ratios(figures))
    } else {
        by_row(figures).text(look)
    };
    let mut text = format!("{}\n\n{tables}", opening(figures));
    let notes = if look == Look::Markdown { Vec::new() } else { notes(figures) };
    for note in notes {
        text += &format!("\n{note}\n");
    }
    text
}

fn opening(figures: &Figures) -> String {
    let read = format!(
        "{}: {} packets, {:.1} MB",
        figures.captures.join(", "),
        figures.packets,
        figures.bytes as f64 / 1e6
    );
    let unit = figures.unit.as_ref().map(|(name, cpu)| format!(". {name} takes {:.3} s", cpu.middle));
    let runs =
        if figures.runs == 1 { "one run".to_owned() } else { format!("medians of {} runs", figures.runs) };
    format!("{read}{}; {runs}.", unit.unwrap_or_default())
}

fn notes(figures: &Figures) -> Vec<String> {
    let mut notes = Vec::new();
    if !figures.has_counts() {
        notes.push("Counters of instructions and cycles are not available here.".to_owned());
    }
    if figures.figures.iter().any(|figure| figure.ratio_interval.is_some()) {
        notes.push(
            "In brackets is the interval that holds the true ratio with a confidence of 95 % (bootstrap)."
                .to_owned(),
        );
    }
    if figures.is_short() {
        notes.push(
            "So little traffic tells little: take captures that a run reads for a tenth of a second or more."
                .to_owned(),
        );
    }
    notes
}

/// A column: its title, and what a figure shows in it.
type Column<'a> = (String, Box<dyn Fn(&Figure) -> Cell + 'a>);

fn columns(figures: &Figures) -> Vec<Column<'_>> {
    let mut columns: Vec<Column<'_>> =
        vec![("CPU s".to_owned(), Box::new(|figure| format!("{:.3}", figure.cpu.middle).into()))];
    if let Some((unit, _)) = &figures.unit {
        columns.push((unit.clone(), Box::new(units)));
    }
    if figures.figures.iter().any(|figure| figure.limit.is_some()) {
        columns.push(("limit".to_owned(), Box::new(|figure| number(figure.limit, 2).into())));
    }
    columns.push((
        "spread".to_owned(),
        Box::new(|figure| format!("{:.0}%", figure.cpu.relative() * 100.0).into()),
    ));
    columns.push(("elapsed s".to_owned(), Box::new(|figure| format!("{:.3}", figure.elapsed).into())));
    columns.push((
        "Mpackets/s".to_owned(),
        Box::new(|figure| number(figure.packet_rate.map(|rate| rate / 1e6), 2).into()),
    ));
    columns.push((
        "Gbit/s".to_owned(),
        Box::new(|figure| number(figure.bit_rate.map(|rate| rate / 1e9), 2).into()),
    ));
    columns.push(("memory".to_owned(), Box::new(|figure| format!("{:.0} MB", figure.memory / 1e6).into())));
    if figures.has_counts() {
        let millions = |count: Option<f64>| number(count.map(|count| count / 1e6), 0).into();
        columns.push(("M instructions".to_owned(), Box::new(move |figure| millions(figure.instructions))));
        columns.push(("M cycles".to_owned(), Box::new(move |figure| millions(figure.cycles))));
    }
    if figures.programs.len() > 1 {
        columns.push(("ratio".to_owned(), Box::new(ratio)));
    }
    columns
}

fn by_row(figures: &Figures) -> Table {
    let columns = columns(figures);
    let titles = columns.iter().map(|(title, _)| title.clone().into());
    let mut table = Table::new(std::iter::once("".into()).chain(titles).collect());
    for figure in &figures.figures {
        let title = match figures.programs.get(figure.program) {
            Some(name) if figure.program > 0 => format!("  {name}"),
            _ => figure.title.to_owned(),
        };
        let cells = columns.iter().map(|(_, cell)| cell(figure));
        table.line(std::iter::once(title.into()).chain(cells).collect());
    }
    table
}

fn times_by_program(figures: &Figures) -> Table {
    by_program(figures, "CPU seconds", |figure| {
        let seconds = format!("{:.3}", figure.cpu.middle);
        match figure.ratio {
            Some(ratio) => Cell::new(format!("{seconds} ×{:.2}{}", ratio.middle, half(figure)), tone(figure)),
            None => seconds.into(),
        }
    })
}

/// Half the length of the interval of a ratio.
fn half(figure: &Figure) -> String {
    figure
        .ratio_interval
        .map_or_else(String::new, |interval| format!("±{:.2}", (interval.high - interval.low) / 2.0))
}

fn memory_by_program(figures: &Figures) -> Table {
    by_program(figures, "peak memory", |figure| format!("{:.0} MB", figure.memory / 1e6).into())
}

/// A line for each program, a column for each row.
fn by_program(figures: &Figures, what: &str, cell: impl Fn(&Figure) -> Cell) -> Table {
    let of = |program: usize| figures.figures.iter().filter(move |figure| figure.program == program);
    let mut table =
        Table::new(std::iter::once(what.into()).chain(of(0).map(|figure| figure.title.into())).collect());
    for (program, name) in figures.programs.iter().enumerate() {
        table.line(std::iter::once(name.clone().into()).chain(of(program).map(&cell)).collect());
    }
    table
}

/// Returns the spread of the ratios, in a table that has no room for each one's quartiles.
fn spread_of_ratios(figures: &Figures) -> String {
    let spreads = figures.figures.iter().filter_map(|figure| Some(figure.ratio?.relative()));
    let most = spreads.fold(0.0, f64::max);
    format!("From quartile to quartile the ratios differ by up to {:.0}%.", most * 100.0)
}

fn units(figure: &Figure) -> Cell {
    let tone = if figure.is_over_limit() { Tone::Bad } else { Tone::Usual };
    Cell::new(number(figure.units, 3), tone)
}

fn ratio(figure: &Figure) -> Cell {
    let Some(ratio) = figure.ratio else { return "".into() };
    let shown = match figure.ratio_interval {
        Some(interval) => format!("{:.3} [{:.3}, {:.3}]", ratio.middle, interval.low, interval.high),
        None => format!("{:.3}", ratio.middle),
    };
    Cell::new(shown, tone(figure))
}

/// Whether a program takes clearly less or clearly more than the first: the interval of its ratio is on one side of 1.
fn tone(figure: &Figure) -> Tone {
    match (figure.ratio, figure.ratio_interval) {
        (Some(ratio), Some(interval)) if ratio.middle < 1.0 - SAME && interval.high < 1.0 => Tone::Good,
        (Some(ratio), Some(interval)) if ratio.middle > 1.0 + SAME && interval.low > 1.0 => Tone::Bad,
        _ => Tone::Usual,
    }
}

fn number(value: Option<f64>, digits: usize) -> String {
    value.map(|value| format!("{value:.digits$}")).unwrap_or_default()
}
