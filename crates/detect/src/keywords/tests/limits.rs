//! Documented limits of each keyword: what just loads, and what is refused with which words.

use weir_rules::{Resolver, VariableMap, parse_rule};

use super::{compile_in, environment};
use crate::compile::compile;

/// One keyword: options that load, and options that do not with a part of the message.
type Limits = (&'static str, &'static [&'static str], &'static [(&'static str, &'static str)]);

/// Compiles options after a header, which stands in braces before them where it is not `ip any any -> any any`.
fn outcome(text: &str) -> Result<(), String> {
    let (header, options) = match text.strip_prefix('{').and_then(|rest| rest.split_once("} ")) {
        Some((protocol, options)) => (format!("{protocol} any any -> any any"), options),
        None => ("ip any any -> any any".to_owned(), text),
    };
    compile_in(&environment(), &header, options)
        .map(|_| ())
        .map_err(|failure| failure.diagnostic.message.clone())
}

fn hold(limits: &[Limits]) {
    let mut wrong = Vec::new();
    for (keyword, loaded, refused) in limits {
        for options in *loaded {
            if let Err(message) = outcome(options) {
                wrong.push(format!("{keyword}: {options}: {message}"));
            }
        }
        for (options, words) in *refused {
            let message = outcome(options).err().unwrap_or_default();
            if !message.contains(words) {
                wrong.push(format!("{keyword}: {options}: {message}"));
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn names_of_keywords_in_any_case() {
    for options in ["CONTENT:\"a\";", "Content : \"a\" ; NoCase;", "HTTP.uri; content:\"a\";"] {
        assert_eq!(outcome(options), Ok(()), "{options}");
    }
}

#[test]
fn of_contents() {
    hold(&[
        (
            "depth",
            &["content:\"abc\"; depth:3;", "content:\"a\"; depth:65535;", "content:\"a\"; depth:0x10;"],
            &[
                ("content:\"abc\"; depth:2;", "depth:2 smaller than content of len 3"),
                ("content:!\"abc\"; depth:2;", "depth:2 smaller than content of len 3"),
                ("content:\"a\"; depth:65536;", "invalid value for depth: 65536."),
                ("content:\"a\"; depth:-1;", "invalid value for depth: -1."),
                ("content:\"a\"; depth:5; depth:6;", "multiple depths"),
                ("depth:5;", "depth needs preceding content, uricontent option"),
            ],
        ),
        (
            "distance, within",
            &[
                "content:\"a\"; distance:0;",
                "content:\"a\"; content:\"bc\"; within:2;",
                "content:\"a\"; fast_pattern:only; http.uri; content:\"b\"; content:\"c\"; distance:0;",
                "content:\"a\"; fast_pattern:only; pcre:\"/b/\"; content:\"c\"; distance:0;",
            ],
            &[
                ("content:\"a\"; content:\"bc\"; within:1;", "within argument \"1\" is less than"),
                (
                    "content:\"a\"; fast_pattern:only; content:\"b\"; distance:0;",
                    "previous keyword has a fast_pattern:only",
                ),
                (
                    "content:\"a\"; fast_pattern:only; content:\"b\"; within:9;",
                    "previous keyword has a fast_pattern:only",
                ),
                ("content:\"a\"; content:\"b\"; distance:1; distance:2;", "multiple distances"),
                ("content:\"a\"; content:\"b\"; within:1; depth:4;", "can't use a relative keyword"),
            ],
        ),
        (
            "startswith, endswith",
            &[
                "content:\"a\"; startswith; endswith;",
                "content:\"a\"; endswith; endswith;",
                "content:\"a\"; offset:3; endswith;",
                "content:\"a\"; fast_pattern; startswith;",
            ],
            &[
                ("content:\"a\"; startswith; startswith;", "multiple depth/startswith settings"),
                ("content:\"a\"; offset:3; startswith;", "can't mix offset with startswith."),
                ("content:\"a\"; startswith; depth:3;", "multiple depths"),
                ("content:\"a\"; fast_pattern:only; startswith;", "fast_pattern:only;"),
                ("content:\"a\"; startswith; fast_pattern:only;", "fast_pattern: only;"),
                (
                    "content:!\"a\"; fast_pattern; startswith;",
                    "negated keyword set along with a 'fast_pattern'.",
                ),
                ("endswith;", "endswith needs a preceding content option"),
            ],
        ),
        (
            "fast_pattern",
            &[
                "content:\"abc\"; fast_pattern:1,2;",
                "content:!\"abc\"; fast_pattern;",
                "content:\"a\"; depth:3; fast_pattern;",
            ],
            &[
                ("content:\"abc\"; fast_pattern:1,3;", "exceeds pattern length (3)"),
                ("content:\"abc\"; fast_pattern:1;", "parse error, ret -1, string 1"),
                ("content:\"abc\"; fast_pattern:65536,1;", "parse error, ret -1, string 65536,1"),
                ("content:!\"abc\"; fast_pattern:only;", "negated"),
                ("content:!\"abc\"; offset:1; fast_pattern;", "negated"),
                ("content:\"abc\"; depth:5; fast_pattern:only;", "fast_pattern: only;"),
                ("content:\"a\"; fast_pattern; content:\"b\"; fast_pattern;", "only one content in a rule"),
                (
                    "http.uri; absent:or_else; content:\"a\"; fast_pattern;",
                    "absent and fast_pattern on the same buffer",
                ),
            ],
        ),
        (
            "pcre",
            &[
                "content:\"a\"; pcre:\"/b/BR\";",
                "http.uri; pcre:\"/b/R\";",
                "pcre:\"/a/\"; pcre:\"/b/R\";",
                "byte_jump:1,0; pcre:\"/b/R\";",
                "byte_extract:1,0,x; pcre:\"/b/R\";",
            ],
            &[
                ("pcre:\"/b/R\";", "needs preceding match in the same buffer"),
                (
                    "http.uri; content:\"a\"; pkt_data; pcre:\"/b/R\";",
                    "needs preceding match in the same buffer",
                ),
                ("pcre:\"/a/BU\";", "regex modifier 'U' inconsistent with 'B'"),
                ("pcre:\"/a/UB\";", "regex modifier 'B' inconsistent"),
            ],
        ),
        (
            "dsize, bsize, urilen",
            &[
                "dsize:<=2; content:\"abc\";",
                "dsize:<3; content:\"abc\";",
                "http.uri; bsize:<4; content:\"ab\"; content:\"cd\"; distance:0;",
                "http.uri; bsize:<=3; content:\"abcd\";",
                "urilen:<5; http.uri; content:\"abcdef\";",
                "urilen:3; http.uri; content:\"ab\"; content:\"cd\"; distance:0;",
            ],
            &[
                ("dsize:2; content:\"abc\";", "required content length 3 exceeds dsize value 2"),
                ("dsize:!2; content:\"abc\";", "required content length 3 exceeds dsize value 2"),
                ("dsize:1<>2; content:\"a\";", "holds no value"),
                ("http.uri; bsize:1<>4; content:\"abcde\";", "exceeds bsize range: 1-4"),
                ("http.uri; bsize:3; content:\"abcd\";", "exceeds bsize value: 3"),
                ("http.uri; to_lowercase; bsize:3; content:\"abcd\";", "exceeds bsize value: 3"),
                ("urilen:4; http.uri; content:\"abcdef\";", "depth or urilen 4 smaller than content len 6"),
                ("urilen:<4; http.uri; content:\"abcdef\";", "depth or urilen 5 smaller than content len 6"),
                ("urilen:70000;", "larger than 65535"),
            ],
        ),
    ]);
}

#[test]
fn of_numbers_in_payloads() {
    hold(&[
        (
            "byte_extract",
            &["byte_extract:4,-32768,n,relative;", "byte_extract:14,0,n,string,hex;"],
            &[
                ("byte_extract:4,32768,n;", "from -32768 to 32767"),
                ("byte_extract:1,0,n; byte_extract:n,0,m;", "from 0 to 255"),
                ("byte_extract:9,0,n;", "not between 1 and 8"),
                ("byte_extract:4,0,n,bitmask 0xff;", "takes no bitmask"),
                ("byte_extract:4,0,n,little,little;", "endian specified more than once"),
            ],
        ),
        (
            "byte_math",
            &[
                "byte_math:bytes 4,offset 0,oper /,rvalue 0,result n;",
                "byte_math:bytes 10,offset 0,oper +,rvalue 1,result n,string dec;",
                "byte_extract:1,0,w; byte_math:bytes w,offset 0,oper +,rvalue w,result n;",
                "byte_math:bytes 4,offset -65535,oper >>,rvalue 4294967295,result n;",
            ],
            &[
                ("byte_math:bytes 5,offset 0,oper +,rvalue 1,result n;", "at most 4 bytes"),
                ("byte_math:bytes 5,offset 0,oper <<,rvalue 1,result n,string dec;", "at most 4 bytes"),
                (
                    "byte_math:bytes 11,offset 0,oper +,rvalue 1,result n,string dec;",
                    "at most 4 bytes, or 10",
                ),
                (
                    "byte_math:bytes 4,offset 0,oper +,rvalue 4294967296,result n;",
                    "not between 0 and 4294967295",
                ),
                (
                    "byte_extract:1,0,w; byte_math:bytes 1,offset w,oper +,rvalue 1,result n;",
                    "takes a number",
                ),
                ("byte_math:bytes 4,offset 0,oper +,rvalue 1,result n,string;", "takes a base"),
                (
                    "byte_math:bytes 4,offset 0,oper +,rvalue 1,result n,bitmask 1,bitmask 1;",
                    "bitmask specified more than once",
                ),
                (
                    "byte_math:bytes 4,offset 0,oper +,rvalue 1,result n,endian big,endian big;",
                    "endian specified more than once",
                ),
            ],
        ),
        (
            "variables",
            &[
                "byte_extract:1,0,n; byte_test:1,>,n,0;",
                "byte_extract:1,0,n; http.uri; content:\"a\"; depth:n;",
                "http.uri; byte_extract:1,0,n; pkt_data; byte_test:1,>,n,0;",
            ],
            &[
                (
                    "byte_extract:1,0,n; http.uri; byte_test:1,>,n,0;",
                    "Unknown byte_extract var seen in byte_test - n",
                ),
                (
                    "byte_extract:1,0,n; http.uri; byte_jump:1,n;",
                    "Unknown byte_extract var seen in byte_jump - n",
                ),
            ],
        ),
        (
            "base64_data",
            &[
                "base64_decode; base64_data; content:\"a\"; threshold:type limit,track by_src,count 1,seconds 1;",
            ],
            &[
                (
                    "base64_decode; base64_data; content:\"a\"; http.uri; content:\"b\";",
                    "cannot be reset after base64_data",
                ),
                (
                    "base64_decode; base64_data; content:\"a\"; pkt_data; content:\"b\";",
                    "cannot be reset after base64_data",
                ),
                ("base64_data; content:\"a\";", "needs a `base64_decode` before it"),
            ],
        ),
        (
            "transforms",
            &[
                "http.uri; content:\"a\"; to_lowercase; content:\"b\";",
                "http.uri; strip_whitespace; content:!\"a b\";",
                "file.data; gunzip:max-size=1MiB; content:\"a\";",
                "file.data; gunzip:max-size 4096; content:\"a\";",
            ],
            &[
                (
                    "http.uri; to_lowercase; content:\"a\"; to_md5; content:\"b\";",
                    "transforms must directly follow stickybuffers",
                ),
                ("to_lowercase; content:\"a\";", "needs a sticky buffer before it"),
                ("http.uri; to_lowercase; file.data; content:\"a\";", "no matches in sticky buffer http.uri"),
                ("http.uri; strip_whitespace; content:\"a b\";", "incompatible with strip_whitespace"),
                ("file.data; gunzip:max-size 0; content:\"a\";", "between 1 and"),
            ],
        ),
    ]);
    let transforms = |count| format!("http.uri; {}content:\"a\";", "to_md5; ".repeat(count));
    assert_eq!(outcome(&transforms(16)), Ok(()));
    assert!(outcome(&transforms(17)).is_err_and(|message| message.contains("at most 16 transforms")));
}

#[test]
fn of_headers() {
    hold(&[
        (
            "tos",
            &["tos:0;", "tos:!255;", "tos:x1f;", "tos:!X1F;"],
            &[
                ("tos:256;", "must be in the range 0 - 255"),
                ("tos:x100;", "must be in the range"),
                ("tos:0x1f;", "must be in the range"),
                ("tos:>8;", "must be in the range"),
            ],
        ),
        (
            "ip_proto",
            &["ip_proto:6;", "ip_proto:!6; ip_proto:!17;", "{ipv6} ip_proto:>6; ip_proto:<20; ip_proto:!10;"],
            &[
                ("{tcp} ip_proto:6;", "only when we use alert ip"),
                ("{http} ip_proto:6;", "only when we use alert ip"),
                ("ip_proto:6; ip_proto:17;", "exclude or repeat"),
                ("ip_proto:6; ip_proto:!17;", "exclude or repeat"),
                ("ip_proto:!6; ip_proto:17;", "exclude or repeat"),
                ("ip_proto:>6; ip_proto:>7;", "exclude or repeat"),
                ("ip_proto:>20; ip_proto:<6;", "exclude or repeat"),
                ("ip_proto:6-10;", "alone or after one of"),
                ("ip_proto:6; http.uri; content:\"a\";", "packet specific matches"),
            ],
        ),
        (
            "vlan.id",
            &["vlan.id:4095;", "vlan.id:1,-3;"],
            &[
                ("vlan.id:4096;", "less than 4096"),
                ("vlan.id:4000-4096;", "less than 4096"),
                ("vlan.id:1,3;", "-3 to 2"),
            ],
        ),
        (
            "stream_size",
            &["stream_size:client,!,4294967295;"],
            &[
                ("stream_size:client,>,0x10;", "no number of bytes"),
                ("stream_size:Client,>,1;", "is no side"),
                ("stream_size:client,>,4294967296;", "no number of bytes"),
            ],
        ),
        (
            "l3_proto",
            &["l3_proto:ipv4;", "l3_proto:ipv4; l3_proto:ip4;", "{ipv6} l3_proto:IP6;"],
            &[
                ("l3_proto:ipv4; l3_proto:ipv6;", "Conflicting l3 proto"),
                ("{ipv6} l3_proto:ipv4;", "Conflicting l3 proto"),
                ("l3_proto:ipv5;", "is no version of IP"),
            ],
        ),
        (
            "packets and the stream",
            &["{tcp} flow:only_stream; content:\"a\";", "{tcp-pkt} dsize:1;", "{tcp} flow:no_stream; ttl:1;"],
            &[
                ("{tcp} flow:only_stream; dsize:5;", "can't mix packet keywords"),
                ("{tcp-stream} flags:S;", "can't mix packet keywords"),
                ("{tcp-stream} tcp.hdr; content:\"a\";", "can't mix packet keywords"),
                ("{tcp-pkt} flow:only_stream; content:\"a\";", "can't mix packet keywords"),
            ],
        ),
    ]);
}

#[test]
fn of_state() {
    hold(&[
        (
            "flow",
            &[
                "flow:to_server; flow:established;",
                "flow:to_client; flow:to_client;",
                "flow:FROM_SERVER, Established;",
            ],
            &[
                ("flow:established; flow:to_server;", "only one flow option"),
                ("flow:to_server; flow:to_client;", "rule 1 has flow to_client but a hook to_server"),
                ("flow:toserver;", "invalid flow option \"toserver\""),
                ("flow:to_server,from_client;", "contradicts or repeats"),
                ("flow:only_stream,no_stream;", "contradicts or repeats"),
            ],
        ),
        (
            "flowint",
            &[
                "flowint:ab,+,1;",
                "flowint:a.b/c_d,>,ef;",
                "flowint:ab,isset;",
                "flowint:ab,notset,1;",
                "flowint:ab,isset,cd;",
                "flowint:ab,=,4294967295;",
            ],
            &[
                ("flowint:a,+,1;", "is no name"),
                ("flowint:a-b,+,1;", "is no name"),
                ("flowint:ab,>,c.d;", "is no name"),
                ("flowint:ab,isset,c.d;", "is no name"),
                ("flowint:ab,+,0x10;", "no number of 32 bits"),
                ("flowint:ab,+,4294967296;", "no number of 32 bits"),
            ],
        ),
        (
            "flowbits",
            &["flowbits:isset,a|b;", "flowbits:noalert;", "flowbits:isset,a||b|;"],
            &[
                ("flowbits:isset,|;", "No valid flowbits"),
                ("flowbits:noalert,a;", "flowbits action \"noalert\" is not supported"),
                ("flowbits:set,a b;", "spaces not allowed in flowbit names"),
                ("flowbits:set;", "not a valid setting for flowbits"),
            ],
        ),
        (
            "xbits, hostbits",
            &[
                "xbits:set,a,track ip_pair, expire 3600;",
                "{http1:complete} xbits:isset,a,track tx;",
                "{http1:complete} xbits:set,a,track tx;",
                "hostbits:set,a,dst;",
            ],
            &[
                ("{http1:complete} xbits:unset,a,track tx;", "only support set and isset"),
                ("{http1} http.uri; content:\"a\"; xbits:isset,a,track tx;", "require an explicit rule hook"),
                ("xbits:set,a,track ip_src,expire -1;", "greater than zero"),
                ("hostbits:set,a,src,60;", "not a valid setting for hostbits"),
                ("hostbits:set,a,both;", "is no address"),
            ],
        ),
        (
            "tag",
            &["tag:session;", "tag:host;", "tag:host,5,packets;", "tag:host,5,bytes,src;"],
            &[
                ("tag:host,5;", "is no tag"),
                ("tag:host,5,hours;", "is no tag"),
                ("tag:host,5,packets,both;", "is no tag"),
            ],
        ),
        (
            "threshold",
            &["threshold:type backoff,track by_flow,count 65535,multiplier 65535;"],
            &[
                (
                    "threshold:type backoff,track by_flow,count 1,multiplier 1;",
                    "must be in the range 2-65535",
                ),
                (
                    "threshold:type backoff,track by_flow,count 65536,multiplier 2;",
                    "must be in the range 1-65535",
                ),
                (
                    "threshold:type backoff,track by_src,count 1,multiplier 2;",
                    "only supported for track by_flow",
                ),
                (
                    "threshold:type limit,track by_src,count 1,seconds 1; threshold:type both,track by_src,count 1,seconds 1;",
                    "multiple \"threshold\"",
                ),
            ],
        ),
        (
            "alert, target",
            &["noalert; alert;", "alert; noalert;", "target:src_ip; target:src_ip;"],
            &[
                ("target:src_ip; target:dest_ip;", "Conflicting values of target"),
                ("alert:1;", "unexpected option"),
            ],
        ),
        (
            "filestore, bypass",
            &["{http} bypass;", "{http} filestore;"],
            &[
                ("{http} bypass; filestore;", "filestore can't work with bypass"),
                ("{http} filestore; bypass;", "bypass can't work with filestore"),
            ],
        ),
        (
            "app-layer-event",
            &["{http} app-layer-event:http.first;", "{tcp} app-layer-event:http.first;"],
            &[("{icmp} app-layer-event:http.first;", "TCP and UDP only")],
        ),
    ]);
}

#[test]
fn of_fields() {
    hold(&[
        (
            "http.method",
            &["http.method; content:\"GET\";", "http.method; content:\"A B\";"],
            &[
                ("http.method; content:\"GET \";", "trailing space"),
                ("http.method; content:\"GET|09|\";", "trailing space"),
                ("http.method; content:\"|20|GET\";", "leading space"),
            ],
        ),
        (
            "http.header.raw",
            &[
                "flow:to_server; http.header.raw; content:\"a\";",
                "http.header.raw; content:\"a\"; flow:established,to_client;",
                "{http1:complete} http.header.raw; content:\"a\";",
            ],
            &[
                ("http.header.raw; content:\"a\";", "without a flow direction"),
                ("flow:established; http.header.raw; content:\"a\";", "without a flow direction"),
            ],
        ),
        (
            "hooks",
            &["{http1:complete} http.uri; content:\"a\";", "{http1:started} http.host; content:\"a\";"],
            &[
                ("{http1:complete} http.host; content:\"a\";", "filled in another state"),
                ("{http1:started} http.uri; content:\"a\";", "filled in another state"),
            ],
        ),
    ]);
}

#[test]
fn scopes_of_actions() {
    let cases = [
        ("alert:packet", Some("'alert:packet'")),
        ("alert:flow", Some("'alert:flow'")),
        ("drop:packet", None),
        ("pass:flow", None),
        ("config:packet", None),
        ("config:flow", Some("'config:flow'")),
        ("drop:hook", Some("'drop:hook'")),
    ];
    for (action, words) in cases {
        let options =
            if action.starts_with("config") { "config:logging disable, type tx, scope tx; " } else { "" };
        let text = format!("{action} ip any any -> any any ({options}sid:1;)");
        let (rule, _) = parse_rule(&text, "test.rules", 1).unwrap_or_else(|error| panic!("{text}: {error}"));
        let variables = VariableMap::default();
        let compiled = compile(&rule, &environment(), &mut Resolver::new(&variables));
        match words {
            None => assert!(compiled.is_ok(), "{text}: {:?}", compiled.err()),
            Some(words) => {
                let failure = compiled.err().unwrap_or_else(|| panic!("{text} loads"));
                assert!(failure.diagnostic.message.contains(words), "{text}: {}", failure.diagnostic);
            }
        }
    }
}
