//! Stacks of calls from registers and the bytes of a stack, by the unwind information of the mapped files
//! (`.eh_frame`), or frame pointers where a file has none. Programs need not be built with frame pointers.

use std::collections::BTreeSet;
use std::path::Path;

use framehop::{
    CacheNative, ExplicitModuleSectionInfo, Module, MustNotAllocateDuringUnwind, UnwindRegsNative, Unwinder,
    UnwinderNative,
};

use crate::image::{Image, Section};
use crate::profile::Mapping;

/// Most calls of a stack that are kept; those further out are left out.
pub const MAX_DEPTH: usize = 192;

/// Registers that a stack is unwound from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Registers {
    /// Address of the instruction.
    pub instruction: u64,
    /// Top of the stack.
    pub stack: u64,
    /// Frame pointer.
    pub frame: u64,
    /// Return address, where the processor has a register for it.
    pub link: u64,
}

/// How the unwinding of a stack ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// At its outermost function, as far as can be told.
    Whole,
    /// Where bytes of the stack or unwind information were missing.
    Cut,
}

/// What has been learnt of unwinding, for the next time; one for each thread that unwinds.
pub struct Memory(CacheNative<MustNotAllocateDuringUnwind>);

impl Memory {
    /// Makes an empty one.
    pub fn new() -> Self {
        Self(CacheNative::new_in())
    }
}

impl Default for Memory {
    fn default() -> Self {
        Self::new()
    }
}

/// Code that is mapped into a process.
#[derive(Clone)]
pub struct Code {
    unwinder: UnwinderNative<Vec<u8>, MustNotAllocateDuringUnwind>,
    known: BTreeSet<u64>,
}

impl Code {
    /// Makes one of no files.
    pub fn new() -> Self {
        Self { unwinder: UnwinderNative::new(), known: BTreeSet::new() }
    }

    /// Adds the unwind information of a mapped file; of files that cannot be read there is none.
    pub fn add(&mut self, mapping: &Mapping) {
        if !self.known.insert(mapping.start) {
            return;
        }
        let Some(image) = Image::read(Path::new(&mapping.file)) else { return };
        let Some(bias) = image.bias(mapping) else { return };
        let part = |section: Option<Section>| section.map(|section| (section.range, section.data)).unzip();
        let ((eh_frame_svma, eh_frame), (eh_frame_hdr_svma, eh_frame_hdr)) =
            (part(image.frames), part(image.index));
        let sections = ExplicitModuleSectionInfo {
            base_svma: 0,
            text_svma: image.text,
            eh_frame_svma,
            eh_frame,
            eh_frame_hdr_svma,
            eh_frame_hdr,
            ..ExplicitModuleSectionInfo::default()
        };
        self.unwinder.add_module(Module::new(
            mapping.file.clone(),
            mapping.start..mapping.end,
            bias,
            sections,
        ));
    }

    /// Unwinds a stack: `each` takes the addresses from the innermost out, those of callers as the last byte of their
    /// call. Allocates nothing.
    pub fn unwind(
        &self,
        registers: Registers,
        memory: &mut Memory,
        read: &mut impl FnMut(u64) -> Result<u64, ()>,
        mut each: impl FnMut(u64),
    ) -> End {
        let start = self.native(registers);
        let mut frames = self.unwinder.iter_frames(registers.instruction, start, &mut memory.0, read);
        for _ in 0..MAX_DEPTH {
            match frames.next() {
                Ok(Some(frame)) => each(frame.address_for_lookup()),
                Ok(None) => return End::Whole,
                Err(_) => return End::Cut,
            }
        }
        End::Cut
    }

    #[cfg(target_arch = "x86_64")]
    fn native(&self, registers: Registers) -> UnwindRegsNative {
        UnwindRegsNative::new(registers.instruction, registers.stack, registers.frame)
    }

    #[cfg(target_arch = "aarch64")]
    fn native(&self, registers: Registers) -> UnwindRegsNative {
        let mask =
            framehop::aarch64::PtrAuthMask::from_max_known_address(self.unwinder.max_known_code_address());
        UnwindRegsNative::new_with_ptr_auth_mask(mask, registers.link, registers.stack, registers.frame)
    }
}

impl Default for Code {
    fn default() -> Self {
        Self::new()
    }
}

/// Returns the word at an address of a stack of which the bytes from its top on are known.
pub fn word(bytes: &[u8], top: u64, address: u64) -> Result<u64, ()> {
    let at = usize::try_from(address.checked_sub(top).ok_or(())?).map_err(|_| ())?;
    let word = bytes.get(at..).and_then(|rest| rest.first_chunk::<8>()).ok_or(())?;
    Ok(u64::from_ne_bytes(*word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::mappings;
    use crate::own::registers;

    #[test]
    fn words_of_a_stack() {
        let bytes: Vec<u8> = (0..16).collect();
        let cases = [
            (100, Ok(u64::from_ne_bytes([0, 1, 2, 3, 4, 5, 6, 7]))),
            (108, Ok(u64::from_ne_bytes([8, 9, 10, 11, 12, 13, 14, 15]))),
            (109, Err(())),
            (99, Err(())),
            (u64::MAX, Err(())),
        ];
        for (address, expected) in cases {
            assert_eq!(word(&bytes, 100, address), expected, "{address}");
        }
    }

    #[inline(never)]
    fn outer(code: &Code, memory: &mut Memory) -> Vec<u64> {
        std::hint::black_box(inner(code, memory))
    }

    #[inline(never)]
    fn inner(code: &Code, memory: &mut Memory) -> Vec<u64> {
        let mut found = Vec::with_capacity(MAX_DEPTH);
        let here = registers::here();
        let bounds = here.stack..registers::stack_bounds().end;
        let mut read = |address| registers::read_own_stack(address, &bounds);
        code.unwind(here, memory, &mut read, |address| found.push(address));
        found
    }

    #[test]
    fn the_own_stack_is_unwound() {
        let mut code = Code::new();
        for mapping in mappings("self") {
            code.add(&mapping);
        }
        let mut memory = Memory::new();
        let found = outer(&code, &mut memory);
        let starts =
            [inner as fn(&Code, &mut Memory) -> Vec<u64>, outer].map(|function| function as usize as u64);
        for (address, start) in found.iter().zip(starts) {
            assert!(
                (start..start + 0x400).contains(address),
                "{address:#x} is not in the function at {start:#x}"
            );
        }
        assert!(found.len() > 5, "{found:x?}");
        let again = outer(&code, &mut memory);
        assert_eq!(
            (&found[..2], &found[3..]),
            (&again[..2], &again[3..]),
            "the second time it is remembered"
        );
    }
}
