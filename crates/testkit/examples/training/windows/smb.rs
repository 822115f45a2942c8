//! Files and pipes of servers over SMB 2 and 3 (MS-SMB2): a client logs in, connects shares, opens, reads, writes,
//! renames and deletes files, and calls what pipes serve.

mod body;

use weir_base::Timestamp;
use weir_testkit::{Random, TimedFrame};

use self::body::{Class, FILE_OF_CHAIN, FileId};
use super::{rpc, server_name, tokens};
use crate::ends::{DOWN, Ends, Said, UP};
use crate::words::{content, spoken};

/// Commands.
const NEGOTIATE: u16 = 0;
const SESSION_SETUP: u16 = 1;
const LOGOFF: u16 = 2;
const TREE_CONNECT: u16 = 3;
const TREE_DISCONNECT: u16 = 4;
const CREATE: u16 = 5;
const CLOSE: u16 = 6;
const READ: u16 = 8;
const WRITE: u16 = 9;
const IOCTL: u16 = 11;
const QUERY_DIRECTORY: u16 = 14;
const QUERY_INFO: u16 = 16;
const SET_INFO: u16 = 17;

/// What became of a request (MS-ERREF).
const SUCCESS: u32 = 0;
const NO_MORE_FILES: u32 = 0x8000_0006;
const END_OF_FILE: u32 = 0xc000_0011;
const MORE_PROCESSING: u32 = 0xc000_0016;
const ACCESS_DENIED: u32 = 0xc000_0022;
const NAME_NOT_FOUND: u32 = 0xc000_0034;
const SHARING_VIOLATION: u32 = 0xc000_0043;
const LOGON_FAILURE: u32 = 0xc000_006d;
const BAD_NETWORK_NAME: u32 = 0xc000_00cc;
const NOT_FOUND: u32 = 0xc000_0225;

/// Flags of messages: it is an answer; it is about the file of the one before it.
const ANSWER: u32 = 1;
const RELATED: u32 = 4;

/// Functions: a call through a pipe; other servers of a path; whether the offer of dialects came as it was sent.
const PIPE_TRANSCEIVE: u32 = 0x0011_c017;
const REFERRALS: u32 = 0x0006_0194;
const VALIDATE: u32 = 0x0014_0204;

/// How files are opened: those that there are, new ones, either; and to be deleted.
const OPEN: u32 = 1;
const OVERWRITE: u32 = 5;
const DELETE_ON_CLOSE: u32 = 0x1000;

/// What is read or written at once.
const CHUNK: usize = 32_768;

/// A connection.
pub fn session(random: &mut Random, begin: Timestamp) -> Vec<TimedFrame> {
    let ends = Ends::inside(random);
    let mut session = Session::default();
    session.negotiate(random);
    if session.log_in(random) {
        let server = server_name(random);
        if random.below(10) == 0 {
            session.sealed(random);
        } else {
            session.pipes(random, &server);
            for _ in 0..random.below(3) {
                session.share(random, &server);
            }
            session.exchange(LOGOFF, &[4, 0, 0, 0], SUCCESS, &[4, 0, 0, 0]);
        }
    }
    ends.talk(random, begin, 445, &session.said)
}

/// What was said, and the numbers that messages carry.
#[derive(Default)]
struct Session {
    said: Vec<Said>,
    session: u64,
    tree: u32,
    message: u64,
}

impl Session {
    fn head(&self, command: u16, status: u32, flags: u32, next: u32) -> Vec<u8> {
        let mut bytes = b"\xfeSMB\x40\0\x01\0".to_vec();
        bytes.extend(status.to_le_bytes());
        bytes.extend(command.to_le_bytes());
        bytes.extend([31, 0]);
        bytes.extend(flags.to_le_bytes());
        bytes.extend(next.to_le_bytes());
        bytes.extend(self.message.to_le_bytes());
        bytes.extend([0xff, 0xfe, 0, 0]);
        bytes.extend(self.tree.to_le_bytes());
        bytes.extend(self.session.to_le_bytes());
        bytes.extend([0; 16]);
        bytes
    }

