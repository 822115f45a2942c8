#!/usr/bin/env bash
# Builds the program as it is shipped, optimised by a profile of how it runs.
#
#   scripts/pgo.sh PROGRAM [capture…]
#
# PROGRAM is where the program is put. It is built once so that it counts what it does, run over the
# captures (sample/sample.pcap where none is named) in each way it is used, and built again with the
# counts. LTO=off|thin|fat and RUSTFLAGS are passed on to both builds.
set -euo pipefail
cd "$(dirname "$0")/.."
export PATH="${CARGO_HOME:-$HOME/.cargo}/bin:$PATH"
program=${1:?where to put the program}
shift
[ $# -gt 0 ] || set -- sample/sample.pcap
rounds=5

host=$(rustc -vV | sed -n 's/^host: //p')
tools=$(rustc --print sysroot)/lib/rustlib/$host/bin
[ -x "$tools/llvm-profdata" ] || rustup component add llvm-tools
target=${CARGO_TARGET_DIR:-target}/pgo
counts=$(mktemp -d)
trap 'rm -rf "$counts"' EXIT
flags=${RUSTFLAGS:-}
export CARGO_PROFILE_DIST_LTO=${LTO:-fat}

# A target that is named keeps the flags away from build scripts and macros.
build() { RUSTFLAGS="$flags $1" cargo build --profile dist --target "$host" --target-dir "$target" -p weir; }

build "-Cprofile-generate=$counts"
counting=$target/$host/dist/weir
for capture in "$@"; do
    for _ in $(seq $rounds); do
        for way in "-S sample/sample.rules" "-S sample/sample.rules --zeek-logs" "--disable-detection" \
            "--disable-detection --zeek-logs --set outputs.0.eve-log.enabled=no"; do
            # shellcheck disable=SC2086 # several words
            "$counting" -r "$capture" -l "$counts/logs" -k none --summary=json $way >/dev/null
        done
    done
done
"$tools/llvm-profdata" merge -o "$counts/profile" "$counts"/*.profraw
build "-Cprofile-use=$counts/profile"
mkdir -p "$(dirname "$program")"
cp "$target/$host/dist/weir" "$program"
