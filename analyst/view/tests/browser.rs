//! Pages in a real browser.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod chromium;
mod common;

use std::path::PathBuf;

use chromium::Chromium;
use common::{HOSTILE, Running, write_hostile, write_records};
use serde_json::json;
use weir_view::Limits;

/// Nothing went wrong on the pages so far, and no text became markup or ran.
fn check(browser: &mut Chromium, place: &str) {
    let wrong = browser.value(
        "JSON.stringify({ refused, failed, owned: window.owned ?? null, \
         markup: document.querySelectorAll('main img, main iframe, main script, main object, main style, main [onerror]').length, \
         numbers: /NaN|undefined|Infinity/.test([...document.querySelectorAll('main svg, .tiles')].map(part => part.outerHTML).join('')), \
         unnamed: [...document.querySelectorAll('button, input, a[href]')].filter(part => !(part.textContent.trim() || part.ariaLabel || part.title || part.querySelector('title') || part.labels?.length)).length, \
         heads: [...document.querySelectorAll('main table')].filter(table => !table.querySelector('th[scope]') || !table.caption).length })",
    );
    let expected = json!({"refused": [], "failed": [], "owned": null, "markup": 0, "numbers": false, "unnamed": 0, "heads": 0});
    assert_eq!(
        serde_json::from_str::<serde_json::Value>(wrong.as_str().unwrap()).unwrap(),
        expected,
        "{place}"
    );
}

fn text(browser: &mut Chromium) -> String {
    browser.value("document.querySelector('main').innerText").as_str().unwrap().to_owned()
}

#[test]
fn from_the_overview_down_to_bytes() {
    let Some(mut browser) = Chromium::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    let capture = write_records(folder.path());
    let records: Vec<PathBuf> =
        ["eve.json", "conn.log", "http.log"].iter().map(|name| folder.path().join(name)).collect();
    let running = Running::start(&records, &[capture], Limits::default());
    browser.open(&running.address);
    browser.ready("overview");
    check(&mut browser, "overview");
    // The secret does not stay in the address.
    assert_eq!(browser.value("location.search"), "");
    let page = text(&mut browser);
    for word in ["TEST evil", "10.0.0.53", "Packets the kernel dropped", "not known", "eve.flow"] {
        assert!(page.contains(word), "{word}: {page}");
    }
    assert_eq!(browser.value("document.querySelectorAll('main svg rect[class^=k]').length"), 2);
    // Each bar is a search that finds its connections.
    browser.value("location.hash = document.querySelector('main svg a').getAttribute('href')");
    browser.ready("search");
    assert_eq!(browser.value("document.querySelectorAll('.results tbody tr').length"), 1);
    check(&mut browser, "bar");

    browser.key("a");
    browser.ready("alerts");
    check(&mut browser, "alerts");
    assert!(text(&mut browser).contains("3 alerts of 2 rules"));
    // By keys alone: the first rule, its alert, its bytes.
    browser.key("j");
    browser.key("Enter");
    browser.ready("search");
    check(&mut browser, "alerts of a rule");
    assert_eq!(browser.value("document.querySelectorAll('.results tbody tr').length"), 1);
    browser.key("j");
    browser.key("Enter");
    browser.ready("record");
    check(&mut browser, "alert");
    let marked = browser.value(
        "JSON.stringify([...document.querySelectorAll('.hex mark')].map(mark => mark.textContent.trim()))",
    );
    assert_eq!(marked, json!(["47 45 54", "2f 78", "GET", "/x"]).to_string());
    let page = text(&mut browser);
    assert!(page.contains("weir explain sid:7"), "{page}");
    assert!(page.contains("Its connection") && page.contains("conn"), "{page}");

    browser.value("document.querySelector('.beside a[href^=\"#/connection\"]').click()");
    browser.ready("connection");
    check(&mut browser, "connection");
    let page = text(&mut browser);
    for word in ["10.0.0.1:1000 → 10.0.0.2:80 tcp", "Cabc", "1002", "1:", "GET evil.example/x", "7 records"]
    {
        assert!(page.contains(word), "{word}: {page}");
    }
    browser.value("document.querySelector('#said').click()");
    browser.wait("document.querySelectorAll('.said').length === 2");
    let said = browser.value("JSON.stringify([...document.querySelectorAll('.said')].map(part => [part.className, part.textContent]))");
    assert_eq!(said, json!([["said client", "GET /x"], ["said server", "hello"]]).to_string());
    check(&mut browser, "bytes");

    // A link holds the whole state: opened anew, the same is there.
    let link = browser.value("location.href").as_str().unwrap().to_owned();
    browser.open("about:blank");
    browser.open(&link);
    browser.ready("connection");
    assert!(text(&mut browser).contains("Cabc"));
}

