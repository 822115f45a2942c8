//! Zeek's ftp log: commands that files, or connections for data, come of. A row is written when the next
//! command is seen or the connection ends, with what is known by then.

use std::net::IpAddr;

use weir_applayer::waiting::MAX_LIVE;
use weir_applayer::zeek::{
    Announced, News, Oddity, OneFile, Script, SentFile, Software, SoftwareHost, Watch, Watching, ZeekNotice,
};
use weir_applayer::{Transport, ZeekLogger, ZeekLogs, ZeekSink, zeek_stream};
use weir_base::{Direction, Duration, Timestamp};

use super::address;
use super::command::{Command, Mode};
use super::data::DataTransaction;
use super::nvt;
use super::path;
use super::transaction::{COMPLETE, FtpTransaction, Reply, ReplyFault};

zeek_stream! {
    static STREAM: "ftp" of a connection;
    struct Row {
        user: Text,
        password: Text,
        command: Text,
        arg: Text,
        mime_type: Text,
        file_size: Count,
        reply_code: Count,
        reply_msg: Text,
        passive as "data_channel.passive": Bool,
        data_orig_h as "data_channel.orig_h": Addr,
        data_resp_h as "data_channel.resp_h": Addr,
        data_resp_p as "data_channel.resp_p": Port,
        fuid: Text,
    }
}

/// The logs of control connections.
pub static LOGS: ZeekLogs = ZeekLogs {
    events: Some(&super::events::EVENTS),
    ..ZeekLogs::new(&[&STREAM], |_| Box::new(FtpLogger::default()))
};

/// The logs of connections for data.
pub static DATA_LOGS: ZeekLogs = ZeekLogs::new(&[], |_| Box::new(DataLogger::default()));

/// Weirds of the first lines of connections to ports of FTP, which are those of Telnet (RFC 854).
pub static WATCH: Watch = Watch {
    transport: Transport::Tcp,
    ports: &[21, 2811],
    most: Some(4),
    midway: true,
    look: |_, payload, _, _, tell| {
        let (mut before, mut lone_return, mut nul) = (0, false, false);
        for &byte in payload {
            let odd = match (before, byte) {
                (b'\r', b'\n' | 0) => None,
                (b'\r', _) => Some(("line_terminated_with_single_CR", &mut lone_return)),
                (_, 0) => Some(("NUL_in_line", &mut nul)),
                _ => None,
            };
            if let Some((name, is_told)) = odd
                && !std::mem::replace(is_told, true)
            {
                tell(Oddity { name, addl: None, source: "NVT" });
            }
            before = byte;
        }
        Watching::On
    },
};

/// Commands that rows are written of.
const LOGGED: [&str; 10] = ["APPE", "DELE", "RETR", "STOR", "STOU", "ACCT", "PORT", "PASV", "EPRT", "EPSV"];

/// Most commands that wait for their replies; Zeek looks at no further ones.
const MAX_PENDING: usize = 20;

/// Most bytes of a name of a user, and of a password, that are shown.
const MAX_LOGIN: usize = 128;

/// Most bytes of an argument, and of a reply's text, that are shown.
const MAX_TEXT: usize = 4096;

/// Most bytes of a command's name.
const MAX_COMMAND: usize = 100;

/// Least bytes of a command's name.
const MIN_COMMAND: usize = 3;

/// Bytes of what goes over a connection for data by which Zeek tells of its type; of less it tells at the end of the
/// connection, which it waits for this long.
const ENOUGH: u64 = 1024;
const LINGER: Duration = Duration::from_secs(5);

/// Most connections for data whose end is waited for.
const MAX_LINGERING: usize = 16;

/// Name of a type that is not known.
const UNKNOWN: &str = "<unknown>";

/// Users whose password is no secret.
const GUESTS: [&str; 4] = ["anonymous", "ftp", "ftpuser", "guest"];

/// Where data goes.
#[derive(Clone, Copy, Debug)]
struct Channel {
    passive: bool,
    client: IpAddr,
    server: (IpAddr, u16),
}