    fn ask(&mut self, command: u16, body: &[u8]) {
        let message = [&self.head(command, SUCCESS, 0, 0), body].concat();
        self.said.push((UP, body::framed(&message)));
    }

    fn answer(&mut self, command: u16, status: u32, body: &[u8]) {
        let message = [&self.head(command, status, ANSWER, 0), body].concat();
        self.said.push((DOWN, body::framed(&message)));
        self.message += 1;
    }

    fn exchange(&mut self, command: u16, asked: &[u8], status: u32, answered: &[u8]) {
        self.ask(command, asked);
        self.answer(command, status, answered);
    }

    fn refused(&mut self, command: u16, asked: &[u8], status: u32) {
        self.exchange(command, asked, status, &body::ERROR);
    }

    /// Requests in one message, about the file that the first one opens, and their answers in one.
    fn chain(&mut self, links: &[(u16, Vec<u8>, Vec<u8>)]) {
        let first = self.message;
        let mut chained = |flags: u32, bodies: &[(u16, &[u8])]| {
            self.message = first;
            let mut bytes = Vec::new();
            for (place, (command, body)) in bodies.iter().enumerate() {
                let mut body = body.to_vec();
                body.resize(body.len().next_multiple_of(8), 0);
                let next = if place + 1 < bodies.len() { 64 + body.len() as u32 } else { 0 };
                let related = if place > 0 { RELATED } else { 0 };
                bytes.extend(self.head(*command, SUCCESS, flags | related, next));
                bytes.extend(body);
                self.message += 1;
            }
            body::framed(&bytes)
        };
        let asked: Vec<_> = links.iter().map(|(command, asked, _)| (*command, &asked[..])).collect();
        let answered: Vec<_> = links.iter().map(|(command, _, answered)| (*command, &answered[..])).collect();
        let pieces = [(UP, chained(0, &asked)), (DOWN, chained(ANSWER, &answered))];
        self.said.extend(pieces);
    }

    /// Offers dialects, sometimes by a message of version 1.
    fn negotiate(&mut self, random: &mut Random) {
        if random.below(3) == 0 {
            self.said.push((UP, body::old_offer()));
            let answered = body::negotiated(random, 0x02ff, &tokens::mechanisms());
            self.answer(NEGOTIATE, SUCCESS, &answered);
        }
        let dialect = [0x0210, 0x0302, 0x0311, 0x0311][random.below(4) as usize];
        let asked = body::negotiate(random);
        self.exchange(NEGOTIATE, &asked, SUCCESS, &body::negotiated(random, dialect, &tokens::mechanisms()));
    }

    /// Whether it is let in.
    fn log_in(&mut self, random: &mut Random) -> bool {
        let is_known = random.below(16) > 0;
        let number = 0x0000_0400_0000_0001 | (random.below(1 << 20) << 4);
        let accepted = body::set_up(&tokens::answer(0, b""));
        if random.below(2) == 0 && is_known {
            self.ask(SESSION_SETUP, &body::setup(&tokens::ticket(random)));
            self.session = number;
            self.answer(SESSION_SETUP, SUCCESS, &accepted);
            return true;
        }
        self.ask(SESSION_SETUP, &body::setup(&tokens::negotiate()));
        self.session = number;
        let challenge = body::set_up(&tokens::challenge(random));
        self.answer(SESSION_SETUP, MORE_PROCESSING, &challenge);
        let shown = body::setup(&tokens::authenticate(random));
        match is_known {
            true => self.exchange(SESSION_SETUP, &shown, SUCCESS, &accepted),
            false => self.refused(SESSION_SETUP, &shown, LOGON_FAILURE),
        }
        is_known
    }

