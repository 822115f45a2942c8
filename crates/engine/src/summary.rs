//! The summary of a run, for people and for programs.

mod text;

use std::path::PathBuf;

use weir_base::{Duration, JsonWriter};
use weir_output::LogReport;
use weir_output::sinks::network::PipelineReport;

use crate::load::RuleReport;
use crate::profile::Profile;
use crate::requests::Interruption;
use crate::tally::{AlertExample, RuleAlerts, Tally};

pub(crate) use text::grouped;
pub use text::{Extent, Style};

/// A capture of the run.
#[derive(Clone, Debug)]
pub struct CaptureRead {
    /// Its name.
    pub name: String,
    /// Packets of the captures before it.
    pub before: u64,
}

/// An interface that was listened on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InterfaceHeard {
    /// Its name.
    pub name: String,
    /// Threads that listened on it.
    pub threads: usize,
    /// Packets that the kernel had for them, those that it dropped included.
    pub kernel_packets: u64,
    /// Packets that it dropped, as the rings were full.
    pub kernel_drops: u64,
    /// Packets that were lost between its threads.
    pub handed_lost: u64,
    /// Packets that could not be sent on, where they are.
    pub unsent: u64,
    /// Remedy for loss, as a sentence.
    pub against_loss: &'static str,
}

impl InterfaceHeard {
    /// Returns the share of packets that were dropped, in percent.
    pub fn dropped_percent(&self) -> f64 {
        self.kernel_drops as f64 * 100.0 / self.kernel_packets.max(1) as f64
    }
}

/// Summary of a run.
#[derive(Debug)]
pub struct Summary {
    /// What the run cost, where a log or the command line asked for it.
    pub profile: Option<Box<Profile>>,
    /// Counts.
    pub tally: Tally,
    /// Rules with alerts: the most severe first, of those the ones with the most alerts.
    pub alerts: Vec<RuleAlerts>,
    /// Rules loaded and refused.
    pub rules: RuleReport,
    /// The captures that could be opened, in order.
    pub captures: Vec<CaptureRead>,
    /// The interfaces that were listened on.
    pub interfaces: Vec<InterfaceHeard>,
    /// The capture filter.
    pub filter: Option<String>,
    /// Packets that it kept back.
    pub filtered: u64,
    /// TCP packets, and those of them that were left out for a wrong checksum.
    pub tcp_packets: (u64, u64),
    /// Records written, by type.
    pub records: Vec<(String, u64)>,
    /// Rows of Zeek's logs that were written, by log.
    pub zeek_rows: Vec<(String, u64)>,
    /// Records that could not be written.
    pub lost_records: u64,
    /// What became of records that were sent over the network, by target.
    pub pipelines: Vec<(String, PipelineReport)>,
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
    /// Where the run stopped because it was asked to.
    pub interruption: Option<Interruption>,
    /// Logs of earlier runs that records were added to.
    pub appended: Vec<PathBuf>,
    /// Logs of earlier runs that have other columns or another form, under their new names.
    pub set_aside: Vec<PathBuf>,
    /// Where the logs are.
    pub log_folder: PathBuf,
    /// Time that the run took.
    pub elapsed: Duration,
    /// Most memory used, in bytes.
    pub peak_memory: u64,
}

