//! Regular expressions by PCRE2, over bytes and with limits.
//!
//! A pattern is compiled once, and on to machine code when it is first matched: of the patterns of a large
//! ruleset most never are. A match that needs more work than its limits
//! allow ends as [`MatchError::Limit`] instead of taking its time, so that no traffic can stop a worker. The
//! machine code heeds the match limit only; the depth and heap limits hold where PCRE2 interprets: on
//! processors without a code generator, or where the system forbids making code.

mod captures;
mod scratch;

use std::ptr::{self, NonNull};
use std::sync::OnceLock;

use pcre2_sys as sys;

pub use captures::Captures;
pub use scratch::RegexScratch;

/// The options by which a pattern is read and matched.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct RegexOptions {
    /// Letters match in either case (`i`).
    pub caseless: bool,
    /// `.` matches a newline too (`s`).
    pub dotall: bool,
    /// `^` and `$` match at every line (`m`).
    pub multiline: bool,
    /// White space and comments in the pattern are left out (`x`).
    pub extended: bool,
    /// A match starts at the start offset only (`A`).
    pub anchored: bool,
    /// `$` does not match before a final newline (`E`).
    pub dollar_end_only: bool,
    /// Quantifiers are lazy unless `?` follows (`G`).
    pub ungreedy: bool,
    /// Parts of a subject are searched, one after the other (`R`): [`Regex::last_start`] will be asked.
    pub in_parts: bool,
}

impl RegexOptions {
    fn bits(self) -> u32 {
        [
            (self.caseless, sys::PCRE2_CASELESS),
            (self.dotall, sys::PCRE2_DOTALL),
            (self.multiline, sys::PCRE2_MULTILINE),
            (self.extended, sys::PCRE2_EXTENDED),
            (self.anchored, sys::PCRE2_ANCHORED),
            (self.dollar_end_only, sys::PCRE2_DOLLAR_ENDONLY),
            (self.ungreedy, sys::PCRE2_UNGREEDY),
        ]
        .into_iter()
        .fold(0, |bits, (set, bit)| if set { bits | bit } else { bits })
    }
}

/// The work one match may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RegexLimits {
    /// Most attempts of the matcher to go on.
    pub matches: u32,
    /// The depth to which it may nest doing so (interpreted patterns only).
    pub depth: u32,
    /// The heap it may use, in KiB (interpreted patterns only).
    pub heap_kib: u32,
}

impl Default for RegexLimits {
    /// The customary `pcre.match-limit` and `pcre.match-limit-recursion`.
    fn default() -> Self {
        Self { matches: 3500, depth: 1500, heap_kib: 4096 }
    }
}

impl RegexLimits {
    /// As much as PCRE2 itself allows, for the patterns that ask for it (`O`).
    pub const UNLIMITED: Self = Self { matches: 10_000_000, depth: 10_000_000, heap_kib: 20_000_000 };
}

/// Reason that a pattern is not one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message} at offset {offset}")]
pub struct CompileError {
    /// PCRE2's words.
    pub message: String,
    /// The byte of the pattern where it was noticed.
    pub offset: usize,
}

/// Reasons that a search gave no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum MatchError {
    /// It would have exceeded its [`RegexLimits`].
    #[error("the match limit was reached")]
    Limit,
    /// PCRE2 reported another error, by its number.
    #[error("the search failed with PCRE2 error {0}")]
    Failed(i32),
}

/// A compiled pattern. Immutable and shared by workers.
#[derive(Debug)]
pub struct Regex {
    code: Code,
    limits: RegexLimits,
    starts: Option<Starts>,
}

/// Where matches can begin in a part of a subject, if there is none in a larger part with the same end: only there does
/// what comes before the part make a difference.
#[derive(Debug)]
struct Starts {
    /// The last such offset.
    last: usize,
    pattern: Box<[u8]>,
    options: u32,
    /// The pattern, anchored.
    code: OnceLock<Option<Code>>,
}

/// Most offsets that are tried one by one.
const MAX_STARTS: usize = 8;

