//! Rows of `pe`: what the headers of programs for Windows say (Microsoft's PE/COFF specification), as far as
//! they are among the first bytes that are kept of a file ([`weir_applayer::file::HEAD_BYTES`]).

mod headers;
mod names;

use weir_applayer::{ZeekStream, ZeekType, ZeekValue};
use weir_base::Timestamp;

use super::rows::Rows;
use headers::Image;
#[cfg(test)]
pub(super) use headers::tests::build;
pub(super) use headers::{Executable, read};

/// The type of files that are looked at.
pub(super) const MIME_TYPE: &str = "application/x-dosexec";

/// Every program.
pub(super) static PE: ZeekStream = ZeekStream {
    name: "pe",
    connection: false,
    columns: &[
        ("id", ZeekType::String),
        ("machine", ZeekType::String),
        ("compile_ts", ZeekType::Time),
        ("os", ZeekType::String),
        ("subsystem", ZeekType::String),
        ("is_exe", ZeekType::Bool),
        ("is_64bit", ZeekType::Bool),
        ("uses_aslr", ZeekType::Bool),
        ("uses_dep", ZeekType::Bool),
        ("uses_code_integrity", ZeekType::Bool),
        ("uses_seh", ZeekType::Bool),
        ("has_import_table", ZeekType::Bool),
        ("has_export_table", ZeekType::Bool),
        ("has_cert_table", ZeekType::Bool),
        ("has_debug_data", ZeekType::Bool),
        ("section_names", ZeekType::Vector(&ZeekType::String)),
    ],
};

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
    pub(super) fn write(&self, fuid: &str, ts: Timestamp, rows: &mut Rows<'_>) {
        // Zeek believes the rest of those that say they are programs only.
        let image = self.image.as_ref().filter(|_| self.is_exe);
        let has_flag = |flag| image.is_some_and(|image| image.flags & flag != 0);
        let has_table = |index: usize| {
            let size = |image: &Image| image.table_sizes.get(index).is_some_and(|&size| size > 0);
            image.map_or(ZeekValue::Unset, |image| ZeekValue::Bool(size(image)))
        };
        let machine = names::machine(self.machine);
        let os = image.map(|image| names::os(image.os_version));
        let subsystem = image.map(|image| names::subsystem(image.subsystem));
        let sections = ZeekValue::texts(&self.sections);
        let values = [
            ZeekValue::String(fuid.as_bytes()),
            ZeekValue::String(machine.as_bytes()),
            ZeekValue::Time(Timestamp::new(u64::from(self.compiled), 0)),
            ZeekValue::text(os.as_deref().map(str::as_bytes)),
            ZeekValue::text(subsystem.as_deref().map(str::as_bytes)),
            ZeekValue::Bool(self.is_exe),
            ZeekValue::Bool(self.is_64bit),
            ZeekValue::Bool(has_flag(DYNAMIC_BASE)),
            ZeekValue::Bool(has_flag(NX_COMPAT)),
            ZeekValue::Bool(has_flag(FORCE_INTEGRITY)),
            ZeekValue::Bool(!has_flag(NO_SEH)),
            has_table(IMPORTS),
            has_table(EXPORTS),
            has_table(CERTIFICATES),
            has_table(DEBUG),
            if self.is_exe { ZeekValue::list(&sections) } else { ZeekValue::Unset },
        ];
        rows.row(&PE, None, ts, &values);
    }
}
