#!/bin/bash
# Records sample.pcap: real programs that talk in two network namespaces of their own.
#
#   sudo ./record.sh [output.pcap]
#
# Debian or Ubuntu. Installs what is missing with apt-get; leaves no process, namespace or file
# behind but the capture. Nothing leaves the machine: the namespaces have no other link than the
# one between them. What is recorded is listed in README.md.

set -euo pipefail

readonly LONGEST_SECONDS=240
readonly CLIENT=weir-sample-client SERVER=weir-sample-server
readonly CLIENT_ADDRESS=10.20.0.10 SERVER_ADDRESS=10.20.0.20
readonly PACKAGES=(tcpdump nginx-light dnsmasq-base bind9-dnsutils openssh-server openssh-client
    python3-aiosmtpd swaks openssl curl iproute2 iputils-ping ethtool)
# The standard test string for virus scanners, in two halves so that this script is not taken for it.
readonly EICAR='X5O!P%@AP[4\PZX54(P^)7CC)7}''$EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*'

here=$(cd "$(dirname "$0")" && pwd)
output=$(realpath -m "${1:-$here/sample.pcap}")

if [ -z "${WEIR_SAMPLE_TIMED:-}" ]; then
    # A clean environment: no proxy, no locale, no configuration of the caller.
    exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/nonexistent LC_ALL=C WEIR_SAMPLE_TIMED=1 \
        timeout --kill-after=20 "$LONGEST_SECONDS" "$0" "$output"
fi

[ "$(id -u)" = 0 ] || { echo "record.sh has to run as root, for the namespaces" >&2; exit 1; }

work=$(mktemp -d /tmp/weir-sample.XXXXXX)
chmod 755 "$work"
# Server processes, ended by their own ids.
pids=()
made_run_sshd=

clean_up() {
    trap - EXIT INT TERM
    for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
    wait 2>/dev/null || true
    ip netns del "$CLIENT" 2>/dev/null || true
    ip netns del "$SERVER" 2>/dev/null || true
    rm -rf "$work" "/etc/netns/$CLIENT"
    [ -z "$made_run_sshd" ] || rmdir /run/sshd 2>/dev/null || true
    rmdir /etc/netns 2>/dev/null || true
}
trap clean_up EXIT
trap 'exit 1' INT TERM

at_client() { ip netns exec "$CLIENT" "$@"; }
at_server() { ip netns exec "$SERVER" "$@"; }

# Starts a server that stays in the foreground.
serve() {
    ip netns exec "$SERVER" "$@" >>"$work/servers.log" 2>&1 &
    pids+=($!)
}

# Waits until something listens on a TCP port of the server.
await_port() {
    for _ in $(seq 100); do
        if at_server ss -Hltn "sport = :$1" | grep -q .; then return; fi
        sleep 0.1
    done
    echo "nothing listens on port $1:" >&2
    cat "$work/servers.log" >&2
    exit 1
}

