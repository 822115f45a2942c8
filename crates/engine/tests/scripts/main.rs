//! Rules with scripts, on traffic: when a script is asked, what it is given and what it can ask.

#![allow(clippy::expect_used)]

mod functions;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use weir_config::Settings;
use weir_engine::load::RuleFiles;
use weir_engine::log::EngineLog;
use weir_engine::{Engine, Inputs, RunOptions};
use weir_testkit::{Conversation, Frame, TimedFrame, pcap};

/// Ethernet, in a capture file.
const ETHERNET: u16 = 1;

const REQUEST: &[u8] =
    b"POST /Shop%20Front?item=42 HTTP/1.1\r\nHost: Shop.Example\r\nUser-Agent: tester/1.0\r\n\
    Content-Length: 8\r\n\r\nname=bob";

const ANSWER: &[u8] = b"HTTP/1.1 200 OK\r\nServer: maker/2.0\r\nContent-Length: 5\r\n\r\nhello";

/// A rule (header, options before `lua`, what stands before the file's name), its script, and whether it
/// matches. A script that is no function is the condition under which it matches.
struct Case {
    rule: (&'static str, &'static str, &'static str),
    script: &'static str,
    matches: bool,
}

const fn case(header: &'static str, options: &'static str, script: &'static str, matches: bool) -> Case {
    Case { rule: (header, options, ""), script, matches }
}

const WEB: &str = "http any any -> any any";
const WEB_REQUEST: &str = "http1:request_complete any any -> any any";
const WEB_ANSWER: &str = "http1:response_complete any any -> any any";
const DATAGRAM: &str = "udp any any -> any 6000";
const QUESTION: &str = "dns:request_complete any any -> 10.2.0.53 any";
const ANSWERED: &str = "dns:response_complete 10.2.0.53 any -> any any";

const HTTP: &str = "local tx = require('suricata.http').get_tx() return ";
const DNS: &str = "local tx = require('suricata.dns').get_tx() return ";

/// Conditions on a transaction, with the library and the state.
const CONDITIONS: &[(&str, &str, &str)] = &[
    (WEB_REQUEST, HTTP, "tx:request_line() == 'POST /Shop%20Front?item=42 HTTP/1.1'"),
    (
        WEB_REQUEST,
        HTTP,
        "tx:request_uri_raw() == '/Shop%20Front?item=42' and tx:request_uri_normalized() == '/Shop Front?item=42'",
    ),
    (
        WEB_REQUEST,
        HTTP,
        "tx:request_header('user-agent') == 'tester/1.0' and tx:request_header('Referer') == nil",
    ),
    (
        WEB_REQUEST,
        HTTP,
        "tx:request_headers()['Host'] == 'Shop.Example' and tx:request_host() == 'shop.example'",
    ),
    (WEB_REQUEST, HTTP, "tx:request_headers_raw():find('Host: Shop.Example\\r\\n', 1, true) == 1"),
    (WEB_REQUEST, HTTP, "tx:request_body()[1] == 'name=bob' and select(3, tx:request_body()) == 8"),
    (
        WEB_ANSWER,
        HTTP,
        "tx:response_line() == 'HTTP/1.1 200 OK' and tx:response_header('server') == 'maker/2.0'",
    ),
    (WEB_ANSWER, HTTP, "tx:response_body()[1] == 'hello' and tx:response_headers()['Content-Length'] == '5'"),
    (WEB_ANSWER, HTTP, "tx:response_headers_raw():sub(1, 7) == 'Server:'"),
    (QUESTION, DNS, "tx:rrname() == 'a.b' and tx:txid() == 7 and tx:rcode() == 0 and tx:recursion_desired()"),
    (
        QUESTION,
        DNS,
        "tx:queries()[0].rrname == 'a.b' and tx:queries()[0].type == 'A' and next(tx:answers()) == nil",
    ),
    (ANSWERED, DNS, "tx:rcode() == 0 and tx:rcode_string() == 'NOERROR' and tx:answers()[0].ttl == 60"),
    (
        ANSWERED,
        DNS,
        "tx:answers()[0].addr == '192.0.2.7' and tx:answers()[0].type == 'A' and next(tx:authorities()) == nil",
    ),
    (QUESTION, "return ", "select(2, require('suricata.http').get_tx()) == 'error: protocol not http'"),
    (DATAGRAM, "return ", "select(2, require('suricata.http').get_tx()) == 'error: protocol not http'"),
    (
        DATAGRAM,
        "local p = require('suricata.packet').get() return ",
        "p:payload() == 'datagram' and p:dp() == 6000 and p:sp() == 5000",
    ),
    (
        DATAGRAM,
        "local p = require('suricata.packet').get() return ",
        "select(3, p:tuple()) == '10.2.0.2' and select(4, p:tuple()) == 17 and #p:packet() == 50",
    ),
    (
        DATAGRAM,
        "local f = require('suricata.flow').get() return ",
        "f:stats() == 1 and select(2, f:tuple()) == '10.2.0.1' and f:app_layer_proto() == 'unknown'",
    ),
    (
        WEB_ANSWER,
        "local f = require('suricata.flow').get() return ",
        "f:app_layer_proto() == 'http' and f:id() > 0 and f:timestamps() > 0",
    ),
    (
        "icmp any any -> 10.2.0.2 any",
        "local p = require('suricata.packet').get() return ",
        "select(4, p:tuple()) == 1 and select(5, p:tuple()) == 8 and p:sp() == nil",
    ),
];

const CASES: &[Case] = &[
    case(
        WEB,
        "http.uri; content:\"Shop\"; ",
        "args.buffer == '/Shop Front?item=42' and args.offset == 1",
        true,
    ),
    case(WEB, "http.uri; content:\"Shop\"; ", "args.buffer == '/other'", false),
    case(WEB, "http.uri; content:\"absent\"; ", "true", false),
    case(WEB, "http.user_agent; ", "args.buffer == 'tester/1.0'", true),
    Case { rule: (WEB, "http.user_agent; ", "!"), script: "args.buffer == 'tester/1.0'", matches: false },
    Case { rule: (WEB, "http.user_agent; ", "!"), script: "false", matches: true },
    Case { rule: (WEB, "http.user_agent; ", "!"), script: "error('no')", matches: false },
    case(WEB, "http.request_body; ", "args.buffer:find('bob') ~= nil", true),
    case(WEB, "file.data; ", "args.buffer == 'hello'", true),
    case(
        "tcp any any -> any 80",
        "",
        "function init() return {stream = true} end function match(args) return args.stream:find('Shop') and 1 or 0 end",
        true,
    ),
    case(
        "tcp any any -> any 80",
        "",
        "function init() return {stream = true} end function match(args) return args.stream:find('hello') and 1 or 0 end",
        false,
    ),
    case(
        "tcp any any -> any 80",
        "content:\"POST\"; ",
        "function init() return {stream = true} end function match(args) return args.stream:find('Shop') and 1 or 0 end",
        true,
    ),
    case(
        "tcp any any -> any 80",
        "",
        "function init() return {payload = true} end function match(args) return args.payload:find('^POST') and 1 or 0 end",
        true,
    ),
    case(
        DATAGRAM,
        "",
        "function init() return {packet = true} end function match(args) return #args.packet == 50 and 1 or 0 end",
        true,
    ),
    case(
        DATAGRAM,
        "",
        "function init() return {packet = true, payload = true} end function match(args) return #args.packet + #args.payload == 58 and 1 or 0 end",
        true,
    ),
    case(
        WEB,
        "",
        "function init() return {['http.uri'] = true} end function match(args) return args['http.uri']:find('Shop Front') and 1 or 0 end",
        true,
    ),
    case(
        WEB,
        "",
        "function init() return {['http.request_headers'] = true} end function match(args) return args['http.request_headers']:find('tester') and 1 or 0 end",
        true,
    ),
    case(
        WEB,
        "",
        "function init() return {['http.response_headers.raw'] = true} end function match(args) return args['http.response_headers.raw']:find('maker') and 1 or 0 end",
        true,
    ),
    case(
        "dns any any -> any any",
        "",
        "function init() return {['dns.rrname'] = true} end function match(args) return args['dns.rrname'] == 'a.b' and 1 or 0 end",
        true,
    ),
    case(
        "udp any any -> any any",
        "",
        "function init() return {['dns.response'] = true} end function match(args) return require('suricata.dns').get_tx():rcode() == 0 and 1 or 0 end",
        true,
    ),
    case(
        "udp any any -> any any",
        "",
        "function init() return {['dns.request'] = true} end function match(args) return require('suricata.dns').get_tx():rrname() == 'b' and 1 or 0 end",
        false,
    ),
    case(
        DATAGRAM,
        "content:\"data\"; byte_extract:1,0,letter,relative; ",
        "local b = require('suricata.bytevar') function init(sig) b.map(sig, 'letter') return {} end function thread_init() letter = b.get('letter') end function match() return letter:value() == 103 and 1 or 0 end",
        true,
    ),
    case("tcp-pkt any any -> any 80", "tcp.hdr; ", "#args.buffer == 20", true),
];

/// The text of a script.
fn script(text: &str) -> String {
    if text.contains("function") {
        return text.to_owned();
    }
    let text = if text.contains("return ") { text.to_owned() } else { format!("return {text}") };
    let condition = text.replacen("return ", "return (", 1);
    format!("function init() return {{}} end\nfunction match(args) {condition}) and 1 or 0 end")
}

fn capture(folder: &Path) -> PathBuf {
    let mut frames = Conversation::new("10.1.0.1:40000", "10.1.0.2:80")
        .handshake()
        .client_sends(REQUEST)
        .server_sends(ANSWER)
        .close()
        .frames();
    let time = frames.last().map(|frame| frame.time).unwrap_or_default();
    let question = b"\x00\x07\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00\x01a\x01b\x00\x00\x01\x00\x01";
    let answer = b"\x00\x07\x81\x00\x00\x01\x00\x01\x00\x00\x00\x00\x01a\x01b\x00\x00\x01\x00\x01\
        \xc0\x0c\x00\x01\x00\x01\x00\x00\x00\x3c\x00\x04\xc0\x00\x02\x07";
    let packets = [
        Frame::ethernet().ipv4("10.2.0.1", "10.2.0.2").udp(5000, 6000).payload(b"datagram"),
        Frame::ethernet().ipv4("10.2.0.1", "10.2.0.2").icmpv4(8, 0, [0, 3, 0, 9]).payload(b"ping"),
        Frame::ethernet().ipv4("10.2.0.1", "10.2.0.53").udp(5300, 53).payload(question),
        Frame::ethernet().ipv4("10.2.0.53", "10.2.0.1").udp(53, 5300).payload(answer),
    ];
    frames.extend(packets.iter().map(|packet| TimedFrame { time, bytes: packet.build() }));
    let path = folder.join("input.pcap");
    fs::write(&path, pcap(ETHERNET, &frames)).expect("a capture");
    path
}

fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).expect("a folder for the test");
    path
}

