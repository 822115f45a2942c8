//! Fields of a transaction.

use weir_applayer::{Access, Field, Progress};

use super::checks;

/// The rows.
pub const FIELDS: &[Field] = &[
    Field::to_server("nfs_procedure", Progress(0), Access::Check(checks::procedure))
        .aliases(&["nfs.procedure"])
        .doc(
            "The procedure of a call, as a number; in version 4, the operation. Ranges (`6<>8`) hold \
             their ends.",
        ),
    Field::to_server("nfs_version", Progress(0), Access::Check(checks::version))
        .aliases(&["nfs.version"])
        .doc("The version of NFS: 2, 3 or 4. Ranges (`2<>4`) hold their ends."),
    Field::both("file.data", Progress(0), Access::FileData)
        .aliases(&["file_data"])
        .doc("The content of files that are read or written."),
    Field::both("file.name", Progress(0), Access::FileName)
        .aliases(&["file_name"])
        .doc("The names of files that are read or written."),
];
