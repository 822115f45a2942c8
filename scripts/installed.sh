#!/usr/bin/env bash
# Installs a package on a bare Debian system, a new root, and looks at what is there: the program and its demo, its
# manual pages and completions, the user, the units, the check of the service's settings, rules that are updated; then
# removes it.
#
#   scripts/installed.sh PACKAGE [12|13|bookworm|trixie…]     Debian 12 where none is named
#
# Needs root, debootstrap and a mirror of Debian; where one is missing, says so and is done. `roots.sh` says what a root
# is given, and what MIRROR, SECURITY and TMPDIR (1 GB) are.
set -euo pipefail
package=$(realpath "${1:?the package}")
shift
cd "$(dirname "$0")/.."

skip() {
    echo "installed: skipped, $*"
    exit 0
}

releases=()
for word in "$@"; do
    case $word in
        12 | bookworm) releases+=(bookworm) ;;
        13 | trixie) releases+=(trixie) ;;
        *) echo "installed: unknown word '$word': 12, 13, bookworm or trixie" >&2; exit 2 ;;
    esac
done
[ ${#releases[@]} -gt 0 ] || releases=(bookworm)

. scripts/roots.sh

# step RELEASE SENTENCE COMMAND: runs a command within the root of a release and says that what it shows is so.
step() {
    local release=$1 sentence=$2
    shift 2
    inside "$place/$release" "$@" </dev/null >"$place/log" 2>&1 || {
        echo "installed: not so on $release: $sentence" >&2
        tail -n 40 "$place/log" >&2
        return 1
    }
    echo "installed: $sentence"
    sed -n 's/^shown: /    /p' "$place/log"
}

# look RELEASE: all steps on one release.
look() {
    local release=$1 root=$place/$1
    echo "installed: making a root of $release"
    make_root "$release" "$root" ca-certificates || return 1
    cp "$package" "$root/root/weir.deb"
    cp -r sample "$root/root/sample"
    cp sample/sample.rules "$root/var/tmp/"
    step "$release" "apt installs the package and what it depends on" \
        "apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends /root/weir.deb" &&
    step "$release" "the program says its version" "weir --version | sed 's/^/shown: /'" &&
    step "$release" "the demo raises alerts" \
        "cd /root && mkdir demo && weir -r sample/sample.pcap -S sample/sample.rules -l demo --zeek-logs --quiet &&
         grep -c '\"event_type\":\"alert\"' demo/eve.json | sed 's/^/shown: alerts: /' && test -s demo/conn.log" &&
    step "$release" "the user of the service is there" "id weir | sed 's/^/shown: /'" &&
    step "$release" "manual pages and completions are there" \
        "ls /usr/share/man/man1/weir.1.gz /usr/share/man/man1/weir-update.1.gz /usr/share/zsh/vendor-completions/_weir \
            /usr/share/fish/vendor_completions.d/weir.fish && bash -n /usr/share/bash-completion/completions/weir" &&
    step "$release" "settings are kept by dpkg" "dpkg-query -W -f '\${Conffiles}' weir | grep -c /etc/weir/ | sed 's/^/shown: files: /'" &&
    step "$release" "systemd accepts the units" \
        "systemd-analyze verify weir.service weir@eth0.service weir-update.service weir-update.timer" &&
    step "$release" "an update brings rules, as the user of the service" \
        "install -d -o weir -g weir /var/lib/weir && setpriv --reuid weir --regid weir --clear-groups \
            weir update /var/tmp/sample.rules -c /etc/weir/suricata.yaml >/tmp/said && tail -n 1 /tmp/said | sed 's/^/shown: /'" &&
    step "$release" "the service's settings and rules are sound (weir -T)" \
        "install -d /tmp/logs && weir -T -c /etc/weir/suricata.yaml -l /tmp/logs >/tmp/said 2>&1 && tail -n 1 /tmp/said | sed 's/^/shown: /'" &&
    step "$release" "the package can be removed, and nothing of it is left" \
        "DEBIAN_FRONTEND=noninteractive apt-get purge -y -qq weir && test ! -e /usr/bin/weir && test ! -e /etc/weir && test ! -e /var/lib/weir"
}

failed=0
for release in "${releases[@]}"; do
    look "$release" || failed=1
    rm -rf --one-file-system "$place/${release:?}"
done
exit $failed
