//! Frames of a spool's file: any bytes are read to an end, and what is read is what was written.
#![no_main]

use libfuzzer_sys::fuzz_target;
use weir_output::sinks::network::frame::{frame, read_frame};

fuzz_target!(|data: &[u8]| {
    let mut rest = data;
    while let Ok((lines, records)) = read_frame(&mut rest) {
        let written = frame(&lines, records).expect("it was one");
        assert!(data[..data.len() - rest.len()].ends_with(&written));
    }
    if let Ok(written) = frame(data, 1) {
        assert_eq!(read_frame(&mut written.as_slice()).ok(), Some((data.to_vec(), 1)));
    }
});
