//! Frameworks, by scripts and what these print and log. Logs go to standard output, where they can be compared.

use weir_script::command::run_text;

/// A stream whose rows go to standard output, without the lines around them.
const STREAM: &str = r#"
redef LogAscii::include_meta = F;
module Test;
export {
    redef enum Log::ID += { LOG };
    type Inner: record { a: count &log; hidden: string &default="h"; };
    type Info: record { s: string; inner: Inner &optional; d: double &optional; set_of: set[string] &optional; } &log;
    global log_policy: Log::PolicyHook;
    global log_test: event(rec: Info);
}
event zeek_init() &priority=5
    {
    Log::create_stream(LOG, [$columns=Info, $ev=log_test, $path="/dev/stdout", $policy=log_policy]);
    }
"#;

fn check(beginning: &str, cases: &[(&str, &str, &str)]) {
    for (name, script, wanted) in cases {
        let (out, errors, _) = run_text(&format!("{beginning}{script}"));
        assert_eq!(out, *wanted, "{name}: {errors}");
    }
}

#[test]
fn records_become_rows() {
    let cases = [
        (
            "absent and empty values",
            r#"event zeek_init() { Log::write(LOG, [$s=""]); Log::write(LOG, [$s="-", $set_of=set()]); }"#,
            "(empty)\t-\t-\t-\n\\x2d\t-\t-\t(empty)\n",
        ),
        (
            "records within records",
            r#"event zeek_init() { Log::write(LOG, [$s="x", $inner=[$a=3], $d=0.5, $set_of=set("a,b")]); }"#,
            "x\t3\t0.5\ta\\x2cb\n",
        ),
        (
            "JSON",
            r#"redef LogAscii::use_json = T;
            event zeek_init() { Log::write(LOG, [$s="\"\x01", $inner=[$a=3], $set_of=set("a")]); }"#,
            "{\"s\":\"\\\"\\\\x01\",\"inner.a\":3,\"set_of\":[\"a\"]}\n",
        ),
        (
            "a row like a line that is none",
            r##"event zeek_init() { Log::write(LOG, [$s="#x"]); }"##,
            "\\x23x\t-\t-\t-\n",
        ),
        (
            "columns that are added",
            r#"redef record Info += { more: port &log &default=80/tcp; };
            event zeek_init() { Log::write(LOG, [$s="x"]); }"#,
            "x\t-\t-\t-\t80\n",
        ),
    ];
    check(STREAM, &cases);
}

#[test]
fn filters_choose_what_is_written() {
    let cases = [
        (
            "the stream's policy",
            r#"hook log_policy(rec: Info, id: Log::ID, filter: Log::Filter) { if ( rec$s == "no" ) break; }
            event zeek_init() { Log::write(LOG, [$s="no"]); Log::write(LOG, [$s="yes"]); }"#,
            "yes\t-\t-\t-\n",
        ),
        (
            "columns by name",
            r#"event zeek_init()
                {
                local f = Log::get_filter(LOG, "default");
                f$include = set("s", "inner.a");
                f$field_name_map = table(["s"] = "renamed");
                f$config = table(["use_json"] = "T");
                Log::add_filter(LOG, f);
                Log::write(LOG, [$s="x", $inner=[$a=1], $d=1.0]);
                }"#,
            "{\"renamed\":\"x\",\"inner.a\":1}\n",
        ),
        (
            "an extension",
            r#"type Extra: record { node: string &log; };
            function extra(path: string): Extra { return Extra($node="n1"); }
            event zeek_init()
                {
                local f = Log::get_filter(LOG, "default");
                f$ext_func = extra;
                f$include = set("s");
                Log::add_filter(LOG, f);
                Log::write(LOG, [$s="x"]);
                }"#,
            "n1\tx\n",
        ),
        (
            "a stream that is disabled, and one without filters",
            r#"event zeek_init()
                {
                Log::disable_stream(LOG);
                Log::write(LOG, [$s="x"]);
                Log::enable_stream(LOG);
                Log::remove_default_filter(LOG);
                Log::write(LOG, [$s="y"]);
                print Log::get_filter_names(LOG), LOG in Log::active_streams;
                }
            event log_test(rec: Info) { print rec$s; }"#,
            "{\n\n}, T\ny\n",
        ),
    ];
    check(STREAM, &cases);
}