    /// Messages that are encrypted.
    fn sealed(&mut self, random: &mut Random) {
        for _ in 0..2 + random.below(6) {
            for direction in [UP, DOWN] {
                let length = 100 + random.below(2000) as usize;
                let mut bytes = [&b"\xfdSMB"[..], &random.bytes(32)].concat();
                bytes.extend((length as u32).to_le_bytes());
                bytes.extend([0, 0, 1, 0]);
                bytes.extend(self.session.to_le_bytes());
                bytes.extend(random.bytes(length));
                self.said.push((direction, body::framed(&bytes)));
            }
        }
    }

    /// Connects a share.
    fn connect(&mut self, random: &mut Random, server: &str, share: &str, kind: u8) {
        self.ask(TREE_CONNECT, &body::connect(&format!("\\\\{server}\\{share}")));
        self.tree = 1 + random.below(64) as u32;
        self.answer(TREE_CONNECT, SUCCESS, &body::connected(kind));
    }

    fn disconnect(&mut self) {
        self.exchange(TREE_DISCONNECT, &[4, 0, 0, 0], SUCCESS, &[4, 0, 0, 0]);
        self.tree = 0;
    }

    /// The share of pipes.
    fn pipes(&mut self, random: &mut Random, server: &str) {
        self.connect(random, server, "IPC$", body::PIPES);
        let check = body::ioctl(VALIDATE, &[0xff; 16], &random.bytes(32));
        let checked = body::ioctl_answer(VALIDATE, &[0xff; 16], &random.bytes(24));
        self.exchange(IOCTL, &check, SUCCESS, &checked);
        let path = super::utf16(&format!("\\{server}\\{}\0", spoken(random)));
        let asked = body::ioctl(REFERRALS, &[0xff; 16], &[&[4, 0][..], &path].concat());
        self.refused(IOCTL, &asked, NOT_FOUND);
        for _ in 0..random.below(3) {
            self.pipe(random);
        }
        self.disconnect();
    }

    fn pipe(&mut self, random: &mut Random) {
        let called = &rpc::IN_PIPES[random.below(6) as usize];
        let file = self.open(random, called.pipe, OPEN, 0, 0);
        self.exchange(WRITE, &body::write(&file, 0, &rpc::bind(called)), SUCCESS, &body::written(160));
        let bound = rpc::bound(random, &format!("\\PIPE\\{}", called.pipe));
        self.exchange(READ, &body::read(&file, 0, 1024), SUCCESS, &body::read_answer(&bound));
        for number in 2..3 + random.below(6) as u32 {
            let (asked, answered) = (20 + random.below(200) as usize, 8 + random.below(900) as usize);
            let asked = rpc::call(random, called, number, asked);
            let answered = rpc::answer(random, number, answered);
            if random.below(4) == 0 {
                let count = asked.len() as u32;
                self.exchange(WRITE, &body::write(&file, 0, &asked), SUCCESS, &body::written(count));
                self.exchange(READ, &body::read(&file, 0, 1024), SUCCESS, &body::read_answer(&answered));
            } else {
                let asked = body::ioctl(PIPE_TRANSCEIVE, &file, &asked);
                let answered = body::ioctl_answer(PIPE_TRANSCEIVE, &file, &answered);
                self.exchange(IOCTL, &asked, SUCCESS, &answered);
            }
        }
        self.close(&file);
    }

    /// A share of files.
    fn share(&mut self, random: &mut Random, server: &str) {
        let share = ["home", "public", "sysvol", "projects$", "netlogon"][random.below(5) as usize];
        if random.below(12) == 0 {
            return self.refused(
                TREE_CONNECT,
                &body::connect(&format!("\\\\{server}\\{share}")),
                BAD_NETWORK_NAME,
            );
        }
        self.connect(random, server, share, body::FILES);
        for _ in 0..1 + random.below(6) {
            self.step(random);
        }
        self.disconnect();
    }

