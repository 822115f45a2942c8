//! The numbers of headers by the names that Zeek gives them (its manual, `base/files/pe/consts`).

use std::borrow::Cow;

/// Returns the name of the machine (PE format, "Machine Types").
pub(super) fn machine(number: u16) -> Cow<'static, str> {
    named(number, MACHINES)
}

/// Where it runs.
pub(super) fn subsystem(number: u16) -> Cow<'static, str> {
    named(number, SUBSYSTEMS)
}

/// The version of Windows that it is made for.
pub(super) fn os(version: (u16, u16)) -> Cow<'static, str> {
    match SYSTEMS.iter().find(|(known, _)| *known == version) {
        Some((_, name)) => Cow::Borrowed(name),
        None => Cow::Owned(format!("unknown-{}.{}", version.0, version.1)),
    }
}

fn named(number: u16, names: &'static [(u16, &'static str)]) -> Cow<'static, str> {
    match names.iter().find(|(known, _)| *known == number) {
        Some((_, name)) => Cow::Borrowed(name),
        None => Cow::Owned(format!("unknown-{number}")),
    }
}

const MACHINES: &[(u16, &str)] = &[
    (0x0, "UNKNOWN"),
    (0x14c, "I386"),
    (0x166, "R4000"),
    (0x169, "WCEMIPSV2"),
    (0x1a2, "SH3"),
    (0x1a3, "SH3DSP"),
    (0x1a6, "SH4"),
    (0x1a8, "SH5"),
    (0x1c0, "ARM"),
    (0x1c2, "THUMB"),
    (0x1c4, "ARMNT"),
    (0x1d3, "AM33"),
    (0x1f0, "POWERPC"),
    (0x1f1, "POWERPCFP"),
    (0x200, "IA64"),
    (0x266, "MIPS16"),
    (0x366, "MIPSFPU"),
    (0x466, "MIPSFPU16"),
    (0xebc, "EBC"),
    (0x8664, "AMD64"),
    (0x9041, "M32R"),
    (0xaa64, "ARM64"),
];

const SUBSYSTEMS: &[(u16, &str)] = &[
    (0, "UNKNOWN"),
    (1, "NATIVE"),
    (2, "WINDOWS_GUI"),
    (3, "WINDOWS_CUI"),
    (7, "POSIX_CUI"),
    (9, "WINDOWS_CE_GUI"),
    (10, "EFI_APPLICATION"),
    (11, "EFI_BOOT_SERVICE_DRIVER"),
    (12, "EFI_RUNTIME_DRIVER"),
    (13, "EFI_ROM"),
    (14, "XBOX"),
];

const SYSTEMS: &[((u16, u16), &str)] = &[
    ((1, 0), "Windows 1.0"),
    ((1, 1), "Windows 1.01"),
    ((1, 3), "Windows 1.03"),
    ((1, 4), "Windows 1.04"),
    ((2, 0), "Windows 2.0"),
    ((2, 10), "Windows 2.10"),
    ((2, 11), "Windows 2.11"),
    ((3, 0), "Windows 3.0"),
    ((3, 2), "Windows 3.2"),
    ((3, 10), "Windows 3.1 or NT 3.1"),
    ((3, 11), "Windows for Workgroups 3.11"),
    ((3, 50), "Windows NT 3.5"),
    ((3, 51), "Windows NT 3.51"),
    ((4, 0), "Windows 95 or NT 4.0"),
    ((4, 10), "Windows 98"),
    ((4, 90), "Windows Me"),
    ((5, 0), "Windows 2000"),
    ((5, 1), "Windows XP"),
    ((5, 2), "Windows XP x64 or Server 2003"),
    ((6, 0), "Windows Vista or Server 2008"),
    ((6, 1), "Windows 7 or Server 2008 R2"),
    ((6, 2), "Windows 8 or Server 2012"),
    ((6, 3), "Windows 8.1 or Server 2012 R2"),
    ((6, 4), "Windows 10 Technical Preview"),
    ((10, 0), "Windows 10"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_without() {
        assert_eq!((machine(0x8664), machine(475)), ("AMD64".into(), "unknown-475".into()));
        assert_eq!((subsystem(2), subsystem(99)), ("WINDOWS_GUI".into(), "unknown-99".into()));
        assert_eq!((os((5, 1)), os((7, 3))), ("Windows XP".into(), "unknown-7.3".into()));
    }
}
