//! Values of the serialization protocol, read piece by piece, and how Zeek writes them down.
//!
//! A value is a line, or a line with the length of the text behind it, or the number of its values.

use memchr::memmem;

/// Longest line or text that is waited for.
pub const MAX_LENGTH: usize = 1_000_000;

/// Most bytes that are kept of a value's text: as many as Zeek's logs show.
pub const MAX_TEXT: usize = 4096;

/// Nesting of values.
pub const MAX_DEPTH: usize = 64;

/// Most values that one consists of.
const MAX_ELEMENTS: u64 = 1 << 20;

const END: &[u8] = b"\r\n";

/// Result for some bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// So many are read.
    Taken(usize),
    /// So many are wanted, at least.
    More(usize),
    /// They are no value.
    Malformed,
}

/// The line at the beginning of `bytes`, without its end. `searched` of them were looked at before, and are noted.
pub fn line<'a>(bytes: &'a [u8], searched: &mut usize) -> Result<&'a [u8], Step> {
    let start = searched.saturating_sub(1).min(bytes.len());
    let found = bytes.get(start..).and_then(|rest| memmem::find(rest, END));
    let Some(found) = found else {
        *searched = bytes.len();
        return Err(if bytes.len() > MAX_LENGTH { Step::Malformed } else { Step::More(bytes.len() + 1) });
    };
    *searched = 0;
    Ok(bytes.get(..start + found).unwrap_or_default())
}

/// A number, of a whole line.
pub fn number(text: &[u8]) -> Option<i64> {
    std::str::from_utf8(text).ok()?.parse().ok()
}

/// The text of `length` bytes behind a line of `start` bytes, with its end, or how many bytes are wanted.
pub fn text(bytes: &[u8], start: usize, length: usize) -> Result<&[u8], Step> {
    if length > MAX_LENGTH {
        return Err(Step::Malformed);
    }
    let end = start + length;
    match bytes.get(end..end + END.len()) {
        Some(END) => bytes.get(start..end).ok_or(Step::Malformed),
        Some(_) => Err(Step::Malformed),
        None => Err(Step::More(end + END.len())),
    }
}

/// A value that others make up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Group {
    Array,
    Set,
    Map,
    /// Attributes of the value behind it (RESP3).
    Attribute,
}

impl Group {
    const fn brackets(self) -> (u8, u8) {
        match self {
            Group::Array => (b'[', b']'),
            Group::Set => (b'(', b')'),
            Group::Map | Group::Attribute => (b'{', b'}'),
        }
    }
}

#[derive(Clone, Debug)]
struct Level {
    group: Group,
    count: u64,
    left: u64,
}

/// A value, as far as it is read.
#[derive(Clone, Debug, Default)]
pub struct Value {
    levels: Vec<Level>,
    /// Text form.
    pub text: Vec<u8>,
    /// Error reply.
    pub is_error: bool,
    /// It is no reply to a command.
    pub is_push: bool,
    /// Only version 3 has it.
    pub is_version_3: bool,
    /// Bytes of the line already searched for its end.
    searched: usize,
    has_begun: bool,
}

impl Value {
    /// Bytes of what is read of it.
    pub fn memory(&self) -> usize {
        self.levels.capacity() * size_of::<Level>() + self.text.capacity()
    }

    /// Reads the next part; true once it is whole.
    pub fn read(&mut self, bytes: &[u8]) -> (Step, bool) {
        match self.part(bytes) {
            Ok(taken) => (Step::Taken(taken), self.levels.is_empty()),
            Err(step) => (step, false),
        }
    }

