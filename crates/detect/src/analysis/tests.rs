use weir_rules::{Resolver, VariableMap, parse_rules};

use super::groups::{self, GroupSettings};
use super::text::{self, EngineFacts};
use super::{Dependencies, write_rule};
use crate::Ruleset;
use crate::compile::compilation::{Compilation, DEFAULT_ACTION_ORDER};
use crate::keywords::tests::environment;

fn ruleset(rules: &str) -> Ruleset {
    let parsed = parse_rules(rules, "test.rules");
    assert!(parsed.diagnostics.is_empty(), "{rules}: {:?}", parsed.diagnostics);
    let variables = VariableMap::default();
    let mut resolver = Resolver::new(&variables);
    let environment = environment();
    let mut compilation = Compilation::new(&environment, &mut resolver);
    parsed.rules.iter().for_each(|rule| compilation.add(rule));
    let loaded = compilation.finish(None, &DEFAULT_ACTION_ORDER);
    let loaded = loaded.unwrap_or_else(|error| panic!("{rules}: {error}"));
    assert!(loaded.failures.is_empty(), "{rules}: {:?}", loaded.failures);
    loaded.ruleset
}

fn json_of(ruleset: &Ruleset, sid: u32) -> String {
    let dependencies = Dependencies::of(ruleset.signatures());
    let signature = ruleset.signatures().iter().find(|s| s.info.sid == sid);
    let mut out = Vec::new();
    write_rule(signature.unwrap_or_else(|| panic!("no rule {sid}")), &dependencies, &mut out);
    String::from_utf8(out).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn hooks() {
    for (rule, expected) in [
        ("alert tcp:flow_start any any -> any any (sid:1;)", r#""type":"pkt","hook":"flow_start""#),
        ("alert http1:answered any any -> any any (sid:1;)", r#""type":"app_tx","hook":"answered""#),
    ] {
        let json = json_of(&ruleset(rule), 1);
        assert!(json.contains(expected), "{rule}: {json}");
    }
}

#[test]
fn one_rule() {
    let cases: &[(&str, &[&str], &[&str])] = &[
        (
            "alert tcp any any -> any any (content:\"one\"; distance:8; within:3; sid:1;)",
            &[
                r#""offset":8,"depth":11"#,
                r#""notes":["'within' option for pattern w/o previous content was converted to 'depth'""#,
                r#""mpm":{"buffer":"payload","pattern":"one","length":3"#,
                r#""pkt_engines":[{"name":"payload","is_mpm":true}]"#,
            ],
            &[r#""within""#, r#""engines""#, r#""packet":"#],
        ),
        (
            "alert tcp any any -> any any (content:\"a b\"; content:\"c\"; distance:0; sid:1;)",
            &[r#""pattern":"a|20|b""#, r#""relative_next":true"#, r#""distance":0"#, r#""need_stream""#],
            &[r#""need_packet""#, r#""notes""#],
        ),
        (
            "alert tcp any any -> any any (content:\"|15 03 01|\"; startswith; sid:1;)",
            &[
                r#""pattern":"|15 03 01|""#,
                r#""starts_with":true"#,
                r#""depth":3"#,
                r#""need_packet","need_stream""#,
            ],
            &[r#""offset""#, r#""no_double_inspect":true"#],
        ),
        (
            "alert tcp any any -> any any (content:\"one\"; isdataat:!1,relative; sid:1;)",
            &[r#""ends_with":true"#, r#""relative_next":false"#],
            &[r#""isdataat""#, r#"no_double_inspect":true"#],
        ),
        (
            "alert tcp any any -> any 443 (flow:to_server; flags:S,CE; flowbits:set,a; flowbits:noalert; sid:1;)",
            &[
                r#""requirements":["tcp_flags_init_deinit","real_pkt"]"#,
                r#""flags":["src_any","dst_any","sp_any","noalert","need_packet","toserver"]"#,
                r#""packet":{"matches":[{"name":"tcp.flags"}]}"#,
                r#""postmatch":{"matches":[{"name":"flowbits","flowbits":{"cmd":"set","names":["a"]}}]}"#,
            ],
            &[r#""prefilter""#],
        ),
        (
            "alert ip any any -> any any (flowbits:isset,a|b; sid:1;)",
            &[r#"{"cmd":"isset","names":["a","b"],"operator":"or"}"#, r#""need_flowvar""#],
            &[],
        ),
        (
            "alert http any any -> any any (dsize:!0; sid:1;)",
            &[
                r#""requirements":["payload","flow","real_pkt"]"#,
                r#""dsize":{"diff":0}"#,
                r#""app_proto":"http""#,
            ],
            &[],
        ),
        (
            "alert http any any -> any any (dsize:0-159; sid:1;)",
            &[r#""requirements":["payload","flow","real_pkt"]"#, r#""dsize":{"range":{"min":0,"max":159}}"#],
            &[],
        ),
        (
            "alert http any any -> any any (dsize:0; sid:1;)",
            &[r#""requirements":["no_payload","flow","real_pkt"]"#, r#""dsize":{"equal":0}"#],
            &[],
        ),
        (
            "alert tcp any any -> any any (tcp.mss:&0xF=4; tcp.window:!1024; seq:624; sid:1;)",
            &[
                r#""tcp_mss":{"bitmask":{"mask":15,"value":4}}"#,
                r#""window":{"size":1024,"negated":true}"#,
                r#""name":"tcp.seq","seq":{"number":624}"#,
            ],
            &[],
        ),
        (
            "alert http any any -> any any (http.uri; content:\"/Ab\"; nocase; content:\"Cd\"; sid:1;)",
            &[r#""pattern":"/ab","length":3,"nocase":true"#, r#""pattern":"Cd","length":2,"nocase":false"#],
            &[],
        ),
        (
            "alert http any any -> any any (http.uri; bsize:<9; content:\"/a\"; content:\"GET /\"; fast_pattern; sid:1;)",
            &[
                r#""engines":[{"name":"http_uri","direction":"toserver","is_mpm":true,"app_proto":"http""#,
                r#""matches":[{"name":"bsize"},{"name":"content""#,
                r#""mpm":{"buffer":"http_uri","pattern":"GET|20|/""#,
                r#""notes":["pattern looks like it inspects HTTP"#,
            ],
            &[r#""toclient""#],
        ),
        (
            "alert http any any -> any any (http.uri; absent:or_else; content:!\"x\"; sid:1;)",
            &[r#""matches":[{"name":"absent","absent":{"or_else":true}},{"name":"content""#],
            &[r#""mpm""#],
        ),
        (
            "alert http any any -> any any (urilen:44; content:\"abc\"; sid:1;)",
            &[
                r#""engines":[{"name":"stream""#,
                r#"{"name":"http_uri","direction":"toserver","is_mpm":false"#,
            ],
            &[r#""lists":{"payload""#],
        ),
        (
            "alert http any any => any any (file.data:to_client; content:\"a longer one\"; http.uri; content:\"/a\"; sid:1;)",
            &[
                r#""engines":[{"name":"http_uri","direction":"toserver","is_mpm":true"#,
                r#""buffer":"http_uri""#,
            ],
            &[],
        ),
        (
            "alert tcp any any -> any any (stream_size:server,<,1111; prefilter; content:\"abc\"; sid:1;)",
            &[r#""prefilter":{"buffer":"packet","name":"stream_size"}"#, r#""need_packet","need_stream""#],
            &[r#""mpm":"#],
        ),
        (
            "alert tcp any any -> any any (byte_jump:2,4,from_beginning,little,multiplier 2,align; \
             byte_jump:2,4,from_end,big; byte_test:4,>,1,0,big; byte_test:4,>,1,0; sid:1;)",
            &[
                r#""flags":["from_beginning","little_endian","align"]"#,
                r#""flags":["big_endian","from_end"]"#,
                r#""flags":["big_endian"]}"#,
                r#""flags":[]}"#,
            ],
            &[],
        ),
        (
            "alert tcp any any -> any any (content:\"|0a|User-Agent: x\"; content:\"PUT /\"; fast_pattern:only; sid:1;)",
            &[
                r#""notes":["pattern looks like it inspects HTTP, use http.user_agent or http.header for"#,
                r#""'fast_pattern:only' option is silently ignored and is interpreted as regular 'fast_pattern'""#,
                r#","pattern looks like it inspects HTTP, use http.request_line or"#,
            ],
            &[],
        ),
        (
            "alert tcp any any -> any any (content:\"|0d 0a|User-Agent: x\"; sid:1;)",
            &[r#""requirements":["payload"]"#],
            &[r#""notes""#],
        ),
        ("alert tcp any any -> any any (app-layer-protocol:dns; sid:1;)", &[r#""requirements":[]"#], &[]),
        (
            "alert tcp any any -> any any (app-layer-event:applayer_mismatch_protocol_both_directions; sid:1;)",
            &[r#""engine_event""#],
            &[],
        ),
        (
            "alert ip any any -> any any (flowbits:isnotset,a; flowint:bb,>,1; sid:1;)",
            &[r#""requirements":["flow"]"#],
            &[r#""need_flowvar""#],
        ),
        (
            "alert tcp any any -> any any (content:!\"abc\"; sid:1;)",
            &[r#""negated_mpm""#, r#""mpm":{"buffer":"payload","pattern":"abc""#],
            &[],
        ),
        (
            "alert tcp any any -> any any (content:\"a\"; byte_jump:1,2,relative,align; pcre:!\"/b/iB\"; sid:1;)",
            &[
                r#""byte_jump":{"nbytes":1,"offset":2"#,
                r#""flags":["relative","align"]"#,
                r#""pcre":{"relative":false,"relative_next":false,"nocase":true,"negated":true}"#,
                r#""'/B' (rawbytes) option is a no-op and is silently ignored""#,
            ],
            &[],
        ),
    ];
    for (rule, present, missing) in cases {
        let json = json_of(&ruleset(rule), 1);
        for part in *present {
            assert!(json.contains(part), "{rule}: no {part} in {json}");
        }
        for part in *missing {
            assert!(!json.contains(part), "{rule}: {part} in {json}");
        }
    }
}

#[test]
fn kinds() {
    for (rule, expected) in [
        ("alert tcp any any -> any any (sid:1;)", "ip_only"),
        ("alert tcp !192.168.0.1 any -> any any (sid:1;)", "like_ip_only"),
        ("alert tcp [10.0.0.0/8,!10.1.1.1] any -> any any (sid:1;)", "like_ip_only"),
        ("alert http any any -> any any (sid:1;)", "app_layer"),
        ("alert http any any -> any any (dsize:0; sid:1;)", "pkt"),
        ("alert http any any -> any any (content:\"abc\"; sid:1;)", "stream"),
        ("alert tcp any any -> any any (content:\"abc\"; startswith; sid:1;)", "pkt_stream"),
        ("alert tcp any any -> any any (app-layer-protocol:http; sid:1;)", "pd_only"),
    ] {
        let json = json_of(&ruleset(rule), 1);
        assert!(json.contains(&format!(r#""type":"{expected}""#)), "{rule}: {json}");
    }
}

#[test]
fn dependencies_through_flowbits() {
    let rules = ruleset(
        "alert http any any -> any any (http.uri; content:\"a\"; flowbits:set,one; sid:1;)\n\
         alert http any any -> any any (http.uri; content:\"b\"; flowbits:set,two; sid:2;)\n\
         alert ip any any -> any any (flowbits:isset,one; sid:3;)\n\
         alert ip any any -> any any (flowbits:isset,two; sid:4;)\n\
         alert http any any -> any any (http.uri; content:\"c\"; flowbits:isset,two; sid:5;)\n\
         alert ip any any -> any any (flowbits:isnotset,one; sid:6;)\n",
    );
    for (sid, expected) in [(1, None), (3, Some("one")), (4, None), (5, None), (6, None)] {
        let json = json_of(&rules, sid);
        let part = expected.map(|name| {
            format!(r#""dependencies":{{"flowbits":{{"upstream":{{"state_modifying_rules":{{"sids":[1],"names":["{name}"]}}}}}}}}"#)
        });
        match part {
            Some(part) => assert!(json.contains(&part), "{sid}: {json}"),
            None => assert!(!json.contains("dependencies"), "{sid}: {json}"),
        }
    }
}

#[test]
fn groups_of_ports() {
    let rule = |sid: usize, ports: &str| {
        format!("alert tcp any any -> any {ports} (flow:to_server; content:\"abc\"; sid:{sid};)\n")
    };
    type Range = (u16, u16, usize, &'static [usize]);
    let cases: &[(&[&str], usize, &[Range])] = &[
        (&["80:120", "100"], 40, &[(100, 100, 0, &[1, 2]), (80, 99, 1, &[1]), (101, 120, 1, &[1])]),
        // A port given priority comes before ranges with more rules.
        (&["80", "90:99", "90:99"], 40, &[(80, 80, 0, &[1]), (90, 99, 1, &[2, 3])]),
        (&["[2010,2011]"], 40, &[(2010, 2011, 0, &[1])]),
        (&["any", "0:120", "0"], 40, &[(0, 0, 0, &[1, 2, 3]), (1, 120, 1, &[1, 2]), (121, 65535, 2, &[1])]),
        // More groups than wanted: what is left is one for all ports.
        (&["1", "2", "3", "4"], 2, &[(1, 1, 0, &[1]), (2, 2, 1, &[2]), (0, 65535, 2, &[3, 4])]),
    ];
    for (ports, most, expected) in cases {
        let text: String = ports.iter().enumerate().map(|(at, ports)| rule(at + 1, ports)).collect();
        let settings = GroupSettings {
            to_server: *most,
            to_client: 20,
            tcp_ports: groups::TCP_PRIORITY_PORTS.to_owned(),
            udp_ports: groups::UDP_PRIORITY_PORTS.to_owned(),
            rules: true,
            literals: false,
        };
        let mut out = Vec::new();
        groups::write(ruleset(&text).signatures(), &settings, &mut out);
        let json = String::from_utf8(out).unwrap_or_else(|error| panic!("{error}"));
        let found: Vec<&str> =
            json.split(",\"stats\"").filter_map(|part| part.split_once("\"port\":")).map(|p| p.1).collect();
        let wanted: Vec<String> = expected
            .iter()
            .map(|(low, high, group, sids)| {
                let rules: Vec<String> = sids.iter().map(|sid| format!("{{\"sig_id\":{sid}}}")).collect();
                let rules = rules.join(",");
                format!("{low},\"port2\":{high},\"rulegroup\":{{\"id\":{group},\"rules\":[{rules}]")
            })
            .collect();
        assert_eq!(found, wanted, "{ports:?}");
        assert!(json.contains("\"toclient\":[]"), "{json}");
    }
}

#[test]
fn reports_for_people() {
    let rules = ruleset(
        "alert http any any -> any any (flow:to_server; http.uri; content:\"abcdef\"; fast_pattern:1,3; filestore; sid:1;)\n\
         alert tcp any any -> any any (ttl:5; sid:2;)\n",
    );
    let by_sid = |sid: u32| {
        let found = rules.signatures().iter().find(|s| s.info.sid == sid);
        found.unwrap_or_else(|| panic!("no rule {sid}"))
    };
    const WARNING: &str = "Warning: Rule requires file-store but the output file-store is not enabled.";
    for (stores_files, warned) in [(false, true), (true, false)] {
        let report = text::analysis(by_sid(1), EngineFacts { stores_files });
        assert_eq!(report.contains(WARNING), warned, "{report}");
        assert!(report.contains("Fast Pattern \"bcd\" on \"http_uri\" buffer."), "{report}");
    }
    let report = text::fast_pattern(by_sid(1));
    for part in
        ["Fast pattern matcher: http_uri", "Original content: abcdef", "Final content: bcd", "length: 1, 3"]
    {
        assert!(report.contains(part), "no {part} in {report}");
    }
    assert!(text::fast_pattern(by_sid(2)).contains("    Fast Pattern analysis:\n        No content present"));
    assert!(text::analysis(by_sid(2), EngineFacts::default()).contains("    Rule is packet inspecting.\n"));
    assert!(text::analysis(by_sid(2), EngineFacts::default()).contains("No warnings for this rule."));
}
