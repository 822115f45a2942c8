//! Commands: arrays of texts, or lines.

use super::value::{self, MAX_TEXT, Step};

/// Most words that a command has; only the first ones are kept.
const MAX_WORDS: i64 = 1 << 20;
const KEPT_WORDS: usize = 4;

/// Most words, and about how many bytes of them, that are kept of a command for scripts.
const MAX_TOLD: usize = 1024;
const MAX_TOLD_BYTES: usize = 256 << 10;

/// Longest line that is a command.
const MAX_INLINE: usize = 1024;

/// Commands with a key as their second word.
const KEYS: &[&str] = &[
    "append",
    "bitcount",
    "bitfield",
    "bitfield_ro",
    "bitpos",
    "blpop",
    "brpop",
    "copy",
    "decr",
    "decrby",
    "del",
    "dump",
    "exists",
    "expire",
    "expireat",
    "expiretime",
    "get",
    "getbit",
    "getdel",
    "getex",
    "getrange",
    "getset",
    "hdel",
    "hget",
    "hset",
    "incr",
    "incrby",
    "keys",
    "mget",
    "move",
    "mset",
    "persist",
    "rename",
    "set",
    "strlen",
    "ttl",
    "type",
];

/// Those that have a value as their third one.
const VALUES: &[&str] = &[
    "append", "decrby", "expire", "expireat", "getbit", "getset", "hdel", "hget", "incrby", "move", "mset",
    "rename", "set",
];

/// Effect of a command on the replies after it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effect {
    /// Nothing that is known.
    Unknown,
    /// Nothing.
    None,
    /// They are of version 3.
    Hello3,
    /// Messages come, which are no replies.
    Subscribe,
    /// No reply comes to it.
    Unsubscribe,
    /// They come again.
    RepliesOn,
    /// None comes.
    RepliesOff,
    /// None comes to it and to the next one.
    SkipReply,
}

/// A command.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Command {
    /// Its first word.
    pub name: Vec<u8>,
    /// Key.
    pub key: Option<Vec<u8>>,
    /// Value for the key.
    pub value: Option<Vec<u8>>,
    /// Effect on replies.
    pub effect: Effect,
}

impl Command {
    /// Of words, of which there are `count`; none where there is none.
    fn of(words: &[Vec<u8>], count: usize) -> Option<Self> {
        let name = words.first()?.clone();
        let lower = name.to_ascii_lowercase();
        let is_one_of = |list: &[&str]| list.iter().any(|known| known.as_bytes() == lower);
        let word = |index: usize| words.get(index).cloned();
        let (key, value) = match lower.as_slice() {
            b"bitop" => (word(2), None),
            b"blmpop" => (word(3), None),
            _ => (word(1).filter(|_| is_one_of(KEYS)), word(2).filter(|_| is_one_of(VALUES))),
        };
        let second = word(1).unwrap_or_default();
        let third = word(2).filter(|_| count == 3).unwrap_or_default().to_ascii_lowercase();
        let effect = match lower.as_slice() {
            b"hello" if second == b"3" => Effect::Hello3,
            b"subscribe" | b"psubscribe" | b"ssubscribe" => Effect::Subscribe,
            b"unsubscribe" | b"punsubscribe" | b"sunsubscribe" => Effect::Unsubscribe,
            b"client" if third == b"on" => Effect::RepliesOn,
            b"client" if third == b"off" => Effect::RepliesOff,
            b"client" if third == b"skip" => Effect::SkipReply,
            b"auth" | b"bitop" | b"blmpop" | b"client" | b"hello" | b"reset" | b"quit" => Effect::None,
            _ if is_one_of(KEYS) => Effect::None,
            _ => Effect::Unknown,
        };
        Some(Self { name, key, value, effect })
    }

    /// Bytes of its texts.
    pub fn size(&self) -> usize {
        [Some(&self.name), self.key.as_ref(), self.value.as_ref()].into_iter().flatten().map(Vec::len).sum()
    }
}

/// The command that is being read.
#[derive(Clone, Debug, Default)]
pub struct Reader {
    words: Vec<Vec<u8>>,
    count: usize,
    /// Words to come of an array.
    left: usize,
    searched: usize,
    /// All words are kept, for scripts.
    pub keeps_all: bool,
    /// Bytes of the words that are kept.
    bytes: usize,
}