#[test]
fn searches_by_keys() {
    let Some(mut browser) = Chromium::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    write_records(folder.path());
    let running = Running::start(&[folder.path().to_owned()], &[], Limits::default());
    browser.open(&running.address);
    browser.ready("overview");
    browser.key("/");
    browser.write("src_ip:10.0.0.0/8 and dest_port:80");
    browser.key("Enter");
    browser.ready("search");
    check(&mut browser, "search");
    assert_eq!(browser.value("document.querySelectorAll('.results tbody tr').length"), 4);
    assert_eq!(
        browser.value("decodeURIComponent(location.hash)"),
        "#/search?q=src_ip:10.0.0.0/8+and+dest_port:80"
    );
    // A value on the left makes the search narrower.
    browser.value("[...document.querySelectorAll('.facets a')].find(link => link.textContent.startsWith('eve.http')).click()");
    browser.ready("search");
    assert_eq!(browser.value("document.querySelectorAll('.results tbody tr').length"), 1);
    browser.page("#/search?q=a:");
    assert!(text(&mut browser).contains("There is no value for a."));
    browser.page("#/nowhere");
}

#[test]
fn light_and_dark() {
    let Some(mut browser) = Chromium::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    write_records(folder.path());
    let running = Running::start(&[folder.path().to_owned()], &[], Limits::default());
    let ground = "getComputedStyle(document.documentElement).backgroundColor";
    let mut grounds = Vec::new();
    for scheme in ["light", "dark"] {
        browser.call(
            "Emulation.setEmulatedMedia",
            json!({"features": [{"name": "prefers-color-scheme", "value": scheme}]}),
        );
        browser.open(&running.address);
        browser.ready("overview");
        grounds.push(browser.value(ground));
    }
    assert_ne!(grounds[0], grounds[1]);
    browser.key("t");
    assert_eq!(browser.value(ground), grounds[0]);
    browser.key("?");
    browser.wait("document.querySelector('dialog').open");
    check(&mut browser, "help");
}

/// What traffic chose is text on every page, whatever it is.
#[test]
fn hostile_records() {
    let Some(mut browser) = Chromium::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    write_hostile(folder.path(), HOSTILE, 100_000);
    let running = Running::start(&[folder.path().to_owned()], &[], Limits::default());
    browser.open(&running.address);
    browser.ready("overview");
    let id = "9223372036854775807";
    let time = "1714557600000000";
    let mut pages = vec![
        "#/overview".to_owned(),
        "#/alerts".to_owned(),
        "#/search?q=script".to_owned(),
        "#/search?field=src_ip".to_owned(),
        format!("#/connection?id={id}&time={time}"),
    ];
    for table in ["alert", "http", "dns", "tls", "fileinfo", "flow"] {
        pages.push(format!("#/search?table=eve.{table}"));
        pages.push(format!("#/record?table=eve.{table}&time={time}&flow={id}"));
    }
    for page in pages {
        browser.page(&page);
        check(&mut browser, &page);
        let shown = text(&mut browser);
        assert!(shown.contains("<script>window.owned=1</script>"), "{page}: {shown}");
        assert!(!shown.contains('\u{202e}') && !shown.contains('\u{0}'), "{page}");
        assert!(shown.contains("\\u202e"), "{page}: {shown}");
    }
    // Addresses may be hostile, too.
    let evil = browser.value(&format!("encodeURIComponent({})", json!(HOSTILE))).as_str().unwrap().to_owned();
    for page in [
        format!("#/search?q={evil}"),
        format!("#/search?table={evil}"),
        format!("#/record?table={evil}"),
        format!("#/connection?id={evil}"),
    ] {
        browser.page(&page);
        check(&mut browser, &page);
    }
}