/// A command that is not written yet.
#[derive(Debug)]
struct Pending {
    id: u64,
    time: Timestamp,
    command: Option<Command>,
    argument: Vec<u8>,
    /// Bytes of the argument that are not kept.
    unkept: usize,
    channel: Option<Channel>,
    size: Option<u64>,
    replied: bool,
}

/// Follows one control connection.
#[derive(Debug)]
struct FtpLogger {
    user: Vec<u8>,
    password: Option<Vec<u8>>,
    folder: Vec<u8>,
    reply: Option<(u64, Vec<u8>)>,
    pending: Vec<Pending>,
    /// Where the last data went.
    last: Option<(IpAddr, u16)>,
    /// When the ends of connections for data come that Zeek tells of types with, and these.
    lingering: Vec<(Timestamp, &'static str)>,
    /// The server says something else than FTP.
    violated: bool,
    /// No command before this one is new.
    seen: u64,
    /// There was a command.
    confirmed: bool,
    /// When the newest command or reply was seen.
    now: Timestamp,
    /// Names of weirds that are told once, and were.
    told: Vec<&'static str>,
}

impl Default for FtpLogger {
    fn default() -> Self {
        Self {
            user: b"<unknown>".to_vec(),
            password: None,
            folder: b".".to_vec(),
            reply: None,
            pending: Vec::new(),
            last: None,
            lingering: Vec::new(),
            violated: false,
            seen: 0,
            confirmed: false,
            now: Timestamp::default(),
            told: Vec::new(),
        }
    }
}

impl ZeekLogger for FtpLogger {
    fn transaction(&mut self, news: News<'_>, sink: &mut dyn ZeekSink) {
        let Some(tx) = news.of::<FtpTransaction>() else { return };
        if self.violated {
            return;
        }
        let [asked, answered] = Direction::BOTH.map(|direction| tx.meta.last_seen[direction]);
        self.now = self.now.max(asked).max(answered);
        if tx.meta.only.is_none() && tx.meta.id >= self.seen {
            self.seen = tx.meta.id + 1;
            self.command(tx, sink);
        }
        if tx.unkept > 0
            && let Some(pending) = self.pending.iter_mut().find(|pending| pending.id == tx.meta.id)
        {
            pending.unkept = tx.unkept;
        }
        if let Some((fault, time)) = tx.fault {
            self.violated = true;
            let reason = match fault {
                ReplyFault::NoCode => "non-numeric reply code",
                ReplyFault::NoSeparator => "invalid reply line",
            };
            let line = tx.replies.iter().find(|reply| reply.fault() == Some(fault)).map(Reply::line);
            return sink.violation(time, reason, line);
        }
        if tx.replied && tx.meta.progress[Direction::ToClient] >= COMPLETE {
            self.replied(tx, sink);
        }
    }

