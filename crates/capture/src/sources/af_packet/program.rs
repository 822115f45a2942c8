//! Programs of the kernel's classic packet filter, written with labels.

use pcap::BpfProgram;

/// An instruction (`struct sock_filter`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Instruction {
    pub(crate) code: u16,
    pub(crate) jump_true: u8,
    pub(crate) jump_false: u8,
    pub(crate) value: u32,
}

/// Operations, as the kernel numbers them.
mod code {
    pub(super) const LOAD_WORD: u16 = 0x20;
    pub(super) const LOAD_LENGTH: u16 = 0x80;
    pub(super) const WORD_AT: u16 = 0x40;
    pub(super) const HALF_AT: u16 = 0x48;
    pub(super) const BYTE_AT: u16 = 0x50;
    pub(super) const RECALL: u16 = 0x60;
    pub(super) const SET_X: u16 = 0x01;
    pub(super) const RECALL_X: u16 = 0x61;
    pub(super) const KEEP: u16 = 0x02;
    pub(super) const STORE_X: u16 = 0x03;
    pub(super) const ADD: u16 = 0x04;
    pub(super) const ADD_X: u16 = 0x0c;
    pub(super) const SUBTRACT_X: u16 = 0x1c;
    pub(super) const MULTIPLY: u16 = 0x24;
    pub(super) const AND: u16 = 0x54;
    pub(super) const SHIFT_LEFT: u16 = 0x64;
    pub(super) const SHIFT_RIGHT: u16 = 0x74;
    pub(super) const XOR_X: u16 = 0xac;
    pub(super) const JUMP: u16 = 0x05;
    pub(super) const IF_EQUAL: u16 = 0x15;
    pub(super) const IF_AT_LEAST: u16 = 0x35;
    pub(super) const IF_ANY_BIT: u16 = 0x45;
    pub(super) const ANSWER: u16 = 0x06;
    pub(super) const ANSWER_A: u16 = 0x16;
    pub(super) const A_TO_X: u16 = 0x07;
    pub(super) const X_TO_A: u16 = 0x87;
    pub(super) const NOTE: u16 = super::NOTE;
    pub(super) const ASK: u16 = super::ASK;
}

/// Operations that only programs of the extended kind have: note the accumulator's hash, and end with it where it was
/// noted.
pub(crate) const NOTE: u16 = 0x100;
pub(crate) const ASK: u16 = 0x101;

/// A question about the accumulator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Test {
    /// It has this value.
    Equal,
    /// It has any of these bits.
    AnyBit,
    /// It is not less.
    AtLeast,
}

impl Test {
    const fn code(self) -> u16 {
        match self {
            Test::Equal => code::IF_EQUAL,
            Test::AnyBit => code::IF_ANY_BIT,
            Test::AtLeast => code::IF_AT_LEAST,
        }
    }
}