impl Reader {
    /// Bytes of the words so far, of which few are kept.
    pub fn memory(&self) -> usize {
        self.words.iter().map(|word| size_of::<Vec<u8>>() + word.capacity()).sum()
    }

    fn has_room(&self) -> bool {
        self.words.len() < MAX_TOLD && self.bytes < MAX_TOLD_BYTES
    }

    /// Takes the words of the command that was read, each behind its length.
    pub fn take_words(&mut self) -> Vec<u8> {
        let mut all = Vec::new();
        for word in std::mem::take(&mut self.words) {
            all.extend((word.len() as u32).to_be_bytes());
            all.extend(word);
        }
        all
    }

    /// Reads the next part, and with it perhaps a command.
    pub fn read(&mut self, bytes: &[u8]) -> (Step, Option<Command>) {
        match self.part(bytes) {
            Ok((taken, command)) => (Step::Taken(taken), command),
            Err(step) => (step, None),
        }
    }

    fn part(&mut self, bytes: &[u8]) -> Result<(usize, Option<Command>), Step> {
        let line = value::line(bytes, &mut self.searched)?;
        let taken = line.len() + 2;
        if self.left == 0 {
            let Some(count) = line.strip_prefix(b"*") else {
                if line.len() > MAX_INLINE {
                    return Err(Step::Malformed);
                }
                self.words = words(line);
                let command = Command::of(&self.words, self.words.len()).ok_or(Step::Malformed)?;
                return Ok((taken, Some(command)));
            };
            let count = value::number(count).filter(|count| (1..=MAX_WORDS).contains(count));
            self.left = count.and_then(|count| usize::try_from(count).ok()).ok_or(Step::Malformed)?;
            (self.count, self.words, self.bytes) = (self.left, Vec::new(), 0);
            return Ok((taken, None));
        }
        let length = line.strip_prefix(b"$").and_then(value::number).ok_or(Step::Malformed)?;
        let (word, taken) = match usize::try_from(length) {
            Ok(length) => {
                let word = value::text(bytes, taken, length).inspect_err(|_| self.searched = line.len())?;
                (word, taken + length + 2)
            }
            Err(_) => (&[][..], taken),
        };
        self.searched = 0;
        self.left -= 1;
        if self.words.len() < KEPT_WORDS || self.keeps_all && self.has_room() {
            let word = kept(word);
            self.bytes += word.len();
            self.words.push(word);
        }
        if self.left > 0 {
            return Ok((taken, None));
        }
        let command = Command::of(&self.words, self.count).ok_or(Step::Malformed)?;
        Ok((taken, Some(command)))
    }
}

fn kept(word: &[u8]) -> Vec<u8> {
    word.get(..=MAX_TEXT).unwrap_or(word).to_vec()
}

/// The words of a line; those in quotes keep them.
fn words(line: &[u8]) -> Vec<Vec<u8>> {
    let mut words: Vec<Vec<u8>> = Vec::new();
    let (mut word, mut quote, mut escaped) = (Vec::new(), None, false);
    for &byte in line {
        let is_space = matches!(byte, 0 | b'\t' | b'\n' | b'\r' | b' ');
        if quote.is_none() && is_space {
            if !word.is_empty() {
                words.push(std::mem::take(&mut word));
            }
            continue;
        }
        word.push(byte);
        match quote {
            None if matches!(byte, b'"' | b'\'') => quote = Some(byte),
            Some(open) if byte == open && !escaped => quote = None,
            _ => {}
        }
        escaped = quote.is_some() && byte == b'\\' && !escaped;
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines() {
        let cases: &[(&[u8], &[&[u8]])] = &[
            (b"PING", &[b"PING"]),
            (b"  set  key 'a b'\tx", &[b"set", b"key", b"'a b'", b"x"]),
            (b"echo \"a \\\" b\" c", &[b"echo", b"\"a \\\" b\"", b"c"]),
            (b"", &[]),
        ];
        for (line, expected) in cases {
            assert_eq!(words(line), *expected);
        }
    }
}