    fn end(&mut self, sink: &mut dyn ZeekSink) {
        self.now = sink.now().map_or(self.now, |now| now.max(self.now));
        for pending in std::mem::take(&mut self.pending) {
            self.write(pending, None, sink);
        }
    }
}

impl FtpLogger {
    /// A command is seen: those before that have their reply are written.
    fn command(&mut self, tx: &FtpTransaction, sink: &mut dyn ZeekSink) {
        let time = tx.meta.first_seen.to_server;
        if tx.command.is_none() && !self.is_command(&tx.argument, time, sink) {
            return;
        }
        self.confirmed = true;
        let pending = std::mem::take(&mut self.pending).into_iter();
        let (done, open): (Vec<_>, Vec<_>) = pending.partition(|pending| pending.replied);
        self.pending = open;
        for pending in done {
            self.write(pending, Some(time), sink);
        }
        if sink.has(Script::FtpSoftware)
            && let Some(text) = client_name(tx)
        {
            sink.software(&Software { kind: "FTP::CLIENT", host: SoftwareHost::Client, text });
        }
        if self.pending.len() >= limit("FTP::max_pending_commands", MAX_PENDING, sink).min(MAX_LIVE) {
            if self.is_new("FTP_too_many_pending_commands") {
                let waiting = self.pending.len().to_string();
                sink.weird(time, "FTP_too_many_pending_commands", Some(&waiting));
            }
            return;
        }
        let client = sink.connection().endpoints.server;
        let target = match tx.command.map(Command::name) {
            Some("USER") => {
                let most = limit("FTP::max_user_length", MAX_LOGIN, sink);
                self.user = self.cut(&tx.argument, 0, most, "FTP_user_too_long", sink).to_vec();
                None
            }
            Some("PASS") => {
                let most = limit("FTP::max_password_length", MAX_LOGIN, sink);
                let password = self.cut(&tx.argument, 0, most, "FTP_password_too_long", sink);
                self.password = Some(password.to_vec());
                None
            }
            Some("PORT") => address::port(&tx.argument),
            Some("EPRT") => address::extended(&tx.argument).and_then(|(host, port)| Some((host?, port))),
            _ => None,
        };
        let channel = target.map(|server| Channel { passive: false, client, server });
        if let Some(channel) = channel {
            self.announce(channel.server, time, sink);
        }
        self.pending.push(Pending {
            id: tx.meta.id,
            time,
            command: tx.command,
            argument: nvt::text(argument_of(tx)),
            unkept: tx.unkept,
            channel,
            size: None,
            replied: false,
        });
    }

    /// Whether a line that has none of the known commands has one nevertheless; what is odd about it is told where
    /// others came before.
    fn is_command(&mut self, line: &[u8], time: Timestamp, sink: &mut dyn ZeekSink) -> bool {
        let line = line.trim_ascii_start();
        let name = line.split(u8::is_ascii_whitespace).next().unwrap_or_default();
        if name.len() < MIN_COMMAND || !name.iter().all(u8::is_ascii_graphic) {
            if self.confirmed && !line.is_empty() && self.is_new("FTP_invalid_command") {
                sink.weird(time, "FTP_invalid_command", None);
            }
            return false;
        }
        if name.len() > MAX_COMMAND && self.confirmed && self.is_new("FTP_max_command_length_exceeded") {
            let about = format!("{} > {MAX_COMMAND}", name.len());
            sink.limit_reached(time, "FTP_max_command_length_exceeded", Some(&about));
        }
        name.len() <= MAX_COMMAND
    }

    /// Whether a weird was not told before.
    fn is_new(&mut self, name: &'static str) -> bool {
        let new = !self.told.contains(&name);
        if new {
            self.told.push(name);
        }
        new
    }

