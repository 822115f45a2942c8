//! A look at a program: what it answered, and rates since the look before.

use std::time::Duration;

use serde_json::{Value, json};

use crate::commands::ctl::safe;

/// Most rules and stages that are shown.
const ROWS: usize = 10;

/// Most locks, memories and protocols.
const FEW_ROWS: usize = 6;

/// What a program answered.
pub(super) struct Look(Value);

/// Sums of all threads that rates are made of.
#[derive(Clone, Copy, Default)]
struct Sums {
    packets: u64,
    bytes: u64,
    kernel_packets: u64,
    drops: u64,
    flows: u64,
    alerts: u64,
}

/// Rates since the look before.
struct Rates {
    packets: f64,
    bits: f64,
    loss_percent: f64,
    alerts: f64,
}

impl Look {
    /// Reads an answer.
    pub(super) fn of(answer: &Value) -> Self {
        Self(answer.clone())
    }

    fn rows(&self, pointer: &str) -> &[Value] {
        self.0.pointer(pointer).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
    }

    fn sums(&self) -> Sums {
        let mut sums = Sums::default();
        for thread in self.rows("/threads") {
            sums.packets += number(thread, "packets");
            sums.bytes += number(thread, "bytes");
            sums.kernel_packets += number(thread, "kernel_packets");
            sums.drops += number(thread, "kernel_drops");
            sums.flows += number(thread, "flows");
            sums.alerts += number(thread, "alerts");
        }
        sums
    }

    fn rates(&self, (since, before): (Duration, &Self)) -> Rates {
        let (now, then, seconds) = (self.sums(), before.sums(), since.as_secs_f64().max(1e-9));
        let more = |of: fn(&Sums) -> u64| of(&now).saturating_sub(of(&then)) as f64;
        let (lost, seen) = (more(|sums| sums.drops), more(|sums| sums.kernel_packets));
        Rates {
            packets: more(|sums| sums.packets) / seconds,
            bits: more(|sums| sums.bytes) * 8.0 / seconds,
            loss_percent: if seen > 0.0 { lost * 100.0 / seen } else { 0.0 },
            alerts: more(|sums| sums.alerts) / seconds,
        }
    }

    /// Returns the answer with rates beside it.
    pub(super) fn json(&self, since: Option<(Duration, &Self)>) -> Value {
        let mut all = self.0.clone();
        if let (Some(since), Some(object)) = (since, all.as_object_mut()) {
            let rates = self.rates(since);
            object.insert(
                "rates".to_owned(),
                json!({
                    "packets_per_second": rates.packets,
                    "bits_per_second": rates.bits,
                    "loss_percent": rates.loss_percent,
                    "alerts_per_second": rates.alerts,
                }),
            );
        }
        all
    }
}

fn number(value: &Value, key: &str) -> u64 {
    value.get(key).and_then(Value::as_u64).unwrap_or_default()
}

fn float(value: &Value, key: &str) -> f64 {
    value.get(key).and_then(Value::as_f64).unwrap_or_default()
}

/// Returns a text of the program's, without what would steer a terminal.
fn text(value: &Value, key: &str) -> String {
    safe(value.get(key).and_then(Value::as_str).unwrap_or_default())
}

/// Returns a number in short.
fn short(number: f64) -> String {
    match number {
        n if n < 1e4 => format!("{n:.0}"),
        n if n < 1e7 => format!("{:.1}k", n / 1e3),
        n if n < 1e10 => format!("{:.1}M", n / 1e6),
        n => format!("{:.1}G", n / 1e9),
    }
}

/// Returns a size.
fn size(bytes: u64) -> String {
    let bytes = bytes as f64;
    match bytes {
        b if b < 1024.0 * 1024.0 => format!("{:.0} KiB", b / 1024.0),
        b if b < 1024.0 * 1024.0 * 1024.0 => format!("{:.1} MiB", b / 1024.0 / 1024.0),
        b => format!("{:.2} GiB", b / 1024.0 / 1024.0 / 1024.0),
    }
}

/// Appends the screen.
pub(super) fn write_text(look: &Look, since: Option<(Duration, &Look)>, out: &mut String) {
    write_head(look, since, out);
    write_threads(look, out);
    write_memory(look, out);
    write_rules(look, out);
    write_layers(look, out);
    write_locks(look, out);
    for finding in look.rows("/profile/findings").iter().take(FEW_ROWS) {
        out.push_str(&format!("{}\n", safe(finding.as_str().unwrap_or_default())));
    }
}

fn write_head(look: &Look, since: Option<(Duration, &Look)>, out: &mut String) {
    let sums = look.sums();
    out.push_str(&match since.map(|since| look.rates(since)) {
        Some(rates) => format!(
            "weir  {} packets/s  {}bit/s  {:.2} % lost  {:.1} alerts/s\n",
            short(rates.packets),
            short(rates.bits),
            rates.loss_percent,
            rates.alerts
        ),
        None => "weir  rates with the next look\n".to_owned(),
    });
    out.push_str(&format!(
        "      {} packets  {} lost  {} flows open  {} alerts\n",
        short(sums.packets as f64),
        short(sums.drops as f64),
        short(sums.flows as f64),
        short(sums.alerts as f64)
    ));
}

