//! The headers of a program, read one after the other as Zeek does: neither of the signatures is looked at, and
//! what stands behind a header that ends early is not read.

use weir_base::Reader;

/// Bytes of the header for DOS, which ends with the place of those for Windows.
const DOS_HEADER: usize = 64;

/// Most sections of which names are kept: as many as loaders take.
const MAX_SECTIONS: u16 = 96;

/// Most data directories that mean anything.
const MAX_TABLES: u32 = 16;

/// Flags of a file (`Characteristics`).
const EXECUTABLE_IMAGE: u16 = 0x2;
const IS_32BIT: u16 = 0x100;

/// Magic number of an optional header, for 32 bits and for 64 (PE format, "Magic").
const PE32: u16 = 0x10b;
const PE32_PLUS: u16 = 0x20b;

/// Fields of the headers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Executable {
    pub(super) machine: u16,
    /// When it was made, in seconds since 1970.
    pub(super) compiled: u32,
    pub(super) is_exe: bool,
    pub(super) is_64bit: bool,
    pub(super) image: Option<Image>,
    /// The names of sections, without the zeros that fill them up.
    pub(super) sections: Vec<Vec<u8>>,
}

/// Fields of the optional header, which all programs have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Image {
    /// The version of Windows that it is made for.
    pub(super) os_version: (u16, u16),
    pub(super) subsystem: u16,
    pub(super) flags: u16,
    /// The sizes of tables by data directory.
    pub(super) table_sizes: Vec<u32>,
}

/// Reads the first bytes of a program; none where they do not reach the header that names the machine.
pub(crate) fn read(head: &[u8]) -> Option<Executable> {
    let mut reader = Reader::new(head);
    let mut dos = reader.sub(DOS_HEADER)?;
    dos.skip(DOS_HEADER - 4)?;
    let place = usize::try_from(dos.u32_le()?).ok()?;
    // The signature follows, and what stands before it is a program for DOS.
    reader.skip(place.saturating_sub(DOS_HEADER))?;
    reader.skip(4)?;
    let machine = reader.u16_le()?;
    let count = reader.u16_le()?;
    let compiled = reader.u32_le()?;
    // Symbols, which images do not have.
    reader.skip(8)?;
    let length = usize::from(reader.u16_le()?);
    let flags = reader.u16_le()?;
    let mut found = Executable {
        machine,
        compiled,
        is_exe: flags & EXECUTABLE_IMAGE != 0,
        is_64bit: flags & IS_32BIT == 0,
        image: None,
        sections: Vec::new(),
    };
    if length > 0 {
        found.image = reader.sub(length).and_then(image);
        if found.image.is_none() {
            return Some(found);
        }
    }
    found.sections = (0..count.min(MAX_SECTIONS)).map_while(|_| section(&mut reader)).collect();
    Some(found)
}

/// The optional header.
fn image(mut reader: Reader<'_>) -> Option<Image> {
    let wide = match reader.u16_le()? {
        PE32 => false,
        PE32_PLUS => true,
        _ => return None,
    };
    // Of the linker, the sizes and places of code and data, the place in memory, alignments. An address is
    // longer in a program for 64 bits, which leaves out where data begin.
    reader.skip(38)?;
    let os_version = (reader.u16_le()?, reader.u16_le()?);
    // Other versions, sizes, the checksum.
    reader.skip(24)?;
    let subsystem = reader.u16_le()?;
    let flags = reader.u16_le()?;
    // Sizes of the stack and the heap, and flags that nobody sets.
    reader.skip(if wide { 36 } else { 20 })?;
    let tables = reader.u32_le()?.min(MAX_TABLES);
    let size = |_| {
        reader.skip(4)?;
        reader.u32_le()
    };
    Some(Image { os_version, subsystem, flags, table_sizes: (0..tables).map_while(size).collect() })
}

/// The name of the next section.
fn section(reader: &mut Reader<'_>) -> Option<Vec<u8>> {
    const LENGTH: usize = 40;
    let name: [u8; 8] = reader.sub(LENGTH)?.array()?;
    Some(name.into_iter().take_while(|&byte| byte != 0).collect())
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A program with its headers behind a program of `dos` bytes for DOS.
    pub(crate) fn build(flags: u16, wide: bool, dos: usize) -> Vec<u8> {
        let mut file = vec![0; DOS_HEADER + dos];
        file[..2].copy_from_slice(b"MZ");
        file[60..64].copy_from_slice(&(DOS_HEADER as u32 + dos as u32).to_le_bytes());
        let mut optional = if wide { PE32_PLUS } else { PE32 }.to_le_bytes().to_vec();
        optional.extend([0; 38]);
        optional.extend([6, 0, 1, 0]);
        optional.extend([0; 24]);
        optional.extend([3, 0, 0x40, 0x05]);
        optional.extend(vec![0; if wide { 36 } else { 20 }]);
        optional.extend(16u32.to_le_bytes());
        for index in 0..16u32 {
            optional.extend([0x1000u32.to_le_bytes(), (index % 2).to_le_bytes()].concat());
        }
        file.extend(b"PE\0\0");
        file.extend(if wide { 0x8664u16 } else { 0x14c }.to_le_bytes());
        file.extend(2u16.to_le_bytes());
        file.extend(1_000_000_000u32.to_le_bytes());
        file.extend([0; 8]);
        file.extend((optional.len() as u16).to_le_bytes());
        file.extend(flags.to_le_bytes());
        file.extend(optional);
        for name in [b".text\0\0\0", b"longname"] {
            file.extend(name);
            file.extend([0; 32]);
        }
        file
    }

    #[test]
    fn all_headers() {
        for (flags, wide, dos) in [(0x102, false, 0), (0x22, true, 64), (0x22, true, 1000)] {
            let table_sizes = [0, 1].repeat(8);
            let expected = Executable {
                machine: if wide { 0x8664 } else { 0x14c },
                compiled: 1_000_000_000,
                is_exe: true,
                is_64bit: wide,
                image: Some(Image { os_version: (6, 1), subsystem: 3, flags: 0x540, table_sizes }),
                sections: vec![b".text".to_vec(), b"longname".to_vec()],
            };
            assert_eq!(read(&build(flags, wide, dos)), Some(expected), "{dos}");
        }
    }

    #[test]
    fn headers_that_end_early() {
        let whole = build(0x102, false, 0);
        // Bytes, and whether there are the machine, the image, so many sections.
        let cases = [
            (1, false, false, 0),
            (DOS_HEADER + 23, false, false, 0),
            (DOS_HEADER + 24, true, false, 0),
            (DOS_HEADER + 24 + 223, true, false, 0),
            (DOS_HEADER + 24 + 224, true, true, 0),
            (DOS_HEADER + 24 + 224 + 40, true, true, 1),
            (whole.len(), true, true, 2),
        ];
        for (length, machine, image, sections) in cases {
            let found = read(&whole[..length]);
            assert_eq!(found.is_some(), machine, "{length}");
            let found = found.unwrap_or_default();
            assert_eq!((found.image.is_some(), found.sections.len()), (image, sections), "{length}");
        }
    }

    #[test]
    fn any_damage_gives_a_result() {
        let whole = build(0x102, true, 0);
        for at in 0..whole.len() {
            for value in [0, 1, 0x7f, 0xff] {
                let mut file = whole.clone();
                file[at..].iter_mut().take(4).for_each(|byte| *byte = value);
                let found = read(&file);
                assert!(
                    found.is_none_or(|found| found.sections.len() <= usize::from(MAX_SECTIONS)),
                    "{value} at {at}"
                );
            }
        }
    }
}
