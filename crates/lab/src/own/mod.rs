//! What a profiler needs of the processor and of the system: registers, stacks, signals. All that is `unsafe` of the
//! laboratory is here and in the allocator.

pub mod registers;
pub mod signal;
pub mod unwind;