fn write_threads(look: &Look, out: &mut String) {
    out.push_str(&format!(
        "\n{:<18} {:>12} {:>10} {:>10} {:>10}\n",
        "THREAD", "PACKETS", "LOST", "FLOWS", "ALERTS"
    ));
    for thread in look.rows("/threads").iter().take(ROWS) {
        out.push_str(&format!(
            "{:<18} {:>12} {:>10} {:>10} {:>10}\n",
            text(thread, "name"),
            number(thread, "packets"),
            number(thread, "kernel_drops"),
            number(thread, "flows"),
            number(thread, "alerts")
        ));
    }
}

fn write_memory(look: &Look, out: &mut String) {
    out.push_str("\nMEMORY  ");
    let mut sorted: Vec<&Value> =
        look.rows("/memory").iter().filter(|row| number(row, "bytes") > 0).collect();
    sorted.sort_by_key(|row| std::cmp::Reverse(number(row, "bytes")));
    let memory = |row: &&Value| {
        let bytes = number(row, "bytes");
        match number(row, "bound") {
            0 => format!("{} {}", text(row, "name"), size(bytes)),
            bound => format!("{} {} ({} %)", text(row, "name"), size(bytes), bytes * 100 / bound),
        }
    };
    let shown: Vec<String> = sorted.iter().take(FEW_ROWS).map(memory).collect();
    out.push_str(&shown.join("  "));
    let protocols: Vec<String> = look
        .rows("/protocols")
        .iter()
        .take(FEW_ROWS)
        .map(|row| format!("{} {}", text(row, "name"), short(number(row, "flows") as f64)))
        .collect();
    out.push_str(&format!("\nFLOWS   {}\n", protocols.join("  ")));
}

fn write_rules(look: &Look, out: &mut String) {
    let rules = look.rows("/profile/rules");
    if rules.is_empty() {
        return;
    }
    out.push_str(&format!(
        "\n{:>6} {:>10} {:>10} {:>8} {:>10}  {}\n",
        "RULES%", "SID", "CHECKS", "MATCHES", "AVG TICKS", "MESSAGE"
    ));
    for rule in rules.iter().take(ROWS) {
        out.push_str(&format!(
            "{:>6.1} {:>10} {:>10} {:>8} {:>10.0}  {}\n",
            float(rule, "percent"),
            number(rule, "sid"),
            short(number(rule, "checks") as f64),
            short(number(rule, "matches") as f64),
            float(rule, "ticks_avg"),
            text(rule, "msg")
        ));
    }
}

fn write_layers(look: &Look, out: &mut String) {
    let layers = look.rows("/profile/layers");
    if layers.is_empty() {
        return;
    }
    out.push_str(&format!("\n{:>6} LAYER\n", "TIME%"));
    for layer in layers.iter().take(ROWS) {
        out.push_str(&format!("{:>6.1} {}\n", float(layer, "percent"), text(layer, "name")));
    }
}

fn write_locks(look: &Look, out: &mut String) {
    let locks = look.rows("/profile/locks");
    out.push_str(&format!(
        "\n{:<32} {:>10} {:>10} {:>10} {:>10}\n",
        "QUEUE OR LOCK", "TAKEN", "WAITED FOR", "SECONDS", "LONGEST"
    ));
    for lock in locks.iter().take(FEW_ROWS) {
        out.push_str(&format!(
            "{:<32} {:>10} {:>10} {:>10.3} {:>10.6}\n",
            text(lock, "name"),
            short(number(lock, "taken") as f64),
            short(number(lock, "contended") as f64),
            float(lock, "seconds_waited"),
            float(lock, "seconds_longest")
        ));
    }
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(packets: u64, drops: u64) -> Look {
        Look::of(&json!({
            "threads": [{
                "name": "W#01-eth0", "packets": packets, "bytes": packets * 100, "kernel_packets": packets + drops,
                "kernel_drops": drops, "flows": 3, "alerts": 2,
            }],
            "memory": [{"name": "flow", "bytes": 1 << 20, "bound": 4 << 20}],
            "protocols": [{"name": "http", "flows": 12}],
            "profile": {
                "rules": [{"sid": 7, "percent": 61.5, "checks": 20000, "matches": 1, "ticks_avg": 900.0, "msg": "a\u{1b}[2Jb"}],
                "layers": [{"name": "detect: rules", "percent": 40.0}],
                "locks": [{"name": "thresholds", "taken": 5, "contended": 1, "seconds_waited": 0.5, "seconds_longest": 0.5}],
                "findings": ["Rule 7 takes 62 % of the time of rules."],
            },
        }))
    }

    #[test]
    fn rates_are_those_between_two_looks() {
        let (before, now) = (look(1000, 0), look(3000, 500));
        let rates = now.rates((Duration::from_secs(2), &before));
        assert_eq!((rates.packets, rates.bits, rates.loss_percent), (1000.0, 800_000.0, 20.0));
        let json = now.json(Some((Duration::from_secs(2), &before)));
        assert_eq!(json.pointer("/rates/packets_per_second"), Some(&json!(1000.0)));
        assert!(now.json(None).get("rates").is_none());
    }

    #[test]
    fn the_screen_shows_what_costs_most() {
        let mut text = String::new();
        let before = look(1000, 0);
        write_text(&look(3000, 500), Some((Duration::from_secs(2), &before)), &mut text);
        for words in [
            "1000 packets/s",
            "20.00 % lost",
            "W#01-eth0",
            "flow 1.0 MiB (25 %)",
            "http 12",
            "  61.5          7      20.0k",
            "  40.0 detect: rules",
            "thresholds",
            "Rule 7 takes 62 %",
        ] {
            assert!(text.contains(words), "no {words:?} in\n{text}");
        }
        assert!(!text.contains('\u{1b}'), "a message steers no terminal");
    }
}
