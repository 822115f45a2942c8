#!/usr/bin/env bash
# Makes a Debian package of what was built: the program, settings in /etc/weir, units, manual pages, completions.
#
#   scripts/package.sh [FOLDER]     into out/deb where no folder is named
#
# BUILT names the program, where it is not what `make build` or `make release` made. The architecture is that of the
# program; SPEAKER names one that runs on this machine and writes the manual pages, where that one does not.
# The same tree and program give the same package, byte by byte: times are those of the last commit, or of
# SOURCE_DATE_EPOCH.
set -euo pipefail
cd "$(dirname "$0")/.."
umask 022
export LC_ALL=C TZ=UTC
folder=${1:-out/deb}

stop() {
    echo "package: $*" >&2
    exit 1
}

for tool in dpkg-deb dpkg-shlibdeps strip gzip; do
    command -v $tool >/dev/null || stop "$tool is needed ('apt-get install dpkg-dev binutils' installs it)"
done
. scripts/built.sh
case $machine in
    x86_64) architecture=amd64 ;;
    aarch64) architecture=arm64 ;;
esac
prefix=$machine-linux-gnu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/debian/weir
doc=$root/usr/share/doc/weir

# ---- Files ----

make --no-print-directory -s install DESTDIR="$root" PREFIX=/usr UNITDIR=/usr/lib/systemd/system SYSCONFDIR=/etc \
    ZSHDIR=/usr/share/zsh/vendor-completions BUILT="$built" ${SPEAKER:+SPEAKER="$SPEAKER"} >/dev/null
tool=$prefix-strip
command -v "$tool" >/dev/null || tool="strip"
"$tool" --strip-unneeded --remove-section=.comment --remove-section=.note "$root/usr/bin/weir"
install -d "$root/etc/weir" "$root/etc/default"
install -m 644 etc/classification.config etc/reference.config etc/threshold.config etc/update/* "$root/etc/weir"
sed -e 's|/var/lib/suricata/|/var/lib/weir/|' -e 's|/etc/suricata/|/etc/weir/|' etc/suricata.yaml >"$root/etc/weir/suricata.yaml"
install -m 644 etc/debian/default "$root/etc/default/weir"
rm "$doc"/LICENSE-*
{
    cat etc/debian/copyright
    echo "License: MIT"
    sed -e 's/^$/./' -e 's/^/ /' LICENSE-MIT
} >"$doc/copyright"
scripts/sbom.py "$machine-unknown-linux-gnu" >"$doc/sbom.json"
{
    printf 'weir (%s) unstable; urgency=medium\n\n  * What is new is in CHANGELOG.md.gz.\n\n' "$version"
    printf ' -- Weir developers <weir-nsm@users.noreply.github.com>  %s\n' "$(date -R -d "@$SOURCE_DATE_EPOCH")"
} >"$doc/changelog"
find "$root/usr/share/man" "$doc/changelog" "$doc/CHANGELOG.md" -type f -exec gzip -9n {} +

# ---- Control ----

printf 'Source: weir\n\nPackage: weir\nArchitecture: any\n' >"$work/debian/control"
libraries=$(cd "$work" && DEB_HOST_ARCH=$architecture dpkg-shlibdeps -O --admindir=/var/lib/dpkg "-l/usr/lib/$prefix" \
    debian/weir/usr/bin/weir 2>"$work/log" | sed -n 's/^shlibs:Depends=//p') || { cat "$work/log" >&2; stop "dpkg-shlibdeps failed"; }
install -d "$root/DEBIAN"
# The units send signals by procps's kill.
cat >"$root/DEBIAN/control" <<CONTROL
Package: weir
Version: $version
Architecture: $architecture
Maintainer: Weir developers <weir-nsm@users.noreply.github.com>
Installed-Size: $(find "$root" -path "$root/DEBIAN" -prune -o -type f -printf '%s\n' | awk '{ sum += int(($1 + 1023) / 1024) } END { print sum }')
Depends: $libraries, procps, systemd | systemd-standalone-sysusers | systemd-sysusers
Recommends: ca-certificates, libmagic1
Suggests: logrotate, python3
Section: net
Priority: optional
Homepage: https://github.com/weir-nsm/weir
Description: network security monitor
 Weir reads network traffic once, from interfaces or captures, and gives two
 answers: alerts from rules in the Suricata language, as EVE JSON, and records
 of every connection and protocol exchange, as EVE JSON and as Zeek logs.
 .
 It runs scripts in Zeek's language, keeps its rules up to date, and needs no
 other program for any of this.
CONTROL
(cd "$root" && find etc -type f | sort | sed 's|^|/|') >"$root/DEBIAN/conffiles"
(cd "$root" && find usr etc -type f -exec md5sum {} + | sort -k 2) >"$root/DEBIAN/md5sums"
install -m 755 etc/debian/postinst etc/debian/prerm etc/debian/postrm "$root/DEBIAN"
find "$root" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +

mkdir -p "$folder"
package=$folder/weir_${version}_$architecture.deb
dpkg-deb --root-owner-group --uniform-compression -Zxz --build "$root" "$package" >/dev/null
echo "package: $package, $(($(stat -c %s "$package") / 1024)) KiB"
if command -v lintian >/dev/null; then
    lintian --allow-root --fail-on error --suppress-tags-from-file etc/debian/lintian "$package"
    echo "package: lintian finds no error"
else
    echo "package: lintian is not installed here, which would look at it"
fi