    fn part(&mut self, bytes: &[u8]) -> Result<usize, Step> {
        let Some((&kind, rest)) = bytes.split_first() else { return Err(Step::More(1)) };
        let is_top = self.levels.is_empty();
        if !b"+-:$*_#,(!=%~>|".contains(&kind) {
            return Err(Step::Malformed);
        }
        let line = line(rest, &mut self.searched).map_err(|step| match step {
            Step::More(needed) => Step::More(needed + 1),
            other => other,
        })?;
        let taken = 1 + line.len() + END.len();
        self.is_version_3 |= b"_#,(!=%~>|".contains(&kind);
        if is_top && !self.has_begun {
            self.is_error = matches!(kind, b'-' | b'!');
            self.is_push = kind == b'>';
        }
        let group = match kind {
            b'*' | b'>' => Some(Group::Array),
            b'~' => Some(Group::Set),
            b'%' => Some(Group::Map),
            b'|' => Some(Group::Attribute),
            _ => None,
        };
        if let Some(group) = group {
            let count = number(line).ok_or(Step::Malformed)?;
            self.begin(group, count)?;
            return Ok(taken);
        }
        let (text, taken): (&[u8], usize) = match kind {
            b'$' | b'!' | b'=' => match usize::try_from(number(line).ok_or(Step::Malformed)?) {
                Ok(length) => {
                    let text = text(bytes, taken, length).inspect_err(|_| self.searched = line.len())?;
                    (text, taken + length + END.len())
                }
                Err(_) => (b"null", taken),
            },
            b'_' => (b"null", taken),
            b'#' if line == b"t" => (b"T", taken),
            b'#' => (b"F", taken),
            b':' => {
                number(line.strip_prefix(b"+").unwrap_or(line)).ok_or(Step::Malformed)?;
                (line.strip_prefix(b"+").unwrap_or(line), taken)
            }
            _ => (line, taken),
        };
        self.searched = 0;
        self.element(text);
        Ok(taken)
    }

    /// Begins a value that others make up.
    fn begin(&mut self, group: Group, count: i64) -> Result<(), Step> {
        let Ok(count) = u64::try_from(count) else {
            self.element(b"null");
            return Ok(());
        };
        if count > MAX_ELEMENTS || self.levels.len() >= MAX_DEPTH {
            return Err(Step::Malformed);
        }
        if group != Group::Attribute {
            self.separate();
            self.append(&[group.brackets().0]);
        }
        let left = if matches!(group, Group::Map | Group::Attribute) { count * 2 } else { count };
        self.has_begun |= group != Group::Attribute && !self.is_hidden();
        self.levels.push(Level { group, count: left, left });
        self.end();
        Ok(())
    }

    /// A value that is whole by itself.
    fn element(&mut self, text: &[u8]) {
        self.separate();
        self.append(text);
        self.has_begun |= !self.is_hidden();
        self.count();
        self.end();
    }

    /// Whether an attribute is being read, of which nothing is written down.
    fn is_hidden(&self) -> bool {
        self.levels.iter().any(|level| level.group == Group::Attribute)
    }

    fn append(&mut self, text: &[u8]) {
        let room = MAX_TEXT.saturating_add(1).saturating_sub(self.text.len());
        if !self.is_hidden() {
            self.text.extend_from_slice(text.get(..room).unwrap_or(text));
        }
    }

    /// Writes what stands between a value and the one before it.
    fn separate(&mut self) {
        let Some(level) = self.levels.last().filter(|level| level.left < level.count) else { return };
        let is_value_of_key = level.group == Group::Map && (level.count - level.left) % 2 == 1;
        self.append(if is_value_of_key { b": " } else { b", " });
    }

    /// One value less is to come.
    fn count(&mut self) {
        if let Some(level) = self.levels.last_mut() {
            level.left = level.left.saturating_sub(1);
        }
    }

    /// Ends the values of which nothing more is to come.
    fn end(&mut self) {
        while let Some(level) = self.levels.pop_if(|level| level.left == 0) {
            if level.group != Group::Attribute {
                self.append(&[level.group.brackets().1]);
                self.count();
            }
        }
    }

    /// Whether nothing of it is read, or only what is said of it.
    pub fn is_empty(&self) -> bool {
        !self.has_begun
    }
}
