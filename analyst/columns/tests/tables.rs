//! Lines come back from the files as they were written.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::fs::File;
use std::path::{Path, PathBuf};

use arrow::array::{Array, RecordBatch};
use arrow::util::display::array_value_to_string;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use weir_columns::file::FileSettings;
use weir_columns::{Declared, Kind, Tables, TablesSettings};

fn settings(folder: &Path, declared: Option<Declared>) -> TablesSettings {
    let schema = if declared.is_some() { "zeek" } else { "eve" };
    TablesSettings {
        folder: folder.to_owned(),
        schema,
        declared,
        files: FileSettings { roll: 1 << 30, level: 1 },
    }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort_by_key(|path| (path.to_string_lossy().len(), path.clone()));
    files
}

fn batches(file: &Path) -> Vec<RecordBatch> {
    let reader =
        ParquetRecordBatchReaderBuilder::try_new(File::open(file).unwrap()).unwrap().build().unwrap();
    reader.map(Result::unwrap).collect()
}

/// Each column of a file as `name type: value | value`.
fn shown(file: &Path) -> Vec<String> {
    let batches = batches(file);
    let schema = batches[0].schema();
    let column = |(place, field): (usize, &std::sync::Arc<arrow::datatypes::Field>)| {
        let values = batches.iter().flat_map(|batch| {
            let array = batch.column(place).clone();
            (0..array.len()).map(move |row| array_value_to_string(&array, row).unwrap())
        });
        format!("{} {}: {}", field.name(), field.data_type(), values.collect::<Vec<_>>().join(" | "))
    };
    schema.fields().iter().enumerate().map(column).collect()
}

/// Writes lines as EVE of the table `x` and returns what is in each of its files.
fn kept(lines: &[&str]) -> Vec<Vec<String>> {
    let folder = tempfile::tempdir().unwrap();
    let mut tables = Tables::new(settings(folder.path(), None));
    for line in lines {
        tables.lines(format!("{{\"event_type\":\"x\",{line}}}\n").as_bytes()).unwrap();
    }
    tables.close().unwrap();
    let files = files(&folder.path().join("eve/x"));
    assert!(files.iter().all(|file| file.extension().unwrap() == "parquet"), "{files:?}");
    let rows: usize = files.iter().flat_map(|file| batches(file)).map(|batch| batch.num_rows()).sum();
    assert_eq!(rows, lines.len());
    files
        .iter()
        .map(|file| shown(file).into_iter().filter(|c| !c.starts_with("event_type")).collect())
        .collect()
}

