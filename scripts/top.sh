#!/usr/bin/env bash
# Takes the picture of `weir top` in the guide: of a run that listens on a cable of its own, over which a capture comes.
#
#   scripts/top.sh WEIR CAPTURE [rule file or pattern]
#
# Needs root, ip, tcpreplay, tmux, aha and Chromium; says so in a line where one is missing, and is done.
set -euo pipefail
cd "$(dirname "$0")/.."
for program in ip tcpreplay tmux aha chromium; do
    command -v "$program" >/dev/null || { echo "top: skipped, for $program is not here"; exit 0; }
done
[ "$(id -u)" = 0 ] || { echo "top: skipped, for only root makes networks"; exit 0; }
weir=$(realpath "${1:?the program}")
capture=$(realpath "${2:?a capture}")
rules=${3:-}
work=$(mktemp -d)
network=weir-top-$$
clean() {
    tmux -L "$network" kill-server 2>/dev/null || true
    ip netns pids "$network" 2>/dev/null | xargs -r kill -KILL 2>/dev/null || true
    wait
    ip netns delete "$network" 2>/dev/null || true
    rm -rf "$work"
}
trap clean EXIT

ip netns add "$network"
within() { ip netns exec "$network" "$@"; }
within ip link add there mtu 65535 type veth peer name here mtu 65535
for side in there here; do
    within sysctl -qw "net.ipv6.conf.$side.disable_ipv6=1"
    within ip link set "$side" up
done
options=(-i here -q -l "$work" --set unix-command.enabled=yes --set "unix-command.filename=$work/control.socket")
[ -z "$rules" ] || options+=(-S "$rules")
within "$weir" "${options[@]}" &
until [ -S "$work/control.socket" ]; do
    kill -0 $! || { echo "top: the program ended"; exit 1; }
    sleep 0.2
done
within tcpreplay --quiet --loop=0 --mbps=150 -i there "$capture" >/dev/null 2>&1 &
tmux -L "$network" new-session -d -x 132 -y 46 "'$weir' top --socket '$work/control.socket' --interval 2"
sleep 15
tmux -L "$network" capture-pane -e -p | aha --black --title "weir top" >"$work/top.html"
scripts/pages.py --unchecked --picture docs/laboratory-top.png --height=900 "$work/top.html"