impl Starts {
    /// Those of a pattern that parts are searched for; none where it looks far back, or says itself where a search ends.
    fn of(pattern: &[u8], options: RegexOptions, code: &Code) -> Option<Self> {
        let count = |text: &[u8]| memchr::memmem::find_iter(pattern, text).count();
        if !options.in_parts || code.starts_only || count(b"(*") > 0 || count(b"\\G") > 0 {
            return None;
        }
        // A look behind may lie in another, and a boundary looks at one byte more.
        let last = (code.lookbehind.max(1) as usize).saturating_mul(count(b"(?<").max(1)).saturating_add(1);
        let (options, code) = (options.bits(), OnceLock::new());
        (last < MAX_STARTS).then(|| Self { last, pattern: pattern.into(), options, code })
    }

    fn code(&self) -> Option<&Code> {
        let compile = || Code::compile(&self.pattern, self.options | sys::PCRE2_ANCHORED).ok();
        self.code.get_or_init(compile).as_ref()
    }
}

impl Regex {
    /// Compiles `pattern`, which need not be UTF-8.
    pub fn new(pattern: &[u8], options: RegexOptions, limits: RegexLimits) -> Result<Self, CompileError> {
        let code = Code::compile(pattern, options.bits())?;
        let starts = Starts::of(pattern, options, &code);
        Ok(Self { code, limits, starts })
    }

    /// Searches `subject` from the offset `start` on; what comes before can be seen by look-behind and is
    /// not the start of the subject to `^`. The captures last until the scratch is used again.
    pub fn find_at<'s>(
        &self,
        subject: &[u8],
        start: usize,
        scratch: &'s mut RegexScratch,
    ) -> Result<Option<Captures<'s>>, MatchError> {
        self.code.find_at(subject, start, self.limits, scratch)
    }

    /// Whether the first `window` bytes of `subject` tell that it does not match, whatever follows them. Only those of a
    /// pattern that can match at the start of the subject alone do (`^`, `\A`, `.*` over lines).
    pub fn fails_within(&self, subject: &[u8], window: usize, scratch: &mut RegexScratch) -> bool {
        self.code.starts_only && self.code.fails_within(subject, (0, window), self.limits, scratch)
    }

    /// The last offset of a subject at which a match can begin, where it is known that there is none in a larger subject
    /// with the same end. Nothing where all have to be tried.
    pub fn last_start(&self) -> Option<usize> {
        let starts = self.starts.as_ref()?;
        starts.code().map(|_| starts.last)
    }

    /// As [`Self::fails_within`], for matches that begin at `start`, which is no more than [`Self::last_start`].
    pub fn fails_starting_at(
        &self,
        subject: &[u8],
        (start, window): (usize, usize),
        scratch: &mut RegexScratch,
    ) -> bool {
        let code = self.starts.as_ref().and_then(Starts::code);
        code.is_some_and(|code| code.fails_within(subject, (start, window), self.limits, scratch))
    }

    /// As [`Self::find_at`], for matches that begin at `start`, which is no more than [`Self::last_start`].
    pub fn find_starting_at<'s>(
        &self,
        subject: &[u8],
        start: usize,
        scratch: &'s mut RegexScratch,
    ) -> Result<Option<Captures<'s>>, MatchError> {
        match self.starts.as_ref().and_then(Starts::code) {
            Some(code) => code.find_at(subject, start, self.limits, scratch),
            None => self.find_at(subject, start, scratch),
        }
    }

    /// Whether `subject` matches anywhere.
    pub fn is_match(&self, subject: &[u8], scratch: &mut RegexScratch) -> Result<bool, MatchError> {
        self.find_at(subject, 0, scratch).map(|captures| captures.is_some())
    }

    /// The number of capture groups, the whole match not counted.
    pub fn capture_count(&self) -> usize {
        self.code.groups as usize
    }

    /// The names of groups with their numbers, by name. A name may have several numbers (`(?J)`).
    pub fn capture_names(&self) -> &[(String, usize)] {
        &self.code.names
    }
}