    /// Shortens what is too long for a row, of which some bytes are not even kept.
    fn cut<'a>(
        &mut self,
        text: &'a [u8],
        unkept: usize,
        most: usize,
        weird: &'static str,
        sink: &mut dyn ZeekSink,
    ) -> &'a [u8] {
        let length = text.len() + unkept;
        if length > most && self.is_new(weird) {
            sink.weird(self.now, weird, Some(&length.to_string()));
        }
        text.get(..most).unwrap_or(text)
    }

    fn replied(&mut self, tx: &FtpTransaction, sink: &mut dyn ZeekSink) {
        let Some(reply) = tx.replies.last() else { return };
        let code = reply.code().and_then(|code| std::str::from_utf8(code).ok()?.parse().ok()).unwrap_or(0);
        let most = limit("FTP::max_reply_msg_length", MAX_TEXT, sink);
        let text = self.cut(reply.text().unwrap_or_default(), 0, most, "FTP_reply_msg_too_long", sink);
        let Some(pending) = self.pending.iter_mut().find(|pending| pending.id == tx.meta.id) else {
            if tx.meta.only.is_some() {
                self.reply = Some((code, text.to_vec()));
            }
            return;
        };
        if std::mem::replace(&mut pending.replied, true) {
            return;
        }
        self.reply = Some((code, text.to_vec()));
        let name = tx.command.map_or("", Command::name);
        if name == "RETR" {
            let opening = tx.replies.iter().rfind(|reply| reply.code() == Some(b"150"));
            pending.size = opening.and_then(Reply::text).and_then(path::last_number);
        }
        if tx.mode() == Some(Mode::Passive)
            && let Some(port) = tx.port
        {
            let ends = sink.connection().endpoints;
            let named = address::passive(text).filter(|_| name == "PASV");
            let server = named.unwrap_or((ends.server, port));
            pending.channel = Some(Channel { passive: true, client: ends.client, server });
            self.announce(server, tx.meta.first_seen.to_client, sink);
        }
        match (name, code) {
            ("CWD", 250) => self.folder = path::below(&self.folder, &tx.argument),
            ("CDUP", 200 | 250) => self.folder.extend_from_slice(b"/.."),
            ("PWD" | "XPWD", 257) => {
                if let Some(folder) = path::quoted(text) {
                    self.folder = folder.to_vec();
                }
            }
            ("SITE", 200..300) if sink.has(Script::FtpDetection) && runs_a_program(&tx.argument) => {
                let command = String::from_utf8_lossy(&tx.argument);
                let ends = sink.connection().endpoints;
                let message = format!("FTP command: SITE {command}");
                let identifier = format!("{} {}", ends.client, ends.server);
                let (note, identifier) = ("FTP::Site_Exec_Success", identifier.as_bytes());
                sink.notice(&ZeekNotice { note, message: &message, identifier });
            }
            _ => {}
        }
    }

    /// Data will go there.
    fn announce(&mut self, server: (IpAddr, u16), now: Timestamp, sink: &mut dyn ZeekSink) {
        self.last = Some(server);
        sink.announce(Announced { server, service: "ftp-data" }, now);
    }

    /// Takes the type of what went over connections for data that have ended until `now`, or by the end of all.
    fn type_told_late(&mut self, sent: Option<&SentFile>, now: Option<Timestamp>) -> Option<&'static str> {
        let from = sent.map(|sent| sent.seen.0);
        if let Some(sent) = sent.filter(|sent| sent.size < ENOUGH && self.lingering.len() < MAX_LINGERING) {
            self.lingering.push((sent.seen.1.plus(LINGER), sent.mime_type.unwrap_or(UNKNOWN)));
        }
        let mut told = None;
        self.lingering.retain(|&(at, mime_type)| {
            let is_over = now.is_none_or(|now| at <= now);
            if is_over && from.is_none_or(|from| at >= from) {
                told = Some(mime_type);
            }
            !is_over
        });
        told
    }

    /// Writes the row of a command, if there is one: the next one is given at `now`, or there is none.
    fn write(&mut self, pending: Pending, now: Option<Timestamp>, sink: &mut dyn ZeekSink) {
        let about_file = pending.command.is_some_and(Command::is_about_file);
        let argument = if about_file {
            path::url(sink.connection().endpoints.server, &self.folder, &pending.argument)
        } else {
            pending.argument
        };
        let most = limit("FTP::max_arg_length", MAX_TEXT, sink);
        let argument = self.cut(&argument, pending.unkept, most, "FTP_arg_too_long", sink);
        let Some(command) = pending.command else { return };
        let server = self.last.filter(|_| command.sends_data());
        let sent = server.and_then(|server| sink.take_sent(server));
        let told_late = self.type_told_late(sent.as_ref(), now);
        if !is_among("FTP::logged_commands", &LOGGED, command.name().as_bytes(), sink) {
            return;
        }
        let shows = sink.settings().is_some_and(|settings| settings.is_set("FTP::default_capture_password"))
            || is_among("FTP::guest_ids", &GUESTS, &self.user.to_ascii_lowercase(), sink);
        let hide = |text| if shows { text } else { &b"<hidden>"[..] };
        let password = self.password.as_deref().map(hide);
        let argument = if command.name() == "PASS" { hide(argument) } else { argument };
        let channel = pending.channel;
        let known =
            sent.as_ref().and_then(|sent| sent.mime_type.or((sent.size >= ENOUGH).then_some(UNKNOWN)));
        let (fuid, mime) = (sent.map(|sent| sent.fuid), told_late.or(known));
        let row = Row {
            user: (&self.user).into(),
            password: password.into(),
            command: command.name().into(),
            arg: Some(argument).filter(|argument| !argument.is_empty()).into(),
            mime_type: mime.into(),
            file_size: pending.size.into(),
            reply_code: self.reply.as_ref().map(|(code, _)| *code).into(),
            reply_msg: self.reply.as_ref().map(|(_, text)| text).into(),
            passive: channel.map(|channel| channel.passive).into(),
            data_orig_h: channel.map(|channel| channel.client).into(),
            data_resp_h: channel.map(|channel| channel.server.0).into(),
            data_resp_p: channel.map(|channel| channel.server.1).into(),
            fuid: fuid.as_deref().into(),
        };
        sink.row(&STREAM, pending.time, &row.values());
    }
}

