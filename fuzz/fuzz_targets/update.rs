//! What `weir update` reads: archives of rules, the index of sources, and files that edit rules.
#![no_main]

use libfuzzer_sys::fuzz_target;
use weir_update::archive::{MAX_ENTRIES, MAX_UNPACKED, unpack};
use weir_update::edits::{Edits, Files};
use weir_update::index::Index;
use weir_update::set::Entry;

fuzz_target!(|data: &[u8]| {
    let Some((kind, data)) = data.split_first() else { return };
    let mut complaints = Vec::new();
    match kind % 3 {
        0 => {
            let Ok(files) = unpack("rules.tar.gz", data.to_vec(), &mut complaints) else { return };
            assert!(files.len() <= MAX_ENTRIES);
            assert!(
                files.iter().map(|file| file.bytes.len() as u64).sum::<u64>()
                    <= MAX_UNPACKED.max(data.len() as u64)
            );
            for file in &files {
                assert!(file.name.split('/').all(|part| part != ".."), "{}", file.name);
                for (number, line) in (1..).zip(String::from_utf8_lossy(&file.bytes).lines()) {
                    let _ = Entry::of_line(line, &file.name, number);
                }
            }
        }
        1 => drop(Index::read(data, "index.yaml", &mut complaints)),
        _ => {
            let file = vec![("a.conf".to_owned(), data.to_vec())];
            let files =
                Files { disable: file.clone(), enable: file.clone(), drop: file.clone(), modify: file };
            let edits = Edits::read(&files, &mut complaints);
            let rule = "alert tcp any any -> any any (msg:\"a\"; metadata:b c; sid:1;)";
            if let Ok(Some(rule)) = Entry::of_line(rule, "a.rules", 1) {
                let _ =
                    (edits.disable.contains(&rule), edits.enable.contains(&rule), edits.drop.contains(&rule));
            }
        }
    }
});
