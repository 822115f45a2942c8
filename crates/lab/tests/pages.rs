//! Pages in a real browser, where there is one: see `scripts/pages.py`.

#![allow(clippy::expect_used)]

use std::path::Path;
use std::process::Command;

use weir_lab::report::{Cell, Chart, Look, Part, Report, Series, Table};
use weir_lab::summary::Node;

/// Text that would be markup if it were not kept from that.
const HOSTILE: &str =
    "</script><img src=x onerror=\"document.title='owned'\"><script>alert(1)</script>&lt;b&gt; \u{202e}";

fn chart(look: Look, points: Vec<(f64, f64)>) -> Part {
    let series = |name: &str| Series {
        name: name.to_owned(),
        errors: vec![0.5; points.len()],
        points: points.clone(),
    };
    Part::Chart(Chart {
        title: HOSTILE.to_owned(),
        note: HOSTILE.to_owned(),
        look,
        across: "time [s]".to_owned(),
        upward: "memory [MB]".to_owned(),
        words: vec![HOSTILE.to_owned(), "b".to_owned(), "c".to_owned()],
        series: vec![series(HOSTILE), series("other")],
    })
}

#[test]
fn a_browser_finds_nothing_wrong_with_a_page_of_all_parts_and_hostile_strings() {
    let leaf = |name: &str, value| Node { name: name.to_owned(), value, children: Vec::new() };
    let root = Node { children: vec![leaf(HOSTILE, 70), leaf("b", 30)], ..leaf("all", 100) };
    let row = |name: &str, number: f64| vec![Cell::from(name), Cell::from(number), Cell::Empty];
    let column = |title: &str, unit: &str| (title.to_owned(), unit.to_owned());
    let points = vec![(0.0, 1.0), (1.0, 5.0), (2.0, 3.0)];
    let report = Report {
        title: HOSTILE.to_owned(),
        subtitle: HOSTILE.to_owned(),
        findings: vec![HOSTILE.to_owned()],
        parts: vec![
            Part::Table(Table {
                title: HOSTILE.to_owned(),
                note: HOSTILE.to_owned(),
                columns: vec![column(HOSTILE, ""), column("bytes", "bytes"), column("nothing", "percent")],
                rows: vec![row("b", 2e6), row(HOSTILE, 1e9), row("a", -3.0), row("c", 0.0)],
            }),
            Part::Flame { title: HOSTILE.to_owned(), unit: "nanoseconds".to_owned(), root },
            chart(Look::Lines, points.clone()),
            chart(Look::Stacked, points.clone()),
            chart(Look::Bars, points),
            chart(Look::Lines, Vec::new()),
            Part::Text { title: HOSTILE.to_owned(), text: HOSTILE.to_owned() },
        ],
    };
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("page.html");
    std::fs::write(&path, report.html()).expect("a file");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/pages.py");
    let Ok(run) = Command::new("python3").arg(script).arg(&path).output() else {
        eprintln!("skipped: there is no Python here");
        return;
    };
    let said = String::from_utf8_lossy(&run.stdout);
    assert!(run.status.success(), "{said}{}", String::from_utf8_lossy(&run.stderr));
    assert!(said.contains("right") || said.contains("skipped"), "{said}");
    eprintln!("{}", said.trim());
}
