//! The file of a thread of a recording: any bytes are read to an end, and no packet lies outside of them.
#![no_main]

use std::path::Path;
use std::time::Duration;

use libfuzzer_sys::fuzz_target;
use weir_capture::sources::recording;

fuzz_target!(|data: &[u8]| {
    let Ok(mut source) = recording::thread_of(Path::new("fuzz"), data.to_vec()) else { return };
    let mut calls = 0;
    while let Ok(batch) = source.next_batch(16, Duration::ZERO) {
        if batch.at_end() {
            break;
        }
        assert!(batch.iter().all(|packet| packet.bytes.len() <= data.len()));
        let _ = source.event();
        calls += 1;
        assert!(calls <= data.len());
    }
});
