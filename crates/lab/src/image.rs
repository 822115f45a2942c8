//! Images: ELF files as they are mapped into a process, with what it takes to unwind stacks through their code.

use std::fs::{self, File};
use std::ops::Range;
use std::path::Path;

use object::read::ReadCache;
use object::{Object, ObjectSection, ObjectSegment};

use crate::profile::Mapping;

/// Larger sections of unwind information are not read, in bytes.
const MAX_SECTION: u64 = 256 << 20;

/// Most mappings of a process that are looked at.
const MAX_MAPPINGS: usize = 4096;

/// Section of an image.
#[derive(Clone, Debug)]
pub struct Section {
    /// Addresses in the file's own count.
    pub range: Range<u64>,
    /// Its bytes.
    pub data: Vec<u8>,
}

/// Piece of the file that is loaded.
#[derive(Clone, Debug)]
struct Load {
    /// Places in the file.
    file: Range<u64>,
    /// Address of its first byte, in the file's own count.
    address: u64,
}

/// ELF file.
#[derive(Clone, Debug, Default)]
pub struct Image {
    loads: Vec<Load>,
    /// Build id as hexadecimal digits; empty where there is none.
    pub build_id: String,
    /// `.eh_frame`.
    pub frames: Option<Section>,
    /// `.eh_frame_hdr`.
    pub index: Option<Section>,
    /// Addresses of `.text`, in the file's own count.
    pub text: Option<Range<u64>>,
}

impl Image {
    /// Reads a file; none where it is not an ELF file.
    pub fn read(path: &Path) -> Option<Self> {
        let cache = ReadCache::new(File::open(path).ok()?);
        let file = object::File::parse(&cache).ok()?;
        let loads = file.segments().map(|segment| {
            let (offset, size) = segment.file_range();
            Load { file: offset..offset.saturating_add(size), address: segment.address() }
        });
        let range = |name: &str| {
            let section = file.section_by_name(name)?;
            Some(section.address()..section.address().saturating_add(section.size()))
        };
        let section = |name: &str| {
            let section = file.section_by_name(name).filter(|section| section.size() <= MAX_SECTION)?;
            Some(Section { range: range(name)?, data: section.data().ok()?.to_vec() })
        };
        let build_id = file.build_id().ok().flatten().unwrap_or_default();
        Some(Self {
            loads: loads.collect(),
            build_id: build_id.iter().map(|byte| format!("{byte:02x}")).collect(),
            frames: section(".eh_frame"),
            index: section(".eh_frame_hdr"),
            text: range(".text"),
        })
    }

    /// Returns the address of a place in the file, in the file's own count.
    pub fn address(&self, offset: u64) -> Option<u64> {
        // Mappings begin at the page of a segment's first byte.
        let page = |load: &Load| (load.file.start & !0xfff)..load.file.end;
        let load = self.loads.iter().rev().find(|load| page(load).contains(&offset))?;
        Some(load.address.wrapping_add(offset).wrapping_sub(load.file.start))
    }

    /// Returns what is to be added to the file's own addresses where it is mapped so.
    pub fn bias(&self, mapping: &Mapping) -> Option<u64> {
        Some(mapping.start.wrapping_sub(self.address(mapping.offset)?))
    }
}

/// Returns the executable mappings of files in a process, from its `maps`; `self` is a process too.
pub fn mappings(process: &str) -> Vec<Mapping> {
    let text = fs::read_to_string(format!("/proc/{process}/maps")).unwrap_or_default();
    text.lines().filter_map(parse).take(MAX_MAPPINGS).collect()
}

/// A line such as `5581e000-5582f000 r-xp 00002000 08:01 1234    /usr/bin/weir`; none where it is not executable.
fn parse(line: &str) -> Option<Mapping> {
    let mut words = line.splitn(6, ' ');
    let (start, end) = words.next()?.split_once('-')?;
    let rights = words.next()?;
    let offset = words.next()?;
    let file = words.nth(2).unwrap_or_default().trim_start();
    let number = |digits| u64::from_str_radix(digits, 16).ok();
    let is_code = rights.contains('x') && !file.is_empty();
    is_code.then_some(())?;
    Some(Mapping {
        start: number(start)?,
        end: number(end)?,
        offset: number(offset)?,
        file: file.to_owned(),
        build_id: String::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_maps() {
        let cases = [
            (
                "5581e000-5582f000 r-xp 00002000 08:01 1234    /usr/bin/a b",
                Some((0x5581e000, 0x2000, "/usr/bin/a b")),
            ),
            ("5581e000-5582f000 r--p 00002000 08:01 1234    /usr/bin/a", None),
            ("7ffe000-7fff000 r-xp 00000000 00:00 0    [vdso]", Some((0x7ffe000, 0, "[vdso]"))),
            ("7ffe000-7fff000 rwxp 00000000 00:00 0 ", None),
            ("damaged", None),
            ("", None),
        ];
        for (line, expected) in cases {
            let found = parse(line);
            let found = found.as_ref().map(|mapping| (mapping.start, mapping.offset, mapping.file.as_str()));
            assert_eq!(found, expected, "{line}");
        }
    }

    #[test]
    fn addresses_of_segments_that_lie_elsewhere_in_the_file() {
        let loads =
            vec![Load { file: 0..0x1200, address: 0 }, Load { file: 0x1200..0x5000, address: 0x2200 }];
        let image = Image { loads, ..Image::default() };
        for (offset, expected) in
            [(0x10, Some(0x10)), (0x1000, Some(0x2000)), (0x1300, Some(0x2300)), (0x9000, None)]
        {
            assert_eq!(image.address(offset), expected, "{offset:#x}");
        }
        let mapping = Mapping { start: 0x7000, end: 0x9000, offset: 0x1000, ..Mapping::default() };
        assert_eq!(image.bias(&mapping), Some(0x5000));
    }

    #[test]
    fn the_test_itself_is_an_image() {
        let path = std::env::current_exe().expect("a path");
        let image = Image::read(&path).expect("an ELF file");
        assert!(image.frames.is_some() && image.text.is_some());
        assert!(Image::read(Path::new("/proc/self/maps")).is_none());
        let name = path.to_string_lossy();
        assert!(mappings("self").iter().any(|mapping| mapping.file == name && image.bias(mapping).is_some()));
    }
}
