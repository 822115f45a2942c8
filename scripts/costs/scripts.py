"""Costs of scripts in Zeek's language: values that others choose (texts that patterns almost find, keys, lines of files),
and what scripts are made of. A row returns a script."""

import pathlib

from measure import Table


def command(binary, script):
    """The run of a script: a link named `zeek` is the program as Zeek's users start it."""
    zeek = pathlib.Path("zeek")
    if not zeek.exists():
        zeek.symlink_to(binary)
    pathlib.Path("script.zeek").write_text(script)
    for log in pathlib.Path().glob("*.log"):
        log.unlink()
    return ["./zeek", "-b", "script.zeek"]


TABLE = Table(command, nothing="event zeek_init() { }\n")
row = TABLE.row


def at_start(body, before=""):
    return f"{before}\nevent zeek_init()\n\t{{\n{body}\n\t}}\n"


def letters(n, last="b"):
    """Statements that make `s`: n times "a", and what follows them."""
    return f'local s = fmt("%s{last}", string_cat(gsub(fmt("%{n}s", ""), / /, "a")));'


@row(250_000)
def pattern_repeats(n):
    return at_start(letters(n) + "for ( i in set(1, 2, 3, 4) ) print /^((a|aa)+)+c/ in s;")


@row(250_000)
def pattern_states(n):
    """More states than are kept."""
    return at_start(f'local s = gsub(gsub(fmt("%{n}s", ""), / /, "ab"), /bab/, "bb"); print /(a|b)*a(a|b){{14}}c/ in s;')


@row(2_000)
def pattern_alternatives(n):
    words = "|".join(f"word{i}[0-9]+" for i in range(n))
    return at_start(f'print /{words}/ in "word77x";')


@row(20_000)
def pattern_joined(n):
    return at_start(f'local p = /never/; local s = ""; local i = 0; while ( i < {n} ) {{ ++i; if ( /x+y/ in cat(i) ) s = "y"; }} print p in s;')


@row(100_000)
def pattern_splits(n):
    return at_start(letters(n) + "print |split_string(s, /a/)|, |split_string_all(s, /a/)|, |find_all(s, /a/)|, |gsub(s, /a/, \"bb\")|;")


@row(100_000)
def pattern_far_ends(n):
    """A match that is sought from each place to the end, and not found."""
    return at_start(letters(n) + "print |gsub(s, /a*c/, \"\")|, |split_string(s, /a+c/)|, |find_all(s, /a.*c/)|;")


@row(400_000)
def text_search(n):
    return at_start(letters(n) + f"print strstr(s, fmt(\"%sb\", s[0:{n // 2}])), find_str(s, s[{n // 2}:]), count_substr(s, \"aa\");")


@row(500_000)
def text_conversion(n):
    return at_start(letters(n) + "print |to_upper(s)|, |string_to_ascii_hex(s)|, |encode_base64(s)|, |escape_string(s)|, |reverse(s)|, md5_hash(s), |fmt(\"%s\", s)|, |strip(s)|, |safe_shell_quote(s)|;")


@row(100_000)
def text_joins(n):
    return at_start(f'local v: vector of string; local i = 0; while ( i < {n} ) {{ v[i] = cat(i); ++i; }} print |join_string_vec(v, ",")|, |cat(v)|, |to_json(v)|;')


@row(100_000)
def json_reads(n):
    return at_start('local v: vector of count; local i = 0; while ( i < %d ) { v[i] = i; ++i; } local r = from_json(to_json(v), vec); print r$valid;' % n, "type vec: vector of count;")


@row(100_000)
def sort_orders(n):
    return at_start(f"local v: vector of count; local i = 0; while ( i < {n} ) {{ v[i] = (i * 7919) % 1000; ++i; }} sort(v); sort(v); sort(v, function(a: count, b: count): int {{ return a > b ? -1 : 1; }}); print v[0], order(v)[0];")


@row(100_000)
def sort_without_an_order(n):
    """An order that contradicts itself."""
    return at_start(f"local v: vector of count; local i = 0; while ( i < {n} ) {{ v[i] = i; ++i; }} sort(v, function(a: count, b: count): int {{ return 1; }}); print |v|;")


@row(100_000)
def table_as_queue(n):
    """The oldest entry is taken, again and again."""
    return at_start(f"local t: table[count] of count; local i = 0; while ( i < {n} ) {{ t[i] = i; ++i; }} while ( |t| > 0 ) {{ for ( k in t ) {{ delete t[k]; break; }} }} print |t|;")


