//! Loading of rules again while workers go on: all of them, or those of a tenant.
//!
//! A thread of its own reads the configuration and the rules, and makes of them what each worker needs. The workers
//! exchange it for what they have, each between two packets, and give back what they had. Rules that cannot be loaded
//! change nothing.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use crossbeam_channel::{Receiver, RecvTimeoutError, bounded};
use weir_applayer::file::{Bodies, FileSettings};
use weir_base::{Duration, Timestamp, Turn, memory};
use weir_config::{MultiDetectSettings, Settings, TenantTraffic};
use weir_detect::{Inspector, Ruleset};
use weir_magic::Magic;

use crate::live::Listeners;
use crate::load::{Beside, RuleFiles, RuleReport, load, magic_file};
use crate::log::EngineLog;
use crate::protocols::{self, SharedByParsers};
use crate::rules::{rulesets, without_tenants};
use crate::run::{Engine, wall_clock};
use crate::settings::{EngineSettings, RunOptions};
use crate::statistics::Statistics;
use crate::tenants::{Tenant, TenantLoader, Tenants};
use crate::worker::WorkerParts;
use crate::worker::measuring::Measured;
use crate::worker::renewal::{RuleParts, frame_wants};
use crate::worker::tenancy::{Seat, TenantParts};

/// Reads the configuration; the error is a sentence.
pub type ReadSettings = Arc<dyn Fn() -> Result<Settings, String> + Send + Sync>;

/// Longest wait for workers to exchange their rules.
const EXCHANGED_WITHIN: Duration = Duration::from_secs(5);

/// Longest wait before something else is looked after.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// Workers that listen, and the records of their counters; none where each run takes the rules when it begins.
pub(crate) type Listening<'a, 's> = Option<(&'a Listeners, &'a mut Statistics<'s>)>;

/// Module of log lines.
const MODULE: &str = "detect";

/// Rules that are to be exchanged.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Wish {
    /// All rules, those of packets without a tenant and of all tenants.
    All,
    /// The rules of all tenants.
    Tenants,
    /// The rules of a tenant, from another file if one is named.
    Tenant(u32, Option<PathBuf>),
    /// Those of a further tenant.
    Register(u32, PathBuf),
    /// A tenant goes.
    Unregister(u32),
    /// Traffic is mapped to a tenant, or to none.
    Map(TenantTraffic, Option<u32>),
}

/// Parts of the engine that loading rules needs.
struct Job {
    wish: Wish,
    read_settings: ReadSettings,
    /// The configuration of the start, by which protocols are read.
    settings: Arc<Settings>,
    options: RunOptions,
    files: RuleFiles,
    parts: WorkerParts,
    as_asked: Arc<EngineSettings>,
    shared: Arc<SharedByParsers>,
    log_folder: PathBuf,
    log: Arc<EngineLog>,
    /// Each worker's part in their order.
    turns: Vec<Turn>,
}

/// Rules of packets without a tenant, where they are others than before.
type Main = Option<(Arc<Ruleset>, RuleReport)>;

/// Rules that were loaded, before they are made ready for workers.
struct Loaded {
    main: Main,
    tenants: Option<Arc<Tenants>>,
    /// Tenants whose rules could not be loaded, as sentences.
    problems: Vec<String>,
}

/// Rules that were loaded, with what each worker needs.
struct Renewal {
    loaded: Loaded,
    loaded_at: Timestamp,
    /// Parts for each worker.
    parts: Vec<RuleParts>,
}

/// A stage of loading rules again.
enum Stage {
    /// Nothing was asked for.
    Idle,
    /// A thread loads them.
    Loading(Receiver<Result<Renewal, String>>),
    /// So many workers have still to give back their former parts.
    Exchanging(Receiver<Box<RuleParts>>, usize),
}

/// Loads rules again when asked to.
pub(crate) struct Reloads {
    stage: Stage,
    /// When the stage began.
    began: Instant,
    /// It was asked for once more meanwhile.
    again: bool,
    /// What is wrong with the rules of tenants, as sentences.
    problems: Vec<String>,
    /// Longest time that an exchange took a worker.
    pause: Duration,
    turns: Vec<Turn>,
    /// What the rules before cost, by worker.
    former: Vec<Measured>,
}

