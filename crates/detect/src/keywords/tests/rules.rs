//! Keywords on the rule itself, and what is refused.

use super::{acting, compile_in, compiled, environment, signature};
use crate::compile::{Environment, Reason};
use crate::model::signature::Kind;
use crate::state::threshold::Rate;

#[test]
fn kinds_of_rules() {
    for (options, expected) in [
        ("msg:\"x\";", Kind::IpOnly),
        ("ip_proto:6; threshold:type limit, track by_src, count 1, seconds 60;", Kind::IpOnly),
        ("flowbits:set,a;", Kind::IpOnly),
        ("flowbits:isset,a;", Kind::Packet),
        ("flowbits:unset,a;", Kind::Packet),
        ("ttl:1;", Kind::Packet),
        ("sameip;", Kind::Packet),
        ("app-layer-protocol:http;", Kind::ProtocolOnly),
        ("app-layer-protocol:!tls; flow:to_server; flowbits:set,a;", Kind::ProtocolOnly),
        ("app-layer-protocol:http; flow:established;", Kind::Packet),
        ("app-layer-protocol:http; flowbits:isset,a;", Kind::Packet),
        ("app-layer-protocol:unknown|tls;", Kind::Packet),
        ("app-layer-event:http.first;", Kind::Transaction),
        ("http.uri; content:\"a\";", Kind::Transaction),
        ("tcp.hdr; content:\"a\";", Kind::Packet),
    ] {
        assert_eq!(signature(options).kind, expected, "{options}");
    }
}

#[test]
fn meta_keywords() {
    let signature = signature(
        "msg:\"a\\; b\"; rev:3; gid:2; classtype:odd; reference:cve,2021-1; reference:other,x; \
         reference:cve,ftp://a.example; \
         metadata:k v, only, key two words; target:dest_ip;",
    );
    let info = &signature.info;
    assert_eq!((&*info.msg, info.sid, info.rev, info.gid, info.priority), ("a; b", 1, 3, 2, 4));
    assert_eq!(info.classtype.as_ref().map(|c| (&*c.name, &*c.description)), Some(("odd", "Something odd")));
    let references: Vec<_> = info.references.iter().map(|r| (&*r.key, &*r.url)).collect();
    assert_eq!(
        references,
        [("cve", "https://cve.example/2021-1"), ("other", "x"), ("cve", "ftp://a.example")]
    );
    let metadata: Vec<_> = info.metadata().collect();
    assert_eq!(metadata, [("k", "v"), ("key", "two words")]);
    assert_eq!(info.target, weir_rules::Target::DestIp);
    for (options, priority, warnings) in [
        ("classtype:bad;", 1, 0),
        ("classtype:bad; priority:7;", 7, 0),
        ("priority:7; classtype:bad;", 7, 0),
        ("classtype:odd; classtype:bad;", 1, 1),
        ("classtype:nowhere;", 3, 1),
        ("reference:nowhere,x;", 3, 1),
        ("threshold:type limit, count 1, seconds 60, track by_src reference:url,a;", 3, 1),
        ("threshold:type limit, count 1, seconds 60, track by_src, reference:url,a;", 3, 1),
        (
            "threshold:type threshold,track by_src,count 1,seconds 60; http.uri; content:\"a\"; \
             threshold:type limit,track by_src,count 1,seconds 600;",
            3,
            1,
        ),
        ("", 3, 0),
    ] {
        let compiled = compiled(options).unwrap();
        let found = (compiled.signature.info.priority, compiled.warnings.len());
        assert_eq!(found, (priority, warnings), "{options}");
    }
    for (action, options, expected) in [
        ("alert", "", false),
        ("alert", "noalert;", true),
        ("alert", "flowbits:noalert;", true),
        ("drop", "xbits:noalert;", true),
        ("pass", "", true),
        ("pass", "alert;", false),
        ("reject", "", false),
    ] {
        let signature = acting(action, options);
        assert_eq!(signature.effects.no_alert, expected, "{action} {options}");
    }
}

