//! Every function of every library, and every name of earlier releases: a case for each, on traffic.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use weir_testkit::{Conversation, Frame, TimedFrame, pcap};

use super::{ETHERNET, capture, fired, folder, written};

/// Header of a rule, and cases: a function as the documentation names it, and a condition under which it works. In
/// conditions `l` is the library and `o` its present object.
type Group = (&'static str, &'static [(&'static str, &'static str)]);

const DATAGRAM: Group = (
    "udp any any -> any 6000",
    &[
        ("packet.get", "o ~= nil and select('#', l.get()) == 1"),
        ("packet:timestamp", "math.type(o:timestamp()) == 'float' and select(2, o:timestamp()) < 1000000"),
        ("packet:timestring_legacy", "o:timestring_legacy():find('^%d%d/%d%d/%d+%-%d%d:%d%d:%d%d%.%d+$')"),
        (
            "packet:timestring_iso8601",
            "o:timestring_iso8601():find('^%d+%-%d%d%-%d%dT%d%d:%d%d:%d%d%.%d+[+-]%d+$')",
        ),
        ("packet:tuple", "table.concat({o:tuple()}, ' ') == '4 10.2.0.1 10.2.0.2 17 5000 6000'"),
        ("packet:sp", "o:sp() == 5000"),
        ("packet:dp", "o:dp() == 6000"),
        ("packet:payload", "o:payload() == 'datagram'"),
        ("packet:packet", "#o:packet() == 50 and o:packet():sub(-8) == 'datagram'"),
        ("packet:pcap_cnt", "math.type(o:pcap_cnt()) == 'integer' and o:pcap_cnt() > 1"),
        ("flow.get", "o ~= nil"),
        ("flow:id", "o:id() > 0"),
        ("flow:tuple", "table.concat({o:tuple()}, ' ') == '4 10.2.0.1 10.2.0.2 17 5000 6000'"),
        (
            "flow:app_layer_proto",
            "select('#', o:app_layer_proto()) == 5 and o:app_layer_proto() == 'unknown'",
        ),
        ("flow:has_alerts", "o:has_alerts() == false"),
        ("flow:stats", "table.concat({o:stats()}, ' ') == '1 50 0 0'"),
        (
            "flow:timestamps",
            "select('#', o:timestamps()) == 4 and o:timestamps() == select(2, o:timestamps())",
        ),
        ("flow:timestring_legacy", "#o:timestring_legacy() == 26"),
        ("flow:timestring_iso8601", "#o:timestring_iso8601() == 31"),
        ("rule.get_rule", "o ~= nil"),
        ("rule:sid", "o:sid() > 0"),
        ("rule:gid", "o:gid() == 1"),
        ("rule:rev", "o:rev() == 7"),
        ("rule:action", "o:action() == 'alert'"),
        ("rule:msg", "o:msg() == 'm'"),
        ("rule:class_description", "o:class_description() == 'Misc activity'"),
        ("rule:priority", "o:priority() == 3"),
        ("base64.encode", "l.encode('ab') == 'YWI='"),
        ("base64.encode_nopad", "l.encode_nopad('ab') == 'YWI'"),
        ("base64.decode", "l.decode('YWI=') == 'ab'"),
        ("base64.decode_nopad", "l.decode_nopad('YWI') == 'ab'"),
        ("base64.decode_padopt", "l.decode_padopt('YWI') == l.decode_padopt('YWI=')"),
        ("base64.decode_rfc2045", "l.decode_rfc2045('Y W\\r\\nI=') == 'ab'"),
        ("base64.decode_rfc4648", "l.decode_rfc4648('YWI=') == 'ab'"),
        ("hashing.md5_digest", "l.md5_digest('a'):byte() == 0x0c and #l.md5_digest('a') == 16"),
        ("hashing.md5_hex_digest", "l.md5_hex_digest('a') == '0cc175b9c0f1b6a831c399e269772661'"),
        ("hashing.md5", "l.md5():finalize_to_hex() == l.md5_hex_digest('')"),
        ("hashing.sha1_digest", "#l.sha1_digest('a') == 20"),
        ("hashing.sha1_hex_digest", "l.sha1_hex_digest('a') == '86f7e437faa5a7fce15d1ddcb9eaeaea377667b8'"),
        ("hashing.sha1", "l.sha1():finalize_to_hex() == l.sha1_hex_digest('')"),
        ("hashing.sha256_digest", "#l.sha256_digest('a') == 32"),
        ("hashing.sha256_hex_digest", "l.sha256_hex_digest('a'):sub(1, 8) == 'ca978112'"),
        ("hashing.sha256", "l.sha256():finalize_to_hex() == l.sha256_hex_digest('')"),
        (
            "hashing:update",
            "(function() local h = l.md5() h:update('a') h:update('b') return h:finalize_to_hex() end)() == l.md5_hex_digest('ab')",
        ),
        ("hashing:finalize", "l.sha1():finalize() == l.sha1_digest('')"),
        ("hashing:finalize_to_hex", "#l.sha1():finalize_to_hex() == 40"),
        ("config.log_path", "type(l.log_path()) == 'string'"),
        (
            "util.thread_info",
            "l.thread_info().id > 0 and l.thread_info().name and l.thread_info().group_name",
        ),
        ("log.info", "l.info('said') == nil"),
        ("log.notice", "l.notice('said') == nil"),
        ("log.warning", "l.warning('said') == nil"),
        ("log.error", "l.error('said') == nil"),
        ("log.debug", "l.debug('said') == nil"),
        ("log.config", "l.config('said') == nil"),
        ("log.perf", "l.perf('said') == nil"),
        ("flowint.register", "true"),
        ("flowint.get", "handle ~= nil"),
        ("flowint:value", "handle:value() == nil"),
        ("flowint:set", "handle:set(5) == 5 and handle:value() == 5"),
        ("flowint:incr", "handle:set(5) and handle:incr() == 6"),
        ("flowint:decr", "handle:set(1) and handle:decr() == 0 and handle:decr() == 0"),
        ("flowvar.register", "true"),
        ("flowvar.get", "handle ~= nil"),
        ("flowvar:value", "handle:value() == nil"),
        ("flowvar:set", "handle:set('abc', 2) == nil and handle:value() == 'ab'"),
        ("bytevar.map", "true"),
        ("bytevar.get", "handle ~= nil"),
        ("bytevar:value", "handle:value() == 103"),
        ("dataset.new", "l.new() ~= nil"),
        (
            "dataset:get",
            "l.new():get('seen') == nil and select(2, l.new():get('none')) == 'dataset not found'",
        ),
        (
            "dataset:add",
            "(function() local s = l.new() s:get('seen') return s:add('new', 3) == 1 and s:add('new', 3) == 0 end)()",
        ),
    ],
);

