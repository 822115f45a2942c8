//! The processor's counters for a child: instructions and cycles outside of the kernel, where the
//! kernel offers them. Most virtual machines do not have any, and only Linux is asked.

#[cfg(target_os = "linux")]
pub use linux::Counters;
#[cfg(not(target_os = "linux"))]
pub use none::Counters;

/// Counts of a child process.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Counts {
    /// Instructions.
    pub instructions: f64,
    /// Cycles.
    pub cycles: f64,
}

#[cfg(target_os = "linux")]
mod linux {
    use perf_event::events::Hardware;
    use perf_event::{Builder, Counter};

    use super::Counts;

    /// Counters that begin with the next child's program and end with that child.
    pub struct Counters {
        instructions: Counter,
        cycles: Counter,
    }

    impl Counters {
        /// New counters; none where there are none to be had.
        pub fn new() -> Option<Self> {
            let [instructions, cycles] = [Hardware::INSTRUCTIONS, Hardware::CPU_CYCLES]
                .map(|event| inherited(&mut Builder::new(event)));
            Some(Self { instructions: instructions?, cycles: cycles? })
        }

        /// Reads the counts, once the child has ended.
        pub fn read(&mut self) -> Option<Counts> {
            let (instructions, cycles) = (self.instructions.read().ok()?, self.cycles.read().ok()?);
            Some(Counts { instructions: instructions as f64, cycles: cycles as f64 })
        }
    }

    /// A counter that this thread hands to its children, and that begins when one of them executes a program.
    fn inherited(builder: &mut Builder<'_>) -> Option<Counter> {
        builder.inherit(true).enabled(false).enable_on_exec(true).build().ok()
    }

    #[cfg(test)]
    mod tests {
        use perf_event::events::Software;

        use super::*;

        /// Nanoseconds of CPU time are counted in software, so on machines without counters too.
        #[test]
        fn children_are_counted_and_this_program_is_not() {
            let Some(mut clock) = inherited(&mut Builder::new(Software::TASK_CLOCK)) else { return };
            assert_eq!(clock.read().expect("a count"), 0);
            let done = std::process::Command::new("true").status().expect("a program that does nothing");
            assert!(done.success());
            let counted = clock.read().expect("a count");
            assert!((1..10_000_000_000).contains(&counted), "{counted} ns");
            assert_eq!(clock.read().expect("a count"), counted);
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod none {
    use super::Counts;

    /// No counters: no value of this can be made.
    pub enum Counters {}

    impl Counters {
        /// Always none.
        pub fn new() -> Option<Self> {
            None
        }

        /// Never called.
        pub fn read(&mut self) -> Option<Counts> {
            match *self {}
        }
    }
}
