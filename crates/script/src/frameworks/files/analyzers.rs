//! What looks at files: hashes, entropy, events of the bytes, extraction. Others are known by name: the engine looks
//! at these files itself.

use std::rc::Rc;

use md5::{Digest, Md5};
use sha1::Sha1;
use sha2::{Sha224, Sha256, Sha384, Sha512};

use weir_base::event::FileReader;

use super::certificates;
use super::extraction::Extraction;
use crate::builtins::{entropy_findings, hexadecimal};
use crate::values::opaque::Entropy;
use crate::values::{FunctionValue, Value, text_of};
use crate::vm::{Engine, Outcome};

/// Longest file that is read as a whole; of longer ones nothing is told, and they are counted.
const MOST_READ: usize = 1 << 20;

/// Analyzers that need no more than so many bytes at the beginning of a file.
const BEGINNINGS: [(&str, usize); 1] = [("PE", 32 << 10)];

/// Whether an analyzer wants more.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Going {
    On,
    Ends,
}

/// A change of what looks at a file.
pub(super) enum Change {
    Add(Box<Analyzer>),
    Remove(i64, Vec<u8>),
    /// Of how far a file is extracted.
    Limit(Vec<u8>, u64),
}

/// What an analyzer does.
enum Kind {
    Md5(Md5),
    Sha1(Sha1),
    Sha224(Sha224),
    Sha256(Sha256),
    Sha384(Sha384),
    Sha512(Sha512),
    Entropy(Box<Entropy>),
    /// Raises events of chunks, and of bytes in order.
    Data(Option<Rc<FunctionValue>>, Option<Rc<FunctionValue>>),
    Extract(Extraction),
    /// Tells of the file once what is needed of it is there; none where it is too long or has holes, or was told of.
    Read(&'static FileReader, Option<Vec<u8>>),
    /// The engine's own.
    Other,
}

/// An analyzer of one file.
pub(super) struct Analyzer {
    /// Its tag.
    pub(super) tag: i64,
    /// Its arguments as text, which tell it from others with its tag.
    pub(super) arguments: Vec<u8>,
    kind: Kind,
    /// It got some bytes.
    is_fed: bool,
    /// It got the first bytes, though it may have been attached later.
    pub(super) is_caught_up: bool,
}

/// Returns the text that stands for arguments.
pub(super) fn key(engine: &Engine, arguments: &Value) -> Vec<u8> {
    text_of(arguments, engine.types())
}

impl Analyzer {
    /// Returns the analyzer of a name; none where its arguments do not do.
    pub(super) fn new(engine: &mut Engine, tag: i64, name: &str, arguments: &Value) -> Option<Self> {
        let field = |engine: &Engine, name: &str| match arguments {
            Value::Record(record) => engine.field(record, name),
            _ => Value::Unset,
        };
        let function = |value: Value| match value {
            Value::Function(function) => Some(function),
            _ => None,
        };
        let kind = match name {
            "MD5" => Kind::Md5(Md5::new()),
            "SHA1" => Kind::Sha1(Sha1::new()),
            "SHA224" => Kind::Sha224(Sha224::new()),
            "SHA256" => Kind::Sha256(Sha256::new()),
            "SHA384" => Kind::Sha384(Sha384::new()),
            "SHA512" => Kind::Sha512(Sha512::new()),
            "ENTROPY" => Kind::Entropy(Box::default()),
            "DATA_EVENT" => {
                let chunks = function(field(engine, "chunk_event"));
                let stream = function(field(engine, "stream_event"));
                if chunks.is_none() && stream.is_none() {
                    return None;
                }
                Kind::Data(chunks, stream)
            }
            "EXTRACT" => {
                let name = field(engine, "extract_filename");
                let counts_missing = field(engine, "extract_limit_includes_missing").is_true();
                let limit = field(engine, "extract_limit").count();
                Kind::Extract(Extraction::new(engine, &name, (limit, counts_missing), arguments.clone())?)
            }
            _ => match engine.frameworks.files.reader(name) {
                Some(reader) => Kind::Read(reader, Some(Vec::new())),
                None => Kind::Other,
            },
        };
        let arguments = key(engine, arguments);
        Some(Self { tag, arguments, kind, is_fed: false, is_caught_up: false })
    }

    /// Returns whether this is the analyzer with these arguments.
    pub(super) fn is_same(&self, tag: i64, arguments: &[u8]) -> bool {
        self.tag == tag && self.arguments == arguments
    }

