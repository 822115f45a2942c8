//! The summary as text for people, in lines that fit a terminal.

use std::cmp::Reverse;
use std::fmt::Write as _;
use std::net::IpAddr;

use weir_base::time::Civil;
use weir_base::wrap::COLUMNS;
use weir_base::{Duration, Timestamp, wrap, wrap_items, zone};

use super::Summary;
use crate::load::RuleReport;
use crate::tally::RuleAlerts;
use crate::tally::{AlertExample, Traffic};

/// Lines shown of a list, unless all are asked for; the rest is counted.
const LIST_LENGTH: usize = 10;

/// Where the values of the first section stand.
const VALUE_COLUMN: usize = 13;

/// Where what belongs to a count stands.
const COUNTED_COLUMN: usize = 12;

/// A run shorter than this says nothing of how quickly captures are read.
const MEASURABLE: f64 = 1.0;

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

/// Extent to which long lists are shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extent {
    /// The first lines.
    Short,
    /// All of it.
    All,
}

impl Extent {
    /// Returns how many of `count` lines are shown.
    fn of(self, count: usize) -> usize {
        match self {
            Extent::Short => count.min(LIST_LENGTH),
            Extent::All => count,
        }
    }

    /// Says how many lines are not shown.
    fn rest(self, out: &mut String, count: usize, what: &str) {
        let hidden = count - self.of(count);
        if hidden > 0 {
            let _ = writeln!(out, "  … and {} more {what} (--all)", grouped(hidden as u64));
        }
    }
}

impl Summary {
    /// Text for people.
    pub fn text(&self, style: Style, extent: Extent) -> String {
        let mut out = String::new();
        self.traffic(&mut out, style);
        self.alert_table(&mut out, style, extent);
        self.protocol_table(&mut out, style, extent);
        self.talker_table(&mut out, style, extent);
        self.damage_table(&mut out, style, extent);
        if self.rules.files > 0 || !self.rules.unreadable.is_empty() {
            out.push('\n');
            out.push_str(&self.rules.text(style, extent));
        }
        self.record_section(&mut out, style);
        for problem in &self.problems {
            let _ = writeln!(out);
            paragraph(&mut out, 0, &format!("problem: {problem}"), |text| {
                text.replacen("problem:", &style.paint("1;31", "problem:"), 1)
            });
        }
        out
    }

    fn traffic(&self, out: &mut String, style: Style) {
        let tally = &self.tally;
        let _ = writeln!(out, "{}", style.heading("Traffic"));
        let (packets, size) = (grouped(tally.packets), bytes(tally.bytes));
        match &self.filter {
            Some(filter) => {
                let all = grouped(tally.packets + self.filtered);
                value(out, "packets", &format!("{packets} of {all} pass the filter \"{filter}\" ({size})"));
            }
            None => value(out, "packets", &format!("{packets} ({size})")),
        }
        if self.captures.len() > 1 {
            value(out, "in", &format!("{} captures", grouped(self.captures.len() as u64)));
        }
        self.interface_lines(out, style);
        if let (Some(first), Some(last)) = (tally.first, tally.last) {
            value(out, "from", &local_moment(first));
            value(out, "to", &format!("{}, {} later", local_moment(last), length(last.since(first))));
        }
        value(out, if self.interfaces.is_empty() { "read in" } else { "took" }, &self.pace());
        value(out, "memory", &format!("{} at most", bytes(self.peak_memory)));
        if let Some(interruption) = &self.interruption {
            value(out, "ended early", &interruption.to_string());
        }
        if self.invalid > 0 {
            value(out, "damaged", &format!("{} packets could not be decoded in full", grouped(self.invalid)));
        }
        self.checksums(out, style);
        if !self.tunnels.is_empty() {
            let depths = self.tunnels.iter();
            let depths: Vec<String> = depths
                .map(|(name, count)| format!("{} {}", name.replace('_', " "), grouped(*count)))
                .collect();
            value(out, "tunnels", &format!("packets inside: {}", depths.join(", ")));
        }
        let accounts = &tally.accounts;
        if accounts.dropped > 0 {
            value(out, "dropped", &format!("{} packets by verdict", grouped(accounts.dropped)));
        }
        let streams = &accounts.streams;
        if streams.bytes > 0 {
            let parts = [
                format!("{}: {} inspected", bytes(streams.bytes), bytes(streams.inspected)),
                format!("{} beyond a limit or not wanted", bytes(streams.skipped)),
                format!("{} missing", bytes(streams.missing)),
            ];
            let _ = writeln!(out, "{}", wrap_items("  streams    ", &parts, VALUE_COLUMN));
        }
    }

