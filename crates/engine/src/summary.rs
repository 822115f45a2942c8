//! The summary of a run, for people and for programs.

use std::fmt::Write as _;
use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::Arc;

use weir_base::{Duration, JsonWriter, Timestamp};
use weir_rules::RuleInfo;

use crate::load::RuleReport;
use crate::tally::{AlertExample, Tally, Traffic};

/// Lines shown of a list; the rest is counted.
const LIST_LENGTH: usize = 10;

/// A rule that raised alerts.
#[derive(Clone, Debug)]
pub struct RuleAlerts {
    /// The rule.
    pub rule: Arc<RuleInfo>,
    /// How many alerts.
    pub count: u64,
    /// The first of them.
    pub example: Option<AlertExample>,
}

/// What a run did.
#[derive(Debug)]
pub struct Summary {
    /// Counts.
    pub tally: Tally,
    /// Rules with alerts, the most alerts first.
    pub alerts: Vec<RuleAlerts>,
    /// Rules loaded and refused.
    pub rules: RuleReport,
    /// Records written, by type.
    pub records: Vec<(String, u64)>,
    /// Records that could not be written.
    pub lost_records: u64,
    /// Decoder events and other damage: name, count; the most frequent first.
    pub damage: Vec<(String, u64)>,
    /// Packets inside of tunnels, by depth: name, count.
    pub tunnels: Vec<(String, u64)>,
    /// Packets that could not be decoded.
    pub invalid: u64,
    /// Input that could not be read to its end, and outputs that failed: sentences.
    pub problems: Vec<String>,
    /// Some input could not be read to its end.
    pub damaged_input: bool,
    /// Where the logs are.
    pub log_folder: PathBuf,
    /// How long it took.
    pub elapsed: Duration,
    /// Most memory used, in bytes.
    pub peak_memory: u64,
}

/// Whether text carries terminal colours.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Style {
    /// Plain text.
    Plain,
    /// ANSI colours.
    Coloured,
}

impl Style {
    fn paint(self, code: &str, text: &str) -> String {
        match self {
            Style::Plain => text.to_owned(),
            Style::Coloured => format!("\x1b[{code}m{text}\x1b[0m"),
        }
    }

    fn heading(self, text: &str) -> String {
        self.paint("1", text)
    }

    fn severity(self, priority: u32, text: &str) -> String {
        match priority {
            1 => self.paint("1;31", text),
            2 => self.paint("33", text),
            _ => self.paint("36", text),
        }
    }
}

impl Summary {
    /// One JSON object.
    pub fn json(&self) -> String {
        let mut out = Vec::new();
        let mut json = JsonWriter::new(&mut out);
        json.open_object();
        json.unsigned("packets", self.tally.packets);
        json.unsigned("bytes", self.tally.bytes);
        json.unsigned("invalid", self.invalid);
        json.unsigned("dropped", self.tally.accounts.dropped);
        if let (Some(first), Some(last)) = (self.tally.first, self.tally.last) {
            json.string("first", moment(first));
            json.string("last", moment(last));
        }
        json.unsigned("alerts", self.tally.alert_count());
        json.array("alerts_by_rule");
        for alerts in &self.alerts {
            json.open_object();
            json.unsigned("gid", alerts.rule.gid);
            json.unsigned("sid", alerts.rule.sid);
            json.string("msg", alerts.rule.msg.as_bytes());
            json.unsigned("count", alerts.count);
            json.close_object();
        }
        json.close_array();
        json.object("rules");
        self.rules.write_json(&mut json);
        json.close_object();
        json.object("accounts");
        self.tally.accounts.write_json(&mut json);
        json.close_object();
        json.object("records");
        for (name, count) in &self.records {
            json.unsigned(name, *count);
        }
        json.close_object();
        json.unsigned("lost_records", self.lost_records);
        json.object("protocols");
        for (name, traffic) in &self.tally.protocols {
            json.object(name);
            json.unsigned("flows", traffic.flows);
            json.unsigned("packets", traffic.packets);
            json.unsigned("bytes", traffic.bytes);
            json.close_object();
        }
        json.close_object();
        json.object("tunnels");
        for (name, count) in &self.tunnels {
            json.unsigned(name, *count);
        }
        json.close_object();
        json.object("damage");
        for (name, count) in &self.damage {
            json.unsigned(name, *count);
        }
        json.close_object();
        json.array("problems");
        for problem in &self.problems {
            json.push_string(problem);
        }
        json.close_array();
        json.string("log_folder", self.log_folder.to_string_lossy().as_bytes());
        json.raw("seconds", |out| {
            out.extend_from_slice(format!("{:.6}", self.elapsed.as_secs_f64()).as_bytes())
        });
        json.unsigned("peak_memory", self.peak_memory);
        json.close_object();
        String::from_utf8_lossy(&out).into_owned()
    }