impl Reloads {
    /// For workers with these parts in their order.
    pub(crate) fn new(turns: Vec<Turn>) -> Self {
        let (stage, began, problems) = (Stage::Idle, Instant::now(), Vec::new());
        Self { stage, began, again: false, problems, pause: Duration::ZERO, turns, former: Vec::new() }
    }

    /// Whether rules are being loaded or exchanged.
    pub(crate) const fn is_under_way(&self) -> bool {
        !matches!(self.stage, Stage::Idle)
    }

    /// Begins to load all rules, once what is under way is over.
    pub(crate) fn ask(&mut self, engine: &Engine) {
        if self.is_under_way() {
            self.again = true;
        } else if let Err(sentence) = self.begin(engine, Wish::All) {
            engine.log.error(MODULE, &sentence);
        }
    }

    /// Begins to load the rules of the recording that is repeated which threads wait for, unless these are in force.
    pub(crate) fn ask_for_recorded(&mut self, engine: &mut Engine, wanted: u32) {
        let next = engine.rules_number + 1;
        if wanted >= next {
            engine.take_recorded_rules(next);
            self.ask(engine);
        }
    }

    /// Begins to load; the error is a sentence.
    pub(crate) fn begin(&mut self, engine: &Engine, wish: Wish) -> Result<(), String> {
        if !engine.as_asked.detection {
            return Err("Rules cannot be loaded again: this run is one without detection.".into());
        }
        let read_settings = engine.read_settings.clone().ok_or("This run cannot load rules again.")?;
        let job = Job {
            wish,
            read_settings,
            settings: Arc::clone(&engine.settings),
            options: engine.options.clone(),
            files: engine.rule_files.clone(),
            parts: engine.parts.clone(),
            as_asked: Arc::clone(&engine.as_asked),
            shared: Arc::clone(&engine.shared),
            log_folder: engine.log_folder.clone(),
            log: Arc::clone(&engine.log),
            turns: self.turns.clone(),
        };
        let (tell, loaded) = bounded(1);
        let work = move || {
            let _ = tell.send(job.run());
        };
        std::thread::Builder::new()
            .name("reload".to_owned())
            .spawn(work)
            .map_err(|error| format!("A thread that loads the rules cannot be started: {error}."))?;
        engine.log.notice(MODULE, "rule reload starting");
        (self.stage, self.began) = (Stage::Loading(loaded), Instant::now());
        Ok(())
    }

    /// Goes on where something has come to an end, and waits for that no longer than `wait`. The answer is the outcome,
    /// once there is one.
    pub(crate) fn progress(
        &mut self,
        engine: &mut Engine,
        listening: &mut Listening<'_, '_>,
        wait: Duration,
    ) -> Option<Result<(), String>> {
        let outcome = match &mut self.stage {
            Stage::Idle => return None,
            Stage::Loading(loaded) => match loaded.recv_timeout(wait) {
                Err(RecvTimeoutError::Timeout) => return None,
                Err(RecvTimeoutError::Disconnected) => {
                    Err("The rules could not be loaded again. This is a defect: please report it.".to_owned())
                }
                Ok(Err(sentence)) => Err(sentence),
                Ok(Ok(mut renewal)) => {
                    self.problems = std::mem::take(&mut renewal.loaded.problems);
                    let (returned, count) = install(renewal, engine, listening);
                    (self.stage, self.began) = (Stage::Exchanging(returned, count), Instant::now());
                    return None;
                }
            },
            Stage::Exchanging(returned, count) => {
                while *count > 0 {
                    match returned.recv_timeout(wait) {
                        Ok(former) => {
                            self.pause = self.pause.max(former.pause);
                            self.former.extend(former.measured);
                            *count -= 1;
                        }
                        Err(RecvTimeoutError::Timeout) if self.began.elapsed() < EXCHANGED_WITHIN => {
                            return None;
                        }
                        Err(_) => break,
                    }
                }
                match std::mem::take(&mut self.problems) {
                    problems if problems.is_empty() => Ok(()),
                    problems => Err(problems.join(" ")),
                }
            }
        };
        self.stage = Stage::Idle;
        let former = std::mem::take(&mut self.former);
        engine.tell_former_rules(&former);
        match &outcome {
            Ok(()) => {
                engine.log.notice(MODULE, "rule reload complete");
                let pause = std::mem::take(&mut self.pause).as_secs_f64() * 1000.0;
                engine
                    .log
                    .info(MODULE, &format!("the exchange of rules took a thread {pause:.3} ms at most"));
                // The rules before are gone, and those that are being compiled have left holes.
                memory::give_back_free();
            }
            Err(sentence) => {
                engine.log.error(MODULE, &format!("{sentence} The rules before stay in force."));
            }
        }
        if std::mem::take(&mut self.again) {
            self.ask(engine);
        }
        Some(outcome)
    }