    /// Tells of the interfaces, and what helps where packets were lost.
    fn interface_lines(&self, out: &mut String, style: Style) {
        for heard in &self.interfaces {
            let threads = if heard.threads == 1 { "thread" } else { "threads" };
            let text = format!("{} with {} {threads}", heard.name, heard.threads);
            if heard.unsent > 0 {
                let unsent = grouped(heard.unsent);
                let text = format!(
                    "{}: {unsent} packets could not be sent: an interface was down, or they were too long.",
                    heard.name
                );
                paragraph(out, VALUE_COLUMN, &format!("  unsent     {text}"), |text| {
                    style.paint("1;31", &text)
                });
            }
            if heard.handed_lost > 0 {
                let text = format!(
                    "{}: {} packets in tunnels were lost on the way to the thread they belong to: a tunnel has much of \
                     the traffic.",
                    heard.name,
                    grouped(heard.handed_lost)
                );
                paragraph(out, VALUE_COLUMN, &format!("  lost       {text}"), |text| {
                    style.paint("1;31", &text)
                });
            }
            if heard.kernel_drops == 0 {
                let lost = if heard.handed_lost > 0 { "" } else { ", no packet lost" };
                value(out, "heard on", &format!("{text}{lost}"));
                continue;
            }
            let text = format!(
                "{text}: {} of {} packets lost ({:.2} %), as there was no room for them. {}",
                grouped(heard.kernel_drops),
                grouped(heard.kernel_packets),
                heard.dropped_percent(),
                heard.against_loss
            );
            paragraph(out, VALUE_COLUMN, &format!("  heard on   {text}"), |text| style.paint("1;31", &text));
        }
    }

    /// Returns the duration and the rate of the run, if it was long enough for one.
    fn pace(&self) -> String {
        let seconds = self.elapsed.as_secs_f64();
        let took = length(self.elapsed);
        if seconds < MEASURABLE {
            return took;
        }
        let packets = grouped(two_digits(self.tally.packets as f64 / seconds));
        format!("{took}: {packets} packets/s, {}", bit_rate(self.tally.bytes as f64 * 8.0 / seconds))
    }

    fn checksums(&self, out: &mut String, style: Style) {
        let (all, wrong) = self.tcp_packets;
        if wrong == 0 {
            return;
        }
        let text = format!(
            "{} of {} TCP packets have a wrong one and were left out. Sending hosts' network cards fill \
             checksums in later: if this was recorded on one, read it with -k none.",
            grouped(wrong),
            grouped(all)
        );
        paragraph(out, VALUE_COLUMN, &format!("  checksums  {text}"), |text| style.paint("33", &text));
    }

    fn alert_table(&self, out: &mut String, style: Style, extent: Extent) {
        if self.rules.loaded == 0 {
            return;
        }
        let count = grouped(self.tally.alert_count());
        let _ = writeln!(out, "\n{}", style.heading(&format!("Alerts  {count}")));
        if self.alerts.is_empty() {
            let _ = writeln!(out, "  none");
        }
        let shown = self.alerts.get(..extent.of(self.alerts.len())).unwrap_or_default();
        for group in shown.chunk_by(|one, next| one.rule.priority == next.rule.priority) {
            let Some(first) = group.first() else { continue };
            let priority = first.rule.priority;
            let _ = writeln!(out, "  {}", style.severity(priority, &format!("severity {priority}")));
            group.iter().for_each(|alerts| self.alert_lines(out, style, alerts));
        }
        extent.rest(out, self.alerts.len(), "rules");
    }

    fn alert_lines(&self, out: &mut String, style: Style, alerts: &RuleAlerts) {
        let rule = &alerts.rule;
        let tenant = if alerts.tenant == 0 { String::new() } else { format!(" (tenant {})", alerts.tenant) };
        let number = format!("{}:{}:{}", rule.gid, rule.sid, rule.rev);
        let line = format!("  {:>8}  {number}  {}{tenant}", grouped(alerts.count), rule.msg);
        paragraph(out, COUNTED_COLUMN, &line, |text| style.severity(rule.priority, &text));
        let lead = " ".repeat(COUNTED_COLUMN);
        let text = wrap_items(&lead, &self.example_parts(&alerts.example), COUNTED_COLUMN);
        let _ = writeln!(out, "{}", style.paint("2", &text));
    }

