//! The model of a rule: buffers with their checks, its signature, what a match does, and the contracts of
//! scripts and checks. It knows neither how rules are compiled nor how they are inspected.

pub mod alert;
pub mod buffer;
pub mod checks;
pub mod effects;
pub mod fields;
pub mod firewall;
pub mod head;
pub mod hook;
pub mod places;
pub mod pool;
pub mod post;
pub mod script;
pub mod signature;
pub mod transform;
pub mod view;
