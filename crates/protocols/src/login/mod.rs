//! Logins over Telnet (RFC 854), Rlogin and Rsh (RFC 1282): lines of both sides, and what they tell of users and passwords.
//! Only scripts ask for them, at ports that they register.
//!
//! What a server says is told apart by sets of expressions that scripts define (`login_prompts` and others); without these
//! nobody is known to have logged in. Limits: [`MAX_LINE`] bytes of a line, of which the beginning counts, and
//! [`MAX_TYPED`] lines that wait for the prompt that they answer.

pub mod rlogin;
pub mod rsh;
pub mod telnet;

use std::collections::VecDeque;

use weir_base::EventValue;
use weir_base::event::StreamFindings;

/// Most bytes of a line.
pub const MAX_LINE: usize = 4096;

/// Most lines of a user that wait, as in Zeek.
const MAX_TYPED: usize = 12;

/// Lines of a server in which a prompt comes, as in Zeek.
const MAX_BEFORE_PROMPT: u64 = 50;

/// Lines of a server behind a prompt after which somebody is logged in, as in Zeek.
const MAX_BEHIND_PROMPT: u64 = 10;

/// Events of logins.
pub(crate) const EVENTS: &[&str] = &[
    "login_input_line",
    "login_output_line",
    "login_success",
    "login_failure",
    "login_confused",
    "login_confused_text",
    "login_terminal",
    "login_display",
    "login_prompt",
    "authentication_skipped",
    "authentication_accepted",
    "authentication_rejected",
    "activating_encryption",
    "inconsistent_option",
    "bad_option",
    "bad_option_termination",
];

/// Sets of expressions that scripts define.
mod set {
    pub const SKIP: &str = "skip_authentication";
    pub const DIRECT_PROMPT: &str = "direct_login_prompts";
    pub const PROMPT: &str = "login_prompts";
    pub const NO_FAILURE: &str = "login_non_failure_msgs";
    pub const FAILURE: &str = "login_failure_msgs";
    pub const SUCCESS: &str = "login_success_msgs";
    pub const TIMEOUT: &str = "login_timeouts";
}

/// What VMS takes for the line before, and its prompt.
const REPEAT: &[u8] = b"\x1b[A";
const VMS_PROMPT: &[u8] = b"Username:";

/// State of a login.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum State {
    /// The server asks.
    #[default]
    Asking,
    /// Somebody is logged in.
    LoggedIn,
    /// Nothing is looked at.
    Skipped,
    /// The lines make no sense.
    Confused,
}

/// The dialogue of a login.
#[derive(Debug, Default)]
pub(crate) struct Dialogue {
    state: State,
    /// Lines of the user that no prompt has taken.
    typed: VecDeque<Vec<u8>>,
    typed_ever: u64,
    /// Lines of the user at the last failure.
    typed_at_failure: Option<u64>,
    /// Lines of the server, and those with the last prompt and the last failure.
    lines: u64,
    prompted: u64,
    failed: u64,
    /// Name at the client's end, and that of the user.
    pub(crate) client: Option<Vec<u8>>,
    pub(crate) user: Option<Vec<u8>>,
    saw_ploy: bool,
    is_vms: bool,
}

fn is_empty(line: &[u8]) -> bool {
    line.trim_ascii_start().is_empty()
}

fn is_failure(line: &[u8], findings: &dyn StreamFindings) -> bool {
    findings.matches(set::FAILURE, line).is_some() && findings.matches(set::NO_FAILURE, line).is_none()
}

/// Returns where a prompt ends that asks for a name.
fn prompt(line: &[u8], findings: &dyn StreamFindings) -> Option<usize> {
    findings.matches(set::PROMPT, line).filter(|_| !is_failure(line, findings))
}

impl Dialogue {
    /// Takes a line of one side.
    pub(crate) fn line(&mut self, is_orig: bool, line: &[u8], findings: &mut dyn StreamFindings) {
        if self.state == State::Skipped {
            return;
        }
        let text: Vec<u8> = line.iter().copied().filter(|byte| *byte != 0).collect();
        let line = text.as_slice();
        let event = if is_orig { "login_input_line" } else { "login_output_line" };
        findings.raise(event, &[EventValue::Connection, line.into()]);
        match (self.state, is_orig) {
            (State::Asking, true) => self.typed_line(line, findings),
            (State::Asking, false) => self.said(line, findings),
            (State::Confused, true) => {
                self.is_ploy(line, findings);
                confused_text(line, findings);
            }
            (State::Confused, false) if !self.saw_ploy && findings.matches(set::SUCCESS, line).is_some() => {
                self.tell("login_success", line, true, findings);
                self.state = State::LoggedIn;
            }
            _ => {}
        }
    }

