//! The engine: puts the rooms together and runs captures through them.

pub mod accounts;
mod affinity;
mod analysis;
pub mod control;
mod crew;
pub mod explain;
mod firewall;
mod folder_lock;
mod jobs;
mod live;
pub mod load;
pub mod log;
mod progress;
mod protocols;
mod pseudo;
mod reading;
pub mod reference;
mod reload;
mod requests;
mod run;
mod script_output;
mod session;
pub mod settings;
mod statistics;
mod stats;
pub mod summary;
mod tally;
mod wishes;
mod worker;

pub use folder_lock::FolderTaken;
pub use jobs::follow::Follow;
pub use progress::{LivePosition, Position, Progress, WorkerPosition};
pub use reload::ReadSettings;
pub use requests::Requests;
pub use run::{Engine, EngineError, Feature, Inputs, ReadFiles, build_features};
pub use settings::{RunOptions, ZeekChoice};