/// A limit that scripts may set otherwise.
fn limit(setting: &str, default: usize, sink: &dyn ZeekSink) -> usize {
    let set = sink.settings().and_then(|settings| settings.count(setting));
    set.map_or(default, |most| usize::try_from(most).unwrap_or(usize::MAX))
}

/// Whether a word is of a set that scripts may set otherwise.
fn is_among(setting: &str, default: &[&str], word: &[u8], sink: &dyn ZeekSink) -> bool {
    match sink.settings().and_then(|settings| settings.words(setting)) {
        Some(words) => words.contains(word),
        None => default.iter().any(|known| known.as_bytes() == word),
    }
}

/// Returns what stands behind the command, known or not.
pub(super) fn argument_of(tx: &FtpTransaction) -> &[u8] {
    if tx.command.is_some() {
        return &tx.argument;
    }
    let line = tx.argument.trim_ascii_start();
    let end = line.iter().position(u8::is_ascii_whitespace);
    end.and_then(|end| line.get(end..)).unwrap_or_default().trim_ascii_start()
}

/// Returns the name of the client's software (`CLNT`, which no RFC has).
fn client_name(tx: &FtpTransaction) -> Option<&[u8]> {
    let (command, name) = tx.argument.split_at_checked(b"CLNT ".len())?;
    (tx.command.is_none() && command.eq_ignore_ascii_case(b"CLNT ")).then_some(name)
}

/// Whether a command of the server's own has it run a program.
fn runs_a_program(argument: &[u8]) -> bool {
    argument.windows(b"exec".len()).any(|word| word.eq_ignore_ascii_case(b"exec"))
}

/// Follows one connection for data.
#[derive(Debug, Default)]
struct DataLogger {
    file: OneFile,
}

impl ZeekLogger for DataLogger {
    fn transaction(&mut self, news: News<'_>, sink: &mut dyn ZeekSink) {
        let Some(tx) = news.of::<DataTransaction>() else { return };
        sink.service("ftp-data");
        if let Some(file) = tx.file() {
            self.file.tell(file, news.complete, sink);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_that_are_told_late() {
        let second = |seconds: u64| Timestamp(seconds * 1_000_000_000);
        let sent = |size, from, to, mime_type| SentFile {
            fuid: String::new(),
            mime_type,
            size,
            seen: (second(from), second(to)),
        };
        let mut logger = FtpLogger::default();
        let list = sent(100, 1, 2, Some("text/plain"));
        let unknown = sent(1023, 10, 10, None);
        let long = sent(1024, 11, 11, Some("application/zip"));
        type Case<'a> = (&'a str, Option<&'a SentFile>, Option<u64>, Option<&'static str>);
        let cases: [Case<'_>; 7] = [
            ("a list, and a command at once", Some(&list), Some(3), None),
            ("before its connection is over", None, Some(6), None),
            ("when it is", None, Some(7), Some("text/plain")),
            ("and once only", None, Some(8), None),
            ("bytes of no known type", Some(&unknown), Some(12), None),
            ("enough of them", Some(&long), Some(14), None),
            ("at the end of all", None, None, Some(UNKNOWN)),
        ];
        for (what, sent, now, expected) in cases {
            assert_eq!(logger.type_told_late(sent, now.map(second)), expected, "{what}");
        }
    }
}
