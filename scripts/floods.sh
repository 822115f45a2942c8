#!/usr/bin/env bash
# Attacks on memory and time: makes captures of floods, runs them, and shows for each the packet rate
# beside that of ordinary traffic, peak memory, and the counters that tell of it.
#
#   scripts/floods.sh BINARY GENERATOR [CAPTURE [rule file or pattern]]
#
# Needs 6 GB in $TMPDIR. CAPTURE is the ordinary traffic to compare with.
set -euo pipefail
binary=${1:?the program to run}
generator=${2:?the program that writes attacks}
ordinary=${3:-sample/sample.pcap}
rules=${4:-}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
command=("$binary" -k none --summary=json)
[ -z "$rules" ] || command+=(-S "$rules")

# seconds capture: CPU seconds of a run.
seconds() {
    local TIMEFORMAT='%U %S'
    rm -rf "$folder/logs" && mkdir "$folder/logs"
    { time "${command[@]}" -r "$1" -l "$folder/logs" >"$folder/summary.json" 2>"$folder/errors"; } 2>&1 |
        awk '{ print $1 + $2 }'
}

# number name: a number of the last run's summary.
number() { grep -o "\"$1\":[0-9]*" "$folder/summary.json" | head -1 | cut -d: -f2; }

# counters pattern: the counters of the last run that are not zero and match.
counters() {
    python3 - "$folder/logs/eve.json" "$1" <<'PYTHON'
import json, re, sys
stats = {}
with open(sys.argv[1]) as lines:
    for line in lines:
        if '"event_type":"stats"' in line:
            stats = json.loads(line)["stats"]
def walk(prefix, tree):
    for key, value in tree.items():
        if isinstance(value, dict):
            yield from walk(f"{prefix}{key}.", value)
        elif isinstance(value, int) and value and re.search(sys.argv[2], prefix + key):
            yield f"{prefix}{key} {value}"
print("    " + ", ".join(walk("", stats)))
PYTHON
}

# A capture without packets: its 24 bytes of header.
printf '\xd4\xc3\xb2\xa1\2\0\4\0\0\0\0\0\0\0\0\0\0\0\4\0\1\0\0\0' >"$folder/nothing.pcap"
start=$(seconds "$folder/nothing.pcap")

# report name capture: a row of the table; the first row is what the others are compared with.
report() {
    local spent rate
    spent=$(seconds "$2")
    rate=$(awk -v packets="$(number packets)" -v spent="$spent" -v start="$start" \
        'BEGIN { t = spent - start; printf "%d", packets / (t > 0.001 ? t : 0.001) }')
    : "${usual:=$rate}"
    awk -v name="$1" -v packets="$(number packets)" -v rate="$rate" -v usual="$usual" \
        -v memory="$(number peak_memory)" \
        'BEGIN { printf "%-28s %10d packets %9d a CPU second %6.2f × ordinary %6d MB\n",
                 name, packets, rate, rate / usual, memory / 1e6 }'
}

report "ordinary traffic" "$ordinary"
while read -r kind size pattern; do
    "$generator" "$kind" "$size" >"$folder/flood.pcap"
    report "$kind $size" "$folder/flood.pcap"
    counters "$pattern"
    rm "$folder/flood.pcap"
done <<'FLOODS'
syn 5M ^(flow.(total|get_used|emerg.*|memuse)|tcp.(sessions|ssn_memcap_drop))$
fragments 2M ^defrag
stream 4G ^tcp.(sessions|reassembly.*|stream_depth_reached|.*memuse)$
holes 1G ^tcp.(sessions|reassembly.*|stream_depth_reached|.*memuse)$
flows 1M ^(flow.(total|get_used|emerg.*|memuse)|tcp.(sessions|ssn_memcap_drop))$
FLOODS
