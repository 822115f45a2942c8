//! Descriptions of sessions (SDP, RFC 8866 5): lines of a letter, `=` and a value; from each `m=` on, of one
//! medium.
//!
//! Lines stand in the order of the RFC, and their values have the form that it gives them: a description whose
//! version, origin, name or first time breaks the form is none, and what follows another line that breaks it is
//! not read. Values are kept as they are written anew, with one space between their parts. Limit: [`MAX_LINES`]
//! lines.

use super::sdp_line::{Cursor, Value};
use crate::span::Span;

/// Most lines that are looked at.
pub const MAX_LINES: usize = 1024;

/// Values of which a session, or a medium, has one at most.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Line {
    /// `o=`
    Origin,
    /// `s=`
    SessionName,
    /// `i=`
    Info,
    /// `u=`
    Uri,
    /// `e=`
    Email,
    /// `p=`
    PhoneNumber,
    /// `c=`
    ConnectionData,
    /// `z=`
    Timezone,
    /// `k=`
    EncryptionKey,
    /// `m=`, of a medium
    Media,
}

/// Number of kinds.
const LINES: usize = 10;

/// Lines of which a session has one at most, in their order: those before its times, and those behind them.
const BEFORE_TIMES: &[(Line, Value)] = &[
    (Line::Info, Value::Words),
    (Line::Uri, Value::Uri),
    (Line::Email, Value::Text),
    (Line::PhoneNumber, Value::Text),
    (Line::ConnectionData, Value::Connection),
];
const BEHIND_TIMES: &[(Line, Value)] =
    &[(Line::Timezone, Value::FourTimes), (Line::EncryptionKey, Value::Text)];

impl Line {
    const fn letter(self) -> u8 {
        match self {
            Self::Origin => b'o',
            Self::SessionName => b's',
            Self::Info => b'i',
            Self::Uri => b'u',
            Self::Email => b'e',
            Self::PhoneNumber => b'p',
            Self::ConnectionData => b'c',
            Self::Timezone => b'z',
            Self::EncryptionKey => b'k',
            Self::Media => b'm',
        }
    }
}

/// Lines on the session, or on a medium.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Section {
    lines: [Option<Span>; LINES],
    /// `b=`
    bandwidths: Vec<Span>,
    /// `a=`
    attributes: Vec<Span>,
}

impl Section {
    fn put(&mut self, line: Line, value: Span) {
        if let Some(place) = self.lines.get_mut(line as usize) {
            *place = Some(value);
        }
    }
}

/// When a session is (`t=`), and when again for the first time (`r=`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Time {
    time: Span,
    repeat: Option<Span>,
}

/// A description.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Description {
    /// The values.
    text: Vec<u8>,
    session: Section,
    times: Vec<Time>,
    repeats: Vec<Span>,
    media: Vec<Section>,
    /// Lines on all media, by the line's kind.
    of_media: [Vec<Span>; LINES],
    media_attributes: Vec<Span>,
    /// Lines that were read.
    lines: usize,
}

impl Description {
    /// Reads a body.
    pub fn read(body: &[u8]) -> Option<Self> {
        let mut cursor = Cursor::new(body);
        let mut description = Self::default();
        description.take(&mut cursor, b'v', Value::Version)?;
        for (line, value) in [(Line::Origin, Value::Origin), (Line::SessionName, Value::Words)] {
            let span = description.take(&mut cursor, line.letter(), value)?;
            description.session.put(line, span);
        }
        description.ones(&mut cursor, BEFORE_TIMES);
        description.bandwidth_lines(&mut cursor);
        while let Some(time) = description.take(&mut cursor, b't', Value::TwoNumbers) {
            let repeat = description.take(&mut cursor, b'r', Value::FourTimes);
            description.times.push(Time { time, repeat });
            description.repeats.extend(repeat);
        }
        if description.times.is_empty() {
            return None;
        }
        description.ones(&mut cursor, BEHIND_TIMES);
        description.attribute_lines(&mut cursor);
        while let Some(media) = description.take(&mut cursor, b'm', Value::Media) {
            description.media.push(Section::default());
            description.one_of(Line::Media, media);
            description
                .ones(&mut cursor, &[(Line::Info, Value::Words), (Line::ConnectionData, Value::Connection)]);
            description.bandwidth_lines(&mut cursor);
            description.ones(&mut cursor, &[(Line::EncryptionKey, Value::Text)]);
            description.attribute_lines(&mut cursor);
        }
        Some(description)
    }