/// A pcre2_code that is owned.
#[derive(Debug)]
struct OwnedCode(NonNull<sys::pcre2_code_8>);

// SAFETY: PCRE2 does not change a code once it is compiled, and allows its use by any number of threads, each
// with its own match data and match context.
unsafe impl Send for OwnedCode {}
// SAFETY: as above.
unsafe impl Sync for OwnedCode {}

impl Drop for OwnedCode {
    fn drop(&mut self) {
        // SAFETY: the code came from pcre2_compile or pcre2_code_copy and is freed here only.
        unsafe { sys::pcre2_code_free_8(self.0.as_ptr()) };
    }
}

impl OwnedCode {
    /// A copy that is compiled on to machine code; none where the system does not do that.
    fn to_machine_code(&self, mode: u32) -> Option<Self> {
        // SAFETY: the code is valid; the copy is null or owned by nobody else.
        let copy = Self(NonNull::new(unsafe { sys::pcre2_code_copy_8(self.0.as_ptr()) })?);
        // SAFETY: the copy is valid and not shared yet.
        let done = unsafe { sys::pcre2_jit_compile_8(copy.0.as_ptr(), mode) } == 0;
        done.then_some(copy)
    }
}

/// A pattern as PCRE2 keeps it, and what is known about it.
#[derive(Debug)]
struct Code {
    code: OwnedCode,
    groups: u32,
    names: Box<[(String, usize)]>,
    machine: OnceLock<Option<OwnedCode>>,
    /// The code for [`Regex::fails_within`].
    partial: OnceLock<Option<OwnedCode>>,
    /// It matches at the start of a subject or not at all.
    starts_only: bool,
    /// The distance that an assertion looks back at most, those within others left out.
    lookbehind: u32,
}

impl Code {
    fn compile(pattern: &[u8], options: u32) -> Result<Self, CompileError> {
        let (mut error, mut offset) = (0, 0);
        // SAFETY: the pattern is as long as said, the two numbers are written by the call only, and a null
        // context means the defaults.
        let code = unsafe {
            sys::pcre2_compile_8(
                pattern.as_ptr(),
                pattern.len(),
                options,
                &mut error,
                &mut offset,
                ptr::null_mut(),
            )
        };
        let code = NonNull::new(code).ok_or_else(|| CompileError { message: message(error), offset })?;
        // SAFETY: the code is valid, and PCRE2 defines the answer as a u32.
        let groups = unsafe { info::<u32>(code, sys::PCRE2_INFO_CAPTURECOUNT, 0) };
        // SAFETY: as above.
        let options = unsafe { info::<u32>(code, sys::PCRE2_INFO_ALLOPTIONS, 0) };
        // SAFETY: as above.
        let lookbehind = unsafe { info::<u32>(code, sys::PCRE2_INFO_MAXLOOKBEHIND, 0) };
        Ok(Self {
            groups,
            names: names(code),
            code: OwnedCode(code),
            machine: OnceLock::new(),
            partial: OnceLock::new(),
            starts_only: options & sys::PCRE2_ANCHORED != 0,
            lookbehind,
        })
    }

    fn machine(&self) -> Option<&OwnedCode> {
        self.machine.get_or_init(|| self.code.to_machine_code(sys::PCRE2_JIT_COMPLETE)).as_ref()
    }

    fn partial(&self) -> Option<&OwnedCode> {
        self.partial.get_or_init(|| self.code.to_machine_code(sys::PCRE2_JIT_PARTIAL_HARD)).as_ref()
    }

