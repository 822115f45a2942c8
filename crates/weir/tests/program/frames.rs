//! Frames, in alerts and in records of their own.

use serde_json::Value;
use weir_testkit::{Conversation, pcap};

use crate::run::{ETHERNET, Folder};

const CONFIGURATION: &str =
    "%YAML 1.1\n---\noutputs:\n  - eve-log:\n      enabled: yes\n      types: [alert, frame]\n";

const RULES: &str = "\
    alert http any any -> any any (frame:http1.response; content:\"hello\"; endswith; sid:1;)\n\
    alert http any any -> any any (frame:http1.request; content:\"/b\"; sid:2;)\n\
    alert http any any -> any any (frame:http1.request; content:\"HTTP/1.1 200\"; sid:3;)\n\
    alert http any any -> any any (frame:stream; content:\"/a\"; content:\"/b\"; distance:0; sid:4;)\n";

fn numbers(frame: &Value) -> [u64; 3] {
    ["stream_offset", "length", "tx_id"].map(|key| frame[key].as_u64().unwrap_or(u64::MAX))
}

#[test]
fn requests_and_responses() {
    let request = |path: &str| format!("GET {path} HTTP/1.1\r\nHost: e.example\r\n\r\n");
    let response = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
    let traffic = Conversation::new("10.0.0.1:40000", "10.0.0.2:80")
        .handshake()
        .client_sends(request("/a").as_bytes())
        .server_sends(response.as_bytes())
        .client_sends(request("/b").as_bytes())
        .server_sends(response.as_bytes())
        .close()
        .frames();
    let (asked, answered) = (request("/a").len() as u64, response.len() as u64);
    for mode in [&[][..], &["--simulate-ips"]] {
        let folder = Folder::new(&format!("requests_and_responses_{}", mode.len()));
        let capture = folder.write("web.pcap", pcap(ETHERNET, &traffic));
        let rules = folder.write("frames.rules", RULES);
        let configuration = folder.write("weir.yaml", CONFIGURATION);
        let arguments = ["-r", &capture, "-S", &rules, "-c", &configuration];
        let run = folder.weir(&[&arguments[..], mode].concat());
        assert_eq!(run.code, 0, "{}", run.said());

        let alerts = folder.records("alert");
        let of = |sid: u64| alerts.iter().filter(|a| a["alert"]["signature_id"] == sid).collect::<Vec<_>>();
        let places: Vec<[u64; 3]> = of(1).iter().map(|alert| numbers(&alert["frame"])).collect();
        assert_eq!(places, [[0, answered, 0], [answered, answered, 1]], "{mode:?}");
        assert_eq!(of(1)[0]["frame"]["payload_printable"], response);
        let [second] = of(2)[..] else { panic!("{alerts:?}") };
        assert_eq!(numbers(&second["frame"]), [asked, asked, 1]);
        assert_eq!((&second["frame"]["complete"], &second["tx_id"]), (&true.into(), &1.into()));
        assert!(of(3).is_empty() && !of(4).is_empty(), "{mode:?} {alerts:?}");
        assert_eq!(of(4)[0]["frame"]["type"], "stream");

        let frames = folder.records("frame");
        let requests: Vec<_> = frames.iter().filter(|f| f["frame"]["type"] == "request").collect();
        let ids: Vec<_> =
            requests.iter().map(|f| (f["frame"]["id"].as_u64(), f["app_proto"].as_str())).collect();
        assert_eq!(ids, [(Some(2), Some("http")), (Some(3), Some("http"))], "{mode:?}");
        assert!(requests.iter().all(|f| f["frame"]["direction"] == "toserver"));
    }
}
