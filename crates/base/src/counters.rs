//! Counters: a plain struct of integers per room and worker, summed when statistics are written.
//! Nothing is shared while packets run.

/// Receives each counter's dotted name (`decoder.pkts`) and value.
pub trait CounterVisitor {
    /// One counter.
    fn counter(&mut self, name: &str, value: u64);
}

impl<F: FnMut(&str, u64)> CounterVisitor for F {
    fn counter(&mut self, name: &str, value: u64) {
        self(name, value);
    }
}

/// A set of counters that can list itself.
pub trait Counters {
    /// Calls `visitor` for each counter, in the order declared.
    fn visit(&self, visitor: &mut dyn CounterVisitor);
}

/// Declares a struct of `u64` counters with the names users graph.
///
/// ```
/// weir_base::counters! {
///     /// What was seen.
///     pub struct Seen {
///         /// Packets.
///         packets => "seen.pkts",
///     }
/// }
/// let seen = Seen { packets: 2 };
/// let mut listed = Vec::new();
/// weir_base::Counters::visit(&seen, &mut |name: &str, value: u64| listed.push((name.to_string(), value)));
/// assert_eq!(listed, [("seen.pkts".to_string(), 2)]);
/// ```
#[macro_export]
macro_rules! counters {
    ($(#[$meta:meta])* $vis:vis struct $name:ident { $($(#[$field_meta:meta])* $field:ident => $label:literal,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Default, Debug, PartialEq, Eq)]
        $vis struct $name { $($(#[$field_meta])* pub $field: u64,)* }

        impl $crate::Counters for $name {
            fn visit(&self, visitor: &mut dyn $crate::CounterVisitor) {
                $(visitor.counter($label, self.$field);)*
            }
        }
    };
}
