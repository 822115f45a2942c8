//! NFS.

use super::{Row, row};

/// The rows.
pub const ROWS: &[Row] = &[
    row("nfs_procedure", "nfs", "nfs_procedure:2<>3;", "nfs_procedure:4<>5;", "nfs_procedure:lookup;"),
    row("nfs_version", "nfs", "nfs_version:3<>4;", "nfs_version:<3;", "nfs_version;"),
];
