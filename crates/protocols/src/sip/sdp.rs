//! Descriptions of sessions (SDP, RFC 8866 5): lines of a letter, `=` and a value; from each `m=` on, of one
//! medium.
//!
//! Lines of letters that are not known, or not known there, are passed over. Of values of which there is to
//! be one, the first counts. Limit: [`MAX_LINES`] lines.

use memchr::memchr;

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

impl Line {
    const fn of(letter: u8) -> Option<Self> {
        Some(match letter {
            b'o' => Self::Origin,
            b's' => Self::SessionName,
            b'i' => Self::Info,
            b'u' => Self::Uri,
            b'e' => Self::Email,
            b'p' => Self::PhoneNumber,
            b'c' => Self::ConnectionData,
            b'z' => Self::Timezone,
            b'k' => Self::EncryptionKey,
            _ => return None,
        })
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

/// When a session is (`t=`), and when again for the first time (`r=`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Time {
    time: Span,
    repeat: Option<Span>,
}

/// A description.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Description {
    text: Box<[u8]>,
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
    /// Reads a body; none where it does not begin with its version.
    pub fn read(body: &[u8]) -> Option<Self> {
        if !body.starts_with(b"v=") {
            return None;
        }
        let mut description = Self {
            text: body.into(),
            session: Section::default(),
            times: Vec::new(),
            repeats: Vec::new(),
            media: Vec::new(),
            of_media: Default::default(),
            media_attributes: Vec::new(),
            lines: 0,
        };
        let mut rest = body;
        for _ in 0..MAX_LINES {
            if rest.is_empty() {
                break;
            }
            let end = memchr(b'\n', rest).unwrap_or(rest.len());
            let (line, after) = rest.split_at(end);
            rest = after.get(1..).unwrap_or_default();
            description.lines += 1;
            if let [letter, b'=', value @ ..] = line.strip_suffix(b"\r").unwrap_or(line) {
                description.line(*letter, Span::of(body, value));
            }
        }
        Some(description)
    }

    fn line(&mut self, letter: u8, value: Span) {
        match letter {
            b't' => self.times.push(Time { time: value, repeat: None }),
            b'r' => {
                self.repeats.push(value);
                if let Some(time) = self.times.last_mut() {
                    time.repeat.get_or_insert(value);
                }
            }
            b'm' => {
                self.media.push(Section::default());
                self.one_of(Line::Media, value);
            }
            b'b' => self.section().bandwidths.push(value),
            b'a' => {
                self.section().attributes.push(value);
                if !self.media.is_empty() {
                    self.media_attributes.push(value);
                }
            }
            _ => {
                if let Some(line) = Line::of(letter) {
                    self.one_of(line, value);
                }
            }
        }
    }

    /// Returns the section that the lines at hand belong to.
    fn section(&mut self) -> &mut Section {
        self.media.last_mut().unwrap_or(&mut self.session)
    }

    /// Takes a value of which the section has one, unless it has it.
    fn one_of(&mut self, line: Line, value: Span) {
        let Some(place @ None) = self.section().lines.get_mut(line as usize) else { return };
        *place = Some(value);
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

    const BODY: &str = "v=0\r\no=- 1 1 IN IP4 192.0.2.1\r\ns=talk\r\nc=IN IP4 192.0.2.1\r\nb=AS:64\r\nb=CT:9\r\n\
        t=1 2\r\nr=3 4\r\nr=5 6\r\nt=7 8\r\na=sendrecv\r\nx=odd\r\nm=audio 1 RTP/AVP 0\r\ni=sound\r\na=one\r\n\
        m=video 2 RTP/AVP 31\r\nk=prompt\r\nk=clear\r\na=two\r\na=three";

    #[test]
    fn lines() {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        let description = Description::read(BODY.as_bytes()).unwrap();
        let session = |line| description.one(description.session(), line).map(text);
        assert_eq!(session(Line::Origin).unwrap(), "- 1 1 IN IP4 192.0.2.1");
        assert_eq!((session(Line::SessionName).unwrap().as_str(), session(Line::Info)), ("talk", None));
        assert_eq!((0..9).map_while(|index| description.bandwidth(index)).count(), 2);
        assert_eq!((0..9).map_while(|index| description.attribute(index)).collect::<Vec<_>>(), [b"sendrecv"]);
        let times: Vec<_> = description.times().map(|(time, again)| (text(time), again.map(text))).collect();
        assert_eq!(times, [("1 2".to_owned(), Some("3 4".to_owned())), ("7 8".to_owned(), None)]);
        assert_eq!(
            (description.time(1).map(text), description.repeat(1).map(text)),
            (Some("7 8".into()), Some("5 6".into()))
        );
        let media =
            |line| (0..).map_while(|index| description.of_media(line, index)).map(text).collect::<Vec<_>>();
        assert_eq!(media(Line::Media), ["audio 1 RTP/AVP 0", "video 2 RTP/AVP 31"]);
        assert_eq!(
            (media(Line::Info), media(Line::EncryptionKey)),
            (vec!["sound".into()], vec!["prompt".into()])
        );
        assert_eq!((0..9).map_while(|index| description.media_attribute(index)).count(), 3);
        let attributes = description.attributes(&description.media()[1]).map(text);
        assert_eq!(attributes.collect::<Vec<_>>(), ["two", "three"]);
    }

    #[test]
    fn what_is_none_and_what_is_much() {
        assert_eq!(Description::read(b"s=talk\r\nv=0\r\n"), None);
        assert_eq!(Description::read(b""), None);
        let many = format!("v=0\n{}", "m=a\n".repeat(MAX_LINES + 9));
        assert_eq!(Description::read(many.as_bytes()).unwrap().media().len(), MAX_LINES - 1);
    }
}
