//! Records of connections, and of hostile ones.

use std::path::{Path, PathBuf};

/// A text that would be a script, a picture, a turn of direction, or an end of a text, wherever it were not taken for text.
pub const HOSTILE: &str = "</td><script>window.owned=1</script><img src=x onerror=window.owned=1>'\"&amp;\u{202e}\u{0}\u{7}javascript:window.owned=1";

/// Writes records of two connections, EVE's and Zeek's, and the capture of the first one's packets.
pub fn write_records(folder: &Path) -> PathBuf {
    let eve = [
        r#"{"timestamp":"2024-05-01T10:00:00.100000+0000","flow_id":1001,"event_type":"dns","src_ip":"10.0.0.1","src_port":5000,"dest_ip":"10.0.0.53","dest_port":53,"proto":"UDP","dns":{"type":"request","queries":[{"rrname":"evil.example","rrtype":"A"}]}}"#,
        r#"{"timestamp":"2024-05-01T10:00:01.300000+0000","flow_id":1002,"event_type":"http","src_ip":"10.0.0.1","src_port":1000,"dest_ip":"10.0.0.2","dest_port":80,"proto":"TCP","http":{"hostname":"evil.example","url":"/x","http_method":"GET","status":200,"length":5}}"#,
        r#"{"timestamp":"2024-05-01T10:00:01.300000+0000","flow_id":1002,"event_type":"alert","src_ip":"10.0.0.1","src_port":1000,"dest_ip":"10.0.0.2","dest_port":80,"proto":"TCP","alert":{"action":"allowed","signature_id":7,"signature":"TEST evil","category":"Test","severity":1,"rule":"alert tcp any any -> any any (msg:\"TEST evil\"; content:\"get\"; nocase; content:\"|2f|x\"; sid:7;)"},"payload":"R0VUIC94"}"#,
        r#"{"timestamp":"2024-05-01T10:00:02.000000+0000","flow_id":1002,"event_type":"alert","src_ip":"10.0.0.2","src_port":80,"dest_ip":"10.0.0.1","dest_port":1000,"proto":"TCP","alert":{"action":"allowed","signature_id":8,"signature":"TEST low","category":"Test","severity":3}}"#,
        r#"{"timestamp":"2024-05-01T10:00:03.000000+0000","flow_id":1002,"event_type":"alert","src_ip":"10.0.0.1","src_port":1000,"dest_ip":"10.0.0.2","dest_port":80,"proto":"TCP","alert":{"action":"allowed","signature_id":8,"signature":"TEST low","category":"Test","severity":3}}"#,
        r#"{"timestamp":"2024-05-01T10:00:05.000000+0000","flow_id":1002,"event_type":"flow","src_ip":"10.0.0.1","src_port":1000,"dest_ip":"10.0.0.2","dest_port":80,"proto":"TCP","app_proto":"http","flow":{"pkts_toserver":2,"pkts_toclient":1,"bytes_toserver":120,"bytes_toclient":60,"start":"2024-05-01T10:00:01.000000+0000","end":"2024-05-01T10:00:04.000000+0000","state":"closed","reason":"timeout"}}"#,
        r#"{"timestamp":"2024-05-01T10:00:05.000000+0000","flow_id":1001,"event_type":"flow","src_ip":"10.0.0.1","src_port":5000,"dest_ip":"10.0.0.53","dest_port":53,"proto":"UDP","app_proto":"dns","flow":{"pkts_toserver":1,"pkts_toclient":0,"bytes_toserver":70,"bytes_toclient":0,"start":"2024-05-01T10:00:00.100000+0000","end":"2024-05-01T10:00:00.100000+0000","state":"new","reason":"timeout"}}"#,
        r#"{"timestamp":"2024-05-01T10:00:06.000000+0000","event_type":"stats","stats":{"capture":{"kernel_packets":100,"kernel_drops":3},"tcp":{"reassembly_gap":1}}}"#,
    ];
    std::fs::write(folder.join("eve.json"), eve.join("\n") + "\n").unwrap();
    let conn = "#separator \\x09\n#set_separator\t,\n#empty_field\t(empty)\n#unset_field\t-\n#path\tconn\n\
        #fields\tts\tuid\tid.orig_h\tid.orig_p\tid.resp_h\tid.resp_p\tproto\tservice\tduration\torig_bytes\tresp_bytes\tmissed_bytes\n\
        #types\ttime\tstring\taddr\tport\taddr\tport\tenum\tstring\tinterval\tcount\tcount\tcount\n\
        1714557601.000000\tCabc\t10.0.0.1\t1000\t10.0.0.2\t80\ttcp\thttp\t3.000000\t6\t5\t0\n\
        1714999999.000000\tClater\t10.0.0.1\t1000\t10.0.0.2\t80\ttcp\thttp\t1.000000\t6\t5\t9\n";
    std::fs::write(folder.join("conn.log"), conn).unwrap();
    let http = "#separator \\x09\n#set_separator\t,\n#empty_field\t(empty)\n#unset_field\t-\n#path\thttp\n\
        #fields\tts\tuid\tid.orig_h\tid.orig_p\tid.resp_h\tid.resp_p\tmethod\thost\turi\tstatus_code\n\
        #types\ttime\tstring\taddr\tport\taddr\tport\tstring\tstring\tstring\tcount\n\
        1714557601.200000\tCabc\t10.0.0.1\t1000\t10.0.0.2\t80\tGET\tevil.example\t/x\t200\n";
    std::fs::write(folder.join("http.log"), http).unwrap();
    let capture = folder.join("c.pcap");
    let mut bytes =
        vec![0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 101, 0, 0, 0];
    for (second, from, to, ports, text) in [
        (1_714_557_601_u32, 1, 2, [3, 232, 0, 80], &b"GET /x"[..]),
        (1_714_557_602, 2, 1, [0, 80, 3, 232], b"hello"),
        (1_714_557_602, 3, 2, [0, 9, 0, 80], b"other"),
    ] {
        let mut packet =
            vec![0x45, 0, 0, (40 + text.len()) as u8, 0, 0, 0, 0, 64, 6, 0, 0, 10, 0, 0, from, 10, 0, 0, to];
        packet.extend(ports);
        packet.extend([0, 0, 0, 1, 0, 0, 0, 0, 0x50, 0x18, 0, 0, 0, 0, 0, 0]);
        packet.extend(text);
        let length = packet.len() as u32;
        [second, 0, length, length].iter().for_each(|word| bytes.extend(word.to_le_bytes()));
        bytes.extend(packet);
    }
    std::fs::write(&capture, bytes).unwrap();
    capture
}

