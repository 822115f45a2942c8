//! Profiles as tables of text: numbers first, then what they belong to.

use weir_lab::formats::pprof::main_measure;
use weir_lab::formats::svg::amount;
use weir_lab::profile::Profile;
use weir_lab::purpose;
use weir_lab::summary::{Site, functions, sites};

/// Longest name that is printed.
const MAX_NAME: usize = 100;

/// Lines of numbers with a text behind them.
struct Lines {
    head: (Vec<&'static str>, &'static str),
    lines: Vec<(Vec<String>, String)>,
}

impl Lines {
    fn new(numbers: &[&'static str], text: &'static str) -> Self {
        Self { head: (numbers.to_vec(), text), lines: Vec::new() }
    }

    fn text(&self) -> String {
        let head = (self.head.0.iter().map(|title| (*title).to_owned()).collect(), self.head.1.to_owned());
        let all: Vec<&(Vec<String>, String)> = std::iter::once(&head).chain(&self.lines).collect();
        let width = |column: usize| {
            let cells = all.iter().filter_map(|(numbers, _)| numbers.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.head.0.len()).map(width).collect();
        let mut text = String::new();
        for (numbers, name) in all {
            for (cell, width) in numbers.iter().zip(&widths) {
                text += &format!("{}{cell}  ", " ".repeat(width.saturating_sub(cell.chars().count())));
            }
            text += &format!("{name}\n");
        }
        text
    }
}

/// Returns what a CPU profile tells.
pub fn cpu(profile: &Profile, limit: usize) -> String {
    let measure = profile.measure("cpu").unwrap_or_default();
    let total = profile.total(measure);
    let mut text = format!("{}: {}\n\n", profile.title, amount(total as f64, "nanoseconds"));
    text += &by_purpose(profile, measure, "CPU time");
    let mut lines = Lines::new(&["own", "own %", "with calls %"], "function");
    for sum in functions(profile, measure).iter().take(limit) {
        let own = amount(sum.own as f64, "nanoseconds");
        lines.lines.push((vec![own, percent(sum.own, total), percent(sum.total, total)], shown(&sum.name)));
    }
    text += &lines.text();
    text + &remarks(profile)
}

/// Returns what heap profiles tell: when most was in use, and at the end.
pub fn heap(peak: &Profile, end: &Profile, limit: usize) -> String {
    let measure = main_measure(peak);
    let mut text = format!("{}: {}\n\n", peak.title, amount(peak.total(measure) as f64, "bytes"));
    text += &by_purpose(peak, measure, "in use");
    text += &by_site(peak, measure, limit);
    let left = end.total(measure);
    text += &format!("\n{}: {} not freed\n\n", end.title, amount(left as f64, "bytes"));
    text += &by_site(end, measure, limit);
    text + &remarks(peak)
}

/// Returns what a difference of profiles tells.
pub fn difference(profile: &Profile, limit: usize) -> String {
    let measure = main_measure(profile);
    let unit = profile.measures.get(measure).map_or("", |measure| measure.unit.as_str());
    let mut text = format!("{}: {}\n\n", profile.title, amount(profile.total(measure) as f64, unit));
    if unit == "bytes" {
        text += &by_purpose(profile, measure, "difference");
        return text + &by_site(profile, measure, limit);
    }
    let mut sums = functions(profile, measure);
    sums.sort_by_key(|sum| std::cmp::Reverse(sum.own.abs()));
    let mut lines = Lines::new(&["own", "with calls"], "function");
    for sum in sums.iter().filter(|sum| sum.own != 0).take(limit) {
        lines
            .lines
            .push((vec![amount(sum.own as f64, unit), amount(sum.total as f64, unit)], shown(&sum.name)));
    }
    text + &lines.text()
}

fn by_purpose(profile: &Profile, measure: usize, title: &'static str) -> String {
    let unit = profile.measures.get(measure).map_or("", |measure| measure.unit.as_str());
    let total = profile.total(measure);
    let mut lines = Lines::new(&[title, "share"], "purpose");
    for (purpose, sum) in purpose::sums(profile, measure) {
        lines.lines.push((vec![amount(sum as f64, unit), percent(sum, total)], purpose.to_owned()));
    }
    lines.text() + "\n"
}

fn by_site(profile: &Profile, measure: usize, limit: usize) -> String {
    let objects = profile.measure("inuse_objects").unwrap_or_default();
    let total = profile.total(measure);
    let mut lines = Lines::new(&["in use", "share", "objects"], "purpose and call site");
    let value = |site: &Site, measure: usize| site.values.get(measure).copied().unwrap_or_default();
    for site in sites(profile, measure).iter().filter(|site| value(site, measure) != 0).take(limit) {
        let bytes = value(site, measure);
        let numbers =
            vec![amount(bytes as f64, "bytes"), percent(bytes, total), value(site, objects).to_string()];
        lines.lines.push((numbers, format!("{}: {}", site.purpose, shown(&place(site)))));
    }
    lines.text()
}

/// Returns a call site in words: its function, file and line.
pub fn place(site: &Site) -> String {
    match site.file.rsplit_once('/') {
        Some((_, file)) => format!("{} ({file}:{})", site.name, site.line),
        None => site.name.clone(),
    }
}

fn remarks(profile: &Profile) -> String {
    profile.remarks.iter().map(|remark| format!("\n{remark}\n")).collect()
}

fn percent(part: i64, whole: i64) -> String {
    if whole == 0 { String::new() } else { format!("{:.1}", part as f64 / whole as f64 * 100.0) }
}

fn shown(name: &str) -> String {
    let mut shown: String =
        name.chars().take(MAX_NAME).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if name.chars().nth(MAX_NAME).is_some() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_below_each_other() {
        let mut lines = Lines::new(&["own", "%"], "function");
        lines.lines.push((vec!["1.50 s".to_owned(), "9.5".to_owned()], shown("a\nb")));
        lines.lines.push((vec!["20 s".to_owned(), "90.5".to_owned()], shown(&"x".repeat(MAX_NAME + 1))));
        let long = format!("{}…", "x".repeat(MAX_NAME));
        assert_eq!(
            lines.text(),
            format!("   own     %  function\n1.50 s   9.5  a b\n  20 s  90.5  {long}\n")
        );
        assert_eq!((percent(1, 0), percent(1, 4)), (String::new(), "25.0".to_owned()));
    }
}
