//! The language by chapters: scripts, with what they print and what they say is wrong.

use weir_script::command::run_text;
use weir_script::{Driver, Script};

/// Runs scripts; compares standard output.
fn check(rows: &[(&str, &str)]) {
    for (script, expected) in rows {
        let (out, errors, code) = run_text(script);
        assert_eq!((out.as_str(), code), (*expected, 0), "{script}\n{errors}");
    }
}

#[test]
fn numbers_and_operators() {
    check(&[
        ("print 1 + 2 * 3, (1 + 2) * 3, 7 / 2, 7 % 4, -3 + 1, 2.5 * 2;", "7, 9, 3, 3, -2, 5.0\n"),
        ("print 6 & 3, 6 | 3, 6 ^ 3, ~0 == 0xffffffffffffffff, 1 << 4, 256 >> 4;", "2, 7, 5, T, 16, 16\n"),
        ("print 1 < 2 && 2 < 1, 1 < 2 || 2 < 1, ! T, 3 == 3.0, \"a\" < \"b\";", "F, T, F, T, T\n"),
        ("local x = 3; x += 4; ++x; print x, x > 5 ? \"big\" : \"small\";", "8, big\n"),
        ("print |\"four\"|, |-3|, |vector(1, 2)|, |[::1]|, |1.2.3.4|;", "4, 3, 2, 128, 32\n"),
        (
            "print to_json(0.1 + 0.2), to_json(0.0000001), to_json(2.0), to_json(1e22), to_json(180122.2002 as interval, F, /^_/, T);",
            "0.30000000000000004, 1e-7, 2.0, 1e22, 180122.2002\n",
        ),
        ("print 1.5, 1e10, 0.0000001, 100.0;", "1.5, 1e10, 1e-07, 100.0\n".replace("1e10", "1e+10").leak()),
    ]);
}

#[test]
fn times_addresses_and_ports() {
    check(&[
        (
            "print 1min + 30sec, 2hrs / 4, 90 secs / 30 secs, -1 day;",
            "1.0 min 30.0 secs, 30.0 mins, 3.0, -1.0 day\n",
        ),
        ("print 10.0.0.5 in 10.0.0.0/8, [2001:db8::1] in [2001:db8::]/32, 1.2.3.4/24;", "T, T, 1.2.3.0/24\n"),
        ("print 80/tcp, 53/udp < 80/udp, 1.2.3.4 < 1.2.3.5, double_to_time(1.5);", "80/tcp, T, T, 1.5\n"),
    ]);
}

#[test]
fn strings_and_patterns() {
    check(&[
        ("print \"a\" + \"b\", \"abcdef\"[1:3], \"abc\"[-1], \"b\" in \"abc\";", "ab, bc, c, T\n"),
        ("print \"x\\ty\\x00\";", "x\\x09y\\x00\n"),
        ("print /fo+/ in \"xfoox\", /fo+/ == \"foo\", /fo+/ == \"xfoo\", /A/i in \"a\";", "T, T, F, T\n"),
        ("print /a/ | /b/, /\"x.y\"/ == \"x.y\", /[0-9]{2,3}/ == \"12\";", "/(^?(a)$?)|(^?(b)$?)/, T, T\n"),
        ("for ( c in \"ab\" ) print c;", "a\nb\n"),
        // The begin of the text holds everywhere for what finds, and only there for what splits and replaces.
        (
            "print find_all_ordered(\"test nest\", /^es/), find_last(\"test nest\", /^.est/);",
            "[es, es], nest\n",
        ),
        ("print find_first(\"test\", /^es/), |find_all(\"test\", /s^t/)|;", "es, 0\n"),
        (
            "print gsub(\"test\", /^es/, \"x\"), split_string(\"test\", /^es/), gsub(\"test\", /^te/, \"x\");",
            "test, [test], xst\n",
        ),
    ]);
}