#[test]
fn ports_that_are_counted() {
    for (header, unique_on, taken) in [
        ("tcp any any -> any any", "dst_port", true),
        ("udp any any -> any any", "src_port", true),
        ("sctp any any -> any any", "src_port", true),
        ("http any any -> any any", "src_port", true),
        ("ip any any -> any any", "src_port", false),
        ("icmp any any -> any any", "dst_port", false),
        ("icmp any any -> any any", "dst_ip", true),
        ("ip any any -> any any", "src_ip", true),
    ] {
        let options = format!("detection_filter:track by_dst, count 1, seconds 1, unique_on {unique_on};");
        let found = compile_in(&environment(), header, &options);
        assert_eq!(found.is_ok(), taken, "{header} {unique_on}");
    }
}

#[test]
fn rates() {
    for (options, rate, count, seconds) in [
        ("threshold: type limit, track by_src, seconds 60, count 1;", Rate::Limit, 1, 60),
        ("threshold:type both,track by_dst,count 2,seconds 5;", Rate::Both, 2, 5),
        ("threshold:type threshold, track by_rule, count 2, seconds 5;", Rate::Threshold, 2, 5),
        (
            "threshold:type backoff, track by_flow, count 1, multiplier 10;",
            Rate::Backoff { multiplier: 10 },
            1,
            0,
        ),
        ("detection_filter:track by_both, count 9, seconds 2;", Rate::DetectionFilter, 9, 2),
    ] {
        let found = signature(options).effects.threshold.unwrap_or_else(|| panic!("{options}"));
        assert_eq!((found.rate, found.count, found.span.as_secs()), (rate, count, seconds), "{options}");
    }
}

#[test]
fn requirements() {
    for (options, expected) in [
        ("requires:version >= 8;", None),
        ("requires:keyword content, keyword http.uri;", None),
        ("requires:version >= 7.0.3 < 8;", Some(Reason::Requirement)),
        ("nonsense:1; requires:keyword nonsense;", Some(Reason::Requirement)),
        ("requires:feature time-travel;", Some(Reason::Requirement)),
        ("requires:weather fine;", Some(Reason::Requirement)),
        ("requires:version;", Some(Reason::Value("requires".into()))),
        ("requires:version newest;", Some(Reason::Value("requires".into()))),
        ("requires:version > 7; requires:version > 7;", Some(Reason::Value("requires".into()))),
    ] {
        assert_eq!(compiled(options).err().map(|failure| failure.reason), expected, "{options}");
    }
}

#[test]
fn features_that_are_switched_off() {
    static FINGERPRINTED: weir_applayer::Protocol = weir_applayer::Protocol {
        fields: &[super::field(
            "ja4.hash",
            weir_applayer::FieldDirection::ToServer,
            weir_applayer::Access::FileName,
        )],
        ..super::HTTP
    };
    for (off, options, expected) in [
        (&[][..], "requires:feature ja4;", None),
        (&["ja3"], "requires:feature ja4;", None),
        (&["ja4"], "requires:feature ja4;", Some(Reason::Requirement)),
        (&[], "ja4.hash; content:\"q13\";", None),
        (&["ja4"], "ja4.hash; content:\"q13\";", Some(Reason::Value("ja4.hash".into()))),
    ] {
        let environment = Environment {
            switched_off: off.to_vec(),
            ..Environment::bare(crate::FieldCatalogue::new(&[&FINGERPRINTED]))
        };
        let found = compile_in(&environment, "http any any -> any any", options);
        assert_eq!(found.err().map(|failure| failure.reason), expected, "{off:?} {options}");
    }
}