    /// Goes on to the end of what is under way; `meanwhile` is called now and then.
    pub(crate) fn finish(
        &mut self,
        engine: &mut Engine,
        listening: &mut Listening<'_, '_>,
        meanwhile: &mut dyn FnMut(),
    ) -> Result<(), String> {
        loop {
            if let Some(outcome) = self.progress(engine, listening, LOOK_EVERY) {
                return outcome;
            }
            meanwhile();
        }
    }
}

/// Puts rules in force, and has workers exchange them. The answer is where these give back what they had, and how many
/// will.
fn install(
    renewal: Renewal,
    engine: &mut Engine,
    listening: &mut Listening<'_, '_>,
) -> (Receiver<Box<RuleParts>>, usize) {
    let Renewal { loaded: Loaded { main, tenants, .. }, loaded_at, parts } = renewal;
    let (give_back, returned) = bounded(parts.len().max(1));
    engine.parts.tenants = tenants;
    if let Some((ruleset, report)) = main {
        engine.parts.ruleset = ruleset;
        engine.rules_number += 1;
        engine.record_rules();
        (engine.rules, engine.loaded_at) = (report, loaded_at);
    }
    if !engine.parts.rulesets().all(|ruleset| ruleset.is_empty()) {
        Arc::make_mut(&mut engine.parts.settings).begin_detection(&engine.as_asked);
    }
    let Some((listeners, statistics)) = listening else { return (returned, 0) };
    statistics.set_rules(engine.detect_engines());
    (returned, listeners.exchange_rules(parts, &give_back))
}

impl Job {
    /// Loads the rules; the error says in a sentence why they are not to be used.
    fn run(&self) -> Result<Renewal, String> {
        let mut tenants = self.parts.tenants.as_deref().cloned();
        let (main, problems) = match (&self.wish, &mut tenants) {
            (Wish::Unregister(id), Some(tenants)) => {
                tenants.remove(*id);
                (None, Vec::new())
            }
            (Wish::Map(traffic, id), Some(tenants)) => {
                tenants.map(traffic.clone(), *id);
                (None, Vec::new())
            }
            (_, tenants) => self.load(tenants.as_mut())?,
        };
        self.made_ready(Loaded { main, tenants: tenants.map(Arc::new), problems })
    }

    /// Reads the configuration and loads the rules that are asked for; those of packets without a tenant are part of the
    /// answer, with sentences about tenants whose rules could not be loaded.
    fn load(&self, tenants: Option<&mut Tenants>) -> Result<(Main, Vec<String>), String> {
        let settings = (self.read_settings)()?;
        let typed =
            EngineSettings::from_settings(&settings, &self.options).map_err(|error| error.to_string())?;
        if typed.firewall.is_some() != self.parts.settings.firewall.is_some() {
            return Err("A firewall begins and ends with a new start only.".to_owned());
        }
        let wanted = MultiDetectSettings::from_settings(&settings).map_err(|error| error.to_string())?;
        if wanted.is_some() != tenants.is_some() {
            return Err("Tenants (multi-detect) begin and end with a new start only.".to_owned());
        }
        let main = match self.wish {
            Wish::All => Some(self.load_main(&settings, &typed, wanted.as_ref())?),
            _ => None,
        };
        for warning in settings.take_warnings() {
            self.log.warning(&warning.subsystem, &warning.to_string());
        }
        let Some(tenants) = tenants else { return Ok((main, Vec::new())) };
        let loader = TenantLoader {
            settings: &settings,
            typed: &typed,
            files: &self.files,
            main: main.as_ref().map_or(&self.parts.ruleset, |(main, _)| main),
            common: tenants.common.clone(),
            log_folder: &self.log_folder,
            log: &self.log,
            fatal: self.options.fatal_errors,
        };
        let problems = match &self.wish {
            Wish::Register(id, file) => {
                tenants.put(loader.load(*id, file, None)?)?;
                Vec::new()
            }
            Wish::Tenant(id, file) => {
                let former = tenants.tenant(*id).cloned().ok_or("The tenant is gone.")?;
                let file = file.as_ref().unwrap_or(&former.file);
                tenants.put(loader.load(*id, file, Some(&former))?)?;
                Vec::new()
            }
            _ => loader.load_again(tenants),
        };
        Ok((main, problems))
    }

