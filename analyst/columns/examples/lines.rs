//! Lines of EVE as Parquet, to measure what that takes: `lines FILE FOLDER [TIMES]`.
//! `valgrind --tool=callgrind --toggle-collect='*Tables*lines*'` counts it without reading the file.

use std::path::PathBuf;

use weir_columns::file::FileSettings;
use weir_columns::{Tables, TablesSettings};

/// Bytes of a piece, as the log thread gives them.
const PIECE: usize = 64 * 1024;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, file, folder, times @ ..] = &*arguments else {
        return Err("lines FILE FOLDER [TIMES]".into());
    };
    let lines = std::fs::read(file)?;
    let times = times.first().map_or(Ok(1), |times| times.parse())?;
    for _ in 0..times {
        let mut tables = Tables::new(TablesSettings {
            folder: PathBuf::from(folder),
            schema: "eve",
            declared: None,
            files: FileSettings { roll: 256 << 20, level: 1 },
        });
        let mut rest = &*lines;
        while !rest.is_empty() {
            let whole = rest.get(..PIECE).unwrap_or(rest);
            let end = memchr::memrchr(b'\n', whole).map_or(rest.len(), |at| at + 1);
            let (piece, others) = rest.split_at(end);
            tables.lines(piece).map_err(|failure| failure.cause)?;
            rest = others;
        }
        tables.close().map_err(|failure| failure.cause)?;
    }
    Ok(())
}