/// A program being written. Loads of bytes are relative to X, where a header begins.
#[derive(Default)]
pub struct Assembler {
    instructions: Vec<Instruction>,
    labels: Vec<(&'static str, usize)>,
    /// Jumps whose way is to be filled in: where they are, and where they lead.
    jumps: Vec<(usize, &'static str)>,
}

impl Assembler {
    fn push(&mut self, code: u16, value: u32) {
        self.instructions.push(Instruction { code, jump_true: 0, jump_false: 0, value });
    }

    /// A place to jump to.
    pub fn label(&mut self, name: &'static str) {
        self.labels.push((name, self.instructions.len()));
    }

    /// Goes on elsewhere.
    pub fn jump(&mut self, label: &'static str) {
        self.jumps.push((self.instructions.len(), label));
        self.push(code::JUMP, 0);
    }

    /// Goes on elsewhere where the answer is yes.
    pub fn when(&mut self, test: Test, value: u32, label: &'static str) {
        let branch = Instruction { code: test.code(), jump_true: 0, jump_false: 1, value };
        self.instructions.push(branch);
        self.jump(label);
    }

    /// Goes on elsewhere where the answer is no.
    pub fn unless(&mut self, test: Test, value: u32, label: &'static str) {
        let branch = Instruction { code: test.code(), jump_true: 1, jump_false: 0, value };
        self.instructions.push(branch);
        self.jump(label);
    }

    /// Goes on elsewhere where fewer bytes follow X.
    pub fn guard(&mut self, bytes: u32, label: &'static str) {
        self.push(code::LOAD_LENGTH, 0);
        self.push(code::SUBTRACT_X, 0);
        self.unless(Test::AtLeast, bytes, label);
    }

    /// Loads a word at a fixed offset.
    pub fn load(&mut self, offset: u32) {
        self.push(code::LOAD_WORD, offset);
    }

    /// Loads a byte.
    pub fn byte(&mut self, offset: u32) {
        self.push(code::BYTE_AT, offset);
    }

    /// Loads two bytes.
    pub fn half(&mut self, offset: u32) {
        self.push(code::HALF_AT, offset);
    }

    /// Loads four bytes.
    pub fn word(&mut self, offset: u32) {
        self.push(code::WORD_AT, offset);
    }

    /// Sets X.
    pub fn set_x(&mut self, value: u32) {
        self.push(code::SET_X, value);
    }

    /// Moves X on; the accumulator is lost.
    pub fn add(&mut self, value: u32) {
        self.push(code::X_TO_A, 0);
        self.push(code::ADD, value);
        self.push(code::A_TO_X, 0);
    }

    /// Moves X on by the accumulator.
    pub fn add_to_x(&mut self) {
        self.push(code::ADD_X, 0);
        self.push(code::A_TO_X, 0);
    }

    /// Moves X on where the accumulator has a bit, which is lost.
    pub fn add_where(&mut self, bit: u32, value: u32) {
        let branch = Instruction { code: code::IF_ANY_BIT, jump_true: 0, jump_false: 3, value: bit };
        self.instructions.push(branch);
        self.add(value);
    }

    /// Keeps the accumulator in a cell.
    pub fn keep(&mut self, cell: u32) {
        self.push(code::KEEP, cell);
    }

    /// Loads a cell.
    pub fn recall(&mut self, cell: u32) {
        self.push(code::RECALL, cell);
    }

    /// Keeps X in a cell.
    pub fn store_x(&mut self, cell: u32) {
        self.push(code::STORE_X, cell);
    }

    /// Sets X to a cell.
    pub fn recall_x(&mut self, cell: u32) {
        self.push(code::RECALL_X, cell);
    }

    /// Clears all other bits.
    pub fn and(&mut self, bits: u32) {
        self.push(code::AND, bits);
    }

    /// Shifts to higher bits.
    pub fn shift_left(&mut self, bits: u32) {
        self.push(code::SHIFT_LEFT, bits);
    }

    /// Shifts to lower bits.
    pub fn shift_right(&mut self, bits: u32) {
        self.push(code::SHIFT_RIGHT, bits);
    }

    /// Multiplies.
    pub fn multiply(&mut self, factor: u32) {
        self.push(code::MULTIPLY, factor);
    }

    /// Takes the exclusive or with a cell; X is lost.
    pub fn xor_with(&mut self, cell: u32) {
        self.recall_x(cell);
        self.push(code::XOR_X, 0);
    }

    /// Takes the exclusive or of the accumulator and itself, shifted to lower bits; X is lost.
    pub fn xor_shifted(&mut self, bits: u32) {
        self.push(code::A_TO_X, 0);
        self.shift_right(bits);
        self.push(code::XOR_X, 0);
    }

    /// Notes the accumulator's hash.
    pub fn note(&mut self) {
        self.push(code::NOTE, 0);
    }

    /// Ends with the accumulator where that hash was noted.
    pub fn ask(&mut self) {
        self.push(code::ASK, 0);
    }

    /// Ends with an answer.
    pub fn answer(&mut self, value: u32) {
        self.push(code::ANSWER, value);
    }

    /// Ends with the accumulator.
    pub fn answer_a(&mut self) {
        self.push(code::ANSWER_A, 0);
    }

    /// The program. A label that is nowhere is the end, which no program of this module jumps to.
    pub fn finish(mut self) -> Vec<Instruction> {
        for (from, label) in self.jumps {
            let to = self.labels.iter().find(|(name, _)| *name == label).map_or(0, |(_, at)| *at);
            if let Some(jump) = self.instructions.get_mut(from) {
                jump.value = to.saturating_sub(from + 1) as u32;
            }
        }
        self.instructions
    }
}

/// A program that takes no packet.
pub fn nothing() -> Vec<Instruction> {
    let mut program = Assembler::default();
    program.answer(0);
    program.finish()
}

/// A program that takes all packets.
pub fn everything() -> Vec<Instruction> {
    let mut program = Assembler::default();
    program.answer(u32::MAX);
    program.finish()
}

/// The instructions of a filter that libpcap compiled, which tells them as text.
pub fn of_filter(program: &BpfProgram) -> Vec<Instruction> {
    program.get_instructions().iter().filter_map(|told| instruction(&told.to_string())).collect()
}

fn instruction(text: &str) -> Option<Instruction> {
    let mut numbers = text.split(' ');
    Some(Instruction {
        code: numbers.next()?.parse().ok()?,
        jump_true: numbers.next()?.parse().ok()?,
        jump_false: numbers.next()?.parse().ok()?,
        value: numbers.next()?.parse().ok()?,
    })
}

#[cfg(test)]
pub mod testing {
    //! The machine that runs programs, as far as those of this module need it.

    use super::{Instruction, code};

    /// Way of a packet through the interface.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub enum Incoming {
        /// It came in: the program sees it from the network header on.
        Received,
        /// This machine sent it: the link header is still there.
        Sent,
    }

    fn read(bytes: &[u8], at: u32, length: usize) -> Option<u32> {
        let found = bytes.get(at as usize..at as usize + length)?;
        Some(found.iter().fold(0, |value, byte| value << 8 | u32::from(*byte)))
    }

    /// Runs a program on an Ethernet frame; 0 where it reads beyond it.
    pub fn run(program: &[Instruction], frame: &[u8], incoming: Incoming) -> u32 {
        let protocol = read(frame, 12, 2).expect("a frame");
        let packet = if incoming == Incoming::Sent { frame } else { &frame[14..] };
        let (mut a, mut x, mut cells, mut at) = (0u32, 0u32, [0u32; 16], 0usize);
        for _ in 0..4096 {
            let Instruction { code, jump_true, jump_false, value } = program[at];
            at += 1;
            let cell = value as usize & 15;
            let mut branch = |answer: bool| {
                at += usize::from(if answer { jump_true } else { jump_false });
            };
            match code {
                code::LOAD_WORD if value == 0xffff_f000 => a = protocol,
                code::LOAD_WORD if value == 0xffff_f004 => a = if incoming == Incoming::Sent { 4 } else { 0 },
                code::WORD_AT | code::HALF_AT | code::BYTE_AT => {
                    let length = [(code::WORD_AT, 4), (code::HALF_AT, 2), (code::BYTE_AT, 1)];
                    let length = length.iter().find(|(known, _)| *known == code).expect("known").1;
                    match read(packet, x.wrapping_add(value), length) {
                        Some(found) => a = found,
                        None => return 0,
                    }
                }
                code::LOAD_LENGTH => a = packet.len() as u32,
                code::RECALL => a = cells[cell],
                code::SET_X => x = value,
                code::RECALL_X => x = cells[cell],
                code::KEEP => cells[cell] = a,
                code::STORE_X => cells[cell] = x,
                code::ADD => a = a.wrapping_add(value),
                code::ADD_X => a = a.wrapping_add(x),
                code::SUBTRACT_X => a = a.wrapping_sub(x),
                code::MULTIPLY => a = a.wrapping_mul(value),
                code::AND => a &= value,
                code::SHIFT_LEFT => a <<= value,
                code::SHIFT_RIGHT => a >>= value,
                code::XOR_X => a ^= x,
                code::JUMP => at += value as usize,
                code::IF_EQUAL => branch(a == value),
                code::IF_AT_LEAST => branch(a >= value),
                code::IF_ANY_BIT => branch(a & value != 0),
                code::ANSWER => return value,
                code::ANSWER_A => return a,
                code::A_TO_X => x = a,
                code::X_TO_A => a = x,
                other => panic!("no operation {other:#x}"),
            }
        }
        panic!("the program does not end");
    }
}

#[cfg(test)]
mod tests {
    use weir_packet::LinkType;

    use super::testing::{Incoming, run};
    use super::*;
    use crate::PacketFilter;

    #[test]
    fn filters_of_libpcap_are_told() {
        let mut filter = PacketFilter::new("ip");
        let program = of_filter(filter.program(LinkType::ETHERNET).expect("a filter"));
        let codes: Vec<u16> = program.iter().map(|instruction| instruction.code).collect();
        // Load the ethertype, compare, two answers.
        assert_eq!(codes, [0x28, 0x15, 0x06, 0x06]);
        assert_eq!(instruction("40 0 3"), None);
    }

    #[test]
    fn gates() {
        let frame = [0; 60];
        assert_eq!(run(&nothing(), &frame, Incoming::Received), 0);
        assert_eq!(run(&everything(), &frame, Incoming::Received), u32::MAX);
    }
}
