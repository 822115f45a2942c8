use std::time::Duration;

use weir_base::Sequence;
use weir_packet::decode::dispatch::FragmentFacts;
use weir_packet::{LinkType, VlanTags};
use weir_testkit::TestFolder;

use super::*;
use crate::batch::{Batch, Origin};
use crate::source::{Checksums, PacketSlot, SourceStats};

/// A source of two interfaces that lends nothing.
struct Silent;

impl Source for Silent {
    fn name(&self) -> String {
        "one".into()
    }

    fn number_after(&mut self, _: u64) {}

    fn next_batch(&mut self, _: usize, _: Duration) -> Result<Batch<'_>, SourceError> {
        Ok(Batch::empty())
    }

    fn interfaces(&self) -> Vec<String> {
        vec!["one".into(), "two".into()]
    }

    fn stance(&self) -> Stance {
        Stance::Between
    }

    fn deals_by_hosts(&self) -> bool {
        true
    }

    fn stats(&self) -> SourceStats {
        SourceStats::default()
    }
}

fn slots() -> Vec<PacketSlot> {
    let slot = |start, length, interface, link, checksums| PacketSlot {
        start,
        length,
        wire_length: length + 7,
        time: Timestamp(1_700_000_000_123_456_789 + start as u64),
        interface,
        link,
        checksums,
    };
    vec![
        slot(0, 5, 0, LinkType::ETHERNET, Checksums::Filled),
        slot(5, 4, 1, LinkType::RAW, Checksums::Unfilled),
        slot(9, 0, 0, LinkType::ETHERNET, Checksums::Unfilled),
    ]
}

/// Records a batch, then events, then a batch, on each of two threads.
fn record(folder: &Path) {
    let sources: Vec<Box<dyn Source>> = vec![Box::new(Silent), Box::new(Silent)];
    let sequence = std::sync::Arc::new(Sequence::noted(2));
    let (recording, recorders) =
        Recording::begin(folder, &sources, &sequence, |_| ()).expect("a recording begins");
    for mut recorder in recorders {
        recorder.packets(&Batch::new(b"fiveSfour", &slots(), 1));
        for event in EVENTS {
            recorder.event(event);
        }
        for (slot, origin) in slots().iter().zip(origins()) {
            let batch = Batch::new(b"fiveSfour", std::slice::from_ref(slot), 0);
            recorder.packet(&batch.get(0).expect("a packet"), slot.checksums, origin);
        }
        recorder.packets(&Batch::new(b"fiveSfour", &slots()[..1], 4));
    }
    recording.finish();
}

const EVENTS: [Event; 4] =
    [Event::Idle(Timestamp(u64::MAX - 1)), Event::Rules(3), Event::Bound(2, 1 << 40), Event::Seat(u16::MAX)];

/// Origins of the packets of `slots`, which other threads handed over.
fn origins() -> [Origin; 3] {
    let facts = |slot: &PacketSlot, tags: &[u16]| {
        let mut vlan = VlanTags::default();
        tags.iter().for_each(|tag| assert!(vlan.push(*tag)));
        let (time, interface) = (slot.time, slot.interface);
        FragmentFacts { number: 0, time, interface, vlan, recursion: 2, decoded_layers: 5, below: 70_000 }
    };
    let slots = slots();
    [Origin::Frame, Origin::Datagram(facts(&slots[1], &[7, 4095])), Origin::Datagram(facts(&slots[2], &[]))]
}

fn open(folder: &Path) -> LiveSources {
    let settings = weir_config::Settings::from_text(b"", "t", &[] as &[&str]).expect("settings");
    let names = [folder.to_owned()];
    super::open(&LiveRequest { names: &names, settings: &settings, filter: None, threads: None })
}

#[test]
fn what_was_recorded_is_lent_again() {
    let folder = TestFolder::new("recording");
    let path = folder.join("made");
    record(&path);
    assert!(turns(&path).expect("an order").is_empty());
    for (seat, mut source) in (0..).zip(open(&path).expect("a recording")) {
        assert_eq!(source.group(), Some(Group { threads: 2, seat }));
        assert_eq!((source.name(), source.stance()), ("one".into(), Stance::Between));
        assert_eq!(source.interfaces(), ["one", "two"]);
        let mut seen = Vec::new();
        let mut events = Vec::new();
        let mut handed = Vec::new();
        loop {
            let batch = source.next_batch(2, Duration::ZERO).expect("a batch");
            if batch.at_end() {
                break;
            }
            if batch.origin() != Origin::Source {
                let packet = batch.get(0).expect("a packet");
                handed.push((
                    batch.len(),
                    batch.checksums(0),
                    packet.bytes.to_vec(),
                    packet.time,
                    batch.origin(),
                ));
                continue;
            }
            for (index, packet) in batch.iter().enumerate() {
                let bytes = packet.bytes.to_vec();
                let kind = (packet.interface, packet.link, batch.checksums(index));
                seen.push((packet.number, bytes, packet.wire_length, packet.time, kind));
            }
            events.extend(source.event().map(|event| (seen.len(), event)));
        }
        let all = slots();
        let expected: Vec<_> = (1..)
            .zip(all.iter().chain(all.first()))
            .map(|(number, slot)| {
                let bytes = b"fiveSfour"[slot.start..slot.start + slot.length as usize].to_vec();
                let kind = (slot.interface, slot.link, slot.checksums);
                (number, bytes, slot.wire_length, slot.time, kind)
            })
            .collect();
        assert_eq!(seen, expected);
        let told = slots().into_iter().zip(origins()).map(|(slot, origin)| {
            let bytes = b"fiveSfour"[slot.start..slot.start + slot.length as usize].to_vec();
            (1, slot.checksums, bytes, slot.time, origin)
        });
        assert_eq!(handed, told.collect::<Vec<_>>());
        assert_eq!(events, EVENTS.map(|event| (3, event)));
        assert!(source.news().is_empty());
    }
}

/// However a file is cut or changed, it is read to some end.
#[test]
fn damaged_recordings_end() {
    let folder = TestFolder::new("recording-damaged");
    let path = folder.join("made");
    record(&path);
    let file = worker_file(&path, 0);
    let whole = std::fs::read(&file).expect("a file");
    let mut broken = 0;
    for at in 0..whole.len() {
        for changed in [whole[..at].to_vec(), [&whole[..at], &[!whole[at]], &whole[at + 1..]].concat()] {
            std::fs::write(&file, changed).expect("a file");
            let Ok(mut sources) = open(&path) else { continue };
            let source = &mut sources[0];
            let batches = (0..100)
                .take_while(|_| source.next_batch(9, Duration::ZERO).is_ok_and(|batch| !batch.at_end()));
            assert!(batches.count() < 100, "{at}");
            broken += source.news().len();
        }
    }
    assert!(broken > whole.len() / 4, "{broken}");
}

#[test]
fn errors_say_what_to_do() {
    let folder = TestFolder::new("recording-errors");
    let other = folder.join("worker-01.pcapng");
    std::fs::write(&other, b"other").expect("a file");
    for (path, words) in [
        (folder.join("missing"), "cannot open"),
        (folder.to_path_buf(), "is no recording: name a folder that --record made."),
    ] {
        let error = open(&path).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(error.contains(words), "{error}");
    }
    let made = folder.join("made");
    record(&made);
    let sources: Vec<Box<dyn Source>> = vec![Box::new(Silent)];
    let again = Recording::begin(&made, &sources, &Sequence::noted(1).into(), |_| ());
    assert!(again.err().is_some_and(|error| error.to_string().contains("exists")));
}