const REQUEST: Group = (
    "http1:request_complete any any -> any 80",
    &[
        ("http.get_tx", "o ~= nil"),
        ("http:request_line", "o:request_line() == 'POST /Shop%20Front?item=42 HTTP/1.1'"),
        (
            "http:request_header",
            "o:request_header('host') == 'Shop.Example' and select(2, o:request_header('Absent')) == 'header not found' \
             and select(2, o:request_header()) == 'argument missing, empty or wrong type'",
        ),
        ("http:request_headers", "o:request_headers()['User-Agent'] == 'tester/1.0'"),
        ("http:request_headers_raw", "o:request_headers_raw():sub(1, 5) == 'Host:'"),
        ("http:request_host", "o:request_host() == 'shop.example'"),
        ("http:request_uri_raw", "o:request_uri_raw() == '/Shop%20Front?item=42'"),
        ("http:request_uri_normalized", "o:request_uri_normalized() == '/Shop Front?item=42'"),
        ("http:request_body", "o:request_body()[1] == 'name=bob' and select(3, o:request_body()) == 8"),
    ],
);

const ANSWER: Group = (
    "http1:response_complete any any -> any any",
    &[
        ("http:response_line", "o:response_line() == 'HTTP/1.1 200 OK'"),
        ("http:response_header", "o:response_header('Server') == 'maker/2.0'"),
        ("http:response_headers", "o:response_headers()['Content-Length'] == '5'"),
        ("http:response_headers_raw", "o:response_headers_raw():sub(1, 7) == 'Server:'"),
        ("http:response_body", "o:response_body()[1] == 'hello'"),
    ],
);

