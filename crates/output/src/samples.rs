//! Packets, flows and records for the tests of this crate.

use weir_base::{Direction, Position, Timestamp};
use weir_detect::names::NameTable;
use weir_detect::signature::SignatureIndex;
use weir_detect::{Alert, FlowDetect};
use weir_flow::FlowCore;
use weir_packet::{Decoder, DecoderSettings, FlowKey, LinkType, PacketList, RawPacket};
use weir_rules::{Action, Metadata, RuleInfo, Span};
use weir_testkit::Frame;
use weir_testkit::frame::tcp_flags;

use crate::format::Format;
use crate::outlet::{OutletSettings, Outlets};
use crate::record::{AlertRecord, AppProtocols, FlowView, Record, RecordContext, Verdict};
use crate::writer::{LogWriter, Order};

/// When every sample packet is captured.
pub(crate) const TIME: Timestamp = Timestamp::new(1_700_000_000, 1_000);

pub(crate) fn tcp_packet() -> Vec<u8> {
    Frame::ethernet()
        .vlan(7)
        .ipv4("10.0.0.1", "10.0.0.2")
        .tcp(1234, 80)
        .flags(tcp_flags::SYN)
        .payload(b"GET /\x00")
        .build()
}

pub(crate) fn icmp_packet() -> Vec<u8> {
    Frame::ethernet().ipv4("10.0.0.1", "10.0.0.2").icmpv4(8, 0, [0, 1, 0, 2]).payload(b"ping").build()
}

/// A frame and what a rule and a flow say of it.
pub(crate) struct Sample {
    frame: Vec<u8>,
}

impl Sample {
    pub(crate) fn new(frame: &[u8]) -> Self {
        Self { frame: frame.to_vec() }
    }

    /// The lines that `format` makes of records made by `make`.
    pub(crate) fn lines(
        &self,
        format: &mut dyn Format,
        make: impl FnOnce(&RecordContext<'_>, &mut dyn FnMut(&RecordContext<'_>, &Record<'_>)),
    ) -> String {
        let mut decoder = Decoder::new(DecoderSettings::default());
        let mut list = PacketList::new();
        let raw = RawPacket {
            number: 5,
            time: TIME,
            link: LinkType::ETHERNET,
            wire_length: self.frame.len() as u32,
            interface: 0,
            bytes: &self.frame,
        };
        decoder.decode(&raw, &mut list);
        let packet = list.outer().unwrap();
        let key = FlowKey::of(packet).unwrap();
        let core = FlowCore::new(key, packet, 1);
        let names = NameTable::default();
        let mut detect = FlowDetect::default();
        detect.set_bit(names.id(weir_detect::names::NameKind::FlowBit, "traffic/label/seen"));
        detect.set_integer(names.id(weir_detect::names::NameKind::FlowInteger, "count"), 3);
        let names = names.list();
        let flow = FlowView {
            core: &core,
            detect: Some(&detect),
            app: AppProtocols { protocol: Some("http"), to_client: Some("ssh"), ..AppProtocols::default() },
            parser: None,
            tcp: None,
            macs: None,
            zeek_uid: None,
        };
        let cx = RecordContext {
            packet: Some(packet),
            direction: Direction::ToServer,
            flow: Some(flow),
            names: Some(&names),
            ..RecordContext::at(Position::new(TIME, 5), TIME)
        };
        written(|out| make(&cx, &mut |cx, record| format.record(cx, record, out)))
    }

    /// The lines of an alert of a rule with this action.
    pub(crate) fn alert_lines(&self, action: Action, format: &mut dyn Format) -> String {
        let rule = rule(action);
        let alert = alert(action);
        self.lines(format, |cx, log| {
            log(cx, &Record::Alert(alert_record(&alert, &rule)));
        })
    }
}

pub(crate) fn rule(action: Action) -> RuleInfo {
    let mut metadata = Metadata::default();
    metadata.push(Span::new(9, 25));
    RuleInfo {
        sid: 42,
        rev: 3,
        msg: "a \"message\"".into(),
        action,
        text: "metadata:tag a,by b,tag c;".into(),
        metadata,
        ..RuleInfo::default()
    }
}

/// An alert of which nothing else is known.
pub(crate) fn alert_record<'a>(alert: &'a Alert, rule: &'a RuleInfo) -> AlertRecord<'a> {
    AlertRecord {
        frame: None,
        contexts: &[],
        alert,
        rule,
        dropped: false,
        tx_guessed: false,
        verdict: Verdict::default(),
        stream: None,
    }
}

pub(crate) fn alert(action: Action) -> Alert {
    Alert {
        signature: SignatureIndex(0),
        action,
        scope: None,
        transaction: None,
        frame: None,
        stream_match: false,
        state_match: false,
        silent: false,
        rate_filtered: false,
        firewall: None,
        contexts: Default::default(),
    }
}

/// Returns the content of the first outlet's file.
pub(crate) fn written(write: impl FnOnce(&mut Outlets)) -> String {
    static NUMBER: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let path = std::env::temp_dir().join(format!("weir-output-{}-{number}.log", std::process::id()));
    let destination = crate::outlet::Destination::File {
        name: path.clone().into(),
        existing: crate::outlet::Existing::Overwrite,
        lazy: false,
    };
    let writer = LogWriter::start(vec![OutletSettings::new(destination)], 1, Order::Arrival, |error| {
        panic!("{error}")
    })
    .unwrap();
    let mut outlets = writer.outlets(0);
    write(&mut outlets);
    outlets.finish();
    writer.finish();
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::remove_file(path).unwrap();
    text
}