#[test]
fn malformed_options() {
    for options in [
        "msg:none;",
        "rev:0;",
        "rev:x;",
        "gid:x;",
        "classtype:1;",
        "reference:cve;",
        "priority:0;",
        "target:left;",
        "noalert:1;",
        "isdataat;",
        "isdataat:x;",
        "isdataat:1,sideways;",
        "bsize:3;",
        "http.uri; bsize:x;",
        "dsize:;",
        "dsize:70000;",
        "urilen:x;",
        "urilen:3,left;",
        "absent;",
        "http.uri; absent:maybe;",
        "http.uri; content:\"a\"; absent;",
        "byte_test:1,>,2;",
        "byte_test:0,>,2,0;",
        "byte_test:9,>,2,0;",
        "byte_test:1,?,2,0;",
        "byte_test:1,>,q,0;",
        "byte_test:1,>,2,0,upwards;",
        "byte_test:1,>,2,0,dce,little;",
        "byte_test:1,>,2,0,dce;",
        "byte_jump:1;",
        "byte_jump:1,0,from_end,from_beginning;",
        "byte_jump:1,0,multiplier 0;",
        "byte_extract:1,0,2x;",
        "byte_extract:1,0,n,align 3;",
        "byte_extract:1,0,n,bitmask 0;",
        "byte_math:bytes 1,offset 0,oper +;",
        "byte_math:bytes 1,offset 0,oper %,rvalue 1,result n;",
        "uricontent:a;",
        "pcre:\"abc\";",
        "pcre:\"/(/\";",
        "pcre:\"/a/q\";",
        "pcre:\"/a/UH\";",
        "pcre:\"/a/C\";",
        "http.uri; pcre:\"/a/I\";",
        "pcre:\"/a/, flow:x\";",
        "entropy:value 9;",
        "entropy:bytes 1;",
        "ttl:256;",
        "id:70000;",
        "ip_proto:nonsense;",
        "fragbits:X;",
        "fragbits:+;",
        "ipopts:xyz;",
        "sameip:1;",
        "l3_proto:ipx;",
        "flags:Q;",
        "flags:S,1,2;",
        "flags:+;",
        "tcpv4-csum:maybe;",
        "tcp.hdr:1;",
        "vlan.id:1,most;",
        "vlan.id:1,3;",
        "vlan.id:1,-4;",
        "decode-event:nothing;",
        "stream-event:Not It;",
        "app-layer-event:http;",
        "app-layer-event:gopher.first;",
        "app-layer-protocol:gopher;",
        "app-layer-protocol:!unknown;",
        "app-layer-protocol:http,sometimes;",
        "flow:sideways;",
        "flow:to_server,to_client;",
        "flow:established,stateless;",
        "flow.pkts:5;",
        "flow.pkts:sideways,5;",
        "flow.age:x;",
        "flow.elephant:nowhere;",
        "stream_size:server,5;",
        "stream_size:server,?,5;",
        "stream_size:all,<,5;",
        "flowbits:set;",
        "flowbits:set,a|b;",
        "flowbits:set,a b;",
        "flowbits:keep,a;",
        "flowint:nn;",
        "flowint:nn,+;",
        "flowint:nn,%,1;",
        "flowint:1n,+,1;",
        "flowint:nn,+,5000000000;",
        "xbits:set,a;",
        "xbits:set,a,track ip_mac;",
        "xbits:keep,a,track ip_src;",
        "xbits:set,a,track ip_src,expire 0;",
        "hostbits:set;",
        "hostbits:set,a,both;",
        "bypass:1;",
        "filestore:sideways;",
        "filestore:both,all;",
        "threshold:type limit, track by_src, count 1;",
        "threshold:type rarely, track by_src, count 1, seconds 1;",
        "threshold:track by_src, count 1, seconds 1;",
        "threshold:type limit, track by_mac, count 1, seconds 1;",
        "threshold:type limit, track by_src, count 0, seconds 1;",
        "threshold:type backoff, track by_src, count 1, multiplier 2;",
        "detection_filter:type limit, track by_src, count 1, seconds 1;",
        "detection_filter:track by_src, count 1, seconds 1, unique_on src_mac;",
        "detection_filter:track by_src, count 1, seconds 1, unique_on src_ip, unique_on dst_ip;",
        "threshold:type both, track by_src, count 1, seconds 1, unique_on src_ip;",
        "threshold:type limit, track by_src, count 1, seconds 1; detection_filter:track by_src, count 1, seconds 1;",
        "base64_data;",
        "base64_decode:bytes 0;",
        "base64_decode; base64_decode;",
        "filesize:big;",
        "filemd5:no-such-list-anywhere;",
        "to_lowercase;",
        "http.uri; to_lowercase:1;",
        "http.uri; xor:\"abc\";",
        "http.uri; xor:\"zz\";",
        "http.uri; from_base64:mode loose;",
        "http.uri; gunzip:max-size 0;",
        "http.uri; zlib_deflate:size 1;",
        "http.uri; subslice:x;",
        "http.uri; subslice:1,0;",
        "http.uri; pcrexform:\"abc\";",
        "http.uri; pcrexform:\"(\";",
        "prefilter:1;",
        "filemagic;",
        "asn1:absolute_offset 1;",
        "asn1:oversize_length;",
        "asn1:oversize_length x;",
        "asn1:overflow;",
        "geoip:src;",
        "geoip:DE,!FR;",
        "geoip:Germany;",
        "rpc:*;",
        "rpc:portmap;",
        "rpc:1,2,3,4;",
        "flowvar:a;",
        "flowvar:,b;",
        "pktvar:a b,c;",
        "app-layer-state:started;",
        "replace:\"a\";",
        "content:\"a\"; replace:\"ab\";",
        "content:!\"a\"; replace:\"b\";",
        "http.uri; content:\"a\"; replace:\"b\";",
        "sctp.chunk_data:1;",
        "dsize:>5; dsize:<9;",
        "file.magic:pdf;",
        "byte_test:4,>,1,0,hex;",
        "byte_jump:4,0,dec;",
        "byte_extract:4,0,n,oct;",
        "byte_extract:4,0,n,relative,relative;",
        "byte_extract:4,0,n,string,dec,little;",
        "byte_extract:21,0,n,string,dec;",
        "byte_extract:15,0,n,string,hex;",
        "byte_math:bytes 4,offset 0,oper +,rvalue 1,result n,relative,relative;",
        "content:\"a\"; content:\"b\"; distance:1048577;",
        "content:\"a\"; content:\"b\"; within:-1048577;",
        "content:\"a\"; fast_pattern; content:\"b\"; fast_pattern;",
        "base64_decode; base64_data; content:\"a\"; fast_pattern;",
        "pcre:\"/a/UU\";",
        "pcre:\"/A/W\";",
        "http.uri; dataset:isset,names,type string,match host;",
        "http.uri; dataset:set,names,type string,match subdomain;",
        "http.uri; to_md5; dataset:isset,sums,type md5,match subdomain;",
        "http.uri; dataset:isset,names,type string,load a,load b;",
        "http.uri; dataset:set,names,type string,save a,state b;",
        "stream_size:client,>,4294967296;",
    ] {
        let failure = compiled(options).map(|_| ()).expect_err(options);
        assert!(matches!(failure.reason, Reason::Value(_)), "{options}: {:?}", failure.reason);
        let message = &failure.diagnostic.message;
        assert!(!message.is_empty() && failure.diagnostic.column > 1, "{options}: {message}");
    }
}