    /// Sets how far a file is extracted.
    pub(super) fn set_limit(&mut self, arguments: &[u8], limit: u64) {
        if let Kind::Extract(extraction) = &mut self.kind
            && self.arguments == arguments
        {
            extraction.set_limit(limit);
        }
    }
}

/// Takes bytes that are next.
pub(super) fn stream(
    engine: &mut Engine,
    analyzer: &mut Analyzer,
    file: &Value,
    bytes: &[u8],
) -> Outcome<Going> {
    analyzer.is_fed |= !bytes.is_empty();
    match &mut analyzer.kind {
        Kind::Md5(hash) => hash.update(bytes),
        Kind::Sha1(hash) => hash.update(bytes),
        Kind::Sha224(hash) => hash.update(bytes),
        Kind::Sha256(hash) => hash.update(bytes),
        Kind::Sha384(hash) => hash.update(bytes),
        Kind::Sha512(hash) => hash.update(bytes),
        Kind::Entropy(entropy) => entropy.add(bytes),
        Kind::Data(_, Some(event)) => {
            engine.raise(event.function, vec![file.clone(), Value::string(bytes)]);
        }
        Kind::Extract(extraction) => return extraction.stream(engine, file, &analyzer.arguments, bytes),
        Kind::Read(reader, whole) => match beginning(reader) {
            None => gather(engine, whole, bytes),
            Some(most) => {
                if let Some(all) = gather_beginning(whole, bytes, most) {
                    tell(engine, reader, file, &all);
                }
            }
        },
        Kind::Data(_, None) | Kind::Other => {}
    }
    Ok(Going::On)
}

/// Returns the bytes at the beginning of a file that are all a reader needs.
fn beginning(reader: &FileReader) -> Option<usize> {
    BEGINNINGS.iter().find(|(name, _)| *name == reader.analyzer).map(|(_, most)| *most)
}

/// Adds bytes to the beginning of a file; returns that once it is whole.
fn gather_beginning(gathered: &mut Option<Vec<u8>>, bytes: &[u8], most: usize) -> Option<Vec<u8>> {
    let all = gathered.as_mut()?;
    let room = most.saturating_sub(all.len()).min(bytes.len());
    all.extend_from_slice(bytes.get(..room).unwrap_or(bytes));
    if all.len() < most { None } else { gathered.take() }
}

/// Adds bytes to a file that is read as a whole, unless it is too long.
fn gather(engine: &mut Engine, whole: &mut Option<Vec<u8>>, bytes: &[u8]) {
    if let Some(gathered) = whole {
        if gathered.len() + bytes.len() > MOST_READ {
            *whole = None;
            engine.frameworks.files.count_passed_over();
        } else {
            gathered.extend_from_slice(bytes);
        }
    }
}

/// Raises the events of a file that was read as a whole.
fn tell(engine: &mut Engine, reader: &FileReader, file: &Value, bytes: &[u8]) {
    if reader.analyzer == certificates::ANALYZER && certificates::is_known(engine, file, bytes) {
        return;
    }
    (reader.events)(bytes, &mut |event, arguments| {
        let mut values = vec![file.clone()];
        values.extend(crate::traffic::arguments(engine, event, 1, arguments));
        engine.raise_named(event, values);
    });
}

/// Takes bytes wherever they belong.
pub(super) fn chunk(
    engine: &mut Engine,
    analyzer: &mut Analyzer,
    file: &Value,
    offset: u64,
    bytes: &[u8],
) -> Outcome<Going> {
    if let Kind::Data(Some(event), _) = &analyzer.kind {
        engine.raise(event.function, vec![file.clone(), Value::string(bytes), Value::Count(offset)]);
    }
    Ok(Going::On)
}

/// Takes note of what is missing: hashes of the rest are worth nothing.
pub(super) fn gap(
    engine: &mut Engine,
    analyzer: &mut Analyzer,
    file: &Value,
    offset: u64,
    length: u64,
) -> Outcome<Going> {
    match &mut analyzer.kind {
        Kind::Data(..) | Kind::Other => Ok(Going::On),
        Kind::Extract(extraction) => extraction.gap(engine, file, &analyzer.arguments, (offset, length)),
        Kind::Read(reader, whole) => {
            let gathered = whole.take().filter(|_| beginning(reader).is_some());
            if let Some(gathered) = gathered {
                tell(engine, reader, file, &gathered);
            }
            Ok(Going::On)
        }
        _ => Ok(Going::Ends),
    }
}

/// Tells what was found.
pub(super) fn end(engine: &mut Engine, analyzer: &mut Analyzer, file: &Value) -> Outcome<Going> {
    let kind = std::mem::replace(&mut analyzer.kind, Kind::Other);
    if let Kind::Extract(extraction) = kind {
        extraction.end();
        return Ok(Going::On);
    }
    if !analyzer.is_fed {
        return Ok(Going::On);
    }
    let (name, digest) = match kind {
        Kind::Md5(hash) => ("md5", hash.finalize().to_vec()),
        Kind::Sha1(hash) => ("sha1", hash.finalize().to_vec()),
        Kind::Sha224(hash) => ("sha224", hash.finalize().to_vec()),
        Kind::Sha256(hash) => ("sha256", hash.finalize().to_vec()),
        Kind::Sha384(hash) => ("sha384", hash.finalize().to_vec()),
        Kind::Sha512(hash) => ("sha512", hash.finalize().to_vec()),
        Kind::Read(reader, whole) => {
            if let Some(bytes) = whole {
                tell(engine, reader, file, &bytes);
            }
            return Ok(Going::On);
        }
        Kind::Entropy(entropy) => {
            let findings = entropy_findings(engine, &entropy);
            engine.raise_named("file_entropy", vec![file.clone(), findings]);
            return Ok(Going::On);
        }
        _ => return Ok(Going::On),
    };
    let arguments = vec![file.clone(), Value::string(name), Value::string(hexadecimal(&digest))];
    engine.raise_named("file_hash", arguments);
    Ok(Going::On)
}
