#!/usr/bin/env bash
# What Weir takes for a capture: CPU seconds (user and system, all threads), wall seconds, peak memory.
#
#   scripts/bench.sh BINARY CAPTURE [rule file or pattern]
#
# Each line is the median of three runs. Machines differ and are seldom alone, so the time that gzip
# takes for the same capture in the same minutes is measured beside, and is the unit to compare in.
set -euo pipefail
binary=${1:?the program to measure}
capture=${2:?a capture file}
rules=${3:-}
runs=3
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
export TIMEFORMAT='%U %S %R'

# measure command…: the CPU seconds and wall seconds of the middle run.
measure() {
    for _ in $(seq $runs); do
        { time "$@" >"$logs/stdout" 2>"$logs/stderr"; } 2>&1 || { cat "$logs/stderr" >&2; return 1; }
    done | awk '{ print $1 + $2, $3 }' | sort -n | sed -n "$(((runs + 1) / 2))p"
}

# report name command…
report() {
    local name=$1 cpu wall
    shift
    read -r cpu wall < <(measure "$@")
    awk -v name="$name" -v cpu="$cpu" -v wall="$wall" -v unit="${unit:-$cpu}" \
        'BEGIN { printf "%-28s %8.2f s CPU %8.2f s %8.2f gzip\n", name, cpu, wall, cpu / unit }'
    last_cpu=$cpu
}

report "gzip -6" gzip -6 -c "$capture"
unit=$last_cpu
weir=("$binary" -r "$capture" -l "$logs" -k none --summary=json)
report "records only" "${weir[@]}" --disable-detection
if [ -n "$rules" ]; then
    # A capture without packets: its 24 bytes of header.
    printf '\xd4\xc3\xb2\xa1\2\0\4\0\0\0\0\0\0\0\0\0\0\0\4\0\1\0\0\0' >"$logs/nothing.pcap"
    report "loading the rules" "$binary" -r "$logs/nothing.pcap" -l "$logs" -S "$rules" --summary=json
    report "rules and records" "${weir[@]}" -S "$rules"
fi
echo "the last run: $(cat "$logs/stdout")"