    /// Takes the next line, where it is of this letter and its value has this form.
    fn take(&mut self, cursor: &mut Cursor<'_>, letter: u8, value: Value) -> Option<Span> {
        if self.lines >= MAX_LINES {
            return None;
        }
        let start = self.text.len();
        if !cursor.line(letter, value, &mut self.text) {
            self.text.truncate(start);
            return None;
        }
        self.lines += 1;
        Some(Span::new(start, self.text.len()))
    }

    /// Takes lines of which a section has one, each of which may be missing.
    fn ones(&mut self, cursor: &mut Cursor<'_>, lines: &[(Line, Value)]) {
        for &(line, value) in lines {
            if let Some(span) = self.take(cursor, line.letter(), value) {
                self.one_of(line, span);
            }
        }
    }

    fn bandwidth_lines(&mut self, cursor: &mut Cursor<'_>) {
        while let Some(value) = self.take(cursor, b'b', Value::Bandwidth) {
            self.section().bandwidths.push(value);
        }
    }

    fn attribute_lines(&mut self, cursor: &mut Cursor<'_>) {
        while let Some(value) = self.take(cursor, b'a', Value::Attribute) {
            self.section().attributes.push(value);
            if !self.media.is_empty() {
                self.media_attributes.push(value);
            }
        }
    }

    /// Returns the section that the lines at hand belong to.
    fn section(&mut self) -> &mut Section {
        self.media.last_mut().unwrap_or(&mut self.session)
    }

    /// Takes a value of which the section has one.
    fn one_of(&mut self, line: Line, value: Span) {
        self.section().put(line, value);
        if !self.media.is_empty()
            && let Some(values) = self.of_media.get_mut(line as usize)
        {
            values.push(value);
        }
    }

    /// Bytes of memory that it takes, told from the number of lines: each has two places in lists at most.
    pub fn memory(&self) -> usize {
        let sections = self.media.capacity() * size_of::<Section>();
        size_of::<Self>() + self.text.len() + sections + self.lines * 2 * size_of::<Time>()
    }

    /// Returns the lines on the session.
    pub const fn session(&self) -> &Section {
        &self.session
    }

    /// Returns the lines on each medium.
    pub fn media(&self) -> &[Section] {
        &self.media
    }

    /// A value of which a section has one.
    pub fn one(&self, section: &Section, line: Line) -> Option<&[u8]> {
        Some(section.lines.get(line as usize)?.as_ref()?.read(&self.text))
    }

    /// A value of which each medium has one, by its index among those of all media.
    pub fn of_media(&self, line: Line, index: usize) -> Option<&[u8]> {
        Some(self.of_media.get(line as usize)?.get(index)?.read(&self.text))
    }

    /// An attribute of a medium, by its index among those of all media.
    pub fn media_attribute(&self, index: usize) -> Option<&[u8]> {
        Some(self.media_attributes.get(index)?.read(&self.text))
    }

    /// The bandwidths of a section.
    pub fn bandwidths<'a>(&'a self, section: &'a Section) -> impl Iterator<Item = &'a [u8]> {
        section.bandwidths.iter().map(|value| value.read(&self.text))
    }

    /// The attributes of a section.
    pub fn attributes<'a>(&'a self, section: &'a Section) -> impl Iterator<Item = &'a [u8]> {
        section.attributes.iter().map(|value| value.read(&self.text))
    }

    /// A bandwidth of the session.
    pub fn bandwidth(&self, index: usize) -> Option<&[u8]> {
        Some(self.session.bandwidths.get(index)?.read(&self.text))
    }

    /// An attribute of the session.
    pub fn attribute(&self, index: usize) -> Option<&[u8]> {
        Some(self.session.attributes.get(index)?.read(&self.text))
    }

    /// When the session is.
    pub fn time(&self, index: usize) -> Option<&[u8]> {
        Some(self.times.get(index)?.time.read(&self.text))
    }

    /// When the session is again.
    pub fn repeat(&self, index: usize) -> Option<&[u8]> {
        Some(self.repeats.get(index)?.read(&self.text))
    }