    fn find_at<'s>(
        &self,
        subject: &[u8],
        start: usize,
        limits: RegexLimits,
        scratch: &'s mut RegexScratch,
    ) -> Result<Option<Captures<'s>>, MatchError> {
        let found = self.run(self.machine(), subject, start, 0, limits, scratch)?;
        Ok((found > 0).then(|| Captures::new(scratch.offsets(found))))
    }

    /// Whether a window of `subject` from `start` on tells that nothing matches there.
    fn fails_within(
        &self,
        subject: &[u8],
        (start, window): (usize, usize),
        limits: RegexLimits,
        scratch: &mut RegexScratch,
    ) -> bool {
        let window = subject.get(..start.saturating_add(window)).unwrap_or(subject);
        self.run(self.partial(), window, start, sys::PCRE2_PARTIAL_HARD, limits, scratch) == Ok(0)
    }

    /// Searches with `machine`'s code where there is some: how many offsets of the match are known; zero for no match.
    fn run(
        &self,
        machine: Option<&OwnedCode>,
        subject: &[u8],
        start: usize,
        options: u32,
        limits: RegexLimits,
        scratch: &mut RegexScratch,
    ) -> Result<usize, MatchError> {
        if start > subject.len() {
            return Ok(0);
        }
        let groups = self.groups as usize + 1;
        let (data, context) = scratch.prepare(groups, limits)?;
        // SAFETY: the code is valid; subject and start are within bounds; match data and context belong to
        // the scratch, which is borrowed mutably, so no other match uses them.
        let code = unsafe {
            sys::pcre2_match_8(
                machine.unwrap_or(&self.code).0.as_ptr(),
                subject.as_ptr(),
                subject.len(),
                start,
                options,
                data.as_ptr(),
                context.as_ptr(),
            )
        };
        match code {
            1.. => Ok(code as usize),
            sys::PCRE2_ERROR_NOMATCH => Ok(0),
            sys::PCRE2_ERROR_MATCHLIMIT
            | sys::PCRE2_ERROR_DEPTHLIMIT
            | sys::PCRE2_ERROR_HEAPLIMIT
            | sys::PCRE2_ERROR_JIT_STACKLIMIT => Err(MatchError::Limit),
            other => Err(MatchError::Failed(other)),
        }
    }
}

/// Asks PCRE2 for a fact about a code.
///
/// # Safety
///
/// `code` is valid, and `T` is the type that PCRE2 documents for `what`.
unsafe fn info<T>(code: NonNull<sys::pcre2_code_8>, what: u32, mut value: T) -> T {
    // SAFETY: by the caller's promise the call writes one `T`.
    unsafe { sys::pcre2_pattern_info_8(code.as_ptr(), what, ptr::from_mut(&mut value).cast()) };
    value
}

/// Copies the table of group names: entries of equal size, each a number of two bytes, most significant
/// first, and a null-terminated name.
fn names(code: NonNull<sys::pcre2_code_8>) -> Box<[(String, usize)]> {
    // SAFETY: the code is valid, and these are the types that PCRE2 documents.
    let (count, entry_size, table) = unsafe {
        (
            info::<u32>(code, sys::PCRE2_INFO_NAMECOUNT, 0) as usize,
            info::<u32>(code, sys::PCRE2_INFO_NAMEENTRYSIZE, 0) as usize,
            info::<*const u8>(code, sys::PCRE2_INFO_NAMETABLE, ptr::null()),
        )
    };
    if table.is_null() || entry_size < 3 {
        return Box::default();
    }
    // SAFETY: the table has that many entries of that size and lasts as long as the code.
    let table = unsafe { std::slice::from_raw_parts(table, count * entry_size) };
    table
        .chunks_exact(entry_size)
        .filter_map(|entry| {
            let [high, low, name @ ..] = entry else { return None };
            let number = usize::from(u16::from_be_bytes([*high, *low]));
            let name = name.split(|&byte| byte == 0).next().unwrap_or_default();
            Some((String::from_utf8_lossy(name).into_owned(), number))
        })
        .collect()
}

/// PCRE2's words for an error number.
fn message(error: i32) -> String {
    let mut buffer = [0u8; 256];
    // SAFETY: the buffer is as long as said.
    let length = unsafe { sys::pcre2_get_error_message_8(error, buffer.as_mut_ptr(), buffer.len()) };
    let text = usize::try_from(length).ok().and_then(|length| buffer.get(..length)).unwrap_or_default();
    String::from_utf8_lossy(text).into_owned()
}

#[cfg(test)]
mod tests;