#[test]
fn parts_that_exclude_each_other() {
    for options in [
        "dsize:5; http.uri; content:\"a\";",
        "urilen:3; ttl:1;",
        "http.uri; content:\"a\"; tcp.hdr; content:\"b\";",
        "http.uri;",
        "http.uri; to_lowercase;",
        "http.uri; content:\"abcd\"; bsize:3;",
        "http.uri; bsize:<3; content:\"ab\"; content:\"cd\"; distance:0;",
        "http.uri; absent; content:\"a\";",
        "http.uri; absent:or_else;",
    ] {
        let failure = compiled(options).map(|_| ()).expect_err(options);
        assert_eq!(failure.reason, Reason::Conflict, "{options}");
    }
}

#[test]
fn names_are_unique_and_documented() {
    let mut names: Vec<&str> = crate::keywords::all().flat_map(|keyword| keyword.names()).collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
    for keyword in crate::keywords::all() {
        let doc = keyword.doc;
        assert!(doc.syntax.starts_with(keyword.name), "{}", doc.syntax);
        assert!(doc.text.ends_with('.') && !doc.example.is_empty(), "{}", keyword.name);
    }
}

#[test]
fn what_can_never_match_is_refused() {
    let depth = "can't use a relative keyword like within/distance with a absolute relative keyword like depth/offset \
                 for the same content.";
    for (options, expected) in [
        ("content:\"a\"; depth:5; depth:6;", "can't use multiple depths for the same content."),
        (
            "content:\"a\"; content:\"b\"; within:5; within:6;",
            "can't use multiple withins for the same content.",
        ),
        ("content:\"a\"; content:\"b\"; depth:5; distance:6;", depth),
        (
            "content:\"a\"; content:!\"b\"; fast_pattern; offset:6;",
            "can't have a relative negated keyword set along with 'fast_pattern'.",
        ),
        (
            "content:\"a\"; content:\"b\"; fast_pattern:only; offset:6;",
            "can't have a relative keyword set along with 'fast_pattern:only;'.",
        ),
        (
            "dsize:6; content:\"boom\"; content:\"loom\"; distance:2;",
            "signature can't match as required content length 10 exceeds dsize value 6",
        ),
        (
            "http.uri; strip_whitespace; content:\"a b\";",
            "content string \"a b\" incompatible with strip_whitespace transform",
        ),
        (
            "http.uri; compress_whitespace; content:\"a  b\";",
            "content string \"a  b\" incompatible with compress_whitespace transform",
        ),
        (
            "http.uri; to_lowercase; content:\"aB\";",
            "content string \"aB\" incompatible with to_lowercase transform",
        ),
        ("content:\"a\"; byte_jump:none,0;", "Unknown byte_extract var seen in byte_jump - none"),
        ("content:\"a\"; byte_test:none,=,1,5;", "Unknown byte_extract var seen in byte_test - none"),
        (
            "byte_math:bytes none, offset 1, oper +, rvalue 1, result r;",
            "unknown byte_ keyword var seen in byte_math - none",
        ),
        (
            "threshold:type limit, track by_src, count 1, seconds 60; \
             threshold:type limit, track by_src, count 1, seconds 60;",
            "multiple \"threshold\" options are not allowed in the same rule",
        ),
        (
            "threshold:type limit, track by_src reference:url,a, count 1, seconds 60;",
            "`threshold` does not know `reference:url`.",
        ),
        (
            "threshold:type limit, track by_src, count 1, seconds 60; \
             detection_filter:track by_src, count 1, seconds 60;",
            "\"detection_filter\" and \"threshold\" are not allowed in the same rule",
        ),
        ("iprep:src,nobody,>,1;", "unknown iprep category \"nobody\""),
        ("tag:host,5;", "`host,5` is no tag."),
        ("http.uri; dataset:is,names;", "unknown command 'is'."),
        ("http.uri; dataset:isset,names;", "dataset names not defined: give it a type"),
        (
            "http.uri; dataset:isset,names,type string,load n.json,format yaml,value_key a;",
            "unknown format 'yaml'.",
        ),
        (
            "http.uri; dataset:isset,names,type string,load n.json,format json;",
            "`dataset` needs a value_key for a file of JSON.",
        ),
        (
            "http.uri; dataset:isset,names,type string,format json,value_key a;",
            "a set of JSON needs `load`, and can't be saved.",
        ),
        (
            "http.uri; dataset:isset,names,type string,state n.json,format ndjson,value_key a;",
            "a set of JSON needs `load`, and can't be saved.",
        ),
        (
            "http.uri; dataset:isset,names,type string,load n,format ndjson,value_key a,array_key b;",
            "`array_key` is for `format json` only.",
        ),
        (
            "http.uri; dataset:isset,names,type string,value_key a;",
            "keys need `format json` or `format ndjson`.",
        ),
        (
            "http.uri; dataset:isset,names,type string,context_key a;",
            "`context_key` needs `format json` or `format ndjson`.",
        ),
        (
            "http.uri; dataset:isset,names,type string,load n,format json,value_key a..b;",
            "`a..b` is no key of JSON.",
        ),
        (
            "http.uri; dataset:isset,names,type string,load n,format json,value_key a,context_key \\\";",
            "`\\\"` is no key for a context.",
        ),
    ] {
        let found = compiled(options).map(|_| ()).map_err(|failure| failure.diagnostic.message.clone());
        assert_eq!(found, Err(expected.to_owned()), "{options}");
    }
}