/// Writes records that have a hostile text wherever traffic may bring one, also as names of fields, and a long
/// text of so many tags.
pub fn write_hostile(folder: &Path, text: &str, tags: usize) {
    let evil = serde_json::to_string(text).unwrap();
    let long = serde_json::to_string(&"<b>".repeat(tags)).unwrap();
    let base = format!(
        r#""flow_id":9223372036854775807,"src_ip":{evil},"src_port":1,"dest_ip":{evil},"dest_port":2,"proto":{evil},"app_proto":{evil},{evil}:{evil},"long":{long}"#
    );
    let eve = [
        format!(
            r#"{{"timestamp":"2024-05-01T10:00:00.000000+0000","event_type":"alert",{base},"alert":{{"action":{evil},"signature_id":1,"signature":{evil},"category":{evil},"severity":1,"rule":{evil}}},"payload":"PHNjcmlwdD4=","payload_printable":{evil}}}"#
        ),
        format!(
            r#"{{"timestamp":"2024-05-01T10:00:00.000000+0000","event_type":"http",{base},"http":{{"hostname":{evil},"url":{evil},"http_method":{evil},"http_content_type":{evil},"x":[{evil},{{"y":{evil}}}]}}}}"#
        ),
        format!(
            r#"{{"timestamp":"2024-05-01T10:00:00.000000+0000","event_type":"dns",{base},"dns":{{"type":{evil},"rcode":{evil},"queries":[{{"rrname":{evil},"rrtype":{evil}}}],"answers":[{{"rdata":{evil}}}]}}}}"#
        ),
        format!(
            r#"{{"timestamp":"2024-05-01T10:00:00.000000+0000","event_type":"tls",{base},"tls":{{"sni":{evil},"subject":{evil},"issuerdn":{evil},"version":{evil},"fingerprint":{evil},"subjectaltname":[{evil}],"notbefore":{evil},"notafter":{evil}}}}}"#
        ),
        format!(
            r#"{{"timestamp":"2024-05-01T10:00:00.000000+0000","event_type":"fileinfo",{base},"fileinfo":{{"filename":{evil},"magic":{evil},"state":{evil},"size":1,"sha256":{evil}}}}}"#
        ),
        format!(
            r#"{{"timestamp":"2024-05-01T10:00:00.000000+0000","event_type":"flow",{base},"flow":{{"state":{evil},"reason":{evil},"bytes_toserver":1,"bytes_toclient":2,"pkts_toserver":1,"pkts_toclient":1}}}}"#
        ),
    ];
    std::fs::write(folder.join("eve.json"), eve.join("\n") + "\n").unwrap();
}
