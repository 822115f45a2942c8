//! `threading`: the processors that threads run on.

use crate::error::ConfigError;
use crate::settings::{Section, Settings};

/// The highest number a processor can have here.
const MAX_CPU: u16 = 1023;

/// Most packets in work that can be asked for.
const MAX_PENDING_PACKETS: i64 = 65_534;

/// `runmode`: the number of workers that share the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunMode {
    /// `single`: one worker, on an interface one thread.
    Single,
    /// `autofp`, `workers`: as many as there are processors, where no number is asked for.
    Shared,
}

impl RunMode {
    /// Reads `runmode`; none where nothing is said, or `auto`.
    pub fn from_settings(settings: &Settings) -> Result<Option<Self>, ConfigError> {
        const MODES: &[(&str, Option<RunMode>)] = &[
            ("single", Some(RunMode::Single)),
            ("autofp", Some(RunMode::Shared)),
            ("workers", Some(RunMode::Shared)),
            ("auto", None),
        ];
        settings.section("").choice("runmode", None, MODES)
    }
}

/// `threading`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ThreadingSettings {
    /// Where threads run; none where the system may choose (`set-cpu-affinity: no`).
    pub affinity: Option<AffinitySettings>,
}

/// `threading.cpu-affinity`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AffinitySettings {
    /// `management-cpu-set`: the thread that writes logs.
    pub management: CpuSetSettings,
    /// `receive-cpu-set`: the thread that reads, where it is not a worker, too.
    pub receive: CpuSetSettings,
    /// `worker-cpu-set`: the workers.
    pub worker: CpuSetSettings,
}

/// The processors of one kind of threads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CpuSetSettings {
    /// Their numbers, as written; none for all.
    pub cpus: Option<Vec<u16>>,
    /// Each thread runs on one of them (`exclusive`), not on all of them (`balanced`).
    pub exclusive: bool,
    /// Processors whose threads are less urgent.
    pub low: Vec<u16>,
    /// Those whose threads are as urgent as others.
    pub medium: Vec<u16>,
    /// Those whose threads are more urgent.
    pub high: Vec<u16>,
    /// Urgency of threads on the others.
    pub default: Urgency,
}

/// Urgency of a thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Urgency {
    /// `low`
    Low,
    /// `medium`
    #[default]
    Medium,
    /// `high`
    High,
}

impl Urgency {
    /// Returns the number to add to the nice value of a thread.
    pub fn nice(self) -> i32 {
        match self {
            Urgency::Low => 2,
            Urgency::Medium => 0,
            Urgency::High => -2,
        }
    }
}

impl CpuSetSettings {
    /// Returns the urgency of threads on a processor.
    pub fn urgency(&self, cpu: u16) -> Urgency {
        let lists = [(&self.low, Urgency::Low), (&self.medium, Urgency::Medium), (&self.high, Urgency::High)];
        lists.into_iter().find(|(list, _)| list.contains(&cpu)).map_or(self.default, |(_, urgency)| urgency)
    }

    /// Reads a set; `exclusive` where it does not say.
    fn from_section(section: &Section<'_>, exclusive: bool) -> Result<Self, ConfigError> {
        let prio = section.section("prio");
        let urgencies = [("low", Urgency::Low), ("medium", Urgency::Medium), ("high", Urgency::High)];
        let some = |name: &str| Ok(cpus(&prio, name)?.unwrap_or_default());
        Ok(Self {
            cpus: cpus(section, "cpu")?,
            exclusive: section.choice("mode", exclusive, &[("balanced", false), ("exclusive", true)])?,
            low: some("low")?,
            medium: some("medium")?,
            high: some("high")?,
            default: prio.choice("default", Urgency::Medium, &urgencies)?,
        })
    }
}

impl ThreadingSettings {
    /// Reads `threading`. The sets of processors may be a mapping, or a list of mappings of one each.
    pub fn from_settings(settings: &Settings) -> Result<Self, ConfigError> {
        check_pending_packets(&settings.section(""))?;
        let threading = settings.section("threading");
        if threading.flag("autopin", false) {
            let message = "threading.autopin is not used: name the processors in threading.cpu-affinity.";
            settings.warn("affinity", message.to_owned(), None);
        }
        if !threading.flag("set-cpu-affinity", false) {
            return Ok(Self::default());
        }
        let sets = threading.section("cpu-affinity");
        let set = |name: &str, exclusive: bool| {
            let listed = || sets.children().into_iter().map(|item| item.section(name));
            let written = std::iter::once(sets.section(name)).chain(listed());
            let found = written.into_iter().find(|section| section.node().is_some());
            let read = |section: Section<'_>| CpuSetSettings::from_section(&section, exclusive);
            found.map_or(Ok(CpuSetSettings::default()), read)
        };
        let affinity = AffinitySettings {
            management: set("management-cpu-set", false)?,
            receive: set("receive-cpu-set", true)?,
            worker: set("worker-cpu-set", true)?,
        };
        Ok(Self { affinity: Some(affinity) })
    }
}

