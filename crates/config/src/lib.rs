//! Settings: an existing `suricata.yaml` is read as it is, and becomes typed structs.
//!
//! [`Settings`] is the tree of texts with places, built from files, includes and `--set`
//! arguments; each area of the engine has a struct read from it with defaults and checks.
//! [`unknown_keys`] names what is probably misspelled.

pub mod af_packet;
pub mod af_xdp;
pub mod decoder;
pub mod detect;
pub mod dpdk;
pub mod error;
pub mod eve;
pub mod firewall;
pub mod flow;
pub mod host_os;
pub mod interfaces;
pub mod known;
pub mod libpcap;
mod load;
pub mod logging;
pub mod metrics;
pub mod multi_detect;
pub mod nflog;
pub mod nfqueue;
pub mod node;
pub mod outputs;
pub mod parquet;
pub mod pipelines;
pub mod policy;
pub mod profiling;
pub mod security;
pub mod settings;
pub mod stream;
pub mod threading;
pub mod value;
pub mod vars;
pub mod yaml;

pub use af_packet::AfPacketSettings;
pub use decoder::DecoderSettings;
pub use detect::{DatasetSettings, DetectSettings, RuleSettings};
pub use error::{ConfigError, Location, Warning};
pub use eve::EveSettings;
pub use firewall::{FirewallSettings, PolicySettings, PolicyText};
pub use flow::{DefragSettings, FlowSettings, TableSettings};
pub use host_os::{HostOsPolicy, OsPolicy, Prefix};
pub use known::{UnknownKey, unknown_keys};
pub use logging::{LoggingSettings, StatsSettings};
pub use metrics::MetricsAddress;
pub use multi_detect::{MultiDetectSettings, TenantEntry, TenantSelector, TenantTraffic};
pub use node::Node;
pub use outputs::{Output, OutputsSettings};
pub use parquet::ParquetSettings;
pub use pipelines::{PipelineSettings, Records, SpoolSettings, Target, WhenFull};
pub use policy::{ExceptionPolicies, ExceptionPolicy};
pub use profiling::{ProfileLog, ProfilingSettings, RuleSort};
pub use security::{Confinement, SecuritySettings};
pub use settings::{
    DEFAULT_CLASSIFICATION, DEFAULT_CONFIGURATION, DEFAULT_REFERENCE, DEFAULT_THRESHOLD, Section, Settings,
};
pub use stream::{AutoFlag, StreamSettings};
pub use threading::{AffinitySettings, CpuSetSettings, RunMode, ThreadingSettings};
pub use vars::Variables;
