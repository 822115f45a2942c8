#!/usr/bin/env bash
# Builds a program that needs nothing of the system it runs on, with musl, without Hyperscan and libmagic.
#
#   scripts/static.sh OUTPUT
#
# PROFILE names the profile of cargo, `release` where none is named. Needs Debian's musl-tools, flex and bison, Rust's
# target for musl, and the source of libpcap, which apt loads; LIBPCAP names a folder with that source, else.
set -euo pipefail
cd "$(dirname "$0")/.."
export PATH="${CARGO_HOME:-$HOME/.cargo}/bin:$PATH"
output=${1:?where to put the program}
profile=${PROFILE:-release}
machine=$(uname -m)
triple=$machine-unknown-linux-musl
work=$(mkdir -p "${CARGO_TARGET_DIR:-target}/static" && cd "${CARGO_TARGET_DIR:-target}/static" && pwd)

stop() {
    echo "static: $*" >&2
    exit 1
}

for tool in musl-gcc flex bison make; do
    command -v $tool >/dev/null || stop "$tool is needed ('apt-get install musl-tools flex bison make' installs it)"
done
[ -d "$(rustc --print sysroot)/lib/rustlib/$triple" ] || rustup target add "$triple" ||
    stop "Rust has no target $triple here ('rustup target add $triple' adds it)"

# The kernel's headers, which musl leaves to the system.
mkdir -p "$work/include"
for folder in /usr/include/linux /usr/include/asm-generic "/usr/include/$machine-linux-gnu/asm"; do
    ln -sfn "$folder" "$work/include/$(basename "$folder")"
done
compiler="musl-gcc -idirafter $work/include"

# load_libpcap: the source of Debian's package, from where apt gets packages.
load_libpcap() {
    mkdir -p "$work/source" "$work/lists/partial"
    local address release
    # shellcheck disable=SC1091
    release=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
    address=$(apt-get indextargets --format "\$(RELEASE) \$(REPO_URI)" 'Created-By: Packages' |
        awk -v release="$release" '$1 == release { print $2; exit }')
    [ -n "$address" ] || stop "apt knows no mirror here; please name a folder with the source of libpcap: LIBPCAP=folder"
    echo "deb-src $address $release main" >"$work/sources.list"
    local options=(-o "Dir::Etc::sourcelist=$work/sources.list" -o Dir::Etc::sourceparts=- -o "Dir::State::lists=$work/lists"
        -o APT::Sandbox::User=root -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache=)
    apt-get "${options[@]}" update -qq
    (cd "$work/source" && apt-get "${options[@]}" source -qq --download-only libpcap && tar xf libpcap_*.orig.tar.?z)
    LIBPCAP=$(find "$work/source" -maxdepth 1 -type d -name 'libpcap-*' | head -n 1)
}

if [ ! -e "$work/lib/libpcap.a" ]; then
    [ -n "${LIBPCAP:-}" ] || load_libpcap
    mkdir -p "$work/libpcap" "$work/lib"
    source=$(cd "$LIBPCAP" && pwd)
    (
        cd "$work/libpcap"
        CC=$compiler "$source/configure" --quiet --host="$machine-linux-musl" --disable-shared --disable-dbus --disable-usb \
            --disable-bluetooth --disable-rdma --without-libnl --without-dpdk --without-dag --without-snf >configure.log
        make -s libpcap.a >make.log 2>&1 || { tail make.log; exit 1; }
    ) || stop "libpcap could not be built"
    cp "$work/libpcap/libpcap.a" "$work/lib/"
fi

name=${triple//-/_}
env "CC_$name=$compiler" LIBPCAP_LIBDIR="$work/lib" LIBPCAP_VER=1.10.0 PCRE2_SYS_STATIC=1 \
    RUSTFLAGS="${RUSTFLAGS:-} -Ctarget-feature=+crt-static -Lnative=$work/lib" \
    cargo build --profile "$profile" -p weir --target "$triple" --target-dir "$work/build"
mkdir -p "$(dirname "$output")"
cp "$work/build/$triple/$profile/weir" "$output"
if readelf -d "$output" 2>/dev/null | grep -q NEEDED; then
    stop "$output needs libraries of the system"
fi
echo "static: $output needs no library of the system"
