//! FTP (RFC 959): commands and replies on one connection, files and lists on others, which either side opens.

use weir_base::{Direction, Timestamp};
use weir_testkit::{Conversation, Random, TimedFrame};

use crate::ends::{DOWN, Ends, UP, some_port, spoken};
use crate::words::{self, content};

/// A control connection with its connections of data.
pub fn session(random: &mut Random, begin: Timestamp) -> Vec<TimedFrame> {
    let ends = Ends::anywhere(random);
    let talk = ends.connection(random, begin, 21).handshake();
    let mut control = Control { ends, talk, data: Vec::new() };
    if control.log_in(random) {
        for _ in 0..1 + random.below(6) {
            control.step(random);
        }
    }
    control.exchange("QUIT", "221 Goodbye.");
    let mut frames = control.talk.close().frames();
    frames.extend(control.data);
    frames
}

/// A control connection, and the frames of data that it led to.
struct Control {
    ends: Ends,
    talk: Conversation,
    data: Vec<TimedFrame>,
}

impl Control {
    fn say(&mut self, direction: Direction, line: &str) {
        let said = (direction, format!("{line}\r\n").into_bytes());
        self.talk = spoken(self.talk.clone(), &[said]);
    }

    fn exchange(&mut self, command: &str, reply: &str) {
        self.say(UP, command);
        self.say(DOWN, reply);
    }

    /// Whether it is let in.
    fn log_in(&mut self, random: &mut Random) -> bool {
        self.say(DOWN, "220-Welcome\r\n220 (vsFTPd 3.0.5)");
        self.exchange(&format!("USER {}", words::spoken(random)), "331 Please specify the password.");
        let is_known = random.below(8) > 0;
        let reply = if is_known { "230 Login successful." } else { "530 Login incorrect." };
        self.exchange(&format!("PASS {}", words::spoken(random)), reply);
        if is_known {
            self.exchange("SYST", "215 UNIX Type: L8");
            self.exchange("TYPE I", "200 Switching to Binary mode.");
        }
        is_known
    }

    fn step(&mut self, random: &mut Random) {
        let name = format!("{}.{}", words::spoken(random), ["zip", "csv", "txt"][random.below(3) as usize]);
        match random.below(8) {
            0 => self.exchange(&format!("CWD {}", words::spoken(random)), "250 Directory changed."),
            1 => {
                self.exchange("PWD", &format!("257 \"/{}\" is the current directory", words::spoken(random)))
            }
            2 => self.exchange(&format!("SIZE {name}"), &format!("213 {}", random.below(1 << 20))),
            3 => self.exchange(&format!("DELE {name}"), "550 Permission denied."),
            4 => {
                let listed: String = (0..1 + random.below(20)).map(|_| listed(random)).collect();
                self.transfer(random, "LIST", DOWN, listed.as_bytes());
            }
            5 => {
                let data = content(random, 20_000);
                self.transfer(random, &format!("STOR {name}"), UP, &data);
            }
            _ => {
                let data = content(random, 40_000);
                self.transfer(random, &format!("RETR {name}"), DOWN, &data);
            }
        }
    }

    /// Something goes over a connection of its own.
    fn transfer(&mut self, random: &mut Random, command: &str, direction: Direction, data: &[u8]) {
        let port = some_port(random);
        let numbers = |address: std::net::Ipv4Addr| {
            let [a, b, c, d] = address.octets();
            format!("{a},{b},{c},{d},{},{}", port >> 8, port & 0xff)
        };
        let is_active = random.below(3) == 0;
        if is_active {
            let command = format!("PORT {}", numbers(self.ends.client));
            self.exchange(&command, "200 PORT command successful.");
        } else if random.below(2) == 0 {
            self.exchange("EPSV", &format!("229 Entering Extended Passive Mode (|||{port}|)."));
        } else {
            self.exchange("PASV", &format!("227 Entering Passive Mode ({}).", numbers(self.ends.server)));
        }
        self.say(UP, command);
        if random.below(10) == 0 {
            return self.say(DOWN, "550 Failed to open file.");
        }
        self.say(DOWN, "150 Here it comes.");
        let Ends { client, server } = self.ends;
        // The one that connects is the client of the connection.
        let (ends, from_there) = if is_active {
            (Ends { client: server, server: client }, direction.opposite())
        } else {
            (self.ends, direction)
        };
        let carried = ends.connection(random, self.talk.time(), port).handshake();
        let carried = carried.sends(from_there, data).close();
        self.talk = self.talk.clone().at(carried.time());
        self.data.extend(carried.frames());
        self.say(DOWN, "226 Transfer complete.");
    }
}

fn listed(random: &mut Random) -> String {
    let size = random.below(1 << 24);
    format!("-rw-r--r--    1 1000     1000     {size:>10} Nov 14 22:13 {}.txt\r\n", words::spoken(random))
}