fn engine(folder: &Path, rules: &str, allowed: bool) -> Engine {
    fs::write(folder.join("my.rules"), rules).expect("rules");
    let settings = Settings::built_in(&[
        format!("default-rule-path={}", folder.display()),
        format!("security.lua.allow-rules={allowed}"),
        "packet-alert-max=1000".to_owned(),
        "app-layer.protocols.dnp3.enabled=yes".to_owned(),
        "stats.enabled=no".to_owned(),
    ])
    .expect("settings");
    let only = vec![folder.join("my.rules").to_string_lossy().into_owned()];
    let files = RuleFiles { only, ..RuleFiles::default() };
    Engine::new(settings, RunOptions::default(), &files, folder, Arc::new(EngineLog::silent()))
        .expect("an engine")
}

/// Rules of which these alert on a capture, by the position of their scripts.
fn fired(folder: &Path, rules: &str, captures: Vec<PathBuf>) -> Vec<usize> {
    let engine = engine(folder, rules, true);
    let refused: Vec<String> = engine.rules().failures.iter().map(|f| format!("{f}: {}", f.text)).collect();
    assert!(refused.is_empty(), "{refused:#?}");
    let inputs = Inputs::files(captures);
    let summary = engine.run(&inputs, &mut |_| {}).expect("a run");
    summary.alerts.iter().map(|alert| alert.rule.sid as usize - 1).collect()
}

