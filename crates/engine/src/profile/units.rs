//! `packet_stats.csv`: a line for each packet that was measured, with the ticks of each layer.

use std::fmt::Write;

use weir_base::profile::{Layer, Units};

/// Returns the log: packets by number, of all workers; layers that no packet entered have no column.
pub(super) fn csv(workers: &[Units]) -> String {
    let mut layers: Vec<Layer> = workers.iter().flat_map(|units| units.layers().iter().copied()).collect();
    layers.sort();
    layers.dedup();
    let mut out = String::from("pcap_cnt,ipver,ipproto,total");
    for layer in &layers {
        let _ = match layer.name {
            "" => write!(out, ",{}", layer.stage.name()),
            name => write!(out, ",{} {name}", layer.stage.name()),
        };
    }
    out.push('\n');
    let mut rows: Vec<(usize, _)> = workers
        .iter()
        .enumerate()
        .flat_map(|(worker, units)| units.iter().map(move |unit| (worker, unit)))
        .collect();
    rows.sort_by_key(|(_, unit)| unit.number);
    let places: Vec<Vec<usize>> = workers
        .iter()
        .map(|units| {
            units.layers().iter().map(|layer| layers.binary_search(layer).unwrap_or_default()).collect()
        })
        .collect();
    let mut columns = vec![0u32; layers.len()];
    for (worker, unit) in rows {
        columns.fill(0);
        let mut total = 0;
        for (place, ticks) in unit.parts {
            total += u64::from(*ticks);
            let column = places.get(worker).and_then(|places| places.get(usize::from(*place)));
            if let Some(column) = column.and_then(|column| columns.get_mut(*column)) {
                *column = *ticks;
            }
        }
        let version = match unit.kind.version {
            0 => "?".to_owned(),
            version => version.to_string(),
        };
        let _ = write!(out, "{},{version},{},{total}", unit.number, unit.kind.protocol);
        columns.iter().for_each(|ticks| _ = write!(out, ",{ticks}"));
        out.push('\n');
    }
    out
}

/// Returns a sentence where packets had no room.
pub(super) fn problem(workers: &[Units]) -> Option<String> {
    let left_out: u64 = workers.iter().map(Units::left_out).sum();
    (left_out > 0).then(|| {
        format!(
            "packet_stats.csv lacks {left_out} packets that were measured, for which there was no room; a larger profiling.sample-rate measures fewer."
        )
    })
}

#[cfg(test)]
mod tests {
    use weir_base::profile::layers::{self, PacketKind};
    use weir_base::profile::{Aspect, Rate, Sampler, Stage};

    use super::*;

    /// Measures packets of these numbers, which enter these stages.
    fn measured(packets: &[(u64, &[Stage])]) -> Units {
        let mut units = Units::default();
        let mut sampler = Sampler::new(Rate::OneIn(1), weir_base::profile::Aspects::of(Aspect::Layers));
        layers::forget();
        for (number, stages) in packets {
            sampler.begin();
            layers::begin_unit();
            layers::note_kind(|| PacketKind { version: 4, protocol: 6 });
            stages.iter().for_each(|stage| drop(layers::enter(*stage)));
            layers::end_unit(*number, Some(&mut units));
            sampler.end();
        }
        layers::forget();
        units
    }

    #[test]
    fn packets_of_all_workers_have_lines_by_number() {
        let text = csv(&[measured(&[(1, &[Stage::Flow]), (3, &[])]), measured(&[(2, &[Stage::Decode])])]);
        let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
        assert_eq!(lines[0], ["pcap_cnt", "ipver", "ipproto", "total", "decode", "worker", "flow"]);
        let numbers: Vec<&str> = lines[1..].iter().map(|line| line[0]).collect();
        assert_eq!(numbers, ["1", "2", "3"]);
        for line in &lines[1..] {
            assert_eq!((line[1], line[2], line.len()), ("4", "6", 7), "{line:?}");
            let ticks: Vec<u64> = line[3..].iter().map(|ticks| ticks.parse().unwrap()).collect();
            assert_eq!(ticks[0], ticks[1..].iter().sum::<u64>());
        }
        assert_eq!((lines[2][6], lines[3][4]), ("0", "0"), "what is not entered takes nothing");
    }
}