const NAMES: Group = (
    "dns:response_complete 10.2.0.53 any -> any any",
    &[
        ("dns.get_tx", "o ~= nil"),
        ("dns:txid", "o:txid() == 7"),
        ("dns:rrname", "o:rrname() == 'a.b'"),
        ("dns:rcode", "o:rcode() == 0"),
        ("dns:rcode_string", "o:rcode_string() == 'NOERROR'"),
        ("dns:recursion_desired", "o:recursion_desired() == true"),
        ("dns:queries", "o:queries()[0].rrname == 'a.b' and o:queries()[0].type == 'A'"),
        ("dns:answers", "o:answers()[0].addr == '192.0.2.7' and o:answers()[0].ttl == 60"),
        ("dns:authorities", "next(o:authorities()) == nil"),
    ],
);

const TIME: Group = (
    "ntp any any -> any 123",
    &[
        ("ntp.get_tx", "o ~= nil"),
        ("ntp:version", "o:version() == 4"),
        ("ntp:mode", "o:mode() == 3"),
        ("ntp:stratum", "o:stratum() == 2"),
        ("ntp:reference_id", "o:reference_id() == 'LOCL'"),
    ],
);

const STATIONS: Group = (
    "dnp3 any any -> any 20000",
    &[(
        "dnp3.get_tx",
        "o.is_request and o.request.application_header.function_code == 1 and o.request.objects[1].group == 60",
    )],
);

const HELLO: Group = (
    "tls:client_hello_done any any -> any any",
    &[
        ("tls.get_tx", "o ~= nil"),
        ("tls:get_client_sni", "o:get_client_sni() == 'login.example'"),
        ("tls:get_client_version", "o:get_client_version():sub(1, 3) == 'TLS'"),
        ("tls:get_client_cert_info", "select(2, o:get_client_cert_info()) == 'error: no cert'"),
        ("tls:get_client_cert_chain", "next(o:get_client_cert_chain()) == nil"),
        (
            "tls:get_client_cert_not_after",
            "select(2, o:get_client_cert_not_after()) == 'error: no certificate NotAfter'",
        ),
        (
            "tls:get_client_cert_not_before",
            "select(2, o:get_client_cert_not_before()) == 'error: no certificate NotBefore'",
        ),
        ("tls:get_client_serial", "select(2, o:get_client_serial()) == 'error: no certificate serial'"),
        ("ja3.enable_ja3", "true"),
        ("ja3.get_tx", "o ~= nil"),
        ("ja3:ja3_get_hash", "#o:ja3_get_hash() == 32"),
        ("ja3:ja3_get_string", "o:ja3_get_string():find('^771,')"),
    ],
);

const CERTIFICATE: Group = (
    "tls:server_cert_done any any -> any any",
    &[
        ("tls:get_server_version", "o:get_server_version() == 'TLS 1.2'"),
        (
            "tls:get_server_cert_info",
            "select(3, o:get_server_cert_info()) == 'C=XX, O=Example Ltd, CN=login.example'",
        ),
        (
            "tls:get_server_cert_chain",
            "o:get_server_cert_chain()[0].length == #o:get_server_cert_chain()[0].data",
        ),
        (
            "tls:get_server_cert_not_after",
            "o:get_server_cert_not_after() - o:get_server_cert_not_before() == 30 * 86400",
        ),
        ("tls:get_server_cert_not_before", "o:get_server_cert_not_before() > 1700000000"),
        ("tls:get_server_serial", "o:get_server_serial():find('^24:DB')"),
        ("ja3:ja3s_get_hash", "#o:ja3s_get_hash() == 32"),
        ("ja3:ja3s_get_string", "o:ja3s_get_string():find('^771,')"),
    ],
);

