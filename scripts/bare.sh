#!/usr/bin/env bash
# Runs `make demo` and `make test` on bare Debian systems: new roots with nothing but make and git, into which the
# last commit is cloned. Shows how long each took and what it left on the disk.
#
#   scripts/bare.sh [12|13|bookworm|trixie…] [demo|test…]     both releases, both targets where none is named
#
# Needs root, debootstrap and a mirror of Debian; where one is missing, says so and is done. A root is given what an
# organisation gives its machines: this one's mirror, proxies, certificates, name servers, and registries of cargo.
# MIRROR and SECURITY name mirrors where those of this machine are not Debian's; TMPDIR the place for the roots (6 GB).
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

[ "$(id -u)" = 0 ] || skip "a new root can be made by root only"
command -v debootstrap >/dev/null || skip "debootstrap is not installed ('apt-get install debootstrap' does that)"
unshare --mount true 2>/dev/null || skip "this machine lets nobody mount anything"

# repository SUFFIX: where apt gets this machine's own release from.
repository() {
    # shellcheck disable=SC1091
    . /etc/os-release
    [ "${ID:-}" = debian ] || return 0
    apt-get indextargets --format '$(RELEASE) $(REPO_URI)' 'Created-By: Packages' |
        awk -v release="$VERSION_CODENAME$1" '$1 == release { print $2; exit }'
}
mirror=${MIRROR:-$(repository '')}
security=${SECURITY:-$(repository -security)}
[ -n "$mirror" ] && [ -n "$security" ] || skip "no mirror of Debian is known here (MIRROR=address SECURITY=address)"

place=$(mktemp -d "${TMPDIR:-/var/tmp}/weir-bare.XXXXXX")
# Roots have no such folder.
unset TMPDIR
# Mounts are in a namespace of their own and end with what runs in it, so that nothing but files is left.
trap 'rm -rf --one-file-system "$place"' EXIT
trap 'exit 130' INT TERM

/usr/lib/apt/apt-helper -o APT::Sandbox::User=root download-file "${mirror%/}/dists/${releases[0]}/Release" "$place/Release" >/dev/null 2>&1 ||
    skip "the mirror of Debian cannot be reached"

# What apt is told of proxies and the like, and what debootstrap is.
apt_settings() { apt-config dump | grep -E '^Acquire::(http|https|ftp|Check|Retries|AllowInsecure)' || true; }
eval "$(apt-config shell proxy Acquire::http::Proxy)"
[ -z "${proxy:-}" ] || export http_proxy="${http_proxy:-$proxy}"

# copy FILE ROOT: to the same place in a root, where it is there.
copy() { [ ! -e "$1" ] || { mkdir -p "$2$(dirname "$1")" && cp -rL "$1" "$2$(dirname "$1")/"; }; }

# trust ROOT: has it trust the certificates that this machine trusts, whichever way they came here.
trust() {
    local bundle=etc/ssl/certs/ca-certificates.crt
    [ ! -e "/$bundle" ] || awk -v folder="$1/usr/local/share/ca-certificates" '
        /BEGIN CERTIFICATE/ { block = "" }
        { block = block $0 "\n" }
        /END CERTIFICATE/ && FNR == NR { known[block] = 1 }
        /END CERTIFICATE/ && !(block in known) {
            file = folder "/host-" ++count ".crt"
            printf "%s", block > file
            close(file)
        }' "$1/$bundle" "/$bundle"
    chroot "$1" update-ca-certificates >/dev/null
}

make_root() {
    local release=$1 root=$2 file
    debootstrap --variant=minbase --include=make,git,ca-certificates "$release" "$root" "$mirror" >"$place/log" 2>&1 || {
        tail -n 20 "$place/log" >&2
        return 1
    }
    printf 'deb %s %s main\n' "$mirror" "$release" "$mirror" "$release-updates" "$security" "$release-security" \
        >"$root/etc/apt/sources.list"
    apt_settings >"$root/etc/apt/apt.conf.d/90host"
    for file in /etc/apt/auth.conf /etc/apt/auth.conf.d /etc/hosts /etc/resolv.conf; do
        copy "$file" "$root"
    done
    trust "$root"
    mkdir -p "$root/root/.cargo"
    for file in config config.toml; do
        file=${CARGO_HOME:-$HOME/.cargo}/$file
        [ ! -e "$file" ] || cp -L "$file" "$root/root/.cargo/"
    done
    git clone -q --no-hardlinks . "$root/root/weir"
}

# inside ROOT COMMAND: runs it in a root, with proxies and cargo's registries in its surroundings and nothing else.
inside() {
    local root=$1 name
    shift
    local surroundings=(PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TERM="${TERM:-dumb}")
    for name in $(compgen -e); do
        case $name in
            CARGO_HOME | CARGO_TARGET_DIR | CARGO_MANIFEST* | CARGO_PKG_*) ;;
            CARGO_* | http_proxy | https_proxy | all_proxy | no_proxy | HTTP_PROXY | HTTPS_PROXY | ALL_PROXY | NO_PROXY)
                surroundings+=("$name=${!name}") ;;
        esac
    done
    unshare --mount --pid --fork --kill-child sh -eu -c '
        root=$1; shift
        mount -t proc proc "$root/proc"
        mount -t sysfs -o ro sysfs "$root/sys"
        mount --rbind /dev "$root/dev"
        exec env -i "$@"' sh "$root" "${surroundings[@]}" chroot "$root" sh -c "$*"
}

disk() { du -smx "$@" | awk '{ sum += $1 } END { printf "%.1f GB", sum / 1024 }'; }

failed=0 rows=()
for release in "${releases[@]}"; do
    root=$place/$release
    echo "bare: making a root of $release"
    make_root "$release" "$root" || { echo "bare: no root of $release could be made" >&2; failed=1; continue; }
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