#[test]
fn delayed_records_wait_for_who_holds_them() {
    let script = r#"
    global token: Log::DelayToken;
    global held: Info;
    hook Log::log_stream_policy(rec: Info, id: Log::ID)
        {
        held = rec;
        token = Log::delay(id, rec, function(r: Info, i: Log::ID): bool { r$s = r$s + "!"; return T; });
        }
    event later() { print Log::get_delay_queue_size(LOG); Log::delay_finish(LOG, held, token); print "end"; }
    event zeek_init() { Log::write(LOG, [$s="x"]); event later(); }"#;
    check(STREAM, &[("a callback", script, "1\nx!\t-\t-\t-\nend\n")]);
}

#[test]
fn functions_within_expressions_return_what_they_return() {
    let cases = [
        (
            "a field",
            "type R: record { f: function(x: count): bool; };
            event zeek_init() { local r: R = [$f(x: count) = { return x > 1; }]; print r$f(2); }",
            "T\n",
        ),
        (
            "a local",
            "event zeek_init() { local f = function(x: count) { return x + 1; }; print f(1) + 1; }",
            "3\n",
        ),
    ];
    check("", &cases);
}

#[test]
fn utilities_answer() {
    let cases = [
        ("extract_count", "@load base/utils/numbers\nprint extract_count(\"a13b7\");", "13\n"),
        ("is_local_addr", "@load base/utils/site\nprint Site::is_local_addr(10.0.0.1), Site::is_local_addr(8.8.8.8);", "T, F\n"),
        ("decompose_uri", "@load base/utils/urls\nprint decompose_uri(\"http://a.b:80/x/y.txt?q=1\")$file_ext;", "txt\n"),
        ("build_path", "@load base/utils/paths\nprint build_path(\"a\", \"b\"), build_path(\"a\", \"/b\");", "a/b, /b\n"),
        ("normalize_mac", "@load base/utils/addrs\nprint normalize_mac(\"AA-BB-CC-00-11-22\");", "aa:bb:cc:00:11:22\n"),
        ("is_enabled", "print Cluster::is_enabled();", "F\n"),
        (
            "SumStats",
            "@load base/frameworks/sumstats
            event zeek_init()
                {
                SumStats::create([$name=\"n\", $epoch=0 secs,
                    $reducers=set(SumStats::Reducer($stream=\"s\", $apply=set(SumStats::SUM, SumStats::STD_DEV))),
                    $epoch_result(ts: time, key: SumStats::Key, result: SumStats::Result) =
                        { print SumStats::key2str(key), result[\"s\"]$num, result[\"s\"]$sum, result[\"s\"]$variance; }]);
                SumStats::observe(\"s\", [$str=\"k\"], [$num=2]);
                SumStats::observe(\"s\", [$str=\"k\"], [$num=4]);
                SumStats::next_epoch(\"n\");
                }",
            "sumstats_key(str=k), 2, 6.0, 2.0\n",
        ),
        (
            "Notice",
            "@load base/frameworks/notice
            redef LogAscii::output_to_stdout = T;
            redef LogAscii::include_meta = F;
            redef enum Notice::Type += { Mine };
            hook Notice::notice(n: Notice::Info) { print n$note, n$msg; }
            event Notice::suppressed(n: Notice::Info) { print \"again\"; }
            event zeek_init()
                {
                Log::disable_stream(Notice::LOG);
                NOTICE([$note=Mine, $msg=\"m\", $identifier=\"i\"]);
                NOTICE([$note=Mine, $msg=\"m\", $identifier=\"i\"]);
                }",
            "Mine, m\nagain\n",
        ),
    ];
    check("", &cases);
}

#[test]
fn rules_of_the_network_live_and_end() {
    let begin = "@load base/frameworks/netcontrol
        event zeek_init() &priority=-1
            {
            for ( id in set(NetControl::LOG, NetControl::DROP_LOG, NetControl::SHUNT) )
                Log::disable_stream(id);
            }
        event NetControl::init() { NetControl::activate(NetControl::create_debug_exists(\"second\"), 5); }
        event NetControl::rule_new(r: NetControl::Rule) { print \"new\", r$id; }
        event NetControl::rule_exists(r: NetControl::Rule, p: NetControl::PluginState, msg: string) { print \"exists\", r$_added; }
        event NetControl::rule_destroyed(r: NetControl::Rule) { print \"destroyed\", |NetControl::find_rules_addr(1.2.3.4)|; }
        ";
    let asked = "event NetControl::init_done()
            {
            local id = NetControl::drop_address(1.2.3.4, 0secs);
            print \"twice\", NetControl::drop_address(1.2.3.4, 0secs);
            print |NetControl::find_rules_subnet(1.2.3.4/32)|, |NetControl::find_rules_addr(1.2.3.5)|;
            schedule 1msec { later(id) };
            }
        event later(id: string) { NetControl::remove_rule(id); }";
    let (out, errors, _) = run_text(&format!("global later: event(id: string);\n{begin}{asked}"));
    let told: Vec<&str> = out.lines().filter(|line| !line.starts_with("netcontrol debug")).collect();
    assert_eq!(told, ["twice, ", "1, 0", "exists, T", "new, 2", "destroyed, 0"], "{errors}");
    let policy = "hook NetControl::rule_policy(r: NetControl::Rule) { break; }
        event NetControl::init_done() { print \"id\", NetControl::drop_address(1.2.3.4, 0secs); }";
    let (out, errors, _) = run_text(&format!("{begin}{policy}"));
    assert_eq!(out, "netcontrol debug (second): init\nid, \n", "{errors}");
}

#[test]
fn questions_about_the_run() {
    let cases = [
        (
            "versions",
            "@load base/misc/version
            for ( i, v in vector(\"3.0.0-rc2.13-mine-debug\", \"8.1\") )
                {
                local d = Version::parse(v);
                print d$version_number, d$commit, d$beta, d$debug, d$localversion;
                }",
            "30000, 13, T, T, mine\n80100, 0, F, F, \n",
        ),
        (
            "metadata",
            "redef enum EventMetadata::ID += { MINE = 1000 };
            print EventMetadata::register(MINE, table[string] of count), EventMetadata::register(MINE, count), EventMetadata::register(MINE, any);
            event zeek_init() { print |EventMetadata::current_all()|, current_event_time(); }",
            "T, F, F\n0, -1.0\n",
        ),
        (
            "waiting for no packets",
            "suspend_processing(); suspend_processing(); continue_processing(); print is_processing_suspended();
            continue_processing(); continue_processing(); print is_processing_suspended();",
            "T\nF\n",
        ),
        (
            "analyzers",
            "print Analyzer::name(Analyzer::ANALYZER_FTP_DATA), Analyzer::kind(PacketAnalyzer::ANALYZER_VXLAN), Analyzer::has_tag(\"NONE\");
            event zeek_init()
                {
                Analyzer::register_for_ports(Analyzer::ANALYZER_FTP, set(21/tcp));
                print Analyzer::analyzer_to_bpf(Analyzer::ANALYZER_FTP), 21/tcp in likely_server_ports;
                print Analyzer::disable_analyzer(Analyzer::ANALYZER_FTP);
                }",
            "FTP_DATA, packet, F\ntcp port 21, T\nT\n",
        ),
        (
            "packets where there are none",
            "print get_current_packet()$caplen, get_current_packet_ts(), get_net_stats()$pkts_recvd, packet_source()$path == \"\";",
            "0, 0.0, 0, T\n",
        ),
        (
            "fields that are added to records that are there",
            "global n = 0;
            function next_one(): count { return ++n; }
            type R: record { };
            global one = R(); global all = vector(R(), R());
            redef record R += { x: count &default=next_one(); };
            print one, all;",
            "[x=1], [[x=2], [x=3]]\n",
        ),
    ];
    check("", &cases);
}
