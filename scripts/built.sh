# shellcheck shell=bash
# The program that was built, for the scripts that source this: `target`, the folder of builds; `built`, the program; `machine`, the
# processor it is for, in words of `uname -m`; `version`; and SOURCE_DATE_EPOCH, the time of the last commit where it is
# not set.
#
# BUILT names the program, where it is not the newest that `make build` and `make release` made. Who sources this stands
# in the project's folder, and has a function `stop SENTENCE`, which ends the script.

target=${CARGO_TARGET_DIR:-target}
# shellcheck disable=SC2012
built=${BUILT:-$(ls -t "$target"/profiled/weir "$target"/release/weir 2>/dev/null | head -n 1 || true)}
[ -n "$built" ] || stop "nothing is built yet; please run 'make build' first"
[ -e "$built" ] || stop "there is no program $built"
command -v readelf >/dev/null || stop "readelf is needed ('apt-get install binutils' installs it)"
# shellcheck disable=SC2034
case $(readelf -h "$built" | sed -n 's/^ *Machine: *//p') in
    *X86-64) machine=x86_64 ;;
    AArch64) machine=aarch64 ;;
    *) stop "$built is neither for amd64 nor for arm64" ;;
esac
# shellcheck disable=SC2034
version=$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' Cargo.toml)
if [ -z "${SOURCE_DATE_EPOCH:-}" ]; then
    SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null) || stop "no commit tells the time; please set SOURCE_DATE_EPOCH"
fi
export SOURCE_DATE_EPOCH