install_packages() {
    local missing=() package
    for package in "${PACKAGES[@]}"; do
        dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
    done
    if [ ${#missing[@]} -gt 0 ]; then
        # The packages' own services are not wanted.
        local policy=/usr/sbin/policy-rc.d own_policy=
        if [ ! -e "$policy" ]; then
            printf '#!/bin/sh\nexit 101\n' >"$policy"
            chmod 755 "$policy"
            own_policy=1
        fi
        DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${missing[@]}" \
            >"$work/apt.log" 2>&1 || { cat "$work/apt.log" >&2; exit 1; }
        [ -z "$own_policy" ] || rm -f "$policy"
    fi
}

make_network() {
    ip netns add "$CLIENT"
    ip netns add "$SERVER"
    ip link add wclient netns "$CLIENT" address 02:00:00:00:00:10 type veth \
        peer name wserver netns "$SERVER" address 02:00:00:00:00:20
    local namespace
    for namespace in "$CLIENT:wclient:$CLIENT_ADDRESS" "$SERVER:wserver:$SERVER_ADDRESS"; do
        IFS=: read -r name interface address <<<"$namespace"
        # Packets as they would be on a wire: no IPv6 chatter, real checksums, no giant segments.
        ip netns exec "$name" sysctl -q -w net.ipv6.conf.all.disable_ipv6=1 2>/dev/null || true
        ip netns exec "$name" ethtool -K "$interface" tx off rx off tso off gso off gro off >/dev/null 2>&1
        ip netns exec "$name" ip address add "$address/24" dev "$interface"
        ip netns exec "$name" ip link set lo up
        ip netns exec "$name" ip link set "$interface" up
    done
    # `ip netns exec` lays this over /etc/resolv.conf.
    mkdir -p "/etc/netns/$CLIENT"
    echo "nameserver $SERVER_ADDRESS" >"/etc/netns/$CLIENT/resolv.conf"
}

start_web() {
    local root=$work/www
    mkdir -p "$root/files" "$work/nginx"
    {
        echo '<!doctype html><title>Intranet</title><h1>Welcome</h1>'
        for line in $(seq 60); do echo "<p>Line $line of a page that is worth compressing.</p>"; done
    } >"$root/index.html"
    echo '<p>Served at <!--#echo var="date_gmt" --> to <!--#echo var="remote_addr" --></p>' >"$root/status.shtml"
    printf '%s' "$EICAR" >"$root/files/eicar.com"
    head -c 2000 /dev/zero | tr '\0' 'A' >"$root/files/report.txt"
    openssl req -x509 -newkey rsa:2048 -nodes -days 30 -subj "/C=XX/O=Example Ltd/CN=login.example" \
        -addext "subjectAltName=DNS:login.example" \
        -keyout "$work/nginx/key.pem" -out "$work/nginx/certificate.pem" 2>/dev/null
    cat >"$work/nginx/nginx.conf" <<CONFIGURATION
daemon off;
worker_processes 1;
user root;
pid $work/nginx/pid;
error_log $work/nginx/error.log;
events { worker_connections 64; }
http {
    access_log off;
    types { text/html html shtml; text/plain txt; application/octet-stream com; }
    gzip on;
    client_body_temp_path $work/nginx/body;
    proxy_temp_path $work/nginx/proxy;
    fastcgi_temp_path $work/nginx/fastcgi;
    uwsgi_temp_path $work/nginx/uwsgi;
    scgi_temp_path $work/nginx/scgi;
    server {
        listen $SERVER_ADDRESS:80;
        root $root;
        location / { ssi on; }
        location /login {
            client_body_in_single_buffer on;
            proxy_pass http://127.0.0.1:8080;
        }
    }
    server {
        listen 127.0.0.1:8080;
        location / { add_header Set-Cookie "session=0123456789abcdef"; return 302 /; }
    }
    server {
        listen $SERVER_ADDRESS:443 ssl;
        root $root;
        ssl_certificate $work/nginx/certificate.pem;
        ssl_certificate_key $work/nginx/key.pem;
        ssl_protocols TLSv1.2 TLSv1.3;
    }
}
CONFIGURATION
    serve nginx -c "$work/nginx/nginx.conf" -p "$work/nginx"
    await_port 80
    await_port 443
}

start_dns() {
    local long_text=v=spf1
    for host in $(seq 40); do long_text+=" ip4:10.20.7.$host"; done
    serve dnsmasq --keep-in-foreground --conf-file=/dev/null --no-resolv --no-hosts --pid-file= --user=root \
        --listen-address="$SERVER_ADDRESS" --bind-interfaces --local=/example/ --edns-packet-max=512 \
        --host-record="www.example,$SERVER_ADDRESS,fd00:20::20" --host-record="files.example,$SERVER_ADDRESS" \
        --host-record="login.example,$SERVER_ADDRESS" --host-record="mail.example,$SERVER_ADDRESS" \
        --host-record="beacon.evil.example,$SERVER_ADDRESS" --cname=web.example,www.example \
        --mx-host=example,mail.example,10 --txt-record=www.example,"v=spf1 -all" \
        --txt-record="example,${long_text:0:200},${long_text:200:200},${long_text:400:200}"
    await_port 53
}

start_ssh() {
    mkdir -p "$work/ssh"
    # Where sshd puts away its rights; it does not start without.
    [ -d /run/sshd ] || { mkdir /run/sshd && made_run_sshd=1; }
    ssh-keygen -q -t ed25519 -N '' -f "$work/ssh/host_key"
    ssh-keygen -q -t ed25519 -N '' -f "$work/ssh/client_key"
    cp "$work/ssh/client_key.pub" "$work/ssh/authorized_keys"
    cat >"$work/ssh/sshd_config" <<CONFIGURATION
ListenAddress $SERVER_ADDRESS
HostKey $work/ssh/host_key
AuthorizedKeysFile $work/ssh/authorized_keys
PidFile none
PermitRootLogin prohibit-password
PasswordAuthentication no
KbdInteractiveAuthentication no
StrictModes no
UsePAM no
CONFIGURATION
    serve /usr/sbin/sshd -D -e -f "$work/ssh/sshd_config"
    await_port 22
}

start_mail() {
    serve /usr/bin/python3 -m aiosmtpd --nosetuid --listen "$SERVER_ADDRESS:25"
    await_port 25
}

# What is recorded, in this order.
talk() {
    local curl=(curl --silent --show-error --max-time 10 --output /dev/null)
    at_client ping -q -c 2 -i 0.3 "$SERVER_ADDRESS" >/dev/null

    local query
    for query in "www.example A" "www.example AAAA" "web.example A" "example MX" "www.example TXT" \
        "nothing.example A" "beacon.evil.example A"; do
        # shellcheck disable=SC2086 # a name and a type
        at_client dig +tries=1 +time=3 $query >/dev/null
    done
    at_client dig +tries=1 +time=3 +tcp www.example A >/dev/null
    # Too long for UDP: the answer is cut and asked for again over TCP.
    at_client dig +tries=1 +time=3 +bufsize=512 example TXT >/dev/null

    # Two requests on one connection, the second compressed.
    at_client "${curl[@]}" http://www.example/files/report.txt --next "${curl[@]:1}" --compressed http://www.example/
    at_client "${curl[@]}" http://www.example/status.shtml
    at_client "${curl[@]}" http://www.example/missing
    at_client "${curl[@]}" --data 'username=alice&password=correct-horse' http://login.example/login
    at_client "${curl[@]}" --user-agent 'sqlmap/1.7.2#stable (https://sqlmap.org)' \
        "http://www.example/status.shtml?id=1%27%20UNION%20SELECT%201,2--%20-"
    at_client "${curl[@]}" http://files.example/files/eicar.com

    at_client "${curl[@]}" --insecure --tlsv1.2 --tls-max 1.2 https://login.example/
    at_client "${curl[@]}" --insecure --tlsv1.3 https://login.example/

    at_client ssh -n -F /dev/null -i "$work/ssh/client_key" -o StrictHostKeyChecking=no \
        -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR -o ConnectTimeout=5 \
        "root@$SERVER_ADDRESS" 'echo recorded' >/dev/null

    printf 'PK\003\004 not really an archive' >"$work/invoice.zip"
    at_client swaks --silent 3 --timeout 10 --server mail.example --helo client.example \
        --from alice@example --to bob@example --header 'Subject: Overdue invoice 4711' --header 'Message-Id: <4711@client.example>' \
        --body 'Please see the attached invoice.' --attach-type application/zip \
        --attach-name invoice.zip --attach "@$work/invoice.zip"

    # A scan of forty ports, none of which answers with more than a reset.
    at_client /usr/bin/python3 - "$SERVER_ADDRESS" <<'SCAN'
import socket, sys
for port in range(6000, 6040):
    with socket.socket() as probe:
        probe.settimeout(1)
        probe.connect_ex((sys.argv[1], port))
SCAN
}

install_packages
make_network
start_web
start_dns
start_ssh
start_mail

: >"$work/tcpdump.log"
ip netns exec "$CLIENT" tcpdump -i wclient -n -U -s 0 -Z root -w "$work/sample.pcap" 2>"$work/tcpdump.log" &
recorder=$!
pids+=("$recorder")
for _ in $(seq 50); do
    grep -q 'listening on' "$work/tcpdump.log" && break
    sleep 0.1
done
talk
sleep 1
kill -INT "$recorder"
wait "$recorder" || true
mv "$work/sample.pcap" "$output"
chmod 644 "$output"
echo "$output: $(stat -c %s "$output") bytes, $(tail -3 "$work/tcpdump.log" | head -1)"
