//! A filter of the classic language as a part of an extended program, or as one that shares packets out.
//!
//! The accumulator is R0, X is R7, and R6 has what the program was given; cells lie on the stack, in 64 bytes below
//! [`CELLS`]. Loads beyond a packet's end end the program with 0, in both languages.

use std::os::fd::OwnedFd;

use super::assembler::{self, Assembler, Operation, Register, Test, Width};
use crate::sources::af_packet::program::{self, Instruction};

/// End of the cells on the stack.
pub const CELLS: i16 = -192;

const A: u8 = Register::R0 as u8;
const X: u8 = Register::R7 as u8;
const SPARE: u8 = Register::R8 as u8;
const GIVEN: u8 = Register::R6 as u8;
const STACK: u8 = Register::R10 as u8;

/// Conditional jumps on 32 bits.
const JUMP_32: u8 = 0x06;

/// Facts about a packet (`struct __sk_buff`), and where programs of the classic language read them.
const PACKET_TYPE: (u32, i16) = (0xffff_f004, 4);
const PROTOCOL: (u32, i16) = (0xffff_f000, 16);

/// Entries of the memory of programs that share packets out.
pub const NOTED: usize = 1 << 16;

/// Place of an entry's number on the stack.
const ENTRY: i16 = -8;

/// Function of the kernel that finds an entry of a map.
const LOOK_UP: i32 = 1;

/// Use of a program of the classic language.
#[derive(Clone, Copy)]
enum Use<'a> {
    /// A packet that it takes goes on behind it.
    Filter,
    /// Its answer is the whole program's; hashes are noted in a map.
    Sharing(&'a OwnedFd),
}

fn cell(number: u32) -> i16 {
    CELLS - 4 * (1 + (number & 15) as i16)
}

/// Appends a filter: a packet that it takes goes on behind it, another one ends the program with 0. False where it has
/// what cannot be said, as facts about a packet in place of its bytes.
pub fn append(p: &mut Assembler, filter: &[Instruction]) -> bool {
    append_as(Use::Filter, p, filter)
}

/// The extended program that answers what one of the classic language does, and has a memory: an array of [`NOTED`]
/// entries. None where it has what cannot be said.
pub fn sharing(program: &[Instruction], memory: &OwnedFd) -> Option<Vec<assembler::Instruction>> {
    let mut p = Assembler::default();
    p.by(Operation::Set, Register::R6, Register::R1);
    if !append_as(Use::Sharing(memory), &mut p, program) {
        return None;
    }
    p.finish()
}

fn append_as(used: Use<'_>, p: &mut Assembler, filter: &[Instruction]) -> bool {
    p.push(0xb7, A, 0, 0, 0);
    p.push(0xb7, X, 0, 0, 0);
    for number in 0..16 {
        p.push(0x63, STACK, A, cell(number), 0);
    }
    let known = filter.iter().enumerate().all(|(at, instruction)| {
        p.label(format!("filter {at}"));
        match used {
            Use::Sharing(memory) if sharing_only(p, at, instruction, memory) => true,
            _ => one(p, at, instruction),
        }
    });
    p.label("filtered");
    known
}

