//! Events of programs for Windows for scripts: what the headers of portable executables say (Microsoft's PE format).
//!
//! Limits: sections and tables.

use weir_base::event::{FileReader, RaiseOfFile};
use weir_base::{EventValue, Reader};

/// Reads the headers of programs.
pub const READER: FileReader = FileReader {
    analyzer: "PE",
    events: |bytes, raise| {
        // What does not fit its format has no event.
        let _ = program(bytes, raise);
    },
};

/// Bytes of the header of MS-DOS.
const DOS_HEADER: usize = 64;

/// Most sections, and tables, that are told.
const MAX_SECTIONS: u16 = 96;
const MAX_TABLES: u32 = 64;

/// Kinds of optional headers: of 32 bits, of 64 bits.
const PE32: u16 = 0x10b;
const PE32_PLUS: u16 = 0x20b;

fn program(bytes: &[u8], raise: &mut RaiseOfFile<'_>) -> Option<()> {
    let start = dos(bytes, raise)?;
    let mut reader = Reader::new(bytes.get(start..)?);
    if reader.take(4)? != b"PE\0\0" {
        return None;
    }
    let (machine, sections) = (reader.u16_le()?, reader.u16_le()?);
    let (time, symbols, symbol_count) = (reader.u32_le()?, reader.u32_le()?, reader.u32_le()?);
    let (length, flags) = (reader.u16_le()?, reader.u16_le()?);
    let flags = set(flags.into());
    let fields = [
        machine.into(),
        EventValue::Moment(time.into()),
        symbols.into(),
        symbol_count.into(),
        length.into(),
        EventValue::List(&flags),
    ];
    raise("pe_file_header", &[EventValue::Record(&fields)]);
    if length > 0 {
        // What does not fit its format has no event, but sections may follow.
        let _ = optional(reader.sub(length.into())?, raise);
    }
    for _ in 0..sections.min(MAX_SECTIONS) {
        section(&mut reader, raise)?;
    }
    Some(())
}

/// The header of MS-DOS and the code behind it; returns where the other headers begin.
fn dos(bytes: &[u8], raise: &mut RaiseOfFile<'_>) -> Option<usize> {
    let mut reader = Reader::new(bytes);
    let signature = reader.take(2)?;
    let mut fields = vec![EventValue::String(signature)];
    for _ in 0..13 {
        fields.push(reader.u16_le()?.into());
    }
    reader.skip(8)?;
    fields.extend([reader.u16_le()?, reader.u16_le()?].map(EventValue::from));
    reader.skip(20)?;
    let start = reader.u32_le()?;
    fields.push(start.into());
    raise("pe_dos_header", &[EventValue::Record(&fields)]);
    let start = usize::try_from(start).ok()?;
    let code = bytes.get(DOS_HEADER..start)?;
    if !code.is_empty() {
        raise("pe_dos_code", &[EventValue::String(code)]);
    }
    Some(start)
}

fn optional(mut reader: Reader<'_>, raise: &mut RaiseOfFile<'_>) -> Option<()> {
    let magic = reader.u16_le()?;
    let mut fields = vec![magic.into(), reader.u8()?.into(), reader.u8()?.into()];
    // Sizes of code and data, the entry, where code begins.
    for _ in 0..5 {
        fields.push(reader.u32_le()?.into());
    }
    let wide = |reader: &mut Reader<'_>| match magic {
        PE32_PLUS => reader.u64_le(),
        _ => reader.u32_le().map(u64::from),
    };
    match magic {
        PE32 => fields.push(reader.u32_le()?.into()),
        PE32_PLUS => fields.push(EventValue::Unset),
        _ => return None,
    }
    fields.push(wide(&mut reader)?.into());
    fields.extend([reader.u32_le()?, reader.u32_le()?].map(EventValue::from));
    for _ in 0..6 {
        fields.push(reader.u16_le()?.into());
    }
    // A version that is none.
    reader.skip(4)?;
    fields.extend([reader.u32_le()?, reader.u32_le()?, reader.u32_le()?].map(EventValue::from));
    fields.push(reader.u16_le()?.into());
    let flags = set(reader.u16_le()?.into());
    fields.push(EventValue::List(&flags));
    // Sizes of the stack and the heap, flags of the loader.
    for _ in 0..4 {
        wide(&mut reader)?;
    }
    reader.skip(4)?;
    let count = reader.u32_le()?.min(MAX_TABLES);
    let tables = (0..count).map_while(|_| reader.skip(4).and_then(|()| reader.u32_le()));
    let tables: Vec<EventValue<'_>> = tables.map(EventValue::from).collect();
    fields.push(EventValue::List(&tables));
    raise("pe_optional_header", &[EventValue::Record(&fields)]);
    Some(())
}

