//! Keywords of FTP that are no buffers.

use weir_applayer::{Transaction, TransactionCheck, downcast};
use weir_base::Direction;

use super::command::{Command, Mode};
use super::data::DataTransaction;
use super::transaction::{COMPLETE, FtpTransaction};

/// Compiled option of a keyword.
type Parsed = Result<Box<dyn TransactionCheck>, String>;

/// Condition on a command and its replies.
#[derive(Clone, Copy)]
enum Asked {
    /// Where data goes.
    Mode(Mode),
    /// Whether there is a reply.
    Replied(bool),
    /// Data goes to another host.
    Bounces,
}

impl TransactionCheck for Asked {
    fn matches(&self, transaction: &dyn Transaction, direction: Direction) -> bool {
        let Some(tx) = downcast::<FtpTransaction>(transaction) else { return false };
        match *self {
            Asked::Mode(mode) => tx.mode() == Some(mode),
            // That there is no reply is known at the end.
            Asked::Replied(false) => tx.meta.progress[direction] >= COMPLETE && !tx.replied,
            Asked::Replied(true) => tx.command.is_some() && tx.replied,
            Asked::Bounces => tx.bounces,
        }
    }
}

/// `ftp.mode:active;`
pub fn mode(option: Option<&str>) -> Parsed {
    match option.map(str::trim) {
        Some("active") => Ok(Box::new(Asked::Mode(Mode::Active))),
        Some("passive") => Ok(Box::new(Asked::Mode(Mode::Passive))),
        other => Err(format!("`{}` is no mode of FTP: it is active or passive.", other.unwrap_or_default())),
    }
}

/// `ftp.reply_received:yes;`
pub fn reply_received(option: Option<&str>) -> Parsed {
    let text = option.unwrap_or_default().trim().to_ascii_lowercase();
    match text.as_str() {
        "yes" | "on" | "true" | "1" => Ok(Box::new(Asked::Replied(true))),
        "no" | "off" | "false" | "0" => Ok(Box::new(Asked::Replied(false))),
        _ => Err(format!("`{text}` should be yes or no.")),
    }
}

/// `ftpbounce;`
pub fn bounce(option: Option<&str>) -> Parsed {
    match option {
        None => Ok(Box::new(Asked::Bounces)),
        Some(_) => Err("ftpbounce takes no value.".to_owned()),
    }
}

/// The command that a connection for data is for.
struct Carries(Command);

/// `ftpdata_command:retr;`
pub fn data_command(option: Option<&str>) -> Parsed {
    let text = option.unwrap_or_default().trim();
    match Command::read(text.as_bytes()) {
        Some((command, b"")) if command.sends_data() => Ok(Box::new(Carries(command))),
        _ => Err(format!("`{text}` is no command that data is sent for, such as retr or stor.")),
    }
}

impl TransactionCheck for Carries {
    fn matches(&self, transaction: &dyn Transaction, _: Direction) -> bool {
        downcast::<DataTransaction>(transaction).is_some_and(|tx| tx.command == Some(self.0))
    }
}