    /// Text for people.
    pub fn text(&self, style: Style) -> String {
        let mut out = String::new();
        self.traffic(&mut out, style);
        self.alert_table(&mut out, style);
        self.protocol_table(&mut out, style);
        self.talker_table(&mut out, style);
        self.damage_table(&mut out, style);
        if self.rules.files > 0 || !self.rules.unreadable.is_empty() {
            out.push('\n');
            out.push_str(&self.rules.text(style));
        }
        self.record_section(&mut out, style);
        for problem in &self.problems {
            let _ = writeln!(out, "\n{} {problem}", style.paint("1;31", "problem:"));
        }
        out
    }

    fn traffic(&self, out: &mut String, style: Style) {
        let tally = &self.tally;
        let seconds = self.elapsed.as_secs_f64().max(1e-9);
        let _ = writeln!(out, "{}", style.heading("Traffic"));
        let _ = writeln!(out, "  packets    {} ({})", grouped(tally.packets), bytes(tally.bytes));
        if let (Some(first), Some(last)) = (tally.first, tally.last) {
            let span = last.since(first);
            let _ = writeln!(out, "  from       {} to {} ({})", moment(first), moment(last), length(span));
        }
        let _ = writeln!(
            out,
            "  read in    {} ({} packets/s, {:.0} Mbit/s), {} of memory at most",
            length(self.elapsed),
            grouped((tally.packets as f64 / seconds) as u64),
            tally.bytes as f64 * 8.0 / 1e6 / seconds,
            bytes(self.peak_memory)
        );
        if self.invalid > 0 {
            let _ =
                writeln!(out, "  damaged    {} packets could not be decoded in full", grouped(self.invalid));
        }
        if !self.tunnels.is_empty() {
            let depths = self.tunnels.iter();
            let depths: Vec<String> = depths
                .map(|(name, count)| format!("{} {}", name.replace('_', " "), grouped(*count)))
                .collect();
            let _ = writeln!(out, "  tunnels    packets inside: {}", depths.join(", "));
        }
        let accounts = &tally.accounts;
        if accounts.dropped > 0 {
            let _ = writeln!(out, "  dropped    {} packets by verdict", grouped(accounts.dropped));
        }
        let streams = &accounts.streams;
        if streams.bytes > 0 {
            let _ = writeln!(
                out,
                "  streams    {}: {} inspected, {} beyond a limit or not wanted, {} missing",
                bytes(streams.bytes),
                bytes(streams.inspected),
                bytes(streams.skipped),
                bytes(streams.missing)
            );
        }
    }

    fn alert_table(&self, out: &mut String, style: Style) {
        if self.rules.loaded == 0 {
            return;
        }
        let _ =
            writeln!(out, "\n{}", style.heading(&format!("Alerts  {}", grouped(self.tally.alert_count()))));
        if self.alerts.is_empty() {
            let _ = writeln!(out, "  none");
        }
        for alerts in self.alerts.iter().take(LIST_LENGTH) {
            let rule = &alerts.rule;
            let id = format!("{}:{}:{}", rule.gid, rule.sid, rule.rev);
            let message = style.severity(rule.priority, &rule.msg);
            let _ = writeln!(out, "  {:>8}  {id:<16} {message}", grouped(alerts.count));
            if let Some(example) = &alerts.example {
                let _ = writeln!(out, "            {}", style.paint("2", &example_line(example)));
            }
        }
        more(out, self.alerts.len(), "rules");
    }

    fn protocol_table(&self, out: &mut String, style: Style) {
        let mut rows: Vec<(&str, &Traffic)> =
            self.tally.protocols.iter().map(|(name, traffic)| (name.as_str(), traffic)).collect();
        rows.sort_by_key(|(name, traffic)| (std::cmp::Reverse(traffic.bytes), *name));
        let _ = writeln!(out, "\n{}", style.heading("Protocols"));
        table(out, "protocol", rows.iter().map(|(name, traffic)| ((*name).to_owned(), **traffic)));
        more(out, rows.len(), "protocols");
    }

    fn talker_table(&self, out: &mut String, style: Style) {
        let mut rows: Vec<(&IpAddr, &Traffic)> = self.tally.talkers.iter().collect();
        if rows.is_empty() {
            return;
        }
        rows.sort_unstable_by_key(|(address, traffic)| (std::cmp::Reverse(traffic.bytes), *address));
        let count = rows.len();
        let rows = rows.into_iter().map(|(address, traffic)| (address.to_string(), *traffic));
        let _ = writeln!(out, "\n{}", style.heading("Top talkers"));
        table(out, "address", rows);
        more(out, count, "addresses");
    }

    fn damage_table(&self, out: &mut String, style: Style) {
        if self.damage.is_empty() {
            return;
        }
        let _ = writeln!(out, "\n{}", style.heading("What was odd or could not be decoded"));
        for (name, count) in self.damage.iter().take(LIST_LENGTH) {
            let _ = writeln!(out, "  {:>8}  {name}", grouped(*count));
        }
        more(out, self.damage.len(), "kinds");
    }