/// Refuses a number of packets in work that nobody can have. Nothing here has as many packets in work as it says.
fn check_pending_packets(root: &Section<'_>) -> Result<(), ConfigError> {
    let key = "max-pending-packets";
    match root.text(key).map(|text| text.trim().parse::<i64>()) {
        Some(Ok(number)) if !(1..=MAX_PENDING_PACKETS).contains(&number) => {
            Err(root.wrong(key, &format!("a number of packets from 1 to {MAX_PENDING_PACKETS}")))
        }
        _ => Ok(()),
    }
}

/// Numbers of processors: `all`, or numbers and spans such as `2-5`. None for all, or where nothing is written.
fn cpus(section: &Section<'_>, key: &str) -> Result<Option<Vec<u16>>, ConfigError> {
    let wrong = || section.wrong(key, "all, or a list of processors such as [ 0, 2-5 ]");
    let number = |text: &str| text.trim().parse::<u16>().ok().filter(|cpu| *cpu <= MAX_CPU).ok_or_else(wrong);
    let mut found = Vec::new();
    let mut any = false;
    for text in section.list(key) {
        let items = text.trim().trim_matches(['[', ']']).split(',').map(|item| item.trim().trim_matches('"'));
        for item in items.filter(|item| !item.is_empty()) {
            if item.eq_ignore_ascii_case("all") {
                return Ok(None);
            }
            let (low, high) = item.split_once('-').unwrap_or((item, item));
            let (low, high) = (number(low)?, number(high)?);
            if low > high {
                return Err(wrong());
            }
            found.extend((low..=high).filter(|cpu| !found.contains(cpu)).collect::<Vec<_>>());
            any = true;
        }
    }
    Ok(any.then_some(found))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<ThreadingSettings, ConfigError> {
        let text = format!("%YAML 1.1\n---\nthreading:\n{text}");
        let settings = Settings::from_text(text.as_bytes(), "t.yaml", &[] as &[&str])?;
        ThreadingSettings::from_settings(&settings)
    }

    #[test]
    fn sets_of_processors_as_a_mapping_and_as_a_list() {
        let mapping = "  set-cpu-affinity: yes\n  cpu-affinity:\n    management-cpu-set:\n      cpu: [ 0 ]\n    \
                       worker-cpu-set:\n      cpu: [ \"2-4\", 1, 3 ]\n      mode: \"exclusive\"\n      prio:\n        \
                       low: [ 1 ]\n        high: [ 4 ]\n        default: \"low\"\n";
        let list = "  set-cpu-affinity: yes\n  cpu-affinity:\n    - management-cpu-set:\n        cpu: [ 0 ]\n    - \
                    worker-cpu-set:\n        cpu: [ \"2-4\", 1, 3 ]\n        mode: \"exclusive\"\n        prio:\n          \
                    low: [ 1 ]\n          high: [ 4 ]\n          default: \"low\"\n";
        for text in [mapping, list] {
            let affinity = read(text).unwrap().affinity.unwrap();
            assert_eq!(affinity.management.cpus, Some(vec![0]), "{text}");
            assert_eq!(affinity.receive, CpuSetSettings::default());
            let worker = affinity.worker;
            assert_eq!((worker.cpus.as_deref(), worker.exclusive), (Some(&[2, 3, 4, 1][..]), true));
            let urgencies: Vec<i32> = [1, 2, 4].map(|cpu| worker.urgency(cpu).nice()).into();
            assert_eq!(urgencies, [2, 2, -2]);
        }
    }

    #[test]
    fn packets_in_work() {
        for (text, holds) in
            [("1", true), ("65534", true), ("0", false), ("-1", false), ("65535", false), ("many", true)]
        {
            let settings = Settings::built_in(&[format!("max-pending-packets={text}")]).unwrap();
            assert_eq!(ThreadingSettings::from_settings(&settings).is_ok(), holds, "{text}");
        }
    }

    #[test]
    fn nothing_is_bound_unless_asked_for() {
        assert_eq!(read("  set-cpu-affinity: no\n").unwrap(), ThreadingSettings::default());
        let all = "  set-cpu-affinity: yes\n  cpu-affinity:\n    worker-cpu-set:\n      cpu: [ \"all\" ]\n";
        let worker = CpuSetSettings { exclusive: true, ..CpuSetSettings::default() };
        let expected = AffinitySettings { worker, ..AffinitySettings::default() };
        assert_eq!(read(all).unwrap().affinity, Some(expected));
    }

    #[test]
    fn that_threads_are_not_placed_by_themselves_is_said() {
        for (value, warnings) in [("no", 0), ("yes", 1)] {
            let text = format!("%YAML 1.1\n---\nthreading:\n  autopin: {value}\n");
            let settings = Settings::from_text(text.as_bytes(), "t.yaml", &[] as &[&str]).unwrap();
            ThreadingSettings::from_settings(&settings).unwrap();
            assert_eq!(settings.take_warnings().len(), warnings, "autopin: {value}");
        }
    }

    #[test]
    fn wrong_sets() {
        for (key, value) in [("cpu", "[ x ]"), ("cpu", "[ 3-1 ]"), ("cpu", "[ 1024 ]"), ("mode", "shared")] {
            let text = format!(
                "  set-cpu-affinity: yes\n  cpu-affinity:\n    worker-cpu-set:\n      {key}: {value}\n"
            );
            let error = read(&text).unwrap_err().to_string();
            assert!(error.contains(&format!("worker-cpu-set.{key}")), "{error}");
        }
    }
}