    /// The times, each with when it comes again for the first time.
    pub fn times(&self) -> impl Iterator<Item = (&[u8], Option<&[u8]>)> {
        self.times
            .iter()
            .map(|time| (time.time.read(&self.text), time.repeat.map(|repeat| repeat.read(&self.text))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BODY: &str = "v=0\r\no=- 1  1 IN IP4 192.0.2.1\r\ns=talk\r\nc=IN IP4 192.0.2.1\r\nb=AS:64\r\nb=CT:9\r\n\
        t=1 2\r\nr=3 4 5 6\r\nt=7 8\r\na=sendrecv\r\nm=audio 1 RTP/AVP 0\r\ni=sound\r\na=one\r\n\
        m=video 2/2 RTP/AVP 31 32\r\nk=prompt\r\na=two\r\na=three:3\r\n";

    fn text(bytes: &[u8]) -> String {
        String::from_utf8(bytes.to_vec()).unwrap()
    }

    #[test]
    fn lines() {
        let description = Description::read(BODY.as_bytes()).unwrap();
        let session = |line| description.one(description.session(), line).map(text);
        assert_eq!(session(Line::Origin).unwrap(), "- 1 1 IN IP4 192.0.2.1");
        assert_eq!((session(Line::SessionName).unwrap().as_str(), session(Line::Info)), ("talk", None));
        assert_eq!((0..9).map_while(|index| description.bandwidth(index)).count(), 2);
        assert_eq!((0..9).map_while(|index| description.attribute(index)).collect::<Vec<_>>(), [b"sendrecv"]);
        let times: Vec<_> = description.times().map(|(time, again)| (text(time), again.map(text))).collect();
        assert_eq!(times, [("1 2".to_owned(), Some("3 4 5 6".to_owned())), ("7 8".to_owned(), None)]);
        assert_eq!(
            (description.time(1).map(text), description.repeat(0).map(text)),
            (Some("7 8".into()), Some("3 4 5 6".into()))
        );
        let media =
            |line| (0..).map_while(|index| description.of_media(line, index)).map(text).collect::<Vec<_>>();
        assert_eq!(media(Line::Media), ["audio 1 RTP/AVP 0", "video 2/2 RTP/AVP 31 32"]);
        assert_eq!(
            (media(Line::Info), media(Line::EncryptionKey)),
            (vec!["sound".into()], vec!["prompt".into()])
        );
        assert_eq!((0..9).map_while(|index| description.media_attribute(index)).count(), 3);
        let attributes = description.attributes(&description.media()[1]).map(text);
        assert_eq!(attributes.collect::<Vec<_>>(), ["two", "three:3"]);
    }

    #[test]
    fn lines_that_break_the_form() {
        let read = |lines: &str| {
            let body = lines.split(' ').map(|line| line.replace('_', " ") + "\r\n").collect::<String>();
            let description = Description::read(body.as_bytes())?;
            let session = description.attributes(description.session()).map(text).collect::<Vec<_>>();
            let media = description.media().iter().map(|section| description.attributes(section).count());
            Some((session.join(" "), media.collect::<Vec<_>>()))
        };
        let begin = "v=0 o=a_1_1_IN_IP4_192.0.2.1 s=x t=0_0";
        type Case<'a> = (&'a str, String, Option<(&'a str, &'a [usize])>);
        let cases: [Case<'_>; 11] = [
            ("all is there", begin.into(), Some(("", &[]))),
            ("a name that is no word", begin.replace("s=x", "s=-"), None),
            ("a session with letters", begin.replace("a_1_1", "a_x_1"), None),
            ("no time", begin.replace(" t=0_0", ""), None),
            ("a later version", begin.replace("v=0", "v=1"), None),
            ("an order of its own", begin.replace("s=x t=0_0", "t=0_0 s=x"), None),
            ("an odd attribute ends them", format!("{begin} a=one a=X-two a=three"), Some(("one", &[]))),
            (
                "an odd attribute of a medium ends all",
                format!("{begin} m=audio_1_RTP/AVP_0 a=rtcp-mux m=video_1_RTP/AVP_0"),
                Some(("", &[0])),
            ),
            ("an unknown transport", format!("{begin} m=audio_1_RTP/SAVPF_0"), Some(("", &[]))),
            ("an unknown medium", format!("{begin} m=image_1_udptl_t38"), Some(("", &[]))),
            ("a port that is none", format!("{begin} m=audio_65536_RTP/AVP_0"), Some(("", &[]))),
        ];
        for (name, lines, expected) in cases {
            assert_eq!(read(&lines), expected.map(|(text, media)| (text.into(), media.into())), "{name}");
        }
    }

    #[test]
    fn what_is_none_and_what_is_much() {
        assert_eq!(Description::read(b"s=talk\r\nv=0\r\n"), None);
        assert_eq!(Description::read(b""), None);
        let many = format!("v=0\no=- 1 1 IN IP4 a\ns=\nt=0 0\n{}", "a=a\n".repeat(MAX_LINES + 9));
        let many = Description::read(many.as_bytes()).unwrap();
        assert_eq!(many.attributes(many.session()).count(), MAX_LINES - 4);
        let cut = Description::read(b"v=0\no=- 1 1 IN IP4 a\ns=\nt=0 0\na=one\na=no end").unwrap();
        assert_eq!(cut.attributes(cut.session()).count(), 1);
    }
}