@row(100_000)
def table_as_window(n):
    """One goes in, the oldest comes out."""
    return at_start(f"local t: table[count] of count; local i = 0; while ( i < {n} ) {{ t[i] = i; if ( i >= 1000 ) {{ for ( k in t ) {{ delete t[k]; break; }} }} ++i; }} print |t|;")


@row(50_000)
def table_of_records(n):
    return at_start(f"local t: table[addr, string] of set[port]; local i = 0; while ( i < {n} ) {{ t[count_to_v4_addr(i), cat(i)] = set(80/tcp); ++i; }} print |t|; clear_table(t);")


@row(20_000)
def table_of_subnets(n):
    return at_start(f"local t: table[subnet] of count; local i = 0; while ( i < {n} ) {{ t[count_to_v4_addr(i * 256) / 24] = i; ++i; }} local hits = 0; i = 0; while ( i < {n} ) {{ if ( count_to_v4_addr(i * 256 + 7) in t ) ++hits; ++i; }} print hits, |matching_subnets(10.0.0.0/8, t)|;")


@row(500)
def table_of_patterns(n):
    return at_start(f'local t: table[pattern] of count; local i = 0; while ( i < {n} ) {{ t[string_to_pattern(fmt("word%dx", i), F)] = i; ++i; }} local hits = 0; for ( k in set("word7x", "none", "word9y") ) hits += |t[k]|; print hits;')


@row(50_000)
def table_that_expires(n):
    return at_start(f"local i = 0; while ( i < {n} ) {{ t[i] = i; ++i; }} i = 0; while ( i < {n} ) {{ ++t[i]; ++i; }} print |t|;", "global t: table[count] of count &read_expire=1min &default=0;")


@row(50_000)
def events_scheduled(n):
    return at_start(f"local i = 0; while ( i < {n} ) {{ schedule double_to_interval((i * 7919) % 1000 / 1e9) {{ later(i) }}; ++i; }}", "global seen = 0;\nevent later(i: count) { ++seen; }\nevent zeek_done() { print seen; }")


@row(2_000)
def conditions_that_wait(n):
    return at_start(f"local i = 0; while ( i < {n} ) {{ local want = i; when [want] ( flag > want ) {{ ++seen; }} timeout 1sec {{ }} ++i; }} flag = 1;", "global seen = 0;\nglobal flag = 0;\nevent zeek_done() { print seen; }")


@row(8_000)
def conditions_of_entries(n):
    """Each waits for an entry of its own in one table, which all change."""
    return at_start(
        f"local i = 0; while ( i < {n} ) {{ local want = i; when [want] ( table_of[want] > 1 ) {{ ++seen; }} timeout 1hr {{ }} ++i; }}"
        " event change(0);",
        "global seen = 0;\nglobal table_of: table[count] of count &default=0;\n"
        f"event change(i: count) {{ table_of[i] = 1; if ( i + 1 < {n} ) event change(i + 1); }}\n"
        "event zeek_done() { print seen; }",
    )


@row(50_000)
def queue_of_events(n):
    return at_start(f"event next_one({n});", "event next_one(i: count) { if ( i > 0 ) event next_one(i - 1); }")


@row(20_000)
def sketches(n):
    return at_start(f"local b = bloomfilter_basic_init(0.01, 1000000); local c = hll_cardinality_init(0.01, 0.95); local k = topk_init(100); local i = 0; while ( i < {n} ) {{ bloomfilter_add(b, i); hll_cardinality_add(c, i); topk_add(k, i); ++i; }} print |topk_get_top(k, 10)|;")


@row(20_000)
def statistics(n):
    """A key for each observation."""
    return "@load base/frameworks/sumstats\n" + at_start(f"""local r = SumStats::Reducer($stream="s", $apply=set(SumStats::SUM, SumStats::UNIQUE));
SumStats::create([$name="n", $epoch=1min, $reducers=set(r)]);
local i = 0; while ( i < {n} ) {{ SumStats::observe("s", [$str=cat(i)], [$str=cat(i)]); ++i; }}""")


@row(10_000)
def intelligence(n):
    return "@load base/frameworks/intel\n" + at_start(f"""local i = 0; while ( i < {n} ) {{ Intel::insert([$indicator=cat(i), $indicator_type=Intel::DOMAIN, $meta=[$source="s"]]); ++i; }}
i = 0; while ( i < {n} ) {{ Intel::seen([$indicator=cat(i), $indicator_type=Intel::DOMAIN, $where=Intel::IN_ANYWHERE]); ++i; }}""")


@row(10_000)
def notices(n):
    return "@load base/frameworks/notice\n" + at_start(f"""local i = 0; while ( i < {n} ) {{ NOTICE([$note=Odd, $msg=cat(i), $identifier=cat(i)]); ++i; }}""", "redef enum Notice::Type += { Odd };")


