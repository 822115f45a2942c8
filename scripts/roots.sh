# shellcheck shell=bash
# New roots of Debian, for the scripts that source this: with nothing but some packages, and with what an organisation
# gives its machines (this one's mirror, proxies, certificates, name servers, registries of cargo).
#
# Who sources it has a function `skip SENTENCE`, which ends the script, and the list `releases`. It makes the folder
# `place`, which goes when the script ends.
# MIRROR and SECURITY name mirrors where those of this machine are not Debian's; TMPDIR the place for the roots.

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

place=$(mktemp -d "${TMPDIR:-/var/tmp}/weir-root.XXXXXX")
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

# make_root RELEASE FOLDER PACKAGES: makes a root with packages, commas between.
make_root() {
    local release=$1 root=$2 packages=$3 file
    debootstrap --variant=minbase --include="$packages" "$release" "$root" "$mirror" >"$place/log" 2>&1 || {
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
