//! Options of Suricata that ask for what Weir does not do: live capture, a place in the system,
//! tests of its own build; and options that other tools of the field have. Each is answered with a sentence that says what to do in its place.

const LIVE: &str = "Weir listens by packet sockets of Linux, `weir -i eth0`, or by libpcap, `weir --pcap=eth0`. For \
                    another way, pipe what a program records: `tcpdump -i eth0 -U -w - | weir -r -`.";
#[cfg(not(feature = "dpdk"))]
const DPDK: &str = "This program was built without DPDK, which takes a card from the system: `make dpdk` builds one with it, where \
                    DPDK's headers are. --af-xdp gets packets without a copy from a card that \
                    the system keeps: give it back to its driver (`dpdk-devbind.py -b ixgbe 0000:01:00.0`), and \
                    `weir --af-xdp=eth0`.";
const INLINE: &str = "Weir stands between two interfaces of Linux: `copy-mode: ips` in the section af-packet, and \
                      `weir --af-packet`; or it decides of queues of the firewall: `weir -q 0`. --simulate-ips inspects a capture as an inline engine would, and records \
                      what it would have dropped.";
const CONTINUOUS: &str = "Weir reads what is there and ends. Start it with --unix-socket and hand the folder \
                          in by pcap-file-continuous, or pipe a growing capture into -r -.";
const ERF: &str = "Weir reads pcap and pcapng. Change the file with `editcap -F pcapng in.erf out.pcapng` \
                   and read that.";
const REJECT: &str = "Weir sends refusals by the interfaces between which it stands (`copy-mode: ips` in the section \
                      af-packet). Elsewhere, records say what would have been refused, and to whom.";
const TESTS: &str = "Weir's tests are not part of the program. `make test` in its sources runs them all.";
const SIMULATED: &str = "Weir does not make limits up. Set the limit itself low, as in \
                         --set flow.memcap=64kb or --set stream.memcap=64kb, to see what its policy does.";
const SERVICE: &str = "Weir installs no service. Use the system's own tools for that.";

/// Options of other tools.
const READ: &str = "A capture is named with -r: `weir -r capture.pcap`.";
const RULES: &str = "Rules are named with -S: `weir -r capture.pcap -S my.rules`.";
const LOGS: &str = "The folder for logs is named with -l: `weir -r capture.pcap -l out/`.";
const JSON: &str =
    "EVE is JSON always, --zeek-logs=json writes Zeek's logs so, and --summary=json the summary.";
const CHECKSUMS: &str = "-k none reads packets with wrong checksums as well.";
const WRITE: &str = "Weir writes no captures but those of `pcap-log`. `tcpdump -r in.pcap -w out.pcap port 53` \
                     writes the packets of a filter.";
const NUMBERS: &str = "Weir looks no names up: leave it out.";
const HELP: &str = "`weir --help` lists all there are.";

/// Options and the sentence for them; one ending in `*` stands for all that begin so.
const SENTENCES: &[(&[&str], &str)] = &[
    #[cfg(not(feature = "dpdk"))]
    (&["--dpdk"], DPDK),
    (&["--netmap", "--dag", "--napatech"], LIVE),
    (&["--pfring*"], LIVE),
    (&["-d", "--windivert*"], INLINE),
    (&["--pcap-file-continuous"], CONTINUOUS),
    (&["--erf-in"], ERF),
    (&["--reject-dev"], REJECT),
    (&["-u", "-U", "--unittest*", "--list-unittests", "--fatal-unittests", "--qa-*"], TESTS),
    (&["--simulate-packet-*", "--simulate-applayer-*", "--simulate-alert-*"], SIMULATED),
    (&["--service-*"], SERVICE),
    (&["--read", "--readfile", "--file", "--input"], READ),
    (&["--rules", "--rule-file", "--rule"], RULES),
    (&["-o", "--output", "--output-dir", "--logdir", "--log-dir"], LOGS),
    (&["-j", "--json"], JSON),
    (&["-C", "--no-checksums"], CHECKSUMS),
    (&["-w", "--write"], WRITE),
    (&["-n", "-nn"], NUMBERS),
    (&["-?"], HELP),
];

/// The long options with a sentence, but for those that stand for many.
pub fn names() -> impl Iterator<Item = &'static str> {
    SENTENCES
        .iter()
        .flat_map(|(options, _)| *options)
        .copied()
        .filter(|name| name.starts_with("--") && !name.ends_with('*'))
}

/// The sentence for the first of the words that is such an option.
pub fn answer(words: impl IntoIterator<Item = String>) -> Option<String> {
    words.into_iter().take_while(|word| word != "--").find_map(|word| {
        let name = word.split('=').next().unwrap_or_default();
        let is_it = |option: &&str| match option.strip_suffix('*') {
            Some(start) => name.starts_with(start),
            None => name == *option,
        };
        let (_, sentence) = SENTENCES.iter().find(|(options, _)| options.iter().any(is_it))?;
        Some(format!("There is no option {name}. {sentence}"))
    })
}

#[cfg(test)]
mod tests {
    use super::answer;

    #[test]
    fn options_that_are_not_here() {
        let cases = [
            #[cfg(not(feature = "dpdk"))]
            ("--dpdk", "--af-xdp"),
            ("--netmap=eth0 -S a.rules", "tcpdump"),
            ("--pfring-cluster-id 99", "tcpdump"),
            ("--simulate-packet-flow-memcap=1", "flow.memcap"),
            ("--read a.pcap", "`weir -r capture.pcap`"),
            ("-r a --rules b", "-S"),
            ("-r a -o out", "-l out/"),
            ("-C -r a", "-k none"),
            ("-n -r a", "leave it out"),
        ];
        for (line, part) in cases {
            let said = answer(line.split(' ').map(str::to_owned));
            assert!(said.as_ref().is_some_and(|said| said.contains(part)), "{line}: {said:?}");
        }
        for line in ["-r a.pcap --simulate-ips -k none", "-r a -- -i"] {
            assert_eq!(answer(line.split(' ').map(str::to_owned)), None, "{line}");
        }
    }
}
