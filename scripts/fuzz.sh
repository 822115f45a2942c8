#!/usr/bin/env bash
# Runs fuzz targets one after the other, each from its committed corpus.
#
#   scripts/fuzz.sh MINUTES [target…]     all targets where none is named
#
# What a run discovers is kept in fuzz/target/corpus for the next one; inputs that fail are left in
# fuzz/artifacts. The exit code is 1 when a target failed.
set -euo pipefail
cd "$(dirname "$0")/../fuzz"
export PATH="${CARGO_HOME:-$HOME/.cargo}/bin:$PATH"

minutes=${1:?how many minutes for each target}
shift
if [ $# -eq 0 ]; then
    for file in fuzz_targets/*.rs; do set -- "$@" "$(basename "$file" .rs)"; done
fi

# A target finds no more in longer inputs than this, and is slower on them.
max_bytes=65536
# Seconds for one input, and megabytes for the process, that count as a failure.
timeout_seconds=10
memory_mb=2048

failed=()
for target in "$@"; do
    found=target/corpus/$target
    mkdir -p "$found"
    echo "fuzz: $target for $minutes minutes"
    cargo +nightly fuzz run "$target" "$found" "corpus/$target" -- \
        -max_total_time=$((minutes * 60)) -max_len=$max_bytes -timeout=$timeout_seconds \
        -rss_limit_mb=$memory_mb -print_final_stats=1 || failed+=("$target")
done
if [ ${#failed[@]} -gt 0 ]; then
    echo "fuzz: failed: ${failed[*]}; the inputs are in fuzz/artifacts" >&2
    exit 1
fi
echo "fuzz: $# targets, nothing found"