#[test]
fn scripts_on_traffic() {
    let folder = folder("scripts");
    let conditions = CONDITIONS.iter().map(|(header, open, condition)| {
        (format!("alert {header} (msg:\"m\"; "), String::new(), format!("{open}{condition}"), true)
    });
    let cases = CASES.iter().map(|case| {
        let (header, options, sign) = case.rule;
        (
            format!("alert {header} (msg:\"m\"; {options}"),
            sign.to_owned(),
            case.script.to_owned(),
            case.matches,
        )
    });
    let all: Vec<_> = conditions.chain(cases).collect();
    let mut rules = String::new();
    for (number, (start, sign, text, _)) in all.iter().enumerate() {
        fs::write(folder.join(format!("{number}.lua")), script(text)).expect("a script");
        rules += &format!("{start}lua:{sign}{number}.lua; sid:{};)\n", number + 1);
    }
    let fired = fired(&folder, &rules, vec![capture(&folder)]);
    let wrong: Vec<String> = all
        .iter()
        .enumerate()
        .filter(|(number, (.., matches))| fired.contains(number) != *matches)
        .map(|(_, (start, sign, text, matches))| format!("{start}{sign}{text} is not {matches}"))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn sessions_of_tls() {
    let folder = folder("scripts_tls");
    let tls = "local tx = require('suricata.tls').get_tx() return ";
    let ja3 = "local tx = require('suricata.ja3').get_tx() return ";
    let (hello, certified) = ("tls:client_hello_done", "tls:server_cert_done");
    let conditions = [
        (hello, tls, "tx:get_client_sni() == 'login.example' and tx:get_client_version():sub(1, 3) == 'TLS'"),
        (hello, tls, "select(2, tx:get_server_cert_info()) == 'error: no cert'"),
        (hello, ja3, "#tx:ja3_get_hash() == 32 and tx:ja3_get_string():find('^771,')"),
        (certified, tls, "select(2, tx:get_server_cert_info()) == 'C=XX, O=Example Ltd, CN=login.example'"),
        (
            certified,
            tls,
            "select(1, tx:get_server_cert_info()) == 'TLS 1.2' and tx:get_server_serial():find('^24:DB')",
        ),
        (certified, tls, "tx:get_server_cert_not_after() - tx:get_server_cert_not_before() == 30 * 86400"),
        (certified, tls, "tx:get_server_cert_chain()[0].length == #tx:get_server_cert_chain()[0].data"),
        (certified, ja3, "#tx:ja3s_get_hash() == 32"),
    ];
    let mut rules = String::new();
    for (number, (hook, open, condition)) in conditions.iter().enumerate() {
        fs::write(folder.join(format!("{number}.lua")), script(&format!("{open}{condition}")))
            .expect("a script");
        let sid = number + 1;
        rules += &format!("alert {hook} any any -> any any (msg:\"m\"; lua:{number}.lua; sid:{sid};)\n");
    }
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../sample/sample.pcap");
    let fired = fired(&folder, &rules, vec![sample]);
    for (number, (.., condition)) in conditions.iter().enumerate() {
        assert!(fired.contains(&number), "{condition}");
    }
}

#[test]
fn rules_that_are_refused() {
    let folder = folder("scripts_refused");
    for (name, text) in [
        ("unknown", "function init() return {nothing = true} end function match() end"),
        (
            "two",
            "function init() return {['http.uri'] = true, ['http.uri.raw'] = true} end function match() end",
        ),
        ("uri", "function init() return {['http.uri'] = true} end function match() end"),
        ("plain", "function init() return {} end function match() end"),
        ("mask", "function transform(input) return input, #input end"),
    ] {
        fs::write(folder.join(format!("{name}.lua")), text).expect("a script");
    }
    let eleven = "http.uri; luaxform:plain.lua,1,2,3,4,5,6,7,8,9,10,11; content:\"a\";";
    for (options, allowed, expected) in [
        ("lua:plain.lua;", false, "Lua rules disabled by security configuration: security.lua.allow-rules"),
        (
            "http.uri; luaxform:plain.lua; content:\"a\";",
            false,
            "Lua rules disabled by security configuration",
        ),
        ("lua:unknown.lua;", true, "unknown data type nothing"),
        ("lua:two.lua;", true, "The script asks for `http.uri` and `http.uri.raw`, of which it can get one."),
        (
            "dns.query; content:\"a\"; lua:uri.lua;",
            true,
            "can't set rule app proto to failed: already set to dns",
        ),
        ("luaxform:mask.lua; content:\"a\";", true, "The transform `luaxform` needs a sticky buffer"),
        ("http.uri; luaxform:plain.lua; content:\"a\";", true, "no transform function in script"),
        (eleven, true, "A script takes at most 10 arguments."),
        ("http.uri; luaxform:,1; content:\"a\";", true, "Lua script name not supplied"),
        ("lua:absent.lua;", true, "couldn't load file: cannot open "),
    ] {
        let rules = format!("alert ip any any -> any any (msg:\"m\"; {options} sid:1;)\n");
        let rules = engine(&folder, &rules, allowed);
        let report = rules.rules();
        let messages: Vec<&str> = report.failures.iter().map(|f| f.message.as_str()).collect();
        assert!(messages.iter().any(|message| message.contains(expected)), "{options}: {messages:?}");
    }
}

/// Scripts of outputs: what `init` answers, and what `log` writes of the record.
const OUTPUTS: &[(&str, &str)] = &[
    (
        "protocol = 'http'",
        "local tx = require('suricata.http').get_tx() write('http', args.tx_id, tx:request_line(), tx:response_line())",
    ),
    (
        "protocol = 'dns'",
        "local tx = require('suricata.dns').get_tx() write('dns', tx:txid(), tx:rrname(), (next(tx:answers())))",
    ),
    (
        "type = 'packet', filter = 'alerts'",
        "local r = require('suricata.rule').get_rule() write('alert', r:sid(), r:msg())",
    ),
    (
        "type = 'flow'",
        "local f = require('suricata.flow').get() write('flow', (f:stats()), (f:app_layer_proto()), f:has_alerts())",
    ),
    (
        "type = 'file'",
        "local f = require('suricata.file').get_file() write('file', f:file_id(), f:tx_id(), f:size(), f:get_state())",
    ),
];

/// What all of them write, in the order in which it comes.
const WRITTEN: &str = "\
alert 1 m
http 0 POST /Shop%20Front?item=42 HTTP/1.1 HTTP/1.1 200 OK
file 0 0 8 CLOSED
file 1 0 5 CLOSED
dns 7 a.b
dns 7 a.b 0
flow 6 http true
flow 1 failed false
flow 1 unknown false
flow 1 dns false
";

/// Lines that these scripts of outputs write about the capture, in the order in which they come.
fn written(name: &str, outputs: &[(&str, &str)], workers: usize) -> String {
    let folder = folder(name);
    let capture = capture(&folder);
    let mut settings = vec![
        "outputs.0.lua.enabled=yes".to_owned(),
        format!("outputs.0.lua.scripts-dir={}", folder.display()),
        format!("outputs.0.lua.path={}/?.lua", folder.display()),
    ];
    fs::write(
        folder.join("words.lua"),
        "return {join = function(words) return table.concat(words, ' ') end}",
    )
    .expect("a module");
    for (number, (needs, log)) in outputs.iter().enumerate() {
        let text = format!(
            "local config, words = require('suricata.config'), require('words')
             function init() return {{{needs}}} end
             function setup() file = assert(io.open(config.log_path() .. '/written', 'a')) end
             function write(...)
                 local list = {{}}
                 for _, word in ipairs({{...}}) do list[#list + 1] = tostring(word) end
                 file:write(words.join(list), '\\n')
                 file:flush()
             end
             function log(args) {log} end
             function deinit() file:close() end"
        );
        fs::write(folder.join(format!("{number}.lua")), text).expect("a script");
        settings.push(format!("outputs.0.lua.scripts.{number}={number}.lua"));
    }
    fs::write(
        folder.join("my.rules"),
        "alert http any any -> any any (msg:\"m\"; http.uri; content:\"Shop\"; sid:1;)\n",
    )
    .expect("rules");
    let settings = Settings::from_text(b"", "test", &settings).expect("settings");
    let only = vec![folder.join("my.rules").to_string_lossy().into_owned()];
    let files = RuleFiles { only, ..RuleFiles::default() };
    let options = RunOptions { workers, ..RunOptions::default() };
    let engine =
        Engine::new(settings, options, &files, &folder, Arc::new(EngineLog::silent())).expect("an engine");
    engine.run(&Inputs::files(vec![capture]), &mut |_| {}).expect("a run");
    fs::read_to_string(folder.join("written")).expect("what the scripts wrote")
}

#[test]
fn outputs_that_scripts_write() {
    for workers in [1, 3] {
        assert_eq!(written("scripts_outputs", OUTPUTS, workers), WRITTEN, "{workers} workers");
    }
}

/// Pieces of a stream as a script sees them.
const PIECE: &str = "local s = args.stream write(#s.data, s.open, s.close, s.to_server, s.to_client)";

#[test]
fn packets_streams_bodies_and_counters() {
    let packet = "local p = require('suricata.packet').get() write(select(4, p:tuple()), #p:payload())";
    let buffer = "write(#SCStreamingBuffer(), select(5, SCStreamingBuffer()))";
    let counters = "for _, c in ipairs(args) do
        if c.name == 'decoder.pkts' then write(c.tmname, c.value, c.pvalue) end end";
    for (name, needs, log, expected) in [
        (
            "packets",
            "type = 'packet'",
            packet,
            "6 0\n6 0\n6 0\n6 110\n6 0\n6 62\n6 0\n6 0\n6 0\n6 0\n6 0\n17 8\n1 4\n17 21\n17 37\n",
        ),
        (
            "streams",
            "streaming = 'tcp'",
            PIECE,
            "110 true false true false\n62 true false false true\n0 false true true false\n0 false true false true\n",
        ),
        ("filtered", "type = 'streaming', filter = 'tcp'", buffer, "110 false\n62 true\n0 false\n0 true\n"),
        ("bodies", "streaming = 'http'", PIECE, "8 true true true false\n5 true true false true\n"),
        ("typed", "type = 'streaming', protocol = 'http'", "write(args.tx_id)", "0\n0\n"),
        ("counters", "type = 'stats'", counters, "Total 15 0\n"),
    ] {
        for workers in [1, 3] {
            let name = format!("scripts_{name}");
            assert_eq!(written(&name, &[(needs, log)], workers), expected, "{needs}, {workers} workers");
        }
    }
}
