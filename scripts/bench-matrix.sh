#!/usr/bin/env bash
# What the ways to build the program are worth: profile-guided optimisation × link-time optimisation ×
# instructions of this very processor.
#
#   scripts/bench-matrix.sh CAPTURE [rule file or pattern]
#
# PGO="no yes", LTO="off thin fat" and NATIVE="no yes" narrow the table. All programs are built first and
# then measured in turn, five times, so that what else the machine does meets them alike.
set -euo pipefail
cd "$(dirname "$0")/.."
export PATH="${CARGO_HOME:-$HOME/.cargo}/bin:$PATH"
capture=${1:?a capture file}
rules=${2:-}
target=${CARGO_TARGET_DIR:-target}
rounds=5
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export TIMEFORMAT='%U %S'

names=()
for native in ${NATIVE:-no yes}; do
    for lto in ${LTO:-off thin fat}; do
        for pgo in ${PGO:-no yes}; do
            name="pgo=$pgo lto=$lto native=$native"
            program=$work/${#names[@]}
            export RUSTFLAGS=
            [ "$native" = no ] || RUSTFLAGS=-Ctarget-cpu=native
            if [ "$pgo" = yes ]; then
                LTO=$lto scripts/pgo.sh "$program"
            else
                CARGO_PROFILE_DIST_LTO=$lto cargo build --profile dist --target-dir "$target/matrix" -p weir
                cp "$target/matrix/dist/weir" "$program"
            fi
            names+=("$name")
        done
    done
done

# seconds way program: CPU seconds of one run.
seconds() {
    local options=(-r "$capture" -l "$work/logs" -k none --summary=json)
    case $1 in
        records) options+=(--disable-detection) ;;
        zeek) options+=(--disable-detection --zeek-logs --set outputs.0.eve-log.enabled=no) ;;
        rules) options+=(-S "$rules") ;;
    esac
    { time "$2" "${options[@]}" >/dev/null 2>&1; } 2>&1 | awk '{ print $1 + $2 }'
}

ways=(records zeek)
[ -z "$rules" ] || ways+=(rules)
for _ in $(seq $rounds); do
    for way in "${ways[@]}"; do
        for index in "${!names[@]}"; do
            seconds "$way" "$work/$index" >>"$work/times.$way.$index"
        done
    done
done
printf '%-32s' "CPU seconds"
printf '%10s' "${ways[@]}"
echo
for index in "${!names[@]}"; do
    printf '%-32s' "${names[$index]}"
    for way in "${ways[@]}"; do
        printf '%10s' "$(sort -n "$work/times.$way.$index" | sed -n "$(((rounds + 1) / 2))p")"
    done
    echo
done