LOGS = "type Row: record { n: count &log; s: string &log; };\nredef enum Log::ID += { MINE };\n"


@row(20_000)
def rows_of_logs(n):
    return LOGS + at_start(f"""Log::create_stream(MINE, [$columns=Row, $path="mine"]); local i = 0; while ( i < {n} ) {{ Log::write(MINE, [$n=i, $s=cat(i)]); ++i; }}""")


@row(500)
def paths_of_logs(n):
    return LOGS + at_start(f"""Log::create_stream(MINE, [$columns=Row, $path="mine"]);
Log::add_filter(MINE, [$name="f", $path_func=function(id: Log::ID, path: string, rec: Row): string {{ return rec$s; }}]);
local i = 0; while ( i < {n} ) {{ Log::write(MINE, [$n=i, $s=cat("path", i)]); ++i; }}""")


@row(100)
def filters_of_logs(n):
    return LOGS + at_start(f"""Log::create_stream(MINE, [$columns=Row, $path="mine"]);
local i = 0; while ( i < {n} ) {{ Log::add_filter(MINE, [$name=cat(i), $path="same"]); ++i; }} Log::write(MINE, [$n=1, $s="s"]);""")


@row(10_000)
def rows_that_wait(n):
    return LOGS + at_start(f"""Log::create_stream(MINE, [$columns=Row, $path="mine"]); local i = 0; while ( i < {n} ) {{ Log::write(MINE, [$n=i, $s=cat(i)]); ++i; }}""", "hook Log::log_stream_policy(rec: Row, id: Log::ID) { Log::delay(id, rec); }")


@row(20_000)
def lines_of_input(n):
    pathlib.Path("lines.txt").write_text("#fields\tk\tv\n" + "".join(f"{i}\tvalue {i}\n" for i in range(n)))
    return at_start("""Input::add_table([$source="lines.txt", $name="lines", $idx=Key, $val=Value, $destination=t]);""", "type Key: record { k: count; };\ntype Value: record { v: string; };\nglobal t: table[count] of Value = table();\nevent zeek_done() { print |t|; }")


@row(50)
def streams_of_input(n):
    pathlib.Path("lines.txt").write_text("#fields\tk\tv\n1\tone\n")
    return at_start(f"""local i = 0; while ( i < {n} ) {{ Input::add_event([$source="lines.txt", $name=cat(i), $fields=Both, $ev=line]); ++i; }}""", "type Both: record { k: count; v: string; };\nevent line(d: Input::EventDescription, t: Input::Event, b: Both) { }")


@row(2_000)
def text_of_functions(n):
    return "".join(f"function f{i}(a: count): count {{ local b = a + {i}; return b * 2; }}\n" for i in range(n)) + at_start("print f1(1);")


@row(2_000)
def text_of_handlers(n):
    return "global seen = 0;\n" + "event zeek_init() { ++seen; }\n" * n + "event zeek_done() { print seen; }"


@row(5_000)
def text_of_tables(n):
    return "global t: table[string] of count = {\n" + ",\n".join(f'["key {i}"] = {i}' for i in range(n)) + "\n};\n" + at_start("print |t|;")


@row(1_000)
def text_of_enums(n):
    return "type E: enum { A };\n" + "".join(f"redef enum E += {{ E{i} }};\n" for i in range(n)) + at_start("print E7;")


@row(300)
def text_of_fields(n):
    return "type R: record { a: count; };\n" + "".join(f"redef record R += {{ f{i}: count &optional; }};\n" for i in range(n)) + at_start("print R($a=1)$a;")


@row(2_000)
def text_of_additions(n):
    return "global s: set[count] = { } &redef;\n" + "".join(f"redef s += {{ {i} }};\n" for i in range(n)) + at_start("print |s|;")


@row(5_000)
def text_of_sums(n):
    return at_start("local a = 1;\nprint " + ";\na = a ".join(["a"] + ["+ 1"] * n) + ";\nprint a;")


@row(2_000)
def text_of_branches(n):
    return at_start("local a = 7; switch ( a ) {\n" + "".join(f"case {i}: print {i}; break;\n" for i in range(n)) + "}")


@row(40_000)
def listeners_of_groups(n):
    """As many listeners as reports, of twice as many groups as are kept."""
    report = "event IGMP::membership_report_v2(count_to_v4_addr(i), count_to_v4_addr(3758096384 + i % 1000));"
    return at_start(f"local i = 0; while ( i < {n} ) {{ ++i; {report} }}", "@load policy/protocols/conn/multicast-participants")