    /// Where and when an alert was raised, and between whom.
    fn example_parts(&self, example: &AlertExample) -> [String; 3] {
        let end = |end: &Option<(IpAddr, u16)>| match end {
            Some((address, 0)) => address.to_string(),
            Some((IpAddr::V6(address), port)) => format!("[{address}]:{port}"),
            Some((address, port)) => format!("{address}:{port}"),
            None => "?".to_owned(),
        };
        let (capture, packet) = self.place(example.packet);
        let of = match capture.filter(|_| self.captures.len() > 1) {
            Some(capture) => format!(" of {}", capture.name),
            None => String::new(),
        };
        // Each thread of a live capture counts its own packets.
        let of = if self.interfaces.is_empty() { of } else { " of its thread".to_owned() };
        let of = if self.filter.is_some() { format!("{of} behind the filter") } else { of };
        [
            format!("packet {}{of}", grouped(packet)),
            local_moment(example.time),
            format!("{} -> {}", end(&example.source), end(&example.destination)),
        ]
    }

    fn protocol_table(&self, out: &mut String, style: Style, extent: Extent) {
        let mut rows: Vec<(&str, &Traffic)> =
            self.tally.protocols.iter().map(|(name, traffic)| (name.as_str(), traffic)).collect();
        // What is not known is no protocol, and stands apart.
        let unknown = |name: &str| name.ends_with(UNKNOWN);
        rows.sort_by_key(|(name, traffic)| (unknown(name), Reverse(traffic.bytes), *name));
        let _ = writeln!(out, "\n{}", style.heading("Protocols"));
        let count = rows.iter().filter(|(name, _)| !unknown(name)).count();
        let shown = extent.of(count);
        let rows = rows.iter().enumerate().filter(|(index, (name, _))| *index < shown || unknown(name));
        table(out, "protocol", rows.map(|(_, (name, traffic))| ((*name).to_owned(), **traffic)));
        extent.rest(out, count, "protocols");
    }

    fn talker_table(&self, out: &mut String, style: Style, extent: Extent) {
        let mut rows: Vec<(&IpAddr, &Traffic)> = self.tally.talkers.iter().collect();
        if rows.is_empty() {
            return;
        }
        rows.sort_unstable_by_key(|(address, traffic)| (Reverse(traffic.bytes), *address));
        let count = rows.len();
        let rows = rows.into_iter().take(extent.of(count));
        let mut rows: Vec<_> = rows.map(|(address, traffic)| (address.to_string(), *traffic)).collect();
        let others = self.tally.other_talkers;
        if others.flows > 0 && extent == Extent::All {
            rows.push(("any other address".to_owned(), others));
        }
        let _ = writeln!(out, "\n{}", style.heading("Top talkers"));
        table(out, "address", rows.into_iter());
        extent.rest(out, count, "addresses");
    }

    fn damage_table(&self, out: &mut String, style: Style, extent: Extent) {
        if self.damage.is_empty() {
            return;
        }
        let _ = writeln!(out, "\n{}", style.heading("What was odd or could not be decoded"));
        for (name, count) in self.damage.iter().take(extent.of(self.damage.len())) {
            let _ = writeln!(out, "  {:>8}  {name}", grouped(*count));
        }
        extent.rest(out, self.damage.len(), "kinds");
    }