impl Summary {
    /// One JSON object.
    pub fn json(&self) -> String {
        let mut out = Vec::new();
        let mut json = JsonWriter::new(&mut out);
        json.open_object();
        json.unsigned("packets", self.tally.packets);
        json.unsigned("bytes", self.tally.bytes);
        json.unsigned("filtered", self.filtered);
        json.unsigned("invalid", self.invalid);
        json.unsigned("wrong_checksums", self.tcp_packets.1);
        json.unsigned("dropped", self.tally.accounts.dropped);
        if let (Some(first), Some(last)) = (self.tally.first, self.tally.last) {
            json.string("first", text::moment(first));
            json.string("last", text::moment(last));
        }
        json.unsigned("alerts", self.tally.alert_count());
        self.write_alerts(&mut json);
        json.object("rules");
        self.rules.write_json(&mut json);
        json.close_object();
        json.object("accounts");
        self.tally.accounts.write_json(&mut json);
        json.close_object();
        write_counts("records", &self.records, &mut json);
        write_counts("zeek_rows", &self.zeek_rows, &mut json);
        json.unsigned("lost_records", self.lost_records);
        write_pipelines(&self.pipelines, &mut json);
        json.object("protocols");
        for (name, traffic) in &self.tally.protocols {
            json.object(name);
            json.unsigned("flows", traffic.flows);
            json.unsigned("packets", traffic.packets);
            json.unsigned("bytes", traffic.bytes);
            json.close_object();
        }
        json.close_object();
        if !self.interfaces.is_empty() {
            json.array("interfaces");
            for heard in &self.interfaces {
                json.open_object();
                json.string("name", heard.name.as_bytes());
                json.unsigned("threads", heard.threads as u64);
                json.unsigned("kernel_packets", heard.kernel_packets);
                json.unsigned("kernel_drops", heard.kernel_drops);
                json.unsigned("handed_lost", heard.handed_lost);
                json.unsigned("unsent", heard.unsent);
                json.close_object();
            }
            json.close_array();
        }
        write_counts("tunnels", &self.tunnels, &mut json);
        write_counts("damage", &self.damage, &mut json);
        json.array("problems");
        for problem in &self.problems {
            json.push_string(problem);
        }
        json.close_array();
        if let Some(interruption) = &self.interruption {
            json.object("interrupted");
            json.string("capture", interruption.capture.as_bytes());
            json.unsigned("packets", interruption.packets);
            json.unsigned("bytes", interruption.bytes);
            interruption.size.into_iter().for_each(|size| json.unsigned("size", size));
            json.close_object();
        }
        for (name, files) in [("appended", &self.appended), ("set_aside", &self.set_aside)] {
            json.array(name);
            files.iter().for_each(|file| json.push_string(file.to_string_lossy().as_bytes()));
            json.close_array();
        }
        json.string("log_folder", self.log_folder.to_string_lossy().as_bytes());
        json.raw("seconds", |out| {
            out.extend_from_slice(format!("{:.6}", self.elapsed.as_secs_f64()).as_bytes())
        });
        json.unsigned("peak_memory", self.peak_memory);
        json.close_object();
        String::from_utf8_lossy(&out).into_owned()
    }

    fn write_alerts(&self, json: &mut JsonWriter<'_>) {
        json.array("alerts_by_rule");
        for alerts in &self.alerts {
            json.open_object();
            json.unsigned("gid", alerts.rule.gid);
            json.unsigned("sid", alerts.rule.sid);
            json.string("msg", alerts.rule.msg.as_bytes());
            if alerts.tenant != 0 {
                json.unsigned("tenant_id", alerts.tenant);
            }
            json.unsigned("severity", alerts.rule.priority);
            json.unsigned("count", alerts.count);
            self.write_example(&alerts.example, json);
            json.close_object();
        }
        json.close_array();
    }

    fn write_example(&self, example: &AlertExample, json: &mut JsonWriter<'_>) {
        json.object("example");
        let (capture, packet) = self.place(example.packet);
        json.unsigned("packet", packet);
        if let Some(capture) = capture {
            json.string("capture", capture.name.as_bytes());
        }
        json.string("time", text::moment(example.time));
        json.close_object();
    }

    /// The capture that a packet of the run is in, and its number there.
    fn place(&self, packet: u64) -> (Option<&CaptureRead>, u64) {
        let after = self.captures.partition_point(|capture| capture.before < packet);
        let capture = after.checked_sub(1).and_then(|index| self.captures.get(index));
        (capture, packet - capture.map_or(0, |capture| capture.before))
    }
}

fn write_counts(name: &str, counts: &[(String, u64)], json: &mut JsonWriter<'_>) {
    json.object(name);
    counts.iter().for_each(|(name, count)| json.unsigned(name, *count));
    json.close_object();
}

/// Results of the targets over the network, by their outlets.
pub(crate) fn pipelines(logs: &LogReport) -> Vec<(String, PipelineReport)> {
    let of = logs.outlets.iter().filter_map(|log| Some((log.outlet.clone(), log.pipeline.clone()?)));
    of.collect()
}

fn write_pipelines(pipelines: &[(String, PipelineReport)], json: &mut JsonWriter<'_>) {
    if pipelines.is_empty() {
        return;
    }
    json.object("pipelines");
    for (target, report) in pipelines {
        json.object(target);
        json.unsigned("sent", report.sent);
        json.unsigned("resent", report.resent);
        json.unsigned("spooled", report.spooled);
        json.unsigned("lost", report.lost);
        json.unsigned("reconnects", report.reconnects);
        json.unsigned("left", report.left);
        json.close_object();
    }
    json.close_object();
}