    /// The connection is over.
    pub(crate) fn end(&mut self, findings: &mut dyn StreamFindings) {
        if self.state == State::Asking && !self.typed.is_empty() {
            self.tell("login_success", b"<EOF>", true, findings);
            self.state = State::LoggedIn;
        }
    }

    /// Takes a name that is said before any prompt.
    pub(crate) fn named(&mut self, name: &[u8], findings: &mut dyn StreamFindings) {
        self.typed_ever += 1;
        self.prompted += 1;
        self.keep(name, findings);
    }

    /// Takes a variable that a client sends (RFC 1408).
    pub(crate) fn variable(
        &mut self,
        is_orig: bool,
        name: &[u8],
        value: &[u8],
        findings: &mut dyn StreamFindings,
    ) {
        let event = match name {
            _ if !is_orig => return self.confused("responder_environment", name, findings),
            b"USER" => {
                if self.user.as_deref().is_some_and(|known| known != value) {
                    self.confused("multiple_USERs", value, findings);
                }
                self.user = Some(value.to_vec());
                return;
            }
            b"TERM" => "login_terminal",
            b"DISPLAY" => "login_display",
            b"TTYPROMPT" => "login_prompt",
            _ => return,
        };
        findings.raise(event, &[EventValue::Connection, value.into()]);
    }

    fn typed_line(&mut self, line: &[u8], findings: &mut dyn StreamFindings) {
        if let Some(at) = memchr::memmem::find(line, REPEAT).filter(|_| self.is_vms) {
            if line.len() > at + REPEAT.len() {
                return self.confused("extra_repeat_text", line, findings);
            }
            return match self.user.clone() {
                None => self.confused("repeat_without_username", line, findings),
                Some(user) if memchr::memmem::find(&user, REPEAT).is_some() => {
                    self.confused("username_with_embedded_repeat", &user, findings);
                }
                Some(user) => self.line(true, &user, findings),
            };
        }
        self.typed_ever += 1;
        if !self.is_ploy(line, findings) {
            self.keep(line, findings);
        }
    }

    /// Whether a user types what a server would say.
    fn is_ploy(&mut self, line: &[u8], findings: &mut dyn StreamFindings) -> bool {
        let is_ploy = prompt(line, findings).is_some()
            || is_failure(line, findings)
            || findings.matches(set::SUCCESS, line).is_some()
            || findings.matches(set::SKIP, line).is_some();
        if is_ploy {
            self.saw_ploy = true;
            self.confused("possible_login_ploy", line, findings);
        }
        is_ploy
    }

    fn keep(&mut self, line: &[u8], findings: &mut dyn StreamFindings) {
        if self.typed.len() >= MAX_TYPED {
            self.confused("excessive_typeahead", line, findings);
        } else {
            self.typed.push_back(line.to_vec());
        }
    }

    /// Takes a line of the server while somebody logs in.
    fn said(&mut self, line: &[u8], findings: &mut dyn StreamFindings) {
        if is_empty(line) {
            return;
        }
        self.lines += 1;
        if self.lines > MAX_BEFORE_PROMPT && self.prompted == 0 && self.failed == 0 {
            self.confused("no_login_prompt", line, findings);
        }
        let is_success = findings.matches(set::SUCCESS, line).is_some();
        let is_timeout = findings.matches(set::TIMEOUT, line).is_some();
        if let Some(end) = prompt(line, findings).filter(|_| !is_success && !is_timeout) {
            self.asked(line, end, findings);
        } else if is_timeout || is_failure(line, findings) {
            if self.typed_at_failure.is_none_or(|before| self.typed_ever > before) {
                if is_timeout {
                    self.keep(b"<timeout>", findings);
                }
                self.tell("login_failure", line, false, findings);
            }
            (self.prompted, self.failed) = (self.lines, self.lines);
            self.typed_at_failure = Some(self.typed_ever);
        } else if findings.matches(set::SKIP, line).is_some() {
            findings.raise("authentication_skipped", &[EventValue::Connection]);
            self.state = State::Skipped;
        } else if is_success
            || self.prompted > 0 && self.lines > self.prompted + MAX_BEHIND_PROMPT + self.typed.len() as u64
        {
            self.tell("login_success", line, false, findings);
            self.state = State::LoggedIn;
        }
    }