fn section(reader: &mut Reader<'_>, raise: &mut RaiseOfFile<'_>) -> Option<()> {
    let name = reader.take(8)?;
    let name = name.get(..memchr::memchr(0, name).unwrap_or(name.len()))?;
    let mut fields = vec![EventValue::String(name)];
    // Sizes and places in memory and in the file, places of relocations and of lines.
    for _ in 0..6 {
        fields.push(reader.u32_le()?.into());
    }
    fields.extend([reader.u16_le()?, reader.u16_le()?].map(EventValue::from));
    let flags = set(reader.u32_le()?);
    fields.push(EventValue::List(&flags));
    raise("pe_section_header", &[EventValue::Record(&fields)]);
    Some(())
}

/// The flags that are set, each as its number.
fn set(flags: u32) -> Vec<EventValue<'static>> {
    (0..32).map(|bit| flags & (1 << bit)).filter(|flag| *flag > 0).map(EventValue::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::told_of_file;

    fn file(optional: &[u8], sections: u16) -> Vec<u8> {
        let mut file = b"MZ".to_vec();
        (1..=13u16).for_each(|number| file.extend(number.to_le_bytes()));
        file.extend([0; 8]);
        file.extend([14, 0, 15, 0]);
        file.extend([0; 20]);
        file.extend(68u32.to_le_bytes());
        file.extend(b"code");
        file.extend(b"PE\0\0\x4c\x01");
        file.extend(sections.to_le_bytes());
        file.extend([7, 0, 0, 0, 8, 0, 0, 0, 9, 0, 0, 0]);
        file.extend((optional.len() as u16).to_le_bytes());
        file.extend([2, 1]);
        file.extend(optional);
        for _ in 0..sections {
            file.extend(b".text\0\0\0");
            (1..=6u32).for_each(|number| file.extend(number.to_le_bytes()));
            file.extend([7, 0, 8, 0, 0x20, 0, 0, 0x60]);
        }
        file
    }

    #[test]
    fn headers() {
        let mut optional = vec![0x0b, 1, 9, 8];
        (1..=9u32).for_each(|number| optional.extend(number.to_le_bytes()));
        (1..=6u16).for_each(|number| optional.extend(number.to_le_bytes()));
        [0, 21, 22, 23u32].iter().for_each(|number| optional.extend(number.to_le_bytes()));
        optional.extend([2, 0, 0x40, 1]);
        optional.extend([0; 20]);
        [2, 1, 30, 1, 0u32].iter().for_each(|number| optional.extend(number.to_le_bytes()));
        let expected = [
            "pe_dos_header [MZ, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 68]",
            "pe_dos_code code",
            "pe_file_header [332, 7, 8, 9, 112, (2, 256)]",
            "pe_optional_header [267, 9, 8, 1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 21, 22, 23, 2, (64, 256), \
             (30, 0)]",
            "pe_section_header [.text, 1, 2, 3, 4, 5, 6, 7, 8, (32, 536870912, 1073741824)]",
        ];
        let whole = file(&optional, 1);
        let told = told_of_file(&READER, &whole);
        assert_eq!(told, expected);
        for length in 0..whole.len() {
            let told = told_of_file(&READER, &whole[..length]);
            assert_eq!(told, expected[..told.len()], "{length}");
        }
        assert_eq!(told_of_file(&READER, &file(&[9; 4], 1)).len(), 4);
    }
}