const SHELL: Group = (
    "ssh any any -> any any",
    &[
        ("ssh.enable_hassh", "true"),
        ("ssh.get_tx", "o ~= nil"),
        ("ssh:client_proto", "o:client_proto() == '2.0'"),
        ("ssh:server_proto", "o:server_proto() == '2.0'"),
        ("ssh:client_software", "o:client_software() == 'OpenSSH_9.2p1'"),
        ("ssh:server_software", "o:server_software() == 'OpenSSH_9.2p1'"),
        ("ssh:client_hassh", "#o:client_hassh() == 32"),
        ("ssh:server_hassh", "#o:server_hassh() == 32"),
        ("ssh:client_hassh_string", "o:client_hassh_string():find(';')"),
        ("ssh:server_hassh_string", "o:server_hassh_string():find(';')"),
    ],
);

const MAIL: Group = (
    "smtp:request_complete any any -> any any",
    &[
        ("smtp.get_tx", "o ~= nil"),
        ("smtp:get_mail_from", "o:get_mail_from() == '<alice@example>'"),
        ("smtp:get_rcpt_list", "o:get_rcpt_list()[1] == '<bob@example>'"),
        ("smtp:get_mime_list", "#o:get_mime_list() > 1"),
        (
            "smtp:get_mime_field",
            "o:get_mime_field('From') == 'alice@example' and select(2, o:get_mime_field('X')) == 'request mime field not found'",
        ),
    ],
);

const GROUPS: &[Group] = &[DATAGRAM, REQUEST, ANSWER, NAMES, TIME, STATIONS, HELLO, CERTIFICATE, SHELL, MAIL];

/// Functions that outputs alone can ask.
const OF_FILES: &[(&str, &str)] = &[
    ("file.get_file", "o ~= nil"),
    ("file:file_id", "o:file_id() == 0"),
    ("file:tx_id", "o:tx_id() == 0"),
    ("file:name", "o:name() == '/Shop Front'"),
    ("file:size", "o:size() == 8"),
    ("file:magic", "o:magic() == nil or #o:magic() > 0"),
    ("file:md5", "o:md5() == nil"),
    ("file:sha1", "o:sha1() == nil"),
    ("file:sha256", "o:sha256() == nil"),
    ("file:get_state", "o:get_state() == 'CLOSED'"),
    ("file:is_stored", "o:is_stored() == false"),
];

/// The script of a case: it registers and maps what all of its library may need.
fn script(function: &str, condition: &str) -> String {
    let (library, _) = function.split_once(['.', ':']).unwrap_or_default();
    let (init, thread) = match library {
        "flowint" | "flowvar" => (format!("l.register('{function}')"), format!("l.get('{function}')")),
        "bytevar" => ("l.map(sig, 'letter')".to_owned(), "l.get('letter')".to_owned()),
        "ja3" => ("l.enable_ja3()".to_owned(), "nil".to_owned()),
        "ssh" => ("l.enable_hassh()".to_owned(), "nil".to_owned()),
        _ => (String::new(), "nil".to_owned()),
    };
    format!(
        "local l = require('suricata.{library}')
         function init(sig) {init} return {{}} end
         function thread_init() handle = {thread} end
         function match()
             local get = l.get_tx or l.get_rule or (handle == nil and l.get)
             local o = get and get()
             return ({condition}) and 1 or 0
         end"
    )
}

