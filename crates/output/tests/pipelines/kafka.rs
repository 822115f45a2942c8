//! Against a node of Kafka (KRaft) from the jars in the folder that `WEIR_KAFKA` names, as `scripts/pipelines.sh` fetches them.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use rdkafka::ClientConfig;
use rdkafka::consumer::{BaseConsumer, Consumer};
use rdkafka::message::Message;
use rdkafka::util::Timeout;
use weir_testkit::TestFolder;

use super::run::{PATIENCE, Run, Server, check_all, free_port, number, print_row, records, wait_until};

/// A node of its own.
pub struct Kafka {
    jars: PathBuf,
    folder: PathBuf,
    /// The port of the listener without TLS.
    pub port: u16,
    node: Option<Server>,
}

impl Kafka {
    /// Starts one; `None`, told in a line, where there are no jars or no Java.
    pub fn start(folder: &Path) -> Option<Self> {
        Self::start_with(folder, &[], "", &[])
    }

    /// Starts one that listens in more ways, each by its name, its protocol and its port, with these settings, and these
    /// options of what makes its folder.
    pub fn start_with(
        folder: &Path,
        listeners: &[(&str, &str, u16)],
        more: &str,
        options: &[&str],
    ) -> Option<Self> {
        let missing = |what: &str| eprintln!("{what}: records to Kafka are not tested");
        let Some(jars) = std::env::var_os("WEIR_KAFKA").map(PathBuf::from) else {
            missing("WEIR_KAFKA names no folder of jars (scripts/pipelines.sh fetches them)");
            return None;
        };
        let (port, controller) = (free_port(), free_port());
        std::fs::create_dir_all(folder).unwrap();
        let data = folder.join("data");
        let each =
            |form: &dyn Fn(&(&str, &str, u16)) -> String| listeners.iter().map(form).collect::<String>();
        let addresses = each(&|(name, _, port)| format!(",{name}://127.0.0.1:{port}"));
        let protocols = each(&|(name, protocol, _)| format!(",{name}:{protocol}"));
        let properties = format!(
            "process.roles=broker,controller\nnode.id=1\ncontroller.quorum.voters=1@127.0.0.1:{controller}\n\
             listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}{addresses}\n\
             advertised.listeners=PLAINTEXT://127.0.0.1:{port}{addresses}\ncontroller.listener.names=CONTROLLER\n\
             listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT{protocols}\nlog.dirs={}\nnum.partitions=1\n\
             offsets.topic.replication.factor=1\ntransaction.state.log.replication.factor=1\n\
             transaction.state.log.min.isr=1\n{more}",
            data.display()
        );
        std::fs::write(folder.join("server.properties"), properties).unwrap();
        let mut kafka = Self { jars, folder: folder.to_owned(), port, node: None };
        let id = "MkU3OEVBNTcwNTJENDM2Qg";
        let format = kafka
            .java("kafka.tools.StorageTool")
            .args(["format", "-t", id, "-c"])
            .arg(kafka.settings())
            .args(options)
            .output();
        match format {
            Ok(output) if output.status.success() => {}
            Ok(output) => panic!("{}", String::from_utf8_lossy(&output.stderr)),
            Err(_) => {
                missing("Java is not installed");
                return None;
            }
        }
        kafka.up();
        Some(kafka)
    }

    fn settings(&self) -> PathBuf {
        self.folder.join("server.properties")
    }

    fn java(&self, class: &str) -> Command {
        let mut command = Command::new("java");
        command.arg("-Xmx512m").arg("-cp").arg(self.jars.join("*")).arg(class);
        command
    }

    pub fn up(&mut self) {
        let mut command = self.java("kafka.Kafka");
        let command =
            command.arg(self.settings()).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        self.node = Some(Server(command.spawn().expect("Java starts")));
        wait_until("Kafka answers", || {
            self.consumer().fetch_metadata(None, Timeout::After(std::time::Duration::from_secs(2))).is_ok()
        });
    }

    pub fn kill(&mut self) {
        self.node.as_mut().expect("a node").kill();
        self.node = None;
    }

    fn consumer(&self) -> BaseConsumer {
        let mut config = ClientConfig::new();
        config.set("bootstrap.servers", format!("127.0.0.1:{}", self.port)).set("group.id", "test");
        config.set("auto.offset.reset", "earliest").set("enable.auto.commit", "false").set("log_level", "0");
        config.create().expect("a consumer")
    }

    /// Messages of a topic so far.
    pub fn count(&self, topic: &str) -> u64 {
        let watermarks = self.consumer().fetch_watermarks(topic, 0, PATIENCE);
        watermarks.map_or(0, |(first, last)| (last - first) as u64)
    }

    /// All messages of a topic, each with its key.
    pub fn messages(&self, topic: &str) -> Vec<(Option<String>, String)> {
        let (count, consumer) = (self.count(topic) as usize, self.consumer());
        consumer.subscribe(&[topic]).unwrap();
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        let next = || {
            let message = consumer.poll(PATIENCE).expect("a message").expect("no error");
            (message.key().map(text), text(message.payload().unwrap()))
        };
        std::iter::repeat_with(next).take(count).collect()
    }

    /// Numbers of all records of a topic, each of which has its flow as the key.
    pub fn list(&self, topic: &str) -> Vec<u64> {
        let number_of = |(key, line): (Option<String>, String)| {
            let number = number(&line);
            assert_eq!(key, Some((1000 + number % 64).to_string()));
            number
        };
        self.messages(topic).into_iter().map(number_of).collect()
    }

    fn run_settings(&self, more: &str) -> String {
        format!(
            "filetype: kafka\nspool:\n  memory: 4mb\n  wait-at-end: 60\nkafka:\n  brokers: 127.0.0.1:{}\n  topic: eve\n  {more}",
            self.port
        )
    }
}

#[test]
fn ten_kills_lose_nothing() {
    let folder = TestFolder::new("kafka-kills");
    let Some(mut kafka) = Kafka::start(&folder.join("node")) else { return };
    let mut run = Run::start(&folder.join("logs"), &kafka.run_settings("compression: lz4"));
    let (kills, each) = (10, records(50_000) / 10);
    for kill in 0..kills {
        run.push(each);
        wait_until("half of the records arrive", || kafka.count("eve") >= kill * each + each / 2);
        kafka.kill();
        run.push(each / 100);
        kafka.up();
    }
    let pushed = run.pushed();
    let (report, pipeline, told) = run.finish();
    let again = check_all(&kafka.list("eve"), pushed);
    print_row("Kafka, ten kills", pushed, again, &pipeline, None);
    told.iter().for_each(|line| println!("  {line}"));
    assert_eq!((pipeline.lost, pipeline.left, report.outlets[0].lost), (0, 0, 0));
    assert_eq!(pipeline.sent, pushed);
}

#[test]
fn figures_at_a_rate() {
    let folder = TestFolder::new("kafka-rate");
    let Some(kafka) = Kafka::start(&folder.join("node")) else { return };
    let mut run = Run::start(&folder.join("logs"), &kafka.run_settings(""));
    let (rate, seconds) = (50_000, 20);
    let begun = Instant::now();
    run.push_at(rate, seconds);
    let pushed = begun.elapsed();
    let (_, pipeline, told) = run.finish();
    let all = begun.elapsed();
    print_row(
        &format!("Kafka, {rate} records/s for {seconds} s"),
        rate * seconds,
        0,
        &pipeline,
        Some(all - pushed),
    );
    told.iter().for_each(|line| println!("  {line}"));
    assert_eq!((pipeline.sent, pipeline.lost), (rate * seconds, 0));
}
