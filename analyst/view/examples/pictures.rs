//! Takes pictures of pages for the guide: `pictures ADDRESS FOLDER`, where the address is what `weir view` printed.

#[path = "../tests/chromium/mod.rs"]
#[expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "the browser of tests")]
mod chromium;

use std::path::PathBuf;

/// Finds a page by clicking through those before it.
const TO_CONNECTION: &str =
    "location.hash = document.querySelector('.beside a[href^=\"#/connection\"]').getAttribute('href')";

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [address, folder] = words.as_slice() else {
        eprintln!("pictures: please run it as `pictures ADDRESS FOLDER`");
        return;
    };
    let folder = PathBuf::from(folder);
    let Some(mut browser) = chromium::Chromium::start() else { return };
    let picture = |browser: &mut chromium::Chromium, name: &str| {
        let path = folder.join(name);
        match std::fs::write(&path, browser.picture()) {
            Ok(()) => println!("pictures: {}", path.display()),
            Err(error) => eprintln!("pictures: {} cannot be written: {error}.", path.display()),
        }
    };
    browser.size(1320, 1160);
    browser.open(address);
    browser.ready("overview");
    picture(&mut browser, "view-overview.png");
    browser.size(1320, 620);
    browser.page("#/alerts");
    picture(&mut browser, "view-alerts.png");
    browser.page("#/search?q=src_ip:10.20.0.0/16+and+example");
    picture(&mut browser, "view-search.png");
    browser.size(1320, 900);
    browser.page("#/search?table=eve.alert&q=app_proto:http");
    browser.value("location.hash = document.querySelector('.results tr[data-href]').dataset.href");
    browser.ready("record");
    browser.size(1320, 700);
    picture(&mut browser, "view-alert.png");
    browser.size(1320, 900);
    browser.value(TO_CONNECTION);
    browser.ready("connection");
    browser.value("document.querySelector('#said')?.click()");
    browser.wait("document.querySelectorAll('.said').length > 0");
    picture(&mut browser, "view-connection.png");
}