fn more_traffic(folder: &Path) -> std::path::PathBuf {
    let read = b"\x05\x64\x0b\xc4\x04\x00\x03\x00\xe4\x2b\xc0\xc1\x01\x3c\x02\x06\x52\xc3";
    let mut frames =
        Conversation::new("10.3.0.1:40000", "10.3.0.2:20000").handshake().client_sends(read).close().frames();
    let time = frames.last().map(|frame| frame.time).unwrap_or_default();
    let mut ask = vec![0x23, 2, 6, 0xfe, 0, 1, 0x80, 0, 0, 0, 0x40, 0];
    ask.extend(b"LOCL");
    ask.extend([0; 32]);
    let ask = Frame::ethernet().ipv4("10.3.0.1", "10.3.0.3").udp(5000, 123).payload(&ask);
    frames.push(TimedFrame { time, bytes: ask.build() });
    let path = folder.join("more.pcap");
    fs::write(&path, pcap(ETHERNET, &frames)).expect("a capture");
    path
}

#[test]
fn every_function_has_a_case() {
    let known = weir_lua::reference(weir_protocols::ALL);
    let known: BTreeSet<String> = known
        .iter()
        .flat_map(|library| {
            library.functions.iter().map(|(name, doc)| {
                assert!(doc.ends_with('.'), "{} {name} has no sentence", library.name);
                let dot = if name.starts_with(':') { "" } else { "." };
                format!("{}{dot}{name}", library.name)
            })
        })
        .collect();
    let cases = GROUPS.iter().flat_map(|(_, cases)| cases.iter()).chain(OF_FILES);
    let cases: BTreeSet<String> = cases.map(|(function, _)| (*function).to_owned()).collect();
    assert_eq!(cases, known);
}

/// Runs a script for each function of `groups`, on traffic; those whose condition does not hold.
fn wrong(name: &str, groups: &[Group], script: fn(&str, &str) -> String) -> Vec<&'static str> {
    let folder = folder(name);
    let (mut rules, mut all) = (String::new(), Vec::new());
    fs::write(folder.join("seen.lst"), "").expect("a set");
    for (header, cases) in groups {
        for (function, condition) in *cases {
            let number = all.len();
            fs::write(folder.join(format!("{number}.lua")), script(function, condition)).expect("a script");
            let bytes = match header.starts_with("udp") {
                true => "content:\"data\"; byte_extract:1,0,letter,relative; ",
                false => "",
            };
            rules += &format!(
                "alert {header} (msg:\"m\"; {bytes}lua:{number}.lua; classtype:misc-activity; rev:7; sid:{};)\n",
                number + 1
            );
            all.push(*function);
        }
    }
    rules += &format!(
        "alert dns any any -> any any (dns.query; dataset:set,seen,type string,load seen.lst; sid:{};)\n",
        all.len() + 1
    );
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../sample/sample.pcap");
    let fired = fired(&folder, &rules, vec![capture(&folder), more_traffic(&folder), sample]);
    all.into_iter().enumerate().filter(|(number, _)| !fired.contains(number)).map(|(_, name)| name).collect()
}

#[test]
fn functions_on_traffic() {
    assert_eq!(wrong("script_functions", GROUPS, script), [""; 0]);
}

#[test]
fn functions_of_files() {
    let conditions: Vec<String> = OF_FILES
        .iter()
        .map(|(function, condition)| format!("if not ({condition}) then write('{function}') end"))
        .collect();
    let log = format!(
        "local o = require('suricata.file').get_file() if o:size() == 8 then {} write('done') end",
        conditions.join(" ")
    );
    assert_eq!(written("script_files", &[("type = 'file'", &log)], 1), "done\n");
}