    fn step(&mut self, random: &mut Random) {
        let name = path(random);
        match random.below(10) {
            0 | 1 => self.glance(random, &name),
            2 | 3 => self.read(random, &name),
            4 => self.write(random, &name),
            5 => self.list(random),
            6 => {
                let file = self.open(random, &name, OPEN, 0, 900);
                self.set(&file, Class::Rename, &body::rename(&path(random)));
                self.close(&file);
            }
            7 if random.below(2) == 0 => {
                let file = self.open(random, &name, OPEN, DELETE_ON_CLOSE, 900);
                self.close(&file);
            }
            7 => {
                let file = self.open(random, &name, OPEN, 0, 900);
                self.set(&file, Class::Disposition, &[1]);
                self.close(&file);
            }
            _ => {
                let status = [NAME_NOT_FOUND, NAME_NOT_FOUND, ACCESS_DENIED, SHARING_VIOLATION]
                    [random.below(4) as usize];
                self.refused(CREATE, &body::create(&name, OPEN, 0), status);
            }
        }
    }

    fn open(&mut self, random: &mut Random, name: &str, disposition: u32, options: u32, size: u64) -> FileId {
        let (file, created) = body::created(random, size);
        self.exchange(CREATE, &body::create(name, disposition, options), SUCCESS, &created);
        file
    }

    fn close(&mut self, file: &FileId) {
        self.exchange(CLOSE, &body::close(file), SUCCESS, &body::CLOSED);
    }

    fn set(&mut self, file: &FileId, class: Class, data: &[u8]) {
        self.exchange(SET_INFO, &body::set_info(file, class, data), SUCCESS, &[2, 0]);
    }

    /// What a file is like, in one message.
    fn glance(&mut self, random: &mut Random, name: &str) {
        let (_, created) = body::created(random, 4096);
        let known = body::info(&random.bytes(56));
        self.chain(&[
            (CREATE, body::create(name, OPEN, 0), created),
            (QUERY_INFO, body::query_info(&FILE_OF_CHAIN), known),
            (CLOSE, body::close(&FILE_OF_CHAIN), body::CLOSED.to_vec()),
        ]);
    }

    fn read(&mut self, random: &mut Random, name: &str) {
        let data = content(random, 80_000);
        let file = self.open(random, name, OPEN, 0, data.len() as u64);
        self.exchange(QUERY_INFO, &body::query_info(&file), SUCCESS, &body::info(&random.bytes(56)));
        for (place, piece) in data.chunks(CHUNK).enumerate() {
            let asked = body::read(&file, (place * CHUNK) as u64, CHUNK as u32);
            self.exchange(READ, &asked, SUCCESS, &body::read_answer(piece));
        }
        if random.below(2) == 0 {
            self.refused(READ, &body::read(&file, data.len() as u64, CHUNK as u32), END_OF_FILE);
        }
        self.close(&file);
    }

    fn write(&mut self, random: &mut Random, name: &str) {
        let data = content(random, 50_000);
        let file = self.open(random, name, OVERWRITE, 0, 0);
        self.set(&file, Class::EndOfFile, &(data.len() as u64).to_le_bytes());
        for (place, piece) in data.chunks(CHUNK).enumerate() {
            let asked = body::write(&file, (place * CHUNK) as u64, piece);
            self.exchange(WRITE, &asked, SUCCESS, &body::written(piece.len() as u32));
        }
        self.close(&file);
    }

    fn list(&mut self, random: &mut Random) {
        let name = spoken(random);
        let file = self.open(random, &name, OPEN, 1, 0);
        let names: Vec<_> = (0..2 + random.below(20)).map(|_| file_name(random)).collect();
        self.exchange(QUERY_DIRECTORY, &body::query_directory(&file), SUCCESS, &body::directory(&names));
        self.refused(QUERY_DIRECTORY, &body::query_directory(&file), NO_MORE_FILES);
        self.close(&file);
    }
}

fn path(random: &mut Random) -> String {
    let mut path = String::new();
    for _ in 0..random.below(4) {
        path += &spoken(random);
        path.push('\\');
    }
    path + &file_name(random)
}

fn file_name(random: &mut Random) -> String {
    let end = ["docx", "xlsx", "pdf", "txt", "exe", "ini", "tmp"][random.below(7) as usize];
    format!("{}.{end}", spoken(random))
}