    /// Takes a prompt, which ends within its line.
    fn asked(&mut self, line: &[u8], end: usize, findings: &mut dyn StreamFindings) {
        self.is_vms = memchr::memmem::find(line, VMS_PROMPT).is_some();
        let goes_on = self.prompted + 1 == self.lines && self.prompted != self.failed;
        let mut rest = line.get(end..).unwrap_or_default();
        // Each further prompt takes a line that was typed ahead.
        while let Some(next) =
            rest.get(1..).and_then(|more| Some(prompt(more, findings)? + 1)).or(goes_on.then_some(0))
        {
            let Some(typed) = self.typed.pop_front() else {
                self.confused("multiple_login_prompts", line, findings);
                break;
            };
            if goes_on {
                break;
            }
            if !is_empty(&typed) {
                self.confused("non_empty_multi_login", line, findings);
                break;
            }
            rest = rest.get(next..).unwrap_or_default();
        }
        if self.state == State::Confused {
            return;
        }
        let user = rest.trim_ascii_start();
        if !user.is_empty() && self.typed.is_empty() {
            self.keep(user, findings);
        }
        self.prompted = self.lines;
        if findings.matches(set::DIRECT_PROMPT, line).is_some() {
            self.tell("login_success", line, true, findings);
            self.state = State::Skipped;
        }
    }

    /// Raises the event of a login, where its user is known or need not be.
    fn tell(
        &mut self,
        event: &'static str,
        line: &[u8],
        may_be_nobody: bool,
        findings: &mut dyn StreamFindings,
    ) {
        const NONE: &[u8] = b"<none>";
        if self.prompted > self.failed {
            while self.typed.front().is_some_and(|line| is_empty(line)) {
                self.typed.pop_front();
            }
            match self.typed.pop_front() {
                Some(user) => self.user = Some(user),
                None if may_be_nobody => self.user = Some(NONE.to_vec()),
                None => return self.confused("no_username", line, findings),
            }
        } else if self.user.is_none() {
            // The server asks for the password alone behind a failure.
            if !may_be_nobody {
                return self.confused("no_username2", line, findings);
            }
            self.user = Some(NONE.to_vec());
        }
        let password = self.typed.pop_front();
        let [user, client] = [&self.user, &self.client].map(|name| name.as_deref().unwrap_or_default());
        let password = password.as_deref().unwrap_or(NONE);
        let texts = [user, client, password, line].map(EventValue::String);
        let [user, client, password, line] = texts;
        findings.raise(event, &[EventValue::Connection, user, client, password, line]);
    }

    fn confused(&mut self, reason: &str, line: &[u8], findings: &mut dyn StreamFindings) {
        self.state = State::Confused;
        findings.raise("login_confused", &[EventValue::Connection, reason.into(), line.into()]);
        for typed in std::mem::take(&mut self.typed) {
            confused_text(&typed, findings);
        }
        confused_text(line, findings);
    }
}

fn confused_text(line: &[u8], findings: &mut dyn StreamFindings) {
    findings.raise("login_confused_text", &[EventValue::Connection, line.into()]);
}

#[cfg(test)]
mod tests {
    use super::rlogin::READER;
    use crate::testing::told_by_settings;

    const WORDS: &[(&str, &str)] = &[
        ("login_prompts", "login:"),
        ("login_failure_msgs", "incorrect"),
        ("login_success_msgs", "Last login"),
        ("login_timeouts", "timed out"),
        ("skip_authentication", "no login"),
        ("direct_login_prompts", "TERM?"),
    ];

    /// Returns the events of a login but those of lines, behind the greeting of Rlogin.
    fn events(pieces: &[(bool, &str)]) -> Vec<String> {
        let greeting: [(bool, &[u8]); 2] = [(true, b"\0me\0\0x\0"), (false, b"\0")];
        let pieces = pieces.iter().map(|(is_orig, text)| (*is_orig, text.as_bytes()));
        let pieces: Vec<(bool, &[u8])> = greeting.into_iter().chain(pieces).collect();
        let lines = told_by_settings(&READER, &[], WORDS, &pieces);
        lines
            .into_iter()
            .filter(|line| !line.contains("put_line") && !line.starts_with("login_terminal"))
            .collect()
    }

    #[test]
    fn logins() {
        type Case<'a> = (&'a [(bool, &'a str)], &'a [&'a str]);
        let cases: &[Case<'_>] = &[
            (
                &[(true, "bob\r"), (false, "login:\r"), (true, "secret\r"), (false, "Last login: today\r")],
                &["login_success c bob me secret Last login: today"],
            ),
            (
                &[(true, "bob\r"), (false, "login:\r"), (true, "bad\r"), (false, "Login incorrect\r")],
                &["login_failure c bob me bad Login incorrect"],
            ),
            (&[(true, "bob\r"), (false, "no login needed\r"), (true, "ls\r")], &["authentication_skipped c"]),
            (
                &[(true, "Last login\r")],
                &[
                    "login_confused c possible_login_ploy Last login",
                    "login_confused_text c ",
                    "login_confused_text c Last login",
                ],
            ),
            (&[(true, "bob\r")], &["login_success c bob me <none> <EOF>"]),
        ];
        for (pieces, expected) in cases {
            assert_eq!(events(pieces), *expected, "{pieces:?}");
        }
    }
}