#[test]
fn tables_sets_and_vectors() {
    check(&[
        (
            "local t: table[count] of string = { [1] = \"a\" }; t[2] = \"b\"; delete t[1]; print t, 1 in t, |t|;",
            "{\n[2] = b\n}, F, 1\n",
        ),
        ("local t: table[string] of count &default=7; print t[\"x\"], |t|;", "7, 0\n"),
        ("local t = table([1, \"a\"] = T); for ( [n, s], v in t ) print n, s, v;", "1, a, T\n"),
        (
            "local s = set(1, 2); add s[3]; print 3 in s, s - set(1), s & set(2), |(s | set(9))|;",
            "T, {\n2,\n3\n}, {\n2\n}, 4\n",
        ),
        (
            "local v = vector(1, 2, 3); v += 4; v[0] = 9; print v, v[1:3], v[-1], v + v;",
            "[9, 2, 3, 4], [2, 3], 4, [18, 4, 6, 8]\n",
        ),
        (
            "local t: table[subnet] of string = { [10.0.0.0/8] = \"wide\", [10.1.0.0/16] = \"narrow\" }; print t[10.1.2.3], t[10.2.2.3];",
            "narrow, wide\n",
        ),
        ("local t: table[pattern] of count; t[/a.*/] = 1; print t[\"abc\"], \"b\" in t;", "[1], F\n"),
    ]);
}

#[test]
fn records_and_enumerations() {
    check(&[
        (
            "type R: record { a: count; b: string &optional; c: count &default=5; }; local r = R($a=1); print r, r?$b; r$b = \"x\"; delete r$c; print r$b, r$c;",
            "[a=1, b=<uninitialized>, c=5], F\nx, 5\n",
        ),
        (
            "type R: record { a: count; }; redef record R += { b: count &default=2; }; print R($a=1);",
            "[a=1, b=2]\n",
        ),
        ("type E: enum { A, B = 7, C }; redef enum E += { D }; print A, C, enum_to_int(D);", "A, C, 9\n"),
        ("module M; export { type E: enum { ONE }; } print ONE, M::ONE;", "M::ONE, M::ONE\n"),
    ]);
}

#[test]
fn functions_hooks_and_events() {
    check(&[
        ("function f(a: count, b: count &default=2): count { return a + b; } print f(1), f(1, 1);", "3, 2\n"),
        (
            "function fib(n: count): count { return n < 2 ? n : fib(n - 1) + fib(n - 2); } print fib(15);",
            "610\n",
        ),
        (
            "function make(n: count): function(): count { return function[n](): count { return ++n; }; } local g = make(1); g(); print g();",
            "3\n",
        ),
        (
            "global h: hook(n: count); hook h(n: count) &priority=5 { print \"one\"; if ( n == 0 ) break; } hook h(n: count) { print \"two\"; } print hook h(0), hook h(1);",
            "one\none\ntwo\nF, T\n",
        ),
        (
            "event later(n: count) { print \"later\", n; } event zeek_init() { event later(1); print \"now\"; } event zeek_init() &priority=10 { print \"first\"; }",
            "first\nnow\nlater, 1\n",
        ),
        (
            "event zeek_done() { print \"end\"; } event x() { print \"x\"; } event zeek_init() { schedule 1hr { x() }; }",
            "x\nend\n",
        ),
    ]);
}

#[test]
fn statements() {
    check(&[
        ("local i = 0; while ( T ) { ++i; if ( i == 2 ) next; if ( i > 3 ) break; print i; }", "1\n3\n"),
        (
            "switch \"b\" { case \"a\": print 1; break; case \"b\", \"c\": print 2; fallthrough; default: print 3; break; }",
            "2\n3\n",
        ),
        (
            "local x: any = 5; switch x { case type string: print \"s\"; break; case type count as c: print c + 1; break; }",
            "6\n",
        ),
        (
            "@if ( 1 == 2 )\nprint \"no\";\n@else\nprint \"yes\";\n@endif\n@ifdef ( zeek_init )\nprint \"known\";\n@endif",
            "yes\nknown\n",
        ),
        (
            "global g = 0; event zeek_init() { when ( g > 0 ) { print \"held\"; } } event zeek_init() &priority=-1 { g = 1; }",
            "held\n",
        ),
        ("print 5 as double, \"7\" as count, \"x\" ?as count, 5 is count;", "5.0, 7, F, T\n"),
    ]);
}