    fn record_section(&self, out: &mut String, style: Style) {
        let _ = writeln!(out, "\n{}", style.heading("Logs"));
        if self.records.is_empty() && self.zeek_rows.is_empty() {
            let _ = writeln!(out, "  no records");
        }
        for (whose, counts) in [("EVE", &self.records), ("Zeek", &self.zeek_rows)] {
            let listed: Vec<String> =
                counts.iter().map(|(name, count)| format!("{} {name}", grouped(*count))).collect();
            if !listed.is_empty() {
                let _ = writeln!(out, "{}", wrap_items(&format!("  {whose:<4}  "), &listed, 8));
            }
        }
        for (target, report) in &self.pipelines {
            let mut text = format!("{} sent to {target}", grouped(report.sent));
            for (count, what) in [
                (report.resent, "sent again"),
                (report.reconnects, "times connected again"),
                (report.left, "wait on disk for the next run"),
                (report.lost, "lost"),
            ] {
                if count > 0 {
                    text.push_str(&format!("; {} {what}", grouped(count)));
                }
            }
            paragraph(out, 8, &format!("  to    {text}"), |text| text);
        }
        if self.lost_records > 0 {
            let lost = format!("{} records could not be written", grouped(self.lost_records));
            let _ = writeln!(out, "  {}", style.paint("1;31", &lost));
        }
        let _ = writeln!(out, "  in {}", self.log_folder.display());
        let count = self.appended.len();
        if count > 0 {
            let files = if count == 1 { "one file" } else { &format!("{} files", grouped(count as u64)) };
            let text = format!("  added to {files} of earlier runs there; --overwrite begins all anew");
            paragraph(out, 4, &text, |text| text);
        }
        let aside = self.set_aside.iter().filter_map(|file| file.file_name());
        let aside: Vec<String> = aside.map(|name| name.to_string_lossy().into_owned()).collect();
        if !aside.is_empty() {
            let _ = writeln!(out, "  set aside there, for they have other columns or another form:");
            let _ = writeln!(out, "{}", wrap_items("    ", &aside, 4));
        }
    }
}

impl RuleReport {
    /// Text for people.
    pub fn text(&self, style: Style, extent: Extent) -> String {
        let mut out = String::new();
        let _ = writeln!(out, "{}", style.heading("Rules"));
        let files = if self.files == 1 { "file" } else { "files" };
        let _ = writeln!(out, "  {} loaded from {} {files}", grouped(self.loaded as u64), self.files);
        if self.skipped > 0 {
            let skipped = grouped(self.skipped);
            let text =
                format!("  {skipped} skipped because they ask for what is not here (requires, events)");
            paragraph(&mut out, 4, &text, |text| text);
        }
        if self.failed_count() > 0 {
            let failed = format!("{} could not be loaded", grouped(self.failed_count()));
            let _ = writeln!(out, "  {}", style.paint("33", &failed));
            let mut reasons: Vec<(&String, &u64)> = self.failed.iter().collect();
            reasons.sort_by_key(|(reason, count)| (Reverse(**count), *reason));
            for (reason, count) in reasons.iter().take(extent.of(reasons.len())) {
                paragraph(&mut out, 14, &format!("    {:>8}  {reason}", grouped(**count)), |text| text);
            }
            extent.rest(&mut out, reasons.len(), "reasons");
            if let Some(first) = self.failures.first() {
                paragraph(&mut out, 6, &format!("    the first: {first}"), |text| text);
            }
        }
        for sentence in &self.unreadable {
            paragraph(&mut out, 4, &format!("  {sentence}"), |text| style.paint("33", &text));
        }
        out
    }
}

/// Ending of names for traffic without a protocol.
const UNKNOWN: &str = "protocol unknown";

/// A line of the first section.
fn value(out: &mut String, name: &str, text: &str) {
    let indent = VALUE_COLUMN - 2;
    paragraph(out, VALUE_COLUMN, &format!("  {name:<indent$}{text}"), |text| text);
}

/// Text in lines that fit, the ones after the first further in; painted after they were measured.
fn paragraph(out: &mut String, indent: usize, text: &str, paint: impl FnOnce(String) -> String) {
    out.push_str(&paint(wrap(text, indent)));
    out.push('\n');
}

fn table(out: &mut String, name: &str, rows: impl Iterator<Item = (String, Traffic)>) {
    /// Columns of the numbers and the space before each.
    const NUMBERS: usize = 40;
    let rows: Vec<(String, Traffic)> = rows.collect();
    let longest = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0).max(name.len());
    let width = longest.min(COLUMNS - NUMBERS);
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

/// The number with all digits but two taken for zeros.
fn two_digits(number: f64) -> u64 {
    let scale = 10_u64.pow((number.max(1.0).log10().floor() as u32).saturating_sub(1));
    (number / scale as f64).round() as u64 * scale
}

/// Bits per second with a unit.
fn bit_rate(bits: f64) -> String {
    match bits {
        b if b < 1e9 => format!("{} Mbit/s", two_digits(b / 1e6)),
        b => format!("{:.1} Gbit/s", b / 1e9),
    }
}

