//! `parquet` of `outputs.*.eve-log` and `outputs.*.zeek`: how records are kept as Apache Parquet. The keys are Weir's own.

use std::path::PathBuf;

use crate::error::ConfigError;
use crate::settings::Section;

/// Least and most bytes after which a file is followed by another one.
const ROLL: std::ops::RangeInclusive<u64> = (1 << 20)..=(1 << 40);

/// How records are kept as Apache Parquet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParquetSettings {
    /// The folder, in that of the logs unless it is a full path.
    pub folder: PathBuf,
    /// Bytes of a file after which another one is begun for the same hour.
    pub roll: u64,
    /// Strength of compression by Zstandard, 1 to 22.
    pub level: u8,
}

impl Default for ParquetSettings {
    fn default() -> Self {
        Self { folder: "parquet".into(), roll: 256 << 20, level: 1 }
    }
}

impl ParquetSettings {
    /// Reads the section `parquet` of an output.
    pub fn read(output: &Section<'_>) -> Result<Self, ConfigError> {
        let section = output.section("parquet");
        let default = Self::default();
        let roll = section.size("roll-size", default.roll)?.clamp(*ROLL.start(), *ROLL.end());
        let level = section.integer("level", default.level.into(), 1..=22)? as u8;
        Ok(Self { folder: section.text("folder").map_or(default.folder, PathBuf::from), roll, level })
    }
}