#[test]
fn values_come_into_columns_of_their_types() {
    let cases: [(&[&str], &[&[&str]]); 16] = [
        (&[r#""a":1"#, r#""b":true"#, r#""a":-3"#], &[&["a Int64: 1 |  | -3", "b Boolean:  | true | "]]),
        (&[r#""a":{"b":{"c":"x"}}"#, r#""a":{"d":1.5}"#], &[&["a.b.c Utf8: x | ", "a.d Float64:  | 1.5"]]),
        (
            &[r#""a":[1,2]"#, r#""b":0"#, r#""a":[]"#, r#""a":[null,3]"#],
            &[&["a List(Int64): [1, 2] |  | [] | [, 3]", "b Int64:  | 0 |  | "]],
        ),
        (
            &[r#""a":[{"b":1},{"c":"x"}]"#, r#""a":[{"b":2,"c":"y"}]"#],
            &[&["a List(Struct(\"b\": Int64, \"c\": Utf8)): [{b: 1, c: }, {b: , c: x}] | [{b: 2, c: y}]"]],
        ),
        (
            &[r#""a":[{"b":[1]},{"b":[2,3]}]"#],
            &[&["a List(Struct(\"b\": List(Int64))): [{b: [1]}, {b: [2, 3]}]"]],
        ),
        (
            &[
                r#""timestamp":"2024-02-29T12:34:56.123456+0100""#,
                r#""flow":{"start":"1970-01-01T00:00:00Z"}"#,
            ],
            &[&[
                "timestamp Timestamp(µs, \"UTC\"): 2024-02-29T11:34:56.123456Z | ",
                "flow.start Timestamp(µs, \"UTC\"):  | 1970-01-01T00:00:00Z",
            ]],
        ),
        // What clients choose stays a text.
        (&[r#""host":"1970-01-01T00:00:00Z""#], &[&["host Utf8: 1970-01-01T00:00:00Z"]]),
        (&[r#""a":"\"\\\u00e9\ud83d\ude00\n""#], &[&["a Utf8: \"\\é😀\n"]]),
        // The first of two values of a name stands.
        (&[r#""a":1,"a":2"#, r#""a":3"#], &[&["a Int64: 1 | 3"]]),
        // Types widen from one file to the next.
        (
            &[r#""a":1"#, r#""a":18446744073709551615"#, r#""a":2"#],
            &[&["a Int64: 1"], &["a UInt64: 18446744073709551615 | 2"]],
        ),
        (&[r#""a":1"#, r#""a":1.5"#], &[&["a Int64: 1"], &["a Float64: 1.5"]]),
        (
            &[r#""a":1,"b":1"#, r#""a":"x","b":2"#, r#""a":true"#],
            &[&["a Int64: 1", "b Int64: 1"], &["a Utf8: x | true", "b Int64: 2 | "]],
        ),
        (
            &[r#""a":"x""#, r#""a":{"b":[1, 2]}"#, r#""a":7"#],
            &[&["a Utf8: x"], &["a Utf8: {\"b\":[1, 2]} | 7"]],
        ),
        (&[r#""a":[1]"#, r#""a":["x"]"#], &[&["a List(Int64): [1]"], &["a List(Utf8): [x]"]]),
        // Names that need backslashes are no beginning of others.
        (
            &[r#""a\":1,\"b":1"#, r#""a":1,"b":2"#],
            &[&["a\":1,\"b Int64: 1 | ", "a Int64:  | 1", "b Int64:  | 2"]],
        ),
        // A member that is an object without members, or nothing, has no column.
        (&[r#""a":{},"b":null,"c":[]"#, r#""c":[{}]"#], &[&["c List(Utf8): [] | []"]]),
    ];
    for (lines, expected) in cases {
        let expected: Vec<Vec<String>> =
            expected.iter().map(|file| file.iter().map(|&c| c.to_owned()).collect()).collect();
        assert_eq!(kept(lines), expected, "{lines:?}");
    }
}

#[test]
fn records_find_their_tables_and_files_their_hours() {
    let folder = tempfile::tempdir().unwrap();
    let mut tables = Tables::new(settings(folder.path(), None));
    for (seconds, line) in [
        (
            0,
            r#"{"timestamp":"1970-01-01T00:00:00Z","event_type":"dns","dns":{"rrname":"\"event_type\":\"no\""}}"#,
        ),
        (0, r#"@cee: {"event_type":"../../up"}"#),
        (7200, r#"{"event_type":"dns"}"#),
        (7200, r#"{"none":1}"#),
    ] {
        if seconds > 0 {
            tables.close().unwrap();
        }
        tables.at(seconds);
        tables.lines(line.as_bytes()).unwrap();
    }
    tables.close().unwrap();
    let mut found = Vec::new();
    for table in files(&folder.path().join("eve")) {
        found.extend(
            files(&table)
                .into_iter()
                .map(|file| file.strip_prefix(folder.path()).unwrap().display().to_string()),
        );
    }
    found.sort();
    assert_eq!(
        found,
        [
            "eve/______up/1970-01-01T00.parquet",
            "eve/dns/1970-01-01T00.parquet",
            "eve/dns/1970-01-01T02.parquet",
            "eve/other/1970-01-01T02.parquet",
        ]
    );
    // What is there stays, until it is cleared.
    tables.lines(b"{\"event_type\":\"dns\"}\n").unwrap();
    tables.close().unwrap();
    assert_eq!(files(&folder.path().join("eve/dns")).len(), 3);
    tables.clear().unwrap();
    assert_eq!(files(&folder.path().join("eve/dns")).len(), 0);
}

#[test]
fn declared_columns_are_there_from_the_first_row_on() {
    let folder = tempfile::tempdir().unwrap();
    let columns =
        [("ts", Kind::Time), ("n", Kind::Int), ("d", Kind::Float), ("s", Kind::List(Box::new(Kind::Text)))];
    let columns = columns.map(|(name, kind)| (name.to_owned(), kind)).to_vec();
    let mut tables =
        Tables::new(settings(folder.path(), Some(Declared { table: "conn".to_owned(), columns })));
    tables.lines(b"{\"ts\":\"1970-01-01T00:00:01.000001Z\",\"d\":5}\n{\"s\":[\"a\"]}\n").unwrap();
    tables.close().unwrap();
    assert_eq!(
        shown(&folder.path().join("zeek/conn/1970-01-01T00.parquet")),
        [
            "ts Timestamp(µs, \"UTC\"): 1970-01-01T00:00:01.000001Z | ",
            "n Int64:  | ",
            "d Float64: 5.0 | ",
            "s List(Utf8):  | [a]"
        ]
    );
}

#[test]
fn lines_that_are_no_records_are_lost_alone() {
    let whole = r#"{"event_type":"x","a":[{"b":1}],"c":{"d":"e"}}"#;
    for cut in 1..whole.len() {
        let folder = tempfile::tempdir().unwrap();
        let mut tables = Tables::new(settings(folder.path(), None));
        let lines = format!("{whole}\n{}\n{whole}\n", &whole[..cut]);
        assert_eq!(tables.lines(lines.as_bytes()).unwrap_err().lost, 1, "{lines}");
        tables.close().unwrap();
        let rows: Vec<usize> = files(&folder.path().join("eve/x"))
            .iter()
            .flat_map(|f| batches(f))
            .map(|b| b.num_rows())
            .collect();
        assert_eq!(rows.iter().sum::<usize>(), 2, "{lines}");
    }
}

#[test]
fn names_that_traffic_chooses_are_kept_as_json() {
    let folder = tempfile::tempdir().unwrap();
    let mut tables = Tables::new(settings(folder.path(), None));
    for row in 0..3000 {
        let line = format!("{{\"event_type\":\"x\",\"map\":{{\"name{row}\":{row}}},\"n\":{row}}}\n");
        tables.lines(line.as_bytes()).unwrap();
    }
    tables.close().unwrap();
    let files = files(&folder.path().join("eve/x"));
    assert_eq!(files.len(), 2, "{files:?}");
    let last = batches(&files[1]);
    let map = last[0].column_by_name("map").unwrap();
    assert_eq!(array_value_to_string(map, 0).unwrap(), "{\"name1024\":1024}");
    let rows: usize = files.iter().flat_map(|file| batches(file)).map(|batch| batch.num_rows()).sum();
    assert_eq!(rows, 3000);
}

/// A file that cannot be ended loses all its rows, however it comes to its end, and leaves nothing; those that follow are kept.
#[test]
fn rows_of_a_file_that_cannot_be_ended_are_counted() {
    const ROWS: u64 = 5_000;
    let record = |more: &str| format!("{{\"event_type\":\"x\",\"n\":1{more}}}\n");
    // Another column begins another file.
    for more in [",\"m\":2", ""] {
        let folder = tempfile::tempdir().unwrap();
        let table = folder.path().join("eve/x");
        let mut tables = Tables::new(settings(folder.path(), None));
        tables.lines(record("").repeat(ROWS as usize).as_bytes()).unwrap();
        assert_eq!(files(&table).len(), 1);
        // A file of a folder that is gone cannot have its name.
        std::fs::remove_dir_all(&table).unwrap();
        tables.lines(record(more).as_bytes()).unwrap();
        let failure = tables.close().unwrap_err();
        let kept: usize = files(&table).iter().map(|file| batches(file)[0].num_rows()).sum();
        assert_eq!(failure.lost + kept as u64, ROWS + 1, "{more}");
        assert!(files(&table).iter().all(|file| file.extension().unwrap() == "parquet"));
    }
}
