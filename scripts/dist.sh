#!/usr/bin/env bash
# Puts together what is published: the Debian package, the program with its files as an archive, the static program
# where `make static` built it, the list of what they are made of, and checksums.
#
#   scripts/dist.sh [FOLDER]     into out/dist where no folder is named
#
# BUILT names the program, where it is not what `make build` or `make release` made.
set -euo pipefail
cd "$(dirname "$0")/.."
umask 022
export LC_ALL=C TZ=UTC
folder=${1:-out/dist}

stop() {
    echo "dist: $*" >&2
    exit 1
}

. scripts/built.sh
rm -rf "$folder"
mkdir -p "$folder"

# archive NAME FOLDER: a tar.gz of a folder that depends on nothing but its content.
archive() {
    tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" --format=ustar -C "$2" -cf - . |
        gzip -9n >"$folder/$1.tar.gz"
}

if command -v dpkg-deb >/dev/null; then
    BUILT=$built scripts/package.sh "$folder"
else
    echo "dist: no Debian package, for dpkg-deb is not here"
fi
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
make --no-print-directory -s install DESTDIR="$stage" PREFIX=/usr/local BUILT="$built" >/dev/null
archive "weir-$version-$machine-linux" "$stage"
if [ -e out/static/weir ]; then
    cp out/static/weir "$folder/weir-$version-$machine-linux-static"
else
    echo "dist: no static program; 'make static' builds it"
fi
scripts/sbom.py >"$folder/weir-$version.cdx.json"
(cd "$folder" && sha256sum -- *) >"$stage/SHA256SUMS"
mv "$stage/SHA256SUMS" "$folder/"
echo "dist: $folder has"
sed 's/^/    /' "$folder/SHA256SUMS"