#[test]
fn headers_belong_to_protocols() {
    for (header, options, taken) in [
        ("tcp any any -> any any", "tcp.hdr; content:\"a\";", true),
        ("udp any any -> any any", "tcp.hdr; content:\"a\";", false),
        ("tcp any any -> any any", "udp.hdr; content:\"a\";", false),
        ("ip any any -> any any", "udp.hdr; content:\"a\";", true),
        ("icmp any any -> any any", "icmpv6.hdr; content:\"a\";", true),
        ("tcp any any -> any any", "icmpv4.hdr; content:\"a\";", false),
        ("udp any any -> any any", "tcp.mss:536;", false),
        ("udp any any -> any any", "tcp.wscale:2;", false),
        ("tcp any any -> any any", "icmpv6.mtu:1280;", false),
        ("icmp any any -> any any", "icmpv6.mtu:1280;", true),
    ] {
        assert_eq!(compile_in(&environment(), header, options).is_ok(), taken, "{header} {options}");
    }
}

#[test]
fn options_that_are_taken() {
    for options in [
        "content:\"a\"; content:\"b\"; distance:-1048576; within:1048576;",
        "http.uri; content:\"a\"; fast_pattern; file.data; content:\"b\"; fast_pattern;",
        "byte_test:4,>,1,0,string,hex;",
        "byte_test:4,>,1,0,string,dec,little;",
        "byte_extract:14,0,n,string,hex;",
        "hostbits:noalert;",
        "vlan.id:1,-3;",
        "file.data; dataset:set,sizes,type string,memcap much,hashsize 0;",
        "pcre:\"/A/Wi\"; ",
        "http.uri; dataset:isnotset,names,type string,match subdomain;",
    ] {
        let failure = compiled(options).err().map(|failure| failure.diagnostic.to_string());
        assert!(failure.as_ref().is_none_or(|text| text.contains("http.host")), "{options}: {failure:?}");
    }
}

#[test]
fn names_of_ip_protocols_are_small_or_capital() {
    for (name, known) in [("tcp", true), ("TCP", true), ("TcP", false), ("144", true), ("295", false)] {
        assert_eq!(compiled(&format!("ip_proto:{name};")).is_ok(), known, "{name}");
    }
}

#[test]
fn rules_on_events_that_are_not_there_are_left_out() {
    for options in ["app-layer-event:http.third;", "decode-event:udp.hlen_invalid;"] {
        let failure = compiled(options).map(|_| ()).expect_err(options);
        assert_eq!(failure.reason, Reason::Retired, "{options}");
    }
}

#[test]
fn descriptions_of_files_need_libmagic() {
    let environment = Environment {
        no_descriptions: crate::compile::WhenAsked::new(Box::new(|| Some("libmagic is gone".to_owned()))),
        ..environment()
    };
    for options in ["file.magic; content:\"PDF\";", "filemagic:\"PDF\";"] {
        let failure = compile_in(&environment, "ip any any -> any any", options).map(|_| ()).unwrap_err();
        assert!(failure.diagnostic.message.contains("libmagic is gone"), "{}", failure.diagnostic);
    }
}