/// Translates an instruction that only programs have that share packets out; returns false where it is another one.
fn sharing_only(p: &mut Assembler, at: usize, instruction: &Instruction, memory: &OwnedFd) -> bool {
    match (instruction.code, instruction.value) {
        (0x20, fact) if fact == PROTOCOL.0 => {
            p.load(Width::Word, Register::R0, Register::R6, PROTOCOL.1);
            p.network_half(Register::R0);
        }
        (0x20, fact) if fact == PACKET_TYPE.0 => {
            p.load(Width::Word, Register::R0, Register::R6, PACKET_TYPE.1);
        }
        (0x06, answer) => {
            p.push(0xb4, A, 0, 0, answer.cast_signed());
            p.exit();
        }
        (0x16, _) => p.exit(),
        (code @ (program::NOTE | program::ASK), _) => {
            let next = format!("noted {at}");
            p.by(Operation::Set, Register::R8, Register::R0);
            p.with(Operation::And, Register::R0, NOTED as i32 - 1);
            p.store(Width::Word, Register::R10, ENTRY, Register::R0);
            p.set_map(Register::R1, memory);
            p.by(Operation::Set, Register::R2, Register::R10);
            p.with(Operation::Add, Register::R2, ENTRY.into());
            p.call(LOOK_UP);
            p.when(Register::R0, Test::Equal, 0, &*next);
            if code == program::NOTE {
                p.with(Operation::Set, Register::R1, 1);
                p.store(Width::Double, Register::R0, 0, Register::R1);
            } else {
                p.load(Width::Double, Register::R1, Register::R0, 0);
                p.when(Register::R1, Test::Equal, 0, &*next);
                p.by(Operation::Set, Register::R0, Register::R8);
                p.exit();
            }
            p.label(next);
            p.by(Operation::Set, Register::R0, Register::R8);
        }
        _ => return false,
    }
    true
}

fn one(
    p: &mut Assembler,
    at: usize,
    &Instruction { code, jump_true, jump_false, value }: &Instruction,
) -> bool {
    let number = value.cast_signed();
    let Ok(low) = u8::try_from(code) else { return false };
    match code {
        // Facts about a packet have numbers from here on.
        0x20 | 0x28 | 0x30 if value >= 0xfff0_0000 => return false,
        0x20 | 0x28 | 0x30 => p.push(low, 0, 0, 0, number),
        0x40 | 0x48 | 0x50 => p.push(low, 0, X, 0, number),
        0x80 => p.push(0x61, A, GIVEN, 0, 0),
        0x00 => p.push(0xb4, A, 0, 0, number),
        0x01 => p.push(0xb4, X, 0, 0, number),
        0xb1 => {
            p.push(0xbf, SPARE, A, 0, 0);
            p.push(0x30, 0, 0, 0, number);
            p.push(0x54, A, 0, 0, 0x0f);
            p.push(0x64, A, 0, 0, 2);
            p.push(0xbf, X, A, 0, 0);
            p.push(0xbf, A, SPARE, 0, 0);
        }
        0x60 => p.push(0x61, A, STACK, cell(value), 0),
        0x61 => p.push(0x61, X, STACK, cell(value), 0),
        0x02 => p.push(0x63, STACK, A, cell(value), 0),
        0x03 => p.push(0x63, STACK, X, cell(value), 0),
        0x07 => p.push(0xbc, X, A, 0, 0),
        0x87 => p.push(0xbc, A, X, 0, 0),
        // Operations are the same in both languages. A division by zero ends a classic program.
        0x04 | 0x14 | 0x24 | 0x34 | 0x44 | 0x54 | 0x64 | 0x74 | 0x84 | 0x94 | 0xa4 => {
            p.push(low, A, 0, 0, number)
        }
        0x0c | 0x1c | 0x2c | 0x4c | 0x5c | 0x6c | 0x7c | 0xac => p.push(low, A, X, 0, 0),
        0x05 => {
            p.leads_to(format!("filter {}", at + 1 + value as usize));
            p.push(0x05, 0, 0, 0, 0);
        }
        0x15 | 0x25 | 0x35 | 0x45 | 0x1d | 0x2d | 0x3d | 0x4d => {
            p.leads_to(format!("filter {}", at + 1 + usize::from(jump_true)));
            let with = if low & 0x08 != 0 { X } else { 0 };
            p.push(low & 0xf8 | JUMP_32, A, with, 0, if with == X { 0 } else { number });
            p.jump(format!("filter {}", at + 1 + usize::from(jump_false)));
        }
        0x06 if value != 0 => p.jump("filtered"),
        0x06 => {
            p.push(0xb7, A, 0, 0, 0);
            p.exit();
        }
        0x16 => {
            p.leads_to("filtered");
            p.push(0x56, A, 0, 0, 0);
            p.exit();
        }
        _ => return false,
    }
    true
}
