#!/usr/bin/env bash
# Runs `make demo` and `make test` on bare Debian systems: new roots with nothing but make and git, into which the
# last commit is cloned. Shows how long each took and what it left on the disk.
#
#   scripts/bare.sh [12|13|bookworm|trixie…] [demo|test…]     both releases, both targets where none is named
#
# Needs root, debootstrap and a mirror of Debian; where one is missing, says so and is done. `roots.sh` says what a root
# is given, and what MIRROR, SECURITY and TMPDIR (6 GB) are.
set -euo pipefail
cd "$(dirname "$0")/.."

skip() {
    echo "bare: skipped, $*"
    exit 0
}

releases=() targets=()
for word in "$@"; do
    case $word in
        12 | bookworm) releases+=(bookworm) ;;
        13 | trixie) releases+=(trixie) ;;
        demo | test) targets+=("$word") ;;
        *) echo "bare: unknown word '$word': 12, 13, bookworm, trixie, demo or test" >&2; exit 2 ;;
    esac
done
[ ${#releases[@]} -gt 0 ] || releases=(bookworm trixie)
[ ${#targets[@]} -gt 0 ] || targets=(demo test)

. scripts/roots.sh

disk() { du -smx "$@" | awk '{ sum += $1 } END { printf "%.1f GB", sum / 1024 }'; }

failed=0 rows=()
for release in "${releases[@]}"; do
    root=$place/$release
    echo "bare: making a root of $release"
    make_root "$release" "$root" make,git,ca-certificates || { echo "bare: no root of $release could be made" >&2; failed=1; continue; }
    git clone -q --no-hardlinks . "$root/root/weir"
    for target in "${targets[@]}"; do
        echo "bare: make $target on $release"
        begin=$SECONDS result=ok
        inside "$root" "cd /root/weir && make $target" </dev/null || result=FAILED failed=1
        took=$((SECONDS - begin))
        rows+=("$(printf '%-10s make %-6s %-7s %3d min %02d s   target/ %s, all of the root %s' "$release" "$target" "$result" \
            $((took / 60)) $((took % 60)) "$(disk "$root/root/weir/target")" "$(disk "$root")")")
    done
    rm -rf --one-file-system "$root"
done
echo
printf 'bare: %s\n' "${rows[@]}"
exit $failed