    fn record_section(&self, out: &mut String, style: Style) {
        let _ = writeln!(out, "\n{}", style.heading("Logs"));
        if self.records.is_empty() {
            let _ = writeln!(out, "  no records");
        } else {
            let listed: Vec<String> =
                self.records.iter().map(|(name, count)| format!("{} {name}", grouped(*count))).collect();
            let _ = writeln!(out, "  {}", wrapped(&listed, 96));
        }
        if self.lost_records > 0 {
            let lost = format!("{} records could not be written", grouped(self.lost_records));
            let _ = writeln!(out, "  {}", style.paint("1;31", &lost));
        }
        let _ = writeln!(out, "  in {}", self.log_folder.display());
    }
}

impl RuleReport {
    /// Text for people.
    pub fn text(&self, style: Style) -> String {
        let mut out = String::new();
        let _ = writeln!(out, "{}", style.heading("Rules"));
        let _ = writeln!(out, "  {} loaded from {} files", grouped(self.loaded as u64), self.files);
        if self.skipped > 0 {
            let skipped = grouped(self.skipped);
            let _ =
                writeln!(out, "  {skipped} skipped because they ask for what is not here (requires, events)");
        }
        if self.failed_count() > 0 {
            let failed = format!("{} could not be loaded", grouped(self.failed_count()));
            let _ = writeln!(out, "  {}", style.paint("33", &failed));
            let mut reasons: Vec<(&String, &u64)> = self.failed.iter().collect();
            reasons.sort_by_key(|(reason, count)| (std::cmp::Reverse(**count), *reason));
            for (reason, count) in reasons.iter().take(LIST_LENGTH) {
                let _ = writeln!(out, "    {:>8}  {reason}", grouped(**count));
            }
            more(&mut out, reasons.len(), "reasons");
            if let Some(first) = self.failures.first() {
                let _ = writeln!(out, "    the first: {first}");
            }
        }
        for sentence in &self.unreadable {
            let _ = writeln!(out, "  {}", style.paint("33", sentence));
        }
        out
    }
}

fn table(out: &mut String, name: &str, rows: impl Iterator<Item = (String, Traffic)>) {
    let rows: Vec<(String, Traffic)> = rows.take(LIST_LENGTH).collect();
    let width = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0).max(name.len());
    let _ = writeln!(out, "  {name:<width$}  {:>10}  {:>12}  {:>10}", "flows", "packets", "bytes");
    for (name, traffic) in rows {
        let _ = writeln!(
            out,
            "  {name:<width$}  {:>10}  {:>12}  {:>10}",
            grouped(traffic.flows),
            grouped(traffic.packets),
            bytes(traffic.bytes)
        );
    }
}

fn more(out: &mut String, count: usize, what: &str) {
    if count > LIST_LENGTH {
        let _ = writeln!(out, "  … and {} more {what}", count - LIST_LENGTH);
    }
}

fn example_line(example: &AlertExample) -> String {
    let end = |end: &Option<(IpAddr, u16)>| match end {
        Some((address, 0)) => address.to_string(),
        Some((std::net::IpAddr::V6(address), port)) => format!("[{address}]:{port}"),
        Some((address, port)) => format!("{address}:{port}"),
        None => "?".to_owned(),
    };
    format!(
        "packet {} at {}, {} -> {}",
        example.packet,
        moment(example.time),
        end(&example.source),
        end(&example.destination)
    )
}

/// `a, b, c` with line breaks after `width` columns.
fn wrapped(items: &[String], width: usize) -> String {
    let mut out = String::new();
    let mut column = 0;
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            out.push(',');
            if column + item.len() > width {
                out.push_str("\n  ");
                column = 0;
            } else {
                out.push(' ');
            }
        }
        out.push_str(item);
        column += item.len() + 2;
    }
    out
}

/// `1234567` as `1,234,567`.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Bytes with a unit.
fn bytes(count: u64) -> String {
    const UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];
    let mut value = count as f64;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    let name = UNITS.get(unit).copied().unwrap_or("B");
    if unit == 0 { format!("{count} {name}") } else { format!("{value:.1} {name}") }
}

/// A time as `2026-01-31 12:00:00.000000`.
fn moment(time: Timestamp) -> String {
    let civil = time.civil();
    format!(
        "{:04}-{:02}-{:02} {:02}:{:02}:{:02}.{:06}",
        civil.year,
        civil.month,
        civil.day,
        civil.hour,
        civil.minute,
        civil.second,
        time.micros()
    )
}

/// A span in the unit that suits it.
fn length(span: Duration) -> String {
    let seconds = span.as_secs_f64();
    match seconds {
        s if s < 1.0 => format!("{:.0} ms", s * 1e3),
        s if s < 120.0 => format!("{s:.2} s"),
        s if s < 7200.0 => format!("{:.1} min", s / 60.0),
        s if s < 172_800.0 => format!("{:.1} h", s / 3600.0),
        s => format!("{:.1} days", s / 86_400.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_for_people() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(bytes(512), "512 B");
        assert_eq!(bytes(84_672_195), "80.7 MiB");
        assert_eq!(moment(Timestamp::new(0, 5000)), "1970-01-01 00:00:00.000005");
        assert_eq!(length(Duration::from_millis(1500)), "1.50 s");
    }
}
