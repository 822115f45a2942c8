//! MQTT 3.1.1: a sensor tells what it measures, and listens to what it should do.

use weir_base::Timestamp;
use weir_testkit::{Random, TimedFrame};

use crate::ends::{DOWN, Ends, UP};
use crate::words::spoken;

/// A connection.
pub fn session(random: &mut Random, begin: Timestamp) -> Vec<TimedFrame> {
    let ends = Ends::inside(random);
    let name = spoken(random);
    let connect =
        [sized("MQTT"), vec![4, 0xc2, 0, 60], sized(&name), sized("sensor"), sized(&spoken(random))];
    let mut said = vec![(UP, message(0x10, &connect.concat()))];
    if random.below(8) == 0 {
        // Not allowed.
        said.push((DOWN, message(0x20, &[0, 5])));
        return ends.talk(random, begin, 1883, &said);
    }
    let subscribe = [vec![0, 1], sized(&format!("orders/{name}/#")), vec![1]].concat();
    said.extend([
        (DOWN, message(0x20, &[0, 0])),
        (UP, message(0x82, &subscribe)),
        (DOWN, message(0x90, &[0, 1, 1])),
    ]);
    for number in 2..3 + random.below(12) as u16 {
        let topic = sized(&format!("{}/{name}", spoken(random)));
        let value =
            format!("{{\"value\":{},\"unit\":\"{}\"}}", random.below(1000), spoken(random)).into_bytes();
        let id = number.to_be_bytes();
        match random.below(4) {
            0 => said.push((UP, message(0x30, &[topic, value].concat()))),
            1 => said.extend([(UP, message(0xc0, b"")), (DOWN, message(0xd0, b""))]),
            kind => {
                let (asks, acknowledges) = if kind == 2 { (UP, DOWN) } else { (DOWN, UP) };
                let publish = message(0x32, &[topic, id.to_vec(), value].concat());
                said.extend([(asks, publish), (acknowledges, message(0x40, &id))]);
            }
        }
    }
    said.push((UP, message(0xe0, b"")));
    ends.talk(random, begin, 1883, &said)
}

/// A message: its first byte, its length, seven bits in a byte, and what follows.
fn message(first: u8, body: &[u8]) -> Vec<u8> {
    let length = body.len();
    let head = if length < 0x80 {
        vec![first, length as u8]
    } else {
        vec![first, 0x80 | (length & 0x7f) as u8, (length >> 7) as u8]
    };
    [&head, body].concat()
}

fn sized(text: &str) -> Vec<u8> {
    [&(text.len() as u16).to_be_bytes(), text.as_bytes()].concat()
}
