//! Writes many records as Parquet, to measure pages with: `records FOLDER ROWS`. They are the same each time.

#![allow(clippy::indexing_slicing)]

use std::error::Error;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array, RecordBatch, StringArray, TimestampMicrosecondArray};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;

/// Rows that are made at a time.
const BATCH: u64 = 65_536;
/// When the records begin, in microseconds, and how long they last.
const BEGIN: i64 = 1_714_521_600_000_000;
const LENGTH: i64 = 7 * 86_400_000_000;

/// Numbers by a seed, the same each time.
struct Random(u64);

impl Random {
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most.max(1)
    }

    /// Small numbers are more frequent.
    fn skewed(&mut self, most: u64) -> u64 {
        let (one, other) = (self.below(most), self.below(most));
        one * other / most
    }
}

struct Rows {
    times: Vec<i64>,
    random: Random,
}

impl Rows {
    fn texts(&mut self, make: impl Fn(&mut Random) -> String) -> ArrayRef {
        Arc::new((0..self.times.len()).map(|_| Some(make(&mut self.random))).collect::<StringArray>())
    }

    fn numbers(&mut self, make: impl Fn(&mut Random) -> u64) -> ArrayRef {
        Arc::new((0..self.times.len()).map(|_| Some(make(&mut self.random) as i64)).collect::<Int64Array>())
    }

    fn times(&self, later: i64) -> ArrayRef {
        let times = self.times.iter().map(|time| Some(time + later));
        Arc::new(times.collect::<TimestampMicrosecondArray>().with_timezone("UTC"))
    }

    /// The columns that all records have.
    fn common(&mut self) -> Vec<(&'static str, ArrayRef)> {
        vec![
            ("timestamp", self.times(0)),
            ("flow_id", self.numbers(|random| random.below(1 << 31) << 20 | random.below(1 << 20))),
            (
                "src_ip",
                self.texts(|random| {
                    format!("10.{}.{}.{}", random.skewed(4), random.skewed(64), random.below(250))
                }),
            ),
            ("src_port", self.numbers(|random| 1024 + random.below(60_000))),
            (
                "dest_ip",
                self.texts(|random| {
                    format!("{}.{}.{}.7", 20 + random.skewed(180), random.skewed(8), random.skewed(30))
                }),
            ),
            (
                "dest_port",
                self.numbers(|random| if random.below(3) == 0 { 53 } else { 443 - random.below(2) * 363 }),
            ),
            ("proto", self.texts(|random| if random.below(3) == 0 { "UDP" } else { "TCP" }.to_owned())),
        ]
    }
}

fn name(random: &mut Random) -> String {
    format!("host{}.site{}.example", random.skewed(40), random.skewed(5000))
}

fn columns(table: &str, rows: &mut Rows) -> Vec<(&'static str, ArrayRef)> {
    const SERVICES: [&str; 10] =
        ["tls", "dns", "http", "quic", "ssh", "smtp", "smb", "krb5", "rdp", "failed"];
    let mut all = rows.common();
    all.extend(match table {
        "flow" => vec![
            ("app_proto", rows.texts(|random| SERVICES[random.skewed(10) as usize].to_owned())),
            ("flow.bytes_toserver", rows.numbers(|random| 60 + random.skewed(100_000))),
            ("flow.bytes_toclient", rows.numbers(|random| 60 + random.skewed(2_000_000))),
            ("flow.pkts_toserver", rows.numbers(|random| 1 + random.skewed(200))),
            ("flow.pkts_toclient", rows.numbers(|random| 1 + random.skewed(900))),
            ("flow.start", rows.times(-3_000_000)),
            ("flow.end", rows.times(-1_000)),
            (
                "flow.state",
                rows.texts(|random| ["closed", "established", "new"][random.skewed(3) as usize].to_owned()),
            ),
        ],
        "dns" => vec![
            ("dns.type", rows.texts(|random| ["request", "response"][random.below(2) as usize].to_owned())),
            ("dns.rrname", rows.texts(name)),
            ("dns.rcode", rows.texts(|random| ["NOERROR", "NXDOMAIN"][random.skewed(2) as usize].to_owned())),
        ],
        "http" => vec![
            ("http.hostname", rows.texts(name)),
            (
                "http.url",
                rows.texts(|random| format!("/a/{}/b{}.html", random.below(1000), random.below(100_000))),
            ),
            ("http.http_method", rows.texts(|random| ["GET", "POST"][random.skewed(2) as usize].to_owned())),
            ("http.status", rows.numbers(|random| [200, 304, 404][random.skewed(3) as usize])),
            ("http.length", rows.numbers(|random| random.skewed(1_000_000))),
        ],
        "tls" => vec![("tls.sni", rows.texts(name)), ("tls.version", rows.texts(|_| "TLS 1.3".to_owned()))],
        _ => vec![
            ("alert.signature_id", rows.numbers(|random| 2_000_000 + random.skewed(300))),
            (
                "alert.signature",
                rows.texts(|random| format!("MADE rule of this measurement {}", random.skewed(300))),
            ),
            ("alert.severity", rows.numbers(|random| 1 + random.below(3))),
            ("alert.category", rows.texts(|_| "Misc activity".to_owned())),
            ("alert.action", rows.texts(|_| "allowed".to_owned())),
        ],
    });
    all
}

fn write(folder: &Path, table: &str, count: u64) -> Result<(), Box<dyn Error>> {
    let mut rows = Rows { times: Vec::new(), random: Random(count) };
    let mut writer = None;
    let mut done = 0;
    while done < count {
        let these = BATCH.min(count - done);
        rows.times = (done..done + these)
            .map(|row| BEGIN + (LENGTH as i128 * i128::from(row) / i128::from(count)) as i64)
            .collect();
        let batch = RecordBatch::try_from_iter(columns(table, &mut rows))?;
        if writer.is_none() {
            let properties = WriterProperties::builder()
                .set_compression(Compression::ZSTD(ZstdLevel::default()))
                .set_max_row_group_row_count(Some(262_144))
                .set_key_value_metadata(Some(vec![KeyValue::new(
                    weir_columns::TABLE_KEY.to_owned(),
                    format!("eve.{table}"),
                )]))
                .build();
            let file = File::create(folder.join(format!("{table}.parquet")))?;
            writer = Some(ArrowWriter::try_new(file, batch.schema(), Some(properties))?);
        }
        if let Some(writer) = &mut writer {
            writer.write(&batch)?;
        }
        done += these;
    }
    if let Some(writer) = writer {
        writer.close()?;
    }
    println!("{count:>10}  {table}");
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let folder = words.next().ok_or("please run it as `records FOLDER ROWS`")?;
    let rows: u64 = words.next().as_deref().unwrap_or("10000000").parse()?;
    std::fs::create_dir_all(&folder)?;
    for (table, share) in [("flow", 50), ("dns", 25), ("http", 15), ("tls", 8), ("alert", 2)] {
        write(Path::new(&folder), table, rows * share / 100)?;
    }
    Ok(())
}