/// Names an event outside of functions, which raises none, and leaves a parameter out.
const NAMES_EVENT: &str = "option A: count = 5;
event changed(id: string, value: count) {}
Option::set_change_handler(\"A\", changed);";

#[test]
fn conditions_wait_for_entries() {
    // What the condition reads of globals, and what an event does then.
    let before = "global t: table[count] of count &default=0; global s: set[string]; global n: table[subnet] of count; \
                  global p: table[pattern] of count; global r: table[count] of vector of count;";
    for (condition, change) in [
        ("t[7] > 1", "t[7] = 2;"),
        ("t[7] > 1", "t[3] = 9; t[7] = 2;"),
        ("t[3] == 0 && t[7] == 2", "t[3] = 0; t[7] = 2;"),
        ("7 in t", "t[7] = 0;"),
        ("7 !in t || t[7] > 0", "delete t[7];"),
        ("|t| == 2", "t[1] = 1; t[2] = 1;"),
        ("\"a\" in s", "add s[\"a\"];"),
        ("10.0.0.1 in n", "n[10.0.0.0/8] = 1;"),
        ("10.0.0.1 in n && n[10.0.0.1] > 1", "n[10.0.0.0/8] = 1; n[10.0.0.0/8] = 2;"),
        ("\"abc\" in p", "p[/a.c/] = 1;"),
        ("7 in r && r[7][0] == 5", "r[7] = vector(4); r[7][0] = 5;"),
    ] {
        let script = format!(
            "{before} event later() {{ {change} }} event zeek_init() {{ when ( {condition} ) {{ print \"held\"; }} \
             timeout 1hr {{ }} event later(); }}"
        );
        let (out, errors, _) = weir_script::command::run_text(&script);
        // A missing index is an error of the condition until it is there.
        assert_eq!(out, "held\n", "{condition}, {change}: {errors}");
    }
}

#[test]
fn errors_name_file_and_line() {
    let rows = [
        ("print 1;\nprint x;", "line 2: unknown identifier x", 1),
        (
            "event zeek_init()\n{\nlocal t: table[count] of count;\nprint t[3];\n}",
            "line 4: no such index (t[3])",
            1,
        ),
        ("event zeek_init() { local a = 0; print 1 / a; }", "division by zero (1 / a)", 1),
        (
            "type R: record { a: count &optional; };\nevent zeek_init() { local r: R; print r$a; }",
            "line 2: field value missing (r$a)",
            1,
        ),
        ("print (;", "syntax error, at or near \";\"", 1),
        ("const c = 1;\nevent zeek_init() { c = 2; }", "line 2: const is not a modifiable lvalue (c)", 1),
        ("local x: count = \"a\";", "assignment of non-arithmetic value to arithmetic", 1),
        (
            "function f(n: count): count { return f(n); }\nevent zeek_init() { f(1); }",
            "maximum recursion depth 1000 exceeded",
            1,
        ),
        (NAMES_EVENT, "line 2: handler for non-existing event cannot be invoked (changed)", 0),
        (NAMES_EVENT, "(Option::set_change_handler(A, to_any_coerce changed, (coerce 0 to int)))", 0),
    ];
    for (script, expected, code) in rows {
        let (_, errors, got) = run_text(script);
        assert!(errors.contains(expected), "{script}\n{errors}");
        assert_eq!(got, code, "{script}\n{errors}");
    }
}

/// Indices that loops and functions are given can be changed without changing the table.
#[test]
fn indices_that_are_shown_are_copies() {
    const TYPES: &str = "type R: record { a: count; }; type S: record { r: R; };\n";
    let rows = [
        (
            "local s: set[R]; local r = R($a=1); add s[r]; r$a = 2; for ( x in s ) x$a = 5; print s, R($a=1) in s;",
            "{\n[a=1]\n}, T\n",
        ),
        (
            "local t: table[R, count] of string = { [R($a=1), 3] = \"x\" }; for ( [k, n], v in t ) k$a = 9; print t;",
            "{\n[[a=1], 3] = x\n}\n",
        ),
        ("local s = set(S($r=R($a=7))); for ( x in s ) x$r$a = 8; print s;", "{\n[r=[a=7]]\n}\n"),
        (
            "local s: set[vector of count]; add s[vector(1, 2)]; for ( x in s ) x += 3; print s;",
            "{\n[1, 2]\n}\n",
        ),
        (
            "local s = set(R($a=1)); local v = s as vector of R; v[0]$a = 2; print s, v;",
            "{\n[a=1]\n}, [[a=2]]\n",
        ),
        (
            "local s: set[R] &on_change=function(t: set[R], c: TableChange, r: R) { r$a = 4; }; add s[R($a=1)]; print s;",
            "{\n[a=1]\n}\n",
        ),
    ];
    for (statements, expected) in rows {
        let script = format!("{TYPES}event zeek_init() {{ {statements} }}");
        let (out, errors, code) = run_text(&script);
        assert_eq!((out.as_str(), code), (expected, 0), "{statements}\n{errors}");
    }
}

#[test]
fn an_error_ends_its_handler_alone() {
    // Those of the beginning end the program, too, when all of it was handled.
    for (event, code) in [("zeek_init", 1), ("zeek_done", 0)] {
        let script = format!(
            "event {event}() &priority=1 {{ local v = vector(1); print v[4]; print \"never\"; }}
            event {event}() {{ print \"next\"; }}"
        );
        let (out, errors, got) = run_text(&script);
        assert_eq!((out.as_str(), got), ("next\n", code), "{errors}");
    }
}

#[test]
fn attacks_end_their_handler_with_file_and_line() {
    let grows = "budget of memory";
    let rows = [
        ("while ( T ) ;", "budget of instructions"),
        ("local t: table[count] of count; local i = 0; while ( T ) { t[i] = i; ++i; }", grows),
        ("local v: vector of count; while ( T ) v += 1;", grows),
        ("deeper(1);", "maximum recursion depth 1000 exceeded"),
        ("local s = \"x\"; while ( T ) s += s;", "the string is too long"),
        ("print string_to_pattern(\"(\", F);", ""),
    ];
    for (body, expected) in rows {
        let script = format!(
            "function deeper(n: count): count {{ return deeper(n + 1); }}
            event attack() &priority=1
                {{ {body} }}
            event attack() {{ print \"goes on\"; }}"
        );
        let mut driver = Driver::new(Some("/nonexistent"));
        driver.engine.output.captured = Some((Vec::new(), String::new()));
        driver.read(&[Script::Text("attack.zeek".to_owned(), script.into_bytes())]);
        (driver.engine.limits.steps, driver.engine.limits.entries) = (1 << 22, 1 << 16);
        let attack = driver.engine.program.function_named("attack").expect("it is declared");
        assert!(driver.engine.handle(attack, &[]).is_ok());
        let (out, errors) = driver.engine.output.captured.take().expect("it is captured");
        assert!(String::from_utf8_lossy(&out).ends_with("goes on\n"), "{body}: {errors}");
        if !expected.is_empty() {
            assert!(errors.contains(expected) && errors.contains("attack.zeek, line"), "{body}: {errors}");
            assert_eq!(driver.engine.run_time_errors, 1, "{body}");
        }
    }
}

#[test]
fn a_bad_pattern_is_an_error_of_reading() {
    let (_, errors, code) = run_text("print 1;\nprint /(/ in \"a\";");
    assert!(errors.contains("line 2") && code == 1, "{errors}");
}

#[test]
fn deep_input_is_an_error() {
    for script in [
        format!("print {}1{};", "(".repeat(100_000), ")".repeat(100_000)),
        format!("print 1{};", " + 1".repeat(100_000)),
        format!("event zeek_init() {}{}", "{".repeat(100_000), "}".repeat(100_000)),
        format!("local x: {} count;", "vector of ".repeat(100_000)),
    ] {
        let (_, errors, code) = run_text(&script);
        assert!(errors.contains("nested too deeply") && code == 1, "{errors}");
    }
}
