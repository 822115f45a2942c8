//! Rows of `pe`: what the headers of programs for Windows say (Microsoft's PE/COFF specification), as far as
//! they are among the first bytes that are kept of a file ([`weir_applayer::file::HEAD_BYTES`]).

mod headers;
mod names;

use weir_applayer::{ZeekValue, zeek_stream};
use weir_base::Timestamp;

use crate::rows::Rows;
use headers::Image;
#[cfg(test)]
pub(crate) use headers::tests::build;
pub(crate) use headers::{Executable, read};

/// The type of files that are looked at.
pub(crate) const MIME_TYPE: &str = "application/x-dosexec";

zeek_stream! {
    /// Every program.
    pub(crate) static PE: "pe" of its own;
    struct Row {
        id: Text,
        machine: Text,
        compile_ts: Time,
        os: Text,
        subsystem: Text,
        is_exe: Bool,
        is_64bit: Bool,
        uses_aslr: Bool,
        uses_dep: Bool,
        uses_code_integrity: Bool,
        uses_seh: Bool,
        has_import_table: Bool,
        has_export_table: Bool,
        has_cert_table: Bool,
        has_debug_data: Bool,
        section_names: Vector<Text>,
    }
}

/// Flags of an image (`DllCharacteristics`).
const DYNAMIC_BASE: u16 = 0x40;
const FORCE_INTEGRITY: u16 = 0x80;
const NX_COMPAT: u16 = 0x100;
const NO_SEH: u16 = 0x400;

/// Places of tables among an image's data directories.
const EXPORTS: usize = 0;
const IMPORTS: usize = 1;
const CERTIFICATES: usize = 4;
const DEBUG: usize = 6;

impl Executable {
    /// A row: of the file `fuid`, which began at `ts`.
    pub(crate) fn write(&self, fuid: &str, ts: Timestamp, rows: &mut Rows<'_>) {
        // Zeek believes the rest of those that say they are programs only.
        let image = self.image.as_ref().filter(|_| self.is_exe);
        let has_flag = |flag| image.is_some_and(|image| image.flags & flag != 0);
        let has_table = |index: usize| {
            let size = |image: &Image| image.table_sizes.get(index).is_some_and(|&size| size > 0);
            image.map(size)
        };
        let machine = names::machine(self.machine);
        let os = image.map(|image| names::os(image.os_version));
        let subsystem = image.map(|image| names::subsystem(image.subsystem));
        let sections = ZeekValue::texts(&self.sections);
        let row = Row {
            id: fuid.into(),
            machine: (&*machine).into(),
            compile_ts: Timestamp::new(u64::from(self.compiled), 0).into(),
            os: os.as_deref().into(),
            subsystem: subsystem.as_deref().into(),
            is_exe: self.is_exe.into(),
            is_64bit: self.is_64bit.into(),
            uses_aslr: has_flag(DYNAMIC_BASE).into(),
            uses_dep: has_flag(NX_COMPAT).into(),
            uses_code_integrity: has_flag(FORCE_INTEGRITY).into(),
            uses_seh: (!has_flag(NO_SEH)).into(),
            has_import_table: has_table(IMPORTS).into(),
            has_export_table: has_table(EXPORTS).into(),
            has_cert_table: has_table(CERTIFICATES).into(),
            has_debug_data: has_table(DEBUG).into(),
            section_names: Some(sections.as_slice()).filter(|_| self.is_exe).into(),
        };
        rows.row(&PE, None, ts, &row.values());
    }
}