/// `1234567` as `1,234,567`.
pub(crate) fn grouped(number: u64) -> String {
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

/// A time as `2026-01-31 12:00:00.000000`, in UTC.
pub(super) fn moment(time: Timestamp) -> String {
    date_and_time(time, time.civil())
}

/// A time in the zone that logs are written in, which is named: `2026-01-31 13:00:00.000000 CET`.
fn local_moment(time: Timestamp) -> String {
    format!("{} {}", date_and_time(time, time.local().civil), zone::abbreviation(time))
}

fn date_and_time(time: Timestamp, civil: Civil) -> String {
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
    use weir_output::sinks::network::PipelineReport;

    use super::*;

    use std::net::Ipv6Addr;
    use std::path::PathBuf;
    use std::sync::Arc;

    use weir_rules::RuleInfo;
    use weir_stream::StreamAccount;

    use crate::accounts::Accounts;
    use crate::summary::{CaptureRead, InterfaceHeard};
    use crate::tally::Tally;

    const LONG: IpAddr =
        IpAddr::V6(Ipv6Addr::new(0xfedc, 0xba98, 0x7654, 0x3210, 0xfedc, 0xba98, 0x7654, 0x3210));

    /// A rule with alerts, of which the last one is in a long run's last capture.
    fn alerts(msg: &str, sid: u32, priority: u32, count: u64) -> RuleAlerts {
        let example = AlertExample {
            packet: 123_456_789,
            time: Timestamp::new(1_700_000_000, 0),
            source: Some((LONG, 65_535)),
            destination: Some((LONG, 65_535)),
        };
        let info = RuleInfo { msg: msg.into(), sid, priority, rev: 4_294_967_295, ..RuleInfo::default() };
        RuleAlerts { rule: Arc::new(info), tenant: 4_294_967_295, count, example }
    }

    /// A summary in which each number, name and list is long.
    fn wide() -> Summary {
        let many = 1_234_567_890_123;
        let traffic = Traffic { flows: 99_999_999, packets: 999_999_999, bytes: 1 << 43 };
        let streams = StreamAccount { bytes: many, inspected: many, skipped: many, missing: many };
        let counts = |what: &str| -> Vec<(String, u64)> {
            (0..30).map(|i| (format!("{what}_of_a_long_name_{i}"), many)).collect()
        };
        let reason = "a reason that is told in many words, as reasons are at times, and goes on";
        let mut tally = Tally {
            packets: many,
            bytes: many * 1000,
            first: Some(Timestamp::new(0, 0)),
            last: Some(Timestamp::new(4_000_000_000, 0)),
            accounts: Accounts { dropped: many, streams, ..Accounts::default() },
            other_talkers: traffic,
            ..Tally::default()
        };
        for number in 0..30 {
            tally.protocols.insert(format!("protocol-{number}"), traffic);
            tally.talkers.insert(IpAddr::V6(Ipv6Addr::from(u128::MAX - number)), traffic);
        }
        tally.protocols.insert("udp, protocol unknown".to_owned(), Traffic { bytes: u64::MAX, ..traffic });
        let message = "ET MALWARE a message of a rule that says at great length what was seen and of whom";
        let rules = RuleReport {
            files: 1234,
            loaded: 45_678,
            failed: counts(reason).into_iter().collect(),
            unreadable: vec![format!("The rule file {}my.rules cannot be read: no.", "folder/".repeat(6))],
            skipped: many,
            ..RuleReport::default()
        };
        Summary {
            profile: None,
            interruption: None,
            tally,
            alerts: (0..30).map(|sid| alerts(message, 4_294_967_000 + sid, 1 + sid / 10, many)).collect(),
            rules,
            captures: vec![
                CaptureRead { name: "a.pcap".to_owned(), before: 0 },
                CaptureRead { name: "captures/monday/b.pcap".to_owned(), before: 1000 },
            ],
            interfaces: Vec::new(),
            filter: Some("tcp port 80 or tcp port 8080 or tcp port 8000 or host 10.0.0.1".to_owned()),
            filtered: many,
            tcp_packets: (many, many / 2),
            records: counts("eve"),
            zeek_rows: counts("zeek"),
            lost_records: many,
            pipelines: vec![(
                "redis://a.server.of.a.long.name.example.org:6379 (list suricata)".to_owned(),
                PipelineReport {
                    sent: many,
                    resent: many,
                    spooled: many,
                    lost: many,
                    reconnects: many,
                    left: many,
                },
            )],
            damage: counts("damage"),
            tunnels: counts("depth"),
            invalid: many,
            problems: vec![
                "A problem that is told in a sentence as long as those that say what to do.".repeat(3),
            ],
            damaged_input: true,
            appended: vec![PathBuf::from("out/eve.json"); 1234],
            set_aside: vec![PathBuf::from("out/of/a/long/name/in/which/nobody/looks/conn.log.1"); 30],
            log_folder: PathBuf::from("out"),
            elapsed: Duration::from_millis(7_654_321),
            peak_memory: 1 << 39,
        }
    }

    #[test]
    fn lines_fit_a_terminal() {
        for extent in [Extent::Short, Extent::All] {
            let text = wide().text(Style::Plain, extent);
            let long: Vec<&str> = text.lines().filter(|line| line.chars().count() > COLUMNS).collect();
            assert_eq!(long, Vec::<&str>::new(), "{text}");
        }
    }

    #[test]
    fn what_is_cut_is_counted_and_can_be_had() {
        let summary = wide();
        let (short, all) =
            (summary.text(Style::Plain, Extent::Short), summary.text(Style::Plain, Extent::All));
        for what in ["rules", "protocols", "addresses", "kinds", "reasons"] {
            let line = format!("  … and 20 more {what} (--all)");
            assert!(short.contains(&line) && !all.contains(&line), "{what}: {short}");
        }
        assert!(!all.contains("--all") && all.contains("any other address"), "{all}");
        assert_eq!(all.matches("  1:42949").count(), 30);
    }

    #[test]
    fn what_people_act_on_comes_first_and_is_exact() {
        let text = wide().text(Style::Plain, Extent::All);
        for part in [
            "severity 1\n",
            "packet 123,455,789 of captures/monday/b.pcap behind the filter,\n",
            "2023-11-14 22:13:20.000000 UTC,",
            "1,234,567,890,123 of 2,469,135,780,246 pass the filter",
            "617,283,945,061 of 1,234,567,890,123 TCP packets have a wrong one",
            "-k none",
            "  EVE   1,234,567,890,123 eve_of",
            "  Zeek  1,234,567,890,123 zeek_of",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        let unknown = text.find("udp, protocol unknown").expect("a row");
        assert!(text.find("protocol-9 ").is_some_and(|known| known < unknown), "{text}");
    }

    #[test]
    fn what_interfaces_lost_is_told_with_what_helps() {
        let heard = |drops| InterfaceHeard {
            name: "eth0".to_owned(),
            threads: 4,
            kernel_packets: 1_234_567_890,
            kernel_drops: drops,
            handed_lost: drops / 1000,
            unsent: drops,
            against_loss: "A remedy helps.",
        };
        let summary = Summary { interfaces: vec![heard(0), heard(123_456_789)], ..wide() };
        let text = summary.text(Style::Plain, Extent::All);
        assert!(text.lines().all(|line| line.chars().count() <= COLUMNS), "{text}");
        let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
        for part in [
            "heard on eth0 with 4 threads, no packet lost",
            "heard on eth0 with 4 threads: 123,456,789 of 1,234,567,890 packets lost (10.00 %)",
            "no room for them. A remedy helps.",
            "lost eth0: 123,456 packets in tunnels were lost on the way to the thread they belong to:",
            "of its thread behind the filter,",
        ] {
            assert!(words.contains(part), "{part}: {text}");
        }
    }

    #[test]
    fn only_a_long_run_has_a_pace() {
        let mut summary = wide();
        summary.tally.packets = 47_902;
        summary.tally.bytes = 56_789_012;
        for (ms, expected) in [(7, "7 ms"), (999, "999 ms"), (2000, "2.00 s: 24,000 packets/s, 230 Mbit/s")] {
            summary.elapsed = Duration::from_millis(ms);
            assert_eq!(summary.pace(), expected);
        }
        assert_eq!(bit_rate(1.234e10), "12.3 Gbit/s");
        assert_eq!([0.4, 7.0, 12.0, 987.0].map(two_digits), [0, 7, 12, 990]);
    }

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