    /// Loads the rules of packets without a tenant.
    fn load_main(
        &self,
        settings: &Settings,
        typed: &EngineSettings,
        wanted: Option<&MultiDetectSettings>,
    ) -> Result<(Arc<Ruleset>, RuleReport), String> {
        let fatal = self.options.fatal_errors;
        let surroundings = (&*self.log_folder, &self.log);
        let common = self.parts.tenants.as_ref().map(|tenants| &tenants.common);
        let beside = Beside { previous: Some(&self.parts.ruleset), main: None, common };
        let files = without_tenants(&self.files, wanted);
        let (ruleset, report) =
            load(settings, typed, &files, weir_protocols::ALL, surroundings, fatal, beside);
        if let Some(sentence) = report.unreadable.first() {
            return Err(sentence.clone());
        }
        let failed = report.failed_count();
        if report.firewall_failed || failed > 0 && (fatal || report.loaded == 0) {
            return Err(format!("{failed} rules could not be loaded, and {} could.", report.loaded));
        }
        Ok((Arc::new(ruleset), report))
    }

    /// Makes of rules what each worker needs.
    fn made_ready(&self, loaded: Loaded) -> Result<Renewal, String> {
        let main = loaded.main.as_ref().map_or(&self.parts.ruleset, |(main, _)| main);
        let rulesets: Vec<&Arc<Ruleset>> = rulesets(main, loaded.tenants.as_ref()).collect();
        let is_empty = rulesets.iter().all(|ruleset| ruleset.is_empty());
        let off_by_default = protocols::off_by_default(&self.settings, &self.options);
        let plain: Vec<&Ruleset> = rulesets.iter().map(|ruleset| &***ruleset).collect();
        let registries = protocols::registries(&self.settings, &plain, off_by_default, &self.shared, &|_| ())
            .map_err(|error| format!("The protocols' patterns cannot be compiled: {error}."))?;
        let names = Arc::new(main.name_table.list());
        let files = match self.options.disable_hashing {
            true => self.parts.files,
            false => plain.iter().fold(self.parts.files, |files, ruleset| ruleset.wishes_for_files(files)),
        };
        let bodies = if is_empty { files.bodies } else { Bodies::Kept };
        let files = FileSettings { bodies, ..files };
        let describes = files.describe && !self.parts.files.describe;
        let frames = frame_wants(rulesets.iter().copied());
        let choice = loaded.tenants.as_ref().map(|tenants| Arc::new(tenants.choice()));
        let settings = self.parts.settings.inspector();
        let inspector =
            |ruleset: &Arc<Ruleset>, turn: &Turn| Inspector::new(Arc::clone(ruleset), settings, turn.clone());
        let seats = |turn: &Turn| {
            let (tenants, former) = (loaded.tenants.as_deref()?, self.parts.tenants.as_deref()?);
            let seat = |tenant: &Arc<Tenant>| Seat::new(tenant.id, inspector(&tenant.ruleset, turn));
            let changed = tenants.changed(former).map(|(slot, tenant)| (slot, tenant.map(seat)));
            Some(TenantParts { choice: Arc::clone(choice.as_ref()?), seats: changed.collect() })
        };
        let parts = self.turns.iter().map(|turn| RuleParts {
            inspector: loaded.main.as_ref().map(|(main, _)| Box::new(inspector(main, turn))),
            tenants: seats(turn),
            names: Arc::clone(&names),
            as_asked: (!is_empty).then(|| Arc::clone(&self.as_asked)),
            registry: Arc::clone(&registries.main),
            tunnels_registry: Arc::clone(&registries.tunnels),
            files,
            frames: frames.clone(),
            pause: Duration::ZERO,
            measured: None,
            magic: describes.then(|| Magic::open(magic_file(&self.settings).as_deref()).ok()).flatten(),
        });
        Ok(Renewal { parts: parts.collect(), loaded_at: wall_clock(), loaded })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use weir_config::logging::LoggingSettings;
    use weir_testkit::TestFolder;

    use super::*;

    const SETTINGS: &str = "%YAML 1.1\n---\nrule-files: []\n";

    fn settings() -> Settings {
        Settings::from_text(SETTINGS.as_bytes(), "t", &[] as &[&str]).expect("settings")
    }

    /// An engine whose configuration is read when somebody says so.
    fn engine(folder: &TestFolder, said: Receiver<()>) -> Engine {
        let logging = LoggingSettings::from_settings(&settings()).expect("settings of the log");
        let (log, _) = EngineLog::open(&logging, folder, 0, false);
        let rule = "alert tcp any any -> any any (msg:\"a\"; sid:1;)".to_owned();
        let files = RuleFiles { texts: vec![rule], ..RuleFiles::default() };
        let engine = Engine::new(settings(), RunOptions::default(), &files, folder, Arc::new(log));
        let said = Mutex::new(said);
        let read = move || {
            let said = said.lock().map_err(|_| "nobody reads".to_owned())?;
            said.recv().map_err(|_| "nobody says so".to_owned()).map(|()| settings())
        };
        engine.expect("an engine").reading_settings_by(Arc::new(read))
    }

    /// The time that loading takes is none of the workers', who have as long as ever to exchange their rules.
    #[test]
    fn loading_may_take_longer_than_workers() {
        for is_heeded in [true, false] {
            let folder = TestFolder::new("reload-long");
            let (say, said) = bounded(1);
            let mut engine = engine(&folder, said);
            let settings = Arc::clone(&engine.parts.settings);
            let mut statistics = Statistics::new(&settings, &[], engine.detect_engines(), Instant::now());
            let (listeners, worker) = Listeners::stand_in();
            let mut reloads = Reloads::new(vec![Turn::alone()]);
            reloads.begin(&engine, Wish::All).expect("a thread");
            let mut progress = |reloads: &mut Reloads, wait| {
                reloads.progress(&mut engine, &mut Some((&listeners, &mut statistics)), wait)
            };
            assert_eq!(progress(&mut reloads, Duration::ZERO), None);
            // As if it had begun long ago.
            reloads.began = Instant::now().checked_sub(EXCHANGED_WITHIN * 2).expect("a time");
            assert_eq!(progress(&mut reloads, Duration::ZERO), None, "loading goes on");
            say.send(()).expect("somebody reads");
            while matches!(reloads.stage, Stage::Loading(_)) {
                assert_eq!(progress(&mut reloads, Duration::from_millis(10)), None);
            }
            assert_eq!(progress(&mut reloads, Duration::ZERO), None, "workers are waited for");
            if is_heeded {
                assert!(worker.exchange());
            } else {
                // One that takes no orders is not waited for any longer.
                reloads.began = Instant::now().checked_sub(EXCHANGED_WITHIN * 2).expect("a time");
            }
            assert_eq!(progress(&mut reloads, Duration::ZERO), Some(Ok(())));
            assert!(!reloads.is_under_way());
        }
    }

    /// A second wish while rules are loaded is heeded after it.
    #[test]
    fn a_wish_in_the_meantime_is_heeded_later() {
        let folder = TestFolder::new("reload-again");
        let (say, said) = bounded(1);
        let mut engine = engine(&folder, said);
        let mut reloads = Reloads::new(Vec::new());
        reloads.ask(&engine);
        reloads.ask(&engine);
        let before = engine.loaded_at;
        let mut says = Some(&say);
        let mut meanwhile = || says.take().into_iter().for_each(|say| say.send(()).expect("somebody reads"));
        assert_eq!(reloads.finish(&mut engine, &mut None, &mut meanwhile), Ok(()));
        assert!(reloads.is_under_way() && engine.loaded_at > before);
        drop(say);
        assert_eq!(reloads.finish(&mut engine, &mut None, &mut || ()), Err("nobody says so".to_owned()));
        assert!(!reloads.is_under_way() && engine.rules.loaded == 1);
    }
}
