//! Programs of the kernel's extended packet filter (eBPF, RFC 9669), written with labels.

use std::os::fd::{AsRawFd, OwnedFd};

/// An instruction.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Instruction {
    pub(super) code: u8,
    registers: u8,
    pub(super) offset: i16,
    value: i32,
}

/// A register. R0 has answers of functions, R1 to R5 their arguments, which calls destroy; R10 is the end of the stack.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Register {
    R0,
    R1,
    R2,
    R3,
    R4,
    R6 = 6,
    R7,
    R8,
    R9,
    R10,
}

/// Widths of an access to memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Width {
    Byte,
    Half,
    Word,
    Double,
}

impl Width {
    const fn bits(self) -> u8 {
        match self {
            Width::Word => 0x00,
            Width::Half => 0x08,
            Width::Byte => 0x10,
            Width::Double => 0x18,
        }
    }
}

/// Conditions of jumps, on all 64 bits without a sign, but for [`Test::Negative`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Test {
    Equal,
    Differ,
    Greater,
    AnyBit,
    Negative,
}

impl Test {
    const fn bits(self) -> u8 {
        match self {
            Test::Equal => 0x10,
            Test::Differ => 0x50,
            Test::Greater => 0x20,
            Test::AnyBit => 0x40,
            Test::Negative => 0xc0,
        }
    }
}

/// Operations on 64 bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operation {
    Add,
    Subtract,
    Multiply,
    Or,
    And,
    ShiftLeft,
    ShiftRight,
    Xor,
    Set,
}

impl Operation {
    const fn bits(self) -> u8 {
        match self {
            Operation::Add => 0x00,
            Operation::Subtract => 0x10,
            Operation::Multiply => 0x20,
            Operation::Or => 0x40,
            Operation::And => 0x50,
            Operation::ShiftLeft => 0x60,
            Operation::ShiftRight => 0x70,
            Operation::Xor => 0xa0,
            Operation::Set => 0xb0,
        }
    }
}

const WITH_REGISTER: u8 = 0x08;
const JUMP: u8 = 0x05;

/// Puts a program together. Jumps lead to labels, which may come later.
#[derive(Default)]
pub struct Assembler {
    instructions: Vec<Instruction>,
    jumps: Vec<(usize, String)>,
    labels: Vec<(String, usize)>,
}

impl Assembler {
    /// Adds an instruction by its fields.
    pub(super) fn push(&mut self, code: u8, to: u8, from: u8, offset: i16, value: i32) {
        self.instructions.push(Instruction { code, registers: from << 4 | to, offset, value });
    }

    /// Names this place.
    pub fn label(&mut self, label: impl Into<String>) {
        self.labels.push((label.into(), self.instructions.len()));
    }

    pub(super) fn leads_to(&mut self, label: impl Into<String>) {
        self.jumps.push((self.instructions.len(), label.into()));
    }

    /// Applies an operation to a register and a number.
    pub fn with(&mut self, operation: Operation, to: Register, value: i32) {
        self.push(0x07 | operation.bits(), to as u8, 0, 0, value);
    }

    /// Applies an operation to two registers.
    pub fn by(&mut self, operation: Operation, to: Register, from: Register) {
        self.push(0x07 | operation.bits() | WITH_REGISTER, to as u8, from as u8, 0, 0);
    }

    /// Sets a register to 64 bits.
    pub fn set_wide(&mut self, to: Register, value: u64) {
        self.push(0x18, to as u8, 0, 0, value as u32 as i32);
        self.push(0, 0, 0, 0, (value >> 32) as u32 as i32);
    }

    /// Sets a register to a map.
    pub fn set_map(&mut self, to: Register, map: &OwnedFd) {
        const A_MAP: u8 = 1;
        self.push(0x18, to as u8, A_MAP, 0, map.as_raw_fd());
        self.push(0, 0, 0, 0, 0);
    }

    /// Loads from memory.
    pub fn load(&mut self, width: Width, to: Register, from: Register, offset: i16) {
        self.push(0x61 | width.bits(), to as u8, from as u8, offset, 0);
    }

    /// Stores to memory.
    pub fn store(&mut self, width: Width, to: Register, offset: i16, from: Register) {
        self.push(0x63 | width.bits(), to as u8, from as u8, offset, 0);
    }

    /// Adds a register to a word of 64 bits in memory, whoever else does so.
    pub fn add_at_once(&mut self, to: Register, offset: i16, from: Register) {
        self.push(0xdb, to as u8, from as u8, offset, 0);
    }

    /// Takes the lowest 16 bits of a register for a number in network order.
    pub fn network_half(&mut self, register: Register) {
        self.push(0xdc, register as u8, 0, 0, 16);
    }

    /// Jumps.
    pub fn jump(&mut self, label: impl Into<String>) {
        self.leads_to(label);
        self.push(JUMP, 0, 0, 0, 0);
    }

    /// Jumps where a test of a register and a number holds.
    pub fn when(&mut self, register: Register, test: Test, value: i32, label: impl Into<String>) {
        self.leads_to(label);
        self.push(JUMP | test.bits(), register as u8, 0, 0, value);
    }

    /// Jumps where a test of two registers holds.
    pub fn when_by(&mut self, register: Register, test: Test, other: Register, label: impl Into<String>) {
        self.leads_to(label);
        self.push(JUMP | test.bits() | WITH_REGISTER, register as u8, other as u8, 0, 0);
    }

    /// Calls a function of the kernel.
    pub fn call(&mut self, function: i32) {
        self.push(0x85, 0, 0, 0, function);
    }

    /// Ends with the answer in R0.
    pub fn exit(&mut self) {
        self.push(0x95, 0, 0, 0, 0);
    }

    /// The program; none where a jump leads nowhere, or too far.
    pub fn finish(mut self) -> Option<Vec<Instruction>> {
        for (from, label) in self.jumps {
            let (_, to) = self.labels.iter().find(|(name, _)| *name == label)?;
            let distance = i16::try_from(to.checked_sub(from + 1)?).ok()?;
            self.instructions.get_mut(from)?.offset = distance;
        }
        Some(self.instructions)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_are_those_of_the_format() {
        let mut p = Assembler::default();
        p.with(Operation::Set, Register::R0, 7);
        p.by(Operation::Add, Register::R1, Register::R10);
        p.load(Width::Half, Register::R2, Register::R10, -8);
        p.store(Width::Double, Register::R10, -16, Register::R2);
        p.when(Register::R0, Test::Equal, 7, "end");
        p.network_half(Register::R2);
        p.label("end");
        p.exit();
        let told: Vec<_> =
            p.finish().expect("a program").iter().map(|i| (i.code, i.registers, i.offset, i.value)).collect();
        let expected = [
            (0xb7, 0x00, 0, 7),
            (0x0f, 0xa1, 0, 0),
            (0x69, 0xa2, -8, 0),
            (0x7b, 0x2a, -16, 0),
            (0x15, 0x00, 1, 7),
            (0xdc, 0x02, 0, 16),
            (0x95, 0x00, 0, 0),
        ];
        assert_eq!(told, expected);
    }

    #[test]
    fn a_jump_needs_a_place_ahead() {
        let mut lost = Assembler::default();
        lost.jump("nowhere");
        assert_eq!(lost.finish(), None);
        let mut back = Assembler::default();
        back.label("start");
        back.exit();
        back.jump("start");
        assert_eq!(back.finish(), None);
    }
}
