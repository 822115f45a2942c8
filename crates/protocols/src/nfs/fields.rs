//! Fields of a transaction.

use weir_applayer::{Access, Field, FieldDirection, Progress};

use super::checks;

const fn field(
    name: &'static str,
    aliases: &'static [&'static str],
    direction: FieldDirection,
    access: Access,
    doc: &'static str,
) -> Field {
    Field { name, aliases, modifier: None, direction, ready_at: Progress(0), access, doc }
}

/// The rows.
pub const FIELDS: &[Field] = &[
    field(
        "nfs_procedure",
        &["nfs.procedure"],
        FieldDirection::ToServer,
        Access::Check(checks::procedure),
        "The procedure of a call, as a number; in version 4, the operation. Ranges (`6<>8`) hold their ends.",
    ),
    field(
        "nfs_version",
        &["nfs.version"],
        FieldDirection::ToServer,
        Access::Check(checks::version),
        "The version of NFS: 2, 3 or 4. Ranges (`2<>4`) hold their ends.",
    ),
    field(
        "file.data",
        &["file_data"],
        FieldDirection::Both,
        Access::FileData,
        "The content of files that are read or written.",
    ),
    field(
        "file.name",
        &["file_name"],
        FieldDirection::Both,
        Access::FileName,
        "The names of files that are read or written.",
    ),
];
