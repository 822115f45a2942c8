//! The hits of all captures as one file.

use std::fs;
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::PathBuf;

use serde_json::Value;

use crate::archive::{AT_ONCE, Archive};
use crate::{Capture, Hunt, Kept, Report};

/// Puts the hits of all captures into one file, in the order of the captures' names, joined to the records of the archive.
pub fn gather(
    hunt: &Hunt,
    captures: &[Capture],
    records: &[PathBuf],
    kept: &Kept,
    report: &mut Report,
) -> Result<(), String> {
    let mut archive = Archive::open(records)?;
    report.remarks.extend(archive.unreadable());
    let path = hunt.folder.join("hits.json");
    let beside = hunt.folder.join("hits.new");
    let failed = |error: io::Error| format!("{} cannot be written: {error}.", path.display());
    let mut out = BufWriter::new(fs::File::create(&beside).map_err(failed)?);
    let mut broken = 0;
    for capture in captures {
        let found = kept.found_in(capture).unwrap_or_default();
        report.remarks.extend(found.remark);
        let Ok(file) = fs::File::open(kept.hits_in(capture)) else { continue };
        let mut lines = BufReader::new(file).split(b'\n').peekable();
        while lines.peek().is_some() {
            // Some at a time, so that the archive is asked seldom and little is held.
            let mut hits: Vec<Value> = Vec::new();
            for line in lines.by_ref().take(AT_ONCE) {
                match serde_json::from_slice::<Value>(&line.map_err(failed)?) {
                    Ok(hit) => hits.push(hit),
                    Err(_) => broken += 1,
                }
            }
            report.hits += hits.len() as u64;
            report.joined += archive.join(&mut hits)?;
            for mut hit in hits {
                if let Some(members) = hit.as_object_mut() {
                    members.insert("capture".to_owned(), capture.path.to_string_lossy().into());
                }
                serde_json::to_writer(&mut out, &hit).map_err(|error| failed(error.into()))?;
                out.write_all(b"\n").map_err(failed)?;
            }
        }
    }
    out.into_inner().map_err(|error| failed(error.into_error()))?.sync_all().map_err(failed)?;
    fs::rename(&beside, &path).map_err(failed)?;
    if broken > 0 {
        report.remarks.push(format!("{broken} lines of the engine are no records and are left out."));
    }
    report.remarks.extend(archive.remarks());
    Ok(())
}