/// Functions that earlier releases had as globals, called as scripts of those do.
const EARLIER: &[Group] = &[
    (
        "udp any any -> any 6000",
        &[
            ("SCPacketPayload", "SCPacketPayload() == 'datagram'"),
            ("SCPacketTimestamp", "select('#', SCPacketTimestamp()) == 2"),
            ("SCPacketTimeString", "#SCPacketTimeString() == 26"),
            ("SCPacketTuple", "table.concat({SCPacketTuple()}, ' ') == '4 10.2.0.1 10.2.0.2 17 5000 6000'"),
            ("SCFlowAppLayerProto", "select('#', SCFlowAppLayerProto()) == 5"),
            ("SCFlowHasAlerts", "SCFlowHasAlerts() == false"),
            ("SCFlowId", "SCFlowId() > 0"),
            ("SCFlowStats", "SCFlowStats() == 1"),
            ("SCFlowTimestamps", "SCFlowTimestamps() > 0"),
            ("SCFlowTimeString", "#SCFlowTimeString() == 26"),
            ("SCFlowTuple", "select(6, SCFlowTuple()) == 6000"),
            ("SCRuleAction", "SCRuleAction() == 'alert'"),
            ("SCRuleClass", "table.concat({SCRuleClass()}, ' ') == 'Misc activity 3'"),
            ("SCRuleIds", "select('#', SCRuleIds()) == 3 and select(2, SCRuleIds()) == 7"),
            ("SCRuleMsg", "SCRuleMsg() == 'm'"),
            ("SCThreadInfo", "select('#', SCThreadInfo()) == 3"),
            ("SCLogPath", "type(SCLogPath()) == 'string'"),
            ("SCLogDebug", "SCLogDebug('said') == nil"),
            ("SCLogError", "SCLogError('said') == nil"),
            ("SCLogInfo", "SCLogInfo('said') == nil"),
            ("SCLogNotice", "SCLogNotice('said') == nil"),
            ("SCLogWarning", "SCLogWarning('said') == nil"),
            ("SCByteVarGet", "SCByteVarGet(0) == 103"),
            ("SCFlowvarGet", "SCFlowvarGet(0) == nil"),
            ("SCFlowvarSet", "SCFlowvarSet(0, 'abc', 2) == nil and SCFlowvarGet(0) == 'ab'"),
            ("SCFlowintGet", "SCFlowintGet(0) == nil"),
            ("SCFlowintSet", "SCFlowintSet(0, 5) and SCFlowintGet(0) == 5 and SCFlowintGet(1) ~= 5"),
            ("SCFlowintIncr", "SCFlowintSet(1, 5) and SCFlowintIncr(1) == 6"),
            ("SCFlowintDecr", "SCFlowintSet(1, 5) and SCFlowintDecr(1) == 4"),
            ("SCFileInfo", "SCFileInfo() == nil"),
            ("SCFileState", "SCFileState() == nil"),
            ("SCStreamingBuffer", "SCStreamingBuffer() == nil and Unknown == nil"),
        ],
    ),
    (
        "http1:request_complete any any -> any 80",
        &[
            ("HttpGetRequestBody", "HttpGetRequestBody()[1] == 'name=bob'"),
            ("HttpGetRequestHost", "HttpGetRequestHost() == 'shop.example'"),
            ("HttpGetRequestHeader", "HttpGetRequestHeader('Host') == 'Shop.Example'"),
            ("HttpGetRequestLine", "HttpGetRequestLine():find('^POST')"),
            ("HttpGetRawRequestHeaders", "HttpGetRawRequestHeaders():find('^Host')"),
            ("HttpGetRequestUriRaw", "HttpGetRequestUriRaw() == '/Shop%20Front?item=42'"),
            ("HttpGetRequestUriNormalized", "HttpGetRequestUriNormalized() == '/Shop Front?item=42'"),
            ("HttpGetRequestHeaders", "HttpGetRequestHeaders().Host == 'Shop.Example'"),
        ],
    ),
    (
        "http1:response_complete any any -> any any",
        &[
            ("HttpGetResponseHeader", "HttpGetResponseHeader('Server') == 'maker/2.0'"),
            ("HttpGetResponseLine", "HttpGetResponseLine() == 'HTTP/1.1 200 OK'"),
            ("HttpGetRawResponseHeaders", "HttpGetRawResponseHeaders():find('^Server')"),
            ("HttpGetResponseHeaders", "HttpGetResponseHeaders().Server == 'maker/2.0'"),
            ("HttpGetResponseBody", "HttpGetResponseBody()[1] == 'hello'"),
        ],
    ),
    (
        "dns:response_complete 10.2.0.53 any -> any any",
        &[
            ("DnsGetDnsRrname", "DnsGetDnsRrname() == 'a.b'"),
            ("DnsGetTxid", "DnsGetTxid() == 7"),
            ("DnsGetRcode", "DnsGetRcode() == 'NOERROR'"),
            ("DnsGetRecursionDesired", "DnsGetRecursionDesired() == true"),
            ("DnsGetQueries", "DnsGetQueries()[0].rrname == 'a.b'"),
            ("DnsGetAnswers", "DnsGetAnswers()[0].addr == '192.0.2.7'"),
            ("DnsGetAuthorities", "next(DnsGetAuthorities()) == nil"),
        ],
    ),
    ("dnp3 any any -> any 20000", &[("DNP3GetTx", "DNP3GetTx().is_request")]),
    (
        "tls:server_cert_done any any -> any any",
        &[
            ("TlsGetVersion", "TlsGetVersion() == 'TLS 1.2'"),
            ("TlsGetCertInfo", "select(2, TlsGetCertInfo()) == 'C=XX, O=Example Ltd, CN=login.example'"),
            ("TlsGetCertChain", "TlsGetCertChain()[0].length > 0"),
            ("TlsGetCertNotAfter", "TlsGetCertNotAfter() > TlsGetCertNotBefore()"),
            ("TlsGetCertNotBefore", "TlsGetCertNotBefore() > 0"),
            ("TlsGetCertSerial", "TlsGetCertSerial():find('^24:DB')"),
            ("TlsGetSNI", "TlsGetSNI() == 'login.example'"),
            ("Ja3GetHash", "#Ja3GetHash() == 32"),
            ("Ja3GetString", "Ja3GetString():find('^771,')"),
            ("Ja3SGetHash", "#Ja3SGetHash() == 32"),
            ("Ja3SGetString", "Ja3SGetString():find('^771,')"),
        ],
    ),
    (
        "ssh any any -> any any",
        &[
            ("SshGetServerProtoVersion", "SshGetServerProtoVersion() == '2.0'"),
            ("SshGetClientProtoVersion", "SshGetClientProtoVersion() == '2.0'"),
            ("SshGetServerSoftwareVersion", "SshGetServerSoftwareVersion() == 'OpenSSH_9.2p1'"),
            ("SshGetClientSoftwareVersion", "SshGetClientSoftwareVersion() == 'OpenSSH_9.2p1'"),
            ("HasshGet", "#HasshGet() == 32"),
            ("HasshGetString", "HasshGetString():find(';')"),
            ("HasshServerGet", "#HasshServerGet() == 32"),
            ("HasshServerGetString", "HasshServerGetString():find(';')"),
        ],
    ),
    (
        "smtp:request_complete any any -> any any",
        &[
            ("SMTPGetMailFrom", "SMTPGetMailFrom() == '<alice@example>'"),
            ("SMTPGetRcptList", "SMTPGetRcptList()[1] == '<bob@example>'"),
            ("SMTPGetMimeList", "#SMTPGetMimeList() > 1"),
            ("SMTPGetMimeField", "SMTPGetMimeField('From') == 'alice@example'"),
        ],
    ),
];

fn earlier_script(function: &str, condition: &str) -> String {
    let bytes = if function == "SCByteVarGet" { ", bytevar = {'letter'}" } else { "" };
    format!(
        "function init() return {{flowvar = {{'{function}'}}, flowint = {{'{function}1', '{function}2'}}{bytes}}} end
         function match() return ({condition}) and 1 or 0 end"
    )
}

#[test]
fn names_of_earlier_releases() {
    let known: BTreeSet<&str> =
        weir_lua::earlier_names(weir_protocols::ALL).iter().map(|(name, _)| *name).collect();
    let cases = EARLIER.iter().flat_map(|(_, cases)| cases.iter()).map(|(name, _)| *name);
    assert_eq!(cases.collect::<BTreeSet<_>>(), known);
    assert_eq!(wrong("script_earlier", EARLIER, earlier_script), [""; 0]);
}
