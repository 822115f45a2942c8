//! Makes an archive of connections to measure with: `connections ROWS FOLDER` writes files of ten million rows of Zeek's
//! `conn` as `weir archive` would keep them. The same rows each time.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray, TimestampMicrosecondArray};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use weir_columns::TABLE_KEY;

const FILE_ROWS: u64 = 10_000_000;
const BATCH_ROWS: u64 = 65_536;

/// Pseudo-random numbers of a row: SplitMix64.
fn number(row: u64, salt: u64) -> u64 {
    let mut z =
        row.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(salt.wrapping_mul(0xbf58_476d_1ce4_e5b9));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A few values are frequent, many are rare.
fn skewed(row: u64, salt: u64, most: u64) -> u64 {
    let bits = number(row, salt);
    (bits >> 32) % (1 + (bits & 0xffff_ffff) % most)
}

fn batch(rows: std::ops::Range<u64>) -> Result<RecordBatch, arrow::error::ArrowError> {
    const SERVICES: [(i64, Option<&str>, &str); 6] = [
        (443, Some("ssl"), "tcp"),
        (53, Some("dns"), "udp"),
        (80, Some("http"), "tcp"),
        (22, Some("ssh"), "tcp"),
        (123, Some("ntp"), "udp"),
        (3389, None, "tcp"),
    ];
    let service = |row: u64| SERVICES.get(skewed(row, 1, 6) as usize).copied().unwrap_or((0, None, "tcp"));
    let host = |row: u64, salt| skewed(row, salt, 20_000);
    let each = |of: &dyn Fn(u64) -> i64| Arc::new(rows.clone().map(of).collect::<Int64Array>()) as ArrayRef;
    let text = |of: &dyn Fn(u64) -> Option<String>| {
        Arc::new(rows.clone().map(of).collect::<StringArray>()) as ArrayRef
    };
    let times: TimestampMicrosecondArray =
        rows.clone().map(|row| Some(1_706_702_400_000_000 + row as i64 * 850)).collect();
    let durations: Float64Array =
        rows.clone().map(|row| Some(skewed(row, 9, 100_000_000) as f64 / 1e6)).collect();
    RecordBatch::try_from_iter([
        ("ts", Arc::new(times.with_timezone("UTC")) as ArrayRef),
        ("uid", text(&|row| Some(format!("C{:016x}", number(row, 2))))),
        (
            "id.orig_h",
            text(&|row| {
                Some(format!("10.{}.{}.{}", host(row, 3) >> 16, host(row, 3) >> 8 & 255, host(row, 3) & 255))
            }),
        ),
        ("id.orig_p", each(&|row| 32_768 + (number(row, 4) % 28_000) as i64)),
        (
            "id.resp_h",
            text(&|row| Some(format!("93.184.{}.{}", host(row, 5) >> 8 & 255, host(row, 5) & 255))),
        ),
        ("id.resp_p", each(&|row| service(row).0)),
        ("proto", text(&|row| Some(service(row).2.to_owned()))),
        ("service", text(&|row| service(row).1.map(str::to_owned))),
        ("duration", Arc::new(durations)),
        ("orig_bytes", each(&|row| skewed(row, 6, 100_000) as i64)),
        ("resp_bytes", each(&|row| skewed(row, 7, 10_000_000) as i64)),
        (
            "conn_state",
            text(&|row| {
                Some(
                    ["SF", "S0", "REJ", "RSTO"].get(skewed(row, 8, 4) as usize).unwrap_or(&"OTH").to_string(),
                )
            }),
        ),
    ])
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut words = std::env::args().skip(1);
    let (Some(rows), Some(folder)) = (words.next(), words.next()) else {
        return Err("write: connections ROWS FOLDER".into());
    };
    let rows: u64 = rows.parse()?;
    let folder = Path::new(&folder).join("zeek/conn");
    std::fs::create_dir_all(&folder)?;
    for first in (0..rows).step_by(FILE_ROWS as usize) {
        let last = (first + FILE_ROWS).min(rows);
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_max_row_group_row_count(Some(256 * 1024))
            .set_key_value_metadata(Some(vec![KeyValue::new(TABLE_KEY.to_owned(), "zeek.conn".to_owned())]))
            .build();
        let file = File::create(folder.join(format!("{:06}.parquet", first / FILE_ROWS)))?;
        let mut writer = ArrowWriter::try_new(file, batch(0..0)?.schema(), Some(properties))?;
        for start in (first..last).step_by(BATCH_ROWS as usize) {
            writer.write(&batch(start..(start + BATCH_ROWS).min(last))?)?;
        }
        writer.close()?;
        eprintln!("{last} of {rows} rows");
    }
    Ok(())
}
