//! Commands: their words, how many arguments they take, and how they are answered.

/// Most arguments that are kept; no command has more than two.
pub const MAX_ARGUMENTS: usize = 32;

/// Form of a response.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// In one line.
    Line,
    /// In lines up to one with a dot.
    Lines,
    /// In lines where there are no arguments.
    LinesOfAll,
    /// With a mail.
    Mail,
    /// By steps, for each of which the client says something.
    Steps,
}

/// A command.
#[derive(PartialEq, Eq, Debug)]
pub struct Known {
    /// Its word.
    pub word: &'static str,
    /// The fewest arguments.
    least: usize,
    /// The most arguments.
    most: usize,
    /// Form of its response.
    pub answer: Answer,
}

impl Known {
    /// Whether it takes so many arguments.
    pub fn takes(&self, count: usize) -> bool {
        (self.least..=self.most).contains(&count)
    }
}

const fn known(word: &'static str, least: usize, most: usize, answer: Answer) -> Known {
    Known { word, least, most, answer }
}

/// RFC 1939, RFC 2449 (CAPA), RFC 2595 (STLS), RFC 5034 (AUTH), RFC 6856 (LANG, UTF8).
const COMMANDS: &[Known] = &[
    known("APOP", 2, 2, Answer::Line),
    known("AUTH", 1, 2, Answer::Steps),
    known("CAPA", 0, 0, Answer::Lines),
    known("DELE", 1, 1, Answer::Line),
    known("LANG", 0, 1, Answer::LinesOfAll),
    known("LIST", 0, 1, Answer::LinesOfAll),
    known("NOOP", 0, 0, Answer::Line),
    known("PASS", 1, 1, Answer::Line),
    known("QUIT", 0, 0, Answer::Line),
    known("RETR", 1, 1, Answer::Mail),
    known("RSET", 0, 0, Answer::Line),
    known("STAT", 0, 0, Answer::Line),
    known("STLS", 0, 0, Answer::Line),
    known("TOP", 2, 2, Answer::Lines),
    known("UIDL", 0, 1, Answer::LinesOfAll),
    known("USER", 1, 1, Answer::Line),
    known("UTF8", 0, 0, Answer::Line),
];

/// The word in place of what a client says in a step of an authentication.
pub const STEP: &str = "<SASL DATA>";

/// The command with this word.
pub fn find(word: &[u8]) -> Option<&'static Known> {
    COMMANDS.iter().find(|known| known.word.as_bytes().eq_ignore_ascii_case(word))
}

/// Commands that rules and records know, with the fewest and the most arguments.
const EXACT: &[Known] = &[
    known("APOP", 2, 2, Answer::Line),
    known("AUTH", 1, 2, Answer::Steps),
    known("CAPA", 0, 0, Answer::Lines),
    known("DELE", 1, 1, Answer::Line),
    known("LIST", 0, 1, Answer::LinesOfAll),
    known("NOOP", 0, 0, Answer::Line),
    known("PASS", 1, 1, Answer::Line),
    known("QUIT", 0, 0, Answer::Line),
    known("RETR", 1, 1, Answer::Mail),
    known("RSET", 0, 0, Answer::Line),
    known("SASL", 1, usize::MAX, Answer::Line),
    known("STAT", 0, 0, Answer::Line),
    known("STLS", 0, 0, Answer::Line),
    known("TOP", 2, 2, Answer::Lines),
    known("UIDL", 0, 1, Answer::LinesOfAll),
    known("USER", 1, 1, Answer::Line),
];

/// The command with this word, as it stands.
pub fn find_exact(word: &[u8]) -> Option<&'static Known> {
    EXACT.iter().find(|known| known.word.as_bytes() == word)
}

/// Request of a client.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Request {
    /// The command, where it is known.
    pub known: Option<&'static Known>,
    /// Its word.
    pub word: Vec<u8>,
    /// Its arguments.
    pub arguments: Vec<Vec<u8>>,
}

impl Request {
    /// Reads a line without its end.
    pub fn read(line: &[u8]) -> Self {
        let mut words = line.splitn(2, |&byte| byte == b' ');
        let word = words.next().unwrap_or_default();
        let known = find(word);
        let rest = words.next().unwrap_or_default();
        // A password may have spaces.
        let arguments = match known {
            Some(Known { word: "PASS", .. }) => vec![rest],
            _ => rest.split(|&byte| byte == b' ').collect(),
        };
        let arguments = arguments.into_iter().filter(|text| !text.is_empty()).take(MAX_ARGUMENTS);
        let arguments = arguments.map(<[u8]>::to_vec).collect();
        let word = known.map_or(word, |known| known.word.as_bytes()).to_vec();
        Self { known, word, arguments }
    }

    /// A step of an authentication.
    pub fn step() -> Self {
        Self { known: None, word: STEP.into(), arguments: Vec::new() }
    }

    /// Returns the form of the response where nothing is wrong.
    pub fn answer(&self) -> Answer {
        match self.known.map(|known| known.answer) {
            None if self.word == STEP.as_bytes() => Answer::Steps,
            None => Answer::Line,
            Some(Answer::LinesOfAll) if self.arguments.is_empty() => Answer::Lines,
            Some(Answer::LinesOfAll) => Answer::Line,
            Some(answer) => answer,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests() {
        let cases: &[(&str, &str, &[&str], bool, Answer)] = &[
            ("USER bob", "USER", &["bob"], true, Answer::Line),
            ("user", "USER", &[], false, Answer::Line),
            ("PASS a b ", "PASS", &["a b "], true, Answer::Line),
            ("TOP 1  2", "TOP", &["1", "2"], true, Answer::Lines),
            ("TOP 1", "TOP", &["1"], false, Answer::Lines),
            ("LIST", "LIST", &[], true, Answer::Lines),
            ("LIST 3", "LIST", &["3"], true, Answer::Line),
            ("RETR 3", "RETR", &["3"], true, Answer::Mail),
            ("AUTH PLAIN x", "AUTH", &["PLAIN", "x"], true, Answer::Steps),
            ("HELO a", "HELO", &["a"], false, Answer::Line),
            ("", "", &[], false, Answer::Line),
        ];
        for (line, word, arguments, fits, answer) in cases {
            let request = Request::read(line.as_bytes());
            assert_eq!((request.word.as_slice(), request.answer()), (word.as_bytes(), *answer), "{line}");
            let found: Vec<_> = request.arguments.iter().map(|text| String::from_utf8_lossy(text)).collect();
            assert_eq!(found, *arguments, "{line}");
            assert_eq!(request.known.is_some_and(|known| known.takes(arguments.len())), *fits, "{line}");
        }
    }
}
